(* right_inverse where leaves overlap, solve_composition_right and solve_logical_divide: the best of all layouts of some
  size, by definition. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Divide Left_inverse.
Local Open Scope N_scope.

(* All lists of leaves above extent 1 of n elements with strides up to m. *)
Fixpoint lists_of (fuel : nat) (n m : N) : list modes :=
  (if n =? 1 then [[]] else []) ++
  match fuel with
  | O => []
  | S fuel => flat_map (fun s => if (1 <? s) && (n mod s =? 0)
      then flat_map (fun d => map (cons (s, d)) (lists_of fuel (n / s) m)) (iota (m + 1)) else []) (iota (n + 1))
  end.
(* All coalesced layouts of n elements with strides up to m. *)
Definition layouts_of (n m : N) : list (layout N) :=
  map unwrapped (List.filter merged (lists_of (N.to_nat n) n m)).

(* The order among layouts of one size: fewer modes first, then the lesser value where two first differ. *)
Fixpoint not_after (l m : list N) : bool :=
  match l, m with
  | x :: l, y :: m => (x <? y) || (x =? y) && not_after l m
  | _, _ => true
  end.
Definition key (n : N) (X : layout N) : list N :=
  N.of_nat (length (merge (leaves X))) :: map (apply (coalesce X)) (iota n).
Fixpoint least {X} (le : X -> X -> bool) (l : list X) : option X :=
  match l with
  | [] => None
  | x :: l => match least le l with None => Some x | Some y => Some (if le x y then x else y) end
  end.
Definition smallest (n m : N) (good : layout N -> bool) : option (layout N) :=
  least (fun X Y => not_after (key n X) (key n Y)) (List.filter good (layouts_of n m)).

Lemma not_after_total l m : length l = length m -> not_after l m = true \/ not_after m l = true.
Proof.
  revert m. induction l as [|x l IH]; intros [|y m] L; try discriminate; [now left|]. injection L as L. cbn.
  destruct (N.lt_trichotomy x y) as [H|[->|H]].
  - left. now rewrite (proj2 (N.ltb_lt x y) H).
  - rewrite N.eqb_refl, N.ltb_irrefl. cbn. auto.
  - right. now rewrite (proj2 (N.ltb_lt y x) H).
Qed.
Lemma not_after_transitive l m k : length l = length m -> not_after l m = true -> not_after m k = true ->
  not_after l k = true.
Proof.
  revert m k. induction l as [|x l IH]; intros [|y m] [|z k] L H K; try easy. injection L as L. cbn in *.
  rewrite !orb_true_iff, !andb_true_iff, !N.ltb_lt, !N.eqb_eq in *.
  destruct H as [H|[-> H]], K as [K|[-> K]]; try (left; lia). right. split; [easy|]. now apply (IH m).
Qed.
Lemma key_length n X : length (key n X) = S (N.to_nat n).
Proof. unfold key. cbn. now rewrite map_length, length_iota. Qed.

Lemma least_spec {X} (le : X -> X -> bool) l : (forall x y, le x y = true \/ le y x = true) ->
  (forall x y z, le x y = true -> le y z = true -> le x z = true) ->
  match least le l with
  | None => l = []
  | Some x => In x l /\ forall y, In y l -> le x y = true
  end.
Proof.
  intros total trans. induction l as [|x l IH]; [easy|]. cbn [least]. destruct (least le l) as [y|].
  - destruct IH as [I B]. destruct (le x y) eqn:E; (split; [cbn; auto|]).
    + intros z [<-|K]; [destruct (total x x); easy|]. now apply (trans _ y), B.
    + intros z [<-|K]; [|auto]. destruct (total x y); [congruence|easy].
  - subst l. split; [now left|]. intros z [<-|[]]. now destruct (total x x).
Qed.

Lemma lists_complete fuel n m l : (length l <= fuel)%nat -> numel l = n -> (forall s d, In (s, d) l -> 1 < s /\ d <=
  m) ->
  In l (lists_of fuel n m).
Proof.
  revert n l. induction fuel as [|fuel IH]; intros n [|[s d] l] L Z B; cbn [lists_of]; try (cbn in L; lia).
  - cbn in Z. subst n. now left.
  - apply in_app_iff. left. cbn in Z. subst n. now left.
  - apply in_app_iff. right. destruct (B s d (or_introl eq_refl)) as [Hs Hd]. cbn in Z, L. apply in_flat_map.
    assert (P : 0 < numel l).
    { apply numel_positive. unfold positive. apply forallb_forall. intros [t e] I. apply N.ltb_lt. cbn.
      destruct (B t e (or_intror I)). lia. }
    exists s. split; [apply in_iota; nia|]. rewrite (proj2 (N.ltb_lt 1 s) Hs).
    assert (n mod s =? 0 = true) as -> by (apply N.eqb_eq; rewrite <- Z, N.mul_comm; apply N.mod_mul; lia). cbn [andb].
    apply in_flat_map. exists d. split; [apply in_iota; lia|]. apply in_map. apply IH; [lia| |].
    + rewrite <- Z, N.mul_comm. symmetry. apply N.div_mul. lia.
    + intros t e I. apply B. now right.
Qed.
Lemma lists_sound fuel n m l : 0 < n -> In l (lists_of fuel n m) -> numel l = n /\ positive l = true.
Proof.
  revert n l. induction fuel as [|fuel IH]; intros n l P I; cbn [lists_of] in I; apply in_app_iff in I as [I|I].
  - destruct (N.eqb_spec n 1) as [->|]; [|easy]. destruct I as [<-|[]]. easy.
  - easy.
  - destruct (N.eqb_spec n 1) as [->|]; [|easy]. destruct I as [<-|[]]. easy.
  - apply in_flat_map in I as (s & _ & I). destruct (N.ltb_spec 1 s) as [Hs|]; [|easy].
    destruct (N.eqb_spec (n mod s) 0) as [Z|]; [|easy]. cbn [andb] in I. apply in_flat_map in I as (d & _ & I).
    apply in_map_iff in I as (k & <- & I). apply mod_0_divides in Z as [q ->]; [|lia]. rewrite N.div_mul in I by lia.
    apply IH in I as [Z Q]; [|nia]. cbn [numel]. split; [lia|]. apply positive_cons. split; [lia|easy].
Qed.
Lemma merged_length (l : modes) : merged l = true -> (length l <= N.to_nat (numel l))%nat.
Proof.
  induction l as [|[s d] l IH]; intros M; [cbn; lia|]. apply merged_cons in M as (Hs & M & _). specialize (IH M).
  pose proof (numel_positive _ (merged_positive _ M)). cbn [length numel].
  assert (numel l + 1 <= s * numel l) by nia. lia.
Qed.

(* What is known of the smallest layout that is good, where whether a layout is good does not depend on how it is
  spelled. *)
Lemma smallest_spec n m good : 0 < n -> (forall X, shaped X = true -> good X = true -> good (coalesce X) = true) ->
  (forall X, shaped X = true -> good X = true -> size X = n /\ forall s d, In (s, d) (leaves (coalesce X)) -> 1 < s ->
    d <= m) ->
  match smallest n m good with
  | None => forall X, shaped X = true -> good X = false
  | Some X => shaped X = true /\ coalesce X = X /\ good X = true /\ forall Y, shaped Y = true -> good Y = true ->
    not_after (key n X) (key n Y) = true
  end.
Proof.
  intros Hn C B. assert (all : forall X, shaped X = true -> good X = true -> In (coalesce X) (List.filter good
    (layouts_of n m))).
  { intros X S G. apply filter_In. split; [|auto]. unfold layouts_of, coalesce. apply in_map, filter_In.
    pose proof (merge_merged _ S) as M. split; [|exact M]. destruct (B X S G) as [Z D].
    destruct (merge_spec _ S) as (Zm & _). rewrite <- size_product, Z in Zm.
    apply lists_complete; [rewrite <- Zm; now apply merged_length|exact Zm|].
    intros s d I. assert (1 < s) as Hs by now apply (merged_wide _ s d M).
    split; [exact Hs|]. apply (D s); [|exact Hs]. unfold coalesce. rewrite leaves_unwrapped.
    now destruct (merge (leaves X)). }
  unfold smallest.
  pose proof (least_spec (fun X Y => not_after (key n X) (key n Y)) (List.filter good (layouts_of n m))) as L.
  destruct (least _ _) as [X|].
  - destruct L as [I Least].
    { intros x y. apply not_after_total. now rewrite !key_length. }
    { intros x y z. apply not_after_transitive. now rewrite !key_length. }
    apply filter_In in I as [I G]. unfold layouts_of in I. apply in_map_iff in I as (l & <- & I).
    apply filter_In in I as [I M]. apply lists_sound in I as [Z P]; [|easy].
    split; [now rewrite shaped_unwrapped|]. split.
    { unfold coalesce. rewrite leaves_unwrapped. destruct l as [|a l]; [reflexivity|]. now rewrite merge_of_merged. }
    split; [exact G|]. intros Y SY GY. specialize (Least _ (all Y SY GY)). cbn beta in Least.
    assert (key n (coalesce Y) = key n Y) as <-; [|exact Least]. unfold key. rewrite coalesce_idempotent by easy.
      f_equal.
    f_equal. f_equal. unfold coalesce. rewrite leaves_unwrapped. pose proof (merge_merged _ SY) as My.
    destruct (merge (leaves Y)) as [|a k]; [reflexivity|]. now rewrite merge_of_merged.
  - assert (List.filter good (layouts_of n m) = []) as E.
    { apply L; intros x y; [apply not_after_total; now rewrite !key_length|].
      intros z. apply not_after_transitive. now rewrite !key_length. }
    intros X S. destruct (good X) eqn:G; [|easy]. specialize (all X S G). now rewrite E in all.
Qed.

(* ---- A coarser spelling composes where a finer one does. ---- *)

Section Coarser.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).
Notation dmodes := (list (N * D)).
Definition blocks (l : modes) (bs : list dmodes) : Prop := Forall2 (fun m b => numel b = fst m) l bs.

