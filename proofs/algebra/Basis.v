(* Basis strides: values that are finite sums of multiples of basis elements, named by paths; the identity on
  coordinates. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Composition.
From Coq Require Import Eqdep_dec.
Local Open Scope N_scope.

(* The place of a basis element: mode 1 of mode 0 is [0; 1]. The empty path is the integers. *)
Definition path := list nat.
Definition path_dec : forall p q : path, {p = q} + {p <> q} := list_eq_dec Nat.eq_dec.
Fixpoint before (p q : path) : bool :=
  match p, q with
  | [], [] => false
  | [], _ => true
  | _, [] => false
  | a :: p, b :: q => (a <? b)%nat || (a =? b)%nat && before p q
  end.

Lemma before_irreflexive p : before p p = false.
Proof. induction p as [|a p IH]; simpl; [easy|]. now rewrite Nat.ltb_irrefl, Nat.eqb_refl. Qed.
Lemma before_transitive p q r : before p q = true -> before q r = true -> before p r = true.
Proof.
  revert q r. induction p as [|a p IH]; intros [|b q] [|c r]; simpl; try easy.
  rewrite !orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq.
  intros [H|[-> H]] [K|[-> K]]; try (left; lia). right. split; [easy|]. now apply (IH q).
Qed.
Lemma before_total p q : p = q \/ before p q = true \/ before q p = true.
Proof.
  revert q. induction p as [|a p IH]; intros [|b q]; simpl; auto.
  rewrite !orb_true_iff, !andb_true_iff, !Nat.ltb_lt, !Nat.eqb_eq.
  destruct (Nat.lt_trichotomy a b) as [L|[->|L]]; [auto| |auto]. destruct (IH q) as [->|[H|H]]; auto.
Qed.

(* ---- The free module over the paths: lists of terms, by path, none of them zero. ---- *)
Section Points.
Context {C : Type} `{module C}.
Notation terms := (list (path * C)).

Fixpoint canonical (l : terms) : bool :=
  match l with
  | [] => true
  | (p, n) :: l => negb (same n zero) && forallb (fun t => before p (fst t)) l && canonical l
  end.
Fixpoint coefficient (l : terms) (p : path) : C :=
  match l with
  | [] => zero
  | (q, n) :: l => if path_dec q p then n else coefficient l p
  end.
Fixpoint add_term (p : path) (n : C) (l : terms) : terms :=
  match l with
  | [] => if same n zero then [] else [(p, n)]
  | (q, m) :: k =>
      if path_dec p q then if same (n +: m) zero then k else (p, n +: m) :: k
      else if before p q then if same n zero then l else (p, n) :: l
      else (q, m) :: add_term p n k
  end.
(* n x + y. *)
Definition add_multiple (n : N) (x y : terms) : terms := fold_right (fun t l => add_term (fst t) (n *: snd t) l) y x.

Lemma same_false n m : same n m = false <-> n <> m.
Proof. rewrite <- (same_true n m). now destruct (same n m). Qed.

Lemma canonical_cons p n l : canonical ((p, n) :: l) = true <->
  n <> zero /\ (forall t, In t l -> before p (fst t) = true) /\ canonical l = true.
Proof. simpl. rewrite !andb_true_iff, negb_true_iff, same_false, forallb_forall. tauto. Qed.

Lemma coefficient_absent p l : (forall t, In t l -> before p (fst t) = true) -> coefficient l p = zero.
Proof.
  induction l as [|[q n] l IH]; intros A; [easy|]. simpl. destruct (path_dec q p) as [->|].
  - specialize (A (p, n) (or_introl eq_refl)). simpl in A. now rewrite before_irreflexive in A.
  - apply IH. intros t I. apply A. now right.
Qed.

Lemma add_term_in p n l t : In t (add_term p n l) -> fst t = p \/ In t l.
Proof.
  induction l as [|[q m] l IH]; simpl; [destruct (same n zero); simpl; intuition (subst; auto)|].
  destruct (path_dec p q); [destruct (same _ zero); simpl; intuition (subst; auto)|].
  destruct (before p q); [destruct (same n zero); simpl; intuition (subst; auto)|]. simpl. intuition.
Qed.

Lemma add_term_canonical p n l : canonical l = true -> canonical (add_term p n l) = true.
Proof.
  induction l as [|[q m] l IH]; intros K; cbn [add_term].
  - destruct (same n zero) eqn:Z; [easy|]. apply canonical_cons. now apply same_false in Z.
  - pose proof K as K'. apply canonical_cons in K' as (Hm & A & K'). destruct (path_dec p q) as [->|Ne].
    + destruct (same _ zero) eqn:Z; [easy|]. apply canonical_cons. now apply same_false in Z.
    + destruct (before p q) eqn:B.
      * destruct (same n zero) eqn:Z; [easy|]. apply canonical_cons. apply same_false in Z. split; [easy|].
        split; [|easy].
        intros t [<-|I]; [easy|]. now apply (before_transitive p q), A.
      * apply canonical_cons. split; [easy|]. split; [|auto]. intros t I. apply add_term_in in I as [->|I]; [|auto].
        destruct (before_total p q) as [|[|]]; congruence.
Qed.

Lemma add_term_coefficient p n l r : canonical l = true ->
  coefficient (add_term p n l) r = (if path_dec p r then n else zero) +: coefficient l r.
Proof.
  induction l as [|[q m] l IH]; intros K; cbn [add_term coefficient].
  - destruct (same n zero) eqn:Z; [apply same_true in Z as ->|]; simpl; destruct (path_dec p r);
      now rewrite ?plus_zero_r.
  - apply canonical_cons in K as (Hm & A & K). destruct (path_dec p q) as [->|Ne].
    + destruct (same _ zero) eqn:Z; cbn [coefficient]; destruct (path_dec q r) as [->|]; rewrite ?plus_zero; try easy.
      apply same_true in Z. rewrite Z. now apply coefficient_absent.
    + destruct (before p q) eqn:B.
      * destruct (same n zero) eqn:Z; [apply same_true in Z as ->|]; cbn [coefficient];
          destruct (path_dec p r) as [->|]; rewrite ?plus_zero; try easy.
        destruct (path_dec q r) as [->|]; [easy|]. rewrite coefficient_absent, plus_zero_r; [easy|].
        intros t I. now apply (before_transitive r q), A.
      * cbn [coefficient]. rewrite IH by easy. destruct (path_dec q r) as [->|]; [|easy].
        destruct (path_dec p r); [easy|]. now rewrite plus_zero.
Qed.

Lemma add_multiple_canonical n x y : canonical y = true -> canonical (add_multiple n x y) = true.
Proof. intros K. induction x as [|[p m] x IH]; [easy|]. now apply add_term_canonical. Qed.
Lemma add_multiple_coefficient n x y r : canonical x = true -> canonical y = true ->
  coefficient (add_multiple n x y) r = n *: coefficient x r +: coefficient y r.
Proof.
  intros Kx Ky. induction x as [|[p m] x IH]; [cbn; now rewrite times_zero, plus_zero|].
  apply canonical_cons in Kx as (Hm & A & Kx).
  cbn [add_multiple fold_right fst snd coefficient]. fold (add_multiple n x y).
  rewrite add_term_coefficient by now apply add_multiple_canonical.
  rewrite IH by easy. destruct (path_dec p r) as [->|]; [|now rewrite plus_zero].
  now rewrite (coefficient_absent r x A), times_zero, plus_zero.
Qed.

Lemma canonical_unique l m : canonical l = true -> canonical m = true ->
  (forall p, coefficient l p = coefficient m p) -> l = m.
Proof.
  revert m. induction l as [|[p a] l IH]; intros [|[q b] m] Kl Km E; [easy| | |];
    try apply canonical_cons in Kl as (Ha & Al & Kl); try apply canonical_cons in Km as (Hb & Am & Km).
  - specialize (E q). simpl in E. destruct (path_dec q q); congruence.
  - specialize (E p). simpl in E. destruct (path_dec p p); congruence.
  - assert (p = q) as ->.
    { destruct (before_total p q) as [|[B|B]]; [easy| |]; exfalso.
      - specialize (E p). cbn [coefficient] in E. destruct (path_dec p p); [|easy].
        destruct (path_dec q p) as [->|]; [now rewrite before_irreflexive in B|].
        rewrite coefficient_absent in E; [congruence|]. intros t I. now apply (before_transitive p q), Am.
      - specialize (E q). cbn [coefficient] in E. destruct (path_dec q q); [|easy].
        destruct (path_dec p q) as [->|]; [now rewrite before_irreflexive in B|].
        rewrite coefficient_absent in E; [congruence|]. intros t I. now apply (before_transitive q p), Al. }
    pose proof (E q) as Eq. cbn [coefficient] in Eq. destruct (path_dec q q); [|easy]. subst b. f_equal.
    apply IH; [easy|easy|].
    intros r. specialize (E r). cbn [coefficient] in E. revert E. destruct (path_dec q r) as [<-|]; [intros _|easy].
    now rewrite (coefficient_absent q l Al), (coefficient_absent q m Am).
Qed.
End Points.

Record point (C : Type) `{module C} := Point { terms : list (path * C); ordered_terms : canonical terms = true }.
Arguments Point {C _}.
Arguments terms {C _}.
Arguments ordered_terms {C _}.

Section Module.
Context {C : Type} `{module C}.
Definition read (x : point C) (p : path) : C := coefficient (terms x) p.
Definition term_dec : forall s t : path * C, {s = t} + {s <> t}.
Proof.
  intros [p n] [q m]. destruct (path_dec p q) as [->|]; [|right; congruence].
  destruct (same n m) eqn:E; [left; apply same_true in E; congruence|right; apply same_false in E; congruence].
Defined.
Definition same_point (x y : point C) : bool := if list_eq_dec term_dec (terms x) (terms y) then true else false.
Definition multiple (n : N) (x y : point C) : point C :=
  Point (add_multiple n (terms x) (terms y)) (add_multiple_canonical n _ _ (ordered_terms y)).
Definition no_point : point C := Point [] eq_refl.

Lemma point_terms (x y : point C) : terms x = terms y -> x = y.
Proof. destruct x as [l Kl], y as [m Km]. simpl. intros <-. f_equal. apply UIP_dec. decide equality. Qed.
Lemma point_equal (x y : point C) : (forall p, read x p = read y p) -> x = y.
Proof. intros E. apply point_terms, canonical_unique; [apply ordered_terms..|exact E]. Qed.
Lemma read_multiple n x y p : read (multiple n x y) p = n *: read x p +: read y p.
Proof. apply add_multiple_coefficient; apply ordered_terms. Qed.

#[export, refine] Instance points : module (point C) :=
  {| zero := no_point; plus := multiple 1; times n x := multiple n x no_point; same := same_point |}.
Proof.
  all: intros; try (apply point_equal; intros p; rewrite ?read_multiple; change (read no_point p) with (zero : C)).
  - rewrite !times_1. apply plus_comm.
  - rewrite !times_1. apply plus_assoc.
  - now rewrite times_zero, plus_zero.
  - now rewrite times_plus, times_1, (plus_comm _ zero), (plus_comm (n *: _) zero), (plus_comm _ zero), !plus_zero.
  - rewrite times_mul, !(plus_comm _ zero), !plus_zero. easy.
  - rewrite times_1, !(plus_comm _ zero), !plus_zero, times_1. apply times_sum.
  - now rewrite times_0, plus_zero.
  - now rewrite times_1, plus_comm, plus_zero.
  - now rewrite times_zero, plus_zero.
  - unfold same_point. destruct (list_eq_dec _ _ _); split; intros E; try easy; [now apply point_terms|congruence].
Defined.

(* n times the basis element of a place. *)
Definition basis (p : path) (n : C) : point C := Point (add_term p n []) (add_term_canonical p n [] eq_refl).

Lemma read_plus x y p : read (x +: y) p = read x p +: read y p.
Proof. change (x +: y) with (multiple 1 x y). now rewrite read_multiple, times_1. Qed.
Lemma read_times n x p : read (n *: x) p = n *: read x p.
Proof. change (n *: x) with (multiple n x no_point). rewrite read_multiple. apply plus_zero_r. Qed.
Lemma read_zero p : read (zero : point C) p = zero.
Proof. reflexivity. Qed.
Lemma read_basis p n q : read (basis p n) q = if path_dec p q then n else zero.
Proof. unfold read. cbn [basis terms]. rewrite add_term_coefficient by easy. apply plus_zero_r. Qed.
End Module.

(* ---- The identity on the coordinates of a shape. ---- *)

(* The stride of each leaf is the basis element of its place, behind the path p. *)
Fixpoint identity (t : tuple) (p : path) : layout (point N) :=
  match t with
  | Int n => Leaf n (basis p 1)
  | Tup l =>
      Node ((fix go k l := match l with
               | [] => []
               | x :: l => identity x (p ++ [k]) :: go (S k) l
               end) 0%nat l)
  end.
Definition make_identity_layout (t : tuple) : layout (point N) := identity t [].
(* The part of a layout at a path. *)
Fixpoint mode_at {D} (A : layout D) (p : path) : option (layout D) :=
  match p with
  | [] => Some A
  | k :: p => match A with Leaf _ _ => None | Node ms => match nth_error ms k with Some m => mode_at m p
    | None => None end end
  end.
(* A value as a coordinate of a shape, the coordinates behind the path p. *)
Fixpoint as_coordinate (v : point N) (t : tuple) (p : path) : tuple :=
  match t with
  | Int _ => Int (read v p)
  | Tup l =>
      Tup ((fix go k l := match l with
              | [] => []
              | x :: l => as_coordinate v x (p ++ [k]) :: go (S k) l
              end) 0%nat l)
  end.

Definition identities (l : list tuple) (p : path) : nat -> list (layout (point N)) :=
  (fix go l k := match l with [] => [] | x :: l => identity x (p ++ [k]) :: go l (S k) end) l.
Definition coordinates (v : point N) (l : list tuple) (p : path) : nat -> list tuple :=
  (fix go l k := match l with [] => [] | x :: l => as_coordinate v x (p ++ [k]) :: go l (S k) end) l.
Lemma identity_tuple l p : identity (Tup l) p = Node (identities l p 0).
Proof.
  simpl. f_equal. generalize 0%nat as k. induction l as [|x l IH]; intros k; simpl; [easy|]. f_equal. apply IH.
Qed.
Lemma as_coordinate_tuple v l p : as_coordinate v (Tup l) p = Tup (coordinates v l p 0).
Proof.
  simpl. f_equal. generalize 0%nat as k. induction l as [|x l IH]; intros k; simpl; [easy|]. f_equal. apply IH.
Qed.

Lemma identity_shape t p : shape (identity t p) = t.
Proof.
  revert p. induction t as [n|l IH] using tuple_induction; intros p; [easy|]. rewrite identity_tuple. cbn [shape].
  f_equal.
  generalize 0%nat as k. induction IH as [|x l Hx _ IH]; intros k; simpl; [easy|]. rewrite Hx. f_equal. apply IH.
Qed.
Lemma identity_size t p : size (identity t p) = tsize t.
Proof. now rewrite <- tsize_shape, identity_shape. Qed.

Lemma identities_nth l p k j : nth_error (identities l p k) j = option_map (fun x =>
  identity x (p ++ [k + j]%nat)) (nth_error l j).
Proof.
  revert k j. induction l as [|x l IH]; intros k [|j]; simpl; try easy; [now rewrite Nat.add_0_r|].
  fold (identities l p (S k)). rewrite IH. now replace (S k + j)%nat with (k + S j)%nat by lia.
Qed.

Lemma identity_at t q p n d : mode_at (identity t q) p = Some (Leaf n d) -> d = basis (q ++ p) 1.
Proof.
  revert t q. induction p as [|k p IH]; intros [m|l] q E; try discriminate.
  - injection E as <- <-. now rewrite app_nil_r.
  - rewrite identity_tuple in E. cbn [mode_at] in E. rewrite identities_nth in E.
    destruct (nth_error l k) as [x|]; [|discriminate].
    cbn [option_map] in E. apply IH in E. now rewrite <- app_assoc in E.
Qed.

(* make_identity_layout(S) has shape S; the stride of each leaf is the basis element of its place. *)
Theorem make_identity_layout_paths t : shape (make_identity_layout t) = t /\
  forall p n d, mode_at (make_identity_layout t) p = Some (Leaf n d) -> d = basis p 1.
Proof. split; [apply identity_shape|]. intros p n d. apply identity_at. Qed.

(* What strides have in common that sums and multiples keep, the values have. *)
Lemma apply_closed {D} `{module D} (P : D -> Prop) (A : layout D) i : P zero ->
  (forall d e, P d -> P e -> P (d +: e)) -> (forall n d, P d -> P (n *: d)) ->
  (forall s d, In (s, d) (leaves A) -> P d) -> P (apply A i).
Proof.
  intros Z Pl Tm. revert i. induction A as [s d|ms IH] using layout_induction; intros i L; [apply Tm, (L s); now left|].
  cbn [leaves] in L. revert i. induction IH as [|m ms Hm _ IH]; intros i; [exact Z|].
  assert (Lm : forall s d, In (s, d) (leaves m) -> P d) by (intros s d I; apply (L s), in_app_iff; now left).
  destruct ms as [|n ms]; [now apply Hm|]. rewrite apply_cons. apply Pl; [now apply Hm|].
  apply IH. intros s d I. apply (L s), in_app_iff. now right.
Qed.

(* Values have coordinates at the places of the strides alone. *)
Lemma read_somewhere (Q : path -> Prop) (A : layout (point N)) i r :
  (forall s d, In (s, d) (leaves A) -> exists q, d = basis q 1 /\ Q q) -> read (apply A i) r <> 0 -> Q r.
Proof.
  intros L. revert r. apply (apply_closed (fun v => forall r, read v r <> 0 -> Q r)).
  - intros r E. now rewrite read_zero in E.
  - intros d e Hd He r E. rewrite read_plus in E. destruct (N.eq_dec (read d r) 0) as [Z|Z]; [|now apply Hd]. apply He.
    intros F.
    apply E. now rewrite Z, F.
  - intros n d Hd r E. rewrite read_times in E. apply Hd. intros F. apply E. rewrite F. apply N.mul_0_r.
  - intros s d I r E. destruct (L _ _ I) as (q & -> & HQ). rewrite read_basis in E.
    now destruct (path_dec q r) as [<-|].
Qed.

Lemma identity_leaves t p s d : In (s, d) (leaves (identity t p)) -> exists q, d = basis (p ++ q) 1.
Proof.
  revert p. induction t as [n|l IH] using tuple_induction; intros p I.
  - destruct I as [I|[]]. injection I as <- <-. exists []. now rewrite app_nil_r.
  - rewrite identity_tuple in I. cbn [leaves] in I. revert I. generalize 0%nat as k.
    induction IH as [|x l Hx _ IH]; intros k I; [easy|].
    cbn in I. apply in_app_iff in I as [I|I]; [|now apply (IH (S k))]. destruct (Hx _ I) as [q ->]. exists (k :: q).
    now rewrite <- app_assoc.
Qed.
Lemma identities_leaves l p k s d : In (s, d) (leaves (Node (identities l p k))) -> exists j q, (k <= j)%nat /\
  d = basis (p ++ j :: q) 1.
Proof.
  cbn [leaves]. revert k. induction l as [|x l IH]; intros k I; [easy|]. cbn in I. apply in_app_iff in I as [I|I].
  - apply identity_leaves in I as [q ->]. exists k, q. now rewrite <- app_assoc.
  - destruct (IH (S k) I) as (j & q & L & ->). exists j, q. split; [lia|easy].
Qed.
Lemma not_behind l p k i j s : (j < k)%nat -> read (apply (Node (identities l p k)) i) (p ++ j :: s) = 0.
Proof.
  intros L. apply N.eq_dne. intros Z.
  destruct (read_somewhere (fun r => exists j q, (k <= j)%nat /\
    r = p ++ j :: q) (Node (identities l p k)) i (p ++ j :: s)) as (j' & q & L' & E).
  - intros t d I. apply identities_leaves in I as (j' & q & L' & ->). eauto 6.
  - exact Z.
  - apply app_inv_head in E. injection E as -> _. lia.
Qed.
Lemma not_beside t p k i j s : j <> k -> read (apply (identity t (p ++ [k])) i) (p ++ j :: s) = 0.
Proof.
  intros Ne. apply N.eq_dne. intros Z.
  destruct (read_somewhere (fun r => exists q, r = (p ++ [k]) ++ q) (identity t (p ++ [k])) i (p ++ j :: s)) as [q E].
  - intros u d I. apply identity_leaves in I as [q ->]. eauto.
  - exact Z.
  - rewrite <- app_assoc in E. apply app_inv_head in E. injection E as ->. easy.
Qed.

Lemma as_coordinate_alike t p u v : (forall s, read u (p ++ s) = read v (p ++ s)) ->
  as_coordinate u t p = as_coordinate v t p.
Proof.
  revert p. induction t as [n|l IH] using tuple_induction; intros p E.
  - simpl. f_equal. specialize (E []). now rewrite app_nil_r in E.
  - rewrite !as_coordinate_tuple. f_equal. generalize 0%nat as k. induction IH as [|x l Hx _ IH]; intros k; [easy|].
    simpl. f_equal; [|apply IH].
    apply Hx. intros s. rewrite <- !app_assoc. apply E.
Qed.
Lemma coordinates_alike l p k u v : (forall j s, (k <= j)%nat -> read u (p ++ j :: s) = read v (p ++ j :: s)) ->
  coordinates u l p k = coordinates v l p k.
Proof.
  revert k. induction l as [|x l IH]; intros k E; [easy|]. cbn. f_equal.
  - apply as_coordinate_alike. intros s. rewrite <- app_assoc. now apply E.
  - apply IH. intros j s L. apply E. lia.
Qed.

Lemma identity_coordinate t p i : as_coordinate (apply (identity t p) i) t p = idx2crd i t.
Proof.
  revert p i. induction t as [n|l IH] using tuple_induction; intros p i.
  - cbn [as_coordinate identity apply idx2crd]. f_equal. rewrite read_times, read_basis.
    destruct (path_dec p p); [apply N.mul_1_r|easy].
  - rewrite identity_tuple, as_coordinate_tuple. generalize 0%nat as k. revert i.
    induction IH as [|x l Hx _ IH]; intros i k; [easy|]. destruct l as [|y l].
    + cbn [identities coordinates idx2crd]. do 2 f_equal. apply Hx.
    + change (identities (x :: y :: l) p k)
        with (identity x (p ++ [k]) :: identity y (p ++ [S k]) :: identities l p (S (S k))).
      rewrite apply_cons, idx2crd_cons, identity_size.
      change (identity y (p ++ [S k]) :: identities l p (S (S k))) with (identities (y :: l) p (S k)).
      rewrite <- (IH (i / tsize x) (S k)).
      change (coordinates ?v (x :: y :: l) p k) with (as_coordinate v x (p ++ [k]) :: coordinates v (y :: l) p (S k)).
      do 2 f_equal.
      * rewrite <- (Hx (p ++ [k])). apply as_coordinate_alike. intros s. rewrite read_plus, <- app_assoc. cbn [app].
        rewrite (not_behind (y :: l) p (S k)) by lia. apply N.add_0_r.
      * apply coordinates_alike. intros j s L. rewrite read_plus, not_beside by lia. apply N.add_0_l.
Qed.

(* The identity at i is the coordinate of i, beyond the size too. *)
Theorem apply_identity t i : as_coordinate (apply (make_identity_layout t) i) t [] = idx2crd i t.
Proof. apply identity_coordinate. Qed.

(* ---- The extents of a codomain. ---- *)

(* How far the leaves reach along each basis element. *)
Definition reaches (A : layout (point N)) : list (path * N) :=
  flat_map (fun m => map (fun t => (fst t, (fst m - 1) * snd t)) (terms (snd m))) (leaves A).
(* Those along part i of the codomain, without the step that leads there. *)
Definition along (i : nat) (all : list (path * N)) : list (path * N) :=
  flat_map (fun r => match r with (k :: p, n) => if (k =? i)%nat then [(p, n)] else [] | _ => [] end) all.
Definition parts_of (all : list (path * N)) : nat :=
  fold_right Nat.max 0%nat (map (fun r => match fst r with k :: _ => S k | [] => 0%nat end) all).
Definition here (all : list (path * N)) : N :=
  fold_right N.add 1 (map (fun r => match fst r with [] => snd r | _ => 0 end) all).
Fixpoint extents_of (fuel : nat) (all : list (path * N)) : option tuple :=
  match parts_of all, fuel with
  | O, _ => Some (Int (here all))
  | n, O => None
  | n, S fuel => if here all =? 1 then
    option_map Tup (sequence (map (fun i => extents_of fuel (along i all)) (seq 0 n))) else None
  end.
(* The lengths of the intervals that hold the values, one for each coordinate of the codomain; nothing where strides
  name
   a mode and also a part of it. *)
Definition coshape_of (A : layout (point N)) : option tuple :=
  extents_of (fold_right Nat.max 0%nat (map (fun r => length (fst r)) (reaches A))) (reaches A).

Fixpoint leaf_reaches (t : tuple) : list (path * N) :=
  match t with
  | Int n => [([], n - 1)]
  | Tup l =>
      (fix go k l := match l with
         | [] => []
         | x :: l => map (fun r => (k :: fst r, snd r)) (leaf_reaches x) ++ go (S k) l
         end) 0%nat l
  end.
Definition list_reaches (l : list tuple) : nat -> list (path * N) :=
  (fix go l k := match l with [] => [] | x :: l => map (fun r => (k :: fst r, snd r)) (leaf_reaches x) ++
    go l (S k) end) l.
Lemma leaf_reaches_tuple l : leaf_reaches (Tup l) = list_reaches l 0.
Proof.
  simpl. generalize 0%nat as k. induction l as [|x l IH]; intros k; simpl; [easy|]. f_equal. apply IH.
Qed.

Lemma list_reaches_cons x l k : list_reaches (x :: l) k = map (fun r => (k :: fst r, snd r)) (leaf_reaches x) ++
  list_reaches l (S k).
Proof. reflexivity. Qed.

Lemma identity_reaches t p : reaches (identity t p) = map (fun r => (p ++ fst r, snd r)) (leaf_reaches t).
Proof.
  revert p. induction t as [n|l IH] using tuple_induction; intros p.
  - unfold reaches. simpl. now rewrite N.mul_1_r, app_nil_r.
  - rewrite identity_tuple, leaf_reaches_tuple. unfold reaches. cbn [leaves]. generalize 0%nat as k.
    induction IH as [|x l Hx _ IH]; intros k; [easy|]. cbn. rewrite flat_map_app, map_app, map_map.
    f_equal; [|apply IH].
    transitivity (reaches (identity x (p ++ [k]))); [easy|]. rewrite Hx. apply map_ext. intros r. cbn.
    now rewrite <- app_assoc.
Qed.

Lemma leaf_reaches_some t : tfull t = true -> leaf_reaches t <> [].
Proof.
  induction t as [n|l IH] using tuple_induction; intros F; [discriminate|]. rewrite leaf_reaches_tuple.
  destruct IH as [|x l Hx _]; [discriminate|]. simpl in F. apply andb_true_iff in F as [F _]. apply Hx in F. cbn.
  destruct (leaf_reaches x); [easy|discriminate].
Qed.
Lemma along_app i l m : along i (l ++ m) = along i l ++ along i m.
Proof. apply flat_map_app. Qed.
Lemma along_part i k l : along i (map (fun r : path * N => (k :: fst r, snd r)) l) = if (k =? i)%nat then l else [].
Proof.
  induction l as [|[p n] l IH]; simpl; [now destruct (_ =? _)%nat|]. rewrite IH. now destruct (_ =? _)%nat.
Qed.
Lemma along_before l k j : (k < j)%nat -> along k (list_reaches l j) = [].
Proof.
  revert j. induction l as [|y l IH]; intros j L; [easy|].
  rewrite list_reaches_cons, along_app, along_part, (proj2 (Nat.eqb_neq j k)) by lia.
  apply IH. lia.
Qed.
Lemma along_list i l k : along (k + i) (list_reaches l k) = match nth_error l i with Some x => leaf_reaches x
  | None => [] end.
Proof.
  revert k i. induction l as [|x l IH]; intros k i; [now destruct i|]. rewrite list_reaches_cons, along_app, along_part.
  destruct i as [|i].
  - rewrite Nat.add_0_r, Nat.eqb_refl, along_before by lia. apply app_nil_r.
  - rewrite (proj2 (Nat.eqb_neq k (k + S i))) by lia. cbn [app nth_error].
    replace (k + S i)%nat with (S k + i)%nat by lia. apply IH.
Qed.
Lemma here_list l k : here (list_reaches l k) = 1.
Proof.
  unfold here. revert k. induction l as [|x l IH]; intros k; [easy|].
  rewrite list_reaches_cons, map_app, fold_right_app, map_map, IH.
  clear. induction (leaf_reaches x) as [|r l IH]; [easy|]. cbn [map fold_right]. now rewrite IH.
Qed.
Lemma parts_app l m : parts_of (l ++ m) = Nat.max (parts_of l) (parts_of m).
Proof. unfold parts_of. induction l as [|r l IH]; simpl; [easy|]. rewrite IH. lia. Qed.
Lemma parts_step k l : l <> [] -> parts_of (map (fun r : path * N => (k :: fst r, snd r)) l) = S k.
Proof.
  intros Ne. unfold parts_of. rewrite map_map. cbn [fst]. destruct l as [|r l]; [easy|]. clear Ne. revert r.
  induction l as [|r' l IH]; intros r; [cbn; lia|]. specialize (IH r'). cbn [map fold_right] in *. lia.
Qed.
Lemma parts_list l k : forallb tfull l = true -> l <> [] -> parts_of (list_reaches l k) = (k + length l)%nat.
Proof.
  revert k. induction l as [|x l IH]; intros k F Ne; [easy|]. cbn [forallb] in F. apply andb_true_iff in F as [Fx F].
  rewrite list_reaches_cons, parts_app, parts_step by now apply leaf_reaches_some. destruct l as [|y l]; [cbn; lia|].
  rewrite IH by easy. cbn [length]. lia.
Qed.

Lemma nth_error_seq (l : list tuple) : map (fun i => nth_error l i) (seq 0 (length l)) = map Some l.
Proof.
  enough (forall pre, map (fun i => nth_error (pre ++ l) i) (seq (length pre) (length l)) = map Some l) as K
    by apply (K []).
  induction l as [|x l IH]; intros pre; [easy|]. cbn [length seq map]. f_equal.
  - rewrite nth_error_app2, Nat.sub_diag by lia. reflexivity.
  - specialize (IH (pre ++ [x])). rewrite app_length in IH. cbn [length] in IH. rewrite Nat.add_1_r in IH.
    rewrite <- IH.
    apply map_ext. intros i. now rewrite <- app_assoc.
Qed.

Lemma extents_leaves t fuel : tpositive t = true -> tfull t = true ->
  (forall r, In r (leaf_reaches t) -> (length (fst r) <= fuel)%nat) -> extents_of fuel (leaf_reaches t) = Some t.
Proof.
  revert fuel. induction t as [n|l IH] using tuple_induction; intros fuel P F L.
  - assert (0 < n) by now apply tsize_positive in P.
    replace (extents_of fuel (leaf_reaches (Int n))) with (Some (Int (n - 1 + 1))) by now destruct fuel.
    do 2 f_equal. lia.
  - apply tpositive_tuple in P. assert (forallb tfull l = true /\ l <> []) as [F' Ne] by (now destruct l). clear F.
    rewrite leaf_reaches_tuple in *. pose proof (parts_list l 0 F' Ne) as Q. rewrite Nat.add_0_l in Q.
    destruct fuel as [|fuel].
    { exfalso. destruct l as [|x l];
        [easy|]. cbn [forallb] in F'. apply andb_true_iff in F' as [Fx _]. apply leaf_reaches_some in Fx.
      rewrite list_reaches_cons in L. destruct (leaf_reaches x) as [|r k]; [easy|].
      specialize (L _ (or_introl eq_refl)). cbn in L. lia. }
    cbn [extents_of]. rewrite Q. destruct (length l) as [|m] eqn:El; [now destruct l|]. rewrite here_list, N.eqb_refl.
    enough (sequence (map (fun i => extents_of fuel (along i (list_reaches l 0))) (seq 0 (S m))) = Some l) as ->
      by easy.
    apply sequence_some. rewrite <- nth_error_seq, El. apply map_ext_in. intros i I. apply in_seq in I.
    replace i with (0 + i)%nat at 1 by lia. rewrite along_list.
    destruct (nth_error l i) as [x|] eqn:Ex; [|apply nth_error_None in Ex; lia].
    pose proof (nth_error_In _ _ Ex) as Ix. rewrite Forall_forall in IH, P. rewrite forallb_forall in F'.
    apply IH; auto.
    intros r Ir. assert (In (i :: fst r, snd r) (list_reaches l 0)) as J.
    { assert (In r (along (0 + i) (list_reaches l 0))) as K by now rewrite along_list, Ex. unfold along
        in K. apply in_flat_map in K as ([[|k p] n] & K1 & K2); [easy|].
      destruct (Nat.eqb_spec k (0 + i)) as [->|]; [|easy]. destruct K2 as [<-|[]]. exact K1. }
    specialize (L _ J). cbn in L. lia.
Qed.

(* The codomain of the identity over S, a shape without empty tuples inside, is S. *)
Theorem coshape_identity t : tpositive t = true -> tfull t = true -> coshape_of (make_identity_layout t) = Some t.
Proof.
  intros P F. unfold coshape_of, make_identity_layout. rewrite identity_reaches.
  rewrite (map_ext _ (fun r => r)) by now intros []. rewrite map_id.
  apply extents_leaves; [easy|easy|]. intros r. generalize (leaf_reaches t) as l.
  induction l as [|x l IH]; [intros []|]. intros [->|I]; [apply Nat.le_max_l|].
  exact (Nat.le_trans _ _ _ (IH I) (Nat.le_max_r _ _)).
Qed.

(* ---- Composition with basis strides: each basis element speaks of one mode. ---- *)
Section Compose.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* A at a value of another layout. *)
Definition at_point (A : layout) (v : point N) : option D :=
  fold_right (fun t s => m <- mode_at A (fst t); x <- s; Some (apply m (snd t) +: x)) (Some zero) (terms v).
Definition compose_point (A : layout) (s : N) (d : point N) : option layout :=
  match terms d with
  | [] => Some (Leaf s zero)
  | [(p, n)] => m <- mode_at A p; compose_leaf m s n
  | _ => None
  end.
Definition composition_along (A : layout) (B : Layout.layout (point N)) : option layout :=
  R <- replace_leaves (compose_point A) B;
  if forallb (fun i => match at_point A (apply B i) with Some x => same (apply R i) x | None =>
    false end) (iota (size B)) then Some R else None.

(* A is linear along its leaves. *)
Definition linear (A : layout) (p : path) (n : N) : D :=
  match mode_at A p with Some (Leaf _ d) => n *: d | _ => zero end.
Definition leaf_at (A : layout) (p : path) : Prop := exists s d, mode_at A p = Some (Leaf s d).
Definition sum_at (A : layout) (l : list (path * N)) : D :=
  fold_right (fun t s => linear A (fst t) (snd t) +: s) zero l.

Lemma linear_plus A p m n : linear A p (m + n) = linear A p m +: linear A p n.
Proof. unfold linear. destruct (mode_at A p) as [[s d|ms]|]; [apply times_plus|symmetry; apply plus_zero..]. Qed.
Lemma linear_zero A p : linear A p 0 = zero.
Proof. unfold linear. destruct (mode_at A p) as [[s d|ms]|]; [apply times_0|easy..]. Qed.
Lemma linear_times A p m n : linear A p (m * n) = m *: linear A p n.
Proof. unfold linear. destruct (mode_at A p) as [[s d|ms]|]; [apply times_mul|symmetry; apply times_zero..]. Qed.

Lemma sum_add_term A p n l : sum_at A (add_term p n l) = linear A p n +: sum_at A l.
Proof.
  induction l as [|[q m] l IH]; cbn [add_term sum_at fold_right fst snd].
  - change (same n zero) with (n =? 0).
    destruct (N.eqb_spec n 0) as [->|]; cbn; [now rewrite linear_zero, plus_zero|easy].
  - destruct (path_dec p q) as [->|Ne]; [|destruct (before p q)].
    + change (same (n +: m) zero) with (n + m =? 0). rewrite plus_assoc, <- linear_plus.
      destruct (N.eqb_spec (n + m) 0) as [E|].
      * now rewrite E, linear_zero, plus_zero.
      * easy.
    + change (same n zero) with (n =? 0).
      destruct (N.eqb_spec n 0) as [->|]; cbn; [now rewrite linear_zero, plus_zero|easy].
    + cbn [sum_at fold_right fst snd]. fold (sum_at A (add_term p n l)) (sum_at A l). rewrite IH, !plus_assoc. f_equal.
      apply plus_comm.
Qed.
Lemma sum_multiple A n x y : sum_at A (add_multiple n x y) = n *: sum_at A x +: sum_at A y.
Proof.
  induction x as [|[p m] x IH]; [cbn; now rewrite times_zero, plus_zero|].
  change (add_multiple n ((p, m) :: x) y) with (add_term p (n * m) (add_multiple n x y)).
  change (sum_at A ((p, m) :: x)) with (linear A p m +: sum_at A x).
  now rewrite sum_add_term, IH, linear_times, times_sum, plus_assoc.
Qed.

(* A map of strides that keeps sums and multiples maps the values. *)
Fixpoint map_strides {E} (f : E -> D) (B : Layout.layout E) : layout :=
  match B with
  | Leaf s d => Leaf s (f d)
  | Node ms => Node (map (map_strides f) ms)
  end.
Lemma map_strides_size {E} (f : E -> D) B : size (map_strides f B) = size B.
Proof.
  induction B as [s d|ms IH] using layout_induction; simpl; [easy|]. rewrite map_map. f_equal. now apply map_ext_Forall.
Qed.
Lemma map_strides_apply {E} `{module E} (f : E -> D) B i : f zero = zero -> (forall x y, f (x +: y) = f x +: f y) ->
  (forall n x, f (n *: x) = n *: f x) -> apply (map_strides f B) i = f (apply B i).
Proof.
  intros Z Pl Tm. revert i. induction B as [s d|ms IH] using layout_induction; intros i; [symmetry; apply Tm|].
  revert i.
  induction IH as [|m ms Hm _ IH]; intros i; [symmetry; exact Z|]. destruct ms as [|n ms]; [apply Hm|].
  change (map_strides f (Node (m :: n :: ms)))
    with (Node (map_strides f m :: map_strides f n :: map (map_strides f) ms)).
  rewrite !apply_cons, Pl, map_strides_size, Hm. f_equal. apply IH.
Qed.

Lemma leaf_point A p : leaf_at A p -> forall n, exists m, mode_at A p = Some m /\ apply m n = linear A p n.
Proof. intros (s & d & E) n. unfold linear. rewrite E. exists (Leaf s d). easy. Qed.

(* At a value whose terms name leaves, A is the sum along them. *)
Lemma at_leaves A v : (forall t, In t (terms v) -> leaf_at A (fst t)) -> at_point A v = Some (sum_at A (terms v)).
Proof.
  unfold at_point. induction (terms v) as [|[p n] l IH]; intros L; [easy|]. cbn [fold_right fst snd].
  destruct (leaf_point A p (L (p, n) (or_introl eq_refl)) n) as (m & -> & E). cbn [bind].
  rewrite IH by (intros t I; apply L; now right). cbn [bind]. now rewrite E.
Qed.

Lemma identity_leaf_at (A : layout) q p s d : mode_at A p = Some (Leaf s d) ->
  mode_at (identity (shape A) q) p = Some (Leaf s (basis (q ++ p) 1)).
Proof.
  revert A q. induction p as [|k p IH]; intros [t e|ms] q E; try discriminate.
  - injection E as <- <-. cbn. now rewrite app_nil_r.
  - cbn [shape]. rewrite identity_tuple. cbn [mode_at] in *. rewrite identities_nth, nth_error_map.
    destruct (nth_error ms k) as [m|]; [|discriminate]. cbn [option_map]. rewrite (IH m _ E). now rewrite <- app_assoc.
Qed.

(* The leaves of the identity over the shape of A name the leaves of A, in their order. *)
Lemma identity_of_leaves (A : layout) q :
  exists ps, leaves (identity (shape A) q) = map (fun x => (fst (snd x), basis (q ++ fst x) 1)) ps /\
  leaves A = map snd ps /\ forall x, In x ps -> mode_at A (fst x) = Some (Leaf (fst (snd x)) (snd (snd x))).
Proof.
  revert q. induction A as [s d|ms IH] using layout_induction; intros q.
  - exists [([], (s, d))]. cbn. rewrite app_nil_r. split; [easy|]. split; [easy|]. intros x [<-|[]]. easy.
  - cbn [shape]. rewrite identity_tuple. cbn [leaves].
    enough (forall k, exists ps, flat_map leaves (identities (map (@shape D) ms) q k) =
      map (fun x => (fst (snd x), basis (q ++ fst x) 1)) ps /\
      flat_map leaves ms = map snd ps /\ forall x, In x ps -> exists j p, fst x = (k + j)%nat :: p /\
        mode_at (Node ms) (j :: p) = Some (Leaf (fst (snd x)) (snd (snd x)))) as K.
    { destruct (K 0%nat) as (ps & E1 & E2 & E3). exists ps. split; [easy|]. split;
        [easy|]. intros x I. destruct (E3 x I) as (j & p & -> & M). exact M. }
    induction IH as [|m ms Hm _ IH]; intros k; [exists []; easy|].
    destruct (Hm (q ++ [k])) as (ps & E1 & E2 & E3), (IH (S k)) as (qs & F1 & F2 & F3).
    exists (map (fun x => (k :: fst x, snd x)) ps ++ qs). cbn [map identities flat_map].
    fold (identities (map (@shape D) ms) q (S k)).
    rewrite E1, E2, F1, F2, !map_app, !map_map. split; [|split].
    + f_equal. apply map_ext. intros x. cbn [fst snd]. now rewrite <- app_assoc.
    + reflexivity.
    + intros x I. apply in_app_iff in I as [I|I].
      * apply in_map_iff in I as (y & <- & I). exists 0%nat, (fst y). rewrite Nat.add_0_r. split; [easy|exact (E3 y I)].
      * destruct (F3 x I) as (j & p & E & M). exists (S j), p. split; [rewrite E; f_equal; lia|exact M].
Qed.

(* The same leaves, but for the strides of those of extent 1. *)
Definition alike (x y : N * D) : Prop := fst x = fst y /\ (fst x = 1 \/ snd x = snd y).
Lemma alike_values l m i : Forall2 alike l m -> value_in l i = value_in m i.
Proof.
  intros F. revert i. induction F as [|[s d] [t e] l m [E O] F IH]; intros i; [easy|]. cbn [fst snd value_in] in *.
  subst t.
  rewrite IH. destruct O as [->| ->]; [|easy]. now rewrite N.mod_1_r, !times_0.
Qed.

Lemma compose_leaf_alone s d : 0 < s -> exists e, compose_leaf (Leaf s d) s 1 = Some (Leaf s e) /\ alike (s, e) (s, d).
Proof.
  intros Hs. unfold compose_leaf. change (1 =? 0) with false. cbv iota. destruct (N.eqb_spec s 1) as [->|Ne].
  - eexists. split; [reflexivity|]. split; [easy|now left].
  - exists d. split; [|now split; [|right]].
    assert (table (fun x => apply (Leaf s d) (x * 1)) s = Some [(s, d)]) as ->; [|easy].
    rewrite <- (N.mul_1_r s) at 1. change (s * 1) with (numel [(s, d)]). rewrite (table_complete _ [(s, d)]).
    + cbn [merge]. now rewrite (proj2 (N.eqb_neq s 1)).
    + now apply positive_cons.
    + intros i Hi. cbn in *. rewrite !N.mul_1_r in *. now rewrite N.mod_small, plus_zero_r.
Qed.

Lemma part_at (A m : layout) q k ms n : mode_at A q = Some (Node ms) -> nth_error ms k = Some n ->
  mode_at A (q ++ [k]) = Some n.
Proof.
  revert A. induction q as [|j q IH]; intros A E F; cbn in *.
  - injection E as ->. now rewrite F.
  - destruct A as [s d|ns]; [discriminate|]. destruct (nth_error ns j); [|discriminate]. now apply IH.
Qed.

Lemma replaced_alike (A m : layout) q : shaped m = true -> mode_at A q = Some m ->
  exists R, replace_leaves (compose_point A) (identity (shape m) q) = Some R /\ shape R = shape m /\
  Forall2 alike (leaves R) (leaves m).
Proof.
  revert q. induction m as [s d|ms IH] using layout_induction; intros q P E.
  - apply positive_cons in P as [Hs _]. destruct (compose_leaf_alone s d Hs) as (e & F & L). exists (Leaf s e).
    cbn. unfold compose_point. cbn [basis terms add_term]. change (same 1 zero) with false. cbv iota. rewrite E.
    cbn [bind].
    rewrite F. split; [easy|]. split; [easy|]. constructor; [exact L|constructor].
  - rewrite shaped_node in P. cbn [shape]. rewrite identity_tuple.
    enough (forall ns k, Forall (fun m => forall q, shaped m = true -> mode_at A q = Some m -> exists R,
        replace_leaves (compose_point A) (identity (shape m) q) = Some R /\ shape R = shape m /\
          Forall2 alike (leaves R) (leaves m)) ns ->
      Forall (fun m => shaped m = true) ns -> (forall j n, nth_error ns j = Some n -> nth_error ms (k + j) = Some n) ->
      exists rs, Forall2 (fun b r => replace_leaves (compose_point A) b =
        Some r) (identities (map (@shape D) ns) q k) rs /\
        map (@shape D) rs = map (@shape D) ns /\ Forall2 alike (flat_map leaves rs) (flat_map leaves ns)) as K.
    { destruct (K ms 0%nat IH P ltac:(auto)) as (rs & F & Sh & L). exists (Node rs). split;
        [apply replace_node; eauto|].
      split; [cbn [shape]; now rewrite Sh|exact L]. }
    clear IH P. induction ns as [|n ns IHn]; intros k IH P Nth; [exists []; repeat constructor|].
    apply Forall_cons_iff in IH as [Hn IH], P as [Sn P].
    destruct (Hn (q ++ [k]) Sn) as (R & E1 & E2 & E3).
    { apply (part_at A (Node ms) q k ms); [easy|]. rewrite <- (Nat.add_0_r k). now apply Nth. }
    destruct (IHn (S k) IH P) as (rs & F1 & F2 & F3).
    { intros j x Hj. replace (S k + j)%nat with (k + S j)%nat by lia. now apply Nth. }
    exists (R :: rs). cbn [map identities]. split; [now constructor|]. split; [now rewrite E2, F2|]. cbn [flat_map].
    now apply Forall2_app.
Qed.

Lemma term_coefficient (l : list (path * N)) p n : canonical l = true -> In (p, n) l -> coefficient l p = n /\ n <> 0.
Proof.
  induction l as [|[q m] l IH]; intros K I; [easy|]. apply canonical_cons in K as (Hm & A & K). cbn [coefficient].
  destruct I as [I|I]; [injection I as -> ->; now destruct (path_dec p p)|].
  destruct (path_dec q p) as [->|]; [|now apply IH].
  apply A in I. cbn in I. now rewrite before_irreflexive in I.
Qed.

(* A at the values of the identity over its shape is A. *)
Lemma at_identity A i : shaped A = true -> i < size A ->
  at_point A (apply (make_identity_layout (shape A)) i) = Some (apply A i).
Proof.
  intros S Hi. destruct (identity_of_leaves A []) as (ps & E1 & E2 & E3). cbn [app] in E1.
  fold (make_identity_layout (shape A)) in E1.
  set (I := make_identity_layout (shape A)) in *. set (h := fun v : point N => sum_at A (terms v)).
  assert (hz : h zero = zero) by reflexivity.
  assert (hp : forall x y, h (x +: y) = h x +: h y) by (intros x y; unfold h; cbn [plus points multiple terms];
    now rewrite sum_multiple, times_1).
  assert (ht : forall n x, h (n *: x) = n *: h x).
  { intros n x. unfold h. cbn [times points multiple terms]. rewrite sum_multiple. apply plus_zero_r. }
  rewrite at_leaves.
  - fold (h (apply I i)). rewrite <- map_strides_apply by easy. f_equal.
    assert (leaves (map_strides h I) = leaves A) as L.
    { assert (forall B : Layout.layout (point N), leaves (map_strides h B) =
        map (fun m => (fst m, h (snd m))) (leaves B)) as ->.
      { clear. induction B as [s d|ms IH] using layout_induction; [easy|]. cbn.
        induction IH as [|m ms Hm _ IH]; [easy|]. cbn. now rewrite map_app, Hm, IH. }
      rewrite E1, E2, map_map. apply map_ext_in. intros [p [s d]] J. cbn [fst snd]. f_equal. unfold h.
      cbn [basis terms].
      rewrite sum_add_term. cbn. rewrite plus_zero_r. unfold linear.
      pose proof (E3 _ J) as M. cbn [fst snd] in M. rewrite M. apply times_1. }
    rewrite !apply_inside; [now rewrite L|easy|easy|unfold shaped; now rewrite L|].
    now rewrite size_product, L, <- size_product.
  - intros [p n] J. destruct (term_coefficient _ p n (ordered_terms _) J) as [C Z].
    apply (read_somewhere (leaf_at A) I i p); [|unfold read; congruence].
    intros s d K. rewrite E1 in K. apply in_map_iff in K as ([q [t e]] & K & L). injection K as <- <-. exists q.
    split; [easy|].
    specialize (E3 _ L). now exists t, e.
Qed.

(* Composed with the identity over its shape, A keeps its shape and its values. *)
Theorem composition_identity A : shaped A = true ->
  exists R, composition_along A (make_identity_layout (shape A)) = Some R /\ shape R = shape A /\
  forall i, i < size A -> apply R i = apply A i.
Proof.
  intros S. destruct (replaced_alike A A [] S eq_refl) as (R & E & Sh & F). exists R.
  assert (SR : shaped R = true) by now rewrite <- tpositive_shape, Sh, tpositive_shape.
  assert (ZR : size R = size A) by now rewrite <- tsize_shape, Sh, tsize_shape.
  assert (V : forall i, i < size A -> apply R i = apply A i).
  { intros i Hi. rewrite !apply_inside by (rewrite ?ZR; easy). now apply alike_values. }
  split; [|now split]. unfold composition_along, make_identity_layout. rewrite E. cbn [bind].
  fold (make_identity_layout (shape A)).
  assert (forallb _ _ = true) as ->; [|easy]. apply forallb_iota. intros i Hi. unfold make_identity_layout in Hi.
  rewrite identity_size, tsize_shape in Hi. rewrite at_identity by easy. apply same_true. auto.
Qed.
End Compose.

(* ---- Composition whose strides are each an integer or a multiple of one basis element. ---- *)

Section Strides.
Context {D : Type} `{module D} (P : D -> Prop).
Notation layout := (Layout.layout D).
Definition strides_in (l : list (N * D)) : Prop := forall s d, In (s, d) l -> P d.

Lemma merge_onto_strides s d l : P d -> strides_in l -> strides_in (merge_onto s d l).
Proof.
  revert s d. induction l as [|[t e] l IH]; intros s d Pd L.
  - intros x y [E|[]]. now injection E as <- <-.
  - assert (Pe : P e) by (apply (L t); now left). assert (L' : strides_in l) by (intros x y I; apply (L x); now right).
    cbn [merge_onto]. destruct (t =? 1); [now apply IH|]. destruct (same _ _); [now apply IH|].
    intros x y [E|I]; [now injection E as <- <-|]. now apply (IH t e Pe L' x).
Qed.
Lemma merge_strides l : strides_in l -> strides_in (merge l).
Proof.
  induction l as [|[s d] l IH]; intros L; [easy|]. assert (L' : strides_in l) by (intros x y I; apply (L x); now right).
  cbn [merge]. destruct (s =? 1); [auto|]. apply merge_onto_strides; [|easy]. apply (L s). now left.
Qed.
Lemma unwrapped_strides l : P zero -> strides_in l -> strides_in (leaves (unwrapped l)).
Proof.
  intros Z L. rewrite leaves_unwrapped. destruct l; [|exact L]. intros x y [E|[]]. now injection E as <- <-.
Qed.

Lemma unit_strides (A : layout) d : P zero -> (forall n x, P x -> P (n *: x)) -> strides_in (leaves A) ->
  P (unit_stride A d).
Proof.
  intros Z C L. unfold unit_stride. apply C. unfold merged_beyond. destruct (leaves A) as [|a l] eqn:E; [exact Z|].
  assert (W : strides_in (with_last 2 (a :: l))).
  { unfold with_last. destruct (rev (a :: l)) as [|[s e] r] eqn:R; [easy|]. apply (f_equal (@rev _)) in R.
    rewrite rev_involutive in R. rewrite R in L. cbn [rev] in L. intros x y I. apply in_app_iff in I as [I|[I|[]]].
    - apply (L x). apply in_app_iff. now left.
    - injection I as <- <-. apply (L s). apply in_app_iff. right. now left. }
  apply merge_strides in W. destruct (rev (merge (with_last 2 (a :: l)))) as [|[s e] r] eqn:R; [exact Z|].
  apply (f_equal (@rev _)) in R. rewrite rev_involutive in R. cbn [rev] in R. rewrite last_last. cbn [snd].
  apply (W s). rewrite R. apply in_app_iff. right. now left.
Qed.

(* The head and the tail of a composition are compositions. *)
Lemma composition_parts (A : layout) b bs r rs : shaped A = true -> shaped (Node (b :: bs)) = true ->
  is_composition A (Node (b :: bs)) (Node (r :: rs)) -> is_composition A b r /\ is_composition A (Node bs) (Node rs).
Proof.
  intros SA SB (C & SR & V). apply refined_nodes in C. inversion C as [|? ? ? ? Cb Cs]; subst.
  apply shaped_node in SB, SR. inversion SB as [|? ? Sb Sbs]; subst. inversion SR as [|? ? Sr Srs]; subst.
  pose proof (refined_size _ _ Cb) as Zb. pose proof (size_positive b Sb) as Pb.
  assert (Pbs : 0 < size (Node bs)) by now apply size_positive, shaped_node.
  change (size (Node (b :: bs))) with (size b * size (Node bs)) in V. split.
  - split; [exact Cb|]. split; [exact Sr|]. intros i Hi. rewrite <- (apply_head r rs) by (easy || lia).
    rewrite V, apply_head by (easy || nia). reflexivity.
  - split; [unfold compatible; cbn [shape map]; apply faces_tuples|].
    + clear - Cs. induction Cs; constructor; auto.
    + split; [now apply shaped_node|]. intros i Hi.
      destruct bs as [|b' bs]; [inversion Cs; subst; cbn; symmetry; now apply apply_0|].
      rewrite <- (apply_tail r) by (easy || now inversion Cs). rewrite <- Zb, V by nia. now rewrite apply_tail.
Qed.

Lemma composed_strides (A : layout) B R Q : P zero -> (forall n x, P x -> P (n *: x)) -> strides_in (leaves A) ->
  shaped A = true -> shaped B = true -> is_composition A B Q -> strides_in (leaves Q) ->
  replace_leaves (compose_leaf A) B = Some R -> strides_in (leaves R).
Proof.
  intros Z C LA SA. revert R Q. induction B as [s d|bs IH] using layout_induction; intros R Q SB K LQ E.
  - apply positive_cons in SB as [Hs _]. destruct K as (Cm & SQ & V). pose proof (refined_size _ _ Cm) as Zq.
    cbn [size] in Zq, V. cbn [replace_leaves] in E. unfold compose_leaf in E. destruct (N.eqb_spec d 0) as [->|].
    { injection E as <-. intros x y [I|[]]. now injection I as <- <-. }
    destruct (N.eqb_spec s 1) as [->|].
    { injection E as <-. intros x y [I|[]]. injection I as <- <-. now apply unit_strides. }
    rewrite Zq, size_product, (table_complete _ (leaves Q)) in E; [|exact SQ|].
    + injection E as <-. apply unwrapped_strides; [exact Z|]. now apply merge_strides.
    + intros i Hi. rewrite <- size_product in Hi. rewrite <- apply_inside by easy. symmetry. apply V. lia.
  - apply replace_node in E as (rs & -> & F). destruct Q as [|qs]; [destruct K as (Cm & _); discriminate|].
    revert qs K LQ SB. induction F as [|b r bs rs E F IHF]; intros qs K LQ SB; [easy|].
    apply Forall_cons_iff in IH as [Hb IH]. destruct qs as [|q qs].
    { destruct K as (Cm & _). apply refined_nodes in Cm. inversion Cm. }
    destruct (composition_parts A b bs q qs SA SB K) as [Kb Ks].
    apply shaped_node in SB. inversion SB as [|? ? Sb Sbs]; subst. cbn [leaves flat_map] in LQ |- *.
    assert (L1 : strides_in (leaves q)) by (intros x y I; apply (LQ x), in_app_iff; now left).
    assert (L2 : strides_in (leaves (Node qs))) by (intros x y I; apply (LQ x), in_app_iff; now right).
    intros x y I. apply in_app_iff in I as [I|I].
    + now apply (Hb r q Sb Kb L1 E x).
    + apply (IHF IH qs Ks L2 ltac:(now apply shaped_node) x). exact I.
Qed.
End Strides.

Section Single.
Context {C : Type} `{module C}.
(* An integer, or a multiple of one basis element. *)
Definition single (x : point C) : bool := (length (terms x) <=? 1)%nat.
Definition singles (A : layout (point C)) : bool := forallb (fun m => single (snd m)) (leaves A).
(* A o B, whose strides are such. *)
Definition composition_single (A : layout (point C)) (B : layout N) : option (layout (point C)) :=
  R <- composition A B; if singles R then Some R else None.

Lemma singles_in A : singles A = true <-> strides_in (fun x => single x = true) (leaves A).
Proof.
  unfold singles, strides_in. rewrite forallb_forall. split; [intros F s d I; apply (F (s, d) I)|].
  intros F [s d] I. now apply (F s).
Qed.
Lemma single_multiple n (x : point C) : single x = true -> single (n *: x) = true.
Proof.
  destruct x as [l K]. unfold single. cbn. destruct l as [|[p c] [|]]; [easy| |discriminate]. intros _.
  cbn. now destruct (same _ _).
Qed.

(* A o B is defined exactly when a layout refines B, is A(B(i)) at every index of B, and has strides that are integers
  or
  multiples of one basis element. *)
Theorem composition_exists (A : layout (point C)) B : shaped A = true -> shaped B = true -> singles A = true ->
  (exists R, composition_single A B = Some R) <-> exists R, is_composition A B R /\ singles R = true.
Proof.
  intros SA SB LA. unfold composition_single. split.
  - intros [R E]. destruct (composition A B) as [Q|] eqn:EQ; [|discriminate]. cbn [bind] in E.
    destruct (singles Q) eqn:S; [|discriminate]. injection E as <-. exists Q. split; [now apply
      composition_sound|exact S].
  - intros (Q & K & S). destruct (proj2 (composition_defined A B SA SB) (ex_intro _ Q K)) as [R E]. rewrite E. cbn
    [bind].
    assert (singles R = true) as ->; [|eauto]. apply singles_in in LA, S. apply singles_in.
    unfold composition in E. destruct (replace_leaves (compose_leaf A) B) as [R'|] eqn:F; [|discriminate]. cbn [bind]
      in E.
    destruct (forallb _ _); [|discriminate]. injection E as <-.
    apply (composed_strides _ A B R' Q); try easy. intros n x. apply single_multiple.
Qed.
End Single.
