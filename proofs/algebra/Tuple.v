(* Shapes as nested tuples: the orders on shapes, division of shapes. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Layout.
Local Open Scope N_scope.

(* Shapes and coordinates: integers and lists of those. *)
Inductive tuple := Int (n : N) | Tup (l : list tuple).

Lemma tuple_induction (P : tuple -> Prop) :
  (forall n, P (Int n)) -> (forall l, Forall P l -> P (Tup l)) -> forall t, P t.
Proof.
  intros leaf node. fix self 1. intros [n|l]; [apply leaf|]. apply node.
  induction l as [|t l IH]; constructor; [apply self | exact IH].
Qed.

Fixpoint tsize (t : tuple) : N :=
  match t with
  | Int n => n
  | Tup l => fold_right N.mul 1 (map tsize l)
  end.
Fixpoint extents (t : tuple) : list N :=
  match t with
  | Int n => [n]
  | Tup l => flat_map extents l
  end.
Fixpoint shape {D} (A : layout D) : tuple :=
  match A with
  | Leaf s _ => Int s
  | Node ms => Tup (map shape ms)
  end.
Fixpoint depth (t : tuple) : nat :=
  match t with
  | Int _ => 0
  | Tup l => S (fold_right Nat.max 0%nat (map depth l))
  end.

Lemma tsize_shape {D} (A : layout D) : tsize (shape A) = size A.
Proof.
  induction A as [s d|ms IH] using layout_induction; simpl; [reflexivity|].
  rewrite map_map. f_equal. now apply map_ext_Forall.
Qed.

Lemma product_app l m : fold_right N.mul 1 (l ++ m) = fold_right N.mul 1 l * fold_right N.mul 1 m.
Proof. induction l as [|n l IH]; simpl; rewrite ?IH; lia. Qed.

Lemma product_positive l : Forall (fun s => 0 < s) l -> 0 < fold_right N.mul 1 l.
Proof. induction 1; simpl; [lia|now apply mul_pos]. Qed.

Lemma tsize_extents t : tsize t = fold_right N.mul 1 (extents t).
Proof.
  induction t as [n|l IH] using tuple_induction; simpl; [lia|].
  induction IH as [|x l Hx _ IH]; simpl; [reflexivity|]. now rewrite product_app, Hx, IH.
Qed.

Lemma extents_shape {D} (A : layout D) : extents (shape A) = map fst (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; simpl; [reflexivity|].
  induction IH as [|m ms Hm _ IH]; simpl; [reflexivity|]. now rewrite map_app, Hm, IH.
Qed.

(* depth is 0 for an integer and one more than the deepest part for a tuple. *)
Theorem depth_definition {D} (ms : list (layout D)) s (d : D) :
  depth (shape (Leaf s d)) = 0%nat /\
  depth (shape (Node ms)) = S (fold_right Nat.max 0%nat (map (fun m => depth (shape m)) ms)).
Proof. split; simpl; [reflexivity|]. now rewrite !map_map. Qed.

Definition product_each (t : tuple) : tuple :=
  match t with
  | Int n => Int n
  | Tup l => Tup (map (fun x => Int (tsize x)) l)
  end.

(* Each part at the top is replaced by its size; an integer stays. *)
Theorem product_each_sizes l k n :
  nth_error l k = Some n -> product_each (Tup l) = Tup (map (fun x => Int (tsize x)) l) /\
  nth_error (map (fun x => Int (tsize x)) l) k = Some (Int (tsize n)).
Proof. intros H. split; [reflexivity|]. now apply (map_nth_error (fun x => Int (tsize x))). Qed.

(* The orders on shapes: `leaf` says what a leaf of S may face in T; a tuple faces a tuple of its rank. *)
Fixpoint faces (leaf : N -> tuple -> bool) (s t : tuple) : bool :=
  match s, t with
  | Int n, _ => leaf n t
  | Tup l, Tup m =>
      (fix go l m := match l, m with
         | [], [] => true
         | x :: l, y :: m => faces leaf x y && go l m
         | _, _ => false
         end) l m
  | Tup _, Int _ => false
  end.
Definition congruent := faces (fun _ t => match t with Int _ => true | Tup _ => false end).
Definition weakly_congruent := faces (fun _ _ => true).
Definition compatible := faces (fun n t => n =? tsize t).

Lemma faces_tuples leaf l m :
  faces leaf (Tup l) (Tup m) = true <-> Forall2 (fun x y => faces leaf x y = true) l m.
Proof.
  revert m. induction l as [|x l IH]; intros [|y m]; simpl; try (split; [discriminate|inversion 1]); try easy.
  specialize (IH m). simpl in IH. rewrite andb_true_iff, IH, Forall2_cons_iff. reflexivity.
Qed.

Lemma faces_tuple leaf l t : faces leaf (Tup l) t = true -> exists m, t = Tup m.
Proof. destruct t; simpl; [discriminate|eauto]. Qed.

Lemma faces_reflexive leaf s : (forall n, leaf n (Int n) = true) -> faces leaf s s = true.
Proof.
  intros H. induction s as [n|l IH] using tuple_induction; [apply H|]. apply faces_tuples.
  induction IH; constructor; auto.
Qed.

Lemma faces_antisymmetric leaf s t : (forall n m, leaf n (Int m) = true -> n = m) ->
  (forall n l, leaf n (Tup l) = true -> faces leaf (Tup l) (Int n) = true -> False) -> faces leaf s t = true ->
  faces leaf t s = true -> s = t.
Proof.
  intros one no. revert t. induction s as [n|l IH] using tuple_induction; intros [m|m] H K.
  - f_equal. now apply one.
  - discriminate.
  - discriminate.
  - apply faces_tuples in H, K. f_equal. revert K.
    induction H; intros K; [reflexivity|]. inversion_clear K. inversion_clear IH. f_equal; auto.
Qed.

Lemma faces_transitive leaf s t u :
  (forall n t u, leaf n t = true -> faces leaf t u = true -> leaf n u = true) ->
  faces leaf s t = true -> faces leaf t u = true -> faces leaf s u = true.
Proof.
  intros step. revert t u. induction s as [n|l IH] using tuple_induction; intros t u H K; [now apply (step n t)|].
  destruct (faces_tuple _ _ _ H) as [m ->], (faces_tuple _ _ _ K) as [k ->].
  apply faces_tuples in H, K. apply faces_tuples. revert k K.
  induction H; intros k K; inversion_clear K; [constructor|]. inversion_clear IH. constructor; eauto.
Qed.

(* The parentheses alone. *)
Fixpoint profile (t : tuple) : tuple :=
  match t with
  | Int _ => Int 0
  | Tup l => Tup (map profile l)
  end.

(* congruent says that two shapes have the same parentheses. *)
Theorem congruent_definition s t : congruent s t = true <-> profile s = profile t.
Proof.
  revert t. induction s as [n|l IH] using tuple_induction; intros [m|m]; simpl; try easy.
  unfold congruent. rewrite faces_tuples. split.
  - intros H. f_equal. induction H; [reflexivity|]. inversion_clear IH. simpl. f_equal; [now apply H1|auto].
  - intros E. injection E as E. revert m E.
    induction IH as [|x l Hx _ IHl]; intros [|y m] E; try discriminate; constructor.
    + apply Hx. now injection E.
    + apply IHl. now injection E.
Qed.

(* congruent is an equivalence: symmetric and reflexive. *)
Theorem congruent_symmetric s t : congruent s t = congruent t s.
Proof. apply eq_true_iff_eq. rewrite !congruent_definition. easy. Qed.

(* Every shape is congruent to itself. *)
Theorem congruent_reflexive s : congruent s s = true.
Proof. now apply congruent_definition. Qed.

(* S is coarser than T: S has an integer where T has anything, a tuple where T has a tuple of its rank. *)
Inductive coarser : tuple -> tuple -> Prop :=
  | coarser_int n t : coarser (Int n) t
  | coarser_tuple l m : Forall2 coarser l m -> coarser (Tup l) (Tup m).

(* weakly_congruent decides whether S has the parentheses of T or coarser ones. *)
Theorem weakly_congruent_definition s t : weakly_congruent s t = true <-> coarser s t.
Proof.
  revert t. induction s as [n|l IH] using tuple_induction; intros t; [split; [constructor|reflexivity]|].
  split; intros H.
  - destruct (faces_tuple _ _ _ H) as [m ->]. apply faces_tuples in H. constructor.
    induction H; constructor; inversion_clear IH; [now apply H1|auto].
  - inversion_clear H as [|? m K]. apply faces_tuples.
    induction K; constructor; inversion_clear IH; [now apply H0|auto].
Qed.

(* What is coarser and finer at once is congruent, and the other way round. *)
Theorem weakly_congruent_antisymmetric s t :
  weakly_congruent s t && weakly_congruent t s = congruent s t.
Proof.
  revert t. induction s as [n|l IH] using tuple_induction; intros [m|m]; try reflexivity.
  apply eq_true_iff_eq. unfold weakly_congruent, congruent. rewrite andb_true_iff, !faces_tuples. split.
  - intros [H K]. revert K. induction H as [|x y l' m' Hx Hl IHl]; intros K; [constructor|].
    inversion_clear K. inversion_clear IH as [|? ? E IH']. constructor; [|auto].
    specialize (E y). unfold weakly_congruent, congruent in E. now rewrite Hx, H in E.
  - intros H. induction H as [|x y l' m' Hx Hl IHl]; [split; constructor|].
    inversion_clear IH as [|? ? E IH']. destruct (IHl IH') as [].
    specialize (E y). unfold weakly_congruent, congruent in E. rewrite Hx in E.
    apply andb_true_iff in E as []. split; constructor; tauto.
Qed.

(* Coarser than coarser is coarser. *)
Theorem weakly_congruent_transitive s t u :
  weakly_congruent s t = true -> weakly_congruent t u = true -> weakly_congruent s u = true.
Proof. apply faces_transitive. reflexivity. Qed.

(* T refines S: at each integer of S stands a part of T of that size. *)
Inductive refines : tuple -> tuple -> Prop :=
  | refines_int t : refines (Int (tsize t)) t
  | refines_tuple l m : Forall2 refines l m -> refines (Tup l) (Tup m).

(* compatible decides whether T refines S. *)
Theorem compatible_definition s t : compatible s t = true <-> refines s t.
Proof.
  revert t. induction s as [n|l IH] using tuple_induction; intros t.
  - unfold compatible. simpl. rewrite N.eqb_eq. split; [intros ->; constructor | now inversion 1].
  - split; intros H.
    + destruct (faces_tuple _ _ _ H) as [m ->]. apply faces_tuples in H. constructor.
      induction H; constructor; inversion_clear IH; [now apply H1|auto].
    + inversion_clear H as [|? m K]. apply faces_tuples.
      induction K; constructor; inversion_clear IH; [now apply H0|auto].
Qed.

Lemma compatible_size s t : compatible s t = true -> tsize s = tsize t.
Proof.
  revert t. induction s as [n|l IH] using tuple_induction; intros t H.
  - now apply N.eqb_eq.
  - destruct (faces_tuple _ _ _ H) as [m ->]. apply faces_tuples in H. simpl.
    induction H; simpl; [reflexivity|]. inversion_clear IH. f_equal; auto.
Qed.

(* Every shape refines itself. *)
Theorem compatible_reflexive s : compatible s s = true.
Proof. apply faces_reflexive. intros. apply N.eqb_refl. Qed.

(* Shapes that refine each other are equal. *)
Theorem compatible_antisymmetric s t : compatible s t = true -> compatible t s = true -> s = t.
Proof. apply faces_antisymmetric; [intros n m H; now apply N.eqb_eq | discriminate]. Qed.

(* What refines a refinement refines. *)
Theorem compatible_transitive s t u :
  compatible s t = true -> compatible t u = true -> compatible s u = true.
Proof.
  apply faces_transitive. intros n x y H K. apply N.eqb_eq in H. apply N.eqb_eq. rewrite H. now apply compatible_size.
Qed.

(* The integer is the least shape of its size: every shape refines its size. *)
Theorem compatible_least s : compatible (Int (tsize s)) s = true.
Proof. apply N.eqb_refl. Qed.

Definition prime (p : N) := 1 < p /\ forall a b, p = a * b -> a = 1 \/ b = 1.

Lemma prime_product l p :
  prime p -> fold_right N.mul 1 l = p -> filter (fun n => 1 <? n) l = [p].
Proof.
  intros P. induction l as [|n l IH]; simpl; intros E; [destruct P; lia|].
  destruct P as [P one]. destruct (one n (fold_right N.mul 1 l)) as [->|E']; [easy| |].
  - apply IH. lia.
  - rewrite E', N.mul_1_r in E. subst n. assert (1 <? p = true) as -> by now apply N.ltb_lt. f_equal.
    clear - E'. induction l as [|m l IH]; simpl in *; [reflexivity|].
    apply N.eq_mul_1 in E' as [-> E']. auto.
Qed.

Lemma primes_refined s t :
  Forall prime (extents s) -> compatible s t = true -> filter (fun n => 1 <? n) (extents t) = extents s.
Proof.
  revert t. induction s as [n|l IH] using tuple_induction; simpl; intros t P H.
  - apply N.eqb_eq in H. rewrite tsize_extents in H. apply prime_product; [now inversion P|easy].
  - destruct (faces_tuple _ _ _ H) as [m ->]. apply faces_tuples in H. simpl. revert IH P.
    induction H; simpl; intros; [reflexivity|]. inversion_clear IH. apply Forall_app in P as [].
    rewrite filter_app. f_equal; auto.
Qed.

(* A shape of primes is refined by nothing with other extents above 1, nor is a shape by what it refines, too. *)
Theorem compatible_maximal s t : compatible s t = true ->
  (Forall prime (extents s) -> filter (fun n => 1 <? n) (extents t) = extents s) /\
  (compatible t s = true -> extents t = extents s).
Proof.
  intros H. split; [intros P; now apply primes_refined|]. intros G. now rewrite (compatible_antisymmetric s t H G).
Qed.

(* Division. A shape by a shape goes mode by mode; by an integer front to back: what does not fit a mode carries on. *)
Definition bind {X Y} (x : option X) (f : X -> option Y) : option Y := match x with Some y => f y | None => None end.
Notation "x <- e ; f" := (bind e (fun x => f)) (at level 61, e at next level, right associativity).

Fixpoint divide_shape (leaf : N -> N -> option N) (pad : bool) (a b : tuple) : option tuple :=
  match a with
  | Int n => option_map Int (leaf n (tsize b))
  | Tup l =>
      option_map Tup (match b with
        | Tup m =>
            (fix go l m := match l, m with
               | [], [] => Some []
               | [], _ :: _ => None
               | x :: l, [] => if pad then y <- divide_shape leaf pad x (Int 1); option_map (cons y) (go l []) else None
               | x :: l, n :: m => y <- divide_shape leaf pad x n; option_map (cons y) (go l m)
               end) l m
        | Int n =>
            (fix go l n := match l with
               | [] => Some []
               | x :: l => y <- divide_shape leaf pad x (Int n); r <- leaf n (tsize x); option_map (cons y) (go l r)
               end) l n
        end)
  end.

Definition ceil (a b : N) : N := (a + b - 1) / b.
Definition ceil_div := divide_shape (fun a b => Some (ceil a b)) true.
Definition exact_div (a b : N) : option N :=
  if (a mod b =? 0) || (b mod a =? 0) then Some (ceil a b) else None.
Definition shape_div := divide_shape exact_div false.

Fixpoint evenly_divides (s tile : tuple) : bool :=
  match tile with
  | Int n => match ceil_div s tile with Some q => tsize s =? n * tsize q | None => false end
  | Tup m =>
      match s with
      | Int _ => false
      | Tup l =>
          (fix go l m := match l, m with
             | _, [] => true
             | x :: l, y :: m => evenly_divides x y && go l m
             | [], _ :: _ => false
             end) l m
      end
  end.

Lemma ceil_least m n q : 0 < n -> m <= q * n <-> ceil m n <= q.
Proof.
  intros Hn. unfold ceil. split; intros H.
  - apply N.lt_succ_r. apply N.div_lt_upper_bound; nia.
  - pose proof (split_index n (m + n - 1) Hn) as [E L]. nia.
Qed.

(* ceil_div of integers is the least q with q * n >= m. *)
Theorem ceil_div_rounds_up m n : 0 < n ->
  exists q, ceil_div (Int m) (Int n) = Some (Int q) /\ forall k, m <= k * n <-> q <= k.
Proof. intros Hn. exists (ceil m n). split; [reflexivity|]. intros. now apply ceil_least. Qed.

(* Tuples are divided mode by mode; a missing divisor is 1. *)
Theorem ceil_div_by_mode s u m n : ceil_div (Tup [s; u]) (Tup [Int m; Int n]) = (x <- ceil_div s (Int m);
  y <- ceil_div u (Int n); Some (Tup [x; y])) /\
ceil_div (Tup [s; u]) (Tup [Int m]) = (x <- ceil_div s (Int m); y <- ceil_div u (Int 1); Some (Tup [x; y])).
Proof.
  unfold ceil_div. simpl. destruct (divide_shape _ true s (Int m)); simpl; [|easy].
  destruct (divide_shape _ true u (Int n)), (divide_shape _ true u (Int 1)); easy.
Qed.

(* Where both are tuples t has no more modes than s, and so on inside them. *)
Fixpoint has_all_modes_of (s t : tuple) : bool :=
  match s, t with
  | Tup l, Tup m =>
      (fix go l m := match l, m with
         | _, [] => true
         | x :: l, y :: m => has_all_modes_of x y && go l m
         | [], _ :: _ => false
         end) l m
  | _, _ => true
  end.

Lemma map_defined {X Y} (f : X -> Y) o : (exists y, option_map f o = Some y) <-> exists x, o = Some x.
Proof. destruct o; simpl; split; intros [z E]; eauto; discriminate. Qed.

Lemma ceil_div_number s n : exists q, ceil_div s (Int n) = Some q.
Proof.
  unfold ceil_div. revert n. induction s as [k|l IH] using tuple_induction; intros n; simpl; [eauto|].
  rewrite (map_defined Tup).
  revert n. induction IH as [|x l Hx _ IHl]; intros n; [eauto|]. destruct (Hx n) as [y ->]. cbn [bind].
  rewrite map_defined. apply IHl.
Qed.

(* It is defined exactly when the divisor has nowhere more modes. *)
Theorem ceil_div_exists s t : (exists q, ceil_div s t = Some q) <-> has_all_modes_of s t = true.
Proof.
  revert t. induction s as [k|l IH] using tuple_induction; intros t;
    [split; [intros _; reflexivity|intros _; unfold ceil_div; simpl; eauto]|].
  destruct t as [n|m]; [split; [intros _; reflexivity|intros _; apply ceil_div_number]|].
  unfold ceil_div. cbn [divide_shape has_all_modes_of].
  rewrite (map_defined Tup).
  revert m. induction IH as [|x l Hx _ IHl]; intros [|y m]; [split; eauto|split; [intros [q E]; discriminate|easy]| |].
  - split; [easy|]. intros _. destruct (ceil_div_number x 1) as [q Eq]. unfold ceil_div in Eq. rewrite Eq. cbn [bind].
    rewrite map_defined. apply (IHl []). now destruct l.
  - rewrite andb_true_iff, <- (Hx y), <- (IHl m). unfold ceil_div. split.
    + intros [q E]. destruct (divide_shape _ true x y) as [z|]; [cbn [bind] in E|discriminate].
      split; [eauto|]. apply (map_defined (cons z)). eauto.
    + intros [[z ->] R]. cbn [bind]. now apply map_defined.
Qed.

(* An integer is divided through from the front: what a mode leaves of it goes on to the next. *)
Theorem ceil_div_carries s u n : ceil_div (Tup [s; u]) (Int n) = (x <- ceil_div s (Int n);
  y <- ceil_div u (Int (ceil n (tsize s))); Some (Tup [x; y])).
Proof.
  unfold ceil_div. simpl. destruct (divide_shape _ true s (Int n)); simpl; [|easy].
  now destruct (divide_shape _ true u (Int (ceil n (tsize s)))).
Qed.

Lemma ceil_exact m n : 0 < n -> ceil (n * m) n = m.
Proof. intros. apply N.le_antisymm; [apply ceil_least; nia|].
assert (n * m <= ceil (n * m) n * n) by now apply ceil_least. nia. Qed.

Lemma ceil_fits m n : 0 < m -> m <= n -> ceil m n = 1.
Proof.
  intros. apply N.le_antisymm; [apply ceil_least; nia|].
  assert (m <= ceil m n * n) by (apply ceil_least; lia). nia.
Qed.

(* shape_div of integers: the quotient where n divides m, 1 where m divides n, otherwise undefined. *)
Theorem shape_div_exact m n : 0 < m -> 0 < n -> ((n | m) -> shape_div (Int m) (Int n) = Some (Int (m / n))) /\
  ((m | n) -> shape_div (Int m) (Int n) = Some (Int 1)) /\ (~ (n | m) -> ~ (m | n) -> shape_div (Int m) (Int n) = None).
Proof.
  intros Hm Hn. unfold shape_div, exact_div. simpl. repeat split; intros H.
  - pose proof (proj2 (mod_0_divides n m Hn) H) as ->. simpl. do 2 f_equal. destruct H as [q ->].
    rewrite N.mul_comm, ceil_exact, N.mul_comm, N.div_mul by lia. reflexivity.
  - pose proof (proj2 (mod_0_divides m n Hm) H) as ->. rewrite orb_true_r. simpl. do 2 f_equal.
    apply ceil_fits; [easy|]. apply N.divide_pos_le; easy.
  - intros K. rewrite <- mod_0_divides in H, K by easy. apply N.eqb_neq in H, K. now rewrite H, K.
Qed.

(* An integer divides a tuple front to back. *)
Theorem shape_div_carries s u n : shape_div (Tup [s; u]) (Int n) = (x <- shape_div s (Int n);
  r <- exact_div n (tsize s); y <- shape_div u (Int r); _ <- exact_div r (tsize u); Some (Tup [x; y])).
Proof.
  unfold shape_div. simpl. destruct (divide_shape _ false s (Int n)); simpl; [|easy].
  destruct (exact_div n (tsize s)) as [r|]; simpl; [|easy].
  destruct (divide_shape _ false u (Int r)); simpl; [|easy]. now destruct (exact_div r (tsize u)).
Qed.

(* evenly_divides by an integer: the tiles together have the size of the shape. *)
Theorem evenly_divides_exact s n q :
  ceil_div s (Int n) = Some q -> evenly_divides s (Int n) = (tsize s =? n * tsize q).
Proof. intros H. destruct s; unfold evenly_divides; rewrite H; reflexivity. Qed.

(* For integers it is divisibility. *)
Theorem evenly_divides_integers m n : 0 < n -> evenly_divides (Int m) (Int n) = (m mod n =? 0).
Proof.
  intros Hn. simpl. apply eq_true_iff_eq. rewrite !N.eqb_eq, mod_0_divides by easy. split; intros H.
  - exists (ceil m n). lia.
  - destruct H as [q ->]. rewrite N.mul_comm, ceil_exact by easy. reflexivity.
Qed.

(* For tuples it goes mode by mode. *)
Theorem evenly_divides_by_mode s u m n :
  evenly_divides (Tup [s; u]) (Tup [Int m; Int n]) = evenly_divides s (Int m) && evenly_divides u (Int n).
Proof. simpl. now rewrite andb_true_r. Qed.
