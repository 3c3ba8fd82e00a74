(* The least swizzle of a layout in shared memory by which no two threads of a warp meet in a bank. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Banks Solve.
Local Open Scope N_scope.

(* Thread i of a warp begins at the element of index `threads i` of a layout, and moves so much. *)
Record warp_access := Access { threads : layout N; moves : access }.
Definition place_behind (A : layout N) (w : swizzle) (x : warp_access) (i : N) : option N :=
  Some (swizzled w (apply A (apply (threads x) i))).
Definition is_free (A : layout N) (bits : N) (w : swizzle) (x : warp_access) : bool :=
  match phases_of (place_behind A w x) bits (moves x) (size (threads x)) with
  | Some l => forallb (N.eqb 1) l
  | None => false
  end.

(* As many bits as the values of A have. *)
Definition value_bits (A : layout N) : N := N.size (cosize A - 1).
(* The least m such that 2^m elements are a whole number of what a thread moves. *)
Definition kept_together (bits m : N) (x : warp_access) : bool :=
  match asked (moves x) with Some (b, _) => (bits * 2 ^ m) mod b =? 0 | None => false end.
Definition least_base (bits : N) (l : list warp_access) : N :=
  match List.find (fun m => forallb (kept_together bits m) l) (iota 8) with Some m => m | None => 8 end.
(* The swizzles of the numbers of n bits that leave 2^m together. *)
Definition is_within (n m : N) (w : swizzle) : bool :=
  (bits w =? 0) || (m <=? base w) && (reach w <=? n) && (Z.of_N (bits w) <=? Z.abs (Swizzle.shift w))%Z.
Definition swizzles_of (n m : N) : list swizzle := Sw 0 0 0 :: List.filter (is_within n m)
  (flat_map (fun b => flat_map (fun k => flat_map (fun s => [Sw (b + 1) k (Z.of_N s); Sw (b + 1) k (- Z.of_N s)])
    (iota (n + 1))) (iota (n + 1))) (iota n)).
(* The order among them: the least B, then the least M, then S > 0 before S < 0, then the least |S|. *)
Definition swizzle_rank (w : swizzle) : list N :=
  [bits w; base w; if (0 <? Swizzle.shift w)%Z then 0 else 1; Z.abs_N (Swizzle.shift w)].
(* The least swizzle of A's values by which no access takes an extra wavefront, of values below 2^20. *)
Definition swizzle_for (A : layout N) (bits : N) (l : list warp_access) : option swizzle :=
  if (cosize A <=? 2 ^ 20) && forallb (fun x => cosize (threads x) <=? size A) l
  then least (fun v w => not_after (swizzle_rank v) (swizzle_rank w))
    (List.filter (fun w => forallb (is_free A bits w) l) (swizzles_of (value_bits A) (least_base bits l)))
  else None.

(* ---- What is free of conflicts. ---- *)

(* The words that a thread touches; none where it is not aligned. *)
Definition touches (f : N -> option N) (bits bytes i : N) : list N :=
  match f i with Some x => match words_of bits bytes x with Some ws => ws | None => [] end | None => [] end.
(* No two threads of a phase touch two words of one bank. *)
Definition meet_nowhere (f : N -> option N) (bits bytes n : N) : Prop := forall k i j v w,
  In i (phase_threads bytes n k) -> In j (phase_threads bytes n k) -> In v (touches f bits bytes i) ->
  In w (touches f bits bytes j) -> v mod 32 = w mod 32 -> v = w.

Lemma wavefronts_apart ws v w : wavefronts ws = 1 -> In v ws -> In w ws -> v mod 32 = w mod 32 -> v = w.
Proof.
  intros E V W B. destruct (N.eq_dec v w) as [|Ne]; [easy|]. destruct (wavefronts_spec ws) as [_ M].
  assert (2 <= wavefronts ws); [|lia]. apply (M (v mod 32) [v; w]).
  - constructor; [intros [K|[]]; now apply Ne|]. constructor; [easy|constructor].
  - intros u [<-|[<-|[]]]; auto.
Qed.
Lemma touched_some f bits bytes ts ws : touched f bits bytes ts = Some ws -> ws = flat_map (touches f bits bytes) ts.
Proof.
  unfold touched. destruct (sequence _) as [l|] eqn:E; [|discriminate]. intros K. injection K as <-.
  apply sequence_some in E. rewrite flat_map_concat_map. f_equal. revert l E.
  induction ts as [|i ts IH]; intros [|y l] E; try discriminate; [easy|]. cbn [map] in *. injection E as Ey E.
  rewrite (IH l E). f_equal. unfold touches. destruct (f i) as [x|]; [|discriminate]. cbn [bind] in Ey. now rewrite Ey.
Qed.
Lemma phases_free f bits bytes n l : wavefronts_by_phase f bits bytes n = Some l ->
  forallb (N.eqb 1) l = true <-> meet_nowhere f bits bytes n.
Proof.
  unfold wavefronts_by_phase. destruct (moves_at_once bytes) eqn:M; [|discriminate].
  destruct (sequence _) as [t|] eqn:E; [|discriminate]. intros K. injection K as <-. apply sequence_some in E.
  assert (T : forall ws, In ws t <-> exists k, k < ceil n (128 / bytes) /\
    touched f bits bytes (phase_threads bytes n k) = Some ws).
  { intros ws. assert (In ws t <-> In (Some ws) (map Some t)) as ->.
    { rewrite in_map_iff. split; [eauto|]. intros (x & X & I). now injection X as ->. }
    rewrite <- E, in_map_iff. split; intros (k & A & B); exists k; [rewrite in_iota in B|rewrite in_iota]; tauto. }
  rewrite forallb_forall. split.
  - intros H k i j v w I J V W B. destruct (phase_thread bytes n k i I M) as [Ek Li].
    destruct (all_threads bytes n i M Li) as (k' & Lk & I'). destruct (phase_thread bytes n k' i I' M) as [Ek' _].
    assert (k' = k) as -> by congruence. clear I' Ek'. 
    destruct (touched f bits bytes (phase_threads bytes n k)) as [ws|] eqn:Q.
    + specialize (H (wavefronts ws)). apply (wavefronts_apart ws); [| | |exact B].
      * symmetry. apply N.eqb_eq, H, in_map, T. eauto.
      * apply touched_some in Q as ->. apply in_flat_map. eauto.
      * apply touched_some in Q as ->. apply in_flat_map. eauto.
    + exfalso. assert (In (touched f bits bytes (phase_threads bytes n k)) (map Some t)) as C.
      { rewrite <- E. apply (in_map (fun k => touched f bits bytes (phase_threads bytes n k))). now apply in_iota. }
      rewrite Q in C. apply in_map_iff in C as (x & X & _). discriminate.
  - intros H x I. apply in_map_iff in I as (ws & <- & I). apply T in I as (k & _ & Q). apply touched_some in Q as ->.
    apply N.eqb_eq. symmetry. apply wavefronts_one. intros v w V W B. apply in_flat_map in V as (i & Ii & V).
    apply in_flat_map in W as (j & Ij & W). now apply (H k i j).
Qed.

(* The access moves 4, 8 or 16 bytes a thread of a warp, each aligned, and nothing meets. *)
Definition free_of_conflicts (A : layout N) (bits : N) (w : swizzle) (x : warp_access) : Prop :=
  exists b rows m, asked (moves x) = Some (b, rows) /\ threads_asked (size (threads x)) rows = Some m /\
  b mod 8 = 0 /\ moves_at_once (b / 8) = true /\ aligned (place_behind A w x) bits (b / 8) m /\
  meet_nowhere (place_behind A w x) bits (b / 8) m.
Lemma is_free_spec A bits w x : is_free A bits w x = true <-> free_of_conflicts A bits w x.
Proof.
  unfold is_free, free_of_conflicts. set (f := place_behind A w x). set (n := size (threads x)). split.
  - destruct (phases_of f bits (moves x) n) as [l|] eqn:E; [|discriminate]. intros H.
    destruct (proj1 (phases_of_defined f bits (moves x) n) (ex_intro _ l E)) as (b & rows & m & Q & T & Z & M & Al).
    exists b, rows, m. repeat split; try easy. revert E. unfold phases_of. rewrite Q. cbn [bind fst snd]. rewrite T.
    cbn [bind]. rewrite Z. cbn [N.eqb]. intros E. now apply (phases_free _ _ _ _ _ E).
  - intros (b & rows & m & Q & T & Z & M & Al & F).
    destruct (proj2 (phases_of_defined f bits (moves x) n)) as [l E]; [exists b, rows, m; auto|].
    rewrite E. revert E. unfold phases_of. rewrite Q. cbn [bind fst snd]. rewrite T.
    cbn [bind]. rewrite Z. cbn [N.eqb]. intros E. now apply (phases_free _ _ _ _ _ E).
Qed.

(* ---- The least of all. ---- *)

Lemma swizzles_within n m w : In w (swizzles_of n m) -> is_within n m w = true.
Proof. intros [<-|I]; [easy|]. now apply filter_In in I. Qed.
Lemma within_swizzles n m w : is_within n m w = true -> bits w = 0 \/ In w (swizzles_of n m).
Proof.
  intros H. destruct (N.eq_dec (bits w) 0) as [|Nz]; [now left|]. do 2 right. apply filter_In. split; [|easy].
  unfold is_within in H. rewrite (proj2 (N.eqb_neq _ _) Nz) in H. cbn [orb] in H. rewrite !andb_true_iff in H.
  destruct H as [[_ L] V]. apply N.leb_le in L. unfold reach in L. destruct w as [b k s]. cbn in *.
  apply in_flat_map. exists (b - 1). split; [apply in_iota; lia|]. apply in_flat_map. exists k.
  split; [apply in_iota; lia|]. apply in_flat_map. exists (Z.abs_N s). split; [apply in_iota; lia|].
  replace (b - 1 + 1) with b by lia. destruct (Z.abs_spec s) as [[P E]|[P E]].
  - left. f_equal. lia.
  - right. left. f_equal. lia.
Qed.
Lemma free_nothing A bits w l : Swizzle.bits w = 0 ->
  forallb (is_free A bits w) l = forallb (is_free A bits (Sw 0 0 0)) l.
Proof. destruct w as [b m s]. cbn. now intros ->. Qed.
Lemma rank_total v w :
  not_after (swizzle_rank v) (swizzle_rank w) = true \/ not_after (swizzle_rank w) (swizzle_rank v) = true.
Proof. now apply not_after_total. Qed.
Lemma swizzle_least A bits l (free := fun w => forallb (is_free A bits w) l)
  (is_one := fun w => is_within (value_bits A) (least_base bits l) w = true) :
  match swizzle_for A bits l with
  | Some w => is_one w /\ free w = true /\ (Swizzle.bits w = 0 -> w = Sw 0 0 0) /\
    forall v, is_one v -> free v = true -> exists u, Swizzle.bits u = Swizzle.bits v /\
    (Swizzle.bits v = 0 \/ u = v) /\ not_after (swizzle_rank w) (swizzle_rank u) = true
  | None => cosize A <= 2 ^ 20 -> (forall x, In x l -> cosize (threads x) <= size A) -> forall v, is_one v ->
    free v = false
  end.
Proof.
  unfold swizzle_for. set (n := value_bits A) in *. set (m := least_base bits l) in *.
  set (all := List.filter free (swizzles_of n m)).
  assert (C : forall v, is_one v -> free v = true -> exists u, Swizzle.bits u = Swizzle.bits v /\
    (Swizzle.bits v = 0 \/ u = v) /\ In u all).
  { intros v W F. destruct (within_swizzles n m v W) as [Z|I].
    - exists (Sw 0 0 0). split; [easy|]. split; [now left|]. apply filter_In. split; [now left|].
      unfold free in *. now rewrite <- (free_nothing A bits v).
    - exists v. split; [easy|]. split; [now right|]. now apply filter_In. }
  pose proof (least_spec (fun v w => not_after (swizzle_rank v) (swizzle_rank w)) all rank_total
    (fun x y z => not_after_transitive (swizzle_rank x) (swizzle_rank y) (swizzle_rank z) eq_refl)) as L.
  destruct (_ && _) eqn:G.
  - fold free. fold all. destruct (least _ all) as [w|].
    + destruct L as [I L]. apply filter_In in I as [I F]. split; [now apply swizzles_within|]. split; [exact F|]. split.
      * destruct I as [<-|I]; [easy|]. intros Z. apply filter_In in I as [I _]. apply in_flat_map in I as (b & _ & I).
        apply in_flat_map in I as (k & _ & I). apply in_flat_map in I as (s & _ & [<-|[<-|[]]]); cbn in Z; lia.
      * intros v W Fv. destruct (C v W Fv) as (u & B & E & Iu). exists u. auto.
    + intros _ _ v W. destruct (free v) eqn:F; [|easy]. destruct (C v W F) as (u & _ & _ & I). now rewrite L in I.
  - intros Lc Lt. apply andb_false_iff in G as [G|G]; [apply N.leb_gt in G; lia|]. exfalso.
    apply not_true_iff_false in G. apply G, forallb_forall. intros x I. now apply N.leb_le, Lt.
Qed.

(* Behind the swizzle that it answers what a thread moves stays together, and no two threads of a phase of any of the
  accesses touch two words of a bank. *)
Theorem swizzle_for_conflict_free A bits l w : swizzle_for A bits l = Some w -> forall x, In x l ->
  (Swizzle.bits w = 0 \/ kept_together bits (base w) x = true) /\ free_of_conflicts A bits w x.
Proof.
  intros E x I. pose proof (swizzle_least A bits l) as K. cbv zeta in K. rewrite E in K. destruct K as (W & F & _).
  rewrite forallb_forall in F. split; [|now apply is_free_spec, F].
  destruct (N.eq_dec (Swizzle.bits w) 0) as [|Nz]; [now left|right].
  unfold is_within in W. rewrite (proj2 (N.eqb_neq _ _) Nz) in W. cbn [orb] in W. rewrite !andb_true_iff in W.
  destruct W as [[W _] _]. apply N.leb_le in W. revert W. unfold least_base.
  assert (T : forallb (kept_together bits 7) l = true).
  { apply forallb_forall. intros y J. specialize (F y J). apply is_free_spec in F as (b & rows & _ & Q & _ & Z & M & _).
    unfold kept_together. rewrite Q. apply N.eqb_eq. apply (N.div_exact b 8) in Z; [|easy]. unfold moves_at_once in M.
    rewrite !orb_true_iff, !N.eqb_eq in M.
    assert (exists c, 2 ^ 7 = c * b /\ b <> 0) as (c & -> & Nb).
    { destruct M as [[M|M]|M]; rewrite Z, M; [exists 4|exists 2|exists 1]; now split. }
    rewrite N.mul_assoc. now apply N.mod_mul. }
  destruct (List.find _ _) as [m|] eqn:Fm.
  - apply find_some in Fm as [_ Fm]. rewrite forallb_forall in Fm. specialize (Fm x I). revert Fm. unfold kept_together.
    destruct (asked (moves x)) as [[b rows]|] eqn:Q; [|easy]. intros Fm L. apply N.eqb_eq.
    apply N.eqb_eq in Fm. destruct (N.eq_dec b 0) as [->|Nb].
    + assert (Z : forall a, a mod 0 = a) by now intros []. rewrite Z in *. apply N.eq_mul_0 in Fm as [->|Fm];
      [easy|now apply N.pow_nonzero in Fm].
    + apply N.mod_divide; [easy|]. apply N.mod_divide in Fm; [|easy]. replace (base w) with (m + (base w - m)) by lia.
      rewrite N.pow_add_r, N.mul_assoc. now apply N.divide_mul_l.
  - intros _. exfalso. pose proof (find_none _ _ Fm 7 (proj2 (in_iota 7 8) eq_refl)). cbv beta in *. congruence.
Qed.

(* A lesser B, or the same and a lesser M, or both and a lesser S > 0. *)
Definition lesser (v w : swizzle) : bool := (bits v <? bits w) || (bits v =? bits w) && ((base v <? base w) ||
  (base v =? base w) && (0 <? Swizzle.shift v)%Z &&
  ((Swizzle.shift w <? 0)%Z || (Swizzle.shift v <? Swizzle.shift w)%Z)).

(* No lesser swizzle of the bits of A's values that leaves together what a thread moves is free of conflicts. *)
Theorem swizzle_for_least A bits l v w : swizzle_for A bits l = Some w ->
  is_within (value_bits A) (least_base bits l) v = true -> lesser v w = true ->
  exists x, In x l /\ ~ free_of_conflicts A bits v x.
Proof.
  intros E W L. pose proof (swizzle_least A bits l) as K. cbv zeta in K. rewrite E in K. destruct K as (_ & _ & Z & K).
  destruct (forallb (is_free A bits v) l) eqn:F.
  - exfalso. destruct (K v W F) as (u & B & D & N_). clear K. unfold lesser in L. unfold swizzle_rank in N_. cbn
    [not_after] in N_.
    repeat rewrite ?orb_true_iff, ?andb_true_iff in L. repeat rewrite ?orb_true_iff, ?andb_true_iff in N_.
    rewrite !N.ltb_lt, !N.eqb_eq, ?Z.ltb_lt in *. destruct L as [L|[Eb L]].
    + rewrite B in N_. destruct N_ as [N_|[N_ _]]; lia.
    + destruct D as [D| ->].
      * assert (w = Sw 0 0 0) as -> by (apply Z; congruence). cbn [base Swizzle.shift] in L. lia.
      * destruct N_ as [N_|[_ N_]]; [lia|]. destruct N_ as [N_|[N1 N_]]; [lia|].
        destruct L as [L|[[_ P] L]]; [lia|]. rewrite (proj2 (Z.ltb_lt 0 (Swizzle.shift v))) in N_ by easy.
        destruct (Z.ltb_spec 0 (Swizzle.shift w)); [|lia]. lia.
  - apply not_true_iff_false in F. rewrite forallb_forall in F.
    destruct (existsb (fun x => negb (is_free A bits v x)) l) eqn:X.
    + apply existsb_exists in X as (x & I & X). exists x. split; [exact I|]. rewrite <- is_free_spec.
      now apply negb_true_iff, not_true_iff_false in X.
    + exfalso. apply F. intros x I. destruct (is_free A bits v x) eqn:Y; [easy|]. apply not_true_iff_false in X.
      exfalso. apply X, existsb_exists. exists x. now rewrite Y.
Qed.

(* It answers exactly when a swizzle of the bits of A's values, which are below 2^20, is free of conflicts: each access
  moves 4, 8 or 16 bytes a thread of a warp, aligned; and threads begin inside A. *)
Theorem swizzle_for_exists A bits l : (exists w, swizzle_for A bits l = Some w) <-> cosize A <= 2 ^ 20 /\
  (forall x, In x l -> cosize (threads x) <= size A) /\ exists v,
  is_within (value_bits A) (least_base bits l) v = true /\ forall x, In x l -> free_of_conflicts A bits v x.
Proof.
  pose proof (swizzle_least A bits l) as K. cbv zeta in K. split.
  - intros [w E]. rewrite E in K. destruct K as (W & F & _). unfold swizzle_for in E.
    destruct (_ && _) eqn:G; [|discriminate]. apply andb_true_iff in G as [G1 G2]. apply N.leb_le in G1.
    rewrite forallb_forall in G2, F. split; [easy|]. split; [intros x I; now apply N.leb_le, G2|]. exists w.
    split; [easy|]. intros x I. now apply is_free_spec, F.
  - intros (Lc & Lt & v & W & F). destruct (swizzle_for A bits l) as [w|]; [eauto|].
    specialize (K Lc Lt v W). apply not_true_iff_false in K. exfalso. apply K, forallb_forall. intros x I.
    now apply is_free_spec, F.
Qed.
