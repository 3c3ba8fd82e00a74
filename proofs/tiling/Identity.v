(* Layouts that count in one stride, divided; tiles of the identity on coordinates; a share of a tile is a tile of a
  share. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiling Basis.
Local Open Scope N_scope.

Section Linear.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Lemma tile_complement n M : 0 < n -> 0 < M -> exists C, complement (tile_of n) M = Some C /\ size C = ceil M n /\
  shaped C = true /\ forall i, i < ceil M n -> apply C i = n * i.
Proof.
  intros Hn HM. unfold tile_of. destruct (N.eqb_spec n 1) as [->|Ne].
  - assert (C1 : ceil M 1 = M) by (pose proof (ceil_exact M 1 Hn) as K; now rewrite N.mul_1_l in K).
    assert (P : positive [(M, 1)] = true) by now apply positive_cons. destruct (merge_spec _ P) as (Z & Q & V).
    exists (unwrapped (merge [(M, 1)])). rewrite size_unwrapped, shaped_unwrapped, Z, C1. split; [|split; [cbn;
      lia|split; [easy|]]].
    + change (Some (unwrapped (merge [(ceil M 1, 1)])) = Some (unwrapped (merge [(M, 1)]))). now rewrite C1.
    + intros i Hi. rewrite apply_unwrapped, V by (rewrite ?Z; cbn; easy || lia). cbn. rewrite N.mod_small; lia.
  - destruct (complement_of_interval n M ltac:(lia) HM) as (C & E & Z & S & _ & V). exists C. auto.
Qed.
Lemma tile_values n i : i < n -> apply (tile_of n) i = i.
Proof. intros Hi. unfold tile_of. cbn. destruct (N.eqb_spec n 1); lia. Qed.

(* A counts in steps of d, below `reach` at least: divided by n it is tiles of n, side by side. *)
Lemma linear_divided (A : layout) d n reach : shaped A = true -> (forall i, i < reach -> apply A i = i *: d) -> 0 < n ->
  n * ceil (size A) n <= reach -> exists t r, divide_tiler A (Extent n) = Some (Node [t; r]) /\ size t = n /\
  size r = ceil (size A) n /\ shaped t = true /\ shaped r = true /\
  forall i j, i < n -> j < ceil (size A) n -> apply t i +: apply r j = (i + n * j) *: d.
Proof.
  intros SA V Hn R. destruct (tile_complement n (size A) Hn (size_positive A SA)) as (C & EC & ZC & SC & VC).
  assert (SB : shaped (tile_of n) = true) by now apply positive_cons.
  assert (S : shaped (Node [tile_of n; C]) = true) by (apply shaped_node; auto).
  assert (W : forall i j, i < n -> j < ceil (size A) n -> apply (Node [tile_of n; C]) (i + n * j) = i + n * j).
  { intros i j Hi Hj. rewrite (two_modes (tile_of n) C) by easy. rewrite tile_values, VC by easy. reflexivity. }
  assert (Zn : size (Node [tile_of n; C]) = n * ceil (size A) n) by (cbn [size map fold_right tile_of]; rewrite ZC;
    cbn; lia).
  assert (W' : forall i, i < n * ceil (size A) n -> apply (Node [tile_of n; C]) i = i).
  { intros i Hi. destruct (split_index n i Hn) as [E L]. rewrite E at 1. rewrite W; [now symmetry|easy|now apply
    div_below]. }
  destruct (proj2 (composition_defined A (Node [tile_of n; C]) SA S)) as [Q EQ].
  { exists (scaled d (Node [tile_of n; C])). split; [rewrite scaled_shape; apply compatible_reflexive|].
    split; [now rewrite <- tpositive_shape, scaled_shape, tpositive_shape|]. intros i Hi. rewrite scaled_apply, W', V;
      [easy|rewrite Zn in Hi; lia|now rewrite <- Zn]. }
  assert (ED : divide_exactly A (tile_of n) = Some Q) by (unfold divide_exactly; now rewrite EC).
  destruct (logical_divide_tile A (tile_of n) Q SA SB ED) as (EL & t & r & -> & Et).
  destruct (composition_sound A _ _ S EQ) as (Cm & SQ & _). apply refined_nodes in Cm.
  inversion Cm as [|? ? ? ? C1 K1]; subst. inversion K1 as [|? ? ? ? C2 _]; subst. apply refined_size in C1, C2.
  apply shaped_node in SQ. inversion SQ as [|? ? St SQ']; subst. inversion SQ' as [|? ? Sr _]; subst.
  exists t, r. split; [exact EL|]. split; [now rewrite <- C1|]. split; [now rewrite <- C2|]. split; [easy|]. split;
    [easy|].
  intros i j Hi Hj. rewrite <- (two_modes t r) by (rewrite <- C1; exact Hi). rewrite <- C1. cbn [size tile_of].
  assert (i + n * j < n * ceil (size A) n) by now apply digits_below.
  rewrite (composition_pointwise _ _ _ _ EQ) by now rewrite Zn. rewrite W', V by (easy || lia). reflexivity.
Qed.
End Linear.

(* ---- Tiles of the identity. ---- *)

Definition local_tile_identity (s : tuple) (t : tiler) (c : open) : option (point N * layout (point N)) :=
  inner_partition (make_identity_layout s) t c.

(* local_tile_identity(S) is the local tile of the identity over S. *)
Theorem local_tile_identity_layout s t c :
  local_tile_identity s t c = local_tile (make_identity_layout s) t c.
Proof. reflexivity. Qed.

(* The coordinate of the element (i, j) of tile (a, b) of the identity over (m, n) in tiles of p x q. *)
Definition coordinate_in_tile (m n p q : N) (a b i j : N) : option (point N) :=
  T <- local_tile_identity (Tup [Int m; Int n]) (Modes [Extent p; Extent q]) (Each [At a; At b]);
  x <- apply_coordinate (snd T) (Tup [Int i; Int j]); Some (fst T +: x).
Definition in_tiles (m n p q : N) (c : N * N * (N * N)) : Prop := fst (fst c) < ceil m p /\ snd (fst c) < ceil n q /\
  fst (snd c) < p /\ snd (snd c) < q.
Definition coordinate_of (x y : N) : point N := x *: basis [0%nat] 1 +: y *: basis [1%nat] 1.

Lemma coordinate_of_inj x y u v : coordinate_of x y = coordinate_of u v -> x = u /\ y = v.
Proof.
  intros E. split; [apply (f_equal (fun w => read w [0%nat])) in E|apply (f_equal (fun w => read w [1%nat])) in E];
    unfold coordinate_of in E; rewrite !read_plus, !read_times, !read_basis in E; cbn in E; lia.
Qed.

Lemma coordinates_in_tile m n p q a b i j : 0 < m -> 0 < n -> 0 < p -> 0 < q -> in_tiles m n p q (a, b, (i, j)) ->
  coordinate_in_tile m n p q a b i j = Some (coordinate_of (i + p * a) (j + q * b)).
Proof.
  intros Hm Hn Hp Hq (La & Lb & Li & Lj). cbn [fst snd] in *. unfold coordinate_in_tile, local_tile_identity.
  set (A := make_identity_layout (Tup [Int m; Int n])).
  assert (EA : A = Node [Leaf m (basis [0%nat] 1); Leaf n (basis [1%nat] 1)]) by reflexivity.
  destruct (linear_divided (Leaf m (basis [0%nat] 1)) (basis [0%nat] 1) p (p * ceil m p)) as (t0 & r0 & E0 & Zt0 & Zr0
    & St0 & Sr0 & V0);
    [now apply positive_cons|reflexivity|easy|cbn; lia|].
  destruct (linear_divided (Leaf n (basis [1%nat] 1)) (basis [1%nat] 1) q (q * ceil n q)) as (t1 & r1 & E1 & Zt1 & Zr1
    & St1 & Sr1 & V1);
    [now apply positive_cons|reflexivity|easy|cbn; lia|].
  assert (EZ : zipped_divide A (Modes [Extent p; Extent q]) = Some (Node [Node [t0; t1]; Node [r0; r1]])).
  { rewrite zipped_divide_regroups. destruct (logical_divide_by_mode A (Leaf 1 0) [Extent p; Extent q]) as (_ & _ & ->).
    rewrite EA. unfold each_mode. cbn [length rank Nat.leb modes_of combine map fst snd]. rewrite E0, E1. reflexivity. }
  assert (S2 : shaped (Node [t0; t1]) = true) by (apply shaped_node; auto).
  pose proof (inner_at A (Modes [Extent p; Extent q]) (Node [t0; t1]) (Node [r0; r1]) (Tup [Int a; Int b])
    (apply r0 a +: apply r1 b) EZ S2) as K.
  change (closed (Tup [Int a; Int b])) with (Each [At a; At b]) in K. rewrite K.
  2: { cbn [apply_coordinate]. rewrite !apply_int. cbn [bind]. now rewrite plus_zero_r. }
  cbn [bind fst snd]. change (whole (Node [t0; t1])) with [t0; t1]. cbn [apply_coordinate]. rewrite !apply_int. cbn
    [bind].
  rewrite plus_zero_r. f_equal. unfold coordinate_of. cbn [size] in V0, V1. rewrite <- V0, <- V1 by easy.
  rewrite plus_swap. f_equal; apply plus_comm.
Qed.

(* Each coordinate inside (m, n) is that of exactly one element of one tile, whether p and q divide m and n or not. *)
Theorem local_tile_identity_predicated m n p q x y : 0 < p -> 0 < q -> x < m -> y < n ->
  exists! c, in_tiles m n p q c /\ coordinate_in_tile m n p q (fst (fst c)) (snd (fst c)) (fst (snd c)) (snd (snd c)) =
  Some (coordinate_of x y).
Proof.
  intros Hp Hq Hx Hy. destruct (split_index p x Hp) as [Ex Lx], (split_index q y Hq) as [Ey Ly].
  assert (m <= ceil m p * p /\ n <= ceil n q * q) as [Cm Cn] by (split; now apply ceil_least).
  assert (Bx : x / p < ceil m p) by (apply div_below; [easy|lia]).
  assert (By : y / q < ceil n q) by (apply div_below; [easy|lia]).
  exists (x / p, y / q, (x mod p, y mod q)). split.
  - assert (I : in_tiles m n p q (x / p, y / q, (x mod p, y mod q))) by now repeat split. split; [exact I|]. cbn [fst
    snd].
    rewrite coordinates_in_tile by (easy || lia). now rewrite <- Ex, <- Ey.
  - intros [[a b] [i j]] [I E]. cbn [fst snd] in E. rewrite coordinates_in_tile in E by (easy || lia).
    assert (F : forall u v : point N, Some u = Some v -> u = v) by congruence. apply F, coordinate_of_inj in E as [<-
      <-]. destruct I as (_ & _ & Li & Lj). cbn [fst snd] in *.
    now rewrite !digit_div, !digit_mod by easy.
Qed.

(* ---- A thread's share of a tile is a tile of its share. ---- *)

Section Refines.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* A list of one mode that counts in steps of d. *)
Definition counts_in (d : D) (n : N) (A : layout) : Prop :=
  exists m, A = Node [m] /\ shaped m = true /\ size m = n /\ forall i, i < n -> apply m i = i *: d.

Lemma counted_parts (A : layout) d n k : 0 < n -> 0 < k -> counts_in d (n * k) A ->
  (forall c, c < k -> exists v R, inner_partition A (Modes [Extent n]) (At c) = Some (v, R) /\ counts_in d n R /\
    v = (n * c) *: d) /\
  (forall c, c < n -> exists v R, outer_partition A (Modes [Extent n]) (At c) = Some (v, R) /\
    counts_in (n *: d) k R /\ v = c *: d).
Proof.
  intros Hn Hk (m & -> & S & Z & V).
  assert (CE : ceil (n * k) n = k) by now apply ceil_exact.
  destruct (linear_divided m d n (n * k)) as (t & r & E & Zt & Zr & St & Sr & W); [easy|easy|easy|now rewrite Z, CE|].
  rewrite Z, CE in *.
  assert (EZ : zipped_divide (Node [m]) (Modes [Extent n]) = Some (Node [Node [t]; Node [r]])).
  { rewrite zipped_divide_regroups. destruct (logical_divide_by_mode (Node [m]) (Leaf 1 0) [Extent n]) as (_ & _ & ->).
    unfold each_mode. cbn [length rank Nat.leb modes_of combine map fst snd]. rewrite E. reflexivity. }
  assert (St' : shaped (Node [t]) = true) by (apply shaped_node; auto).
  assert (Sr' : shaped (Node [r]) = true) by (apply shaped_node; auto).
  assert (T0 : apply t 0 = zero) by now apply apply_0. assert (R0 : apply r 0 = zero) by now apply apply_0.
  split; intros c Hc.
  - exists (apply r c), (Node [Node [t]]). split; [|split].
    + apply (inner_at (Node [m]) (Modes [Extent n]) (Node [t]) (Node [r]) (Int c) (apply r c) EZ St'). reflexivity.
    + exists (Node [t]). split; [easy|]. split; [easy|]. split; [cbn; lia|]. intros i Hi.
      change (apply t i = i *: d). rewrite <- (plus_zero_r (apply t i)), <- R0, W by easy.
      now rewrite N.mul_0_r, N.add_0_r.
    + rewrite <- (plus_zero (apply r c)), <- T0, W by easy. now rewrite N.add_0_l.
  - exists (apply t c), (Node [Node [r]]). split; [|split].
    + apply (outer_at (Node [m]) (Modes [Extent n]) (Node [t]) (Node [r]) (Int c) (apply t c) EZ Sr'). reflexivity.
    + exists (Node [r]). split; [easy|]. split; [easy|]. split; [cbn; lia|]. intros i Hi.
      change (apply r i = i *: (n *: d)). rewrite <- (plus_zero (apply r i)), <- T0, W by easy.
      now rewrite N.add_0_l, N.mul_comm, times_mul.
    + rewrite <- (plus_zero_r (apply t c)), <- R0, W by easy. now rewrite N.mul_0_r, N.add_0_r.
Qed.

(* What a view of a list of one mode has, tile or share of it again: the same steps. *)
Lemma counts_alike (d : D) n A B : counts_in d n A -> counts_in d n B -> size A = size B /\
  forall i, i < n -> apply A i = apply B i.
Proof.
  intros (a & -> & _ & Za & Va) (b & -> & _ & Zb & Vb). split; [cbn; congruence|]. intros i Hi.
  change (apply a i = apply b i). now rewrite Va, Vb.
Qed.
End Refines.

(* Share d, by n, of tile c of n m elements; and tile c, of m, of share d by n. *)
Definition share_of_tile {D E} `{module D} (X : tensor D E) (n m c d : N) : option (tensor D E) :=
  T <- inner_part X (Modes [Extent (n * m)]) (At c); outer_part T (Modes [Extent n]) (At d).
Definition tile_of_share {D E} `{module D} (X : tensor D E) (n m c d : N) : option (tensor D E) :=
  T <- outer_part X (Modes [Extent n]) (At d); inner_part T (Modes [Extent m]) (At c).

(* They are the same function, of one mode of n m k elements in steps of s. *)
Theorem outer_partition_refines {D E} `{module D} (X : tensor D E) s n m k c d : 0 < n -> 0 < m -> 0 < k -> c < k ->
  d < n -> counts_in s (n * m * k) (body X) -> exists P Q, share_of_tile X n m c d = Some P /\
  tile_of_share X n m c d = Some Q /\ forall i, i < m -> element P i = element Q i.
Proof.
  intros Hn Hm Hk Hc Hd Cx. assert (Hnm : 0 < n * m) by nia.
  destruct (counted_parts (body X) s (n * m) k Hnm Hk Cx) as [I _].
  assert (Cx' : counts_in s (n * (m * k)) (body X)) by now rewrite N.mul_assoc.
  destruct (counted_parts (body X) s n (m * k) Hn ltac:(nia) Cx') as [_ O].
  destruct (I c Hc) as (v & R & E1 & C1 & V1), (O d Hd) as (w & Q & E2 & C2 & V2).
  destruct (counted_parts R s n m Hn Hm C1) as [_ O1].
  assert (C2' : counts_in (n *: s) (m * k) Q) by exact C2.
  destruct (counted_parts Q (n *: s) m k Hm Hk C2') as [I2 _].
  destruct (O1 d Hd) as (v' & R' & E3 & C3 & V3), (I2 c Hc) as (w' & Q' & E4 & C4 & V4).
  unfold share_of_tile, tile_of_share, inner_part, outer_part. rewrite E1, E2. cbn [part_of option_map bind body fst
    snd]. rewrite E3, E4.
  eexists _, _. split; [reflexivity|]. split; [reflexivity|]. intros i Hi. unfold element. cbn [ahead start body fst
    snd].
  destruct (counts_alike _ m R' Q' C3 C4) as [_ W]. rewrite W by easy. f_equal. f_equal. rewrite <- !plus_assoc.
    f_equal.
  subst. rewrite <- times_mul, <- !times_plus. f_equal. lia.
Qed.
