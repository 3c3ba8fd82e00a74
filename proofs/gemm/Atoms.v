(* MMA and copy atoms: what a check of their thread-value layouts, which computes, says of them. tools/atoms.py writes
  the
  table of all atoms that have a name; Coq computes that each passes. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import String Ascii.
From Colex Require Export Inverse.
Local Open Scope N_scope.

(* No value comes twice. *)
Definition takes_none_twice (A : layout N) : bool := shaped A && nested (sorted_leaves A) && negb (broadcasts A).
(* But for broadcasts A takes 0 .. n-1, each once; no thread one twice: A is (threads, values). *)
Definition covered (n : N) (A : layout N) : bool :=
  shaped A && compactb (filter_zeros A) && (size (filter_zeros A) =? n).
Definition holds (n : N) (A : layout N) : bool :=
  match A with Node [T; V] => covered n A && takes_none_twice V | _ => false end.
(* Threads share nothing, or everything. *)
Definition shares_all_or_none (A : layout N) : bool :=
  match A with
  | Node [T; V] => takes_none_twice A || forallb (fun m => (fst m =? 1) || (snd m =? 0)) (leaves T)
  | _ => false
  end.
Definition has_threads (T A : layout N) : bool :=
  match A with Node [U; _] => size U =? size T | _ => false end.

Lemma none_twice A : takes_none_twice A = true -> NoDup (image (leaves A)).
Proof.
  unfold takes_none_twice. rewrite !andb_true_iff, negb_true_iff. intros [[S N_] B].
  destruct (proj2 (complement_nested A 1) N_) as [R E].
  pose proof (complement_disjoint A 1 R ltac:(lia) S B E) as Nd.
  destruct (complement_spec A 1 R ltac:(lia) E) as (_ & ER & P).
  assert (PR : positive (leaves R) = true).
  { subst R. rewrite leaves_unwrapped. destruct (merge_spec _ P) as (_ & Q & _). now destruct (merge _). }
  pose proof (numel_positive _ PR) as NR. pose proof (numel_positive _ S) as NA.
  apply nodup_map_in; [|apply nodup_iota]. intros i j Hi Hj K. rewrite in_iota in *.
  apply (nodup_image _ i j Nd); try (rewrite numel_app; nia).
  rewrite !value_in_app, !(N.div_small _ (numel (leaves A))) by easy. now rewrite K.
Qed.

Lemma filter_zeros_shaped (A : layout N) : shaped A = true -> shaped (filter_zeros A) = true.
Proof.
  unfold shaped. rewrite filter_zeros_leaves. induction (leaves A) as [|[s d] l IH]; [easy|].
  intros P. apply positive_cons in P as [Hs P]. apply positive_cons. cbn. split; [destruct (d =? 0); lia|now apply IH].
Qed.
Lemma covered_values n A v : covered n A = true -> In v (image (leaves A)) <-> v < n.
Proof.
  unfold covered. rewrite !andb_true_iff, N.eqb_eq. intros [[S C] <-]. rewrite <- (filter_image A v S).
  pose proof (filter_zeros_shaped A S) as SZ.
  apply compactb_spec in C; [|easy]. unfold compact_layout in C. rewrite <- in_iota.
  assert (In v (image (leaves (filter A))) <-> In v (image (leaves (filter_zeros A)))) as ->.
  { unfold filter. destruct (coalesce_function (filter_zeros A) SZ) as [Z V].
    rewrite !image_leaves, Z by (try apply shaped_coalesce; easy).
    erewrite map_ext_in; [reflexivity|]. intros i Hi. rewrite in_iota in Hi. now apply V. }
  split; intros I; [apply (Permutation_in v C I)|apply (Permutation_in v (Permutation_sym C) I)].
Qed.

(* What one thread holds, in the order of its values. *)
Definition held (T V : layout N) (t : N) : list N := map (fun v => apply T t + apply V v) (iota (size V)).
Definition thread_value (n : N) (A : layout N) : Prop := exists T V, A = Node [T; V] /\
  (forall v, In v (image (leaves A)) <-> v < n) /\ forall t, NoDup (held T V t).
Lemma held_once T V t : takes_none_twice V = true -> NoDup (held T V t).
Proof.
  intros O. pose proof O as Nd. apply none_twice in Nd. unfold takes_none_twice in O. rewrite !andb_true_iff in O.
  destruct O as [[S _] _]. rewrite image_leaves in Nd by easy. unfold held.
  rewrite <- (map_map (apply V) (fun x => apply T t + x)).
  apply nodup_map_in; [intros; lia|exact Nd].
Qed.
Lemma holds_spec n A : holds n A = true -> thread_value n A.
Proof.
  unfold holds. destruct A as [|[|T [|V [|]]]]; try discriminate. intros H. apply andb_true_iff in H as [C O].
  exists T, V. split; [easy|]. split; [intros v; now apply covered_values|]. intros t. now apply held_once.
Qed.

(* No element has two owners, or every thread holds what the first holds. *)
Definition shared_by_all_or_none (A : layout N) : Prop :=
  NoDup (image (leaves A)) \/ exists T V, A = Node [T; V] /\ forall t, t < size T -> apply T t = 0.
Lemma shares_spec n A : holds n A = true -> shares_all_or_none A = true -> shared_by_all_or_none A.
Proof.
  unfold holds, shares_all_or_none. destruct A as [|[|T [|V [|]]]]; try discriminate. intros H E.
  apply orb_true_iff in E as [E|E]; [left; now apply none_twice|right]. exists T, V. split; [easy|].
  apply andb_true_iff in H as [H _]. unfold covered in H. rewrite !andb_true_iff in H. destruct H as [[S _] _].
  apply shaped_node in S. inversion_clear S as [|? ? ST _]. intros t Ht. rewrite apply_inside by easy.
  clear - E. revert t. induction (leaves T) as [|[s d] l IH]; intros t; [easy|]. cbn [forallb fst snd value_in] in *.
  apply andb_true_iff in E as [E1 E2].
  change ((t mod s) * d + value_in l (t / s) = 0). rewrite IH by easy.
  apply orb_true_iff in E1 as [E1|E1]; apply N.eqb_eq in E1; subst; rewrite ?N.mod_1_r; lia.
Qed.

(* ---- MMA atoms ---- *)

Record mma_atom := Mma { rows : N; columns : N; steps : N; mma_threads : layout N; of_a : layout N; of_b : layout N;
  of_c : layout N; of_sfa : option (layout N); of_sfb : option (layout N); of_e : option (layout N) }.
Definition where_given (p : layout N -> bool) (A : option (layout N)) : bool :=
  match A with Some A => p A | None => true end.
(* All of it: what tools/atoms.py has Coq compute of each. *)
Definition threads_match (a : mma_atom) : bool := takes_none_twice (mma_threads a) &&
  forallb (has_threads (mma_threads a)) [of_a a; of_b a; of_c a] &&
  forallb (where_given (has_threads (mma_threads a))) [of_sfa a; of_sfb a; of_e a].
Definition operand_held (n : N) (A : layout N) : bool := holds n A && shares_all_or_none A.
Definition mma_passes (a : mma_atom) : bool := threads_match a &&
  operand_held (rows a * steps a) (of_a a) && operand_held (columns a * steps a) (of_b a) &&
  (compactb (of_c a) && shaped (of_c a) && (size (of_c a) =? rows a * columns a)) &&
  where_given (holds (rows a * steps a)) (of_sfa a) && where_given (holds (columns a * steps a)) (of_sfb a) &&
  where_given (holds (rows a * steps a)) (of_e a).

Lemma mma_parts a : mma_passes a = true -> threads_match a = true /\
  operand_held (rows a * steps a) (of_a a) = true /\ operand_held (columns a * steps a) (of_b a) = true /\
  (compactb (of_c a) = true /\ shaped (of_c a) = true /\ size (of_c a) = rows a * columns a) /\
  where_given (holds (rows a * steps a)) (of_sfa a) = true /\
  where_given (holds (columns a * steps a)) (of_sfb a) = true /\ where_given (holds (rows a * steps a)) (of_e a) = true.
Proof. unfold mma_passes. rewrite !andb_true_iff, N.eqb_eq. tauto. Qed.

Definition threads_of (T A : layout N) : Prop := exists U V, A = Node [U; V] /\ size U = size T.
Lemma has_threads_spec T A : has_threads T A = true -> threads_of T A.
Proof.
  unfold has_threads. destruct A as [|[|U [|V [|]]]]; try discriminate. intros E. apply N.eqb_eq in E. now exists U, V.
Qed.

(* ThrID takes no value twice; each layout is (thread, value) with as many threads. *)
Theorem mma_atom_threads a A : mma_passes a = true -> NoDup (image (leaves (mma_threads a))) /\
  (In A [of_a a; of_b a; of_c a] \/ In (Some A) [of_sfa a; of_sfb a; of_e a] -> threads_of (mma_threads a) A).
Proof.
  intros P. apply mma_parts in P as (T & _). unfold threads_match in T. rewrite !andb_true_iff, !forallb_forall in T.
  destruct T as [[T1 T2] T3]. split; [now apply none_twice|]. intros [I|I]; apply has_threads_spec; [now apply T2|].
  now apply (T3 (Some A)).
Qed.

(* ALayout takes 0 .. M*K-1, no thread one twice; threads share all of them or none. *)
Theorem mma_atom_a_covers a : mma_passes a = true ->
  thread_value (rows a * steps a) (of_a a) /\ shared_by_all_or_none (of_a a).
Proof.
  intros P. apply mma_parts in P as (_ & P & _). apply andb_true_iff in P as [H S].
  split; [now apply holds_spec|now apply (shares_spec (rows a * steps a))].
Qed.

(* BLayout takes 0 .. N*K-1, no thread one twice; threads share all of them or none. *)
Theorem mma_atom_b_covers a : mma_passes a = true ->
  thread_value (columns a * steps a) (of_b a) /\ shared_by_all_or_none (of_b a).
Proof.
  intros P. apply mma_parts in P as (_ & _ & P & _). apply andb_true_iff in P as [H S].
  split; [now apply holds_spec|now apply (shares_spec (columns a * steps a))].
Qed.

(* CLayout takes each of 0 .. M*N-1 once. *)
Theorem mma_atom_c_bijective a : mma_passes a = true ->
  Permutation (image (leaves (of_c a))) (iota (rows a * columns a)).
Proof. intros P. apply mma_parts in P as (_ & _ & _ & (C & S & Z) & _). rewrite <- Z. now apply compactb_spec. Qed.

(* SFALayout takes 0 .. M*K-1, SFBLayout 0 .. N*K-1, no thread one twice. *)
Theorem mma_atom_scales a A B : mma_passes a = true -> of_sfa a = Some A -> of_sfb a = Some B ->
  thread_value (rows a * steps a) A /\ thread_value (columns a * steps a) B.
Proof.
  intros P EA EB. apply mma_parts in P as (_ & _ & _ & _ & PA & PB & _). rewrite EA in PA. rewrite EB in PB.
  split; now apply holds_spec.
Qed.

(* ELayout takes 0 .. M*K-1, no thread one twice. *)
Theorem mma_atom_metadata a A : mma_passes a = true -> of_e a = Some A -> thread_value (rows a * steps a) A.
Proof. intros P E. apply mma_parts in P as (_ & _ & _ & _ & _ & _ & P). rewrite E in P. now apply holds_spec. Qed.

(* ---- Copy atoms ---- *)

Record copy_atom := Copy { copy_threads : layout N; of_src : layout N; of_dst : layout N; of_ref : layout N }.
(* How often a thread's values repeat in the source. *)
Definition repeats (A : layout N) : N := match A with Node [_; V] => size V / size (filter_zeros V) | _ => 1 end.
(* The leaves that move, by stride, those that continue each other as one: they say which values A takes. *)
Definition reached (A : layout N) : modes := merge (sorted_leaves A).
Fixpoint same_leaves (l m : modes) : bool :=
  match l, m with
  | [], [] => true
  | (s, d) :: l, (t, e) :: m => (s =? t) && (d =? e) && same_leaves l m
  | _, _ => false
  end.
Definition longer (k : N) (l : modes) : modes :=
  match rev l with
  | [] => []
  | (s, d) :: r => rev r ++ [(s * k, d)]
  end.
Definition none_twice_each (A : layout N) : bool := match A with Node [_; V] => takes_none_twice V | _ => false end.
Definition copy_passes (a : copy_atom) : bool :=
  takes_none_twice (copy_threads a) && forallb (has_threads (copy_threads a)) [of_src a; of_dst a; of_ref a] &&
  forallb (fun A => shaped A) [of_src a; of_dst a; of_ref a] && same_leaves (reached (of_dst a)) (reached (of_ref a)) &&
  same_leaves (longer (repeats (of_src a)) (reached (of_src a))) (reached (of_ref a)) &&
  (0 <? repeats (of_src a)) && (numel (reached (of_ref a)) mod repeats (of_src a) =? 0) &&
  none_twice_each (of_dst a) && none_twice_each (of_ref a).

Lemma same_leaves_spec l m : same_leaves l m = true -> l = m.
Proof.
  revert m. induction l as [|[s d] l IH]; intros [|[t e] m] E; try discriminate; [easy|]. cbn in E.
  rewrite !andb_true_iff, !N.eqb_eq in E. destruct E as [[-> ->] E]. now rewrite (IH m E).
Qed.
Lemma moving_positive l : positive (moving l) = true.
Proof.
  unfold positive. apply forallb_forall. intros [s d] I. apply moving_in in I as (_ & I & _). apply N.ltb_lt. cbn. lia.
Qed.
Lemma moving_image l v : positive l = true -> In v (image l) <-> In v (image (moving l)).
Proof.
  revert v. induction l as [|[s d] l IH]; intros v P; [easy|]. apply positive_cons in P as [Hs P].
  unfold moving. cbn [List.filter fst snd]. fold (moving l). rewrite image_cons by easy. rewrite in_flat_map.
  destruct (N.ltb_spec 1 s) as [L|L]; [destruct (N.eqb_spec d 0) as [->|]|]; cbn [negb andb].
  - rewrite <- IH by easy. split.
    + intros (y & Hy & I). apply in_map_iff in I as (r & <- & _). cbn. now rewrite N.mul_0_r.
    + intros I. exists v. split; [easy|]. apply in_map_iff. exists 0. rewrite in_iota. cbn. split; [lia|easy].
  - rewrite image_cons, in_flat_map by easy. now setoid_rewrite IH.
  - rewrite <- IH by easy. replace s with 1 by lia. rewrite iota_1. split.
    + intros (y & Hy & [<-|[]]). cbn. now rewrite N.mul_0_l.
    + intros I. exists v. split; [easy|]. left. cbn. lia.
Qed.
Lemma reached_values A v : shaped A = true -> In v (image (leaves A)) <-> In v (image (reached A)).
Proof.
  intros S. rewrite (moving_image _ v S). unfold reached, sorted_leaves. pose proof (moving_positive (leaves A)) as P.
  pose proof (sort_permutation snd (moving (leaves A))) as Q.
  rewrite image_merge by now apply (positive_permutation _ _ Q).
  pose proof (image_permutation _ _ Q P) as I.
  split; intros K; [now apply (Permutation_in v I)|now apply (Permutation_in v (Permutation_sym I))].
Qed.

(* ThrID takes no value twice; the layouts are (thread, bit) with as many threads. *)
Theorem copy_atom_threads a A : copy_passes a = true -> NoDup (image (leaves (copy_threads a))) /\
  (In A [of_src a; of_dst a; of_ref a] -> threads_of (copy_threads a) A).
Proof.
  unfold copy_passes. rewrite !andb_true_iff, !forallb_forall. intros P. split; [now apply none_twice|].
  intros I. now apply has_threads_spec, P.
Qed.

Definition takes (A : layout N) (v : N) : Prop := In v (image (leaves A)).
(* One of the first n values of a list of leaves. *)
Definition first_of (l : modes) (n v : N) : Prop := exists i, i < n /\ v = value_in l i.

(* DstLayout takes the bits of RefLayout, and SrcLayout, if it repeats them k times in a thread, the first 1/k of
  them. *)
Theorem copy_atom_covers a v (bits := reached (of_ref a)) : copy_passes a = true ->
  (takes (of_ref a) v <-> In v (image bits)) /\ (takes (of_dst a) v <-> In v (image bits)) /\
  (takes (of_src a) v <-> first_of bits (numel bits / repeats (of_src a)) v).
Proof.
  unfold copy_passes. rewrite !andb_true_iff, !forallb_forall, N.ltb_lt, N.eqb_eq.
  intros [[[[[[[[_ _] S] D] R] K] M] _] _]. apply same_leaves_spec in D, R. subst bits. unfold first_of, takes.
  rewrite !reached_values by (apply S; simpl; auto). rewrite D. split; [easy|]. split; [easy|].
  set (k := repeats (of_src a)) in *. set (f := reached (of_src a)) in *. rewrite <- R in M |- *. clear R D.
  assert (P : positive f = true).
  { unfold f, reached. destruct (merge_spec (sorted_leaves (of_src a))) as (_ & Q & _); [|exact Q].
    apply (positive_permutation _ _ (sort_permutation _ _)), moving_positive. }
  unfold longer in *. destruct (rev f) as [|[s d] r] eqn:E.
  - apply (f_equal (@rev _)) in E. rewrite rev_involutive in E. rewrite E. cbn [numel image] in *.
    assert (k = 1) as -> by (destruct (N.eq_dec k 1); [easy|]; rewrite N.mod_small in M; lia).
    rewrite in_image. change (1 / 1) with 1. easy.
  - apply (f_equal (@rev _)) in E. rewrite rev_involutive in E. cbn [rev] in E. rewrite E in *. rewrite in_image.
    rewrite positive_app in P. apply andb_true_iff in P as [Pr Ps]. apply positive_cons in Ps as [Hs _].
    pose proof (numel_positive _ Pr) as Nr. rewrite !numel_app. cbn [numel]. rewrite !N.mul_1_r.
    replace (numel (rev r) * (s * k) / k) with (numel (rev r) * s)
      by (rewrite N.mul_assoc; symmetry; apply N.div_mul; lia).
    assert (V : forall i, i < numel (rev r) * s -> value_in (rev r ++ [(s, d)]) i = value_in (rev r ++ [(s * k, d)]) i).
    { intros i Hi. rewrite !value_in_app by easy. cbn [value_in]. do 3 f_equal.
      assert (i / numel (rev r) < s) by now apply div_below. rewrite !N.mod_small by nia. easy. }
    split; intros (i & Hi & ->); exists i; (split; [easy|]); [now apply V|symmetry; now apply V].
Qed.

(* No thread finds a bit twice in DstLayout or RefLayout. *)
Theorem copy_atom_distinct a : copy_passes a = true -> forall A, In A [of_dst a; of_ref a] -> exists T V,
  A = Node [T; V] /\ forall t, NoDup (held T V t).
Proof.
  unfold copy_passes. rewrite !andb_true_iff. intros [[_ P] Q] A I.
  assert (none_twice_each A = true) as H by (destruct I as [<-|[<-|[]]]; easy). unfold none_twice_each in H.
  destruct A as [|[|T [|V [|]]]]; try discriminate. exists T, V. split; [easy|]. intros t. now apply held_once.
Qed.

(* Bulk copies and TMA move any number of bits: of one SM, or each of two as many. The laws hold of all of them. *)
Definition bulk (sms n : N) : copy_atom :=
  let bits := Node [Leaf sms (if sms =? 1 then 0 else n); Leaf n 1] in
  Copy (Leaf sms (if sms =? 1 then 0 else 1)) bits bits bits.
Lemma bulk_reached sms n : sms = 1 \/ sms = 2 -> 1 < n -> reached (of_ref (bulk sms n)) = [(n * sms, 1)].
Proof.
  intros S Hn. assert (L : (1 <? n) = true) by now apply N.ltb_lt. assert (U : (n =? 1) = false) by (apply N.eqb_neq;
    lia).
  assert (Z : (n =? 0) = false) by (apply N.eqb_neq; lia). assert (G : (n <=? 1) = false) by (apply N.leb_gt; lia).
  unfold reached, sorted_leaves, moving. destruct S as [-> | ->].
  - change (leaves (of_ref (bulk 1 n))) with [(1, 0); (n, 1)]. cbn [List.filter fst snd]. rewrite L.
    change (1 <? 1) with false. change (1 =? 0) with false. cbn [negb andb]. cbn. try unfold merge.
    rewrite U. cbn [merge_onto]. now rewrite N.mul_1_r.
  - change (leaves (of_ref (bulk 2 n))) with [(2, n); (n, 1)]. cbn [List.filter fst snd]. rewrite L, Z.
    change (1 <? 2) with true. change (1 =? 0) with false. cbn [negb andb]. cbn. rewrite G.
    cbn [merge]. rewrite U. cbn [merge_onto]. change (2 =? 1) with false. cbv iota.
    assert (same (n *: 1) n = true) as -> by (apply same_true; apply N.mul_1_r). reflexivity.
Qed.
Lemma bulk_passes sms n : sms = 1 \/ sms = 2 -> 1 < n -> copy_passes (bulk sms n) = true.
Proof.
  intros S Hn. pose proof (bulk_reached sms n S Hn) as R.
  assert (L : (1 <? n) = true) by now apply N.ltb_lt. assert (U : (n =? 1) = false) by (apply N.eqb_neq; lia).
  assert (P : (0 <? n) = true) by (apply N.ltb_lt; lia). assert (P2 : (0 <? sms) = true) by (apply N.ltb_lt; lia).
  set (A := of_ref (bulk sms n)) in *. assert (E : repeats A = 1).
  { change (repeats A) with (n / n). apply N.div_same. lia. }
  assert (T : takes_none_twice (Leaf n 1) = true).
  { unfold takes_none_twice, shaped, sorted_leaves, moving, broadcasts, positive. cbn [leaves forallb List.filter
    existsb fst snd].
    rewrite P, L. change (1 =? 0) with false. reflexivity. }
  assert (X : takes_none_twice (copy_threads (bulk sms n)) = true) by (destruct S as [-> | ->]; reflexivity).
  assert (H : has_threads (copy_threads (bulk sms n)) A = true) by (cbn; apply N.eqb_refl).
  assert (Sh : shaped A = true).
  { unfold shaped, positive. change (leaves A) with [(sms, if sms =? 1 then 0 else n); (n, 1)]. cbn [forallb fst].
    now rewrite P, P2. }
  unfold copy_passes. change (of_src (bulk sms n)) with A. change (of_dst (bulk sms n)) with A. fold A.
  rewrite X, E, R. cbn [forallb]. rewrite H, Sh. cbn [andb].
  change (longer 1 [(n * sms, 1)]) with [(n * sms * 1, 1)]. rewrite N.mul_1_r. cbn [same_leaves]. rewrite !N.eqb_refl.
  rewrite N.mod_1_r. change (none_twice_each A) with (takes_none_twice (Leaf n 1)). now rewrite T.
Qed.

(* ---- The MxNxK in a name. ---- *)

Local Open Scope string_scope.
Local Open Scope N_scope.
Definition digit (c : ascii) : option N :=
  let n := N_of_ascii c in if (48 <=? n) && (n <=? 57) then Some (n - 48) else None.
(* The number that a string begins with, behind n; what follows. *)
Fixpoint number_at (n : N) (s : string) : N * string :=
  match s with
  | String c r => match digit c with Some d => number_at (10 * n + d) r | None => (n, s) end
  | EmptyString => (n, s)
  end.
Definition shape_at (s : string) : option (N * N * N) :=
  match s with
  | String c _ =>
      _ <- digit c;
      match number_at 0 s with
      | (m, String "x" r) => match number_at 0 r with
        | (n, String "x" q) => match q with String d _ => _ <- digit d; Some (m, n, fst (number_at 0 q)) | _ => None end
        | _ => None end
      | _ => None
      end
  | EmptyString => None
  end.
(* The first behind a low line. *)
Fixpoint shape_named (s : string) : option (N * N * N) :=
  match s with
  | String "_" r => match shape_at r with Some x => Some x | None => shape_named r end
  | String _ r => shape_named r
  | EmptyString => None
  end.
Definition named_right (name : string) (a : mma_atom) : bool :=
  match shape_named name with
  | Some (m, n, k) => (m =? rows a) && (n =? columns a) && (k =? steps a)
  | None => true
  end.

(* Shape_MNK is the MxNxK of the name. *)
Theorem mma_atom_shape name a m n k : named_right name a = true -> shape_named name = Some (m, n, k) ->
  (rows a, columns a, steps a) = (m, n, k).
Proof. unfold named_right. intros R E. rewrite E, !andb_true_iff, !N.eqb_eq in R. destruct R as [[-> ->] ->]. easy. Qed.
