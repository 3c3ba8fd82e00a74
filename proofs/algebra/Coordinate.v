(* Coordinates and indices: the value of a layout at an index or coordinate, and the maps between coordinates. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tuple.
Local Open Scope N_scope.

Section Values.
Context {D : Type} `{module D}.
Notation layout := (layout D).
Notation modes := (list (N * D)).

(* A list of leaves at an index: colexicographic digits times strides; the last leaf goes on. *)
Fixpoint value_at (l : modes) (i : N) : D :=
  match l with
  | [] => zero
  | [(_, d)] => i *: d
  | (s, d) :: l => (i mod s) *: d +: value_at l (i / s)
  end.
(* The same, but periodic: equal below the size. *)
Fixpoint value_in (l : modes) (i : N) : D :=
  match l with
  | [] => zero
  | (s, d) :: l => (i mod s) *: d +: value_in l (i / s)
  end.

(* A(i): mode by mode, the last mode goes on. *)
Fixpoint apply (A : layout) (i : N) : D :=
  match A with
  | Leaf _ d => i *: d
  | Node ms =>
      (fix go ms i := match ms with
         | [] => zero
         | [m] => apply m i
         | m :: ms => apply m (i mod size m) +: go ms (i / size m)
         end) ms i
  end.
(* A(c): a tuple goes mode by mode; one that does not fit the shape has no value. *)
Fixpoint apply_coordinate (A : layout) (c : tuple) : option D :=
  match c, A with
  | Int i, _ => Some (apply A i)
  | Tup cs, Node ms =>
      (fix go ms cs := match ms, cs with
         | [], [] => Some zero
         | m :: ms, c :: cs => x <- apply_coordinate m c; y <- go ms cs; Some (x +: y)
         | _, _ => None
         end) ms cs
  | Tup _, Leaf _ _ => None
  end.

Lemma apply_cons m n ms i : apply (Node (m :: n :: ms)) i =
  apply m (i mod size m) +: apply (Node (n :: ms)) (i / size m).
Proof. reflexivity. Qed.

Lemma plus_zero_r d : d +: zero = d.
Proof. now rewrite plus_comm, plus_zero. Qed.

Lemma plus_swap a b c d : (a +: b) +: (c +: d) = (a +: c) +: (b +: d).
Proof. rewrite <- !plus_assoc. f_equal. rewrite !plus_assoc. f_equal. apply plus_comm. Qed.

Lemma value_at_cons s d l i : l <> [] -> value_at ((s, d) :: l) i = (i mod s) *: d +: value_at l (i / s).
Proof. destruct l; [easy|reflexivity]. Qed.

Lemma value_at_inside l i : positive l = true -> i < numel l -> value_at l i = value_in l i.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i P Hi; [reflexivity|].
  apply positive_cons in P as [Hs P]. simpl in Hi. destruct l as [|m l].
  - simpl in *. rewrite N.mod_small, plus_zero_r by lia. reflexivity.
  - rewrite value_at_cons by easy. simpl value_in. f_equal. apply IH; [easy|]. now apply div_below.
Qed.

Lemma value_in_periodic l i : positive l = true -> value_in l (i mod numel l) = value_in l i.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i P; [reflexivity|].
  apply positive_cons in P as [Hs P]. simpl. pose proof (numel_positive l P).
  rewrite mod_mul_mod, mod_mul_div by easy. f_equal. now apply IH.
Qed.

(* Two lists one behind the other: the first sees the low digits, the second the rest. *)
Lemma value_in_app l m i : positive l = true -> value_in (l ++ m) i = value_in l i +: value_in m (i / numel l).
Proof.
  revert i. induction l as [|[s d] l IH]; intros i P; simpl.
  - now rewrite plus_zero, N.div_1_r.
  - apply positive_cons in P as [Hs P]. rewrite IH by easy. rewrite plus_assoc. do 2 f_equal.
    apply N.div_div; [lia|]. pose proof (numel_positive l P). lia.
Qed.

Lemma value_at_app l m i : positive l = true -> m <> [] ->
  value_at (l ++ m) i = value_in l i +: value_at m (i / numel l).
Proof.
  intros P Hm. revert i P. induction l as [|[s d] l IH]; intros i P.
  - simpl. now rewrite plus_zero, N.div_1_r.
  - apply positive_cons in P as [Hs P]. change (((s, d) :: l) ++ m) with ((s, d) :: (l ++ m)).
    rewrite value_at_cons by (destruct l; [easy|discriminate]). rewrite IH by easy. simpl.
    rewrite plus_assoc. do 2 f_equal. apply N.div_div; [lia|]. pose proof (numel_positive l P). lia.
Qed.

Lemma value_in_0 l : positive l = true -> value_in l 0 = zero.
Proof.
  induction l as [|[s d] l IH]; intros P; [reflexivity|]. apply positive_cons in P as [Hs P]. simpl.
  rewrite N.mod_small, N.div_small, times_0, plus_zero by lia. auto.
Qed.

(* Inside its size a layout depends on its leaves alone. *)
Lemma apply_inside A i : shaped A = true -> i < size A -> apply A i = value_in (leaves A) i.
Proof.
  revert i. induction A as [s d|ms IH] using layout_induction; intros i S Hi.
  - simpl in *. now rewrite N.mod_small, plus_zero_r by lia.
  - rewrite shaped_node in S. revert i Hi.
    induction ms as [|m ms IHms]; intros i Hi; [reflexivity|].
    apply Forall_cons_iff in IH as [Hm IH]. apply Forall_cons_iff in S as [Sm S].
    pose proof (size_positive m Sm) as Pm. simpl in Hi. simpl leaves. rewrite value_in_app by exact Sm.
    rewrite <- size_product.
    destruct ms as [|n ms].
    + simpl in *. rewrite plus_zero_r. apply Hm; [easy|lia].
    + rewrite apply_cons, Hm by (try apply N.mod_lt; lia || easy). rewrite size_product at 1.
      rewrite value_in_periodic by exact Sm. f_equal. apply IHms; auto. now apply div_below.
Qed.

(* Does its last leaf stand at its end? Behind an empty tuple nothing goes on. *)
Fixpoint ends (A : layout) : bool :=
  match A with
  | Leaf _ _ => true
  | Node ms =>
      (fix go ms := match ms with
         | [] => false
         | [m] => ends m
         | _ :: ms => go ms
         end) ms
  end.
Lemma ends_cons m n ms : ends (Node (m :: n :: ms)) = ends (Node (n :: ms)).
Proof. reflexivity. Qed.

Lemma ends_leaves A : ends A = true -> leaves A <> [].
Proof.
  induction A as [s d|ms IH] using layout_induction; intros E; [discriminate|].
  induction IH as [|m ms Hm _ IH]; [discriminate|]. simpl. destruct ms as [|n ms].
  - simpl. rewrite app_nil_r. now apply Hm.
  - rewrite ends_cons in E. specialize (IH E). simpl in IH. now destruct (leaves m).
Qed.

(* At every index the last leaf goes on, and where an empty tuple stands behind it nothing does. *)
Theorem apply_beyond_domain A i : shaped A = true ->
  apply A i = if ends A then value_at (leaves A) i else value_in (leaves A) i.
Proof.
  revert i. induction A as [s d|ms IH] using layout_induction; intros i S; [reflexivity|].
  rewrite shaped_node in S. revert i. induction ms as [|m ms IHms]; intros i; [reflexivity|].
  apply Forall_cons_iff in IH as [Hm IH]. apply Forall_cons_iff in S as [Sm S].
  pose proof (size_positive m Sm) as Pm. destruct ms as [|n ms].
  - simpl. rewrite app_nil_r. now apply Hm.
  - change (leaves (Node (m :: n :: ms))) with (leaves m ++ leaves (Node (n :: ms))).
    rewrite ends_cons, apply_cons, (apply_inside m) by (try apply N.mod_lt; lia || easy). rewrite size_product.
    rewrite value_in_periodic, IHms by easy. destruct (ends (Node (n :: ms))) eqn:E.
    + now rewrite value_at_app; [|exact Sm|apply ends_leaves].
    + now rewrite value_in_app.
Qed.

(* The colexicographic digits of i; the value is digits times strides. *)
Fixpoint digits (l : modes) (i : N) : list N :=
  match l with
  | [] => []
  | (s, _) :: l => i mod s :: digits l (i / s)
  end.
Definition dot (c : list N) (l : modes) : D := fold_right plus zero (map (fun p => fst p *: snd (snd p)) (combine c l)).

Lemma value_in_digits l i : value_in l i = dot (digits l i) l.
Proof. revert i. induction l as [|[s d] l IH]; intros i; [reflexivity|]. simpl. now rewrite IH. Qed.

(* A(i) is the digits of i times the strides of A, inside its size. *)
Theorem apply_definition A i : shaped A = true -> i < size A -> apply A i = dot (digits (leaves A) i) (leaves A).
Proof. intros. now rewrite <- value_in_digits, apply_inside. Qed.

(* A coordinate goes mode by mode. *)
Theorem apply_by_mode A B c d :
  apply_coordinate (Node [A; B]) (Tup [c; d]) = (x <- apply_coordinate A c; y <- apply_coordinate B d; Some (x +: y)).
Proof.
  simpl. destruct (apply_coordinate A c); simpl; [|easy]. destruct (apply_coordinate B d); simpl; [|easy].
  now rewrite plus_zero_r.
Qed.

(* The coordinate of an index; the last mode goes on. *)
Fixpoint idx2crd (i : N) (s : tuple) : tuple :=
  match s with
  | Int _ => Int i
  | Tup l =>
      Tup ((fix go l i := match l with
              | [] => []
              | [x] => [idx2crd i x]
              | x :: l => idx2crd (i mod tsize x) x :: go l (i / tsize x)
              end) l i)
  end.

Lemma idx2crd_cons x y l i :
  idx2crd i (Tup (x :: y :: l)) =
    match idx2crd (i / tsize x) (Tup (y :: l)) with Tup r => Tup (idx2crd (i mod tsize x) x :: r) | Int n => Int n end.
Proof. reflexivity. Qed.

(* A layout at the coordinate of an index is the layout at the index. *)
Lemma apply_idx2crd A i : apply_coordinate A (idx2crd i (shape A)) = Some (apply A i).
Proof.
  revert i. induction A as [s d|ms IH] using layout_induction; intros i; [reflexivity|]. simpl.
  revert i. induction IH as [|m ms Hm _ IH]; intros i; simpl; [reflexivity|].
  destruct ms as [|n ms].
  - simpl. rewrite Hm. simpl. now rewrite plus_zero_r.
  - simpl. rewrite tsize_shape, Hm. simpl. rewrite <- (tsize_shape m) in *.
    specialize (IH (i / tsize (shape m))). simpl in IH. now rewrite IH.
Qed.
End Values.

(* The compact colexicographic layout of a shape: strides w, w*s0, ...; extent 1 counts like any other. *)
Fixpoint colex (t : tuple) (w : N) : layout N :=
  match t with
  | Int n => Leaf n w
  | Tup l =>
      Node ((fix go l w := match l with
               | [] => []
               | x :: l => colex x w :: go l (w * tsize x)
               end) l w)
  end.
Fixpoint compact (l : list N) (w : N) : list (N * N) :=
  match l with
  | [] => []
  | s :: l => (s, w) :: compact l (w * s)
  end.

Lemma colex_shape t w : shape (colex t w) = t.
Proof.
  revert w. induction t as [n|l IH] using tuple_induction; intros w; [reflexivity|]. simpl. f_equal.
  revert w. induction IH as [|x l Hx _ IH]; intros w; simpl; [reflexivity|]. now rewrite Hx, IH.
Qed.

Lemma compact_app l m w : compact (l ++ m) w = compact l w ++ compact m (w * fold_right N.mul 1 l).
Proof.
  revert w. induction l as [|s l IH]; intros w; simpl; [now rewrite N.mul_1_r|]. now rewrite IH, N.mul_assoc.
Qed.

Lemma colex_leaves t w : leaves (colex t w) = compact (extents t) w.
Proof.
  revert w. induction t as [n|l IH] using tuple_induction; intros w; [reflexivity|]. simpl.
  revert w. induction IH as [|x l Hx _ IH]; intros w; simpl; [reflexivity|].
  now rewrite Hx, IH, compact_app, <- tsize_extents.
Qed.

Lemma numel_compact l w : numel (compact l w) = fold_right N.mul 1 l.
Proof. revert w. induction l as [|s l IH]; intros w; simpl; [|rewrite IH]; reflexivity. Qed.

Lemma value_in_compact l w i :
  Forall (fun s => 0 < s) l -> value_in (compact l w) i = w * (i mod fold_right N.mul 1 l).
Proof.
  intros P. revert w i. induction P as [|s l Hs P IH]; intros w i; simpl; [rewrite N.mod_1_r; simpl; lia|].
  rewrite IH. pose proof (product_positive l P).
  rewrite mod_mul by easy. simpl. nia.
Qed.

Definition tpositive (t : tuple) : bool := forallb (fun n => 0 <? n) (extents t).
Lemma tpositive_extents t : tpositive t = true <-> Forall (fun s => 0 < s) (extents t).
Proof.
  unfold tpositive. rewrite forallb_forall, Forall_forall. split; intros P s Hs; apply N.ltb_lt; auto.
Qed.
Lemma tpositive_tuple l : tpositive (Tup l) = true <-> Forall (fun t => tpositive t = true) l.
Proof.
  unfold tpositive. simpl. induction l as [|x l IH]; simpl; [easy|].
  now rewrite forallb_app, andb_true_iff, IH, Forall_cons_iff.
Qed.
Lemma tpositive_shape {D} (A : layout D) : tpositive (shape A) = shaped A.
Proof.
  unfold tpositive, shaped, positive. rewrite extents_shape. generalize (leaves A) as l.
  induction l as [|m l IH]; [reflexivity|]. simpl. now rewrite IH.
Qed.
Lemma tsize_positive t : tpositive t = true -> 0 < tsize t.
Proof.
  intros P. pose proof (size_positive (colex t 1)) as H. rewrite <- tpositive_shape, <- tsize_shape, colex_shape in H.
  auto.
Qed.

(* The compact layout of a shape is the identity on its indices. *)
Lemma colex_identity t i : tpositive t = true -> i < tsize t -> apply (colex t 1) i = i.
Proof.
  intros P Hi. assert (i < size (colex t 1)) as Hi' by now rewrite <- tsize_shape, colex_shape. clear Hi.
  rename Hi' into Hi.
  rewrite apply_inside by (try easy; now rewrite <- tpositive_shape, colex_shape).
  rewrite colex_leaves, value_in_compact by now apply tpositive_extents.
  rewrite size_product, colex_leaves, numel_compact in Hi. rewrite N.mod_small; lia.
Qed.

Definition crd2idx (c s : tuple) : option N := apply_coordinate (colex s 1) c.

(* A coordinate of a shape: it fits and each part is below the size of what it counts in. *)
Definition inside := faces (fun i t => i <? tsize t).
(* The index it has: parts counted colexicographically. *)
Fixpoint index (c s : tuple) : N :=
  match c, s with
  | Int i, _ => i
  | Tup cs, Tup l =>
      (fix go cs l := match cs, l with
         | c :: cs, x :: l => index c x + tsize x * go cs l
         | _, _ => 0
         end) cs l
  | Tup _, Int _ => 0
  end.

Lemma index_below c s : tpositive s = true -> inside c s = true -> index c s < tsize s.
Proof.
  revert s. induction c as [i|cs IH] using tuple_induction; intros s P I; [now apply N.ltb_lt|].
  destruct (faces_tuple _ _ _ I) as [l ->]. apply faces_tuples in I. apply tpositive_tuple in P. simpl.
  induction I as [|c x cs l Hc _ IHl]; simpl; [lia|].
  apply Forall_cons_iff in IH as [Hx IH], P as [Px P]. apply digits_below; auto.
Qed.

Lemma apply_index_of {D} `{module D} (A : layout D) c :
  shaped A = true -> inside c (shape A) = true -> apply_coordinate A c = Some (apply A (index c (shape A))).
Proof.
  revert A. induction c as [i|cs IH] using tuple_induction; intros A S I; [now destruct A|].
  destruct A as [s d|ms]; [discriminate|]. simpl shape in I. apply faces_tuples in I.
  apply shaped_node in S. simpl. revert ms S I.
  induction cs as [|c cs IHcs]; intros [|m ms] S I; try now inversion I. simpl.
  apply Forall_cons_iff in IH as [Hc IH], S as [Sm S]. inversion_clear I as [|? ? ? ? Ic Ics].
  rewrite Hc by easy. simpl. pose proof (IHcs IH ms S Ics) as E. simpl in E. rewrite E. simpl. f_equal.
  assert (L : index c (shape m) < size m).
  { rewrite <- tsize_shape. apply index_below; [now rewrite tpositive_shape|easy]. }
  destruct ms as [|n ms].
  - simpl. inversion Ics. rewrite N.mul_0_r, N.add_0_r. apply plus_zero_r.
  - rewrite tsize_shape, digit_mod, digit_div by easy. reflexivity.
Qed.

(* The values of the coordinate and of its index agree: crd2idx is the colexicographic count. *)
Theorem crd2idx_definition c s :
  tpositive s = true -> inside c s = true -> crd2idx c s = Some (index c s) /\ index c s < tsize s.
Proof.
  intros P I. pose proof (index_below c s P I) as L. split; [|easy]. unfold crd2idx.
  rewrite apply_index_of by now rewrite <- ?tpositive_shape, ?colex_shape.
  now rewrite colex_shape, colex_identity.
Qed.

(* Strides in parentheses, and the layout of a shape and congruent strides. *)
Inductive strides_of {D} := Step (d : D) | Steps (l : list (strides_of)).
Arguments strides_of : clear implicits.
Fixpoint stride {D} (A : layout D) : strides_of D :=
  match A with
  | Leaf _ d => Step d
  | Node ms => Steps (map stride ms)
  end.
Fixpoint make_layout {D} (s : tuple) (d : strides_of D) : option (layout D) :=
  match s, d with
  | Int n, Step d => Some (Leaf n d)
  | Tup l, Steps m =>
      option_map Node ((fix go l m := match l, m with
        | [], [] => Some []
        | x :: l, y :: m => a <- make_layout x y; option_map (cons a) (go l m)
        | _, _ => None
        end) l m)
  | _, _ => None
  end.
Lemma make_layout_back {D} (A : layout D) : make_layout (shape A) (stride A) = Some A.
Proof.
  induction A as [s d|ms IH] using layout_induction; [reflexivity|]. simpl.
  match goal with |- option_map Node (?go (map shape ms) (map stride ms)) = _ =>
    enough (go (map shape ms) (map stride ms) = Some ms) as -> by easy end.
  induction IH as [|m ms Hm _ IH]; [reflexivity|]. cbn [map]. rewrite Hm. cbn [bind]. now rewrite IH.
Qed.
Definition crd2idx_by {D} `{module D} (c s : tuple) (d : strides_of D) : option D :=
  A <- make_layout s d; apply_coordinate A c.

(* crd2idx of a coordinate, a shape and strides is the layout of the two at the coordinate. *)
Theorem crd2idx_strided {D} `{module D} (A : layout D) c : crd2idx_by c (shape A) (stride A) = apply_coordinate A c.
Proof. unfold crd2idx_by. now rewrite make_layout_back. Qed.

(* A layout at a coordinate is the layout at its index. *)
Theorem apply_index {D} `{module D} (A : layout D) c i : shaped A = true -> inside c (shape A) = true ->
  crd2idx c (shape A) = Some i -> apply_coordinate A c = Some (apply A i).
Proof.
  intros S I E. rewrite apply_index_of by easy.
  rewrite (proj1 (crd2idx_definition c (shape A) ltac:(now rewrite tpositive_shape) I)) in E. congruence.
Qed.

(* No tuple inside is empty. *)
Fixpoint tfull (t : tuple) : bool :=
  match t with
  | Int _ => true
  | Tup l => match l with [] => false | _ => forallb tfull l end
  end.
(* A shape that does not end in an empty tuple. *)
Fixpoint tends (t : tuple) : bool :=
  match t with
  | Int _ => true
  | Tup l =>
      (fix go l := match l with
         | [] => false
         | [x] => tends x
         | _ :: l => go l
         end) l
  end.
Lemma tends_cons x y l : tends (Tup (x :: y :: l)) = tends (Tup (y :: l)).
Proof. reflexivity. Qed.
Lemma ends_colex t w : ends (colex t w) = tends t.
Proof.
  revert w. induction t as [n|l IH] using tuple_induction; intros w; [reflexivity|].
  revert w. induction IH as [|x l Hx _ IH]; intros w; [reflexivity|]. destruct l as [|y l]; [apply Hx|].
  rewrite tends_cons, <- (IH (w * tsize x)). reflexivity.
Qed.
Lemma tends_extents t : tends t = true -> extents t <> [].
Proof.
  rewrite <- (ends_colex t 1). intros E. apply ends_leaves in E. rewrite colex_leaves in E. now destruct (extents t).
Qed.

Lemma value_at_compact l w i : l <> [] -> Forall (fun s => 0 < s) l -> value_at (compact l w) i = w * i.
Proof.
  intros Hl P. revert Hl w i. induction P as [|s l Hs P IH]; intros Hl w i; [easy|]. destruct l as [|t l].
  - simpl. lia.
  - simpl compact in *. rewrite value_at_cons by discriminate. rewrite IH by discriminate. simpl.
    pose proof (split_index s i Hs) as [E _]. nia.
Qed.

(* The index of an index is itself, beyond the size too: the last mode takes what is left. *)
Theorem crd2idx_index s i : tpositive s = true -> tends s = true -> crd2idx (Int i) s = Some i.
Proof.
  intros P E. transitivity (Some (apply (colex s 1) i)); [unfold crd2idx; now destruct (colex s 1)|f_equal].
  rewrite apply_beyond_domain, ends_colex, E by now rewrite <- tpositive_shape, colex_shape.
  rewrite colex_leaves, value_at_compact; [lia|now apply tends_extents|now apply tpositive_extents].
Qed.

(* The index of the coordinate of i is i, for every i, beyond the size too. *)
Theorem idx2crd_inverse s i : tpositive s = true -> tends s = true -> crd2idx (idx2crd i s) s = Some i.
Proof.
  intros P E. rewrite <- (crd2idx_index s i P E). unfold crd2idx. rewrite <- (colex_shape s 1) at 2.
  rewrite apply_idx2crd. now destruct (colex s 1).
Qed.
Lemma idx2crd_inside s i : tpositive s = true -> i < tsize s -> crd2idx (idx2crd i s) s = Some i.
Proof.
  intros P Hi. unfold crd2idx. rewrite <- (colex_shape s 1) at 2. now rewrite apply_idx2crd, colex_identity.
Qed.

(* The coordinate of an index below the size is congruent to the shape and inside it. *)
Theorem idx2crd_bounds s i :
  tpositive s = true -> i < tsize s -> congruent (idx2crd i s) s = true /\ inside (idx2crd i s) s = true.
Proof.
  revert i. induction s as [n|l IH] using tuple_induction; intros i P Hi.
  - split; [reflexivity|]. now apply N.ltb_lt.
  - apply tpositive_tuple in P. revert i Hi.
    enough (forall i, i < tsize (Tup l) -> exists r, idx2crd i (Tup l) = Tup r /\
      Forall2 (fun c x => congruent c x = true) r l /\ Forall2 (fun c x => inside c x = true) r l) as H.
    { intros i Hi. destruct (H i Hi) as (r & -> & C & I). split; now apply faces_tuples. }
    induction IH as [|x l Hx _ IH]; intros i Hi; [exists []; repeat constructor|].
    apply Forall_cons_iff in P as [Px P]. pose proof (tsize_positive x Px) as Sx. simpl in Hi. destruct l as [|y l].
    + destruct (Hx i Px ltac:(simpl in Hi; lia)). exists [idx2crd i x]. repeat constructor; auto.
    + destruct (Hx (i mod tsize x) Px ltac:(apply N.mod_lt; lia)).
      destruct (IH P (i / tsize x) ltac:(now apply div_below)) as (r & E & C & I).
      rewrite idx2crd_cons, E. eexists. repeat split; constructor; auto.
Qed.

(* The colexicographic digits of i; the last goes on. *)
Fixpoint open_digits (l : list N) (i : N) : list N :=
  match l with
  | [] => []
  | [_] => [i]
  | s :: l => i mod s :: open_digits l (i / s)
  end.
Lemma open_digits_cons s l i : l <> [] -> open_digits (s :: l) i = i mod s :: open_digits l (i / s).
Proof. destruct l; easy. Qed.
(* The same where the last is reduced, too. *)
Fixpoint all_digits (l : list N) (i : N) : list N :=
  match l with
  | [] => []
  | s :: l => i mod s :: all_digits l (i / s)
  end.
Lemma open_digits_app l m i : Forall (fun s => 0 < s) l -> m <> [] ->
  open_digits (l ++ m) i = all_digits l i ++ open_digits m (i / fold_right N.mul 1 l).
Proof.
  intros P Hm. revert i. induction P as [|s l Hs P IH]; intros i; cbn [fold_right]; [now rewrite N.div_1_r|].
  cbn [app]. rewrite open_digits_cons by (destruct l; easy). rewrite IH. pose proof (product_positive _ P).
  cbn [all_digits app]. now rewrite N.div_div by lia.
Qed.
Lemma all_digits_app l m i : Forall (fun s => 0 < s) l ->
  all_digits (l ++ m) i = all_digits l i ++ all_digits m (i / fold_right N.mul 1 l).
Proof.
  intros P. revert i. induction P as [|s l Hs P IH]; intros i; cbn [fold_right]; [now rewrite N.div_1_r|].
  cbn [app all_digits]. rewrite IH. pose proof (product_positive _ P). now rewrite N.div_div by lia.
Qed.
Lemma all_digits_periodic l i : Forall (fun s => 0 < s) l -> all_digits l (i mod fold_right N.mul 1 l) = all_digits l i.
Proof.
  intros P. revert i. induction P as [|s l Hs P IH]; intros i; [reflexivity|]. pose proof (product_positive _ P).
  cbn [all_digits fold_right]. rewrite mod_mul_mod, mod_mul_div by easy. now rewrite IH.
Qed.
Lemma open_all_digits l i : Forall (fun s => 0 < s) l -> i < fold_right N.mul 1 l -> open_digits l i = all_digits l i.
Proof.
  intros P. revert i. induction P as [|s l Hs P IH]; intros i Hi; [reflexivity|]. cbn [fold_right] in Hi.
  destruct l as [|t l]; [cbn in *; now rewrite N.mod_small by lia|].
  rewrite open_digits_cons by discriminate. cbn [all_digits]. rewrite IH; [easy|]. now apply div_below.
Qed.

(* The coordinate of i lists the digits of i in the extents of the shape; before an empty tuple the last wraps. *)
Theorem idx2crd_digits s i : tpositive s = true ->
  extents (idx2crd i s) = if tends s then open_digits (extents s) i else all_digits (extents s) i.
Proof.
  revert i. induction s as [n|l IH] using tuple_induction; intros i P; [reflexivity|].
  apply tpositive_tuple in P. revert i.
  induction IH as [|x l Hx _ IH]; intros i; [reflexivity|]. apply Forall_cons_iff in P as [Px P].
  destruct l as [|y l]; [simpl; rewrite !app_nil_r; now apply Hx|].
  pose proof (IH P (i / tsize x)) as E. rewrite idx2crd_cons, tends_cons.
  assert (exists r, idx2crd (i / tsize x) (Tup (y :: l)) = Tup r) as [r Er] by (simpl; eauto).
  rewrite Er in E |- *. change (extents (Tup (idx2crd (i mod tsize x) x :: r)))
    with (extents (idx2crd (i mod tsize x) x) ++ extents (Tup r)). rewrite E, Hx by easy.
  change (extents (Tup (x :: y :: l))) with (extents x ++ extents (Tup (y :: l))).
  pose proof (proj1 (tpositive_extents _) Px) as Ex. pose proof (tsize_positive x Px) as Sx.
  assert (F : forall b : bool, (if b then open_digits (extents x) (i mod tsize x) else all_digits (extents x)
    (i mod tsize x)) = all_digits (extents x) i).
  { intros b. rewrite tsize_extents in *. rewrite open_all_digits by (try apply N.mod_lt; easy || lia).
    rewrite all_digits_periodic by easy. now destruct b. }
  rewrite F. destruct (tends (Tup (y :: l))) eqn:T.
  - rewrite open_digits_app, <- tsize_extents; [easy|easy|now apply tends_extents].
  - now rewrite all_digits_app, <- tsize_extents.
Qed.

(* What refines a shape has its coordinates, at the same indices. *)
Theorem compatible_coordinates s t c :
  compatible s t = true -> inside c s = true -> inside c t = true /\ index c s = index c t.
Proof.
  revert s t. induction c as [i|cs IH] using tuple_induction; intros s t C I.
  - split; [|reflexivity]. apply compatible_size in C. unfold inside in *. simpl in *. now rewrite <- C.
  - destruct (faces_tuple _ _ _ I) as [l ->], (faces_tuple _ _ _ C) as [m ->].
    apply faces_tuples in I, C. unfold inside at 1. rewrite faces_tuples. revert m C.
    induction I as [|c x cs l Hc _ IHl]; intros m C; inversion_clear C as [|? y ? m' Cx Cl];
      [split; [constructor|reflexivity]|].
    apply Forall_cons_iff in IH as [Hx IH]. destruct (Hx x y Cx Hc) as [I E], (IHl IH m' Cl) as [I' E'].
    split; [now constructor|]. simpl in *. now rewrite E, E', (compatible_size _ _ Cx).
Qed.

(* The coordinate of an offset by strides: (i / d) mod s at each leaf, 0 where the extent is 1. *)
Fixpoint idx2crd_by (i : N) (A : layout N) : option tuple :=
  match A with
  | Leaf s d => if s =? 1 then Some (Int 0) else if d =? 0 then None else Some (Int (i / d mod s))
  | Node ms => option_map Tup (sequence (map (idx2crd_by i) ms))
  end.

(* idx2crd with strides divides by each stride; extent 1 has coordinate 0, stride 0 has none. *)
Theorem idx2crd_strided i A : if forallb (fun m => (fst m =? 1) || negb (snd m =? 0)) (leaves A)
  then exists c, idx2crd_by i A = Some c /\ congruent c (shape A) = true /\
    extents c = map (fun m => if fst m =? 1 then 0 else i / snd m mod fst m) (leaves A) else idx2crd_by i A = None.
Proof.
  induction A as [s d|ms IH] using layout_induction.
  - simpl. destruct (s =? 1); [eexists; now split|]. destruct (d =? 0); [easy|eexists; now split].
  - cbn [idx2crd_by leaves shape].
    enough (if forallb (fun m => (fst m =? 1) || negb (snd m =? 0)) (flat_map leaves ms) then exists cs,
      sequence (map (idx2crd_by i) ms) = Some cs /\ Forall2 (fun c s => congruent c s = true) cs (map shape ms) /\
      flat_map extents cs = map (fun m => if fst m =? 1 then 0 else i / snd m mod fst m) (flat_map leaves ms)
      else sequence (map (idx2crd_by i) ms) = None) as K.
    { destruct (forallb _ _); [|now rewrite K]. destruct K as (cs & -> & C & E). exists (Tup cs). split; [easy|].
      split; [now apply faces_tuples|exact E]. }
    induction IH as [|m ms Hm _ IH]; [exists []; repeat split; constructor|]. cbn [flat_map map sequence].
    rewrite forallb_app. destruct (forallb _ (leaves m)); cbn [andb].
    + destruct Hm as (c & -> & C & E). destruct (forallb _ _).
      * destruct IH as (cs & -> & Cs & Es). exists (c :: cs). repeat split; [now constructor|]. cbn [flat_map].
        now rewrite map_app, E, Es.
      * now rewrite IH.
    + now rewrite Hm.
Qed.

(* n is a product of whole extents from the front and a divisor of the next. *)
Fixpoint front_to_back (n : N) (l : list N) : bool :=
  match l with
  | [] => n =? 1
  | s :: l => (s mod n =? 0) || ((n mod s =? 0) && front_to_back (n / s) l)
  end.

Lemma front_to_back_1 l : front_to_back 1 l = true.
Proof. destruct l; [easy|]. simpl. now rewrite N.mod_1_r. Qed.
Lemma exact_div_quotient m n : 0 < n -> (n | m) -> exact_div m n = Some (m / n).
Proof.
  intros Hn [q ->]. unfold exact_div. rewrite N.mod_mul by lia. simpl. f_equal. rewrite N.div_mul by lia.
  rewrite N.mul_comm. now apply ceil_exact.
Qed.
Lemma exact_div_fits m n : 0 < m -> 0 < n -> (m | n) -> exact_div m n = Some 1.
Proof.
  intros Hm Hn Q. unfold exact_div. rewrite (proj2 (mod_0_divides m n Hm) Q), orb_true_r. f_equal.
  apply ceil_fits; [easy|now apply N.divide_pos_le].
Qed.

(* n goes into t, or t into n and what is left into what is behind. *)
Lemma divided t : tpositive t = true -> forall n m, 0 < n -> front_to_back n (extents t ++ m) = true ->
  exists q, shape_div t (Int n) = Some q /\
    ((n | tsize t) /\ tsize q * n = tsize t \/ (tsize t | n) /\ tsize q = 1 /\ front_to_back (n / tsize t) m = true).
Proof.
  induction t as [s|l IH] using tuple_induction; intros P n m Hn F.
  - pose proof (tsize_positive _ P) as Hs. simpl in Hs, F. unfold shape_div. simpl.
    destruct (N.eqb_spec (s mod n) 0) as [Z|Z].
    + apply mod_0_divides in Z; [|easy]. exists (Int (s / n)). rewrite exact_div_quotient by easy. split; [easy|left].
      split; [easy|]. simpl. now rewrite N.mul_comm, divides_div.
    + simpl in F. apply andb_true_iff in F as [Q F]. apply N.eqb_eq, mod_0_divides in Q; [|easy].
      exists (Int 1). rewrite exact_div_fits by easy. split; [easy|now right].
  - apply tpositive_tuple in P. simpl extents in F. revert n F Hn.
    enough (forall n, 0 < n -> front_to_back n (flat_map extents l ++ m) = true -> exists qs,
      shape_div (Tup l) (Int n) = Some (Tup qs) /\ ((n | tsize (Tup l)) /\ tsize (Tup qs) * n = tsize (Tup l) \/
        (tsize (Tup l) | n) /\ tsize (Tup qs) = 1 /\ front_to_back (n / tsize (Tup l)) m = true)) as K.
    { intros n F Hn. destruct (K n Hn F) as (qs & E & D). eauto. }
    induction IH as [|x l Hx _ IH]; intros n Hn F.
    + exists []. split; [easy|right]. simpl. rewrite N.div_1_r. repeat split; [apply N.divide_1_l|easy].
    + apply Forall_cons_iff in P as [Px P]. pose proof (tsize_positive x Px) as Sx. simpl in F.
      rewrite <- app_assoc in F.
      destruct (Hx Px n _ Hn F) as (q & Eq & D). unfold shape_div in *. cbn [divide_shape]. rewrite Eq. cbn [bind].
      assert (exists r, exact_div n (tsize x) = Some r /\ 0 < r /\ front_to_back r (flat_map extents l ++ m) = true /\
        ((n | tsize x) /\ r = 1 /\ tsize q * n = tsize x \/ n = tsize x * r /\ tsize q = 1)) as (r & Er & Hr & Fr & C).
      { destruct D as [[Dn Z]|(Dn & Z & Fr)].
        - exists 1. rewrite exact_div_fits by easy. split; [easy|]. split; [lia|]. split; [apply front_to_back_1|auto].
        - exists (n / tsize x). rewrite exact_div_quotient by easy.
          split; [easy|]. split; [apply N.div_str_pos; split; [easy|now apply N.divide_pos_le]|]. split; [easy|].
          right. split; [symmetry; now apply divides_div|easy]. }
      rewrite Er. cbn [bind]. destruct (IH P r Hr Fr) as (qs & Eqs & Dr). cbn [divide_shape] in Eqs.
      match type of Eqs with option_map Tup ?g = _ => destruct g as [k|] eqn:G; [|discriminate] end.
      injection Eqs as ->.
      cbn [option_map]. exists (q :: qs). split; [easy|]. simpl in Dr |- *. revert Dr.
      generalize (fold_right N.mul 1 (map tsize l)) as L. generalize (fold_right N.mul 1 (map tsize qs)) as Q.
      intros Q L Dr.
      destruct C as [([p Hp] & -> & C)|[-> C]].
      * left. destruct Dr as [[_ E]|(E & Q1 & _)].
        -- split; [exists (p * L); rewrite Hp; lia|]. rewrite <- E, <- C. lia.
        -- apply N.divide_1_r in E. subst L. split; [exists p; lia|lia].
      * rewrite C. destruct Dr as [[Dr E]|(Dr & E & Ft)].
        -- left. split; [now apply N.mul_divide_mono_l|]. rewrite <- E. lia.
        -- right. split; [now apply N.mul_divide_mono_l|]. split; [now rewrite E|].
           rewrite N.div_mul_cancel_l by (try lia; intros ->; now apply N.divide_0_l in Dr; lia). exact Ft.
Qed.

(* Where n divides S front to back, shape_div(S, n) is defined and its size times n is that of S. *)
Theorem shape_div_cancels t n : tpositive t = true -> 0 < n -> front_to_back n (extents t) = true ->
  exists q, shape_div t (Int n) = Some q /\ tsize q * n = tsize t.
Proof.
  intros P Hn F. rewrite <- (app_nil_r (extents t)) in F. destruct (divided t P n [] Hn F) as (q & E & D). exists q.
  split; [easy|].
  destruct D as [[_ D]|([p ->] & -> & D)]; [easy|]. pose proof (tsize_positive t P). apply N.eqb_eq in D.
  rewrite N.div_mul in D by lia. lia.
Qed.
