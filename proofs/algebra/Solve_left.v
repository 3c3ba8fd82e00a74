(* solve_composition_left: the smallest layout X with X o A = B, of all that are as large as A's values ask. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Common Product.
Local Open Scope N_scope.

(* All lists of extents above 1 that reach n elements, the last as far as it must. *)
Fixpoint extents_reaching (fuel : nat) (n : N) : list (list N) :=
  match fuel with
  | O => [[]]
  | S fuel => if n <=? 1 then [[]] else flat_map (fun s =>
      if 1 <? s then map (cons s) (extents_reaching fuel (ceil n s)) else []) (iota (n + 1))
  end.
(* All lists of leaves of these extents with strides up to m. *)
Fixpoint with_strides (es : list N) (m : N) : list modes :=
  match es with
  | [] => [[]]
  | s :: es => flat_map (fun d => map (cons (s, d)) (with_strides es m)) (iota (m + 1))
  end.
Definition lists_reaching (n m : N) : list modes :=
  flat_map (fun es => with_strides es m) (extents_reaching (N.to_nat n) n).
Definition layouts_reaching (n m : N) : list (layout N) :=
  map unwrapped (List.filter merged (lists_reaching n m)).

(* Whether X o A is B. *)
Definition answers_left (A B X : layout N) : bool := (size A =? size B) &&
  match composition X A with
  | Some R => forallb (fun i => apply R i =? apply B i) (iota (size B))
  | None => false
  end.
(* The smallest, compared below cosize(A). *)
Definition solve_composition_left (A B : layout N) : option (layout N) :=
  least (fun X Y => not_after (key (cosize A) X) (key (cosize A) Y))
    (List.filter (answers_left A B) (layouts_reaching (cosize A) (cosize B))).

Definition solves_left (A B X : layout N) : Prop := size A = size B /\
  exists R, composition X A = Some R /\ forall i, i < size B -> apply R i = apply B i.
Lemma answers_left_spec A B X : answers_left A B X = true <-> solves_left A B X.
Proof.
  unfold answers_left, solves_left. rewrite andb_true_iff, N.eqb_eq. destruct (composition X A) as [R|].
  - rewrite forallb_iota. setoid_rewrite N.eqb_eq. split.
    + intros [Z V]. split; [easy|]. exists R. auto.
    + intros (Z & Q & E & V). injection E as <-. auto.
  - split; [intros [_ E]; discriminate|intros (_ & Q & E & _); discriminate].
Qed.

(* ---- As far as n elements. ---- *)

Lemma ceil_step n s k : 0 < s -> k < ceil n s -> s * k < n.
Proof. intros Hs L. apply N.nle_gt. intros H. apply N.lt_nge in L. apply L, ceil_least; lia. Qed.
Lemma ceil_smaller n s : 1 < s -> s < n -> ceil n s < n.
Proof. intros Hs L. assert (ceil n s <= n - 1); [apply ceil_least; nia|lia]. Qed.

Section Reaching.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).
Notation modes := (list (N * D)).

Fixpoint trim (n : N) (l : modes) : modes :=
  match l with
  | [] => []
  | (s, d) :: l => if n <=? 1 then [] else if n <=? s then [(n, d)] else (s, d) :: trim (ceil n s) l
  end.
Lemma trim_spec n l : 0 < n -> positive l = true -> n <= numel l -> positive (trim n l) = true /\
  n <= numel (trim n l) /\ (forall i, i < n -> value_in (trim n l) i = value_in l i) /\
  (length (trim n l) <= length l)%nat /\ (merged l = true -> merged (trim n l) = true) /\
  forall s d, In (s, d) (trim n l) -> exists t, In (t, d) l.
