(* Matrix products: any tiling that reaches each (m, n, k) exactly once computes the three-loop product. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Partition.
Local Open Scope N_scope.

Section Gemm.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).
Context (add_comm : forall x y, add x y = add y x) (add_assoc : forall x y z, add x (add y z) = add (add x y) z)
  (add_zero : forall x, add zero_ x = x).

Definition sum (l : list R) : R := fold_right add zero_ l.

Lemma sum_permutation l m : Permutation l m -> sum l = sum m.
Proof. induction 1; simpl; congruence || (rewrite !add_assoc; f_equal; apply add_comm). Qed.

(* c(m, n) by three loops, and by steps in any order: a step at index i adds the product at the place that i names. *)
Definition product (a b : N -> N -> R) (K m n : N) : R := sum (map (fun k => mul (a m k) (b n k)) (iota K)).
Definition tiled_sum (a b : N -> N -> R) (steps : list (N * N * N)) (m n : N) : R :=
  sum (map (fun s => mul (a (fst (fst s)) (snd s)) (b (snd (fst s)) (snd s)))
    (List.filter (fun s => (fst (fst s) =? m) && (snd (fst s) =? n)) steps)).
(* All places (m, n, k), counted with m the fastest. *)
Definition places (M N_ K : N) : list (N * N * N) :=
  flat_map (fun k => flat_map (fun n => map (fun m => (m, n, k)) (iota M)) (iota N_)) (iota K).

Lemma filter_one f n m : NoDup (A := N) n -> In m n -> (forall x, f x = (x =? m)) -> List.filter f n = [m].
Proof.
  intros Nd I F. induction Nd as [|x l Hx Nd IH]; [easy|]. simpl. rewrite F. destruct I as [->|I].
  - rewrite N.eqb_refl. f_equal. rewrite (filter_ext_in f (fun _ => false)).
    + clear. induction l; simpl; auto.
    + intros y Hy. rewrite F. apply N.eqb_neq. intros ->. contradiction.
  - destruct (N.eqb_spec x m) as [->|]; [contradiction|]. auto.
Qed.

Lemma filter_permutation {X} (f : X -> bool) l m : Permutation l m -> Permutation (List.filter f l) (List.filter f m).
Proof.
  intros P. induction P as [|x l m P IH|x y l|l m n P IH P' IH']; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto using perm_swap.
  - now transitivity (List.filter f m).
Qed.
Lemma filter_flat_map {X Y} (f : X ->
  list Y) p l : List.filter p (flat_map f l) = flat_map (fun x => List.filter p (f x)) l.
Proof. induction l as [|x l IH]; simpl; [easy|]. now rewrite filter_app, IH. Qed.
Lemma flat_map_ext_in {X Y} (f g : X -> list Y) l : (forall x, In x l -> f x = g x) -> flat_map f l = flat_map g l.
Proof. induction l as [|x l IH]; simpl; intros E; [easy|]. rewrite E, IH; auto. Qed.
Lemma filter_map {X Y} (f : X -> Y) p l : List.filter p (map f l) = map f (List.filter (fun x => p (f x)) l).
Proof. induction l as [|x l IH]; simpl; [easy|]. destruct (p (f x)); simpl; congruence. Qed.

Lemma filter_places M N_ K m n : m < M -> n < N_ ->
  List.filter (fun s => (fst (fst s) =? m) && (snd (fst s) =? n)) (places M N_ K) = map (fun k => (m, n, k)) (iota K).
Proof.
  intros Hm Hn. unfold places. rewrite filter_flat_map. induction (iota K) as [|k l IH]; simpl; [easy|]. rewrite IH.
  change ((m, n, k) :: map (fun k => (m, n, k)) l) with ([(m, n, k)] ++ map (fun k => (m, n, k)) l). f_equal.
  rewrite filter_flat_map. clear IH.
  assert (E : forall n', List.filter (fun s : N * N * N => (fst (fst s) =? m) && (snd (fst s) =? n)) (map (fun m => (m,
    n', k)) (iota M)) =
    if n' =? n then [(m, n, k)] else []).
  { intros n'. rewrite filter_map. simpl. destruct (N.eqb_spec n' n) as [->|].
    - rewrite (filter_one _ _ m (nodup_iota M)); [easy|now apply in_iota|]. intros x. now rewrite andb_true_r.
    - rewrite (filter_ext _ (fun _ => false)) by (intros; apply andb_false_r). clear. induction (iota M); simpl; auto. }
  erewrite flat_map_ext by apply E. assert (I : In n (iota N_)) by now apply in_iota. revert I.
  pose proof (nodup_iota N_) as Nd. revert Nd.
  induction (iota N_) as [|x l' IH]; intros Nd I; [easy|]. apply NoDup_cons_iff in Nd as [Nx Nd]. simpl.
  destruct I as [->|I].
  - rewrite N.eqb_refl. simpl. f_equal. clear - Nx. induction l' as [|y l' IH]; [easy|]. simpl.
    destruct (N.eqb_spec y n) as [->|]; [exfalso; apply Nx; now left|]. apply IH. intros H. apply Nx. now right.
  - destruct (N.eqb_spec x n) as [->|]; [contradiction|]. now apply IH.
Qed.

(* Steps that reach each place of an M x N x K product once, in any order, compute the three-loop product. *)
Theorem gemm_by_any_tiling M N_ K a b steps m n : Permutation steps (places M N_ K) -> m < M -> n < N_ ->
  tiled_sum a b steps m n = product a b K m n.
Proof.
  intros P Hm Hn. unfold tiled_sum, product.
  rewrite (sum_permutation _ _ (Permutation_map _ (filter_permutation _ _ _ P))), filter_places, map_map by easy.
  reflexivity.
Qed.

(* The place of an index of the compact shape (M, N, K). *)
Definition place (M N_ i : N) : N * N * N := (i mod M, (i / M) mod N_, i / M / N_).

Lemma places_compact M N_ K : 0 < M -> 0 < N_ -> map (place M N_) (iota (M * (N_ * K))) = places M N_ K.
Proof.
  intros HM HN. rewrite iota_mul, map_flat_map, iota_mul. unfold places. rewrite flat_map_flat_map. apply flat_map_ext.
  intros k.
  rewrite flat_map_map. apply flat_map_ext_in. intros n Hn. rewrite map_map. apply map_ext_in. intros m Hm.
  rewrite in_iota in *.
  unfold place. now rewrite digit_mod, !digit_div, digit_mod by easy.
Qed.

(* So does any layout that is a bijection onto the indices of (M, N, K): a thread-value layout of a tiled MMA. *)
Theorem gemm_by_bijective_layout M N_ K a b (L : layout N) m n : 0 < M -> 0 < N_ -> shaped L = true ->
  compact_layout L -> size L = M * (N_ * K) -> m < M -> n < N_ ->
  tiled_sum a b (map (fun i => place M N_ (apply L i)) (iota (size L))) m n = product a b K m n.
Proof.
  intros HM HN S C Z Hm Hn. apply (gemm_by_any_tiling M N_ K); try easy.
  rewrite <- places_compact, <- Z, <- (map_map (apply L)) by easy. apply Permutation_map. now rewrite <- image_leaves.
Qed.
End Gemm.
