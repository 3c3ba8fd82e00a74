(* What layouts behind swizzles are answered: by functions of layouts, and where these refuse by linear maps. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export F2_agrees Interpolate.
Local Open Scope N_scope.

(* An answer is a layout, perhaps behind a swizzle or in strides of any sign, or a map that is none. *)
Inductive answered := By_layout (c : composed) | By_integers (L : layout Z) | By_map (F : f2_map).
Definition answered_size (a : answered) : N :=
  match a with By_layout c => size (inner c) | By_integers L => size L | By_map F => 2 ^ f2_bits F end.
Definition answered_at (a : answered) (i : N) : Z :=
  match a with
  | By_layout c => Z.of_N (apply_composed_at c i)
  | By_integers L => apply L i
  | By_map F => Z.of_N (f2_at F i)
  end.
(* A map is spelled as a layout where it is one. *)
Definition spelled_map (F : f2_map) : answered := match from_f2 F with Some c => By_layout c | None => By_map F end.
Definition through_map (c : composed) (f : f2_map -> option f2_map) : option answered :=
  F <- to_f2 c; option_map spelled_map (f F).
(* Nothing stands before the layout. *)
Definition is_plain (c : composed) : bool := (bits (outer c) =? 0) && (offset c =? 0).
(* The same around another layout. *)
Definition around (c : composed) (A : layout N) : answered := By_layout (Composed (outer c) (offset c) A).
(* What functions of layouts answer where nothing stands before them; else that or what the maps answer. *)
Definition answer_or_map (both_plain : bool) (by_layouts by_maps : option answered) : option answered :=
  match by_layouts with Some a => Some a | None => if both_plain then None else by_maps end.

Definition composition_of (c d : composed) : option answered :=
  answer_or_map (is_plain c && is_plain d)
    (if is_plain d then option_map (around c) (composition (inner c) (inner d)) else None)
    (G <- to_f2 d; through_map c (fun F => f2_compose F G)).
Definition logical_divide_of (c d : composed) : option answered :=
  answer_or_map (is_plain c && is_plain d)
    (if is_plain d then option_map (around c) (logical_divide (inner c) (inner d)) else None)
    (G <- to_f2 d; through_map c (fun F => f2_divide F G)).
(* The complement below 2^n. *)
Definition complement_in (c : composed) (n : N) : option answered :=
  answer_or_map (is_plain c)
    (if is_plain c then option_map (fun R => By_layout (unswizzled R)) (complement (inner c) (2 ^ n)) else None)
    (through_map c (fun F => f2_complement F n)).
(* Of linear layouts the largest that there is. *)
Definition largest_by (c R : composed) : bool :=
  match to_f2 c with Some F => 2 ^ f2_bits (f2_right_inverse F) <=? size (inner R) | None => true end.
Definition any_right_inverse (c : composed) : option answered :=
  answer_or_map (is_plain c)
    (if is_plain c then Some (By_layout (unswizzled (right_inverse (integral (inner c)))))
     else R <- right_inverse_of c; if largest_by c R then Some (By_layout R) else None)
    (through_map c (fun F => Some (f2_right_inverse F))).
Definition any_left_inverse (c : composed) : option answered :=
  answer_or_map (is_plain c)
    (if is_plain c then option_map By_integers (searched_left_inverse (inner c))
     else option_map By_layout (left_inverse_of c))
    (through_map c (fun F => Some (f2_left_inverse F))).

(* The answer has the values of the map, at as many indices. *)
Definition has_values (a : answered) (G : f2_map) (y : N) : Prop :=
  answered_size a = 2 ^ f2_bits G /\ (y < 2 ^ f2_bits G -> answered_at a y = Z.of_N (f2_at G y)).

Lemma plain_at c i : is_plain c = true -> apply_composed_at c i = apply (inner c) i.
Proof.
  unfold is_plain, apply_composed_at. destruct c as [[b m s] n A]. cbn. intros P. apply andb_true_iff in P as [B Z].
  apply N.eqb_eq in B as ->, Z as ->. now rewrite swizzled_nothing, N.add_0_l.
Qed.
Lemma plain_map c : is_plain c = true -> to_f2 (unswizzled (inner c)) = to_f2 c.
Proof.
  unfold is_plain, to_f2. destruct c as [[b m s] n A]. cbn. intros P. apply andb_true_iff in P as [B Z].
  apply N.eqb_eq in B as ->, Z as ->. reflexivity.
Qed.
Lemma map_shaped c F : to_f2 c = Some F -> shaped (inner c) = true.
Proof.
  unfold to_f2. destruct (steps _) as [bs|] eqn:St; [|discriminate]. intros _. now apply steps_spec in St.
Qed.
Lemma steps_bits A bs : steps (leaves A) = Some bs -> bits_in (shape A) = length bs.
Proof.
  unfold bits_in. rewrite extents_shape. revert bs. induction (leaves A) as [|[s d] l IH]; intros bs Q; cbn [steps] in
    Q.
  - now injection Q as <-.
  - destruct (exact_log2 s) as [k|] eqn:K; [|discriminate]. cbn [bind] in Q. destruct (steps l) as [cs|];
    [|discriminate].
    cbn [bind] in Q. injection Q as <-. apply exact_log2_some in K as ->. cbn [map list_sum fst fold_right].
    rewrite app_length, map_length, length_iota, N.log2_pow2 by lia. now rewrite <- (IH cs eq_refl).
Qed.
Lemma map_shapely c F : to_f2 c = Some F -> shapely F = true.
Proof.
  unfold to_f2. destruct (steps _) as [bs|] eqn:St; [|discriminate]. cbn [bind]. destruct (_ && _); [|discriminate].
  intros Q. injection Q as <-. apply Nat.eqb_eq. cbn [form bases]. rewrite map_length. now apply steps_bits.
Qed.
Lemma wide_values e n K : to_f2_wide e n = Some K -> size (inner e) = 2 ^ f2_bits K /\
  forall x, x < size (inner e) -> apply_composed_at e x = f2_at K x.
Proof.
  unfold to_f2_wide. destruct (to_f2 e) as [F|] eqn:Q; [|discriminate]. cbn [bind]. destruct (_ <=? _); [|discriminate].
  intros E. injection E as <-. pose proof (size_positive _ (map_shaped e F Q)) as P. split.
  - now destruct (to_f2_agrees e F 0 Q P) as (_ & Z & _).
  - intros x X. now destruct (to_f2_agrees e F x Q X) as (_ & _ & V).
Qed.
Lemma spelled_map_values F y : formed F = true -> shapely F = true -> has_values (spelled_map F) F y.
Proof.
  intros P S. unfold spelled_map. destruct (from_f2 F) as [c|] eqn:Q; [|now split].
  destruct (from_f2_to_f2 F c Q P S) as (G & QG & E). destruct (wide_values _ _ _ QG) as [Z V].
  unfold f2_bits, f2_at in Z, V. rewrite E in Z, V. split; [exact Z|]. intros Y. cbn [answered_at]. f_equal. apply V.
  now rewrite Z.
Qed.
Lemma wide_answer e n K G y : to_f2_wide e n = Some K -> f2_bits K = f2_bits G ->
  (y < 2 ^ f2_bits K -> f2_at K y = f2_at G y) -> has_values (By_layout e) G y.
Proof.
  intros Q B V. destruct (wide_values _ _ _ Q) as [Z W]. split; cbn; [now rewrite Z, B|]. intros Y. f_equal.
  rewrite <- B in Y. rewrite W by now rewrite Z. now apply V.
Qed.
Lemma answer_cases p x y a : answer_or_map p x y = Some a -> x = Some a \/ (x = None /\ p = false /\ y = Some a).
Proof. unfold answer_or_map. destruct x; [auto|]. destruct p; [discriminate|]. auto. Qed.

(* f2_compose of the maps has the values of the composition, where the values of B are indices of A. *)
Theorem f2_compose_agrees c d F G H a x : to_f2 c = Some F -> to_f2 d = Some G -> valid (outer c) ->
  f2_compose F G = Some H -> composition_of c d = Some a -> has_values a H x.
Proof.
  intros QF QG V QH E. apply answer_cases in E as [E|(_ & _ & E)].
  - destruct (is_plain d) eqn:P; [|discriminate]. destruct (composition (inner c) (inner d)) as [R|] eqn:C;
    [|discriminate].
    injection E as <-. rewrite <- (plain_map d P) in QG. pose proof (map_shaped _ _ QG) as SB.
    destruct (maps_compose c (inner d) F G H R x QF QG V QH C SB) as (K & B & Q & W).
    now apply (wide_answer _ (width F) K).
  - rewrite QG in E. unfold through_map in E. cbn [bind] in E. rewrite QF in E. cbn [bind] in E. rewrite QH in E.
    injection E as <-. destruct (to_f2_formed _ _ QF) as [FF _]. pose proof (map_shapely d G QG) as SG.
    unfold f2_compose in QH. destruct (forallb _ _); [|discriminate]. injection QH as <-. apply spelled_map_values.
    + apply forallb_forall. intros b I. apply in_map_iff in I as (g & <- & _). apply N.ltb_lt.
      apply (value_below F); [exact FF|]. now exists g.
    + unfold shapely in *. cbn [form bases]. now rewrite map_length.
Qed.

Lemma flat_shapely n bs : shapely (flat_map_of n bs) = true.
Proof.
  apply Nat.eqb_eq. unfold bits_in, flat_map_of. cbn [form bases extents map list_sum fold_right].
  rewrite N.log2_pow2 by lia. unfold count. rewrite Nat2N.id. lia.
Qed.
Lemma near_formed F n : formed (indices_near F n) = true.
Proof.
  apply forallb_forall. intros b I. apply in_map_iff in I as (k & <- & _). apply N.ltb_lt. apply nearest.
Qed.
Lemma to_natural_integral A : to_natural (integral A) = Some A.
Proof.
  unfold integral. induction A as [s d|ms IH] using layout_induction; cbn [map_strides to_natural].
  - destruct (Z.ltb_spec (Z.of_N d) 0); [lia|]. now rewrite N2Z.id.
  - enough (sequence (map to_natural (map (map_strides Z.of_N) ms)) = Some ms) as -> by easy. apply sequence_some.
    rewrite map_map. induction IH as [|m ms Hm _ IH]; [easy|]. cbn [map]. now rewrite Hm, IH.
Qed.

(* f2_right_inverse of the map has the values of the right inverse, where A takes no value twice. *)
Theorem f2_right_inverse_agrees c F a y : to_f2 c = Some F -> NoDup (f2_table F) -> any_right_inverse c = Some a ->
  has_values a (f2_right_inverse F) y.
Proof.
  intros Q Nd E. destruct (to_f2_formed _ _ Q) as [FF _]. pose proof (map_shaped c F Q) as S.
  destruct (to_f2_agrees _ _ 0 Q (size_positive _ S)) as (_ & Z & _). set (I := f2_right_inverse F).
  assert (Below : forall z, z < 2 ^ f2_bits I -> f2_at F (f2_at I z) = z /\ f2_at I z < 2 ^ f2_bits F).
  { intros z L. split; [apply (f2_right_inverse_least F 0 z L); now apply N.neq_0_lt_0, N.pow_nonzero|].
    unfold I, f2_right_inverse in *. rewrite bits_near in L. rewrite indices_near_at by easy. apply nearest. }
  apply answer_cases in E as [E|(_ & _ & E)].
  - destruct (is_plain c) eqn:P.
    + injection E as <-. rewrite <- (plain_map c P) in Q.
      assert (SA : shaped (integral (inner c)) = true) by now rewrite integral_shaped.
      destruct (maps_right_inverse (integral (inner c)) (inner c) F y SA (to_natural_integral _) Q Nd) as (G & QG & B
        & W).
      apply (wide_answer _ (f2_bits F) G); [exact QG|exact B|]. intros L. rewrite B in L. now apply W.
    + destruct (right_inverse_of c) as [R|] eqn:QR; [|discriminate]. cbn [bind] in E.
      destruct (largest_by c R) eqn:L; [|discriminate]. injection E as <-. unfold largest_by in L. rewrite Q in L.
      apply N.leb_le in L. fold I in L.
      assert (V : forall i, i < size (inner R) -> f2_at F (apply_composed_at R i) = i /\
        apply_composed_at R i < 2 ^ f2_bits F).
      { intros i Hi. destruct (right_inverse_of_inverts c R i QR Hi) as [V B]. unfold composed_size in B.
        destruct (to_f2_agrees _ _ _ Q B) as (_ & _ & W). rewrite W. now rewrite <- Z. }
      assert (size (inner R) = 2 ^ f2_bits I) as ZR.
      { apply N.le_antisymm; [|exact L]. apply N.nlt_ge. intros G. destruct (V _ G) as [V1 V2].
        destruct (f2_right_inverse_maximal F 0 FF) as [_ M]. apply M. fold I. rewrite <- V1. apply in_map.
        now apply in_iota. }
      split; [exact ZR|]. intros Y. cbn [answered_at]. f_equal. destruct (V y ltac:(now rewrite ZR)) as [V1 V2].
      destruct (Below y Y) as [B1 B2]. apply (nodup_map_inverse (f2_at F) _ _ _ Nd); rewrite ?in_iota; congruence.
  - unfold through_map in E. rewrite Q in E. cbn [bind option_map] in E. injection E as <-.
    apply spelled_map_values; [apply near_formed|apply flat_shapely].
Qed.

(* f2_left_inverse of the map takes the values of A back as its left inverse does, where none comes twice. *)
Theorem f2_left_inverse_agrees c F a x : to_f2 c = Some F -> NoDup (f2_table F) -> any_left_inverse c = Some a ->
  x < size (inner c) -> answered_at a (apply_composed_at c x) = Z.of_N (f2_at (f2_left_inverse F) (apply_composed_at c
    x)).
Proof.
  intros Q Nd E X. rewrite (map_takes_back c F x Q Nd X). pose proof (map_shaped c F Q) as S.
  apply answer_cases in E as [E|(_ & _ & E)].
  - destruct (is_plain c) eqn:P.
    + destruct (searched_left_inverse (inner c)) as [L|] eqn:EL; [|discriminate]. injection E as <-. cbn [answered_at].
      rewrite (plain_at c x P). apply (left_inverse_pointwise (inner c)); try easy.
      rewrite image_leaves by exact S. unfold f2_table in Nd.
      destruct (to_f2_agrees _ _ 0 Q (size_positive _ S)) as (_ & Z & _). rewrite <- Z in Nd.
      erewrite map_ext_in; [exact Nd|]. intros i I. apply in_iota in I. rewrite <- (plain_at c i P).
      now destruct (to_f2_agrees _ _ i Q I) as (_ & _ & ->).
    + destruct (left_inverse_of c) as [L|] eqn:EL; [|discriminate]. injection E as <-. cbn [answered_at]. f_equal.
      now apply left_inverse_of_inverts.
  - unfold through_map in E. rewrite Q in E. cbn [bind option_map] in E. injection E as <-.
    destruct (to_f2_formed _ _ Q) as [FF _]. destruct (to_f2_agrees _ _ x Q X) as (_ & _ & V).
    destruct (spelled_map_values (f2_left_inverse F) (apply_composed_at c x)) as [_ W]; [apply near_formed|apply
      flat_shapely|].
    rewrite W, (map_takes_back c F x Q Nd X); [easy|]. unfold f2_left_inverse. rewrite bits_near, <- V.
    apply value_below; [exact FF|]. now exists x.
Qed.

(* f2_complement of the map has the values of the complement, for strides that are powers of two or 0 and for all
  that is behind a swizzle. *)
Theorem f2_complement_agrees c F n C a x : to_f2 c = Some F -> f2_complement F n = Some C ->
  negb (is_plain c) || strides_of_bits (inner c) = true -> complement_in c n = Some a -> has_values a C x.
Proof.
  intros Q QC B E. pose proof (map_shaped c F Q) as S. apply answer_cases in E as [E|(_ & _ & E)].
  - destruct (is_plain c) eqn:P; [|discriminate]. cbn [negb orb] in B.
    destruct (complement (inner c) (2 ^ n)) as [R|] eqn:QR; [|discriminate]. injection E as <-.
    rewrite <- (plain_map c P) in Q. destruct (maps_complement (inner c) F n C R x S B Q QC QR) as (G & QG & W & V).
    apply (wide_answer _ n G); [exact QG|exact W|]. intros L. apply V. now rewrite <- W.
  - unfold through_map in E. rewrite Q in E. cbn [bind] in E. rewrite QC in E. injection E as <-.
    apply spelled_map_values; [now apply (complement_formed F n)|]. unfold f2_complement in QC.
    destruct (_ <=? _); [|discriminate]. injection QC as <-. apply flat_shapely.
Qed.

(* By T the maps divide as the layouts do: a tile that divides A, its strides powers of two or 0; one whose leaves
  interleave, by which only maps divide; or what is behind a swizzle. *)
Definition divides_by_bits (c d : composed) : bool :=
  match divide_exactly (inner c) (inner d) with
  | Some _ => strides_of_bits (inner d)
  | None => negb (nested (sorted_leaves (inner d)))
  end.

(* f2_divide of the maps has the values of the division. *)
Theorem f2_divide_agrees c d F G D a x : to_f2 c = Some F -> to_f2 d = Some G -> valid (outer c) ->
  f2_divide F G = Some D -> negb (is_plain d) || divides_by_bits c d = true -> logical_divide_of c d = Some a ->
  has_values a D x.
Proof.
  intros QF QG V QD T E. apply answer_cases in E as [E|(_ & _ & E)].
  - destruct (is_plain d) eqn:P; [|discriminate]. cbn [negb orb] in T. unfold divides_by_bits in T.
    destruct (logical_divide (inner c) (inner d)) as [R|] eqn:L; [|discriminate]. injection E as <-.
    rewrite <- (plain_map d P) in QG. pose proof (map_shaped _ _ QG) as ST. cbn [unswizzled inner] in ST.
    unfold logical_divide in L. destruct (divide_exactly (inner c) (inner d)) as [K|] eqn:X.
    + injection L as ->. destruct (maps_divide c (inner d) F G D R x QF QG V ST T QD X) as (H & QH & B & W).
      apply (wide_answer _ (width F) H); [exact QH|exact B|]. intros Y. apply W. now rewrite <- B.
    + apply negb_true_iff in T. destruct (sorted_leaves (inner d)); [discriminate|]. now rewrite T in L.
  - rewrite QG in E. unfold through_map in E. cbn [bind] in E. rewrite QF in E. cbn [bind] in E. rewrite QD in E.
    injection E as <-. destruct (to_f2_formed _ _ QF) as [FF _]. pose proof (map_shapely d G QG) as SG.
    unfold f2_divide in QD. destruct (f2_compose F G) as [M|] eqn:QM; [|discriminate]. cbn [bind] in QD.
    destruct (f2_complement _ _) as [C|] eqn:QC; [|discriminate]. cbn [bind] in QD.
    destruct (f2_compose F C) as [R|] eqn:QR; [|discriminate]. cbn [bind] in QD. injection QD as <-.
    assert (SC : shapely C = true).
    { unfold f2_complement in QC. destruct (_ <=? _); [|discriminate]. injection QC as <-. apply flat_shapely. }
    assert (K : forall A B, f2_compose F A = Some B -> shapely A = true -> shapely B = true /\
      forall b, In b (bases B) -> b < 2 ^ width F).
    { intros A B QB SA. unfold f2_compose in QB. destruct (forallb _ _); [|discriminate]. injection QB as <-. split.
      - unfold shapely in *. cbn [form bases]. now rewrite map_length.
      - intros b I. apply in_map_iff in I as (g & <- & _). apply value_below; [exact FF|]. now exists g. }
    destruct (K _ _ QM SG) as [SM FM], (K _ _ QR SC) as [SR FR]. apply spelled_map_values.
    + apply forallb_forall. intros b I. cbn [bases width] in *. apply N.ltb_lt. apply in_app_iff in I as [I|I]; auto.
    + unfold shapely, bits_in in *. apply Nat.eqb_eq in SM, SR. apply Nat.eqb_eq. cbn [form bases extents flat_map].
      rewrite app_nil_r, map_app, list_sum_app, app_length. congruence.
Qed.

(* A right inverse of a swizzled layout is one, whether functions of layouts answer or maps. *)
Theorem right_inverse_composed c a i : shaped (inner c) = true -> any_right_inverse c = Some a -> i < answered_size a ->
  exists r, answered_at a i = Z.of_N r /\ apply_composed_at c r = i /\ r < composed_size c.
Proof.
  intros S E Hi. apply answer_cases in E as [E|(_ & _ & E)].
  - destruct (is_plain c) eqn:P.
    + injection E as <-. cbn [answered_size answered_at unswizzled inner] in *.
      assert (SA : shaped (integral (inner c)) = true) by now rewrite integral_shaped.
      destruct (right_inverse_pointwise _ i SA Hi) as [V B]. eexists. split; [reflexivity|].
      rewrite (plain_at c _ P), plain_at by easy. cbn [unswizzled inner]. rewrite integral_apply in V.
      apply N2Z.inj in V. split; [exact V|]. unfold integral in B at 2. now rewrite map_strides_size in B.
    + destruct (right_inverse_of c) as [R|] eqn:Q; [|discriminate]. cbn [bind] in E.
      destruct (largest_by c R); [|discriminate]. injection E as <-. eexists. split; [reflexivity|].
      now apply right_inverse_of_inverts.
  - unfold through_map in E. destruct (to_f2 c) as [F|] eqn:Q; [|discriminate]. cbn [bind option_map] in E.
    injection E as <-. destruct (spelled_map_values (f2_right_inverse F) i) as [Z V]; [apply near_formed|apply
      flat_shapely|].
    rewrite Z in Hi. exists (f2_at (f2_right_inverse F) i). split; [now apply V|].
    destruct (to_f2_agrees _ _ 0 Q (size_positive _ S)) as (_ & Zc & _).
    destruct (f2_right_inverse_least F 0 i Hi) as [W _]; [now apply N.neq_0_lt_0, N.pow_nonzero|].
    assert (B : f2_at (f2_right_inverse F) i < size (inner c)).
    { rewrite Zc. unfold f2_right_inverse in *. rewrite bits_near in Hi. rewrite indices_near_at by easy. apply
      nearest. }
    split; [|exact B]. destruct (to_f2_agrees _ _ _ Q B) as (_ & _ & <-). exact W.
Qed.

(* So is a left inverse, where the layout takes no value twice. *)
Theorem left_inverse_composed c a i : shaped (inner c) = true ->
  NoDup (map (apply_composed_at c) (iota (size (inner c)))) -> any_left_inverse c = Some a -> i < composed_size c ->
  answered_at a (apply_composed_at c i) = Z.of_N i.
Proof.
  intros S Nd E Hi. pose proof E as E'. apply answer_cases in E as [E|(_ & _ & E)].
  - destruct (is_plain c) eqn:P.
    + destruct (searched_left_inverse (inner c)) as [L|] eqn:EL; [|discriminate]. injection E as <-. cbn [answered_at].
      rewrite (plain_at c i P). apply (left_inverse_pointwise (inner c)); try easy. rewrite image_leaves by exact S.
      erewrite map_ext; [exact Nd|]. intros x. now rewrite plain_at.
    + destruct (left_inverse_of c) as [L|] eqn:EL; [|discriminate]. injection E as <-. cbn [answered_at]. f_equal.
      now apply left_inverse_of_inverts.
  - destruct (to_f2 c) as [F|] eqn:Q; [|unfold through_map in E; rewrite Q in E; discriminate].
    assert (NF : NoDup (f2_table F)).
    { unfold f2_table. destruct (to_f2_agrees _ _ 0 Q (size_positive _ S)) as (_ & Z & _). rewrite <- Z.
      erewrite map_ext_in; [exact Nd|]. intros x I. apply in_iota in I.
      now destruct (to_f2_agrees _ _ x Q I) as (_ & _ & ->). }
    rewrite (f2_left_inverse_agrees c F a i Q NF E' Hi). f_equal. now apply (map_takes_back c F).
Qed.

(* ---- Which layouts, views and layouts behind a swizzle have a map ---- *)

(* Behind a swizzle strides are natural; a view has any. *)
Inductive addressed := Swizzled_by (c : composed) | Viewed (n : N) (A : layout (point Z)).
Definition addressed_shape (t : addressed) : tuple :=
  match t with Swizzled_by c => shape (inner c) | Viewed _ A => shape A
  end.
(* A value that is a natural number. *)
Definition natural_value (x : point Z) : option N :=
  match terms x with
  | [] => Some 0
  | [([], n)] => if (n <? 0)%Z then None else Some (Z.to_N n)
  | _ => None
  end.
Definition addressed_at (t : addressed) (x : N) : option N :=
  match t with
  | Swizzled_by c => Some (apply_composed_at c x)
  | Viewed n A => natural_value (basis [] (Z.of_N n) +: apply A x)
  end.
(* A with natural strides, where those that move are natural. *)
Fixpoint naturally (A : layout (point Z)) : option (layout N) :=
  match A with
  | Leaf s d => if s =? 1 then Some (Leaf 1 0) else option_map (Leaf s) (natural_value d)
  | Node ms => option_map Node (sequence (map naturally ms))
  end.
Definition map_of_addressed (t : addressed) : option f2_map :=
  match t with
  | Swizzled_by c => to_f2 c
  | Viewed n A => B <- naturally A; to_f2 (Composed (Sw 0 0 0) n B)
  end.

Lemma natural_value_basis m : natural_value (basis [] (Z.of_N m)) = Some m.
Proof.
  unfold natural_value. cbn [basis terms add_term]. change (same (Z.of_N m) zero) with (Z.of_N m =? 0)%Z.
  destruct (Z.eqb_spec (Z.of_N m) 0); [f_equal; lia|]. destruct (Z.ltb_spec (Z.of_N m) 0); [lia|]. now rewrite N2Z.id.
Qed.
Lemma natural_value_some x m : natural_value x = Some m -> x = basis [] (Z.of_N m).
Proof.
  unfold natural_value. intros E. apply point_terms. cbn [basis terms add_term].
  change (same (Z.of_N m) zero) with (Z.of_N m =? 0)%Z. destruct x as [[|[p n] l] O]; cbn [terms] in *.
  - now injection E as <-.
  - destruct p; [|discriminate]. destruct l; [|discriminate]. destruct (Z.ltb_spec n 0); [discriminate|].
    injection E as <-. rewrite Z2N.id by easy. cbn in O. change (same n zero) with (n =? 0)%Z in O.
    destruct (n =? 0)%Z; [discriminate|easy].
Qed.
Lemma basis_plus (m n : Z) : basis [] m +: basis [] n = basis [] (m + n)%Z.
Proof. apply point_equal. intros p. rewrite read_plus, !read_basis. now destruct (path_dec [] p). Qed.
Lemma basis_times n (m : Z) : n *: basis [] m = basis [] (Z.of_N n * m)%Z.
Proof. apply point_equal. intros p. rewrite read_times, !read_basis. destruct (path_dec [] p); [easy|apply
  times_zero]. Qed.

(* Leaf by leaf: extent 1, or a natural stride. *)
Definition same_leaf (m : N * point Z) (k : N * N) : Prop :=
  fst m = fst k /\ (fst m = 1 \/ snd m = basis [] (Z.of_N (snd k))).
Lemma naturally_spec A B : naturally A = Some B -> shape B = shape A /\ Forall2 same_leaf (leaves A) (leaves B).
Proof.
  revert B. induction A as [s d|ms IH] using layout_induction; intros B E; cbn [naturally] in E.
  - destruct (N.eqb_spec s 1) as [->|Ns].
    + injection E as <-. split; [easy|]. constructor; [|constructor]. split; [easy|now left].
    + destruct (natural_value d) as [e|] eqn:Q; [|discriminate]. injection E as <-. split; [easy|].
      constructor; [|constructor]. split; [easy|right]. now apply natural_value_some.
  - destruct (sequence _) as [bs|] eqn:Q; [|discriminate]. injection E as <-. apply sequence_some in Q.
    enough (map shape bs = map shape ms /\ Forall2 same_leaf (flat_map leaves ms) (flat_map leaves bs)) as [Sh F]
      by (split; [cbn; now f_equal|exact F]).
    revert bs Q. induction IH as [|m ms Hm _ IH]; intros [|b bs] Q; try discriminate; [split; [easy|constructor]|].
    cbn [map] in Q. injection Q as Qb Q. destruct (Hm b Qb) as [Sb Fb], (IH bs Q) as [Sm Fm]. cbn [map flat_map].
    split; [congruence|]. now apply Forall2_app.
Qed.
Lemma naturally_none A : shaped A = true -> naturally A = None -> exists s d, In (s, d) (leaves A) /\ 1 < s /\
  natural_value d = None.
Proof.
  induction A as [s d|ms IH] using layout_induction; intros S E; cbn [naturally] in E.
  - destruct (N.eqb_spec s 1) as [->|Ns]; [discriminate|]. destruct (natural_value d) eqn:Q; [discriminate|].
    exists s, d. unfold shaped in S. cbn [leaves] in S. apply positive_cons in S as [Hs _]. split; [now left|].
    split; [lia|exact Q].
  - apply shaped_node in S. destruct (sequence _) eqn:Q; [discriminate|]. clear E. cbn [leaves].
    induction ms as [|m ms IHm]; [discriminate|]. apply Forall_cons_iff in IH as [Hm IH], S as [Sm S].
    cbn [map sequence] in Q. destruct (naturally m) as [b|] eqn:Qm.
    + destruct (sequence (map naturally ms)) eqn:Qs; [discriminate|]. destruct (IHm IH S eq_refl) as (s & d & I & K).
      exists s, d. split; [apply in_or_app; now right|exact K].
    + destruct (Hm Sm eq_refl) as (s & d & I & K). exists s, d. split; [apply in_or_app; now left|exact K].
Qed.
Lemma naturally_values l k i : Forall2 same_leaf l k -> value_in l i = basis [] (Z.of_N (value_in k i)).
Proof.
  intros F. revert i. induction F as [|[s d] [t e] l k [E K] _ IH]; intros i; [now apply point_terms|].
  cbn [fst snd] in E, K. subst t. cbn [value_in]. rewrite IH. destruct K as [->| ->].
  - rewrite N.mod_1_r, times_0, plus_zero. reflexivity.
  - rewrite basis_times, basis_plus. f_equal. simpl. lia.
Qed.
(* What a leaf adds is a value. *)
Lemma stride_reached {D} `{module D} (A : layout D) s d : shaped A = true -> In (s, d) (leaves A) -> 1 < s ->
  exists x, x < size A /\ apply A x = d.
Proof.
  intros S I Hs. pose proof S as S'. unfold shaped in S. apply in_split in I as (p & q & E). rewrite E in S.
  rewrite positive_app in S. apply andb_true_iff in S as [P Q]. apply positive_cons in Q as [_ Q].
  pose proof (numel_positive p P). pose proof (numel_positive q Q).
  assert (L : numel p < size A).
  { rewrite size_product, E, numel_app. cbn [numel]. assert (2 <= s * numel q) by nia. nia. }
  exists (numel p). split; [exact L|]. rewrite apply_inside, E by easy. rewrite value_in_app by exact P.
  rewrite <- (value_in_periodic p (numel p)), N.mod_same, value_in_0, plus_zero by (exact P || lia).
  rewrite N.div_same by lia. cbn [value_in]. rewrite N.mod_small, N.div_small, value_in_0, plus_zero_r, times_1 by easy.
  reflexivity.
Qed.

(* A map has the values f of n indices: the exclusive or of those at the bits of an index. *)
Definition is_xor_of_bits (f : N -> N) (n : N) : Prop :=
  forall x, x < n -> f x = xor_of (map (fun k => f (2 ^ k)) (iota (N.log2 n))) x.
Lemma xor_of_bits_ext f g n : 0 < n -> (forall x, x < n -> f x = g x) -> is_xor_of_bits f n -> is_xor_of_bits g n.
Proof.
  intros Hn E F x Hx. rewrite <- E, F by easy. f_equal. apply map_ext_in. intros k I. apply in_iota in I. apply E.
  apply N.lt_le_trans with (2 ^ N.log2 n); [now apply N.pow_lt_mono_r|]. now apply N.log2_spec.
Qed.
Definition powers_of_two (t : tuple) : bool :=
  forallb (fun s => match exact_log2 s with Some _ => true | None => false end) (extents t).
Lemma powers_shape A : powers A = powers_of_two (shape A).
Proof. unfold powers, powers_of_two. rewrite extents_shape. induction (leaves A); cbn; congruence. Qed.
Definition addressed_right (t : addressed) : bool :=
  match t with
  | Swizzled_by c => (Z.of_N (bits (outer c)) <=? Z.abs (Swizzle.shift (outer c)))%Z && shaped (inner c)
  | Viewed _ A => shaped A
  end.

(* to_f2 is defined exactly when all extents are powers of two, and values are natural numbers, each the exclusive or of
  those at the bits of its index. *)
Theorem to_f2_exists t : addressed_right t = true -> (exists F, map_of_addressed t = Some F) <->
  powers_of_two (addressed_shape t) = true /\ exists f, (forall x, x < tsize (addressed_shape t) ->
  addressed_at t x = Some (f x)) /\ is_xor_of_bits f (tsize (addressed_shape t)).
Proof.
  assert (K : forall c, valid (outer c) -> shaped (inner c) = true -> (exists F, to_f2 c = Some F) <->
    powers_of_two (shape (inner c)) = true /\ is_xor_of_bits (apply_composed_at c) (tsize (shape (inner c)))).
  { intros c V S. rewrite (composed_linear c V S), powers_shape, tsize_shape. reflexivity. }
  destruct t as [c|n A]; cbn [addressed_right addressed_shape map_of_addressed addressed_at]; intros R.
  - apply andb_true_iff in R as [V S]. apply Z.leb_le in V. pose proof (size_positive _ S) as P.
    rewrite (K c V S). split; intros [W X]; (split; [exact W|]); [exists (apply_composed_at c); auto|].
    destruct X as (f & E & X). revert X. rewrite tsize_shape in *. apply xor_of_bits_ext; [exact P|]. intros x Hx.
    specialize (E x Hx). now injection E.
  - pose proof (size_positive _ R) as P. destruct (naturally A) as [B|] eqn:Q; cbn [bind].
    + destruct (naturally_spec A B Q) as [Sh F]. assert (SB : shaped B = true) by now rewrite <- tpositive_shape, Sh,
      tpositive_shape.
      rewrite (K (Composed (Sw 0 0 0) n B) (Z.le_refl 0) SB). cbn [inner]. rewrite Sh.
      assert (V : forall x, x < tsize (shape A) -> natural_value (basis [] (Z.of_N n) +: apply A x) =
        Some (apply_composed_at (Composed (Sw 0 0 0) n B) x)).
      { intros x Hx. rewrite apply_inside by (rewrite <- ?tsize_shape; easy). rewrite (naturally_values _ _ x F).
        rewrite basis_plus, <- N2Z.inj_add, natural_value_basis. unfold apply_composed_at. cbn [outer offset inner].
        rewrite swizzled_nothing, apply_inside by (rewrite <- ?tsize_shape, ?Sh; easy). reflexivity. }
      split; intros [W X]; (split; [exact W|]); [eauto|]. destruct X as (f & E & X). revert X.
      apply xor_of_bits_ext; [now rewrite tsize_shape|]. intros x Hx. specialize (E x Hx). rewrite V in E by easy.
      now injection E.
    + split; [intros [F E]; discriminate|]. intros (_ & f & E & X). exfalso. rewrite tsize_shape in *.
      destruct (naturally_none A R Q) as (s & d & I & Hs & Nd). destruct (stride_reached A s d R I Hs) as (x & Hx & Ax).
      assert (n = 0) as ->.
      { pose proof (E 0 P) as E0. rewrite (apply_0 A R), plus_zero_r, natural_value_basis in E0. injection E0 as E0.
        rewrite E0, (X 0 P). apply xor_of_0. }
      specialize (E x Hx). rewrite Ax in E. assert (Zero : basis (C := Z) [] (Z.of_N 0) = zero) by now apply
        point_terms.
      rewrite Zero, plus_zero in E. congruence.
Qed.
