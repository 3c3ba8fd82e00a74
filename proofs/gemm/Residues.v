(* Products out of residues (spec/emulation.md): what is exact in integers, and every constant of
   gpu/plans/residues.hpp
   computed from the list of moduli. Not here: that doubles round as they do. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import ZArith Znumtheory List Lia Bool Permutation.
Import ListNotations.
Local Open Scope Z_scope.

Definition moduli : list Z :=
  [256; 255; 253; 251; 247; 241; 239; 233; 229; 227; 223; 217; 211; 199; 197; 193; 191; 181; 179; 173].
Definition modulus (t : nat) : Z := nth t moduli 1.
Definition product (l : list Z) : Z := fold_right Z.mul 1 l.
(* P, and what no sum of scaled products exceeds. *)
Definition whole (n : nat) : Z := product (firstn n moduli).
Definition bound (n : nat) : Z := whole n * (2 ^ 23 - 1) / 2 ^ 24.

(* The residue of x in [-p/2, p/2). *)
Definition symmetric (x p : Z) : Z := (x + p / 2) mod p - p / 2.
Definition same (p x y : Z) : Prop := exists k, x = y + k * p.

(* ---- Numbers ---- *)

Lemma same_refl p x : same p x x.
Proof. exists 0. lia. Qed.
Lemma same_sym p x y : same p x y -> same p y x.
Proof. intros [k ->]. exists (- k). lia. Qed.
Lemma same_trans p x y z : same p x y -> same p y z -> same p x z.
Proof. intros [k ->] [m ->]. exists (m + k). lia. Qed.
Lemma same_add p a b c d : same p a b -> same p c d -> same p (a + c) (b + d).
Proof. intros [k ->] [m ->]. exists (k + m). lia. Qed.
Lemma same_mul p a b c d : same p a b -> same p c d -> same p (a * c) (b * d).
Proof. intros [k ->] [m ->]. exists (b * m + k * d + k * m * p). lia. Qed.
Lemma same_divides p x y : same p x y <-> (p | x - y).
Proof. split; intros [k E]; exists k; lia. Qed.

Lemma symmetric_same p x : 0 < p -> same p (symmetric x p) x.
Proof.
  intros P. unfold symmetric. exists (- ((x + p / 2) / p)). pose proof (Z.div_mod (x + p / 2) p ltac:(lia)). nia.
Qed.
Lemma symmetric_range p x : 0 < p -> - p <= 2 * symmetric x p < p.
Proof.
  intros P. unfold symmetric. pose proof (Z.mod_pos_bound (x + p / 2) p P). pose proof (Z.div_mod p 2 ltac:(lia)).
  pose proof (Z.mod_pos_bound p 2 ltac:(lia)). lia.
Qed.
Lemma symmetric_odd p x : 0 < p -> p mod 2 = 1 -> - p < 2 * symmetric x p.
Proof.
  intros P O. unfold symmetric. pose proof (Z.mod_pos_bound (x + p / 2) p P). pose proof (Z.div_mod p 2
    ltac:(lia)). lia.
Qed.
Lemma symmetric_unique p x y : 0 < p -> same p x y -> - p <= 2 * y < p -> (p mod 2 = 1 -> - p < 2 * y) ->
  symmetric x p = y.
Proof.
  intros P S R O. pose proof (same_trans _ _ _ _ (symmetric_same p x P) S) as [k E].
  pose proof (symmetric_range p x P). assert (k = 0) by nia. lia.
Qed.
Lemma symmetric_respects p x y : 0 < p -> same p x y -> symmetric x p = symmetric y p.
Proof.
  intros P S. apply symmetric_unique; auto.
  - apply (same_trans _ _ y); auto. apply same_sym, symmetric_same, P.
  - apply symmetric_range, P.
  - intros O. now apply symmetric_odd.
Qed.

(* ---- Sums of products ---- *)

Fixpoint dot (l : list (Z * Z)) : Z := match l with [] => 0 | (a, b) :: m => a * b + dot m end.
Definition residues (p : Z) (l : list (Z * Z)) : list (Z * Z) :=
  map (fun x => (symmetric (fst x) p, symmetric (snd x) p)) l.
(* Block by block, each sum reduced together with the residue so far. *)
Fixpoint by_blocks (p : Z) (blocks : list (list (Z * Z))) (r : Z) : Z :=
  match blocks with [] => r | l :: more => by_blocks p more (symmetric (r + dot l) p) end.

Lemma dot_app l m : dot (l ++ m) = dot l + dot m.
Proof. induction l as [|[a b] l IH]; cbn; lia. Qed.
Lemma dot_residues p l : 0 < p -> same p (dot (residues p l)) (dot l).
Proof.
  intros P. induction l as [|[a b] l IH]; cbn; [apply same_refl|].
  apply same_add, IH. now apply same_mul; apply symmetric_same.
Qed.
Lemma by_blocks_same p blocks r : 0 < p -> same p (by_blocks p blocks r) (r + dot (concat blocks)).
Proof.
  intros P. revert r. induction blocks as [|l more IH]; intros r; cbn; [exists 0; lia|].
  rewrite dot_app. eapply same_trans; [apply IH|].
  destruct (symmetric_same p (r + dot l) P) as [k ->]. exists k. lia.
Qed.

Lemma symmetric_idem p x : 0 < p -> symmetric (symmetric x p) p = symmetric x p.
Proof. intros P. now apply symmetric_respects; [|apply symmetric_same]. Qed.
Lemma by_blocks_symmetric p blocks r : 0 < p -> blocks <> [] -> symmetric (by_blocks p blocks r) p = by_blocks p
  blocks r.
Proof.
  intros P. revert r. induction blocks as [|l more IH]; [easy|]. intros r _. cbn.
  destruct more; [now apply symmetric_idem|]. now apply IH.
Qed.

(* Sums of K products of residues, in blocks, are the symmetric residue of the product. *)
Theorem residue_product_congruent p blocks l : 0 < p -> blocks <> [] -> concat blocks = residues p l ->
  by_blocks p blocks 0 = symmetric (dot l) p.
Proof.
  intros P N E. rewrite <- (by_blocks_symmetric p blocks 0 P N). apply symmetric_respects; [easy|].
  eapply same_trans; [now apply by_blocks_same|]. rewrite E. now apply dot_residues.
Qed.
(* The order of K does not matter to them. *)
Theorem same_bits_on_every_kernel p blocks others l m : 0 < p -> blocks <> [] -> others <> [] -> Permutation l m ->
  concat blocks = residues p l -> concat others = residues p m -> by_blocks p blocks 0 = by_blocks p others 0.
Proof.
  intros P N O L B C. rewrite (residue_product_congruent p blocks l), (residue_product_congruent p others m) by
    easy.
  f_equal. clear - L. induction L as [|[a b] ? ? ? IH|[a b] [c d] ?|]; cbn; lia.
Qed.

(* ---- Reduction as kernels do it ---- *)

Definition rounded (n p : Z) : Z := (2 * n / p + 1) / 2.
(* A sum: the quotient by one wide product. *)
Definition reduced (x p : Z) : Z := x - (x * rounded (2 ^ 38) p + 2 ^ 37) / 2 ^ 38 * p.
(* A smaller number: x/p as a fraction of 2^32, of which what is whole is dropped. *)
Definition fraction (x p : Z) : Z := symmetric (x * rounded (2 ^ 32) p + 2 ^ 30 / p) (2 ^ 32) * p / 2 ^ 32.

Definition is_modulus (p : Z) : bool := existsb (Z.eqb p) moduli.
Lemma all_of_moduli (f : Z -> bool) p : forallb f moduli = true -> is_modulus p = true -> f p = true.
Proof.
  intros A I. apply existsb_exists in I as (q & I & E). apply Z.eqb_eq in E as ->. now apply (proj1 (forallb_forall
    _ _) A).
Qed.
Lemma quotient_of p x : 0 < p -> exists k, x = k * p + symmetric x p.
Proof. intros P. destruct (symmetric_same p x P) as [k E]. exists (- k). lia. Qed.

(* What the constants must be for that; of 256 they are exact. *)
Definition reduces (p : Z) : bool :=
  let d := rounded (2 ^ 38) p * p - 2 ^ 38 in (0 <? p) && (Z.abs d * (2 ^ 30 + 2 ^ 20) <? 2 ^ 37) && ((p mod 2 =?
    1) || (d =? 0)).
Definition reduces_fractions (p : Z) : bool :=
  let d := rounded (2 ^ 32) p * p - 2 ^ 32 in let c := 2 ^ 30 / p * p in
  (0 <? p) && (Z.abs d * 2 ^ 19 <? c) && (Z.abs d * 2 ^ 19 + c <? 2 ^ 31).

(* A sum within 2^30 + 2^20 is reduced to its symmetric residue, by each of the moduli. *)
Theorem sums_are_reduced p x : is_modulus p = true -> Z.abs x <= 2 ^ 30 + 2 ^ 20 -> reduced x p = symmetric x p.
Proof.
  intros M X. pose proof (all_of_moduli reduces p ltac:(now vm_compute) M) as R. unfold reduces in R.
  apply andb_prop in R as [R O]. apply andb_prop in R as [P D]. apply Z.ltb_lt in P, D. apply orb_prop in O.
  unfold reduced. set (m := rounded (2 ^ 38) p) in *. set (d := m * p - 2 ^ 38) in *.
  destruct (quotient_of p x P) as [k E]. pose proof (symmetric_range p x P) as S.
  set (r := symmetric x p) in *.
  assert (Q : (x * m + 2 ^ 37) / 2 ^ 38 = k); [|lia].
  assert (XD : Z.abs (x * d) < 2 ^ 37) by (rewrite Z.abs_mul; nia).
  assert (F : p * (x * m + 2 ^ 37 - k * 2 ^ 38) = 2 ^ 38 * r + x * d + p * 2 ^ 37) by (unfold d; nia).
  symmetry. apply Z.div_unique with (x * m + 2 ^ 37 - k * 2 ^ 38); [left|lia].
  destruct O as [O|O]; apply Z.eqb_eq in O.
  - pose proof (symmetric_odd p x P O). fold r in H. assert (2 * r + 1 <= p) by lia. assert (- p + 1 <= 2 * r) by
    lia.
    pose proof (Z.div_mod p 2 ltac:(lia)). assert (2 * r <= p - 1) by lia.
    split; apply (Z.mul_le_mono_pos_l _ _ p P) || apply (Z.mul_lt_mono_pos_l p _ _ P); rewrite F; lia.
  - rewrite O in F. rewrite Z.mul_0_r in F.
    split; apply (Z.mul_le_mono_pos_l _ _ p P) || apply (Z.mul_lt_mono_pos_l p _ _ P); rewrite F; lia.
Qed.
(* A number within 2^19, as a scaled one is by bytes, gives its symmetric residue in the upper word. *)
Theorem fractions_are_reduced p y : is_modulus p = true -> Z.abs y <= 2 ^ 19 -> fraction y p = symmetric y p.
Proof.
  intros M Y. pose proof (all_of_moduli reduces_fractions p ltac:(now vm_compute) M) as R. unfold reduces_fractions
    in R.
  apply andb_prop in R as [R U]. apply andb_prop in R as [P D]. apply Z.ltb_lt in P, D, U.
  unfold fraction. set (m := rounded (2 ^ 32) p) in *. set (c := 2 ^ 30 / p) in *. set (d := m * p - 2 ^ 32) in *.
  destruct (quotient_of p y P) as [k E]. pose proof (symmetric_range p y P) as S. set (r := symmetric y p) in *.
  assert (YD : Z.abs (y * d) <= Z.abs d * 2 ^ 19) by (rewrite Z.abs_mul; nia).
  set (g := y * m + c - k * 2 ^ 32).
  assert (F : p * g = 2 ^ 32 * r + (y * d + c * p)) by (unfold g, d; nia).
  rewrite (symmetric_unique (2 ^ 32) _ g); [|easy|exists k; unfold g; lia| |easy].
  - symmetry. apply Z.div_unique with (y * d + c * p); [left|]; lia.
  - split; apply (Z.mul_le_mono_pos_l _ _ p P) || apply (Z.mul_lt_mono_pos_l p _ _ P);
      rewrite ?(Z.mul_assoc p 2 g), ?(Z.mul_comm p 2), <- ?(Z.mul_assoc 2 p g), F; lia.
Qed.
(* The bytes of u, least first, times the residues of the powers of 256. *)
Fixpoint by_bytes (p : Z) (bytes : list Z) (power : Z) : Z :=
  match bytes with [] => 0 | b :: more => b * symmetric power p + by_bytes p more (256 * power) end.
Fixpoint of_bytes (bytes : list Z) : Z := match bytes with [] => 0 | b :: more => b + 256 * of_bytes more end.
Lemma by_bytes_same p bytes power : 0 < p -> same p (by_bytes p bytes power) (power * of_bytes bytes).
Proof.
  intros P. revert power. induction bytes as [|b more IH]; intros power; cbn [by_bytes of_bytes]; [exists 0; lia|].
  destruct (symmetric_same p power P) as [j ->], (IH (256 * power)) as [k ->]. exists (b * j + k). lia.
Qed.
Lemma symmetric_is_byte p x : is_modulus p = true -> 0 < p /\ Z.abs (symmetric x p) <= 128.
Proof.
  intros M. pose proof (all_of_moduli (fun p => (0 <? p) && (p <=? 256)) p ltac:(now vm_compute) M) as B.
  apply andb_prop in B as [P B]. apply Z.ltb_lt in P. apply Z.leb_le in B. pose proof (symmetric_range p x P). lia.
Qed.
Lemma by_bytes_small p bytes power : is_modulus p = true -> Forall (fun b => 0 <= b < 256) bytes ->
  Z.abs (by_bytes p bytes power) <= 255 * 128 * Z.of_nat (length bytes).
Proof.
  intros M F. revert power. induction F as [|b more B F IH]; intros power; cbn [by_bytes length]; [lia|].
  destruct (symmetric_is_byte p power M) as [_ S]. specialize (IH (256 * power)).
  assert (Z.abs (b * symmetric power p) <= 255 * 128) by (rewrite Z.abs_mul; apply Z.mul_le_mono_nonneg; lia). lia.
Qed.
(* So the residue of a number that up to twelve bytes say, less what they are too large by, is the symmetric one. *)
Theorem residue_represents p bytes above : is_modulus p = true -> Forall (fun b => 0 <= b < 256) bytes ->
  (length bytes <= 12)%nat ->
  fraction (by_bytes p bytes 1 + symmetric (- above) p) p = symmetric (of_bytes bytes - above) p.
Proof.
  intros M F L. destruct (symmetric_is_byte p (- above) M) as [P S]. pose proof (by_bytes_small p bytes 1 M F).
  rewrite fractions_are_reduced by (easy || lia). apply symmetric_respects; [easy|].
  destruct (by_bytes_same p bytes 1 P) as [j ->], (symmetric_same p (- above) P) as [k ->]. exists (j + k). lia.
Qed.

(* ---- Reconstruction ---- *)

Definition coprime (p q : Z) : bool := Z.gcd p q =? 1.
Fixpoint coprimes (l : list Z) : bool := match l with [] => true | p :: m => forallb (coprime p) m && coprimes m
  end.

(* The inverse of x modulo p, and the weight of the t-th of n moduli: 1 modulo that, 0 modulo each other. *)
Definition inverse (x p : Z) : Z :=
  let r := x mod p in
  match find (fun y => (r * y) mod p =? 1 mod p) (map Z.of_nat (seq 0 256)) with Some y => y | None => 0 end.
Definition weight (n t : nat) : Z :=
  let p := modulus t in let others := whole n / p in others * symmetric (inverse others p) p.
Definition weighted (n : nat) (c : nat -> Z) : Z :=
  fold_right Z.add 0 (map (fun t => weight n t * c t) (seq 0 n)).
Definition up_to_all (f : nat -> bool) : bool := forallb f (seq 0 21).
Lemma of_all f n : up_to_all f = true -> (n <= 20)%nat -> f n = true.
Proof. intros A L. apply (proj1 (forallb_forall _ _) A). apply in_seq. lia. Qed.

(* No two of the moduli have a common divisor, and each residue is a byte. *)
Theorem moduli_pairwise_coprime : coprimes moduli = true /\ Forall (fun p => 1 < p <= 256) moduli.
Proof. split; [now vm_compute|]. repeat constructor; easy. Qed.

Definition weights_hold (n : nat) : bool :=
  forallb (fun t => let w := weight n t in
    forallb (fun s => w mod modulus s =? if (t =? s)%nat then 1 mod modulus s else 0) (seq 0 n)) (seq 0 n).
(* Each weight of up to 20 moduli is 1 modulo its own modulus, and 0 modulo the others. *)
Theorem weights_are_exact n t s : (n <= 20)%nat -> (t < n)%nat -> (s < n)%nat ->
  same (modulus s) (weight n t) (if (t =? s)%nat then 1 else 0).
Proof.
  intros N T S. pose proof (of_all weights_hold n ltac:(now vm_compute) N) as W. unfold weights_hold in W.
  rewrite forallb_forall in W. specialize (W t ltac:(apply in_seq; lia)). rewrite forallb_forall in W.
  specialize (W s ltac:(apply in_seq; lia)). apply Z.eqb_eq in W.
  pose proof (Z.div_mod (weight n t) (modulus s)) as D. pose proof (Z.div_mod 1 (modulus s)) as E.
  assert (P : modulus s <> 0).
  { assert (L : (s < 20)%nat) by lia. clear - L. do 20 (destruct s as [|s]; [easy|]). lia. }
  specialize (D P). specialize (E P). destruct (t =? s)%nat; rewrite W in D.
  - exists (weight n t / modulus s - 1 / modulus s). lia.
  - exists (weight n t / modulus s). lia.
Qed.

Definition moduli_of (n : nat) : list Z := map modulus (seq 0 n).
Lemma whole_of n : (n <= 20)%nat -> whole n = product (moduli_of n).
Proof. intros N. apply Z.eqb_eq. now apply (of_all (fun n => whole n =? product (moduli_of n))). Qed.
Lemma whole_positive n : (n <= 20)%nat -> 0 < whole n.
Proof. intros N. apply Z.ltb_lt. now apply (of_all (fun n => 0 <? whole n)). Qed.
Lemma moduli_of_coprime n : (n <= 20)%nat -> coprimes (moduli_of n) = true.
Proof. now apply (of_all (fun n => coprimes (moduli_of n))). Qed.

Lemma divides_product l d : coprimes l = true -> (forall p, In p l -> (p | d)) -> (product l | d).
Proof.
  revert d. induction l as [|p l IH]; intros d C D; cbn; [apply Z.divide_1_l|].
  cbn in C. apply andb_prop in C as [C R]. destruct (D p (or_introl eq_refl)) as [k ->].
  assert (G : rel_prime (product l) p).
  { clear - C. induction l as [|q l IH]; cbn in *; [apply rel_prime_1|]. apply andb_prop in C as [E C].
    apply rel_prime_sym, rel_prime_mult; [|now apply rel_prime_sym, IH]. apply Zgcd_1_rel_prime, Z.eqb_eq, E. }
  rewrite (Z.mul_comm p). apply Z.mul_divide_mono_r, (Gauss _ p); [|easy].
  rewrite Z.mul_comm. apply IH; [easy|]. intros q I. apply D. now right.
Qed.
Lemma weighted_same n c s : (n <= 20)%nat -> (s < n)%nat -> same (modulus s) (weighted n c) (c s).
Proof.
  intros N L.
  assert (A : forall m, (m <= n)%nat -> same (modulus s)
    (fold_right Z.add 0 (map (fun t => weight n t * c t) (seq 0 m))) (if (s <? m)%nat then c s else 0)).
  { induction m as [|m IH]; intros M; [exists 0; easy|]. rewrite seq_S, map_app, fold_right_app. cbn [map
    fold_right Nat.add].
    assert (F : forall l x, fold_right Z.add x l = fold_right Z.add 0 l + x).
    { induction l as [|y l I]; intros x; cbn; [lia|]. rewrite I. lia. }
    rewrite F. eapply same_trans;
      [apply same_add; [apply IH; lia|apply same_add;
        [apply same_mul; [apply (weights_are_exact n m s); lia|apply same_refl]|apply same_refl]]|].
    exists 0. destruct (Nat.ltb_spec s m), (Nat.ltb_spec s (S m)), (Nat.eqb_spec m s); subst; lia. }
  specialize (A n ltac:(lia)). rewrite (proj2 (Nat.ltb_lt s n) L) in A. exact A.
Qed.

(* Any integer below P/2 is put together of any residues that it has. *)
Theorem reconstruction_inverse n c x : (n <= 20)%nat -> 2 * Z.abs x < whole n ->
  (forall t, (t < n)%nat -> same (modulus t) (c t) x) -> symmetric (weighted n c) (whole n) = x.
Proof.
  intros N L R. apply symmetric_unique; [now apply whole_positive| |lia|lia].
  apply same_divides. rewrite whole_of by easy. apply divides_product; [now apply moduli_of_coprime|].
  intros p I. apply in_map_iff in I as (s & <- & I). apply in_seq in I. apply same_divides.
  eapply same_trans; [apply weighted_same; lia|]. apply R. lia.
Qed.

(* ---- Scaling ---- *)

Fixpoint squares (l : list Z) : Z := match l with [] => 0 | x :: m => x * x + squares m end.
Lemma squares_nonnegative l : 0 <= squares l.
Proof. induction l; cbn; nia. Qed.
Lemma cauchy_schwarz l : dot l * dot l <= squares (map fst l) * squares (map snd l).
Proof.
  induction l as [|[a b] l IH]; cbn; [lia|]. set (d := dot l) in *.
  pose proof (squares_nonnegative (map fst l)) as A. pose proof (squares_nonnegative (map snd l)) as B.
  set (x := squares (map fst l)) in *. set (y := squares (map snd l)) in *.
  assert (S : 2 * (a * b * d) <= a * a * y + b * b * x); [|nia].
  pose proof (Z.mul_nonneg_nonneg _ _ (Z.square_nonneg a) B). pose proof (Z.mul_nonneg_nonneg _ _ (Z.square_nonneg
    b) A).
  pose proof (Z.square_nonneg (a * a * y - b * b * x)).
  assert (a * a * (b * b) * (d * d) <= a * a * (b * b) * (x * y)).
  { apply Z.mul_le_mono_nonneg_l; [apply Z.mul_nonneg_nonneg; apply Z.square_nonneg|easy]. }
  apply Z.square_le_simpl_nonneg; lia.
Qed.
(* x scaled by i/j and truncated towards zero; both lines of a product; the leading bits of x where d is their
   unit. *)
Definition truncated (i j x : Z) : Z := Z.quot (x * i) j.
Definition scaled (i j e k : Z) (l : list (Z * Z)) : list (Z * Z) :=
  map (fun x => (truncated i j (fst x), truncated e k (snd x))) l.
Definition rounded_up (d : Z) (l : list Z) : list Z := map (fun x => Z.abs x / d + 1) l.
Lemma truncated_below i j x : 0 <= i -> 0 < j -> Z.abs (truncated i j x) * j <= Z.abs x * i.
Proof.
  intros I J. unfold truncated. rewrite <- Z.quot_abs, Z.abs_mul, (Z.abs_eq i), (Z.abs_eq j), Z.mul_comm by lia.
  apply Z.mul_quot_le; nia.
Qed.
Lemma truncated_near i j x : 0 < j -> Z.abs (x * i - truncated i j x * j) <= j.
Proof.
  intros J. unfold truncated. pose proof (Z.quot_rem' (x * i) j). pose proof (Z.rem_bound_abs (x * i) j
    ltac:(lia)). lia.
Qed.
(* The squares of the leading bits, rounded up and scaled by i/j, are within the bound. *)
Definition fits (b i j d : Z) (l : list Z) : Prop := i * i * squares (rounded_up d l) <= j * j * b.
Lemma scaled_squares d i j b l : 0 < d -> 0 < j -> 0 <= i -> fits b i j d l ->
  squares (map (truncated i (j * d)) l) <= b.
Proof.
  unfold fits. intros D J I S.
  assert (E : j * j * squares (map (truncated i (j * d)) l) <= i * i * squares (rounded_up d l)); [|nia].
  clear S. induction l as [|x l IH]; cbn; [lia|].
  pose proof (truncated_below i (j * d) x I ltac:(nia)) as T. set (y := truncated i (j * d) x) in *.
  pose proof (Z.div_mod (Z.abs x) d ltac:(lia)). pose proof (Z.mod_pos_bound (Z.abs x) d D).
  assert (0 <= Z.abs x / d) by (apply Z.div_pos; lia). set (n := Z.abs x / d + 1) in *.
  assert (Z.abs y * j <= n * i).
  { apply (Z.mul_le_mono_pos_r _ _ d D). assert (Z.abs x * i <= n * d * i) by (apply Z.mul_le_mono_nonneg_r; nia).
    lia. }
  assert ((Z.abs y * j) * (Z.abs y * j) <= (n * i) * (n * i)) by (apply Z.mul_le_mono_nonneg; lia).
  assert (Z.abs y * Z.abs y = y * y) by lia. fold (rounded_up d l) in *. nia.
Qed.
Lemma bound_margin n : (n <= 20)%nat -> 2 ^ 25 * bound n <= whole n * (2 ^ 24 - 2) /\ 0 <= bound n.
Proof.
  intros N. assert (B : ((2 ^ 25 * bound n <=? whole n * (2 ^ 24 - 2)) && (0 <=? bound n))%bool = true)
    by now apply (of_all (fun n => (2 ^ 25 * bound n <=? whole n * (2 ^ 24 - 2)) && (0 <=? bound n))%bool).
  apply andb_prop in B as [B C]. apply Z.leb_le in B, C. easy.
Qed.
(* Lines that fit have products within the bound, so away from P/2. *)
Theorem scaled_within_bound n c d i j e k l : (n <= 20)%nat -> Forall (Z.lt 0) [c; d; i; j; e; k] ->
  fits (bound n) i j c (map fst l) -> fits (bound n) e k d (map snd l) ->
  Z.abs (dot (scaled i (j * c) e (k * d) l)) <= bound n.
Proof.
  intros N F SA SB. repeat (apply Forall_cons_iff in F as [? F]).
  apply scaled_squares in SA, SB; try lia. destruct (bound_margin n N) as [_ P].
  pose proof (cauchy_schwarz (scaled i (j * c) e (k * d) l)) as S. unfold scaled in *. rewrite !map_map in *. cbn
    in *.
  set (m := dot _) in *. set (a := map (fun x => truncated i _ _) l) in *. set (b := map (fun x => truncated e _ _)
    l) in *.
  pose proof (squares_nonnegative a). pose proof (squares_nonnegative b).
  apply Z.square_le_simpl_nonneg; [easy|]. rewrite Z.abs_square.
  assert (squares a * squares b <= bound n * bound n) by (apply Z.mul_le_mono_nonneg; easy). lia.
Qed.

Fixpoint magnitudes (l : list Z) : Z := match l with [] => 0 | x :: m => Z.abs x + magnitudes m end.
(* What truncation costs, times both scales: j/i of the one line's unit for each of the other's elements. *)
Theorem product_error_bound i j e k l : 0 < i -> 0 < j -> 0 < e -> 0 < k ->
  Z.abs (i * e * dot l - j * k * dot (scaled i j e k l))
    <= j * e * magnitudes (map snd l) + i * k * magnitudes (map fst l).
Proof.
  intros I J E K. induction l as [|[a b] l IH]; cbn; [lia|].
  pose proof (truncated_near i j a J) as A. pose proof (truncated_near e k b K) as B.
  pose proof (truncated_below i j a ltac:(lia) J) as C. set (x := truncated i j a) in *. set (y := truncated e k b)
    in *.
  fold (scaled i j e k l). set (p := dot l) in *. set (q := dot (scaled i j e k l)) in *.
  set (u := magnitudes (map snd l)) in *. set (v := magnitudes (map fst l)) in *.
  assert (P : Z.abs ((a * i - x * j) * (e * b)) <= j * e * Z.abs b).
  { rewrite Z.abs_mul, Z.abs_mul, (Z.abs_eq e) by lia.
    rewrite Z.mul_assoc. apply Z.mul_le_mono_nonneg_r; [lia|]. apply Z.mul_le_mono_nonneg_r; lia. }
  assert (Q : Z.abs (x * j * (b * e - y * k)) <= i * k * Z.abs a).
  { rewrite !Z.abs_mul, (Z.abs_eq j) by lia.
    apply Z.le_trans with (Z.abs a * i * k); [|lia].
    apply Z.mul_le_mono_nonneg; [apply Z.mul_nonneg_nonneg; lia|easy|lia|easy]. }
  replace (i * e * (a * b + p) - j * k * (x * y + q))
    with ((a * i - x * j) * (e * b) + x * j * (b * e - y * k) + (i * e * p - j * k * q)) by ring.
  lia.
Qed.

Lemma scaled_exactly i e l : dot (scaled i 1 e 1 l) = i * e * dot l.
Proof.
  induction l as [|[a b] l IH]; [cbn; lia|].
  change (scaled i 1 e 1 ((a, b) :: l)) with ((truncated i 1 a, truncated e 1 b) :: scaled i 1 e 1 l).
  cbn [dot]. rewrite IH. unfold truncated. rewrite !Z.quot_1_r. lia.
Qed.
(* Where nothing is cut off, what is put together is the product of the integers, times both scales. *)
Theorem integer_product_exact n i e l c : (n <= 20)%nat -> 2 * Z.abs (i * e * dot l) < whole n ->
  (forall t, (t < n)%nat -> same (modulus t) (c t) (dot (residues (modulus t) (scaled i 1 e 1 l)))) ->
  symmetric (weighted n c) (whole n) = i * e * dot l.
Proof.
  intros N L R. apply reconstruction_inverse; [easy|easy|]. intros t T.
  rewrite <- scaled_exactly. eapply same_trans; [now apply R|]. apply dot_residues.
  assert (M : (t < 20)%nat) by lia. clear - M. do 20 (destruct t as [|t]; [easy|]). lia.
Qed.

(* ---- Pieces: weights and P as sums of doubles ---- *)

Definition exponent (n i : nat) : Z := Z.max 0 (Z.log2 (whole n) - 41 - 42 * Z.of_nat i).
Definition last_piece (n : nat) : nat := length (filter (fun i => 0 <? exponent n i) (seq 0 4)).
Fixpoint split (x : Z) (n i : nat) : list Z :=
  match i with O => [x] | S j => let d := symmetric x (2 ^ exponent n j) in split (x - d) n j ++ [d] end.
Definition pieces (n : nat) (x : Z) : list Z := map (Z.mul (Z.sgn x)) (split (Z.abs x) n (last_piece n)).

(* The magnitudes of the i-th pieces, times any bytes, and with what the quotient takes of P, are below 2^53 units;
   so
   are the first pieces once it is taken; and the others change the quotient by less than 2^-28. *)
Definition pieces_fit (n : nat) : bool :=
  let weights := map (weight n) (seq 0 n) in let p := whole n in let all := seq 0 (S (last_piece n)) in
  let quotient := 128 * magnitudes weights / p + 1 in
  let rows := map (pieces n) weights in let last := pieces n p in
  let sum i := 128 * magnitudes (map (fun row => nth i row 0) rows) in
  let left i := sum i + quotient * Z.abs (nth i last 0) in
  let below := magnitudes (map left (seq 1 (last_piece n))) in
  (exponent n (last_piece n) =? 0) && (length last =? S (last_piece n))%nat &&
  forallb (fun i => forallb (fun row => nth i row 0 mod 2 ^ exponent n i =? 0) (last :: rows)) all &&
  forallb (fun i => sum i <=? 2 ^ (53 + exponent n i)) all &&
  forallb (fun i => left i <=? 2 ^ (53 + exponent n i)) (seq 1 (last_piece n)) &&
  (p / 2 + below <=? 2 ^ (53 + exponent n 0)) && (2 ^ 28 * below <? p).
(* With up to 20 moduli, sums of pieces are exact in doubles, whichever bytes the residues are. *)
Theorem pieces_are_exact n : (0 < n <= 20)%nat -> pieces_fit n = true.
Proof.
  intros N. assert (O : ((n =? 0)%nat || pieces_fit n)%bool = true)
    by (apply (of_all (fun n => (n =? 0)%nat || pieces_fit n)%bool); [now vm_compute|easy]).
  destruct N as [M _], (Nat.eqb_spec n 0); [lia|exact O].
Qed.
Lemma split_sum n i x : fold_right Z.add 0 (split x n i) = x.
Proof.
  revert x. induction i as [|i IH]; intros x; cbn; [lia|]. rewrite fold_right_app. cbn.
  assert (F : forall l y, fold_right Z.add y l = fold_right Z.add 0 l + y).
  { induction l as [|z l I]; intros y; cbn; [lia|]. rewrite I. lia. }
  rewrite F, IH. lia.
Qed.
(* The pieces of a number add up to it. *)
Theorem pieces_add_up n x : fold_right Z.add 0 (pieces n x) = x.
Proof.
  unfold pieces. assert (F : forall s l, fold_right Z.add 0 (map (Z.mul s) l) = s * fold_right Z.add 0 l).
  { intros s l. induction l; cbn; lia. }
  rewrite F, split_sum. lia.
Qed.
(* The quotient taken of the first pieces alone, and not quite rounded, is that of the whole sum. *)
Theorem quotient_is_exact n x k first rest q : (n <= 20)%nat -> Z.abs x <= bound n ->
  first + rest = k * whole n + x -> 2 ^ 28 * Z.abs rest < whole n ->
  2 ^ 41 * Z.abs (2 * (q * whole n - first)) <= (2 ^ 41 + 2) * whole n -> q = k.
Proof.
  intros N X E R Q. destruct (bound_margin n N) as [B _]. pose proof (whole_positive n N). set (p := whole n) in *.
  assert (Z.abs ((q - k) * p) < p) by (replace ((q - k) * p) with (q * p - first + (x - rest)) by lia; lia). nia.
Qed.