Lemma refining_blocks (X : Layout.layout N) (R : layout) : compatible (shape X) (shape R) = true ->
  exists bs, blocks (leaves X) bs /\ concat bs = leaves R.
Proof.
  revert R. induction X as [s d|ms IH] using layout_induction; intros R C.
  - exists [leaves R]. cbn. rewrite app_nil_r. split; [|easy]. constructor; [|constructor]. rewrite <- size_product.
    apply N.eqb_eq in C. rewrite tsize_shape in C. now symmetry.
  - destruct R as [|rs]; [discriminate|]. apply refined_nodes in C. cbn [leaves].
    induction C as [|x r ms rs Cx _ IHC]; [exists []; split; [constructor|easy]|].
    apply Forall_cons_iff in IH as [Hx IH]. destruct (Hx r Cx) as (b & B & E), (IHC IH) as (bs & Bs & Es).
    exists (b ++ bs). cbn [flat_map]. split; [now apply Forall2_app|]. now rewrite concat_app, E, Es.
Qed.

Lemma merged_onto_blocks s d l b bs : numel b = s -> blocks l bs ->
  exists cs, blocks (merge_onto s d l) cs /\ concat cs = b ++ concat bs.
Proof.
  intros Z B. revert s d b Z. induction B as [|[t e] c l bs Zc B IH]; intros s d b Z.
  - exists [b]. split; [now repeat constructor|reflexivity].
  - cbn [merge_onto]. cbn in Zc. destruct (N.eqb_spec t 1) as [->|].
    + destruct (IH s d (b ++ c)) as (cs & C & E); [rewrite numel_app, Zc; lia|]. exists cs. split; [exact C|].
      cbn [concat]. now rewrite E, app_assoc.
    + destruct (same (s *: d) e).
      * destruct (IH (s * t) d (b ++ c)) as (cs & C & E); [rewrite numel_app; congruence|]. exists cs. split; [exact
        C|].
        cbn [concat]. now rewrite E, app_assoc.
      * destruct (IH t e c Zc) as (cs & C & E). exists (b :: cs). split; [now constructor|]. cbn [concat]. now rewrite
        E.
