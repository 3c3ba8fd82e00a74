(* left_inverse of any layout: where strides do not divide, the layout through all values and their indices. Its strides
  solve an equation for each value in the integers. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Basis Ordered Solve_left.
Local Open Scope N_scope.

(* ---- Integers that solve linear equations ---- *)

(* The unknowns, counted from 0; beyond the last all are 0. *)
Local Notation vector := (nat -> Z).
Local Notation row := (list Z).
Definition behind_first (f : vector) : vector := fun j => f (S j).
Fixpoint dot_row (r : row) (f : vector) : Z :=
  match r with
  | [] => 0
  | n :: r => n * f O + dot_row r (behind_first f)
  end.
Definition less (f : vector) (n : Z) (g : vector) : vector := fun j => (f j - n * g j)%Z.

(* Euclid's algorithm on two vectors with what they add to the row, until the second adds nothing. *)
Fixpoint euclid (fuel : nat) (p q : Z * vector) : (Z * vector) * (Z * vector) :=
  if (fst q =? 0)%Z then (p, q) else
  match fuel with
  | O => (p, q)
  | S fuel => let n := (fst p / fst q)%Z in euclid fuel q (fst p - n * fst q, less (snd p) n (snd q))%Z
  end.
Fixpoint gather (p : Z * vector) (l : list (Z * vector)) : (Z * vector) * list (Z * vector) :=
  match l with
  | [] => (p, [])
  | q :: l => let x := euclid (S (Z.abs_nat (fst q))) p q in let y := gather (fst x) l in (fst y, snd x :: snd y)
  end.
(* One solution, and vectors whose sums are the differences of all. *)
Local Notation solutions := (vector * list vector)%type.
Definition satisfy (r : row) (b : Z) (s : solutions) : option solutions :=
  let missing := (b - dot_row r (fst s))%Z in
  match map (fun v => (dot_row r v, v)) (snd s) with
  | [] => if (missing =? 0)%Z then Some s else None
  | p :: l =>
      let x := gather p l in let g := fst (fst x) in
      if (g =? 0)%Z then if (missing =? 0)%Z then Some (fst s, map snd (fst x :: snd x)) else None
      else if (missing mod g =? 0)%Z then Some (less (fst s) (- (missing / g)) (snd (fst x)), map snd (snd x)) else None
  end.
Fixpoint satisfy_all (l : list (row * Z)) (s : solutions) : option solutions :=
  match l with
  | [] => Some s
  | (r, b) :: l => t <- satisfy r b s; satisfy_all l t
  end.
Definition unit_vector (k : nat) : vector := fun j => if (j =? k)%nat then 1%Z else 0%Z.
Definition solve_equations (n : nat) (l : list (row * Z)) : option vector :=
  option_map fst (satisfy_all l (fun _ => 0%Z, map unit_vector (seq 0 n))).

Lemma dot_row_ext r f g : (forall j, f j = g j) -> dot_row r f = dot_row r g.
Proof.
  revert f g. induction r as [|n r IH]; intros f g E; [easy|]. cbn. rewrite E. f_equal. apply IH. intros j. apply E.
Qed.
Lemma dot_row_less r f n g : dot_row r (less f n g) = (dot_row r f - n * dot_row r g)%Z.
Proof.
  revert f g. induction r as [|m r IH]; intros f g; [cbn; lia|]. cbn [dot_row].
  rewrite (dot_row_ext r (behind_first (less f n g)) (less (behind_first f) n (behind_first g))) by reflexivity.
  rewrite IH. unfold less. lia.
Qed.

(* Sums of multiples of vectors, with what they add to the row. *)
Fixpoint row_sums (l : list (Z * vector)) (z : Z) (x : vector) : Prop :=
  match l with
  | [] => z = 0%Z /\ forall j, x j = 0%Z
  | (r, v) :: l => exists t, row_sums l (z - t * r)%Z (less x t v)
  end.
Lemma sums_ext l z x y : (forall j, x j = y j) -> row_sums l z x -> row_sums l z y.
Proof.
  revert z x y. induction l as [|[r v] l IH]; intros z x y E; cbn [row_sums].
  - intros [Z V]. split; [easy|]. intros j. now rewrite <- E.
  - intros [t T]. exists t. apply (IH _ (less x t v)); [|exact T]. intros j. unfold less. now rewrite E.
Qed.
Lemma sums_equal l z y u v : z = y -> (forall j, u j = v j) -> row_sums l z u -> row_sums l y v.
Proof. intros ->. apply sums_ext. Qed.
Lemma sums_step (p q : Z * vector) n l z x :
  row_sums (p :: q :: l) z x <-> row_sums (q :: (fst p - n * fst q, less (snd p) n (snd q))%Z :: l) z x.
Proof.
  destruct p as [a u], q as [b v]. cbn [row_sums fst snd]. split.
  - intros (s & t & K). exists (t + s * n)%Z, s. revert K. apply sums_equal; [lia|]. intros j. unfold less. lia.
  - intros (s & t & K). exists t, (s - t * n)%Z. revert K. apply sums_equal; [lia|]. intros j. unfold less. lia.
Qed.
Lemma sums_swap (p q : Z * vector) l z x : row_sums (p :: q :: l) z x -> row_sums (q :: p :: l) z x.
Proof.
  destruct p as [a u], q as [b v]. cbn [row_sums]. intros (s & t & K). exists t, s. revert K. apply sums_equal; [lia|].
  intros j. unfold less. lia.
Qed.
Lemma euclid_spec fuel p q l z x :
  row_sums (p :: q :: l) z x <-> let y := euclid fuel p q in row_sums (fst y :: snd y :: l) z x.
Proof.
  revert p q. induction fuel as [|fuel IH]; intros p q; cbn [euclid]; destruct (fst q =? 0)%Z; try reflexivity.
  rewrite (sums_step p q (fst p / fst q)). apply IH.
Qed.
Lemma euclid_done fuel p q : (Z.abs_nat (fst q) < fuel)%nat -> fst (snd (euclid fuel p q)) = 0%Z.
Proof.
  revert p q. induction fuel as [|fuel IH]; intros p q F; [lia|]. cbn [euclid].
  destruct (Z.eqb_spec (fst q) 0) as [E|E]; [exact E|]. apply IH. cbn [fst].
  replace (fst p - fst p / fst q * fst q)%Z with (fst p mod fst q)%Z by (rewrite Z.mod_eq by easy; lia).
  pose proof (Z.mod_bound_or (fst p) (fst q) E). lia.
Qed.
Lemma gather_spec p l z x : (row_sums (p :: l) z x <-> let y := gather p l in row_sums (fst y :: snd y) z x) /\
  forall q, In q (snd (gather p l)) -> fst q = 0%Z.
Proof.
  revert p z x. induction l as [|q l IH]; intros p z x; cbn [gather fst snd]; [now split|].
  set (e := euclid _ p q). destruct (IH (fst e) z x) as [_ Zero]. split.
  - rewrite (euclid_spec (S (Z.abs_nat (fst q))) p q l z x). fold e. cbn zeta.
    split; intros S; apply sums_swap in S; apply sums_swap; destruct (snd e) as [b v]; destruct S as [t S]; exists t;
      now apply (IH (fst e)).
  - intros r [<-|I]; [now apply euclid_done; lia|]. now apply Zero.
Qed.

Fixpoint spans (l : list vector) (x : vector) : Prop :=
  match l with
  | [] => forall j, x j = 0%Z
  | v :: l => exists t, spans l (less x t v)
  end.
Lemma spans_ext l x y : (forall j, x j = y j) -> spans l x -> spans l y.
Proof.
  revert x y. induction l as [|v l IH]; intros x y E; cbn [spans]; [intros V j; now rewrite <- E|].
  intros [t S]. exists t. apply (IH (less x t v)); [|exact S]. intros j. unfold less. now rewrite E.
Qed.
Lemma spans_zero l x : (forall j, x j = 0%Z) -> spans l x.
Proof.
  revert x. induction l as [|v l IH]; intros x E; [exact E|]. exists 0%Z. apply IH. intros j. unfold less.
  rewrite E. lia.
Qed.
Lemma dot_row_zero r x : (forall j, x j = 0%Z) -> dot_row r x = 0%Z.
Proof.
  revert x. induction r as [|n r IH]; intros x E; [easy|]. cbn. rewrite E, IH; [lia|]. intros j. apply E.
Qed.
Lemma sums_rows r l z x : row_sums (map (fun v => (dot_row r v, v)) l) z x <-> spans l x /\ z = dot_row r x.
Proof.
  revert z x. induction l as [|v l IH]; intros z x; cbn [map row_sums spans].
  - split; [intros [-> V]; split; [exact V|now rewrite dot_row_zero]|]. intros [V ->]. now rewrite dot_row_zero.
  - split.
    + intros [t S]. apply IH in S as [S E]. rewrite dot_row_less in E. split; [now exists t|lia].
    + intros [[t S] ->]. exists t. apply IH. rewrite dot_row_less. split; [exact S|lia].
Qed.
Lemma sums_zeros l z x : (forall q, In q l -> fst q = 0%Z) -> row_sums l z x <-> z = 0%Z /\ spans (map snd l) x.
Proof.
  revert z x. induction l as [|[r v] l IH]; intros z x Zr; cbn [map row_sums spans snd]; [easy|].
  assert (r = 0%Z) as -> by exact (Zr (r, v) (or_introl eq_refl)).
  assert (Zl : forall q, In q l -> fst q = 0%Z) by (intros q I; apply Zr; now right). split.
  - intros [t S]. apply IH in S as [E S]; [|exact Zl]. split; [lia|now exists t].
  - intros [-> [t S]]. exists t. apply IH; [exact Zl|]. split; [lia|exact S].
Qed.

Definition solution (s : solutions) (f : vector) : Prop := spans (snd s) (less f 1 (fst s)).
Lemma satisfy_spec r b s :
  match satisfy r b s with
  | Some t => forall f, solution t f <-> solution s f /\ dot_row r f = b
  | None => forall f, solution s f -> dot_row r f <> b
  end.
Proof.
  unfold satisfy, solution. destruct s as [p vs]. cbn [fst snd]. set (m := (b - dot_row r p)%Z).
  assert (B : forall f, dot_row r f = b <-> dot_row r (less f 1 p) = m).
  { intros f. rewrite dot_row_less. unfold m. lia. }
  assert (R : forall z x, spans vs x /\ z = dot_row r x <-> row_sums (map (fun v => (dot_row r v, v)) vs) z x)
    by (intros; symmetry; apply sums_rows).
  destruct (map _ vs) as [|q l] eqn:Q.
  - destruct vs; [|discriminate]. destruct (Z.eqb_spec m 0) as [E|E]; cbn [spans fst snd].
    + intros f. rewrite B, E. split; [|tauto]. intros V. split; [exact V|now apply dot_row_zero].
    + intros f V K. apply B in K. rewrite dot_row_zero in K by exact V. congruence.
  - destruct (gather q l) as [[g w] zs] eqn:G. cbn [fst snd].
    assert (K : forall z x, spans vs x /\ z = dot_row r x <->
      exists t, z = (t * g)%Z /\ spans (map snd zs) (less x t w)).
    { intros z x. rewrite R. destruct (gather_spec q l z x) as [S Zs]. rewrite G in S, Zs. cbn [fst snd] in S, Zs.
      rewrite S. cbn [row_sums]. setoid_rewrite (sums_zeros zs _ _ Zs).
      split; intros (t & E & V); exists t; (split; [lia|exact V]). }
    destruct (Z.eqb_spec g 0) as [->|Ng];
      [destruct (Z.eqb_spec m 0) as [E|E]|destruct (Z.eqb_spec (m mod g) 0) as [E|E]].
    + intros f. cbn [fst snd spans]. rewrite B, E. split.
      * intros [t S]. destruct (proj2 (K 0%Z (less f 1 p))) as [V D]; [exists t; split; [lia|exact S]|]. now split.
      * intros [V D]. destruct (proj1 (K 0%Z (less f 1 p))) as (t & _ & S); [now split|]. now exists t.
    + intros f V D. apply B in D. destruct (proj1 (K m (less f 1 p))) as (t & Et & _); [now split|]. lia.
    + intros f. cbn [fst snd]. rewrite B. assert (Em : m = (m / g * g)%Z).
      { pose proof (Z.div_mod m g Ng). lia. }
      assert (X : forall j, less f 1 (less p (- (m / g)) w) j = less (less f 1 p) (m / g) w j).
      { intros j. unfold less. lia. }
      split.
      * intros V. destruct (proj2 (K m (less f 1 p))) as [V' D]; [|now split]. exists (m / g)%Z. split; [exact Em|].
        now apply (spans_ext _ _ _ X).
      * intros [V D]. destruct (proj1 (K m (less f 1 p))) as (t & Et & S); [now split|].
        assert (t = (m / g)%Z) as -> by nia. apply (spans_ext _ (less (less f 1 p) (m / g) w)); [|exact S].
        intros j. now rewrite X.
    + intros f V D. apply B in D. destruct (proj1 (K m (less f 1 p))) as (t & Et & _); [now split|].
      apply E. rewrite Et. now apply Z.mod_mul.
Qed.
Definition holds_all (l : list (row * Z)) (f : vector) : Prop := forall r b, In (r, b) l -> dot_row r f = b.
Lemma satisfy_all_spec l s :
  match satisfy_all l s with
  | Some t => forall f, solution t f <-> solution s f /\ holds_all l f
  | None => forall f, solution s f -> ~ holds_all l f
  end.
Proof.
  revert s. induction l as [|[r b] l IH]; intros s; cbn [satisfy_all].
  { intros f. split; [|tauto]. intros S. split; [exact S|intros r b []]. }
  pose proof (satisfy_spec r b s) as K. destruct (satisfy r b s) as [t|]; cbn [bind].
  - specialize (IH t). destruct (satisfy_all l t) as [u|].
    + intros f. rewrite IH, K. split.
      * intros [[S E] H]. split; [exact S|]. intros r' b' [I|I]; [injection I as <- <-; exact E|now apply H].
      * intros [S H]. split; [split; [exact S|apply H; now left]|]. intros r' b' I. apply H. now right.
    + intros f S H. apply (IH f); [apply K; split; [exact S|apply H; now left]|]. intros r' b' I. apply H. now right.
  - intros f S H. apply (K f S). apply H. now left.
Qed.
Lemma spans_units k n x : (forall j, (j < k \/ k + n <= j)%nat -> x j = 0%Z) -> spans (map unit_vector (seq k n)) x.
Proof.
  revert k x. induction n as [|n IH]; intros k x V; cbn [seq map spans]; [intros j; apply V; lia|].
  exists (x k). apply IH. intros j Hj. unfold less, unit_vector. destruct (Nat.eqb_spec j k) as [->|]; [lia|].
  rewrite V by lia. lia.
Qed.
Lemma solve_equations_spec n l :
  match solve_equations n l with
  | Some f => holds_all l f
  | None => forall f, (forall j, (n <= j)%nat -> f j = 0%Z) -> ~ holds_all l f
  end.
Proof.
  unfold solve_equations. pose proof (satisfy_all_spec l (fun _ => 0%Z, map unit_vector (seq 0 n))) as K.
  destruct (satisfy_all _ _) as [[p vs]|]; cbn [option_map fst].
  - apply (K p). unfold solution. cbn [fst snd]. apply spans_zero. intros j. unfold less. lia.
  - intros f V. apply K. unfold solution. cbn [fst snd]. apply spans_units. intros j [Hj|Hj]; [lia|].
    unfold less. rewrite V by lia. lia.
Qed.

(* ---- The layout through the values and their indices ---- *)

(* The digits of v in these extents, and the leaves of these extents and strides. *)
Fixpoint digit_row (es : list N) (v : N) : row :=
  match es with
  | [] => []
  | s :: es => Z.of_N (v mod s) :: digit_row es (v / s)
  end.
Fixpoint leaves_with (es : list N) (f : vector) : list (N * Z) :=
  match es with
  | [] => []
  | s :: es => (s, f O) :: leaves_with es (behind_first f)
  end.
Lemma leaves_with_value es f v : value_in (leaves_with es f) v = dot_row (digit_row es v) f.
Proof. revert f v. induction es as [|s es IH]; intros f v; [easy|]. cbn [leaves_with digit_row dot_row]. now rewrite
  <- IH. Qed.
Lemma leaves_with_extents es f : map fst (leaves_with es f) = es.
Proof. revert f. induction es as [|s es IH]; intros f; cbn; [easy|]. now rewrite IH. Qed.
Lemma leaves_are_with (l : list (N * Z)) : l = leaves_with (map fst l) (fun j => nth j (map snd l) 0%Z).
Proof. induction l as [|[s d] l IH]; [easy|]. cbn [map fst snd leaves_with nth]. f_equal. exact IH. Qed.

(* What takes the j-th value of the moving leaves to its index. *)
Definition equations (es : list N) (l : list (N * (N * N))) : list (row * Z) :=
  map (fun j => (digit_row es (value_in (strides l) j), Z.of_N (value_in (weights l) j))) (iota (numel l)).
Fixpoint first_some {X Y} (f : X -> option Y) (l : list X) : option Y :=
  match l with
  | [] => None
  | x :: l => match f x with Some y => Some y | None => first_some f l end
  end.
Definition left_search (A : layout N) : option (layout Z) :=
  first_some (fun es => option_map (fun f => coalesce (unwrapped (leaves_with es f)))
    (solve_equations (length es) (equations es (weighted_sorted A)))) (extents_reaching (N.to_nat (cosize A)) (cosize
      A)).

(* L takes the value of each index of the moving leaves to it. *)
Definition takes_points_back (A : layout N) (L : layout Z) : Prop := forall j, j < numel (weighted_sorted A) ->
  apply L (value_in (strides (weighted_sorted A)) j) = Z.of_N (value_in (weights (weighted_sorted A)) j).
Lemma first_some_in {X Y} (f : X -> option Y) l y : first_some f l = Some y -> exists x, In x l /\ f x = Some y.
Proof.
  induction l as [|x l IH]; [discriminate|]. cbn. destruct (f x) as [z|] eqn:E.
  - intros Q. injection Q as ->. exists x. split; [now left|easy].
  - intros Q. destruct (IH Q) as (w & I & F). exists w. split; [now right|easy].
Qed.
Lemma first_some_none {X Y} (f : X -> option Y) l x : first_some f l = None -> In x l -> f x = None.
Proof.
  induction l as [|y l IH]; [easy|]. cbn. destruct (f y) eqn:E; [discriminate|]. intros Q [<-|I]; [easy|now apply IH].
Qed.
Lemma holds_equations es l f : holds_all (equations es l) f <-> forall j, j < numel l ->
  value_in (leaves_with es f) (value_in (strides l) j) = Z.of_N (value_in (weights l) j).
Proof.
  unfold holds_all, equations. setoid_rewrite leaves_with_value. split.
  - intros H j Hj. apply H. apply in_map_iff. exists j. split; [easy|now apply in_iota].
  - intros H r b I. apply in_map_iff in I as (j & E & I). injection E as <- <-. apply H. now apply in_iota.
Qed.
Lemma left_search_spec A : shaped A = true ->
  match left_search A with
  | Some L => shaped L = true /\ takes_points_back A L
  | None => forall L, shaped L = true -> ~ takes_points_back A L
  end.
Proof.
  intros SA. unfold left_search. set (n := cosize A). set (l := weighted_sorted A).
  assert (Hn : 0 < n) by (unfold n, cosize; lia).
  assert (V : forall j, j < numel l -> value_in (strides l) j < n).
  { intros j Hj. assert (sublist l (weighted_sorted A)) as Sl by (unfold l; clear; induction (weighted_sorted A); now
    constructor).
    destruct (sorted_values A l j SA Sl Hj) as [L <-]. now apply below_cosize. }
  destruct (first_some _ _) as [L|] eqn:E.
  - apply first_some_in in E as (es & I & E). pose proof (solve_equations_spec (length es) (equations es l)) as K.
    fold l in E. destruct (solve_equations _ _) as [f|]; [|discriminate]. injection E as <-.
    rewrite <- (leaves_with_extents es f) in I. destruct (reaching_trimmed _ _ _ (le_n _) Hn I) as (_ & Ln & P).
    assert (S : shaped (unwrapped (leaves_with es f)) = true) by now rewrite shaped_unwrapped.
    split; [now apply shaped_coalesce|]. intros j Hj. fold l in Hj |- *. specialize (V j Hj).
    rewrite (proj2 (coalesce_function _ S)) by (rewrite size_unwrapped; lia).
    rewrite apply_unwrapped by (easy || lia). now apply (proj1 (holds_equations es l f) K).
  - intros L SL T. destruct (leaves_reaching L n SL Hn) as (k & P & Lk & W & _).
    destruct (merge_spec k P) as (Zm & Pm & Vm). rewrite <- Zm in Lk.
    destruct (trim_spec n (merge k) Hn Pm Lk) as (Pt & Lt & Vt & _ & _ & _).
    set (t := trim n (merge k)) in *. set (f := fun j => nth j (map snd t) 0%Z).
    assert (I : In (map fst t) (extents_reaching (N.to_nat n) n)) by (apply trim_extents; try easy; now apply
      merge_merged).
    apply (first_some_none _ _ _ E) in I. pose proof (solve_equations_spec (length (map fst t)) (equations (map fst t)
      l)) as K.
    fold l in I. destruct (solve_equations _ _) as [g|]; [discriminate|]. apply (K f).
    + intros j Hj. unfold f. apply nth_overflow. now rewrite map_length in *.
    + apply holds_equations. intros j Hj. unfold f. rewrite <- leaves_are_with. specialize (V j Hj).
      rewrite Vt, Vm, W by easy. now apply T.
Qed.

(* ---- left_inverse of any layout ---- *)

(* A in strides of any sign. *)
Definition integral (A : layout N) : layout Z := map_strides Z.of_N A.
Lemma integral_leaves A : leaves (integral A) = map (fun m => (fst m, Z.of_N (snd m))) (leaves A).
Proof.
  unfold integral. induction A as [s d|ms IH] using layout_induction; [easy|]. cbn.
  induction IH as [|m ms Hm _ IH]; [easy|]. cbn. now rewrite Hm, IH, map_app.
Qed.

(* Whether A(L(A(i))) = A(i) for all i < size(A). *)
Definition quasi_inverts (A L : layout N) : bool :=
  forallb (fun i => apply A (apply L (apply A i)) =? apply A i) (iota (size A)).
Definition quasi_inverse_by (A B : layout N) : option (layout N) :=
  L <- dividing_inverse B; if quasi_inverts A L then Some L else None.
(* CuTe's left inverse where A is nested and strides divide. Otherwise, where no value of the moving leaves comes twice,
   the layout through all; and where one does, CuTe's of A or else of A coalesced, if that is a quasi-inverse. *)
Definition searched_left_inverse (A : layout N) : option (layout Z) :=
  match left_inverse A with
  | Some L => Some (integral L)
  | None =>
      if distinct (image (strides (weighted_sorted A))) then left_search A
      else option_map integral (first_some (quasi_inverse_by A) [A; coalesce A])
  end.

Lemma integral_shaped A : shaped (integral A) = shaped A.
Proof. unfold shaped, positive. rewrite integral_leaves. induction (leaves A) as [|m l IH]; cbn; congruence. Qed.
Lemma integral_apply A i : apply (integral A) i = Z.of_N (apply A i).
Proof. apply map_strides_apply; [easy|apply N2Z.inj_add|apply N2Z.inj_mul]. Qed.
Lemma nodup_sorted A : shaped A = true -> NoDup (image (leaves A)) -> NoDup (image (strides (weighted_sorted A))).
Proof.
  intros S Nd. rewrite strides_sorted. unfold sorted_leaves. rewrite moving_wide by now apply nodup_broadcasts.
  apply (Permutation_NoDup (image_permutation _ _ (sort_permutation snd _) (wide_positive _))).
  now rewrite image_wide.
Qed.
(* To take back the values of the moving leaves is to take back all values, where nothing broadcasts. *)
Lemma takes_points_back_spec A L : shaped A = true -> NoDup (image (leaves A)) ->
  takes_points_back A L <-> forall i, i < size A -> apply L (apply A i) = Z.of_N i.
Proof.
  intros S Nd. pose proof (nodup_broadcasts A S Nd) as B. split.
  - intros T i Hi. pose proof (in_weighted_sorted A i S B Hi) as I. apply in_image in I as (j & Hj & E).
    rewrite value_in_pairs in E. injection E as Ea Ei. rewrite Ea, (T j Hj). congruence.
  - intros T j Hj. assert (sublist (weighted_sorted A) (weighted_sorted A)) as Sl
      by (clear; induction (weighted_sorted A); now constructor).
    destruct (sorted_values A _ j S Sl Hj) as [Li <-]. now apply T.
Qed.

(* left_inverse takes each value of A back to its index, for A that takes no value twice. *)
Theorem left_inverse_pointwise A L i : shaped A = true -> NoDup (image (leaves A)) ->
  searched_left_inverse A = Some L -> i < size A -> apply L (apply A i) = Z.of_N i.
Proof.
  intros S Nd E Hi. unfold searched_left_inverse in E. destruct (left_inverse A) as [K|] eqn:C.
  - injection E as <-. rewrite integral_apply. f_equal. apply (closed_left_pointwise A K i S); try easy.
    now apply nodup_broadcasts.
  - rewrite (proj2 (distinct_nodup _) (nodup_sorted A S Nd)) in E. pose proof (left_search_spec A S) as T.
    rewrite E in T. now apply takes_points_back_spec.
Qed.

(* A(L(A(i))) = A(i), whatever A broadcasts or takes twice. *)
Theorem left_inverse_quasi A L i : shaped A = true -> searched_left_inverse A = Some L -> i < size A ->
  (0 <= apply L (apply A i))%Z /\ apply A (Z.to_N (apply L (apply A i))) = apply A i.
Proof.
  intros S E Hi. unfold searched_left_inverse in E. destruct (left_inverse A) as [K|] eqn:C.
  - injection E as <-. rewrite integral_apply, N2Z.id. split; [apply N2Z.is_nonneg|]. now apply closed_left_quasi.
  - destruct (distinct _).
    + pose proof (left_search_spec A S) as T. rewrite E in T. destruct T as [_ T].
      destruct (moving_values A i S Hi) as (j & Hj & Ej). rewrite <- Ej, (T j Hj), N2Z.id. split; [apply
        N2Z.is_nonneg|].
      apply sorted_values; [easy| |easy]. clear. induction (weighted_sorted A); now constructor.
    + destruct (first_some _ _) as [K|] eqn:F; [|discriminate]. injection E as <-.
      apply first_some_in in F as (B & _ & F). unfold quasi_inverse_by in F.
      destruct (dividing_inverse B) as [M|]; [|discriminate]. cbn [bind] in F.
      destruct (quasi_inverts A M) eqn:Q; [|discriminate]. injection F as <-. unfold quasi_inverts in Q.
      rewrite forallb_iota in Q. rewrite integral_apply, N2Z.id. split; [apply N2Z.is_nonneg|]. now apply N.eqb_eq, Q.
Qed.

(* Where A takes no value twice it is defined exactly when a layout, of any strides, takes every value back. *)
Theorem left_inverse_exists A : shaped A = true -> NoDup (image (leaves A)) ->
  (exists L, searched_left_inverse A = Some L) <->
  exists L, shaped L = true /\ forall i, i < size A -> apply L (apply A i) = Z.of_N i.
Proof.
  intros S Nd. split.
  - intros [L E]. exists L. split; [|intros i Hi; now apply (left_inverse_pointwise A L i)].
    unfold searched_left_inverse in E. destruct (left_inverse A) as [K|] eqn:C.
    + injection E as <-. rewrite integral_shaped. now apply (left_inverse_shaped A).
    + rewrite (proj2 (distinct_nodup _) (nodup_sorted A S Nd)) in E. pose proof (left_search_spec A S) as T.
      now rewrite E in T.
  - intros (L & SL & T). unfold searched_left_inverse. destruct (left_inverse A) as [K|]; [eauto|].
    rewrite (proj2 (distinct_nodup _) (nodup_sorted A S Nd)). pose proof (left_search_spec A S) as G.
    destruct (left_search A) as [K|]; [eauto|]. exfalso. apply (G L SL). now apply takes_points_back_spec.
Qed.
