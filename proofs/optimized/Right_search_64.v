(* right_search of gpu/algebra/search.hpp: the largest right inverse where values come twice before the first gap. Depth
   first over the modes n:r of R, the least r first, then the largest n. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Left_search_64.
Local Open Scope N_scope.

Fixpoint before_gap_64 (reach : N) (l : weighted_modes) : outcome weighted_modes :=
  match l with
  | [] => Yes []
  | (s, (d, w)) :: l =>
      if reach <? d then Yes [] else
      t <~ times_64 (s - 1) d; e <~ plus_fit below_64 reach t; r <~ before_gap_64 e l; Yes ((s, (d, w)) :: r)
  end.
(* nullspace, with the weights; add_broadcasts. *)
Fixpoint still_64 (l : list (N * N)) (w : N) : outcome weighted_modes :=
  match l with
  | [] => Yes []
  | (s, d) :: l =>
      v <~ times_64 w s; r <~ still_64 l v; Yes (if (1 <? s) && (d =? 0) then (s, (0, w)) :: r else r)
  end.
Definition add_still (z l : weighted_modes) : weighted_modes := rev (fold_left (fun m x => insert_back x m) z (rev l)).
(* Values and indices of the elements. *)
Fixpoint elements_64 (l : weighted_modes) (is : list N) : outcome (list (N * N)) :=
  match is with
  | [] => Yes []
  | i :: is => e <~ element_64 l i; r <~ elements_64 l is; Yes (e :: r)
  end.
(* How far the values go without a gap. *)
Fixpoint reach_64 (fuel : nat) (values : list N) (reach : N) : outcome N :=
  if existsb (N.eqb reach) values
  then match fuel with O => Beyond | S fuel => reach_64 fuel values (reach + 1) end
  else Yes reach.

(* One that is best so far: its size and its modes, none where the closed form is. *)
Local Notation state := (N * list (N * N))%type.
Fixpoint each_below {X} (reach : N) (f : X -> state -> outcome state) (l : list X) (s : state) : outcome state :=
  match l with
  | [] => Yes s
  | x :: l => if fst s <? reach then t <~ f x s; each_below reach f l t else Yes s
  end.

Section Search.
Context (A : layout N) (elements : list (N * N)) (bound reach : N).

(* Does the mode ?:r hold at its step y? *)
Fixpoint holds_64 (n r y i : N) (image : list N) : outcome bool :=
  match image with
  | [] => Yes true
  | x :: image =>
      t <~ times_64 y r; j <~ plus_fit below_64 x t;
      if bound <=? j then Yes false else
      v <~ at_64 below_64 (leaves A) j 0; if v =? i + y * n then holds_64 n r y (i + 1) image else Yes false
  end.
Fixpoint run_of_64 (fuel : nat) (n r y : N) (image : list N) : outcome N :=
  h <~ holds_64 n r y 0 image;
  if h then match fuel with O => Beyond | S fuel => run_of_64 fuel n r (y + 1) image end else Yes y.
(* step: the indices behind 0 of elements with the value n, in turn. *)
Definition steps_64 (n : N) : list N :=
  sort (fun r => r) (map snd (List.filter (fun e => (fst e =? n) && (0 <? snd e)) elements)).
(* y, y - 1, ..., 2. *)
Definition downwards (y : N) : list N := rev (List.filter (fun k => 1 <? k) (iota (y + 1))).
Definition repeated (image : list N) (r y : N) : list N := flat_map (fun k => map (fun x => x + k * r) image) (iota y).
Fixpoint extend_64 (runs fuel : nat) (n : N) (image : list N) (m : list (N * N)) (s : state) : outcome state :=
  match fuel with
  | O => Beyond
  | S fuel =>
      if reach <? n + n then Yes s else
      each_below reach (fun r s => y <~ run_of_64 runs n r 1 image;
        each_below reach (fun y s =>
          let k := m ++ [(y, r)] in
          extend_64 runs fuel (n * y) (repeated image r y) k (if fst s <? n * y then (n * y, k) else s))
          (downwards y) s) (steps_64 n) s
  end.
End Search.

(* searched_right_inverse: leaf by leaf. *)
Definition right_search_64 (A : layout N) : outcome (layout N) :=
  l <~ sort_moving (leaves A) 1 []; c <~ contiguous_64 1 l []; g <~ before_gap_64 1 l; z <~ still_64 (leaves A) 1;
  let e := add_still z g in
  n <~ size_64 (strides e) 1;
  if 256 <? n then Undecided else
  bound <~ size_64 (leaves A) 1; best <~ size_64 c 1; es <~ elements_64 e (iota n);
  reach <~ reach_64 257 (map fst es) 1; s <~ extend_64 A es bound reach 257 9 1 [0] [] (best, []);
  match snd s with
  | [] => Yes (unwrapped (rev c))
  | m => k <~ push_all [] m; Yes (unwrapped (rev k))
  end.
(* right_inverse, with its search. *)
Definition searched_right_inverse_64 (A : layout N) : outcome (layout N) :=
  right_inverse_64 (fun _ _ => right_search_64 A) A.

(* ---- What it answers ---- *)

(* The modes take 0, 1, ..., to indices of those values. *)
Definition inverting (A : layout N) (m : list (N * N)) : Prop := positive m = true /\
  forall i, i < numel m -> value_in m i < size A /\ apply A (value_in m i) = i.
Definition all_above_one (m : list (N * N)) : Prop := Forall (fun x => 1 < fst x) m.

Lemma one_more m y r i : positive m = true -> i < numel m * y ->
  value_in (m ++ [(y, r)]) i = value_in m (i mod numel m) + i / numel m * r.
Proof.
  intros P L. pose proof (numel_positive m P). rewrite value_in_app, value_in_periodic by exact P. cbn [value_in].
  rewrite (N.mod_small (i / numel m)) by (apply N.div_lt_upper_bound; lia). cbn [plus times naturals zero]. lia.
Qed.
Lemma repeated_image m y r : positive m = true ->
  repeated (map (value_in m) (iota (numel m))) r y = map (value_in (m ++ [(y, r)])) (iota (numel m * y)).
Proof.
  intros P. pose proof (numel_positive m P). unfold repeated. rewrite iota_mul, map_flat_map.
  assert (E : forall ks, (forall k, In k ks -> k < y) ->
    flat_map (fun k => map (fun x => x + k * r) (map (value_in m) (iota (numel m)))) ks =
    flat_map (fun k => map (value_in (m ++ [(y, r)])) (map (fun x => x + numel m * k) (iota (numel m)))) ks).
  { induction ks as [|k ks IH]; intros B; [reflexivity|]. cbn [flat_map].
    f_equal; [|apply IH; intros; apply B; now right].
    rewrite !map_map. apply map_ext_in. intros i I. rewrite in_iota in I. specialize (B k (or_introl eq_refl)).
    rewrite one_more by (exact P || nia). now rewrite digit_mod, digit_div by exact I. }
  apply E. intros k I. now rewrite in_iota in I.
Qed.

Section Found.
Context (A : layout N) (shaped_A : shaped A = true).

(* The step y of a mode ?:r behind the modes m. *)
Definition holds_at (m : list (N * N)) (r y : N) : Prop := forall i, i < numel m ->
  value_in m i + y * r < size A /\ apply A (value_in m i + y * r) = i + y * numel m.
Lemma holds_64_sound n r y i image b : holds_64 A (size A) n r y i image = Yes b ->
  b = true <-> forall k x, nth_error image k = Some x ->
    x + y * r < size A /\ apply A (x + y * r) = i + N.of_nat k + y * n.
Proof.
  revert i. induction image as [|x image IH]; intros i E; cbn [holds_64] in E.
  - injection E as <-. split; [|easy]. intros _ [|k] x; discriminate.
  - apply and_then_yes in E as (t & Et & E). apply and_then_yes in E as (j & Ej & E). unfold times_64 in Et.
    destruct (below_64 _); [|discriminate]. injection Et as <-. apply plus_fit_sound in Ej. cbn [plus naturals] in Ej.
    destruct (N.leb_spec (size A) j) as [G|L].
    + injection E as <-. split; [discriminate|]. intros W. destruct (W O x eq_refl). lia.
    + apply and_then_yes in E as (v & Ev & E). apply at_64_sound in Ev. cbn [plus naturals] in Ev.
      rewrite value_at_inside, <- apply_inside in Ev by (rewrite <- ?size_product; easy). rewrite N.add_0_l in Ev.
      destruct (N.eqb_spec v (i + y * n)) as [V|V].
      * rewrite (IH _ E). split.
        -- intros W [|k] x' X; [injection X as <-; split; [lia|]; rewrite <- Ej; lia|]. destruct (W k x' X).
        split; [easy|].
           lia.
        -- intros W k x' X. destruct (W (S k) x' X). split; [easy|]. lia.
      * injection E as <-. split; [discriminate|]. intros W. destruct (W O x eq_refl) as [_ W0]. rewrite <- Ej in W0.
        lia.