Qed.
Lemma merged_blocks l bs : blocks l bs -> merge l <> [] -> exists cs, blocks (merge l) cs /\ concat cs = concat bs.
Proof.
  induction 1 as [|[s d] b l bs Z B IH]; intros Ne; [easy|]. cbn [merge] in *. cbn in Z.
  destruct (N.eqb_spec s 1) as [->|].
  - destruct (IH Ne) as (cs & C & E). destruct C as [|m c k cs Zc C]; [easy|]. exists ((b ++ c) :: cs). split.
    + constructor; [rewrite numel_app, Z, Zc; lia|exact C].
    + cbn [concat] in *. now rewrite <- app_assoc, E.
  - destruct (merged_onto_blocks s d l b bs Z B) as (cs & C & E). exists cs. now split.
Qed.

Definition of_leaves (b : dmodes) : layout := Node (map (fun m => Leaf (fst m) (snd m)) b).
Lemma coarser (A : layout) (X : Layout.layout N) (R : layout) : shaped X = true -> is_composition A X R ->
  exists Q, is_composition A (coalesce X) Q.
Proof.
  intros SX (C & SR & V). destruct (coalesce_function X SX) as [ZX VX].
  pose proof (refined_size _ _ C) as ZR. destruct (refining_blocks X R C) as (bs & B & E).
  assert (K : exists Q : layout, leaves Q = leaves R /\ compatible (shape (coalesce X)) (shape Q) = true).
  { unfold coalesce in *. destruct (merge (leaves X)) as [|m l] eqn:M.
    - exists (of_leaves (leaves R)). split; [apply leaves_list|]. apply N.eqb_eq. rewrite tsize_shape, size_product.
      unfold of_leaves. cbn [leaves]. rewrite leaves_list, <- size_product. cbn in ZX. lia.
    - destruct (merged_blocks _ _ B) as (cs & Cs & Es); [now rewrite M|]. rewrite M in Cs. destruct l as [|k l].
      + exists (of_leaves (leaves R)). split; [apply leaves_list|]. destruct m as [s d]. cbn in ZX.
        change ((s =? tsize (shape (of_leaves (leaves R)))) = true). apply N.eqb_eq. rewrite tsize_shape, size_product.
        unfold of_leaves. cbn [leaves]. rewrite leaves_list, <- size_product. congruence.
      + exists (Node (map of_leaves cs)). split.
        * cbn [leaves]. rewrite flat_map_concat_map, map_map, <- E, <- Es. f_equal. rewrite <- (map_id cs) at 2.
          apply map_ext. intros b. apply leaves_list.
        * unfold unwrapped. destruct m as [s d]. apply faces_tuples. rewrite !map_map. revert Cs. clear.
          generalize ((s, d) :: k :: l) as ms. intros ms Cs.
          induction Cs as [|m b ms cs Z Cs IH]; [constructor|]. cbn [map]. constructor; [|exact IH].
          apply N.eqb_eq. rewrite tsize_shape, size_product. unfold of_leaves. cbn [leaves]. now rewrite leaves_list. }
  destruct K as (Q & L & CQ). exists Q. assert (SQ : shaped Q = true) by (unfold shaped; now rewrite L).
  split; [exact CQ|]. split; [exact SQ|]. intros i Hi. rewrite ZX in Hi.
  assert (size Q = size R) as ZQ by (rewrite !size_product; congruence).
  rewrite apply_inside, L, <- apply_inside by (rewrite ?ZQ, <- ?ZR; easy). now rewrite V, VX.
Qed.
End Coarser.

(* ---- solve_composition_right ---- *)

Lemma indices_bound (X : layout N) n s d : shaped X = true -> (forall i, i < size X -> apply X i < n) ->
  In (s, d) (leaves (coalesce X)) -> 1 < s -> d <= n.
