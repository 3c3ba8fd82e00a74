(* get_hier_coord and get_1d_coord of compact layouts: the coordinate of a value, leaf by leaf by division. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Inverse Edit.
Local Open Scope N_scope.

(* The leaves with a mark: 1 on one of them, 0 on the others. *)
Definition marked (b : N) (l : modes) : list (N * (N * N)) := map (fun m => (fst m, (snd m, b))) l.
Lemma strides_marked b l : strides (marked b l) = l.
Proof. unfold strides, marked. rewrite map_map. simpl. rewrite <- (map_id l) at 2. apply map_ext. now intros []. Qed.
Lemma weights_marked_0 l i : value_in (weights (marked 0 l)) i = 0.
Proof. revert i. induction l as [|[s d] l IH]; intros i; simpl; [easy|]. rewrite IH. lia. Qed.
Lemma numel_marked b l : numel (marked b l) = numel l.
Proof. now rewrite <- numel_strides, strides_marked. Qed.
Lemma positive_marked b l : positive (marked b l) = positive l.
Proof. now rewrite <- positive_strides, strides_marked. Qed.

Lemma mark_digit (p q : list (N * (N * N))) s d i : positive p = true -> (forall j, value_in (weights p) j = 0) ->
  (forall j, value_in (weights q) j = 0) -> value_in (weights (p ++ (s, (d, 1)) :: q)) i = (i / numel p) mod s.
Proof.
  intros P Zp Zq. unfold weights. rewrite map_app. fold (weights p).
  rewrite value_in_app by now rewrite positive_weights.
  rewrite Zp, numel_weights. simpl. fold (weights q). rewrite Zq. lia.
Qed.

Lemma zero_marks_permuted (l m : list (N * (N * N))) : Permutation l m -> (forall x, In x l -> snd (snd x) = 0) ->
  forall j, value_in (weights m) j = 0.
Proof.
  intros L Z. assert (Z' : forall x, In x m ->
    snd (snd x) = 0) by (intros x I; apply Z; now apply (Permutation_in x (Permutation_sym L))).
  clear L Z. induction m as [|[s [d b]] m IH]; intros j; simpl; [easy|].
  rewrite (Z' (s, (d, b)) (or_introl eq_refl) : b = 0). rewrite IH; [simpl; lia|]. intros x I. apply Z'. now right.
Qed.

(* In a compact layout the digit of a leaf of extent above 1 is read off the value: (A(i) / d) mod s. *)
Lemma digit_read_back A p s d q i : shaped A = true -> compact_layout A -> leaves A = p ++ (s, d) :: q -> 1 < s ->
  i < size A -> (apply A i / d) mod s = (i / numel p) mod s.
Proof.
  intros S C E Hs Hi. set (m := marked 0 p ++ (s, (d, 1)) :: marked 0 q).
  assert (Sm : strides m = leaves A).
  { unfold m, strides. rewrite map_app. simpl. fold (strides (marked 0 p)) (strides (marked 0 q)). now rewrite
      !strides_marked, E. }
  assert (Pm : positive m = true) by (now rewrite <- positive_strides, Sm).
  assert (Pp : positive (marked 0 p) = true) by (unfold m in Pm; rewrite positive_app in Pm;
    now apply andb_true_iff in Pm).
  assert (In (apply A i, (i / numel p) mod s) (image m)) as I.
  { apply in_image. exists i. rewrite <- numel_strides, Sm, <- size_product. split;
      [easy|]. rewrite value_in_pairs, Sm. f_equal.
    - now apply apply_inside.
    - unfold m. rewrite mark_digit; [now rewrite numel_marked|exact Pp|apply weights_marked_0|apply weights_marked_0]. }
  rewrite <- image_wide in I by easy. set (f := fun m : N * (N * N) => fst (snd m)).
  pose proof (sort_permutation f (wide m)) as Q.
  apply (Permutation_in _ (image_permutation _ _ Q (wide_positive m))) in I.
  set (c := sort f (wide m)) in *.
  assert (Sc : strides c = sort snd (wide (leaves A))).
  { unfold c, f. rewrite strides_sort. f_equal. rewrite <- Sm. unfold wide,
      strides. clear. induction m as [|[t [e b]] m IH]; simpl; [easy|].
    destruct (1 <? t); simpl; congruence. }
  pose proof (proj2 (compactb_spec A S) C) as T. unfold compactb in T. rewrite <- Sc in T.
  pose proof (positive_permutation _ _ Q (wide_positive m)) as Pc.
  apply in_image in I as (j & Hj & Ej). rewrite value_in_pairs in Ej. injection Ej as Ea Eb. rewrite Ea, Eb.
  rewrite (value_in_tight 1 (strides c)) by (rewrite ?positive_strides; easy).
  rewrite numel_strides, (N.mod_small j), N.mul_1_l by easy.
  assert (In (s, (d, 1)) c) as Ic.
  { apply (Permutation_in _ Q), filter_In. split; [unfold m; apply in_app_iff; right; now left|]. now apply N.ltb_lt. }
  apply in_split in Ic as (c1 & c2 & Ec).
  assert (Qm : Permutation (wide (marked 0 p) ++ wide (marked 0 q)) (c1 ++ c2)).
  { apply (Permutation_app_inv _ _ _ _ (s, (d, 1))). rewrite <- Ec, <- Q. unfold m, wide. rewrite filter_app. simpl.
    apply N.ltb_lt in Hs. now rewrite Hs. }
  assert (Z : forall x, In x (c1 ++ c2) -> snd (snd x) = 0).
  { intros x K. apply (Permutation_in x (Permutation_sym Qm)) in K. apply in_app_iff in K as [K|K];
      apply filter_In in K as [K _]; unfold marked in K; apply in_map_iff in K as (y & <- & _); reflexivity. }
  rewrite Ec in *. rewrite positive_app in Pc. apply andb_true_iff in Pc as [P1 _].
  unfold strides in T. rewrite map_app in T. fold (strides c1) in T. rewrite tight_app in T.
  apply andb_true_iff in T as [_ T].
  simpl in T. apply andb_true_iff in T as [T _]. apply N.eqb_eq in T. rewrite numel_strides, N.mul_1_r in T. subst d.
  rewrite mark_digit; [easy|easy| |]; apply (zero_marks_permuted _ _ (Permutation_refl _)); intros x K;
    apply Z, in_app_iff; auto.
Qed.

(* The digits of A(i), leaf by leaf: 0 where the extent is 1, else (A(i) / d) mod s. *)
Definition read_back (l : modes) (v : N) : list N := map (fun m => if fst m =? 1 then 0 else v / snd m mod fst m) l.

Lemma read_back_digits A i : shaped A = true -> compact_layout A -> i < size A ->
  read_back (leaves A) (apply A i) = digits (leaves A) i.
Proof.
  intros S C Hi.
  enough (forall p q, leaves A = p ++ q -> read_back q (apply A i) = digits q (i / numel p)) as H.
  { rewrite (H [] (leaves A) eq_refl). simpl. now rewrite N.div_1_r. }
  intros p q. revert p. induction q as [|[s d] q IH]; intros p E; [reflexivity|].
  assert (P : positive (p ++ (s, d) :: q) = true) by now rewrite <- E. rewrite positive_app in P.
  apply andb_true_iff in P as [Pp Pq]. apply positive_cons in Pq as [Hs _]. pose proof (numel_positive p Pp) as Np.
  cbn [read_back map fst snd digits]. fold (read_back q (apply A i)). f_equal.
  - destruct (N.eqb_spec s 1) as [->|]; [now rewrite N.mod_1_r|]. now apply (digit_read_back A p s d q); [| | |lia|].
  - rewrite (IH (p ++ [(s, d)])) by now rewrite <- app_assoc. rewrite numel_app. simpl.
    rewrite N.mul_1_r, N.div_div by lia. reflexivity.
Qed.

(* A coordinate by division of the value, in the shape of A; and as an index. *)
Definition get_hier_coord (A : layout N) (v : N) : option tuple := idx2crd_by v A.
Definition get_1d_coord (A : layout N) (v : N) : option N := c <- get_hier_coord A v; crd2idx c (shape A).

Lemma idx2crd_by_extents v A c : idx2crd_by v A = Some c -> extents c = read_back (leaves A) v /\
  congruent c (shape A) = true.
Proof.
  revert c. induction A as [s d|ms IH] using layout_induction; intros c E; simpl in E.
  - unfold read_back. simpl. destruct (s =? 1); [injection E as <-; easy|]. destruct (d =? 0); [discriminate|].
    injection E as <-. easy.
  - destruct (sequence _) as [cs|] eqn:Q; [|discriminate]. injection E as <-. apply sequence_some in Q.
    unfold congruent. simpl shape. rewrite faces_tuples. simpl extents. simpl leaves. unfold read_back. revert cs Q.
    induction IH as [|m ms Hm _ IH]; intros [|c cs] Q; try discriminate; [split; constructor|]. injection Q as Q1 Q2.
    destruct (Hm c Q1) as [E1 C1], (IH cs Q2) as [E2 C2]. simpl. rewrite map_app, E1, E2. split; [easy|now constructor].
Qed.

Lemma congruent_length c t : congruent c t = true -> length (extents c) = length (extents t).
Proof.
  revert t. induction c as [n|l IH] using tuple_induction; intros [m|m] C; try discriminate; [easy|].
  apply faces_tuples in C. simpl.
  induction C; [easy|]. inversion_clear IH. simpl. rewrite !app_length. f_equal; auto.
Qed.
Lemma app_inj_length {X} (a b c d : list X) : a ++ b = c ++ d -> length a = length c -> a = c /\ b = d.
Proof. revert c. induction a as [|x a IH]; intros [|y c] E L; try discriminate; [easy|]. injection E as -> E.
injection L as L. destruct (IH c E L) as [-> ->]. easy. Qed.
Lemma congruent_extents c c' : congruent c c' = true -> extents c = extents c' -> c = c'.
Proof.
  revert c'. induction c as [n|l IH] using tuple_induction; intros [m|m] C E; try discriminate;
    [simpl in E; congruence|].
  apply faces_tuples in C. simpl in E. f_equal. induction C as [|x y l m Cx Cl IHC]; [easy|].
  inversion_clear IH as [|? ? Hx Hl].
  simpl in E. apply congruent_length in Cx as Lx. apply app_inj_length in E as [E1 E2]; [|easy]. f_equal; auto.
Qed.
Lemma open_digits_inside (l : modes) i : positive l = true -> i < numel l -> open_digits (map fst l) i = digits l i.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i P Hi; [easy|]. apply positive_cons in P as [Hs P].
  destruct l as [|m l].
  - simpl in *. rewrite N.mod_small by lia. reflexivity.
  - cbn [map fst digits]. rewrite open_digits_cons by discriminate. f_equal. apply IH; [easy|]. now apply div_below.
Qed.

Lemma idx2crd_by_defined v A : (forall s d, In (s, d) (leaves A) -> 1 < s -> d <> 0) -> shaped A = true ->
  exists c, idx2crd_by v A = Some c.
Proof.
  induction A as [s d|ms IH] using layout_induction; intros M S; simpl.
  - destruct (N.eqb_spec s 1); [eauto|]. apply positive_cons in S as [Hs _].
    destruct (N.eqb_spec d 0) as [->|]; [|eauto].
    exfalso. now apply (M s 0); [left|lia|].
  - rewrite shaped_node in S. enough (exists cs, sequence (map (idx2crd_by v) ms) = Some cs) as [cs ->] by (simpl;
      eauto).
    induction IH as [|m ms Hm _ IH]; [exists []; easy|]. apply Forall_cons_iff in S as [Sm S].
    destruct (Hm ltac:(intros s d I; apply M; simpl; apply in_app_iff; auto) Sm) as [c Ec].
    destruct (IH ltac:(intros s d I; apply M; simpl; apply in_app_iff; auto) S) as [cs Ecs]. exists (c :: cs). simpl.
    now rewrite Ec, Ecs.
Qed.

(* The coordinate of the value at i is the coordinate of i, for compact A. *)
Theorem get_hier_coord_inverse A i : shaped A = true -> compact_layout A -> i < size A ->
  get_hier_coord A (apply A i) = Some (idx2crd i (shape A)).
Proof.
  intros S C Hi. destruct (idx2crd_by_defined (apply A i) A) as [c E]; [|easy|].
  - intros s d I Hs. pose proof (proj2 (compactb_spec A S) C) as T.
    apply (tight_strides_positive 1 _ ltac:(lia) T) with (s := s).
    + apply (positive_permutation _ _ (sort_permutation _ _)), wide_positive.
    + apply (Permutation_in _ (sort_permutation _ _)), filter_In. split; [easy|]. now apply N.ltb_lt.
  - unfold get_hier_coord. rewrite E. f_equal. destruct (idx2crd_by_extents _ _ _ E) as [X Cg].
    assert (P : tpositive (shape A) = true) by now rewrite tpositive_shape.
    destruct (idx2crd_bounds (shape A) i P ltac:(now rewrite tsize_shape)) as [Cg' _].
    apply congruent_extents.
    + apply congruent_definition. apply congruent_definition in Cg, Cg'. congruence.
    + rewrite X, read_back_digits, idx2crd_digits, extents_shape by easy.
      assert (Pe : Forall (fun s => 0 < s) (map fst (leaves A))) by (rewrite <- extents_shape; now apply
        tpositive_extents).
      assert (Li : i < fold_right N.mul 1 (map fst (leaves A))) by now rewrite <- extents_shape, <- tsize_extents,
        tsize_shape.
      rewrite <- (open_digits_inside (leaves A)), <- open_all_digits by (rewrite <- ?size_product; easy).
      now destruct (tends _).
Qed.

(* Its index is i again. *)
Theorem get_1d_coord_inverse A i : shaped A = true -> compact_layout A -> i < size A ->
  get_1d_coord A (apply A i) = Some i.
Proof.
  intros S C Hi. unfold get_1d_coord. rewrite get_hier_coord_inverse by easy. cbn [bind].
  apply idx2crd_inside; [now rewrite tpositive_shape|now rewrite tsize_shape].
Qed.

(* Every leaf of two elements or more moves. *)
Definition all_move (A : layout N) : bool := forallb (fun m => (fst m =? 1) || negb (snd m =? 0)) (leaves A).

Lemma idx2crd_by_all_move v A : (exists c, idx2crd_by v A = Some c) <-> all_move A = true.
Proof.
  unfold all_move. induction A as [s d|ms IH] using layout_induction; cbn [idx2crd_by leaves].
  - simpl. destruct (s =? 1), (d =? 0); simpl; split; intros H; eauto; try discriminate; now destruct H.
  - rewrite (map_defined Tup). induction IH as [|m ms Hm _ IHl]; simpl; [split; eauto|].
    rewrite forallb_app, andb_true_iff, <- Hm, <- IHl. destruct (idx2crd_by v m) as [c|].
    + rewrite (map_defined (cons c)). split; [eauto|now intros []].
    + split; [intros [x E]; discriminate|intros [[x E] _]; discriminate].
Qed.

(* A coordinate of the parentheses of the shape has an index. *)
Lemma congruent_index c (A : layout N) : congruent c (shape A) = true -> exists i, apply_coordinate A c = Some i.
Proof.
  revert c. induction A as [s d|ms IH] using layout_induction; intros [n|cs] C;
    [simpl; eauto|discriminate|discriminate|].
  unfold congruent in C. simpl shape in C. apply faces_tuples in C. simpl.
  revert cs C. induction IH as [|m ms Hm _ IHl]; intros cs C; inversion C as [|c x cs' xs Hc Hcs]; subst; [eauto|].
  destruct (Hm c Hc) as [i ->], (IHl cs' Hcs) as [j Ej]. simpl. rewrite Ej. simpl. eauto.
Qed.

Lemma index_congruent c (A : layout N) : congruent c (shape A) = true -> exists i, crd2idx c (shape A) = Some i.
Proof.
  intros C. unfold crd2idx. apply congruent_index. now rewrite colex_shape.
Qed.

(* It is defined exactly when every leaf of two elements or more moves. *)
Theorem get_1d_coord_exists A i : (exists k, get_1d_coord A i = Some k) <-> all_move A = true.
Proof.
  rewrite <- (idx2crd_by_all_move i). unfold get_1d_coord, get_hier_coord.
  destruct (idx2crd_by i A) as [c|] eqn:E; cbn [bind].
  - split; [eauto|]. intros _. apply index_congruent. now apply idx2crd_by_extents in E.
  - split; intros [x H]; discriminate.
Qed.

(* One index for each mode at the top; a list of one is that index. *)
Definition get_flat_coord (A : layout N) (v : N) : option tuple :=
  c <- get_hier_coord A v;
  match c, shape A with
  | Tup cs, Tup ts =>
      option_map (fun l => match l with [x] => Int x | _ => Tup (map Int l) end)
        (sequence (map (fun p => crd2idx (fst p) (snd p)) (combine cs ts)))
  | _, _ => Some c
  end.

Lemma flat_indices ts i : Forall (fun t => tpositive t = true) ts -> i < tsize (Tup ts) ->
  exists cs, idx2crd i (Tup ts) = Tup cs /\
  sequence (map (fun p => crd2idx (fst p) (snd p)) (combine cs ts)) = Some (open_digits (map tsize ts) i).
Proof.
  revert i. induction ts as [|t ts IH]; intros i P Hi; [exists []; easy|].
  apply Forall_cons_iff in P as [Pt P]. pose proof (tsize_positive t Pt) as St. simpl in Hi. destruct ts as [|u ts].
  - exists [idx2crd i t]. split; [easy|]. simpl in *. now rewrite idx2crd_inside by (easy || lia).
  - destruct (IH (i / tsize t) P ltac:(now apply div_below)) as (cs & E & Q).
    exists (idx2crd (i mod tsize t) t :: cs). rewrite idx2crd_cons, E. split; [easy|].
    cbn [combine map fst snd sequence]. rewrite idx2crd_inside by (try apply N.mod_lt; easy || lia).
    rewrite Q. reflexivity.
Qed.

(* One index for each mode: a list of one is an integer. *)
Definition listed (l : list N) : tuple := match l with [x] => Int x | _ => Tup (map Int l) end.

(* get_flat_coord of the value at i is the index of i in each mode, for compact A. *)
Theorem get_flat_coord_inverse A i : shaped A = true -> compact_layout A -> i < size A ->
  get_flat_coord A (apply A i) = Some (listed (open_digits (map size (modes_of A)) i)).
Proof.
  intros S C Hi. unfold get_flat_coord. rewrite get_hier_coord_inverse by easy. cbn [bind].
  destruct A as [s d|ms]; [reflexivity|]. cbn [shape].
  destruct (flat_indices (map shape ms) i) as (cs & -> & ->).
  - apply Forall_map. apply shaped_node in S. eapply Forall_impl; [|exact S]. intros a. now rewrite tpositive_shape.
  - change (Tup (map shape ms)) with (shape (Node ms)). now rewrite tsize_shape.
  - cbn [option_map modes_of]. rewrite map_map. erewrite (map_ext (fun x => tsize (shape x))) by apply tsize_shape.
    reflexivity.
Qed.

(* ---- Projections: threads that differ in a mode left out have the same place in what is kept. ---- *)

Definition mode_coords (ms : list (layout N)) (v : N) : option (list N) :=
  sequence (map (fun m => c <- idx2crd_by v m; crd2idx c (shape m)) ms).
Definition projection (ps : list bool) : open := Each (map (fun p : bool => if p then At 1 else Any) ps).
Definition kept {X} (ps : list bool) (l : list X) : list X := map snd (List.filter fst (combine ps l)).

Lemma flat_coord_modes ms v : get_flat_coord (Node ms) v = option_map listed (mode_coords ms v).
Proof.
  unfold get_flat_coord, get_hier_coord, mode_coords. cbn [idx2crd_by shape].
  assert (forall cs, map (idx2crd_by v) ms = map Some cs ->
    map (fun p => crd2idx (fst p) (snd p)) (combine cs (map shape ms)) =
    map (fun m => c <- idx2crd_by v m; crd2idx c (shape m)) ms) as K.
  { induction ms as [|m ms IH]; intros [|c cs] E; try discriminate;
      [easy|]. cbn [map combine] in *. injection E as E1 E2.
    cbn [fst snd]. now rewrite (IH cs E2), E1. }
  destruct (sequence (map (idx2crd_by v) ms)) as [cs|] eqn:E; cbn [option_map bind].
  - apply sequence_some in E. now rewrite (K cs E).
  - clear K. assert (sequence (map (fun m => c <- idx2crd_by v m; crd2idx c (shape m)) ms) = None) as ->; [|easy].
    induction ms as [|m ms IH]; [discriminate|]. cbn [map sequence] in *.
    destruct (idx2crd_by v m) as [c|]; cbn [bind]; [|easy].
    destruct (crd2idx c (shape m)); [|easy]. destruct (sequence (map (idx2crd_by v) ms)); [discriminate|].
    now rewrite IH.
Qed.

Lemma projected (ms : list (layout N)) ps : length ps = length ms ->
  dice (projection ps) (Node ms) = Some (Node (kept ps ms) : layout N).
Proof.
  intros L. unfold dice, projection, picked. cbn [collect].
  match goal with |- option_map Node ?x = _ => assert (x = Some (kept ps ms)) as ->; [|easy] end.
  revert ps L. induction ms as [|m ms IH]; intros [|p ps] L; try discriminate; [easy|]. injection L as L. cbn [map].
  specialize (IH ps L). unfold kept in *. cbn [combine List.filter fst]. rewrite IH. now destruct p, m.
Qed.

(* The coordinate in the modes that a projection keeps is what it keeps of the coordinate; R need not be row-major. *)
Theorem dice_flat_coord ms ps v l : length ps = length ms -> mode_coords ms v = Some l ->
  get_flat_coord (Node ms) v = Some (listed l) /\
  exists E, dice (projection ps) (Node ms) = Some E /\ get_flat_coord E v = Some (listed (kept ps l)).
Proof.
  intros L E. rewrite flat_coord_modes, E, projected by easy. split; [easy|]. eexists. split; [reflexivity|].
  rewrite flat_coord_modes. assert (mode_coords (kept ps ms) v = Some (kept ps l)) as ->; [|easy].
  revert ps l L E. unfold mode_coords, kept.
  induction ms as [|m ms IH]; intros [|p ps] l L E; try discriminate; [now injection E as <-|].
  injection L as L. cbn [map sequence] in E. destruct (bind _ _) as [x|] eqn:Ex; [|discriminate].
  destruct (sequence _) as [k|] eqn:Ek; [|discriminate]. injection E as <-. specialize (IH ps k L eq_refl).
  cbn [combine List.filter fst map snd sequence]. destruct p; [|exact IH]. cbn [map snd sequence]. now rewrite Ex, IH.
Qed.
