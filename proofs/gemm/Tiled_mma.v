(* An MMA atom repeated over threads and values: who holds which element of A, B and C. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Atoms Tiling Make.
Local Open Scope N_scope.

Inductive operand := Of_A | Of_B | Of_C.
(* The thread layout over (V, M, N, K), and a tiler for each of M, N and K. *)
Record tiled_mma := Tiled_mma { atom : mma_atom; vmnk : layout N; of_m : tiler; of_n : tiler; of_k : tiler }.
(* Copies of the atom's threads, arranged by R over (M, N, K); what a permutation leaves out is kept. *)
Definition make_tiled_mma (a : mma_atom) (R : layout N) (ts : list tiler) : option tiled_mma :=
  if (3 <? length ts)%nat then None
  else P <- (r <- pad R 3 (Leaf 1 0) false; thr_layout_vmnk (mma_threads a) r);
       Some (Tiled_mma a P (nth 0 ts Keep) (nth 1 ts Keep) (nth 2 ts Keep)).

(* Of (M, N, K) those that an operand has. *)
Definition pair_of {X} (x : operand) (m n k : X) : X * X :=
  match x with Of_A => (m, k) | Of_B => (n, k) | Of_C => (m, n) end.
Definition thread_values (a : mma_atom) (x : operand) : layout N :=
  match x with Of_A => of_a a | Of_B => of_b a | Of_C => of_c a end.
Definition by_two (p : tiler * tiler) : tiler := Modes [fst p; snd p].
Definition permuting (t : tiled_mma) (x : operand) : tiler := by_two (pair_of x (of_m t) (of_n t) (of_k t)).
Definition counting (n : N) : tiler := Tile (make_layout_left (Int n)).
Definition atom_tile (t : tiled_mma) (x : operand) : tiler :=
  by_two (pair_of x (counting (rows (atom t))) (counting (columns (atom t))) (counting (steps (atom t)))).
Definition atoms_along (t : tiled_mma) (k : nat) : N := size (nth k (modes_of (vmnk t)) (Node [])).
Definition across (t : tiled_mma) (x : operand) : tiler :=
  by_two (pair_of x (counting (atoms_along t 1)) (counting (atoms_along t 2)) (counting (atoms_along t 3))).
Definition atom_size (t : tiled_mma) (x : operand) : N :=
  let p := pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t)) in fst p * snd p.

Section Thrfrg.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* Divided by the permutation; by the atom's extents; the atom's part composed with its thread-value layout; the rest
  divided by the numbers of atoms; regrouped as ((ThrV, Thr), (FrgV, Rest)). *)
Definition thrfrg (t : tiled_mma) (x : operand) (A : layout) : option layout :=
  P <- divide_tiler A (permuting t x);
  Z <- zipped_divide P (atom_tile t x);
  V <- composition (first Z) (thread_values (atom t) x);
  R <- zipped_divide (second Z) (across t x);
  Some (Node [Node [first V; first R]; Node [second V; second R]]).

