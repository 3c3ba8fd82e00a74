(* Tiles of a layout and a thread's share of one: zipped_divide, sliced in its rest or in its tile. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Partition Read_back.
Local Open Scope N_scope.

Section Tiling.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* Every one of n modes kept; once it is the mode itself, whole. A coordinate for n modes: one that is too short keeps
  the rest. *)
Definition all_of (n : nat) : open := match n with 1%nat => Any | _ => Each (repeat Any n) end.
Definition for_modes (c : open) (n : nat) : option open :=
  match c with
  | Each cs => if (n <? length cs)%nat then None else Some (Each (cs ++ repeat Any (n - length cs)))
  | _ => Some c
  end.
(* One tile: the rest sliced at c, the tile whole. One element of every tile: the tile sliced at c, the rest whole. *)
Definition inner_partition (A : layout) (t : tiler) (c : open) : option (D * layout) :=
  z <- zipped_divide A t;
  match z with
  | Node [x; y] => r <- for_modes c (rank y); slice_and_offset (Each [all_of (rank x); r]) z
  | _ => None
  end.
Definition outer_partition (A : layout) (t : tiler) (c : open) : option (D * layout) :=
  z <- zipped_divide A t;
  match z with
  | Node [x; y] => r <- for_modes c (rank x); slice_and_offset (Each [r; all_of (rank y)]) z
  | _ => None
  end.
(* A coordinate without open places. *)
Fixpoint closed (c : tuple) : open :=
  match c with
  | Int i => At i
  | Tup cs => Each (map closed cs)
  end.

(* What slicing keeps of a whole mode: the list of its modes, or itself where it is one. *)
Definition whole (x : layout) : list layout := if (rank x =? 1)%nat then [x] else modes_of x.
Lemma collect_all x : collect true (all_of (rank x)) x = Some (whole x) /\ collect false (all_of (rank x)) x = Some [].
Proof.
  unfold whole. destruct x as [s d|ms]; [easy|]. cbn [rank modes_of]. unfold all_of.
  destruct (length ms) as [|[|n]] eqn:E; [now destruct ms|easy|].
  assert (forall keep, collect keep (Each (repeat Any (S (S n)))) (Node ms) = Some (if keep then ms else [])) as K;
    [|now rewrite !K].
  intros keep. rewrite <- E. clear E n. cbn [collect]. induction ms as [|m ms IH]; [now destruct keep|].
  cbn [length repeat].
  rewrite IH. cbn. now destruct keep, m.
Qed.
Lemma whole_leaves x : flat_map leaves (whole x) = leaves x.
Proof.
  unfold whole. destruct (rank x =? 1)%nat; [simpl; apply app_nil_r|]. symmetry. apply leaves_modes.
Qed.
Lemma whole_value x i : shaped x = true -> i < size x -> size (Node (whole x)) = size x /\
  apply (Node (whole x)) i = apply x i.
Proof.
  intros S Hi. assert (size (Node (whole x)) = size x) as Z by (rewrite !size_product; cbn [leaves];
    now rewrite whole_leaves).
  split; [exact Z|]. rewrite !apply_inside; try easy;
    [|unfold shaped; cbn [leaves]; now rewrite whole_leaves|now rewrite Z].
  cbn [leaves]. now rewrite whole_leaves.