Proof.
  intros S I K Hs. destruct (coalesce_function X S) as [Z V]. pose proof (shaped_coalesce X S) as SC.
  assert (J : forall v, In v (image (leaves (coalesce X))) -> v < n).
  { intros v Iv. rewrite image_leaves in Iv by easy. apply in_map_iff in Iv as (i & <- & Hi). rewrite in_iota in Hi.
    rewrite V by lia. apply I. lia. }
  apply N.lt_le_incl, J. revert K SC. unfold shaped. clear - Hs. induction (leaves (coalesce X)) as [|[t e] l IH];
    [easy|].
  intros K P. apply positive_cons in P as [Ht P]. rewrite image_cons by easy. apply in_flat_map. destruct K as [E|K].
  - injection E as -> ->. exists 0. split; [apply in_image; exists 0; split; [now apply numel_positive|symmetry; exact
    (value_in_0 l P)]|].
    apply in_map_iff. exists 1. rewrite in_iota. split; [cbn; lia|easy].
  - exists d. split; [now apply IH|]. apply in_map_iff. exists 0. rewrite in_iota. split; [cbn; lia|easy].
Qed.

Section Right.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* Whether X has as many elements as B, all indices of A, and A o X is B. *)
Definition answers_right (A B : layout) (X : Layout.layout N) : bool :=
  (size X =? size B) && forallb (fun i => apply X i <? size A) (iota (size X)) &&
  match composition A X with
  | Some R => forallb (fun i => same (apply R i) (apply B i)) (iota (size B))
  | None => false
  end.
Definition solve_composition_right (A B : layout) : option (Layout.layout N) :=
  smallest (size B) (size A) (answers_right A B).

Definition solves_right (A B : layout) (X : Layout.layout N) : Prop :=
  size X = size B /\ (forall i, i < size X -> apply X i < size A) /\
  exists R, composition A X = Some R /\ forall i, i < size B -> apply R i = apply B i.
Lemma answers_right_spec A B X : answers_right A B X = true <-> solves_right A B X.
Proof.
  unfold answers_right, solves_right. rewrite !andb_true_iff, N.eqb_eq, forallb_iota. setoid_rewrite N.ltb_lt.
  destruct (composition A X) as [R|].
  - rewrite forallb_iota. setoid_rewrite same_true. split.
    + intros [[Z I] V]. repeat split; eauto.
    + intros (Z & I & Q & E & V). injection E as <-. auto.
  - split; [intros [_ E]; discriminate|intros (_ & _ & Q & E & _); discriminate].
Qed.

Lemma solves_right_coalesced A B X : shaped A = true -> shaped X = true -> solves_right A B X ->
  solves_right A B (coalesce X).
Proof.
  intros SA SX (Z & I & R & E & V). destruct (coalesce_function X SX) as [ZX VX].
  split; [congruence|]. split; [intros i Hi; rewrite ZX in Hi; rewrite VX; auto|].
  apply composition_sound in E; [|easy]. destruct (coarser A X R SX E) as [Q EQ].
  destruct (proj2 (composition_defined A (coalesce X) SA (shaped_coalesce X SX)) (ex_intro _ Q EQ)) as [P EP].
  exists P. split; [exact EP|]. intros i Hi. rewrite (composition_pointwise _ _ _ _ EP) by lia. rewrite VX by lia.
  destruct E as (_ & _ & W). rewrite <- V, W by lia. reflexivity.
Qed.

Lemma solve_right_spec A B : shaped A = true -> shaped B = true ->
  match solve_composition_right A B with
  | None => forall X, shaped X = true -> ~ solves_right A B X
  | Some X => shaped X = true /\ coalesce X = X /\ solves_right A B X /\ forall Y, shaped Y = true -> solves_right A B
    Y ->
    not_after (key (size B) X) (key (size B) Y) = true
  end.
Proof.
  intros SA SB.
  pose proof (smallest_spec (size B) (size A) (answers_right A B) (size_positive B SB)) as K.
  unfold solve_composition_right. destruct (smallest _ _ _) as [X|].
  - destruct K as (S & C & G & L).
    + intros Y S. rewrite !answers_right_spec. now apply solves_right_coalesced.
    + intros Y S. rewrite answers_right_spec. intros (Z & I & _). split; [easy|]. intros s d. now apply indices_bound.
    + split; [easy|]. split; [easy|]. split; [now apply answers_right_spec|]. intros Y SY GY. apply L; [easy|].
      now apply answers_right_spec.
  - intros X S G. apply answers_right_spec in G. rewrite K in G; [discriminate| | |exact S].
    + intros Y SY. rewrite !answers_right_spec. now apply solves_right_coalesced.
    + intros Y SY. rewrite answers_right_spec. intros (Z & I & _). split; [easy|]. intros s d. now apply indices_bound.
Qed.

(* Where it answers, A(X(i)) = B(i), with X(i) an index of A and size(X) = size(B). *)
Theorem solve_composition_right_pointwise A B X i : shaped A = true -> shaped B = true ->
  solve_composition_right A B = Some X -> i < size B ->
  size X = size B /\ apply X i < size A /\ apply A (apply X i) = apply B i.
Proof.
  intros SA SB E Hi. pose proof (solve_right_spec A B SA SB) as K. rewrite E in K.
  destruct K as (_ & _ & (Z & I & R & ER & V) & _). split; [easy|]. split; [apply I; lia|].
  rewrite <- (composition_pointwise _ _ _ _ ER) by lia. now apply V.
Qed.

(* It answers exactly when a layout X of indices of A has A o X = B. *)
Theorem solve_composition_right_exists A B : shaped A = true -> shaped B = true ->
  (exists X, solve_composition_right A B = Some X) <-> exists X, shaped X = true /\ solves_right A B X.
