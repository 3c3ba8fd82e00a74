(* Swizzles, and layouts behind a swizzle and an offset. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Product Left_inverse.
Local Open Scope N_scope.

(* B bits at M and B bits |S| higher; the source bits are the higher ones if S > 0. *)
Record swizzle := Sw { bits : N; base : N; shift : Z }.
Definition valid (w : swizzle) : Prop := (Z.of_N (bits w) <= Z.abs (shift w))%Z.
Definition source (w : swizzle) : N := base w + Z.to_N (shift w).
Definition target (w : swizzle) : N := base w + Z.to_N (- shift w).

(* x with each target bit flipped where its source bit is set. *)
Definition swizzled (w : swizzle) (x : N) : N :=
  fold_left (fun y k => if N.testbit x (source w + k) then N.lxor y (2 ^ (target w + k)) else y) (iota (bits w)) x.

(* Whether bit k of the value is flipped, and by which bit. *)
Definition flips (w : swizzle) (k : N) : bool := (target w <=? k) && (k <? target w + bits w).

Lemma swizzled_bits w x k :
  N.testbit (swizzled w x) k = xorb (N.testbit x k) (flips w k && N.testbit x (k - target w + source w)).
Proof.
  unfold swizzled, flips.
  enough (forall n y, N.testbit (fold_left (fun y k => if N.testbit x (source w + k) then N.lxor y (2 ^ (target w + k))
    else y) (iota n) y) k =
    xorb (N.testbit y k) ((target w <=? k) && (k <? target w + n) && N.testbit x (k - target w + source w))) as E
      by apply E.
  induction n as [|n IH] using N.peano_ind; intros y.
  - simpl. destruct (N.leb_spec (target w) k), (N.ltb_spec k (target w + 0)); try lia; now rewrite xorb_false_r.
  - rewrite <- N.add_1_r, iota_add, fold_left_app. simpl. rewrite N.add_0_r.
    destruct (N.testbit x (source w + n)) eqn:T.
    + rewrite N.lxor_spec, IH, N.pow2_bits_eqb. destruct (N.eqb_spec (target w + n) k) as [<-|Ne].
      * replace (target w + n - target w + source w) with (source w + n) by lia. rewrite T.
        destruct (N.leb_spec (target w) (target w + n)), (N.ltb_spec (target w + n) (target w + n)),
          (N.ltb_spec (target w + n) (target w + (n + 1))); try lia.
        simpl. now rewrite xorb_false_r.
      * rewrite xorb_false_r. do 2 f_equal. f_equal.
        destruct (N.ltb_spec k (target w + n)), (N.ltb_spec k (target w + (n + 1))); lia || easy.
    + rewrite IH. destruct (N.eq_dec (target w + n) k) as [<-|Ne].
      * replace (target w + n - target w + source w) with (source w + n) by lia. rewrite T. now rewrite !andb_false_r.
      * do 2 f_equal. f_equal. destruct (N.ltb_spec k (target w + n)), (N.ltb_spec k (target w + (n + 1))); lia || easy.
Qed.

(* Source bits are no target bits, so they stay. *)
Lemma source_stays w x k : valid w -> flips w k = true ->
  N.testbit (swizzled w x) (k - target w + source w) = N.testbit x (k - target w + source w).
Proof.
  intros V F. rewrite swizzled_bits. unfold flips, valid, source, target in *. apply andb_true_iff in F as [F1 F2].
  apply N.leb_le in F1. apply N.ltb_lt in F2.
  match goal with |- xorb _ (?a && ?b && _) = _ => assert (a && b = false) as -> end; [|now rewrite xorb_false_r].
  apply not_true_is_false. rewrite andb_true_iff, N.leb_le, N.ltb_lt. lia.
Qed.

(* Sw<B,M,S>(x) = x ^ ((x & Y) >> S), Y the B bits at M + max(S, 0); the shift goes up for negative S. *)
Theorem apply_swizzle_definition w x : let y := N.land x (N.shiftl (N.ones (bits w)) (source w)) in swizzled w x =
  N.lxor x (if (0 <=? shift w)%Z then N.shiftr y (Z.to_N (shift w)) else N.shiftl y (Z.to_N (- shift w))).
Proof.
  intros y. apply N.bits_inj. intros k. rewrite swizzled_bits, N.lxor_spec. f_equal. subst y.
  unfold flips, source, target.
  destruct (Z.leb_spec 0 (shift w)) as [P|P].
  - replace (Z.to_N (- shift w)) with 0 by lia. rewrite N.shiftr_spec, N.land_spec by lia. rewrite N.add_0_r.
    destruct (N.leb_spec (base w) k).
    + rewrite N.shiftl_spec_high by lia.
      replace (k + Z.to_N (shift w) - (base w + Z.to_N (shift w))) with (k - base w) by lia.
      destruct (N.ltb_spec k (base w + bits w)).
      * rewrite N.ones_spec_low by lia. rewrite !andb_true_r. simpl. apply (f_equal (N.testbit x)). lia.
      * rewrite N.ones_spec_high by lia. simpl; now rewrite ?andb_false_r.
    + rewrite N.shiftl_spec_low by lia. simpl; now rewrite ?andb_false_r.
  - replace (Z.to_N (shift w)) with 0 by lia. rewrite N.add_0_r. set (s := Z.to_N (- shift w)).
    destruct (N.leb_spec (base w + s) k).
    + rewrite N.shiftl_spec_high, N.land_spec by lia. rewrite N.shiftl_spec_high by lia.
      replace (k - s - base w) with (k - (base w + s)) by lia. replace (k - (base w + s) + base w) with (k - s) by lia.
      destruct (N.ltb_spec k (base w + s + bits w)).
      * rewrite N.ones_spec_low by lia. simpl; now rewrite ?andb_true_r.
      * rewrite N.ones_spec_high by lia. simpl; now rewrite ?andb_false_r.
    + simpl. destruct (N.le_gt_cases s k).
      * rewrite N.shiftl_spec_high, N.land_spec, N.shiftl_spec_low by lia. simpl; now rewrite ?andb_false_r.
      * now rewrite N.shiftl_spec_low by lia.
Qed.

(* A swizzle undoes itself. *)
Theorem apply_swizzle_involution w x : valid w -> swizzled w (swizzled w x) = x.
Proof.
  intros V. apply N.bits_inj. intros k. rewrite swizzled_bits. destruct (flips w k) eqn:F.
  - rewrite source_stays, swizzled_bits, F by easy. simpl. now rewrite xorb_assoc, xorb_nilpotent, xorb_false_r.
  - simpl. now rewrite swizzled_bits, F, !xorb_false_r.
Qed.

(* It is linear over exclusive or. *)
Theorem apply_swizzle_linear w x y : swizzled w (N.lxor x y) = N.lxor (swizzled w x) (swizzled w y).
Proof.
  apply N.bits_inj. intros k. rewrite N.lxor_spec, !swizzled_bits, !N.lxor_spec.
  destruct (N.testbit x k), (N.testbit y k), (flips w k), (N.testbit x _), (N.testbit y _); reflexivity.
Qed.

Lemma below_power x n : (forall k, n <= k -> N.testbit x k = false) <-> x < 2 ^ n.
Proof.
  split.
  - intros H. destruct (N.eq_dec x 0) as [->|Nz]; [apply N.neq_0_lt_0, N.pow_nonzero; lia|].
    apply N.log2_lt_pow2; [lia|]. apply N.nle_gt. intros L. specialize (H _ L). now rewrite N.bit_log2 in H.
  - intros H k L. destruct (N.eq_dec x 0) as [->|Nz]; [apply N.bits_0|]. apply N.bits_above_log2.
    apply N.log2_lt_pow2 in H; lia.
Qed.

(* It permutes each block of 2^(M+B+|S|) values: what is below stays below. *)
Theorem apply_swizzle_block w x n : base w + bits w + Z.abs_N (shift w) <= n -> x < 2 ^ n -> swizzled w x < 2 ^ n.
Proof.
  intros L H. rewrite <- below_power in *. intros k K. rewrite swizzled_bits, (H k K). simpl.
  destruct (flips w k) eqn:F; [|easy]. unfold flips, target in F. apply andb_true_iff in F as [F1 F2].
  apply N.ltb_lt in F2. lia.
Qed.

Lemma low_bits x n k : x < 2 ^ n -> n <= k -> N.testbit x k = false.
Proof. intros H. now apply below_power. Qed.

Lemma run_disjoint m y r : r < 2 ^ m -> N.land (2 ^ m * y) r = 0.
Proof.
  intros H. apply N.bits_inj. intros k. rewrite N.land_spec, N.bits_0.
  destruct (N.lt_ge_cases k m) as [L|L]; [|now rewrite (low_bits r m k), andb_false_r].
  now rewrite N.mul_comm, N.mul_pow2_bits_low.
Qed.

(* It keeps runs of 2^M: below M no bit is flipped, and none of those bits flips another. *)
Theorem apply_swizzle_vector w y r : r < 2 ^ base w ->
  swizzled w (2 ^ base w * y + r) = swizzled w (2 ^ base w * y) + r.
Proof.
  intros H. rewrite N.add_nocarry_lxor, apply_swizzle_linear by now apply run_disjoint.
  assert (swizzled w r = r) as ->.
  { apply N.bits_inj. intros k. rewrite swizzled_bits, (low_bits r (base w) (k - target w + source w))
      by (easy || unfold source; lia).
    now rewrite andb_false_r, xorb_false_r. }
  symmetry. apply N.add_nocarry_lxor, N.bits_inj. intros k. rewrite N.land_spec, N.bits_0.
  destruct (N.lt_ge_cases k (base w)) as [L|L]; [|now rewrite (low_bits r (base w) k), andb_false_r].
  rewrite swizzled_bits, N.mul_comm, N.mul_pow2_bits_low by easy. unfold flips, target.
  assert (base w + Z.to_N (- shift w) <=? k = false) as -> by (apply N.leb_gt; lia). easy.
Qed.

(* A swizzle is a bijection: it is its own inverse, so different values stay different. *)
Theorem swizzle_injective w x y : valid w -> swizzled w x = swizzled w y -> x = y.
Proof. intros V E. now rewrite <- (apply_swizzle_involution w x V), E, apply_swizzle_involution. Qed.

(* Sw o n o A. *)
Record composed := Composed { outer : swizzle; offset : N; inner : layout N }.
Definition apply_composed_at (c : composed) (i : N) : N := swizzled (outer c) (offset c + apply (inner c) i).
Definition composed_size (c : composed) : N := size (inner c).
Lemma swizzled_nothing m s x : swizzled (Sw 0 m s) x = x.
Proof. reflexivity. Qed.

(* A tensor whose elements are not looked at: a layout behind an offset and, for one that is swizzled, a function. *)
Record tensor (D E : Type) := Tensor { ahead : D -> E; start : D; body : layout D }.
Arguments Tensor {D E}.
Arguments ahead {D E}.
Arguments start {D E}.
Arguments body {D E}.

Section Tensor.
Context {D E : Type} `{module D}.
Notation tensor := (tensor D E).

Definition element (A : tensor) (i : N) : E := ahead A (start A +: apply (body A) i).
Definition with_body (A : tensor) (z : layout D) : tensor := Tensor (ahead A) (start A) z.
(* What becomes of A when its layout becomes another, or a view. *)
Definition within (A : tensor) (f : layout D -> option (layout D)) : option tensor :=
  option_map (with_body A) (f (body A)).
Definition part_of (A : tensor) (part : option (D * layout D)) : option tensor :=
  option_map (fun r => Tensor (ahead A) (start A +: fst r) (snd r)) part.

(* Composition goes on inside: (Sw o n o A) o B is Sw o n o (A o B). *)
Theorem composition_composed (A : tensor) B R i : within A (fun a => composition a B) = Some R -> i < size B ->
  element R i = element A (apply B i).
Proof.
  unfold within. destruct (composition (body A) B) as [r|] eqn:K; [|discriminate]. intros G Hi. injection G as <-.
  unfold element. cbn. now rewrite (composition_pointwise _ _ _ _ K).
Qed.

(* coalesce inside is the same function. *)
Theorem coalesce_composed (A : tensor) i : shaped (body A) = true -> i < size (body A) ->
  element (with_body A (coalesce (body A))) i = element A i.
Proof. intros S Hi. unfold element. cbn. now rewrite (proj2 (coalesce_function _ S)). Qed.

(* logical_divide goes on inside. *)
Theorem logical_divide_composed (A : tensor) B R Q i : within A (fun a => logical_divide a B) = Some Q ->
  logical_divide (body A) B = Some R -> element Q i = ahead A (start A +: apply R i).
Proof. unfold within. intros K F. rewrite F in K. now injection K as <-. Qed.

(* Where the coordinate is fixed the offset grows inside the swizzle. *)
Theorem slice_and_offset_composed (A : tensor) k R i : shaped (body A) = true ->
  part_of A (slice_and_offset k (body A)) = Some R -> i < size (body R) -> option_map (fun x =>
  ahead A (start A +: x)) (apply_coordinate (body A) (fst (fill k (body A) i))) = Some (element R i).
Proof.
  intros S K Hi. destruct (slice_and_offset k (body A)) as [[n r]|] eqn:F; [|discriminate]. injection K as <-.
  rewrite (slice_and_offset_value k (body A) n r i S F Hi). unfold element. cbn. now rewrite plus_assoc.
Qed.
End Tensor.

(* n o A, and Sw o n o A. *)
Definition view {D} (n : D) (A : layout D) : tensor D D := Tensor (fun x => x) n A.
Definition behind (w : swizzle) (n : N) (A : layout N) : tensor N N := Tensor (swizzled w) n A.

(* A composed layout is the swizzle of the offset plus the layout; a view is the offset plus the layout. *)
Theorem apply_composed {D} `{module D} w n A (m : D) (B : layout D) i :
  element (behind w n A) i = swizzled w (n + apply A i) /\ element (view m B) i = m +: apply B i.
Proof. easy. Qed.

(* The composition of a swizzle, an offset and a layout: the layout itself where there are no bits and no offset. *)
Definition compose_swizzle (w : swizzle) (n : N) (A : layout N) : composed + layout N :=
  if (bits w =? 0) && (n =? 0) then inr A else inl (Composed w n A).

(* It is their composition as functions. *)
Theorem composition_swizzle w n A i : swizzled w (n + apply A i) =
  match compose_swizzle w n A with inl c => apply_composed_at c i | inr B => apply B i end.
Proof.
  unfold compose_swizzle. destruct w as [b m s]. cbn [bits]. destruct (N.eqb_spec b 0) as [->|]; [|reflexivity].
  destruct (N.eqb_spec n 0) as [->|]; cbn [andb]; [|reflexivity]. apply swizzled_nothing.
Qed.

(* Two swizzles that agree on every single bit agree everywhere: they are linear. *)
Lemma linear_agree (f g : N -> N) n : (forall x y, f (N.lxor x y) = N.lxor (f x) (f y)) ->
  (forall x y, g (N.lxor x y) = N.lxor (g x) (g y)) -> (forall k, k < n -> f (2 ^ k) = g (2 ^ k)) ->
  forall x, x < 2 ^ n -> f x = g x.
Proof.
  intros F G. induction n as [|n IH] using N.peano_ind; intros E x Hx.
  - assert (x = 0) as -> by (simpl in Hx; lia).
    assert (f 0 = 0) by (rewrite <- (N.lxor_nilpotent 0) at 1; rewrite F; apply N.lxor_nilpotent).
    assert (g 0 = 0) by (rewrite <- (N.lxor_nilpotent 0) at 1; rewrite G; apply N.lxor_nilpotent). congruence.
  - rewrite <- (below_power x) in Hx. specialize (IH ltac:(intros; apply E; lia)).
    destruct (N.testbit x n) eqn:T.
    + replace x with (N.lxor (N.lxor x (2 ^ n)) (2 ^ n)) by now rewrite N.lxor_assoc, N.lxor_nilpotent, N.lxor_0_r.
      rewrite F, G, (E n) by lia. f_equal. apply IH. apply below_power. intros k Hk.
      rewrite N.lxor_spec, N.pow2_bits_eqb.
      destruct (N.eqb_spec n k) as [<-|]; [now rewrite T|]. rewrite Hx by lia. reflexivity.
    + apply IH, below_power. intros k Hk. destruct (N.eq_dec k n) as [->|]; [easy|]. apply Hx. lia.
Qed.

(* Sw o Sw', where that is a swizzle again: the bits that only one of them flips, if in one run; compared bit by bit. *)
Definition reach (w : swizzle) : N := base w + bits w + Z.abs_N (shift w).
Definition agrees (v w r : swizzle) : bool :=
  forallb (fun k => swizzled v (swizzled w (2 ^ k)) =? swizzled r (2 ^ k)) (iota (reach v + reach w + reach r)).
Definition only_one (v w : swizzle) (k : N) : bool :=
  xorb ((base v <=? k) && (k <? base v + bits v)) ((base w <=? k) && (k <? base w + bits w)).
Definition one_run (v w : swizzle) : swizzle :=
  fold_left (fun r k => if only_one v w k then Sw (bits r + 1) k (shift v) else r)
    (rev (iota (N.max (base v + bits v) (base w + bits w)))) (Sw 0 0 (shift v)).
Definition compose_swizzles (v w : swizzle) : option swizzle :=
  if bits v =? 0 then Some w else if bits w =? 0 then Some v
  else let r := one_run v w in
    if agrees v w r && (Z.of_N (bits r) <=? Z.abs (shift r))%Z then Some (if bits r =? 0 then Sw 0 0 0 else r)
      else None.

Lemma swizzled_above w x k : reach w <= k -> N.testbit (swizzled w x) k = N.testbit x k.
Proof.
  intros L. rewrite swizzled_bits. destruct (flips w k) eqn:F; [|now rewrite xorb_false_r].
  unfold flips, target in F. apply andb_true_iff in F as [_ F]. apply N.ltb_lt in F. unfold reach in L. lia.
Qed.

Lemma swizzled_high w n : reach w <= n -> swizzled w (2 ^ n) = 2 ^ n.
Proof.
  intros L. apply N.bits_inj. intros k. rewrite swizzled_bits. destruct (flips w k) eqn:F; [|now rewrite xorb_false_r].
  rewrite !N.pow2_bits_eqb. unfold flips, target, source, reach in *. apply andb_true_iff in F as [F1 F2].
  apply N.leb_le in F1. apply N.ltb_lt in F2.
  destruct (N.eqb_spec n (k - (base w + Z.to_N (- shift w)) + (base w + Z.to_N (shift w)))); [lia|]. simpl.
  now rewrite xorb_false_r.
Qed.

(* composition of swizzles is their composition as functions: comparing single bits is exact. *)
Theorem composition_swizzles v w r x : compose_swizzles v w = Some r -> swizzled r x = swizzled v (swizzled w x).
Proof.
  unfold compose_swizzles. destruct (N.eqb_spec (bits v) 0) as [Zv|].
  { intros E. injection E as <-. destruct v as [b m s]. simpl in Zv. subst b. now rewrite swizzled_nothing. }
  destruct (N.eqb_spec (bits w) 0) as [Zw|].
  { intros E. injection E as <-. destruct w as [b m s]. simpl in Zw. subst b. now rewrite swizzled_nothing. }
  destruct (agrees v w (one_run v w)) eqn:A; [|discriminate]. destruct (_ <=? _)%Z; [|discriminate]. intros E.
  assert (swizzled r x = swizzled (one_run v w) x) as ->.
  { injection E as <-. destruct (N.eqb_spec (bits (one_run v w)) 0) as [Z|];
      [|easy]. destruct (one_run v w) as [b m s]. simpl in Z. now subst b. }
  clear E. set (q := one_run v w) in *. symmetry.
  apply (linear_agree (fun x => swizzled v (swizzled w x)) (swizzled q) (reach v + reach w + reach q + N.size x)).
  - intros. now rewrite !apply_swizzle_linear.
  - intros. apply apply_swizzle_linear.
  - intros k _. destruct (N.lt_ge_cases k (reach v + reach w + reach q)) as [L|L].
    + unfold agrees in A. rewrite forallb_iota in A. now apply N.eqb_eq, A.
    + now rewrite (swizzled_high w), (swizzled_high v), (swizzled_high q) by lia.
  - apply N.lt_le_trans with (2 ^ N.size x); [apply N.size_gt|]. apply N.pow_le_mono_r; lia.
Qed.

(* Sw'(x div n) = Sw(x) div n for n = 2^j: bits lost inside the element; a source inside may not have a target outside.
  *)
Definition upcast_swizzle_by (w : swizzle) (j : N) : option swizzle :=
  let lost := N.min (bits w) (j - target w) in
  if (lost <? bits w) && (source w + lost <? j) then None else Some (Sw (bits w - lost) (base w - j) (shift w)).
Definition downcast_swizzle_by (w : swizzle) (j : N) : swizzle := Sw (bits w) (base w + j) (shift w).

(* downcast: W'(2^j x + r) = 2^j W(x) + r for r < 2^j. *)
Theorem downcast_swizzle w j x r : r < 2 ^ j ->
  swizzled (downcast_swizzle_by w j) (2 ^ j * x + r) = 2 ^ j * swizzled w x + r.
Proof.
  intros Hr. assert (D : forall y k, N.testbit (2 ^ j * y + r) k = if k <? j then N.testbit r k
    else N.testbit y (k - j)).
  { intros y k. destruct (N.ltb_spec k j) as [L|L].
    - rewrite <- (N.mod_pow2_bits_low _ j k L). rewrite N.add_comm, N.mul_comm, N.mod_add by (apply N.pow_nonzero; lia).
      now apply N.mod_pow2_bits_low.
    - replace k with (k - j + j) at 1 by lia. rewrite <- N.div_pow2_bits.
      rewrite N.mul_comm, N.div_add_l by (apply N.pow_nonzero; lia).
      rewrite (N.div_small r) by easy. now rewrite N.add_0_r. }
  apply N.bits_inj. intros k. rewrite swizzled_bits, !D. unfold flips, downcast_swizzle_by, target, source. simpl.
  destruct (N.ltb_spec k j) as [L|L].
  - destruct (N.leb_spec (base w + j + Z.to_N (- shift w)) k); [lia|]. simpl. now rewrite xorb_false_r.
  - rewrite swizzled_bits. f_equal. unfold flips, target, source.
    destruct (N.leb_spec (base w + Z.to_N (- shift w)) (k - j)), (N.leb_spec (base w + j + Z.to_N (- shift w)) k);
      try lia; try easy.
    destruct (N.ltb_spec (k - j) (base w + Z.to_N (- shift w) + bits w)),
      (N.ltb_spec k (base w + j + Z.to_N (- shift w) + bits w)); try lia; try easy.
    simpl. match goal with |- (if ?c <? _ then _ else _) = _ => destruct (N.ltb_spec c j); [lia|] end.
    apply (f_equal (N.testbit x)). lia.
Qed.

(* upcast: W'(x div 2^j) = W(x) div 2^j. *)
Theorem upcast_swizzle w j v x : upcast_swizzle_by w j = Some v -> swizzled v (x / 2 ^ j) = swizzled w x / 2 ^ j.
Proof.
  unfold upcast_swizzle_by. set (lost := N.min _ _). destruct (_ && _) eqn:C; [discriminate|]. intros E.
  injection E as <-.
  apply N.bits_inj. intros k. rewrite N.div_pow2_bits, !swizzled_bits, !N.div_pow2_bits. f_equal.
  unfold flips, target, source in *. cbn [bits base shift]. apply andb_false_iff in C. rewrite !N.ltb_ge in C.
  assert (Z.to_N (- shift w) = 0 \/ Z.to_N (shift w) = 0) as O by lia. revert O lost C.
  generalize (Z.to_N (- shift w)) as t. generalize (Z.to_N (shift w)) as s. generalize (base w) as m.
  generalize (bits w) as b.
  intros b m s t O lost C. subst lost.
  destruct (N.leb_spec (m - j + t) k), (N.ltb_spec k (m - j + t + (b - N.min b (j - (m + t))))),
    (N.leb_spec (m + t) (k + j)), (N.ltb_spec (k + j) (m + t + b)); try lia; try reflexivity.
  simpl. apply (f_equal (N.testbit x)). lia.
Qed.

(* The swizzle that acts on the values of R as Sw acts on its indices, where R moves a source and a target bit to a
  bit. *)
Definition exact_log2 (n : N) : option N := if (0 <? n) && (2 ^ N.log2 n =? n) then Some (N.log2 n) else None.
Definition moved_by (w : swizzle) (R : layout N) : option swizzle :=
  if bits w =? 0 then Some w else
  s <- exact_log2 (apply R (2 ^ source w)); t <- exact_log2 (apply R (2 ^ target w));
  let v := Sw (bits w) (N.min s t) (Z.of_N s - Z.of_N t) in
  if (Z.of_N (bits v) <=? Z.abs (shift v))%Z then Some v else None.
(* That swizzle behind R, where every one of n indices shows that it is the inverse asked for. *)
Definition swizzled_inverse (c : composed) (R : layout N) (n : N) (good : composed -> N -> bool) : option composed :=
  v <- moved_by (outer c) R;
  if (offset c =? 0) && forallb (good (Composed v 0 R)) (iota n) then Some (Composed v 0 R) else None.
Definition right_inverse_of (c : composed) : option composed :=
  let R := contiguous_inverse (inner c) in
  swizzled_inverse c R (size R) (fun out i =>
    (apply_composed_at out i <? composed_size c) && (apply_composed_at c (apply_composed_at out i) =? i)).
Definition left_inverse_of (c : composed) : option composed :=
  L <- left_inverse (inner c); swizzled_inverse c L (composed_size c) (fun out i =>
    apply_composed_at out (apply_composed_at c i) =? i).

(* A right inverse behind a swizzle, where it is answered, is one. *)
Lemma right_inverse_of_inverts c R i : right_inverse_of c = Some R -> i < composed_size R ->
  apply_composed_at c (apply_composed_at R i) = i /\ apply_composed_at R i < composed_size c.
Proof.
  unfold right_inverse_of, swizzled_inverse. destruct (moved_by _ _) as [v|]; [|discriminate]. cbn [bind].
  destruct (_ && _) eqn:A; [|discriminate]. intros E Hi. injection E as <-.
  apply andb_true_iff in A as [_ A]. rewrite forallb_iota in A. specialize (A i Hi). apply andb_true_iff in A as [A B].
  apply N.ltb_lt in A. apply N.eqb_eq in B. auto.
Qed.

(* So is a left inverse. *)
Lemma left_inverse_of_inverts c L i : left_inverse_of c = Some L -> i < composed_size c ->
  apply_composed_at L (apply_composed_at c i) = i.
Proof.
  unfold left_inverse_of, swizzled_inverse. destruct (left_inverse (inner c)) as [l|]; [|discriminate]. cbn [bind].
  destruct (moved_by _ _) as [v|]; [|discriminate]. cbn [bind].
  destruct (_ && _) eqn:A; [|discriminate]. intros E Hi. injection E as <-.
  apply andb_true_iff in A as [_ A]. rewrite forallb_iota in A. now apply N.eqb_eq, A.
Qed.
