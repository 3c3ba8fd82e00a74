(* What thrfrg has at each thread and value, whatever the strides of the tensor; the product, atom by atom. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiled_mma Identity.
Local Open Scope N_scope.

(* ---- One mode, divided. ---- *)

(* The index that stands at i once n indices are divided by B, or by a tiler of one mode. *)
Definition dealt_by (B : layout N) (n i : N) : N :=
  match complement B n with Some C => apply (Node [B; C]) i | None => i end.
Definition dealt (p : tiler) (n i : N) : N :=
  match p with Tile B => dealt_by B n i | Extent e => dealt_by (tile_of e) n i | _ => i end.
Definition of_one_mode (p : tiler) : bool := match p with Modes _ => false | _ => true end.

(* It is a permutation of the n indices. *)
Definition permutes_below (n : N) (f : N -> N) : Prop :=
  (forall i, i < n -> f i < n) /\ (forall i j, i < n -> j < n -> f i = f j -> i = j) /\
  forall x, x < n -> exists i, i < n /\ f i = x.
Lemma permutes_id n : permutes_below n (fun i => i).
Proof. repeat split; eauto. Qed.
Lemma compact_permutes A n : shaped A = true -> compact_layout A -> size A = n -> permutes_below n (apply A).
Proof.
  intros S C <-. repeat split.
  - intros i. now apply compact_below.
  - intros i j Hi Hj. now apply compact_injective.
  - intros x Hx. rewrite <- in_iota in Hx. apply (Permutation_in _ (Permutation_sym C)) in Hx.
    rewrite image_leaves, in_map_iff in Hx by easy. destruct Hx as (i & E & I). exists i. now rewrite in_iota in I.
Qed.

Section Modes.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Lemma exact_parts (m : layout) B : shaped m = true -> cuts_exactly B m = true -> exists C t r,
  complement B (size m) = Some C /\ shaped (Node [B; C]) = true /\ compact_layout (Node [B; C]) /\
  size (Node [B; C]) = size m /\ logical_divide m B = Some (Node [t; r]) /\ size t = size B /\ size r = size C /\
  shaped t = true /\ shaped r = true /\
  forall i, i < size m -> apply (Node [t; r]) i = apply m (apply (Node [B; C]) i).
Proof.
  intros Sm Cut. unfold cuts_exactly in Cut. rewrite !andb_true_iff, negb_true_iff in Cut.
  destruct Cut as [[[[SB NB] Ch] T] E]. destruct (divide_exactly m B) as [z|] eqn:EZ; [|discriminate].
  assert (0 < top B) as Pt by (apply top_positive; [lia|apply all_move_sorted]). apply N.eqb_eq, mod_0_divides in T;
    [|easy].
  destruct (complement_covers B (size m) (size_positive m Sm) SB NB Ch) as (C & EC & I).
  destruct (divided_node m B z Sm SB EZ) as (C' & EC' & S & ER). rewrite EC in EC'. injection EC' as <-.
  destruct (logical_divide_tile m B z Sm SB EZ) as (L & t & r & -> & _).
  destruct (composition_sound m _ _ S ER) as (Cm & SR & V). apply refined_nodes in Cm.
  inversion Cm as [|? ? ? ? C1 K1]; subst. inversion K1 as [|? ? ? ? C2 _]; subst. apply refined_size in C1, C2.
  apply shaped_node in SR. inversion SR as [|? ? St SR']; subst. inversion SR' as [|? ? Sr _]; subst.
  assert (Z : top B * ceil (size m) (top B) = size m).
  { destruct T as [k Hk]. rewrite Hk, (N.mul_comm k), ceil_exact by easy. easy. }
  assert (Cp : Permutation (image (leaves (Node [B; C]))) (iota (size m))) by now rewrite leaves_two, I, Z.
  assert (ZBC : size (Node [B; C]) = size m).
  { apply Permutation_length in Cp. rewrite length_image, length_iota, <- size_product in Cp. lia. }
  exists C, t, r. repeat split; try easy.
  - unfold compact_layout. now rewrite ZBC.
  - intros i Hi. apply V. now rewrite ZBC.
Qed.

(* A mode dealt by a tiler, and one cut into a tile of e indices and its repetitions. *)
Definition dealt_into (m : layout) (p : tiler) (P : layout) : Prop :=
  shaped m = true /\ of_one_mode p = true /\ cuts_modes p m = true /\ divide_tiler m p = Some P.
Definition cut_into (m : layout) (e : N) (t r : layout) : Prop :=
  shaped m = true /\ cuts_exactly (tile_of e) m = true /\ logical_divide m (tile_of e) = Some (Node [t; r]).

(* A mode divided by a tiler that cuts it is the mode at the indices dealt. *)
Lemma dealt_mode (m P : layout) p : dealt_into m p P -> shaped P = true /\ size P = size m /\ permutes_below (size m)
  (dealt p (size m)) /\
  forall i, i < size m -> apply P i = apply m (dealt p (size m) i).
Proof.
  assert (G : forall B, shaped m = true -> cuts_exactly B m = true -> logical_divide m B = Some P -> shaped P = true /\
    size P = size m /\ permutes_below (size m) (dealt_by B (size m)) /\
    forall i, i < size m -> apply P i = apply m (dealt_by B (size m) i)).
  { intros B Sm Cut E. destruct (exact_parts m B Sm Cut) as (C & t & r & EC & S & Cp & Z & EL & Zt & Zr & St & Sr & V).
    rewrite EL in E. injection E as <-. unfold dealt_by. rewrite EC. split; [apply shaped_node; auto|].
    split; [rewrite <- Z; cbn; now rewrite Zt, Zr|]. split; [now apply compact_permutes|exact V]. }
  intros (Sm & One & Cut & E). destruct p as [B|n| |ts]; [now apply G|now apply G| |discriminate].
  injection E as <-. split; [easy|]. split; [easy|]. split; [apply permutes_id|easy].
Qed.

(* Divided by e it is tiles of e indices, one behind the other. *)
Lemma cut_mode (m : layout) e t r : cut_into m e t r -> 0 < e /\ size t = e /\ e * size r = size m /\
  shaped t = true /\ shaped r = true /\ forall i j, i < e -> j < size r -> apply t i +: apply r j = apply m (i + e * j).
Proof.
  intros (Sm & Cut & E).
  destruct (exact_parts m (tile_of e) Sm Cut) as (C & t' & r' & EC & S & Cp & Z & EL & Zt & Zr & St & Sr & V).
  rewrite E in EL. injection EL as <- <-.
  assert (He : 0 < e) by (apply shaped_node in S; inversion S as [|? ? S0 _]; now apply positive_cons in S0).
  destruct (tile_complement e (size m) He (size_positive m Sm)) as (C' & EC' & ZC & SC & VC).
  rewrite EC in EC'. injection EC' as <-. cbn [size tile_of map fold_right] in Z, Zt. rewrite N.mul_1_r in Z.
  split; [easy|]. split; [easy|]. split; [now rewrite Zr|]. split; [easy|]. split; [easy|].
  intros i j Hi Hj. rewrite <- (two_modes t r) by now rewrite Zt. rewrite Zt.
  assert (i + e * j < size m) by (rewrite <- Z; rewrite Zr in Hj; now apply digits_below).
  rewrite V by easy. f_equal. change e with (size (tile_of e)) at 1. rewrite two_modes by easy.
  rewrite tile_values, VC by (easy || now rewrite <- ZC, <- Zr). reflexivity.
Qed.
End Modes.

Lemma counting_tile n : counting n = Tile (tile_of n).
Proof. reflexivity. Qed.

(* ---- Two modes, divided side by side. ---- *)

Section Pairs.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Lemma two_divided (A : layout) p q P : cuts_modes (by_two (p, q)) A = true -> divide_tiler A (by_two (p, q)) = Some P ->
  exists m0 m1 ms P0 P1, A = Node (m0 :: m1 :: ms) /\ P = Node (P0 :: P1 :: ms) /\ cuts_modes p m0 = true /\
  cuts_modes q m1 = true /\ divide_tiler m0 p = Some P0 /\ divide_tiler m1 q = Some P1.
Proof.
  intros Cut E. destruct (logical_divide_by_mode A (Leaf 1 0) [p; q]) as (_ & _ & K).
  change (by_two (p, q)) with (Modes [p; q]) in *. rewrite K in E. clear K. unfold each_mode in E.
  cbn [cuts_modes fst snd] in Cut. destruct A as [s d|[|m0 [|m1 ms]]]; cbn [modes_of] in Cut; try discriminate;
    try (now destruct (cuts_modes p _)).
  rewrite andb_true_r in Cut. apply andb_true_iff in Cut as [C0 C1].
  cbn [length rank Nat.leb modes_of combine map fst snd sequence skipn] in E. rewrite combine_nil in E.
  destruct (divide_tiler m0 p) as [P0|] eqn:E0; [|discriminate].
  destruct (divide_tiler m1 q) as [P1|] eqn:E1; [|discriminate].
  injection E as <-. exists m0, m1, ms, P0, P1. repeat split; easy.
Qed.

Lemma two_cut (A : layout) e g Z : shaped A = true -> cuts_modes (by_two (counting e, counting g)) A = true ->
  zipped_divide A (by_two (counting e, counting g)) = Some Z -> exists m0 m1 ms x0 x1 r0 r1,
  A = Node (m0 :: m1 :: ms) /\ Z = Node [Node [x0; x1]; Node (r0 :: r1 :: ms)] /\ cut_into m0 e x0 r0 /\
  cut_into m1 g x1 r1.
Proof.
  intros S Cut E. change (by_two (counting e, counting g)) with (Modes [counting e; counting g]) in E.
  rewrite zipped_divide_regroups in E.
  destruct (divide_tiler A (Modes [counting e; counting g])) as [P|] eqn:EP; [|discriminate].
  destruct (two_divided A (counting e) (counting g) P Cut EP) as (m0 & m1 & ms & P0 & P1 & -> & -> & C0 & C1 & E0 & E1).
  apply shaped_node in S. inversion S as [|? ? S0 S']; subst. inversion S' as [|? ? S1 Ss]; subst.
  rewrite counting_tile in *. cbn [cuts_modes] in C0, C1. unfold divide_tiler in E0, E1. cbn [by_tiler] in E0, E1.
  destruct (exact_parts m0 _ S0 C0) as (_ & x0 & r0 & _ & _ & _ & _ & F0 & _).
  destruct (exact_parts m1 _ S1 C1) as (_ & x1 & r1 & _ & _ & _ & _ & F1 & _).
  rewrite E0 in F0. rewrite E1 in F1. injection F0 as ->. injection F1 as ->.
  cbn [option_map] in E. injection E as <-. unfold regrouped. cbn [modes_of combine map length skipn].
  rewrite combine_nil. exists m0, m1, ms, x0, x1, r0, r1. split; [easy|]. split; [reflexivity|]. now repeat split.
Qed.
End Pairs.

(* ---- thrfrg ---- *)

(* The index along one mode of atom `a` of `w`, in repetition b, at place i of an atom of extent e. *)
Definition along_mode (p : tiler) (n e w i a b : N) : N := dealt p n (i + e * (a + w * b)).
Definition two_parts (L : layout N) : bool := match L with Node [_; _] => true | _ => false end.
Definition place_in_atom (t : tiled_mma) (x : operand) (v u : N) : N :=
  owned (first (thread_values (atom t) x)) (second (thread_values (atom t) x)) v u.

Section Values.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Lemma composed_pair (X0 X1 : layout) L V n : size X0 = n -> 0 < n -> shaped L = true -> two_parts L = true ->
  composition (Node [X0; X1]) L = Some V -> exists T U, V = Node [T; U] /\ size T = size (first L) /\
  size U = size (second L) /\ shaped V = true /\ forall v u, v < size T -> u < size U ->
  apply T v +: apply U u = apply X0 (owned (first L) (second L) v u mod n) +:
    apply X1 (owned (first L) (second L) v u / n).
Proof.
  intros Zn Hn SL Two E. destruct L as [|[|LT [|LU [|]]]]; try discriminate. cbn [first second modes_of nth].
  destruct (composition_sound _ _ V SL E) as (Cm & SV & W). destruct V as [|vs]; [discriminate|].
  apply refined_nodes in Cm. inversion Cm as [|? T ? vs0 C0 C1]; subst. inversion C1 as [|? U ? vs1 C2 C3]; subst.
  inversion C3; subst. apply refined_size in C0, C2. apply shaped_node in SL. inversion SL as [|? ? ST SL']; subst.
  inversion SL' as [|? ? SU _]; subst. exists T, U. repeat split; try easy. intros v u Hv Hu.
  rewrite <- (two_modes T U) by easy. rewrite <- C0. rewrite <- C0 in Hv. rewrite <- C2 in Hu.
  destruct (pair_index LT LU v u ST SU Hv Hu) as [L O]. rewrite W by exact L. rewrite O.
  rewrite apply_cons. reflexivity.
Qed.

(* The steps of thrfrg, mode by mode. *)
Lemma thrfrg_steps t x (A f : layout) : let '(p, q) := pair_of x (of_m t) (of_n t) (of_k t) in
  let '(e, g) := pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t)) in
  let '(w, z) := pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) in let L := thread_values (atom t) x in
  of_whole_tiles t x A = true -> of_one_mode p = true -> of_one_mode q = true -> thrfrg t x A = Some f ->
  covered (e * g) L = true /\ two_parts L = true /\ exists m0 m1 ms P0 P1 x0 x1 r0 r1 T U a0 a1 b0 b1,
  A = Node (m0 :: m1 :: ms) /\ f = Node [Node [T; Node [a0; a1]]; Node [U; Node (b0 :: b1 :: ms)]] /\
  dealt_into m0 p P0 /\ dealt_into m1 q P1 /\ cut_into P0 e x0 r0 /\ cut_into P1 g x1 r1 /\
  composition (Node [x0; x1]) L = Some (Node [T; U]) /\ cut_into r0 w a0 b0 /\ cut_into r1 z a1 b1.
Proof.
  destruct (pair_of x (of_m t) _ _) as [p q] eqn:Epq, (pair_of x (rows _) _ _) as [e g] eqn:Eeg,
    (pair_of x (atoms_along t 1) _ _) as [w z] eqn:Ewz.
  assert (Ht : permuting t x = by_two (p, q)) by (unfold permuting; now rewrite Epq).
  assert (Ha : atom_tile t x = by_two (counting e, counting g)).
  { unfold atom_tile. destruct x; cbn in *; now injection Eeg as <- <-. }
  assert (Hw : across t x = by_two (counting w, counting z)).
  { unfold across. destruct x; cbn in *; now injection Ewz as <- <-. }
  assert (Hs : atom_size t x = e * g) by (unfold atom_size; now rewrite Eeg).
  unfold of_whole_tiles, thrfrg. rewrite Ht, Ha, Hw, Hs, !andb_true_iff. intros [[SA CA] W] Op Oq.
  destruct (divide_tiler A (by_two (p, q))) as [P|] eqn:EP; [|discriminate]. cbn [bind].
  destruct (two_divided A p q P CA EP) as (m0 & m1 & ms & P0 & P1 & -> & -> & C0 & C1 & E0 & E1).
  apply shaped_node in SA. inversion SA as [|? ? S0 SA']; subst. inversion SA' as [|? ? S1 Ss]; subst.
  assert (D0 : dealt_into m0 p P0) by easy. assert (D1 : dealt_into m1 q P1) by easy.
  rewrite !andb_true_iff in W. destruct W as [[[CP Cov] Two] W].
  assert (SP : shaped (Node (P0 :: P1 :: ms)) = true).
  { apply shaped_node. constructor; [now apply (dealt_mode m0 P0 p)|].
    constructor; [now apply (dealt_mode m1 P1 q)|easy]. }
  destruct (zipped_divide (Node (P0 :: P1 :: ms)) _) as [Z|] eqn:EZ; [|discriminate]. cbn [bind].
  apply andb_true_iff in W as [_ CR].
  destruct (two_cut _ e g Z SP CP EZ) as (n0 & n1 & ns & x0 & x1 & r0 & r1 & En & -> & F0 & F1).
  injection En as <- <- <-. unfold first at 1, second at 1. unfold second at 1 in CR. cbn [modes_of nth] in *.
  assert (Sr : shaped (Node (r0 :: r1 :: ms)) = true).
  { apply shaped_node. constructor; [now apply (cut_mode P0 e x0 r0)|].
    constructor; [now apply (cut_mode P1 g x1 r1)|easy]. }
  destruct (composition (Node [x0; x1]) (thread_values (atom t) x)) as [V|] eqn:EV; [|discriminate]. cbn [bind].
  assert (SL : shaped (thread_values (atom t) x) = true) by (unfold covered in Cov; rewrite !andb_true_iff in Cov; apply
    Cov).
  destruct (composed_pair x0 x1 _ V e ltac:(now apply (cut_mode P0 e x0 r0)) ltac:(now apply (cut_mode P0 e x0 r0)) SL
    Two EV) as (T & U & -> & _).
  destruct (zipped_divide (Node (r0 :: r1 :: ms)) _) as [R|] eqn:ER; [|discriminate]. cbn [bind].
  destruct (two_cut _ w z R Sr CR ER) as (k0 & k1 & ks & a0 & a1 & b0 & b1 & Ek & -> & G0 & G1).
  injection Ek as <- <- <-. intros K. injection K as <-. split; [easy|]. split; [easy|].
  exists m0, m1, ms, P0, P1, x0, x1, r0, r1, T, U, a0, a1, b0, b1. now repeat (split; [easy|]).
Qed.

Lemma thrfrg_values t x (A f : layout) : let '(p, q) := pair_of x (of_m t) (of_n t) (of_k t) in
  let '(e, g) := pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t)) in
  let '(w, z) := pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) in
  of_whole_tiles t x A = true -> of_one_mode p = true -> of_one_mode q = true -> thrfrg t x A = Some f ->
  exists m0 m1 ms T U a0 a1 b0 b1, A = Node (m0 :: m1 :: ms) /\
  f = Node [Node [T; Node [a0; a1]]; Node [U; Node (b0 :: b1 :: ms)]] /\ shaped f = true /\
  size T = size (first (thread_values (atom t) x)) /\ size U = size (second (thread_values (atom t) x)) /\
  size a0 = w /\ size a1 = z /\ e * (w * size b0) = size m0 /\ g * (z * size b1) = size m1 /\
  permutes_below (size m0) (dealt p (size m0)) /\ permutes_below (size m1) (dealt q (size m1)) /\
  (forall v u, v < size T -> u < size U -> place_in_atom t x v u < e * g) /\
  forall v u i0 i1 j0 j1, v < size T -> u < size U -> i0 < w -> i1 < z -> j0 < size b0 -> j1 < size b1 ->
  (apply T v +: apply U u) +: ((apply a0 i0 +: apply b0 j0) +: (apply a1 i1 +: apply b1 j1)) =
  apply m0 (along_mode p (size m0) e w (place_in_atom t x v u mod e) i0 j0) +:
  apply m1 (along_mode q (size m1) g z (place_in_atom t x v u / e) i1 j1).
Proof.
  pose proof (thrfrg_steps t x A f) as K.
  destruct (pair_of x (of_m t) _ _) as [p q], (pair_of x (rows _) _ _) as [e g],
    (pair_of x (atoms_along t 1) _ _) as [w z]. cbn zeta in K. intros W Op Oq E.
  destruct (K W Op Oq E) as (Cov & Two & m0 & m1 & ms & P0 & P1 & x0 & x1 & r0 & r1 & T & U & a0 & a1 & b0 & b1 & ->
    & ->
    & D0 & D1 & F0 & F1 & EV & G0 & G1). clear K.
  set (L := thread_values (atom t) x) in *.
  assert (SL : shaped L = true) by (unfold covered in Cov; rewrite !andb_true_iff in Cov; apply Cov).
  destruct (dealt_mode m0 P0 p D0) as (SP0 & ZP0 & Pm0 & VP0).
  destruct (dealt_mode m1 P1 q D1) as (SP1 & ZP1 & Pm1 & VP1).
  destruct (cut_mode P0 e x0 r0 F0) as (He & Zx0 & Zr0 & _ & _ & V0).
  destruct (cut_mode P1 g x1 r1 F1) as (Hg & Zx1 & Zr1 & _ & _ & V1).
  destruct (cut_mode r0 w a0 b0 G0) as (_ & Za0 & Zb0 & Sa0 & Sb0 & W0).
  destruct (cut_mode r1 z a1 b1 G1) as (_ & Za1 & Zb1 & Sa1 & Sb1 & W1).
  destruct (composed_pair x0 x1 L _ e Zx0 He SL Two EV) as (T' & U' & EN & ZT & ZU & SV & VV). injection EN as <- <-.
  exists m0, m1, ms, T, U, a0, a1, b0, b1.
  apply shaped_node in SV. inversion SV as [|? ? ST SV']; subst. inversion SV' as [|? ? SU _]; subst.
  assert (Ss : Forall (fun m => shaped m = true) ms).
  { unfold of_whole_tiles in W. rewrite !andb_true_iff in W. destruct W as [[W _] _]. apply shaped_node in W.
    inversion W as [|? ? _ W']; subst. now inversion W'. }
  split; [easy|]. split; [easy|].
  assert (Sa : shaped (Node [a0; a1]) = true) by (apply shaped_node; auto).
  assert (Sb : shaped (Node (b0 :: b1 :: ms)) = true) by (apply shaped_node; auto).
  split; [apply shaped_node; repeat constructor; apply shaped_node; auto|].
  split; [exact ZT|]. split; [exact ZU|]. split; [easy|]. split; [easy|].
  split; [rewrite <- ZP0, <- Zr0, <- Zb0; reflexivity|]. split; [rewrite <- ZP1, <- Zr1, <- Zb1; reflexivity|].
  split; [easy|]. split; [easy|].
  assert (B : forall v u, v < size T -> u < size U -> place_in_atom t x v u < size x0 * size x1).
  { intros v u Hv Hu. apply (covered_values _ L _ Cov). rewrite image_leaves by easy.
    unfold place_in_atom. fold L. destruct L as [|[|LT [|LU [|]]]]; try discriminate. cbn [first second modes_of nth]
      in *.
    apply shaped_node in SL. inversion SL as [|? ? S2 SL']; subst. inversion SL' as [|? ? S3 _]; subst.
    rewrite ZT in Hv. rewrite ZU in Hu. destruct (pair_index LT LU v u S2 S3 Hv Hu) as [Lt <-].
    apply in_map. now apply in_iota. }
  split; [exact B|]. intros v u i0 i1 j0 j1 Hv Hu Hi0 Hi1 Hj0 Hj1. specialize (B v u Hv Hu).
  rewrite VV, W0, W1 by easy. fold (place_in_atom t x v u).
  rewrite plus_swap. unfold along_mode.
  assert (B0 : i0 + size a0 * j0 < size r0) by (rewrite <- Zb0; now apply digits_below).
  assert (B1 : i1 + size a1 * j1 < size r1) by (rewrite <- Zb1; now apply digits_below).
  rewrite V0 by (try apply N.mod_lt; easy || lia). rewrite V1 by (try apply div_below; easy || lia).
  rewrite VP0, VP1; [easy| |]; rewrite <- ?ZP0, <- ?ZP1, <- ?Zr0, <- ?Zr1; apply digits_below; try easy;
    [apply div_below; easy|apply N.mod_lt; lia].
Qed.
End Values.

(* Each index along a mode is that of one place in one atom. *)
Lemma along_permutes p n e w b i a j i' a' j' : permutes_below n (dealt p n) -> e * (w * b) = n -> i < e -> a < w ->
  j < b -> i' < e -> a' < w -> j' < b -> along_mode p n e w i a j = along_mode p n e w i' a' j' ->
  i = i' /\ a = a' /\ j = j'.
Proof.
  intros (_ & I & _) Z Hi Ha Hj Hi' Ha' Hj' E. apply I in E; [|rewrite <- Z; now repeat apply digits_below..].
  assert (F : a + w * j = a' + w * j').
  { rewrite <- (digit_div e i (a + w * j)), <- (digit_div e i' (a' + w * j')) by easy. now f_equal. }
  split; [|split].
  - rewrite <- (digit_mod e i (a + w * j)), <- (digit_mod e i' (a' + w * j')) by easy. now f_equal.
  - rewrite <- (digit_mod w a j), <- (digit_mod w a' j') by easy. now f_equal.
  - rewrite <- (digit_div w a j), <- (digit_div w a' j') by easy. now f_equal.
Qed.
Lemma along_below p n e w b i a j : permutes_below n (dealt p n) -> e * (w * b) = n -> i < e -> a < w -> j < b ->
  along_mode p n e w i a j < n.
Proof. intros (B & _) Z Hi Ha Hj. apply B. rewrite <- Z. now repeat apply digits_below. Qed.
Lemma along_reaches p n e w b x : permutes_below n (dealt p n) -> e * (w * b) = n -> x < n ->
  exists i a j, i < e /\ a < w /\ j < b /\ along_mode p n e w i a j = x.
Proof.
  intros (_ & _ & R) Z Hx. destruct (R x Hx) as (y & Hy & E). rewrite <- Z in Hy.
  assert (0 < e /\ 0 < w) as [He Hw] by nia. pose proof (div_below e _ y He Hy) as Hq.
  destruct (split_index e y He) as [Ey Ly], (split_index w (y / e) Hw) as [Eq Lq].
  exists (y mod e), (y / e mod w), (y / e / w). repeat split; [easy|easy|now apply div_below|].
  unfold along_mode. now rewrite <- Eq, <- Ey.
Qed.

(* ---- The product, atom by atom. ---- *)

(* A matrix whose elements are counted column by column. *)
Definition matrix (m n : N) : layout N := make_layout_left (Tup [Int m; Int n]).
Lemma matrix_mode n w i : i < n -> apply (Leaf n (if n =? 1 then 0 else w)) i = w * i.
Proof. intros Hi. cbn. destruct (N.eqb_spec n 1); lia. Qed.

Definition two (c : N * N) : tuple := Tup [Int (fst c); Int (snd c)].
(* What thrfrg has for thread v of an atom among those of the tile, and value u in a repetition of the tile. *)
Definition element_at (f : layout N) (v u : N) (among rest : N * N) : option N :=
  apply_coordinate f (Tup [Tup [Int v; two among]; Tup [Int u; two rest]]).
Definition holders (t : tiled_mma) (x : operand) (y v u : N) : Prop :=
  v < size (first (thread_values (atom t) x)) /\ u < size (second (thread_values (atom t) x)) /\
  place_in_atom t x v u = y.
(* Some thread holds place y of that atom, and all that do have the element z there. *)
Definition stands_at (t : tiled_mma) (x : operand) (f : layout N) (among rest : N * N) (y z : N) : Prop :=
  (exists v u, holders t x y v u) /\ forall v u, holders t x y v u -> element_at f v u among rest = Some z.

Lemma stands t x m n f : let '(p, q) := pair_of x (of_m t) (of_n t) (of_k t) in
  let '(e, g) := pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t)) in
  let '(w, z) := pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) in
  of_whole_tiles t x (matrix m n) = true -> of_one_mode p = true -> of_one_mode q = true ->
  thrfrg t x (matrix m n) = Some f -> e * (w * (m / (e * w))) = m /\ g * (z * (n / (g * z))) = n /\
  permutes_below m (dealt p m) /\ permutes_below n (dealt q n) /\
  forall i j a c b d k, i < e -> j < g -> a < w -> c < z -> b < m / (e * w) -> d < n / (g * z) ->
  stands_at t x f (a, c) (b, d) (i + e * j) k <->
    k = along_mode p m e w i a b + m * along_mode q n g z j c d.
Proof.
  pose proof (thrfrg_values t x (matrix m n) f) as K.
  destruct (pair_of x (of_m t) _ _) as [p q], (pair_of x (rows _) _ _) as [e g] eqn:Eeg,
    (pair_of x (atoms_along t 1) _ _) as [w z]. intros W Op Oq E.
  destruct (K W Op Oq E) as (m0 & m1 & ms & T & U & a0 & a1 & b0 & b1 & EA & -> & SF & ZT & ZU & Za0 & Za1 & Zm & Zn &
    Pm & Pn & B & V).
  assert (ms = [] /\ m0 = Leaf m (if m =? 1 then 0 else 1) /\ m1 = Leaf n (if n =? 1 then 0 else 1 * m)) as
    (-> & -> & ->) by (injection EA as -> -> ->; easy).
  cbn [size] in Zm, Zn, Pm, Pn, V.
  assert (Sm : 0 < m /\ 0 < n).
  { unfold of_whole_tiles in W. rewrite !andb_true_iff in W. destruct W as [[W _] _]. apply shaped_node in W.
    inversion W as [|? ? S0 W']; subst. inversion W' as [|? ? S1 _]; subst. cbn [shaped leaves] in S0, S1.
    apply positive_cons in S0, S1. easy. }
  destruct Sm as [Hm Hn].
  assert (Zb0 : size b0 = m / (e * w)) by (rewrite <- Zm, N.mul_assoc; symmetry; apply div_mul_cancel; nia).
  assert (Zb1 : size b1 = n / (g * z)) by (rewrite <- Zn, N.mul_assoc; symmetry; apply div_mul_cancel; nia).
  rewrite <- Zb0, <- Zb1. repeat (split; [easy|]). intros i j a c b d k Hi Hj Ha Hc Hb Hd.
  assert (G : forall v u, holders t x (i + e * j) v u -> element_at (Node [Node [T; Node [a0; a1]]; Node [U; Node [b0;
    b1]]]) v u (a, c) (b, d) = Some (along_mode p m e w i a b + m * along_mode q n g z j c d)).
  { intros v u (Hv & Hu & Y). rewrite <- ZT in Hv. rewrite <- ZU in Hu. specialize (V v u a c b d Hv Hu Ha Hc Hb Hd).
    rewrite Y, digit_mod, digit_div in V by easy.
    rewrite !matrix_mode in V by (eapply along_below; eassumption). unfold element_at, two. cbn [fst snd].
    cbn [apply_coordinate]. rewrite !apply_int. cbn [bind]. f_equal. cbn [plus naturals zero] in V |- *. lia. }
  assert (X : exists v u, holders t x (i + e * j) v u).
  { unfold of_whole_tiles in W. rewrite !andb_true_iff in W. destruct W as [_ W].
    destruct (divide_tiler _ _); [|discriminate]. rewrite !andb_true_iff in W. destruct W as [[[_ Cov] Two] _].
    assert (Y : i + e * j < atom_size t x).
    { unfold atom_size. rewrite Eeg. now apply digits_below. }
    apply (covered_values _ _ _ Cov) in Y. unfold covered in Cov. rewrite !andb_true_iff in Cov.
    destruct Cov as [[SL _] _]. rewrite image_leaves, in_map_iff in Y by easy. destruct Y as (y & Ey & Iy).
    rewrite in_iota in Iy. unfold holders, place_in_atom.
    destruct (thread_values (atom t) x) as [|[|LT [|LU [|]]]]; try discriminate. cbn [first second modes_of nth].
    apply shaped_node in SL. inversion SL as [|? ? S2 _]; subst. pose proof (size_positive _ S2) as P2.
    cbn [size map fold_right] in Iy. rewrite N.mul_1_r in Iy.
    exists (y mod size LT), (y / size LT). split; [apply N.mod_lt; lia|]. split; [now apply div_below|].
    rewrite <- Ey. reflexivity. }
  split.
  - intros [_ F]. destruct X as (v & u & X). pose proof (F v u X) as F'. rewrite (G v u X) in F'. congruence.
  - intros ->. now split.
Qed.

(* Every x of P has its y of Q, and every y of Q exactly one x of P. *)
Definition exactly_one_each {X Y} (P : X -> Prop) (Q : Y -> Prop) (R : X -> Y -> Prop) : Prop :=
  (forall x, P x -> exists y, Q y /\ R x y) /\ forall y, Q y -> exists! x, P x /\ R x y.
Definition triple : Type := N * N * N.
Definition below (c d : triple) : Prop :=
  let '(m, n, k) := c in let '(m', n', k') := d in m < m' /\ n < n' /\ k < k'.
(* Over (M, N, K): which atom of the tile, in which repetition, which place of it. *)
Definition extents_of_atom (t : tiled_mma) : triple := (rows (atom t), columns (atom t), steps (atom t)).
Definition atoms_of_tile (t : tiled_mma) : triple := (atoms_along t 1, atoms_along t 2, atoms_along t 3).
Definition repetitions (t : tiled_mma) (c : triple) : triple := let '(m, n, k) := c in
  (m / (rows (atom t) * atoms_along t 1), n / (columns (atom t) * atoms_along t 2),
   k / (steps (atom t) * atoms_along t 3)).
Definition in_atoms (t : tiled_mma) (c : triple) (p : triple * triple * triple) : Prop :=
  let '(a, r, i) := p in below a (atoms_of_tile t) /\ below r (repetitions t c) /\ below i (extents_of_atom t).
(* There A(m, k), B(n, k) and C(m, n) of matrices of these extents meet. *)
Definition meet_at (t : tiled_mma) (whole : triple) (f : layout N * layout N * layout N)
  (p : triple * triple * triple) (c : triple) : Prop :=
  let '((a, b, d), (r, s, q), (i, j, l)) := p in let '(m, n, k) := c in let '(M, N, _) := whole in
  let '(fA, fB, fC) := f in stands_at t Of_A fA (a, d) (r, q) (i + rows (atom t) * l) (m + M * k) /\
  stands_at t Of_B fB (b, d) (s, q) (j + columns (atom t) * l) (n + N * k) /\
  stands_at t Of_C fC (a, b) (r, s) (i + rows (atom t) * j) (m + M * n).
Definition whole_product (t : tiled_mma) (c : triple) : bool := let '(m, n, k) := c in
  of_whole_tiles t Of_A (matrix m k) && of_whole_tiles t Of_B (matrix n k) && of_whole_tiles t Of_C (matrix m n) &&
  of_one_mode (of_m t) && of_one_mode (of_n t) && of_one_mode (of_k t).

(* The atoms multiply every A(m, k) with every B(n, k) into C(m, n), each once, and nothing else. *)
Theorem tiled_mma_thrfrg_C_gemm t m n k fA fB fC : whole_product t (m, n, k) = true ->
  thrfrg t Of_A (matrix m k) = Some fA -> thrfrg t Of_B (matrix n k) = Some fB -> thrfrg t Of_C (matrix m n) = Some fC
  -> exactly_one_each (in_atoms t (m, n, k)) (fun c => below c (m, n, k)) (meet_at t (m, n, k) (fA, fB, fC)).
Proof.
  unfold whole_product. rewrite !andb_true_iff. intros [[[[[WA WB] WC] Om] On] Ok] EA EB EC.
  pose proof (stands t Of_A m k fA) as SA. pose proof (stands t Of_B n k fB) as SB. pose proof (stands t Of_C m n fC) as
    SC. cbn [pair_of] in *.
  destruct (SA WA Om Ok EA) as (Zm & Zk & Pm & Pk & FA), (SB WB On Ok EB) as (Zn & _ & Pn & _ & FB),
    (SC WC Om On EC) as (_ & _ & _ & _ & FC). clear SA SB SC.
  set (e := rows (atom t)) in *. set (g := columns (atom t)) in *. set (h := steps (atom t)) in *.
  set (w := atoms_along t 1) in *. set (x := atoms_along t 2) in *. set (y := atoms_along t 3) in *.
  split.
  - intros [[[[a b] d] [[r s] q]] [[i j] l]] ((Ha & Hb & Hd) & (Hr & Hs & Hq) & Hi & Hj & Hl).
    fold e g h w x y in Ha, Hb, Hd, Hr, Hs, Hq, Hi, Hj, Hl.
    exists (along_mode (of_m t) m e w i a r, along_mode (of_n t) n g x j b s, along_mode (of_k t) k h y l d q).
    split; [repeat split; eapply along_below; eassumption|]. cbn [meet_at]. fold e g h w x y.
    rewrite FA, FB, FC by easy. easy.
  - intros [[m' n'] k'] (Hm & Hn & Hk).
    destruct (along_reaches _ _ _ _ _ m' Pm Zm Hm) as (i & a & r & Hi & Ha & Hr & Em).
    destruct (along_reaches _ _ _ _ _ n' Pn Zn Hn) as (j & b & s & Hj & Hb & Hs & En).
    destruct (along_reaches _ _ _ _ _ k' Pk Zk Hk) as (l & d & q & Hl & Hd & Hq & Ek).
    exists ((a, b, d), (r, s, q), (i, j, l)). split.
    + split; [now repeat split|]. cbn [meet_at]. fold e g h w x y. rewrite FA, FB, FC by easy. now subst.
    + intros [[[[a' b'] d'] [[r' s'] q']] [[i' j'] l']] [((Ha' & Hb' & Hd') & (Hr' & Hs' & Hq') & Hi' & Hj' & Hl') M].
      fold e g h w x y in Ha', Hb', Hd', Hr', Hs', Hq', Hi', Hj', Hl'. cbn [meet_at] in M. fold e g h w x y in M.
      rewrite FA, FB in M by easy. destruct M as (MA & MB & _).
      assert (Lm : along_mode (of_m t) m e w i' a' r' < m) by (eapply along_below; eassumption).
      assert (Ln : along_mode (of_n t) n g x j' b' s' < n) by (eapply along_below; eassumption).
      assert (Fm : m' = along_mode (of_m t) m e w i' a' r') by
        (rewrite <- (digit_mod m m' k' Hm), MA; now apply digit_mod).
      assert (Fk : k' = along_mode (of_k t) k h y l' d' q') by
        (rewrite <- (digit_div m m' k' Hm), MA; now apply digit_div).
      assert (Fn : n' = along_mode (of_n t) n g x j' b' s') by
        (rewrite <- (digit_mod n n' k' Hn), MB; now apply digit_mod).
      rewrite <- Em in Fm. rewrite <- En in Fn. rewrite <- Ek in Fk.
      apply (along_permutes _ _ _ _ _ _ _ _ _ _ _ Pm Zm) in Fm; try easy.
      apply (along_permutes _ _ _ _ _ _ _ _ _ _ _ Pn Zn) in Fn; try easy.
      apply (along_permutes _ _ _ _ _ _ _ _ _ _ _ Pk Zk) in Fk; try easy.
      destruct Fm as (-> & -> & ->), Fn as (-> & -> & ->), Fk as (-> & -> & ->). reflexivity.
Qed.
