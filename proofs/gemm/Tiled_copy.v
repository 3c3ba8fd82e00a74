(* A copy atom repeated over threads and values: which elements a thread reads and which it writes. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiled_mma Tile.
Local Open Scope N_scope.

(* The atom in elements, (thread, value) -> index in the tile, the extents of the tile. *)
Record tiled_copy := Tiled_copy { copied : copy_atom; copy_tv : layout N; copy_tile : list N }.
Definition copy_layout_tv (R V : layout N) : option (layout N) :=
  mn <- raked_product R V;
  composition (contiguous_inverse mn) (make_layout_left (Tup [Int (size R); Int (size V)])).
(* Each thread takes the values V of a tile, tiles laid side by side as R says. *)
Definition make_tiled_copy (a : copy_atom) (R V : layout N) : option tiled_copy :=
  mn <- raked_product R V; tv <- copy_layout_tv R V; Some (Tiled_copy a tv (map size (modes_of mn))).

Lemma compact_by_image (A B : layout N) : Permutation (image (leaves A)) (image (leaves B)) -> size A = size B ->
  compact_layout B -> compact_layout A.
Proof. unfold compact_layout. intros P Z C. now rewrite P, Z. Qed.

Lemma raked_parts R V mn : shaped R = true -> shaped V = true -> compact_layout R -> compact_layout V ->
  raked_product R V = Some mn -> shaped mn = true /\ compact_layout mn /\ size mn = size R * size V.
Proof.
  intros SR SV CR CV E. unfold raked_product in E.
  destruct (product_by_rank R V) as [[ls ms]|] eqn:EP; [|discriminate]. cbn [bind fst snd] in E.
  destruct (product_by_rank_leaves R V ls ms EP) as (a & b & P & Ea & Eb & EL & L).
  pose proof (pad_shaped _ _ _ SR Ea) as Sa. pose proof (pad_shaped _ _ _ SV Eb) as Sb.
  pose proof (pad_compact _ _ _ SR CR Ea) as Ca. pose proof (pad_compact _ _ _ SV CV Eb) as Cb.
  pose proof (compact_product a b P Sa Sb Ca Cb EL) as CP. destruct (product_parts a b P EL) as (F & y & _ & Ey & EqP).
  destruct (composition_sound F b y Sb Ey) as (Cm & Sy & _). apply refined_size in Cm.
  assert (SP : shaped P = true) by (subst P; apply shaped_node; repeat constructor; easy).
  pose proof (paired_leaves ms ls mn E) as Q.
  assert (Q' : Permutation (leaves mn) (leaves P)) by (rewrite Q, L; apply Permutation_app_comm).
  assert (Smn : shaped mn = true) by (apply (positive_permutation _ _ (Permutation_sym Q') SP)).
  assert (Z : size mn = size P) by (rewrite !size_product; now apply numel_permutation).
  split; [exact Smn|]. split; [apply (compact_by_image mn P); [now apply image_permutation|exact Z|exact CP]|].
  rewrite Z, EqP. cbn [size map fold_right]. now rewrite N.mul_1_r, <- Cm, (pad_size _ _ _ Ea), (pad_size _ _ _ Eb).
Qed.

(* raked_product(R, V) of layout_TV(i) is i: thread and value of every place. *)
Theorem tiled_copy_layout_TV_inverse R V mn tv i : shaped R = true -> shaped V = true -> compact_layout R ->
  compact_layout V -> raked_product R V = Some mn -> copy_layout_tv R V = Some tv -> i < size R * size V ->
  apply mn (apply tv i) = i /\ apply tv i < size mn.
Proof.
  intros SR SV CR CV Em Et Hi. destruct (raked_parts R V mn SR SV CR CV Em) as (Smn & Cmn & Z).
  unfold copy_layout_tv in Et. rewrite Em in Et. cbn [bind] in Et. set (c := Tup [Int (size R); Int (size V)]) in *.
  pose proof (size_positive R SR) as PR. pose proof (size_positive V SV) as PV.
  assert (Pc : tpositive c = true) by (apply tpositive_extents; cbn; repeat constructor; easy).
  destruct (make_layout_left_colex c) as [Sh W]. assert (Zc : tsize c = size R * size V) by (cbn; lia).
  assert (Hc : i < size (make_layout_left c)) by (rewrite <- tsize_shape, Sh, Zc; easy).
  rewrite (composition_pointwise _ _ _ _ Et) by easy. rewrite W by (rewrite ?Zc; easy).
  assert (ZI : size (contiguous_inverse mn) = size mn) by (apply (contiguous_inverse_compact mn 0 Smn Cmn); lia).
  apply contiguous_inverse_pointwise; [easy|]. rewrite ZI, Z. exact Hi.
Qed.

(* Each extent of the tile is the threads' times the values', mode by mode; where both are integers it is of all of
  them. *)
Theorem tiled_copy_tiler_extents a R V t : make_tiled_copy a R V = Some t -> exists x y,
  padded_product R V = Some (Node [x; y]) /\
  copy_tile t = map (fun p => size (snd p) * size (fst p)) (mode_pairs R V x y).
Proof.
  unfold make_tiled_copy. destruct (raked_product R V) as [mn|] eqn:E; [|discriminate]. cbn [bind].
  destruct (copy_layout_tv R V) as [tv|]; [|discriminate]. intros K. injection K as <-.
  destruct (raked_product_modes R V mn E) as (x & y & E1 & ->). exists x, y. split; [exact E1|]. cbn [copy_tile
    modes_of].
  rewrite map_map. apply map_ext. intros [p q]. cbn. lia.
Qed.

(* ---- (thread, value, rest) of the source or the destination. ---- *)

(* The thread-value layout of the atom's side `target` over the tile: atoms cut out of copy_tv by the reference layout,
  their threads and values in the order of `target`. *)
Definition side_over_tile (t : tiled_copy) (target : layout N) : option (layout N) :=
  let ref_ := of_ref (copied t) in
  o <- composition (contiguous_inverse ref_) target;
  Z <- zipped_divide (copy_tv t) (Modes [Extent (size (first ref_)); Extent (size (second ref_))]);
  m <- composition (first Z) o;
  z <- zip_modes (Node [m; second Z]);
  coalesce_by z (Tup [Int 1; Tup [Int 1; Int 1]]).
Definition copy_tiler (t : tiled_copy) : tiler := Modes (map Extent (copy_tile t)).

Section Tidfrg.
Context {D E : Type} `{module D}.
Notation layout := (Layout.layout D).

Definition tidfrg (t : tiled_copy) (target : Layout.layout N) (A : layout) : option layout :=
  Z <- zipped_divide A (copy_tiler t); s <- side_over_tile t target; V <- composition (first Z) s;
  Some (Node [first V; second V; second Z]).
(* Whether A is of whole tiles, and the side covers the tile. *)
Definition of_whole_copies (t : tiled_copy) (target : Layout.layout N) (A : layout) : bool :=
  shaped A && cuts_modes (copy_tiler t) A &&
  match side_over_tile t target, zipped_divide A (copy_tiler t) with
  | Some s, Some Z => covered (size (first Z)) s && match s with Node [_; _] => true | _ => false end
  | _, _ => false
  end.
(* How many threads read an element, or write it. *)
Definition copies_each (t : tiled_copy) (target : Layout.layout N) (A : layout) : N :=
  match side_over_tile t target, zipped_divide A (copy_tiler t) with
  | Some s, Some Z => size s / size (first Z)
  | _, _ => 0
  end.

Lemma tidfrg_covers t target (A f : layout) : of_whole_copies t target A = true -> tidfrg t target A = Some f ->
  Permutation (image (leaves f)) (each_times (copies_each t target A) (image (leaves A))).
Proof.
  unfold of_whole_copies, tidfrg, copies_each. rewrite !andb_true_iff. intros [[SA CA] W].
  destruct (cut_zipped (copy_tiler t) A SA CA) as (z & EZ & _ & SZ & IZ); [easy|]. rewrite EZ in W |- *. cbn [bind].
  set (Z0 := tile_part (z, copy_tiler t)) in *. set (Z1 := rest_part (z, copy_tiler t)) in *.
  change (first (Node [Z0; Z1])) with Z0 in *. change (second (Node [Z0; Z1])) with Z1 in *.
  destruct (side_over_tile t target) as [s|]; [|discriminate]. cbn [bind]. apply andb_true_iff in W as [Cov Two].
  pose proof (proj1 (shaped_node _) SZ) as S'. apply Forall_cons_iff in S' as [S0 S']. apply Forall_cons_iff in S' as
    [S1 _].
  assert (SL : shaped s = true) by (unfold covered in Cov; rewrite !andb_true_iff in Cov; apply Cov).
  destruct (composition Z0 s) as [V|] eqn:EV; [|discriminate]. cbn [bind]. intros K. injection K as <-.
  destruct (composition_sound Z0 s V SL EV) as (Cm & SV & _).
  assert (LV : leaves V = leaves (first V) ++ leaves (second V)).
  { destruct s as [|[|T [|U [|]]]]; try discriminate. destruct V as [|vs]; [discriminate|].
    apply refined_nodes in Cm. inversion Cm as [|? v0 ? vs0 _ C1]; subst. inversion C1 as [|? v1 ? vs1 _ C2]; subst.
    inversion C2; subst. cbn. now rewrite app_nil_r. }
  assert (L3 : leaves (Node [first V; second V; Z1]) = leaves V ++ leaves Z1).
  { cbn [leaves flat_map]. now rewrite LV, app_nil_r, app_assoc. }
  rewrite L3, (image_times_app _ (leaves V) (leaves Z0) _ SV S0 (composed_repeats Z0 s V _ S0 SL eq_refl Cov EV)).
  apply times_permutation. rewrite <- IZ. now rewrite leaves_two.
Qed.

(* tidfrg of the source holds each element as often as threads read it. *)
Theorem tiled_copy_tidfrg_S_covers t (A f : layout) : of_whole_copies t (of_src (copied t)) A = true ->
  tidfrg t (of_src (copied t)) A = Some f ->
  Permutation (image (leaves f)) (each_times (copies_each t (of_src (copied t)) A) (image (leaves A))).
Proof. apply tidfrg_covers. Qed.
(* tidfrg of the destination holds each element as often as threads write it. *)
Theorem tiled_copy_tidfrg_D_covers t (A f : layout) : of_whole_copies t (of_dst (copied t)) A = true ->
  tidfrg t (of_dst (copied t)) A = Some f ->
  Permutation (image (leaves f)) (each_times (copies_each t (of_dst (copied t)) A) (image (leaves A))).
Proof. apply tidfrg_covers. Qed.

(* What thread i reads, or writes: tidfrg at i. *)
Definition copy_part (t : tiled_copy) (target : Layout.layout N) (A : tensor D E) (i : N) : option (tensor D E) :=
  part_of A (f <- tidfrg t target (body A);
    match f with
    | Node [T; _; R] => if i <? size T then slice_and_offset (Each [At i; Any; all_of (rank R)]) f else None
    | _ => None
    end).
Definition copy_slices (t : tiled_copy) (target : Layout.layout N) (A : tensor D E) (i : N) (T V R : layout) : Prop :=
  exists Q, copy_part t target A i = Some Q /\ size (body Q) = size (Node [V; R]) /\
  forall j, j < size (Node [V; R]) -> element Q j = ahead A (start A +: (apply T i +: apply (Node [V; R]) j)).

Lemma copy_part_slices t target (A : tensor D E) i T V R : tidfrg t target (body A) = Some (Node [T; V; R]) ->
  shaped (Node [V; R]) = true -> i < size T -> copy_slices t target A i T V R.
Proof.
  intros EF SQ Hi. pose proof (proj1 (shaped_node _) SQ) as S. apply Forall_cons_iff in S as [SV S].
  apply Forall_cons_iff in S as [SR _].
  assert (K : slice_and_offset (Each [At i; Any; all_of (rank R)]) (Node [T; V; R]) =
    Some (apply T i, Node (V :: whole R))).
  { unfold slice_and_offset, slice, picked. cbn [fixed map apply_coordinate]. rewrite !apply_int, at_all by easy.
    cbn [bind]. rewrite (apply_0 V) by easy. rewrite !plus_zero_r. cbn [collect]. rewrite (proj1 (collect_all R)).
    cbn [bind option_map]. now rewrite !app_nil_r. }
  unfold copy_slices, copy_part. rewrite EF. cbn [bind]. rewrite (proj2 (N.ltb_lt _ _) Hi), K.
  eexists. split; [reflexivity|]. cbn [body fst snd].
  assert (L : leaves (Node (V :: whole R)) = leaves (Node [V; R])).
  { cbn [leaves flat_map]. now rewrite whole_leaves, app_nil_r. }
  assert (Z : size (Node (V :: whole R)) = size (Node [V; R])) by (rewrite !size_product; now rewrite L).
  split; [exact Z|]. intros j Hj. unfold element. cbn [ahead start body].
  rewrite (apply_inside (Node (V :: whole R))) by (unfold shaped; rewrite ?L, ?Z; easy).
  rewrite L, <- (apply_inside (Node [V; R])) by easy. now rewrite plus_assoc.
Qed.

(* partition_S(i) is tidfrg of the source at thread i. *)
Theorem partition_S_slices t (A : tensor D E) i T V R : tidfrg t (of_src (copied t)) (body A) = Some (Node [T; V; R]) ->
  shaped (Node [V; R]) = true -> i < size T -> copy_slices t (of_src (copied t)) A i T V R.
Proof. apply copy_part_slices. Qed.
(* partition_D(i) is tidfrg of the destination at thread i. *)
Theorem partition_D_slices t (A : tensor D E) i T V R : tidfrg t (of_dst (copied t)) (body A) = Some (Node [T; V; R]) ->
  shaped (Node [V; R]) = true -> i < size T -> copy_slices t (of_dst (copied t)) A i T V R.
Proof. apply copy_part_slices. Qed.
End Tidfrg.
