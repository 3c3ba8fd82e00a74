(* The shape of a share of a matrix that counts in steps along rows and columns: that of the matrix alone decides. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiled_shares.
Local Open Scope N_scope.

(* Multiples of d are different. *)
Definition torsion_free {D} `{module D} (d : D) : Prop := forall n k, n *: d = k *: d -> n = k.
Definition scaled_leaves {D} `{module D} (d : D) (l : modes) : list (N * D) := map (fun m => (fst m, snd m *: d)) l.
(* Both count in steps, of d and of e, as one function of the index does; and they are of one shape. *)
Definition stepped_alike {D E} `{module D} `{module E} (X : layout D) (d : D) (Y : layout E) (e : E) : Prop :=
  shape X = shape Y /\ exists h : N -> N, forall i, i < size X -> apply X i = h i *: d /\ apply Y i = h i *: e.

Section Tables.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Lemma scaled_table (h : N -> N) (d : D) n : torsion_free d ->
  table (fun x => h x *: d) n = option_map (scaled_leaves d) (table h n).
Proof.
  intros F. unfold table. generalize 1 at 1 2 as w. generalize (N.to_nat n) as fuel. intros fuel. revert n.
  assert (R : forall w n fuel k, run (fun x => h x *: d) (h w *: d) w n k fuel = run h (h w) w n k fuel).
  { clear fuel. intros w n fuel. induction fuel as [|fuel IH]; intros k; [reflexivity|]. cbn [run].
    assert (same (h (w * k) *: d) (k *: (h w *: d)) = same (h (w * k)) (k *: h w)) as ->; [|now rewrite IH].
    apply eq_true_iff_eq. rewrite !same_true, <- times_mul. split; [apply F|]. cbn. now intros ->. }
  induction fuel as [|fuel IH]; intros n w; cbn [layout_of_table]; [now destruct (n <=? 1)|].
  destruct (n <=? 1); [easy|]. rewrite R. destruct (_ =? 0); [|easy]. rewrite IH.
  now destruct (layout_of_table h _ _ fuel).
Qed.
Lemma unwrapped_shape {E} `{module E} (l : list (N * D)) (k : list (N * E)) : map fst l = map fst k ->
  shape (unwrapped l) = shape (unwrapped k).
Proof.
  destruct l as [|[s d] [|[t e] l]], k as [|[s' d'] [|[t' e'] k]]; intros M; try discriminate; [easy|now injection M
    as ->|].
  cbn [unwrapped shape]. rewrite !map_map. cbn [shape]. rewrite <- !(map_map fst Int). now rewrite M.
Qed.
End Tables.

Section Alike.
Context {D E : Type} `{module D} `{module E}.

Lemma leaf_alike (X : layout D) (Y : layout E) d e (h : N -> N) s w R Q : torsion_free d -> torsion_free e ->
  (forall x, x < s -> apply X (x * w) = h x *: d /\ apply Y (x * w) = h x *: e) ->
  compose_leaf X s w = Some R -> compose_leaf Y s w = Some Q -> shape R = shape Q.
Proof.
  intros Fd Fe V. unfold compose_leaf. destruct (w =? 0); [intros K L; injection K as <-; now injection L as <-|].
  destruct (s =? 1); [intros K L; injection K as <-; now injection L as <-|].
  rewrite (table_extensional _ (fun x => h x *: d)) by (intros x Hx; now apply V).
  rewrite (table_extensional _ (fun x => h x *: e)) by (intros x Hx; now apply V).
  rewrite !scaled_table by easy. destruct (table h s) as [l|]; [|discriminate]. cbn [option_map].
  intros K L. injection K as <-. injection L as <-. apply unwrapped_shape. unfold scaled_leaves. now rewrite !map_map.
Qed.

(* Where each leaf of B meets steps of one kind alone, what it becomes is of one shape. *)
Lemma composed_alike_shape (X : layout D) (Y : layout E) B R Q : (forall s w, In (s, w) (leaves B) -> exists d e h,
    torsion_free d /\ torsion_free e /\ forall x, x < s -> apply X (x * w) = h x *: d /\ apply Y (x * w) = h x *: e) ->
  composition X B = Some R -> composition Y B = Some Q -> shape R = shape Q.
Proof.
  unfold composition, bind. intros V. destruct (replace_leaves (compose_leaf X) B) as [R'|] eqn:ER; [|discriminate].
  destruct (replace_leaves (compose_leaf Y) B) as [Q'|] eqn:EQ; [|discriminate]. destruct (forallb _ _);
    [|discriminate].
  destruct (forallb _ _); [|discriminate]. intros K L. injection K as <-. injection L as <-. revert R' Q' ER EQ V.
  induction B as [s w|bs IH] using layout_induction; intros R Q ER EQ V.
  - destruct (V s w (or_introl eq_refl)) as (d & e & h & Fd & Fe & W). exact (leaf_alike X Y d e h s w R Q Fd Fe W ER
    EQ).
  - apply replace_node in ER as (rs & -> & FR), EQ as (qs & -> & FQ). cbn [shape leaves] in *. f_equal.
    revert qs FQ V. induction FR as [|b r bs rs Er FR IHr]; intros qs FQ V; inversion FQ as [|? q ? qs' Eq FQ']; subst;
      [easy|].
    inversion IH as [|? ? Hb IHb]; subst. cbn [map flat_map] in *. f_equal.
    + apply (Hb r q Er Eq). intros s w I. apply V, in_app_iff. now left.
    + apply IHr; [easy|easy|]. intros s w I. apply V, in_app_iff. now right.
Qed.
End Alike.

Lemma leaf_reached (B : layout N) s w x : shaped B = true -> In (s, w) (leaves B) -> x < s ->
  exists i, i < size B /\ apply B i = x * w.
Proof.
  intros S I Hx. apply in_split in I as (p & q & E). pose proof S as P. unfold shaped in P. rewrite E in P.
  rewrite positive_app in P. apply andb_true_iff in P as [Pp Pq]. apply positive_cons in Pq as [Hs Pq].
  pose proof (numel_positive p Pp) as Np. pose proof (numel_positive q Pq) as Nq.
  assert (Hi : numel p * x < size B).
  { rewrite size_product, E, numel_app. cbn [numel].
    assert (s * 1 <= s * numel q) by (apply N.mul_le_mono_l; lia). apply N.mul_lt_mono_pos_l; lia. }
  exists (numel p * x). split; [easy|]. rewrite apply_inside, E, value_in_app by easy. cbn [value_in].
  rewrite (N.mul_comm (numel p)), N.div_mul, (N.div_small x), (N.mod_small x), (value_in_0 q) by (easy || lia).
  rewrite <- (value_in_periodic p), N.mod_mul, value_in_0 by (easy || lia). cbn. lia.
Qed.

Section Divided.
Context {D E : Type} `{module D} `{module E} (d : D) (e : E) (Fd : torsion_free d) (Fe : torsion_free e).

Lemma alike_size (X : layout D) (Y : layout E) : stepped_alike X d Y e -> size X = size Y.
Proof. intros [S _]. apply (f_equal tsize) in S. now rewrite !tsize_shape in S. Qed.
Lemma alike_composed (X : layout D) (Y : layout E) B R Q : stepped_alike X d Y e -> shaped B = true ->
  (forall i, i < size B -> apply B i < size X) -> composition X B = Some R -> composition Y B = Some Q ->
    stepped_alike R d Q e.
Proof.
  intros [Sh (h & V)] SB In ER EQ. pose proof (compatible_size _ _ (composition_compatible X B R SB ER)) as Z.
  rewrite !tsize_shape in Z. split.
  - apply (composed_alike_shape X Y B R Q); [|easy|easy]. intros s w I. exists d, e, (fun x => h (x * w)).
    split; [easy|]. split; [easy|]. intros x Hx. destruct (leaf_reached B s w x SB I Hx) as (i & Hi & <-). apply V.
      auto.
  - exists (fun i => h (apply B i)). intros i Hi. rewrite <- Z in Hi.
    rewrite (composition_pointwise _ _ _ _ ER), (composition_pointwise _ _ _ _ EQ) by easy. apply V. auto.
Qed.
Lemma exact_composition {F} `{module F} (m z : layout F) B : shaped m = true -> cuts_exactly B m = true ->
  logical_divide m B = Some z -> exists C, complement B (size m) = Some C /\ shaped (Node [B; C]) = true /\
  compact_layout (Node [B; C]) /\ size (Node [B; C]) = size m /\ composition m (Node [B; C]) = Some z.
Proof.
  intros Sm Cut E0. destruct (exact_parts m B Sm Cut) as (C & t & r & EC & S & Cp & Z & EL & _). exists C.
  repeat (split; [easy|]). unfold cuts_exactly in Cut. rewrite !andb_true_iff in Cut. destruct Cut as [[[[SB _] _] _]
    X].
  destruct (divide_exactly m B) as [y|] eqn:Ey; [|discriminate].
  destruct (divided_node m B y Sm SB Ey) as (C' & EC' & _ & EY). rewrite EC in EC'. injection EC' as <-.
  unfold logical_divide in E0. rewrite Ey in E0. injection E0 as <-. exact EY.
Qed.
Lemma alike_divided (X : layout D) (Y : layout E) B R Q : stepped_alike X d Y e -> shaped X = true -> shaped Y = true ->
  cuts_exactly B X = true -> cuts_exactly B Y = true -> logical_divide X B = Some R -> logical_divide Y B = Some Q ->
  stepped_alike R d Q e.
Proof.
  intros A SX SY CX CY ER EQ. destruct (exact_composition X R B SX CX ER) as (C & EC & S & Cp & Z & KR).
  destruct (exact_composition Y Q B SY CY EQ) as (C' & EC' & _ & _ & _ & KQ).
  rewrite <- (alike_size X Y A), EC in EC'. injection EC' as <-. apply (alike_composed X Y (Node [B; C])); try easy.
  intros i Hi. rewrite <- Z. now apply compact_below.
Qed.
Lemma alike_dealt (X P : layout D) (Y Q : layout E) p : stepped_alike X d Y e -> dealt_into X p P -> dealt_into Y p Q ->
  stepped_alike P d Q e.
Proof.
  intros A (SX & One & CX & EP) (SY & _ & CY & EQ). destruct p as [B|n| |ts]; [| | |discriminate].
  - exact (alike_divided X Y B P Q A SX SY CX CY EP EQ).
  - exact (alike_divided X Y (tile_of n) P Q A SX SY CX CY EP EQ).
  - injection EP as <-. now injection EQ as <-.
Qed.
Lemma alike_cut (X t r : layout D) (Y u q : layout E) n : stepped_alike X d Y e -> cut_into X n t r -> cut_into Y n u
  q ->
  stepped_alike t d u e /\ stepped_alike r d q e.
Proof.
  intros A (SX & CX & EX) (SY & CY & EY). pose proof (alike_divided X Y (tile_of n) _ _ A SX SY CX CY EX EY) as K.
  destruct (cut_mode X n t r (conj SX (conj CX EX))) as (_ & Zt & _ & St & Sr & _).
  destruct (cut_mode Y n u q (conj SY (conj CY EY))) as (_ & Zu & _ & Su & Sq & _).
  destruct K as [Sh (h & V)]. cbn [shape map] in Sh. injection Sh as Sh0 Sh1.
  pose proof (size_positive t St) as Pt. pose proof (size_positive r Sr) as Pr.
  change (size (Node [t; r])) with (size t * (size r * 1)) in V. rewrite N.mul_1_r in V. split.
  - split; [easy|]. exists h. intros i Hi. rewrite <- (apply_head t [r]), <- (apply_head u [q]); auto; [|lia].
    apply V. nia.
  - split; [easy|]. exists (fun j => h (size t * j)). intros j Hj.
    change (apply r j) with (apply (Node [r]) j). change (apply q j) with (apply (Node [q]) j).
    rewrite <- (apply_tail t [r]), <- (apply_tail u [q]) by (auto || discriminate). rewrite Zu, <- Zt. apply V. nia.
Qed.
End Divided.

(* Each leaf of an atom's layout stays in one mode of the atom, the first of extent e. *)
Definition in_one_mode (e : N) (L : layout N) : bool :=
  forallb (fun m => ((fst m - 1) * snd m <? e) || (snd m mod e =? 0)) (leaves L).

Section Shares.
Context {D E : Type} `{module D} `{module E}.

Lemma pair_alike_shape (x0 x1 : layout D) (y0 y1 : layout E) d0 d1 e0 e1 n g L R Q : torsion_free d0 -> torsion_free
  e0 -> torsion_free d1 ->
  torsion_free e1 -> stepped_alike x0 d0 y0 e0 -> stepped_alike x1 d1 y1 e1 -> shaped (Node [x0; x1]) = true ->
    shaped (Node [y0; y1]) = true ->
  size x0 = n -> size x1 = g -> covered (n * g) L = true -> in_one_mode n L = true ->
  composition (Node [x0; x1]) L = Some R -> composition (Node [y0; y1]) L = Some Q -> shape R = shape Q.
Proof.
  intros F0 G0 F1 G1 A0 A1 SX SY Z0 Z1 Cov One. apply composed_alike_shape. intros s w I.
  pose proof (alike_size _ _ _ _ A0) as Y0. pose proof (alike_size _ _ _ _ A1) as Y1.
  apply shaped_node in SX, SY. inversion SX as [|? ? Sx0 SX']; subst. inversion SX' as [|? ? Sx1 _]; subst.
  inversion SY as [|? ? Sy0 SY']; subst. inversion SY' as [|? ? Sy1 _]; subst.
  pose proof (size_positive _ Sx0) as P0. pose proof (size_positive _ Sx1) as P1.
  assert (SL : shaped L = true) by (unfold covered in Cov; rewrite !andb_true_iff in Cov; apply Cov).
  destruct A0 as [_ (h0 & V0)], A1 as [_ (h1 & V1)].
  unfold in_one_mode in One. rewrite forallb_forall in One. specialize (One _ I). cbn [fst snd] in One.
  apply orb_true_iff in One as [One|One].
  - apply N.ltb_lt in One. exists d0, e0, (fun x => h0 (x * w)). split; [easy|]. split; [easy|]. intros x Hx.
    assert (x * w < size x0) by (apply N.le_lt_trans with ((s - 1) * w); [apply N.mul_le_mono_r; lia|easy]).
    rewrite !apply_head by (auto; lia). now apply V0.
  - apply N.eqb_eq, mod_0_divides in One; [|easy]. destruct One as [k ->].
    exists d1, e1, (fun x => h1 (x * k)). split; [easy|]. split; [easy|]. intros x Hx.
    replace (x * (k * size x0)) with (size x0 * (x * k)) by lia. rewrite Y0 at 2.
    rewrite !apply_tail by (auto || discriminate).
    change (apply (Node [x1]) (x * k)) with (apply x1 (x * k)). change (apply (Node [y1]) (x * k)) with (apply y1 (x
      * k)).
    apply V1. destruct (leaf_reached L s _ x SL I Hx) as (i & Hi & Ei).
    assert (apply L i < size x0 * size x1) as B.
    { apply (covered_values _ L _ Cov). rewrite image_leaves by easy. apply in_map. now apply in_iota. }
    rewrite Ei in B. nia.
Qed.
End Shares.

Section Form.
Context {D : Type} `{module D}.

(* A share, and the steps to it. *)
Lemma share_steps t x (A : layout D) i v R : let '(p, q) := pair_of x (of_m t) (of_n t) (of_k t) in
  let '(e, g) := pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t)) in
  let '(w, z) := pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) in let L := thread_values (atom t) x in
  held_whole t x A = true -> partition_of t x A i = Some (v, R) -> covered (e * g) L = true /\ exists m0 m1 ms P0 P1
    x0 x1
  r0 r1 T U a0 a1 b0 b1, A = Node (m0 :: m1 :: ms) /\ R = Node (U :: b0 :: b1 :: ms) /\ dealt_into m0 p P0 /\
  dealt_into m1 q P1 /\ cut_into P0 e x0 r0 /\ cut_into P1 g x1 r1 /\
  composition (Node [x0; x1]) L = Some (Node [T; U]) /\ cut_into r0 w a0 b0 /\ cut_into r1 z a1 b1.
Proof.
  unfold held_whole. pose proof (thrfrg_steps t x A) as K. pose proof (thrfrg_values t x A) as K'.
  pose proof (thread_place_below t x i) as C.
  destruct (pair_of x (of_m t) _ _) as [p q], (pair_of x (rows _) _ _) as [e g], (pair_of x (atoms_along t 1) _ _) as
    [w z].
  cbn zeta in *. rewrite !andb_true_iff. intros [[[W Op] Oq] Fit] EP.
  unfold threads_fit in Fit. apply andb_true_iff in Fit as [SV _].
  destruct (thrfrg t x A) as [f|] eqn:EF; [|unfold partition_of in EP; now rewrite EF in EP].
  destruct (thread_place t x i) as [c|] eqn:EC.
  2: { unfold partition_of in EP. rewrite EF in EP. cbn [bind] in EP. now rewrite EC in EP. }
  destruct (C c SV eq_refl) as (r & a & b & -> & _). destruct (K f W Op Oq eq_refl) as (Cov & _ & m0 & m1 & ms & P0 &
    P1 &
    x0 & x1 & r0 & r1 & T & U & a0 & a1 & b0 & b1 & -> & -> & S). split; [easy|].
  destruct (K' _ W Op Oq eq_refl) as (n0 & n1 & ns & T' & U' & c0 & c1 & k0 & k1 & _ & Ef & SF & _).
  apply shaped_node in SF. inversion SF as [|? ? _ SF']; subst. inversion SF' as [|? ? SQ _]; subst.
  rewrite (partition_of_at t x _ i _ _ U (Node (b0 :: b1 :: ms)) (apply T r +: (apply a0 a +: apply a1 b)) EF SQ EC)
    in EP.
  2: { cbn [apply_coordinate]. rewrite !apply_int. cbn [bind]. now rewrite !plus_zero_r. }
  injection EP as <- <-. exists m0, m1, ms, P0, P1, x0, x1, r0, r1, T, U, a0, a1, b0, b1. now repeat (split; [easy|]).
Qed.
End Form.

(* The modes of a matrix count in steps, and what is behind them is of one shape with what is behind those of
  another. *)
Lemma shares_alike {D E} `{module D} `{module E} t x m0 m1 ms n0 n1 ns (d0 d1 : D) (e0 e1 : E) i k v R n Q :
  torsion_free d0 ->
  torsion_free e0 -> torsion_free d1 -> torsion_free e1 -> stepped_alike m0 d0 n0 e0 -> stepped_alike m1 d1 n1 e1 ->
    map shape ms = map shape ns ->
  in_one_mode (fst (pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t)))) (thread_values (atom t) x) = true ->
  held_whole t x (Node (m0 :: m1 :: ms)) = true -> held_whole t x (Node (n0 :: n1 :: ns)) = true ->
  partition_of t x (Node (m0 :: m1 :: ms)) i = Some (v, R) -> partition_of t x (Node (n0 :: n1 :: ns)) k = Some (n,
    Q) ->
  shape R = shape Q.
Proof.
  intros F0 G0 F1 G1 A0 A1 Em One WA WY EA EY.
  pose proof (share_steps t x (Node (m0 :: m1 :: ms)) i v R) as KA.
  pose proof (share_steps t x (Node (n0 :: n1 :: ns)) k n Q) as KY.
  destruct (pair_of x (of_m t) _ _) as [p q], (pair_of x (rows _) _ _) as [e g], (pair_of x (atoms_along t 1) _ _) as
    [w z].
  cbn zeta in *. cbn [fst] in One.
  destruct (KA WA EA) as (Cov & ? & ? & ? & P0 & P1 & x0 & x1 & r0 & r1 & T & U & a0 & a1 & b0 & b1 & E1 & -> & D0 &
    D1 &
    C0 & C1 & CV & B0 & B1). injection E1 as <- <- <-.
  destruct (KY WY EY) as (_ & ? & ? & ? & Q0 & Q1 & y0 & y1 & s0 & s1 & T' & U' & c0 & c1 & k0 & k1 & E2 & -> & D0' &
    D1' &
    C0' & C1' & CV' & B0' & B1'). injection E2 as <- <- <-.
  pose proof (alike_dealt d0 e0 F0 G0 _ _ _ _ p A0 D0 D0') as AP0.
  pose proof (alike_dealt d1 e1 F1 G1 _ _ _ _ q A1 D1 D1') as AP1.
  destruct (alike_cut d0 e0 F0 G0 _ _ _ _ _ _ e AP0 C0 C0') as [AX0 AR0].
  destruct (alike_cut d1 e1 F1 G1 _ _ _ _ _ _ g AP1 C1 C1') as [AX1 AR1].
  destruct (alike_cut d0 e0 F0 G0 _ _ _ _ _ _ w AR0 B0 B0') as [_ [Sb0 _]].
  destruct (alike_cut d1 e1 F1 G1 _ _ _ _ _ _ z AR1 B1 B1') as [_ [Sb1 _]].
  destruct (cut_mode _ _ _ _ C0) as (_ & Zx0 & _ & Sx0 & _), (cut_mode _ _ _ _ C1) as (_ & Zx1 & _ & Sx1 & _),
    (cut_mode _ _ _ _ C0') as (_ & _ & _ & Sy0 & _), (cut_mode _ _ _ _ C1') as (_ & _ & _ & Sy1 & _).
  assert (SX : shaped (Node [x0; x1]) = true) by (apply shaped_node; auto).
  assert (SY : shaped (Node [y0; y1]) = true) by (apply shaped_node; auto).
  pose proof (pair_alike_shape x0 x1 y0 y1 d0 d1 e0 e1 e g _ _ _ F0 G0 F1 G1 AX0 AX1 SX SY Zx0 Zx1 Cov One CV CV') as
    SU.
  cbn [shape map] in SU |- *. injection SU as _ SU. now rewrite SU, Sb0, Sb1, Em.
Qed.

(* ---- A matrix read by rows or columns, and the one that counts its shape. ---- *)

Definition coordinate_step : point Z := basis [] 1%Z.
Lemma free_points (d : point Z) : d <> zero -> torsion_free d.
Proof.
  intros Nz n k E. assert (exists p, read d p <> 0%Z) as [p Hp].
  { destruct (terms d) as [|[p c] l] eqn:T.
    - exfalso. apply Nz, point_terms. now rewrite T.
    - exists p. unfold read. rewrite T. pose proof (ordered_terms d) as O. rewrite T in O. apply canonical_cons in O
      as (O & _).
      cbn [coefficient]. now destruct (path_dec p p). }
  apply (f_equal (fun x => read x p)) in E. rewrite !read_times in E. cbn [times integers] in E. nia.
Qed.

(* A mode that counts in steps that move, unless it has one element. *)
Definition steps_evenly (m : layout (point Z)) : bool := (size m <=? 1) ||
  negb (same (apply m 1) zero) && forallb (fun i => same (apply m i) (i *: apply m 1)) (iota (size m)).
Definition by_rows_or_columns (A : layout (point Z)) : bool :=
  match A with Node (m :: n :: _) => steps_evenly m && steps_evenly n | _ => false end.

Lemma steps_alike (m : layout (point Z)) w : shaped m = true -> steps_evenly m = true -> 0 < w -> exists d,
  torsion_free d /\ torsion_free (D := N) w /\ stepped_alike m d (unit_zero (colex (shape m) w)) w.
Proof.
  intros S I Hw. assert (Fw : torsion_free (D := N) w) by (intros n k E; cbn in E; nia).
  assert (V : forall i, i < size m -> apply (unit_zero (colex (shape m) w)) i = i * w).
  { intros i Hi. assert (Sh : shape (unit_zero (colex (shape m) w)) = shape m) by now rewrite shape_unit_zero,
    colex_shape.
    assert (Su : shaped (unit_zero (colex (shape m) w)) = true) by now rewrite <- tpositive_shape, Sh, tpositive_shape.
    rewrite apply_inside by (try easy; now rewrite <- tsize_shape, Sh, tsize_shape).
    rewrite leaves_unit_zero, value_in_unit, colex_leaves, value_in_compact by
      (apply tpositive_extents; now rewrite tpositive_shape).
    rewrite <- tsize_extents, tsize_shape, N.mod_small by easy. lia. }
  assert (Sh : shape m = shape (unit_zero (colex (shape m) w))) by now rewrite shape_unit_zero, colex_shape.
  unfold steps_evenly in I. apply orb_true_iff in I as [I|I].
  - apply N.leb_le in I. exists coordinate_step. split; [apply free_points; discriminate|]. split; [easy|].
    split; [easy|]. exists (fun i => i). intros i Hi. rewrite V by easy. assert (i = 0) as -> by lia.
    now rewrite apply_0, times_0.
  - apply andb_true_iff in I as [Nz I]. apply negb_true_iff, same_false in Nz. exists (apply m 1).
    split; [now apply free_points|]. split; [easy|]. split; [easy|]. exists (fun i => i). intros i Hi.
    rewrite V by easy. split; [|easy]. apply same_true. now apply (proj1 (forallb_iota _ _) I).
Qed.

(* Whether A counts so in whole tiles, and the atom's layout goes along its rows or along its columns. *)
Definition read_in_steps (t : tiled_mma) (x : operand) (A : layout (point Z)) : bool :=
  by_rows_or_columns A && in_one_mode (fst (pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t))))
    (thread_values (atom t) x) && held_whole t x A && held_whole t x (make_layout_left (shape A)).
Lemma shape_of_share t x (A : layout (point Z)) i v R r : read_in_steps t x A = true ->
  partition_of t x A i = Some (v, R) -> partition_shape t x (shape A) = Some r -> shape R = r.
Proof.
  unfold read_in_steps, partition_shape. rewrite !andb_true_iff. intros [[[By One] WA] WL] EA EQ.
  destruct (partition_of t x (make_layout_left (shape A)) 0) as [[n Q]|] eqn:EL; [|discriminate]. injection EQ as <-.
  cbn [snd]. clear - By One WA WL EA EL.
  destruct A as [|[|m0 [|m1 ms]]]; try discriminate.
  apply andb_true_iff in By as [I0 I1].
  assert (SA : shaped (Node (m0 :: m1 :: ms)) = true).
  { unfold held_whole, of_whole_tiles in WA. destruct (pair_of x (of_m t) _ _) as [p q]. rewrite !andb_true_iff in WA.
    apply WA. }
  apply shaped_node in SA. inversion SA as [|? ? S0 SA']; subst. inversion SA' as [|? ? S1 _]; subst.
  pose proof (size_positive m0 S0) as P0.
  destruct (steps_alike m0 1 S0 I0 ltac:(lia)) as (d0 & F0 & G0 & A0).
  destruct (steps_alike m1 (1 * tsize (shape m0)) S1 I1 ltac:(rewrite tsize_shape; lia)) as (d1 & F1 & G1 & A1).
  set (L := make_layout_left (shape (Node (m0 :: m1 :: ms)))) in *.
  assert (exists ns, L = Node (unit_zero (colex (shape m0) 1) :: unit_zero (colex (shape m1) (1 * tsize (shape m0)))
    :: ns))
    as [ns EL'] by (eexists; reflexivity).
  assert (En : map shape ms = map shape ns).
  { pose proof (proj1 (make_layout_left_colex (shape (Node (m0 :: m1 :: ms))))) as Sh. fold L in Sh. rewrite EL' in Sh.
    cbn [shape map] in Sh. now injection Sh as _ _ <-. }
  rewrite EL' in WL, EL.
  exact (shares_alike t x m0 m1 ms _ _ ns d0 d1 1 (1 * tsize (shape m0)) i 0 v R n Q F0 G0 F1 G1 A0 A1 En One WA WL
    EA EL).
Qed.

(* partition_shape_A(S) is the shape of every thread's share of a matrix of shape S, read by rows or columns. *)
Theorem partition_shape_A_shape t (A : layout (point Z)) i v R r : read_in_steps t Of_A A = true ->
  partition_of t Of_A A i = Some (v, R) -> partition_shape t Of_A (shape A) = Some r -> shape R = r.
Proof. apply shape_of_share. Qed.
(* Likewise of B. *)
Theorem partition_shape_B_shape t (A : layout (point Z)) i v R r : read_in_steps t Of_B A = true ->
  partition_of t Of_B A i = Some (v, R) -> partition_shape t Of_B (shape A) = Some r -> shape R = r.
Proof. apply shape_of_share. Qed.
(* Likewise of C. *)
Theorem partition_shape_C_shape t (A : layout (point Z)) i v R r : read_in_steps t Of_C A = true ->
  partition_of t Of_C A i = Some (v, R) -> partition_shape t Of_C (shape A) = Some r -> shape R = r.
Proof. apply shape_of_share. Qed.
