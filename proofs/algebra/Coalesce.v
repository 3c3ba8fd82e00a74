(* coalesce, filter_zeros, filter: fewer modes, the same function on the domain; and the layout of a table. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Coordinate.
Local Open Scope N_scope.

Section Coalesce.
Context {D : Type} `{module D}.
Notation layout := (layout D).
Notation modes := (list (N * D)).

(* Drops extent 1 and merges neighbours where s*d is the next stride; (s, d) has begun. *)
Fixpoint merge_onto (s : N) (d : D) (l : modes) : modes :=
  match l with
  | [] => [(s, d)]
  | (t, e) :: l =>
      if t =? 1 then merge_onto s d l else if same (s *: d) e then merge_onto (s * t) d l
        else (s, d) :: merge_onto t e l
  end.
Fixpoint merge (l : modes) : modes :=
  match l with
  | [] => []
  | (s, d) :: l => if s =? 1 then merge l else merge_onto s d l
  end.
Definition coalesce (A : layout) : layout := unwrapped (merge (leaves A)).

(* What merge leaves: no extent 1, no leaf that continues the one before. *)
Fixpoint merged (l : modes) : bool :=
  match l with
  | [] => true
  | (s, d) :: l => (1 <? s) && match l with [] => true | (_, e) :: _ => negb (same (s *: d) e) end && merged l
  end.

Lemma merge_onto_spec s d l : 0 < s -> positive l = true ->
  numel (merge_onto s d l) = s * numel l /\ positive (merge_onto s d l) = true /\
  forall i, value_in (merge_onto s d l) i = (i mod s) *: d +: value_in l (i / s).
Proof.
  revert s d. induction l as [|[t e] l IH]; intros s d Hs P.
  - repeat split. now apply positive_cons.
  - apply positive_cons in P as [Ht P]. simpl. destruct (N.eqb_spec t 1) as [->|].
    + destruct (IH s d Hs P) as (E & Q & V). repeat split; [rewrite E; lia|easy|].
      intros i. now rewrite V, N.mod_1_r, times_0, plus_zero, N.div_1_r.
    + destruct (same (s *: d) e) eqn:C.
      * apply same_true in C as <-. destruct (IH (s * t) d (mul_pos _ _ Hs Ht) P) as (E & Q & V).
        repeat split; [rewrite E; lia|easy|]. intros i.
        now rewrite V, mod_mul, times_plus, (N.mul_comm s), times_mul, <- N.div_div, plus_assoc by lia.
      * destruct (IH t e Ht P) as (E & Q & V). simpl. repeat split; [now rewrite E|now apply positive_cons|].
        intros i. now rewrite V.
Qed.

Lemma merge_spec l : positive l = true ->
  numel (merge l) = numel l /\ positive (merge l) = true /\ forall i, value_in (merge l) i = value_in l i.
Proof.
  induction l as [|[s d] l IH]; intros P; [easy|]. apply positive_cons in P as [Hs P]. simpl.
  destruct (N.eqb_spec s 1) as [->|]; [|now apply merge_onto_spec].
  destruct (IH P) as (E & Q & V). repeat split; [rewrite E; lia|easy|].
  intros i. now rewrite V, N.mod_1_r, times_0, plus_zero, N.div_1_r.
Qed.

Lemma merge_onto_merged s d l : 1 < s -> positive l = true ->
  merged (merge_onto s d l) = true /\ exists t m, merge_onto s d l = (t, d) :: m.
Proof.
  revert s d. induction l as [|[t e] l IH]; intros s d Hs P; simpl.
  - split; [|eauto]. apply N.ltb_lt in Hs. now rewrite Hs.
  - apply positive_cons in P as [Ht P]. destruct (N.eqb_spec t 1); [auto|]. destruct (same (s *: d) e) eqn:C.
    + apply IH; [nia|easy].
    + destruct (IH t e ltac:(lia) P) as [M (u & m & E)]. split; [|eauto]. simpl. rewrite E in *.
      apply N.ltb_lt in Hs. now rewrite Hs, C, M.
Qed.

Lemma merge_merged l : positive l = true -> merged (merge l) = true.
Proof.
  induction l as [|[s d] l IH]; intros P; [easy|]. apply positive_cons in P as [Hs P]. simpl.
  destruct (N.eqb_spec s 1); [auto|]. now apply merge_onto_merged; [lia|].
Qed.

Lemma merged_cons s d l : merged ((s, d) :: l) = true ->
  1 < s /\ merged l = true /\ forall t e m, l = (t, e) :: m -> s *: d <> e.
Proof.
  simpl. rewrite !andb_true_iff, N.ltb_lt. intros [[Hs C] M]. repeat split; [easy..|].
  intros t e m -> E. apply same_true in E. now rewrite E in C.
Qed.

Lemma merged_positive l : merged l = true -> positive l = true.
Proof. induction l as [|[s d] l IH]; [easy|]. intros M. apply merged_cons in M as (Hs & M & _). apply positive_cons.
split; [lia|auto]. Qed.

Lemma merge_of_merged l : merged l = true -> merge l = l.
Proof.
  destruct l as [|[s d] l]; [easy|]. intros M. pose proof (merged_cons _ _ _ M) as (Hs & _). simpl.
  assert (s =? 1 = false) as -> by (apply N.eqb_neq; lia). revert s d M Hs.
  induction l as [|[t e] l IH]; intros s d M Hs; [reflexivity|].
  apply merged_cons in M as (_ & M & C). specialize (C t e l eq_refl). pose proof (merged_cons _ _ _ M) as (Ht & _).
  simpl.
  assert (t =? 1 = false) as -> by (apply N.eqb_neq; lia).
  destruct (same (s *: d) e) eqn:S; [now apply same_true in S|]. f_equal. now apply IH.
Qed.

Lemma shaped_coalesce A : shaped A = true -> shaped (coalesce A) = true.
Proof. intros S. unfold coalesce. rewrite shaped_unwrapped. now apply merge_spec. Qed.

Lemma value_in_unwrapped l i : value_in (leaves (unwrapped l)) i = value_in l i.
Proof. rewrite leaves_unwrapped. destruct l; [|reflexivity]. simpl. now rewrite times_zero, plus_zero. Qed.

Lemma apply_unwrapped l i : positive l = true -> i < numel l -> apply (unwrapped l) i = value_in l i.
Proof. intros. rewrite apply_inside, value_in_unwrapped; rewrite ?shaped_unwrapped, ?size_unwrapped; auto. Qed.

(* coalesce keeps the size, and the value at every index below it. *)
Theorem coalesce_function A : shaped A = true ->
  size (coalesce A) = size A /\ forall i, i < size A -> apply (coalesce A) i = apply A i.
Proof.
  intros S. destruct (merge_spec (leaves A) S) as (E & P & V). unfold coalesce. rewrite size_unwrapped, E, size_product.
  split; [reflexivity|]. intros i Hi. rewrite apply_unwrapped, V, apply_inside; rewrite ?E, ?size_product; auto.
Qed.

(* coalesce A is flat, without extent 1 but for 1:0, and no leaf continues the one before. *)
Theorem coalesce_flat A : shaped A = true ->
  coalesce A = Leaf 1 zero \/ merged (leaves (coalesce A)) = true /\ (depth (shape (coalesce A)) <= 1)%nat.
Proof.
  intros S. unfold coalesce. pose proof (merge_merged _ S) as M.
  destruct (merge (leaves A)) as [|[s d] [|[t e] l]]; [now left|right..].
  - split; [exact M|simpl; lia].
  - rewrite leaves_unwrapped. split; [exact M|]. simpl. rewrite !map_map. simpl.
    clear M. assert (fold_right Nat.max 0%nat (map (fun _ : N * D => 0%nat) l) = 0%nat) as E by (induction l; simpl;
      auto).
    now rewrite E.
Qed.

(* coalesce changes nothing the second time. *)
Theorem coalesce_idempotent A : shaped A = true -> coalesce (coalesce A) = coalesce A.
Proof.
  intros S. unfold coalesce at 1. unfold coalesce at 1. rewrite leaves_unwrapped.
  pose proof (merge_merged _ S) as M. unfold coalesce. destruct (merge (leaves A)) as [|m l]; [reflexivity|].
  now rewrite merge_of_merged.
Qed.

(* The length of the run f(0), f(w), f(2w), ... that counts in steps of d, at most n. *)
Fixpoint run (f : N -> D) (d : D) (w n k : N) (fuel : nat) : N :=
  match fuel with
  | O => k
  | S fuel => if (k <? n) && same (f (w * k)) (k *: d) then run f d w n (k + 1) fuel else k
  end.
(* The coalesced layout of f on 0, w, ..., (n-1) w, by its maximal linear runs, when there is one. *)
Fixpoint layout_of_table (f : N -> D) (w n : N) (fuel : nat) : option modes :=
  if n <=? 1 then Some [] else
    match fuel with
    | O => None
    | S fuel =>
        let d := f w in
        let r := run f d w n 1 (N.to_nat n) in
        if n mod r =? 0 then option_map (cons (r, d)) (layout_of_table f (w * r) (n / r) fuel) else None
    end.
Definition table (f : N -> D) (n : N) : option modes := layout_of_table f 1 n (N.to_nat n).

Lemma run_spec f d w n k fuel : k <= n -> (N.to_nat (n - k) <= fuel)%nat ->
  let r := run f d w n k fuel in
  k <= r <= n /\ (forall j, k <= j < r -> f (w * j) = j *: d) /\ (r = n \/ f (w * r) <> r *: d).
Proof.
  revert k. induction fuel as [|fuel IH]; intros k Hk F; simpl.
  - repeat split; try (intros; lia).
  - destruct (N.ltb_spec k n) as [L|]; simpl; [|repeat split; try (intros; lia)].
    destruct (same (f (w * k)) (k *: d)) eqn:S.
    + apply same_true in S. destruct (IH (k + 1)) as (R & V & E); [lia..|]. repeat split; [lia..| |easy].
      intros j Hj. destruct (N.eq_dec j k) as [->|]; [easy|apply V; lia].
    + repeat split; try (intros; lia). right. intros E. apply same_true in E. congruence.
Qed.

(* The table of a merged list of leaves is that list: the first maximal run is the first leaf. *)
Lemma table_of_merged f w l fuel : merged l = true -> (N.to_nat (numel l) <= fuel)%nat ->
  (forall i, i < numel l -> f (w * i) = value_in l i) -> layout_of_table f w (numel l) fuel = Some l.
Proof.
  revert f w fuel. induction l as [|[s d] l IH]; intros f w fuel M F V; [destruct fuel; reflexivity|].
  apply merged_cons in M as (Hs & M & C). pose proof (numel_positive _ (merged_positive _ M)) as Pl.
  pose proof (merged_positive _ M) as P. simpl numel in *.
  assert (2 <= s * numel l) as Hn by nia. destruct fuel as [|fuel]; [lia|].
  cbn [layout_of_table]. destruct (N.leb_spec (s * numel l) 1); [lia|].
  assert (f w = d) as ->.
  { rewrite <- (N.mul_1_r w), V by lia. simpl. rewrite N.mod_small, N.div_small, times_1, value_in_0, plus_comm,
      plus_zero by (easy || lia). reflexivity. }
  assert (low : forall j, j < s -> f (w * j) = j *: d).
  { intros j Hj. rewrite V by nia. simpl. rewrite N.mod_small, N.div_small, value_in_0, plus_comm, plus_zero
      by (easy || lia). reflexivity. }
  destruct (run_spec f d w (s * numel l) 1 (N.to_nat (s * numel l))) as (R & run_low & run_end); [lia..|].
  set (r := run _ _ _ _ _ _) in *.
  assert (r = s) as ->.
  { assert (~ r < s) by (intros L; destruct run_end as [E|E]; [nia|now apply E, low]).
    destruct l as [|[t e] m]; [simpl in R; lia|]. destruct (N.lt_ge_cases s r) as [L|]; [exfalso|lia].
    apply (C t e m eq_refl). rewrite <- run_low by lia. rewrite V by (simpl in *; nia). simpl.
    apply merged_cons in M as (Ht & M & _).
    rewrite N.mod_same, times_0, plus_zero, N.div_same, N.mod_small, N.div_small by lia.
    rewrite times_1, value_in_0, plus_comm, plus_zero by now apply merged_positive. reflexivity. }
  replace (s * numel l) with (numel l * s) by lia. rewrite N.mod_mul, N.eqb_refl, N.div_mul by lia.
  rewrite IH; [reflexivity|easy|nia|].
  intros i Hi. rewrite <- N.mul_assoc, V by nia. simpl.
  replace (s * i) with (0 + s * i) by lia. rewrite digit_mod, digit_div, times_0, plus_zero by lia. reflexivity.
Qed.

(* Completeness: where a layout of n elements is f, the table finds it, coalesced. *)
Lemma table_complete f l : positive l = true ->
  (forall i, i < numel l -> f i = value_in l i) -> table f (numel l) = Some (merge l).
Proof.
  intros P V. destruct (merge_spec l P) as (E & _ & W). unfold table. rewrite <- E.
  apply table_of_merged; [now apply merge_merged|easy|]. intros i Hi. rewrite N.mul_1_l, W. apply V. lia.
Qed.

Lemma table_extensional f g n : (forall i, i < n -> f i = g i) -> table f n = table g n.
Proof.
  assert (runs : forall w n k fuel d, (forall i, i < n -> f (w * i) = g (w * i)) ->
    run f d w n k fuel = run g d w n k fuel).
  { clear. intros w n k fuel d E. revert k. induction fuel as [|fuel IH]; intros k; [reflexivity|]. simpl.
    destruct (N.ltb_spec k n); simpl; [|easy]. rewrite E, IH by easy. reflexivity. }
  unfold table. intros E. assert (E' : forall i, i < n -> f (1 * i) = g (1 * i)) by (intros; rewrite N.mul_1_l; auto).
  clear E. revert E'. generalize 1 at 1 2 3 4 as w. generalize (N.to_nat n) as fuel. intros fuel. revert n.
  induction fuel as [|fuel IH]; intros n w E; cbn [layout_of_table]; [reflexivity|].
  destruct (N.leb_spec n 1); [reflexivity|].
  assert (f w = g w) as -> by (rewrite <- (N.mul_1_r w); apply E; lia). rewrite runs by easy.
  destruct (run_spec g (g w) w n 1 (N.to_nat n)) as (R & _); [lia..|]. set (r := run _ _ _ _ _ _) in *. clearbody r.
  destruct (N.eqb_spec (n mod r) 0) as [Z|]; [|reflexivity]. rewrite (IH (n / r) (w * r)); [reflexivity|].
  intros i Hi. rewrite <- N.mul_assoc. apply E. apply mod_0_divides in Z as [q ->]; [|lia].
  rewrite N.div_mul in Hi by lia. nia.
Qed.

(* Two layouts have the same coalesced form exactly when they are the same function. *)
Theorem coalesce_canonical A B : shaped A = true -> shaped B = true ->
  coalesce A = coalesce B <-> size A = size B /\ forall i, i < size A -> apply A i = apply B i.
Proof.
  intros S T. destruct (coalesce_function A S) as [EA VA], (coalesce_function B T) as [EB VB]. split.
  - intros E. rewrite <- E in *. split; [congruence|]. intros i Hi. rewrite <- VA, VB by congruence. reflexivity.
  - intros [E V]. rewrite !size_product in E. unfold coalesce. f_equal.
    enough (Some (merge (leaves A)) = Some (merge (leaves B))) as K by now injection K.
    rewrite <- (table_complete (apply A)), <- (table_complete (apply B)); try easy.
    + rewrite E. apply table_extensional. intros. apply V. now rewrite size_product, E.
    + intros. apply apply_inside; [easy|now rewrite size_product].
    + intros. apply apply_inside; [easy|now rewrite size_product].
Qed.

(* Mode by mode under a tuple profile; an integer profile is the whole; modes beyond the profile stay. *)
Fixpoint by_profile (f : layout -> layout) (p : tuple) (A : layout) : option layout :=
  match p with
  | Int _ => Some (f A)
  | Tup ps =>
      option_map Node ((fix go ps ms := match ps, ms with
        | [], _ => Some ms
        | p :: ps, m :: ms => x <- by_profile f p m; option_map (cons x) (go ps ms)
        | _ :: _, [] => None
        end) ps (modes_of A))
  end.
Definition coalesce_by (A : layout) (p : tuple) : option layout := by_profile coalesce p A.

Lemma by_profile_modes f A ps :
  by_profile f (Tup ps) A = each_mode (fun m p => by_profile f p m) A ps (skipn (length ps) (modes_of A)).
Proof. cbn [by_profile]. apply (each_mode_walk (fun m p => by_profile f p m) (fun ms => ms)); easy. Qed.

(* With a profile coalesce goes mode by mode; modes beyond stay, a profile of more modes fits nothing. *)
Theorem coalesce_profile A n ps : coalesce_by A (Int n) = Some (coalesce A) /\
  coalesce_by A (Tup ps) = each_mode coalesce_by A ps (skipn (length ps) (modes_of A)).
Proof. split; [easy|]. apply by_profile_modes. Qed.

(* Where p is a tuple it has no more modes than A, and so on inside them. *)
Fixpoint has_modes (p : tuple) (A : layout) : bool :=
  match p with
  | Int _ => true
  | Tup ps =>
      (fix go ps ms := match ps, ms with
         | [], _ => true
         | p :: ps, m :: ms => has_modes p m && go ps ms
         | _ :: _, [] => false
         end) ps (modes_of A)
  end.

(* With a profile coalesce is defined exactly when the profile has nowhere more modes. *)
Theorem coalesce_exists A p : (exists R, coalesce_by A p = Some R) <-> has_modes p A = true.
Proof.
  unfold coalesce_by. revert A. induction p as [n|ps IH] using tuple_induction; intros A; [simpl; split; eauto|].
  cbn [by_profile has_modes]. rewrite (map_defined Node). generalize (modes_of A) as ms. clear A.
  induction IH as [|p ps Hp _ IHl]; intros ms; [split; eauto|].
  destruct ms as [|m ms]; [split; [intros [x E]; discriminate|discriminate]|].
  rewrite andb_true_iff, <- (Hp m), <- (IHl ms). destruct (by_profile coalesce p m) as [x|]; cbn [bind].
  - rewrite (map_defined (cons x)). split; [eauto|now intros []].
  - split; [intros [y E]; discriminate|intros [[y E] _]; discriminate].
Qed.

(* Stride 0 gets extent 1: only what moves is left. *)
Fixpoint filter_zeros (A : layout) : layout :=
  match A with
  | Leaf s d => Leaf (if same d zero then 1 else s) d
  | Node ms => Node (map filter_zeros ms)
  end.
Definition filter (A : layout) : layout := coalesce (filter_zeros A).
Definition filter_by (A : layout) (p : tuple) : option layout := by_profile filter p A.

Definition without_zeros (l : modes) : modes := map (fun m => (if same (snd m) zero then 1 else fst m, snd m)) l.

(* filter_zeros gives extent 1 to the leaves of stride 0 and changes no other. *)
Theorem filter_zeros_leaves A : leaves (filter_zeros A) = without_zeros (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; [reflexivity|]. simpl. unfold without_zeros.
  induction IH as [|m ms Hm _ IH]; simpl; [reflexivity|]. rewrite map_app, Hm. now f_equal.
Qed.

(* filter is coalesce behind filter_zeros; its leaves all move. *)
Theorem filter_definition A : filter A = coalesce (filter_zeros A).
Proof. reflexivity. Qed.

(* With a profile filter goes mode by mode; modes beyond stay, a profile of more modes fits nothing. *)
Theorem filter_profile A n ps : filter_by A (Int n) = Some (filter A) /\
  filter_by A (Tup ps) = each_mode filter_by A ps (skipn (length ps) (modes_of A)).
Proof. split; [easy|]. apply by_profile_modes. Qed.

(* Merging makes no leaf more. *)
Lemma merge_onto_length s d l : (length (merge_onto s d l) <= S (length l))%nat.
Proof.
  revert s d. induction l as [|[t e] l IH]; intros s d; [cbn; lia|]. cbn [merge_onto length].
  destruct (t =? 1); [specialize (IH s d); lia|]. destruct (same _ _); [specialize (IH (s * t) d); lia|].
  cbn [length]. specialize (IH t e). lia.
Qed.
Lemma merge_length l : (length (merge l) <= length l)%nat.
Proof.
  induction l as [|[s d] l IH]; [easy|]. cbn [merge length]. destruct (s =? 1); [lia|]. apply merge_onto_length.
Qed.
End Coalesce.
