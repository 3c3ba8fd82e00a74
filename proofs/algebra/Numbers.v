(* Natural numbers: remainders, the list 0 .. n-1, lists as multisets. Nothing here speaks of layouts. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Export NArith ZArith List Lia Permutation Bool.
Export ListNotations.
#[global] Arguments N.div : simpl never.
#[global] Arguments N.modulo : simpl never.
#[global] Arguments N.mul : simpl never.
#[global] Arguments N.add : simpl never.
#[global] Arguments N.sub : simpl never.
#[global] Arguments N.eqb : simpl never.
#[global] Arguments N.ltb : simpl never.
#[global] Arguments N.leb : simpl never.
Local Open Scope N_scope.

Lemma split_index s i : 0 < s -> i = i mod s + s * (i / s) /\ i mod s < s.
Proof. intros H. split; [rewrite N.add_comm; apply N.div_mod' | apply N.mod_lt; lia]. Qed.

Lemma div_below s t i : 0 < s -> i < s * t -> i / s < t.
Proof. intros. apply N.div_lt_upper_bound; lia. Qed.

Lemma digit_mod s r q : r < s -> (r + s * q) mod s = r.
Proof. intros. rewrite N.mul_comm, N.mod_add by lia. apply N.mod_small. lia. Qed.

Lemma digit_div s r q : r < s -> (r + s * q) / s = q.
Proof. intros. rewrite N.mul_comm, N.div_add by lia. rewrite N.div_small by lia. lia. Qed.

Lemma digits_below s t r q : r < s -> q < t -> r + s * q < s * t.
Proof. intros. nia. Qed.

Lemma mod_mul i s t : 0 < s -> 0 < t -> i mod (s * t) = i mod s + s * ((i / s) mod t).
Proof. intros. apply N.mod_mul_r; lia. Qed.

(* The colexicographic digits of i with radices s and t: the lower ones do not change when i is taken below s * t. *)
Lemma mod_mul_mod i s t : 0 < s -> 0 < t -> (i mod (s * t)) mod s = i mod s.
Proof. intros. rewrite mod_mul by lia. apply digit_mod, N.mod_lt. lia. Qed.

Lemma mod_mul_div i s t : 0 < s -> 0 < t -> (i mod (s * t)) / s = (i / s) mod t.
Proof. intros. rewrite mod_mul by lia. apply digit_div, N.mod_lt. lia. Qed.

Lemma mul_pos a b : 0 < a -> 0 < b -> 0 < a * b.
Proof. nia. Qed.

Lemma div_mul_cancel a b : 0 < a -> (a * b) / a = b.
Proof. intros. rewrite N.mul_comm. apply N.div_mul. lia. Qed.

Lemma divides_div a b : 0 < a -> (a | b) -> a * (b / a) = b.
Proof. intros Ha [q ->]. rewrite N.div_mul by lia. lia. Qed.

Lemma mod_0_divides a b : 0 < a -> b mod a = 0 <-> (a | b).
Proof. intros. apply N.mod_divide. lia. Qed.

(* 0, 1, ..., n-1. *)
Definition iota (n : N) : list N := map N.of_nat (seq 0 (N.to_nat n)).

Lemma in_iota i n : In i (iota n) <-> i < n.
Proof.
  unfold iota. rewrite in_map_iff. split.
  - intros (k & <- & H). apply in_seq in H. lia.
  - intros H. exists (N.to_nat i). rewrite in_seq. lia.
Qed.

Lemma nodup_map_in {X Y} (f : X -> Y) l :
  (forall x y, In x l -> In y l -> f x = f y -> x = y) -> NoDup l -> NoDup (map f l).
Proof.
  intros inj H. induction H as [|x l Hx Hl IH]; simpl; constructor.
  - rewrite in_map_iff. intros (y & E & Hy). apply inj in E; subst; simpl; auto.
  - apply IH. intros; apply inj; simpl; auto.
Qed.

Lemma nodup_iota n : NoDup (iota n).
Proof. apply nodup_map_in; [intros; lia | apply seq_NoDup]. Qed.

Lemma iota_add m n : iota (m + n) = iota m ++ map (N.add m) (iota n).
Proof.
  unfold iota. rewrite N2Nat.inj_add, seq_app, map_app. f_equal. simpl.
  rewrite <- (Nat.add_0_r (N.to_nat m)) at 1.
  generalize 0%nat as k. induction (N.to_nat n) as [|p IH]; intros k; simpl; [reflexivity|].
  f_equal; [lia|]. rewrite <- Nat.add_succ_r. apply IH.
Qed.

Lemma iota_1 : iota 1 = [0].
Proof. reflexivity. Qed.

Lemma iota_mul s t : iota (s * t) = flat_map (fun q => map (fun r => r + s * q) (iota s)) (iota t).
Proof.
  induction t as [|t IH] using N.peano_ind; [rewrite N.mul_0_r; reflexivity|].
  rewrite <- N.add_1_r, N.mul_add_distr_l, N.mul_1_r, !iota_add, flat_map_app, IH, iota_1. simpl.
  rewrite app_nil_r. f_equal. apply map_ext. intros. lia.
Qed.

Lemma length_iota n : length (iota n) = N.to_nat n.
Proof. unfold iota. now rewrite map_length, seq_length. Qed.

(* Lists as multisets. *)
Lemma nodup_permutation {X} (l m : list X) : Permutation l m -> NoDup l -> NoDup m.
Proof. apply Permutation_NoDup. Qed.

Lemma flat_map_cons_permutation {X Y} (f : X -> Y) (g : X -> list Y) l :
  Permutation (flat_map (fun x => f x :: g x) l) (map f l ++ flat_map g l).
Proof.
  induction l as [|x l IH]; simpl; [reflexivity|]. constructor. rewrite IH, !app_assoc.
  apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma flat_map_swap {X Y Z} (f : X -> Y -> Z) l m :
  Permutation (flat_map (fun x => map (f x) m) l) (flat_map (fun y => map (fun x => f x y) l) m).
Proof.
  induction l as [|x l IH]; simpl.
  - induction m; simpl; auto.
  - rewrite IH. symmetry. apply (flat_map_cons_permutation (f x) (fun y => map (fun x => f x y) l)).
Qed.

Lemma flat_map_flat_map {X Y Z} (f : X -> list Y) (g : Y -> list Z) l :
  flat_map g (flat_map f l) = flat_map (fun x => flat_map g (f x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite flat_map_app, IH. Qed.

Lemma flat_map_map {X Y Z} (f : X -> Y) (g : Y -> list Z) l : flat_map g (map f l) = flat_map (fun x => g (f x)) l.
Proof. induction l as [|x l IH]; simpl; congruence. Qed.

Lemma map_flat_map {X Y Z} (f : X -> list Y) (g : Y -> Z) l : map g (flat_map f l) = flat_map (fun x => map g (f x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite map_app, IH. Qed.

(* What can be compared: a boolean equality that decides equality. *)
Lemma forallb_iota p n : forallb p (iota n) = true <-> forall i, i < n -> p i = true.
Proof. rewrite forallb_forall. setoid_rewrite in_iota. reflexivity. Qed.

(* All answers, when every question has one. *)
Fixpoint sequence {X} (l : list (option X)) : option (list X) :=
  match l with
  | [] => Some []
  | None :: _ => None
  | Some x :: l => option_map (cons x) (sequence l)
  end.

Lemma sequence_some {X} (l : list (option X)) m : sequence l = Some m <-> l = map Some m.
Proof.
  revert m. induction l as [|[x|] l IH]; intros [|y m]; simpl; try (split; discriminate); try easy.
  - destruct (sequence l) as [k|]; simpl; split; try discriminate.
  - destruct (sequence l) as [k|]; simpl.
    + split; intros E; injection E as -> E; f_equal; [subst; now apply IH|].
      apply IH in E. congruence.
    + split; [discriminate|]. intros E. injection E as -> E. apply IH in E. discriminate.
Qed.

Lemma Forall2_cons_iff {X Y} (R : X -> Y -> Prop) x l y m :
  Forall2 R (x :: l) (y :: m) <-> R x y /\ Forall2 R l m.
Proof. split; [inversion 1; auto | intros []; auto]. Qed.

Lemma nth_error_firstn {X} n (l : list X) k : (k < n)%nat -> nth_error (firstn n l) k = nth_error l k.
Proof. revert l k. induction n as [|n IH]; intros [|x l] [|k] Hk; simpl; try lia; auto. apply IH. lia. Qed.
Lemma nth_error_skipn {X} n (l : list X) k : nth_error (skipn n l) k = nth_error l (n + k).
Proof. revert l. induction n as [|n IH]; intros [|x l]; simpl; auto. now destruct k. Qed.
Lemma split_twice {X} b e (l : list X) : (b <= e)%nat -> l = firstn b l ++ firstn (e - b) (skipn b l) ++ skipn e l.
Proof.
  intros L. rewrite <- (firstn_skipn b l) at 1. f_equal. rewrite <- (firstn_skipn (e - b) (skipn b l)) at 1. f_equal.
  replace e with (b + (e - b))%nat at 2 by lia. generalize (e - b)%nat as k. clear.
  revert l. induction b as [|b IH]; intros [|x l] k; simpl; auto. now rewrite skipn_nil.
Qed.
