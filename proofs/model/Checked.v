(* The arithmetic of the optimized algebra: 64 bits, every sum and product taken in 128 bits and narrowed. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Digits.
Local Open Scope Z_scope.

(* Integers of n + 1 bits; what a conversion to them makes of any integer, modulo 2^(n + 1). *)
Definition fits_bits (n : Z) (x : Z) : Prop := - 2 ^ n <= x < 2 ^ n.
Definition wrapped (n : Z) (x : Z) : Z := (x + 2 ^ n) mod 2 ^ (n + 1) - 2 ^ n.
Definition int64 : Z -> Prop := fits_bits 63.

(* narrow: an int128 as an int64, or an overflow; plus and times, computed in 128 bits. *)
Definition narrow (x : Z) : option Z := if wrapped 63 x =? x then Some x else None.
Definition checked_plus (a b : Z) : option Z := narrow (wrapped 127 (a + b)).
Definition checked_times (a b : Z) : option Z := narrow (wrapped 127 (a * b)).
Definition checked_magnitude (a : Z) : option Z := if a <? 0 then narrow (wrapped 127 (- a)) else Some a.

Lemma wrapped_fits n x : 0 <= n -> wrapped n x = x <-> fits_bits n x.
Proof.
  intros Hn. unfold wrapped, fits_bits. assert (P : 0 < 2 ^ n) by (apply Z.pow_pos_nonneg; lia).
  rewrite Z.pow_add_r, Z.pow_1_r by lia. split; intros H.
  - pose proof (Z.mod_pos_bound (x + 2 ^ n) (2 ^ n * 2)). lia.
  - rewrite Z.mod_small; lia.
Qed.

Lemma narrow_exact x r : narrow x = Some r <-> r = x /\ int64 r.
Proof.
  unfold narrow. destruct (Z.eqb_spec (wrapped 63 x) x) as [E|E]; rewrite wrapped_fits in E by lia; fold int64 in E.
  - split; [intros K; injection K as <-; easy|intros [-> _]; easy].
  - split; [discriminate|intros [-> K]; contradiction].
Qed.

(* Sums and products of 64-bit integers have 128 bits: there nothing wraps. *)
Lemma wide_enough a b : int64 a -> int64 b ->
  wrapped 127 (a + b) = a + b /\ wrapped 127 (a * b) = a * b /\ wrapped 127 (- a) = - a.
Proof.
  unfold int64. intros Ha Hb. rewrite !wrapped_fits by lia. unfold fits_bits in *.
  change (2 ^ 63) with 9223372036854775808 in *. change (2 ^ 127) with 170141183460469231731687303715884105728. nia.
Qed.

(* A checked sum, product or magnitude is answered exactly where the true one has 64 bits, and then it is that. *)
Theorem checked_arithmetic_exact a b r : int64 a -> int64 b -> (checked_plus a b = Some r <-> r = a + b /\ int64 r) /\
  (checked_times a b = Some r <-> r = a * b /\ int64 r) /\ (checked_magnitude a = Some r <-> r = Z.abs a /\ int64 r).
Proof.
  intros Ha Hb. destruct (wide_enough a b Ha Hb) as (P & T & M). unfold checked_plus, checked_times, checked_magnitude.
  rewrite P, T, M, !narrow_exact. split; [easy|]. split; [easy|]. destruct (Z.ltb_spec a 0).
  - rewrite narrow_exact, Z.abs_neq by lia. easy.
  - rewrite Z.abs_eq by easy. split; [intros K; injection K as <-; easy|intros [-> _]; easy].
Qed.

(* Division rounded up, as it is computed. *)
Theorem ceil_div_by_quotient a b : (0 < b)%N -> ceil a b = (a / b + if a mod b =? 0 then 0 else 1)%N.
Proof.
  intros Hb. destruct (split_index b a Hb) as [E L]. revert E L. generalize (a mod b)%N (a / b)%N. intros r q -> L.
  destruct (N.eqb_spec r 0) as [->|Z].
  - rewrite N.add_0_l, N.add_0_r. now apply ceil_exact.
  - apply N.le_antisymm; [apply ceil_least; nia|]. apply N.nlt_ge. intros C.
    assert (r + b * q <= q * b)%N; [apply ceil_least; lia|lia].
Qed.

(* The length of a run is found without the minimum: it changes where what it puts below the cut is no longer below. *)
Theorem longest_run_as_computed run p r : (0 < r)%N -> (0 < run)%N ->
  (if p <=? (run - 1) * r then ceil p r else run)%N = N.min run (ceil p r).
Proof.
  intros Hr Hn. destruct (N.leb_spec p ((run - 1) * r)) as [L|L].
  - apply (ceil_least _ _ _ Hr) in L. lia.
  - rewrite N.min_l; [easy|]. apply N.le_ngt. intros C. apply N.lt_nge in L. apply L, (ceil_least _ _ _ Hr). lia.
Qed.

(* What a run puts below a cut is computed unchecked: it is below the cut, so it has 64 bits as the cut has. *)
Theorem run_below_cut ps s d p : (0 < d)%N -> (0 < s)%N -> In p ps -> (0 < p)%N ->
  ((longest_run ps s d - 1) * (d mod p) < p)%N.
Proof.
  intros Hd Hs I Hp. unfold longest_run.
  assert (mono : forall ps s, (fold_left (fun run p => if d mod p =? 0 then run
    else N.min run (ceil p (d mod p))) ps s <= s)%N).
  { clear. induction ps as [|q ps IH]; intros s; [apply N.le_refl|]. cbn [fold_left]. destruct (N.eqb_spec (d mod q) 0);
      [apply IH|].
    eapply N.le_trans; [apply IH|apply N.le_min_l]. }
  clear Hs. revert s. induction ps as [|q ps IH]; intros s; [easy|]. cbn [fold_left].
  destruct I as [->|I]; [|now apply IH].
  destruct (N.eqb_spec (d mod p) 0) as [->|Z]; [lia|].
  pose proof (mono ps (N.min s (ceil p (d mod p)))) as L. set (r := fold_left _ ps _) in *. clearbody r.
  destruct (N.eq_dec r 0) as [->|]; [simpl; lia|].
  assert (r <= ceil p (d mod p))%N as M by lia. apply N.nle_gt. intros C.
  apply (ceil_least _ _ _ (proj1 (N.neq_0_lt_0 _) Z)) in C. lia.
Qed.
