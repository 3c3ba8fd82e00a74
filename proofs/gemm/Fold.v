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
