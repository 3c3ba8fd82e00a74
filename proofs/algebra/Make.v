(* Layouts made from a shape: compact in one order or the other; threads spread over a domain. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Product.
Local Open Scope N_scope.

(* Strides w, w*s0, ... in the order of the leaves; extent 1 has stride 0. *)
Fixpoint unit_zero (A : layout N) : layout N :=
  match A with
  | Leaf s d => Leaf s (if s =? 1 then 0 else d)
  | Node ms => Node (map unit_zero ms)
  end.
Definition make_layout_left (t : tuple) : layout N := unit_zero (colex t 1).

Fixpoint reversed_tuple (t : tuple) : tuple :=
  match t with
  | Int n => Int n
  | Tup l => Tup (rev (map reversed_tuple l))
  end.
Fixpoint reversed (A : layout N) : layout N :=
  match A with
  | Leaf s d => Leaf s d
  | Node ms => Node (rev (map reversed ms))
  end.
Definition make_layout_right (t : tuple) : layout N := reversed (make_layout_left (reversed_tuple t)).

Definition unit_leaves (l : modes) : modes := map (fun m => (fst m, if fst m =? 1 then 0 else snd m)) l.

Lemma leaves_unit_zero A : leaves (unit_zero A) = unit_leaves (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; [reflexivity|]. simpl. unfold unit_leaves.
  induction IH as [|m ms Hm _ IH]; simpl; [reflexivity|]. now rewrite map_app, Hm, IH.
Qed.
Lemma shape_unit_zero A : shape (unit_zero A) = shape A.
Proof.
  induction A as [s d|ms IH] using layout_induction; simpl; [reflexivity|]. rewrite map_map. f_equal.
  now apply map_ext_Forall.
Qed.
Lemma value_in_unit l i : value_in (unit_leaves l) i = value_in l i.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i; [reflexivity|]. simpl. rewrite IH.
  destruct (N.eqb_spec s 1) as [->|]; [rewrite N.mod_1_r; lia|reflexivity].
Qed.

(* make_layout_left(S) has shape S and value i at i. *)
Theorem make_layout_left_colex t : shape (make_layout_left t) = t /\
  (tpositive t = true -> forall i, i < tsize t -> apply (make_layout_left t) i = i).
Proof.
  unfold make_layout_left. split; [now rewrite shape_unit_zero, colex_shape|]. intros P i Hi.
  assert (S : shaped (unit_zero (colex t 1)) = true) by now rewrite <- tpositive_shape, shape_unit_zero, colex_shape.
  rewrite apply_inside by (try easy; now rewrite <- tsize_shape, shape_unit_zero, colex_shape).
  rewrite leaves_unit_zero, value_in_unit, colex_leaves, value_in_compact by now apply tpositive_extents.
  rewrite <- tsize_extents, N.mod_small; lia.
Qed.

(* A leaf of extent 1 has stride 0. *)
Theorem make_layout_left_unit t d : In (1, d) (leaves (make_layout_left t)) -> d = 0.
Proof.
  unfold make_layout_left. rewrite leaves_unit_zero. unfold unit_leaves. intros I.
  apply in_map_iff in I as ([s e] & E & _).
  simpl in E. injection E as -> <-. reflexivity.
Qed.

Lemma leaves_reversed A : leaves (reversed A) = rev (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; [reflexivity|]. simpl.
  induction IH as [|m ms Hm _ IH]; simpl; [reflexivity|]. rewrite flat_map_app, IH. simpl.
  now rewrite app_nil_r, Hm, rev_app_distr.
Qed.
Lemma extents_reversed t : extents (reversed_tuple t) = rev (extents t).
Proof.
  induction t as [n|l IH] using tuple_induction; [reflexivity|]. simpl.
  induction IH as [|x l Hx _ IH]; simpl; [reflexivity|]. rewrite flat_map_app, IH. simpl.
  now rewrite app_nil_r, Hx, rev_app_distr.
Qed.
Lemma reversed_twice t : reversed_tuple (reversed_tuple t) = t.
Proof.
  induction t as [n|l IH] using tuple_induction; simpl; [reflexivity|]. rewrite map_rev, rev_involutive, map_map.
  f_equal.
  rewrite <- (map_id l) at 2. now apply map_ext_Forall.
Qed.
Lemma shape_reversed A : shape (reversed A) = reversed_tuple (shape A).
Proof.
  induction A as [s d|ms IH] using layout_induction; simpl; [reflexivity|]. rewrite map_rev, !map_map. do 2 f_equal.
  now apply map_ext_Forall.
Qed.

(* Each extent with the product of those behind it. *)
Fixpoint lexicographic (l : list N) : modes :=
  match l with
  | [] => []
  | s :: l => (s, if s =? 1 then 0 else fold_right N.mul 1 l) :: lexicographic l
  end.

Lemma compact_reversed l : rev (unit_leaves (compact (rev l) 1)) = lexicographic l.
Proof.
  induction l as [|s l IH]; [reflexivity|]. simpl. rewrite compact_app. unfold unit_leaves in *.
  rewrite map_app, rev_app_distr, IH. simpl.
  do 2 f_equal. destruct (s =? 1); [easy|]. rewrite N.mul_1_l. clear. induction l as [|n l IH]; simpl; [easy|].
  rewrite product_app, IH. simpl. lia.
Qed.

(* make_layout_right(S) has shape S; each leaf's stride is the product of the extents behind it. *)
Theorem make_layout_right_lex t : shape (make_layout_right t) = t /\
  leaves (make_layout_right t) = lexicographic (extents t).
Proof.
  unfold make_layout_right. split.
  - now rewrite shape_reversed, (proj1 (make_layout_left_colex _)), reversed_twice.
  - unfold make_layout_left. now rewrite leaves_reversed, leaves_unit_zero, colex_leaves, extents_reversed,
      compact_reversed.
Qed.

(* n threads over the extents of a domain: as many as fit each, front to back; what fits nowhere is left over. *)
Fixpoint distribute (l : list N) (w n : N) : modes :=
  match l with
  | [] => []
  | s :: l => let g := N.gcd s n in (g, w) :: distribute l (w * s) (n / g)
  end.
Definition domain_distribute (t : tuple) (n : N) : option (layout N) :=
  if n =? 0 then None else Some (unwrapped (merge (distribute (extents t) 1 n))).

Lemma gcd_below s n : 0 < s -> 0 < n -> 0 < N.gcd s n /\ N.gcd s n <= s /\ (N.gcd s n | s) /\ (N.gcd s n | n).
Proof.
  intros Hs Hn. pose proof (N.gcd_divide_l s n) as L. pose proof (N.gcd_divide_r s n) as R.
  assert (N.gcd s n <> 0) by (intros E; apply N.gcd_eq_0_l in E; lia).
  repeat split; [lia|now apply N.divide_pos_le|easy|easy].
Qed.

Lemma distribute_spec l w n : Forall (fun s => 0 < s) l -> 0 < w -> 0 < n ->
  positive (distribute l w n) = true /\ ordered_from w (distribute l w n) = true /\ (numel (distribute l w n) | n) /\
  forall i, value_in (distribute l w n) i + w <= w * fold_right N.mul 1 l.
Proof.
  intros P. revert w n. induction P as [|s l Hs P IH]; intros w n Hw Hn; simpl.
  - repeat split; [apply N.divide_1_l|intros; lia].
  - destruct (gcd_below s n Hs Hn) as (G & L & Ds & Dn). set (g := N.gcd s n) in *.
    assert (0 < n / g) as Q by (apply N.div_str_pos; split; [easy|now apply N.divide_pos_le]).
    destruct (IH (w * s) (n / g) ltac:(nia) Q) as (P' & O & Dv & B). repeat split.
    + now apply positive_cons.
    + rewrite N.leb_refl. simpl. clear - O L Hw. revert O. generalize (distribute l (w * s) (n / g)) as k.
      intros [|[t e] k]; [easy|]. simpl.
      intros O. apply andb_true_iff in O as [O ->]. rewrite andb_true_r. apply N.leb_le in O. apply N.leb_le. nia.
    + apply N.divide_trans with (g * (n / g)); [now apply N.mul_divide_mono_l|]. now rewrite divides_div.
    + intros i. specialize (B (i / g)). assert (i mod g < g) by (apply N.mod_lt; lia). nia.
Qed.

(* The threads stand in increasing order, all inside S. *)
Theorem domain_distribute_increasing t n R i : tpositive t = true -> domain_distribute t n = Some R -> i + 1 < size R ->
  apply R i < apply R (i + 1) /\ apply R (i + 1) < tsize t.
Proof.
  unfold domain_distribute. destruct (N.eqb_spec n 0); [discriminate|]. intros P E. injection E as <-.
  apply tpositive_extents in P.
  destruct (distribute_spec (extents t) 1 n P ltac:(lia) ltac:(lia)) as (Q & O & _ & B).
  destruct (merge_spec _ Q) as (Z & Q' & V).
  rewrite size_unwrapped, Z. intros Hi. rewrite !apply_unwrapped, !V by (easy || lia). specialize (B (i + 1)).
  rewrite <- tsize_extents in B. pose proof (ordered_increases 1 _ i (i + 1) Q ltac:(lia) O ltac:(lia) Hi). lia.
Qed.

(* Front to back each extent s of S takes g = gcd(s, what is left of n): a leaf g of the weight of s; then coalesced. *)
Theorem domain_distribute_greedy t s l w n :
  distribute (s :: l) w n = (N.gcd s n, w) :: distribute l (w * s) (n / N.gcd s n) /\
  domain_distribute t n = if n =? 0 then None else Some (unwrapped (merge (distribute (extents t) 1 n))).
Proof. now split. Qed.

(* ---- Leaves that merge in the domain of a layout are composed together. ---- *)
Section Fits.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* Leaves w of a domain with what a layout makes of them, d. *)
Definition places (l : list (N * (N * D))) : modes := map (fun m => (fst m, fst (snd m))) l.
Definition results (l : list (N * (N * D))) : list (N * D) := map (fun m => (fst m, snd (snd m))) l.
Lemma positive_places l : positive (places l) = positive l.
Proof. unfold positive, places. induction l; simpl; congruence. Qed.
Definition composed_alike (m : N * N) (x : layout) : Prop := size x = fst m /\ shaped x = true.

Lemma value_in_unit_behind (l : list (N * D)) d m i : positive l = true ->
  value_in (l ++ (1, d) :: m) i = value_in (l ++ m) i.
Proof.
  intros P. rewrite !value_in_app by easy. simpl. now rewrite N.mod_1_r, times_0, plus_zero, N.div_1_r.
Qed.

Lemma merged_onto_results l s w (x : layout) : positive l = true -> composed_alike (s, w) x -> 0 < s ->
  exists ms, Forall2 composed_alike (merge_onto s w (places l)) ms /\
    forall i, value_in (flat_map leaves ms) i = value_in (leaves x ++ results l) i.
Proof.
  revert s w x. induction l as [|[t [e d]] l IH]; intros s w x P [Z S] Hs.
  - exists [x]. split; [repeat constructor; easy|]. intros i. simpl. now rewrite !app_nil_r.
  - apply positive_cons in P as [Ht P]. cbn [places map fst snd merge_onto]. fold (places l).
    destruct (N.eqb_spec t 1) as [->|].
    + destruct (IH s w x P (conj Z S) Hs) as (ms & F & V). exists ms. split; [easy|]. intros i. rewrite V. symmetry.
      now apply value_in_unit_behind.
    + destruct (same (s *: w) e) eqn:C.
      * destruct (IH (s * t) w (Node [x; Leaf t d]) P) as (ms & F & V).
        -- split; [simpl in *; rewrite Z; lia|]. apply shaped_node. repeat constructor; [easy|now apply positive_cons].
        -- nia.
        -- exists ms. split; [easy|]. intros i. rewrite V. simpl. now rewrite <- app_assoc.
      * destruct (IH t e (Leaf t d) P) as (ms & F & V); [split; [easy|now apply positive_cons]|easy|].
        exists (x :: ms). split; [constructor; easy|]. intros i. simpl. rewrite !value_in_app by easy. f_equal. apply V.
Qed.

Lemma merged_results l : positive l = true -> exists ms, Forall2 composed_alike (merge (places l)) ms /\
  forall i, value_in (flat_map leaves ms) i = value_in (results l) i.
Proof.
  induction l as [|[t [e d]] l IH]; intros P; [exists []; repeat constructor|]. apply positive_cons in P as [Ht P].
  cbn [places map fst snd merge]. fold (places l). destruct (N.eqb_spec t 1) as [->|].
  - destruct (IH P) as (ms & F & V). exists ms. split; [easy|]. intros i. rewrite V. simpl.
    now rewrite N.mod_1_r, times_0, plus_zero, N.div_1_r.
  - destruct (merged_onto_results l t e (Leaf t d) P) as (ms & F & V); [split; [easy|now apply positive_cons]|easy|].
    eauto.
Qed.

Lemma alike_compatible k ms : Forall2 composed_alike k ms -> Forall (fun m => 0 < fst m) k ->
  exists C : layout, compatible (shape (unwrapped k)) (shape C) = true /\ shaped C = true /\
    forall i, value_in (leaves C) i = value_in (flat_map leaves ms) i.
Proof.
  intros F _. assert (Forall2 (fun x y => compatible x y =
    true) (map shape (map (fun m : N * N => Leaf (fst m) (snd m)) k)) (map shape ms) /\
    Forall (fun m => shaped m = true) ms) as [C S].
  { induction F as [|m x k ms [Z S] F [IHC IHS]]; [repeat constructor|]. split; [|now constructor]. simpl. constructor;
      [|exact IHC].
    apply N.eqb_eq. now rewrite tsize_shape. }
  destruct F as [|m x k ms [Z S'] F].
  - exists (Leaf 1 zero). split; [easy|]. split; [easy|]. intros i. simpl. now rewrite times_zero, plus_zero.
  - destruct m as [s e]. destruct F as [|m' x' k ms A F].
    + exists x. split; [apply N.eqb_eq; now rewrite tsize_shape|]. split; [easy|]. intros i. simpl.
      now rewrite app_nil_r.
    + exists (Node (x :: x' :: ms)). split; [|split; [now apply shaped_node|easy]].
      unfold compatible. cbn [unwrapped]. cbn [shape]. apply faces_tuples. exact C.
Qed.

(* What distribute takes of the leaves of a layout. *)
Fixpoint taken (l : list (N * D)) (w n : N) : list (N * (N * D)) :=
  match l with
  | [] => []
  | (s, d) :: l => let g := N.gcd s n in (g, (w, d)) :: taken l (w * s) (n / g)
  end.
Lemma places_taken l w n : places (taken l w n) = distribute (map fst l) w n.
Proof. revert w n. induction l as [|[s d] l IH]; intros w n; simpl; [easy|]. now rewrite <- IH. Qed.
Lemma results_taken l v w n : results (taken l v n) = results (taken l w n).
Proof. revert v w n. induction l as [|[s d] l IH]; intros v w n; simpl; [easy|]. f_equal. apply IH. Qed.
Lemma distribute_scaled l w v n i : value_in (distribute l (w * v) n) i = w * value_in (distribute l v n) i.
Proof.
  revert v n i. induction l as [|s l IH]; intros v n i; simpl; [lia|]. replace (w * v * s) with (w * (v * s)) by lia.
  rewrite IH. lia.
Qed.

(* A layout at the place of a thread takes the digits one by one. *)
Lemma taken_values l n i : positive l = true -> 0 < n ->
  value_in l (value_in (distribute (map fst l) 1 n) i) = value_in (results (taken l 1 n)) i.
Proof.
  revert n i. induction l as [|[s d] l IH]; intros n i P Hn; [reflexivity|]. apply positive_cons in P as [Hs P].
  destruct (gcd_below s n Hs Hn) as (G & L & Ds & Dn). cbn [map fst distribute taken results value_in snd].
  set (g := N.gcd s n) in *. replace (1 * s) with (s * 1) by lia. rewrite distribute_scaled.
  assert (i mod g < s) by (apply N.lt_le_trans with g; [apply N.mod_lt; lia|easy]).
  change (i mod g *: 1) with (i mod g * 1). rewrite N.mul_1_r.
  rewrite digit_mod, digit_div by easy. f_equal. fold (results (taken l (s * 1) (n / g))).
  rewrite (results_taken l (s * 1) 1). apply IH; [easy|].
  apply N.div_str_pos. split; [easy|]. now apply N.divide_pos_le.
Qed.

(* The number of threads divides n, and any layout of shape S can be composed with them. *)
Theorem domain_distribute_fits t n R (A : layout) : tpositive t = true -> domain_distribute t n = Some R ->
  shape A = t -> (size R | n) /\ exists C, composition A R = Some C.
Proof.
  unfold domain_distribute. destruct (N.eqb_spec n 0); [discriminate|]. intros P0 E T. injection E as <-.
  assert (P := P0).
  apply tpositive_extents in P. destruct (distribute_spec (extents t) 1 n P ltac:(lia) ltac:(lia)) as (Q & O & Dv & B).
  destruct (merge_spec _ Q) as (Z & Q' & V). split; [now rewrite size_unwrapped, Z|].
  assert (SA : shaped A = true) by (rewrite <- tpositive_shape, T; exact P0).
  assert (ET : extents t = map fst (leaves A)) by now rewrite <- T, extents_shape. rewrite ET in *.
  apply composition_defined; [easy|now rewrite shaped_unwrapped|].
  assert (Pt : positive (taken (leaves A) 1 n) = true).
  { now rewrite <- positive_places, places_taken. }
  destruct (merged_results _ Pt) as (ms & F & W). rewrite places_taken in F.
  destruct (alike_compatible _ _ F) as (C & CC & SC & VC).
  { revert Q'. unfold positive. rewrite forallb_forall, Forall_forall. intros Q' x I. apply N.ltb_lt. now apply Q'. }
  exists C. split; [easy|]. split; [easy|]. intros i Hi.
  assert (size C = size (unwrapped (merge (distribute (map fst (leaves A)) 1 n)))) as ZC
    by (apply compatible_size in CC; now rewrite !tsize_shape in CC).
  rewrite apply_inside by (rewrite ?ZC; easy). rewrite VC, W.
  rewrite size_unwrapped in Hi. rewrite apply_unwrapped, V by easy.
  rewrite apply_inside; [rewrite taken_values; [reflexivity|exact SA|lia]|easy|].
  specialize (B i). rewrite <- tsize_shape, T, tsize_extents, ET. lia.
Qed.
End Fits.
