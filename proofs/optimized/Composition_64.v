(* composition as gpu/algebra/composition.hpp has it, for integer strides: the closed form, and the table behind it. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Coalesce_64 Digits.
Local Open Scope N_scope.

Section Values_64.
Context {D : Type} `{module D} (fits : D -> bool).
Notation modes := (list (N * D)).

Definition times_fit (n : N) (d : D) : outcome D := if fits (n *: d) then Yes (n *: d) else Beyond.
Definition plus_fit (d e : D) : outcome D := if fits (d +: e) then Yes (d +: e) else Beyond.
(* radix::at, and the sum over the digits below the extents. *)
Fixpoint at_64 (l : modes) (i : N) (sum : D) : outcome D :=
  match l with
  | [] => Yes sum
  | (s, d) :: k =>
      match k with
      | [] => t <~ times_fit i d; plus_fit sum t
      | _ => t <~ times_fit (i mod s) d; u <~ plus_fit sum t; at_64 k (i / s) u
      end
  end.
Fixpoint total_64 (l : modes) (i : N) (sum : D) : outcome D :=
  match l with
  | [] => Yes sum
  | (s, d) :: l => t <~ times_fit (i mod s) d; u <~ plus_fit sum t; total_64 l (i / s) u
  end.

Lemma times_fit_sound n d v : times_fit n d = Yes v -> v = n *: d.
Proof. unfold times_fit. destruct (fits _); [|discriminate]. intros E. now injection E. Qed.
Lemma plus_fit_sound d e v : plus_fit d e = Yes v -> v = d +: e.
Proof. unfold plus_fit. destruct (fits _); [|discriminate]. intros E. now injection E. Qed.
Lemma and_then_yes {X Y} (o : outcome X) (f : X -> outcome Y) y : and_then o f = Yes y ->
  exists x, o = Yes x /\ f x = Yes y.
Proof. destruct o; try discriminate. eauto. Qed.

Lemma at_64_sound l i sum v : at_64 l i sum = Yes v -> v = sum +: value_at l i.
Proof.
  revert i sum. induction l as [|[s d] l IH]; intros i sum E; [injection E as <-; symmetry; apply plus_zero_r|].
  cbn [at_64 value_at] in *. destruct l as [|m l].
  - apply and_then_yes in E as (t & Et & E). apply times_fit_sound in Et as ->. now apply plus_fit_sound in E.
  - apply and_then_yes in E as (t & Et & E). apply and_then_yes in E as (u & Eu & E).
    apply times_fit_sound in Et as ->. apply plus_fit_sound in Eu as ->. apply IH in E as ->.
    now rewrite plus_assoc.
Qed.
Lemma total_64_sound l i sum v : total_64 l i sum = Yes v -> v = sum +: value_in l i.
Proof.
  revert i sum. induction l as [|[s d] l IH]; intros i sum E; [injection E as <-; symmetry; apply plus_zero_r|].
  cbn [total_64 value_in] in *.
  apply and_then_yes in E as (t & Et & E). apply and_then_yes in E as (u & Eu & E).
  apply times_fit_sound in Et as ->. apply plus_fit_sound in Eu as ->. apply IH in E as ->. now rewrite plus_assoc.
Qed.
End Values_64.

Section Composition_64.
Context {D : Type} `{module D} (fits : D -> bool).
Notation layout := (layout D).
Notation modes := (list (N * D)).
Notation pieces := (list (N * (D * N))).

(* radix: the merged modes of A, the last unbounded, and their cuts. *)
Definition append_64 (m : modes) (s : N) (d : D) : outcome modes :=
  match m with
  | (t, e) :: _ => if same (t *: e) d then push_64 m s d else Yes ((s, d) :: m)
  | [] => Yes [(s, d)]
  end.
Definition radix_64 (l : modes) : outcome modes :=
  match rev l with
  | [] => Yes []
  | (s, d) :: r => m <~ push_all [] (rev r); n <~ append_64 m s d; Yes (rev n)
  end.
Fixpoint cuts_64 (w : N) (l : modes) : outcome (list N) :=
  match l with
  | [] | [_] => Yes []
  | (s, _) :: l => c <~ times_64 w s; cs <~ cuts_64 c l; Yes (c :: cs)
  end.

(* pieces::put: an extent, its stride, and its stride in B; the last comes first. `count` stand in the leaves before. *)
Definition put_64 (count : nat) (g : pieces) (s : N) (v : D) (place : N) : outcome pieces :=
  let more := if (32 <=? count + length g)%nat then Beyond else Yes ((s, (v, place)) :: g) in
  match g with
  | (t, (e, p)) :: r => if same (t *: e) v then Yes ((t * s, (e, p)) :: r) else more
  | [] => more
  end.

(* whole_leaf: stride 0, extent 1. *)
Definition whole_leaf_64 (l : modes) (last_cut : N) (count : nat) (s d : N) : outcome (option pieces) :=
  if d =? 0 then g <~ put_64 count [] s zero d; Yes (Some g)
  else if 1 <? s then Yes None
  else t <~ times_fit fits (ceil_div_64 d last_cut) (snd (last l (1, zero)));
       g <~ put_64 count [] s t d; Yes (Some g).

(* A at a stride of B, digit by digit. *)
Definition term_add (sum x : D) : outcome D := if same x zero then Yes sum else plus_fit fits sum x.
Fixpoint term_64 (l : modes) (cs : list N) (below d : N) (sum : D) : outcome D :=
  match l, cs with
  | (_, e) :: l, c :: cs =>
      let r := d mod c in
      u <~ (if below <=? r then x <~ times_fit fits (r / below) e; term_add sum x else Yes sum); term_64 l cs c d u
  | (_, e) :: _, [] => if below <=? d then x <~ times_fit fits (d / below) e; term_add sum x else Yes sum
  | [], _ => Yes sum
  end.
Definition run_64 (cs : list N) (s d : N) : N :=
  fold_left (fun run c => if d mod c =? 0 then run else N.min run (ceil_div_64 c (d mod c))) cs s.
(* What a run puts below the cuts is added to what was there; nothing where it reaches one. *)
Fixpoint carry_64 (cs carry : list N) (run d : N) : option (list N) :=
  match cs, carry with
  | c :: cs, x :: carry =>
      let more := (run - 1) * (d mod c) in
      if c - x <=? more then None else option_map (cons (x + more)) (carry_64 cs carry run d)
  | _, _ => Some []
  end.
Fixpoint split_64 (l : modes) (cs : list N) (count : nat) (s d : N) (carry : list N) (g : pieces) (fuel : nat) :
  outcome (option (pieces * list N)) :=
  match fuel with
  | O => Yes None
  | S fuel =>
      t <~ term_64 l cs 1 d zero;
      let r := run_64 cs s d in
      if negb (s mod r =? 0) then Yes None else
      match carry_64 cs carry r d with
      | None => Yes None
      | Some carry =>
          g <~ put_64 count g r t d;
          if r =? s then Yes (Some (g, carry)) else e <~ times_64 d r; split_64 l cs count (s / r) e carry g fuel
      end
  end.
(* The leaves of B in turn; nothing where the closed form refuses. *)
Fixpoint closed_64 (l : modes) (cs : list N) (b : list (N * N)) (count : nat) (carry : list N) :
  outcome (option (list pieces)) :=
  match b with
  | [] => Yes (Some [])
  | (s, d) :: b =>
      w <~ whole_leaf_64 l (last cs 1) count s d;
      x <~ match w with Some g => Yes (Some (g, carry)) | None => split_64 l cs count s d carry [] (N.size_nat s) end;
      match x with
      | None => Yes None
      | Some (g, carry) =>
          y <~ closed_64 l cs b (count + length g) carry; Yes (option_map (cons (rev g)) y)
      end
  end.

(* split_by_table: the longest run of x -> A(x d), again and again. *)
Fixpoint look_64 (l : modes) (d : N) (v : D) (s k : N) (fuel : nat) : outcome N :=
  match fuel with
  | O => Yes k
  | S fuel =>
      if k <? s
      then x <~ times_64 k d; y <~ at_64 fits l x zero; z <~ times_fit fits k v;
           if same y z then look_64 l d v s (k + 1) fuel else Yes k
      else Yes k
  end.
Fixpoint look_split_64 (l : modes) (count : nat) (s d : N) (g : pieces) (fuel : nat) : outcome (option pieces) :=
  if s <=? 1 then Yes (Some g) else
  match fuel with
  | O => Yes None
  | S fuel =>
      v <~ at_64 fits l d zero;
      r <~ look_64 l d v s 2 (N.to_nat (s - 1));
      if negb (s mod r =? 0) then Yes None
      else g <~ put_64 count g r v d; e <~ times_64 d r; look_split_64 l count (s / r) e g fuel
  end.
Fixpoint table_64 (l : modes) (last_cut : N) (b : list (N * N)) (count : nat) : outcome (option (list pieces)) :=
  match b with
  | [] => Yes (Some [])
  | (s, d) :: b =>
      w <~ whole_leaf_64 l last_cut count s d;
      x <~ match w with Some g => Yes (Some g) | None => look_split_64 l count s d [] (N.to_nat s) end;
      match x with
      | None => Yes None
      | Some g => y <~ table_64 l last_cut b (count + length g); Yes (option_map (cons (rev g)) y)
      end
  end.
Definition piece_strides (g : pieces) : modes := map (fun m => (fst m, fst (snd m))) g.
Definition places_of (g : pieces) : list (N * N) := map (fun m => (fst m, snd (snd m))) g.
(* equal_by_table: do the pieces equal A(B(c)) at each of these indices? *)
Fixpoint equal_64 (l : modes) (g : pieces) (is : list N) : outcome bool :=
  match is with
  | [] => Yes true
  | i :: is =>
      x <~ total_64 below_64 (places_of g) i 0; y <~ total_64 fits (piece_strides g) i zero; z <~ at_64 fits l x zero;
      if same y z then equal_64 l g is else Yes false
  end.

(* The pieces in the profile of B: a leaf that is cut becomes a tuple. *)
Fixpoint refill (B : Layout.layout N) (gs : list layout) : layout * list layout :=
  match B with
  | Leaf _ _ => match gs with [] => (Leaf 1 zero, []) | g :: gs => (g, gs) end
  | Node bs =>
      let x := (fix go bs gs := match bs with
        | [] => ([], gs)
        | b :: bs => let r := refill b gs in let rs := go bs (snd r) in (fst r :: fst rs, snd rs)
        end) bs gs in (Node (fst x), snd x)
  end.
Definition filled (B : Layout.layout N) (gs : list pieces) : layout :=
  fst (refill B (map (fun g => unwrapped (piece_strides g)) gs)).

Fixpoint size_64 (l : list (N * N)) (n : N) : outcome N :=
  match l with
  | [] => Yes n
  | (s, _) :: l => m <~ times_64 n s; size_64 l m
  end.
Definition composition_64 (A : layout) (B : Layout.layout N) : outcome layout :=
  l <~ radix_64 (leaves A); cs <~ cuts_64 1 l;
  x <~ closed_64 l cs (leaves B) 0 (map (fun _ => 0) cs);
  match x with
  | Some gs => Yes (filled B gs)
  | None =>
      n <~ size_64 (leaves B) 1;
      if 4096 <? n then Undecided else
      y <~ table_64 l (last cs 1) (leaves B) 0;
      match y with
      | None => No
      | Some gs => e <~ equal_64 l (concat gs) (iota n); if e then Yes (filled B gs) else No
      end
  end.

(* ---- the modes of A ---- *)

Lemma radix_64_sound (l m : modes) : positive l = true -> l <> [] -> radix_64 l = Yes m ->
  positive m = true /\ m <> [] /\ forall i, value_at m i = value_at l i.
Proof.
  intros P Hl E. destruct (rev l) as [|[s d] r] eqn:R; [apply (f_equal (@rev _)) in R;
    now rewrite rev_involutive in R|].
  unfold radix_64 in E. rewrite R in E. apply (f_equal (@rev _)) in R. rewrite rev_involutive in R. cbn [rev] in R.
  subst l. clear Hl. rewrite positive_app in P. apply andb_true_iff in P as [P Q]. apply positive_cons in Q as [Hs _].
  apply and_then_yes in E as (k & Ek & E). apply and_then_yes in E as (n & En & E). injection E as <-.
  apply push_all_merges in Ek; [|easy]. destruct (merge_spec _ P) as (Z & Pm & V). rewrite <- Ek in *.
  assert (plain : n = (s, d) :: k -> positive (rev n) = true /\ rev n <> [] /\
    forall i, value_at (rev n) i = value_at (rev r ++ [(s, d)]) i).
  { intros ->. cbn [rev]. split; [rewrite positive_app, Pm; now apply positive_cons|]. split; [now destruct (rev k)|].
    intros i. now rewrite !value_at_app, V, Z by easy. }
  unfold append_64 in En. destruct k as [|[t e] k]; [injection En as <-; now apply plain|].
  destruct (same (t *: e) d) eqn:C; [|injection En as <-; now apply plain]. clear plain. apply same_true in C.
  cbn [rev] in *. rewrite positive_app in Pm. apply andb_true_iff in Pm as [Pk Pt].
  apply positive_cons in Pt as [Ht _]. rewrite numel_app in Z. cbn [numel] in Z. rewrite N.mul_1_r in Z.
  pose proof (numel_positive _ Pk) as Pz.
  assert (values : forall u i, value_at (rev k ++ [(u, e)]) i = value_at (rev r ++ [(s, d)]) i).
  { intros u i. rewrite !value_at_app, <- V, <- Z, value_in_app by easy. cbn [value_in value_at].
    rewrite plus_zero_r, <- N.div_div, <- C, <- times_mul, <- plus_assoc, <- times_plus by lia. f_equal. f_equal.
    destruct (split_index t (i / numel (rev k)) Ht) as [X _]. lia. }
  unfold push_64 in En. destruct (s =? 1).
  - injection En as <-. cbn [rev]. split; [rewrite positive_app, Pk; now apply positive_cons|].
    split; [now destruct (rev k)|apply values].
  - assert (same (t *: e) d = true) as Q by now apply same_true. rewrite Q in En. unfold times_64 in En.
    destruct (below_64 _); [|discriminate]. injection En as <-. cbn [rev].
    split; [rewrite positive_app, Pk; apply positive_cons; split; [nia|easy]|].
    split; [now destruct (rev k)|apply values].
Qed.
Lemma cuts_64_sound w (l : modes) cs : cuts_64 w l = Yes cs -> cs = cuts_from w l.
Proof.
  revert w cs. induction l as [|[s d] l IH]; intros w cs E; [now injection E|]. cbn [cuts_64 cuts_from] in *.
  destruct l as [|m l]; [now injection E|]. apply and_then_yes in E as (c & Ec & E).
  apply and_then_yes in E as (k & Ek & E). injection E as <-. unfold times_64 in Ec.
  destruct (below_64 _); [|discriminate].
  injection Ec as <-. now rewrite <- (IH _ _ Ek).
Qed.
Lemma cuts_positive w (l : modes) p : 0 < w -> positive l = true -> In p (cuts_from w l) -> 0 < p.
Proof.
  revert w. induction l as [|[s d] l IH]; intros w Hw P I; [easy|]. apply positive_cons in P as [Hs P].
  cbn [cuts_from] in I. destruct l as [|m l]; [easy|]. destruct I as [<-|I]; [nia|].
  apply (IH (w * s)); [nia|easy|easy].
Qed.

Lemma term_add_sound sum x v : term_add sum x = Yes v -> v = sum +: x.
Proof.
  unfold term_add. destruct (same x zero) eqn:Z; [|apply plus_fit_sound].
  apply same_true in Z as ->. intros E. injection E as <-. now rewrite plus_zero_r.
Qed.
Lemma term_64_sound (l : modes) w d sum v : positive l = true -> l <> [] -> 0 < w ->
  term_64 l (cuts_from w l) w d sum = Yes v -> v = sum +: value_at l (d / w).
Proof.
  revert w sum. induction l as [|[s e] l IH]; intros w sum P Hl Hw E; [easy|]. apply positive_cons in P as [Hs P].
  destruct l as [|m l].
  - cbn [cuts_from term_64 value_at] in *. destruct (N.leb_spec w d).
    + apply and_then_yes in E as (x & Ex & E). apply times_fit_sound in Ex as ->. now apply term_add_sound in E.
    + injection E as <-. now rewrite N.div_small, times_0, plus_zero_r by easy.
  - rewrite value_at_cons by easy.
    change (cuts_from w ((s, e) :: m :: l)) with (w * s :: cuts_from (w * s) (m :: l)) in E.
    cbn [term_64] in E. apply and_then_yes in E as (u & Eu & E). apply IH in E as ->; [|easy|easy|nia].
    rewrite N.div_div by lia. rewrite plus_assoc. f_equal. rewrite <- (mod_mul_div d w s) by easy.
    destruct (N.leb_spec w (d mod (w * s))).
    + apply and_then_yes in Eu as (x & Ex & Eu). apply times_fit_sound in Ex as ->. now apply term_add_sound in Eu.
    + injection Eu as <-. now rewrite (N.div_small (d mod (w * s))), times_0, plus_zero_r by easy.
Qed.

(* ---- pieces ---- *)

(* Runs of multiples with the values of A at their strides. *)
Definition lifted_runs (l : modes) (raw : list (N * N)) : pieces := map (fun m => (fst m, (value_at l (snd m), snd
  m))) raw.
Definition matches (l : modes) (g : pieces) (raw : list (N * N)) : Prop :=
  positive raw = true /\ positive g = true /\ numel g = numel raw /\ forall i, value_in g i = value_in (lifted_runs l
    raw) i.
Definition continues_at (g : pieces) (p : N) : Prop := match g with [] => True | (t, (_, q)) :: _ => t * q = p end.

Lemma lifted_runs_app l a b : lifted_runs l (a ++ b) = lifted_runs l a ++ lifted_runs l b.
Proof. apply map_app. Qed.
Lemma numel_lifted l raw : numel (lifted_runs l raw) = numel raw.
Proof. induction raw as [|[s d] raw IH]; [easy|]. cbn [lifted_runs map fst snd numel]. now f_equal. Qed.
Lemma positive_lifted l raw : positive (lifted_runs l raw) = positive raw.
Proof. unfold positive, lifted_runs. induction raw as [|x raw IH]; [easy|]. cbn [map forallb fst]. now f_equal. Qed.
Lemma matches_app l g h a b : matches l g a -> matches l h b -> matches l (g ++ h) (a ++ b).
Proof.
  intros (Pa & Pg & Zg & Vg) (Pb & Ph & Zh & Vh). unfold matches.
  rewrite !positive_app, !numel_app, Pa, Pg, Pb, Ph, Zg, Zh.
  repeat split. intros i. rewrite lifted_runs_app, !value_in_app, Vg, Vh, Zg, numel_lifted by now rewrite
    ?positive_lifted.
  reflexivity.
Qed.
Lemma matches_one l s d : 0 < s -> matches l [(s, (value_at l d, d))] [(s, d)].
Proof. intros Hs. repeat split; now apply positive_cons. Qed.
Lemma put_64_sound l count g g' raw s p : matches l (rev g) raw -> continues_at g p -> 0 < s ->
  put_64 count g s (value_at l p) p = Yes g' ->
  matches l (rev g') (raw ++ [(s, p)]) /\ continues_at g' (s * p) /\ g' <> [].
Proof.
  intros M C Hs E. pose proof (matches_app _ _ _ _ _ M (matches_one l s p Hs)) as M'.
  assert (plain : g' = (s, (value_at l p, p)) :: g -> matches l (rev g') (raw ++ [(s, p)]) /\ continues_at g' (s * p) /\
    g' <> []) by (intros ->; easy).
  unfold put_64 in E. destruct g as [|[t [e q]] r].
  - destruct (_ <=? _)%nat; [discriminate|]. injection E as <-. now apply plain.
  - destruct (same (t *: e) (value_at l p)) eqn:S.
    + injection E as <-. clear plain. apply same_true in S. cbn [continues_at] in C. cbn [rev] in *.
      destruct M as (_ & Pg & _). rewrite positive_app in Pg. apply andb_true_iff in Pg as [Pr Pt].
      apply positive_cons in Pt as [Ht _]. split; [|cbn; split; [lia|easy]].
      destruct M' as (Pa & _ & Z & V). split; [easy|]. split; [rewrite positive_app, Pr; apply positive_cons; split;
        [nia|easy]|].
      rewrite <- Z. split; [rewrite !numel_app; cbn [numel]; lia|]. intros i.
      rewrite <- V, <- app_assoc, !value_in_app by easy.
      f_equal. cbn [value_in app]. rewrite mod_mul, times_plus, (N.mul_comm t), times_mul, plus_assoc by easy.
      do 3 f_equal. cbn. now rewrite S, C.
    + destruct (_ <=? _)%nat; [discriminate|]. injection E as <-. now apply plain.
