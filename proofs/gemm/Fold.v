(* fold: any contraction as a batched product; the modes of three tensors, each called by a letter, grouped by kind. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiling.
Local Open Scope N_scope.

(* A tensor whose modes go by letters. *)
Notation letters := (list N).
Definition has (x : letters) (l : N) : bool := existsb (N.eqb l) x.
Fixpoint distinct_letters (x : letters) : bool :=
  match x with
  | [] => true
  | l :: x => negb (has x l) && distinct_letters x
  end.

Lemma has_in x l : has x l = true <-> In l x.
Proof.
  unfold has. rewrite existsb_exists. split; [intros (m & I & E); apply N.eqb_eq in E; now subst|].
  intros I. exists l. now rewrite N.eqb_refl.
Qed.
Lemma has_not x l : has x l = false <-> ~ In l x.
Proof. rewrite <- has_in. now destruct (has x l). Qed.
Lemma distinct_nodup x : distinct_letters x = true <-> NoDup x.
Proof.
  induction x as [|l x IH]; cbn; [split; [constructor|easy]|]. rewrite andb_true_iff, negb_true_iff, has_not, IH.
  now rewrite NoDup_cons_iff.
Qed.

Section Fold.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* The extents by letter; the modes by letter. *)
Definition named (x : letters) (A : layout) : list (N * layout) := combine x (modes_of A).
Definition extents_named (x : letters) (A : layout) : list (N * N) := map (fun p => (fst p, size (snd p))) (named x A).
Definition one_extent (all : list (N * N)) : bool :=
  forallb (fun p => forallb (fun q => negb (fst p =? fst q) || (snd p =? snd q)) all) all.
Definition in_two (x y z : letters) (l : N) : bool := has x l && has y l || has x l && has z l || has y l && has z l.
Definition well_named (x : letters) (A : layout) (y : letters) (B : layout) (z : letters) (C : layout) : bool :=
  (length x =? rank A)%nat && (length y =? rank B)%nat && (length z =? rank C)%nat &&
  distinct_letters x && distinct_letters y && distinct_letters z &&
  one_extent (extents_named x A ++ extents_named y B ++ extents_named z C) && forallb (in_two x y z) (x ++ y ++ z).

(* The modes of a tensor whose letters are in `order`, in that order, where p says so. *)
Definition mode_of (ms : list (N * layout)) (l : N) : list layout :=
  map snd (List.filter (fun p => fst p =? l) ms).
Definition picked_letters (x order : letters) (p : N -> bool) : letters := List.filter (fun l => has x l && p l) order.
Definition as_group (ms : list layout) : layout :=
  match ms with
  | [] => Leaf 1 zero
  | [m] => m
  | _ => Node ms
  end.
Definition group_of (x : letters) (A : layout) (order : letters) (p : N -> bool) : layout :=
  as_group (flat_map (mode_of (named x A)) (picked_letters x order p)).
Definition three (x : letters) (A : layout) (o1 o2 o3 : letters) (p1 p2 p3 : N -> bool) : layout :=
  Node [group_of x A o1 p1; group_of x A o2 p2; group_of x A o3 p3].
Definition fold (x : letters) (A : layout) (y : letters) (B : layout) (z : letters) (C : layout) :
  option (layout * layout * layout) :=
  let m l := negb (has y l) in let n l := negb (has x l) in let k l := negb (has z l) in
  let p l := has x l && has y l && has z l in
  if well_named x A y B z C
  then Some (three x A z x z m k p, three y B z x z n k p, three z C z z z m n p) else None.

(* Each word has a letter for each mode and none twice, a letter means one extent, none stands in one tensor alone. *)
Definition contracts (x : letters) (A : layout) (y : letters) (B : layout) (z : letters) (C : layout) : Prop :=
  (length x = rank A /\ length y = rank B /\ length z = rank C) /\ (NoDup x /\ NoDup y /\ NoDup z) /\
  (forall l s t, In (l, s) (extents_named x A ++ extents_named y B ++ extents_named z C) ->
    In (l, t) (extents_named x A ++ extents_named y B ++ extents_named z C) -> s = t) /\
  forall l, (In l x -> In l y \/ In l z) /\ (In l y -> In l x \/ In l z) /\ (In l z -> In l x \/ In l y).

Lemma in_two_spec x y z l : In l (x ++ y ++ z) -> in_two x y z l = true <->
  (In l x -> In l y \/ In l z) /\ (In l y -> In l x \/ In l z) /\ (In l z -> In l x \/ In l y).
Proof.
  rewrite !in_app_iff. unfold in_two. rewrite <- !has_in.
  destruct (has x l), (has y l), (has z l); cbn; intuition congruence.
Qed.

