(* cosize for strides of any sign: the length of the interval that holds the values. Compact layouts read back by
  division. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Basis Inverse Make.
Local Open Scope N_scope.

Definition span (l : list (N * Z)) : Z :=
  fold_right Z.add 0%Z (map (fun m => (Z.of_N (fst m - 1) * Z.abs (snd m))%Z) l).
(* 1 + the sum of (s-1) |d|, and as a shape of one coordinate. *)
Definition signed_cosize (A : layout Z) : Z := (1 + span (leaves A))%Z.
Definition coshape (A : layout Z) : tuple := Int (Z.to_N (signed_cosize A)).

Lemma step_bounded a b m d : (0 <= a <= m)%Z -> (0 <= b <= m)%Z -> (a * d - b * d <= m * Z.abs d)%Z.
Proof. intros Ha Hb. destruct (Z.abs_spec d) as [[Hd ->]|[Hd ->]]; nia. Qed.

Lemma span_reached l : positive l = true -> exists i j, i < numel l /\ j < numel l /\
  (value_in l i - value_in l j = span l)%Z /\ forall p q, (value_in l p - value_in l q <= span l)%Z.
Proof.
  induction l as [|[s d] l IH]; intros P.
  - exists 0, 0. repeat split; intros; unfold span; simpl; lia.
  - apply positive_cons in P as [Hs P]. destruct (IH P) as (i & j & Hi & Hj & E & B).
    change (span ((s, d) :: l)) with (Z.of_N (s - 1) * Z.abs d + span l)%Z.
    assert (V : forall r q, r < s -> value_in ((s, d) :: l) (r + s * q) = (Z.of_N r * d + value_in l q)%Z).
    { intros r q Hr. cbn [value_in]. now rewrite digit_mod, digit_div. }
    assert (B' : forall p q, (value_in ((s, d) :: l) p - value_in ((s,
      d) :: l) q <= Z.of_N (s - 1) * Z.abs d + span l)%Z).
    { intros p q. specialize (B (p / s) (q / s)). destruct (split_index s p Hs) as [Ep Lp],
        (split_index s q Hs) as [Eq Lq]. rewrite Ep, Eq.
      rewrite !V by easy.
      revert Lp Lq. generalize (p mod s) (q mod s). intros r r' Lp Lq.
      pose proof (step_bounded (Z.of_N r) (Z.of_N r') (Z.of_N (s - 1)) d ltac:(lia) ltac:(lia)). lia. }
    destruct (Z.le_ge_cases 0 d).
    + exists ((s - 1) + s * i), (0 + s * j). repeat split; try (apply (digits_below s (numel l)); lia); [|exact B'].
      rewrite !V by lia. rewrite Z.abs_eq by easy. lia.
    + exists (0 + s * i), ((s - 1) + s * j). repeat split; try (apply (digits_below s (numel l)); lia); [|exact B'].
      rewrite !V by lia. rewrite Z.abs_neq by easy. lia.
Qed.

(* cosize is the largest value minus the smallest plus 1, for strides of any sign. *)
Theorem cosize_span A : shaped A = true -> exists i j, i < size A /\ j < size A /\
  (signed_cosize A = apply A i - apply A j + 1)%Z /\ forall p q, p < size A -> q < size A ->
  (apply A p - apply A q + 1 <= signed_cosize A)%Z.
Proof.
  intros S. destruct (span_reached (leaves A) S) as (i & j & Hi & Hj & E & B). rewrite <- size_product in Hi, Hj.
  exists i, j. unfold signed_cosize. repeat split; [easy|easy|rewrite !apply_inside by easy; lia|].
  intros p q Hp Hq. rewrite !apply_inside by easy. specialize (B p q). lia.
Qed.

(* ---- Strides of any kind: the lengths along each basis element ---- *)

(* How far the leaves reach along each basis element, in either direction, and the extents of that. *)
Definition signed_reaches (A : layout (point Z)) : list (path * N) :=
  flat_map (fun m => map (fun t => (fst t, (fst m - 1) * Z.abs_N (snd t))) (terms (snd m))) (leaves A).
Definition coshape_along (A : layout (point Z)) : option tuple :=
  let all := signed_reaches A in extents_of (fold_right Nat.max 0%nat (map (fun r => length (fst r)) all)) all.
(* The product of 1 + the sum of (s-1) |d| along each basis element. *)
Definition reach_along (all : list (path * N)) (p : path) : N :=
  fold_right N.add 0 (map (fun r => if path_dec (fst r) p then snd r else 0) all).
Definition product_along (all : list (path * N)) : N :=
  fold_right N.mul 1 (map (fun p => 1 + reach_along all p) (nodup path_dec (map fst all))).
Definition cosize_along (A : layout (point Z)) : N := product_along (signed_reaches A).

(* The paths along part k, without the step that leads there. *)
Definition tails (k : nat) (l : list path) : list path :=
  flat_map (fun p => match p with j :: q => if (j =? k)%nat then [q] else [] | [] => [] end) l.
Lemma tails_in k l q : In q (tails k l) <-> In (k :: q) l.
Proof.
  unfold tails. rewrite in_flat_map. split.
  - intros ([|j p] & I & J); [easy|]. destruct (Nat.eqb_spec j k) as [->|]; [|easy]. destruct J as [<-|[]]. exact I.
  - intros I. exists (k :: q). rewrite Nat.eqb_refl. split; [exact I|now left].
Qed.
Lemma tails_nodup k l : tails k (nodup path_dec l) = nodup path_dec (tails k l).
Proof.
  induction l as [|p l IH]; [easy|]. cbn [nodup].
  change (tails k (p :: l)) with (match p with j :: q => if (j =? k)%nat then [q] else [] | [] => [] end ++ tails k l).
  destruct (in_dec path_dec p l) as [I|I].
  - rewrite IH. destruct p as [|j q]; [easy|]. destruct (Nat.eqb_spec j k) as [->|]; [|easy]. cbn [app nodup].
    destruct (in_dec path_dec q (tails k l)) as [_|N_]; [easy|]. now rewrite tails_in in N_.
  - change (tails k (p :: nodup path_dec l)) with
      (match p with j :: q => if (j =? k)%nat then [q] else [] | [] => [] end ++ tails k (nodup path_dec l)).
    rewrite IH. destruct p as [|j q]; [easy|]. destruct (Nat.eqb_spec j k) as [->|]; [|easy]. cbn [app nodup].
    destruct (in_dec path_dec q (tails k l)) as [J|_]; [|easy]. now rewrite tails_in in J.
Qed.
Lemma along_tails k all : map fst (along k all) = tails k (map fst all).
Proof.
  induction all as [|[[|j q] n] all IH]; [easy|exact IH|]. cbn [along flat_map map fst] in *.
  change (tails k ((j :: q) :: map fst all)) with ((if (j =? k)%nat then [q] else []) ++ tails k (map fst all)).
  rewrite map_app, <- IH. now destruct (j =? k)%nat.
Qed.
Lemma reach_along_part k all q : reach_along (along k all) q = reach_along all (k :: q).
Proof.
  unfold reach_along. induction all as [|[[|j p] n] all IH]; [easy| |]; cbn [along flat_map map fst snd fold_right] in
    *.
  - destruct (path_dec [] (k :: q)); [discriminate|exact IH].
  - fold (along k all) in *. destruct (Nat.eqb_spec j k) as [->|Ne]; cbn [app map fst snd fold_right]; rewrite IH.
    + destruct (path_dec (k :: p) (k :: q)), (path_dec p q); congruence.
    + destruct (path_dec (j :: p) (k :: q)); [congruence|easy].
Qed.
Definition product_of (l : list N) : N := fold_right N.mul 1 l.
Lemma product_of_app l m : product_of (l ++ m) = product_of l * product_of m.
Proof. unfold product_of. induction l as [|n l IH]; cbn [app fold_right]; [lia|]. rewrite IH. lia. Qed.
Lemma product_scaled (g : nat -> N) c j n : (j < n)%nat ->
  product_of (map (fun k => if (j =? k)%nat then c * g k else g k) (seq 0 n)) = c * product_of (map g (seq 0 n)).
Proof.
  induction n as [|n IH]; intros L; [lia|]. rewrite seq_S, !map_app, !product_of_app. cbn [Nat.add map product_of
    fold_right].
  rewrite !N.mul_1_r. destruct (Nat.eqb_spec j n) as [->|Ne].
  - rewrite (map_ext_in _ g); [ring|]. intros k I. apply in_seq in I. destruct (Nat.eqb_spec n k); [lia|easy].
  - rewrite IH by lia. ring.
Qed.
(* A product over paths is one over the parts that they lead to. *)
Lemma product_by_parts (f : path -> N) l n : f [] = 1 -> (forall j q, In (j :: q) l -> (j < n)%nat) ->
  product_of (map f l) = product_of (map (fun k => product_of (map (fun q => f (k :: q)) (tails k l))) (seq 0 n)).
Proof.
  intros One. induction l as [|p l IH]; intros L.
  - change (1 = product_of (map (fun _ => 1) (seq 0 n))). induction (seq 0 n) as [|k s IHs]; [easy|].
    change (1 = 1 * product_of (map (fun _ => 1) s)). now rewrite <- IHs.
  - cbn [map product_of fold_right]. fold (product_of (map f l)). rewrite IH by (intros j q I; apply (L j q); now
    right).
    destruct p as [|j q]; [rewrite One; apply N.mul_1_l|]. rewrite <- (product_scaled _ (f (j :: q)) j n).
    + f_equal. apply map_ext. intros k.
      change (tails k ((j :: q) :: l)) with ((if (j =? k)%nat then [q] else []) ++ tails k l).
      destruct (Nat.eqb_spec j k) as [->|]; reflexivity.
    + apply (L j q). now left.
Qed.
Lemma parts_bound all j q n : In (j :: q, n) all -> (j < parts_of all)%nat.
Proof.
  unfold parts_of. induction all as [|r all IH]; [easy|]. intros [I|I]; cbn [map fold_right].
  - subst r. cbn [fst]. lia.
  - specialize (IH I). lia.
Qed.
Lemma here_reach all : here all = 1 + reach_along all [].
Proof.
  unfold here, reach_along. induction all as [|[[|j q] n] all IH]; [easy| |]; cbn [map fold_right fst snd] in *;
    rewrite IH; [destruct (path_dec [] []); [lia|easy]|destruct (path_dec (j :: q) []); [discriminate|lia]].
Qed.
Lemma nodup_constant (l : list path) p : (forall q, In q l -> q = p) -> l <> [] -> nodup path_dec l = [p].
Proof.
  induction l as [|q l IH]; intros E Ne; [easy|]. cbn [nodup]. rewrite (E q (or_introl eq_refl)) in *.
  destruct (in_dec path_dec p l) as [I|I].
  - apply IH; [intros r J; apply E; now right|]. now destruct l.
  - destruct l as [|r l]; [easy|]. exfalso. apply I. left. apply E. right. now left.
Qed.
Lemma product_extents fuel all t : extents_of fuel all = Some t -> tsize t = product_along all.
Proof.
  revert all t. induction fuel as [|fuel IH]; intros all t E; cbn [extents_of] in E;
    destruct (parts_of all) as [|n] eqn:P; try discriminate.
  1, 2: injection E as <-; cbn [tsize]; rewrite here_reach; unfold product_along;
    destruct all as [|r all]; [easy|];
    rewrite (nodup_constant _ []); [cbn [map fold_right]; lia| |easy];
    intros [|j q] I; [easy|]; apply in_map_iff in I as ([p m] & Ep & I); cbn in Ep; subst p;
    apply parts_bound in I; lia.
  destruct (N.eqb_spec (here all) 1) as [One|]; [|discriminate]. destruct (sequence _) as [l|] eqn:Q; [|discriminate].
  injection E as <-. apply sequence_some in Q. rewrite here_reach in One. unfold product_along.
  fold (product_of (map (fun p => 1 + reach_along all p) (nodup path_dec (map fst all)))).
  rewrite (product_by_parts _ _ (S n)); [|lia|].
  2: { intros j q I. apply nodup_In, in_map_iff in I as ([p m] & Ep & I). cbn in Ep. subst p. rewrite <- P.
       now apply parts_bound in I. }
  assert (T : tsize (Tup l) = product_of (map tsize l)) by reflexivity. rewrite T. f_equal.
  revert l Q T. generalize (seq 0 (S n)) as s. clear One P. induction s as [|k s IHs]; intros [|u l] Q T; try
    discriminate.
  { reflexivity. }
  cbn [map] in *. injection Q as Qu Q. f_equal; [|now apply IHs]. rewrite (IH _ _ Qu). unfold product_along, product_of.
  rewrite along_tails, tails_nodup. f_equal. apply map_ext. intros q. now rewrite reach_along_part.
Qed.

(* Of integers, which have no other place, that is the length of the interval that holds the values. *)
Lemma leaves_of_integers A : leaves (map_strides (basis (C := Z) []) A) = map (fun m => (fst m, basis [] (snd m)))
  (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; [easy|]. cbn.
  induction IH as [|m ms Hm _ IH]; [easy|]. cbn. now rewrite Hm, IH, map_app.
Qed.
Lemma cosize_of_integers A : Z.of_N (cosize_along (map_strides (basis []) A)) = signed_cosize A.
Proof.
  unfold cosize_along, product_along, signed_cosize. set (all := signed_reaches _).
  assert (E : all = flat_map (fun m : N * Z => if (snd m =? 0)%Z then [] else [([], (fst m - 1) * Z.abs_N (snd m))])
    (leaves A)).
  { unfold all, signed_reaches. rewrite leaves_of_integers, flat_map_map. apply flat_map_ext. intros [s d].
    cbn [fst snd basis terms add_term]. change (same d zero) with (d =? 0)%Z. now destruct (d =? 0)%Z. }
  assert (R : reach_along all [] = Z.to_N (span (leaves A)) /\ (0 <= span (leaves A))%Z /\
    (forall r, In r all -> fst r = []) /\ (all = [] -> span (leaves A) = 0%Z)).
  { rewrite E. clear. induction (leaves A) as [|[s d] l (R & P & F & Em)]; [easy|].
    change (span ((s, d) :: l)) with (Z.of_N (s - 1) * Z.abs d + span l)%Z. cbn [flat_map fst snd].
    assert (0 <= Z.of_N (s - 1) * Z.abs d)%Z as Q by (apply Z.mul_nonneg_nonneg; [apply N2Z.is_nonneg|apply
      Z.abs_nonneg]). destruct (Z.eqb_spec d 0) as [->|Nz]; cbn [app].
    - rewrite R. split; [lia|]. split; [lia|]. split; [exact F|]. intros H. rewrite (Em H). lia.
    - unfold reach_along in *. cbn [map fold_right fst snd]. rewrite R. destruct (path_dec [] []); [|easy].
      split; [rewrite Z2N.inj_add, Z2N.inj_mul by (easy || apply N2Z.is_nonneg || apply Z.abs_nonneg); lia|]. split;
        [lia|]. split; [|easy]. intros r [<-|I]; [easy|now apply F]. }
  destruct R as (R & P & F & Em). destruct all as [|r l] eqn:K.
  - cbn. rewrite Em by easy. easy.
  - rewrite (nodup_constant _ []); [cbn [map fold_right]; rewrite R; lia| |easy].
    intros q I. apply in_map_iff in I as (x & <- & I). now apply F.
Qed.

(* The extent of a tuple at a place. *)
Fixpoint coordinate_extent (p : path) (t : tuple) : option N :=
  match p, t with
  | [], Int n => Some n
  | k :: q, Tup l => match nth_error l k with Some u => coordinate_extent q u | None => None end
  | _, _ => None
  end.
Lemma extents_at fuel all t p n :
  extents_of fuel all = Some t -> coordinate_extent p t = Some n -> n = 1 + reach_along all p.
Proof.
  revert all t p. induction fuel as [|fuel IH]; intros all t p E At; cbn [extents_of] in E;
    destruct (parts_of all) as [|m]; try discriminate.
  1, 2: injection E as <-; destruct p; [injection At as <-; apply here_reach|discriminate].
  destruct (here all =? 1); [|discriminate]. destruct (sequence _) as [l|] eqn:Q; [|discriminate].
  injection E as <-. destruct p as [|k q]; [discriminate|]. cbn [coordinate_extent] in At.
  destruct (nth_error l k) as [u|] eqn:K; [|discriminate]. apply sequence_some in Q.
  rewrite <- reach_along_part. apply (IH _ u); [|exact At].
  assert (Ek : nth_error (map (fun i => extents_of fuel (along i all)) (seq 0 (S m))) k = Some (Some u))
    by (rewrite Q; now apply map_nth_error).
  rewrite nth_error_map in Ek. destruct (nth_error (seq 0 (S m)) k) as [j|] eqn:J; [|discriminate].
  injection Ek as Ek. pose proof (nth_error_nth _ _ 0%nat J) as Nj.
  rewrite seq_nth in Nj by (rewrite <- (seq_length (S m) 0); apply nth_error_Some; congruence).
  cbn [Nat.add] in Nj. now subst j.
Qed.
Lemma leaves_of_strides {D E} (f : D -> E) A : leaves (map_strides f A) = map (fun m => (fst m, f (snd m))) (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; [easy|]. cbn.
  induction IH as [|m ms Hm _ IH]; [easy|]. cbn. now rewrite Hm, IH, map_app.
Qed.
Lemma reach_of_terms s (l : list (path * Z)) p : canonical l = true ->
  reach_along (map (fun t => (fst t, s * Z.abs_N (snd t))) l) p = s * Z.abs_N (coefficient l p).
Proof.
  unfold reach_along. induction l as [|[q n] l IH]; intros K; cbn [map fold_right fst snd coefficient].
  - change (0 = s * 0). lia.
  - apply canonical_cons in K as (_ & A & K). rewrite IH by exact K. destruct (path_dec q p) as [->|]; [|easy].
    rewrite coefficient_absent by exact A. change (s * Z.abs_N n + s * 0 = s * Z.abs_N n). lia.
Qed.
Lemma reach_along_app a b p : reach_along (a ++ b) p = reach_along a p + reach_along b p.
Proof. unfold reach_along. induction a as [|r a IH]; [easy|]. cbn [app map fold_right]. rewrite IH. lia. Qed.
(* How far the values reach along a basis element is how far those numbers of theirs reach. *)
Lemma reach_read A p : Z.of_N (reach_along (signed_reaches A) p) = span (leaves (map_strides (fun x => read x p) A)).
Proof.
  rewrite leaves_of_strides. unfold signed_reaches. induction (leaves A) as [|[s d] l IH]; [easy|].
  cbn [flat_map map fst snd]. rewrite reach_along_app, N2Z.inj_add, IH, reach_of_terms by apply ordered_terms.
  change (span ((s, read d p) :: ?l)) with (Z.of_N (s - 1) * Z.abs (read d p) + span l)%Z.
  rewrite N2Z.inj_mul, N2Z.inj_abs_N. reflexivity.
Qed.

(* Along each coordinate of the codomain it is the largest number less the smallest, plus 1. *)
Theorem coshape_span A t p n : shaped A = true -> coshape_along A = Some t -> coordinate_extent p t = Some n ->
  exists i j, i < size A /\ j < size A /\ (Z.of_N n = read (apply A i) p - read (apply A j) p + 1)%Z /\
    forall q r, q < size A -> r < size A -> (read (apply A q) p - read (apply A r) p + 1 <= Z.of_N n)%Z.
Proof.
  intros S E At. set (B := map_strides (fun x => read x p) A).
  assert (V : forall i, apply B i = read (apply A i) p).
  { intros i. apply (map_strides_apply (fun x => read x p)); [reflexivity|intros x y; apply read_plus|intros k x;
      apply read_times]. }
  assert (Z' : size B = size A) by apply map_strides_size.
  assert (SB : shaped B = true).
  { unfold shaped, positive in *. unfold B. rewrite leaves_of_strides, <- S.
    clear. induction (leaves A) as [|m l IH]; [easy|]. cbn [map forallb fst]. now rewrite IH. }
  destruct (cosize_span B SB) as (i & j & Hi & Hj & Eq & Le). rewrite Z' in Hi, Hj.
  assert (Nn : Z.of_N n = signed_cosize B).
  { rewrite (extents_at _ _ _ _ _ E At). unfold signed_cosize, B. rewrite <- reach_read. lia. }
  exists i, j. rewrite Nn, <- !V. repeat split; [easy|easy|lia|].
  intros q r Hq Hr. rewrite <- !V. apply Le; now rewrite Z'.
Qed.

(* The size of the codomain is the cosize, for strides of any kind; of integers the length of the interval that
  holds the values. *)
Theorem coshape_cosize A t : coshape_along A = Some t -> tsize t = cosize_along A /\
  forall B, A = map_strides (basis []) B -> Z.of_N (tsize t) = signed_cosize B.
Proof.
  intros E. apply product_extents in E. split; [exact E|]. intros B ->. rewrite E. apply cosize_of_integers.
Qed.