Proof.
  intros SA SB. pose proof (solve_right_spec A B SA SB) as K. destruct (solve_composition_right A B) as [X|].
  - split; [|eauto]. intros _. exists X. tauto.
  - split; [intros [X E]; discriminate|]. intros (X & S & G). now apply K in G.
Qed.

(* Its modes are the fewest, and of as many the value at the first i where two differ is the least. *)
Theorem solve_composition_right_smallest A B X Y : shaped A = true -> shaped B = true -> shaped Y = true ->
  solve_composition_right A B = Some X -> answers_right A B Y = true ->
  not_after (key (size B) X) (key (size B) Y) = true.
Proof.
  intros SA SB SY E G. pose proof (solve_right_spec A B SA SB) as K. rewrite E in K. apply K; [easy|].
  now apply answers_right_spec.
Qed.
End Right.

(* For A that takes no value twice, solve_composition_right(A, n:1) is right_inverse(A), n its size. *)
Theorem solve_composition_right_inverse A : shaped A = true -> NoDup (image (leaves A)) ->
  solve_composition_right A (Leaf (size (contiguous_inverse A)) 1) = Some (contiguous_inverse A).
Proof.
  intros SA Nd. set (I := contiguous_inverse A) in *. set (B := Leaf (size I) 1).
  assert (P : positive (weights (contiguous 1 (weighted_sorted A))) = true).
  { rewrite positive_weights. apply (sublist_positive _ _ (contiguous_sublist 1 _)). now apply
    weighted_sorted_positive. }
  assert (SI : shaped I = true) by (unfold I, contiguous_inverse; rewrite shaped_unwrapped; now apply merge_spec).
  assert (CI : coalesce I = I).
  { unfold I, contiguous_inverse, coalesce. rewrite leaves_unwrapped. pose proof (merge_merged _ P) as M.
    destruct (merge _) as [|m l]; [reflexivity|]. now rewrite merge_of_merged. }
  pose proof (size_positive I SI) as PI. assert (SB : shaped B = true) by (now apply positive_cons).
  assert (V : forall i, i < size I -> apply A (apply I i) = i /\ apply I i < size A) by
    (intros i Hi; now apply contiguous_inverse_pointwise).
  assert (G : solves_right A B I).
  { split; [easy|]. split; [intros i Hi; now apply V|].
    destruct (proj2 (composition_defined A I SA SI)) as [R ER].
    - exists (colex (shape I) 1). split; [rewrite colex_shape; apply compatible_reflexive|].
      assert (T : tpositive (shape I) = true) by now rewrite tpositive_shape.
      split; [now rewrite <- tpositive_shape, colex_shape|]. intros i Hi.
      rewrite colex_identity by (rewrite ?tsize_shape; easy). symmetry. now apply V.
    - exists R. split; [exact ER|]. intros i Hi. rewrite (composition_pointwise _ _ _ _ ER) by easy.
      rewrite (proj1 (V i Hi)). cbn. lia. }
  destruct (proj2 (solve_composition_right_exists A B SA SB)) as [X E]; [exists I; now split|].
  pose proof (solve_right_spec A B SA SB) as K. rewrite E in K. destruct K as (SX & CX & (ZX & IX & _) & _).
  rewrite E. f_equal. rewrite <- CX, <- CI. apply coalesce_canonical; [easy|easy|]. split; [exact ZX|].
  intros i Hi. cbn in ZX. destruct (solve_composition_right_pointwise A B X i SA SB E ltac:(cbn; lia)) as (_ & L & W).
  destruct (V i ltac:(lia)) as [V1 V2]. cbn in W. rewrite N.mul_1_r in W. rewrite !apply_inside in W, V1 by easy.
  apply (nodup_image (leaves A)); rewrite <- ?size_product; congruence.
Qed.

(* ---- solve_logical_divide ---- *)

Section Divided.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Definition same_layouts (R B : layout) : bool :=
  (size R =? size B) && forallb (fun i => same (apply R i) (apply B i)) (iota (size B)).
(* Whether X, coalesced, has as many elements as the tile t, all indices of A, and A divided by X is (t, r) mode by
  mode. *)
Definition coalesced (X : Layout.layout N) : bool :=
  match merge (leaves X) with
  | [] => match X with Leaf 1 0 => true | _ => false end
  | l => match X with
         | Leaf s d => (1 <? s)
         | Node ms => (1 <? length ms)%nat && forallb (fun m => match m with Leaf _ _ => true | _ => false end) ms &&
                      merged (leaves X)
         end
  end.
Definition answers_divide (A t r : layout) (X : Layout.layout N) : bool :=
  coalesced X && (size X =? size t) && forallb (fun i => apply X i <? size A) (iota (size X)) &&
  match logical_divide A X with
  | Some (Node [u; v]) => same_layouts u t && same_layouts v r
  | _ => false
  end.
Definition solve_logical_divide (A B : layout) : option (Layout.layout N) :=
  match B with
  | Node [t; r] => smallest (size t) (size A) (answers_divide A t r)
  | _ => None
  end.

