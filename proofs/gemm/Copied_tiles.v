(* A tiled copy over one tile, and over a fragment of another tiling. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiled_layouts Recast.
Local Open Scope N_scope.

(* ---- The tile divided by itself is the tile. ---- *)

(* (thread, value) of the side `target` -> index in the tile. *)
Definition copied_tile (t : tiled_copy) : layout N := make_layout_left (Tup (map Int (copy_tile t))).
Definition copy_side_tv (t : tiled_copy) (target : layout N) : option (layout N) :=
  s <- side_over_tile t target; V <- composition (copied_tile t) s; Some (Node [first V; second V]).

(* The same function below the size of the first. *)
Definition same_below (X Y : layout N) : Prop := size X = size Y /\ forall i, i < size X -> apply X i = apply Y i.
Definition parts_alike (ms ts : list (layout N)) : Prop :=
  Forall2 (fun m t => shaped m = true /\ shaped t = true /\ same_below m t) ms ts.
Lemma nodes_alike ms ts : parts_alike ms ts -> same_below (Node ms) (Node ts).
Proof.
  intros F. assert (size (Node ms) = size (Node ts)) as Z.
  { cbn [size]. f_equal. induction F as [|m t ms ts (_ & _ & Z & _) _ IH]; [easy|]. cbn [map]. now rewrite Z, IH. }
  split; [exact Z|]. clear Z. induction F as [|m t ms ts (Sm & St & Z & V) F IH]; intros i Hi; [easy|].
  change (size (Node (m :: ms))) with (size m * size (Node ms)) in Hi. pose proof (size_positive m Sm) as P.
  inversion F as [|n u ns us _ _]; subst.
  - change (apply m i = apply t i). apply V. cbn in Hi. lia.
  - rewrite !apply_cons, <- Z, V by (apply N.mod_lt; lia). f_equal. apply IH. now apply div_below.
Qed.

Lemma leaf_by_itself n d : 0 < n -> exists t r, divide_tiler (Leaf n d) (Extent n) = Some (Node [t; r]) /\
  shaped t = true /\ same_below (Leaf n d) t.
Proof.
  intros Hn. assert (C : ceil n n = 1) by (pose proof (ceil_exact 1 n Hn) as K; now rewrite N.mul_1_r in K).
  destruct (linear_divided (Leaf n d) d n n) as (t & r & E & Zt & Zr & St & Sr & V).
  - now apply positive_cons.
  - reflexivity.
  - easy.
  - cbn [size]. rewrite C. lia.
  - exists t, r. split; [easy|]. split; [easy|]. split; [easy|]. cbn [size] in *. intros i Hi.
    specialize (V i 0 Hi ltac:(lia)). rewrite (apply_0 r Sr), plus_zero_r in V. rewrite V. cbn. lia.
Qed.
Definition is_leaf (m : layout N) : Prop := exists n d, m = Leaf n d /\ 0 < n.
Lemma tile_by_itself ms : Forall is_leaf ms -> exists ts r,
  zipped_divide (Node ms) (Modes (map (fun m => Extent (size m)) ms)) = Some (Node [Node ts; r]) /\ parts_alike ms ts.
Proof.
  intros F. set (es := map (fun m => Extent (size m)) ms).
  assert (exists zs ts, sequence (map (fun p => divide_tiler (fst p) (snd p)) (combine ms es)) = Some zs /\
    length zs = length es /\ map tile_part (combine zs es) = ts /\ parts_alike ms ts) as (zs & ts & E & L & Et & P).
  { subst es. induction F as [|m ms (n & d & -> & Hn) _ (zs & ts & E & L & Et & P)];
      [exists [], []; repeat split; constructor|].
    destruct (leaf_by_itself n d Hn) as (t & r & Ed & St & A). exists (Node [t; r] :: zs), (t :: ts).
    cbn [map combine sequence fst snd size]. rewrite Ed, E. split; [easy|]. split; [cbn; now rewrite L|].
    split; [cbn [map combine]; rewrite Et; reflexivity|]. constructor; [|exact P].
    split; [now apply positive_cons|]. now split. }
  exists ts, (second (regrouped es (zs ++ skipn (length es) ms))). split; [|exact P].
  rewrite zipped_divide_regroups. destruct (logical_divide_by_mode (Node ms) (Leaf 1 0) es) as (_ & _ & ->).
  unfold each_mode. cbn [rank modes_of]. assert (length es = length ms) as Le by apply map_length.
  rewrite Le, Nat.leb_refl, E. cbn [option_map modes_of]. unfold regrouped, second. cbn [modes_of nth].
  assert (combine (zs ++ skipn (length ms) ms) es = combine zs es) as C.
  { rewrite skipn_all, app_nil_r. reflexivity. }
  now rewrite <- Le, Le, C, Et.
Qed.

Lemma copied_tile_modes t : forallb (fun n => 0 <? n) (copy_tile t) = true -> exists ms, copied_tile t = Node ms /\
  Forall is_leaf ms /\ copy_tiler t = Modes (map (fun m => Extent (size m)) ms).
Proof.
  unfold copied_tile, copy_tiler, make_layout_left. generalize 1 as w. intros w P.
  cbn [colex unit_zero]. eexists. split; [reflexivity|]. revert w. induction (copy_tile t) as [|n l IH]; intros w;
    [split; [constructor|reflexivity]|].
  cbn [forallb] in P. apply andb_true_iff in P as [Hn P]. apply N.ltb_lt in Hn.
  destruct (IH P (w * tsize (Int n))) as [F E]. cbn [map]. split.
  - constructor; [|exact F]. exists n, (if n =? 1 then 0 else w). now split.
  - injection E as E. cbn [map]. now rewrite E.
Qed.

(* Defined stepped_alike, and of one function. *)
Definition same_side (L f : option (layout N)) : Prop :=
  match L, f with
  | Some L, Some (Node [T; V; _]) => same_below L (Node [T; V])
  | None, None => True
  | _, _ => False
  end.
Definition side_in_tile (t : tiled_copy) (target : layout N) : bool :=
  forallb (fun n => 0 <? n) (copy_tile t) && match side_over_tile t target with
    | Some s => shaped s && forallb (fun i => apply s i <? size (copied_tile t)) (iota (size s)) && two_parts s
    | None => true
    end.

Lemma composed_same (X Y B : layout N) : shaped X = true -> shaped Y = true -> shaped B = true -> same_below X Y ->
  (forall i, i < size B -> apply B i < size X) -> match composition X B, composition Y B with
    | Some R, Some Q => forall i, i < size B -> apply R i = apply Q i
    | None, None => True
    | _, _ => False
    end.
Proof.
  intros SX SY SB [Z V] In.
  assert (K : forall R, is_composition X B R <-> is_composition Y B R).
  { intros R. unfold is_composition. split; intros (C & Q & W); repeat split; try easy; intros i Hi; rewrite W by easy;
      [|symmetry]; auto. }
  destruct (composition X B) as [R|] eqn:E, (composition Y B) as [Q|] eqn:F; try easy.
  - intros i Hi. rewrite (composition_pointwise _ _ _ _ E), (composition_pointwise _ _ _ _ F) by easy. auto.
  - destruct (proj2 (composition_defined Y B SY SB)) as [Q EQ]; [|congruence]. exists R. apply K.
    now apply composition_sound.
  - destruct (proj2 (composition_defined X B SX SB)) as [R ER]; [|congruence]. exists Q. apply K.
    now apply composition_sound.
Qed.

Lemma side_of_tile t target : side_in_tile t target = true ->
  same_side (copy_side_tv t target) (tidfrg t target (copied_tile t)).
Proof.
  unfold side_in_tile, copy_side_tv, tidfrg. intros H. apply andb_true_iff in H as [P W].
  destruct (copied_tile_modes t P) as (ms & Em & F & Et). rewrite Et.
  destruct (tile_by_itself ms F) as (ts & r & EZ & A). rewrite Em in *. rewrite EZ. cbn [bind].
  destruct (side_over_tile t target) as [s|]; [|easy]. cbn [bind]. rewrite !andb_true_iff in W. destruct W as [[S In]
    Two].
  unfold first at 2, second at 3. cbn [modes_of nth].
  assert (Sm : shaped (Node ms) = true).
  { apply shaped_node. eapply Forall_impl; [|exact F]. intros m (n & d & -> & Hn). now apply positive_cons. }
  assert (St : shaped (Node ts) = true).
  { apply shaped_node. clear - A. induction A as [|m u ms us (_ & Su & _) _ IH]; constructor; auto. }
  pose proof (composed_same (Node ms) (Node ts) s Sm St S (nodes_alike ms ts A)) as K.
  specialize (K ltac:(intros i Hi; apply N.ltb_lt; now apply (proj1 (forallb_iota _ _) In))).
  destruct (composition (Node ms) s) as [V|] eqn:EV, (composition (Node ts) s) as [Q|] eqn:EQ; try easy.
  cbn [bind same_side].
  assert (G : forall X Y : layout N, composition X s = Some Y -> size Y = size s /\ Node [first Y; second Y] = Y).
  { intros X Y EY. destruct (composition_sound X s Y S EY) as (Cm & _). split; [symmetry; now apply refined_size in
    Cm|].
    destruct s as [|[|a [|b [|]]]]; try discriminate. destruct Y as [|ys]; [discriminate|]. apply refined_nodes in Cm.
    inversion Cm as [|? y0 ? l0 _ C1]; subst. inversion C1 as [|? y1 ? l1 _ C2]; subst. now inversion C2; subst. }
  destruct (G _ _ EV) as [Z1 ->], (G _ _ EQ) as [Z2 ->]. split; [congruence|]. intros i Hi. apply K. now rewrite <- Z1.
Qed.

(* layoutS_TV is tidfrg of the source of the tile itself: defined stepped_alike, and the same function. *)
Theorem tiled_copy_layoutS_TV_tile t : side_in_tile t (of_src (copied t)) = true ->
  same_side (copy_side_tv t (of_src (copied t))) (tidfrg t (of_src (copied t)) (copied_tile t)).
Proof. apply side_of_tile. Qed.
(* layoutD_TV is tidfrg of the destination of it. *)
Theorem tiled_copy_layoutD_TV_tile t : side_in_tile t (of_dst (copied t)) = true ->
  same_side (copy_side_tv t (of_dst (copied t))) (tidfrg t (of_dst (copied t)) (copied_tile t)).
Proof. apply side_of_tile. Qed.

(* ---- A fragment of another tiling, in the groups of this one ---- *)

(* Where the atom's values, and the rest of them, stand among v values and their repetitions; and the extents of
  these. *)
Definition retile_order (t : tiled_copy) (v : N) : option (layout N * list N) :=
  x <- composition (right_inverse (in_integers (copy_tv t))) (copied_tile t);
  values <- upcast x (size (first (copy_tv t)) * v);
  P <- logical_product (Leaf v 1) (right_inverse (in_integers values));
  o <- logical_divide P (Leaf (size (second (of_ref (copied t)))) 1);
  Some (o, match values with Node ms => map size ms | Leaf _ _ => [] end).
Section Retile.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Definition retile (t : tiled_copy) (F : layout) : option layout :=
  o <- retile_order t (size (first F)); Z <- zipped_divide F (Modes (map Extent (size (first F) :: snd o)));
  V <- composition (first Z) (fst o); c <- for_modes (Each [At 0]) (rank (second Z));
  slice (Each [Any; c]) (Node [V; second Z]).
(* Whether the groups fit: they cut the fragment, and take each of its values once. *)
Definition regroups (t : tiled_copy) (F : layout) : bool :=
  match retile_order t (size (first F)) with
  | None => false
  | Some (o, es) => let T := Modes (map Extent (size (first F) :: es)) in
      shaped F && cuts_modes T F && shaped o && compactb o &&
      match zipped_divide F T with
      | Some Z => (size o =? size (first Z)) && (size (first (second Z)) =? 1)
      | None => false
      end
  end.

Lemma kept_behind (r : layout) rs : collect true (Each (At 0 :: repeat Any (length rs))) (Node (r :: rs)) = Some rs.
Proof.
  cbn [collect]. assert (forall ms, (fix go (cs : list open) (ms : list layout) : option (list layout) :=
    match cs, ms with
    | [], [] => Some []
    | c :: cs, m :: ms => x <- collect true c m; y <- go cs ms; Some (x ++ y)
    | _, _ => None
    end) (repeat Any (length ms)) ms = Some ms) as K.
  { induction ms as [|m ms IH]; [easy|]. cbn [length repeat]. rewrite IH. reflexivity. }
  now rewrite K.
Qed.

Lemma collect_behind (V B : layout) c :
  collect true (Each [Any; c]) (Node [V; B]) = option_map (cons V) (collect true c B).
Proof. cbn [collect]. destruct (collect true c B) as [l|]; [|easy]. cbn. now rewrite app_nil_r. Qed.

(* retile takes the values of the fragment, each once. *)
Theorem tiled_copy_retile_values t (F R : layout) : regroups t F = true -> retile t F = Some R ->
  Permutation (image (leaves R)) (image (leaves F)).
Proof.
  unfold regroups, retile. destruct (retile_order t (size (first F))) as [[o es]|]; [|discriminate]. cbn [bind fst snd].
  set (T := Modes (map Extent (size (first F) :: es))). rewrite !andb_true_iff. intros [[[[SF Cut] So] Co] W].
  destruct (cut_zipped T F SF Cut) as (z & EZ & _ & SZ & P); [easy|]. rewrite EZ in *. cbn [bind].
  set (Z0 := tile_part (z, T)) in *. set (Z1 := rest_part (z, T)) in *.
  unfold first, second in W |- *. cbn [modes_of nth] in W |- *.
  apply andb_true_iff in W as [W W1]. apply N.eqb_eq in W, W1. apply compactb_spec in Co; [|easy].
  destruct (composition Z0 o) as [V|] eqn:EV; [|discriminate]. cbn [bind].
  destruct (composition_sound Z0 o V So EV) as (Cm & SV & VV). apply refined_size in Cm.
  apply shaped_node in SZ. inversion SZ as [|? ? S0 SZ']; subst. inversion SZ' as [|? ? S1 _]; subst.
  assert (IV : Permutation (image (leaves V)) (image (leaves Z0))).
  { rewrite image_leaves, <- Cm by easy. erewrite map_ext_in; [|intros i Hi; rewrite in_iota in Hi; apply (VV i Hi)].
    rewrite <- map_map, <- image_leaves by easy. unfold compact_layout in Co. rewrite Co, W. now rewrite <-
      image_leaves. }
  intros E. rewrite <- P, leaves_two. clear P EZ. destruct Z1 as [s d|[|r rs]]; [discriminate|discriminate|].
  assert (for_modes (Each [At 0]) (rank (Node (r :: rs))) = Some (Each (At 0 :: repeat Any (length rs)))) as K.
  { unfold for_modes. cbn [rank length app]. now rewrite Nat.sub_succ, Nat.sub_0_r. }
  rewrite K in E. cbn [bind] in E. unfold slice, picked in E. rewrite collect_behind, kept_behind in E.
  injection E as <-. cbn [leaves flat_map].
  apply shaped_node in S1. inversion S1 as [|? ? Sr Ss]; subst. apply shaped_node in Ss.
  rewrite !image_app by easy. unfold first in W1. cbn [modes_of nth] in W1.
  assert (image (leaves r) = [zero]) as ->.
  { rewrite image_leaves, W1, iota_1 by easy. cbn [map]. now rewrite apply_0. }
  assert (flat_map (fun y => map (fun x => x +: y) [zero]) (image (flat_map leaves rs)) = image (flat_map leaves rs))
    as ->.
  { rewrite (flat_map_ext _ (fun y => [y])) by (intros y; cbn; now rewrite plus_zero).
    induction (image (flat_map leaves rs)) as [|y l IH]; [easy|]. cbn. now f_equal. }
  apply flat_map_permutations. intros y. now apply Permutation_map.
Qed.
End Retile.

(* ---- The same of the copies that serve an operand ---- *)

(* The two sides of a copy, and what is said of both. *)
Definition src (t : tiled_copy) : Layout.layout N := of_src (copied t).
Definition dst (t : tiled_copy) : Layout.layout N := of_dst (copied t).
Section Both_sides.
Context {D E : Type} `{module D}.
Definition both_cover (t : tiled_copy) (A f g : Layout.layout D) : Prop :=
  Permutation (image (leaves f)) (each_times (copies_each t (src t) A) (image (leaves A))) /\
  Permutation (image (leaves g)) (each_times (copies_each t (dst t) A) (image (leaves A))).
Definition both_cut (t : tiled_copy) (A : tensor D E) i T V R U W Q : Prop :=
  copy_slices t (src t) A i T V R /\ copy_slices t (dst t) A i U W Q.

(* tidfrg of either side holds each element as often as threads read it, or write it. *)
Theorem tiled_copy_A_tidfrg_S_covers a m x t (A f g : Layout.layout D) : operand_copy a m x = Some t ->
  of_whole_copies t (src t) A = true -> of_whole_copies t (dst t) A = true -> tidfrg t (src t) A = Some f ->
  tidfrg t (dst t) A = Some g -> both_cover t A f g.
Proof. intros _ S T F G. split; now apply tidfrg_covers. Qed.
(* partition_S(i) and partition_D(i) are tidfrg of the source and of the destination at thread i. *)
Theorem tiled_copy_A_partition_S_slices a m x t (A : tensor D E) i T V R U W Q : operand_copy a m x = Some t ->
  tidfrg t (src t) (body A) = Some (Node [T; V; R]) -> tidfrg t (dst t) (body A) = Some (Node [U; W; Q]) ->
  shaped (Node [V; R]) = true -> shaped (Node [W; Q]) = true -> i < size T -> i < size U -> both_cut t A i T V R U W Q.
Proof. intros _ S D' SV SW Hi Hj. split; now apply copy_part_slices. Qed.
End Both_sides.
(* layoutS_TV and layoutD_TV are tidfrg of the tile itself. *)
Theorem tiled_copy_A_layoutS_TV_tile a m x t : operand_copy a m x = Some t -> side_in_tile t (src t) = true ->
  side_in_tile t (dst t) = true -> same_side (copy_side_tv t (src t)) (tidfrg t (src t) (copied_tile t)) /\
  same_side (copy_side_tv t (dst t)) (tidfrg t (dst t) (copied_tile t)).
Proof. intros _ S T. split; now apply side_of_tile. Qed.
(* retile takes each value of a fragment once. *)
Theorem tiled_copy_A_retile_values {D} `{module D} a m x t (F R : Layout.layout D) : operand_copy a m x = Some t ->
  regroups t F = true -> retile t F = Some R -> Permutation (image (leaves R)) (image (leaves F)).
Proof. intros _. apply tiled_copy_retile_values. Qed.