Proof.
  revert n. induction l as [|[s d] l IH]; intros n Hn P L; cbn [trim].
  { now repeat split. }
  apply positive_cons in P as [Hs P]. cbn [numel] in L. destruct (N.leb_spec n 1) as [One|One].
  { repeat split; try easy. 2: cbn; lia. intros i Hi. replace i with 0 by lia.
    symmetry. apply (value_in_0 ((s, d) :: l)). now apply positive_cons. }
  destruct (N.leb_spec n s) as [Ls|Ls].
  - repeat split.
    + apply positive_cons. now split.
    + cbn. lia.
    + intros i Hi. cbn [value_in]. rewrite !N.mod_small, !N.div_small by lia. now rewrite value_in_0.
    + cbn. lia.
    + intros _. cbn. rewrite andb_true_r. apply andb_true_iff. split; [now apply N.ltb_lt|easy].
    + intros t e [I|[]]. injection I as <- <-. exists s. now left.
  - assert (Lc : ceil n s <= numel l) by (apply ceil_least; lia).
    destruct (IH (ceil n s) (ceil_positive n s Hn Hs) P Lc) as (P' & N' & V & Ln & M & I).
    assert (C : n <= ceil n s * s) by now apply ceil_least.
    repeat split.
    + now apply positive_cons.
    + cbn [numel]. nia.
    + intros i Hi. cbn [value_in]. f_equal. apply V. destruct (split_index s i Hs) as [E R].
      apply N.div_lt_upper_bound; lia.
    + cbn. lia.
    + intros Q. apply merged_cons in Q as (H1 & Q & H2). cbn [merged].
      rewrite (M Q), andb_true_r, (proj2 (N.ltb_lt 1 s) H1).
      destruct l as [|[t e] l]; [easy|]. cbn [trim]. destruct (ceil n s <=? 1); [easy|].
      specialize (H2 t e l eq_refl). destruct (ceil n s <=? t); apply negb_true_iff, not_true_iff_false;
        intros K; now apply same_true in K.
    + intros t e [J|J]; [injection J as <- <-; exists s; now left|]. destruct (I t e J) as [u U]. exists u. now right.
Qed.
Lemma trim_extents fuel n (l : modes) : (N.to_nat n <= fuel)%nat -> 0 < n -> merged l = true -> n <= numel l ->
  In (map fst (trim n l)) (extents_reaching fuel n).
