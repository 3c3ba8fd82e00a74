(* upcast, downcast, recast_layout: the same memory in elements of another width. First on the leaves of a layout. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Read_back Swizzle.
Local Open Scope N_scope.

(* How many steps of the leaf s:d share one element n times as wide. *)
Definition swallowed (n s d : N) : option N :=
  if (s =? 1) || (d mod n =? 0) then Some 1
  else if n mod d =? 0 then let k := N.min s (n / d) in if s mod k =? 0 then Some k else None
  else None.
Fixpoint each_swallowed (n : N) (l : modes) : option (list N) :=
  match l with
  | [] => Some []
  | (s, d) :: l => k <- swallowed n s d; r <- each_swallowed n l; Some (k :: r)
  end.
(* The leaves in wide elements; what lies inside one element: the sum of (k-1) d; the steps that share an element, from
  c. *)
Fixpoint widened (n : N) (l : modes) (ks : list N) : modes :=
  match l, ks with
  | (s, d) :: l, k :: ks => (s / k, ceil d n) :: widened n l ks
  | _, _ => []
  end.
Fixpoint inside_one (l : modes) (ks : list N) : N :=
  match l, ks with
  | (_, d) :: l, k :: ks => (k - 1) * d + inside_one l ks
  | _, _ => 0
  end.
Fixpoint divided (c ks : list N) : list N :=
  match c, ks with
  | x :: c, k :: ks => x / k :: divided c ks
  | _, _ => []
  end.
Definition upcast_leaves (l : modes) (n : N) : option modes :=
  if n =? 0 then None else ks <- each_swallowed n l; if inside_one l ks <? n then Some (widened n l ks) else None.

(* A coordinate of the leaves. *)
Fixpoint fits (c : list N) (l : modes) : bool :=
  match c, l with
  | [], [] => true
  | x :: c, (s, _) :: l => (x <? s) && fits c l
  | _, _ => false
  end.

Lemma swallowed_step n s d k c : 0 < n -> swallowed n s d = Some k -> c < s ->
  c * d = n * (c / k * ceil d n) + c mod k * d /\ c mod k * d <= (k - 1) * d.
Proof.
  intros Hn E Hc. assert (L : 0 < k -> c mod k * d <= (k - 1) * d).
  { intros Hk. assert (c mod k < k) by (apply N.mod_lt; lia). apply N.mul_le_mono_r. lia. }
  unfold swallowed in E. destruct ((s =? 1) || (d mod n =? 0)) eqn:O.
  - injection E as <-. rewrite N.mod_1_r, N.div_1_r. split; [|lia]. apply orb_true_iff in O as [O|O].
    + apply N.eqb_eq in O. replace c with 0 by lia. lia.
    + apply N.eqb_eq, mod_0_divides in O as [q ->]; [|easy]. rewrite (N.mul_comm q n), ceil_exact by easy. lia.
  - apply orb_false_iff in O as [O1 O2]. apply N.eqb_neq in O2.
    assert (Hd : 0 < d) by (destruct (N.eq_dec d 0) as [->|]; [rewrite N.mod_0_l in O2|]; lia).
    destruct (N.eqb_spec (n mod d) 0) as [Z|]; [|discriminate]. apply mod_0_divides in Z as [q Hq]; [|easy].
    rewrite Hq, N.div_mul in E by lia. destruct (s mod N.min s q =? 0); [|discriminate]. injection E as <-.
    assert (Q : 0 < q) by (destruct (N.eq_dec q 0) as [->|]; lia). split; [|apply L; lia].
    rewrite (ceil_fits d n) by (rewrite ?Hq; nia). rewrite N.mul_1_r.
    destruct (N.min_spec s q) as [[Hm ->]|[Hm ->]].
    + rewrite N.div_small, N.mod_small by easy. lia.
    + pose proof (split_index q c Q) as [Ec _]. rewrite Ec at 1. rewrite Hq. lia.
Qed.

Lemma divided_value n l ks c : 0 < n -> each_swallowed n l = Some ks -> fits c l = true -> exists r,
  dot c l = n * dot (divided c ks) (widened n l ks) + r /\ r <= inside_one l ks.
Proof.
  intros Hn. revert ks c. induction l as [|[s d] l IH]; intros ks [|x c] E F; try discriminate; simpl in E.
  - injection E as <-. exists 0. split; [change (0 = n * 0 + 0); lia|apply N.le_0_l].
  - destruct (swallowed n s d) as [k|] eqn:K; [|discriminate]. cbn [bind] in E.
    destruct (each_swallowed n l) as [ks'|]; [|discriminate].
    injection E as <-. simpl in F. apply andb_true_iff in F as [Hx F]. apply N.ltb_lt in Hx.
    destruct (IH ks' c eq_refl F) as (r & Er & Lr). destruct (swallowed_step n s d k x Hn K Hx) as [Ex Lx].
    exists (x mod k * d + r). split; [|simpl; lia].
    change (x * d + dot c l = n * (x / k * ceil d n + dot (divided c ks') (widened n l ks')) + (x mod k * d + r)). lia.
Qed.

(* upcast(A, n)(c div k) = floor(A(c) / n), k steps of each leaf sharing one wide element. *)
Lemma leaves_blocks l n r c : upcast_leaves l n = Some r -> fits c l = true ->
  exists ks, each_swallowed n l = Some ks /\ r = widened n l ks /\ dot (divided c ks) r = dot c l / n.
Proof.
  unfold upcast_leaves. destruct (N.eqb_spec n 0); [discriminate|].
  destruct (each_swallowed n l) as [ks|] eqn:K; [|discriminate]. cbn [bind].
  destruct (N.ltb_spec (inside_one l ks) n) as [L|]; [|discriminate]. intros E F. injection E as <-. exists ks.
  repeat split.
  destruct (divided_value n l ks c ltac:(lia) K F) as (q & -> & Lq). rewrite N.add_comm, N.mul_comm, N.div_add by easy.
  rewrite N.div_small by lia. reflexivity.
Qed.

(* It is undefined exactly where an extent would be rounded up or what lies inside one element overlaps. *)
Lemma leaves_upcast_exists l n : (exists r, upcast_leaves l n = Some r) <-> n <> 0 /\ exists ks, each_swallowed n l =
  Some ks /\
  inside_one l ks < n.
Proof.
  unfold upcast_leaves. destruct (N.eqb_spec n 0); [split; [intros [r E]; discriminate|easy]|].
  destruct (each_swallowed n l) as [ks|]; cbn [bind];
    [|split; [intros [r E]; discriminate|intros (_ & ks & E & _); discriminate]].
  destruct (N.ltb_spec (inside_one l ks) n) as [L|L]; split; eauto.
  - intros [r E]. discriminate.
  - intros (_ & k & E & L'). injection E as <-. lia.
Qed.

(* The leaf of stride 1 that moves, or the first of extent 1 where none does, grows by n; other strides, too. *)
Definition movers (l : modes) : nat := length (List.filter (fun m => (snd m =? 1) && (1 <? fst m)) l).
Definition grows (l : modes) (s d : N) : bool := (d =? 1) && ((1 <? s) || (movers l =? 0)%nat).
Fixpoint grow (n : N) (g : N -> N -> bool) (l : modes) : modes :=
  match l with
  | [] => []
  | (s, d) :: l => if g s d then (s * n, 1) :: map (fun m => (fst m, n * snd m)) l else (s, n * d) :: grow n g l
  end.
Definition downcast_leaves (l : modes) (n : N) : option modes :=
  if n =? 0 then None else if n =? 1 then Some l
  else if (1 <? movers l)%nat || negb (existsb (fun m => grows l (fst m) (snd m)) l) then None
    else Some (grow n (grows l) l).

Lemma scaled_values n l i : value_in (map (fun m : N * N => (fst m, n * snd m)) l) i = n * value_in l i.
Proof. revert i. induction l as [|[s d] l IH]; intros i; simpl; [lia|]. rewrite IH. lia. Qed.
Lemma scaled_numel n l : numel (map (fun m : N * N => (fst m, n * snd m)) l) = numel l.
Proof. induction l as [|[s d] l IH]; simpl; congruence. Qed.

Lemma in_image_cons s d l v : 0 < s -> In v (image ((s, d) :: l)) <-> exists y c, In y (image l) /\ c < s /\
  v = c * d + y.
Proof.
  intros Hs. rewrite image_cons, in_flat_map by easy. split.
  - intros (y & Hy & I). apply in_map_iff in I as (c & <- & Hc). rewrite in_iota in Hc. exists y, c. auto.
  - intros (y & c & Hy & Hc & ->). exists y. split; [easy|]. apply in_map_iff. exists c. now rewrite in_iota.
Qed.

Lemma grow_values n g l v : 0 < n -> positive l = true -> (forall s d, g s d = true -> d = 1) ->
  existsb (fun m => g (fst m) (snd m)) l = true -> In v (image (grow n g l)) <-> exists a j, In a (image l) /\ j < n /\
  v = n * a + j.
Proof.
  intros Hn P G. revert v. induction l as [|[s d] l IH]; intros v X; [discriminate|].
  apply positive_cons in P as [Hs P]. simpl in X. cbn [grow].
  destruct (g s d) eqn:Gs.
  - rewrite (G s d Gs), in_image_cons by nia. setoid_rewrite in_image_cons; [|easy]. split.
    + intros (y & c & Hy & Hc & ->). apply in_image in Hy as (i & Hi & ->). rewrite scaled_numel in Hi.
      rewrite scaled_values. exists (c / n + value_in l i), (c mod n). repeat split.
      * exists (value_in l i), (c / n). repeat split; [apply in_image; eauto|apply div_below; lia|simpl; lia].
      * apply N.mod_lt. lia.
      * pose proof (split_index n c Hn) as [E _]. simpl. lia.
    + intros (a & j & (y & c & Hy & Hc & ->) & Hj & ->). apply in_image in Hy as (i & Hi & ->).
      exists (n * value_in l i), (j + n * c).
      repeat split; [apply in_image; exists i; now rewrite scaled_numel, scaled_values| |simpl; lia].
      rewrite (N.mul_comm s). now apply digits_below.
  - simpl in X. rewrite in_image_cons by easy. setoid_rewrite in_image_cons; [|easy]. split.
    + intros (y & c & Hy & Hc & ->). apply IH in Hy as (a & j & Ha & Hj & ->); [|easy|easy]. exists (c * d + a), j.
      repeat split; [|easy|simpl; lia].
      exists a, c. auto.
    + intros (a & j & (y & c & Hy & Hc & ->) & Hj & ->). exists (n * y + j), c.
      repeat split; [apply IH; eauto|easy|simpl; lia].
Qed.

(* downcast(A, n) takes the values n a, ..., n a + n-1 for each value a of A. *)
Lemma leaves_elements l n r v : positive l = true -> downcast_leaves l n = Some r ->
  In v (image r) <-> exists a j, In a (image l) /\ j < n /\ v = n * a + j.
Proof.
  intros P. unfold downcast_leaves. destruct (N.eqb_spec n 0); [discriminate|]. destruct (N.eqb_spec n 1) as [->|].
  - intros E. injection E as <-. split; [intros I; exists v, 0; repeat split; try easy; lia|].
    intros (a & j & I & Hj & ->). replace (1 * a + j) with a by lia. exact I.
  - destruct (_ || _) eqn:O; [discriminate|]. intros E. injection E as <-. apply orb_false_iff in O as [_ O].
    apply negb_false_iff in O.
    apply grow_values; [lia|easy| |easy]. intros s d Gs. unfold grows in Gs. apply andb_true_iff in Gs as [Gs _].
    now apply N.eqb_eq.
Qed.

(* For n above 1 it is undefined unless exactly one leaf of stride 1 can grow. *)
Lemma leaves_downcast_exists l n : 1 < n -> (exists r, downcast_leaves l n = Some r) <->
  (movers l <= 1)%nat /\ existsb (fun m => grows l (fst m) (snd m)) l = true.
Proof.
  intros Hn. unfold downcast_leaves. destruct (N.eqb_spec n 0); [lia|]. destruct (N.eqb_spec n 1); [lia|].
  destruct (Nat.ltb_spec 1 (movers l)) as [L|L]; cbn [orb].
  - split; [intros [r E]; discriminate|lia].
  - destruct (existsb _ l); cbn [negb]; split; intros K; try discriminate; try (now destruct K); eauto.
Qed.

Lemma swallowed_multiple n s d : 0 < n -> swallowed n s (n * d) = Some 1 /\ ceil (n * d) n = d.
Proof.
  intros Hn. split; [|now apply ceil_exact]. unfold swallowed.
  assert (n * d mod n =? 0 = true) as -> by (rewrite N.mul_comm, N.mod_mul by lia; reflexivity). now rewrite orb_true_r.
Qed.
Lemma swallowed_grown n s : 1 < n -> 0 < s -> swallowed n (s * n) 1 = Some n.
Proof.
  intros Hn Hs. unfold swallowed. assert (s * n =? 1 = false) as -> by (apply N.eqb_neq; nia).
  assert (1 mod n =? 0 = false) as -> by (rewrite N.mod_small by easy; reflexivity). rewrite N.mod_1_r, N.div_1_r.
  simpl.
  rewrite N.min_r by nia. rewrite N.mod_mul by lia. reflexivity.
Qed.
Lemma widened_back n l : 0 < n -> positive l = true ->
  exists ks, each_swallowed n (map (fun m => (fst m, n * snd m)) l) = Some ks /\
  widened n (map (fun m => (fst m, n * snd m)) l) ks = l /\ inside_one (map (fun m => (fst m, n * snd m)) l) ks = 0.
Proof.
  intros Hn. induction l as [|[s d] l IH]; intros P; [exists []; easy|]. apply positive_cons in P as [Hs P].
  destruct (IH P) as (ks & E & W & I). destruct (swallowed_multiple n s d Hn) as [K C]. exists (1 :: ks). simpl.
  rewrite K. cbn [bind]. rewrite E. cbn [bind]. rewrite W, I, C, N.div_1_r. repeat split; try lia.
Qed.

(* upcast undoes downcast, leaf by leaf. *)
Lemma leaves_back l n r : positive l = true -> 1 < n -> downcast_leaves l n = Some r -> upcast_leaves r n = Some l.
Proof.
  intros P Hn. unfold downcast_leaves. destruct (N.eqb_spec n 0); [lia|]. destruct (N.eqb_spec n 1); [lia|].
  destruct (_ || _) eqn:O; [discriminate|]. intros E. injection E as <-. apply orb_false_iff in O as [_ O].
  apply negb_false_iff in O.
  enough (exists ks, each_swallowed n (grow n (grows l) l) = Some ks /\ widened n (grow n (grows l) l) ks = l /\
    inside_one (grow n (grows l) l) ks = n - 1) as (ks & E & W & I).
  { unfold upcast_leaves. destruct (N.eqb_spec n 0);
      [lia|]. rewrite E. cbn [bind]. rewrite W, I. destruct (N.ltb_spec (n - 1) n); [easy|lia]. }
  assert (G : forall s d, grows l s d = true -> d = 1) by (intros s d Gs; apply andb_true_iff in Gs as [Gs _];
    now apply N.eqb_eq).
  revert O G P. generalize (grows l) as g. intros g. induction l as [|[s d] l IH]; intros O G P; [discriminate|].
  apply positive_cons in P as [Hs P]. simpl in O. cbn [grow]. destruct (g s d) eqn:Gs.
  - rewrite (G s d Gs) in *. destruct (widened_back n l ltac:(lia) P) as (ks & E & W & I). exists (n :: ks). simpl.
    rewrite swallowed_grown by easy. cbn [bind]. rewrite E. cbn [bind]. rewrite W, I, N.div_mul, ceil_fits by lia.
    repeat split; try lia.
  - simpl in O. destruct (IH O G P) as (ks & E & W & I). destruct (swallowed_multiple n s d ltac:(lia)) as [K C].
    exists (1 :: ks). simpl.
    rewrite K. cbn [bind]. rewrite E. cbn [bind]. rewrite W, I, C, N.div_1_r. repeat split; try lia.
Qed.

(* From elements of b bits to elements of b' bits: b' / b in lowest terms. *)
Definition recast_leaves (l : modes) (b b' : N) : option modes :=
  if (b =? 0) || (b' =? 0) then None else
    let g := N.gcd b b' in let up := b' / g in let down := b / g in
    if up =? 1 then downcast_leaves l down else if down =? 1 then upcast_leaves l up else r <- upcast_leaves l up;
      downcast_leaves r down.

(* To elements n times as wide it is upcast by n, to elements n times as narrow downcast by n. *)
Lemma recast_leaves_ratio l b n : 0 < b -> 1 < n -> recast_leaves l b (b * n) = upcast_leaves l n /\
  recast_leaves l (b * n) b = downcast_leaves l n.
Proof.
  intros Hb Hn. unfold recast_leaves. assert (b =? 0 = false) as -> by (apply N.eqb_neq; lia).
  assert (b * n =? 0 = false) as -> by (apply N.eqb_neq; nia).
  assert (N.gcd b (b * n) = b) as E by (apply N.divide_gcd_iff; [lia|apply N.divide_factor_l]).
  rewrite (N.gcd_comm (b * n)), E, N.div_same, div_mul_cancel by lia. simpl.
  assert (n =? 1 = false) as -> by (apply N.eqb_neq; lia). split; reflexivity.
Qed.

(* For widths in the ratio of coprime m and n it is upcast by n and then downcast by m. *)
Lemma recast_leaves_mixed l b m n : 0 < b -> 1 < m -> 1 < n -> N.gcd m n = 1 ->
  recast_leaves l (b * m) (b * n) = (r <- upcast_leaves l n; downcast_leaves r m).
Proof.
  intros Hb Hm Hn C. unfold recast_leaves. assert (b * m =? 0 = false) as -> by (apply N.eqb_neq; nia).
  assert (b * n =? 0 = false) as -> by (apply N.eqb_neq; nia).
  rewrite N.gcd_mul_mono_l, C, N.mul_1_r, !div_mul_cancel by lia. simpl.
  assert (n =? 1 = false) as -> by (apply N.eqb_neq; lia). assert (m =? 1 = false) as -> by (apply N.eqb_neq; lia).
  reflexivity.
Qed.

(* There and back is the same layout, to narrower elements and back. *)
Lemma recast_leaves_round_trip l b n r : positive l = true -> 0 < b -> 1 < n ->
  recast_leaves l (b * n) b = Some r -> recast_leaves r b (b * n) = Some l.
Proof.
  intros P Hb Hn. destruct (recast_leaves_ratio l b n Hb Hn) as [_ ->].
  destruct (recast_leaves_ratio r b n Hb Hn) as [-> _].
  now apply leaves_back.
Qed.

(* ---- Layouts: the parentheses stay. ---- *)

(* A with the leaves of a list in place of its own; what is left of the list. *)
Fixpoint relabel (A : layout N) (l : modes) : layout N * modes :=
  match A with
  | Leaf s d => (Leaf (fst (hd (s, d) l)) (snd (hd (s, d) l)), tl l)
  | Node ms =>
      let '(r, q) := (fix go ms l := match ms with
        | [] => ([], l)
        | m :: ms => let '(x, k) := relabel m l in let '(r, q) := go ms k in (x :: r, q)
        end) ms l in (Node r, q)
  end.
Lemma relabel_spec A k q : length k = length (leaves A) ->
  leaves (fst (relabel A (k ++ q))) = k /\ snd (relabel A (k ++ q)) = q /\
  profile (shape (fst (relabel A (k ++ q)))) = profile (shape A).
Proof.
  revert k q. induction A as [s d|ms IH] using layout_induction; intros k q L.
  - destruct k as [|[t e] [|? ?]]; try discriminate. easy.
  - cbn [relabel]. enough (exists r, (fix go ms l := match ms with
        | [] => ([], l)
        | m :: ms => let '(x, k) := relabel m l in let '(r, q) := go ms k in (x :: r, q)
        end) ms (k ++ q) = (r, q) /\ flat_map leaves r = k /\ map profile (map shape r) = map profile (map shape ms))
      as (r & -> & E & P) by (cbn [fst snd leaves shape profile]; now rewrite P).
    revert k q L. induction IH as [|m ms Hm _ IH]; intros k q L.
    + destruct k; [|discriminate]. now exists [].
    + cbn [leaves flat_map] in L. rewrite app_length in L. set (n := length (leaves m)) in *.
      rewrite <- (firstn_skipn n k), <- app_assoc. destruct (Hm (firstn n k) (skipn n k ++ q)) as (E1 & E2 & E3).
      { rewrite firstn_length. lia. }
      destruct (relabel m (firstn n k ++ skipn n k ++ q)) as [x y] eqn:R. cbn [fst snd] in *. subst y.
      destruct (IH (skipn n k) q) as (r & Er & F & P); [rewrite skipn_length; cbn [leaves]; lia|].
      rewrite Er. exists (x :: r). split; [easy|]. cbn [flat_map map]. now rewrite E1, F, E3, P.
Qed.
Lemma profile_length s t : profile s = profile t -> length (extents s) = length (extents t).
Proof. rewrite <- congruent_definition. apply congruent_length. Qed.
Lemma layout_unique (A B : layout N) : profile (shape A) = profile (shape B) -> leaves A = leaves B -> A = B.
Proof.
  revert B. induction A as [s d|ms IH] using layout_induction; intros [t e|ns] P L; try discriminate.
  - now injection L as -> ->.
  - f_equal. cbn [shape profile leaves] in *. injection P as P. revert ns P L.
    induction IH as [|m ms Hm _ IH]; intros [|n ns] P L; try discriminate; [easy|]. injection P as P Ps.
    cbn [flat_map] in L. apply app_inj_length in L as [L1 L2].
    + f_equal; [now apply Hm|now apply IH].
    + rewrite <- !(map_length fst (leaves _)), <- !extents_shape. now apply profile_length.
Qed.

(* f of the leaves, in the parentheses of A. *)
Definition leafwise (f : modes -> option modes) (A : layout N) : option (layout N) :=
  option_map (fun l => fst (relabel A l)) (f (leaves A)).
Definition keeps_length (f : modes -> option modes) : Prop := forall l r, f l = Some r -> length r = length l.
Lemma leafwise_spec f A R : keeps_length f ->
  leafwise f A = Some R <-> f (leaves A) = Some (leaves R) /\ profile (shape R) = profile (shape A).
Proof.
  intros K. unfold leafwise. split.
  - destruct (f (leaves A)) as [l|] eqn:E; [|discriminate]. cbn [option_map]. intros G. injection G as <-.
    destruct (relabel_spec A l [] (K _ _ E)) as (L & _ & P). rewrite app_nil_r in *. now rewrite L.
  - intros [E P]. rewrite E. cbn [option_map]. f_equal. destruct (relabel_spec A (leaves R) [] (K _ _ E)) as (L & _ &
    Q).
    rewrite app_nil_r in *. apply layout_unique; congruence.
Qed.
Lemma leafwise_defined f A : (exists R, leafwise f A = Some R) <-> exists r, f (leaves A) = Some r.
Proof.
  unfold leafwise. destruct (f (leaves A)) as [l|]; cbn [option_map]; split; intros [R E]; try discriminate; eauto.
Qed.
Lemma leafwise_then f g A : keeps_length f -> keeps_length g ->
  leafwise (fun l => r <- f l; g r) A = (R <- leafwise f A; leafwise g R).
Proof.
  intros F G. assert (K : keeps_length (fun l => r <- f l; g r)).
  { intros l r E. destruct (f l) as [k|] eqn:Ef; [|discriminate]. cbn [bind] in E. apply G in E. apply F in Ef.
    congruence. }
  destruct (leafwise f A) as [R|] eqn:E; cbn [bind].
  - apply leafwise_spec in E as [E P]; [|easy]. destruct (leafwise g R) as [Q|] eqn:EQ.
    + apply leafwise_spec in EQ as [EQ PQ]; [|easy]. apply leafwise_spec; [easy|]. rewrite E. cbn [bind]. split;
      congruence.
    + unfold leafwise in *. rewrite E. cbn [bind]. now destruct (g (leaves R)).
  - unfold leafwise in *. now destruct (f (leaves A)).
Qed.

Lemma swallowed_length n l ks : each_swallowed n l = Some ks -> length (widened n l ks) = length l.
Proof.
  revert ks. induction l as [|[s d] l IH]; intros ks E; [easy|]. cbn [each_swallowed] in E.
  destruct (swallowed n s d); [|discriminate]. cbn [bind] in E. destruct (each_swallowed n l); [|discriminate].
  injection E as <-. cbn. now rewrite IH.
Qed.
Lemma upcast_length n : keeps_length (fun l => upcast_leaves l n).
Proof.
  intros l r. unfold upcast_leaves. destruct (n =? 0); [discriminate|].
  destruct (each_swallowed n l) as [ks|] eqn:E; [|discriminate]. cbn [bind]. destruct (_ <? _); [|discriminate].
  intros G. injection G as <-. now apply swallowed_length.
Qed.
Lemma downcast_length n : keeps_length (fun l => downcast_leaves l n).
Proof.
  intros l r. unfold downcast_leaves. destruct (n =? 0); [discriminate|]. destruct (n =? 1); [now intros E; injection
    E as <-|].
  destruct (_ || _); [discriminate|]. intros E. injection E as <-. generalize (grows l) as g. intros g.
  induction l as [|[s d] l IH]; [easy|]. cbn [grow]. destruct (g s d); cbn; [now rewrite map_length|now rewrite IH].
Qed.
Lemma recast_length b b' : keeps_length (fun l => recast_leaves l b b').
Proof.
  intros l r. unfold recast_leaves. destruct (_ || _); [discriminate|]. destruct (_ =? 1); [apply downcast_length|].
  destruct (_ =? 1); [apply upcast_length|]. destruct (upcast_leaves l _) as [k|] eqn:E; [|discriminate].
  cbn [bind]. intros G. apply downcast_length in G. apply upcast_length in E. congruence.
Qed.

Definition upcast (A : layout N) (n : N) : option (layout N) := leafwise (fun l => upcast_leaves l n) A.
Definition downcast (A : layout N) (n : N) : option (layout N) := leafwise (fun l => downcast_leaves l n) A.
Definition recast_layout (A : layout N) (b b' : N) : option (layout N) := leafwise (fun l => recast_leaves l b b') A.

(* By 1 both leave a layout as it is. *)
Lemma upcast_one A : upcast A 1 = Some A.
Proof.
  apply (leafwise_spec _ _ _ (upcast_length 1)). split; [|easy]. unfold upcast_leaves. cbn [N.eqb].
  assert (E : each_swallowed 1 (leaves A) = Some (map (fun _ => 1) (leaves A)) /\
    inside_one (leaves A) (map (fun _ => 1) (leaves A)) = 0 /\
    widened 1 (leaves A) (map (fun _ => 1) (leaves A)) = leaves A).
  { induction (leaves A) as [|[s d] l (E & I & W)]; [easy|]. cbn [each_swallowed inside_one widened map].
    unfold swallowed. rewrite N.mod_1_r, orb_true_r, E, I, W, N.div_1_r. cbn [bind]. split; [easy|]. split; [lia|].
    f_equal. f_equal. unfold ceil. rewrite N.div_1_r. lia. }
  destruct E as (-> & I & W). cbn [bind]. now rewrite I, W.
Qed.
Lemma downcast_one A : downcast A 1 = Some A.
Proof. now apply (leafwise_spec _ _ _ (downcast_length 1)). Qed.

(* upcast(A, n)(c div k) = floor(A(c) / n), k steps of each leaf sharing one wide element. *)
Theorem upcast_blocks A n R c : upcast A n = Some R -> fits c (leaves A) = true -> exists ks,
  each_swallowed n (leaves A) = Some ks /\ leaves R = widened n (leaves A) ks /\
  dot (divided c ks) (leaves R) = dot c (leaves A) / n.
Proof. intros E. apply (leafwise_spec _ _ _ (upcast_length n)) in E as [E _]. now apply leaves_blocks. Qed.

Lemma upcast_defined A n : (exists R, upcast A n = Some R) <-> n <> 0 /\ exists ks,
  each_swallowed n (leaves A) = Some ks /\ inside_one (leaves A) ks < n.
Proof. unfold upcast. rewrite leafwise_defined. apply leaves_upcast_exists. Qed.

(* downcast(A, n) takes the values n a, ..., n a + n-1 for each value a of A. *)
Theorem downcast_elements A n R v : shaped A = true -> downcast A n = Some R ->
  In v (image (leaves R)) <-> exists a j, In a (image (leaves A)) /\ j < n /\ v = n * a + j.
Proof. intros S E. apply (leafwise_spec _ _ _ (downcast_length n)) in E as [E _]. now apply leaves_elements. Qed.

Lemma downcast_defined A n : 1 < n -> (exists R, downcast A n = Some R) <->
  (movers (leaves A) <= 1)%nat /\ existsb (fun m => grows (leaves A) (fst m) (snd m)) (leaves A) = true.
Proof. intros Hn. unfold downcast. rewrite leafwise_defined. now apply leaves_downcast_exists. Qed.

(* upcast undoes downcast, leaf by leaf. *)
Theorem downcast_upcast A n R : shaped A = true -> 0 < n -> downcast A n = Some R -> upcast R n = Some A.
Proof.
  intros S Hn E. destruct (N.eq_dec n 1) as [->|]; [rewrite downcast_one in E; injection E as <-; apply upcast_one|].
  apply (leafwise_spec _ _ _ (downcast_length n)) in E as [E P]. apply (leafwise_spec _ _ _ (upcast_length n)).
  split; [apply leaves_back; [easy|lia|easy]|easy].
Qed.

(* To elements n times as wide it is upcast by n, to elements n times as narrow downcast by n. *)
Theorem recast_layout_ratio A b n : 0 < b -> 0 < n -> recast_layout A b (b * n) = upcast A n /\
  recast_layout A (b * n) b = downcast A n.
Proof.
  intros Hb P. destruct (N.eq_dec n 1) as [->|].
  { rewrite N.mul_1_r, upcast_one, downcast_one. enough (recast_layout A b b = Some A) by easy.
    apply (leafwise_spec _ _ _ (recast_length b b)). split; [|easy]. unfold recast_leaves.
    assert (b =? 0 = false) as -> by (apply N.eqb_neq; lia). now rewrite N.gcd_diag, N.div_same by lia. }
  assert (Hn : 1 < n) by lia. unfold recast_layout, upcast, downcast, leafwise.
  destruct (recast_leaves_ratio (leaves A) b n Hb Hn) as [-> ->]. easy.
Qed.

(* For widths in the ratio of coprime m and n it is upcast by n and then downcast by m. *)
Theorem recast_layout_mixed A b m n : 0 < b -> 1 < m -> 1 < n -> N.gcd m n = 1 ->
  recast_layout A (b * m) (b * n) = (R <- upcast A n; downcast R m).
Proof.
  intros Hb Hm Hn G. unfold upcast, downcast. rewrite <- leafwise_then by (apply upcast_length || apply
    downcast_length).
  unfold recast_layout, leafwise. now rewrite recast_leaves_mixed.
Qed.

(* Other widths: those over their greatest common divisor. *)
Lemma recast_layout_reduced A b m n : 0 < b -> 0 < m -> 0 < n ->
  recast_layout A (b * m) (b * n) = (R <- upcast A (n / N.gcd m n); downcast R (m / N.gcd m n)).
Proof.
  intros Hb Hm Hn. set (g := N.gcd m n).
  assert (Hg : 0 < g) by (apply N.neq_0_lt_0; intros E; apply N.gcd_eq_0 in E; lia).
  destruct (N.gcd_divide_l m n) as [u Eu], (N.gcd_divide_r m n) as [v Ev]. fold g in Eu, Ev.
  assert (C : N.gcd u v = 1).
  { apply (N.mul_cancel_r _ _ g); [lia|]. rewrite <- N.gcd_mul_mono_r, <- Eu, <- Ev. unfold g. lia. }
  rewrite Eu, Ev, !N.div_mul by lia.
  replace (b * (u * g)) with (b * g * u) by lia. replace (b * (v * g)) with (b * g * v) by lia.
  assert (0 < u) by nia. assert (0 < v) by nia. assert (0 < b * g) by nia.
  destruct (N.eq_dec u 1) as [->|]; [|destruct (N.eq_dec v 1) as [->|]].
  - rewrite N.mul_1_r, (proj1 (recast_layout_ratio A (b * g) v ltac:(lia) ltac:(lia))).
    destruct (upcast A v) as [R|]; [|easy]. cbn [bind]. now rewrite downcast_one.
  - rewrite N.mul_1_r, (proj2 (recast_layout_ratio A (b * g) u ltac:(lia) ltac:(lia))). now rewrite upcast_one.
  - apply recast_layout_mixed; lia.
Qed.

(* It is defined exactly when the two steps are. *)
Theorem recast_layout_exists A b m n : 0 < b -> 0 < m -> 0 < n ->
  (exists R, recast_layout A (b * m) (b * n) = Some R) <->
  exists W R, upcast A (n / N.gcd m n) = Some W /\ downcast W (m / N.gcd m n) = Some R.
Proof.
  intros Hb Hm Hn. rewrite recast_layout_reduced by easy. destruct (upcast A _) as [W|]; cbn [bind].
  - split; [intros [R E]; eauto|intros (X & R & [= <-] & E); eauto].
  - split; [intros [R E]; discriminate|intros (X & R & E & _); discriminate].
Qed.

(* There and back is the same layout, to narrower elements and back. *)
Theorem recast_layout_round_trip A b n R : shaped A = true -> 0 < b -> 0 < n ->
  recast_layout A (b * n) b = Some R -> recast_layout R b (b * n) = Some A.
Proof.
  intros S Hb Hn. destruct (recast_layout_ratio A b n Hb Hn) as [_ ->].
  destruct (recast_layout_ratio R b n Hb Hn) as [-> _]. now apply downcast_upcast.
Qed.

(* A composed layout is upcast part by part; its offset must be a multiple of n = 2^j. *)
Definition upcast_whole (c : composed) (j : N) : option composed :=
  A <- upcast (inner c) (2 ^ j);
  if offset c mod 2 ^ j =? 0 then v <- upcast_swizzle_by (outer c) j; Some (Composed v (offset c / 2 ^ j) A) else None.

Definition at_value (c : composed) (v : N) : N := swizzled (outer c) (offset c + v).
Definition upcast_parts (c : composed) (j : N) (r : composed) : Prop := upcast_swizzle_by (outer c) j = Some (outer r)
  /\
  upcast (inner c) (2 ^ j) = Some (inner r) /\ offset c = 2 ^ j * offset r.

(* upcast(Sw o m o A, n) is upcast(Sw, n) o m/n o upcast(A, n): k steps of each leaf share one wide element. *)
Theorem upcast_composed c j r x : upcast_whole c j = Some r -> fits x (leaves (inner c)) = true -> upcast_parts c j r /\
  exists ks, at_value r (dot (divided x ks) (leaves (inner r))) = at_value c (dot x (leaves (inner c))) / 2 ^ j.
Proof.
  unfold upcast_whole. destruct (upcast (inner c) (2 ^ j)) as [A|] eqn:EA; [|discriminate]. cbn [bind].
  assert (P : 2 ^ j <> 0) by (apply N.pow_nonzero; lia).
  destruct (N.eqb_spec (offset c mod 2 ^ j) 0) as [Z|]; [|discriminate].
  destruct (upcast_swizzle_by (outer c) j) as [v|] eqn:E; [|discriminate]. cbn [bind]. intros K F. injection K as <-.
  destruct (upcast_blocks _ _ _ x EA F) as (ks & _ & _ & V). unfold upcast_parts, at_value. cbn [outer inner offset].
  apply mod_0_divides in Z; [|lia]. destruct Z as [q ->]. rewrite N.div_mul by easy.
  split; [split; [easy|]; split; [easy|apply N.mul_comm]|]. exists ks. rewrite <- (upcast_swizzle _ _ _ _ E). f_equal.
    rewrite V.
  now rewrite (N.add_comm (q * _)), N.div_add, N.add_comm by easy.
Qed.