Qed.
Lemma at_all x : shaped x = true -> apply_coordinate x (fixed (all_of (rank x))) = Some zero.
Proof.
  intros P. destruct (collect_all x) as [_ C]. destruct (diced_value _ _ _ P C) as (n & E & F). rewrite E, <- F.
  assert (fixed_parts (all_of (rank x)) = []) as ->; [|easy]. unfold all_of. destruct (rank x) as [|[|n']]; try easy.
  generalize (S (S n')) as k. intros k. cbn [fixed_parts]. induction k; simpl; auto.
Qed.

Lemma collect_closed c x : (exists v, apply_coordinate x c = Some v) -> collect true (closed c) x = Some [].
Proof.
  revert c. induction x as [s d|ms IH] using layout_induction; intros [i|cs] [v E]; try easy. cbn [closed collect].
  cbn [apply_coordinate] in E. revert cs v E.
  induction IH as [|m ms Hm _ IH]; intros [|c cs] v E; try discriminate; [easy|].
  cbn [map]. destruct (apply_coordinate m c) as [a|] eqn:Ea; [|discriminate]. cbn [bind] in E.
  match type of E with bind ?g _ = _ => destruct g as [b|] eqn:Eb; [|discriminate] end.
  rewrite (Hm c (ex_intro _ a Ea)). cbn [bind]. now rewrite (IH cs b Eb).
Qed.
Lemma fixed_closed c : fixed (closed c) = c.
Proof.
  induction c as [i|cs IH] using tuple_induction; [easy|]. cbn [closed fixed]. f_equal. rewrite map_map.
  rewrite <- (map_id cs) at 2. now apply map_ext_Forall.
Qed.
Lemma closed_for_modes c x v : apply_coordinate x c = Some v -> for_modes (closed c) (rank x) = Some (closed c).
Proof.
  destruct c as [i|cs]; [easy|]. destruct x as [s d|ms]; [discriminate|]. intros E. cbn [closed for_modes rank].
  rewrite map_length.
  assert (length ms = length cs) as ->.
  { cbn [apply_coordinate] in E. revert cs v E. induction ms as [|m ms IH]; intros [|c cs] v E; try discriminate;
      [easy|]. cbn [length]. f_equal.
    destruct (apply_coordinate m c); [|discriminate]. cbn [bind] in E.
    match type of E with bind ?g _ = _ => destruct g as [b|] eqn:Eb; [|discriminate] end. now apply (IH cs b). }
  now rewrite Nat.ltb_irrefl, Nat.sub_diag, app_nil_r.
Qed.

(* A coordinate of the rest gives the tile behind the value there; one of the tile the rest behind the value there. *)
Lemma inner_at A t x y c v : zipped_divide A t = Some (Node [x; y]) -> shaped x = true ->
  apply_coordinate y c = Some v -> inner_partition A t (closed c) = Some (v, Node (whole x)).
Proof.
  intros E S V. unfold inner_partition. rewrite E. cbn [bind]. rewrite (closed_for_modes c y v V). cbn [bind].
  unfold slice_and_offset, slice, picked. cbn [fixed map apply_coordinate]. rewrite at_all, fixed_closed, V by easy.
  cbn [bind].
  rewrite plus_zero_r, plus_zero. cbn [collect]. rewrite (proj1 (collect_all x)), (collect_closed c y) by eauto.
  cbn [bind option_map].
  now rewrite !app_nil_r.
Qed.
Lemma outer_at A t x y c v : zipped_divide A t = Some (Node [x; y]) -> shaped y = true ->
  apply_coordinate x c = Some v -> outer_partition A t (closed c) = Some (v, Node (whole y)).
Proof.
  intros E S V. unfold outer_partition. rewrite E. cbn [bind]. rewrite (closed_for_modes c x v V). cbn [bind].
  unfold slice_and_offset, slice, picked. cbn [fixed map apply_coordinate]. rewrite at_all, fixed_closed, V by easy.
  cbn [bind].
  rewrite !plus_zero_r. cbn [collect]. rewrite (proj1 (collect_all y)), (collect_closed c x) by eauto.
  cbn [bind option_map].
  now rewrite app_nil_r.
Qed.

Lemma two_modes (x y : layout) i c : i < size x -> apply (Node [x; y]) (i + size x * c) = apply x i +: apply y c.
Proof.
  intros Hi. change (apply (Node [x; y]) (i + size x * c))
    with (apply x ((i + size x * c) mod size x) +: apply y ((i + size x * c) / size x)).
  now rewrite digit_mod, digit_div.
Qed.

(* Tile c of A at i is A, divided, at (i, c). *)
Theorem inner_partition_pointwise A t x y c : zipped_divide A t = Some (Node [x; y]) -> shaped x = true ->
  exists n R, inner_partition A t (At c) = Some (n, R) /\ size R = size x /\
    forall i, i < size x -> n +: apply R i = apply (Node [x; y]) (i + size x * c).
Proof.
  intros E S. exists (apply y c), (Node (whole x)). split; [now apply (inner_at A t x y (Int c)); [| |destruct y]|].
  pose proof (size_positive x S) as P. split; [now apply (whole_value x 0)|]. intros i Hi.
  destruct (whole_value x i S Hi) as [_ ->]. rewrite two_modes by easy. apply plus_comm.
Qed.

(* It is the same for an index of the rest and for its coordinate. *)
Theorem inner_partition_coordinate A t x y c : zipped_divide A t = Some (Node [x; y]) -> shaped x = true ->
  inner_partition A t (closed (idx2crd c (shape y))) = inner_partition A t (At c).
Proof.
  intros E S. rewrite (inner_at A t x y _ (apply y c) E S (apply_idx2crd y c)). symmetry.
  now apply (inner_at A t x y (Int c)); [| |destruct y].
Qed.

(* Element c of every tile: share c of A at i is A, divided, at (c, i). *)
Theorem outer_partition_pointwise A t x y c : zipped_divide A t = Some (Node [x; y]) -> shaped y = true -> c < size x ->
  exists n R, outer_partition A t (At c) = Some (n, R) /\ size R = size y /\
    forall i, i < size y -> n +: apply R i = apply (Node [x; y]) (c + size x * i).
Proof.
  intros E S Hc. exists (apply x c), (Node (whole y)). split; [now apply (outer_at A t x y (Int c)); [| |destruct x]|].
  pose proof (size_positive y S) as P. split; [now apply (whole_value y 0)|]. intros i Hi.
  destruct (whole_value y i S Hi) as [_ ->]. now rewrite two_modes.
Qed.

(* Element i of tile j is element j of share i. *)
Theorem outer_partition_inner A t x y i j : zipped_divide A t = Some (Node [x; y]) -> shaped x = true ->
  shaped y = true -> i < size x -> j < size y -> exists n R m Q, outer_partition A t (At i) = Some (n, R) /\
  inner_partition A t (At j) = Some (m, Q) /\ n +: apply R j = m +: apply Q i.
Proof.
  intros E Sx Sy Hi Hj. destruct (inner_partition_pointwise A t x y j E Sx) as (m & Q & EQ & _ & VQ).
  destruct (outer_partition_pointwise A t x y i E Sy Hi) as (n & R & ER & _ & VR). exists n, R, m, Q.
  split; [easy|]. split; [easy|]. now rewrite VQ, VR.
Qed.

(* The values of all tiles, and of all shares. *)
Definition shares (f : N -> option (D * layout)) (n : N) : list D :=
  flat_map (fun c => match f c with Some (v, R) => map (fun i => v +: apply R i) (iota (size R)) | None =>
    [] end) (iota n).

Lemma inner_shares A t x y : zipped_divide A t = Some (Node [x; y]) -> shaped (Node [x; y]) = true ->
  shares (fun c => inner_partition A t (At c)) (size y) = image (leaves (Node [x; y])).
Proof.
  intros E S. pose proof (proj1 (shaped_node _) S) as S'. apply Forall_cons_iff in S' as [Sx _].
  rewrite image_leaves by easy.
  change (size (Node [x; y])) with (size x * (size y * 1)). rewrite N.mul_1_r, iota_mul, map_flat_map. unfold shares.
  apply flat_map_ext. intros c.
  destruct (inner_partition_pointwise A t x y c E Sx) as (n & R & -> & -> & V). rewrite map_map. apply map_ext_in.
  intros i Hi.
  apply V. now apply in_iota.
Qed.
Lemma outer_shares A t x y : zipped_divide A t = Some (Node [x; y]) -> shaped (Node [x; y]) = true ->
  Permutation (shares (fun c => outer_partition A t (At c)) (size x)) (image (leaves (Node [x; y]))).
Proof.
  intros E S. pose proof (proj1 (shaped_node _) S) as S'. apply Forall_cons_iff in S' as [Sx S'].
  apply Forall_cons_iff in S' as [Sy _].
  rewrite image_leaves by easy. change (size (Node [x; y])) with (size x * (size y * 1)).
  rewrite N.mul_1_r, iota_mul, map_flat_map.
  assert (shares (fun c => outer_partition A t (At c)) (size x) =
    flat_map (fun c => map (fun i => apply (Node [x; y]) (c + size x * i)) (iota (size y))) (iota (size x))) as ->.
  { unfold shares. rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros c Hc. rewrite in_iota in Hc.
    destruct (outer_partition_pointwise A t x y c E Sy Hc) as (n & R & -> & -> & V). apply map_ext_in. intros i Hi.
    apply V. now apply in_iota. }
  rewrite (flat_map_swap (fun c i => apply (Node [x; y]) (c + size x * i))). erewrite flat_map_ext; [reflexivity|].
  intros i. cbn beta. now rewrite map_map.
Qed.

(* The tiles of a layout B that divides A hold the values of A, each as often. *)
Theorem inner_partition_covers A B z : shaped A = true -> shaped B = true -> broadcasts B = false ->
  chained (sorted_leaves B) = true -> (top B | size A) -> divide_exactly A B = Some z ->
  exists n, Permutation (shares (fun c => inner_partition A (Tile B) (At c)) n) (image (leaves A)).
Proof.
  intros SA SB NB C T E. pose proof (logical_divide_permutes A B z SA SB NB C T E) as P.
  destruct (logical_divide_tile A B z SA SB E) as (L & x & y & -> & _). exists (size y).
  rewrite (inner_shares A (Tile B) x y); [exact P|now rewrite zipped_divide_layout|].
  destruct (divided_node A B _ SA SB E) as (K & _ & S & EC). now apply (composition_sound A (Node [B; K])).
Qed.

(* So do the shares of the elements of such a tile. *)
Theorem outer_partition_covers A B z : shaped A = true -> shaped B = true -> broadcasts B = false ->
  chained (sorted_leaves B) = true -> (top B | size A) -> divide_exactly A B = Some z ->
  exists n, Permutation (shares (fun c => outer_partition A (Tile B) (At c)) n) (image (leaves A)).
Proof.
  intros SA SB NB C T E. pose proof (logical_divide_permutes A B z SA SB NB C T E) as P.
  destruct (logical_divide_tile A B z SA SB E) as (L & x & y & -> & _). exists (size x).
  rewrite (outer_shares A (Tile B) x y); [exact P|now rewrite zipped_divide_layout|].
  destruct (divided_node A B _ SA SB E) as (K & _ & S & EC). now apply (composition_sound A (Node [B; K])).
Qed.

(* A tile of the modes that a projection keeps, and a thread's share at its place. *)
Definition local_tile (A : layout) (t : tiler) (c : open) : option (D * layout) := inner_partition A t c.
Definition local_tile_by (ps : list bool) (A : layout) (ts : list tiler) (cs : list open) : option (D * layout) :=
  if (length ps =? length ts)%nat && (length ps =? length cs)%nat then
    local_tile A (Modes (kept ps ts)) (Each (kept ps cs)) else None.
Definition extents_tiler (R : Layout.layout N) : tiler := Modes (map (fun m => Extent (size m)) (modes_of R)).
Definition local_partition (A : layout) (R : Layout.layout N) (i : N) : option (D * layout) :=
  c <- get_flat_coord R i; outer_partition A (extents_tiler R) (closed c).
Definition local_partition_by (ps : list bool) (A : layout) (R : Layout.layout N) (i : N) : option (D * layout) :=
  E <- dice (projection ps) R; local_partition A E i.

(* local_tile is inner_partition. *)
Theorem local_tile_inner A t c : local_tile A t c = inner_partition A t c.
Proof. reflexivity. Qed.

(* With a projection it is that of the tiles and coordinates that the projection keeps. *)
Theorem local_tile_projects ps A ts cs : length ps = length ts -> length ps = length cs ->
  local_tile_by ps A ts cs = local_tile A (Modes (kept ps ts)) (Each (kept ps cs)).
Proof. intros E F. unfold local_tile_by. now rewrite <- E, <- F, Nat.eqb_refl. Qed.

(* The share of thread i is the element of every tile at the place of i. *)
Theorem local_partition_outer A R i c : get_flat_coord R i = Some c ->
  local_partition A R i = outer_partition A (extents_tiler R) (closed c).
Proof. unfold local_partition. now intros ->. Qed.

(* With a projection it is the share of i among the threads that are kept. *)
Theorem local_partition_projects ps A ms i : length ps = length ms ->
  local_partition_by ps A (Node ms) i = local_partition A (Node (kept ps ms)) i.
Proof. intros L. unfold local_partition_by. now rewrite projected. Qed.
End Tiling.

(* Which thread of a tiled MMA stands at (V, M, N, K): copies of the atom's threads V, arranged by R. *)
Definition thr_layout_vmnk (V R : layout N) : option (layout N) := tiled_product V (Tile R).

(* It is the tiled product of the atom's threads with the layout of atoms. *)
Theorem tiled_mma_thr_layout_vmnk_product V R : thr_layout_vmnk V R = option_map (unpack_from 1) (logical_product V R).
Proof. unfold thr_layout_vmnk, tiled_product, zipped_product, product_tiler. cbn. now destruct (logical_product V R).
Qed.

(* Every place has another thread, where the atom's threads and the places of atoms are all different. *)
Theorem tiled_mma_thr_layout_vmnk_distinct V R P : shaped V = true -> shaped R = true -> broadcasts V = false ->
  NoDup (image (leaves R)) -> thr_layout_vmnk V R = Some P -> NoDup (image (leaves P)).
Proof.
  intros SV SR B Nd. rewrite tiled_mma_thr_layout_vmnk_product.
  destruct (logical_product V R) as [Q|] eqn:E; [|discriminate].
  cbn [option_map]. intros K. injection K as <-. pose proof (logical_product_copies V R Q SV SR B Nd E) as Nq.
  destruct (product_parts V R Q E) as (F & y & _ & _ & ->).
  assert (leaves (unpack_from 1 (Node [V; y])) = leaves (Node [V; y])) as ->; [|exact Nq].
  unfold unpack_from. simpl. rewrite !app_nil_r. f_equal. destruct y as [|[|a [|b k]]]; simpl; now rewrite ?app_nil_r.
Qed.