Lemma coalesced_spec X : shaped X = true -> coalesced X = true <-> coalesce X = X.
Proof.
  intros S. unfold coalesced, coalesce. split.
  - destruct (merge (leaves X)) as [|m l] eqn:M.
    + destruct X as [[|[| |]] [|d]|]; try discriminate. reflexivity.
    + destruct X as [s d|ms].
      * intros L. apply N.ltb_lt in L. cbn [leaves merge] in M. rewrite (proj2 (N.eqb_neq s 1)) in M by lia.
        cbn [merge_onto] in M. injection M as <- <-. reflexivity.
      * rewrite !andb_true_iff, Nat.ltb_lt. intros [[L F] G]. rewrite <- M, merge_of_merged by exact G.
        assert (E : map (fun m => Leaf (fst m) (snd m)) (leaves (Node ms)) = ms).
        { cbn [leaves]. clear - F. induction ms as [|[s d|] ms IH]; [easy| |discriminate]. cbn in *. now rewrite IH. }
        unfold unwrapped. destruct (leaves (Node ms)) as [|a [|b k]] eqn:Q; [|destruct a|].
        -- cbn in E. subst ms. cbn in L. lia.
        -- cbn in E. subst ms. cbn in L. lia.
        -- destruct a. now rewrite E.
  - intros E. rewrite <- E at 1. pose proof (merge_merged _ S) as M. destruct (merge (leaves X)) as [|a l] eqn:Q.
    { now rewrite <- E. }
    assert (L : leaves X = a :: l) by (rewrite <- E, leaves_unwrapped; reflexivity).
    assert (W : leaves (unwrapped (a :: l)) = a :: l) by now rewrite leaves_unwrapped.
    rewrite W, merge_of_merged by exact M. destruct a as [s d]. destruct l as [|b l].
    + cbn [unwrapped]. cbn in E. subst X. apply merged_cons in M as [M _]. now apply N.ltb_lt.
    + cbn [unwrapped] in E |- *. subst X. rewrite !andb_true_iff. split; [split; [easy|]|].
      * apply forallb_forall. intros x I. apply in_map_iff in I as (y & <- & _). reflexivity.
      * now rewrite L.
Qed.

Definition solves_divide (A t r : layout) (X : Layout.layout N) : Prop :=
  coalesce X = X /\ size X = size t /\ (forall i, i < size X -> apply X i < size A) /\ exists u v,
  logical_divide A X = Some (Node [u; v]) /\ same_layouts u t = true /\ same_layouts v r = true.
Lemma answers_divide_spec A t r X : shaped X = true -> answers_divide A t r X = true <-> solves_divide A t r X.
Proof.
  intros S. unfold answers_divide, solves_divide. rewrite !andb_true_iff, N.eqb_eq, forallb_iota, coalesced_spec by
    easy.
  setoid_rewrite N.ltb_lt. split.
  - intros [[[C Z] I] E]. destruct (logical_divide A X) as [[|[|u [|v [|]]]]|]; try discriminate.
    apply andb_true_iff in E as [E F]. repeat split; eauto 6.
  - intros (C & Z & I & u & v & -> & E & F). rewrite E, F. auto.
Qed.
Lemma solve_divide_spec A t r : 0 < size t ->
  match solve_logical_divide A (Node [t; r]) with
  | None => forall X, shaped X = true -> ~ solves_divide A t r X
  | Some X => shaped X = true /\ solves_divide A t r X /\ forall Y, shaped Y = true -> solves_divide A t r Y ->
    not_after (key (size t) X) (key (size t) Y) = true
  end.
Proof.
  intros P. pose proof (smallest_spec (size t) (size A) (answers_divide A t r) P) as K. cbn [solve_logical_divide].
  assert (K1 : forall X, shaped X = true -> answers_divide A t r X = true -> answers_divide A t r (coalesce X) = true).
  { intros X S G. pose proof (proj1 (answers_divide_spec A t r X S) G) as (C & _). now rewrite C. }
  assert (K2 : forall X, shaped X = true -> answers_divide A t r X = true -> size X = size t /\ forall s d,
    In (s, d) (leaves (coalesce X)) -> 1 < s -> d <= size A).
  { intros X S G. apply answers_divide_spec in G as (_ & Z & I & _); [|easy]. split; [easy|]. intros s d.
    now apply indices_bound. }
  specialize (K K1 K2). destruct (smallest _ _ _) as [X|].
  - destruct K as (S & C & G & L). split; [easy|]. split; [now apply answers_divide_spec|]. intros Y SY GY.
    apply L; [easy|]. now apply answers_divide_spec.
  - intros X S G. apply answers_divide_spec in G; [|easy]. now rewrite K in G.
Qed.

(* Where it answers, logical_divide(A, X) is B, mode by mode as functions. *)
Theorem solve_logical_divide_divides A t r X : 0 < size t -> solve_logical_divide A (Node [t; r]) = Some X ->
  exists u v, logical_divide A X = Some (Node [u; v]) /\ same_layouts u t = true /\ same_layouts v r = true.
Proof. intros P E. pose proof (solve_divide_spec A t r P) as K. rewrite E in K. now destruct K as (_ & (_ & _ & _ & K)
  & _). Qed.

(* It answers exactly when a coalesced layout X of indices of A divides A so. *)
Theorem solve_logical_divide_exists A t r : 0 < size t ->
  (exists X, solve_logical_divide A (Node [t; r]) = Some X) <-> exists X, shaped X = true /\ solves_divide A t r X.
Proof.
  intros P. pose proof (solve_divide_spec A t r P) as K. destruct (solve_logical_divide A (Node [t; r])) as [X|].
  - split; [|eauto]. intros _. exists X. tauto.
  - split; [intros [X E]; discriminate|]. intros (X & S & G). now apply K in G.
Qed.

