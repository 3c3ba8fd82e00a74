(* Tiles of a layout and a thread's share of one: zipped_divide, sliced in its rest or in its tile. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Partition Read_back Swizzle.
Local Open Scope N_scope.

(* Each element k times. *)
Definition each_times {X} (k : N) (l : list X) : list X := flat_map (fun v => repeat v (N.to_nat k)) l.
Lemma times_permutation {X} k (l m : list X) : Permutation l m -> Permutation (each_times k l) (each_times k m).
Proof. apply Permutation_flat_map. Qed.
Lemma times_once {X} (l : list X) : each_times 1 l = l.
Proof. unfold each_times. induction l as [|x l IH]; [easy|]. cbn [flat_map]. now rewrite IH. Qed.
Lemma times_times {X} j k (l : list X) : each_times j (each_times k l) = each_times (j * k) l.
Proof.
  unfold each_times. rewrite flat_map_flat_map. apply flat_map_ext. intros v. rewrite N2Nat.inj_mul.
  induction (N.to_nat k) as [|n IH]; cbn; [now rewrite Nat.mul_0_r|]. rewrite IH, <- repeat_app. f_equal. lia.
Qed.
Lemma map_times {X Y} (f : X -> Y) k (l : list X) : map f (each_times k l) = each_times k (map f l).
Proof.
  unfold each_times. rewrite map_flat_map, flat_map_map. apply flat_map_ext. intros v. induction (N.to_nat k); cbn;
    congruence.
Qed.
Lemma times_flat_map {X Y} k (f : X -> list Y) l : each_times k (flat_map f l) = flat_map (fun x => each_times k (f
  x)) l.
Proof. apply flat_map_flat_map. Qed.
Lemma flat_map_times {X Y} k (f : X -> list Y) l : Permutation (flat_map f (each_times k l)) (each_times k (flat_map
  f l)).
Proof.
  unfold each_times. rewrite !flat_map_flat_map. induction l as [|x l IH]; [easy|]. cbn [flat_map].
  apply Permutation_app; [|exact IH]. clear IH l. induction (N.to_nat k) as [|n IH]; cbn [repeat flat_map].
  - induction (f x); cbn; auto.
  - rewrite IH. clear. induction (f x) as [|y m IH]; [easy|]. cbn [flat_map repeat app]. constructor.
    rewrite <- IH, !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.

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
Lemma inner_pointwise A t x y c : zipped_divide A t = Some (Node [x; y]) -> shaped x = true ->
  exists n R, inner_partition A t (At c) = Some (n, R) /\ size R = size x /\
    forall i, i < size x -> n +: apply R i = apply (Node [x; y]) (i + size x * c).
Proof.
  intros E S. exists (apply y c), (Node (whole x)). split; [now apply (inner_at A t x y (Int c)); [| |destruct y]|].
  pose proof (size_positive x S) as P. split; [now apply (whole_value x 0)|]. intros i Hi.
  destruct (whole_value x i S Hi) as [_ ->]. rewrite two_modes by easy. apply plus_comm.
Qed.

(* It is the same for an index of the rest and for its coordinate. *)
Lemma inner_coordinate A t x y c : zipped_divide A t = Some (Node [x; y]) -> shaped x = true ->
  inner_partition A t (closed (idx2crd c (shape y))) = inner_partition A t (At c).
Proof.
  intros E S. rewrite (inner_at A t x y _ (apply y c) E S (apply_idx2crd y c)). symmetry.
  now apply (inner_at A t x y (Int c)); [| |destruct y].
Qed.

(* Element c of every tile: share c of A at i is A, divided, at (c, i). *)
Lemma outer_pointwise A t x y c : zipped_divide A t = Some (Node [x; y]) -> shaped y = true -> c < size x ->
  exists n R, outer_partition A t (At c) = Some (n, R) /\ size R = size y /\
    forall i, i < size y -> n +: apply R i = apply (Node [x; y]) (c + size x * i).
Proof.
  intros E S Hc. exists (apply x c), (Node (whole y)). split; [now apply (outer_at A t x y (Int c)); [| |destruct x]|].
  pose proof (size_positive y S) as P. split; [now apply (whole_value y 0)|]. intros i Hi.
  destruct (whole_value y i S Hi) as [_ ->]. now rewrite two_modes.
Qed.

(* Element i of tile j is element j of share i. *)
Lemma outer_inner A t x y i j : zipped_divide A t = Some (Node [x; y]) -> shaped x = true ->
  shaped y = true -> i < size x -> j < size y -> exists n R m Q, outer_partition A t (At i) = Some (n, R) /\
  inner_partition A t (At j) = Some (m, Q) /\ n +: apply R j = m +: apply Q i.
Proof.
  intros E Sx Sy Hi Hj. destruct (inner_pointwise A t x y j E Sx) as (m & Q & EQ & _ & VQ).
  destruct (outer_pointwise A t x y i E Sy Hi) as (n & R & ER & _ & VR). exists n, R, m, Q.
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
  destruct (inner_pointwise A t x y c E Sx) as (n & R & -> & -> & V). rewrite map_map. apply map_ext_in.
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
    destruct (outer_pointwise A t x y c E Sy Hc) as (n & R & -> & -> & V). apply map_ext_in. intros i Hi.
    apply V. now apply in_iota. }
  rewrite (flat_map_swap (fun c i => apply (Node [x; y]) (c + size x * i))). erewrite flat_map_ext; [reflexivity|].
  intros i. cbn beta. now rewrite map_map.
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
Lemma permutes_order l l' m : Permutation l l' -> permutes l m -> permutes l' m.
Proof.
  intros Q (P & P' & I). split; [exact (positive_permutation _ _ Q P)|]. split; [easy|]. rewrite <- I. symmetry.
  now apply image_permutation.
Qed.

(* Whether B cuts A without rest: chained, without broadcasts, its end divides the size, and A o (B, B* ) is a layout.
  *)
Definition cuts_exactly (B : Layout.layout N) (A : layout) : bool :=
  shaped B && negb (broadcasts B) && chained (sorted_leaves B) && (size A mod top B =? 0) &&
  match divide_exactly A B with Some _ => true | None => false end.
Definition tile_of (n : N) : Layout.layout N := Leaf n (if n =? 1 then 0 else 1).
(* Whether each part of a tiler cuts its mode so. *)
Fixpoint cuts_modes (t : tiler) (A : layout) : bool :=
  match t with
  | Tile B => cuts_exactly B A
  | Extent n => cuts_exactly (tile_of n) A
  | Keep => true
  | Modes ts =>
      (fix go ts ms := match ts, ms with
         | [], _ => true
         | t :: ts, m :: ms => cuts_modes t m && go ts ms
         | _ :: _, [] => false
         end) ts (modes_of A)
  end.

Lemma tiler_induction (P : tiler -> Prop) : (forall B, P (Tile B)) -> (forall n, P (Extent n)) -> P Keep ->
  (forall ts, Forall P ts -> P (Modes ts)) -> forall t, P t.
Proof.
  intros tile extent keep by_modes. fix self 1. intros [B|n| |ts]; [apply tile|apply extent|apply keep|].
  apply by_modes. induction ts as [|t ts IH]; constructor; [apply self|exact IH].
Qed.

Lemma cut_exactly B A : shaped A = true -> cuts_exactly B A = true -> exists t r, logical_divide A B =
  Some (Node [t; r]) /\ size t = size B /\ permutes (leaves t ++ leaves r) (leaves A).
Proof.
  intros SA C. unfold cuts_exactly in C. rewrite !andb_true_iff, negb_true_iff in C.
  destruct C as [[[[SB NB] Ch] T] E]. destruct (divide_exactly A B) as [z|] eqn:EZ; [|discriminate].
  assert (0 < top B) as Pt by (apply top_positive; [lia|apply all_move_sorted]). apply N.eqb_eq, mod_0_divides in T;
    [|easy].
  pose proof (logical_divide_permutes A B z SA SB NB Ch T EZ) as I.
  destruct (logical_divide_tile A B z SA SB EZ) as (L & t & r & -> & Et). exists t, r. split; [exact L|].
  destruct (divided_node A B _ SA SB EZ) as (K & _ & S & EC).
  destruct (composition_sound _ _ _ S EC) as (_ & SR & _).
  split.
  - pose proof (compatible_size _ _ (composition_compatible _ _ _ SB Et)) as Z. now rewrite !tsize_shape in Z.
  - unfold shaped in SR. cbn [leaves flat_map] in I, SR. rewrite app_nil_r in I, SR. now split.
Qed.

Lemma units_first (l : list (N * D)) d : image ((1, d) :: l) = image l.
Proof.
  rewrite image_cons by lia. rewrite (flat_map_ext _ (fun y => [y])).
  - induction (image l) as [|x k IH]; [easy|]. cbn. now f_equal.
  - intros y. rewrite iota_1. cbn [map]. now rewrite times_0, plus_zero.
Qed.

Lemma woven_lists {X} (a b c d : list X) : Permutation ((a ++ b) ++ c ++ d) ((a ++ c) ++ b ++ d).
Proof.
  rewrite <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail,
    Permutation_app_comm.
Qed.

(* A divided by a tiler that cuts it: what stands among the tiles and among the rests has the values of A. *)
Lemma cut_by_tiler t A : shaped A = true -> cuts_modes t A = true -> exists z, divide_tiler A t = Some z /\
  permutes (leaves (tile_part (z, t)) ++ leaves (rest_part (z, t))) (leaves A) /\
  (t = Keep \/ unzip_tiles t z = Node [tile_part (z, t); rest_part (z, t)]) /\
  forall n, t = Extent n -> size (tile_part (z, t)) = n.
Proof.
  revert A. induction t as [B|n| |ts IH] using tiler_induction; intros A SA C.
  - destruct (cut_exactly B A SA C) as (t & r & E & Z & P). exists (Node [t; r]). split; [exact E|].
    split; [exact P|]. split; [now right|easy].
  - destruct (cut_exactly (tile_of n) A SA C) as (t & r & E & Z & P). exists (Node [t; r]). split; [exact E|].
    split; [exact P|]. split; [now right|]. intros m K. injection K as <-. exact Z.
  - exists A. split; [easy|]. split; [|split; [now left|easy]]. unfold tile_part, rest_part. cbn [snd fst leaves app].
    split; [apply positive_cons; split; [lia|exact SA]|]. split; [exact SA|]. now rewrite units_first.
  - assert (Sm : Forall (fun m => shaped m = true) (modes_of A)) by (destruct A; [now constructor|now apply
    shaped_node]).
    assert (exists zs, sequence (map (fun m => divide_tiler (fst m) (snd m)) (combine (modes_of A) ts)) = Some zs /\
      (length ts <= length (modes_of A))%nat /\ length zs = length ts /\
      permutes (flat_map leaves (map tile_part (combine zs ts)) ++ flat_map leaves (map rest_part (combine zs ts) ++
        skipn (length ts) (modes_of A))) (leaves A)) as (zs & Q & L & Lz & P).
    { rewrite leaves_modes. cbn [cuts_modes] in C. revert C Sm. generalize (modes_of A) as ms. clear A SA.
      induction IH as [|t ts Ht _ IHts]; intros ms C Sm.
      - apply (proj2 (shaped_node ms)) in Sm. exists []. split; [now destruct ms|]. split; [cbn; lia|]. split; [easy|].
        assert (combine (@nil layout) (@nil tiler) = []) as -> by easy. now apply permutes_same.
      - destruct ms as [|m ms]; [discriminate|]. apply andb_true_iff in C as [C1 C2].
        apply Forall_cons_iff in Sm as [S1 S2]. destruct (Ht m S1 C1) as (z & Ez & Pz & _ & _).
        destruct (IHts ms C2 S2) as (zs & Q & L & Lz & P). exists (z :: zs). cbn [combine map fst snd sequence].
        rewrite Ez, Q. split; [easy|]. split; [cbn; lia|]. split; [cbn; lia|]. cbn [combine map flat_map length skipn
          app].
        refine (permutes_order _ _ _ (woven_lists _ _ _ _) _).
        now apply permutes_app. }
    exists (Node (zs ++ skipn (length ts) (modes_of A))).
    assert (E : divide_tiler A (Modes ts) = Some (Node (zs ++ skipn (length ts) (modes_of A)))).
    { destruct (logical_divide_by_mode A (Leaf 1 0) ts) as (_ & _ & ->). unfold each_mode.
      rewrite rank_definition, (proj2 (Nat.leb_le _ _) L), Q. reflexivity. }
    split; [exact E|].
    assert (R : unzip_tiles (Modes ts) (Node (zs ++ skipn (length ts) (modes_of A))) =
      Node [Node (map tile_part (combine zs ts)); Node (map rest_part (combine zs ts) ++ skipn (length ts) (modes_of
        A))]).
    { rewrite unzip_modes by (cbn [rank]; rewrite app_length; lia). unfold regrouped. cbn [modes_of].
      rewrite (skipn_app (length ts) zs), (skipn_all2 zs) by lia.
      replace (length ts - length zs)%nat with 0%nat by lia. cbn [skipn app].
      assert (combine (zs ++ skipn (length ts) (modes_of A)) ts = combine zs ts) as ->; [|easy].
      clear - Lz. revert Lz. generalize (skipn (length ts) (modes_of A)) as k. intros k. revert zs.
      induction ts as [|t ts IH]; intros [|z zs] L; try discriminate; [now destruct k|]. cbn [app combine].
      injection L as L. now rewrite IH. }
    unfold tile_part, rest_part. cbn [snd fst]. rewrite R. unfold first, second. cbn [modes_of nth leaves].
    split; [exact P|]. split; [now right|easy].
Qed.

Lemma divided_values t A z : shaped A = true -> cuts_modes t A = true -> divide_tiler A t = Some z ->
  permutes (leaves z) (leaves A).
Proof.
  revert A z. induction t as [B|n| |ts IH] using tiler_induction; intros A z SA C E.
  - destruct (cut_exactly B A SA C) as (t & r & F & _ & P). unfold divide_tiler in E. cbn [by_tiler] in E. rewrite F
    in E.
    injection E as <-. cbn [leaves flat_map]. now rewrite app_nil_r.
  - destruct (cut_exactly (tile_of n) A SA C) as (t & r & F & _ & P). unfold divide_tiler in E. cbn [by_tiler] in E.
    unfold tile_of in F. rewrite F in E. injection E as <-. cbn [leaves flat_map]. now rewrite app_nil_r.
  - injection E as <-. now apply permutes_same.
  - destruct (logical_divide_by_mode A (Leaf 1 0) ts) as (_ & _ & K). rewrite K in E. clear K. unfold each_mode in E.
    destruct (_ <=? _)%nat; [|discriminate]. destruct (sequence _) as [zs|] eqn:Q; [|discriminate]. injection E as <-.
    assert (Sm : Forall (fun m => shaped m = true) (modes_of A)) by (destruct A; [now constructor|now apply
      shaped_node]).
    rewrite (leaves_modes A). cbn [leaves]. cbn [cuts_modes] in C. revert zs C Sm Q. generalize (modes_of A) as ms.
    clear A SA. induction IH as [|t ts Ht _ IHts]; intros ms zs C Sm Q.
    + assert (zs = []) as -> by (destruct ms; cbn in Q; congruence). apply (proj2 (shaped_node ms)) in Sm.
      now apply permutes_same.
    + destruct ms as [|m ms]; [discriminate|]. apply andb_true_iff in C as [C1 C2].
      apply Forall_cons_iff in Sm as [S1 S2]. cbn [combine map fst snd sequence] in Q.
      destruct (divide_tiler m t) as [z|] eqn:Ez; [|discriminate].
      destruct (sequence _) as [k|] eqn:Ek; [|discriminate]. injection Q as <-.
      cbn [app flat_map length skipn]. apply permutes_app; [now apply Ht|now apply IHts].
Qed.

Lemma cut_zipped t A : shaped A = true -> cuts_modes t A = true -> t <> Keep -> exists z,
  zipped_divide A t = Some (Node [tile_part (z, t); rest_part (z, t)]) /\ divide_tiler A t = Some z /\
  shaped (Node [tile_part (z, t); rest_part (z, t)]) = true /\
  Permutation (image (leaves (Node [tile_part (z, t); rest_part (z, t)]))) (image (leaves A)).
Proof.
  intros SA C K. destruct (cut_by_tiler t A SA C) as (z & E & (P1 & P2 & P3) & [U|U] & _); [easy|]. exists z.
  unfold zipped_divide. rewrite E. cbn [option_map]. rewrite U. split; [easy|]. split; [easy|]. unfold shaped.
  cbn [leaves flat_map]. now rewrite app_nil_r.
Qed.
Definition kept_whole (t : tiler) : bool := match t with Keep => true | _ => false end.

(* The tiles of a tiler whose parts cut their modes hold the values of A, each as often. *)
Theorem inner_partition_covers A t : shaped A = true -> kept_whole t = false -> cuts_modes t A = true -> exists x y,
  zipped_divide A t = Some (Node [x; y]) /\
  Permutation (shares (fun c => inner_partition A t (At c)) (size y)) (image (leaves A)).
Proof.
  intros SA K C. destruct (cut_zipped t A SA C) as (z & E & _ & S & P); [now intros ->|]. eexists _, _. split; [exact
    E|].
  now rewrite (inner_shares A t _ _ E S).
Qed.

(* So do the shares of the elements of such a tile. *)
Theorem outer_partition_covers A t : shaped A = true -> kept_whole t = false -> cuts_modes t A = true -> exists x y,
  zipped_divide A t = Some (Node [x; y]) /\
  Permutation (shares (fun c => outer_partition A t (At c)) (size x)) (image (leaves A)).
Proof.
  intros SA K C. destruct (cut_zipped t A SA C) as (z & E & _ & S & P); [now intros ->|]. eexists _, _. split; [exact
    E|].
  now rewrite (outer_shares A t _ _ E S).
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

Lemma listed_coordinate (ms : list layout) i :
  apply_coordinate (Node ms) (listed (open_digits (map size ms) i)) = Some (apply (Node ms) i).
Proof.
  destruct ms as [|m [|n ms]]; [reflexivity|apply apply_int|].
  rewrite <- (flat_coordinate (m :: n :: ms)) by discriminate. now destruct ms.
Qed.

Lemma extents_tiles rs ms zs : length zs = length rs -> sequence (map (fun m => divide_tiler (fst m) (snd m))
  (combine ms (map (fun m => Extent (size m)) rs))) = Some zs -> Forall (fun m => shaped m = true) ms ->
  cuts_modes (Modes (map (fun m => Extent (size m)) rs)) (Node ms) = true ->
  map size (map tile_part (combine zs (map (fun m : Layout.layout N => Extent (size m)) rs))) = map size rs.
Proof.
  revert ms zs. induction rs as [|r rs IH]; intros ms [|z zs] L Q Sm C; try discriminate; [easy|].
  destruct ms as [|m ms]; [discriminate|]. cbn [map cuts_modes modes_of] in C. apply andb_true_iff in C as [C1 C2].
  apply Forall_cons_iff in Sm as [S1 S2]. cbn [map combine sequence fst snd] in Q.
  destruct (cut_by_tiler (Extent (size r)) m S1 C1) as (z' & E & _ & _ & Z). rewrite E in Q.
  destruct (sequence _) as [k|] eqn:Ek; [|discriminate]. injection Q as -> ->. injection L as L. cbn [map combine].
  rewrite (Z _ eq_refl). f_equal. now apply (IH ms).
Qed.

(* The tiles of the extents of R have R's modes. *)
Lemma cut_by_extents A R : shaped A = true -> cuts_modes (extents_tiler R) A = true -> exists xs y,
  zipped_divide A (extents_tiler R) = Some (Node [Node xs; y]) /\ shaped (Node [Node xs; y]) = true /\
  map size xs = map size (modes_of R) /\ Permutation (image (leaves (Node [Node xs; y]))) (image (leaves A)).
Proof.
  intros SA Cut. destruct (cut_zipped (extents_tiler R) A SA Cut) as (z & Z & E & S & P); [easy|].
  set (x := tile_part (z, extents_tiler R)) in *. set (y := rest_part (z, extents_tiler R)) in *.
  assert (exists xs, x = Node xs /\ map size xs = map size (modes_of R)) as (xs & Ex & Zx).
  { subst x. unfold extents_tiler in *. set (ts := map _ (modes_of R)) in *.
    destruct (logical_divide_by_mode A (Leaf 1 0) ts) as (_ & _ & Em). rewrite Em in E. unfold each_mode in E.
    destruct (Nat.leb_spec (length ts) (rank A)) as [L|]; [|discriminate].
    destruct (sequence _) as [zs|] eqn:Q; [|discriminate]. injection E as <-. unfold tile_part at 1. cbn [snd fst].
    assert (Lz : length zs = length ts).
    { apply sequence_some in Q. apply (f_equal (@length _)) in Q. rewrite !map_length, combine_length, <-
      rank_definition in Q.
      lia. }
    rewrite unzip_modes by (cbn [rank]; rewrite app_length; lia). unfold first, regrouped. cbn [modes_of nth].
    eexists. split; [reflexivity|].
    assert (combine (zs ++ skipn (length ts) (modes_of A)) ts = combine zs ts) as ->.
    { clear - Lz. revert Lz. generalize (skipn (length ts) (modes_of A)) as k. intros k. revert zs. generalize ts as l.
      induction l as [|t l IH]; intros [|z zs] L; try discriminate; [now destruct k|]. cbn [app combine].
      injection L as L. now rewrite IH. }
    apply (extents_tiles _ (modes_of A)); [now rewrite Lz; unfold ts; rewrite map_length|exact Q| |].
    - destruct A; [now constructor|now apply shaped_node].
    - destruct A; exact Cut. }
  exists xs, y. rewrite <- Ex. now repeat split.
Qed.
Lemma share_at A R xs y i l : zipped_divide A (extents_tiler R) = Some (Node [Node xs; y]) -> shaped y = true ->
  get_flat_coord R i = Some (listed (open_digits (map size xs) l)) ->
  local_partition A R i = outer_partition A (extents_tiler R) (At l).
Proof.
  intros Z Sy E. unfold local_partition. rewrite E. cbn [bind].
  rewrite (outer_at A _ (Node xs) y _ (apply (Node xs) l) Z Sy) by apply listed_coordinate. symmetry.
  exact (outer_at A _ (Node xs) y (Int l) (apply (Node xs) l) Z Sy (apply_int _ _)).
Qed.

(* The shares of all threads of a compact grid whose extents cut the modes of A hold the values of A, each as often. *)
Theorem local_partition_covers A R : shaped A = true -> shaped R = true -> compactb R = true ->
  cuts_modes (extents_tiler R) A = true -> Permutation (shares (local_partition A R) (size R)) (image (leaves A)).
Proof.
  intros SA SR C Cut. apply compactb_spec in C; [|easy].
  destruct (cut_by_extents A R SA Cut) as (xs & y & Z & S & Zx & P).
  assert (ZR : size (Node xs) = size R) by (cbn [size]; rewrite Zx; destruct R; [cbn; lia|reflexivity]).
  rewrite <- P, <- (outer_shares A _ _ y Z S), ZR. apply shaped_node in S. inversion S as [|? ? Sx S']; subst.
  inversion S' as [|? ? Sy _]; subst.
  unfold shares at 1. rewrite (Permutation_flat_map _ (Permutation_sym C)), (image_leaves R SR), flat_map_map.
  unfold shares. rewrite !flat_map_concat_map. assert (forall l m : list (list D), l = m ->
    Permutation (concat l) (concat m)) as Eq by (now intros l m ->).
  apply Eq, map_ext_in. intros j Hj. rewrite in_iota in Hj. rewrite (share_at A R xs y (apply R j) j Z Sy); [easy|].
  now rewrite get_flat_coord_inverse, Zx.
Qed.

(* ---- Threads that a projection does not tell apart. ---- *)

Lemma listed_injective l m : listed l = listed m -> l = m.
Proof.
  assert (I : forall l m, map Int l = map Int m -> l = m).
  { clear. induction l as [|x l IH]; intros [|y m] E; try discriminate; [easy|]. injection E as -> E. f_equal. now
    apply IH. }
  destruct l as [|x [|y l]], m as [|u [|v m]]; intros E; try discriminate; [easy|now injection E as ->|].
  injection E as -> -> E. do 2 f_equal. now apply I.
Qed.
Lemma kept_map {X Y} (f : X -> Y) ps l : kept ps (map f l) = map f (kept ps l).
Proof.
  unfold kept. revert l. induction ps as [|p ps IH]; intros [|x l]; [easy..|]. cbn [map combine List.filter fst].
  specialize (IH l). destruct p; cbn [map snd]; now rewrite IH.
Qed.
(* The digits that a projection keeps, of all indices: those of all indices in the extents kept, each as often. *)
Lemma kept_digits ps ns : length ps = length ns -> Forall (fun n => 0 < n) ns ->
  Permutation (map (fun j => kept ps (all_digits ns j)) (iota (fold_right N.mul 1 ns)))
    (each_times (fold_right N.mul 1 (kept (map negb ps) ns))
      (map (all_digits (kept ps ns)) (iota (fold_right N.mul 1 (kept ps ns))))).
Proof.
  revert ns. induction ps as [|p ps IH]; intros [|n ns] L F; try discriminate; [easy|]. injection L as L.
  inversion F as [|? ? Hn F']; subst. specialize (IH ns L F'). cbn [fold_right]. rewrite iota_mul, map_flat_map.
  set (f := fun j => kept ps (all_digits ns j)) in *. set (K := fold_right N.mul 1 (kept (map negb ps) ns)) in *.
  assert (E : flat_map (fun q => map (fun j => kept (p :: ps) (all_digits (n :: ns) j)) (map (fun r => r + n * q)
    (iota n)))
    (iota (fold_right N.mul 1 ns)) = flat_map (fun d => map (fun r => if p then r :: d else d) (iota n))
    (map f (iota (fold_right N.mul 1 ns)))).
  { rewrite flat_map_map. apply flat_map_ext. intros q. rewrite map_map. apply map_ext_in. intros r Hr.
    rewrite in_iota in Hr. cbn [all_digits]. rewrite digit_mod, digit_div by easy. subst f. unfold kept.
    cbn [combine List.filter fst]. now destruct p. }
  rewrite E. clear E. rewrite (Permutation_flat_map _ IH). unfold kept. cbn [map combine List.filter fst negb].
  destruct p; cbn [negb map snd fold_right]; fold (kept ps ns) (kept (map negb ps) ns); fold K.
  - rewrite iota_mul, map_flat_map, flat_map_times, flat_map_map. apply times_permutation.
    erewrite flat_map_ext; [reflexivity|]. intros q. cbn beta. rewrite map_map. apply map_ext_in. intros r Hr.
    rewrite in_iota in Hr. cbn [all_digits]. now rewrite digit_mod, digit_div.
  - rewrite <- times_times. unfold each_times at 2. erewrite flat_map_ext; [reflexivity|]. intros d. cbn beta.
    rewrite <- (length_iota n). induction (iota n) as [|r l IHl]; cbn; congruence.
Qed.

(* The places in the modes that a projection leaves out. *)
Definition left_out (ps : list bool) (ms : list (Layout.layout N)) : N := size (Node (kept (map negb ps) ms)).

(* The shares of all threads of a compact grid by a projection hold each value once for each place in the modes left
  out. *)
Theorem local_partition_broadcasts ps A ms : shaped A = true -> shaped (Node ms) = true -> compactb (Node ms) = true ->
  length ps = length ms -> cuts_modes (extents_tiler (Node (kept ps ms))) A = true -> Permutation
  (shares (local_partition_by ps A (Node ms)) (size (Node ms))) (each_times (left_out ps ms) (image (leaves A))).
Proof.
  intros SA SR C L Cut. apply compactb_spec in C; [|easy].
  destruct (cut_by_extents A _ SA Cut) as (xs & y & Z & S & Zx & P). cbn [modes_of] in Zx.
  set (K := left_out ps ms).
  transitivity (each_times K (shares (fun c => outer_partition A (extents_tiler (Node (kept ps ms))) (At c)) (size (Node
    xs)))); [|apply times_permutation; rewrite <- P; now apply outer_shares]. clear P.
  apply shaped_node in S. inversion S as [|? ? Sx S']; subst.
  inversion S' as [|? ? Sy _]; subst.
  assert (Pn : Forall (fun n => 0 < n) (map size ms)).
  { apply Forall_map. apply shaped_node in SR. eapply Forall_impl; [|exact SR]. intros m. apply size_positive. }
  set (share := fun d => match outer_partition A (extents_tiler (Node (kept ps ms))) (closed (listed d)) with
    Some (v, R) => map (fun i => v +: apply R i) (iota (size R)) | None => [] end).
  unfold shares at 1. rewrite (Permutation_flat_map _ (Permutation_sym C)), (image_leaves _ SR), flat_map_map.
  transitivity (flat_map share (map (fun j => kept ps (all_digits (map size ms) j)) (iota (size (Node ms))))).
  { rewrite flat_map_map, !flat_map_concat_map. assert (forall l m : list (list D), l = m ->
      Permutation (concat l) (concat m)) as Eq by (now intros l m ->).
    apply Eq, map_ext_in. intros j Hj. rewrite in_iota in Hj.
    pose proof (get_flat_coord_inverse _ j SR C Hj) as G. rewrite flat_coord_modes in G. cbn [modes_of] in G.
    destruct (mode_coords ms (apply (Node ms) j)) as [l|] eqn:EM; [|discriminate].
    assert (l = open_digits (map size ms) j) as -> by (apply listed_injective; now injection G).
    destruct (dice_flat_coord ms ps _ _ L EM) as (_ & E & ED & EF). unfold local_partition_by. rewrite ED. cbn [bind].
    rewrite projected in ED by easy. injection ED as <-. unfold local_partition. rewrite EF. cbn [bind].
    rewrite open_all_digits by easy. reflexivity. }
  change (size (Node ms)) with (fold_right N.mul 1 (map size ms)).
  rewrite (kept_digits ps (map size ms)), flat_map_times by (easy || now rewrite map_length).
  rewrite !kept_map. change (fold_right N.mul 1 (map size (kept (map negb ps) ms))) with K.
  change (fold_right N.mul 1 (map size (kept ps ms))) with (size (Node (kept ps ms))). apply times_permutation.
  unfold shares. rewrite flat_map_map. assert (Zk : size (Node (kept ps ms)) = size (Node xs)) by (cbn [size]; now
    rewrite Zx).
  rewrite Zk, !flat_map_concat_map. assert (forall l m : list (list D), l = m -> Permutation (concat l) (concat m))
    as Eq by
    (now intros l m ->).
  apply Eq, map_ext_in. intros j Hj. rewrite in_iota in Hj. unfold share. rewrite <- Zx.
  assert (Px : Forall (fun n => 0 < n) (map size xs)).
  { apply Forall_map. apply shaped_node in Sx. eapply Forall_impl; [|exact Sx]. intros m. apply size_positive. }
  rewrite <- open_all_digits by easy.
  rewrite (outer_at A _ (Node xs) y _ (apply (Node xs) j) Z Sy) by apply listed_coordinate.
  pose proof (outer_at A _ (Node xs) y (Int j) (apply (Node xs) j) Z Sy) as O. cbn [closed] in O. rewrite O; [easy|].
  apply apply_int.
Qed.
End Tiling.

Section Tensor.
Context {D E : Type} `{module D}.
Notation tensor := (tensor D E).

Definition inner_part (A : tensor) (t : tiler) (c : open) : option tensor := part_of A (inner_partition (body A) t c).
Definition outer_part (A : tensor) (t : tiler) (c : open) : option tensor := part_of A (outer_partition (body A) t c).
Definition tile_part_of (A : tensor) (t : tiler) (c : open) : option tensor := part_of A (local_tile (body A) t c).
Definition tile_part_by (ps : list bool) (A : tensor) (ts : list tiler) (cs : list open) : option tensor :=
  part_of A (local_tile_by ps (body A) ts cs).
Definition thread_part (A : tensor) (R : layout N) (i : N) : option tensor := part_of A (local_partition (body A) R i).
Definition thread_part_by (ps : list bool) (A : tensor) (R : layout N) (i : N) : option tensor :=
  part_of A (local_partition_by ps (body A) R i).

(* Tile c of A at i is A, divided, at (i, c). *)
Theorem inner_partition_pointwise (A : tensor) t x y c : zipped_divide (body A) t = Some (Node [x; y]) ->
  shaped x = true -> exists R, inner_part A t (At c) = Some R /\ size (body R) = size x /\
  forall i, i < size x -> element R i = element (with_body A (Node [x; y])) (i + size x * c).
Proof.
  intros E0 S. destruct (inner_pointwise _ t x y c E0 S) as (n & R & ER & Z & V). unfold inner_part. rewrite ER.
  eexists. split; [reflexivity|]. split; [exact Z|]. intros i Hi. unfold element. cbn. now rewrite <- plus_assoc, V.
Qed.

(* It is the same for an index of the rest and for its coordinate. *)
Theorem inner_partition_coordinate (A : tensor) t x y c : zipped_divide (body A) t = Some (Node [x; y]) ->
  shaped x = true -> inner_part A t (closed (idx2crd c (shape y))) = inner_part A t (At c).
Proof. intros E0 S. unfold inner_part. now rewrite (inner_coordinate _ t x y c E0 S). Qed.

(* Element c of every tile: share c of A at i is A, divided, at (c, i). *)
Theorem outer_partition_pointwise (A : tensor) t x y c : zipped_divide (body A) t = Some (Node [x; y]) ->
  shaped y = true -> c < size x -> exists R, outer_part A t (At c) = Some R /\ size (body R) = size y /\
  forall i, i < size y -> element R i = element (with_body A (Node [x; y])) (c + size x * i).
Proof.
  intros E0 S Hc. destruct (outer_pointwise _ t x y c E0 S Hc) as (n & R & ER & Z & V). unfold outer_part. rewrite ER.
  eexists. split; [reflexivity|]. split; [exact Z|]. intros i Hi. unfold element. cbn. now rewrite <- plus_assoc, V.
Qed.

(* Element i of tile j is element j of share i. *)
Theorem outer_partition_inner (A : tensor) t x y i j : zipped_divide (body A) t = Some (Node [x; y]) ->
  shaped (Node [x; y]) = true -> i < size x -> j < size y -> exists R Q, outer_part A t (At i) = Some R /\
  inner_part A t (At j) = Some Q /\ element R j = element Q i.
Proof.
  intros E0 S Hi Hj. apply shaped_node in S. inversion_clear S as [|? ? Sx S']. inversion_clear S' as [|? ? Sy _].
  destruct (inner_partition_pointwise A t x y j E0 Sx) as (Q & EQ & _ & VQ).
  destruct (outer_partition_pointwise A t x y i E0 Sy Hi) as (R & ER & _ & VR). exists R, Q.
  split; [easy|]. split; [easy|]. now rewrite VQ, VR.
Qed.

(* local_tile is inner_partition. *)
Theorem local_tile_inner (A : tensor) t c : tile_part_of A t c = inner_part A t c.
Proof. reflexivity. Qed.

(* With a projection it is that of the tiles and coordinates that the projection keeps. *)
Theorem local_tile_projects ps (A : tensor) ts cs : length ps = length ts -> length ps = length cs ->
  tile_part_by ps A ts cs = tile_part_of A (Modes (kept ps ts)) (Each (kept ps cs)).
Proof. intros E0 F. unfold tile_part_by, local_tile_by. now rewrite <- E0, <- F, Nat.eqb_refl. Qed.

(* The share of thread i is the element of every tile at the place of i. *)
Theorem local_partition_outer (A : tensor) R i c : get_flat_coord R i = Some c ->
  thread_part A R i = outer_part A (extents_tiler R) (closed c).
Proof. unfold thread_part, local_partition. now intros ->. Qed.

(* With a projection it is the share of i among the threads that are kept. *)
Theorem local_partition_projects ps (A : tensor) ms i : length ps = length ms ->
  thread_part_by ps A (Node ms) i = thread_part A (Node (kept ps ms)) i.
Proof. intros L. unfold thread_part_by, local_partition_by. now rewrite projected. Qed.
End Tensor.

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