Qed.
Lemma nth_iota (f : N -> N) n k x : nth_error (map f (iota n)) k = Some x <-> N.of_nat k < n /\ x = f (N.of_nat k).
Proof.
  unfold iota. rewrite map_map. split.
  - intros E. assert (L : (k < N.to_nat n)%nat).
    { rewrite <- (seq_length (N.to_nat n) 0), <- (map_length (fun x => f (N.of_nat x))). apply nth_error_Some.
      congruence. }
    split; [lia|]. rewrite nth_error_map, (nth_error_nth' _ O) in E by now rewrite seq_length.
    rewrite seq_nth in E by exact L. now injection E.
  - intros [L ->]. rewrite nth_error_map, (nth_error_nth' _ O) by (rewrite seq_length; lia). rewrite seq_nth by lia.
    easy.
Qed.
Lemma run_of_64_sound fuel m r y z :
  run_of_64 A (size A) fuel (numel m) r y (map (value_in m) (iota (numel m))) = Yes z ->
  (forall k, y <= k < z -> holds_at m r k) /\ ~ holds_at m r z.
Proof.
  assert (H : forall k b, holds_64 A (size A) (numel m) r k 0 (map (value_in m) (iota (numel m))) = Yes b ->
    b = true <-> holds_at m r k).
  { intros k b E. rewrite (holds_64_sound _ _ _ _ _ _ E). setoid_rewrite nth_iota. split.
    - intros W i Hi. specialize (W (N.to_nat i) (value_in m i)).
      rewrite N2Nat.id, N.add_0_l in W. now apply W.
    - intros W j x [Hj ->]. rewrite N.add_0_l. now apply W. }
  revert y. induction fuel as [|fuel IH]; intros y E; cbn [run_of_64] in E; apply and_then_yes in E as (b & Eb & E);
    specialize (H _ _ Eb); destruct b; try discriminate.
  1, 3: injection E as <-; split; [lia|]; intros W; now apply H in W.
  destruct (IH _ E) as [I O]. split; [|exact O]. intros k Hk. destruct (N.eq_dec k y) as [->|]; [now apply H|].
  apply I. lia.
Qed.
Lemma inverting_more m r y : inverting A m -> 0 < y -> (forall k, 1 <= k < y -> holds_at m r k) ->
  inverting A (m ++ [(y, r)]).
Proof.
  intros [P V] Hy H. pose proof (numel_positive m P) as Z.
  split; [rewrite positive_app, P; apply positive_cons; now split|].
  intros i Hi. rewrite numel_app in Hi. cbn [numel] in Hi. rewrite one_more by (exact P || lia).
  assert (Q : i / numel m < y) by (apply N.div_lt_upper_bound; lia). pose proof (N.mod_lt i (numel m) ltac:(lia)) as L.
  pose proof (N.div_mod i (numel m) ltac:(lia)) as D. revert Q D L. generalize (i / numel m), (i mod numel m).
  intros q j Q D L. destruct (N.eq_dec q 0) as [->|E].
  - rewrite N.mul_0_l, N.add_0_r. destruct (V _ L) as [V1 V2]. split; [exact V1|]. rewrite V2. lia.
  - assert (K : 1 <= q < y) by lia. destruct (H q K _ L) as [H1 H2]. split; [exact H1|]. rewrite H2. lia.
Qed.
(* What a longer right inverse says of its modes. *)
Lemma inverting_first m y r ms : inverting A (m ++ (y, r) :: ms) -> positive m = true -> 1 < y ->
  (forall k, k < y -> holds_at m r k) /\ r < size A /\ apply A r = numel m /\ 0 < numel m /\
  numel m * y <= numel (m ++ (y, r) :: ms).
Proof.
  intros [P V] Pm Hy. pose proof (numel_positive m Pm) as Z. rewrite positive_app in P.
  apply andb_true_iff in P as [_ P]. apply positive_cons in P as [_ P]. pose proof (numel_positive ms P) as Zs.
  rewrite numel_app in *. cbn [numel] in *.
  assert (W : forall k i, k < y -> i < numel m -> value_in (m ++ (y, r) ::
    ms) (i + numel m * k) = value_in m i + k * r).
  { intros k i Hk Hi. rewrite value_in_app by exact Pm.
    rewrite <- value_in_periodic, digit_mod, digit_div by exact Pm || exact Hi.
    cbn [value_in]. rewrite N.mod_small, N.div_small, value_in_0 by easy. cbn [plus times naturals zero]. lia. }
  assert (Le : numel m * y <= numel m * (y * numel ms)) by nia.
  assert (H : forall k, k < y -> holds_at m r k).
  { intros k Hk i Hi. pose proof (digits_below (numel m) y i k Hi Hk).
    destruct (V (i + numel m * k)) as [V1 V2]; [lia|]. rewrite (W k i Hk Hi) in V1, V2.
    split; [exact V1|]. rewrite V2. lia. }
  destruct (H 1 Hy 0 Z) as [H1 H2]. rewrite value_in_0, N.mul_1_l in H1, H2 by exact Pm.
  cbn [zero naturals] in H1, H2. rewrite !N.add_0_l in *. rewrite N.mul_1_l in H2. now repeat (split; [assumption|]).
Qed.

End Found.

(* ---- Each index that may come next is one of an element ---- *)

Lemma before_gap_64_sound n l g : before_gap_64 n l = Yes g -> g = before_gap n l.
Proof.
  revert n g. induction l as [|[s [d w]] l IH]; intros n g E; cbn [before_gap_64 before_gap] in *.
  - now injection E as <-.
  - destruct (n <? d); [now injection E as <-|]. apply and_then_yes in E as (t & Et & E).
    apply and_then_yes in E as (e & Ee & E). apply and_then_yes in E as (r & Er & E). injection E as <-.
    unfold times_64 in Et. destruct (below_64 _); [|discriminate]. injection Et as <-. apply plus_fit_sound in Ee as ->.
    f_equal. now apply IH.
Qed.
Lemma still_64_sound l w z : still_64 l w = Yes z ->
  z = List.filter (fun m => (1 <? fst m) && (fst (snd m) =? 0)) (weighted l w).
Proof.
  revert w z. induction l as [|[s d] l IH]; intros w z E; cbn [still_64 weighted List.filter fst snd] in *.
  - now injection E as <-.
  - apply and_then_yes in E as (v & Ev & E). apply and_then_yes in E as (r & Er & E). injection E as <-.
    unfold times_64 in Ev. destruct (below_64 _); [|discriminate]. injection Ev as <-. rewrite <- (IH _ _ Er).
    destruct (N.eqb_spec d 0) as [->|]; [easy|]. now rewrite !andb_false_r.
Qed.
Lemma insert_back_permutes x l : Permutation (insert_back x l) (x :: l).
Proof.
  induction l as [|y l IH]; [reflexivity|]. cbn [insert_back]. destruct (_ <? _); [|reflexivity]. rewrite IH.
  constructor.
Qed.
Lemma add_still_permutes z l : Permutation (add_still z l) (z ++ l).
Proof.
  unfold add_still. rewrite <- Permutation_rev. rewrite (Permutation_rev l) at 2. generalize (rev l) as m.
  induction z as [|x z IH]; intros m; [reflexivity|]. cbn [fold_left app]. rewrite IH, insert_back_permutes.
  symmetry. apply Permutation_middle.
Qed.
Lemma before_gap_begins n l : exists behind, l = before_gap n l ++ behind /\ (sorted stride_of l = true ->
  forall x, In x behind -> n + fold_right N.add 0 (map (fun m => (fst m - 1) * stride_of m) (before_gap n l)) <
    stride_of x).
Proof.
  revert n. induction l as [|[s [d w]] l IH]; intros n; cbn [before_gap]; [now exists []|].
  destruct (N.ltb_spec n d) as [L|G].
  - exists ((s, (d, w)) :: l). split; [easy|]. intros S x I. destruct (sorted_least _ _ _ S) as [_ Least]. cbn.
    rewrite N.add_0_r. apply N.lt_le_trans with d; [easy|]. destruct I as [<-|I]; [cbn; lia|]. exact (Least x I).
  - destruct (IH (n + (s - 1) * d)) as (b & E & B). exists b. split; [cbn; now rewrite <- E|]. intros S x I.
    destruct (sorted_least _ _ _ S) as [S' _]. specialize (B S' x I). cbn [map fold_right fst]. unfold stride_of at 1.
    cbn [fst snd]. lia.
Qed.
Lemma filter_parts {X} (p q : X -> bool) l :
  Permutation (List.filter p l) (List.filter (fun x => p x && q x) l ++ List.filter (fun x => p x && negb (q x)) l).
Proof.
  induction l as [|x l IH]; [constructor|]. cbn [List.filter]. destruct (p x), (q x); cbn [andb negb app].
  - now constructor.
  - rewrite IH. apply Permutation_middle.
  - exact IH.
  - exact IH.
Qed.
Lemma nothing_moves l i : (forall s d w, In (s, (d, w)) l -> 0 < d) -> value_in (strides l) i = 0 ->
  value_in l i = (0, 0).
Proof.
  revert i. induction l as [|[s [d w]] l IH]; intros i P E; [easy|]. pose proof (P s d w (or_introl eq_refl)) as Hd.
  cbn [strides map fst snd value_in plus times naturals] in E. fold (strides l) in E. apply N.eq_add_0 in E as [E1 E2].
  apply N.mul_eq_0 in E1 as [E1|]; [|lia]. cbn [value_in]. rewrite E1, (IH (i / s)).
  - reflexivity.
  - intros t e v I. apply (P t e v). now right.
  - exact E2.
Qed.

(* The modes that are searched. *)
Definition searched (A : layout N) : weighted_modes := zero_leaves A ++ before_gap 1 (weighted_sorted A).
Lemma searched_sum A : fold_right N.add 0 (map (fun m => (fst m - 1) * snd m) (strides (searched A))) =
  fold_right N.add 0 (map (fun m => (fst m - 1) * stride_of m) (before_gap 1 (weighted_sorted A))).
Proof.
  unfold searched, strides. rewrite map_map. cbn [fst snd]. rewrite map_app, fold_right_app.
  assert (Z : forall x, fold_right N.add x (map (fun m : N * (N * N) => (fst m - 1) * fst (snd m)) (zero_leaves A)) =
    x).
  { intros x. unfold zero_leaves. induction (weighted (leaves A) 1) as [|[s [d w]] l IH]; [easy|].
    cbn [List.filter fst snd]. destruct (N.eqb_spec d 0) as [->|]; [|now rewrite andb_false_r].
    destruct (1 <? s); [|exact IH]. cbn [andb map fold_right fst snd]. rewrite IH. lia. }
  apply Z.
Qed.
Lemma searched_or_behind A : shaped A = true -> exists g, let sum := fold_right N.add 0
  (map (fun m => (fst m - 1) * snd m) (strides (searched A))) in sum < g /\ forall x, x < size A ->
  apply A x <= sum /\ In (apply A x, x) (image (searched A)) \/ g < apply A x.
Proof.
  intros S. destruct (before_gap_begins 1 (weighted_sorted A)) as (behind & E & B).
  specialize (B (sort_sorted _ _)). rewrite <- searched_sum in B.
  set (sum := fold_right N.add 0 (map (fun m => (fst m - 1) * snd m) (strides (searched A)))) in *.
  set (W := weighted (leaves A) 1). assert (PW : positive W = true) by (unfold W; now rewrite positive_weighted).
  assert (P : Permutation (wide W) (searched A ++ behind)).
  { unfold searched. rewrite <- app_assoc, <- E. unfold weighted_sorted.
    rewrite <- (sort_permutation (fun m : N * (N * N) => fst (snd m)) (weighted_moving A)).
    unfold weighted_moving, wide.
    apply filter_parts. }
  pose proof (positive_permutation _ _ P (wide_positive W)) as Pe. rewrite positive_app in Pe.
  apply andb_true_iff in Pe as [Pe Pb]. exists (sum + 1). split; [lia|]. intros x Hx.
  assert (I : In (apply A x, x) (image (searched A ++ behind))).
  { apply (Permutation_in _ (image_permutation _ _ P (wide_positive W))). rewrite image_wide by exact PW.
    apply in_weighted; [exact S|]. rewrite <- size_product. split; [exact Hx|]. now apply apply_inside. }
  apply in_image in I as (j & Hj & I). rewrite value_in_app in I by exact Pe. set (b := j / numel (searched A)) in *.
  rewrite (value_in_pairs (searched A)), (value_in_pairs behind) in I. cbn [plus pairs naturals fst snd] in I.
  injection I as Ia Ix. pose proof (value_bounded (strides (searched A)) j ltac:(now rewrite positive_strides)) as L.
  fold sum in L. destruct (value_least (strides behind) (sum + 2) b) as [Z|G].
  - intros s d I. apply in_map_iff in I as ([t [e w]] & I & J). injection I as <- <-. specialize (B _ J).
    unfold stride_of in B. cbn [fst snd] in B. lia.
  - left. pose proof (nothing_moves behind b) as N0. rewrite value_in_pairs in N0.
    assert (N1 : (value_in (strides behind) b, value_in (weights behind) b) = (0, 0)).
    { apply N0; [|exact Z]. intros s d w I. specialize (B _ I). unfold stride_of in B. cbn [fst snd] in B. lia. }
    injection N1 as _ N1. rewrite Z, N1, N.add_0_r in *. split; [lia|]. apply in_image.
    exists (j mod numel (searched A)).
    pose proof (numel_positive _ Pe). split; [apply N.mod_lt; lia|].
    rewrite value_in_periodic, value_in_pairs by exact Pe.
    congruence.
  - right. lia.
Qed.
(* Where all values below one are taken, each index of it is one of an element. *)
Lemma index_searched A x : shaped A = true -> x < size A ->
  (forall k, k < apply A x -> exists y, y < size A /\ apply A y = k) -> In (apply A x, x) (image (searched A)).
Proof.
  intros S Hx H. destruct (searched_or_behind A S) as (g & Lg & D). destruct (D x Hx) as [[_ I]|G]; [exact I|].
  destruct (H g G) as (y & Hy & E). destruct (D y Hy) as [[L _]|G']; lia.
Qed.

(* ---- The search in depth ---- *)

Lemma each_below_spec {X} reach (f : X -> state -> outcome state) l (I : state -> Prop) (Q : X -> N -> Prop) :
  (forall x b c, b <= c -> Q x b -> Q x c) ->
  (forall x s t, In x l -> I s -> f x s = Yes t -> I t /\ fst s <= fst t /\ (reach <= fst t \/ Q x (fst t))) ->
  forall s t, I s -> each_below reach f l s = Yes t ->
  I t /\ fst s <= fst t /\ (reach <= fst t \/ forall x, In x l -> Q x (fst t)).
Proof.
  intros Mono. induction l as [|x l IH]; intros F s t Is E; cbn [each_below] in E.
  - injection E as <-. split; [exact Is|]. split; [lia|]. now right.
  - destruct (N.ltb_spec (fst s) reach) as [L|G]; [|injection E as <-; split; [exact Is|]; split; [lia|now left]].
    apply and_then_yes in E as (u & Eu & E). destruct (F x s u (or_introl eq_refl) Is Eu) as (Iu & Lu & Qu).
    destruct (IH (fun y s t J => F y s t (or_intror J)) u t Iu E) as (It & Lt & Qt). split; [exact It|].
    split; [lia|]. destruct Qt as [Qt|Qt]; [now left|]. destruct Qu as [Qu|Qu]; [left; lia|]. right.
    intros y [<-|J]; [|now apply Qt]. now apply (Mono _ (fst u)).
Qed.
Lemma in_downwards y z : In y (downwards z) <-> 1 < y <= z.
Proof. unfold downwards. rewrite <- in_rev, filter_In, in_iota, N.ltb_lt. lia. Qed.
Lemma in_steps es n r : In r (steps_64 es n) <-> In (n, r) es /\ 0 < r.
Proof.
  unfold steps_64. split.
  - intros I. apply (Permutation_in _ (Permutation_sym (sort_permutation _ _))), in_map_iff in I as ([v x] & <- & I).
    apply filter_In in I as [I E]. cbn [fst snd] in *. apply andb_true_iff in E as [E L]. apply N.eqb_eq in E as ->.
    now apply N.ltb_lt in L.
  - intros [I L]. apply (Permutation_in _ (sort_permutation _ _)), in_map_iff. exists (n, r). split; [easy|].
    apply filter_In. split; [exact I|]. cbn [fst snd]. rewrite N.eqb_refl. now apply N.ltb_lt.
Qed.

Section Depth.
Context (A : layout N) (shaped_A : shaped A = true) (es : list (N * N)) (reach best : N).
Context (met : forall x, In (apply A x, x) (image (searched A)) -> In (apply A x, x) es).
Context (gap : ~ In reach (map fst es)).

Lemma inverting_met m i : inverting A m -> i < numel m -> In (i, value_in m i) es.
Proof.
  intros [P V] Hi. destruct (V i Hi) as [L E]. rewrite <- E at 1. apply met, index_searched; [easy|easy|].
  intros k Hk. exists (value_in m k). apply V. lia.
Qed.
Lemma inverting_reach m : inverting A m -> numel m <= reach.
Proof.
  intros I. apply N.le_ngt. intros L. apply gap, in_map_iff. exists (reach, value_in m reach).
  split; [easy|]. now apply inverting_met.
Qed.
Lemma inverting_step m y r ms : inverting A m -> inverting A (m ++ (y, r) :: ms) -> 1 < y ->
  In r (steps_64 es (numel m)).
Proof.
  intros I J Hy. destruct (inverting_first A m y r ms J (proj1 I) Hy) as (_ & L & E & Z & Le). apply in_steps. split.
  - rewrite <- E. apply met, index_searched; [easy|easy|]. rewrite E. intros k Hk. exists (value_in m k).
    now apply (proj2 I).
  - apply N.neq_0_lt_0. intros ->. rewrite apply_0 in E by easy. cbn in E. lia.
Qed.

Definition best_kept (s : state) : Prop := snd s = [] /\ fst s = best \/ inverting A (snd s) /\ numel (snd s) = fst s.
(* None that goes on from m is larger. *)
Definition none_larger (m : list (N * N)) (b : N) : Prop :=
  forall ms, all_above_one ms -> inverting A (m ++ ms) -> numel (m ++ ms) <= b.
Lemma extend_64_sound runs fuel m s t :
  extend_64 A es (size A) reach runs fuel (numel m) (map (value_in m) (iota (numel m))) m s = Yes t ->
  inverting A m -> best_kept s -> numel m <= fst s ->
  best_kept t /\ fst s <= fst t /\ (reach <= fst t \/ none_larger m (fst t)).
Proof.
  revert m s t. induction fuel as [|fuel IH]; intros m s t E Im Ks Ls; cbn [extend_64] in E; [discriminate|].
  assert (here : forall b, fst s <= b -> (forall y r ms, 1 < y -> all_above_one ms -> inverting A (m ++ (y, r) :: ms) ->
    numel (m ++ (y, r) :: ms) <= b) -> none_larger m b).
  { intros b Lb H [|[y r] ms] W J; [rewrite app_nil_r; lia|]. apply Forall_cons_iff in W as [Hy W]. now apply H. }
  destruct (N.ltb_spec reach (numel m + numel m)) as [L|G].
  - injection E as <-. split; [exact Ks|]. split; [lia|]. right. apply here; [lia|]. intros y r ms Hy _ J. exfalso.
    pose proof (inverting_reach _ J). destruct (inverting_first A m y r ms J (proj1 Im) Hy) as (_ & _ & _ & _ & Le).
    nia.
  - apply (each_below_spec reach _ _ (fun s => best_kept s /\ numel m <= fst s) (fun r b => forall y ms, 1 < y ->
      all_above_one ms -> inverting A (m ++ (y, r) :: ms) -> numel (m ++ (y, r) :: ms) <= b)) in E; [| | |easy].
    + destruct E as ([Kt Lt] & Le & Q). split; [exact Kt|]. split; [exact Le|]. destruct Q as [Q|Q]; [now left|]. right.
      apply here; [exact Le|]. intros y r ms Hy W J. apply (Q r); try easy. now apply (inverting_step m y r ms).
    + intros r b c Lb Q y ms Hy W J. specialize (Q y ms Hy W J). lia.
    + clear s t E Ks Ls here. intros r s t _ [Ks Ls] E. apply and_then_yes in E as (z & Ez & E).
      destruct (run_of_64_sound A shaped_A _ _ _ _ _ Ez) as [H O].
      apply (each_below_spec reach _ _ (fun s => best_kept s /\ numel m <= fst s) (fun y => none_larger (m ++ [(y,
        r)]))) in E;
        [| | |easy].
      * destruct E as (It & Le & Q). split; [exact It|]. split; [exact Le|]. destruct Q as [Q|Q]; [now left|]. right.
        intros y ms Hy W J. replace (m ++ (y, r) :: ms) with ((m ++ [(y, r)]) ++ ms) in * by now rewrite <- app_assoc.
        apply Q; [|exact W|exact J]. apply in_downwards. split; [exact Hy|]. apply N.le_ngt. intros Lz. apply O.
        rewrite <- app_assoc in J. now apply (inverting_first A m y r ms J (proj1 Im) Hy).
      * intros y b c Lb Q ms W J. specialize (Q ms W J). lia.
      * clear s t E Ks Ls. intros y s t Iy [Ks Ls] E. apply in_downwards in Iy.
        assert (Ik : inverting A (m ++ [(y, r)])) by (apply inverting_more; [easy|lia|]; intros k Hk; apply H; lia).
        assert (Nk : numel (m ++ [(y, r)]) = numel m * y) by (rewrite numel_app; cbn; lia).
        rewrite repeated_image, <- Nk in E by apply Im.
        destruct (N.ltb_spec (fst s) (numel (m ++ [(y, r)]))) as [Lk|Gk].
        -- destruct (IH _ _ _ E Ik) as (Kt & Lt & Q); [now right|cbn; lia|]. cbn [fst] in Lt.
           split; [split; [exact Kt|lia]|]. split; [lia|exact Q].
        -- destruct (IH _ _ _ E Ik Ks Gk) as (Kt & Lt & Q). split; [split; [exact Kt|lia]|]. split; [lia|exact Q].
Qed.
End Depth.

(* ---- The answer ---- *)

Lemma elements_64_sound l is es : elements_64 l is = Yes es -> es = map (value_in l) is.
Proof.
  revert es. induction is as [|i is IH]; intros es E; cbn [elements_64] in E; [now injection E as <-|].
  apply and_then_yes in E as (e & Ee & E). apply and_then_yes in E as (r & Er & E). injection E as <-.
  apply element_64_sound in Ee as ->. cbn [map]. now rewrite <- value_in_pairs, (IH r Er).
Qed.
Lemma reach_64_sound fuel values n g : reach_64 fuel values n = Yes g -> ~ In g values.
Proof.
  revert n. induction fuel as [|fuel IH]; intros n E; cbn [reach_64] in E; destruct (existsb _ _) eqn:X;
    try discriminate.
  2: now apply (IH (n + 1)).
  all: injection E as <-; intros I; rewrite <- not_true_iff_false in X; apply X, existsb_exists; exists n;
    now rewrite N.eqb_refl.
Qed.

Ltac settled := repeat first
  [ split; discriminate | assumption | apply settled_if | apply settled_then; [|intros ?]
  | match goal with IH : forall _, _ |- _ => apply IH end
  | match goal with |- settled (match ?x with _ => _ end) => destruct x end
  | match goal with |- settled (let _ := _ in _) => cbv zeta end ].
Lemma holds_64_settled A bound n r y i image : settled (holds_64 A bound n r y i image).
Proof.
  revert i. induction image as [|x image IH]; intros i; cbn [holds_64]; [settled|].
  apply settled_then; [apply times_64_settled|intros t]. apply settled_then; [apply plus_fit_settled|intros j].
  apply settled_if; [settled|]. apply settled_then; [apply at_64_settled|intros v]. settled.
Qed.
Lemma run_of_64_settled A bound fuel n r y image : settled (run_of_64 A bound fuel n r y image).
Proof.
  revert y. induction fuel as [|fuel IH]; intros y; cbn [run_of_64];
    (apply settled_then; [apply holds_64_settled|intros h; settled]).
Qed.
Lemma each_below_settled {X} reach (f : X -> state -> outcome state) l s : (forall x s, settled (f x s)) ->
  settled (each_below reach f l s).
Proof.
  intros F. revert s. induction l as [|x l IH]; intros s; cbn [each_below]; [settled|]. apply settled_if; [|settled].
  apply settled_then; [apply F|apply IH].
Qed.
Lemma extend_64_settled A es bound reach runs fuel n image m s :
  settled (extend_64 A es bound reach runs fuel n image m s).
Proof.
  revert n image m s. induction fuel as [|fuel IH]; intros n image m s; cbn [extend_64]; [settled|].
  apply settled_if; [settled|]. apply each_below_settled. intros r t. apply settled_then; [apply run_of_64_settled|].
  intros z. apply each_below_settled. intros y u. apply IH.
Qed.
Lemma right_search_64_answers A : right_search_64 A <> No.
Proof.
  assert (sorting : forall l w m, settled (sort_moving l w m)).
  { induction l as [|[s d] l IH]; intros w m; cbn [sort_moving]; settled; apply times_64_settled. }
  assert (gaps : forall l n, settled (before_gap_64 n l)).
  { induction l as [|[s [d w]] l IH]; intros n; cbn [before_gap_64]; settled;
      apply times_64_settled || apply plus_fit_settled. }
  assert (still : forall l w, settled (still_64 l w)).
  { induction l as [|[s d] l IH]; intros w; cbn [still_64]; settled; apply times_64_settled. }
  assert (elements : forall l is, settled (elements_64 l is)).
  { induction is as [|i is IH]; cbn [elements_64]; settled; apply total_64_settled. }
  assert (reaching : forall fuel values n, settled (reach_64 fuel values n)).
  { induction fuel as [|fuel IH]; intros values n; cbn [reach_64]; settled. }
  unfold right_search_64. intros E. apply and_then_no in E as [E|(l & _ & E)]; [now apply sorting in E|].
  apply and_then_no in E as [E|(c & _ & E)].
  { destruct (contiguous_64_answers 1 l []) as [X|[r X]]; rewrite X in E; discriminate. }
  apply and_then_no in E as [E|(g & _ & E)]; [now apply gaps in E|].
  apply and_then_no in E as [E|(z & _ & E)]; [now apply still in E|].
  apply and_then_no in E as [E|(n & _ & E)]; [now apply size_64_settled in E|]. destruct (256 <? n); [discriminate|].
  apply and_then_no in E as [E|(bound & _ & E)]; [now apply size_64_settled in E|].
  apply and_then_no in E as [E|(best & _ & E)]; [now apply size_64_settled in E|].
  apply and_then_no in E as [E|(es & _ & E)]; [now apply elements in E|].
  apply and_then_no in E as [E|(reach & _ & E)]; [now apply reaching in E|].
  apply and_then_no in E as [E|(s & _ & E)]; [now apply extend_64_settled in E|].
  destruct (snd s); [discriminate|]. apply and_then_no in E as [E|(k & _ & E)]; [now apply push_all_settled in E|].
  discriminate.
Qed.

(* R takes 0, 1, ... to indices of those values, and no layout takes more. *)
Definition inverts_right (A R : layout N) : Prop := forall i, i < size R ->
  apply R i < size A /\ apply A (apply R i) = i.
Definition widest_right_inverse (A R : layout N) : Prop :=
  inverts_right A R /\ forall X, shaped X = true -> inverts_right A X -> size X <= size R.

Lemma inverting_layout A m : inverting A m -> shaped A = true ->
  inverts_right A (unwrapped (merge m)) /\ size (unwrapped (merge m)) = numel m.
Proof.
  intros [P V] S. destruct (merge_spec m P) as (Z & Q & W). rewrite size_unwrapped. split; [|exact Z]. intros i Hi.
  rewrite size_unwrapped in Hi. rewrite apply_unwrapped, W by easy. apply V. now rewrite <- Z.
Qed.
Lemma layout_inverting A X : shaped X = true -> inverts_right A X ->
  inverting A (merge (leaves X)) /\ all_above_one (merge (leaves X)) /\ numel (merge (leaves X)) = size X.
Proof.
  intros S I. destruct (merge_spec (leaves X) S) as (Z & P & V). rewrite <- size_product in Z.
  split; [split; [exact P|]|split; [|exact Z]].
  - intros i Hi. rewrite V, <- apply_inside by (rewrite ?Z in Hi; easy). apply I. now rewrite <- Z.
  - apply Forall_forall. intros [s d] J. apply (merged_wide _ s d (merge_merged _ S) J).
Qed.
Lemma positive_searched A : shaped A = true -> positive (searched A) = true.
Proof.
  intros S. unfold searched. rewrite positive_app, zero_leaves_positive by exact S. apply forallb_forall.
  intros [s [d w]] I. apply before_gap_in, weighted_sorted_moves in I. apply N.ltb_lt. cbn. lia.
Qed.
Lemma right_search_64_sound A R : shaped A = true -> right_search_64 A = Yes R -> widest_right_inverse A R.
Proof.
  intros S E. unfold right_search_64 in E. apply and_then_yes in E as (l & El & E).
  rewrite sort_moving_sorts in El by exact S. destruct (below_64 _); [|discriminate]. injection El as El.
  change (weighted_sorted A = l) in El. subst l. apply and_then_yes in E as (c & Ec & E).
  apply contiguous_64_sound in Ec. pose proof (contiguous_pushed A c S Ec) as Ei.
  assert (Pc : positive (weights (contiguous 1 (weighted_sorted A))) = true).
  { rewrite positive_weights. apply (sublist_positive _ _ (contiguous_sublist 1 _)).
    now apply weighted_sorted_positive. }
  apply push_all_merges in Ec; [|exact Pc]. destruct (merge_spec _ Pc) as (_ & Pm & _). rewrite <- Ec in Pm.
  apply and_then_yes in E as (g & Eg & E). apply before_gap_64_sound in Eg as ->.
  apply and_then_yes in E as (z & Ez & E). apply still_64_sound in Ez. change (z = zero_leaves A) in Ez. subst z.
  apply and_then_yes in E as (n & En & E). apply size_64_sound in En. rewrite N.mul_1_l, numel_strides in En.
  destruct (256 <? n); [discriminate|]. apply and_then_yes in E as (bound & Eb & E). apply size_64_sound in Eb.
  rewrite N.mul_1_l, <- size_product in Eb. subst bound. apply and_then_yes in E as (best & Ebest & E).
  apply size_64_sound in Ebest. rewrite N.mul_1_l in Ebest. apply and_then_yes in E as (es & Ees & E).
  apply elements_64_sound in Ees. apply and_then_yes in E as (reach & Er & E). apply reach_64_sound in Er.
  apply and_then_yes in E as (s & Es & E).
  assert (met : forall x, In (apply A x, x) (image (searched A)) -> In (apply A x, x) es).
  { intros x I. subst es n. pose proof (add_still_permutes (zero_leaves A) (before_gap 1 (weighted_sorted A))) as P.
    symmetry in P. exact (Permutation_in _ (image_permutation _ _ P (positive_searched A S)) I). }
  assert (I1 : inverting A []).
  { split; [easy|]. intros i Hi. cbn in Hi. replace i with 0 by lia. cbn [value_in]. split; [now apply size_positive|].
    exact (apply_0 A S). }
  assert (Z : size (unwrapped (rev c)) = best).
  { rewrite size_unwrapped, Ebest. symmetry. apply numel_permutation, Permutation_rev. }
  assert (B : 1 <= best) by (rewrite <- Z, size_unwrapped; pose proof (numel_positive _ Pm); lia).
  apply (extend_64_sound A S es reach best met Er 257 9 []) in Es as (K & L & Q); [|exact I1|now left|exact B].
  assert (W : forall X, shaped X = true -> inverts_right A X -> size X <= fst s).
  { intros X SX IX. destruct (layout_inverting A X SX IX) as (J & Wd & Zx). rewrite <- Zx.
    destruct Q as [Q|Q]; [|now apply Q]. pose proof (inverting_reach A S es reach met Er _ J). lia. }
  destruct s as [most [|x m]]; cbn [fst snd] in *.
  - injection E as <-. split.
    + intros i Hi. rewrite Ei in *. destruct (contiguous_inverse_pointwise A i S Hi). now split.
    + intros X SX IX. specialize (W X SX IX). rewrite Z. destruct K as [[_ K]|[_ K]]; cbn in K; lia.
  - apply and_then_yes in E as (k & Ek & E). injection E as <-. destruct K as [[K _]|[K1 K2]]; [discriminate|].
    cbn [fst snd] in K1, K2.
    apply push_all_merges in Ek; [|apply K1]. rewrite Ek. destruct (inverting_layout A _ K1 S) as [I Zi].
    split; [exact I|].
    intros X SX IX. rewrite Zi, K2. now apply W.
Qed.

(* What it answers inverts A from the right, and no layout inverts more; it never says that there is none. *)
Theorem searched_right_inverse_64_sound A : shaped A = true -> held_64 (leaves A) = true ->
  ended (searched_right_inverse_64 A) (widest_right_inverse A) False True.
Proof.
  intros S K. pose proof (right_inverse_64_sound A S K) as H. unfold searched_right_inverse_64.
  assert (E : right_inverse_64 (fun _ _ => right_search_64 A) A = right_inverse_64 (fun _ _ => Undecided) A \/
    right_inverse_64 (fun _ _ => right_search_64 A) A = right_search_64 A).
  { unfold right_inverse_64. destruct (sorted_modes_64 A) as [l| | |]; try (now left). cbn [and_then].
    destruct (contiguous_64 1 l []) as [c| | |]; try (now left). cbn [and_then].
    destruct (single_valued_64 1 l) as [[]| | |]; cbn [and_then]; (left; reflexivity) || (right; reflexivity). }
  destruct E as [E|E]; rewrite E.
  - destruct (right_inverse_64 _ A) as [R| | |]; try easy. destruct H as [H1 H2]. split; [exact H1|].
    intros X _ IX. now apply (H2 _ (apply X)).
  - pose proof (right_search_64_answers A). destruct (right_search_64 A) as [R| | |] eqn:F; try easy.
    now apply right_search_64_sound.
Qed.

(* ---- When it answers ---- *)

Lemma fits_below n m : below_64 n = true -> m <= n -> below_64 m = true.
Proof. intros B L. now apply (below_64_le m n). Qed.
Lemma at_64_fits l i sum : below_64 (sum + value_at l i) = true -> at_64 below_64 l i sum = Yes (sum + value_at l i).
Proof.
  revert i sum. induction l as [|[s d] l IH]; intros i sum B; [cbn; now rewrite N.add_0_r|].
  cbn [at_64 value_at] in *. unfold times_fit, plus_fit. destruct l as [|m l]; cbn [plus times zero naturals] in *.
  - rewrite (fits_below _ (i * d) B ltac:(lia)). cbn [and_then]. now rewrite B.
  - rewrite (fits_below _ (i mod s * d) B ltac:(lia)). cbn [and_then].
    rewrite (fits_below _ (sum + i mod s * d) B ltac:(lia)). cbn [and_then]. rewrite N.add_assoc in *. now apply IH.
Qed.
Lemma total_64_fits l i sum : below_64 (sum + value_in l i) = true ->
  total_64 below_64 l i sum = Yes (sum + value_in l i).
Proof.
  revert i sum. induction l as [|[s d] l IH]; intros i sum B; [cbn; now rewrite N.add_0_r|].
  cbn [total_64 value_in] in *. unfold times_fit, plus_fit. cbn [plus times zero naturals] in *.
  rewrite (fits_below _ (i mod s * d) B ltac:(lia)). cbn [and_then].
  rewrite (fits_below _ (sum + i mod s * d) B ltac:(lia)). cbn [and_then]. rewrite N.add_assoc in *. now apply IH.
Qed.
Lemma size_64_fits l n : positive l = true -> below_64 (n * numel l) = true -> size_64 l n = Yes (n * numel l).
Proof.
  revert n. induction l as [|[s d] l IH]; intros n P B; [cbn; now rewrite N.mul_1_r|].
  apply positive_cons in P as [Hs P]. cbn [size_64 numel] in *. rewrite N.mul_assoc in *. unfold times_64.
  pose proof (numel_positive l P). rewrite (below_64_le (n * s) (n * s * numel l)) by (nia || easy). cbn [and_then].
  now apply IH.
Qed.
(* The largest value of a list of modes. *)
Definition span (l : list (N * N)) : N := fold_right N.add 0 (map (fun m => (fst m - 1) * snd m) l).
Lemma span_app l m : span (l ++ m) = span l + span m.
Proof. unfold span. rewrite map_app. induction l as [|x l IH]; [easy|]. cbn in *. rewrite IH. lia. Qed.
Lemma span_permutation l m : Permutation l m -> span l = span m.
Proof. induction 1; unfold span in *; cbn in *; lia. Qed.
Lemma span_wide l : span (wide l) = span l.
Proof.
  induction l as [|[s d] l IH]; [easy|]. unfold wide in *. cbn [List.filter fst].
  destruct (N.ltb_spec 1 s) as [L|L]; unfold span in *; cbn [map fold_right fst snd] in *; [lia|].
  rewrite IH. replace (s - 1) with 0 by lia. lia.
Qed.
Lemma weights_span l w : positive l = true -> span (weights (weighted l w)) + w = w * numel l.
Proof.
  revert w. induction l as [|[s d] l IH]; intros w P; [cbn; lia|]. apply positive_cons in P as [Hs P].
  specialize (IH (w * s) P). unfold span, weights in *. cbn [weighted map fold_right fst snd numel] in *. nia.
Qed.
Lemma ends_span l n : (forall s d, In (s, d) l -> 1 < s) -> span l <= n -> below_64 (2 * n) = true ->
  ends_below_64 l = true.
Proof.
  intros W L B. apply forallb_forall. intros [s d] I. specialize (W s d I). cbn [fst snd].
  assert (E : (s - 1) * d <= span l).
  { clear - I. unfold span. induction l as [|[t e] l IH]; [destruct I|]. cbn [map fold_right fst snd].
    destruct I as [E|I]; [injection E as -> ->; apply N.le_add_r|]. rewrite (IH I), N.add_comm. apply N.le_add_r. }
  apply (below_64_le _ (2 * n)); [nia|easy].
Qed.
Lemma push_all_fits (l : list (N * N)) : positive l = true -> (length (merge l) <= 32)%nat -> below_64 (numel l) =
  true ->
  exists m, push_all [] l = Yes m /\ numel m = numel l /\ positive m = true.
Proof.
  intros P L B. destruct (merge_spec l P) as (E & Q & _).
  assert (Fl : forallb (fun m => below_64 (fst m)) l = true).
  { apply forallb_forall. intros [s d] I. exact (fits_below _ _ B (extent_below l s d P I)). }
  destruct (held_numel (merge l) Q L) as [H _]; [now rewrite E|].
  pose proof (merge_64_merges l P Fl) as G. rewrite H in G. unfold merge_64 in G.
  destruct (push_all [] l) as [m| | |] eqn:Em; try discriminate. exists m. split; [easy|].
  apply push_all_merges in Em; [|easy]. rewrite <- E, <- Em. split; [apply numel_permutation, Permutation_rev|].
  rewrite <- Em in Q. now apply (positive_permutation _ _ (Permutation_sym (Permutation_rev m))).
Qed.
Lemma before_gap_64_fits n l : below_64 (n + span (strides l)) = true -> before_gap_64 n l = Yes (before_gap n l).
Proof.
  revert n. induction l as [|[s [d w]] l IH]; intros n B; [easy|]. cbn [before_gap_64 before_gap].
  destruct (n <? d); [easy|]. unfold span, strides in *. cbn [map fold_right fst snd] in B. unfold times_64, plus_fit.
  cbn [plus naturals]. rewrite (fits_below _ ((s - 1) * d) B ltac:(lia)). cbn [and_then].
  rewrite (fits_below _ (n + (s - 1) * d) B ltac:(lia)). cbn [and_then]. rewrite IH; [easy|].
  now rewrite <- N.add_assoc.
Qed.
Lemma still_64_fits l w : positive l = true -> below_64 (w * numel l) = true -> exists z, still_64 l w = Yes z.
Proof.
  revert w. induction l as [|[s d] l IH]; intros w P B; [now exists []|]. apply positive_cons in P as [Hs P].
  cbn [still_64 numel] in *. rewrite N.mul_assoc in B. unfold times_64. pose proof (numel_positive l P).
  rewrite (below_64_le (w * s) (w * s * numel l)) by (nia || easy). cbn [and_then]. destruct (IH (w * s) P B) as [r ->].
  cbn [and_then]. eauto.
Qed.
Lemma elements_64_fits l is : positive l = true -> below_64 (span (strides l)) = true ->
  below_64 (span (weights l)) = true -> exists es, elements_64 l is = Yes es.
Proof.
  intros P Bs Bw. induction is as [|i is [es IH]]; [now exists []|]. cbn [elements_64]. unfold element_64.
  rewrite !total_64_fits, IH; [cbn [and_then]; eauto| |]; rewrite N.add_0_l.
  - apply (below_64_le _ _ (value_bounded (weights l) i ltac:(now rewrite positive_weights)) Bw).
  - apply (below_64_le _ _ (value_bounded (strides l) i ltac:(now rewrite positive_strides)) Bs).
Qed.
Lemma reach_64_fits fuel values n seen : NoDup seen -> incl seen values -> (forall v, In v seen -> v < n) ->
  (length values <= length seen + fuel)%nat -> exists g, reach_64 fuel values n = Yes g /\
    (N.to_nat g + length seen <= N.to_nat n + length values)%nat.
Proof.
  revert n seen. induction fuel as [|fuel IH]; intros n seen Nd Inc Lt Le; cbn [reach_64];
    destruct (existsb (N.eqb n) values) eqn:E; try (exists n; split; [easy|];
      pose proof (NoDup_incl_length Nd Inc); lia);
    apply existsb_exists in E as (v & I & E); apply N.eqb_eq in E; subst v;
    assert (Nd' : NoDup (n :: seen)) by (constructor; [intros J; specialize (Lt n J); lia|easy]);
    assert (Inc' : incl (n :: seen) values) by (intros v [<-|J]; auto); pose proof (NoDup_incl_length Nd' Inc') as Len;
    cbn [length] in Len; [lia|].
  destruct (IH (n + 1) (n :: seen) Nd' Inc') as (g & Eg & Bg).
  - intros v [<-|J]; [lia|specialize (Lt v J); lia].
  - cbn [length]. lia.
  - exists g. split; [easy|]. cbn [length] in Bg. lia.
Qed.
Lemma each_below_fits {X} reach (f : X -> N * list (N * N) -> outcome (N * list (N * N))) l :
  (forall x s, In x l -> exists t, f x s = Yes t) -> forall s, exists t, each_below reach f l s = Yes t.
Proof.
  induction l as [|x l IH]; intros H s; cbn [each_below]; [eauto|]. destruct (fst s <? reach); [|eauto].
  destruct (H x s (or_introl eq_refl)) as [t ->]. cbn [and_then]. apply IH. intros y u I. apply H. now right.
Qed.

Section Fits.
Context (A : layout N) (S : shaped A = true) (Bs : below_64 (2 * size A) = true) (Bv : below_64 (2 * cosize A) = true).

Lemma holds_64_fits n r y image i : (forall x, In x image -> x + y * r < 2 * size A) ->
  exists b, holds_64 A (size A) n r y i image = Yes b.
Proof.
  revert i. induction image as [|x image IH]; intros i H; cbn [holds_64]; [eauto|].
  specialize (H x (or_introl eq_refl)) as Hx. unfold times_64, plus_fit. cbn [plus naturals].
  rewrite (fits_below _ (y * r) Bs ltac:(lia)). cbn [and_then].
  rewrite (fits_below _ (x + y * r) Bs ltac:(lia)). cbn [and_then].
  destruct (N.leb_spec (size A) (x + y * r)) as [|L]; [eauto|]. rewrite at_64_fits; cbn [and_then].
  - destruct (_ =? _); [|eauto]. apply IH. intros z I. apply H. now right.
  - rewrite N.add_0_l, value_at_inside by (rewrite <- ?size_product; easy).
    apply (below_64_le _ (2 * cosize A)); [|easy]. pose proof (value_bounded (leaves A) (x + y * r) S). unfold cosize.
    lia.
Qed.

Context (es : list (N * N)) (reach : N).
Context (met : forall x, In (apply A x, x) (image (searched A)) -> In (apply A x, x) es).
Context (gap : ~ In reach (map fst es)) (inside : forall v x, In (v, x) es -> x < size A).

Lemma step_fits m r y : inverting A m -> r < size A -> 1 <= y -> (forall k, 1 <= k < y -> holds_at A m r k) ->
  exists b, holds_64 A (size A) (numel m) r y 0 (map (value_in m) (iota (numel m))) = Yes b /\
    (b = true -> forall k, 1 <= k < y + 1 -> holds_at A m r k).
Proof.
  intros [P V] Hr Hy H. destruct (holds_64_fits (numel m) r y (map (value_in m) (iota (numel m))) 0) as [b Eb].
  - intros x I. apply in_map_iff in I as (i & <- & I). rewrite in_iota in I. destruct (N.eq_dec y 1) as [->|Ne].
    + destruct (V i I). lia.
    + destruct (H (y - 1) ltac:(lia) i I) as [L _]. replace (y * r) with ((y - 1) * r + r) by nia. lia.
  - exists b. split; [exact Eb|]. intros -> k Hk. destruct (N.eq_dec k y) as [->|]; [|apply H; lia]. intros i Hi.
    pose proof (proj1 (holds_64_sound A S _ _ _ _ _ _ Eb) eq_refl (N.to_nat i) (value_in m i)) as W.
    rewrite N2Nat.id, N.add_0_l in W. apply W, nth_iota. now rewrite N2Nat.id.
Qed.
Lemma run_of_64_fits fuel m r y : inverting A m -> r < size A -> 1 <= y ->
  (forall k, 1 <= k < y -> holds_at A m r k) -> reach < y + N.of_nat fuel ->
  exists z, run_of_64 A (size A) fuel (numel m) r y (map (value_in m) (iota (numel m))) = Yes z.
Proof.
  revert y. induction fuel as [|fuel IH]; intros y Im Hr Hy H Lf; cbn [run_of_64];
    destruct (step_fits m r y Im Hr Hy H) as (b & -> & Hb); cbn [and_then]; destruct b; eauto;
    specialize (Hb eq_refl).
  - exfalso. pose proof (inverting_reach A S es reach met gap _ (inverting_more A m r (y + 1) Im ltac:(lia) Hb)) as Le.
    rewrite numel_app in Le. cbn [numel] in Le. pose proof (numel_positive m (proj1 Im)). nia.
  - apply IH; [easy|easy|lia|exact Hb|lia].
Qed.
Lemma extend_64_fits fuel m s : inverting A m -> reach < 258 -> reach < numel m * 2 ^ N.of_nat fuel ->
  exists t, extend_64 A es (size A) reach 257 fuel (numel m) (map (value_in m) (iota (numel m))) m s = Yes t.
Proof.
  revert m s. induction fuel as [|fuel IH]; intros m s Im Lr L.
  - exfalso. pose proof (inverting_reach A S es reach met gap m Im). cbn in L. lia.
  - cbn [extend_64]. destruct (reach <? numel m + numel m); [eauto|]. apply each_below_fits. intros r t Ir.
    apply in_steps in Ir as [Ir _]. destruct (run_of_64_fits 257 m r 1 Im (inside _ _ Ir)) as [z Ez]; [lia|lia|cbn;
      lia|].
    rewrite Ez. cbn [and_then]. destruct (run_of_64_sound A S _ _ _ _ _ Ez) as [H _]. apply each_below_fits.
    intros y u Iy. apply in_downwards in Iy. cbv zeta.
    assert (Ik : inverting A (m ++ [(y, r)])) by (apply inverting_more; [easy|lia|]; intros k Hk; apply H; lia).
    assert (Nk : numel (m ++ [(y, r)]) = numel m * y) by (rewrite numel_app; cbn; lia).
    rewrite repeated_image, <- Nk by apply Im. apply IH; [exact Ik|exact Lr|]. rewrite Nk.
    rewrite Nat2N.inj_succ, N.pow_succ_r' in L. nia.
Qed.
End Fits.

Lemma wide_length (l : list (N * N)) : (forall s d, In (s, d) l -> 1 < s) -> 2 ^ N.of_nat (length l) <= numel l.
Proof.
  induction l as [|[s d] l IH]; intros W; [cbn; lia|]. cbn [length numel]. rewrite Nat2N.inj_succ, N.pow_succ_r'.
  pose proof (W s d (or_introl eq_refl)). specialize (IH (fun t e I => W t e (or_intror I))). nia.
Qed.
Lemma searched_behind A : exists behind, Permutation (wide (weighted (leaves A) 1)) (searched A ++ behind).
Proof.
  destruct (before_gap_begins 1 (weighted_sorted A)) as (behind & E & _). exists behind.
  unfold searched. rewrite <- app_assoc, <- E. unfold weighted_sorted.
  rewrite <- (sort_permutation (fun m : N * (N * N) => fst (snd m)) (weighted_moving A)).
  unfold weighted_moving, wide. apply filter_parts.
Qed.
Lemma searched_spans A : shaped A = true -> span (strides (searched A)) < cosize A /\
  span (weights (searched A)) < size A /\ numel (searched A) <= size A.
Proof.
  intros S. destruct (searched_behind A) as (behind & P). assert (Pw := wide_positive (weighted (leaves A) 1)).
  pose proof (positive_permutation _ _ P Pw) as Pb. rewrite positive_app in Pb. apply andb_true_iff in Pb as [_ Pb].
  pose proof (numel_permutation _ _ P) as Z. rewrite numel_app, numel_wide, numel_weighted in Z
    by (now rewrite positive_weighted). pose proof (numel_positive _ Pb).
  assert (Ps := span_permutation _ _ (Permutation_map (fun m : N * (N * N) => (fst m, fst (snd m))) P)).
  assert (Pv := span_permutation _ _ (Permutation_map (fun m : N * (N * N) => (fst m, snd (snd m))) P)).
  rewrite map_app, span_app in Ps, Pv.
  assert (Wd : forall f : N * N -> N, map (fun m : N * (N * N) => (fst m, f (snd m))) (wide (weighted (leaves A) 1)) =
    wide (map (fun m : N * (N * N) => (fst m, f (snd m))) (weighted (leaves A) 1))).
  { intros f. unfold wide. generalize (weighted (leaves A) 1) as l. induction l as [|x l IH]; [easy|].
    cbn [map List.filter fst]. destruct (1 <? fst x); cbn [map]; now rewrite IH. }
  rewrite Wd, span_wide in Ps, Pv. fold (strides (weighted (leaves A) 1)) in Ps. rewrite strides_weighted in Ps.
  fold (weights (weighted (leaves A) 1)) in Pv. pose proof (weights_span (leaves A) 1 S) as Ws.
  rewrite <- size_product in *. change (span (leaves A)) with (cosize A - 1) in Ps || idtac.
  assert (C : cosize A = 1 + span (leaves A)) by reflexivity. unfold strides, weights in *. repeat split; nia.
Qed.

Lemma span_filter (f : N * N -> bool) l : span (List.filter f l) <= span l.
Proof.
  induction l as [|x l IH]; [easy|]. cbn [List.filter]. unfold span in *. destruct (f x); cbn [map fold_right].
  - now apply N.add_le_mono_l.
  - rewrite IH, N.add_comm. apply N.le_add_r.
Qed.
Lemma sorted_span A : span (strides (weighted_sorted A)) < cosize A.
Proof.
  rewrite strides_sorted. unfold sorted_leaves. rewrite <- (span_permutation _ _ (sort_permutation _ _)).
  pose proof (span_filter (fun m => (1 <? fst m) && negb (snd m =? 0)) (leaves A)) as L.
  change (cosize A) with (1 + span (leaves A)). unfold moving in *. lia.
Qed.
Lemma sorted_ends A : below_64 (2 * cosize A) = true -> ends_below_64 (strides (weighted_sorted A)) = true.
Proof.
  intros B. apply (ends_span _ (cosize A)); [|pose proof (sorted_span A); lia|easy]. intros s d I.
  apply in_map_iff in I as ([t [e w]] & E & I). injection E as <- <-. now apply weighted_sorted_moves in I.
Qed.
Lemma sorted_small A : shaped A = true -> (length (weighted_sorted A) <= length (leaves A))%nat /\
  numel (weighted_sorted A) <= size A.
Proof.
  intros S. unfold weighted_sorted.
  pose proof (sort_permutation (fun m : N * (N * N) => fst (snd m)) (weighted_moving A)) as Q.
  rewrite <- (Permutation_length Q), <- (numel_permutation _ _ Q). unfold weighted_moving.
  destruct (sublist_small _ _ (sublist_filter (fun m : N * (N * N) => (1 <? fst m) && negb (fst (snd m) =? 0))
    (weighted (leaves A) 1))) as [L Z]; [now rewrite positive_weighted|].
  rewrite numel_weighted, <- size_product in Z. split; [|easy]. rewrite L. clear. generalize 1 as w.
  induction (leaves A) as [|[s d] l IH]; intros w; [easy|]. cbn. specialize (IH (w * s)). lia.
Qed.
Lemma contiguous_64_fits A : shaped A = true -> (length (leaves A) <= 32)%nat -> below_64 (2 * size A) = true ->
  below_64 (2 * cosize A) = true -> exists c, contiguous_64 1 (weighted_sorted A) [] = Yes c /\ numel c <= size A /\
    positive c = true.
Proof.
  intros S L Bs Bv. rewrite contiguous_64_complete by now apply sorted_ends. destruct (sorted_small A S) as [Ll Lz].
  destruct (sublist_small _ _ (contiguous_sublist 1 (weighted_sorted A)) (weighted_sorted_positive A S)) as [Lk Zk].
  set (k := contiguous 1 (weighted_sorted A)) in *.
  assert (P : positive (weights k) = true).
  { rewrite positive_weights. apply (sublist_positive _ _ (contiguous_sublist 1 _)). now apply
    weighted_sorted_positive. }
  destruct (push_all_fits (weights k) P) as (c & E & Z & Q).
  - pose proof (merge_length (weights k)) as M. unfold weights in M at 2. rewrite map_length in M. lia.
  - rewrite numel_weights. apply (fits_below _ _ Bs). lia.
  - exists c. split; [exact E|]. rewrite Z, numel_weights. split; [lia|exact Q].
Qed.

Lemma right_search_64_fits A : shaped A = true -> (length (leaves A) <= 32)%nat -> below_64 (2 * size A) = true ->
  below_64 (2 * cosize A) = true -> right_search_64 A <> Beyond.
Proof.
  intros S L Bs Bv. unfold right_search_64. rewrite sort_moving_sorts by exact S. rewrite <- size_product.
  rewrite (fits_below _ (size A) Bs ltac:(lia)). cbn [and_then].
  change (sort stride_of (List.filter moves (weighted (leaves A) 1))) with (weighted_sorted A).
  destruct (contiguous_64_fits A S L Bs Bv) as (c & -> & Zc & Pc). cbn [and_then].
  rewrite before_gap_64_fits; [|pose proof (sorted_span A); apply (fits_below _ _ Bv); lia]. cbn [and_then].
  destruct (still_64_fits (leaves A) 1 S) as [z Ez]; [rewrite N.mul_1_l, <- size_product; apply (fits_below _ _ Bs);
    lia|].
  rewrite Ez. cbn [and_then]. apply still_64_sound in Ez. change (z = zero_leaves A) in Ez. subst z.
  set (e := add_still (zero_leaves A) (before_gap 1 (weighted_sorted A))).
  assert (Pe : Permutation e (searched A)) by apply add_still_permutes.
  pose proof (positive_permutation _ _ (Permutation_sym Pe) (positive_searched A S)) as Qe.
  destruct (searched_spans A S) as (Ss & Sw & Sn).
  assert (Es : span (strides e) = span (strides (searched A))) by apply span_permutation, Permutation_map, Pe.
  assert (Ew : span (weights e) = span (weights (searched A))) by apply span_permutation, Permutation_map, Pe.
  pose proof (numel_permutation _ _ Pe) as En.
  rewrite size_64_fits; [|now rewrite positive_strides|rewrite N.mul_1_l, numel_strides; apply (fits_below _ _ Bs);
    lia].
  rewrite N.mul_1_l, numel_strides. cbn [and_then]. destruct (N.ltb_spec 256 (numel e)) as [|Le]; [discriminate|].
  rewrite size_64_fits; [|exact S|rewrite N.mul_1_l, <- size_product; apply (fits_below _ _ Bs); lia].
  rewrite N.mul_1_l, <- size_product. cbn [and_then].
  rewrite size_64_fits; [|exact Pc|rewrite N.mul_1_l; apply (fits_below _ _ Bs); lia]. rewrite N.mul_1_l. cbn
    [and_then].
  destruct (elements_64_fits e (iota (numel e)) Qe) as [es Ees]; [rewrite Es; apply (fits_below _ _ Bv); lia|
    rewrite Ew; apply (fits_below _ _ Bs); lia|].
  rewrite Ees. cbn [and_then]. apply elements_64_sound in Ees.
  destruct (reach_64_fits 257 (map fst es) 1 []) as (g & Eg & Bg); [constructor|easy|easy|rewrite map_length, Ees,
    map_length, length_iota; cbn; lia|].
  rewrite map_length, Ees, map_length, length_iota in Bg. cbn [length] in Bg.
  rewrite Eg. cbn [and_then]. apply reach_64_sound in Eg.
  assert (met : forall x, In (apply A x, x) (image (searched A)) -> In (apply A x, x) es).
  { intros x I. subst es. exact (Permutation_in _ (image_permutation _ _ (Permutation_sym Pe) (positive_searched A S))
    I). }
  assert (inside : forall v x, In (v, x) es -> x < size A).
  { intros v x I. rewrite Ees in I. apply in_map_iff in I as (i & E & _). rewrite value_in_pairs in E.
    injection E as _ <-. pose proof (value_bounded (weights e) i ltac:(now rewrite positive_weights)) as B.
    fold (span (weights e)) in B. lia. }
  assert (I1 : inverting A []).
  { split; [easy|]. intros i Hi. cbn in Hi. replace i with 0 by lia. cbn [value_in]. split; [now apply size_positive|].
    exact (apply_0 A S). }
  pose proof (numel_positive c Pc) as Zp.
  destruct (extend_64_fits A S Bs Bv es g met Eg inside 9 [] (numel c, []) I1) as [t Et]; [lia|cbn; lia|].
  change (numel []) with 1 in Et. change (map (value_in []) (iota 1)) with [0] in Et. rewrite Et. cbn [and_then].
  apply (extend_64_sound A S es g (numel c) met Eg 257 9 []) in Et as (K & _); [|exact I1|now left|exact ltac:(cbn;
    lia)].
  destruct t as [most [|x m]]; cbn [snd] in *; [discriminate|]. destruct K as [[K _]|[K1 _]]; [discriminate|].
  cbn [snd] in K1. pose proof (inverting_reach A S es g met Eg _ K1) as Lg. destruct K1 as [Pm _].
  destruct (merge_spec _ Pm) as (Zm & _ & _).
  destruct (push_all_fits (x :: m) Pm) as (k & -> & _); [|apply (fits_below _ _ (eq_refl : below_64 258 = true)); lia|
    discriminate].
  pose proof (wide_length (merge (x :: m)) (fun s d I => merged_wide _ s d (merge_merged _ Pm) I)) as W.
  assert (N.of_nat (length (merge (x :: m))) < 9); [|lia]. apply (N.pow_lt_mono_r_iff 2); [lia|]. change (2 ^ 9) with
    512.
  lia.
Qed.

(* With its search, too, wherever twice the elements and twice the values have 64 bits it answers, or leaves open what
   has more than 256 elements before the first gap. *)
Theorem searched_right_inverse_64_complete A : shaped A = true -> held_64 (leaves A) = true ->
  below_64 (2 * size A) = true -> below_64 (2 * cosize A) = true -> searched_right_inverse_64 A <> Beyond.
Proof.
  intros S K Bs Bv. pose proof K as L. apply andb_true_iff in L as [L _]. apply Nat.leb_le in L.
  pose proof (shaped_coalesce A S) as SC. destruct (coalesce_function A S) as [Z V].
  assert (C : cosize (coalesce A) = cosize A).
  { rewrite !cosize_last, Z, V by (easy || (pose proof (size_positive A S); lia)). reflexivity. }
  assert (Lc : (length (leaves (coalesce A)) <= 32)%nat).
  { unfold coalesce. rewrite leaves_unwrapped. pose proof (merge_length (leaves A)). destruct (merge _); cbn in *;
    lia. }
  unfold searched_right_inverse_64, right_inverse_64. rewrite sorted_modes_64_exact by easy.
  rewrite (fits_below _ (size A) Bs ltac:(lia)). cbn [and_then].
  destruct (contiguous_64_fits (coalesce A) SC Lc) as (c & -> & _); [now rewrite Z|now rewrite C|]. cbn [and_then].
  pose proof (sorted_ends (coalesce A)) as E. rewrite C in E. specialize (E Bv).
  assert (H : exists b, single_valued_64 1 (weighted_sorted (coalesce A)) = Yes b).
  { revert E. generalize 1 as n. generalize (weighted_sorted (coalesce A)) as l.
    induction l as [|[s [d w]] l IH]; intros n E; cbn [single_valued_64]; [eauto|]. apply ends_marked in E as [B E].
    destruct (d =? n); [|eauto]. unfold times_64. rewrite B. now apply IH. }
  destruct H as [b ->]. cbn [and_then]. destruct b; [discriminate|now apply right_search_64_fits].
Qed.