Proof.
  revert fuel n. induction l as [|[s d] l IH]; intros fuel n F Hn M L; cbn [trim].
  - cbn in L. destruct fuel as [|fuel]; [now left|]. cbn [extents_reaching].
    rewrite (proj2 (N.leb_le n 1)) by lia. now left.
  - destruct (merged_cons _ _ _ M) as (Hs & M' & _). cbn [numel] in L. destruct fuel as [|fuel]; [lia|].
    cbn [extents_reaching]. destruct (N.leb_spec n 1) as [One|One]; [now left|].
    assert (K : forall t k, 1 < t -> t <= n -> In k (extents_reaching fuel (ceil n t)) -> In (t :: k) (flat_map
      (fun s => if 1 <? s then map (cons s) (extents_reaching fuel (ceil n s)) else []) (iota (n + 1)))).
    { intros t k Ht Lt I. apply in_flat_map. exists t. split; [apply in_iota; lia|]. rewrite (proj2 (N.ltb_lt 1 t) Ht).
      now apply in_map. }
    destruct (N.leb_spec n s) as [Ls|Ls]; cbn [map fst].
    + apply K; [lia|lia|]. assert (ceil n n <= 1) by (apply ceil_least; lia).
      destruct fuel as [|fuel]; [now left|]. cbn [extents_reaching]. rewrite (proj2 (N.leb_le _ 1)) by easy. now left.
    + pose proof (ceil_smaller n s Hs Ls). apply K; [easy|lia|].
      apply IH; [lia|apply ceil_positive; lia|easy|apply ceil_least; lia].
Qed.
Lemma reaching_trimmed fuel n (l : modes) : (N.to_nat n <= fuel)%nat -> 0 < n ->
  In (map fst l) (extents_reaching fuel n) -> trim n l = l /\ n <= numel l /\ positive l = true.
Proof.
  revert n l. induction fuel as [|fuel IH]; intros n l F Hn I; [lia|]. cbn [extents_reaching] in I.
  destruct (N.leb_spec n 1) as [One|One].
  { destruct I as [I|[]]. destruct l; [|discriminate]. cbn. split; [easy|]. split; [lia|easy]. }
  apply in_flat_map in I as (s & Is & I). apply in_iota in Is. destruct (N.ltb_spec 1 s) as [Hs|]; [|easy].
  apply in_map_iff in I as (es & E & I). destruct l as [|[t d] k]; [discriminate|]. cbn [map fst] in E.
  injection E as <- ->. assert (C : ceil n s < n \/ s = n).
  { destruct (N.eq_dec s n); [now right|left]. apply ceil_smaller; lia. }
  assert (Hc : 0 < ceil n s) by (apply ceil_positive; lia).
  assert (T : trim (ceil n s) k = k /\ ceil n s <= numel k /\ positive k = true).
  { destruct C as [C| ->]; [apply IH; [lia|easy|easy]|]. rewrite (ceil_fits n n) in * by lia.
    destruct fuel as [|fuel]; [destruct I as [I|[]]; now destruct k|]. apply IH; [lia|easy|easy]. }
  destruct T as (T & L & P). apply ceil_least in L; [|lia]. cbn [trim numel]. rewrite (proj2 (N.leb_gt n 1)) by easy.
  split; [|split; [nia|apply positive_cons; split; [lia|easy]]].
  destruct (N.leb_spec n s) as [Ls|Ls]; [|now rewrite T].
  assert (s = n) as -> by lia. f_equal. destruct k as [|[t e] k]; [easy|]. cbn [trim] in T.
  assert (ceil n n <= 1) as C1 by (apply ceil_least; lia). now rewrite (proj2 (N.leb_le _ 1) C1) in T.
Qed.

(* A list that is the layout as far as n. *)
Lemma leaves_reaching (X : layout) n : shaped X = true -> 0 < n -> exists l, positive l = true /\ n <= numel l /\
  (forall i, i < n -> value_in l i = apply X i) /\ (n <= size X -> l = leaves X).
Proof.
  intros S Hn. destruct (N.le_gt_cases n (size X)) as [L|L].
  { exists (leaves X). rewrite size_product in L. repeat split; [exact S|exact L|].
    intros i Hi. rewrite apply_inside by (rewrite ?size_product; easy || lia). reflexivity. }
  assert (R : forall r d, positive r = true -> positive (r ++ [(n, d)]) = true /\ n <= numel (r ++ [(n, d)]) /\
    forall i, i < n -> value_in (r ++ [(n, d)]) i = value_in r i +: (i / numel r) *: d).
  { intros r d P. pose proof (numel_positive r P). rewrite numel_app. cbn [numel]. split; [|split; [nia|]].
    - rewrite positive_app, P. apply positive_cons. now split.
    - intros i Hi. rewrite value_in_app by easy. cbn [value_in]. rewrite N.mod_small, plus_zero_r; [easy|].
      apply N.le_lt_trans with i; [|easy]. apply N.div_le_upper_bound; nia. }
  pose proof (apply_beyond_domain X) as V. unfold shaped in S. destruct (ends X) eqn:E.
  - pose proof (ends_leaves X E) as Ne. destruct (exists_last Ne) as (r & [s d] & Er). rewrite Er in *.
    rewrite positive_app in S. apply andb_true_iff in S as [P Q]. exists (r ++ [(n, d)]).
    destruct (R r d P) as (A1 & A2 & A3). repeat split; [easy|easy| |lia]. intros i Hi. rewrite A3 by easy.
    rewrite V by (unfold shaped; rewrite Er, positive_app, P; exact Q). now rewrite value_at_app.
  - exists (leaves X ++ [(n, zero)]). destruct (R _ zero S) as (A1 & A2 & A3). repeat split; [easy|easy| |lia].
    intros i Hi. now rewrite A3, V, times_zero, plus_zero_r by easy.
Qed.

End Reaching.

Lemma in_strides es l m : In l (with_strides es m) <-> map fst l = es /\ forall s d, In (s, d) l -> d <= m.
Proof.
  revert l. induction es as [|s es IH]; intros l; cbn [with_strides].
  - split; [intros [<-|[]]; split; [easy|intros s d []]|]. intros [E _]. destruct l; [now left|discriminate].
  - rewrite in_flat_map. split.
    + intros (d & Id & I). apply in_iota in Id. apply in_map_iff in I as (k & <- & I). apply IH in I as [<- B].
      split; [easy|]. intros t e [J|J]; [injection J as _ <-; lia|now apply (B t)].
    + destruct l as [|[t d] l]; intros [E B]; [discriminate|]. cbn in E. injection E as -> <-. exists d.
      split; [apply in_iota; specialize (B s d (or_introl eq_refl)); lia|]. apply in_map, IH. split; [easy|].
      intros t e I. apply (B t). now right.
Qed.

(* Strides beyond m, which no wanted value has, become 0. *)
Definition clip (m : N) (l : modes) : modes := map (fun x => (fst x, if snd x <=? m then snd x else 0)) l.
Lemma clip_spec m l : positive l = true -> numel (clip m l) = numel l /\ positive (clip m l) = true /\
  (forall i, value_in (clip m l) i <= value_in l i) /\
  forall i, value_in l i <= m -> value_in (clip m l) i = value_in l i.
Proof.
  intros P. induction l as [|[s d] l IH]; [repeat split; intros; reflexivity|].
  apply positive_cons in P as [Hs P]. destruct (IH P) as (Z & Q & L & E).
  change (clip m ((s, d) :: l)) with ((s, if d <=? m then d else 0) :: clip m l).
  split; [cbn; congruence|]. split; [now apply positive_cons|].
  assert (V : forall e k i, value_in ((s, e) :: k) i = (i mod s) * e + value_in k (i / s)) by reflexivity.
  split; intros i; rewrite !V; specialize (L (i / s)); specialize (E (i / s)).
  - apply N.add_le_mono; [apply N.mul_le_mono_l; destruct (d <=? m); lia|exact L].
  - generalize dependent (i mod s). intros r K. generalize dependent (value_in l (i / s)).
    generalize (value_in (clip m l) (i / s)). intros u v _ E K. rewrite E by lia. destruct (N.leb_spec d m); [easy|].
    destruct (N.eq_dec r 0) as [->|]; [lia|nia].
Qed.

Lemma merge_onto_stride s (d : N) l t e : In (t, e) (merge_onto s d l) -> e = d \/ exists u, In (u, e) l.
Proof.
  revert s d. induction l as [|[u f] l IH]; intros s d I; cbn [merge_onto] in I.
  - destruct I as [I|[]]. injection I as _ <-. now left.
  - destruct (u =? 1); [|destruct (same _ _)].
    + destruct (IH _ _ I) as [|[v J]]; [now left|]. right. exists v. now right.
    + destruct (IH _ _ I) as [|[v J]]; [now left|]. right. exists v. now right.
    + destruct I as [I|I]; [injection I as _ <-; now left|]. right. destruct (IH _ _ I) as [->|[v J]]; [exists u; now
      left|].
      exists v. now right.
Qed.
Lemma merge_stride l t (e : N) : In (t, e) (merge l) -> exists u, In (u, e) l.
Proof.
  induction l as [|[s d] l IH]; [easy|]. cbn [merge]. destruct (s =? 1).
  - intros I. destruct (IH I) as [u J]. exists u. now right.
  - intros I. apply merge_onto_stride in I as [->|[u J]]; [exists s; now left|]. exists u. now right.
Qed.

(* ---- The smallest of all that answer. ---- *)

Lemma solves_at A B (X Y : layout N) : shaped A = true -> shaped X = true -> shaped Y = true ->
  (forall i, i < size A -> apply Y (apply A i) = apply X (apply A i)) -> solves_left A B X -> solves_left A B Y.
Proof.
  intros SA SX SY V (Z & R & E & W). split; [exact Z|]. apply composition_sound in E; [|exact SA].
  destruct (proj2 (composition_defined Y A SY SA)) as [Q F].
  { exists R. destruct E as (C & SR & E). split; [exact C|]. split; [exact SR|]. intros i Hi. rewrite V by easy. auto. }
  exists Q. split; [exact F|]. intros i Hi. rewrite <- W by easy. rewrite <- Z in Hi.
  rewrite (composition_pointwise _ _ _ i F Hi), V by easy. destruct E as (_ & _ & E). symmetry. now apply E.
Qed.
Lemma below_cosize (A : layout N) i : shaped A = true -> i < size A -> apply A i < cosize A.
Proof.
  intros S Hi. rewrite apply_inside by easy. pose proof (value_bounded (leaves A) i S). unfold cosize. lia.
Qed.
Lemma not_after_pointwise l m : Forall2 N.le l m -> not_after l m = true.
Proof.
  induction 1 as [|x y l m L _ IH]; [easy|]. cbn. rewrite IH, andb_true_r. apply orb_true_iff.
  rewrite N.ltb_lt, N.eqb_eq. lia.
Qed.
Lemma in_reaching n m X : 0 < n -> In X (layouts_reaching n m) -> shaped X = true /\ coalesce X = X /\
  exists l, X = unwrapped l /\ merged l = true.
Proof.
  intros Hn I. apply in_map_iff in I as (l & <- & I). apply filter_In in I as [_ M].
  split; [rewrite shaped_unwrapped; now apply merged_positive|]. split; [|eauto].
  unfold coalesce. rewrite leaves_unwrapped. destruct l as [|x l]; [easy|]. now rewrite merge_of_merged.
Qed.

(* Whatever answers is not smaller than one of those that are tried. *)
Lemma left_candidate A B Y : shaped A = true -> shaped B = true -> shaped Y = true -> solves_left A B Y ->
  exists X, In X (layouts_reaching (cosize A) (cosize B)) /\ solves_left A B X /\
  (cosize A <= size Y -> not_after (key (cosize A) X) (key (cosize A) Y) = true).
Proof.
  intros SA SB SY Sol. set (n := cosize A). set (m := cosize B). assert (Hn : 0 < n) by (unfold n, cosize; lia).
  destruct (leaves_reaching Y n SY Hn) as (l & P & L & V & Whole). destruct (merge_spec l P) as (Z1 & P1 & V1).
  destruct (clip_spec m _ P1) as (Z2 & P2 & Le & Eq). destruct (merge_spec _ P2) as (Z3 & P3 & V3).
  set (k := merge (clip m (merge l))) in *. assert (Lk : n <= numel k) by congruence.
  destruct (trim_spec n k Hn P3 Lk) as (P4 & L4 & V4 & Len & M & In4).
  assert (Mk : merged (trim n k) = true) by (apply M; now apply merge_merged).
  assert (B4 : forall s d, In (s, d) k -> d <= m).
  { intros s d I. destruct (N.le_gt_cases d m) as [|G]; [easy|exfalso].
    apply merge_stride in I as [t I]. apply in_map_iff in I as ([u e] & I & _). injection I as _ <-. cbn in G.
    destruct (N.leb_spec e m); lia. }
  exists (unwrapped (trim n k)). assert (SX : shaped (unwrapped (trim n k)) = true) by now rewrite shaped_unwrapped.
  assert (VX : forall i, i < n -> apply (unwrapped (trim n k)) i = value_in (clip m (merge l)) i).
  { intros i Hi. rewrite apply_unwrapped by (easy || lia). rewrite V4 by easy. apply V3. }
  split; [|split].
  - apply in_map, filter_In. split; [|exact Mk]. apply in_flat_map.
    exists (map fst (trim n k)). split; [now apply trim_extents; [| |apply merge_merged|]|]. apply in_strides.
    split; [easy|]. intros s d I. destruct (In4 s d I) as [t J]. now apply (B4 t).
  - apply (solves_at A B Y); try easy. intros i Hi. pose proof (below_cosize A i SA Hi) as Hv. fold n in Hv.
    rewrite VX by easy. rewrite Eq, V1, V; try easy. rewrite V1, V by easy. destruct Sol as (Z & R & E & W).
    rewrite <- (composition_pointwise _ _ _ i E Hi). rewrite W by lia. apply N.lt_le_incl, below_cosize; [easy|lia].
  - intros LY. specialize (Whole LY). subst l. apply not_after_pointwise. unfold key.
    assert (merge (leaves (unwrapped (trim n k))) = trim n k /\ coalesce (unwrapped (trim n k)) = unwrapped (trim n k))
      as [-> ->].
    { unfold coalesce. rewrite leaves_unwrapped. destruct (trim n k) as [|x t] eqn:T; [easy|].
      now rewrite merge_of_merged. }
    constructor.
    + assert (length k <= length (merge (leaves Y)))%nat; [|lia]. unfold k. etransitivity; [apply merge_length|].
      unfold clip. now rewrite map_length.
    + assert (H : forall i, In i (iota n) -> apply (unwrapped (trim n k)) i <= apply (coalesce Y) i).
      { intros i I. apply in_iota in I. rewrite VX by easy. rewrite (proj2 (coalesce_function Y SY)) by lia.
        rewrite <- V by easy. rewrite <- V1. apply Le. }
      revert H. induction (iota n) as [|i j IH]; intros H; [constructor|]. cbn [map].
      constructor; [apply H; now left|]. apply IH. intros x I. apply H. now right.
Qed.

Lemma solve_left_spec A B : shaped A = true -> shaped B = true ->
  match solve_composition_left A B with
  | None => forall X, shaped X = true -> ~ solves_left A B X
  | Some X => In X (layouts_reaching (cosize A) (cosize B)) /\ solves_left A B X /\ forall Y, shaped Y = true ->
    cosize A <= size Y -> solves_left A B Y -> not_after (key (cosize A) X) (key (cosize A) Y) = true
  end.
Proof.
  intros SA SB. unfold solve_composition_left. set (n := cosize A). set (all := List.filter _ _).
  pose proof (least_spec (fun X Y => not_after (key n X) (key n Y)) all) as L.
  assert (T : forall x y, not_after (key n x) (key n y) = true \/ not_after (key n y) (key n x) = true).
  { intros x y. apply not_after_total. now rewrite !key_length. }
  assert (Tr : forall x y z, not_after (key n x) (key n y) = true -> not_after (key n y) (key n z) = true ->
    not_after (key n x) (key n z) = true).
  { intros x y z. apply not_after_transitive. now rewrite !key_length. }
  specialize (L T Tr). destruct (least _ _) as [X|].
  - destruct L as [I L]. apply filter_In in I as [I G]. split; [exact I|]. split; [now apply answers_left_spec|].
    intros Y SY LY GY. destruct (left_candidate A B Y SA SB SY GY) as (X' & I' & G' & K). apply (Tr X X' Y).
    + apply L, filter_In. split; [exact I'|now apply answers_left_spec].
    + now apply K.
  - intros X SX G. destruct (left_candidate A B X SA SB SX G) as (X' & I' & G' & _).
    assert (In X' all) as J by (apply filter_In; split; [exact I'|now apply answers_left_spec]). now rewrite L in J.
Qed.

(* Where it answers, X(A(i)) = B(i). *)
Theorem solve_composition_left_pointwise A B X i : shaped A = true -> shaped B = true ->
  solve_composition_left A B = Some X -> i < size A -> apply X (apply A i) = apply B i.
Proof.
  intros SA SB E Hi. pose proof (solve_left_spec A B SA SB) as K. rewrite E in K.
  destruct K as (_ & (Z & R & F & V) & _). rewrite <- (composition_pointwise _ _ _ i F Hi). apply V. lia.
Qed.

(* It answers exactly when a layout X of natural strides has X o A = B. *)
Theorem solve_composition_left_exists A B : shaped A = true -> shaped B = true ->
  (exists X, solve_composition_left A B = Some X) <-> exists X, shaped X = true /\ solves_left A B X.
Proof.
  intros SA SB. pose proof (solve_left_spec A B SA SB) as K. destruct (solve_composition_left A B) as [X|].
  - destruct K as (I & G & _). apply in_reaching in I as (S & _); [|unfold cosize; lia]. split; eauto.
  - split; [intros [X E]; discriminate|]. intros (X & S & G). now apply K in G.
Qed.

(* No X that is as large as A's values ask has fewer modes, or as many and a lesser value where two first differ. *)
Theorem solve_composition_left_smallest A B X Y : shaped A = true -> shaped B = true -> shaped Y = true ->
  solve_composition_left A B = Some X -> answers_left A B Y = true -> cosize A <= size Y ->
  not_after (key (cosize A) X) (key (cosize A) Y) = true.
Proof.
  intros SA SB SY E G L. pose proof (solve_left_spec A B SA SB) as K. rewrite E in K. apply K; [easy|easy|].
  now apply answers_left_spec.
Qed.

(* ---- Where A is compact. ---- *)

Lemma trimmed_unique n (x y : modes) : 0 < n -> merged x = true -> merged y = true -> trim n x = x -> trim n y = y ->
  n <= numel x -> n <= numel y -> (forall i, i < n -> value_in x i = value_in y i) -> x = y.
Proof.
  revert n y. induction x as [|[s d] x IH]; intros n y Hn Mx My Tx Ty Lx Ly V.
  - cbn in Lx. destruct y as [|[t e] y]; [easy|]. cbn [trim] in Ty. now rewrite (proj2 (N.leb_le n 1)) in Ty.
  - destruct (N.le_gt_cases n 1) as [One|One]; [cbn [trim] in Tx; now rewrite (proj2 (N.leb_le n 1)) in Tx|].
    destruct y as [|[t e] y]; [cbn in Ly; lia|].
    pose proof (merged_cons _ _ _ Mx) as (Hs & Mx' & Cx). pose proof (merged_cons _ _ _ My) as (Ht & My' & Cy).
    pose proof (merged_positive _ Mx') as Px. pose proof (merged_positive _ My') as Py.
    assert (d = e) as <- by (rewrite <- (first_step s d x), <- (first_step t e y) by easy; now apply V).
    cbn [trim] in Tx, Ty. rewrite (proj2 (N.leb_gt n 1)) in Tx, Ty by easy.
    assert (Step : forall r (z : modes), 1 < r -> positive z = true -> forall i, i < r -> value_in ((r, d) :: z) i = i
      * d).
    { intros r z Hr P i Hi. cbn [value_in]. now rewrite N.mod_small, N.div_small, value_in_0, plus_zero_r by easy. }
    destruct (N.leb_spec n s) as [Ls|Ls], (N.leb_spec n t) as [Lt|Lt].
    + congruence.
    + exfalso. apply (after_first t d y n Ht My' Lt Ly Cy). rewrite <- V by easy. apply Step; [easy|easy|lia].
    + exfalso. apply (after_first s d x n Hs Mx' Ls Lx Cx). rewrite V by easy. apply Step; [easy|easy|lia].
    + injection Tx as Tx. injection Ty as Ty. cbn [numel] in Lx, Ly. destruct (N.lt_trichotomy s t) as [L|[<-|L]].
      * exfalso. apply (after_first s d x n Hs Mx' Ls Lx Cx). rewrite V by easy. now apply Step.
      * f_equal. apply (IH (ceil n s)); try easy.
        -- apply ceil_positive; lia.
        -- apply ceil_least; lia.
        -- apply ceil_least; lia.
        -- intros k Hk. assert (Hk' : s * k < n) by (apply ceil_step; [lia|easy]). specialize (V (s * k) Hk').
           cbn [value_in] in V. replace (s * k) with (0 + s * k) in V by lia.
           rewrite digit_mod, digit_div in V by lia. change plus with N.add in V. lia.
      * exfalso. apply (after_first t d y n Ht My' Lt Ly Cy). rewrite <- V by easy. now apply Step.
Qed.
Lemma trim_whole (l : modes) : merged l = true -> trim (numel l) l = l.
Proof.
  induction l as [|[s d] l IH]; intros M; [easy|]. destruct (merged_cons _ _ _ M) as (Hs & M' & _). cbn [trim numel].
  pose proof (numel_positive l (merged_positive _ M')) as P. destruct (N.leb_spec (s * numel l) 1); [nia|].
  destruct (N.leb_spec (s * numel l) s) as [L|L].
  - destruct l as [|[t e] l]; [cbn; now rewrite N.mul_1_r|]. destruct (merged_cons _ _ _ M') as (Ht & M'' & _).
    cbn [numel] in L. pose proof (numel_positive l (merged_positive _ M'')). assert (2 <= t * numel l) by nia. nia.
  - rewrite ceil_exact by lia. now rewrite IH.
Qed.
Lemma compact_cosize A : shaped A = true -> compact_layout A -> cosize A = size A.
Proof.
  intros S C. pose proof (size_positive A S) as P. apply N.le_antisymm.
  - pose proof (cosize_last A S) as E. pose proof (compact_below A (size A - 1) C S ltac:(lia)). lia.
  - assert (In (size A - 1) (iota (size A))) as I by (apply in_iota; lia).
    apply (Permutation_in _ (Permutation_sym C)) in I. rewrite image_leaves in I by easy.
    apply in_map_iff in I as (i & E & I). apply in_iota in I. pose proof (below_cosize A i S I). lia.
Qed.

(* For compact A, solve_composition_left(A, size(A):1) is left_inverse(A). *)
Theorem solve_composition_left_inverse A : shaped A = true -> compact_layout A ->
  solve_composition_left A (Leaf (size A) 1) = left_inverse A.
Proof.
  intros SA C. destruct (left_inverse_compact A SA C) as (L & E & ZL & _). rewrite E.
  pose proof (compact_cosize A SA C) as Zc. pose proof (size_positive A SA) as P. set (B := Leaf (size A) 1).
  assert (SB : shaped B = true) by (unfold shaped, B; cbn [leaves]; apply positive_cons; split; [exact P|easy]).
  assert (VL : forall i, i < size A -> apply L (apply A i) = i).
  { intros i Hi. apply (closed_left_pointwise A L i SA); [now apply compact_broadcasts|exact E|exact Hi]. }
  assert (exists l, L = unwrapped l /\ merged l = true) as (l & -> & Ml).
  { pose proof E as F. unfold left_inverse, dividing_inverse in F. pose proof (weighted_wide A) as M.
    destruct (weighted_sorted A) as [|[s [d w]] k] eqn:W.
    - injection F as <-. exists []. split; [|easy]. pose proof (compact_size A SA C) as Z. rewrite W in Z. cbn in Z.
      now rewrite <- Z.
    - destruct (nested (sorted_leaves A)) eqn:Nt; [|discriminate].
      destruct (dividing 1 0 ((s, (d, w)) :: k)) as [i|] eqn:D; [|discriminate]. injection F as <-.
      rewrite <- strides_sorted, W in Nt.
      destruct (dividing_back s d w k 1 0 i M ltac:(lia) Nt D) as (j & -> & _ & Pj & _). eexists. split; [reflexivity|].
      apply merge_merged, positive_cons. split; [|easy]. rewrite N.div_1_r. now apply (M s d w), or_introl. }
  rewrite size_unwrapped in ZL.
  assert (G : solves_left A B (unwrapped l)).
  { split; [easy|]. assert (SL : shaped (unwrapped l) = true) by (rewrite shaped_unwrapped; now apply merged_positive).
    destruct (proj2 (composition_defined (unwrapped l) A SL SA)) as [R ER].
    - exists (colex (shape A) 1). pose proof (colex_shape (shape A) 1) as Sh.
      assert (tpositive (shape A) = true) as Tp by now rewrite tpositive_shape. split; [|split].
      + rewrite Sh. apply compatible_reflexive.
      + now rewrite <- tpositive_shape, Sh.
      + intros i Hi. rewrite VL by easy. apply colex_identity; [easy|]. now rewrite tsize_shape.
    - exists R. split; [exact ER|]. intros i Hi. cbn in Hi. rewrite (composition_pointwise _ _ _ i ER Hi), VL by easy.
      cbn. lia. }
  pose proof (solve_left_spec A B SA SB) as K. destruct (solve_composition_left A B) as [X|] eqn:EX.
  2: { exfalso. apply (K (unwrapped l)); [rewrite shaped_unwrapped; now apply merged_positive|exact G]. }
  destruct K as (I & (_ & R & F & V) & _). apply in_map_iff in I as (x & <- & I). apply filter_In in I as [I Mx].
  rewrite Zc in I. apply in_flat_map in I as (es & I & Is).
  apply in_strides in Is as [<- _]. destruct (reaching_trimmed _ _ _ (le_n _) P I) as (Tx & Lx & _). do 2 f_equal.
  apply (trimmed_unique (size A)); try easy.
  - rewrite <- ZL at 1. now apply trim_whole.
  - lia.
  - intros v Hv. assert (exists i, i < size A /\ apply A i = v) as (i & Hi & <-).
    { apply in_iota, (Permutation_in _ (Permutation_sym C)) in Hv. rewrite image_leaves in Hv by easy.
      apply in_map_iff in Hv as (i & Ev & Ii). apply in_iota in Ii. eauto. }
    pose proof (merged_positive _ Mx). pose proof (merged_positive _ Ml).
    rewrite <- !apply_unwrapped by (easy || lia). rewrite VL by easy.
    rewrite <- (composition_pointwise _ _ _ i F Hi), V by easy. cbn. lia.
Qed.
