(* composition: the layout R compatible with B with R(c) = A(B(c)), or the knowledge that there is none. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Coalesce.
Local Open Scope N_scope.

Section Composition.
Context {D : Type} `{module D}.
Notation layout := (layout D).
Notation modes := (list (N * D)).

Definition ceil_to (n d : N) : N := ceil d n.

(* A with its modes merged, but the same function beyond its size: the last leaf keeps its stride. *)
Definition with_last (s : N) (l : modes) : modes :=
  match rev l with
  | [] => []
  | (_, d) :: r => rev r ++ [(s, d)]
  end.
Definition merged_beyond (A : layout) : modes :=
  match leaves A with
  | [] => [(1, zero)]
  | l => match rev (merge (with_last 2 l)) with
         | [] => []
         | (s, d) :: r => rev r ++ [(s / 2 * fst (last l (1, zero)), d)]
         end
  end.

(* How CuTe spells the stride of an extent-1 leaf 1:d of B. *)
Definition unit_stride (A : layout) (d : N) : D :=
  let m := merged_beyond A in
  fold_left (fun d s => ceil d s) (map fst (removelast m)) d *: snd (last m (1, zero)).

(* Replaces each leaf of B by f(leaf). *)
Fixpoint replace_leaves {E} (f : N -> E -> option layout) (B : Layout.layout E) : option layout :=
  match B with
  | Leaf s d => f s d
  | Node ms => option_map Node (sequence (map (replace_leaves f) ms))
  end.

(* What the leaf s:d of B becomes: extent and stride 0 stay, else the layout of the table of A(x d), x < s. *)
Definition compose_leaf (A : layout) (s d : N) : option layout :=
  if d =? 0 then Some (Leaf s zero)
  else if s =? 1 then Some (Leaf 1 (unit_stride A d))
  else option_map unwrapped (table (fun x => apply A (x * d)) s).

(* A o B: leaf by leaf, and then every value is compared. *)
Definition composition (A : layout) (B : Layout.layout N) : option layout :=
  R <- replace_leaves (compose_leaf A) B;
  if forallb (fun i => same (apply R i) (apply A (apply B i))) (iota (size B)) then Some R else None.

Definition is_composition (A : layout) (B : Layout.layout N) (R : layout) : Prop :=
  compatible (shape B) (shape R) = true /\ shaped R = true /\ forall i, i < size B -> apply R i = apply A (apply B i).

Lemma replace_node {E} (f : N -> E -> option layout) bs R : replace_leaves f (Node bs) = Some R <->
  exists rs, R = Node rs /\ Forall2 (fun b r => replace_leaves f b = Some r) bs rs.
Proof.
  simpl. split.
  - destruct (sequence _) as [rs|] eqn:S; simpl; intros K; [|discriminate]. injection K as <-. exists rs.
    split; [easy|].
    apply sequence_some in S. revert rs S. induction bs as [|b bs IH]; intros [|r rs] S; try discriminate; constructor.
    + now injection S.
    + apply IH. now injection S.
  - intros (rs & -> & F). assert (sequence (map (replace_leaves f) bs) = Some rs) as ->; [|easy].
    apply sequence_some. induction F; simpl; congruence.
Qed.

Lemma run_positive (f : N -> D) d w n k fuel : 0 < k -> 0 < run f d w n k fuel.
Proof. revert k. induction fuel as [|fuel IH]; intros k Hk; simpl; [easy|]. destruct (_ && _); [apply IH; lia|easy].
Qed.

Lemma table_size (f : N -> D) n l : 0 < n -> table f n = Some l -> numel l = n /\ positive l = true.
Proof.
  unfold table. generalize 1 at 1 as w. generalize (N.to_nat n) as fuel. intros fuel. revert n l.
  induction fuel as [|fuel IH]; intros n l w Hn; cbn [layout_of_table].
  - destruct (N.leb_spec n 1); [|discriminate]. intros E. injection E as <-. split; [simpl; lia|easy].
  - destruct (N.leb_spec n 1); [intros E; injection E as <-; split; [simpl; lia|easy]|].
    pose proof (run_positive f (f w) w n 1 (N.to_nat n) ltac:(lia)) as Hr. set (r := run _ _ _ _ _ _) in *. clearbody r.
    destruct (N.eqb_spec (n mod r) 0) as [Z|]; [|discriminate].
    destruct (layout_of_table f (w * r) (n / r) fuel) eqn:E; [|discriminate].
    intros K. injection K as <-. apply mod_0_divides in Z; [|easy]. destruct Z as [q ->]. rewrite N.div_mul in E by lia.
    apply IH in E as [E P]; [|lia]. simpl. split; [rewrite E; lia|now apply positive_cons].
Qed.

Lemma compose_leaf_size A s d r : 0 < s -> compose_leaf A s d = Some r -> size r = s /\ shaped r = true.
Proof.
  intros Hs. unfold compose_leaf. destruct (d =? 0); [|destruct (N.eqb_spec s 1) as [->|]].
  - intros E. injection E as <-. split; [easy|]. now apply positive_cons.
  - now intros E; injection E as <-.
  - destruct (table _ s) as [l|] eqn:E; [|discriminate]. intros K. injection K as <-.
    rewrite size_unwrapped, shaped_unwrapped. now apply table_size in E.
Qed.

Lemma replaced_compatible A B R : shaped B = true ->
  replace_leaves (compose_leaf A) B = Some R -> compatible (shape B) (shape R) = true /\ shaped R = true.
Proof.
  revert R. induction B as [s d|bs IH] using layout_induction; intros R S E.
  - apply positive_cons in S as [Hs _]. simpl in E. apply compose_leaf_size in E as [E P]; [|easy].
    split; [|easy]. apply N.eqb_eq. now rewrite tsize_shape.
  - apply replace_node in E as (rs & -> & F). rewrite shaped_node in S. rewrite shaped_node. unfold compatible.
    simpl shape. rewrite faces_tuples.
    induction F; [repeat constructor|]. inversion_clear IH as [|? ? Hx IHl]. inversion_clear S as [|? ? Sx Sl].
    destruct (Hx _ Sx H0), (IHF IHl Sl). simpl. split; constructor; auto.
Qed.

(* composition refines B: shape(B) is compatible with the shape of the answer. *)
Theorem composition_compatible A B R : shaped B = true -> composition A B = Some R ->
  compatible (shape B) (shape R) = true.
Proof.
  intros S. unfold composition, bind. destruct (replace_leaves _ B) eqn:E; [|discriminate].
  destruct (forallb _ _); [|discriminate]. intros K. injection K as <-. now apply replaced_compatible in E.
Qed.

Lemma composition_sound A B R : shaped B = true -> composition A B = Some R -> is_composition A B R.
Proof.
  intros S K. split; [now apply composition_compatible in K|]. revert K. unfold composition, bind.
  destruct (replace_leaves _ B) eqn:E; [|discriminate]. destruct (forallb _ _) eqn:F; [|discriminate].
  intros K. injection K as <-. split; [now apply replaced_compatible in E|].
  intros i Hi. apply same_true. now apply (proj1 (forallb_iota _ _) F).
Qed.

(* composition(A, B)(i) = A(B(i)) at every index of B. *)
Theorem composition_pointwise A B R i : composition A B = Some R -> i < size B -> apply R i = apply A (apply B i).
Proof.
  unfold composition, bind. destruct (replace_leaves _ B) eqn:E; [|discriminate].
  destruct (forallb _ _) eqn:F; [|discriminate]. intros K Hi. injection K as <-.
  apply same_true. now apply (proj1 (forallb_iota _ _) F).
Qed.

(* Where B leaves A, A goes on along its last leaf. *)
Theorem composition_beyond_domain A B R i : shaped A = true -> composition A B = Some R -> i < size B ->
  apply R i = if ends A then value_at (leaves A) (apply B i) else value_in (leaves A) (apply B i).
Proof. intros S E Hi. now rewrite (composition_pointwise A B R i), apply_beyond_domain. Qed.

(* Completeness. What B does to each of its leaves alone determines a layout that is A o B. *)
Lemma apply_0 (A : layout) : shaped A = true -> apply A 0 = zero.
Proof. intros S. rewrite apply_inside by (try apply size_positive; easy). now apply value_in_0. Qed.

Lemma apply_head m ms i : shaped m = true -> Forall (fun m => shaped m = true) ms -> i < size m ->
  apply (Node (m :: ms)) i = apply m i.
Proof.
  intros S Ss Hi. destruct ms as [|n ms]; [reflexivity|]. pose proof (size_positive m S).
  rewrite apply_cons, N.mod_small, N.div_small, apply_0 by (easy || now apply shaped_node). apply plus_zero_r.
Qed.

Lemma apply_tail m ms i : shaped m = true -> Forall (fun m => shaped m = true) ms -> ms <> [] ->
  apply (Node (m :: ms)) (size m * i) = apply (Node ms) i.
Proof.
  intros S Ss Hms. destruct ms as [|n ms]; [easy|]. pose proof (size_positive m S).
  rewrite apply_cons. replace (size m * i) with (0 + size m * i) by lia.
  rewrite digit_mod, digit_div, apply_0, plus_zero by (easy || lia). reflexivity.
Qed.
End Composition.

Section Completeness.
Context {D : Type} `{module D}.
Notation layout := (layout D).

Lemma refined_nodes (bs : list (Layout.layout N)) (rs : list layout) :
  compatible (shape (Node bs)) (shape (Node rs)) = true ->
  Forall2 (fun b r => compatible (shape b) (shape r) = true) bs rs.
Proof.
  intros C. apply faces_tuples in C. revert rs C.
  induction bs as [|b bs IH]; intros [|r rs] C; inversion_clear C; constructor; auto.
Qed.

Lemma refined_size (b : Layout.layout N) (r : layout) : compatible (shape b) (shape r) = true -> size b = size r.
Proof. intros C. apply compatible_size in C. now rewrite !tsize_shape in C. Qed.

(* The pieces found are the same function as R, when R is A o B. *)
Lemma replaced_complete (A : layout) B (R : layout) : shaped A = true -> shaped B = true -> is_composition A B R ->
  exists R', replace_leaves (compose_leaf A) B = Some R' /\ forall i, i < size B -> apply R' i = apply R i.
Proof.
  intros SA. revert R. induction B as [s d|bs IH] using layout_induction; intros R SB (C & SR & V).
  - apply positive_cons in SB as [Hs _]. pose proof (refined_size _ _ C) as Z. simpl in Z, V. simpl replace_leaves.
    unfold compose_leaf. destruct (N.eqb_spec d 0) as [->|].
    { eexists. split; [reflexivity|]. intros i Hi. simpl in *. rewrite V by easy. rewrite times_zero, N.mul_0_r.
      symmetry. now apply apply_0. }
    destruct (N.eqb_spec s 1) as [->|].
    { eexists. split; [reflexivity|]. intros i Hi. simpl in *. replace i with 0
        by lia. rewrite times_0. symmetry. now apply apply_0. }
    rewrite Z, size_product, (table_complete _ (leaves R)); [|exact SR|].
    + eexists. split; [reflexivity|]. intros i Hi. destruct (merge_spec (leaves R) SR) as (E & P & W). simpl in Hi.
      now rewrite apply_unwrapped, W, apply_inside by (rewrite ?size_product; easy || lia).
    + intros i Hi. rewrite <- size_product in Hi. rewrite <- apply_inside by easy. symmetry. apply V. lia.
  - destruct R as [s d|rs]; [discriminate|]. apply refined_nodes in C. rewrite shaped_node in SB.
    rewrite shaped_node in SR.
    enough (exists R', Forall2 (fun b r => replace_leaves (compose_leaf A) b = Some r) bs R' /\
      forall i, i < size (Node bs) -> apply (Node R') i = apply (Node rs) i) as (R' & F & W).
    { exists (Node R'). split; [|easy]. apply replace_node. eauto. }
    revert V. induction C as [|b r bs rs C Cs IHC]; intros V; [exists []; split; [constructor|reflexivity]|].
    apply Forall_cons_iff in IH as [Hb IH], SB as [Sb SB], SR as [Sr SR].
    pose proof (refined_size _ _ C) as Zb. pose proof (size_positive b Sb) as Pb.
    assert (0 < size (Node bs)) as Pbs by now apply size_positive, shaped_node.
    change (size (Node (b :: bs))) with (size b * size (Node bs)) in *.
    destruct (Hb r Sb) as (r' & E & W).
    { repeat split; [easy..|]. intros i Hi. rewrite <- (apply_head r rs) by (easy || lia).
      rewrite V, apply_head by (easy || nia). reflexivity. }
    destruct IHC as (rs' & F & W'); [easy..| |].
    { intros i Hi. destruct bs as [|b' bs]; [inversion Cs; subst; simpl; symmetry; now apply apply_0|].
      rewrite <- (apply_tail r) by (easy || now inversion Cs). rewrite <- Zb, V by nia. now rewrite apply_tail. }
    exists (r' :: rs'). split; [now constructor|].
    destruct (replaced_compatible A b r' Sb E) as [Cr' Sr']. pose proof (refined_size _ _ Cr') as Zr'.
    intros i Hi. destruct bs as [|b' bs].
    + inversion Cs; subst. inversion F; subst. simpl in *. apply W. lia.
    + inversion Cs as [|? r2 ? rs2]; subst. inversion F as [|? r2' ? rs2']; subst. rewrite !apply_cons, <- Zr', <- Zb.
      rewrite W by (apply N.mod_lt; lia). f_equal. apply W'. now apply div_below.
Qed.

Lemma composition_defined (A : layout) B : shaped A = true -> shaped B = true ->
  (exists R, composition A B = Some R) <-> exists R, is_composition A B R.
Proof.
  intros SA SB. split; intros [R E]; [exists R; now apply composition_sound|].
  destruct (replaced_complete A B R SA SB E) as (R' & E' & W). exists R'. unfold composition. rewrite E'. simpl.
  assert (forallb (fun i => same (apply R' i) (apply A (apply B i))) (iota (size B)) = true) as ->; [|easy].
  apply forallb_iota. intros i Hi. apply same_true. destruct E as (_ & _ & V). now rewrite W, V.
Qed.

(* size(A):1 from the right changes nothing: the answer is defined and is A. *)
Theorem composition_right_identity (A : layout) : shaped A = true ->
  exists R, composition A (Leaf (size A) 1) = Some R /\ forall i, i < size A -> apply R i = apply A i.
Proof.
  intros S. pose proof (size_positive A S) as P.
  destruct (proj2 (composition_defined A (Leaf (size A) 1) S ltac:(now apply positive_cons))) as [R E].
  - exists A. repeat split; [|easy|].
    + apply N.eqb_eq. now rewrite tsize_shape.
    + intros. simpl. now rewrite N.mul_1_r.
  - exists R. split; [easy|]. intros i Hi. rewrite (composition_pointwise _ _ _ _ E) by easy. simpl.
    now rewrite N.mul_1_r.
Qed.

(* Composition is associative as functions, for C inside B, where all that it names is defined. *)
Theorem composition_associative (A : layout) B C AB BC L R i :
  composition A B = Some AB -> composition B C = Some BC -> composition AB C = Some L -> composition A BC = Some R ->
  shaped C = true -> (forall j, j < size C -> apply C j < size B) -> i < size C -> apply L i = apply R i.
Proof.
  intros EAB EBC EL ER S inB Hi. pose proof (compatible_size _ _ (composition_compatible _ _ _ S EBC)) as Z.
  rewrite !tsize_shape in Z.
  rewrite (composition_pointwise _ _ _ _ EL), (composition_pointwise _ _ _ _ EAB) by auto.
  now rewrite (composition_pointwise _ _ _ _ ER), (composition_pointwise _ _ _ _ EBC) by congruence.
Qed.

(* Where A o B is defined it distributes: mode k of it is A o B_k. *)
Theorem composition_distributes (A : layout) b bs R : shaped A = true -> shaped (Node (b :: bs)) = true ->
  composition A (Node (b :: bs)) = Some R ->
  exists r rs, R = Node (r :: rs) /\ composition A b = Some r /\ composition A (Node bs) = Some (Node rs).
Proof.
  intros SA S E. destruct (composition_sound _ _ _ S E) as (C & SR & V). rewrite shaped_node in S.
  unfold composition, bind in E. destruct (replace_leaves (compose_leaf A) (Node (b :: bs))) eqn:ER; [|discriminate].
  destruct (forallb _ _); [|discriminate]. injection E as ->. apply replace_node in ER as (rs & -> & F).
  inversion F as [|? r ? rs' Er Ers]; subst. exists r, rs'. split; [easy|]. rewrite shaped_node in SR.
  inversion_clear S as [|? ? Sb Sbs]. inversion_clear SR as [|? ? Sr Srs].
  pose proof (refined_nodes _ _ C) as C'. inversion_clear C' as [|? ? ? ? Cr Crs].
  pose proof (refined_size _ _ Cr) as Z.
  assert (0 < size (Node bs)) as Pbs by now apply size_positive, shaped_node. pose proof (size_positive b Sb) as Pb.
  change (size (Node (b :: bs))) with (size b * size (Node bs)) in V. unfold composition. split.
  - rewrite Er. simpl. assert (forallb (fun i => same (apply r i) (apply A (apply b i))) (iota (size b)) = true) as ->;
      [|easy].
    apply forallb_iota. intros i Hi. apply same_true. rewrite <- (apply_head r rs') by (easy || lia).
    rewrite V by nia. now rewrite apply_head.
  - assert (replace_leaves (compose_leaf A) (Node bs) = Some (Node rs')) as -> by (apply replace_node; eauto).
    unfold bind.
    assert (forallb (fun i => same (apply (Node rs') i) (apply A (apply (Node bs) i))) (iota (size (Node bs))) =
      true) as ->; [|easy].
    apply forallb_iota. intros i Hi. apply same_true. destruct bs as [|b' bs].
    + inversion Crs; subst. simpl. symmetry. now apply apply_0.
    + rewrite <- (apply_tail r) by (easy || now inversion Crs). rewrite <- Z, V by nia. now rewrite apply_tail.
Qed.

(* Both undefined, or both defined and the same function below n. *)
Definition same_answers (n : N) (x y : option layout) : Prop :=
  match x, y with
  | Some R, Some Q => forall i, i < n -> apply R i = apply Q i
  | None, None => True
  | _, _ => False
  end.

(* Coalescing A first changes nothing for B inside A: both are defined or none, and they are the same function. *)
Theorem composition_coalesced A B : shaped A = true -> shaped B = true ->
  (forall i, i < size B -> apply B i < size A) -> same_answers (size B) (composition (coalesce A) B) (composition A B).
Proof.
  intros SA SB inA. destruct (coalesce_function A SA) as [_ V]. pose proof (shaped_coalesce A SA) as SC.
  assert (K : forall R, is_composition (coalesce A) B R <-> is_composition A B R).
  { intros R. unfold is_composition. split; intros (C & Q & W); repeat split; try easy; intros i Hi;
      rewrite W by easy; rewrite V; auto. }
  destruct (composition (coalesce A) B) as [R|] eqn:E, (composition A B) as [Q|] eqn:F; cbn; try easy.
  - intros i Hi. rewrite (composition_pointwise _ _ _ _ E), (composition_pointwise _ _ _ _ F) by easy. auto.
  - destruct (proj2 (composition_defined A B SA SB)) as [Q EQ]; [|congruence]. exists R. apply K.
    now apply composition_sound.
  - destruct (proj2 (composition_defined (coalesce A) B SC SB)) as [R ER]; [|congruence]. exists Q. apply K.
    now apply composition_sound.
Qed.
End Completeness.

(* n:1 from the left changes nothing: the answer is defined and is B. *)
Theorem composition_left_identity n B : 0 < n -> shaped B = true ->
  exists R, composition (Leaf n 1) B = Some R /\ forall i, i < size B -> apply R i = apply B i.
Proof.
  intros Hn S. destruct (proj2 (composition_defined (Leaf n 1) B ltac:(now apply positive_cons) S)) as [R E].
  - exists B. repeat split; [apply compatible_reflexive|easy|]. intros. simpl. lia.
  - exists R. split; [easy|]. intros i Hi. rewrite (composition_pointwise _ _ _ _ E Hi). simpl. lia.
Qed.

(* Strides of A of any sign make no difference. *)
Theorem composition_signed (A : layout Z) B R i : composition A B = Some R -> i < size B ->
  apply R i = apply A (apply B i).
Proof. apply composition_pointwise. Qed.
