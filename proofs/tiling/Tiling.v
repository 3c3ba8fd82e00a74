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

(* ---- Division mode by mode. ---- *)

(* The same values, each as often. *)
Definition permutes (l m : list (N * D)) : Prop :=
  positive l = true /\ positive m = true /\ Permutation (image l) (image m).
Lemma permutes_app l m l' m' : permutes l l' -> permutes m m' -> permutes (l ++ m) (l' ++ m').
Proof.
  intros (P & P' & I) (Q & Q' & J). unfold permutes. rewrite !positive_app, P, P', Q, Q'. split; [easy|].
  split; [easy|].
  rewrite !image_app by easy. transitivity (flat_map (fun y => map (fun x => x +: y) (image l')) (image m)).
  - apply flat_map_permutations. intros y. now apply Permutation_map.
  - now apply Permutation_flat_map.
Qed.
Lemma permutes_same l : positive l = true -> permutes l l.
Proof. intros P. now split. Qed.

(* A tile of one mode that divides it: kept whole, or cut in a tile and its rest. *)
Inductive divided_mode : tiler -> layout -> layout -> Prop :=
  | kept_whole m : shaped m = true -> divided_mode Keep m m
  | cut_tile B m t r : permutes (leaves (Node [t; r])) (leaves m) -> logical_divide m B = Some (Node [t; r]) ->
      divided_mode (Tile B) m (Node [t; r])
  | cut_extent n m t r : permutes (leaves (Node [t; r])) (leaves m) ->
    logical_divide m (Leaf n (if n =? 1 then 0 else 1)) = Some (Node [t; r]) ->
      divided_mode (Extent n) m (Node [t; r]).

Lemma units_first (l : list (N * D)) d : image ((1, d) :: l) = image l.
Proof.
  rewrite image_cons by lia. rewrite (flat_map_ext _ (fun y => [y])).
  - induction (image l) as [|x k IH]; [easy|]. cbn. now f_equal.
  - intros y. rewrite iota_1. cbn [map]. now rewrite times_0, plus_zero.
Qed.

Lemma unzipped_permutes ts ms zs rest : Forall2 (fun t mz => divided_mode t (fst mz) (snd mz)) ts (combine ms zs) ->
  length ms = length zs -> Forall (fun m => shaped m = true) rest ->
  exists x y, unzip_tiles (Modes ts) (Node (zs ++ rest)) = Node [Node x; Node y] /\
  permutes (leaves (Node [Node x; Node y])) (leaves (Node (ms ++ rest))).
Proof.
  revert ms zs. induction ts as [|t ts IH]; intros [|m ms] [|z zs] F L R; try discriminate; try now inversion F.
  - exists [], rest. split; [easy|]. cbn. rewrite app_nil_r. apply permutes_same. apply (proj2 (shaped_node rest)) in R.
    exact R.
  - cbn [combine] in F. apply Forall2_cons_iff in F as [Ft F]. injection L as L.
    destruct (IH ms zs F L R) as (x & y & E & P).
    cbn [fst snd] in Ft. cbn [unzip_tiles modes_of app] in *.
    match type of E with (let '(_, _) := ?g in _) = _ => destruct g as [x' y'] eqn:G end. injection E as -> ->.
    cbn [leaves flat_map] in P. rewrite !app_nil_r in P.
    inversion Ft as [m' Sm|B m' t' r Pm Em|n m' t' r Pm Em]; subst; cbn [app].
    + exists (Leaf 1 zero :: x), (z :: y). split; [easy|]. cbn [leaves flat_map]. rewrite !app_nil_r.
      apply (permutes_app (leaves z) _ (leaves z) _ (permutes_same _ Sm)) in P. destruct P as (P1 & P2 & P3).
      assert (Q : Permutation (leaves z ++ flat_map leaves x ++ flat_map leaves y) (flat_map leaves x ++ leaves z ++
        flat_map leaves y)).
      { rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm. }
      split; [apply positive_cons; split; [lia|exact (positive_permutation _ _ Q P1)]|]. split; [exact P2|].
      cbn [app]. rewrite units_first, <- P3. symmetry. now apply image_permutation.
    + exists (t' :: x), (r :: y). split; [easy|]. cbn [leaves flat_map] in *. rewrite !app_nil_r in *.
      apply (permutes_app _ _ _ _ Pm) in P. destruct P as (P1 & P2 & P3).
      assert (Q : Permutation ((leaves t' ++ leaves r) ++ flat_map leaves x ++ flat_map leaves y)
        ((leaves t' ++ flat_map leaves x) ++ leaves r ++ flat_map leaves y)).
      { rewrite <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail,
          Permutation_app_comm. }
      split; [exact (positive_permutation _ _ Q P1)|]. split; [exact P2|]. rewrite <- P3. symmetry.
      now apply image_permutation.
    + exists (t' :: x), (r :: y). split; [easy|]. cbn [leaves flat_map] in *. rewrite !app_nil_r in *.
      apply (permutes_app _ _ _ _ Pm) in P. destruct P as (P1 & P2 & P3).
      assert (Q : Permutation ((leaves t' ++ leaves r) ++ flat_map leaves x ++ flat_map leaves y)
        ((leaves t' ++ flat_map leaves x) ++ leaves r ++ flat_map leaves y)).
      { rewrite <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail,
          Permutation_app_comm. }
      split; [exact (positive_permutation _ _ Q P1)|]. split; [exact P2|]. rewrite <- P3. symmetry.
      now apply image_permutation.
Qed.

(* Division by the modes of a tiler, each of which divides its mode. *)
Lemma divided_by_mode ts ms zs rest : Forall2 (fun t mz => divided_mode t (fst mz) (snd mz)) ts (combine ms zs) ->
  length ms = length zs -> length ts = length ms ->
  divide_tiler (Node (ms ++ rest)) (Modes ts) = Some (Node (zs ++ rest)).
Proof.
  intros F L K. unfold divide_tiler. cbn [by_tiler modes_of].
  match goal with |- option_map Node ?g = _ => assert (g = Some (zs ++ rest)) as ->; [|easy] end.
  revert ms zs F L K. induction ts as [|t ts IH]; intros [|m ms] [|z zs] F L K; try discriminate; [easy|].
  cbn [combine] in F. apply Forall2_cons_iff in F as [Ft F]. injection L as L. injection K as K. cbn [app fst snd] in *.
  specialize (IH ms zs F L K). inversion Ft as [m' Sm|B m' t' r Pm Em|n m' t' r Pm Em]; subst; cbn [by_tiler bind].
  - now rewrite IH.
  - rewrite Em. cbn [bind]. now rewrite IH.
  - rewrite Em. cbn [bind]. now rewrite IH.
Qed.

(* The tiles, and the shares of their elements, hold the values of A where each mode of the tiler divides its mode of A.
  *)
Lemma by_mode_shares ts ms zs rest : Forall2 (fun t mz => divided_mode t (fst mz) (snd mz)) ts (combine ms zs) ->
  length ms = length zs -> length ts = length ms -> Forall (fun m => shaped m = true) rest ->
  exists x y, zipped_divide (Node (ms ++ rest)) (Modes ts) = Some (Node [Node x; Node y]) /\
  shaped (Node [Node x; Node y]) = true /\
  Permutation (shares (fun c => outer_partition (Node (ms ++
  rest)) (Modes ts) (At c)) (size (Node x))) (image (leaves (Node (ms ++ rest)))).
Proof.
  intros F L K R. destruct (unzipped_permutes ts ms zs rest F L R) as (x & y & E & P1 & P2 & P3). exists x, y.
  assert (zipped_divide (Node (ms ++ rest)) (Modes ts) = Some (Node [Node x; Node y])) as Z.
  { unfold zipped_divide. rewrite (divided_by_mode ts ms zs rest F L K). cbn [option_map]. now rewrite E. }
  split; [exact Z|]. split; [exact P1|]. rewrite (outer_shares _ _ _ _ Z P1). exact P3.
Qed.

Lemma flat_coordinate (ms : list layout) i : ms <> [] ->
  apply_coordinate (Node ms) (Tup (map Int (open_digits (map size ms) i))) = Some (apply (Node ms) i).
Proof.
  intros Ne. revert i. induction ms as [|m ms IH]; intros i; [easy|]. destruct ms as [|n ms].
  - cbn. rewrite apply_int. cbn. now rewrite plus_zero_r.
  - specialize (IH ltac:(discriminate) (i / size m)). cbn [map]. rewrite open_digits_cons by discriminate.
    cbn [map apply_coordinate].
    rewrite apply_int. cbn [bind]. cbn [apply_coordinate map] in IH. rewrite IH. reflexivity.
Qed.

(* Whether tiles of as many elements as there are places in r cut the mode m exactly. *)
Definition tile_of (n : N) : Layout.layout N := Leaf n (if n =? 1 then 0 else 1).
Definition cuts_mode (r : Layout.layout N) (m : layout) : bool :=
  (size m mod size r =? 0) && match divide_exactly m (tile_of (size r)) with Some _ => true | None => false end.

Lemma cut_mode r m : shaped r = true -> shaped m = true -> cuts_mode r m = true ->
  exists t q, divided_mode (Extent (size r)) m (Node [t; q]) /\ size t = size r.
Proof.
  intros Sr Sm C. unfold cuts_mode in C. apply andb_true_iff in C as [C1 C2]. pose proof (size_positive r Sr) as Pr.
  apply N.eqb_eq, mod_0_divides in C1; [|easy]. set (n := size r) in *. clearbody n. clear r Sr.
  assert (SB : shaped (tile_of n) = true) by now apply positive_cons.
  destruct (divide_exactly m (tile_of n)) as [z|] eqn:E; [|discriminate]. clear C2.
  assert (T : broadcasts (tile_of n) = false /\ chained (sorted_leaves (tile_of n)) = true /\ top (tile_of n) = n).
  { unfold tile_of, top, broadcasts, sorted_leaves, moving. cbn [leaves existsb List.filter fst snd].
    destruct (N.eqb_spec n 1) as [->|Ne]; [easy|]. rewrite (proj2 (N.ltb_lt 1 n)) by lia. cbn. repeat split.
    apply N.mul_1_r. }
  destruct T as (T1 & T2 & T3).
  pose proof (logical_divide_permutes m (tile_of n) z Sm SB T1 T2 ltac:(now rewrite T3) E) as P.
  destruct (logical_divide_tile m (tile_of n) z Sm SB E) as (L & t & q & -> & Et). exists t, q.
  destruct (divided_node m (tile_of n) _ Sm SB E) as (K & _ & S & EC).
  destruct (composition_sound _ _ _ S EC) as (_ & SR & _).
  split; [apply cut_extent; [now split|exact L]|].
  pose proof (compatible_size _ _ (composition_compatible _ _ _ SB Et)) as Z. rewrite !tsize_shape in Z.
  now rewrite <- Z.
Qed.

Lemma cut_modes rs ms : Forall (fun r => shaped r = true) rs -> Forall (fun m => shaped m = true) ms ->
  length rs = length ms -> forallb (fun p => cuts_mode (fst p) (snd p)) (combine rs ms) = true ->
  exists zs, length ms = length zs /\
  Forall2 (fun t mz => divided_mode t (fst mz) (snd mz)) (map (fun r => Extent (size r)) rs) (combine ms zs) /\
  forall rest, exists x y, unzip_tiles (Modes (map (fun r => Extent (size r)) rs)) (Node (zs ++ rest)) = Node [Node x;
  Node y] /\ map size x = map size rs.
Proof.
  intros Sr. revert ms. induction Sr as [|r rs Hr Sr IH]; intros [|m ms] Sm L C; try discriminate.
  - exists []. split; [easy|]. split; [constructor|]. intros rest. exists [], rest. easy.
  - apply Forall_cons_iff in Sm as [Hm Sm]. injection L as L. cbn [combine forallb fst snd] in C.
    apply andb_true_iff in C as [C1 C2].
    destruct (cut_mode r m Hr Hm C1) as (t & q & Dm & Zt). destruct (IH ms Sm L C2) as (zs & Lz & F & U).
    exists (Node [t; q] :: zs). split; [cbn; now f_equal|]. split; [now constructor|]. intros rest.
    destruct (U rest) as (x & y & E & Z).
    exists (t :: x), (q :: y). cbn [map unzip_tiles modes_of app] in *.
    match type of E with (let '(_, _) := ?g in _) = _ => destruct g as [x' y'] eqn:G end. injection E as -> ->.
    cbn [map].
    split; [easy|]. now rewrite Zt, Z.
Qed.

(* Threads for A: compact, without empty tuples, each mode cutting its mode of A. *)
Definition grid (rs : list (Layout.layout N)) (ms : list layout) : bool :=
  shaped (Node rs) && tfull (shape (Node rs)) && compactb (Node rs) &&
  forallb (fun p => cuts_mode (fst p) (snd p)) (combine rs ms).

(* The shares of all threads of such a grid, of two or more modes, hold the values of A, each as often as A takes it. *)
Theorem local_partition_covers rs ms rest : let A := Node (ms ++ rest) in (1 < rank (Node rs))%nat ->
  length rs = length ms -> grid rs ms = true -> shaped A = true ->
  Permutation (shares (local_partition A (Node rs)) (size (Node rs))) (image (leaves A)).
Proof.
  intros A Two L G SA. unfold grid in G. rewrite !andb_true_iff in G. destruct G as [[[SR F] C] Cut].
  apply compactb_spec in C; [|easy]. subst A. apply shaped_node, Forall_app in SA as [Sm Srest].
  destruct (cut_modes rs ms) as (zs & Lz & Dv & U); [now apply shaped_node|easy|easy|easy|].
  destruct (by_mode_shares _ ms zs rest Dv Lz) as (x & y & Z & S & P); [now rewrite map_length|easy|].
  destruct (U rest) as (x' & y' & E & Zx).
  assert (x' = x /\ y' = y) as [-> ->].
  { unfold zipped_divide in Z. rewrite (divided_by_mode _ ms zs rest Dv Lz) in Z by now rewrite map_length.
    cbn [option_map] in Z. rewrite E in Z. now injection Z. }
  assert (size (Node x) = size (Node rs)) as ZR by (cbn [size]; now rewrite Zx). rewrite ZR in P. rewrite <- P.
  set (A := Node (ms ++ rest)) in *. set (R := Node rs) in *. pose proof (proj1 (shaped_node _) S) as Sxy.
  apply Forall_cons_iff in Sxy as [Sx Sy].
  unfold shares at 1. rewrite (Permutation_flat_map _ (Permutation_sym C)), (image_leaves R SR), flat_map_map.
  unfold shares.
  rewrite !flat_map_concat_map. assert (forall l m : list (list D), l = m ->
    Permutation (concat l) (concat m)) as Eq by (now intros l m ->).
  apply Eq, map_ext_in. intros j Hj. rewrite in_iota in Hj.
  assert (extents_tiler R = Modes (map (fun r => Extent (size r)) rs)) as T by reflexivity.
  assert (x <> []) as Nx by (intros ->; destruct rs; [cbn in Two; lia|discriminate]).
  unfold local_partition. subst R. destruct rs as [|r [|s rs]]; try (cbn in Two; lia).
  rewrite (get_flat_coord_inverse r s rs j SR F C Hj). cbn [bind]. rewrite T.
  rewrite (outer_at A _ (Node x) (Node y) _ (apply (Node x) j) Z);
    [|now inversion Sy|rewrite <- Zx; now apply flat_coordinate].
  pose proof (outer_at A _ (Node x) (Node y) (Int j) (apply (Node x) j) Z) as O. cbn [closed] in O.
  rewrite O; [easy|now inversion Sy|easy].
Qed.
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