(* Its modes are the fewest, and of as many the value at the first i where two differ is the least. *)
Theorem solve_logical_divide_smallest A t r X Y : 0 < size t -> shaped Y = true ->
  solve_logical_divide A (Node [t; r]) = Some X -> answers_divide A t r Y = true ->
  not_after (key (size t) X) (key (size t) Y) = true.
Proof.
  intros P SY E G. pose proof (solve_divide_spec A t r P) as K. rewrite E in K. apply K; [easy|].
  now apply answers_divide_spec.
Qed.
End Divided.

(* ---- right_inverse, for strides of any sign ---- *)

(* A with natural strides, where it has. *)
Fixpoint to_natural (A : layout Z) : option (layout N) :=
  match A with
  | Leaf s d => if (d <? 0)%Z then None else Some (Leaf s (Z.to_N d))
  | Node ms => option_map Node (sequence (map to_natural ms))
  end.
Definition inverts (A : layout Z) (n : N) (X : layout N) : bool :=
  (size X =? n) && forallb (fun i => (apply X i <? size A) && (apply A (apply X i) =? Z.of_N i)%Z) (iota n).
(* The smallest of those with the most elements, n or fewer, that are good. *)
Fixpoint most (m : N) (good : N -> layout N -> bool) (n : nat) : layout N :=
  match n with
  | O => Leaf 1 0
  | S k => match smallest (N.of_nat n) m (good (N.of_nat n)) with Some X => X | None => most m good k end
  end.
