(* logical_product and its regroupings: copies of a layout arranged by another. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Divide Edit.
Local Open Scope N_scope.

Lemma value_bounded l i : positive l = true ->
  value_in l i <= fold_right N.add 0 (map (fun m : N * N => (fst m - 1) * snd m) l).
Proof.
  revert i. induction l as [|[s d] l IH]; intros i P; simpl; [lia|]. apply positive_cons in P as [Hs P].
  specialize (IH (i / s) P). assert (i mod s < s) by (apply N.mod_lt; lia).
  assert (i mod s * d <= (s - 1) * d) by (apply N.mul_le_mono_r; lia). lia.
Qed.

Lemma last_value l : positive l = true ->
  value_in l (numel l - 1) = fold_right N.add 0 (map (fun m : N * N => (fst m - 1) * snd m) l).
Proof.
  induction l as [|[s d] l IH]; intros P; simpl; [reflexivity|]. apply positive_cons in P as [Hs P].
  pose proof (numel_positive l P). replace (s * numel l - 1) with ((s - 1) + s * (numel l - 1)) by nia.
  rewrite digit_mod, digit_div by lia. now rewrite IH.
Qed.

(* The last value of A is one below its cosize. *)
Theorem cosize_last A : shaped A = true -> cosize A = apply A (size A - 1) + 1.
Proof.
  intros S. pose proof (size_positive A S). rewrite apply_inside, size_product, last_value by (try lia; easy).
  unfold cosize. lia.
Qed.

(* The complement of A below size(A) * cosize(B); further where B has more values than that has elements. *)
Definition room_for (A B : layout N) : option (layout N) :=
  F <- complement A (size A * cosize B);
  if cosize B <=? size F then Some F else complement A (top A * cosize B).
(* (A, A* o B). *)
Definition logical_product (A B : layout N) : option (layout N) :=
  F <- room_for A B; R <- composition F B; Some (Node [A; R]).

Definition product_tiler (A : layout N) (t : tiler) : option (layout N) :=
  by_tiler logical_product (fun n => Leaf n (if n =? 1 then 0 else 1)) true t A.
Definition zipped_product (A : layout N) (t : tiler) := option_map (unzip_tiles t) (product_tiler A t).
Definition tiled_product (A : layout N) (t : tiler) := option_map (unpack_from 1) (zipped_product A t).
Definition flat_product (A : layout N) (t : tiler) := option_map (unpack_from 0) (zipped_product A t).

Lemma product_parts A B P : logical_product A B = Some P ->
  exists F R, room_for A B = Some F /\ composition F B = Some R /\ P = Node [A; R].
Proof.
  unfold logical_product. destruct (room_for A B) as [F|]; [|discriminate]. cbn [bind].
  destruct (composition F B) as [R|] eqn:E; [|discriminate]. intros K. injection K as <-. eauto.
Qed.

(* Mode 0 of logical_product(A, B) is A. *)
Theorem logical_product_block A B P : logical_product A B = Some P -> mode P 0 = Some A.
Proof. intros E. now destruct (product_parts A B P E) as (F & R & _ & _ & ->). Qed.

(* Mode 1 is composition(A*, B), A* the complement of A below size(A) * cosize(B), further where B needs more room. *)
Theorem logical_product_tile A B P : logical_product A B = Some P ->
  exists F R, room_for A B = Some F /\ composition F B = Some R /\ mode P 1 = Some R.
Proof. intros E. destruct (product_parts A B P E) as (F & R & EF & ER & ->). eauto. Qed.

(* Mode 1 refines B. *)
Theorem logical_product_compatible A B P : shaped B = true -> logical_product A B = Some P ->
  exists R, mode P 1 = Some R /\ compatible (shape B) (shape R) = true.
Proof.
  intros S E. destruct (product_parts A B P E) as (F & R & EF & ER & ->). exists R. split; [easy|].
  now apply composition_compatible in ER.
Qed.

Lemma gaps_numel rest e l : 0 < e -> ordered_from e l = true -> all_move l ->
  rest (top_from e l) <= numel (gaps rest e l).
Proof.
  revert e. induction l as [|[s d] l IH]; intros e He O M; simpl; [lia|]. simpl in O. apply andb_true_iff in O as [L O].
  apply N.leb_le in L. apply all_move_cons in M as (Hs & Hd & M). specialize (IH (s * d) ltac:(nia) O M).
  assert (1 <= d / e) by (apply N.div_le_lower_bound; lia). nia.
Qed.

Lemma room_enough A B F : shaped A = true -> room_for A B = Some F ->
  (exists M, 0 < M /\ complement A M = Some F) /\ cosize B <= size F.
Proof.
  intros S. unfold room_for. pose proof (size_positive A S) as PA. assert (0 < cosize B) as PB by (unfold cosize; lia).
  destruct (complement A (size A * cosize B)) as [G|] eqn:E; [|discriminate]. cbn [bind].
  destruct (N.leb_spec (cosize B) (size G)) as [L|_]; intros K.
  - injection K as <-. split; [exists (size A * cosize B); split; [nia|easy]|easy].
  - assert (0 < top A) as Pt by (apply top_positive; [lia|apply all_move_sorted]).
    split; [exists (top A * cosize B); split; [nia|easy]|].
    destruct (complement_spec A (top A * cosize B) F ltac:(nia) K) as (N & -> & P).
    rewrite size_unwrapped, (proj1 (merge_spec _ P)). rewrite <- (ceil_exact (cosize B) (top A)) at 1 by easy.
    apply gaps_numel; [lia|now apply ordered_leaves|apply all_move_sorted].
Qed.

Lemma nodup_pairs l m i j p q : positive l = true -> NoDup (image (l ++ m)) -> i < numel l -> j < numel l ->
  p < numel m -> q < numel m -> value_in l i + value_in m p = value_in l j + value_in m q -> i = j /\ p = q.
Proof.
  intros P Nd Hi Hj Hp Hq E. assert (V : forall x y, x < numel l ->
    value_in (l ++ m) (x + numel l * y) = value_in l x + value_in m y).
  { intros x y Hx. rewrite value_in_app by easy. rewrite digit_div by easy. rewrite <- (value_in_periodic l (x + _)),
      digit_mod by easy. reflexivity. }
  assert (i + numel l * p = j + numel l * q) as F.
  { apply (nodup_image (l ++ m)); [easy| | |now rewrite !V]; rewrite numel_app; now apply digits_below. }
  split.
  - rewrite <- (digit_mod (numel l) i p), <- (digit_mod (numel l) j q) by easy. now rewrite F.
  - rewrite <- (digit_div (numel l) i p), <- (digit_div (numel l) j q) by easy. now rewrite F.
Qed.

(* logical_product(A, B) takes no value twice, for A and B that take none twice. *)
Theorem logical_product_copies A B P : shaped A = true -> shaped B = true -> broadcasts A = false ->
  NoDup (image (leaves B)) -> logical_product A B = Some P -> NoDup (image (leaves P)).
Proof.
  intros SA SB NA NB E. destruct (product_parts A B P E) as (F & R & EF & ER & ->).
  destruct (room_enough A B F SA EF) as [(M & HM & EC) Z]. pose proof (complement_disjoint A M F HM SA NA EC) as Nd.
  pose proof (complement_shaped A M F HM EC) as SF. destruct (composition_sound F B R SB ER) as (C & SR & V).
  assert (size R = size B) as ZR by (apply compatible_size in C; now rewrite !tsize_shape in C).
  assert (inF : forall i, i < size B -> apply B i < size F).
  { intros i Hi. rewrite apply_inside by easy. pose proof (value_bounded (leaves B) i SB). unfold cosize in Z. lia. }
  change (leaves (Node [A; R])) with (leaves A ++ (leaves R ++ [])). rewrite app_nil_r.
  apply nodup_map_in; [|apply nodup_iota]. intros i j Hi Hj K. rewrite in_iota, numel_app in *.
  rewrite !value_in_app in K by easy. pose proof (numel_positive _ SA) as PA.
  rewrite <- (value_in_periodic (leaves A) i), <- (value_in_periodic (leaves A) j) in K by easy.
  assert (i / numel (leaves A) < size B /\ j / numel (leaves A) < size B) as [Bi Bj].
  { rewrite <- ZR, size_product. split; now apply div_below. }
  rewrite <- !(apply_inside R) in K by (rewrite ?ZR; easy). rewrite !V, !(apply_inside F) in K by auto.
  assert (i mod numel (leaves A) = j mod numel (leaves A) /\
    apply B (i / numel (leaves A)) = apply B (j / numel (leaves A))) as [R1 R2].
  { apply (nodup_pairs (leaves A) (leaves F)); [exact SA|exact Nd|apply N.mod_lt; lia|apply N.mod_lt; lia| | |exact K];
      rewrite <- (size_product F); now apply inF. }
  assert (i / numel (leaves A) = j / numel (leaves A)) as Q.
  { rewrite !(apply_inside B) in R2 by easy. rewrite size_product in Bi, Bj. now apply (nodup_image (leaves B)). }
  destruct (split_index (numel (leaves A)) i PA) as [-> _], (split_index (numel (leaves A)) j PA) as [-> _]. congruence.
Qed.

(* By a tiler it goes mode by mode; Keep keeps a mode, modes beyond the tiler stay, more tiles than modes fit nothing.
  *)
Theorem logical_product_by_mode A T ts : product_tiler A (Tile T) = logical_product A T /\ product_tiler A Keep = Some
  A /\
  product_tiler A (Modes ts) = each_mode product_tiler A ts (skipn (length ts) (modes_of A)).
Proof. repeat split. apply (by_tiler_modes _ _ true). Qed.

(* An integer above 1 is n:1, and 1 is 1:0. *)
Theorem logical_product_integer A n : product_tiler A (Extent n) = logical_product A (if n =? 1 then Leaf 1 0 else
  Leaf n 1).
Proof. unfold product_tiler. cbn [by_tiler]. now destruct (N.eqb_spec n 1) as [->|]. Qed.

(* zipped_product collects ((blocks), (copies, what the tiler did not reach)) of logical_product. *)
Theorem zipped_product_regroups A ts :
  zipped_product A (Modes ts) = option_map (fun R => regrouped ts (modes_of R)) (product_tiler A (Modes ts)).
Proof. apply unzip_by_tiler. Qed.

(* tiled_product opens the copies of zipped_product; a part of rank 1 stays. *)
Theorem tiled_product_regroups A t x y : zipped_product A t = Some (Node [x; y]) ->
  tiled_product A t = Some (Node (x :: if (rank y <=? 1)%nat then [y] else modes_of y)).
Proof. unfold tiled_product. intros ->. unfold unpack_from. cbn. now rewrite app_nil_r, opened_modes. Qed.

(* flat_product opens both parts. *)
Theorem flat_product_regroups A t x y : zipped_product A t = Some (Node [x; y]) -> flat_product A t =
  Some (Node ((if (rank x <=? 1)%nat then [x] else modes_of x) ++ if (rank y <=? 1)%nat then [y] else modes_of y)).
Proof. unfold flat_product. intros ->. unfold unpack_from. cbn. now rewrite app_nil_r, !opened_modes. Qed.

(* The product of A and B padded to one rank, as the two lists of modes. *)
Definition product_by_rank (A B : layout N) : option (list (layout N) * list (layout N)) :=
  let r := Nat.max (rank A) (rank B) in
  a <- pad A r (Leaf 1 0) false; b <- pad B r (Leaf 1 0) false; P <- logical_product a b;
  match P with
  | Node [x; y] =>
      if (r =? 1)%nat && match A, B with Node _, Node _ => false | _, _ => true end then Some ([x], [y])
      else Some (modes_of x, modes_of y)
  | _ => None
  end.
Definition paired (l m : list (layout N)) : option (layout N) :=
  if (length l =? length m)%nat then Some (Node (map (fun p => Node [fst p; snd p]) (combine l m))) else None.
Definition blocked_product (A B : layout N) : option (layout N) := x <- product_by_rank A B; paired (fst x) (snd x).
Definition raked_product (A B : layout N) : option (layout N) := x <- product_by_rank A B; paired (snd x) (fst x).

Lemma paired_mode l m P k x y : paired l m = Some P -> nth_error l k = Some x -> nth_error m k = Some y ->
  mode P k = Some (Node [x; y]).
Proof.
  unfold paired. destruct (_ =? _)%nat; [|discriminate]. intros E. injection E as <-. unfold mode. simpl. intros Hx Hy.
  apply (map_nth_error (fun p => Node [fst p; snd p]) k _ (d := (x, y))). revert m k Hx Hy.
  induction l as [|a l IH]; intros [|b m] [|k] Hx Hy; try discriminate; simpl in *; [congruence|auto].
Qed.

(* The product of A and B padded to one rank, and the pairs of its modes; of the two whole where the rank is 1 and one
  is
  an integer. *)
Definition padded_product (A B : layout N) : option (layout N) :=
  let r := Nat.max (rank A) (rank B) in
  a <- pad A r (Leaf 1 0) false; b <- pad B r (Leaf 1 0) false; logical_product a b.
Definition mode_pairs (A B x y : layout N) : list (layout N * layout N) :=
  if (Nat.max (rank A) (rank B) =? 1)%nat && match A, B with Node _, Node _ => false | _, _ => true end
  then [(x, y)] else combine (modes_of x) (modes_of y).

Lemma by_rank_parts A B ls ms : product_by_rank A B = Some (ls, ms) -> exists x y,
  padded_product A B = Some (Node [x; y]) /\ combine ls ms = mode_pairs A B x y.
Proof.
  unfold product_by_rank, padded_product, mode_pairs. destruct (pad A _ _ _) as [a|]; [|discriminate]. cbn [bind].
  destruct (pad B _ _ _) as [b|]; [|discriminate]. cbn [bind].
  destruct (logical_product a b) as [P|] eqn:E; [|discriminate]. cbn [bind].
  destruct (product_parts a b P E) as (F & R & _ & _ & ->).
  destruct (_ && _); intros K; injection K as <- <-; eexists _, _; now split.
Qed.
Lemma paired_combine l m P : paired l m = Some P -> P = Node (map (fun p => Node [fst p; snd p]) (combine l m)).
Proof. unfold paired. destruct (_ =? _)%nat; [|discriminate]. intros E. now injection E as <-. Qed.
Lemma combine_swapped {X Y Z} (f : Y -> X -> Z) (l : list X) (m : list Y) :
  map (fun p => f (fst p) (snd p)) (combine m l) = map (fun p => f (snd p) (fst p)) (combine l m).
Proof. revert m. induction l as [|x l IH]; intros [|y m]; [easy..|]. cbn. now rewrite IH. Qed.

(* The blocked product pairs each mode of the block with the mode of the copies. *)
Theorem blocked_product_modes A B P : blocked_product A B = Some P -> exists x y,
  padded_product A B = Some (Node [x; y]) /\ P = Node (map (fun p => Node [fst p; snd p]) (mode_pairs A B x y)).
Proof.
  unfold blocked_product. destruct (product_by_rank A B) as [[ls ms]|] eqn:E; [|discriminate]. cbn [bind fst snd].
  intros K. destruct (by_rank_parts A B ls ms E) as (x & y & E1 & E2). exists x, y. split; [easy|].
  rewrite <- E2. now apply paired_combine.
Qed.

(* The raked product pairs them the other way round. *)
Theorem raked_product_modes A B P : raked_product A B = Some P -> exists x y,
  padded_product A B = Some (Node [x; y]) /\ P = Node (map (fun p => Node [snd p; fst p]) (mode_pairs A B x y)).
Proof.
  unfold raked_product. destruct (product_by_rank A B) as [[ls ms]|] eqn:E; [|discriminate]. cbn [bind fst snd].
  intros K. destruct (by_rank_parts A B ls ms E) as (x & y & E1 & E2). exists x, y. split; [easy|].
  rewrite <- E2. apply paired_combine in K. rewrite K. f_equal. apply (combine_swapped (fun y x => Node [y; x])).
Qed.

Lemma paired_leaves l m P : paired l m = Some P -> Permutation (leaves P) (flat_map leaves l ++ flat_map leaves m).
Proof.
  unfold paired. destruct (Nat.eqb_spec (length l) (length m)) as [E|]; [|discriminate]. intros K. injection K as <-.
  simpl.
  revert m E. induction l as [|a l IH]; intros [|b m] E; try discriminate; [reflexivity|]. injection E as E. simpl.
  rewrite IH by easy. rewrite app_nil_r, <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc.
  apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma product_by_rank_leaves A B ls ms : product_by_rank A B = Some (ls, ms) ->
  exists a b P, pad A (Nat.max (rank A) (rank B)) (Leaf 1 0) false = Some a /\
  pad B (Nat.max (rank A) (rank B)) (Leaf 1 0) false = Some b /\ logical_product a b = Some P /\
  leaves P = flat_map leaves ls ++ flat_map leaves ms.
Proof.
  unfold product_by_rank. destruct (pad A _ _ _) as [a|]; [|discriminate]. cbn [bind].
  destruct (pad B _ _ _) as [b|]; [|discriminate].
  cbn [bind]. destruct (logical_product a b) as [P|] eqn:E; [|discriminate]. cbn [bind].
  destruct (product_parts a b P E) as (F & R & _ & _ & ->).
  destruct (_ && _); intros K; injection K as <- <-; exists a, b; eexists; repeat split.
  - exact E.
  - simpl. now rewrite !app_nil_r.
  - exact E.
  - simpl. now rewrite app_nil_r, <- !leaves_modes.
Qed.

(* The blocked product takes the values of the logical product of A and B padded to one rank. *)
Theorem blocked_product_permutes A B P : let r := Nat.max (rank A) (rank B) in blocked_product A B = Some P ->
  shaped P = true -> exists a b Q, pad A r (Leaf 1 0) false = Some a /\ pad B r (Leaf 1 0) false = Some b /\
  logical_product a b = Some Q /\ Permutation (image (leaves P)) (image (leaves Q)).
Proof.
  intros r. unfold blocked_product.
  destruct (product_by_rank A B) as [[ls ms]|] eqn:E; [|discriminate]. cbn [bind fst snd].
  intros K S.
  destruct (product_by_rank_leaves A B ls ms E) as (a & b & Q & Ea & Eb & EQ & L). exists a, b, Q.
  repeat split; try easy.
  apply image_permutation; [|exact S]. rewrite L. now apply paired_leaves.
Qed.

(* The raked product takes the values of the blocked product. *)
Theorem raked_product_permutes A B P Q : blocked_product A B = Some P -> raked_product A B = Some Q ->
  shaped P = true -> Permutation (image (leaves Q)) (image (leaves P)).
Proof.
  unfold blocked_product, raked_product. destruct (product_by_rank A B) as [[ls ms]|]; [|discriminate].
  cbn [bind fst snd]. intros K L S.
  symmetry. apply image_permutation; [|exact S]. rewrite (paired_leaves _ _ _ K), (paired_leaves _ _ _ L).
  apply Permutation_app_comm.
Qed.