(* fold is defined exactly when each letter names one extent and stands in two tensors or three. *)
Theorem fold_exists x A y B z C : (exists F, fold x A y B z C = Some F) <-> contracts x A y B z C.
Proof.
  assert (W : well_named x A y B z C = true <-> contracts x A y B z C).
  { unfold well_named, contracts, one_extent. rewrite !andb_true_iff, !Nat.eqb_eq, !distinct_nodup, !forallb_forall.
    set (all := _ ++ _ ++ _).
    assert (E : (forall p, In p all -> forallb (fun q => negb (fst p =? fst q) || (snd p =? snd q)) all = true) <->
      forall l s t, In (l, s) all -> In (l, t) all -> s = t).
    { split.
      - intros K l s t Is It. specialize (K _ Is). rewrite forallb_forall in K. specialize (K _ It). cbn in K.
        rewrite N.eqb_refl in K. now apply N.eqb_eq.
      - intros K [l s] Is. apply forallb_forall. intros [l' t] It. cbn. destruct (N.eqb_spec l l') as [<-|]; [|easy].
        cbn. apply N.eqb_eq. now apply (K l). }
    assert (T : (forall l, In l (x ++ y ++ z) -> in_two x y z l = true) <-> forall l, (In l x -> In l y \/ In l z) /\
      (In l y -> In l x \/ In l z) /\ (In l z -> In l x \/ In l y)).
    { split; intros K l.
      - destruct (in_dec N.eq_dec l (x ++ y ++ z)) as [I|I]; [now apply in_two_spec, K|].
        rewrite !in_app_iff in I. tauto.
      - intros I. apply in_two_spec; [exact I|apply K]. }
    rewrite E, T. tauto. }
  rewrite <- W. unfold fold. destruct (well_named x A y B z C).
  - split; [easy|eauto].
  - split; [intros [F E]; discriminate|discriminate].
Qed.

Lemma as_group_permutes ms : positive (flat_map leaves ms) = true -> permutes (leaves (as_group ms)) (flat_map leaves
  ms).
Proof.
  intros P. destruct ms as [|m [|n ms]]; cbn [as_group].
  - split; [easy|]. split; [easy|]. cbn [leaves flat_map]. now rewrite units_first.
  - cbn [flat_map] in *. rewrite app_nil_r in *. now apply permutes_same.
  - now apply permutes_same.
Qed.

Lemma nodup_app {X} (l m : list X) : NoDup l -> NoDup m -> (forall x, In x l -> ~ In x m) -> NoDup (l ++ m).
Proof.
  induction 1 as [|x l Nx Nd IH]; intros M K; [easy|]. cbn. constructor.
  - rewrite in_app_iff. intros [I|I]; [easy|]. apply (K x); [now left|easy].
  - apply IH; [easy|]. intros y I. apply K. now right.
Qed.
Lemma modes_by_letter x (ms : list layout) : NoDup x -> length x = length ms -> flat_map (mode_of (combine x ms)) x =
  ms.
Proof.
  intros Nd. revert ms. induction Nd as [|l x Nl Nd IH]; intros [|m ms] L; try discriminate; [easy|]. injection L as L.
  cbn [flat_map combine]. assert (R : forall k, k <> l -> mode_of ((l, m) :: combine x ms) k = mode_of (combine x ms)
    k).
  { intros k Ne. unfold mode_of. cbn [List.filter fst]. destruct (N.eqb_spec l k); [congruence|easy]. }
  assert (H0 : mode_of ((l, m) :: combine x ms) l = [m]).
  { unfold mode_of. cbn [List.filter fst]. rewrite N.eqb_refl. cbn [map snd]. f_equal.
    assert (List.filter (fun p => fst p =? l) (combine x ms) = []) as ->; [|easy]. clear - Nl. revert ms.
    induction x as [|k x IH]; intros [|n ms]; try easy. cbn. destruct (N.eqb_spec k l) as [->|]; [exfalso; apply Nl;
      now left|].
    apply IH. intros I. apply Nl. now right. }
  rewrite H0. cbn [app]. f_equal. rewrite <- (IH ms L) at 2. rewrite !flat_map_concat_map. f_equal. apply map_ext_in.
  intros k I. apply R. intros ->. contradiction.
Qed.

(* Which of three groups a letter goes to: one. *)
Definition goes_once (x o1 o2 o3 : letters) (p1 p2 p3 : N -> bool) : Prop := forall l, In l x ->
  (In l o1 /\ p1 l = true /\ (In l o2 -> p2 l = false) /\ (In l o3 -> p3 l = false)) \/
  (In l o2 /\ p2 l = true /\ (In l o1 -> p1 l = false) /\ (In l o3 -> p3 l = false)) \/
  (In l o3 /\ p3 l = true /\ (In l o1 -> p1 l = false) /\ (In l o2 -> p2 l = false)).
Lemma picked_in x o p l : In l (picked_letters x o p) <-> In l o /\ In l x /\ p l = true.
Proof. unfold picked_letters. rewrite filter_In, andb_true_iff, has_in. tauto. Qed.
Lemma three_letters x o1 o2 o3 p1 p2 p3 : NoDup x -> NoDup o1 -> NoDup o2 -> NoDup o3 -> goes_once x o1 o2 o3 p1 p2 p3
  ->
  Permutation (picked_letters x o1 p1 ++ picked_letters x o2 p2 ++ picked_letters x o3 p3) x.