Definition most_inverting (A : layout Z) : nat -> layout N := most (size A) (inverts A).
(* CuTe's right inverse where no two leaves before the first gap overlap, else the largest of all layouts. *)
Definition right_inverse (A : layout Z) : layout N :=
  match to_natural A with
  | Some B => if single_valued B then contiguous_inverse B else most_inverting A (N.to_nat (size A))
  | None => most_inverting A (N.to_nat (size A))
  end.

Lemma natural_spec A B : to_natural A = Some B -> shape B = shape A /\ forall i, apply A i = Z.of_N (apply B i).
Proof.
  revert B. induction A as [s d|ms IH] using layout_induction; intros B E; cbn [to_natural] in E.
  - destruct (Z.ltb_spec d 0); [discriminate|]. injection E as <-. split; [easy|]. intros i. cbn. lia.
  - destruct (sequence _) as [bs|] eqn:Q; [|discriminate]. injection E as <-. apply sequence_some in Q.
    assert (map shape bs = map shape ms /\ forall i, apply (Node ms) i = Z.of_N (apply (Node bs) i)) as [Sh V];
      [|split; [cbn; now f_equal|exact V]].
    revert bs Q. induction IH as [|m ms Hm _ IH]; intros [|b bs] Q; try discriminate; [easy|].
    cbn [map] in Q. injection Q as Qb Q. destruct (Hm b Qb) as [Sb Vb], (IH bs Q) as [Sm Vm]. cbn [map].
    split; [congruence|]. intros i. destruct ms as [|n ms], bs as [|c bs]; try discriminate; [apply Vb|].
    rewrite !apply_cons, Vb, Vm, <- !(tsize_shape m), <- Sb, tsize_shape. cbn. lia.
Qed.

Lemma inverts_spec A n X : inverts A n X = true <->
  size X = n /\ forall i, i < n -> apply X i < size A /\ apply A (apply X i) = Z.of_N i.
Proof.
  unfold inverts. rewrite andb_true_iff, N.eqb_eq, forallb_iota. setoid_rewrite andb_true_iff. setoid_rewrite N.ltb_lt.
  setoid_rewrite Z.eqb_eq. easy.
Qed.
Lemma inverts_coalesced A n X : shaped X = true -> inverts A n X = true -> inverts A n (coalesce X) = true.
Proof.
  intros S. rewrite !inverts_spec. destruct (coalesce_function X S) as [Z V]. intros [E W]. split; [congruence|].
  intros i Hi. rewrite V by lia. auto.
Qed.
Lemma most_spec m good n : good 1 (Leaf 1 0) = true -> (forall k X, shaped X = true -> good k X = true ->
  good k (coalesce X) = true /\ size X = k /\ forall s d, In (s, d) (leaves (coalesce X)) -> 1 < s -> d <= m) ->
  let R := most m good n in shaped R = true /\ good (size R) R = true /\
  forall X k, shaped X = true -> good k X = true -> k <= N.of_nat n -> k <= size R.
Proof.
  intros One G. induction n as [|n IH]; cbn zeta; cbn [most].
  - split; [easy|]. split; [exact One|]. intros X k _ _ L. cbn in *. lia.
  - pose proof (smallest_spec (N.of_nat (S n)) m (good (N.of_nat (S n))) ltac:(lia)) as K.
    specialize (K (fun X S E => proj1 (G _ X S E)) (fun X S E => proj2 (G _ X S E))).
    destruct (smallest _ _ _) as [X|].
    + destruct K as (SX & _ & E & _). destruct (G _ X SX E) as (_ & Z & _).
      split; [easy|]. split; [now rewrite Z|]. intros Y k _ _ L. lia.
    + destruct IH as (S1 & S2 & S3). split; [easy|]. split; [easy|]. intros X k SX E L.
      destruct (N.eq_dec k (N.of_nat (S n))) as [->|]; [rewrite K in E; [discriminate|easy]|]. apply (S3 X k);
        [easy..|lia].
Qed.
Lemma inverts_one A : shaped A = true -> inverts A 1 (Leaf 1 0) = true.
Proof.
  intros SA. apply inverts_spec. split; [easy|]. intros i Hi. replace i with 0 by lia. cbn.
  pose proof (size_positive A SA). split; [lia|]. exact (apply_0 A SA).
Qed.
Lemma inverts_good A k X : shaped X = true -> inverts A k X = true -> inverts A k (coalesce X) = true /\ size X = k /\
  forall s d, In (s, d) (leaves (coalesce X)) -> 1 < s -> d <= size A.
Proof.
  intros S E. split; [now apply inverts_coalesced|]. apply inverts_spec in E as [Z V]. split; [exact Z|]. intros s d.
  apply indices_bound; [exact S|]. intros i Hi. apply V. lia.
Qed.
Lemma most_inverting_spec A n : shaped A = true -> shaped (most_inverting A n) = true /\
  inverts A (size (most_inverting A n)) (most_inverting A n) = true /\
  forall X k, shaped X = true -> inverts A k X = true -> k <= N.of_nat n -> k <= size (most_inverting A n).
Proof. intros SA. apply most_spec; [now apply inverts_one|apply inverts_good]. Qed.
Lemma inverting_size A n (r : N -> N) : (forall i, i < n -> r i < size A /\ apply A (r i) = Z.of_N i) -> n <= size A.
Proof.
  intros V. assert (Nd : NoDup (map r (iota n))).
  { apply nodup_map_in; [|apply nodup_iota]. intros i j Hi Hj E. rewrite in_iota in *.
    destruct (V i Hi) as [_ Vi], (V j Hj) as [_ Vj]. rewrite E in Vi. lia. }
  apply NoDup_incl_length with (l' := iota (size A)) in Nd.
  - rewrite map_length, !length_iota in Nd. lia.
  - intros x I. apply in_map_iff in I as (i & <- & Hi). rewrite in_iota in *. now apply V.
Qed.

(* Every answer inverts from the right: A(R(i)) = i, and R(i) is an index of A. *)
Theorem right_inverse_pointwise A i : shaped A = true -> i < size (right_inverse A) ->
  apply A (apply (right_inverse A) i) = Z.of_N i /\ apply (right_inverse A) i < size A.
Proof.
  intros S. destruct (most_inverting_spec A (N.to_nat (size A)) S) as (_ & G & _). apply inverts_spec in G as [_ G].
  unfold right_inverse. destruct (to_natural A) as [B|] eqn:E; [|intros Hi; split; now apply G].
  destruct (single_valued B); [|intros Hi; split; now apply G]. intros Hi. destruct (natural_spec A B E) as [Sh V].
  destruct (contiguous_inverse_pointwise B i) as [P Q]; [now rewrite <- tpositive_shape, Sh, tpositive_shape|easy|].
  rewrite V, P. split; [easy|]. now rewrite <- (tsize_shape A), <- Sh, tsize_shape.
Qed.

(* It is the largest: no layout R, of any size, inverts more. *)
Theorem right_inverse_maximal A R : shaped A = true -> shaped R = true -> inverts A (size R) R = true ->
  size R <= size (right_inverse A).
Proof.
  intros S SR G. pose proof (proj1 (inverts_spec _ _ _) G) as [_ W]. pose proof (inverting_size A _ _ W) as L.
  destruct (most_inverting_spec A (N.to_nat (size A)) S) as (_ & _ & M).
  assert (Big : size R <= size (most_inverting A (N.to_nat (size A)))) by (apply (M R); [easy|easy|lia]).
  unfold right_inverse. destruct (to_natural A) as [B|] eqn:E; [|exact Big]. destruct (single_valued B) eqn:Sv;
    [|exact Big].
  destruct (natural_spec A B E) as [Sh V].
  apply (contiguous_inverse_maximal B (size R) (apply R)); [now rewrite <- tpositive_shape, Sh, tpositive_shape|exact
    Sv|].
  intros i Hi. destruct (W i Hi) as [W1 W2]. rewrite V in W2. split; [|lia].
  now rewrite <- (tsize_shape B), Sh, tsize_shape.
Qed.

Lemma nested_before_gap n l : nested (strides l) = true -> nested (strides (before_gap n l)) = true.
Proof.
  revert n. induction l as [|[s [d w]] l IH]; intros n N_; [easy|]. cbn [before_gap]. destruct (n <? d); [easy|].
  destruct l as [|[t [e v]] l]; [easy|]. cbn [strides map fst snd nested] in N_. apply andb_true_iff in N_ as [L N_].
  specialize (IH (n + (s - 1) * d) N_). cbn [before_gap] in *. destruct (_ <? e); [easy|].
  cbn [strides map fst snd nested] in *. now rewrite L.
Qed.

(* For compact A the right inverse has the size of A and inverts from the left, too. *)
Theorem right_inverse_compact A B i : shaped A = true -> to_natural A = Some B -> compact_layout B -> i < size A ->
  size (right_inverse A) = size A /\ apply (right_inverse A) (apply B i) = i.
Proof.
  intros S E C Hi. destruct (natural_spec A B E) as [Sh _].
  assert (SB : shaped B = true) by now rewrite <- tpositive_shape, Sh, tpositive_shape.
  assert (Z : size B = size A) by now rewrite <- tsize_shape, Sh, tsize_shape.
  unfold right_inverse. rewrite E. assert (single_valued B = true) as ->.
  { apply nested_before_gap. rewrite strides_sorted. apply (tight_nested 1). now apply compact_sorted. }
  rewrite <- Z in *. now apply contiguous_inverse_compact.
Qed.
