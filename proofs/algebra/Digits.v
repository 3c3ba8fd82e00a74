(* The digit test: composition in closed form, for layouts too large to tabulate. What it accepts is right. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Composition.
Local Open Scope N_scope.

(* Where a digit of A ends: the products of its extents, but for the last, which never ends. *)
Fixpoint cuts_from {D} (w : N) (l : list (N * D)) : list N :=
  match l with
  | [] | [_] => []
  | (s, _) :: l => w * s :: cuts_from (w * s) l
  end.
Definition cuts {D} (l : list (N * D)) : list N := cuts_from 1 l.

Lemma cuts_scaled {D} (l : list (N * D)) v w : cuts_from (v * w) l = map (N.mul v) (cuts_from w l).
Proof.
  revert w. induction l as [|[s d] l IH]; intros w; [easy|]. destruct l as [|m l]; [easy|].
  change (v * w * s :: cuts_from (v * w * s) (m :: l) = map (N.mul v) (w * s :: cuts_from (w * s) (m :: l))).
  cbn [map]. now rewrite <- N.mul_assoc, IH.
Qed.

(* x + y carries at no cut. *)
Definition no_carry (ps : list N) (x y : N) : Prop := forall p, In p ps -> x mod p + y mod p < p.

Section Digits.
Context {D : Type} `{module D}.
Notation modes := (list (N * D)).

(* Without a carry a layout is additive. *)
Lemma additive (l : modes) x y : positive l = true -> no_carry (cuts l) x y ->
  value_at l (x + y) = value_at l x +: value_at l y.
Proof.
  revert x y. induction l as [|[s d] l IH]; intros x y P C; [simpl; now rewrite plus_zero|].
  apply positive_cons in P as [Hs P]. destruct l as [|m l]; [apply times_plus|].
  rewrite !value_at_cons by easy. unfold cuts in C.
  change (cuts_from 1 ((s, d) :: m :: l)) with (1 * s :: cuts_from (1 * s) (m :: l)) in C. rewrite N.mul_1_l in C.
  assert (L : x mod s + y mod s < s) by (apply C; now left).
  destruct (split_index s x Hs) as [Ex _], (split_index s y Hs) as [Ey _].
  assert (E : x + y = (x mod s + y mod s) + s * (x / s + y / s)) by lia.
  rewrite E, digit_mod, digit_div, times_plus by easy. rewrite IH; [apply plus_swap|easy|].
  intros p I. assert (In (s * p) (cuts_from s (m :: l))) as I'.
  { assert (cuts_from s (m :: l) = map (N.mul s) (cuts (m :: l))) as ->
      by (unfold cuts; now rewrite <- cuts_scaled, N.mul_1_r).
    now apply in_map. }
  specialize (C (s * p) (or_intror I')).
  assert (0 < p).
  { clear - I P. unfold cuts in I. revert I. assert (H1 : 0 < 1)
      by lia. revert H1. generalize 1 as w. revert P. generalize (m :: l) as k.
    induction k as [|[t e] k IHk]; intros P w Hw I; [easy|]. apply positive_cons in P as [Ht P].
    destruct k as [|n k]; [easy|].
    change (In p (w * t :: cuts_from (w * t) (n :: k))) in I. destruct I as [<-|I]; [nia|].
    apply (IHk P (w * t)); [nia|easy]. }
  rewrite !mod_mul in C by easy. apply (N.mul_lt_mono_pos_l s); [easy|].
  revert C. generalize (x mod s) (y mod s) ((x / s) mod p) ((y / s) mod p). intros; lia.
Qed.

(* How far the multiples of the strides reach below a cut. *)
Definition reach_below (p : N) (runs : list (N * N)) : N :=
  fold_right N.add 0 (map (fun m => (fst m - 1) * (snd m mod p)) runs).
Definition carries (ps : list N) (runs : list (N * N)) : bool := existsb (fun p => p <=? reach_below p runs) ps.

Lemma value_at_0 (l : modes) : positive l = true -> value_at l 0 = zero.
Proof. intros P. rewrite value_at_inside by (try apply numel_positive; easy). now apply value_in_0. Qed.

Lemma multiple (l : modes) e c : positive l = true -> (forall p, In p (cuts l) -> c * (e mod p) < p) ->
  value_at l (c * e) = c *: value_at l e /\ forall p, In p (cuts l) -> (c * e) mod p = c * (e mod p).
Proof.
  intros P. induction c as [|c IH] using N.peano_ind; intros B.
  - rewrite N.mul_0_l, times_0. split; [|intros p I; rewrite !N.mul_0_l; apply N.mod_0_l; specialize (B p I); lia].
    now apply value_at_0.
  - assert (B' : forall p, In p (cuts l) -> c * (e mod p) + e mod p < p) by (intros p I; specialize (B p I);
      now rewrite N.mul_succ_l in B).
    clear B. destruct IH as [V M]; [intros p I; specialize (B' p I); revert B'; generalize (c * (e mod p)) (e mod p);
      intros; lia|].
    replace (N.succ c * e) with (c * e + e) by lia.
    assert (C : no_carry (cuts l) (c * e) e) by (intros p I; rewrite M by easy; now apply B').
    split.
    + rewrite additive, V by easy. now rewrite <- N.add_1_r, times_plus, times_1.
    + intros p I. specialize (C p I). assert (p <> 0) by (intros ->; now apply N.nlt_0_r in C).
      rewrite <- N.add_mod_idemp_l, <- N.add_mod_idemp_r by easy.
      rewrite N.mod_small by easy. rewrite M by easy. lia.
Qed.

(* Runs that carry at no cut of A: A of a sum of multiples is the sum of the multiples of A. *)
Theorem digit_test_sound (l : modes) runs i : positive l = true -> positive runs = true ->
  carries (cuts l) runs = false ->
  value_in (map (fun m => (fst m, value_at l (snd m))) runs) i = value_at l (value_in runs i).
Proof.
  intros P Q C. assert (B : forall p, In p (cuts l) -> reach_below p runs < p).
  { intros p I. apply N.nle_gt. intros L. assert (carries (cuts l) runs = true); [|congruence].
    apply existsb_exists. exists p. split; [easy|]. now apply N.leb_le. }
  clear C. enough (value_in (map (fun m => (fst m, value_at l (snd m))) runs) i = value_at l (value_in runs i) /\
    forall p, In p (cuts l) -> (value_in runs i) mod p <= reach_below p runs) by easy.
  revert i Q B. induction runs as [|[m e] runs IH]; intros i Q B; simpl.
  - split; [symmetry; now apply value_at_0|]. intros p I. specialize (B p I).
    rewrite N.mod_0_l; [apply N.le_0_l|]. intros ->. now apply N.nlt_0_r in B.
  - apply positive_cons in Q as [Hm Q].
    assert (B' : forall p, In p (cuts l) -> (m - 1) * (e mod p) + reach_below p runs < p) by exact B. clear B.
    destruct (IH (i / m) Q) as [V R]; [intros p I; eapply N.le_lt_trans; [|exact (B' p I)]; apply N.le_add_l|].
    rewrite V.
    assert (L : i mod m < m) by (apply N.mod_lt; lia).
    assert (K : forall p, i mod m * (e mod p) <= (m - 1) * (e mod p)) by (intros p; apply N.mul_le_mono_r; lia).
    destruct (multiple l e (i mod m) P) as [W M].
    { intros p I. eapply N.le_lt_trans; [apply K|]. eapply N.le_lt_trans; [|exact (B' p I)]. apply N.le_add_r. }
    assert (C : no_carry (cuts l) (i mod m * e) (value_in runs (i / m))).
    { intros p I. rewrite M by easy. eapply N.le_lt_trans; [|exact (B' p I)]. now apply N.add_le_mono; [|apply R]. }
    split; [now rewrite additive, W|]. intros p I. specialize (C p I).
    assert (p <> 0) by (intros ->; now apply N.nlt_0_r in C).
    change ((i mod m * e + value_in runs (i / m)) mod p <= (m - 1) * (e mod p) + reach_below p runs).
    rewrite <- N.add_mod_idemp_l, <- N.add_mod_idemp_r, N.mod_small by easy. rewrite M by easy.
    now apply N.add_le_mono; [|apply R].
Qed.

(* The leaf s:d of B split into runs m:d that alone carry at no cut. *)
Definition longest_run (ps : list N) (s d : N) : N :=
  fold_left (fun run p => if d mod p =? 0 then run else N.min run (ceil p (d mod p))) ps s.
Fixpoint split_leaf (ps : list N) (s d : N) (fuel : nat) : option (list (N * N)) :=
  if s <=? 1 then Some [] else
    match fuel with
    | O => None
    | S fuel =>
        let r := longest_run ps s d in
        if (s mod r =? 0) && negb (r =? 0) then option_map (cons (r, d)) (split_leaf ps (s / r) (d * r) fuel) else None
    end.
Fixpoint split_leaves (ps : list N) (b : list (N * N)) : option (list (N * N)) :=
  match b with
  | [] => Some []
  | (s, d) :: b => x <- split_leaf ps s d (N.size_nat s); y <- split_leaves ps b; Some (x ++ y)
  end.
(* The leaves of A o B, or nothing where the test refuses. *)
Definition composition_by_digits (l : modes) (b : list (N * N)) : option modes :=
  runs <- split_leaves (cuts l) b;
  if carries (cuts l) runs then None else Some (map (fun m => (fst m, value_at l (snd m))) runs).

Lemma split_leaf_spec ps s d fuel r : 0 < s -> split_leaf ps s d fuel = Some r ->
  numel r = s /\ positive r = true /\ forall i, value_in r i = i mod s * d.
Proof.
  revert s d r. induction fuel as [|fuel IH]; intros s d r Hs E; cbn [split_leaf] in E.
  - destruct (N.leb_spec s 1); [|discriminate]. injection E as <-. replace s with 1 by lia. repeat split. intros i.
    now rewrite N.mod_1_r.
  - destruct (N.leb_spec s 1).
    { injection E as <-. replace s with 1 by lia. repeat split. intros i. now rewrite N.mod_1_r. }
    set (m := longest_run ps s d) in *. clearbody m. destruct ((s mod m =? 0) && negb (m =? 0)) eqn:C; [|discriminate].
    apply andb_true_iff in C as [C Z]. apply negb_true_iff, N.eqb_neq in Z. apply N.eqb_eq, mod_0_divides in C; [|lia].
    destruct C as [q ->]. rewrite N.div_mul in E by easy.
    destruct (split_leaf ps q (d * m) fuel) as [k|] eqn:F; [|discriminate].
    simpl in E. injection E as <-. destruct (IH q (d * m) k ltac:(nia) F) as (Ek & P & V). repeat split.
    + simpl. rewrite Ek. lia.
    + apply positive_cons. split; [lia|easy].
    + intros i. simpl. rewrite V, (N.mul_comm q), mod_mul by nia. simpl. lia.
Qed.

Lemma split_leaves_spec ps b r : positive b = true -> split_leaves ps b = Some r ->
  numel r = numel b /\ positive r = true /\ forall i, value_in r i = value_in b i.
Proof.
  revert r. induction b as [|[s d] b IH]; intros r P E; cbn [split_leaves] in E; [injection E as <-; easy|].
  apply positive_cons in P as [Hs P]. destruct (split_leaf ps s d (N.size_nat s)) as [x|] eqn:F; [|discriminate].
  cbn [bind] in E.
  destruct (split_leaves ps b) as [y|]; [|discriminate]. injection E as <-.
  destruct (split_leaf_spec ps s d _ x Hs F) as (Ex & Px & Vx). destruct (IH y P eq_refl) as (Ey & Py & Vy).
  rewrite numel_app, positive_app, Px, Py, Ex, Ey. repeat split. intros i. rewrite value_in_app, Vx, Vy, Ex by easy.
  reflexivity.
Qed.

(* What the digit test answers is A o B, at any size: the fast algorithm is sound for the definition. *)
Theorem composition_by_digits_sound (l : modes) b r i : positive l = true -> positive b = true ->
  composition_by_digits l b = Some r -> numel r = numel b /\ value_in r i = value_at l (value_in b i).
Proof.
  intros P Q. unfold composition_by_digits. destruct (split_leaves (cuts l) b) as [runs|] eqn:E; [|discriminate].
  cbn [bind].
  destruct (carries (cuts l) runs) eqn:C; [discriminate|]. intros K. injection K as <-.
  destruct (split_leaves_spec _ b runs Q E) as (Z & R & V). rewrite digit_test_sound, V by easy. split; [|easy].
  rewrite <- Z. clear. induction runs as [|[m e] runs IH]; simpl; congruence.
Qed.
End Digits.
