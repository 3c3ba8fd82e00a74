(* Layouts made in a given order of their modes: make_ordered_layout, make_layout_like, make_fragment_like. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Make Inverse Tile Recomplement.
Local Open Scope N_scope.

(* The parts of a shape that an order numbers, with their numbers. *)
Fixpoint collect_ordered (s o : tuple) {struct o} : option (list (N * tuple)) :=
  match o with
  | Int n => Some [(n, s)]
  | Tup os =>
      match s with
      | Int _ => None
      | Tup ss =>
          (fix go os ss := match os, ss with
             | [], [] => Some []
             | o :: os, s :: ss => x <- collect_ordered s o; y <- go os ss; Some (x ++ y)
             | _, _ => None
             end) os ss
      end
  end.
(* The elements in the parts whose number is below n: the stride at which a part of number n begins. *)
Definition weight_below (n : N) (all : list (N * tuple)) : N :=
  fold_right N.mul 1 (map (fun p => if fst p <? n then tsize (snd p) else 1) all).
Fixpoint ordered (w : N -> N) (s o : tuple) {struct o} : layout N :=
  match o with
  | Int n => unit_zero (colex s (w n))
  | Tup os =>
      match s with
      | Int _ => Node []
      | Tup ss => Node ((fix go os ss := match os, ss with
          | o :: os, s :: ss => ordered w s o :: go os ss
          | _, _ => []
          end) os ss)
      end
  end.
Definition big (p : N * tuple) : bool := 1 <? tsize (snd p).
Fixpoint distinct (l : list N) : bool :=
  match l with
  | [] => true
  | n :: l => negb (existsb (N.eqb n) l) && distinct l
  end.
(* Compact, the part with the smallest number fastest. Two parts of more than one element may not tie. *)
Definition make_ordered_layout (s o : tuple) : option (layout N) :=
  all <- collect_ordered s o;
  if distinct (map fst (List.filter big all)) then Some (ordered (fun n => weight_below n all) s o) else None.

(* What a part becomes that begins at w. *)
Definition part (w : N) (s : tuple) : modes := unit_leaves (compact (extents s) w).

Lemma unit_leaves_app l m : unit_leaves (l ++ m) = unit_leaves l ++ unit_leaves m.
Proof. apply map_app. Qed.

Lemma ordered_parts w s o all : collect_ordered s o = Some all ->
  shape (ordered w s o) = s /\ leaves (ordered w s o) = flat_map (fun p => part (w (fst p)) (snd p)) all /\
  extents s = flat_map (fun p => extents (snd p)) all.
Proof.
  revert s all. induction o as [n|os IH] using tuple_induction; intros s all E.
  - injection E as <-. simpl. rewrite shape_unit_zero, colex_shape, leaves_unit_zero, colex_leaves, !app_nil_r. easy.
  - destruct s as [m|ss]; [discriminate|]. cbn [collect_ordered ordered shape leaves extents] in *.
    enough (forall ss all, (fix go os ss := match os, ss with
        | [], [] => Some []
        | o :: os, s :: ss => x <- collect_ordered s o; y <- go os ss; Some (x ++ y)
        | _, _ => None
        end) os ss = Some all ->
      let k := (fix go os ss := match os, ss with
          | o :: os, s :: ss => ordered w s o :: go os ss
          | _, _ => []
          end) os ss in
      map shape k = ss /\ flat_map leaves k = flat_map (fun p => part (w (fst p)) (snd p)) all /\
      flat_map extents ss = flat_map (fun p => extents (snd p)) all) as K.
    { destruct (K ss all E) as (K1 & K2 & K3). now rewrite K1. }
    clear ss all E. induction IH as [|o os Ho _ IH]; intros [|s ss] all E; try discriminate; [now injection E as <-|].
    destruct (collect_ordered s o) as [x|] eqn:Ex; [|discriminate]. cbn [bind] in E.
    match type of E with bind ?g _ = _ => destruct g as [y|] eqn:Ey; [|discriminate] end. injection E as <-.
    destruct (Ho s x Ex) as (H1 & H2 & H3), (IH ss y Ey) as (K1 & K2 & K3).
    cbn [map flat_map]. rewrite !flat_map_app. simpl. rewrite H1, H2, H3. simpl in K1, K2. rewrite K1, K2, K3. easy.
Qed.

Lemma wide_app (l m : modes) : wide (l ++ m) = wide l ++ wide m.
Proof. apply filter_app. Qed.

(* A part is tight from where it begins, and ends its size later. *)
Lemma part_tight w s m : Forall (fun n => 0 < n) (extents s) ->
  tight_from w (wide (part w s) ++ m) = tight_from (w * tsize s) m.
Proof.
  rewrite tsize_extents. unfold part. generalize (extents s) as l. intros l P. revert w.
  induction P as [|n l Hn P IH]; intros w; [now rewrite N.mul_1_r|]. cbn [compact fold_right].
  unfold unit_leaves, wide in *.
  cbn [map List.filter fst snd]. destruct (N.ltb_spec 1 n).
  - rewrite (proj2 (N.eqb_neq n 1)) by lia. cbn [app tight_from]. rewrite N.eqb_refl. cbn [andb].
    rewrite (N.mul_comm n w), IH. f_equal. lia.
  - replace n with 1 by lia. rewrite !N.mul_1_r, N.mul_1_l. apply IH.
Qed.
Lemma part_of_one w s : Forall (fun n => 0 < n) (extents s) -> tsize s <= 1 -> wide (part w s) = [].
Proof.
  rewrite tsize_extents. unfold part. generalize (extents s) as l. intros l P. revert w.
  induction P as [|n l Hn P IH]; intros w L; [easy|]. cbn [fold_right] in L. pose proof (product_positive l P).
  unfold unit_leaves, wide in *. cbn [compact map List.filter fst snd].
  destruct (N.ltb_spec 1 n); [nia|]. apply IH. nia.
Qed.

Lemma weight_permutation n l m : Permutation l m -> weight_below n l = weight_below n m.
Proof. unfold weight_below. induction 1; simpl; lia || congruence. Qed.
Lemma weight_big n all : Forall (fun p => 0 < tsize (snd p)) all ->
  weight_below n (List.filter big all) = weight_below n all.
Proof.
  unfold weight_below. induction 1 as [|p all Hp P IH]; [easy|]. simpl. unfold big at 1.
  destruct (N.ltb_spec 1 (tsize (snd p))); simpl; rewrite IH; [easy|].
  destruct (fst p <? n); nia.
Qed.

Lemma distinct_nodup l : distinct l = true <-> NoDup l.
Proof.
  induction l as [|n l IH]; simpl; [split; [constructor|easy]|].
  rewrite andb_true_iff, negb_true_iff, NoDup_cons_iff, IH.
  rewrite <- not_true_iff_false, existsb_exists. split; intros [H K]; (split; [|easy]); intros C; apply H.
  - exists n. now rewrite N.eqb_refl.
  - destruct C as (m & I & E). now apply N.eqb_eq in E as ->.
Qed.

(* Parts in the order of their numbers, each beginning where those before end, are tight. *)
Lemma sorted_parts_tight pre l : Forall (fun p => Forall (fun n => 0 < n) (extents (snd p))) l -> sorted fst l = true ->
  NoDup (map fst l) -> (forall p q, In p pre -> In q l -> fst p < fst q) ->
  tight_from (fold_right N.mul 1 (map (fun p => tsize (snd p)) pre)) (flat_map (fun p =>
  wide (part (weight_below (fst p) (pre ++ l)) (snd p))) l) = true.
Proof.
  revert pre. induction l as [|[n s] l IH]; intros pre P S Nd Lt; [easy|]. cbn [flat_map fst snd].
  apply Forall_cons_iff in P as [Ps P]. destruct (sorted_least _ _ _ S) as [S' least]. cbn [map fst] in Nd.
  apply NoDup_cons_iff in Nd as [Nn Nd].
  assert (weight_below n (pre ++ (n, s) :: l) = fold_right N.mul 1 (map (fun p => tsize (snd p)) pre)) as E.
  { unfold weight_below. rewrite map_app, product_app.
    assert (fold_right N.mul 1 (map (fun p => if fst p <? n then tsize (snd p) else 1) ((n, s) :: l)) = 1) as ->.
    { cbn [map fold_right fst]. rewrite N.ltb_irrefl, N.mul_1_l. clear - least. induction l as [|q l IH];
        [easy|]. simpl.
      assert (n <= fst q) by (apply least; now left). rewrite (proj2 (N.ltb_ge (fst q) n)) by easy. rewrite N.mul_1_l.
      apply IH. intros y I. apply least. now right. }
    rewrite N.mul_1_r. f_equal. apply map_ext_in. intros p I. specialize (Lt p (n, s) I (or_introl eq_refl)).
    simpl in Lt.
    now rewrite (proj2 (N.ltb_lt (fst p) n) Lt). }
  rewrite E, part_tight by easy.
  specialize (IH (pre ++ [(n, s)]) P S' Nd). rewrite <- app_assoc in IH. cbn [app] in IH.
  rewrite map_app, product_app in IH. cbn [map fold_right snd] in IH. rewrite N.mul_1_r in IH. apply IH.
  intros p q I J. apply in_app_iff in I as [I|[<-|[]]]; [apply Lt; [easy|now right]|].
  apply N.le_neq. split; [now apply (least q)|]. intros F. apply Nn. simpl in F. rewrite F. now apply in_map.
Qed.

Lemma flat_map_nothing {X Y} (p : X -> bool) (f : X -> list Y) l : (forall x, In x l -> p x = false -> f x = []) ->
  flat_map f l = flat_map f (List.filter p l).
Proof.
  induction l as [|x l IH]; intros E; [easy|]. simpl.
  destruct (p x) eqn:Q; simpl; rewrite IH by (intros; apply E; [now right|easy]); [easy|].
  now rewrite (E x (or_introl eq_refl) Q).
Qed.

Lemma positive_parts s o all : collect_ordered s o = Some all -> tpositive s = true ->
  Forall (fun p => Forall (fun n => 0 < n) (extents (snd p))) all.
Proof.
  intros E P. apply tpositive_extents in P. destruct (ordered_parts (fun _ => 0) s o all E) as (_ & _ & X).
  rewrite X in P.
  clear - P. induction all as [|p all IH]; [constructor|]. simpl in P. apply Forall_app in P as []. constructor; auto.
Qed.

(* make_ordered_layout(S, O) has shape S and takes 0 .. size-1, each once. *)
Theorem make_ordered_layout_compact s o R : make_ordered_layout s o = Some R ->
  shape R = s /\ (tpositive s = true -> compact_layout R).
Proof.
  unfold make_ordered_layout. destruct (collect_ordered s o) as [all|] eqn:E; [|discriminate]. cbn [bind].
  destruct (distinct _) eqn:Ds; [|discriminate]. intros K. injection K as <-.
  destruct (ordered_parts (fun n => weight_below n all) s o all E) as (Sh & L & _). split; [easy|]. intros P.
  assert (S : shaped (ordered (fun n => weight_below n all) s o) = true) by now rewrite <- tpositive_shape, Sh.
  pose proof (positive_parts s o all E P) as Pp. apply distinct_nodup in Ds.
  assert (Pz : Forall (fun p => 0 < tsize (snd p)) all).
  { eapply Forall_impl; [|exact Pp]. intros p Q. rewrite tsize_extents. now apply product_positive. }
  set (srt := sort fst (List.filter big all)).
  pose proof (sort_permutation fst (List.filter big all)) as Q. fold srt in Q.
  assert (W : wide (leaves (ordered (fun n => weight_below n all) s o)) =
    flat_map (fun p => wide (part (weight_below (fst p) srt) (snd p))) (List.filter big all)).
  { rewrite L. assert (forall l, wide (flat_map (fun p => part (weight_below (fst p) all) (snd p)) l) =
      flat_map (fun p => wide (part (weight_below (fst p) all) (snd p))) l) as ->.
    { induction l as [|p l IH]; [easy|]. cbn [flat_map]. now rewrite wide_app, IH. }
    rewrite (flat_map_nothing big).
    - apply flat_map_ext. intros p. now rewrite <- (weight_permutation _ _ _ Q), weight_big.
    - intros p I B. apply part_of_one; [now apply (proj1 (Forall_forall _ _) Pp p)|]. now apply N.ltb_ge in B. }
  unfold compact_layout. rewrite <- image_wide by exact S. set (A := ordered _ s o) in *.
  rewrite size_product, <- (numel_wide (leaves A)) by exact S.
  assert (Permutation (wide (leaves A)) (flat_map (fun p => wide (part (weight_below (fst p) srt) (snd p))) srt)) as QW.
  { rewrite W. now apply Permutation_flat_map. }
  rewrite (image_permutation _ _ QW (wide_positive _)), (numel_permutation _ _ QW).
  rewrite tight_image; [reflexivity| |].
  - apply (positive_permutation _ _ QW), wide_positive.
  - apply (sorted_parts_tight [] srt); [|apply sort_sorted| |easy].
    + apply Forall_forall. intros p I. apply (Permutation_in _ (Permutation_sym Q)), filter_In in I as [I _].
      now apply (proj1 (Forall_forall _ _) Pp p).
    + apply (Permutation_NoDup (Permutation_map fst Q)). exact Ds.
Qed.

(* It is undefined exactly where two parts of more than one element have the same number. *)
Theorem make_ordered_layout_ties s o all : collect_ordered s o = Some all ->
  (exists R, make_ordered_layout s o = Some R) <-> forall i j p q, i <> j ->
  nth_error (List.filter big all) i = Some p -> nth_error (List.filter big all) j = Some q -> fst p <> fst q.
Proof.
  unfold make_ordered_layout. intros ->. cbn [bind]. split.
  - destruct (distinct _) eqn:Ds; [|now intros [R E]]. intros _ i j p q Ne Hp Hq F. apply Ne.
    apply distinct_nodup in Ds.
    rewrite NoDup_nth_error in Ds. apply Ds.
    + rewrite map_length. apply nth_error_Some. congruence.
    + rewrite (map_nth_error fst i _ Hp), (map_nth_error fst j _ Hq). congruence.
  - intros H. assert (distinct (map fst (List.filter big all)) = true) as ->; [|eauto].
    apply distinct_nodup, NoDup_nth_error.
    intros i j Hi F. destruct (Nat.eq_dec i j) as [|Ne]; [easy|]. rewrite map_length in Hi. rewrite !nth_error_map in F.
    destruct (nth_error (List.filter big all) i) as [p|] eqn:Ep; [|apply nth_error_Some in Hi; contradiction].
    destruct (nth_error (List.filter big all) j) as [q|] eqn:Eq; [|discriminate]. injection F as F.
    now destruct (H i j p q Ne Ep Eq).
Qed.

Lemma weight_step n m p all : Forall (fun p => 0 < tsize (snd p)) all -> In p all -> fst p = n -> n < m ->
  weight_below n all * tsize (snd p) <= weight_below m all.
Proof.
  intros P I <- L. unfold weight_below.
  assert (mono : forall all, Forall (fun p => 0 < tsize (snd p)) all ->
    0 < fold_right N.mul 1 (map (fun q => if fst q <? fst p then tsize (snd q) else 1) all) <=
    fold_right N.mul 1 (map (fun q => if fst q <? m then tsize (snd q) else 1) all)).
  { clear I P all. induction 1 as [|q all Hq P IH]; [simpl; lia|]. cbn [map fold_right].
    destruct IH. destruct (N.ltb_spec (fst q) (fst p)), (N.ltb_spec (fst q) m); try lia;
      (split; [apply mul_pos; lia|apply N.mul_le_mono; lia]). }
  induction P as [|q all Hq P IH]; [easy|]. cbn [map fold_right]. destruct I as [->|I].
  - rewrite N.ltb_irrefl, (proj2 (N.ltb_lt (fst p) m) L). specialize (mono all P). nia.
  - specialize (IH I). destruct (N.ltb_spec (fst q) (fst p)), (N.ltb_spec (fst q) m); try lia;
      rewrite <- N.mul_assoc; apply N.mul_le_mono; lia.
Qed.

Lemma part_bounds w s n d : Forall (fun n => 0 < n) (extents s) -> In (n, d) (part w s) -> 1 < n -> w <= d /\
  d < w * tsize s \/ w = 0.
Proof.
  rewrite tsize_extents. unfold part. generalize (extents s) as l. intros l P. revert w.
  induction P as [|m l Hm P IH]; intros w I Hn; [easy|].
  cbn [compact unit_leaves map fst snd fold_right] in *. pose proof (product_positive l P) as Pl. destruct I as [I|I].
  - injection I as -> <-. rewrite (proj2 (N.eqb_neq n 1)) by lia. destruct (N.eq_dec w 0); [now right|left].
    split; [lia|].
    rewrite <- (N.mul_1_r w) at 1. apply N.mul_lt_mono_pos_l; nia.
  - destruct (IH (w * m) I Hn) as [[L U]|Z]; [|right; nia]. destruct (N.eq_dec w 0); [now right|left]. nia.
Qed.

Definition placed (all : list (N * tuple)) (p : N * tuple) : modes := part (weight_below (fst p) all) (snd p).
(* Of two parts the one of the smaller number has the smaller strides; in a part the leaves count on in their order. *)
Theorem make_ordered_layout_ordered s o all R : tpositive s = true -> collect_ordered s o = Some all ->
  make_ordered_layout s o = Some R -> leaves R = flat_map (placed all) all /\ forall p q m d n e, In p all ->
  In q all -> fst p < fst q -> In (m, d) (placed all p) -> In (n, e) (placed all q) -> 1 < m -> 1 < n -> d < e.
Proof.
  intros P E K. pose proof (positive_parts s o all E P) as Pp. unfold make_ordered_layout in K. rewrite E in K.
  cbn [bind] in K.
  destruct (distinct _); [|discriminate]. injection K as <-.
  destruct (ordered_parts (fun n => weight_below n all) s o all E) as (Sh & L & _). split; [exact L|].
  intros p q m d n e Ip Iq Lt Id Ie Hm Hn. rewrite Forall_forall in Pp.
  assert (Pz : Forall (fun p => 0 < tsize (snd p)) all).
  { apply Forall_forall. intros x I. rewrite tsize_extents. now apply product_positive, Pp. }
  assert (W : forall n, 0 < weight_below n all).
  { intros k. unfold weight_below. apply product_positive, Forall_map. eapply Forall_impl;
      [|exact Pz]. intros x Hx. destruct (_ <? _); [exact Hx|lia]. }
  pose proof (weight_step (fst p) (fst q) p all Pz Ip eq_refl Lt). pose proof (W (fst p)). pose proof (W (fst q)).
  destruct (part_bounds _ _ _ _ (Pp p Ip) Id Hm) as [[]|]; [|lia].
  destruct (part_bounds _ _ _ _ (Pp q Iq) Ie Hn) as [[]|]; [|lia]. lia.
Qed.

(* ---- Like another layout. ---- *)

(* The strides of a layout as a tuple; its extents with the strides of another. *)
Fixpoint stride_tuple (A : layout N) : tuple :=
  match A with
  | Leaf _ d => Int d
  | Node ms => Tup (map stride_tuple ms)
  end.
Fixpoint restore (A B : layout N) : layout N :=
  match A, B with
  | Leaf s _, Leaf _ d => Leaf s d
  | Node ms, Node ns => Node ((fix go ms ns := match ms, ns with m :: ms, n :: ns => restore m n :: go ms ns | _, _ =>
    [] end) ms ns)
  | _, _ => Node []
  end.
(* Compact in the order of A's strides; what A broadcasts stays broadcast. *)
Definition make_layout_like (A : layout N) : option (layout N) :=
  option_map (restore A) (make_ordered_layout (shape (filter_zeros A)) (stride_tuple A)).

(* The leaves of A as parts with their strides for numbers; a broadcast one has one element. *)
Definition numbered (l : modes) : list (N * tuple) := map (fun m => (snd m, Int (if snd m =? 0 then 1 else fst m))) l.
Definition likened (l : modes) : modes :=
  map (fun m => (fst m, if (fst m =? 1) || (snd m =? 0) then 0 else weight_below (snd m) (numbered l))) l.

Lemma collect_like A : collect_ordered (shape (filter_zeros A)) (stride_tuple A) = Some (numbered (leaves A)).
Proof.
  induction A as [s d|ms IH] using layout_induction; [reflexivity|]. simpl.
  induction IH as [|m ms Hm _ IH]; [reflexivity|]. simpl. rewrite Hm. cbn [bind]. rewrite IH. cbn [bind].
  unfold numbered. now rewrite map_app.
Qed.

Lemma restore_leaves A w (f := fun m : N * N => (fst m, if (fst m =? 1) || (snd m =? 0) then 0 else w (snd m))) :
  (forall n, 0 < w n) -> let O :=
  ordered w (shape (filter_zeros A)) (stride_tuple A) in shape (restore A O) = shape A /\
  leaves (restore A O) = map f (leaves A) /\ leaves (filter_zeros (restore A O)) = leaves O.
Proof.
  intros W. induction A as [s d|ms IH] using layout_induction.
  - subst f. simpl. change (same d 0) with (d =? 0). destruct (N.eqb_spec d 0) as [->|Hd]; [now rewrite orb_true_r|].
    rewrite orb_false_r. destruct (N.eqb_spec s 1) as [->|]; [easy|]. specialize (W d). simpl.
    change (same (w d) 0) with (w d =? 0). rewrite (proj2 (N.eqb_neq (w d) 0)) by lia. easy.
  - cbn. induction IH as [|m ms (H1 & H2 & H3) _ (K1 & K2 & K3)]; [easy|]. simpl in *. injection K1 as K1.
    rewrite map_app, H1, H2, H3, K1, K2, K3. easy.
Qed.

Lemma weight_positive n all : Forall (fun p => 0 < tsize (snd p)) all -> 0 < weight_below n all.
Proof.
  intros P. unfold weight_below. apply product_positive, Forall_map. eapply Forall_impl; [|exact P]. intros p Hp.
  destruct (_ <? _); [exact Hp|lia].
Qed.
Lemma numbered_positive l : positive l = true -> Forall (fun p => 0 < tsize (snd p)) (numbered l).
Proof.
  intros P. apply Forall_map, Forall_forall. intros [s d] I. simpl. destruct (d =? 0); [lia|].
  unfold positive in P. rewrite forallb_forall in P. now apply N.ltb_lt, (P (s, d)).
Qed.

Lemma like_spec A R : shaped A = true -> make_layout_like A = Some R -> shape R = shape A /\
  leaves R = likened (leaves A) /\ exists O, make_ordered_layout (shape (filter_zeros A)) (stride_tuple A) = Some O /\
  leaves (filter_zeros R) = leaves O.
Proof.
  unfold make_layout_like, make_ordered_layout. intros S. rewrite collect_like. cbn [bind].
  destruct (distinct _); [|discriminate].
  cbn [option_map]. intros E. injection E as <-.
  destruct (restore_leaves A (fun n => weight_below n (numbered (leaves A)))) as (H1 & H2 & H3).
  - intros n. now apply weight_positive, numbered_positive.
  - split; [easy|]. split; [easy|]. eauto.
Qed.

(* make_layout_like(A) has the shape of A and is compact where A moves; where A broadcasts it does. *)
Theorem make_layout_like_compact A R : shaped A = true -> make_layout_like A = Some R ->
  shape R = shape A /\ Permutation (image (leaves (filter_zeros R))) (iota (size (filter_zeros R))).
Proof.
  intros S E. destruct (like_spec A R S E) as (Sh & _ & O & EO & L). split; [easy|].
  destruct (make_ordered_layout_compact _ _ _ EO) as [ShO C]. rewrite size_product, L, <- size_product. apply C.
  rewrite tpositive_shape. unfold shaped. rewrite filter_zeros_leaves. now apply positive_without_zeros.
Qed.

Lemma likened_nth l k s d : nth_error l k = Some (s, d) ->
  nth_error (likened l) k = Some (s, if (s =? 1) || (d =? 0) then 0 else weight_below d (numbered l)).
Proof. intros E. unfold likened. now rewrite (map_nth_error _ k l E). Qed.

(* A leaf of stride 0 in A has stride 0 in it, and no other of extent above 1. *)
Theorem make_layout_like_broadcast A R k s d : shaped A = true -> make_layout_like A = Some R ->
  nth_error (leaves A) k = Some (s, d) -> exists e, nth_error (leaves R) k = Some (s, e) /\ (1 < s -> e = 0 <-> d = 0).
Proof.
  intros S E K. destruct (like_spec A R S E) as (_ & L & _). rewrite L, (likened_nth _ _ _ _ K). eexists.
  split; [reflexivity|]. intros Hs.
  rewrite (proj2 (N.eqb_neq s 1)) by lia. simpl. destruct (N.eqb_spec d 0) as [->|]; [easy|].
  pose proof (weight_positive d _ (numbered_positive _ S)). lia.
Qed.

(* Its strides are ordered as those of A. *)
Theorem make_layout_like_ordered A R j k s d t e : shaped A = true -> make_layout_like A = Some R ->
  nth_error (leaves A) j = Some (s, d) -> nth_error (leaves A) k = Some (t, e) -> 1 < s -> 1 < t -> d < e ->
  exists f g, nth_error (leaves R) j = Some (s, f) /\ nth_error (leaves R) k = Some (t, g) /\ f < g.
Proof.
  intros S E J K Hs Ht L. destruct (like_spec A R S E) as (_ & LR & _).
  rewrite LR, (likened_nth _ _ _ _ J), (likened_nth _ _ _ _ K). do 2 eexists. split; [reflexivity|].
  split; [reflexivity|].
  rewrite (proj2 (N.eqb_neq s 1)), (proj2 (N.eqb_neq t 1)), (proj2 (N.eqb_neq e 0)) by lia. cbn [orb].
  pose proof (numbered_positive _ S) as P. pose proof (weight_positive e _ P).
  destruct (N.eqb_spec d 0) as [->|]; [easy|].
  assert (In (d, Int s) (numbered (leaves A))) as I.
  { apply nth_error_In in J. apply in_map_iff. exists (s, d). simpl. now rewrite (proj2 (N.eqb_neq d 0)). }
  pose proof (weight_step d e _ _ P I eq_refl L). simpl in *. pose proof (weight_positive d _ P). nia.
Qed.

(* ---- Registers for a tile. ---- *)

(* Compact in the order of the leaves, from w, where A moves. *)
Fixpoint counted (w : N) (A : layout N) : layout N :=
  match A with
  | Leaf s d => Leaf s (if (1 <? s) && negb (d =? 0) then w else 0)
  | Node ms => Node ((fix go w ms := match ms with m :: ms => counted w m :: go (w * size (filter_zeros m)) ms | [] =>
    [] end) w ms)
  end.
(* Mode 0 compact first, the rest behind it in the order of A's strides; of one mode or none the compact layout. *)
Definition make_fragment_like (A : layout N) : option (layout N) :=
  match A with
  | Node (m :: (_ :: _) as ms) =>
      O <- make_ordered_layout (Tup (map shape ms)) (Tup (map stride_tuple ms));
      P <- logical_product (counted 1 m) O; R <- mode P 1; Some (unpack_from 1 (Node [counted 1 m; R]))
  | _ => Some (make_layout_left (shape A))
  end.

Lemma no_zeros l : (forall s d, In (s, d) l -> 1 < s -> d <> 0) -> positive l = true ->
  numel (without_zeros l) = numel l.
Proof.
  induction l as [|[s d] l IH]; intros M P; [easy|]. apply positive_cons in P as [Hs P].
  cbn [without_zeros map fst snd numel].
  fold (without_zeros l). rewrite IH by (try easy; intros t e I; apply M; now right).
  change (same d zero) with (d =? 0).
  destruct (N.eqb_spec d 0) as [->|]; [|easy]. destruct (N.eq_dec s 1) as [->|]; [easy|]. exfalso.
  apply (M s 0); [now left|lia|easy].
Qed.

Lemma counted_spec A w : shaped A = true -> (forall s d, In (s, d) (leaves A) -> 1 < s -> d <> 0) ->
  shape (counted w A) = shape A /\ leaves (counted w A) = unit_leaves (compact (extents (shape A)) w).
Proof.
  revert w. induction A as [s d|ms IH] using layout_induction; intros w S M.
  - split; [easy|]. simpl. unfold unit_leaves. simpl. do 2 f_equal. destruct (N.ltb_spec 1 s).
    + rewrite (proj2 (N.eqb_neq s 1)), (proj2 (N.eqb_neq d 0)); [easy|now apply (M s); [left|]|lia].
    + apply positive_cons in S as [S _]. now replace s with 1 by lia.
  - rewrite shaped_node in S. cbn [counted shape leaves extents] in *. revert w.
    induction IH as [|m ms Hm _ IH]; intros w; [easy|]. apply Forall_cons_iff in S as [Sm S].
    assert (Mm : forall s d, In (s, d) (leaves m) -> 1 < s ->
      d <> 0) by (intros; apply (M s); [apply in_app_iff; now left|easy]).
    destruct (Hm w Sm Mm) as [H1 H2].
    destruct (IH S ltac:(intros s d I; apply M, in_app_iff; now right) (w * size (filter_zeros m))) as [K1 K2].
    injection K1 as K1.
    cbn [map flat_map]. rewrite H1, H2, K1, K2. split; [easy|]. rewrite compact_app, unit_leaves_app. do 3 f_equal.
    rewrite (size_product (filter_zeros m)), filter_zeros_leaves, no_zeros by easy.
    now rewrite <- size_product, <- tsize_shape, tsize_extents.
Qed.

Lemma counted_identity A i : shaped A = true -> (forall s d, In (s, d) (leaves A) -> 1 < s -> d <> 0) -> i < size A ->
  apply (counted 1 A) i = i.
Proof.
  intros S M Hi. destruct (counted_spec A 1 S M) as [Sh L].
  rewrite apply_inside by (rewrite <- ?tpositive_shape, <- ?tsize_shape, Sh, ?tpositive_shape, ?tsize_shape; easy).
  rewrite L, value_in_unit, value_in_compact by now apply tpositive_extents; rewrite tpositive_shape.
  rewrite <- tsize_extents, tsize_shape, N.mod_small; lia.
Qed.

Lemma moves_all A : broadcasts A = false -> forall s d, In (s, d) (leaves A) -> 1 < s -> d <> 0.
Proof.
  intros B s d I Hs ->. assert (broadcasts A = true); [|congruence]. apply existsb_exists. exists (s, 0).
  simpl. now rewrite (proj2 (N.ltb_lt 1 s) Hs).
Qed.

Lemma fragment_parts m n ms R : make_fragment_like (Node (m :: n :: ms)) = Some R -> exists O y,
  make_ordered_layout (Tup (map shape (n :: ms))) (Tup (map stride_tuple (n :: ms))) = Some O /\
  logical_product (counted 1 m) O = Some (Node [counted 1 m; y]) /\ R = unpack_from 1 (Node [counted 1 m; y]).
Proof.
  unfold make_fragment_like. destruct (make_ordered_layout _ _) as [O|]; [|discriminate]. cbn [bind].
  destruct (logical_product _ O) as [P|] eqn:E; [|discriminate]. cbn [bind].
  destruct (product_parts _ _ _ E) as (X & Y & _ & _ & ->). intros K. injection K as <-. eauto.
Qed.

(* make_fragment_like(A) takes 0 .. size-1, each once, for A that does not broadcast. *)
Theorem make_fragment_like_compact A R : shaped A = true -> broadcasts A = false -> make_fragment_like A = Some R ->
  size R = size A /\ compact_layout R.
Proof.
  intros S B. assert (left : forall R, make_layout_left (shape A) = R -> size R = size A /\ compact_layout R).
  { intros R' <-. split; [rewrite <- tsize_shape, (proj1 (make_layout_left_colex _)); apply tsize_shape|].
    apply (made_compact false). now rewrite tpositive_shape. }
  destruct A as [s d|[|m [|n ms]]]; try (intros E; injection E as E; now apply left).
  intros E. destruct (fragment_parts m n ms R E) as (O & y & EO & EP & ->). clear left.
  pose proof (moves_all _ B) as M. apply shaped_node, Forall_cons_iff in S as [Sm S].
  assert (Mm : forall s d, In (s, d) (leaves m) -> 1 < s -> d <> 0) by (intros s d I; apply M, in_app_iff; now left).
  destruct (counted_spec m 1 Sm Mm) as [ShF LF]. set (F := counted 1 m) in *.
  assert (SF : shaped F = true) by now rewrite <- tpositive_shape, ShF, tpositive_shape.
  assert (ZF : size F = size m) by now rewrite <- tsize_shape, ShF, tsize_shape.
  assert (CF : compact_layout F).
  { unfold compact_layout. rewrite image_leaves by easy. assert (map (apply F) (iota (size F)) = iota (size F)) as ->;
      [|reflexivity].
    rewrite <- (map_id (iota (size F))) at 2. apply map_ext_in. intros i Hi. rewrite in_iota in Hi.
    apply counted_identity; try easy. lia. }
  destruct (make_ordered_layout_compact _ _ _ EO) as [ShO CO].
  assert (PO : tpositive (Tup (map shape (n :: ms))) = true).
  { apply tpositive_tuple, Forall_map. eapply Forall_impl; [|exact S]. intros a. now rewrite tpositive_shape. }
  assert (SO : shaped O = true) by now rewrite <- tpositive_shape, ShO.
  pose proof (compact_product F O _ SF SO CF (CO PO) EP) as CP.
  assert (LU : leaves (unpack_from 1 (Node [F; y])) = leaves (Node [F; y])).
  { unfold unpack_from. simpl. rewrite !app_nil_r. f_equal. destruct y as [|[|a [|b k]]]; simpl;
      now rewrite ?app_nil_r. }
  assert (size (Node [F; y]) = size (Node (m :: n :: ms))) as Z.
  { destruct (logical_product_compatible F O _ SO EP) as (y' & Ey & C). injection Ey as <-. apply compatible_size
      in C. rewrite !tsize_shape in C.
    change (size (Node (m :: n :: ms))) with (size m * size (Node (n :: ms))).
    change (size (Node [F; y])) with (size F * (size y * 1)). rewrite <- C, ZF, N.mul_1_r. f_equal.
    now rewrite <- tsize_shape, ShO, <- (tsize_shape (Node (n :: ms))). }
  split; [rewrite size_product, LU, <- size_product; exact Z|].
  unfold compact_layout in *. rewrite size_product, LU, <- size_product. exact CP.
Qed.

(* The values of mode 0 come first: mode 0 of it counts. *)
Theorem make_fragment_like_first A R m i : shaped A = true -> broadcasts A = false -> make_fragment_like A = Some R ->
  mode A 0 = Some m -> i < size m -> exists F, mode R 0 = Some F /\ size F = size m /\ apply F i = i.
Proof.
  intros S B E Em Hi. assert (left : forall m : layout N, shaped m = true -> i < size m ->
    size (make_layout_left (shape m)) = size m /\ apply (make_layout_left (shape m)) i = i).
  { intros a Sa Ha. destruct (make_layout_left_colex (shape a)) as [Sh V]. split; [now rewrite <- tsize_shape, Sh,
    tsize_shape|].
    apply V; [now rewrite tpositive_shape|now rewrite tsize_shape]. }
  destruct A as [s d|[|a [|n ms]]]; try discriminate; injection Em as <-.
  - injection E as <-. eexists. split; [reflexivity|]. now apply (left (Leaf s d)).
  - injection E as <-. exists (make_layout_left (shape a)). split; [reflexivity|]. apply left; [|easy].
    apply shaped_node in S. now inversion S.
  - destruct (fragment_parts a n ms R E) as (O & y & _ & _ & ->). exists (counted 1 a). split; [easy|].
    apply shaped_node, Forall_cons_iff in S as [Sm S].
    assert (Mm : forall s d, In (s, d) (leaves a) -> 1 < s -> d <> 0) by (intros s d I; apply (moves_all _ B),
      in_app_iff; now left).
    split; [now rewrite <- tsize_shape, (proj1 (counted_spec a 1 Sm Mm)), tsize_shape|now apply counted_identity].
Qed.
