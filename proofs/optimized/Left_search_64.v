(* left_search of gpu/algebra/search.hpp: a layout through the values of A and their indices, where strides do not
   divide. Its extents are primes, the last mode goes on; its strides solve one equation an element in the integers. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Left_inverse_64 Basis Product.
Local Open Scope N_scope.

Definition fits_z (n : Z) : bool := ((- 2 ^ 63 <=? n) && (n <? 2 ^ 63))%Z.
(* plus and times of integers; a sign that is changed unchecked there is checked here, too. *)
Definition plus_z (a b : Z) : outcome Z := if fits_z (a + b) then Yes (a + b)%Z else Beyond.
Definition times_z (a b : Z) : outcome Z := if fits_z (a * b) then Yes (a * b)%Z else Beyond.
Definition minus_z (a b : Z) : outcome Z := n <~ times_z b (-1); plus_z a n.

(* ---- One equation ---- *)

(* An equation: what digits and strides make is the index. A column: what it adds to the strides; zeros at its end may
   be left out. *)
Local Notation column := (list Z).
Definition shifted (f : nat -> Z) : nat -> Z := fun j => f (S j).
Fixpoint digits_dot (ds : list Z) (f : nat -> Z) : Z :=
  match ds with
  | [] => 0
  | d :: ds => d * f O + digits_dot ds (shifted f)
  end.
Definition entry_of (c : column) (j : nat) : Z := nth j c 0%Z.

Fixpoint dot_64 (ds : list Z) (c : column) (sum : Z) : outcome Z :=
  match ds with
  | [] => Yes sum
  | d :: ds => t <~ times_z d (hd 0%Z c); u <~ plus_z sum t; dot_64 ds (tl c) u
  end.
(* add: a + n b. *)
Fixpoint add_64 (a : column) (n : Z) (b : column) : outcome column :=
  match b with
  | [] => Yes a
  | y :: b => t <~ times_z n y; z <~ plus_z (hd 0%Z a) t; r <~ add_64 (tl a) n b; Yes (z :: r)
  end.

(* reduce: Euclid over columns with their entries in the row of the equation, the pivot first. *)
Fixpoint euclid_64 (fuel : nat) (p c : Z * column) : outcome ((Z * column) * (Z * column)) :=
  if (fst c =? 0)%Z then Yes (p, c) else
  match fuel with
  | O => Beyond
  | S fuel =>
      let q := Z.quot (fst p) (fst c) in
      b <~ add_64 (snd p) (- q) (snd c); euclid_64 fuel c (fst p - q * fst c, b)%Z
  end.
Fixpoint sweep_64 (fuel : nat) (p : Z * column) (cs : list (Z * column)) : outcome ((Z * column) * list (Z * column)) :=
  match cs with
  | [] => Yes (p, [])
  | c :: cs => x <~ euclid_64 fuel p c; y <~ sweep_64 fuel (fst x) cs; Yes (fst y, snd x :: snd y)
  end.
(* The columns before the first with an entry; that one and those behind it. *)
Fixpoint to_pivot (before cs : list (Z * column)) : list (Z * column) * list (Z * column) :=
  match cs with
  | [] => (before, [])
  | c :: r => if (fst c =? 0)%Z then to_pivot (before ++ [c]) r else (before, cs)
  end.

(* The columns with fixed shares, and those that are free. *)
Local Notation lattice := (list (Z * column) * list column)%type.
Fixpoint rows_64 (ds : list Z) (cs : list column) : outcome (list (Z * column)) :=
  match cs with
  | [] => Yes []
  | c :: cs => r <~ dot_64 ds c 0; l <~ rows_64 ds cs; Yes ((r, c) :: l)
  end.
Fixpoint left_over_64 (ds : list Z) (fixed : list (Z * column)) (left : Z) : outcome Z :=
  match fixed with
  | [] => Yes left
  | (share, c) :: fixed =>
      r <~ dot_64 ds c 0; t <~ times_z r share; left <~ minus_z left t; left_over_64 ds fixed left
  end.
(* swap(basis[pivot], basis[fixed++]): the first free column takes the place of the pivot. *)
Definition without_pivot (before rest : list (Z * column)) : list column :=
  map snd match before with [] => rest | b :: before => before ++ b :: rest end.
Definition satisfy_64 (ds : list Z) (index : Z) (s : lattice) : outcome (option lattice) :=
  left <~ left_over_64 ds (fst s) index; rows <~ rows_64 ds (snd s);
  match snd (to_pivot [] rows) with
  | [] => Yes (if (left =? 0)%Z then Some s else None)
  | p :: rest =>
      x <~ sweep_64 128 p rest; let r := fst (fst x) in
      Yes (if (Z.rem left r =? 0)%Z
           then Some (fst s ++ [(Z.quot left r, snd (fst x))], without_pivot (fst (to_pivot [] rows)) (snd x))
           else None)
  end.

(* ---- A chain of primes ---- *)

Fixpoint digits_of (primes : list N) (v : N) : list Z :=
  match primes with
  | [] => [Z.of_N v]
  | q :: primes => Z.of_N (v mod q) :: digits_of primes (v / q)
  end.
Fixpoint unit_columns (n : nat) : list column :=
  match n with
  | O => []
  | S n => [1%Z] :: map (cons 0%Z) (unit_columns n)
  end.
Fixpoint share_out_64 (fixed : list (Z * column)) (sum : column) : outcome column :=
  match fixed with
  | [] => Yes sum
  | (share, c) :: fixed => s <~ add_64 sum share c; share_out_64 fixed s
  end.
(* element: the value and the index of element i of the modes. *)
Definition element_64 (l : weighted_modes) (i : N) : outcome (N * N) :=
  v <~ total_64 below_64 (strides l) i 0; x <~ total_64 below_64 (weights l) i 0; Yes (v, x).
Fixpoint solve_64 (l : weighted_modes) (primes : list N) (is : list N) (s : lattice) : outcome (option column) :=
  match is with
  | [] => c <~ share_out_64 (fst s) []; Yes (Some c)
  | i :: is =>
      e <~ element_64 l i; o <~ satisfy_64 (digits_of primes (fst e)) (Z.of_N (snd e)) s;
      match o with Some t => solve_64 l primes is t | None => Yes None end
  end.

Definition prime_64 (q : N) : bool := (1 <? q) && forallb (fun p => (p <? 2) || negb (q mod p =? 0)) (iota q).
Fixpoint first_64 {X Y} (f : X -> outcome (option Y)) (l : list X) : outcome (option Y) :=
  match l with
  | [] => Yes None
  | x :: l => o <~ f x; match o with Some y => Yes (Some y) | None => first_64 f l end
  end.
(* No chain is longer than `fuel`. *)
Fixpoint chain_64 (l : weighted_modes) (values n : N) (fuel : nat) (product : N) (primes : list N) :
  outcome (option (list N * column)) :=
  s <~ solve_64 l primes (tl (iota n)) ([], unit_columns (S (length primes)));
  match s with
  | Some c => Yes (Some (primes, c))
  | None =>
      match fuel with
      | O => Beyond
      | S fuel => first_64 (fun q => chain_64 l values n fuel (product * q) (primes ++ [q]))
          (List.filter (fun q => prime_64 q && (product * q <? values)) (iota values))
      end
  end.

(* result: each prime with its stride, the last mode as long as values ask. *)
Fixpoint result_64 (left : N) (primes : list N) (c : column) : list (N * Z) :=
  match primes with
  | [] => [(left, hd 0%Z c)]
  | q :: primes => (q, hd 0%Z c) :: result_64 (ceil_div_64 left q) primes (tl c)
  end.
Fixpoint cosize_64 (l : list (N * N)) (n : N) : outcome N :=
  match l with
  | [] => Yes n
  | (s, d) :: l => t <~ times_64 (s - 1) d; m <~ plus_fit below_64 n t; cosize_64 l m
  end.
(* injective: does no value repeat? *)
Fixpoint injective_64 (l : weighted_modes) (is seen : list N) : outcome bool :=
  match is with
  | [] => Yes true
  | i :: is =>
      e <~ element_64 l i; if existsb (N.eqb (fst e)) seen then Yes false else injective_64 l is (fst e :: seen)
  end.
Definition left_search_64 (A : layout N) (l : weighted_modes) : outcome (layout Z) :=
  values <~ cosize_64 (leaves A) 1;
  if 256 <? values then Undecided else
  n <~ size_64 (strides l) 1; j <~ injective_64 l (iota n) [];
  if negb j then Undecided else
  o <~ chain_64 l values n 8 1 [];
  match o with
  | Some (primes, c) => m <~ push_all [] (result_64 values primes c); Yes (unwrapped (rev m))
  | None => No
  end.
(* left_inverse, with its search. *)
Definition searched_left_inverse_64 (A : layout N) : outcome (layout Z) :=
  left_inverse_64 (map_strides Z.of_N) (left_search_64 A) A.

(* ---- What an equation leaves ---- *)

Lemma plus_z_sound a b v : plus_z a b = Yes v -> v = (a + b)%Z.
Proof. unfold plus_z. destruct (fits_z _); [|discriminate]. intros E. now injection E. Qed.
Lemma times_z_sound a b v : times_z a b = Yes v -> v = (a * b)%Z.
Proof. unfold times_z. destruct (fits_z _); [|discriminate]. intros E. now injection E. Qed.
Lemma minus_z_sound a b v : minus_z a b = Yes v -> v = (a - b)%Z.
Proof.
  intros E. apply and_then_yes in E as (n & En & E). apply times_z_sound in En. apply plus_z_sound in E. lia.
Qed.
Lemma entry_hd c : hd 0%Z c = entry_of c 0.
Proof. now destruct c. Qed.
Lemma entry_tl c j : entry_of (tl c) j = entry_of c (S j).
Proof. destruct c; [now destruct j|reflexivity]. Qed.

Lemma dot_ext ds f g : (forall j, f j = g j) -> digits_dot ds f = digits_dot ds g.
Proof.
  revert f g. induction ds as [|d ds IH]; intros f g E; [reflexivity|]. cbn [digits_dot]. rewrite (E O). f_equal.
  apply IH.
  intros j. apply E.
Qed.
Lemma dot_minus ds f g n : digits_dot ds (fun j => f j - n * g j)%Z = (digits_dot ds f - n * digits_dot ds g)%Z.
Proof.
  revert f g. induction ds as [|d ds IH]; intros f g; cbn [digits_dot]; [lia|].
  change (shifted (fun j => f j - n * g j)%Z) with (fun j => shifted f j - n * shifted g j)%Z. rewrite IH. lia.
Qed.
Lemma dot_zero ds f : (forall j, f j = 0%Z) -> digits_dot ds f = 0%Z.
Proof.
  revert f. induction ds as [|d ds IH]; intros f E; [reflexivity|]. cbn [digits_dot]. rewrite E, IH; [lia|]. intros j.
  apply E.
Qed.
Lemma dot_64_sound ds c sum v : dot_64 ds c sum = Yes v -> v = (sum + digits_dot ds (entry_of c))%Z.
Proof.
  revert c sum. induction ds as [|d ds IH]; intros c sum E; [injection E as <-; cbn; lia|].
  cbn [dot_64 digits_dot] in *.
  apply and_then_yes in E as (t & Et & E). apply and_then_yes in E as (u & Eu & E). apply times_z_sound in Et as ->.
  apply plus_z_sound in Eu as ->. apply IH in E as ->. rewrite (dot_ext ds (shifted (entry_of c)) (entry_of (tl c))).
  - rewrite entry_hd. lia.
  - intros j. now rewrite entry_tl.
Qed.
Lemma add_64_sound a n b c : add_64 a n b = Yes c -> forall j, entry_of c j = (entry_of a j + n * entry_of b j)%Z.
Proof.
  revert a c. induction b as [|y b IH]; intros a c E j.
  - injection E as <-. replace (entry_of [] j) with 0%Z by now destruct j. lia.
  - cbn [add_64] in E. apply and_then_yes in E as (t & Et & E). apply and_then_yes in E as (z & Ez & E).
    apply and_then_yes in E as (r & Er & E). injection E as <-. apply times_z_sound in Et as ->.
    apply plus_z_sound in Ez as ->. specialize (IH _ _ Er). rewrite entry_hd. destruct j as [|j]; [reflexivity|].
    specialize (IH j). rewrite entry_tl in IH. exact IH.
Qed.

(* The sums of multiples of columns. *)
Fixpoint spanned (cs : list column) (f : nat -> Z) : Prop :=
  match cs with
  | [] => forall j, f j = 0%Z
  | c :: cs => exists t, spanned cs (fun j => f j - t * entry_of c j)%Z
  end.
Lemma spanned_ext cs f g : (forall j, f j = g j) -> spanned cs f -> spanned cs g.
Proof.
  revert f g. induction cs as [|c cs IH]; intros f g E; cbn [spanned].
  - intros Z j. now rewrite <- E.
  - intros [t T]. exists t. apply (IH _ _ (fun j => f_equal (fun x => x - _)%Z (E j)) T).
Qed.
Lemma spanned_zero cs f : (forall j, f j = 0%Z) -> spanned cs f.
Proof.
  revert f. induction cs as [|c cs IH]; intros f E; [exact E|]. exists 0%Z. apply IH. intros j. rewrite E. lia.
Qed.
Lemma spanned_permutation cs ds f : Permutation cs ds -> spanned cs f <-> spanned ds f.
Proof.
  assert (one : forall cs ds f, Permutation cs ds -> spanned cs f -> spanned ds f).
  { clear. intros cs ds f P. revert f. induction P as [|c cs ds _ IH|c d cs|cs ds es _ IH _ IH']; intros f; [easy| | |].
    - intros [t T]. exists t. now apply IH.
    - intros (t & u & T). exists u, t. refine (spanned_ext _ _ _ _ T). intros j. lia.
    - intros T. now apply IH', IH. }
  intros P. split; apply one; [easy|now symmetry].
Qed.
Lemma spanned_dot ds cs f : (forall c, In c cs -> digits_dot ds (entry_of c) = 0%Z) -> spanned cs f ->
  digits_dot ds f = 0%Z.
Proof.
  revert f. induction cs as [|c cs IH]; intros f Z; [apply dot_zero|]. intros [t T].
  apply IH in T; [|intros d I; apply Z; now right]. rewrite dot_minus, (Z c) in T by now left. lia.
Qed.
(* One step of Euclid's. *)
Lemma spanned_step p q c b cs f : (forall j, entry_of b j = entry_of p j + - q * entry_of c j)%Z ->
  spanned (p :: c :: cs) f <-> spanned (c :: b :: cs) f.
Proof.
  intros E. split; intros (t & u & T).
  - exists (u + t * q)%Z, t. refine (spanned_ext _ _ _ _ T). intros j. rewrite E. lia.
  - exists u, (t - u * q)%Z. refine (spanned_ext _ _ _ _ T). intros j. rewrite E. lia.
Qed.

Definition row_right (ds : list Z) (c : Z * column) : Prop := fst c = digits_dot ds (entry_of (snd c)).
Lemma euclid_64_sound ds fuel p c x : row_right ds p -> row_right ds c -> euclid_64 fuel p c = Yes x ->
  row_right ds (fst x) /\ row_right ds (snd x) /\ fst (snd x) = 0%Z /\ (fst p <> 0 -> fst (fst x) <> 0)%Z /\
  forall cs f, spanned (snd p :: snd c :: cs) f <-> spanned (snd (fst x) :: snd (snd x) :: cs) f.
Proof.
  revert p c. induction fuel as [|fuel IH]; intros p c P C E; cbn [euclid_64] in E; destruct (Z.eqb_spec (fst c) 0).
  - injection E as <-. easy.
  - discriminate.
  - injection E as <-. easy.
  - apply and_then_yes in E as (b & Eb & E). set (q := Z.quot (fst p) (fst c)) in *.
    pose proof (add_64_sound _ _ _ _ Eb) as B. apply IH in E as (P' & C' & Z' & N' & S'); [|easy|].
    + repeat split; try easy; [now intros _; apply N'|..]; intros T.
      * apply S'. now apply (spanned_step (snd p) q).
      * apply (spanned_step (snd p) q _ b); [easy|]. now apply S'.
    + unfold row_right in *. cbn [fst snd].
      rewrite (dot_ext ds _ (fun j => entry_of (snd p) j - q * entry_of (snd c) j)%Z).
      * rewrite dot_minus. congruence.
      * intros j. rewrite B. lia.
Qed.
Lemma sweep_64_sound ds fuel p cs x : row_right ds p -> Forall (row_right ds) cs -> sweep_64 fuel p cs = Yes x ->
  row_right ds (fst x) /\ Forall (fun c => digits_dot ds (entry_of (snd c)) = 0%Z) (snd x) /\
  (fst p <> 0 -> fst (fst x) <> 0)%Z /\ forall es f, spanned (snd p :: map snd cs ++ es) f <->
  spanned (snd (fst x) :: map snd (snd x) ++ es) f.
Proof.
  revert p x. induction cs as [|c cs IH]; intros p x P R E.
  { injection E as <-. split; [easy|]. split; [constructor|easy]. }
  apply Forall_cons_iff in R as [C R].
  cbn [sweep_64] in E. apply and_then_yes in E as (y & Ey & E). apply and_then_yes in E as (z & Ez & E).
  injection E as <-. destruct (euclid_64_sound ds _ _ _ _ P C Ey) as (P1 & C1 & Z1 & N1 & S1).
  destruct (IH _ _ P1 R Ez) as (P2 & Z2 & N2 & S2). cbn [fst snd map app]. repeat split.
  - exact P2.
  - constructor; [|exact Z2]. unfold row_right in C1. congruence.
  - auto.
  - intros T. apply S1 in T. apply (spanned_permutation _ _ _ (perm_swap _ _ _)). cbn [fst snd] in *.
    apply (spanned_permutation _ _ _ (perm_swap _ _ _)) in T. destruct T as [t T]. exists t. now apply S2.
  - intros T. apply S1. apply (spanned_permutation _ _ _ (perm_swap _ _ _)) in T. destruct T as [t T].
    apply (spanned_permutation _ _ _ (perm_swap _ _ _)). exists t. now apply S2.
Qed.
Lemma to_pivot_spec before cs : exists zs, cs = zs ++ snd (to_pivot before cs) /\
  fst (to_pivot before cs) = before ++ zs /\ Forall (fun c => fst c = 0%Z) zs /\
  match snd (to_pivot before cs) with [] => True | p :: _ => fst p <> 0%Z end.
Proof.
  revert before. induction cs as [|c cs IH]; intros before; cbn [to_pivot].
  { exists []. cbn. rewrite app_nil_r. repeat split. constructor. }
  destruct (Z.eqb_spec (fst c) 0) as [Z|Z].
  - destruct (IH (before ++ [c])) as (zs & E & F & A & H). exists (c :: zs). cbn [app]. rewrite <- E, F, <- app_assoc.
    repeat split; [|exact H]. now constructor.
  - exists []. cbn. rewrite app_nil_r. repeat split; [constructor|exact Z].
Qed.
Lemma without_pivot_permutes before rest : Permutation (without_pivot before rest) (map snd rest ++ map snd before).
Proof.
  unfold without_pivot. rewrite <- map_app. apply Permutation_map. destruct before as [|b before].
  - now rewrite app_nil_r.
  - symmetry. rewrite Permutation_app_comm. cbn. apply Permutation_middle.
Qed.
Lemma rows_64_sound ds cs rows : rows_64 ds cs = Yes rows -> map snd rows = cs /\ Forall (row_right ds) rows.
Proof.
  revert rows. induction cs as [|c cs IH]; intros rows E; [injection E as <-; split; [easy|constructor]|].
  cbn [rows_64] in E. apply and_then_yes in E as (r & Er & E). apply and_then_yes in E as (l & El & E).
  injection E as <-. destruct (IH l El) as [M R]. cbn [map snd]. split; [now rewrite M|]. constructor; [|exact R].
  now apply dot_64_sound in Er.
Qed.

(* What the fixed columns make. *)
Fixpoint fixed_part (fixed : list (Z * column)) (j : nat) : Z :=
  match fixed with
  | [] => 0
  | (share, c) :: fixed => fixed_part fixed j + share * entry_of c j
  end.
Definition in_lattice (s : lattice) (f : nat -> Z) : Prop := spanned (snd s) (fun j => f j - 1 * fixed_part (fst s)
  j)%Z.
Lemma part_app fixed share c j : fixed_part (fixed ++ [(share, c)]) j = (fixed_part fixed j + share * entry_of c j)%Z.
Proof. induction fixed as [|[n b] fixed IH]; cbn [app fixed_part]; [lia|]. rewrite IH. lia. Qed.
Lemma left_over_64_sound ds fixed left v : left_over_64 ds fixed left = Yes v ->
  v = (left - digits_dot ds (fixed_part fixed))%Z.
Proof.
  revert left. induction fixed as [|[share c] fixed IH]; intros left E; cbn [left_over_64] in E.
  - injection E as <-. rewrite dot_zero by easy. lia.
  - apply and_then_yes in E as (r & Er & E). apply and_then_yes in E as (t & Et & E).
    apply and_then_yes in E as (n & En & E). apply dot_64_sound in Er. apply times_z_sound in Et.
    apply minus_z_sound in En. apply IH in E as ->.
    rewrite (dot_ext ds (fixed_part ((share, c) :: fixed)) (fun j => fixed_part fixed j - (- share) * entry_of c j)%Z).
    + rewrite dot_minus. subst. lia.
    + intros j. cbn [fixed_part]. lia.
Qed.

(* An equation keeps of the strides those that solve it. *)
Lemma satisfy_64_sound ds index s o : satisfy_64 ds index s = Yes o ->
  forall f, (in_lattice s f /\ digits_dot ds f = index) <-> match o with Some t => in_lattice t f | None => False end.
Proof.
  unfold satisfy_64. intros E f. apply and_then_yes in E as (left & El & E). apply and_then_yes in E as (rows & Er & E).
  apply left_over_64_sound in El. apply rows_64_sound in Er as [M R].
  destruct (to_pivot_spec [] rows) as (zs & Ez & Eb & Z & H). cbn [app] in Eb. rewrite Eb in E.
  destruct (snd (to_pivot [] rows)) as [|p rest].
  - rewrite app_nil_r in Ez. subst rows. injection E as <-.
    assert (N0 : in_lattice s f -> digits_dot ds f = digits_dot ds (fixed_part (fst s))).
    { intros W. apply (spanned_dot ds) in W; [rewrite dot_minus in W; lia|]. intros c I. rewrite <- M in I.
      apply in_map_iff in I as (x & <- & I). rewrite Forall_forall in Z, R. rewrite <- (R x I). now apply Z. }
    destruct (Z.eqb_spec left 0); split; try easy; intros W; try (split; [easy|]); try apply N0 in W; try lia.
    destruct W as [W D]. apply N0 in W. lia.
  - apply and_then_yes in E as (x & Ex & E). injection E as <-. rewrite Ez in R. apply Forall_app in R as [Rz R].
    apply Forall_cons_iff in R as [Rp R]. destruct (sweep_64_sound ds _ _ _ _ Rp R Ex) as (Rx & Zx & Nx & Sx).
    specialize (Nx H). set (r := fst (fst x)) in *. set (b := snd (fst x)) in *.
    set (others := map snd (snd x) ++ map snd zs).
    assert (O : forall c, In c others -> digits_dot ds (entry_of c) = 0%Z).
    { intros c I. rewrite Forall_forall in Zx, Rz, Z.
      apply in_app_iff in I as [I|I]; apply in_map_iff in I as (y & <- & I); [now apply Zx|].
      rewrite <- (Rz y I). now apply Z. }
    assert (W : in_lattice s f <-> exists t, spanned others (fun j => f j - 1 * fixed_part (fst s) j - t * entry_of b
      j)%Z).
    { unfold in_lattice. rewrite <- M, Ez, map_app. cbn [map].
      rewrite (spanned_permutation _ (snd p :: map snd rest ++ map snd zs)); [apply Sx|].
      rewrite Permutation_app_comm. reflexivity. }
    assert (D : forall t, spanned others (fun j => f j - 1 * fixed_part (fst s) j - t * entry_of b j)%Z ->
      (digits_dot ds f = digits_dot ds (fixed_part (fst s)) + t * r)%Z).
    { intros t T. apply (spanned_dot ds) in T; [|exact O].
      rewrite (dot_minus ds (fun j => f j - 1 * fixed_part (fst s) j)%Z), dot_minus in T. unfold row_right in Rx.
      fold b r in Rx.
      lia. }
    destruct (Z.eqb_spec (Z.rem left r) 0) as [Q|Q].
    + assert (L : left = (Z.quot left r * r)%Z) by (pose proof (Z.quot_rem' left r); lia).
      assert (N0 : in_lattice (fst s ++ [(Z.quot left r, b)], without_pivot zs (snd x)) f <->
        spanned others (fun j => f j - 1 * fixed_part (fst s) j - Z.quot left r * entry_of b j)%Z).
      { unfold in_lattice. cbn [fst snd]. rewrite (spanned_permutation _ others) by apply without_pivot_permutes.
        split; apply spanned_ext; intros j; rewrite part_app; lia. }
      rewrite N0, W. split.
      * intros [[t T] E]. rewrite (D t T) in E. assert (t = Z.quot left r) as <-; [|exact T].
        replace left with (t * r)%Z by lia. now rewrite Z.quot_mul.
      * intros T. split; [eauto|]. rewrite (D _ T). lia.
    + split; [|easy]. intros [F E]. apply W in F as [t T]. rewrite (D t T) in E. apply Q.
      replace left with (t * r)%Z by lia. now apply Z.rem_mul.
Qed.

(* ---- All equations ---- *)

(* The strides f take element i of the modes to its index. *)
Definition takes_to (l : weighted_modes) (primes : list N) (f : nat -> Z) (i : N) : Prop :=
  digits_dot (digits_of primes (value_in (strides l) i)) f = Z.of_N (value_in (weights l) i).

Lemma element_64_sound l i e : element_64 l i = Yes e -> e = (value_in (strides l) i, value_in (weights l) i).
Proof.
  intros E. apply and_then_yes in E as (v & Ev & E). apply and_then_yes in E as (x & Ex & E). injection E as <-.
  apply total_64_sound in Ev as ->. apply total_64_sound in Ex as ->. reflexivity.
Qed.
Lemma share_out_64_sound fixed sum c : share_out_64 fixed sum = Yes c ->
  forall j, entry_of c j = (entry_of sum j + fixed_part fixed j)%Z.
Proof.
  revert sum. induction fixed as [|[share b] fixed IH]; intros sum E j; cbn [share_out_64] in E.
  - injection E as <-. cbn. lia.
  - apply and_then_yes in E as (s & Es & E). rewrite (IH _ E). rewrite (add_64_sound _ _ _ _ Es). cbn [fixed_part]. lia.
Qed.
Lemma solve_64_sound l primes is s o : solve_64 l primes is s = Yes o ->
  match o with
  | Some c => in_lattice s (entry_of c) /\ forall i, In i is -> takes_to l primes (entry_of c) i
  | None => forall f, in_lattice s f -> ~ forall i, In i is -> takes_to l primes f i
  end.
Proof.
  revert s. induction is as [|i is IH]; intros s E; cbn [solve_64] in E.
  - apply and_then_yes in E as (c & Ec & E). injection E as <-. split; [|easy]. apply spanned_zero. intros j.
    rewrite (share_out_64_sound _ _ _ Ec). replace (entry_of [] j) with 0%Z by now destruct j. lia.
  - apply and_then_yes in E as (e & Ee & E). apply element_64_sound in Ee as ->.
    apply and_then_yes in E as (t & Et & E).
    pose proof (satisfy_64_sound _ _ _ _ Et) as S. cbn [fst snd] in S. destruct t as [t|].
    + specialize (IH t E). destruct o as [c|].
      * destruct IH as [W A]. apply S in W as [W T]. split; [exact W|]. now intros k [<-|I]; [|apply A].
      * intros f W A. apply (IH f); [apply S; split; [exact W|apply A; now left]|]. intros k I. apply A. now right.
    + injection E as <-. intros f W A. apply (S f). split; [exact W|]. apply A. now left.
Qed.
Lemma spanned_shifted cs f : f O = 0%Z -> spanned cs (shifted f) -> spanned (map (cons 0%Z) cs) f.
Proof.
  revert f. induction cs as [|c cs IH]; intros f F; cbn [map spanned].
  - intros Z [|j]; [exact F|apply Z].
  - intros [t T]. exists t. apply IH; [cbn; lia|exact T].
Qed.
Lemma spanned_units n f : (forall j, (n <= j)%nat -> f j = 0%Z) -> spanned (unit_columns n) f.
Proof.
  revert f. induction n as [|n IH]; intros f Z; cbn [unit_columns spanned]; [intros j; apply Z; lia|]. exists (f O).
  apply spanned_shifted; [cbn; lia|]. apply IH. intros j L. unfold shifted. rewrite (Z (S j)) by lia.
  assert (entry_of [1%Z] (S j) = 0%Z) as -> by now destruct j. lia.
Qed.

(* ---- All chains ---- *)

Fixpoint chained_below (values product : N) (qs : list N) : Prop :=
  match qs with
  | [] => True
  | q :: qs => prime_64 q = true /\ product * q < values /\ chained_below values (product * q) qs
  end.
Lemma first_64_none {X Y} (f : X -> outcome (option Y)) l x : first_64 f l = Yes None -> In x l -> f x = Yes None.
Proof.
  induction l as [|y l IH]; intros E I; [easy|]. apply and_then_yes in E as (o & Eo & E). destruct o; [discriminate|].
  destruct I as [<-|I]; [easy|now apply IH].
Qed.
Lemma first_64_some {X Y} (f : X -> outcome (option Y)) l y : first_64 f l = Yes (Some y) ->
  exists x, In x l /\ f x = Yes (Some y).
Proof.
  induction l as [|x l IH]; intros E; [discriminate|]. apply and_then_yes in E as (o & Eo & E). destruct o as [z|].
  - injection E as <-. exists x. split; [now left|easy].
  - destruct (IH E) as (w & I & F). exists w. split; [now right|easy].
Qed.
Lemma prime_64_positive q : prime_64 q = true -> 1 < q.
Proof. intros E. apply andb_true_iff in E as [E _]. now apply N.ltb_lt. Qed.

Lemma chain_64_some l values n fuel product primes x : Forall (fun q => 1 < q) primes ->
  chain_64 l values n fuel product primes = Yes (Some x) ->
  Forall (fun q => 1 < q) (fst x) /\ forall i, In i (tl (iota n)) -> takes_to l (fst x) (entry_of (snd x)) i.
Proof.
  revert product primes. induction fuel as [|fuel IH]; intros product primes P E; cbn [chain_64] in E;
    apply and_then_yes in E as (o & Eo & E); destruct o as [c|]; try discriminate.
  1, 2: injection E as <-; split; [exact P|]; now apply solve_64_sound in Eo.
  apply first_64_some in E as (q & I & E). apply IH in E; [exact E|]. apply Forall_app. split; [exact P|].
  constructor; [|constructor]. apply filter_In in I as [_ I]. apply andb_true_iff in I as [I _].
  now apply prime_64_positive.
Qed.
Lemma chain_64_none l values n fuel product primes qs f : 0 < product ->
  chain_64 l values n fuel product primes = Yes None -> chained_below values product qs ->
  (forall j, (length (primes ++ qs) < j)%nat -> f j = 0%Z) ->
  ~ forall i, In i (tl (iota n)) -> takes_to l (primes ++ qs) f i.
Proof.
  revert product primes qs. induction fuel as [|fuel IH]; intros product primes qs Pp E C Z; cbn [chain_64] in E;
    apply and_then_yes in E as (o & Eo & E); destruct o as [c|]; try discriminate.
  destruct qs as [|q qs].
  - rewrite app_nil_r in *. apply (solve_64_sound _ _ _ _ _ Eo). unfold in_lattice. cbn [fst snd fixed_part].
    apply spanned_units. intros j L. rewrite Z by lia. lia.
  - destruct C as (Q & L & C). pose proof (prime_64_positive q Q) as Hq.
    assert (I : In q (List.filter (fun q => prime_64 q && (product * q <? values)) (iota values))).
    { apply filter_In. rewrite Q, (proj2 (N.ltb_lt _ _) L). split; [|easy]. apply in_iota. nia. }
    pose proof (first_64_none _ _ _ E I) as F. cbn beta in F.
    replace (primes ++ q :: qs) with ((primes ++ [q]) ++ qs) in *
      by now rewrite <- app_assoc.
    apply (IH (product * q) _ _ ltac:(nia) F C Z).
Qed.

(* Every number above 1 has a prime factor. *)
Lemma prime_factor s : 1 < s -> exists q t, prime_64 q = true /\ s = q * t.
Proof.
  induction s as [s IH] using (well_founded_induction N.lt_wf_0). intros Hs. destruct (prime_64 s) eqn:E.
  - exists s, 1. split; [easy|lia].
  - unfold prime_64 in E. rewrite (proj2 (N.ltb_lt 1 s) Hs) in E. cbn [andb] in E.
    assert (exists p, p < s /\ 2 <= p /\ s mod p = 0) as (p & Lp & Hp & Z).
    { destruct (existsb (fun p => negb ((p <? 2) || negb (s mod p =? 0))) (iota s)) eqn:X.
      - apply existsb_exists in X as (p & I & X). rewrite in_iota in I. exists p. apply negb_true_iff in X.
        apply orb_false_iff in X as [X1 X2]. apply N.ltb_ge in X1. apply negb_false_iff, N.eqb_eq in X2. easy.
      - enough (forallb (fun p => (p <? 2) || negb (s mod p =? 0)) (iota s) = true) by congruence.
        apply forallb_forall. intros p I. destruct ((p <? 2) || negb (s mod p =? 0)) eqn:Y; [easy|].
        enough (existsb (fun p => negb ((p <? 2) || negb (s mod p =? 0))) (iota s) = true) by congruence.
        apply existsb_exists. exists p. now rewrite Y. }
    destruct (IH p Lp ltac:(lia)) as (q & t & Q & Et). apply mod_0_divides in Z as [u ->]; [|lia]. exists q, (u * t).
    split; [exact Q|]. rewrite Et at 1. lia.
Qed.

(* A layout is, below `values`, what a chain of primes and strides make: its leaves, factor by factor. *)
Lemma refined values (l : list (N * Z)) p : positive l = true -> 0 < p -> exists qs f, chained_below values p qs /\
  (forall j, (length qs < j)%nat -> f j = 0%Z) /\
  forall v, v < values -> value_at l (v / p) = digits_dot (digits_of qs (v / p)) f.
Proof.
  set (one := fun d : Z => fun j : nat => match j with O => d | _ => 0%Z end).
  assert (last : forall d v, digits_dot (digits_of [] v) (one d) = (Z.of_N v * d)%Z) by (intros; cbn; lia).
  assert (flat : forall d j, (0 < j)%nat -> one d j = 0%Z) by (intros d [|j] L; [lia|easy]).
  revert p. induction l as [|[s d] k IH]; intros p P Hp.
  { exists [], (one 0%Z). repeat split; [apply flat|]. intros v _. rewrite last. cbn. lia. }
  apply positive_cons in P as [Hs P]. destruct k as [|m k].
  { exists [], (one d). repeat split; [apply flat|]. intros v _. now rewrite last. }
  revert p d Hp. induction s as [s IHs] using (well_founded_induction N.lt_wf_0). intros p d Hp.
  destruct (N.eq_dec s 1) as [->|Ne].
  { destruct (IH p P Hp) as (qs & f & C & Z & V). exists qs, f. repeat split; [exact C|exact Z|]. intros v L.
    rewrite value_at_cons by easy. rewrite N.mod_1_r, N.div_1_r, times_0, plus_zero. now apply V. }
  destruct (prime_factor s ltac:(lia)) as (q & t & Q & ->). pose proof (prime_64_positive q Q) as Hq.
  assert (Ht : 0 < t) by nia. destruct (N.lt_ge_cases (p * q) values) as [L|G].
  - destruct (IHs t ltac:(nia) Ht (p * q) (Z.of_N q * d)%Z ltac:(nia)) as (qs & f & C & Z & V).
    exists (q :: qs), (fun j => match j with O => d | S k => f k end). repeat split; [exact Q|exact L|exact C| |].
    + intros [|j] Lj; [cbn in Lj; lia|]. apply Z. cbn in Lj. lia.
    + intros v Lv. specialize (V v Lv). rewrite <- N.div_div in V by lia. cbn [digits_of digits_dot].
      change (shifted (fun j => match j with O => d | S k => f k end)) with f. rewrite <- V, !value_at_cons by easy.
      rewrite <- N.div_div by lia. rewrite mod_mul by lia. cbn [plus times integers]. lia.
  - exists [], (one d). repeat split; [apply flat|]. intros v Lv. rewrite last, value_at_cons by easy.
    assert (B : v / p < q * t).
    { apply N.lt_le_trans with q; [|nia]. apply N.div_lt_upper_bound; lia. }
    rewrite (N.mod_small _ _ B), (N.div_small _ _ B). rewrite value_at_0 by easy. cbn [plus times integers zero]. lia.
Qed.

(* ---- The answer ---- *)

Lemma result_64_spec primes c left : Forall (fun q => 1 < q) primes -> 0 < left ->
  positive (result_64 left primes c) = true /\ left <= numel (result_64 left primes c) /\
  forall v, v < left -> value_in (result_64 left primes c) v = digits_dot (digits_of primes v) (entry_of c).
Proof.
  revert c left. induction primes as [|q primes IH]; intros c left P Hl; cbn [result_64].
  - split; [apply positive_cons; split; [exact Hl|easy]|]. split; [cbn; lia|]. intros v L.
    cbn [value_in digits_of digits_dot].
    rewrite N.mod_small, entry_hd by exact L. cbn [plus times integers zero]. lia.
  - apply Forall_cons_iff in P as [Hq P]. rewrite ceil_div_64_up by lia. pose proof (ceil_least left q) as C.
    assert (Hc : 0 < ceil left q) by (apply ceil_positive; lia).
    destruct (IH (tl c) (ceil left q) P Hc) as (Q & Z & V). repeat split.
    + apply positive_cons. split; [lia|exact Q].
    + cbn [numel]. assert (left <= ceil left q * q) by (apply ceil_least; lia). nia.
    + intros v L. cbn [value_in digits_of digits_dot]. rewrite entry_hd, V.
      * rewrite (dot_ext _ (entry_of (tl c)) (shifted (entry_of c))); [reflexivity|]. intros j. apply entry_tl.
      * apply N.div_lt_upper_bound; [lia|]. rewrite N.mul_comm. apply N.lt_le_trans with left; [exact L|].
        apply ceil_least; lia.
Qed.
Lemma cosize_64_sound l n m : cosize_64 l n = Yes m -> m = n + fold_right N.add 0 (map (fun x => (fst x - 1) * snd x)
  l).
Proof.
  revert n. induction l as [|[s d] l IH]; intros n E; [injection E as <-; cbn; lia|]. cbn [cosize_64] in E.
  apply and_then_yes in E as (t & Et & E). apply and_then_yes in E as (k & Ek & E). unfold times_64 in Et.
  destruct (below_64 _); [|discriminate]. injection Et as <-. apply plus_fit_sound in Ek as ->. apply IH in E as ->.
  cbn. lia.
Qed.

(* L takes the value of each element of the modes of A that move to its index. *)
Definition interpolates (A : layout N) (L : layout Z) : Prop := forall j, j < numel (weighted_sorted A) ->
  apply L (value_in (strides (weighted_sorted A)) j) = Z.of_N (value_in (weights (weighted_sorted A)) j).
Lemma in_others i n : In i (tl (iota n)) <-> 0 < i < n.
Proof.
  destruct n as [|n] using N.peano_ind; [cbn; lia|]. clear IHn. replace (N.succ n) with (1 + n) by lia.
  rewrite iota_add, iota_1. cbn [app tl]. rewrite in_map_iff. setoid_rewrite in_iota. split.
  - intros (x & <- & L). lia.
  - intros L. exists (i - 1). lia.
Qed.
Lemma value_bounded_moving A j : shaped A = true -> j < numel (weighted_sorted (coalesce A)) ->
  value_in (strides (weighted_sorted (coalesce A))) j < cosize A.
Proof.
  intros S Hj. destruct (coalesce_function A S) as [Z V].
  destruct (sorted_values (coalesce A) (weighted_sorted (coalesce A)) j (shaped_coalesce A S)) as [L E]; [|exact Hj|].
  - clear. induction (weighted_sorted (coalesce A)); now constructor.
  - rewrite Z in L. rewrite <- E, V, apply_inside by easy. set (i := value_in (weights _) j).
    pose proof (value_bounded (leaves A) i S). unfold cosize. lia.
Qed.

(* Nothing on the way says that there is no layout, or leaves it open. *)
Ltac settled := repeat first
  [ split; discriminate | assumption | apply settled_if | apply settled_then; [|intros ?]
  | match goal with IH : forall _, _ |- _ => apply IH end
  | match goal with |- settled (match ?x with _ => _ end) => destruct x end
  | match goal with |- settled (let _ := _ in _) => cbv zeta end ].
Lemma plus_z_settled a b : settled (plus_z a b).
Proof. unfold plus_z. settled. Qed.
Lemma times_z_settled a b : settled (times_z a b).
Proof. unfold times_z. settled. Qed.
Lemma add_64_settled a n b : settled (add_64 a n b).
Proof.
  revert a. induction b as [|y b IH]; intros a; cbn [add_64]; settled; apply times_z_settled || apply plus_z_settled.
Qed.
Lemma dot_64_settled ds c sum : settled (dot_64 ds c sum).
Proof.
  revert c sum. induction ds as [|d ds IH]; intros c sum; cbn [dot_64]; settled;
    apply times_z_settled || apply plus_z_settled.
Qed.
Lemma euclid_64_settled fuel p c : settled (euclid_64 fuel p c).
Proof. revert p c. induction fuel as [|fuel IH]; intros p c; cbn [euclid_64]; settled. apply add_64_settled. Qed.
Lemma sweep_64_settled fuel p cs : settled (sweep_64 fuel p cs).
Proof. revert p. induction cs as [|c cs IH]; intros p; cbn [sweep_64]; settled. apply euclid_64_settled. Qed.
Lemma satisfy_64_settled ds index s : settled (satisfy_64 ds index s).
Proof.
  unfold satisfy_64. apply settled_then; [|intros left; apply settled_then; [|intros rows]].
  - generalize index. induction (fst s) as [|[share c] fixed IH]; intros n; cbn [left_over_64]; unfold minus_z; settled;
      apply dot_64_settled || apply times_z_settled || apply plus_z_settled.
  - induction (snd s) as [|c cs IH]; cbn [rows_64]; settled. apply dot_64_settled.
  - destruct (snd (to_pivot [] rows)); settled. apply sweep_64_settled.
Qed.
Lemma element_64_settled l i : settled (element_64 l i).
Proof. unfold element_64. settled; apply total_64_settled. Qed.
Lemma solve_64_settled l primes is s : settled (solve_64 l primes is s).
Proof.
  revert s. induction is as [|i is IH]; intros s; cbn [solve_64].
  - apply settled_then; [|intros c; settled]. generalize (@nil Z).
    induction (fst s) as [|[share c] fixed IH]; intros sum; cbn [share_out_64]; settled. apply add_64_settled.
  - apply settled_then; [apply element_64_settled|intros e].
    apply settled_then; [apply satisfy_64_settled|intros o; settled].
Qed.
Lemma chain_64_settled l values n fuel product primes : settled (chain_64 l values n fuel product primes).
Proof.
  revert product primes. induction fuel as [|fuel IH]; intros product primes; cbn [chain_64]; settled;
    try apply solve_64_settled.
  generalize (List.filter (fun q => prime_64 q && (product * q <? values)) (iota values)).
  intros qs. induction qs as [|q qs IHq]; cbn [first_64]; settled.
Qed.
Lemma cosize_64_settled l n : settled (cosize_64 l n).
Proof.
  revert n. induction l as [|[s d] l IH]; intros n; cbn [cosize_64]; settled;
    apply times_64_settled || apply plus_fit_settled.
Qed.
Lemma injective_64_settled l is seen : settled (injective_64 l is seen).
Proof. revert seen. induction is as [|i is IH]; intros seen; cbn [injective_64]; settled; apply total_64_settled. Qed.

(* An answer interpolates; where there is said to be none, no layout does, of any strides. *)
Lemma left_search_64_sound A : shaped A = true ->
  ended (left_search_64 A (weighted_sorted (coalesce A))) (interpolates (coalesce A))
    (forall L, shaped L = true -> ~ interpolates (coalesce A) L) True.
Proof.
  intros S. pose proof (shaped_coalesce A S) as SC. unfold left_search_64, interpolates.
  pose proof (fun j => value_bounded_moving A j S) as B. set (l := weighted_sorted (coalesce A)) in *.
  assert (Pl : positive l = true) by now apply weighted_sorted_positive.
  pose proof (cosize_64_settled (leaves A) 1) as [Ns _].
  destruct (cosize_64 (leaves A) 1) as [values| | |] eqn:Ev; try easy.
  cbn [and_then]. clear Ns. apply cosize_64_sound in Ev. change (values = cosize A) in Ev.
  destruct (256 <? values); [easy|]. pose proof (size_64_settled (strides l) 1) as [Ns _].
  destruct (size_64 (strides l) 1) as [n| | |] eqn:En; try easy. cbn [and_then]. clear Ns. apply size_64_sound in En.
  rewrite N.mul_1_l, numel_strides in En. subst n. pose proof (injective_64_settled l (iota (numel l)) []) as [Ns _].
  destruct (injective_64 _ _ _) as [[]| | |]; try easy. cbn [and_then negb]. clear Ns.
  pose proof (chain_64_settled l values (numel l) 8 1 []) as [Ns _].
  destruct (chain_64 l values (numel l) 8 1 []) as [[[primes c]|]| | |] eqn:Ec; try easy; cbn [and_then ended];
    clear Ns.
  - apply chain_64_some in Ec as [P T]; [|constructor]. cbn [fst snd] in P, T.
    assert (Hv : 0 < values) by (unfold cosize in Ev; lia).
    destruct (result_64_spec primes c values P Hv) as (Q & Z & V).
    pose proof (push_all_settled [] (result_64 values primes c)) as [Ns _].
    destruct (push_all [] _) as [m| | |] eqn:Em; try easy. cbn [and_then ended].
    apply push_all_merges in Em; [|exact Q].
    destruct (merge_spec _ Q) as (Zm & Pm & Vm). rewrite Em. intros j Hj. specialize (B j Hj). rewrite <- Ev in B.
    rewrite apply_unwrapped, Vm, V by (rewrite ?Zm; easy || lia). destruct (N.eq_dec j 0) as [->|Nj].
    + rewrite !value_in_0 by (rewrite ?positive_strides, ?positive_weights; exact Pl). clear - P.
      generalize (entry_of c).
      induction P as [|q primes Hq P IH]; intros f; cbn [digits_of digits_dot zero naturals]; [lia|].
      rewrite N.mod_0_l, N.div_0_l by lia. now rewrite IH.
    + apply T, in_others. lia.
  - intros L SL I. set (k := if ends L then leaves L else leaves L ++ [(1, 0%Z)]).
    assert (K : positive k = true /\ forall v, apply L v = value_at k v).
    { unfold k. split; [destruct (ends L); [exact SL|]; now rewrite positive_app, (SL : positive (leaves L) = true)|].
      intros v.
      rewrite apply_beyond_domain by exact SL. destruct (ends L); [easy|]. clear - SL. unfold shaped in SL. revert v.
      induction (leaves L) as [|[s d] k IH]; intros v; [cbn; lia|]. apply positive_cons in SL as [_ SL].
      cbn [app value_in]. rewrite value_at_cons by now destruct k. now rewrite IH. }
    destruct K as [Pk K]. destruct (refined values k 1 Pk ltac:(lia)) as (qs & f & C & Z & V).
    apply (chain_64_none _ _ _ _ 1 [] qs f ltac:(lia) Ec C Z). intros i Hi. apply in_others in Hi. cbn [app].
    unfold takes_to. specialize (I i (proj2 Hi)). specialize (B i (proj2 Hi)). rewrite <- Ev in B.
    specialize (V _ B). rewrite !N.div_1_r in V. rewrite <- V, <- K. exact I.
Qed.

(* ---- Closed form and search ---- *)

(* Dividing strides that overlap repeat a value. *)
Lemma dividing_repeats done weight l k : all_wide l -> dividing done weight l = Some k -> nested (strides l) = false ->
  exists i j, i < numel l /\ j < numel l /\ i <> j /\ value_in (strides l) i = value_in (strides l) j.
Proof.
  revert done weight k. induction l as [|[s [d w]] l IH]; intros done weight k M E Nt; [discriminate|].
  rewrite dividing_cons in E. destruct (d mod done =? 0); [|discriminate].
  destruct (dividing d w l) as [h|] eqn:Eh; [|discriminate]. destruct l as [|[t [e v]] l]; [discriminate|].
  destruct (M s d w (or_introl eq_refl)) as [Hs Hd]. destruct (M t e v (or_intror (or_introl eq_refl))) as [Ht He].
  assert (Ml : all_wide ((t, (e, v)) :: l)) by (intros a b c I; apply (M a b c); now right).
  assert (Pl : positive (strides l) = true).
  { rewrite positive_strides. apply forallb_forall. intros [a [b c]] I. apply N.ltb_lt.
    destruct (M a b c (or_intror (or_intror I))). cbn. lia. }
  pose proof (numel_positive _ Pl) as Zl. rewrite numel_strides in Zl.
  cbn [strides map fst snd nested] in Nt. apply andb_false_iff in Nt as [Nt|Nt].
  - apply N.leb_gt in Nt. rewrite dividing_cons in Eh. destruct (N.eqb_spec (e mod d) 0) as [Z|]; [|discriminate].
    apply mod_0_divides in Z as [q ->]; [|lia]. exists q, s. cbn [numel strides map fst snd value_in].
    assert (q < s) by nia. assert (2 <= t * numel l) by nia. fold (strides l). repeat split; [nia|nia|lia|].
    rewrite (N.mod_small q s), (N.div_small q s), (N.mod_same s), (N.div_same s) by lia.
    rewrite (N.mod_0_l t), (N.div_0_l t), (N.mod_1_l t), (N.div_1_l t) by lia. rewrite !value_in_0 by exact Pl. cbn.
    lia.
  - destruct (IH _ _ _ Ml Eh Nt) as (i & j & Hi & Hj & Ne & V). exists (s * i), (s * j). cbn [numel] in *.
    repeat split; [nia|nia|nia|]. cbn [strides map fst snd value_in] in *. fold (strides l) in *.
    rewrite !(N.mul_comm s), !N.mod_mul, !N.div_mul by lia. now rewrite V.
Qed.
Lemma nodup_moving A : shaped A = true -> NoDup (image (leaves A)) ->
  NoDup (image (strides (weighted_sorted (coalesce A)))).
Proof.
  intros S Nd. pose proof (shaped_coalesce A S) as SC. destruct (coalesce_function A S) as [Z V].
  pose proof (coalesce_broadcasts A S (nodup_broadcasts A S Nd)) as B. rewrite strides_sorted. unfold sorted_leaves.
  rewrite moving_wide by exact B.
  apply (Permutation_NoDup (image_permutation _ _ (sort_permutation snd _) (wide_positive _))).
  rewrite image_wide, image_leaves, Z by exact SC. rewrite image_leaves in Nd by exact S.
  erewrite map_ext_in; [exact Nd|]. intros i I. apply V. now rewrite in_iota in I.
Qed.

Lemma quotients_64_settled done weight last l m : settled (quotients_64 done weight last l m).
Proof.
  revert done weight last m. induction l as [|[s [d w]] l IH]; intros done weight last m; cbn [quotients_64].
  - destruct (push_64_answers m last weight) as [->|[n ->]]; settled.
  - apply settled_if; [|settled]. destruct (push_64_answers m (d / done) weight) as [->|[n ->]]; settled.
Qed.
(* The closed form, or the modes to search. *)
Definition closed_left_inverse_64 (A : layout N) : outcome (layout N + weighted_modes) :=
  left_inverse_64 inl (fun l => Yes (inr l)) A.
Lemma left_inverse_64_closed {X} (answer : layout N -> X) search A : left_inverse_64 answer search A =
  x <~ closed_left_inverse_64 A; match x with inl L => Yes (answer L) | inr l => search l end.
Proof.
  unfold closed_left_inverse_64, left_inverse_64. destruct (sorted_modes_64 A) as [[|x l]| | |]; try easy.
  cbn [and_then].
  destruct (quotients_64 1 0 1 (x :: l) []) as [[m|]| | |]; try easy. cbn [and_then].
  destruct (overlap_64 (x :: l)) as [o| | |]; try easy. cbn [and_then].
  now destruct (if o then overlapping_64 A (x :: l) (unwrapped (rev m)) else Yes (unwrapped (rev m))).
Qed.
Lemma closed_left_inverse_64_ended A : shaped A = true -> held_64 (leaves A) = true ->
  ended (closed_left_inverse_64 A)
    (fun x => match x with
              | inl _ => NoDup (image (leaves A)) -> nested (sorted_leaves (coalesce A)) = true
              | inr l => l = weighted_sorted (coalesce A)
              end) (~ NoDup (image (leaves A))) True.
Proof.
  intros S K. unfold closed_left_inverse_64, left_inverse_64. rewrite sorted_modes_64_exact by easy.
  destruct (below_64 (size A)); [|easy]. cbn [and_then]. rewrite <- strides_sorted. pose proof (nodup_moving A S) as Nd.
  pose proof (weighted_wide (coalesce A)) as W. set (l := weighted_sorted (coalesce A)) in *.
  assert (R : forall m, l <> [] -> quotients_64 1 0 1 l [] = Yes (Some m) -> NoDup (image (leaves A)) ->
    nested (strides l) = true).
  { intros m Hl Em D. destruct (quotients_64_sound _ _ _ _ _ _ Hl Em) as (k & Ek & _).
    destruct (nested _) eqn:Nt; [easy|].
    destruct (dividing_repeats _ _ _ _ W Ek Nt) as (i & j & Hi & Hj & Ne & V). exfalso. apply Ne.
    apply (nodup_image _ _ _ (Nd D)); now rewrite ?numel_strides. }
  destruct l as [|x k] eqn:El; [easy|]. rewrite <- El in *. assert (Hl : l <> []) by now rewrite El.
  pose proof (quotients_64_settled 1 0 1 l []) as [Ns _].
  destruct (quotients_64 1 0 1 l []) as [[m|]| | |] eqn:Em; try easy.
  cbn [and_then]. specialize (R m Hl eq_refl). destruct (overlap_64_answers l) as [->|[o Eo]]; [easy|]. rewrite Eo.
  cbn [and_then]. destruct o; [|exact R]. apply overlap_64_true in Eo.
  destruct (overlapping_64 A l (unwrapped (rev m))); try easy. intros D. specialize (R D). congruence.
Qed.

(* L takes each value of A back to its index. *)
Definition inverts_left (A : layout N) (L : layout Z) : Prop := forall i, i < size A -> apply L (apply A i) = Z.of_N i.
(* L takes each value of A to an index that has it. *)
Definition takes_back (A : layout N) (L : layout Z) : Prop :=
  forall i, i < size A -> exists j, apply L (apply A i) = Z.of_N j /\ apply A j = apply A i.
Lemma interpolates_inverts A L : shaped A = true -> NoDup (image (leaves A)) ->
  interpolates (coalesce A) L <-> inverts_left A L.
Proof.
  intros S Nd. pose proof (shaped_coalesce A S) as SC. destruct (coalesce_function A S) as [Z V].
  pose proof (coalesce_broadcasts A S (nodup_broadcasts A S Nd)) as B. unfold interpolates, inverts_left. split.
  - intros I i Hi. pose proof (in_weighted_sorted (coalesce A) i SC B ltac:(now rewrite Z)) as K.
    apply in_image in K as (j & Hj & K). rewrite value_in_pairs in K. injection K as Ea Ei. rewrite V in Ea by easy.
    rewrite Ea, Ei at 1. now apply I.
  - intros I j Hj. destruct (sorted_values (coalesce A) (weighted_sorted (coalesce A)) j SC) as [Lj E]; [|exact Hj|].
    + clear. induction (weighted_sorted (coalesce A)); now constructor.
    + rewrite Z in Lj. rewrite <- E, V by exact Lj. now apply I.
Qed.
(* What it answers takes each value back to an index of it, to its own where A takes none twice. There is said to be no
   layout only where values come twice, or where no layout of any strides takes each value back. *)
Theorem searched_left_inverse_64_sound A : shaped A = true -> ends A = true -> held_64 (leaves A) = true ->
  ended (searched_left_inverse_64 A) (fun L => takes_back A L /\ (NoDup (image (leaves A)) -> inverts_left A L))
    (NoDup (image (leaves A)) -> forall L, shaped L = true -> ~ inverts_left A L) True.
Proof.
  intros S EA K. pose proof (shaped_coalesce A S) as SC. destruct (coalesce_function A S) as [Z V].
  unfold searched_left_inverse_64. rewrite left_inverse_64_closed.
  pose proof (closed_left_inverse_64_ended A S K) as C. pose proof (left_inverse_64_sound A) as Sound.
  setoid_rewrite (left_inverse_64_closed (fun L => L)) in Sound.
  destruct (closed_left_inverse_64 A) as [[L|l]| | |]; cbn [and_then ended] in *; try easy.
  - destruct (Sound L S EA K eq_refl) as [Q I].
    assert (E : forall x, apply (map_strides Z.of_N L) x = Z.of_N (apply L x)).
    { intros x. apply map_strides_apply; [easy|apply N2Z.inj_add|apply N2Z.inj_mul]. }
    split; [intros i Hi; exists (apply L (apply A i)); split; [apply E|now apply Q]|].
    intros Nd i Hi. rewrite E. f_equal. apply I; [now apply nodup_broadcasts|now apply C|exact Hi].
  - subst l. pose proof (left_search_64_sound A S) as H.
    destruct (left_search_64 A _) as [L| | |]; try easy; cbn [ended] in *.
    + split; [|intros Nd; now apply interpolates_inverts]. intros i Hi.
      destruct (moving_values (coalesce A) i SC) as (j & Hj & Ej); [now rewrite Z|]. rewrite V in Ej by easy.
      destruct (sorted_values (coalesce A) (weighted_sorted (coalesce A)) j SC) as [Lj E]; [|exact Hj|].
      { clear. induction (weighted_sorted (coalesce A)); now constructor. }
      exists (value_in (weights (weighted_sorted (coalesce A))) j). rewrite <- Ej. split; [now apply H|].
      rewrite Z in Lj. rewrite <- V by exact Lj. exact E.
    + intros Nd L SL I. apply (H L SL). now apply interpolates_inverts.
Qed.
