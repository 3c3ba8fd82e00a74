(* Banks of shared memory: 32 of 4 bytes; how many wavefronts the threads of a warp take. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import String Ascii.
From Colex Require Export Swizzle Atoms.
Local Open Scope N_scope.
Local Notation length := List.length.

(* The 4-byte words that a thread touches that moves `bytes` from element `at` on, of `bits` bits; none unless
  aligned. *)
Definition words_of (bits bytes at_ : N) : option (list N) :=
  if (at_ * bits) mod (8 * bytes) =? 0 then Some (map (fun k => at_ * bits / 32 + k) (iota (bytes / 4))) else None.
(* The different words of a bank. *)
Definition in_bank (b : N) (ws : list N) : list N := List.filter (fun w => w mod 32 =? b) (nodup N.eq_dec ws).
(* A wavefront for each different word of the bank that has most; one where there is none. *)
Definition wavefronts (ws : list N) : N :=
  fold_right N.max 1 (map (fun b => N.of_nat (length (in_bank b ws))) (iota 32)).
(* The words that threads [128/bytes k, 128/bytes (k+1)) of n touch, and the wavefronts of each such phase. Thread i
  begins at f i; nowhere, where that is no place of memory. *)
Definition phase_threads (bytes n k : N) : list N :=
  let p := 128 / bytes in map (N.add (p * k)) (iota (N.min p (n - p * k))).
Definition touched (f : N -> option N) (bits bytes : N) (threads : list N) : option (list N) :=
  option_map (@concat N) (sequence (map (fun i => x <- f i; words_of bits bytes x) threads)).
Definition moves_at_once (bytes : N) : bool := (bytes =? 4) || (bytes =? 8) || (bytes =? 16).
Definition wavefronts_by_phase (f : N -> option N) (bits bytes n : N) : option (list N) :=
  if moves_at_once bytes
  then option_map (map wavefronts) (sequence (map (fun k => touched f bits bytes (phase_threads bytes n k))
    (iota (ceil n (128 / bytes)))))
  else None.

(* What an instruction asks of a warp: so many bits a thread, or what a copy atom of some name moves. *)
Inductive access := Width (bits : N) | Copied_by (name : string) (a : copy_atom).
(* The words between `_` of a name, as far as its arguments in `<>`. *)
Fixpoint words_in (word name : string) : list string :=
  match name with
  | EmptyString => [word]
  | String c rest => if Ascii.eqb c "<"%char then [word] else if Ascii.eqb c "_"%char then word :: words_in "" rest
                     else words_in (word ++ String c "") rest
  end.
Definition says (name word : string) : bool := existsb (String.eqb word) (words_in "" name).
(* The rows that threads name on the memory's side of a copy of matrices: different places where a thread begins. *)
Definition rows_named (A : layout N) : N :=
  match A with
  | Node [T; _] => N.of_nat (length (nodup N.eq_dec (map (apply T) (iota (size T)))))
  | _ => 0
  end.
(* How many bits a thread moves, and how many threads say where: all, or those of a copy of matrices that name its
  rows of 16 bytes. Nothing where no thread says where: what moves in bulk, between registers or to tensor memory. *)
Definition asked (by_ : access) : option (N * option N) :=
  match by_ with
  | Width b => Some (b, None)
  | Copied_by name a =>
      if says name "LDSM" then Some (128, Some (rows_named (of_src a)))
      else if says name "STSM" then Some (128, Some (rows_named (of_dst a)))
      else if existsb (String.eqb (hd EmptyString (words_in "" name))) ["UniversalCopy"; "SM80"]%string
      then Some (size (of_src a), None) else None
  end.
(* How many of n threads say where; none, where they are not of one warp, or too few. *)
Definition threads_asked (n : N) (rows : option N) : option N :=
  if 32 <? n then None else match rows with Some r => if n <? r then None else Some r | None => Some n end.

(* The wavefronts of each phase of one access of n threads. *)
Definition phases_of (f : N -> option N) (bits : N) (by_ : access) (n : N) : option (list N) :=
  x <- asked by_; m <- threads_asked n (snd x);
  if fst x mod 8 =? 0 then wavefronts_by_phase f bits (fst x / 8) m else None.

(* A are the places of the threads' elements, in strides of any kind: `place` says which values are places of memory. *)
Section Memory.
Context {D E : Type} `{module D} (place : E -> option N).
(* The wavefronts beyond the first of each phase, for at most 1024 threads. *)
Definition bank_conflicts (A : tensor D E) (bits bytes : N) : option N :=
  if 1024 <? size (body A) then None
  else option_map (fun l => fold_right N.add 0 (map (fun w => w - 1) l))
    (wavefronts_by_phase (fun i => place (element A i)) bits bytes (size (body A))).
Definition bank_conflict_phases (A : tensor D E) (bits : N) (by_ : access) : option (list N) :=
  phases_of (fun i => place (element A i)) bits by_ (size (body A)).
End Memory.

Lemma max_list_ge l x : In x l -> x <= fold_right N.max 1 l.
Proof. induction l as [|y l IH]; intros I; [easy|]. cbn. destruct I as [->|I]; [lia|]. specialize (IH I). lia. Qed.
Lemma max_list_in l : fold_right N.max 1 l = 1 \/ In (fold_right N.max 1 l) l.
Proof.
  induction l as [|y l IH]; [now left|]. cbn. destruct (N.max_spec y (fold_right N.max 1 l)) as [[_ ->]|[_ ->]];
    [|auto].
  destruct IH; auto.
Qed.
Lemma nodup_length_one (l : list N) : NoDup l -> (forall x y, In x l -> In y l -> x = y) -> (length l <= 1)%nat.
Proof.
  intros Nd E. destruct l as [|x [|y l]]; cbn; [lia|lia|]. exfalso. apply NoDup_cons_iff in Nd as [Nx _]. apply Nx.
  rewrite (E x y); simpl; auto.
Qed.
Lemma in_bank_nodup b ws : NoDup (in_bank b ws).
Proof. apply NoDup_filter, NoDup_nodup. Qed.
Lemma in_in_bank b ws w : In w (in_bank b ws) <-> In w ws /\ w mod 32 = b.
Proof. unfold in_bank. rewrite filter_In, nodup_In, N.eqb_eq. easy. Qed.

(* Where no bank has two different words nothing meets. *)
Lemma wavefronts_one ws : (forall w v, In w ws -> In v ws -> w mod 32 = v mod 32 -> w = v) -> wavefronts ws = 1.
Proof.
  intros E. unfold wavefronts. destruct (max_list_in (map (fun b => N.of_nat (length (in_bank b ws))) (iota 32))) as
    [K|K];
    [exact K|]. apply in_map_iff in K as (b & K & _). rewrite <- K.
  assert (length (in_bank b ws) <= 1)%nat as L.
  { apply nodup_length_one; [apply in_bank_nodup|]. intros x y Hx Hy. apply in_in_bank in Hx as [Hx Mx], Hy as [Hy My].
    apply E; congruence. }
  assert (1 <= fold_right N.max 1 (map (fun b => N.of_nat (length (in_bank b ws))) (iota 32))).
  { generalize (map (fun b => N.of_nat (length (in_bank b ws))) (iota 32)) as l. induction l; cbn; lia. }
  lia.
Qed.

(* Words further on by a multiple of all banks meet as before. *)
Lemma nodup_translated q ws : nodup N.eq_dec (map (N.add q) ws) = map (N.add q) (nodup N.eq_dec ws).
Proof.
  induction ws as [|w ws IH]; [easy|]. cbn [map nodup]. destruct (in_dec N.eq_dec w ws) as [I|I].
  - destruct (in_dec N.eq_dec (q + w) (map (N.add q) ws)) as [_|J]; [exact IH|]. exfalso. apply J. now apply in_map.
  - destruct (in_dec N.eq_dec (q + w) (map (N.add q) ws)) as [J|_]; [|cbn; now rewrite IH]. exfalso. apply I.
    apply in_map_iff in J as (v & E & J). now replace w with v by lia.
Qed.
Lemma wavefronts_translated q ws : wavefronts (map (N.add (32 * q)) ws) = wavefronts ws.
Proof.
  unfold wavefronts. f_equal. apply map_ext. intros b. f_equal. unfold in_bank. rewrite nodup_translated.
  induction (nodup N.eq_dec ws) as [|w l IH]; [easy|]. cbn [map List.filter].
  replace ((32 * q + w) mod 32) with (w mod 32) by (rewrite N.add_comm, N.mul_comm, N.mod_add; easy).
  destruct (_ =? _); cbn; now rewrite ?map_length, IH.
Qed.

Lemma sequence_map {X Y Z} (g : Y -> Z) (f : X -> option Y) l :
  sequence (map (fun x => option_map g (f x)) l) = option_map (map g) (sequence (map f l)).
Proof.
  induction l as [|x l IH]; [easy|]. cbn [map sequence]. destruct (f x); cbn [option_map sequence]; [|easy].
  rewrite IH. now destruct (sequence (map f l)).
Qed.

Lemma words_translated bits bytes q d a : d * bits = 32 * 32 * q -> moves_at_once bytes = true ->
  words_of bits bytes (d + a) = option_map (map (N.add (32 * q))) (words_of bits bytes a).
Proof.
  intros E M. assert (Z : (8 * bytes | 32 * 32)).
  { unfold moves_at_once in M. rewrite !orb_true_iff, !N.eqb_eq in M. destruct M as [[-> | ->] | ->];
      [exists 32|exists 16|exists 8]; reflexivity. }
  assert (P : bytes <> 0) by (intros ->; discriminate M).
  unfold words_of. rewrite N.mul_add_distr_r, E. destruct Z as [c Z]. rewrite Z at 1.
  replace ((c * (8 * bytes) * q + a * bits) mod (8 * bytes)) with ((a * bits) mod (8 * bytes)).
  2: { replace (c * (8 * bytes) * q + a * bits) with (a * bits + c * q * (8 * bytes)) by lia. rewrite N.mod_add; lia. }
  destruct (_ =? 0); [|easy]. cbn [option_map]. f_equal. rewrite map_map. apply map_ext. intros k.
  replace (32 * 32 * q + a * bits) with (a * bits + 32 * q * 32) by lia. rewrite N.div_add by lia. lia.
Qed.

Lemma touched_translated f bits bytes q d ts : d * bits = 32 * 32 * q -> moves_at_once bytes = true ->
  touched (fun i => Some (d + f i)) bits bytes ts =
  option_map (map (N.add (32 * q))) (touched (fun i => Some (f i)) bits bytes ts).
Proof.
  intros E M. unfold touched. cbn [bind].
  rewrite (map_ext _ (fun i => option_map (map (N.add (32 * q))) (words_of bits bytes (f i))))
    by (intros i; now apply words_translated).
  rewrite sequence_map. destruct (sequence _) as [l|]; [|easy]. cbn [option_map]. f_equal. now rewrite concat_map.
Qed.

(* Threads all of which begin later by a multiple of all banks meet as before. *)
Theorem bank_conflicts_translation d (A : layout N) bits bytes : (d * bits) mod 1024 = 0 ->
  bank_conflicts Some (view d A) bits bytes = bank_conflicts Some (view 0 A) bits bytes.
Proof.
  intros E. apply mod_0_divides in E as [q E]; [|easy]. unfold bank_conflicts. cbn [view body]. destruct (_ <? _);
    [easy|].
  f_equal. unfold wavefronts_by_phase. destruct (moves_at_once bytes) eqn:M; [|easy].
  assert (K : forall ts, touched (fun i => Some (element (view d A) i)) bits bytes ts =
    option_map (map (N.add (32 * q))) (touched (fun i => Some (element (view 0 A) i)) bits bytes ts)).
  { intros ts. rewrite <- (touched_translated _ bits bytes q d) by (easy || lia). reflexivity. }
  rewrite (map_ext _ _ (fun k => K (phase_threads bytes (size A) k))), sequence_map.
  destruct (sequence _) as [l|]; [|easy]. cbn [option_map]. f_equal. rewrite map_map. apply map_ext.
  intros ws. apply wavefronts_translated.
Qed.

(* Threads whose words of one phase never meet: no conflict. *)
Lemma sequence_all {X Y} (f : X -> option Y) (g : X -> Y) l : (forall x, In x l -> f x = Some (g x)) ->
  sequence (map f l) = Some (map g l).
Proof.
  induction l as [|x l IH]; intros E; [easy|]. cbn [map sequence]. rewrite (E x (or_introl eq_refl)), IH; [easy|].
  intros y I. apply E. now right.
Qed.
Lemma no_conflicts (A : tensor N N) bits bytes (ws : N -> list N) : size (body A) <= 1024 -> moves_at_once bytes =
  true ->
  (forall i, i < size (body A) -> words_of bits bytes (element A i) = Some (ws i)) ->
  (forall k i j v w, In i (phase_threads bytes (size (body A)) k) -> In j (phase_threads bytes (size (body A)) k) ->
    In v (ws i) -> In w (ws j) -> v mod 32 = w mod 32 -> v = w) -> bank_conflicts Some A bits bytes = Some 0.
Proof.
  intros L M W E. unfold bank_conflicts. assert (1024 <? size (body A) = false) as -> by (apply N.ltb_ge; lia).
  unfold wavefronts_by_phase. rewrite M. set (n := size (body A)) in *.
  rewrite (sequence_all _ (fun k => concat (map ws (phase_threads bytes n k)))).
  - cbn [option_map]. f_equal. rewrite map_map. induction (iota _) as [|k l IH]; [easy|]. cbn [map fold_right].
    rewrite IH, wavefronts_one; [easy|]. intros w v Iw Iv. apply in_concat in Iw as (x & Ix & Iw), Iv as (y & Iy & Iv).
    apply in_map_iff in Ix as (i & <- & Ii), Iy as (j & <- & Ij). intros G. now apply (E k i j).
  - intros k _. unfold touched. rewrite (sequence_all _ ws); [easy|]. intros i I. apply W. unfold phase_threads in I.
    apply in_map_iff in I as (j & <- & I). rewrite in_iota in I. lia.
Qed.
Lemma phase_thread bytes n k i : In i (phase_threads bytes n k) -> moves_at_once bytes = true ->
  i / (128 / bytes) = k /\ i < n.
Proof.
  intros I M. unfold phase_threads in I. apply in_map_iff in I as (j & <- & I). rewrite in_iota in I.
  assert (0 < 128 / bytes) by (unfold moves_at_once in M; rewrite !orb_true_iff, !N.eqb_eq in M;
    destruct M as [[-> | ->] | ->]; reflexivity).
  split; [|lia]. rewrite N.add_comm. apply digit_div. lia.
Qed.

(* Contiguous threads do not meet. *)
Theorem bank_conflicts_contiguous n b : n <= 1024 -> moves_at_once b = true ->
  bank_conflicts Some (view 0 (Leaf n b)) 8 b = Some 0.
Proof.
  intros L M. assert (D : exists p, 0 < p /\ b = 4 * p /\ 128 / b * p = 32).
  { unfold moves_at_once in M. rewrite !orb_true_iff, !N.eqb_eq in M. destruct M as [[-> | ->] | ->];
      [exists 1|exists 2|exists 4]; repeat split. }
  destruct D as (p & Hp & -> & Q). assert (P : 4 * p / 4 = p) by (rewrite N.mul_comm; now apply N.div_mul).
  apply (no_conflicts _ _ _ (fun i => map (fun k => i * p + k) (iota p))); [exact L|exact M| |].
  - intros i _. unfold words_of. change (element (view 0 (Leaf n (4 * p))) i) with (0 + i * (4 * p)).
    replace ((0 + i * (4 * p)) * 8) with (i * (8 * (4 * p))) by lia. rewrite N.mod_mul by lia. cbn [N.eqb].
    rewrite N.eqb_refl, P. f_equal. apply map_ext. intros k. f_equal.
    replace (i * (8 * (4 * p))) with (i * p * 32) by lia. now apply N.div_mul.
  - intros k i j v w Ii Ij Iv Iw G. apply phase_thread in Ii as [Ei _], Ij as [Ej _]; try easy.
    apply in_map_iff in Iv as (x & <- & Ix), Iw as (y & <- & Iy). rewrite in_iota in *.
    set (h := 128 / (4 * p)) in *. assert (Hh : 0 < h) by (destruct (N.eq_dec h 0) as [E|]; [rewrite E in Q; lia|lia]).
    destruct (split_index h i Hh) as [Fi Li], (split_index h j Hh) as [Fj Lj]. rewrite Ei in Fi. rewrite Ej in Fj.
    revert G. rewrite Fi, Fj. generalize dependent (i mod h). generalize dependent (j mod h). intros s Fj Ls r Fi Lr G.
    assert (A1 : forall t z, t < h -> z < p -> (t + h * k) * p + z = (t * p + z) + k * 32 /\ t * p + z < 32).
    { intros t z Ht Hz. assert (t * p + z < h * p) by nia. split; [|lia]. rewrite <- Q. lia. }
    destruct (A1 r x Lr Ix) as [B1 C1], (A1 s y Ls Iy) as [B2 C2]. rewrite B1, B2 in *. rewrite !N.mod_add in G by easy.
    rewrite !N.mod_small in G by easy. lia.
Qed.

(* Up to 32 threads in one column of banks take turns. *)
Theorem bank_conflicts_column n : 0 < n -> n <= 32 -> bank_conflicts Some (view 0 (Leaf n 128)) 8 4 = Some (n - 1).
Proof.
  intros P L. assert (K : forallb (fun n => (n =? 0) || match bank_conflicts Some (view 0 (Leaf n 128)) 8 4 with
    Some c => c =? n - 1 | None => false end) (iota 33) = true) by now vm_compute.
  rewrite forallb_iota in K. specialize (K n ltac:(lia)). apply orb_true_iff in K as [K|K]; [apply N.eqb_eq in K; lia|].
  destruct (bank_conflicts _ _ _); [|discriminate]. apply N.eqb_eq in K. now subst.
Qed.

Lemma near_places n i j : 0 < n -> i <= j + 31 -> i / n <= j / n + 31.
Proof.
  intros Hn L. rewrite <- N.div_add by lia. apply N.div_le_mono; [lia|]. nia.
Qed.

(* Threads that read one word do not meet: n threads each read the m words of a row of at most 32. *)
Theorem bank_conflicts_broadcast n m : 0 < n -> n * m <= 1024 ->
  bank_conflicts Some (view 0 (Node [Leaf n 0; Leaf m 4])) 8 4 = Some 0.
Proof.
  intros Hn L. apply (no_conflicts _ _ _ (fun i => [i / n])); [cbn; lia|easy| |].
  - intros i _. change (element (view 0 (Node [Leaf n 0; Leaf m 4])) i) with (0 + (i mod n * 0 + i / n * 4)).
    unfold words_of. rewrite N.mul_0_r, !N.add_0_l. replace (i / n * 4 * 8) with (i / n * (8 * 4)) by lia.
    rewrite N.mod_mul by easy. cbn [N.eqb]. change (4 / 4) with 1. rewrite N.eqb_refl, iota_1. cbn [map]. do 2 f_equal.
    change (8 * 4) with 32. rewrite N.div_mul by easy. lia.
  - intros k i j v w Ii Ij Iv Iw G. apply phase_thread in Ii as [Ei _], Ij as [Ej _]; try easy.
    destruct Iv as [<-|[]], Iw as [<-|[]]. change (128 / 4) with 32 in *.
    destruct (split_index 32 i ltac:(lia)) as [Fi Li], (split_index 32 j ltac:(lia)) as [Fj Lj].
    rewrite Ei in Fi. rewrite Ej in Fj.
    assert (i <= j + 31 /\ j <= i + 31) as [N1 N2].
    { revert Fi Fj Li Lj. generalize (i mod 32) (j mod 32). intros; lia. }
    apply (near_places n) in N1, N2; [|easy|easy].
    destruct (split_index 32 (i / n) ltac:(lia)) as [Di _], (split_index 32 (j / n) ltac:(lia)) as [Dj _].
    rewrite G in Di. revert Di Dj N1 N2. generalize (j / n mod 32) (i / n / 32) (j / n / 32). intros; lia.
Qed.

(* Columns of swizzled rows of 2^(B+4) bytes do not meet. *)
Theorem bank_conflicts_swizzled b : b < 4 -> bank_conflicts Some (behind (Sw b 4 3) 0
  (Node [Leaf 8 (2 ^ (b + 4)); Leaf (2 ^ b) 16])) 8 16 = Some 0.
Proof.
  intros L. assert (b = 0 \/ b = 1 \/ b = 2 \/ b = 3) as [-> | [-> | [-> | ->]]] by lia; now vm_compute.
Qed.

Lemma sequence_defined {X Y} (f : X -> option Y) l :
  (exists m, sequence (map f l) = Some m) <-> forall x, In x l -> exists y, f x = Some y.
Proof.
  induction l as [|x l IH]; [split; [easy|now exists []]|]. cbn [map sequence]. split.
  - intros [m E] y [<-|I].
    + destruct (f x); [eauto|discriminate].
    + destruct (f x); [|discriminate]. destruct (sequence (map f l)) eqn:F; [|discriminate]. apply IH; eauto.
  - intros D. destruct (D x (or_introl eq_refl)) as [y ->]. destruct (proj2 IH) as [m ->]; [|cbn; eauto].
    intros z I. apply D. now right.
Qed.
Lemma all_threads bytes n i : moves_at_once bytes = true -> i < n ->
  exists k, k < ceil n (128 / bytes) /\ In i (phase_threads bytes n k).
Proof.
  intros M Hi. set (p := 128 / bytes) in *. assert (Hp : 0 < p).
  { subst p. unfold moves_at_once in M. rewrite !orb_true_iff, !N.eqb_eq in M. now destruct M as [[-> | ->] | ->]. }
  destruct (split_index p i Hp) as [E L]. exists (i / p). split.
  - assert (n <= ceil n p * p) by now apply ceil_least. apply N.div_lt_upper_bound; lia.
  - unfold phase_threads. apply in_map_iff. exists (i mod p). fold p. rewrite in_iota. split; lia.
Qed.
(* Every of n threads begins at a multiple of so many bytes. *)
Definition aligned (f : N -> option N) (bits bytes n : N) : Prop :=
  forall i, i < n -> exists x, f i = Some x /\ (x * bits) mod (8 * bytes) = 0.
Lemma words_defined (f : N -> option N) bits bytes i : (exists ws, (x <- f i; words_of bits bytes x) = Some ws) <->
  exists x, f i = Some x /\ (x * bits) mod (8 * bytes) = 0.
Proof.
  unfold words_of. destruct (f i) as [x|]; cbn [bind].
  - destruct (N.eqb_spec ((x * bits) mod (8 * bytes)) 0) as [Z|Z]; split; eauto; [now intros []|].
    intros (y & E & K). now injection E as <-.
  - split; [now intros []|now intros (x & E & _)].
Qed.
Lemma mapped_defined {X Y} (g : X -> Y) o : (exists y, option_map g o = Some y) <-> exists x, o = Some x.
Proof. destruct o; cbn; split; intros [y E]; try discriminate; eauto. Qed.
Lemma phases_defined f bits bytes n : (exists l, wavefronts_by_phase f bits bytes n = Some l) <->
  moves_at_once bytes = true /\ aligned f bits bytes n.
Proof.
  unfold wavefronts_by_phase. destruct (moves_at_once bytes) eqn:M; [|split; [intros [l E]; discriminate|easy]].
  rewrite mapped_defined, sequence_defined.
  assert (T : forall k, (exists ws, touched f bits bytes (phase_threads bytes n k) = Some ws) <->
    forall i, In i (phase_threads bytes n k) -> exists x, f i = Some x /\ (x * bits) mod (8 * bytes) = 0).
  { intros k. unfold touched. rewrite mapped_defined, sequence_defined. now setoid_rewrite words_defined. }
  split.
  - intros H. split; [easy|]. intros i Hi. destruct (all_threads bytes n i M Hi) as (k & Hk & I).
    apply (proj1 (T k)); [|exact I]. apply H. now apply in_iota.
  - intros [_ H] k _. apply T. intros i I. apply H. now apply (phase_thread bytes n k).
Qed.

(* bank_conflicts(A, 8, b) is defined exactly when every thread begins at a multiple of b. *)
Theorem bank_conflicts_aligned {D E} `{module D} (place : E -> option N) (A : tensor D E) b : size (body A) <= 1024 ->
  moves_at_once b = true -> (exists c, bank_conflicts place A 8 b = Some c) <->
  forall i, i < size (body A) -> exists x, place (element A i) = Some x /\ x mod b = 0.
Proof.
  intros L M. unfold bank_conflicts. assert (1024 <? size (body A) = false) as -> by (apply N.ltb_ge; lia).
  rewrite mapped_defined, phases_defined. assert (b <> 0) by (intros ->; discriminate M).
  assert (G : forall x, (x * 8) mod (8 * b) = 0 <-> x mod b = 0).
  { intros x. rewrite (N.mul_comm x). rewrite N.mul_mod_distr_l by easy. lia. }
  unfold aligned. setoid_rewrite G. tauto.
Qed.

(* Of the most different words of one bank: a bank has as many, and none has more. *)
Lemma wavefronts_spec ws : (exists b l, NoDup l /\ (forall w, In w l -> In w ws /\ w mod 32 = b) /\
  wavefronts ws = N.max 1 (N.of_nat (length l))) /\ forall b l, NoDup l -> (forall w, In w l -> In w ws /\ w mod 32 =
    b) ->
  N.of_nat (length l) <= wavefronts ws.
Proof.
  unfold wavefronts. set (m := map _ _). split.
  - destruct (max_list_in m) as [E|I].
    + exists 0, []. rewrite E. repeat split; try constructor; easy.
    + apply in_map_iff in I as (b & E & Hb). exists b, (in_bank b ws). split; [apply in_bank_nodup|].
      split; [intros w; apply in_in_bank|]. rewrite E.
      assert (1 <= fold_right N.max 1 m) by (clear; induction m; cbn; lia). lia.
  - intros b l Nd H. destruct l as [|w l]; [clear; induction m; cbn in *; lia|].
    apply N.le_trans with (N.of_nat (length (in_bank b ws))).
    + assert (length (w :: l) <= length (in_bank b ws))%nat; [|lia]. apply NoDup_incl_length; [exact Nd|].
      intros v I. now apply in_in_bank, H.
    + apply max_list_ge, in_map_iff. exists b. split; [easy|]. apply in_iota.
      destruct (H w (or_introl eq_refl)) as [_ <-]. now apply N.mod_lt.
Qed.

(* Phase k of n: as many wavefronts as one bank has different words that its threads touch, and no bank has more. *)
Definition most_in_a_bank (w : N) (ws : list N) : Prop :=
  (exists b l, NoDup l /\ (forall v, In v l -> In v ws /\ v mod 32 = b) /\ w = N.max 1 (N.of_nat (length l))) /\
  forall b l, NoDup l -> (forall v, In v l -> In v ws /\ v mod 32 = b) -> N.of_nat (length l) <= w.

Lemma whole_bits b : ((8 * b) mod 8 =? 0) = true /\ 8 * b / 8 = b.
Proof. split; [rewrite N.mul_comm, N.mod_mul by easy; reflexivity|now apply div_mul_cancel]. Qed.

(* Phase k of n threads, each of b bytes, takes w wavefronts: the most different words of one bank that they touch. *)
Definition phase_takes (f : N -> option N) (b n : N) (k : nat) (w : N) : Prop := exists ws,
  touched f (8 * b) b (phase_threads b n (N.of_nat k)) = Some ws /\ most_in_a_bank w ws.

(* bank_conflict_phases(A, 8b, 8b)[k] is the most different words of one bank that the threads of phase k touch. *)
Theorem bank_conflict_phases_definition {D E} `{module D} (place : E -> option N) (A : tensor D E) b l k w :
  bank_conflict_phases place A (8 * b) (Width (8 * b)) = Some l -> nth_error l k = Some w -> length l =
  N.to_nat (ceil (size (body A)) (128 / b)) /\ phase_takes (fun i => place (element A i)) b (size (body A)) k w.
Proof.
  unfold bank_conflict_phases, phases_of, threads_asked. cbn [asked bind fst snd]. destruct (_ <? _); [discriminate|].
  cbn [bind]. rewrite (proj1 (whole_bits b)), (proj2 (whole_bits b)). unfold wavefronts_by_phase.
  destruct (moves_at_once b); [|discriminate]. set (c := ceil _ _). destruct (sequence _) as [t|] eqn:Q;
    [|discriminate].
  intros K. injection K as <-. intros Hk. apply sequence_some in Q.
  assert (Lt : length t = N.to_nat c) by (apply (f_equal (@length _)) in Q; rewrite !map_length, length_iota in Q; lia).
  split; [now rewrite map_length|]. rewrite nth_error_map in Hk. destruct (nth_error t k) as [ws|] eqn:F;
    [|discriminate].
  injection Hk as <-. exists ws. split; [|apply wavefronts_spec].
  assert (G : nth_error (map Some t) k = Some (Some ws)) by now apply map_nth_error. rewrite <- Q, nth_error_map in G.
  unfold iota in G. rewrite nth_error_map in G.
  assert (k < N.to_nat c)%nat as Lk by (rewrite <- Lt; apply nth_error_Some; congruence).
  rewrite (nth_error_nth' _ 0%nat) in G by now rewrite seq_length. rewrite seq_nth in G by easy. cbn in G. congruence.
Qed.

(* The wavefronts of all phases, less one for each, are the conflicts. *)
Theorem bank_conflict_phases_sum {D E} `{module D} (place : E -> option N) (A : tensor D E) b l :
  bank_conflict_phases place A (8 * b) (Width (8 * b)) = Some l ->
  bank_conflicts place A (8 * b) b = Some (fold_right N.add 0 (map (fun w => w - 1) l)).
Proof.
  unfold bank_conflict_phases, phases_of, threads_asked, bank_conflicts. cbn [asked bind fst snd].
  destruct (N.ltb_spec 32 (size (body A))); [discriminate|]. cbn [bind].
  rewrite (proj1 (whole_bits b)), (proj2 (whole_bits b)). intros ->.
  now assert (1024 <? size (body A) = false) as -> by (apply N.ltb_ge; lia).
Qed.

(* The matrices of 32 bits a thread that a copy atom moves, where its name is of ldmatrix or stmatrix and 8 threads name
  the rows of each. *)
Definition matrices_of (a : copy_atom) : N := match of_ref a with Node [_; V] => size V / 32 | _ => 0 end.
Definition copies_matrices (name : string) (a : copy_atom) : bool :=
  match asked (Copied_by name a) with
  | Some (b, Some r) => (b =? 128) && (r =? 8 * matrices_of a) && (r <=? 32)
  | _ => false
  end.

(* A copy of matrices by 32 threads takes the first phases of moves of 16 bytes, one for each matrix. *)
Theorem bank_conflict_phases_matrices {D E} `{module D} (place : E -> option N) (A : tensor D E) name a l :
  size (body A) = 32 -> copies_matrices name a = true -> bank_conflict_phases place A 128 (Width 128) = Some l ->
  bank_conflict_phases place A 128 (Copied_by name a) = Some (firstn (N.to_nat (matrices_of a)) l).
Proof.
  intros Z C. unfold copies_matrices, bank_conflict_phases, phases_of in *.
  destruct (asked (Copied_by name a)) as [[b [r|]]|]; try discriminate. rewrite !andb_true_iff, !N.eqb_eq in C.
  destruct C as [[-> ->] L]. apply N.leb_le in L. unfold threads_asked. cbn [asked bind fst snd]. rewrite Z.
  change (32 <? 32) with false. assert (32 <? 8 * matrices_of a = false) as -> by (apply N.ltb_ge; lia). cbv iota.
  cbn [bind]. set (n := matrices_of a) in *. set (f := fun i => _). intros Q. revert Q.
  change (128 mod 8 =? 0) with true. change (128 / 8) with 16. cbv iota. unfold wavefronts_by_phase.
  change (moves_at_once 16) with true. cbv iota. change (128 / 16) with 8. change (ceil 32 8) with 4.
  replace (ceil (8 * n) 8) with n by (rewrite (N.mul_comm 8 n); symmetry; rewrite N.mul_comm; now apply ceil_exact).
  replace 4 with (n + (4 - n)) by lia. rewrite iota_add, map_app.
  intros Q. destruct (sequence _) as [t|] eqn:F; [|discriminate]. injection Q as <-. apply sequence_some in F.
  assert (G : map (fun k => touched f 128 16 (phase_threads 16 (8 * n) k)) (iota n) =
    map (fun k => touched f 128 16 (phase_threads 16 32 k)) (iota n)).
  { apply map_ext_in. intros k Hk. rewrite in_iota in Hk. f_equal. unfold phase_threads. change (128 / 16) with 8.
    cbv zeta. do 2 f_equal. lia. }
  rewrite G. assert (K : map (fun k => touched f 128 16 (phase_threads 16 32 k)) (iota n) =
    map Some (firstn (N.to_nat n) t)).
  { rewrite <- firstn_map, <- F, firstn_app, map_length, length_iota, Nat.sub_diag. cbn [firstn].
    rewrite app_nil_r, firstn_all2; [easy|]. rewrite map_length, length_iota. lia. }
  apply sequence_some in K. rewrite K. cbn [option_map]. now rewrite firstn_map.
Qed.

Lemma phases_of_defined f bits by_ n : (exists l, phases_of f bits by_ n = Some l) <-> exists b rows m,
  asked by_ = Some (b, rows) /\ threads_asked n rows = Some m /\ b mod 8 = 0 /\ moves_at_once (b / 8) = true /\
  aligned f bits (b / 8) m.
Proof.
  unfold phases_of. destruct (asked by_) as [[b rows]|]; cbn [bind fst snd].
  2: { split; [intros [l E]; discriminate|intros (b & rows & m & E & _); discriminate]. }
  destruct (threads_asked n rows) as [m|] eqn:T; cbn [bind].
  2: { split; [intros [l E]; discriminate|]. intros (b' & r' & m & E & F & _). injection E as <- <-. congruence. }
  destruct (N.eqb_spec (b mod 8) 0) as [Z|Z].
  - rewrite phases_defined. split; [intros [M A]; exists b, rows, m; tauto|].
    intros (b' & r' & m' & E & F & _ & M & A). injection E as <- <-. assert (m' = m) as -> by congruence. tauto.
  - split; [intros [l E]; discriminate|]. intros (b' & r' & m' & E & _ & F & _). injection E as <- <-. easy.
Qed.
Lemma threads_asked_some n rows m : threads_asked n rows = Some m <->
  n <= 32 /\ match rows with Some r => r <= n /\ m = r | None => m = n end.
Proof.
  unfold threads_asked. destruct (N.ltb_spec 32 n); [split; [discriminate|lia]|]. destruct rows as [r|].
  - destruct (N.ltb_spec n r); split; try discriminate; [lia|intros E; injection E as <-; lia|].
    intros (_ & _ & ->). easy.
  - split; [intros E; now injection E|now intros [_ ->]].
Qed.

(* 4, 8 or 16 whole bytes a thread of a warp are moved, each aligned. *)
Definition moves_aligned (f : N -> option N) (bits : N) (by_ : access) (n : N) : Prop := n <= 32 /\ exists b rows,
  asked by_ = Some (8 * b, rows) /\ moves_at_once b = true /\ match rows with Some r => r <= n | None => True end /\
  aligned f bits b (match rows with Some r => r | None => n end).

(* It is defined exactly then. *)
Theorem bank_conflict_phases_exists {D E} `{module D} (place : E -> option N) (A : tensor D E) bits by_ :
  (exists l, bank_conflict_phases place A bits by_ = Some l) <->
  moves_aligned (fun i => place (element A i)) bits by_ (size (body A)).
Proof.
  unfold bank_conflict_phases, moves_aligned. set (n := size (body A)). rewrite phases_of_defined. split.
  - intros (b & rows & m & Q & T & Z & M & Al). apply threads_asked_some in T as [L T]. split; [exact L|].
    exists (b / 8), rows. split; [rewrite Q; do 2 f_equal; apply N.div_exact; easy|]. split; [exact M|].
    destruct rows as [r|]; [destruct T as [Lr ->]|subst m]; auto.
  - intros (L & b & rows & Q & M & Lr & Al). destruct (whole_bits b) as [W1 W2]. apply N.eqb_eq in W1.
    exists (8 * b), rows, (match rows with Some r => r | None => n end). rewrite W2. repeat split; try easy.
    apply threads_asked_some. split; [exact L|]. now destruct rows.
Qed.