Proof.
  intros Nx N1 N2 N3 G. apply NoDup_Permutation; [|exact Nx|].
  - apply nodup_app; [now apply NoDup_filter|apply nodup_app; [now apply NoDup_filter..|]|].
    + intros l I J. apply picked_in in I as (I1 & Ix & I2), J as (J1 & _ & J2).
      destruct (G l Ix) as [(_ & _ & A & B)|[(_ & _ & A & B)|(_ & _ & A & B)]];
        rewrite ?A, ?B in * by easy; congruence.
    + intros l I J. apply picked_in in I as (I1 & Ix & I2). apply in_app_iff in J as [J|J];
        apply picked_in in J as (J1 & _ & J2);
        destruct (G l Ix) as [(_ & _ & A & B)|[(_ & _ & A & B)|(_ & _ & A & B)]];
        rewrite ?A, ?B in * by easy; congruence.
  - intros l. rewrite !in_app_iff, !picked_in. split; [tauto|]. intros Ix.
    destruct (G l Ix) as [(A & B & _)|[(A & B & _)|(A & B & _)]]; tauto.
Qed.

Lemma three_values x (A : layout) o1 o2 o3 p1 p2 p3 : shaped A = true -> length x = rank A -> NoDup x -> NoDup o1 ->
  NoDup o2 -> NoDup o3 -> goes_once x o1 o2 o3 p1 p2 p3 ->
  Permutation (image (leaves (three x A o1 o2 o3 p1 p2 p3))) (image (leaves A)).
Proof.
  intros SA L Nx N1 N2 N3 G. rewrite rank_definition in L. pose proof (three_letters _ _ _ _ _ _ _ Nx N1 N2 N3 G) as Q.
  set (g := fun o p => flat_map (mode_of (named x A)) (picked_letters x o p)).
  assert (E : Permutation (g o1 p1 ++ g o2 p2 ++ g o3 p3) (modes_of A)).
  { unfold g. rewrite <- !flat_map_app.
    transitivity (flat_map (mode_of (named x A)) x); [now apply Permutation_flat_map|]. unfold named.
    now rewrite modes_by_letter. }
  assert (F : Permutation (flat_map leaves (g o1 p1) ++ flat_map leaves (g o2 p2) ++ flat_map leaves (g o3 p3))
    (leaves A)).
  { rewrite <- !flat_map_app, (leaves_modes A). now apply Permutation_flat_map. }
  pose proof (positive_permutation _ _ (Permutation_sym F) SA) as P. rewrite !positive_app, !andb_true_iff in P.
  destruct P as (P1 & P2 & P3).
  assert (R : permutes (leaves (three x A o1 o2 o3 p1 p2 p3))
    (flat_map leaves (g o1 p1) ++ flat_map leaves (g o2 p2) ++ flat_map leaves (g o3 p3))).
  { unfold three, group_of. cbn [leaves flat_map]. rewrite app_nil_r.
    repeat apply permutes_app; now apply as_group_permutes. }
  destruct R as (_ & PR & I). rewrite I. now apply image_permutation.
Qed.

(* fold keeps the values of A, B and C. *)
Theorem fold_values x A y B z C A' B' C' : shaped A && shaped B && shaped C = true ->
  fold x A y B z C = Some (A', B', C') -> Permutation (image (leaves A')) (image (leaves A)) /\
  Permutation (image (leaves B')) (image (leaves B)) /\ Permutation (image (leaves C')) (image (leaves C)).
Proof.
  rewrite !andb_true_iff. intros [[SA SB] SC] E.
  destruct (proj1 (fold_exists x A y B z C)) as ((Lx & Ly & Lz) & (Nx & Ny & Nz) & _ & T); [eauto|].
  unfold fold in E. destruct (well_named _ _ _ _ _ _); [|discriminate]. injection E as <- <- <-.
  repeat split; apply three_values; try easy; intros l I; destruct (T l) as (T1 & T2 & T3);
    rewrite ?negb_true_iff, ?negb_false_iff, ?andb_true_iff, ?andb_false_iff, ?has_in, ?has_not.
  all: destruct (in_dec N.eq_dec l x), (in_dec N.eq_dec l y), (in_dec N.eq_dec l z); tauto.
Qed.
End Fold.

(* ---- The products of a contraction. ---- *)