Qed.

(* ---- the closed form ---- *)

Definition carried (cs carry : list N) (runs : list (N * N)) : Prop :=
  carry = map (fun c => reach_below c runs) cs /\ Forall (fun c => reach_below c runs < c) cs.
Lemma reach_below_app c a b : reach_below c (a ++ b) = reach_below c a + reach_below c b.
Proof. unfold reach_below. induction a as [|x a IH]; [easy|]. cbn [app map fold_right]. rewrite IH. lia. Qed.
Lemma carry_64_sound cs carry run d runs carry' : carried cs carry runs -> carry_64 cs carry run d = Some carry' ->
  carried cs carry' (runs ++ [(run, d)]).
Proof.
  intros [-> F]. revert carry'. induction F as [|c cs Hc F IH]; intros carry' E; cbn [map carry_64] in E.
  - injection E as <-. now split.
  - destruct (N.leb_spec (c - reach_below c runs) ((run - 1) * (d mod c))) as [|L]; [discriminate|].
    destruct (carry_64 cs _ run d) as [k|]; [|discriminate]. injection E as <-. destruct (IH k eq_refl) as [-> G].
    assert (X : reach_below c (runs ++ [(run, d)]) = reach_below c runs + (run - 1) * (d mod c)).
    { rewrite reach_below_app. unfold reach_below at 2. cbn [map fold_right fst snd]. lia. }
    split; [cbn [map]; now rewrite X|]. constructor; [rewrite X; lia|easy].
