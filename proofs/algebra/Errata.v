(* Documented statements that are false, each with its counterexample found by computation. Cited from spec/errata.md.
  *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Left_inverse Divide.
Local Open Scope N_scope.

(* "result(i) = A(B(i))" where CuTe's static checks accept the leaf s:d: the weak stride condition, then divisibility.
  *)
Fixpoint cute_accepts (l : modes) (s d : N) : bool :=
  match l with
  | [] | [_] => true
  | (n, _) :: l =>
      let m := N.min (ceil n d) s in
      ((d mod n =? 0) || (d <? n)) && (s mod m =? 0) && cute_accepts l (s / m) (ceil d n)
  end.

(* CuTe's checks accept pairs for which no layout is the composition (E1). *)
Theorem composition_documented_is_false : exists (A : layout N) s d,
  cute_accepts (leaves A) s d = true /\ forall R, ~ is_composition A (Leaf s d) R.
Proof.
  exists (Node [Leaf 3 1; Leaf 3 1000]), 4, 2. split; [reflexivity|]. intros R C.
  destruct (proj2 (composition_defined (Node [Leaf 3 1;
    Leaf 3 1000]) (Leaf 4 2) eq_refl eq_refl) (ex_intro _ R C)) as [R' E].
  vm_compute in E. discriminate.
Qed.

(* "When B is injective, composition distributes": each mode alone can be composed, both together cannot (E2). *)
Theorem composition_distributes_when_injective_is_false :
  exists (A : layout N) b c, NoDup (image (leaves (Node [b; c]))) /\ (exists R, composition A b = Some R) /\
  (exists R, composition A c = Some R) /\ composition A (Node [b; c]) = None.
Proof.
  exists (Node [Leaf 3 1; Leaf 2 1000]), (Leaf 2 1), (Leaf 2 2).
  split; [|repeat split; eauto; eexists; vm_compute; reflexivity].
  apply (Permutation_NoDup (l := iota 4)); [vm_compute; reflexivity|apply nodup_iota].
Qed.

(* Associativity without C inside B (E4). *)
Theorem composition_associative_everywhere_is_false :
  exists (A : layout N) B C AB BC L R i, composition A B = Some AB /\ composition B C = Some BC /\
  composition AB C = Some L /\ composition A BC = Some R /\ i < size C /\ apply L i <> apply R i.
Proof.
  exists (Node [Leaf 2 1; Leaf 2 1000]), (Leaf 1 1), (Leaf 2 1). do 4 eexists. exists 1.
  repeat split; try (vm_compute; reflexivity). vm_compute. discriminate.
Qed.

(* "cosize(complement(A, M)) >= round_up(M, cosize A)", on the example of the page itself (E7). *)
Theorem complement_cosize_documented_is_false : exists A M R, complement A M = Some R /\
  cosize R < cosize A * ceil M (cosize A).
Proof. exists (Leaf 4 1), 24. eexists. split; vm_compute; reflexivity. Qed.

(* "The size of a complement is bounded by M" (E7). *)
Theorem complement_size_bounded_is_false : exists A M R, complement A M = Some R /\ M < size R.
Proof. exists (Leaf 2 2), 1. eexists. split; vm_compute; reflexivity. Qed.

(* "cosize((A, complement(A, M))) >= M" without chained A (E7, E8). *)
Theorem complement_completes_is_false : exists A M R, complement A M = Some R /\ cosize (Node [A; R]) < M.
Proof. exists (Node [Leaf 2 1; Leaf 2 3]), 6. eexists. split; vm_compute; reflexivity. Qed.

(* "A(L(A(i))) = A(i)" for the closed form of the left inverse where leaves overlap (E11). *)
Theorem left_inverse_documented_is_false : exists A L i, dividing_inverse A = Some L /\ i < size A /\
  apply A (apply L (apply A i)) <> apply A i.
Proof. exists (Node [Leaf 2 2; Leaf 3 1]). eexists. exists 5. repeat split; try (vm_compute; reflexivity). vm_compute.
discriminate. Qed.

(* The right inverse by whole leaves is not the largest (E13). *)
Theorem right_inverse_whole_leaves_is_false : exists A R, size (contiguous_inverse A) < size R /\
  forall i, i < size R -> apply A (apply R i) = i /\ apply R i < size A.
Proof.
  exists (Node [Leaf 4 100; Leaf 4 1; Leaf 5 2]), (Node [Leaf 4 4; Leaf 3 32]). split; [reflexivity|]. intros i Hi.
  enough (forallb (fun i => (apply (Node [Leaf 4 100; Leaf 4 1; Leaf 5 2]) (apply (Node [Leaf 4 4;
    Leaf 3 32]) i) =? i) &&
    (apply (Node [Leaf 4 4; Leaf 3 32]) i <? 80)) (iota 12) = true) as F.
  { rewrite forallb_iota in F. apply F, andb_true_iff in Hi as [E L]. apply N.eqb_eq in E. apply N.ltb_lt in L. auto. }
  vm_compute. reflexivity.
Qed.

(* "logical_divide keeps the size" (E14). *)
Theorem logical_divide_keeps_size_is_false : exists (A : layout N) B R, logical_divide A B = Some R /\ size R <> size A.
Proof. exists (Leaf 3 1), (Leaf 2 1). eexists. split; [vm_compute; reflexivity|vm_compute; discriminate]. Qed.

(* "coalesce is exactly the same function", beyond the size too (E23). *)
Theorem coalesce_beyond_size_is_false : exists (A : layout N) i, apply (coalesce A) i <> apply A i.
Proof. exists (Node [Leaf 4 1; Leaf 1 7]), 4. vm_compute. discriminate. Qed.

(* filter(A, P) is not coalesce(filter_zeros(A), P) where the profile has fewer modes than A: a mode beyond it stays
  whole. *)
Theorem filter_short_profile_is_false : exists (A : layout N) p, filter_by A p <> coalesce_by (filter_zeros A) p.
Proof. exists (Node [Leaf 4 0; Leaf 3 0]), (Tup [Int 1]). vm_compute. discriminate. Qed.

(* "A shape of primes is refined by nothing but itself" (E34). *)
Theorem compatible_primes_is_false : exists s t, Forall prime (extents s) /\ compatible s t = true /\ s <> t.
Proof.
  exists (Int 2), (Tup [Int 2]). repeat split; [|discriminate]. constructor; [|constructor]. split; [lia|].
  intros a b E.
  assert (a <= 2) by (destruct (N.eq_dec b 0); nia). destruct (N.eq_dec a 1); [auto|].
  assert (a = 2 \/ a = 0) as [->| ->] by lia; lia.
Qed.

(* Behind an empty tuple the last leaf does not go on: mode by mode and leaf by leaf differ. *)
Theorem apply_beyond_empty_is_false : exists (A : layout N) i, shaped A = true /\ apply A i <> value_at (leaves A) i.
Proof. exists (Node [Leaf 2 1; Node []]), 5. split; [reflexivity|]. vm_compute. discriminate. Qed.