Section Sums.
Context {T : Type} `{module T}.
Notation family := (N * (N -> T))%type.
(* The sums of one value of each family, each family n values of a function. *)
Fixpoint sums (fs : list family) : list T :=
  match fs with
  | [] => [zero]
  | (n, f) :: fs => flat_map (fun y => map (fun i => f i +: y) (iota n)) (sums fs)
  end.
Lemma sums_permutation fs gs : Permutation fs gs -> Permutation (sums fs) (sums gs).
Proof.
  induction 1 as [|[n f] fs gs Q IH|[n f] [m g] fs|fs gs hs Q1 IH1 Q2 IH2]; cbn [sums].
  - reflexivity.
  - now apply Permutation_flat_map.
  - rewrite !flat_map_flat_map. apply flat_map_permutations. intros y. rewrite !flat_map_map, flat_map_swap.
    apply flat_map_permutations. intros q. erewrite map_ext; [reflexivity|]. intros r. cbn beta. rewrite !plus_assoc.
    f_equal. apply plus_comm.
  - now transitivity (sums gs).
Qed.
Lemma sums_app fs gs : sums (fs ++ gs) = flat_map (fun y => map (fun x => x +: y) (sums fs)) (sums gs).
Proof.
  induction fs as [|[n f] fs IH]; cbn [app sums].
  - rewrite (flat_map_ext _ (fun y => [y])) by (intros y; cbn; now rewrite plus_zero).
    induction (sums gs) as [|y l IHl]; [easy|]. cbn. now rewrite <- IHl.
  - rewrite IH, flat_map_flat_map. apply flat_map_ext. intros y. rewrite map_flat_map, flat_map_map. apply flat_map_ext.
    intros x. rewrite map_map. apply map_ext. intros i. apply plus_assoc.
Qed.
(* A group of families as one, its index in digits. *)
Fixpoint together (fs : list family) (i : N) : T :=
  match fs with
  | [] => zero
  | (n, f) :: fs => f (i mod n) +: together fs (i / n)
  end.
Definition count_of (fs : list family) : N := fold_right N.mul 1 (map fst fs).
Lemma sums_together fs : Forall (fun f => 0 < fst f) fs -> sums fs = map (together fs) (iota (count_of fs)).
Proof.
  induction 1 as [|[n f] fs Hn P IH]; [reflexivity|]. cbn [sums]. unfold count_of in *. cbn [map fst fold_right] in *.
  rewrite IH, iota_mul, map_flat_map, flat_map_map. apply flat_map_ext. intros q. rewrite map_map. apply map_ext_in.
  intros r Hr. rewrite in_iota in Hr. cbn [together]. now rewrite digit_mod, digit_div.
Qed.
Lemma sums_of_one fs g : Forall (fun f => 0 < fst f) fs -> (forall i, i < count_of fs -> g i = together fs i) ->
  sums [(count_of fs, g)] = sums fs.
Proof.
  intros P E. rewrite (sums_together fs P). cbn [sums flat_map]. rewrite app_nil_r. apply map_ext_in. intros i Hi.
  rewrite in_iota in Hi. rewrite E by easy. apply plus_zero_r.
Qed.
End Sums.

Section Contraction.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).
(* The value of the mode of a letter, 0 where a tensor has no such mode. *)
Definition along (x : letters) (A : layout) (l i : N) : D :=
  match mode_of (named x A) l with
  | [m] => apply m i
  | _ => zero
  end.
Definition extent_of_letter (x : letters) (A : layout) (l : N) : option N :=
  match mode_of (named x A) l with [m] => Some (size m) | _ => None end.

Lemma together_modes (ms : list layout) i : Forall (fun m => shaped m = true) ms -> i < fold_right N.mul 1 (map size
  ms) ->
  apply (as_group ms) i = together (map (fun m => (size m, apply m)) ms) i.
Proof.
  intros S. revert i. induction S as [|m ms Sm S IH]; intros i Hi; [cbn; now rewrite times_zero|].
  cbn [map fold_right] in Hi. pose proof (size_positive m Sm) as P. cbn [map together].
  assert (Hd : i / size m < fold_right N.mul 1 (map size ms)) by now apply div_below.
  destruct ms as [|n ms].
  - cbn in *. rewrite N.mod_small, plus_zero_r by lia. reflexivity.
  - rewrite <- IH by easy. cbn [as_group]. rewrite apply_cons. f_equal. destruct ms as [|k ms]; reflexivity.
Qed.

Lemma one_mode x (ms : list layout) l : NoDup x -> length x = length ms -> In l x ->
  exists m, mode_of (combine x ms) l = [m] /\ In (l, m) (combine x ms).
Proof.
  intros Nd. revert ms. induction Nd as [|k x Nk Nd IH]; intros [|m ms] L I; try easy. injection L as L.
  unfold mode_of. cbn [combine List.filter fst]. destruct (N.eqb_spec k l) as [->|Ne].
  - exists m. split; [|now left]. cbn [map snd]. f_equal.
    assert (List.filter (fun p => fst p =? l) (combine x ms) = []) as ->; [|easy]. clear - Nk. revert ms.
    induction x as [|j x IH]; intros [|n ms]; try easy. cbn. destruct (N.eqb_spec j l) as [->|]; [exfalso; apply Nk;
      now left|].
    apply IH. intros I. apply Nk. now right.
  - destruct I as [E|I]; [easy|]. destruct (IH ms L I) as (n & E & J). exists n. split; [exact E|now right].
Qed.
Lemma no_mode x (ms : list layout) l : ~ In l x -> mode_of (combine x ms) l = [].
Proof.
  intros Nl. unfold mode_of. assert (List.filter (fun p => fst p =? l) (combine x ms) = []) as ->; [|easy]. revert ms.
  induction x as [|j x IH]; intros [|n ms]; try easy. cbn. destruct (N.eqb_spec j l) as [->|]; [exfalso; apply Nl; now
    left|].
  apply IH. intros I. apply Nl. now right.
Qed.

(* The part of one tensor in a group of letters: its modes, or nothing. *)
Lemma together_has x (A : layout) (e : N -> N) L i : (forall l, In l L -> exists m, mode_of (named x A) l = [m] /\ e l
  = size m) ->
  together (map (fun l => (e l, along x A l)) L) i =
  together (map (fun m => (size m, apply m)) (flat_map (mode_of (named x A)) L)) i.
Proof.
  intros E. revert i. induction L as [|l L IH]; intros i; [easy|]. destruct (E l (or_introl eq_refl)) as (m & M & S).
  cbn [map flat_map together]. unfold along at 1. rewrite M, S. cbn [app map together]. f_equal. apply IH.
  intros k I. apply E. now right.
Qed.
Lemma together_not x (A : layout) (e : N -> N) L i : (forall l, In l L -> mode_of (named x A) l = []) ->
  together (map (fun l => (e l, along x A l)) L) i = zero.
Proof.
  intros E. revert i. induction L as [|l L IH]; intros i; [easy|]. cbn [map together]. unfold along at 1.
  rewrite (E l (or_introl eq_refl)), plus_zero. apply IH. intros k I. apply E. now right.
Qed.
Lemma count_has x (A : layout) (e : N -> N) L : (forall l, In l L -> exists m, mode_of (named x A) l = [m] /\ e l =
  size m) ->
  fold_right N.mul 1 (map e L) = fold_right N.mul 1 (map size (flat_map (mode_of (named x A)) L)).
Proof.
  intros E. induction L as [|l L IH]; [easy|]. destruct (E l (or_introl eq_refl)) as (m & M & S).
  cbn [map flat_map fold_right]. rewrite M. cbn [app map fold_right]. rewrite S, IH; [easy|]. intros k I. apply E. now
    right.
Qed.
Lemma group_size (ms : list layout) : size (as_group ms) = fold_right N.mul 1 (map size ms).
Proof. destruct ms as [|m [|n ms]]; cbn; lia. Qed.
Lemma grouped_shaped x (A : layout) L : shaped A = true -> Forall (fun m => shaped m = true) (flat_map (mode_of (named
  x A)) L).
Proof.
  intros S. assert (Sm : Forall (fun m => shaped m = true) (modes_of A)) by (destruct A; [now constructor|now apply
    shaped_node]).
  rewrite Forall_forall in *. intros m I. apply in_flat_map in I as (l & _ & I). unfold mode_of in I.
  apply in_map_iff in I as ([k n] & <- & I). apply filter_In in I as [I _]. apply Sm. now apply in_combine_r in I.
Qed.

(* A tensor has the letters of a group, each with its extent, or none of them. *)
Definition of_group (x : letters) (A : layout) (e : N -> N) (L : letters) (g : layout) : Prop :=
  (forall l, In l L -> exists m, mode_of (named x A) l = [m] /\ e l = size m) /\
  g = as_group (flat_map (mode_of (named x A)) L).
Lemma of_group_value x A e L g i : shaped A = true -> of_group x A e L g -> i < fold_right N.mul 1 (map e L) ->
  apply g i = together (map (fun l => (e l, along x A l)) L) i.
Proof.
  intros S [G ->] Hi. rewrite together_has by exact G. apply together_modes; [now apply grouped_shaped|].
  now rewrite <- (count_has x A e).
Qed.
Lemma of_group_size x A e L g : of_group x A e L g -> size g = fold_right N.mul 1 (map e L).
Proof. intros [G ->]. rewrite group_size. symmetry. now apply count_has. Qed.
End Contraction.

Lemma together_pair {S T} `{module S} `{module T} (e : N -> N) (f : N -> N -> S) (g : N -> N -> T) L i :
  together (map (fun l => (e l, fun i => (f l i, g l i))) L) i =
  (together (map (fun l => (e l, f l)) L) i, together (map (fun l => (e l, g l)) L) i).
Proof. revert i. induction L as [|l L IH]; intros i; [easy|]. cbn [map together]. rewrite IH. reflexivity. Qed.

Section Products.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* The extent of a letter, in the first tensor that has it. *)
Definition extent_by (x : letters) (A : layout) (y : letters) (B : layout) (z : letters) (C : layout) (l : N) : N :=
  match mode_of (named x A) l ++ mode_of (named y B) l ++ mode_of (named z C) l with m :: _ => size m | [] => 1 end.
Definition family (x : letters) (A : layout) (y : letters) (B : layout) (z : letters) (C : layout) (l : N) :
  N * (N -> D * D * D) :=
  (extent_by x A y B z C l, fun i => (along x A l i, along y B l i, along z C l i)).
(* All (element of A, of B, of C) of the contraction: one for each value of its letters. *)
Definition contraction (x : letters) (A : layout) (y : letters) (B : layout) (z : letters) (C : layout) : list (D * D
  * D) :=
  sums (map (family x A y B z C) (nodup N.eq_dec (x ++ y ++ z))).
(* All of gemm, C(m, n, p) += A(m, k, p) B(n, k, p). *)
Definition gemm_products (A B C : layout) : list (D * D * D) :=
  match A, B, C with
  | Node [am; ak; ap], Node [bn; bk; bp], Node [cm; cn; cp] => sums [
      (size am, fun i => (apply am i, zero, apply cm i)); (size bn, fun i => (zero, apply bn i, apply cn i));
      (size ak, fun i => (apply ak i, apply bk i, zero)); (size ap, fun i => (apply ap i, apply bp i, apply cp i))]
  | _, _, _ => []
  end.

Lemma group_sums x A y B z C L n (a b c : N -> D) : (forall l, In l L -> 0 < extent_by x A y B z C l) ->
  n = fold_right N.mul 1 (map (extent_by x A y B z C) L) ->
  (forall i, i < n -> a i = together (map (fun l => (extent_by x A y B z C l, along x A l)) L) i) ->
  (forall i, i < n -> b i = together (map (fun l => (extent_by x A y B z C l, along y B l)) L) i) ->
  (forall i, i < n -> c i = together (map (fun l => (extent_by x A y B z C l, along z C l)) L) i) ->
  sums [(n, fun i => (a i, b i, c i))] = sums (map (family x A y B z C) L).
Proof.
  intros P Z Va Vb Vc. assert (Cn : n = count_of (map (family x A y B z C) L)) by (unfold count_of; rewrite map_map;
    exact Z).
  rewrite Cn. apply sums_of_one.
  - apply Forall_map, Forall_forall. intros l I. cbn. now apply P.
  - intros i Hi. rewrite <- Cn in Hi. rewrite Va, Vb, Vc by easy. unfold family.
    rewrite (together_pair (extent_by x A y B z C) (fun l i => (along x A l i, along y B l i)) (along z C)).
    now rewrite (together_pair (extent_by x A y B z C) (along x A) (along y B)).
Qed.

Lemma sums_four (f g h k : N * (N -> D * D * D)) F G K M : sums [f] = sums F -> sums [g] = sums G -> sums [h] = sums K
  ->
  sums [k] = sums M -> sums [f; g; h; k] = sums (F ++ G ++ K ++ M).
Proof.
  intros E1 E2 E3 E4. change [f; g; h; k] with ([f] ++ [g] ++ [h] ++ [k]). now rewrite !sums_app, E1, E2, E3, E4.
Qed.

Lemma mode_in x (A : layout) l : length x = rank A -> NoDup x -> shaped A = true -> In l x ->
  exists m, mode_of (named x A) l = [m] /\ In (l, size m) (extents_named x A) /\ 0 < size m.
Proof.
  intros L Nd S I. rewrite rank_definition in L. destruct (one_mode x (modes_of A) l Nd L I) as (m & E & J).
  exists m. split; [exact E|]. split; [unfold extents_named, named; now apply (in_map (fun p => (fst p, size (snd
    p)))) in J|].
  apply size_positive. assert (Sm : Forall (fun m => shaped m = true) (modes_of A)) by (destruct A; [now
    constructor|now apply shaped_node]).
  rewrite Forall_forall in Sm. apply Sm. now apply in_combine_r in J.
Qed.
Lemma extents_agree x (A : layout) y (B : layout) z (C : layout) : shaped A = true -> shaped B = true -> shaped C =
  true ->
  contracts x A y B z C ->
  (forall l, In l x -> exists m, mode_of (named x A) l = [m] /\ extent_by x A y B z C l = size m) /\
  (forall l, In l y -> exists m, mode_of (named y B) l = [m] /\ extent_by x A y B z C l = size m) /\
  (forall l, In l z -> exists m, mode_of (named z C) l = [m] /\ extent_by x A y B z C l = size m) /\
  forall l, In l x \/ In l y \/ In l z -> 0 < extent_by x A y B z C l.
Proof.
  intros SA SB SC ((Lx & Ly & Lz) & (Nx & Ny & Nz) & X & _).
  pose proof (fun l => mode_in x A l Lx Nx SA) as Mx. pose proof (fun l => mode_in y B l Ly Ny SB) as My.
  pose proof (fun l => mode_in z C l Lz Nz SC) as Mz.
  assert (K : forall l, (In l x -> exists m, mode_of (named x A) l = [m] /\ extent_by x A y B z C l = size m /\ 0 <
    size m) /\
    (In l y -> exists m, mode_of (named y B) l = [m] /\ extent_by x A y B z C l = size m /\ 0 < size m) /\
    (In l z -> exists m, mode_of (named z C) l = [m] /\ extent_by x A y B z C l = size m /\ 0 < size m)).
  { intros l. unfold extent_by. specialize (X l).
    destruct (in_dec N.eq_dec l x) as [Ix|Ix]; [destruct (Mx l Ix) as (a & Ea & Ja & Pa)|pose proof (no_mode x
      (modes_of A) l Ix) as Ea; fold (named x A) in Ea];
    destruct (in_dec N.eq_dec l y) as [Iy|Iy]; [destruct (My l Iy) as (b & Eb & Jb & Pb)|pose proof (no_mode y
      (modes_of B) l Iy) as Eb; fold (named y B) in Eb
      |destruct (My l Iy) as (b & Eb & Jb & Pb)|pose proof (no_mode y (modes_of B) l Iy) as Eb; fold (named y B) in Eb];
    (destruct (in_dec N.eq_dec l z) as [Iz|Iz]; [destruct (Mz l Iz) as (c & Ec & Jc & Pc)|pose proof (no_mode z
      (modes_of C) l Iz) as Ec; fold (named z C) in Ec]);
    rewrite Ea, Eb, Ec; cbn [app]; repeat split; intros I; try contradiction; eexists; (split; [reflexivity|]);
    (split; [|assumption]); try reflexivity; apply X; rewrite !in_app_iff; auto. }
  split; [intros l I; destruct (K l) as (K1 & _ & _); destruct (K1 I) as (m & E & S & _); eauto|].
  split; [intros l I; destruct (K l) as (_ & K1 & _); destruct (K1 I) as (m & E & S & _); eauto|].
  split; [intros l I; destruct (K l) as (_ & _ & K1); destruct (K1 I) as (m & E & S & _); eauto|].
  intros l [I|[I|I]]; destruct (K l) as (K1 & K2 & K3);
    [destruct (K1 I) as (m & _ & -> & P)|destruct (K2 I) as (m & _ & -> & P)|destruct (K3 I) as (m & _ & -> & P)];
      exact P.
Qed.

Lemma picked_alike x y o p : (forall l, In l o -> p l = true -> has x l = has y l) ->
  picked_letters x o p = picked_letters y o p.
Proof.
  intros E. unfold picked_letters. apply filter_ext_in. intros l I. destruct (p l) eqn:P; [|now rewrite !andb_false_r].
  rewrite !andb_true_r. now apply E.
Qed.

(* gemm of what fold answers adds the products of the contraction, each once. *)
Theorem fold_contracts x A y B z C A' B' C' : shaped A && shaped B && shaped C = true ->
  fold x A y B z C = Some (A', B', C') -> Permutation (gemm_products A' B' C') (contraction x A y B z C).
Proof.
  rewrite !andb_true_iff. intros [[SA SB] SC] E.
  pose proof (proj1 (fold_exists x A y B z C) (ex_intro _ _ E)) as K.
  destruct (extents_agree x A y B z C SA SB SC K) as (Ex & Ey & Ez & Pos).
  destruct K as ((Lx & Ly & Lz) & (Nx & Ny & Nz) & _ & T).
  unfold fold in E. destruct (well_named _ _ _ _ _ _); [|discriminate]. injection E as <- <- <-.
  set (m := fun l => negb (has y l)). set (n := fun l => negb (has x l)). set (k := fun l => negb (has z l)).
  set (p := fun l => has x l && has y l && has z l).
  set (Lm := picked_letters x z m). set (Ln := picked_letters y z n). set (Lk := picked_letters x x k).
  set (Lp := picked_letters x z p).
  assert (two : forall l, has x l = true \/ has y l = true \/ has z l = true -> in_two x y z l = true).
  { intros l I. apply in_two_spec; [rewrite !in_app_iff, <- !has_in; tauto|apply T]. }
  assert (Em : picked_letters z z m = Lm).
  { apply picked_alike. intros l I P. apply has_in in I. specialize (two l). unfold m, in_two in *.
    destruct (has x l), (has y l), (has z l); cbn in *; try easy; exfalso; intuition congruence. }
  assert (En : picked_letters z z n = Ln).
  { apply picked_alike. intros l I P. apply has_in in I. specialize (two l). unfold n, in_two in *.
    destruct (has x l), (has y l), (has z l); cbn in *; try easy; exfalso; intuition congruence. }
  assert (Ek : picked_letters y x k = Lk).
  { apply picked_alike. intros l I P. apply has_in in I. specialize (two l). unfold k, in_two in *.
    destruct (has x l), (has y l), (has z l); cbn in *; try easy; exfalso; intuition congruence. }
  assert (Ep : picked_letters y z p = Lp /\ picked_letters z z p = Lp).
  { split; apply picked_alike; intros l I P; unfold p in P; destruct (has x l), (has y l), (has z l); cbn in *; easy. }
  assert (Gx : forall L, (forall l, In l L -> In l x) -> of_group x A (extent_by x A y B z C) L
    (as_group (flat_map (mode_of (named x A)) L))) by (intros L I; split; [intros l J; now apply Ex, I|easy]).
  assert (Gy : forall L, (forall l, In l L -> In l y) -> of_group y B (extent_by x A y B z C) L
    (as_group (flat_map (mode_of (named y B)) L))) by (intros L I; split; [intros l J; now apply Ey, I|easy]).
  assert (Gz : forall L, (forall l, In l L -> In l z) -> of_group z C (extent_by x A y B z C) L
    (as_group (flat_map (mode_of (named z C)) L))) by (intros L I; split; [intros l J; now apply Ez, I|easy]).
  assert (Im : forall l, In l Lm -> In l x /\ In l z /\ ~ In l y).
  { intros l I. apply picked_in in I as (I1 & I2 & I3). unfold m in I3. apply negb_true_iff, has_not in I3. auto. }
  assert (In_ : forall l, In l Ln -> In l y /\ In l z /\ ~ In l x).
  { intros l I. apply picked_in in I as (I1 & I2 & I3). unfold n in I3. apply negb_true_iff, has_not in I3. auto. }
  assert (Ik : forall l, In l Lk -> In l x /\ In l y /\ ~ In l z).
  { intros l I. pose proof I as J. rewrite <- Ek in J. apply picked_in in I as (I1 & I2 & I3), J as (_ & J & _).
    unfold k in I3. apply negb_true_iff, has_not in I3. auto. }
  assert (Ip : forall l, In l Lp -> In l x /\ In l y /\ In l z).
  { intros l I. apply picked_in in I as (I1 & I2 & I3). unfold p in I3. rewrite !andb_true_iff, !has_in in I3. tauto. }
  transitivity (sums (map (family x A y B z C) Lm ++ map (family x A y B z C) Ln ++ map (family x A y B z C) Lk ++
    map (family x A y B z C) Lp)).
  2: { unfold contraction. apply sums_permutation. rewrite <- !map_app. apply Permutation_map, NoDup_Permutation.
    - repeat apply nodup_app; try (now apply NoDup_filter); intros l I; rewrite ?in_app_iff; intros J.
      + apply Ik in I. apply Ip in J. tauto.
      + apply In_ in I. destruct J as [J|J]; [apply Ik in J|apply Ip in J]; tauto.
      + apply Im in I. destruct J as [J|[J|J]]; [apply In_ in J|apply Ik in J|apply Ip in J]; tauto.
    - apply NoDup_nodup.
    - intros l. rewrite nodup_In, !in_app_iff. split.
      + intros [I|[I|[I|I]]]; [apply Im in I|apply In_ in I|apply Ik in I|apply Ip in I]; tauto.
      + intros I. assert (W : in_two x y z l = true) by (apply two; rewrite !has_in; tauto). clear I.
        unfold Lm, Ln, Lk, Lp, m, n, k, p. rewrite !picked_in, !negb_true_iff, !andb_true_iff, <- !has_in.
        unfold in_two in W. destruct (has x l), (has y l), (has z l); cbn in W; try discriminate; tauto. }
  unfold three, gemm_products, group_of. fold Lm Ln Lk Lp. rewrite Em, En, Ek. destruct Ep as [-> ->].
  assert (R : forall X : list (D * D * D), forall Y, X = Y -> Permutation X Y) by (intros X Y ->; reflexivity).
  assert (Vx : forall L i, (forall l, In l L -> In l x) -> i < fold_right N.mul 1 (map (extent_by x A y B z C) L) ->
    apply (as_group (flat_map (mode_of (named x A)) L)) i = together (map (fun l => (extent_by x A y B z C l, along x
      A l)) L) i)
    by (intros L i I; apply of_group_value; [easy|now apply Gx]).
  assert (Vy : forall L i, (forall l, In l L -> In l y) -> i < fold_right N.mul 1 (map (extent_by x A y B z C) L) ->
    apply (as_group (flat_map (mode_of (named y B)) L)) i = together (map (fun l => (extent_by x A y B z C l, along y
      B l)) L) i)
    by (intros L i I; apply of_group_value; [easy|now apply Gy]).
  assert (Vz : forall L i, (forall l, In l L -> In l z) -> i < fold_right N.mul 1 (map (extent_by x A y B z C) L) ->
    apply (as_group (flat_map (mode_of (named z C)) L)) i = together (map (fun l => (extent_by x A y B z C l, along z
      C l)) L) i)
    by (intros L i I; apply of_group_value; [easy|now apply Gz]).
  assert (Zx : forall L, (forall l, In l L -> In l x) -> size (as_group (flat_map (mode_of (named x A)) L)) =
    fold_right N.mul 1 (map (extent_by x A y B z C) L)) by (intros L I; exact (of_group_size _ _ _ _ _ (Gx L I))).
  assert (Zy : forall L, (forall l, In l L -> In l y) -> size (as_group (flat_map (mode_of (named y B)) L)) =
    fold_right N.mul 1 (map (extent_by x A y B z C) L)) by (intros L I; exact (of_group_size _ _ _ _ _ (Gy L I))).
  assert (no : forall (w : letters) (W : layout) L i, (forall l, In l L -> ~ In l w) -> zero =
    together (map (fun l => (extent_by x A y B z C l, along w W l)) L) i).
  { intros w W L i I. symmetry. apply together_not. intros l J. apply no_mode. now apply I. }
  assert (Imx : forall l, In l Lm -> In l x) by (intros l I; now apply Im).
  assert (Imz : forall l, In l Lm -> In l z) by (intros l I; now apply Im).
  assert (Imy : forall l, In l Lm -> ~ In l y) by (intros l I; now apply Im).
  assert (Iny : forall l, In l Ln -> In l y) by (intros l I; now apply In_).
  assert (Inz : forall l, In l Ln -> In l z) by (intros l I; now apply In_).
  assert (Inx : forall l, In l Ln -> ~ In l x) by (intros l I; now apply In_).
  assert (Ikx : forall l, In l Lk -> In l x) by (intros l I; now apply Ik).
  assert (Iky : forall l, In l Lk -> In l y) by (intros l I; now apply Ik).
  assert (Ikz : forall l, In l Lk -> ~ In l z) by (intros l I; now apply Ik).
  assert (Ipx : forall l, In l Lp -> In l x) by (intros l I; now apply Ip).
  assert (Ipy : forall l, In l Lp -> In l y) by (intros l I; now apply Ip).
  assert (Ipz : forall l, In l Lp -> In l z) by (intros l I; now apply Ip).
  apply R. apply sums_four; apply group_sums; try (now apply Zx); try (now apply Zy);
    try (intros l I; apply Pos; auto; fail); intros i Hi; rewrite ?Zx, ?Zy in Hi by easy; auto.
Qed.
End Products.