Qed.

Lemma split_64_sound l cs count before fuel s d carry g raw g' carry' : positive l = true -> l <> [] -> cs = cuts l ->
  0 < s -> matches l (rev g) raw -> continues_at g d -> carried cs carry (before ++ raw) ->
  split_64 l cs count s d carry g fuel = Yes (Some (g', carry')) -> exists more,
  matches l (rev g') (raw ++ more) /\ g' <> [] /\ positive more = true /\ numel more = s /\
  (forall i, value_in more i = i mod s * d) /\ carried cs carry' (before ++ raw ++ more).
Proof.
  intros Pl Hl Ec. revert s d carry g raw. induction fuel as [|fuel IH]; intros s d carry g raw Hs M C K E;
    [discriminate|].
  cbn [split_64] in E. apply and_then_yes in E as (t & Et & E). subst cs.
  apply term_64_sound in Et; [|easy|easy|lia]. rewrite plus_zero, N.div_1_r in Et. subst t.
  set (r := run_64 (cuts l) s d) in *. clearbody r. destruct (N.eqb_spec (s mod r) 0) as [Z|]; [|discriminate].
  cbn [negb] in E. destruct (N.eq_dec r 0) as [->|Hr]; [destruct s; [lia|discriminate]|].
  apply mod_0_divides in Z as [q ->]; [|lia].
  destruct (carry_64 (cuts l) carry r d) as [k|] eqn:Ek; [|discriminate].
  apply and_then_yes in E as (h & Eh & E). apply (put_64_sound l count g h raw) in Eh as (M' & C' & Hh);
    [|easy|easy|lia].
  apply (carry_64_sound _ _ _ _ _ _ K) in Ek. rewrite <- app_assoc in Ek.
  destruct (N.eqb_spec r (q * r)) as [Q|Q].
  - injection E as <- <-. exists [(r, d)]. assert (q = 1) as -> by nia. rewrite N.mul_1_l in *.
    split; [easy|]. split; [easy|]. split; [apply positive_cons; split; [lia|easy]|]. split; [cbn; lia|].
    split; [|easy].
    intros i. cbn. lia.
  - apply and_then_yes in E as (e & Ee & E). unfold times_64 in Ee. destruct (below_64 _); [|discriminate].
    injection Ee as <-. rewrite N.div_mul in E by easy. rewrite (N.mul_comm r d) in C'.
    destruct (IH q (d * r) k h (raw ++ [(r, d)]) ltac:(nia) M' C') as (more & M2 & Hg & Pm & Zm & Vm & K2); [|exact E|].
    { exact Ek. }
    exists ((r, d) :: more). rewrite <- app_assoc in M2, K2. split; [exact M2|]. split; [easy|].
    split; [apply positive_cons; split; [lia|easy]|]. split; [cbn [numel]; lia|]. split; [|exact K2].
    intros i. cbn [value_in]. rewrite Vm, (N.mul_comm q), mod_mul by nia. cbn. lia.
Qed.

Lemma whole_leaf_64_sound l last_cut count s d g : positive l = true -> 0 < s ->
  whole_leaf_64 l last_cut count s d = Yes (Some g) -> matches l (rev g) [(s, d)] /\ g <> [] /\
  forall c, reach_below c [(s, d)] = 0 \/ c = 0.
Proof.
  intros Pl Hs E. unfold whole_leaf_64 in E. destruct (N.eqb_spec d 0) as [->|Hd].
  - apply and_then_yes in E as (h & Eh & E). injection E as <-. unfold put_64 in Eh.
    destruct (_ <=? _)%nat; [discriminate|]. injection Eh as <-. split; [|split; [easy|]].
    + cbn [rev app]. rewrite <- (value_at_0 l Pl) at 1. now apply matches_one.
    + intros c. destruct (N.eq_dec c 0); [now right|left]. unfold reach_below. cbn. rewrite N.mod_0_l by easy. lia.
  - destruct (N.ltb_spec 1 s); [discriminate|]. replace s with 1 in * by lia.
    apply and_then_yes in E as (t & _ & E). apply and_then_yes in E as (h & Eh & E). injection E as <-.
    unfold put_64 in Eh.
    destruct (_ <=? _)%nat; [discriminate|]. injection Eh as <-. split; [|split; [easy|]].
    + repeat split. intros i. cbn [rev app value_in lifted_runs map fst snd]. now rewrite N.mod_1_r, !times_0.
    + intros c. left. unfold reach_below. cbn. lia.
Qed.

(* The pieces of each leaf of B: as many elements, and some pieces. *)
Definition of_leaf (b : N * N) (g : pieces) : Prop := numel g = fst b /\ positive g = true /\ g <> [].
Lemma rev_nonempty {X} (l : list X) : l <> [] -> rev l <> [].
Proof. destruct l; [easy|]. cbn. now destruct (rev l). Qed.
Lemma single_value s d i : value_in [(s, d)] i = i mod s * d.
Proof. cbn. lia. Qed.
Lemma leaf_values (b : list (N * N)) s d a raw : positive a = true -> numel a = s ->
  (forall i, value_in a i = i mod s * d) -> (forall i, value_in raw i = value_in b i) ->
  forall i, value_in (a ++ raw) i = value_in ((s, d) :: b) i.
Proof. intros P Z V W i. rewrite value_in_app, V, W, Z by easy. reflexivity. Qed.

Lemma closed_64_sound l cs b before count carry gs : positive l = true -> l <> [] -> cs = cuts l -> positive b = true ->
  carried cs carry before -> closed_64 l cs b count carry = Yes (Some gs) -> exists raw,
  matches l (concat gs) raw /\ Forall2 of_leaf b gs /\ (forall i, value_in raw i = value_in b i) /\
  Forall (fun c => reach_below c (before ++ raw) < c) cs.
Proof.
  intros Pl Hl Ec. revert before count carry gs.
  induction b as [|[s d] b IH]; intros before count carry gs Pb K E; cbn [closed_64] in E.
  - injection E as <-. exists []. rewrite app_nil_r. split; [now repeat split|]. split; [constructor|].
    split; [easy|apply K].
  - apply positive_cons in Pb as [Hs Pb]. apply and_then_yes in E as (w & Ew & E).
    apply and_then_yes in E as (x & Ex & E). destruct x as [[g carry']|]; [|discriminate].
    apply and_then_yes in E as (y & Ey & E). destruct y as [hs|]; [|discriminate]. injection E as <-.
    assert (exists a, matches l (rev g) a /\ g <> [] /\ positive a = true /\ numel a = s /\
      (forall i, value_in a i = i mod s * d) /\ carried cs carry' (before ++ a)) as (a & M & Hg & Pa & Za & Va & K').
    { destruct w as [h|].
      - injection Ex as <- <-. destruct (whole_leaf_64_sound l _ count s d h Pl Hs Ew) as (M & Hh & R).
        exists [(s, d)]. split; [easy|]. split; [easy|]. split; [now apply positive_cons|]. split; [cbn; lia|].
        split; [apply single_value|]. destruct K as [-> F].
        assert (X : Forall (fun c => reach_below c (before ++ [(s, d)]) = reach_below c before) cs).
        { apply Forall_forall. intros c I. rewrite reach_below_app. destruct (R c) as [->| ->]; [lia|].
          rewrite Forall_forall in F. specialize (F 0 I). lia. }
        split; [apply map_ext_in; intros c I; rewrite Forall_forall in X; symmetry; now apply X|].
        rewrite Forall_forall in *. intros c I. rewrite X by easy. now apply F.
      - destruct (split_64_sound l cs count before (N.size_nat s) s d carry [] [] g carry' Pl Hl Ec Hs) as (a & A);
        [now repeat split|easy| |exact Ex|].
        + now rewrite app_nil_r.
        + exists a. exact A. }
    destruct (IH _ _ _ _ Pb K' Ey) as (raw & M2 & F2 & V2 & R2). rewrite <- app_assoc in R2.
    exists (a ++ raw). split; [now apply matches_app|]. split; [constructor; [|easy]|].
    + destruct M as (_ & Pg & Zg & _). cbn. repeat split; [now rewrite Zg|easy|now apply rev_nonempty].
    + split; [now apply leaf_values|easy].
Qed.

(* ---- the table ---- *)

Lemma look_64_positive l d v s k fuel r : 0 < k -> look_64 l d v s k fuel = Yes r -> 0 < r.
Proof.
  revert k. induction fuel as [|fuel IH]; intros k Hk E; cbn [look_64] in E; [injection E as <-; easy|].
  destruct (k <? s); [|injection E as <-; easy]. apply and_then_yes in E as (x & _ & E).
  apply and_then_yes in E as (y & _ & E). apply and_then_yes in E as (z & _ & E).
  destruct (same y z); [apply (IH (k + 1)); [lia|easy]|injection E as <-; easy].
Qed.
Lemma look_64_run (f : N -> D) w l d v s k fuel r : (forall j, f (w * j) = value_at l (j * d)) ->
  look_64 l d v s k fuel = Yes r -> run f v w s k fuel = r.
Proof.
  intros F. revert k. induction fuel as [|fuel IH]; intros k E; cbn [look_64 run] in *; [now injection E|].
  destruct (k <? s); cbn [andb]; [|now injection E]. apply and_then_yes in E as (x & Ex & E).
  apply and_then_yes in E as (y & Ey & E). apply and_then_yes in E as (z & Ez & E). unfold times_64 in Ex.
  destruct (below_64 _); [|discriminate]. injection Ex as <-. apply at_64_sound in Ey. rewrite plus_zero in Ey. subst y.
  apply times_fit_sound in Ez as ->. rewrite F. destruct (same _ _); [now apply IH|now injection E].
Qed.
Lemma look_64_longest (f : N -> D) w l d s r : (forall j, f (w * j) = value_at l (j * d)) -> 1 < s ->
  look_64 l d (value_at l d) s 2 (N.to_nat (s - 1)) = Yes r -> run f (f w) w s 1 (N.to_nat s) = r.
Proof.
  intros F Hs E. replace (N.to_nat s) with (S (N.to_nat (s - 1))) by lia. cbn [run].
  assert (f w = value_at l d) as X by (rewrite <- (N.mul_1_r w), F; now rewrite N.mul_1_l).
  rewrite N.mul_1_r, times_1, (proj2 (same_true (f w) (f w)) eq_refl), andb_true_r, X.
  destruct (N.ltb_spec 1 s); [|lia]. now apply look_64_run with l d.
Qed.
Definition valued (l : modes) (raw : list (N * N)) : modes := map (fun m => (fst m, value_at l (snd m))) raw.

(* The pieces found are those of the table of x -> A(x d). *)
Lemma look_split_64_sound (f : N -> D) w l count fuel s d g raw g' : positive l = true -> l <> [] ->
  (forall j, f (w * j) = value_at l (j * d)) -> 0 < s -> matches l (rev g) raw -> continues_at g d -> 1 < s \/ g <> []
    ->
  look_split_64 l count s d g fuel = Yes (Some g') -> exists more,
  matches l (rev g') (raw ++ more) /\ g' <> [] /\ positive more = true /\ numel more = s /\
  (forall i, value_in more i = i mod s * d) /\ layout_of_table f w s fuel = Some (valued l more).
Proof.
  intros Pl Hl. revert w s d g raw. induction fuel as [|fuel IH]; intros w s d g raw Fw Hs M C Ne E;
    cbn [look_split_64 layout_of_table] in *.
  - destruct (N.leb_spec s 1); [|discriminate]. injection E as <-. exists []. replace s with 1 by lia.
    rewrite app_nil_r. split; [easy|]. split; [destruct Ne; [lia|easy]|]. repeat split. intros i. now rewrite N.mod_1_r.
  - destruct (N.leb_spec s 1).
    { injection E as <-. exists []. replace s with 1 by lia. rewrite app_nil_r. split; [easy|].
      split; [destruct Ne; [lia|easy]|]. repeat split. intros i. now rewrite N.mod_1_r. }
    apply and_then_yes in E as (v & Ev & E). apply at_64_sound in Ev. rewrite plus_zero in Ev. subst v.
    apply and_then_yes in E as (r & Er & E). rewrite (look_64_longest f w l d s r Fw ltac:(easy) Er).
    apply look_64_positive in Er; [|lia].
    destruct (N.eqb_spec (s mod r) 0) as [Z|]; [|discriminate]. cbn [negb] in E.
    apply mod_0_divides in Z as [q ->]; [|lia].
    apply and_then_yes in E as (h & Eh & E). apply (put_64_sound l count g h raw) in Eh as (M' & C' & Hh);
      [|easy|easy|lia].
    apply and_then_yes in E as (e & Ee & E). unfold times_64 in Ee. destruct (below_64 _); [|discriminate].
    injection Ee as <-. rewrite N.div_mul in * by lia. rewrite (N.mul_comm r d) in C'.
    destruct (IH (w * r) q (d * r) h (raw ++ [(r, d)])) as (more & M2 & Hg & Pm & Zm & Vm & T);
      [|nia|easy|easy|now right|easy|].
    { intros j. rewrite <- N.mul_assoc, Fw. f_equal. lia. }
    exists ((r, d) :: more). rewrite <- app_assoc in M2. split; [exact M2|]. split; [easy|].
    split; [apply positive_cons; split; [lia|easy]|]. split; [cbn [numel]; lia|]. split.
    + intros i. cbn [value_in]. rewrite Vm, (N.mul_comm q), mod_mul by nia. cbn. lia.
    + rewrite T. cbn [option_map valued map fst snd]. rewrite <- (N.mul_1_r w) at 1. now rewrite Fw, N.mul_1_l.
Qed.
(* Where none are found the table has no layout. *)
Lemma look_split_64_refuses (f : N -> D) w l count fuel s d g : (forall j, f (w * j) = value_at l (j * d)) ->
  look_split_64 l count s d g fuel = Yes None -> layout_of_table f w s fuel = None.
Proof.
  revert w s d g. induction fuel as [|fuel IH]; intros w s d g Fw E; cbn [look_split_64 layout_of_table] in *;
    destruct (N.leb_spec s 1); try discriminate; [easy|].
  apply and_then_yes in E as (v & Ev & E). apply at_64_sound in Ev. rewrite plus_zero in Ev. subst v.
  apply and_then_yes in E as (r & Er & E). rewrite (look_64_longest f w l d s r Fw ltac:(easy) Er).
  destruct (N.eqb_spec (s mod r) 0) as [Z|]; [|easy]. cbn [negb] in E.
  apply and_then_yes in E as (h & _ & E). apply and_then_yes in E as (e & Ee & E). unfold times_64 in Ee.
  destruct (below_64 _); [|discriminate]. injection Ee as <-. rewrite (IH (w * r) (s / r) (d * r) h); [easy| |easy].
  intros j. rewrite <- N.mul_assoc, Fw. f_equal. lia.
Qed.
Lemma table_64_sound l last_cut b count gs : positive l = true -> l <> [] -> positive b = true ->
  table_64 l last_cut b count = Yes (Some gs) -> exists raw,
  matches l (concat gs) raw /\ Forall2 of_leaf b gs /\ forall i, value_in raw i = value_in b i.
Proof.
  intros Pl Hl. revert count gs. induction b as [|[s d] b IH]; intros count gs Pb E; cbn [table_64] in E.
  - injection E as <-. exists []. now repeat split.
  - apply positive_cons in Pb as [Hs Pb]. apply and_then_yes in E as (w & Ew & E).
    apply and_then_yes in E as (x & Ex & E). destruct x as [g|]; [|discriminate].
    apply and_then_yes in E as (y & Ey & E). destruct y as [hs|]; [|discriminate]. injection E as <-.
    assert (exists a, matches l (rev g) a /\ g <> [] /\ positive a = true /\ numel a = s /\
      (forall i, value_in a i = i mod s * d)) as (a & M & Hg & Pa & Za & Va).
    { destruct w as [h|].
      - injection Ex as <-. destruct (whole_leaf_64_sound l _ count s d h Pl Hs Ew) as (M & Hh & _).
        exists [(s, d)]. split; [easy|]. split; [easy|]. split; [now apply positive_cons|]. split; [cbn; lia|].
        apply single_value.
      - assert (1 < s).
        { unfold whole_leaf_64 in Ew. destruct (d =? 0); [now apply and_then_yes in Ew as (? & _ & ?)|].
          destruct (N.ltb_spec 1 s); [easy|]. apply and_then_yes in Ew as (? & _ & Ew).
          now apply and_then_yes in Ew as (? & _ & ?). }
        destruct (look_split_64_sound (fun j => value_at l (j * d)) 1 l count (N.to_nat s) s d [] [] g Pl Hl)
          as (a & A1 & A2 & A3 & A4 & A5 & _); [|easy|now repeat split|easy|now left|exact Ex|now exists a].
        intros j. now rewrite N.mul_1_l. }
    destruct (IH _ _ Pb Ey) as (raw & M2 & F2 & V2).
    exists (a ++ raw). split; [now apply matches_app|]. split; [constructor; [|easy]|].
    + destruct M as (_ & Pg & Zg & _). cbn. repeat split; [now rewrite Zg|easy|now apply rev_nonempty].
    + now apply leaf_values.
Qed.

Lemma piece_strides_value g i : value_in (piece_strides g) i = fst (value_in g i).
Proof. revert i. induction g as [|[s [d p]] g IH]; intros i; [easy|]. cbn. now rewrite IH. Qed.
Lemma places_of_value g i : value_in (places_of g) i = snd (value_in g i).
Proof. revert i. induction g as [|[s [d p]] g IH]; intros i; [easy|]. cbn. now rewrite IH. Qed.
Lemma lifted_places l raw i : snd (value_in (lifted_runs l raw) i) = value_in raw i.
Proof. revert i. induction raw as [|[s d] raw IH]; intros i; [easy|]. cbn. now rewrite IH. Qed.
Lemma lifted_strides l raw i :
  fst (value_in (lifted_runs l raw) i) = value_in (map (fun m => (fst m, value_at l (snd m))) raw) i.
Proof. revert i. induction raw as [|[s d] raw IH]; intros i; [easy|]. cbn. now rewrite IH. Qed.
Lemma equal_64_sound l g is : equal_64 l g is = Yes true ->
  forall i, In i is -> value_in (piece_strides g) i = value_at l (value_in (places_of g) i).
Proof.
  induction is as [|j is IH]; intros E i I; [easy|]. cbn [equal_64] in E. apply and_then_yes in E as (x & Ex & E).
  apply and_then_yes in E as (y & Ey & E). apply and_then_yes in E as (z & Ez & E).
  destruct (same y z) eqn:S; [|discriminate]. destruct I as [<-|I]; [|now apply IH].
  apply same_true in S as ->. apply total_64_sound in Ex, Ey. apply at_64_sound in Ez. rewrite plus_zero in *.
  change (x = 0 + value_in (places_of g) j) in Ex. rewrite N.add_0_l in Ex. now rewrite <- Ex, <- Ez.
Qed.

(* ---- in the profile of B ---- *)

Lemma refill_spec B gs more : Forall2 (fun b g => size g = fst b /\ shaped g = true) (leaves B) gs -> exists R,
  refill B (gs ++ more) = (R, more) /\ leaves R = flat_map leaves gs /\ compatible (shape B) (shape R) = true /\
  shaped R = true.
Proof.
  revert gs more. induction B as [s d|bs IH] using layout_induction; intros gs more F.
  - inversion F as [|? g ? ? [Z S] Fn]; subst. inversion Fn; subst. exists g. cbn [app flat_map refill].
  rewrite app_nil_r.
    repeat split; [|easy]. apply N.eqb_eq. now rewrite tsize_shape.
  - cbn [refill leaves] in *. set (go := fix go bs gs := match bs with [] => ([], gs) | b :: bs =>
      let r := refill b gs in let rs := go bs (snd r) in (fst r :: fst rs, snd rs) end).
    enough (exists rs, go bs (gs ++ more) = (rs, more) /\ flat_map leaves rs = flat_map leaves gs /\
      Forall2 (fun b r => compatible (shape b) (shape r) = true) bs rs /\ Forall (fun r => shaped r = true) rs)
      as (rs & -> & L & C & S).
    { exists (Node rs). split; [easy|]. split; [exact L|]. split; [|now apply shaped_node].
      unfold compatible. cbn [shape]. apply faces_tuples. clear - C. induction C; constructor; auto. }
    revert gs F. induction IH as [|b bs Hb _ IHbs]; intros gs F.
    + inversion F; subst. exists []. now repeat split.
    + cbn [flat_map] in F. apply Forall2_app_inv_l in F as (g1 & g2 & F1 & F2 & ->). rewrite <- app_assoc.
      destruct (Hb g1 (g2 ++ more) F1) as (r & E & L & C & S). destruct (IHbs g2 F2) as (rs & Es & Ls & Cs & Ss).
      exists (r :: rs). cbn [go]. fold go. rewrite E. cbn [fst snd]. rewrite Es. cbn [fst snd].
      split; [easy|]. cbn [flat_map]. rewrite L, Ls, flat_map_app. repeat split; now constructor.
Qed.
Lemma filled_spec B gs : Forall2 of_leaf (leaves B) gs -> leaves (filled B gs) = piece_strides (concat gs) /\
  compatible (shape B) (shape (filled B gs)) = true /\ shaped (filled B gs) = true.
Proof.
  intros F. unfold filled. set (ls := map _ gs).
  destruct (refill_spec B ls []) as (R & E & L & C & S).
  - unfold ls. clear - F. induction F as [|b g bs gs (Z & P & Ne) F IH]; constructor; [|easy].
    rewrite size_unwrapped, shaped_unwrapped. unfold piece_strides. split; [rewrite <- Z|rewrite <- P].
    + clear. induction g as [|[s [d p]] g IH]; cbn; congruence.
    + clear. unfold positive. induction g as [|[s [d p]] g IH]; cbn; congruence.
  - rewrite app_nil_r in E. rewrite E. cbn [fst]. split; [|easy]. rewrite L. unfold ls. clear - F.
    induction F as [|b g bs gs (Z & P & Ne) F IH]; [easy|]. cbn [map flat_map concat]. rewrite IH. unfold piece_strides.
    rewrite map_app. f_equal. rewrite leaves_unwrapped. now destruct g.
Qed.
Lemma filled_composes (A : layout) B l gs : shaped B = true -> (forall i, apply A i = value_at l i) ->
  Forall2 of_leaf (leaves B) gs ->
  (forall i, i < size B -> value_in (piece_strides (concat gs)) i = value_at l (value_in (leaves B) i)) ->
  is_composition A B (filled B gs).
Proof.
  intros SB VA F V. destruct (filled_spec B gs F) as (L & C & S). split; [easy|]. split; [easy|]. intros i Hi.
  pose proof (compatible_size _ _ C) as Z. rewrite !tsize_shape in Z.
  rewrite apply_inside, L by (easy || lia). rewrite V, VA, (apply_inside B) by easy. reflexivity.
Qed.
Lemma size_64_sound b n m : size_64 b n = Yes m -> m = n * numel b.
Proof.
  revert n. induction b as [|[s d] b IH]; intros n E; [injection E as <-; cbn; lia|]. cbn [size_64 numel] in *.
  apply and_then_yes in E as (k & Ek & E). unfold times_64 in Ek. destruct (below_64 _); [|discriminate].
  injection Ek as <-. apply IH in E. lia.
Qed.

(* Whatever gpu/ answers, by its closed form or its table, is A o B;
   it leaves open only what has more than 4096 elements. *)
Theorem composition_64_sound (A : layout) B R : shaped A = true -> ends A = true -> shaped B = true ->
  composition_64 A B = Yes R -> is_composition A B R.
Proof.
  intros SA EA SB E. unfold composition_64 in E. apply and_then_yes in E as (l & El & E).
  apply and_then_yes in E as (cs & Ecs & E). apply and_then_yes in E as (x & Ex & E).
  destruct (radix_64_sound (leaves A) l SA (ends_leaves A EA) El) as (Pl & Hl & Vl).
  assert (VA : forall i, apply A i = value_at l i) by (intros i; now rewrite apply_beyond_domain, EA, Vl).
  apply cuts_64_sound in Ecs. fold (cuts l) in Ecs. destruct x as [gs|].
  - injection E as <-. destruct (closed_64_sound l cs (leaves B) [] 0 (map (fun _ => 0) cs) gs Pl Hl Ecs SB) as (raw &
    M & F & V & K); [|exact Ex|].
    { split; [easy|]. apply Forall_forall. intros c I. subst cs. exact (cuts_positive 1 l c ltac:(lia) Pl I). }
    apply filled_composes with l; [easy|easy|easy|]. intros i _. destruct M as (Pr & _ & _ & W).
    rewrite piece_strides_value, W, lifted_strides, <- V. apply digit_test_sound; [easy|easy|].
    apply not_true_is_false. intros X. unfold carries in X. apply existsb_exists in X as (c & I & X).
    apply N.leb_le in X.
    subst cs. rewrite Forall_forall in K. specialize (K c I). cbn [app] in K. lia.
  - apply and_then_yes in E as (n & En & E). apply size_64_sound in En. rewrite N.mul_1_l in En.
    destruct (4096 <? n); [discriminate|]. apply and_then_yes in E as (y & Ey & E).
    destruct y as [gs|]; [|discriminate].
    apply and_then_yes in E as (e & Ee & E). destruct e; [|discriminate]. injection E as <-.
    destruct (table_64_sound l _ (leaves B) 0 gs Pl Hl SB Ey) as (raw & M & F & V).
    apply filled_composes with l; [easy|easy|easy|]. intros i Hi. destruct M as (_ & _ & _ & W).
    rewrite (equal_64_sound _ _ _ Ee) by (rewrite in_iota, En, <- size_product; easy). f_equal.
    now rewrite places_of_value, W, lifted_places.
Qed.

(* ---- where no layout exists ---- *)

Lemma replaced_leaves {E} (f : N -> E -> option layout) B R : replace_leaves f B = Some R -> exists rs,
  Forall2 (fun b r => f (fst b) (snd b) = Some r) (leaves B) rs /\ leaves R = flat_map leaves rs.
Proof.
  revert R. induction B as [s d|bs IH] using layout_induction; intros R K.
  - exists [R]. cbn [leaves flat_map]. rewrite app_nil_r. split; [now constructor|easy].
  - apply replace_node in K as (rs & -> & F). cbn [leaves].
    induction F as [|b r bs rs Hr F IHF]; [exists []; split; [constructor|easy]|].
    apply Forall_cons_iff in IH as [Hb IH].
    destruct (Hb r Hr) as (us & Fu & Eu), (IHF IH) as (ws & Fw & Ew). exists (us ++ ws). cbn [flat_map].
    split; [now apply Forall2_app|]. now rewrite flat_map_app, Eu, Ew.
Qed.
Lemma valued_app l a b : valued l (a ++ b) = valued l a ++ valued l b.
Proof. apply map_app. Qed.
Lemma valued_spec l raw : positive raw = true -> positive (valued l raw) = true /\ numel (valued l raw) = numel raw.
Proof.
  induction raw as [|[s d] raw IH]; intros P; [easy|]. apply positive_cons in P as [Hs P]. destruct (IH P) as [Q Z].
  split; [now apply positive_cons|]. cbn [valued map numel fst]. f_equal. exact Z.
Qed.

(* The table finds the pieces of the definition, leaf by leaf. *)
Lemma table_64_agrees (A : layout) l last_cut b rs count x : positive l = true -> l <> [] ->
  (forall i, apply A i = value_at l i) -> positive b = true ->
  Forall2 (fun m r => compose_leaf A (fst m) (snd m) = Some r) b rs -> table_64 l last_cut b count = Yes x ->
  exists gs raw, x = Some gs /\ matches l (concat gs) raw /\ Forall2 of_leaf b gs /\
  (forall i, value_in raw i = value_in b i) /\ forall i, value_in (valued l raw) i = value_in (flat_map leaves rs) i.
Proof.
  intros Pl Hl VA Pb F. revert count x Pb.
  induction F as [|[s d] r b rs Er F IH]; intros count x Pb E; cbn [table_64] in E.
  - injection E as <-. exists [], []. now repeat split.
  - apply positive_cons in Pb as [Hs Pb]. cbn [fst snd] in Er. apply and_then_yes in E as (w & Ew & E).
    apply and_then_yes in E as (y & Ey & E). destruct (compose_leaf_size A s d r Hs Er) as [Zr Sr].
    assert (exists g a, y = Some g /\ matches l (rev g) a /\ g <> [] /\ positive a = true /\ numel a = s /\
      (forall i, value_in a i = i mod s * d) /\ forall i, value_in (valued l a) i = value_in (leaves r) i)
      as (g & a & -> & M & Hg & Pa & Za & Va & Wa).
    { unfold compose_leaf in Er. destruct w as [h|].
      - injection Ey as <-. destruct (whole_leaf_64_sound l _ count s d h Pl Hs Ew) as (M & Hh & _).
        exists h, [(s, d)]. split; [easy|]. split; [easy|]. split; [easy|]. split; [now apply positive_cons|].
        split; [cbn; lia|]. split; [apply single_value|]. intros i. cbn [valued map fst snd value_in].
        destruct (N.eqb_spec d 0) as [->|].
        + injection Er as <-. cbn [leaves value_in]. now rewrite value_at_0.
        + assert (s = 1) as ->.
          { unfold whole_leaf_64 in Ew. destruct (N.eqb_spec d 0); [easy|].
          destruct (N.ltb_spec 1 s); [discriminate|lia]. }
          injection Er as <-. cbn [leaves value_in]. now rewrite N.mod_1_r, !times_0.
      - assert (d <> 0 /\ 1 < s) as [Hd H1].
        { unfold whole_leaf_64 in Ew. destruct (N.eqb_spec d 0); [now apply and_then_yes in Ew as (? & _ & ?)|].
          split; [easy|]. destruct (N.ltb_spec 1 s); [easy|]. apply and_then_yes in Ew as (? & _ & Ew).
          now apply and_then_yes in Ew as (? & _ & ?). }
        destruct (N.eqb_spec d 0); [easy|]. destruct (N.eqb_spec s 1); [lia|].
        assert (Fw : forall j, (fun x => apply A (x * d)) (1 * j) = value_at l (j * d))
          by (intros j; now rewrite N.mul_1_l).
        destruct (table (fun x => apply A (x * d)) s) as [k|] eqn:T; [|discriminate]. injection Er as <-.
        unfold table in T. destruct y as [g|].
        + destruct (look_split_64_sound (fun x => apply A (x * d)) 1 l count (N.to_nat s) s d [] [] g Pl Hl Fw Hs
          ltac:(now repeat split) I (or_introl H1) Ey)
            as (a & M & Hg & Pa & Za & Va & W). exists g, a. split; [easy|]. split; [exact M|]. repeat split; try easy.
          intros i. rewrite T in W. injection W as ->. now rewrite value_in_unwrapped.
        + apply (look_split_64_refuses (fun x => apply A (x * d)) 1 l count (N.to_nat s) s d []) in Ey; [|exact Fw].
        congruence. }
    apply and_then_yes in E as (z & Ez & E). injection E as <-.
    destruct (IH _ _ Pb Ez) as (hs & raw & -> & M2 & F2 & V2 & W2).
    exists (rev g :: hs), (a ++ raw). split; [easy|]. split; [now apply matches_app|].
    destruct M as (_ & Pg & Zg & _). split; [constructor; [|easy]|].
    + repeat split; [now rewrite Zg|easy|now apply rev_nonempty].
    + split; [now apply leaf_values|]. intros i. destruct (valued_spec l a Pa) as [Pv Zv]. cbn [flat_map].
      rewrite valued_app, !value_in_app by easy. rewrite Wa, W2, Zv, Za, <- size_product, Zr. reflexivity.
Qed.
Lemma equal_64_differs l g is : equal_64 l g is = Yes false ->
  exists i, In i is /\ value_in (piece_strides g) i <> value_at l (value_in (places_of g) i).
Proof.
  induction is as [|j is IH]; intros E; [discriminate|]. cbn [equal_64] in E. apply and_then_yes in E as (x & Ex & E).
  apply and_then_yes in E as (y & Ey & E). apply and_then_yes in E as (z & Ez & E).
  destruct (same y z) eqn:S; [destruct (IH E) as (i & I & V); exists i; split; [now right|easy]|].
  exists j. split; [now left|]. apply total_64_sound in Ex, Ey. apply at_64_sound in Ez. rewrite plus_zero in *.
  change (x = 0 + value_in (places_of g) j) in Ex. rewrite N.add_0_l in Ex. rewrite <- Ex, <- Ez, <- Ey.
  intros K. apply same_true in K. congruence.
Qed.
Lemma and_then_no {X Y} (o : outcome X) (f : X -> outcome Y) : and_then o f = No ->
  o = No \/ exists x, o = Yes x /\ f x = No.
Proof. destruct o; try discriminate; eauto. Qed.

(* Only the table and the limit refuse: each step before answers, or is beyond 64 bits. *)
Definition settled {X} (o : outcome X) : Prop := o <> No /\ o <> Undecided.
Lemma settled_then {X Y} (o : outcome X) (f : X -> outcome Y) :
  settled o -> (forall x, settled (f x)) -> settled (and_then o f).
Proof. intros [A B] F. destruct o; try easy. apply F. Qed.
Lemma settled_if {X} (b : bool) (x y : outcome X) : settled x -> settled y -> settled (if b then x else y).
Proof. now destruct b. Qed.
Ltac settle := repeat first
  [ split; discriminate | assumption | apply settled_if | apply settled_then; [|intros ?]
  | match goal with IH : forall _, _ |- _ => apply IH end
  | match goal with |- settled (match ?x with _ => _ end) => destruct x end
  | match goal with |- settled (let _ := _ in _) => cbv zeta end ].
Lemma times_64_settled a b : settled (times_64 a b).
Proof. unfold times_64. settle. Qed.
Lemma times_fit_settled n (d : D) : settled (times_fit fits n d).
Proof. unfold times_fit. settle. Qed.
Lemma plus_fit_settled {E} `{module E} f (d e : E) : settled (plus_fit f d e).
Proof. unfold plus_fit. settle. Qed.
Lemma push_all_settled (m l : modes) : settled (push_all m l).
Proof.
  revert m. induction l as [|[s d] l IH]; intros m; cbn [push_all]; [settle|]. apply settled_then; [|apply IH].
  destruct (push_64_answers m s d) as [->|[n ->]]; settle.
Qed.
Lemma radix_64_settled (l : modes) : settled (radix_64 l).
Proof.
  unfold radix_64. destruct (rev l) as [|[s d] r]; [settle|]. apply settled_then; [apply push_all_settled|]. intros m.
  apply settled_then; [|intros n; settle]. unfold append_64. destruct m as [|[t e] m]; [settle|].
  apply settled_if; [|settle].
  destruct (push_64_answers ((t, e) :: m) s d) as [->|[n ->]]; settle.
Qed.
Lemma cuts_64_settled w (l : modes) : settled (cuts_64 w l).
Proof.
  revert w. induction l as [|[s d] l IH]; intros w; cbn [cuts_64]; [settle|]. destruct l as [|m l]; [settle|].
  apply settled_then; [apply times_64_settled|]. intros c. apply settled_then; [apply IH|]. intros k. settle.
Qed.
Lemma put_64_settled count g s v p : settled (put_64 count g s v p).
Proof. unfold put_64. settle. Qed.
Lemma whole_leaf_64_settled l c count s d : settled (whole_leaf_64 l c count s d).
Proof. unfold whole_leaf_64. settle; try apply put_64_settled; apply times_fit_settled. Qed.
Lemma term_64_settled l cs w d sum : settled (term_64 l cs w d sum).
Proof.
  assert (add : forall a b, settled (term_add a b)).
  { intros a b. unfold term_add. apply settled_if; [settle|apply plus_fit_settled]. }
  revert cs w sum. induction l as [|[s e] l IH]; intros cs w sum; cbn [term_64]; [settle|]. destruct cs as [|c cs].
  - apply settled_if; [|settle]. apply settled_then; [apply times_fit_settled|]. intros x. apply add.
  - cbv zeta. apply settled_then; [|intros u; apply IH]. apply settled_if; [|settle].
    apply settled_then; [apply times_fit_settled|]. intros x. apply add.
Qed.
Lemma split_64_settled l cs count s d carry g fuel : settled (split_64 l cs count s d carry g fuel).
Proof.
  revert s d carry g. induction fuel as [|fuel IH]; intros s d carry g; cbn [split_64]; [settle|].
  apply settled_then; [apply term_64_settled|]. intros t. cbv zeta. apply settled_if; [settle|].
  destruct (carry_64 _ _ _ _); [|settle]. apply settled_then; [apply put_64_settled|]. intros h.
  apply settled_if; [settle|].
  apply settled_then; [apply times_64_settled|]. intros e. apply IH.
Qed.
Lemma closed_64_settled l cs b count carry : settled (closed_64 l cs b count carry).
Proof.
  revert count carry. induction b as [|[s d] b IH]; intros count carry; cbn [closed_64]; [settle|].
  apply settled_then; [apply whole_leaf_64_settled|]. intros w.
  apply settled_then; [destruct w; [settle|apply split_64_settled]|].
  intros [[g k]|]; [|settle]. apply settled_then; [apply IH|]. intros y. settle.
Qed.
Lemma size_64_settled b n : settled (size_64 b n).
Proof.
  revert n. induction b as [|[s d] b IH]; intros n; cbn [size_64]; [settle|].
  apply settled_then; [apply times_64_settled|]. apply IH.
Qed.
Lemma at_64_settled (l : modes) i sum : settled (at_64 fits l i sum).
Proof.
  revert i sum. induction l as [|[s d] l IH]; intros i sum; cbn [at_64]; [settle|]. destruct l as [|m l].
  - apply settled_then; [apply times_fit_settled|]. intros t. apply plus_fit_settled.
  - apply settled_then; [apply times_fit_settled|]. intros t. apply settled_then; [apply plus_fit_settled|].
  intros u. apply IH.
Qed.
Lemma total_64_settled {E} `{module E} f (l : list (N * E)) i sum : settled (total_64 f l i sum).
Proof.
  revert i sum. induction l as [|[s d] l IH]; intros i sum; cbn [total_64]; [settle|].
  apply settled_then; [unfold times_fit; settle|]. intros t. apply settled_then; [apply plus_fit_settled|]. intros u.
  apply IH.
Qed.
Lemma look_64_settled l d v s k fuel : settled (look_64 l d v s k fuel).
Proof.
  revert k. induction fuel as [|fuel IH]; intros k; cbn [look_64]; [settle|]. apply settled_if; [|settle].
  apply settled_then; [apply times_64_settled|]. intros x. apply settled_then; [apply at_64_settled|]. intros y.
  apply settled_then; [apply times_fit_settled|]. intros z. apply settled_if; [apply IH|settle].
Qed.
Lemma look_split_64_settled l count s d g fuel : settled (look_split_64 l count s d g fuel).
Proof.
  revert s d g. induction fuel as [|fuel IH]; intros s d g; cbn [look_split_64];
    (apply settled_if; [settle|]); [settle|].
  apply settled_then; [apply at_64_settled|]. intros v. apply settled_then; [apply look_64_settled|]. intros r.
  apply settled_if; [settle|]. apply settled_then; [apply put_64_settled|]. intros h.
  apply settled_then; [apply times_64_settled|]. intros e. apply IH.
Qed.
Lemma table_64_settled l c b count : settled (table_64 l c b count).
Proof.
  revert count. induction b as [|[s d] b IH]; intros count; cbn [table_64]; [settle|].
  apply settled_then; [apply whole_leaf_64_settled|]. intros w.
  apply settled_then; [destruct w; [settle|apply look_split_64_settled]|]. intros [g|]; [|settle].
  apply settled_then; [apply IH|]. intros y. settle.
Qed.
Lemma equal_64_settled l g is : settled (equal_64 l g is).
Proof.
  induction is as [|i is IH]; cbn [equal_64]; [settle|]. apply settled_then; [apply total_64_settled|]. intros x.
  apply settled_then; [apply total_64_settled|]. intros y. apply settled_then; [apply at_64_settled|]. intros z.
  now apply settled_if; [|settle].
Qed.

Lemma composition_64_refuses (A : layout) B : shaped A = true -> ends A = true -> shaped B = true ->
  ended (composition_64 A B) (fun _ => True) (forall R, ~ is_composition A B R) (4096 < size B).
Proof.
  intros SA EA SB. unfold composition_64.
  destruct (radix_64 (leaves A)) as [l| | |] eqn:El; try easy; try (now destruct (radix_64_settled (leaves A))).
  cbn [and_then]. destruct (cuts_64 1 l) as [cs| | |] eqn:Ecs; try easy; try (now destruct (cuts_64_settled 1 l)).
  cbn [and_then]. destruct (closed_64 l cs (leaves B) 0 _) as [[gs|]| | |] eqn:Ex; cbn [and_then]; try easy;
    try (now destruct (closed_64_settled l cs (leaves B) 0 (map (fun _ => 0) cs))).
  destruct (size_64 (leaves B) 1) as [n| | |] eqn:En; cbn [and_then]; try easy;
    try (now destruct (size_64_settled (leaves B) 1)).
  apply size_64_sound in En. rewrite N.mul_1_l, <- size_product in En. subst n.
  destruct (N.ltb_spec 4096 (size B)); [easy|].
  destruct (radix_64_sound (leaves A) l SA (ends_leaves A EA) El) as (Pl & Hl & Vl).
  assert (VA : forall i, apply A i = value_at l i) by (intros i; now rewrite apply_beyond_domain, EA, Vl).
  destruct (table_64 l (last cs 1) (leaves B) 0) as [y| | |] eqn:Ey; cbn [and_then]; try easy;
    try (now destruct (table_64_settled l (last cs 1) (leaves B) 0)).
  assert (none : forall R, is_composition A B R -> exists gs raw, y = Some gs /\ matches l (concat gs) raw /\
    (forall i, value_in raw i = value_in (leaves B) i) /\
    forall i, i < size B -> value_in (valued l raw) i = value_at l (value_in (leaves B) i)).
  { intros R C. destruct (replaced_complete A B R SA SB C) as (R' & E' & W').
    destruct (replaced_compatible A B R' SB E') as [C' S']. pose proof (refined_size _ _ C') as Z'.
    destruct (replaced_leaves _ _ _ E') as (rs & F & L).
    destruct (table_64_agrees A l _ _ rs _ y Pl Hl VA SB F Ey) as (gs & raw & -> & M & _ & V & W).
    exists gs, raw. split; [easy|]. split; [easy|]. split; [easy|]. intros i Hi. destruct C as (_ & _ & C).
    rewrite W, <- L, <- apply_inside, W', C, VA, (apply_inside B) by (easy || lia). reflexivity. }
  destruct y as [gs|].
  - destruct (equal_64 l (concat gs) (iota (size B))) as [[]| | |] eqn:Ee; cbn [and_then]; try easy;
      try (now destruct (equal_64_settled l (concat gs) (iota (size B)))).
    intros R C. destruct (none R C) as (hs & raw & K & M & V & W). injection K as <-.
    apply equal_64_differs in Ee as (i & I & Ne). rewrite in_iota in I. apply Ne. destruct M as (_ & _ & _ & M).
    rewrite piece_strides_value, places_of_value, M, lifted_strides, lifted_places, V. now apply W.
  - intros R C. now destruct (none R C) as (gs & raw & K & _).
Qed.
(* Where gpu/ says that there is none, there is none; where it does not decide, B has more than 4096 elements. *)
Theorem composition_64_complete (A : layout) B : shaped A = true -> ends A = true -> shaped B = true ->
  ended (composition_64 A B) (is_composition A B) (forall R, ~ is_composition A B R) (4096 < size B).
Proof.
  intros SA EA SB. pose proof (composition_64_refuses A B SA EA SB) as N_. pose proof (composition_64_sound A B) as Y.
  destruct (composition_64 A B); [now apply Y|exact N_..].
Qed.
End Composition_64.
