(* When an operation on natural strides is defined, asked of layouts in any strides: basis strides are refused. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Basis Recast.
Local Open Scope N_scope.

(* The number that a value is, where no basis element is in it. *)
Definition natural_of (x : point N) : option N :=
  match terms x with
  | [] => Some 0
  | [([], n)] => Some n
  | _ => None
  end.
Fixpoint natural_strides (A : layout (point N)) : option (layout N) :=
  match A with
  | Leaf s d => option_map (Leaf s) (natural_of d)
  | Node ms => option_map Node (sequence (map natural_strides ms))
  end.
Definition of_naturals {X} (f : layout N -> option X) (A : layout (point N)) : option X :=
  B <- natural_strides A; f B.

Lemma of_naturals_defined {X} (f : layout N -> option X) (p : layout N -> Prop) A :
  (forall B, (exists R, f B = Some R) <-> p B) ->
  (exists R, of_naturals f A = Some R) <-> exists B, natural_strides A = Some B /\ p B.
Proof.
  intros E. unfold of_naturals. destruct (natural_strides A) as [B|]; cbn [bind].
  - rewrite E. split; [eauto|]. intros (C & F & P). now injection F as <-.
  - split; [intros [R F]; discriminate|intros (C & F & _); discriminate].
Qed.

(* complement(A, M) is defined exactly when each moving leaf of A begins behind the end of the one before. *)
Theorem complement_exists A M : 0 < M -> (exists R, of_naturals (fun B => complement B M) A = Some R) <->
  exists B, natural_strides A = Some B /\ nested (sorted_leaves B) = true.
Proof. intros _. apply of_naturals_defined. intros B. apply complement_nested. Qed.

(* logical_product(A, B) is defined exactly when A has a complement with room for B, and a layout is that o B. *)
Theorem logical_product_exists A B : shaped B = true ->
  (exists R, of_naturals (fun a => logical_product a B) A = Some R) <-> exists a, natural_strides A = Some a /\
  exists F, room_for a B = Some F /\ exists R, composition F B = Some R.
Proof.
  intros SB. apply (of_naturals_defined _ (fun a => exists F, room_for a B = Some F /\ exists R, composition F B =
    Some R)).
  intros a. unfold logical_product. destruct (room_for a B) as [F|]; cbn [bind].
  - destruct (composition F B) as [R|] eqn:E; cbn [bind]; split; intros [X K]; try discriminate; eauto.
    destruct K as (K & R & G). injection K as <-. congruence.
  - split; [intros [X K]; discriminate|intros (X & K & _); discriminate].
Qed.

(* upcast is defined exactly when no extent would be rounded up and what lies inside one element does not overlap. *)
Theorem upcast_exists A n : (exists R, of_naturals (fun B => upcast B n) A = Some R) <-> exists B,
  natural_strides A = Some B /\ n <> 0 /\ exists ks, each_swallowed n (leaves B) = Some ks /\ inside_one (leaves B) ks
    < n.
Proof.
  apply (of_naturals_defined _ (fun B => n <> 0 /\ exists ks, each_swallowed n (leaves B) = Some ks /\
    inside_one (leaves B) ks < n)). intros B. apply upcast_defined.
Qed.

(* downcast is defined exactly when n is 1 or one leaf of stride 1 can grow. *)
Theorem downcast_exists A n : 0 < n -> (exists R, of_naturals (fun B => downcast B n) A = Some R) <-> exists B,
  natural_strides A = Some B /\ (n = 1 \/
  (movers (leaves B) <= 1)%nat /\ existsb (fun m => grows (leaves B) (fst m) (snd m)) (leaves B) = true).
Proof.
  intros P. apply (of_naturals_defined _ (fun B => n = 1 \/ (movers (leaves B) <= 1)%nat /\ existsb (fun m =>
    grows (leaves B) (fst m) (snd m)) (leaves B) = true)). intros B.
  destruct (N.eq_dec n 1) as [->|Ne]; [rewrite downcast_one; split; eauto|].
  rewrite downcast_defined by lia. intuition.
Qed.