(* Whether A is a matrix of whole tiles: every division cuts it exactly, and the atom's layout covers the atom. *)
Definition of_whole_tiles (t : tiled_mma) (x : operand) (A : layout) : bool :=
  shaped A && cuts_modes (permuting t x) A &&
  match divide_tiler A (permuting t x) with
  | None => false
  | Some P => cuts_modes (atom_tile t x) P && covered (atom_size t x) (thread_values (atom t) x) &&
      match thread_values (atom t) x with Node [_; _] => true | _ => false end &&
      match zipped_divide P (atom_tile t x) with
      | Some Z => (size (first Z) =? atom_size t x) && cuts_modes (across t x) (second Z)
      | None => false
      end
  end.
End Thrfrg.

Section Covers.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Lemma image_times_app k (l l' m : list (N * D)) : positive l = true -> positive l' = true ->
  Permutation (image l) (each_times k (image l')) -> Permutation (image (l ++ m)) (each_times k (image (l' ++ m))).
Proof.
  intros P P' I. rewrite !image_app, times_flat_map by easy. apply flat_map_permutations. intros y.
  rewrite <- map_times. now apply Permutation_map.
Qed.

Lemma leaves_two (x y : layout) : leaves (Node [x; y]) = leaves x ++ leaves y.
Proof. cbn. now rewrite app_nil_r. Qed.
End Covers.

(* What broadcasts repeats the values of what moves. *)
Lemma image_repeats (l : modes) : positive l = true -> exists k, numel l = k * numel (without_zeros l) /\
  Permutation (image l) (each_times k (image (without_zeros l))).
Proof.
  induction l as [|[s d] l IH]; intros P; [exists 1; split; [reflexivity|rewrite times_once; reflexivity]|].
  apply positive_cons in P as [Hs P]. destruct (IH P) as (k & Z & I). cbn [without_zeros map fst snd].
  fold (without_zeros l). rewrite image_cons by easy. change (same d zero) with (d =? 0). destruct (N.eqb_spec d 0) as
    [->|Hd].
  - exists (s * k). split; [cbn [numel]; rewrite Z; lia|]. rewrite units_first.
    rewrite <- times_times. transitivity (each_times s (image l)); [|now apply times_permutation].
    unfold each_times. erewrite flat_map_ext; [reflexivity|]. intros v. cbn beta.
    rewrite (map_ext _ (fun _ => v)) by (intros r; change (r * 0 + v = v); lia). rewrite <- (length_iota s).
    induction (iota s) as [|r m IHm]; cbn; congruence.
  - exists k. split; [cbn [numel]; rewrite Z; lia|]. rewrite image_cons by easy. rewrite times_flat_map.
    transitivity (flat_map (fun y => map (fun r => r *: d +: y) (iota s)) (each_times k (image (without_zeros l)))).
    + now apply Permutation_flat_map.
    + rewrite <- times_flat_map. apply flat_map_times.
Qed.
Lemma covered_repeats n L : covered n L = true -> Permutation (image (leaves L)) (each_times (size L / n) (iota n)).
Proof.
  unfold covered. rewrite !andb_true_iff, N.eqb_eq. intros [[S C] Z].
  destruct (image_repeats (leaves L) S) as (k & Zk & I). rewrite <- filter_zeros_leaves, <- !size_product in Zk.
  pose proof (filter_zeros_shaped L S) as SZ.
  pose proof (size_positive _ SZ) as PZ. apply compactb_spec in C; [|easy]. unfold compact_layout in C. rewrite Z in *.
  rewrite I, <- filter_zeros_leaves. rewrite Zk, N.div_mul by lia. now apply times_permutation.
Qed.

Section Holds.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Lemma composed_repeats (X : layout) (L : Layout.layout N) V n : shaped X = true -> shaped L = true -> size X = n ->
  covered n L = true -> composition X L = Some V -> Permutation (image (leaves V)) (each_times (size L / n) (image
    (leaves
    X))).
Proof.
  intros SX SL Z C E. destruct (composition_sound X L V SL E) as (Cm & SV & W). pose proof (refined_size _ _ Cm) as ZV.
  rewrite (image_leaves V SV), (image_leaves X SX), <- ZV, Z, <- map_times, <- (covered_repeats n L C), image_leaves,
    map_map
    by easy.
  erewrite map_ext_in; [reflexivity|]. intros i Hi. rewrite in_iota in Hi. now apply W.
Qed.

Lemma thrfrg_covers t x (A f : layout) : of_whole_tiles t x A = true -> thrfrg t x A = Some f ->
  Permutation (image (leaves f)) (each_times (size (thread_values (atom t) x) / atom_size t x) (image (leaves A))).
Proof.
  unfold of_whole_tiles, thrfrg. rewrite !andb_true_iff. intros [[SA CA] W].
  destruct (divide_tiler A (permuting t x)) as [P|] eqn:EP; [|discriminate]. cbn [bind].
  rewrite !andb_true_iff in W. destruct W as [[[CP Cov] Two] W].
  destruct (divided_values _ A P SA CA EP) as (SP & _ & IP).
  destruct (cut_zipped (atom_tile t x) P SP CP) as (z & EZ & _ & SZ & IZ); [easy|]. rewrite EZ in W |- *. cbn [bind].
  set (Z0 := tile_part (z, atom_tile t x)) in *. set (Z1 := rest_part (z, atom_tile t x)) in *.
  change (first (Node [Z0; Z1])) with Z0 in *. change (second (Node [Z0; Z1])) with Z1 in *.
  apply andb_true_iff in W as [ZS CR]. apply N.eqb_eq in ZS.
  pose proof (proj1 (shaped_node _) SZ) as S'. apply Forall_cons_iff in S' as [S0 S']. apply Forall_cons_iff in S' as
    [S1 _].
  set (L := thread_values (atom t) x) in *.
  assert (SL : shaped L = true) by (unfold covered in Cov; rewrite !andb_true_iff in Cov; apply Cov).
  destruct (composition Z0 L) as [V|] eqn:EV; [|discriminate]. cbn [bind].
  destruct (cut_zipped (across t x) Z1 S1 CR) as (r & ER & _ & SR & IR); [easy|]. rewrite ER. cbn [bind].
  intros K. injection K as <-. unfold first at 2, second at 2. cbn [modes_of nth].
  set (R0 := tile_part (r, across t x)) in *. set (R1 := rest_part (r, across t x)) in *.
  destruct (composition_sound Z0 L V SL EV) as (Cm & SV & _).
  assert (LV : leaves V = leaves (first V) ++ leaves (second V)).
  { destruct L as [|[|T [|U [|]]]]; try discriminate. destruct V as [|vs]; [discriminate|].
    apply refined_nodes in Cm. inversion Cm as [|? v0 ? vs0 _ C1]; subst. inversion C1 as [|? v1 ? vs1 _ C2]; subst.
    inversion C2; subst. cbn. now rewrite app_nil_r. }
  assert (Q : Permutation (leaves (Node [Node [first V; R0]; Node [second V; R1]])) (leaves V ++ leaves (Node [R0;
    R1]))).
  { rewrite LV. cbn [leaves flat_map]. rewrite !app_nil_r. apply woven_lists. }
  pose proof (composed_repeats Z0 L V _ S0 SL ZS Cov EV) as I.
  assert (PL : positive (leaves V ++ leaves (Node [R0; R1])) = true) by (rewrite positive_app; apply andb_true_iff;
    now split).
  rewrite <- (image_permutation _ _ (Permutation_sym Q) PL).
  rewrite (image_times_app _ (leaves V) (leaves Z0) _ SV S0 I). apply times_permutation. rewrite <- IP, <- IZ.
  rewrite (leaves_two Z0). rewrite !image_app by easy. now apply Permutation_flat_map.
Qed.
End Holds.

(* thrfrg of A, B and C holds each element as often as the atom's layout has threads for it: once, or once for each. *)
Theorem tiled_mma_thrfrg_A_covers {D} `{module D} t (A f : layout D) : of_whole_tiles t Of_A A = true ->
  thrfrg t Of_A A = Some f ->
  Permutation (image (leaves f)) (each_times (size (of_a (atom t)) / atom_size t Of_A) (image (leaves A))).
Proof. apply (thrfrg_covers t Of_A). Qed.
(* Likewise of B. *)
Theorem tiled_mma_thrfrg_B_covers {D} `{module D} t (A f : layout D) : of_whole_tiles t Of_B A = true ->
  thrfrg t Of_B A = Some f ->
  Permutation (image (leaves f)) (each_times (size (of_b (atom t)) / atom_size t Of_B) (image (leaves A))).
Proof. apply (thrfrg_covers t Of_B). Qed.
(* Likewise of C. *)
Theorem tiled_mma_thrfrg_C_covers {D} `{module D} t (A f : layout D) : of_whole_tiles t Of_C A = true ->
  thrfrg t Of_C A = Some f ->
  Permutation (image (leaves f)) (each_times (size (of_c (atom t)) / atom_size t Of_C) (image (leaves A))).
Proof. apply (thrfrg_covers t Of_C). Qed.

(* ---- What one thread has. ---- *)

(* The place of thread i in (V, (two of M, N, K)). *)
Definition thread_place (t : tiled_mma) (x : operand) (i : N) : option tuple :=
  c <- get_flat_coord (vmnk t) i;
  match c with
  | Tup [v; m; n; k] => Some (Tup [v; Tup [fst (pair_of x m n k); snd (pair_of x m n k)]])
  | _ => None
  end.

Section Partition.
Context {D E : Type} `{module D}.

Definition partition_of (t : tiled_mma) (x : operand) (A : layout D) (i : N) : option (D * layout D) :=
  f <- thrfrg t x A; c <- thread_place t x i;
  match f with
  | Node [_; Node [_; R]] => slice_and_offset (Each [closed c; Each [Any; all_of (rank R)]]) f
  | _ => None
  end.
Definition partition (t : tiled_mma) (x : operand) (A : tensor D E) (i : N) : option (tensor D E) :=
  part_of A (partition_of t x (body A) i).
(* What thread i has of A is thrfrg at its place: P are the threads' modes of thrfrg, Q those of values. *)
Definition slices (t : tiled_mma) (x : operand) (A : tensor D E) (i : N) (P Q : layout D) (v : D) : Prop :=
  exists R, partition t x A i = Some R /\ size (body R) = size Q /\
  forall j, j < size Q -> element R j = ahead A (start A +: (v +: apply Q j)).

Lemma partition_of_at t x (A : layout D) i c P V R v : thrfrg t x A = Some (Node [P; Node [V; R]]) ->
  shaped (Node [V; R]) = true -> thread_place t x i = Some c -> apply_coordinate P c = Some v ->
  partition_of t x A i = Some (v, Node (V :: whole R)).
Proof.
  intros EF SQ EC EV. apply shaped_node in SQ. apply Forall_cons_iff in SQ as [SV S].
  apply Forall_cons_iff in S as [SR _]. unfold partition_of. rewrite EF. cbn [bind]. rewrite EC. cbn [bind].
  unfold slice_and_offset, slice, picked. cbn [fixed map apply_coordinate]. rewrite fixed_closed, EV, at_all by easy.
  cbn [bind]. assert (apply_coordinate V (Int 0) = Some zero) as -> by (rewrite apply_int; f_equal; now apply apply_0).
  cbn [bind]. rewrite !plus_zero_r. cbn [collect]. rewrite (collect_closed c P) by eauto. cbn [bind].
  rewrite (proj1 (collect_all R)). cbn [bind option_map]. now rewrite !app_nil_r.
Qed.
Lemma share_leaves (V R : layout D) : leaves (Node (V :: whole R)) = leaves (Node [V; R]).
Proof. cbn [leaves flat_map]. now rewrite whole_leaves, app_nil_r. Qed.
Lemma share_value (V R : layout D) j : shaped (Node [V; R]) = true -> j < size (Node [V; R]) ->
  size (Node (V :: whole R)) = size (Node [V; R]) /\ apply (Node (V :: whole R)) j = apply (Node [V; R]) j.
Proof.
  intros S Hj. assert (Z : size (Node (V :: whole R)) = size (Node [V; R])) by (rewrite !size_product; now rewrite
    share_leaves).
  split; [exact Z|]. rewrite (apply_inside (Node (V :: whole R))) by (unfold shaped; rewrite ?share_leaves, ?Z; easy).
  now rewrite share_leaves, <- (apply_inside (Node [V; R])).
Qed.

Lemma partition_slices t x (A : tensor D E) i c P Q v : thrfrg t x (body A) = Some (Node [P; Q]) -> shaped Q = true ->
  thread_place t x i = Some c -> apply_coordinate P c = Some v -> slices t x A i P Q v.
Proof.
  intros EF SQ EC EV.
  assert (exists V R, Q = Node [V; R]) as (V & R & ->).
  { unfold thrfrg in EF. destruct (divide_tiler _ _); [|discriminate]. cbn [bind] in EF.
    destruct (zipped_divide _ _); [|discriminate]. cbn [bind] in EF. destruct (composition _ _); [|discriminate].
    cbn [bind] in EF. destruct (zipped_divide _ _); [|discriminate]. injection EF as _ <-. eauto. }
  pose proof (partition_of_at t x _ i c P V R v EF SQ EC EV) as K. pose proof (size_positive _ SQ) as Pq.
  unfold slices, partition. rewrite K. eexists. split; [reflexivity|]. cbn [body fst snd].
  split; [now apply (share_value V R 0)|]. intros j Hj. unfold element. cbn [ahead start body].
  now rewrite (proj2 (share_value V R j SQ Hj)), plus_assoc.
Qed.

(* partition_A(i) is thrfrg_A at the place of thread i. *)
Theorem partition_A_slices t (A : tensor D E) i c P Q v : thrfrg t Of_A (body A) = Some (Node [P; Q]) ->
  shaped Q = true -> thread_place t Of_A i = Some c -> apply_coordinate P c = Some v -> slices t Of_A A i P Q v.
Proof. apply partition_slices. Qed.
(* partition_B(i) is thrfrg_B there. *)
Theorem partition_B_slices t (A : tensor D E) i c P Q v : thrfrg t Of_B (body A) = Some (Node [P; Q]) ->
  shaped Q = true -> thread_place t Of_B i = Some c -> apply_coordinate P c = Some v -> slices t Of_B A i P Q v.
Proof. apply partition_slices. Qed.
(* partition_C(i) is thrfrg_C there. *)
Theorem partition_C_slices t (A : tensor D E) i c P Q v : thrfrg t Of_C (body A) = Some (Node [P; Q]) ->
  shaped Q = true -> thread_place t Of_C i = Some c -> apply_coordinate P c = Some v -> slices t Of_C A i P Q v.
Proof. apply partition_slices. Qed.
End Partition.

(* The shape of a thread's share of a tile of shape S, and registers for it. *)
Definition partition_shape (t : tiled_mma) (x : operand) (s : tuple) : option tuple :=
  option_map (fun r => shape (snd r)) (partition_of t x (make_layout_left s) 0).
Definition partition_fragment (t : tiled_mma) (x : operand) (s : tuple) : option (layout N) :=
  option_map make_layout_left (partition_shape t x s).
Lemma fragment_counts t x s F : partition_fragment t x s = Some F -> exists r, partition_shape t x s = Some r /\
  F = make_layout_left r.
Proof. unfold partition_fragment. destruct (partition_shape t x s); [|discriminate]. intros E. injection E as <-.
  eauto. Qed.

(* partition_fragment_A(S) is make_layout_left of partition_shape_A(S). *)
Theorem partition_fragment_A_compact t s F : partition_fragment t Of_A s = Some F ->
  exists r, partition_shape t Of_A s = Some r /\ F = make_layout_left r.
Proof. apply fragment_counts. Qed.
(* Likewise of B. *)
Theorem partition_fragment_B_compact t s F : partition_fragment t Of_B s = Some F ->
  exists r, partition_shape t Of_B s = Some r /\ F = make_layout_left r.
Proof. apply fragment_counts. Qed.
(* Likewise of C. *)
Theorem partition_fragment_C_compact t s F : partition_fragment t Of_C s = Some F ->
  exists r, partition_shape t Of_C s = Some r /\ F = make_layout_left r.
Proof. apply fragment_counts. Qed.

(* ---- The tile ---- *)

(* What n atoms of extent e, and a permutation of them, cover. *)
Definition tile_extent (e n : N) (p : tiler) : N :=
  match p with
  | Extent q => N.max (e * n) q
  | Tile B => N.max (e * n) (size B)
  | _ => e * n
  end.
Definition tile_extents (a : mma_atom) (m n k : N) (ts : list tiler) : list N := [tile_extent (rows a) m (nth 0 ts
  Keep);
  tile_extent (columns a) n (nth 1 ts Keep); tile_extent (steps a) k (nth 2 ts Keep)].
Definition tile_shape (t : tiled_mma) : list N :=
  tile_extents (atom t) (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) [of_m t; of_n t; of_k t].

(* Each extent of the tile is the atom's times the atoms along it, or the size of the permutation if that is more. *)
Theorem tiled_mma_tile_shape_extents a R ts t q r s : shaped R = true ->
  pad R 3 (Leaf 1 0) false = Some (Node [q; r; s]) -> make_tiled_mma a R ts = Some t ->
  tile_shape t = tile_extents a (size q) (size r) (size s) ts.
Proof.
  intros SR EP E. unfold make_tiled_mma in E. destruct (_ <? _)%nat; [discriminate|]. rewrite EP in E. cbn [bind] in E.
  rewrite tiled_mma_thr_layout_vmnk_product in E.
  destruct (logical_product (mma_threads a) (Node [q; r; s])) as [P|] eqn:EL; [|discriminate]. cbn [option_map bind]
    in E.
  injection E as <-.
  assert (S3 : shaped (Node [q; r; s]) = true).
  { unfold pad in EP. destruct (_ <? _)%nat; [discriminate|]. destruct (_ =? _)%nat; injection EP as EP; [now rewrite
    EP in SR|].
    rewrite <- EP. apply shaped_node, Forall_app. split.
    - destruct R; [now constructor|now apply shaped_node].
    - apply Forall_forall. intros y I. apply repeat_spec in I as ->. reflexivity. }
  destruct (logical_product_compatible _ _ _ S3 EL) as (y & Ey & C). destruct (product_parts _ _ _ EL) as (F & z & _ &
    _ & ->).
  injection Ey as ->. destruct y as [|ys]; [discriminate|]. apply refined_nodes in C.
  inversion C as [|? y0 ? l0 C0 K0]; subst. inversion K0 as [|? y1 ? l1 C1 K1]; subst.
  inversion K1 as [|? y2 ? l2 C2 K2]; subst. inversion K2; subst.
  apply refined_size in C0, C1, C2. unfold tile_shape, tile_extents, atoms_along. cbn. now rewrite C0, C1, C2.
Qed.
