(* Editing layouts: picking, grouping, adding and pairing modes; slicing and dicing. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Coalesce.
Local Open Scope N_scope.

Section Edit.
Context {D : Type} `{module D}.
Notation layout := (layout D).

Definition select (A : layout) (which : list nat) : option layout := option_map Node (sequence (map (mode A) which)).
Definition take (A : layout) (b e : nat) : option layout :=
  if ((b <=? e) && (e <=? rank A))%nat then Some (Node (firstn (e - b) (skipn b (modes_of A)))) else None.
Definition group (A : layout) (b e : nat) : option layout :=
  if ((b <=? e) && (e <=? rank A))%nat
  then Some (Node (firstn b (modes_of A) ++ Node (firstn (e - b) (skipn b (modes_of A))) :: skipn e (modes_of A)))
    else None.
Definition pad (A : layout) (n : nat) (B : layout) (front : bool) : option layout :=
  if (n <? rank A)%nat then None else if (rank A =? n)%nat then Some A
  else Some (Node (if front then repeat B (n - rank A) ++ modes_of A else modes_of A ++ repeat B (n - rank A))).
Definition append (A B : layout) := pad A (S (rank A)) B false.
Definition prepend (A B : layout) := pad A (S (rank A)) B true.
Definition replace (A : layout) (k : nat) (B : layout) : option layout :=
  _ <- mode A k;
  match A with
  | Leaf _ _ => Some B
  | Node ms => Some (Node (firstn k ms ++ B :: skipn (S k) ms))
  end.
Definition zip (A B : layout) : option layout :=
  match A, B with
  | Leaf _ _, Leaf _ _ => Some (Node [A; B])
  | _, _ => if (rank A =? rank B)%nat
            then Some (Node (map (fun p => Node [fst p; snd p]) (combine (modes_of A) (modes_of B)))) else None
  end.
(* The modes of A zipped: the list of what stands first in each, then second, and so on. *)
Fixpoint transpose (r : nat) (ms : list (list layout)) : list layout :=
  match r with
  | O => []
  | S r => Node (flat_map (fun m => firstn 1 m) ms) :: transpose r (map (@tl layout) ms)
  end.
Definition zip_modes (A : layout) : option layout :=
  match A with
  | Leaf _ _ => Some A
  | Node [] => None
  | Node (Leaf _ _ :: _) => Some A
  | Node (Node n :: ms) =>
      if forallb (fun m => match m with Leaf _ _ => false | Node k => length k =? length n end%nat) ms
      then Some (Node (transpose (length n) (n :: map modes_of ms))) else None
  end.

(* Mode k; an integer layout is its own mode 0. *)
Theorem get_mode (ms : list layout) s (d : D) k : mode (Node ms) k = nth_error ms k /\
  mode (Leaf s d) 0 = Some (Leaf s d) /\ mode (Leaf s d) 1 = None.
Proof. easy. Qed.

(* select lists the modes asked for, in that order. *)
Theorem select_modes (A : layout) j k a b : mode A j = Some a -> mode A k = Some b ->
  select A [j; k] = Some (Node [a; b]).
Proof. intros E F. unfold select. simpl. now rewrite E, F. Qed.

(* take lists the modes from b to e-1; it is undefined unless b <= e <= rank. *)
Theorem take_modes (A : layout) b e : ((b <= e <= rank A)%nat -> exists m, take A b e = Some (Node m) /\
  length m = (e - b)%nat /\ forall k, (k < e - b)%nat -> nth_error m k = mode A (b + k)) /\
(~ (b <= e <= rank A)%nat -> take A b e = None).
Proof.
  unfold take. split; intros R.
  - assert (((b <=? e) && (e <=? rank A))%nat = true) as -> by (apply andb_true_iff; rewrite !Nat.leb_le; lia).
    eexists. split; [reflexivity|]. rewrite rank_definition in R. rewrite firstn_length, skipn_length. split; [lia|].
    intros k Hk. rewrite nth_error_firstn by easy. unfold mode. now rewrite nth_error_skipn.
  - assert (((b <=? e) && (e <=? rank A))%nat = false) as ->; [|easy]. apply not_true_is_false.
    rewrite andb_true_iff, !Nat.leb_le. lia.
Qed.

Lemma leaves_modes (A : layout) : leaves A = flat_map leaves (modes_of A).
Proof. destruct A; simpl; [reflexivity|easy]. Qed.

(* group has the leaves of A, so its values; its mode b is the list of the modes from b to e-1. *)
Theorem group_function (A : layout) b e G : group A b e = Some G ->
  leaves G = leaves A /\ mode G b = Some (Node (firstn (e - b) (skipn b (modes_of A)))).
Proof.
  unfold group. destruct (_ && _) eqn:R; [|discriminate]. apply andb_true_iff in R as [R1 R2]. rewrite Nat.leb_le in *.
  rewrite rank_definition in R2. intros E. injection E as <-. split.
  - transitivity (flat_map leaves (firstn b (modes_of A) ++ firstn (e - b) (skipn b (modes_of A)) ++
      skipn e (modes_of A))).
    + simpl. now rewrite !flat_map_app.
    + now rewrite <- split_twice, <- leaves_modes.
  - unfold mode. simpl. rewrite nth_error_app2; rewrite firstn_length; [|lia].
    now replace (b - Nat.min b (length (modes_of A)))%nat with 0%nat by lia.
Qed.

(* append puts B behind the modes of A, or pads with it until there are n. *)
Theorem append_modes (A B : layout) n : append A B = Some (Node (modes_of A ++ [B])) /\
  ((rank A < n)%nat -> pad A n B false = Some (Node (modes_of A ++ repeat B (n - rank A)))).
Proof.
  unfold append, pad. split.
  - assert (S (rank A) <? rank A = false)%nat as -> by (apply Nat.ltb_ge; lia).
    assert (rank A =? S (rank A) = false)%nat as -> by (apply Nat.eqb_neq; lia).
    now replace (S (rank A) - rank A)%nat with 1%nat by lia.
  - intros R. assert (n <? rank A = false)%nat as -> by (apply Nat.ltb_ge; lia).
    now assert (rank A =? n = false)%nat as -> by (apply Nat.eqb_neq; lia).
Qed.

(* prepend puts it before them. *)
Theorem prepend_modes (A B : layout) n : prepend A B = Some (Node (B :: modes_of A)) /\
  ((rank A < n)%nat -> pad A n B true = Some (Node (repeat B (n - rank A) ++ modes_of A))).
Proof.
  unfold prepend, pad. split.
  - assert (S (rank A) <? rank A = false)%nat as -> by (apply Nat.ltb_ge; lia).
    assert (rank A =? S (rank A) = false)%nat as -> by (apply Nat.eqb_neq; lia).
    now replace (S (rank A) - rank A)%nat with 1%nat by lia.
  - intros R. assert (n <? rank A = false)%nat as -> by (apply Nat.ltb_ge; lia).
    now assert (rank A =? n = false)%nat as -> by (apply Nat.eqb_neq; lia).
Qed.

(* replace puts B at place k and keeps the other modes; an integer is its own mode 0. *)
Theorem replace_mode (ms : list layout) k B s (d : D) : (k < length ms)%nat ->
  (exists R, replace (Node ms) k B = Some R /\
  forall j, mode R j = if (j =? k)%nat then Some B else mode (Node ms) j) /\ replace (Leaf s d) 0 B = Some B.
Proof.
  intros Hk. split; [|easy]. unfold replace, mode. simpl modes_of.
  destruct (nth_error ms k) eqn:E; [|apply nth_error_None in E; lia]. eexists. split; [reflexivity|]. intros j. simpl.
  assert (L : length (firstn k ms) = k) by (rewrite firstn_length; lia).
  destruct (Nat.eqb_spec j k) as [->|Ne]; [rewrite nth_error_app2, L, Nat.sub_diag by lia; easy|].
  destruct (Nat.lt_ge_cases j k).
  - rewrite nth_error_app1 by lia. now apply nth_error_firstn.
  - rewrite nth_error_app2, L by lia. replace (j - k)%nat with (S (j - S k)) by lia. simpl.
    change (match ms with [] => [] | _ :: l => skipn k l end) with (skipn (S k) ms). rewrite nth_error_skipn. f_equal.
    lia.
Qed.

(* zip pairs what stands first, then what stands second, and so on. *)
Theorem zip_pairs (A B C E F G : layout) :
  zip_modes (Node [Node [A; B; C]; Node [E; F; G]]) = Some (Node [Node [A; E]; Node [B; F]; Node [C; G]]).
Proof. reflexivity. Qed.

(* zip undoes itself. *)
Theorem zip_involution (A B C E : layout) : (Z <- zip_modes (Node [Node [A; B]; Node [C; E]]);
  zip_modes Z) = Some (Node [Node [A; B]; Node [C; E]]).
Proof. reflexivity. Qed.

(* flatten has the leaves of A, so its values, in depth 0 or 1. *)
Theorem flatten_function (A : layout) : leaves (flatten A) = leaves A /\ (depth (shape (flatten A)) <= 1)%nat.
Proof.
  destruct A as [s d|ms]; [split; [easy|simpl; lia]|]. simpl. split; [apply leaves_list|]. rewrite !map_map. simpl.
  generalize (flat_map leaves ms) as l. intros l.
  assert (fold_right Nat.max 0%nat (map (fun _ : N * D => 0%nat) l) = 0%nat) as -> by (induction l; simpl; auto). lia.
Qed.

(* Coordinates with open places. *)
Inductive open := Any | At (i : N) | Each (cs : list open).

(* The modes under open places (keep) or those under anything else, spliced into one list. *)
Fixpoint collect (keep : bool) (c : open) (A : layout) : option (list layout) :=
  match c with
  | Any => Some (if keep then [A] else [])
  | At _ => Some (if keep then [] else [A])
  | Each cs =>
      match A with
      | Leaf _ _ => None
      | Node ms =>
          (fix go cs ms := match cs, ms with
             | [], [] => Some []
             | c :: cs, m :: ms => x <- collect keep c m; y <- go cs ms; Some (x ++ y)
             | _, _ => None
             end) cs ms
      end
  end.
Definition picked (keep : bool) (c : open) (A : layout) : option layout :=
  match c with
  | Any => Some (if keep then A else Node [])
  | At _ => Some (if keep then Node [] else A)
  | Each _ => option_map Node (collect keep c A)
  end.
Definition slice := picked true.
Definition dice := picked false.

(* The coordinate with 0 in place of what is open. *)
Fixpoint fixed (c : open) : tuple :=
  match c with
  | Any => Int 0
  | At i => Int i
  | Each cs => Tup (map fixed cs)
  end.
Definition slice_and_offset (c : open) (A : layout) : option (D * layout) :=
  n <- apply_coordinate A (fixed c); R <- slice c A; Some (n, R).
(* The coordinate with the digits of i in the open places, in order; what of i is left. *)
Fixpoint fill (c : open) (A : layout) (i : N) : tuple * N :=
  match c with
  | Any => (Int (i mod size A), i / size A)
  | At j => (Int j, i)
  | Each cs =>
      let '(ts, r) := (fix go cs ms i := match cs with
        | [] => ([], i)
        | c :: cs => let '(t, r) := fill c (hd (Node []) ms) i in let '(ts, q) := go cs (tl ms) r in (t :: ts, q)
        end) cs (modes_of A) i in (Tup ts, r)
  end.
(* The fixed parts of a coordinate, in order. *)
Fixpoint fixed_parts (c : open) : list tuple :=
  match c with
  | Any => []
  | At i => [Int i]
  | Each cs => flat_map fixed_parts cs
  end.

(* slice is the layout of slice_and_offset. *)
Theorem slice_modes c A n R : slice_and_offset c A = Some (n, R) -> slice c A = Some R.
Proof.
  unfold slice_and_offset, bind. destruct (apply_coordinate A (fixed c)); [|discriminate].
  destruct (slice c A); [|discriminate]. congruence.
Qed.

Lemma collected_size c A k d : collect true c A = Some k -> collect false c A = Some d ->
  size (Node k) * size (Node d) = size A.
Proof.
  revert c k d. induction A as [s e|ms IH] using layout_induction; intros [|i|cs] k d K E; try discriminate;
    simpl in K, E; try (injection K as <-; injection E as <-; simpl; lia).
  revert cs k d K E. induction IH as [|m ms Hm _ IH]; intros [|c cs] k d K E; try discriminate.
  - now injection K as <-; injection E as <-.
  - destruct (collect true c m) as [k1|] eqn:K1; [|discriminate].
    destruct (collect false c m) as [d1|] eqn:E1; [|discriminate].
    simpl in K, E. match type of K with bind ?x _ = _ => destruct x as [k2|] eqn:K2; [|discriminate] end.
    match type of E with bind ?x _ = _ => destruct x as [d2|] eqn:E2; [|discriminate] end.
    simpl in K, E. injection K as <-. injection E as <-. specialize (IH cs k2 d2 K2 E2). specialize (Hm c k1 d1 K1 E1).
    simpl in *. rewrite !map_app, !product_app. rewrite <- IH, <- Hm. lia.
Qed.

(* What is kept and what is fixed together have the size of A. *)
Theorem slice_size c A K E : slice c A = Some K -> dice c A = Some E -> size K * size E = size A.
Proof.
  destruct c as [|i|cs]; unfold slice, dice; cbn [picked].
  - intros H1 H2. injection H1 as <-. injection H2 as <-. simpl. lia.
  - intros H1 H2. injection H1 as <-. injection H2 as <-. simpl. lia.
  - destruct (collect true _ A) eqn:K1; [|discriminate]. destruct (collect false _ A) eqn:E1; [|discriminate].
    simpl. intros H1 H2. injection H1 as <-. injection H2 as <-. now apply (collected_size (Each cs)).
Qed.

Lemma collected_positive keep c A k : shaped A = true -> collect keep c A = Some k ->
  positive (flat_map leaves k) = true.
Proof.
  revert c k. induction A as [s e|ms IH] using layout_induction; intros [|j|cs] k S K; try discriminate; simpl in K;
    try (injection K as <-; destruct keep; simpl; rewrite ?app_nil_r; easy).
  rewrite shaped_node in S. revert cs k K.
  induction IH as [|m ms Hm _ IH]; intros [|c cs] k K; try discriminate; [now injection K as <-|].
  apply Forall_cons_iff in S as [S1 S2]. destruct (collect keep c m) as [a|] eqn:A1; [|discriminate]. simpl in K.
  match type of K with bind ?x _ = _ => destruct x as [b|] eqn:B1; [|discriminate] end. simpl in K. injection K as <-.
  now rewrite flat_map_app, positive_app, (Hm c a S1 A1), (IH S2 cs b B1).
Qed.

Lemma apply_int A i : apply_coordinate A (Int i) = Some (apply A i).
Proof. now destruct A. Qed.

(* Filling the open places with the digits of i adds the value of the slice at i to the offset. *)
Lemma fill_spec A c k i : shaped A = true -> collect true c A = Some k ->
  exists n, apply_coordinate A (fixed c) = Some n /\
  apply_coordinate A (fst (fill c A i)) = Some (n +: value_in (flat_map leaves k) i) /\
  snd (fill c A i) = i / numel (flat_map leaves k).
Proof.
  revert c k i. induction A as [s e|ms IH] using layout_induction; intros [|j|cs] k i S K; try discriminate;
    try (simpl in K; injection K as <-; exists (apply (Node ms) j) || eexists; split; [reflexivity|]; simpl;
      now rewrite plus_zero_r, N.div_1_r).
  - simpl in K. injection K as <-. exists zero. simpl. rewrite times_0, plus_zero, plus_zero_r, N.mul_1_r. auto.
  - simpl in K. injection K as <-. exists zero. cbn [flat_map fixed fill fst snd].
    rewrite app_nil_r, plus_zero, !apply_int.
    pose proof (size_positive _ S) as P. rewrite !apply_inside by (try apply N.mod_lt; easy || lia).
    rewrite value_in_0 by exact S. rewrite size_product. now rewrite value_in_periodic by exact S.
  - rewrite shaped_node in S. cbn [fixed fill modes_of].
    enough (exists n, apply_coordinate (Node ms) (Tup (map fixed cs)) = Some n /\
      forall r, r = (fix go cs ms i := match cs with
        | [] => ([], i)
        | c :: cs => let '(t, r) := fill c (hd (Node []) ms) i in let '(ts, q) := go cs (tl ms) r in (t :: ts, q)
        end) cs ms i -> apply_coordinate (Node ms) (Tup (fst r)) = Some (n +: value_in (flat_map leaves k) i) /\
        snd r = i / numel (flat_map leaves k)) as (n & En & Hn).
    { exists n. split; [exact En|]. specialize (Hn _ eq_refl). revert Hn.
      match goal with |- context [Tup (fst ?x)] => destruct x as [ts q] end. easy. }
    revert cs k i K. induction IH as [|m ms Hm _ IH]; intros [|c cs] k i K; try discriminate.
    + injection K as <-. exists zero. split; [reflexivity|]. intros r ->. simpl. now rewrite plus_zero, N.div_1_r.
    + apply Forall_cons_iff in S as [Sm S]. simpl in K. destruct (collect true c m) as [k1|] eqn:K1; [|discriminate].
      simpl in K.
      match type of K with bind ?x _ = _ => destruct x as [k2|] eqn:K2; [|discriminate] end. simpl in K.
      injection K as <-.
      destruct (Hm c k1 i Sm K1) as (n1 & E1 & F1 & R1). pose proof (collected_positive _ _ _ _ Sm K1) as P1.
      assert (positive (flat_map leaves k2) = true) as P2.
      { apply (collected_positive true (Each cs) (Node ms)); [now rewrite shaped_node|exact K2]. }
      destruct (IH S cs k2 (i / numel (flat_map leaves k1)) K2) as (n2 & E2 & H2).
      exists (n1 +: n2). split; [simpl in *; now rewrite E1, E2|]. intros r ->. cbn [hd tl].
      destruct (fill c m i) as [t q]. simpl in F1, R1. subst q. specialize (H2 _ eq_refl). revert H2.
      match goal with |- context [Tup (fst ?x)] => destruct x as [ts q] end. simpl. intros [F2 R2].
      rewrite F1. simpl. rewrite F2. simpl.
      rewrite flat_map_app, value_in_app, numel_app by exact P1. rewrite plus_swap. split; [easy|].
      pose proof (numel_positive _ P1). pose proof (numel_positive _ P2). rewrite R2. apply N.div_div; lia.
Qed.

(* The slice at i behind the offset is A at the coordinate with i in place of what is open. *)
Theorem slice_and_offset_value c A n R i : shaped A = true -> slice_and_offset c A = Some (n, R) -> i < size R ->
  apply_coordinate A (fst (fill c A i)) = Some (n +: apply R i).
Proof.
  intros S E Hi. unfold slice_and_offset, bind in E.
  destruct (apply_coordinate A (fixed c)) as [m|] eqn:F; [|discriminate].
  destruct (slice c A) as [k|] eqn:K; [|discriminate]. injection E as <- <-. unfold slice in K.
  assert (exists k', collect true c A = Some k' /\ leaves k = flat_map leaves k') as (k' & K' & Ek).
  { destruct c as [|j|cs]; cbn [picked] in K;
      [injection K as <-; exists [A]; split; [now destruct A|simpl; now rewrite app_nil_r]| |].
    - injection K as <-. exists []. split; [now destruct A|easy].
    - destruct (collect true _ A) as [k'|]; [|discriminate]. injection K as <-. eauto. }
  destruct (fill_spec A c k' i S K') as (n' & E' & F' & _). rewrite E' in F. injection F as <-. rewrite F', <- Ek.
  rewrite apply_inside; [easy| |easy]. unfold shaped. rewrite Ek. now apply (collected_positive true c A).
Qed.

Lemma apply_coordinate_app k l cs ds x y : apply_coordinate (Node k) (Tup cs) = Some x ->
  apply_coordinate (Node l) (Tup ds) = Some y -> apply_coordinate (Node (k ++ l)) (Tup (cs ++ ds)) = Some (x +: y).
Proof.
  revert cs x. induction k as [|m k IH]; intros [|c cs] x E F; try discriminate.
  - injection E as <-. now rewrite plus_zero.
  - simpl in E. destruct (apply_coordinate m c) as [a|] eqn:A1; [|discriminate]. simpl in E.
    match type of E with bind ?z _ = _ => destruct z as [b|] eqn:B1; [|discriminate] end. simpl in E. injection E as <-.
    specialize (IH cs b B1 F). simpl in *. now rewrite A1, IH, <- plus_assoc.
Qed.

Lemma diced_value c A d : shaped A = true -> collect false c A = Some d ->
  exists n, apply_coordinate A (fixed c) = Some n /\ apply_coordinate (Node d) (Tup (fixed_parts c)) = Some n.
Proof.
  revert c d. induction A as [s e|ms IH] using layout_induction; intros [|j|cs] d S K; try discriminate; simpl in K;
    cbn [fixed];
    try (injection K as <-; exists zero; rewrite apply_int, apply_inside by (try apply size_positive; easy);
         rewrite value_in_0 by exact S; easy);
    try (injection K as <-; eexists; rewrite apply_int; split; [reflexivity|]; simpl; now rewrite ?plus_zero_r).
  rewrite shaped_node in S. cbn [fixed fixed_parts].
  revert cs d K. induction IH as [|m ms Hm _ IH]; intros [|c cs] d K; try discriminate;
    [injection K as <-; exists zero; easy|].
  apply Forall_cons_iff in S as [S1 S2]. destruct (collect false c m) as [a|] eqn:A1; [|discriminate]. simpl in K.
  match type of K with bind ?x _ = _ => destruct x as [b|] eqn:B1; [|discriminate] end. simpl in K. injection K as <-.
  destruct (Hm c a S1 A1) as (x & X1 & X2), (IH S2 cs b B1) as (y & Y1 & Y2). exists (x +: y). split.
  - simpl in *. now rewrite X1, Y1.
  - cbn [flat_map]. now apply apply_coordinate_app.
Qed.

(* A at the filled coordinate is the diced layout at what is fixed, plus the slice at i. *)
Theorem dice_coordinate cs A K E i n : shaped A = true -> slice (Each cs) A = Some K -> dice (Each cs) A = Some E ->
  i < size K -> apply_coordinate E (Tup (fixed_parts (Each cs))) = Some n ->
  apply_coordinate A (fst (fill (Each cs) A i)) = Some (n +: apply K i).
Proof.
  intros S EK EE Hi En. unfold dice in EE. cbn [picked] in EE.
  destruct (collect false _ A) as [d|] eqn:Ed; [|discriminate].
  injection EE as <-. destruct (diced_value _ _ _ S Ed) as (m & Em & En'). rewrite En' in En. injection En as <-.
  apply slice_and_offset_value; [easy| |easy]. unfold slice_and_offset. now rewrite Em, EK.
Qed.
End Edit.
