(* A layout by definition: a leaf shape:stride, or a list of layouts. Its size, its leaves, its values. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Numbers.
Local Open Scope N_scope.

(* What strides and values are: a commutative monoid whose elements can be compared. n * d is d taken n times. *)
Class module (D : Type) := {
  zero : D;
  plus : D -> D -> D;
  times : N -> D -> D;
  same : D -> D -> bool;
  plus_comm d e : plus d e = plus e d;
  plus_assoc d e f : plus d (plus e f) = plus (plus d e) f;
  plus_zero d : plus zero d = d;
  times_plus m n d : times (m + n) d = plus (times m d) (times n d);
  times_mul m n d : times (m * n) d = times m (times n d);
  times_sum n d e : times n (plus d e) = plus (times n d) (times n e);
  times_0 d : times 0 d = zero;
  times_1 d : times 1 d = d;
  times_zero n : times n zero = zero;
  same_true d e : same d e = true <-> d = e;
}.
Infix "+:" := plus (at level 50, left associativity).
Infix "*:" := times (at level 40, left associativity).

(* The strides of the algebra: natural, of any sign, and pairs of those; so also all finite sums of basis strides. *)
#[export, refine] Instance naturals : module N :=
  {| zero := 0; plus := N.add; times := N.mul; same := N.eqb |}.
Proof. all: intros; try lia; apply N.eqb_eq. Defined.
#[export, refine] Instance integers : module Z :=
  {| zero := 0%Z; plus := Z.add; times n d := (Z.of_N n * d)%Z; same := Z.eqb |}.
Proof. all: intros; rewrite ?N2Z.inj_add, ?N2Z.inj_mul; try lia; apply Z.eqb_eq. Defined.
#[export, refine] Instance pairs {D E} (d : module D) (e : module E) : module (D * E) :=
  {| zero := (zero, zero); plus x y := (fst x +: fst y, snd x +: snd y);
     times n x := (n *: fst x, n *: snd x); same x y := same (fst x) (fst y) && same (snd x) (snd y) |}.
Proof.
  - intros. f_equal; apply plus_comm.
  - intros. simpl. f_equal; apply plus_assoc.
  - intros [x y]. simpl. now rewrite !plus_zero.
  - intros. simpl. now rewrite !times_plus.
  - intros. simpl. now rewrite !times_mul.
  - intros. simpl. now rewrite !times_sum.
  - intros. now rewrite !times_0.
  - intros [x y]. simpl. now rewrite !times_1.
  - intros. simpl. now rewrite !times_zero.
  - intros [x y] [z w]. simpl. rewrite andb_true_iff, !same_true. intuition congruence.
Defined.

Inductive layout (D : Type) := Leaf (s : N) (d : D) | Node (ms : list (layout D)).
Arguments Leaf {D}.
Arguments Node {D}.

Section Layout.
Context {D : Type}.
Notation layout := (layout D).
Notation modes := (list (N * D)).

Lemma layout_induction (P : layout -> Prop) :
  (forall s d, P (Leaf s d)) -> (forall ms, Forall P ms -> P (Node ms)) -> forall A, P A.
Proof.
  intros leaf node. fix self 1. intros [s d|ms]; [apply leaf|]. apply node.
  induction ms as [|m ms IH]; constructor; [apply self | exact IH].
Qed.

Fixpoint size (A : layout) : N :=
  match A with
  | Leaf s _ => s
  | Node ms => fold_right N.mul 1 (map size ms)
  end.

Fixpoint leaves (A : layout) : modes :=
  match A with
  | Leaf s d => [(s, d)]
  | Node ms => flat_map leaves ms
  end.

(* A list of leaves: its size, and whether all extents are positive. *)
Fixpoint numel (l : modes) : N :=
  match l with
  | [] => 1
  | (s, _) :: l => s * numel l
  end.
Definition positive (l : modes) : bool := forallb (fun m => 0 <? fst m) l.
#[local] Arguments positive : simpl never.
Definition shaped (A : layout) : bool := positive (leaves A).

Lemma numel_app l m : numel (l ++ m) = numel l * numel m.
Proof. induction l as [|[s d] l IH]; simpl; rewrite ?IH; lia. Qed.

Lemma positive_app l m : positive (l ++ m) = positive l && positive m.
Proof. apply forallb_app. Qed.

Lemma positive_cons s d l : positive ((s, d) :: l) = true <-> 0 < s /\ positive l = true.
Proof. unfold positive. simpl. now rewrite andb_true_iff, N.ltb_lt. Qed.

Lemma numel_positive l : positive l = true -> 0 < numel l.
Proof. induction l as [|[s d] l IH]; simpl; [lia|]. rewrite positive_cons. intros []. apply mul_pos; auto. Qed.

(* The size of a layout is the product of the extents of its leaves. *)
Theorem size_product A : size A = numel (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; simpl; [lia|].
  induction IH as [|m ms Hm _ IH]; simpl; [reflexivity|]. now rewrite numel_app, Hm, IH.
Qed.

Lemma shaped_node ms : shaped (Node ms) = true <-> Forall (fun m => shaped m = true) ms.
Proof.
  unfold shaped. simpl. induction ms as [|m ms IH]; simpl; [easy|].
  rewrite positive_app, andb_true_iff, IH, Forall_cons_iff. reflexivity.
Qed.

Lemma size_positive A : shaped A = true -> 0 < size A.
Proof. rewrite size_product. apply numel_positive. Qed.

(* A list as the algebra spells results: nothing is 1:0, one leaf stands for itself. *)
Definition unwrapped `{module D} (l : modes) : layout :=
  match l with
  | [] => Leaf 1 zero
  | [(s, d)] => Leaf s d
  | _ => Node (map (fun m => Leaf (fst m) (snd m)) l)
  end.

Lemma leaves_list (l : modes) : flat_map leaves (map (fun m => Leaf (fst m) (snd m)) l) = l.
Proof. induction l as [|[s d] l IH]; simpl; congruence. Qed.

Lemma leaves_unwrapped `{module D} l : leaves (unwrapped l) = match l with [] => [(1, zero)] | _ => l end.
Proof. destruct l as [|[s d] [|[t e] l]]; simpl; rewrite ?leaves_list; reflexivity. Qed.

Lemma size_unwrapped `{module D} l : size (unwrapped l) = numel l.
Proof. rewrite size_product, leaves_unwrapped. destruct l; reflexivity. Qed.

Lemma shaped_unwrapped `{module D} l : shaped (unwrapped l) = positive l.
Proof. unfold shaped. rewrite leaves_unwrapped. destruct l; reflexivity. Qed.

(* The number of modes; an integer layout is one mode, itself. *)
Definition rank (A : layout) : nat := match A with Leaf _ _ => 1 | Node ms => length ms end.
Definition modes_of (A : layout) : list layout := match A with Leaf _ _ => [A] | Node ms => ms end.
Definition mode (A : layout) (k : nat) : option layout := nth_error (modes_of A) k.
Definition flatten (A : layout) : layout :=
  match A with
  | Leaf _ _ => A
  | Node ms => Node (map (fun m => Leaf (fst m) (snd m)) (leaves A))
  end.

(* g of each mode that has a part in `ps`, in front of `rest`; nothing where there are more parts than modes. *)
Definition each_mode {P} (g : layout -> P -> option layout) (A : layout) (ps : list P) (rest : list layout) :=
  if (length ps <=? rank A)%nat
  then option_map (fun l => Node (l ++ rest)) (sequence (map (fun m => g (fst m) (snd m)) (combine (modes_of A) ps)))
  else None.

(* rank counts the modes at the top; an integer is one mode. *)
Theorem rank_definition A : rank A = length (modes_of A).
Proof. destruct A; reflexivity. Qed.

(* What goes through parts and modes side by side and ends with `rest` is g of each mode. *)
Lemma each_mode_walk {P} (g : layout -> P -> option layout) (rest : list layout -> list layout) go :
  (forall ms, go [] ms = Some (rest ms)) -> (forall p ps, go (p :: ps) [] = None) ->
  (forall p ps m ms, go (p :: ps) (m :: ms) = match g m p with Some x => option_map (cons x) (go ps ms) | None =>
    None end) ->
  forall A ps, option_map Node (go ps (modes_of A)) = each_mode g A ps (rest (skipn (length ps) (modes_of A))).
Proof.
  intros G0 G1 G2 A ps. unfold each_mode. rewrite rank_definition. generalize (modes_of A) as ms.
  enough (forall ms, go ps ms = if (length ps <=? length ms)%nat then option_map (fun l =>
    l ++ rest (skipn (length ps) ms)) (sequence (map (fun m => g (fst m) (snd m)) (combine ms ps))) else None) as K.
  { intros ms. rewrite K. destruct (_ <=? _)%nat; [|easy]. now destruct (sequence _). }
  induction ps as [|p ps IH]; intros ms; [rewrite G0; now destruct ms|]. destruct ms as [|m ms]; [apply G1|].
  rewrite G2, IH. cbn [length Nat.leb skipn combine map sequence fst snd]. destruct (_ <=? _)%nat; cbn [sequence];
    destruct (g m p); cbn [sequence option_map]; try easy. now destruct (sequence _).
Qed.
End Layout.
#[global] Arguments positive : simpl never.
