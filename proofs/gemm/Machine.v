(* The machine that runs a plan: copies, instructions, epilogue, in any order that the kernel's barriers leave open.
Where
   its maps fit together (`faithful`) it computes the product and writes nothing else. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Instructions.
Local Open Scope N_scope.

(* A stage has elements of A and of B and, with block scaling, their scale factors. *)
Inductive part := elements_a | elements_b | factors_a | factors_b.
Definition is_a (x : part) : bool := match x with elements_a | factors_a => true | _ => false end.
(* A part's way: `count` copies fill a stage of `extent` by the tile's depth, of which `block` elements of K have one
   index; each block of a cluster makes its share of them. Copy i brings index copied i (row + extent k) to address
   written i; home says where an index belongs; an instruction takes what belongs to coordinate (r, k) of its operand
   from an address. *)
Record side := Side { extent : N; block : N; peers : N; brings : N -> N; written : N -> N; home : N -> N;
  address : N * N -> N -> N -> N -> N -> N }.
(* Groups of threads along M and N, each with atoms along M, N and K: a site is an atom of D, (group, atom). *)
Definition site : Type := (N * N) * (N * N).
Record machine := Machine { side_a : side; side_b : side; scale_a : option side; scale_b : option side; tile_depth : N;
  atom_m : N; atom_n : N; atom_k : N; of_sums : layout N;
  groups_m : N; groups_n : N; atoms_m : N; atoms_n : N; atoms_k : N;
  row : N -> N -> N -> N; column : N -> N -> N -> N; deep : N -> N -> N; placed : site -> N -> N * N }.
Definition side_of (m : machine) (x : part) : option side :=
  match x with
  | elements_a => Some (side_a m)
  | elements_b => Some (side_b m)
  | factors_a => scale_a m
  | factors_b => scale_b m
  end.
Definition depth_in (m : machine) (s : side) : N := tile_depth m / block s.

Definition sites (m : machine) : list site :=
  list_prod (list_prod (iota (groups_m m)) (iota (groups_n m))) (list_prod (iota (atoms_m m)) (iota (atoms_n m))).
Definition instructions (m : machine) : list (site * N) := list_prod (sites m) (iota (atoms_k m)).
Definition sums_of_tile (m : machine) : list (site * N) := list_prod (sites m) (iota (size (of_sums m))).
Definition same_pair (x y : N * N) : bool := (fst x =? fst y) && (snd x =? snd y).
Definition same_site (x y : site) : bool := same_pair (fst x) (fst y) && same_pair (snd x) (snd y).

(* f takes [0, groups) x [0, atoms) x [0, n) to [0, total), each once. *)
Definition splits_into (f : N -> N -> N -> N) (groups atoms n total : N) : Prop :=
  (forall g i x, g < groups -> i < atoms -> x < n -> f g i x < total) /\
  (forall y, y < total -> exists g i x, g < groups /\ i < atoms /\ x < n /\ f g i x = y) /\
  (forall g i x g' i' x', g < groups -> i < atoms -> x < n -> g' < groups -> i' < atoms -> x' < n ->
    f g i x = f g' i' x' -> (g, i, x) = (g', i', x')).
Definition one_to_one (f : N -> N) (n : N) : Prop := Permutation (map f (iota n)) (iota n).

Definition side_faithful (s : side) (depth : N) : Prop :=
  let n := extent s * depth in
  one_to_one (brings s) n /\ (forall i, i < n -> written s i = home s (brings s i)) /\
  (forall x y, x < n -> y < n -> home s x = home s y -> x = y) /\ n mod peers s = 0 /\ 0 < peers s /\ 0 < extent s.
(* What belongs to rows `line` of an operand, and to depth `deep`, is where its instructions look for it. *)
Definition part_faithful (m : machine) (total atoms atom : N) (line : N * N -> N -> N -> N) (s : side) : Prop :=
  side_faithful s (depth_in m s) /\ extent s = total /\ 0 < block s /\ tile_depth m mod block s = 0 /\
  forall g h i t r k, g < groups_m m -> h < groups_n m -> i < atoms -> t < atoms_k m -> r < atom -> k < atom_k m ->
    address s (g, h) i t r k = home s (line (g, h) i r + extent s * (deep m t k / block s)).
Definition of_a_faithful (m : machine) : side -> Prop :=
  part_faithful m (extent (side_a m)) (atoms_m m) (atom_m m) (fun g => row m (fst g)).
Definition of_b_faithful (m : machine) : side -> Prop :=
  part_faithful m (extent (side_b m)) (atoms_n m) (atom_n m) (fun g => column m (snd g)).
Definition faithful (m : machine) : Prop :=
  (forall x s, side_of m x = Some s -> if is_a x then of_a_faithful m s else of_b_faithful m s) /\
  (block (side_a m) = 1 /\ block (side_b m) = 1) /\ 0 < tile_depth m /\
  splits_into (row m) (groups_m m) (atoms_m m) (atom_m m) (extent (side_a m)) /\
  splits_into (column m) (groups_n m) (atoms_n m) (atom_n m) (extent (side_b m)) /\
  Permutation (flat_map (fun s => map (deep m s) (iota (atom_k m))) (iota (atoms_k m))) (iota (tile_depth m)) /\
  (size (of_sums m) = atom_m m * atom_n m /\ 0 < atom_m m /\
    one_to_one (value_in (leaves (of_sums m))) (size (of_sums m))) /\
  (forall g h i j c, g < groups_m m -> h < groups_n m -> i < atoms_m m -> j < atoms_n m -> c < size (of_sums m) ->
    let x := value_in (leaves (of_sums m)) c in
    placed m ((g, h), (i, j)) c = (row m g i (x mod atom_m m), column m h j (x / atom_m m))).

(* The order of things. Of the kb-th block of K: the copies, of all blocks of the cluster in any order;
  what stood in the
   stage before; the order of the instructions. And the blocks of K in groups, each summed apart: one group, or one for
   each block where accumulation has two levels. *)
Record schedule (R : Type) := Schedule { copies : part -> N -> list N; stood : part -> N -> N -> R;
  issued : N -> list (site * N); blocks_of_k : list (list N) }.
Arguments copies {R}. Arguments stood {R}. Arguments issued {R}. Arguments blocks_of_k {R}.
Definition share (s : side) (depth p : N) : list N :=
  let n := extent s * depth / peers s in map (fun i => i + n * p) (iota n).
Definition shares (m : machine) (s : side) : list N := flat_map (share s (depth_in m s)) (iota (peers s)).
Definition orderly {R} (m : machine) (len : N) (s : schedule R) : Prop :=
  (forall x q kb, side_of m x = Some q -> Permutation (copies s x kb) (shares m q)) /\
  (forall kb, Permutation (issued s kb) (instructions m)) /\
  Permutation (concat (blocks_of_k s)) (iota (ceil len (tile_depth m))).
(* Splits of K, (first, length) each, that follow each other from `from` on to K. *)
Fixpoint splits_cover (from : N) (l : list (N * N)) (K : N) : bool :=
  match l with
  | [] => from =? K
  | (f, n) :: l => (f =? from) && splits_cover (from + n) l K
  end.

Section Runs.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).
Notation total := (sum add zero_).

Definition stage_after (s : side) (X : N -> N -> R) (rows len r0 k0 : N) (before : N -> R) (order : list N) : N -> R :=
  stores N.eqb (map (fun i => (written s i,
    fetch zero_ X rows len (r0 + brings s i mod extent s) (k0 + brings s i / extent s))) order) before.
(* What an instruction takes of an operand, and what it is to take of the given elements x and factors f. *)
Definition taken (s : side) (q : option side) (x f : N -> R) (g : N * N) (i t r k : N) : R :=
  scaled mul (option_map (fun q => f (address q g i t r k)) q) (x (address s g i t r k)).
Definition given (q : option side) (x f : N -> N -> R) (r k : N) : R :=
  scaled mul (option_map (fun q => f r (k / block q)) q) (x r k).
Definition executed (m : machine) (stage : part -> N -> R) (acc : site -> N -> R) (w : site * N) : site -> N -> R :=
  fun z c => if same_site (fst w) z
    then multiplied add mul zero_ (of_sums m) (atom_m m) (atom_k m)
      (taken (side_a m) (scale_a m) (stage elements_a) (stage factors_a) (fst z) (fst (snd z)) (snd w))
      (taken (side_b m) (scale_b m) (stage elements_b) (stage factors_b) (fst z) (snd (snd z)) (snd w)) c (acc z c)
    else acc z c.

(* An M x N product over `len` of K, of the tile whose first row and column are (m0,
  n0): what each sum holds at the end. *)
Section Tile.
Context (m : machine) (x : part -> N -> N -> R) (M N_ len m0 n0 : N).
Definition brought (y : part) (q : side) (kb : N) : (N -> R) -> list N -> N -> R :=
  stage_after q (x y) (if is_a y then M else N_) (ceil len (block q)) (if is_a y then m0 else n0) (depth_in m q * kb).
Context (s : schedule R).
Definition stage_of (kb : N) (y : part) : N -> R :=
  match side_of m y with
  | Some q => brought y q kb (stood s y kb) (copies s y kb)
  | None => stood s y kb
  end.
Definition stepped (acc : site -> N -> R) (kb : N) : site -> N -> R :=
  fold_left (executed m (stage_of kb)) (issued s kb) acc.
Definition tile_sums : site -> N -> R := fold_left (fun acc g z c =>
  add (acc z c) (fold_left stepped g (fun _ _ => zero_) z c)) (blocks_of_k s) (fun _ _ => zero_).
End Tile.

(* The whole: tiles over M and N, each with all splits of K, whose sums are added in any order;
  every sum that lies in D is
   written once. A split begins where a block of K with one scale factor does. *)
Definition block_of (m : machine) (x : part) : N := match side_of m x with Some q => block q | None => 1 end.
Definition from_k (m : machine) (x : part -> N -> N -> R) (first : N) (y : part) (r k : N) : R :=
  x y r (first / block_of m y + k).
Definition of_whole_blocks (m : machine) (splits : list (N * N)) : Prop :=
  forall p x, In p splits -> fst p mod block_of m x = 0.
Section Whole.
Context (m : machine) (M N_ : N) (alpha beta : R) (c : N -> N -> R).
Definition tile_m := extent (side_a m).
Definition tile_n := extent (side_b m).
Definition tiles : list (N * N) := list_prod (iota (ceil M tile_m)) (iota (ceil N_ tile_n)).
Definition split_sums (x : part -> N -> N -> R) (s : N * N -> N * N -> schedule R) (t p : N * N) : site -> N -> R :=
  tile_sums m (from_k m x (fst p)) M N_ (snd p) (tile_m * fst t) (tile_n * snd t) (s t p).
Definition summed (splits : list (N * N)) (sums : N * N -> N * N -> site -> N -> R) (t : N * N) (z : site) (i : N) : R
  :=
  total (map (fun p => sums t p z i) splits).
Definition destination (w : (N * N) * (site * N)) : N * N :=
  (tile_m * fst (fst w) + fst (placed m (fst (snd w)) (snd (snd w))),
   tile_n * snd (fst w) + snd (placed m (fst (snd w)) (snd (snd w)))).
Definition in_d (x : N * N) : bool := (fst x <? M) && (snd x <? N_).
Definition written_to_d (sums : N * N -> site -> N -> R) : list ((N * N) * R) :=
  map (fun w => let x := destination w in
      (x, add (mul alpha (sums (fst w) (fst (snd w)) (snd (snd w)))) (mul beta (c (fst x) (snd x)))))
    (List.filter (fun w => in_d (destination w)) (list_prod tiles (sums_of_tile m))).
End Whole.
End Runs.

(* ---- Lists ---- *)

Lemma nodup_apart {X} (l m : list X) : NoDup l -> NoDup m -> (forall x, In x l -> ~ In x m) -> NoDup (l ++ m).
Proof.
  intros Nl Nm D. induction Nl as [|x l Hx Nl IH]; [easy|]. cbn. constructor.
  - rewrite in_app_iff. intros [I|I]; [easy|]. apply (D x); [now left|easy].
  - apply IH. intros y I. apply D. now right.
Qed.
Lemma nodup_prod {X Y} (l : list X) (m : list Y) : NoDup l -> NoDup m -> NoDup (list_prod l m).
Proof.
  intros Nl Nm. induction Nl as [|x l Hx Nl IH]; [constructor|]. cbn [list_prod]. apply nodup_apart; [|easy|].
  - apply nodup_map_in; [congruence|easy].
  - intros [y z] I J. apply in_map_iff in I as (q & E & _). injection E as -> ->. now apply in_prod_iff in J.
Qed.
Lemma filter_once {X} (p : X -> bool) l x : NoDup l -> In x l -> (forall y, In y l -> p y = true <-> y = x) ->
  List.filter p l = [x].
Proof.
  intros Nl. induction Nl as [|y l Hy Nl IH]; intros I P; [easy|]. cbn. destruct (p y) eqn:E.
  - apply P in E; [|now left]. subst y. f_equal. assert (forall y, In y l -> p y = false) as F.
    { intros y J. destruct (p y) eqn:K; [|easy]. apply P in K; [now subst|now right]. }
    clear - F. induction l as [|y l IH]; [easy|]. cbn. rewrite F by now left. apply IH. intros z J. apply F. now right.
  - destruct I as [->|I]; [exfalso; rewrite (proj2 (P x (or_introl eq_refl)) eq_refl) in E; discriminate|].
    apply IH; [easy|]. intros z J. apply P. now right.
Qed.
Lemma one_to_one_takes f n : one_to_one f n -> (forall i, i < n -> f i < n) /\ (forall x, x < n -> exists i,
  i < n /\ f i = x) /\
  forall i j, i < n -> j < n -> f i = f j -> i = j.
Proof.
  intros P. repeat split.
  - intros i Hi. apply in_iota, (Permutation_in _ P), in_map, in_iota, Hi.
  - intros x Hx. apply in_iota, (Permutation_in _ (Permutation_sym P)), in_map_iff in Hx as (i & E & I). exists i.
    now rewrite in_iota in I.
  - intros i j Hi Hj E. assert (Nd : NoDup (map f (iota n))) by apply (Permutation_NoDup (Permutation_sym P)),
      nodup_iota.
    clear P. apply in_iota in Hi, Hj. revert Hi Hj Nd. generalize (iota n) as l. induction l as [|x l IH]; [easy|].
    cbn. intros [->|I] [->|J] Nd; apply NoDup_cons_iff in Nd as [Nx Nd]; [easy| | |auto].
    + exfalso. apply Nx. rewrite E. now apply in_map.
    + exfalso. apply Nx. rewrite <- E. now apply in_map.
Qed.
Lemma same_pair_spec x y : same_pair x y = true <-> x = y.
Proof. destruct x, y. unfold same_pair. rewrite andb_true_iff, !N.eqb_eq. cbn.
split; [intros [-> ->]|intros [=]]; auto. Qed.
Lemma same_site_spec x y : same_site x y = true <-> x = y.
Proof. destruct x, y. unfold same_site. rewrite andb_true_iff, !same_pair_spec. cbn.
split; [intros [-> ->]|intros [=]]; auto. Qed.

Lemma in_sites m g h i j : In ((g, h), (i,
  j)) (sites m) <-> (g < groups_m m /\ h < groups_n m) /\ i < atoms_m m /\ j < atoms_n m.
Proof. unfold sites. now rewrite !in_prod_iff, !in_iota. Qed.
Lemma nodup_sites m : NoDup (sites m).
Proof. repeat apply nodup_prod; apply nodup_iota. Qed.

Lemma shares_all s depth : (extent s * depth) mod peers s = 0 -> 0 < peers s ->
  flat_map (share s depth) (iota (peers s)) = iota (extent s * depth).
Proof.
  intros M P. unfold share. rewrite <- iota_mul. f_equal. rewrite N.mul_comm. apply mod_0_divides in M; [|easy].
  now apply divides_div.
Qed.

(* ---- Stores ---- *)

Section Stores.
Context {R K : Type} (same_key : K -> K -> bool).
Context (same_spec : forall x y, same_key x y = true <-> x = y).
Lemma stores_elsewhere (ws : list (K * R)) m x : ~ In x (map fst ws) -> stores same_key ws m x = m x.
Proof.
  revert m. induction ws as [|[y v] ws IH]; intros m I; [easy|]. cbn [map fst In] in I.
  change (stores same_key ws (store same_key m (y, v)) x = m x). rewrite IH by tauto. unfold store. cbn.
  destruct (same_key y x) eqn:E; [|easy]. apply same_spec in E. tauto.
Qed.
Lemma stores_there (ws : list (K * R)) m x v : NoDup (map fst ws) -> In (x, v) ws -> stores same_key ws m x = v.
Proof.
  revert m. induction ws as [|[y u] ws IH]; intros m Nd I; [easy|]. cbn [map fst] in Nd.
  apply NoDup_cons_iff in Nd as [Ny Nd].
  change (stores same_key ws (store same_key m (y, u)) x = v). destruct I as [E|I]; [|auto]. injection E as -> ->.
  rewrite stores_elsewhere by easy. unfold store. cbn.
  now rewrite (proj2 (same_spec x x) eq_refl).
Qed.
End Stores.

(* ---- Sums ---- *)

Section Proofs.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).
Context (add_comm : forall x y, add x y = add y x) (add_assoc : forall x y z, add x (add y z) = add (add x y) z)
  (add_zero : forall x, add zero_ x = x) (mul_zero : forall x, mul zero_ x = zero_).
Notation total := (sum add zero_).

Lemma total_app l m : total (l ++ m) = add (total l) (total m).
Proof.
  induction l as [|x l IH]; [symmetry; apply add_zero|].
  change (add x (total (l ++ m)) = add (add x (total l)) (total m)).
  now rewrite IH, add_assoc.
Qed.
Lemma total_flat {X Y} (f : X -> list Y) g l : total (map (fun x => total (map g (f x))) l) = total (map g (flat_map f
  l)).
Proof. induction l as [|x l IH]; [easy|]. cbn [map flat_map]. now rewrite map_app, total_app, <- IH. Qed.
Lemma total_zeros {X} (f : X -> R) l : (forall x, In x l -> f x = zero_) -> total (map f l) = zero_.
Proof.
  induction l as [|x l IH]; intros Z; [easy|]. change (add (f x) (total (map f l)) = zero_). rewrite Z by now left.
  rewrite IH; [apply add_zero|]. intros y I. apply Z. now right.
Qed.
Lemma add_zero_r x : add x zero_ = x.
Proof. now rewrite add_comm. Qed.
Lemma total_order l m : Permutation l m -> total l = total m.
Proof. now apply sum_permutation. Qed.

(* ---- A stage ---- *)

Lemma filled_home s X rows len r0 k0 before order depth x : side_faithful s depth ->
  Permutation order (flat_map (share s depth) (iota (peers s))) -> x < extent s * depth ->
  stage_after zero_ s X rows len r0 k0 before order (home s x) = fetch zero_ X rows len (r0 + x mod extent s) (k0
    + x / extent s).
Proof.
  intros (C & W & J & Z & P & _) O Hx. rewrite shares_all in O by easy.
  pose proof (one_to_one_takes _ _ C) as (B & S & _).
  unfold stage_after. apply stores_there; [apply N.eqb_eq| |].
  - rewrite map_map. cbn [fst]. rewrite (Permutation_map (written s) O).
    rewrite (map_ext_in _ (fun i => home s (brings s i))).
    + rewrite <- (map_map (brings s)). eapply Permutation_NoDup; [apply Permutation_map, Permutation_sym, C|].
      apply nodup_map_in; [|apply nodup_iota]. intros y z Hy Hz. rewrite in_iota in *. now apply J.
    + intros i I. apply W. now apply in_iota.
  - destruct (S x Hx) as (i & Hi & <-). apply in_map_iff. exists i. rewrite W by easy. split; [easy|].
    apply (Permutation_in _ (Permutation_sym O)), in_iota, Hi.
Qed.

(* ---- The instructions of a stage ---- *)

Definition products (m : machine) (stage : part -> N -> R) (z : site) (i t : N) : R :=
  let x := value_in (leaves (of_sums m)) i in
  total (map (fun k => mul
    (taken mul (side_a m) (scale_a m) (stage elements_a) (stage factors_a) (fst z) (fst (snd z)) t (x mod atom_m m) k)
    (taken mul (side_b m) (scale_b m) (stage elements_b) (stage factors_b) (fst z) (snd (snd z)) t (x / atom_m m) k))
    (iota (atom_k m))).
Lemma executed_one m stage acc w z i : executed add mul zero_ m stage acc w z i =
  if same_site (fst w) z then add (acc z i) (products m stage z i (snd w)) else acc z i.
Proof. easy. Qed.
Lemma executed_all m stage l acc z i : fold_left (executed add mul zero_ m stage) l acc z i =
  add (acc z i) (total (map (fun w => products m stage z i (snd w)) (List.filter (fun w => same_site (fst w) z) l))).
Proof.
  revert acc. induction l as [|[y s] l IH]; intros acc; [symmetry; apply add_zero_r|]. cbn [fold_left List.filter fst].
  rewrite IH. unfold executed at 1. cbn [fst snd]. destruct (same_site y z) eqn:E; [|easy].
  apply same_site_spec in E as ->. cbn [map]. change (total (?x :: ?l)) with (add x (total l)). rewrite add_assoc. easy.
Qed.
Lemma instructions_of m z : In z (sites m) ->
  List.filter (fun w => same_site (fst w) z) (instructions m) = map (fun s => (z, s)) (iota (atoms_k m)).
Proof.
  intros I. unfold instructions. pose proof (nodup_sites m) as Nd. revert I Nd. generalize (sites m) as l.
  induction l as [|y l IH]; [easy|]. intros I Nd. apply NoDup_cons_iff in Nd as [Ny Nd]. cbn [list_prod].
  rewrite filter_app.
  assert (F : forall x q, List.filter (fun w : site * N => same_site (fst w) z) (map (fun s => (x, s)) q) =
    if same_site x z then map (fun s => (x, s)) q else []).
  { intros x q. induction q as [|s q IHq]; cbn; [now destruct (same_site x z)|]. rewrite IHq.
    now destruct (same_site x z). }
  rewrite F. destruct (same_site y z) eqn:E.
  - apply same_site_spec in E as ->. rewrite <- (app_nil_r (map _ _)) at 2. f_equal. clear IH I Nd.
    induction l as [|x l IH]; [easy|]. cbn [list_prod]. rewrite filter_app, F, IH by (intros J; apply Ny; now right).
    rewrite app_nil_r. destruct (same_site x z) eqn:E; [|easy]. apply same_site_spec in E. exfalso. apply Ny. now left.
  - destruct I as [->|I]; [rewrite (proj2 (same_site_spec z z) eq_refl) in E; discriminate|]. cbn. auto.
Qed.

(* ---- Operands with their scale factors ---- *)

Lemma ceil_1 n : ceil n 1 = n.
Proof. unfold ceil. rewrite N.div_1_r. lia. Qed.
Lemma fetch_scaled q x f rows len b r k : 0 < b -> b = match q with Some q => block q | None => b end ->
  fetch zero_ (given mul q x f) rows len r k =
  scaled mul (option_map (fun _ => fetch zero_ f rows (ceil len b) r (k / b)) q) (fetch zero_ x rows len r k).
Proof.
  intros P E. unfold fetch, given. destruct q as [q|]; cbn [option_map scaled]; [|easy]. subst b.
  destruct (N.ltb_spec r rows) as [Hr|Hr]; [|cbn; now rewrite mul_zero].
  destruct (N.ltb_spec k len) as [Hk|Hk]; cbn [andb]; [|now rewrite mul_zero].
  replace (k / block q <? ceil len (block q)) with true; [easy|]. symmetry. apply N.ltb_lt, N.lt_nge. intros L.
  apply ceil_least in L; [|easy]. pose proof (N.mul_div_le k (block q)). lia.
Qed.

(* A stage's part holds the kb-th block of K: what copies bring, where it belongs. *)
Definition holds_block (m : machine) (q : side) (X : N -> N -> R) (rows len r0 kb : N) (stage : N -> R) : Prop :=
  forall j, j < extent q * depth_in m q -> stage (home q j) =
    fetch zero_ X rows (ceil len (block q)) (r0 + j mod extent q) (depth_in m q * kb + j / extent q).
Lemma taken_fetched m all atoms atom line s q X Fx rows len r0 kb x f g h i t r k :
  part_faithful m all atoms atom line s -> block s = 1 -> holds_block m s X rows len r0 kb x ->
  (forall u, q = Some u -> part_faithful m all atoms atom line u /\ holds_block m u Fx rows len r0 kb f) ->
  g < groups_m m -> h < groups_n m -> i < atoms -> t < atoms_k m -> r < atom -> k < atom_k m ->
  line (g, h) i r < all -> deep m t k < tile_depth m ->
  taken mul s q x f (g, h) i t r k =
  fetch zero_ (given mul q X Fx) rows len (r0 + line (g, h) i r) (tile_depth m * kb + deep m t k).
Proof.
  intros Fs B1 Hx Hq Hg Hh Hi Ht Hr Hk Hl Hd.
  assert (At : forall u Y y, part_faithful m all atoms atom line u -> holds_block m u Y rows len r0 kb y ->
    y (address u (g, h) i t r k) = fetch zero_ Y rows (ceil len (block u)) (r0 + line (g, h) i r)
      ((tile_depth m * kb + deep m t k) / block u)).
  { intros u Y y (_ & E & P & D & A) H. rewrite A by easy. rewrite <- E in Hl.
    apply mod_0_divides in D; [|easy]. destruct D as [d D].
    assert (Hu : deep m t k / block u < depth_in m u) by (apply div_below; [easy|]; unfold depth_in;
      rewrite D, N.div_mul, N.mul_comm by lia; lia).
    rewrite H by nia. rewrite digit_mod, digit_div by easy. f_equal. unfold depth_in. rewrite D, N.div_mul by lia.
    replace (d * block u * kb) with (d * kb * block u) by lia. rewrite N.div_add_l by lia. lia. }
  unfold taken. rewrite (At s X x Fs Hx), B1, N.div_1_r, ceil_1. destruct q as [u|]; [|easy].
  destruct (Hq u eq_refl) as [Fu Hf]. cbn [option_map]. rewrite (At u Fx f Fu Hf).
  pose proof Fu as (_ & _ & P & _). now rewrite (fetch_scaled (Some u) X Fx rows len (block u)).
Qed.

Section Tile.
Context (m : machine) (F : faithful m) (x : part -> N -> N -> R) (M N_ len m0 n0 : N).
Notation fa := (fetch zero_ (given mul (scale_a m) (x elements_a) (x factors_a)) M len).
Notation fb := (fetch zero_ (given mul (scale_b m) (x elements_b) (x factors_b)) N_ len).

Definition at_k (d : N * N) (k : N) : R := mul (fa (m0 + fst d) k) (fb (n0 + snd d) k).
Definition loaded (kb : N) (stage : part -> N -> R) : Prop := forall y q, side_of m y = Some q ->
  holds_block m q (x y) (if is_a y then M else N_) len (if is_a y then m0 else n0) kb (stage y).

(* An instruction adds the products of its sums' rows and columns over its own part of K. *)
Lemma products_loaded stage kb z i t : loaded kb stage -> In z (sites m) -> i < size (of_sums m) -> t < atoms_k m ->
  products m stage z i t =
  total (map (fun k => at_k (placed m z i) (k + tile_depth m * kb)) (map (deep m t) (iota (atom_k m)))).
Proof.
  intros Ld Hz Hi Ht. destruct F as (Fs & (Ba & Bb) & D & Rw & Cl & Dp & (Zs & Pm & Bs) & Pl).
  destruct z as ((g & h) & (p & q)). apply in_sites in Hz as ((Hg & Hh) & Hp & Hq).
  pose proof (Pl g h p q i Hg Hh Hp Hq Hi) as E. cbv zeta in E. unfold products. cbn [fst snd].
  set (c := value_in (leaves (of_sums m)) i) in *. pose proof (one_to_one_takes _ _ Bs) as (Bx & _ & _).
  specialize (Bx i Hi). fold c in Bx. rewrite Zs in Bx.
  assert (Hr : c mod atom_m m < atom_m m) by (apply N.mod_lt; lia).
  assert (Hc : c / atom_m m < atom_n m) by now apply div_below.
  destruct Rw as (Rb & _ & _), Cl as (Cb & _ & _). specialize (Rb g p _ Hg Hp Hr). specialize (Cb h q _ Hh Hq Hc).
  rewrite map_map. f_equal. apply map_ext_in. intros k Hk. rewrite in_iota in Hk.
  assert (Hd : deep m t k < tile_depth m).
  { apply in_iota, (Permutation_in _ Dp), in_flat_map. exists t. split; [now apply in_iota|].
    now apply in_map, in_iota. }
  unfold at_k. rewrite E. cbn [fst snd]. rewrite (N.add_comm _ (tile_depth m * kb)). f_equal.
  - apply (taken_fetched m (extent (side_a m)) (atoms_m m) (atom_m m) (fun g => row m (fst g))); try easy.
    + exact (Fs elements_a _ eq_refl).
    + exact (Ld elements_a _ eq_refl).
    + intros u Q. split; [exact (Fs factors_a u Q)|exact (Ld factors_a u Q)].
  - apply (taken_fetched m (extent (side_b m)) (atoms_n m) (atom_n m) (fun g => column m (snd g))); try easy.
    + exact (Fs elements_b _ eq_refl).
    + exact (Ld elements_b _ eq_refl).
    + intros u Q. split; [exact (Fs factors_b u Q)|exact (Ld factors_b u Q)].
Qed.
(* All instructions of a sum add its products over the whole block. *)
Lemma products_of_block kb d : total (map (fun t => total (map (fun k => at_k d (k + tile_depth m * kb))
  (map (deep m t) (iota (atom_k m))))) (iota (atoms_k m))) =
  total (map (fun k => at_k d (k + tile_depth m * kb)) (iota (tile_depth m))).
Proof. rewrite total_flat. apply total_order, Permutation_map. apply F. Qed.
(* All blocks of K: zeros beyond its end included. *)
Lemma products_of_blocks d : total (map (fun kb => total (map (fun k => at_k d (k + tile_depth m * kb))
  (iota (tile_depth m)))) (iota (ceil len (tile_depth m)))) = total (map (at_k d) (iota len)).
Proof.
  transitivity (total (map (at_k d) (iota (tile_depth m * ceil len (tile_depth m))))).
  - rewrite iota_mul, <- total_flat. f_equal. apply map_ext. intros q. now rewrite map_map.
  - pose proof F as (_ & _ & D & _).
    assert (len <= tile_depth m * ceil len (tile_depth m)) as L by (rewrite N.mul_comm; apply ceil_least; lia).
    replace (tile_depth m * ceil len (tile_depth m)) with (len + (tile_depth m * ceil len (tile_depth m) - len)) by lia.
    rewrite iota_add, map_app, total_app, (total_zeros (at_k d) (map (N.add len) _)); [apply add_zero_r|].
    intros k I. apply in_map_iff in I as (j & <- & _). unfold at_k, fetch.
    replace (len + j <? len) with false by (symmetry; apply N.ltb_ge; lia). now rewrite !andb_false_r, mul_zero.
Qed.

Context (s : schedule R) (O : orderly m len s).

Lemma stage_loaded kb : loaded kb (stage_of zero_ m x M N_ len m0 n0 s kb).
Proof.
  intros y q E j Hj. unfold stage_of, brought. rewrite E. apply filled_home with (depth := depth_in m q); [|now apply
    O|easy].
  pose proof F as (Fs & _). specialize (Fs y q E). destruct (is_a y); apply Fs.
Qed.
Lemma stepped_adds z i acc kb : In z (sites m) -> i < size (of_sums m) ->
  stepped add mul zero_ m x M N_ len m0 n0 s acc kb z i =
  add (acc z i) (total (map (fun k => at_k (placed m z i) (k + tile_depth m * kb)) (iota (tile_depth m)))).
Proof.
  intros Hz Hi. destruct O as (_ & OI & _). unfold stepped. rewrite executed_all. f_equal.
  rewrite (total_order _ _ (Permutation_map _ (filter_permutation _ _ _ (OI kb)))), instructions_of, map_map by easy.
  cbn [snd].
  rewrite <- products_of_block. f_equal. apply map_ext_in. intros t Ht. rewrite in_iota in Ht.
  now apply products_loaded; [apply stage_loaded|..].
Qed.
Lemma stepped_all z i g acc : In z (sites m) -> i < size (of_sums m) ->
  fold_left (stepped add mul zero_ m x M N_ len m0 n0 s) g acc z i =
  add (acc z i) (total (map (fun kb => total (map (fun k => at_k (placed m z i) (k
    + tile_depth m * kb)) (iota (tile_depth m)))) g)).
Proof.
  intros Hz Hi. revert acc. induction g as [|kb g IH]; intros acc; [symmetry; apply add_zero_r|]. cbn [fold_left map].
  rewrite IH, stepped_adds by easy.
  now rewrite <- add_assoc.
Qed.

(* The sum of a tile is that of all its products. *)
Lemma tile_sums_all z i : In z (sites m) -> i < size (of_sums m) ->
  tile_sums add mul zero_ m x M N_ len m0 n0 s z i = total (map (at_k (placed m z i)) (iota len)).
Proof.
  intros Hz Hi. rewrite <- products_of_blocks. destruct O as (_ & _ & P).
  rewrite <- (total_order _ _ (Permutation_map _ P)). unfold tile_sums.
  set (none := fun (_ : site) (_ : N) => zero_) at 2.
  transitivity (add (none z i) (total (map (fun kb => total (map (fun k => at_k (placed m z i) (k
    + tile_depth m * kb)) (iota (tile_depth m)))) (concat (blocks_of_k s))))); [|apply add_zero].
  generalize none. generalize (blocks_of_k s).
  induction l as [|g l IH]; intros acc; [symmetry; apply add_zero_r|]. cbn [fold_left concat].
  rewrite IH, stepped_all, add_zero by easy.
  now rewrite map_app, total_app, add_assoc.
Qed.
End Tile.

(* ---- The whole ---- *)

Lemma total_splits f l from K : splits_cover from l K = true ->
  total (map (fun p => total (map (fun k => f (fst p + k)) (iota (snd p)))) l) =
  total (map (fun k => f (from + k)) (iota (K - from))) /\ from <= K.
Proof.
  revert from. induction l as [|[g n] l IH]; intros from C; cbn in C.
  - apply N.eqb_eq in C as ->. rewrite N.sub_diag. easy.
  - apply andb_true_iff in C as [E C]. apply N.eqb_eq in E as ->. destruct (IH _ C) as [S L]. split; [|lia].
    cbn [map]. change (total (?x :: ?l)) with (add x (total l)). rewrite S. cbn [fst snd].
    replace (K - from) with (n + (K - (from + n))) by lia. rewrite iota_add, map_app, total_app, map_map. do 2 f_equal.
    apply map_ext. intros k. now rewrite N.add_assoc.
Qed.

Section Whole.
Context (m : machine) (F : faithful m) (x : part -> N -> N -> R) (M N_ K : N) (alpha beta : R) (c : N -> N -> R).
Notation tm := (extent (side_a m)). Notation tn := (extent (side_b m)).
Notation a := (given mul (scale_a m) (x elements_a) (x factors_a)).
Notation b := (given mul (scale_b m) (x elements_b) (x factors_b)).

(* Sums of splits that are those of all their products add up to the product. *)
Section Splits.
Context (splits order : list (N * N)) (S : splits_cover 0 order K = true) (P : Permutation splits order).
Context (B : of_whole_blocks m splits) (sums : N * N -> N * N -> site -> N -> R).
Context (Sums : forall t p z i, In t (tiles m M N_) -> In p splits -> In z (sites m) -> i < size (of_sums m) ->
  sums t p z i =
  total (map (at_k m (from_k m x (fst p)) M N_ (snd p) (tm * fst t) (tn * snd t) (placed m z i)) (iota (snd p)))).

Lemma given_from_k (q : option side) ye yf p r k : In p splits -> side_of m yf = q -> block_of m ye = 1 ->
  (forall u, q = Some u -> 0 < block u) ->
  given mul q (from_k m x (fst p) ye) (from_k m x (fst p) yf) r k = given mul q (x ye) (x yf) r (fst p + k).
Proof.
  intros I E B1 Pb. unfold given, from_k. rewrite B1, N.div_1_r. destruct q as [u|]; [|easy]. cbn [option_map].
  do 3 f_equal. specialize (B p yf I). unfold block_of in *. rewrite E in *. specialize (Pb u eq_refl).
  apply mod_0_divides in B; [|easy]. destruct B as [d ->]. rewrite N.div_mul, N.div_add_l by lia. easy.
Qed.
Lemma summed_product t z i : In t (tiles m M N_) -> In z (sites m) -> i < size (of_sums m) ->
  let d := destination m (t, (z, i)) in fst d < M -> snd d < N_ ->
  summed add zero_ splits sums t z i = product add mul zero_ a b K (fst d) (snd d).
Proof.
  intros Ht Hz Hi d Hx Hy. pose proof F as (Fs & (Ba & Bb) & _).
  assert (Pb : forall y u, side_of m y = Some u -> 0 < block u).
  { intros y u E. specialize (Fs y u E). destruct (is_a y); apply Fs. }
  unfold summed. rewrite (map_ext_in _ (fun p => total (map (fun k =>
    mul (a (fst d) (fst p + k)) (b (snd d) (fst p + k))) (iota (snd p))))).
  - rewrite (total_order _ _ (Permutation_map _ P)).
    destruct (total_splits (fun k => mul (a (fst d) k) (b (snd d) k)) order 0 K S) as [E _]. rewrite E.
    unfold product. now rewrite N.sub_0_r.
  - intros p I. rewrite Sums by easy. f_equal. apply map_ext_in. intros k Hk. rewrite in_iota in Hk.
    unfold at_k, fetch.
    change (tm * fst t + fst (placed m z i)) with (fst d). change (tn * snd t + snd (placed m z i)) with (snd d).
    apply N.ltb_lt in Hx as ->, Hy as ->, Hk as ->. cbn [andb].
    rewrite !given_from_k with (p := p); try easy; [intros u; apply (Pb factors_b)|intros u; apply (Pb factors_a)].
Qed.
End Splits.

Lemma place_below z i : In z (sites m) -> i < size (of_sums m) -> fst (placed m z i) < tm /\ snd (placed m z i) < tn.
Proof.
  destruct F as (_ & _ & _ & (Rb & _) & (Cb & _) & _ & (Zs & Pm & Bs) & Pl). destruct z as ((g & h) & (p & q)).
  intros Hz Hi. apply in_sites in Hz as ((Hg & Hh) & Hp & Hq). rewrite Pl by easy. cbn.
  pose proof (one_to_one_takes _ _ Bs) as (Bx & _ & _). specialize (Bx i Hi). rewrite Zs in Bx.
  split; [apply Rb|apply Cb]; try easy; [apply N.mod_lt; lia|now apply div_below].
Qed.
Lemma place_reached y y' : y < tm -> y' < tn ->
  exists z i, In z (sites m) /\ i < size (of_sums m) /\ placed m z i = (y, y').
Proof.
  destruct F as (_ & _ & _ & (_ & Rs & _) & (_ & Cs & _) & _ & (Zs & Pm & Bs) & Pl). intros Hx Hy.
  destruct (Rs y Hx) as (g & p & r & Hg & Hp & Hr & <-), (Cs y' Hy) as (h & q & t & Hh & Hq & Ht & <-).
  pose proof (one_to_one_takes _ _ Bs) as (_ & Sx & _).
  destruct (Sx (r + atom_m m * t)) as (i & Hi & E); [rewrite Zs; nia|].
  exists ((g, h), (p, q)), i. split; [now apply in_sites|]. split; [easy|]. rewrite Pl by easy. cbv zeta. rewrite E.
  now rewrite digit_mod, digit_div.
Qed.
Lemma place_once z i y j : In z (sites m) -> i < size (of_sums m) -> In y (sites m) -> j < size (of_sums m) ->
  placed m z i = placed m y j -> (z, i) = (y, j).
Proof.
  destruct F as (_ & _ & _ & (_ & _ & Ri) & (_ & _ & Ci) & _ & (Zs & Pm & Bs) & Pl).
  destruct z as ((g & h) & (p & q)), y as ((g' & h') & (p' & q')). intros Hz Hi Hy Hj.
  apply in_sites in Hz as ((Hg & Hh) & Hp & Hq), Hy as ((Hg' & Hh') & Hp' & Hq'). rewrite !Pl by easy. cbv zeta.
  intros E.
  injection E as Er Ec. pose proof (one_to_one_takes _ _ Bs) as (Bx & _ & Jx).
  pose proof (Bx i Hi) as Bi. pose proof (Bx j Hj) as Bj. rewrite Zs in Bi, Bj.
  apply Ri in Er; try easy; try (apply N.mod_lt; lia). apply Ci in Ec; try easy; try now apply div_below.
  injection Er as -> -> Er. injection Ec as -> -> Ec. f_equal. apply Jx; try easy.
  rewrite (N.div_mod' (value_in _ i) (atom_m m)), (N.div_mod' (value_in _ j) (atom_m m)). now rewrite Er, Ec.
Qed.

Lemma tile_positive : 0 < tm /\ 0 < tn.
Proof.
  destruct F as (Fs & _). destruct (Fs elements_a _ eq_refl) as ((_ & _ & _ & _ & _ & A) & _).
  now destruct (Fs elements_b _ eq_refl) as ((_ & _ & _ & _ & _ & B) & _).
Qed.
Lemma sums_in z i : In (z, i) (sums_of_tile m) <-> In z (sites m) /\ i < size (of_sums m).
Proof. unfold sums_of_tile. now rewrite in_prod_iff, in_iota. Qed.
Lemma destinations_once : NoDup (map (destination m) (list_prod (tiles m M N_) (sums_of_tile m))).
Proof.
  apply nodup_map_in; [|apply nodup_prod; [apply nodup_prod; apply nodup_iota|apply nodup_prod;
    [apply nodup_sites|apply nodup_iota]]].
  intros [[t u] [z i]] [[t' u'] [y j]] I J E. apply in_prod_iff in I as [_ I], J as [_ J].
  apply sums_in in I as [Iz Ii], J as [Jy Jj].
  destruct (place_below z i Iz Ii) as [X1 Y1], (place_below y j Jy Jj) as [X2 Y2].
  unfold destination, tile_m, tile_n in E. cbn [fst snd] in E. injection E as Ex Ey.
  rewrite (N.add_comm (tm * t)), (N.add_comm (tm * t')) in Ex.
  rewrite (N.add_comm (tn * u)), (N.add_comm (tn * u')) in Ey.
  pose proof (f_equal (fun x => x / tm) Ex) as Tx. pose proof (f_equal (fun x => x / tn) Ey) as Ty.
  pose proof (f_equal (fun x => x mod tm) Ex) as Mx. pose proof (f_equal (fun x => x mod tn) Ey) as My. cbv beta in *.
  rewrite !digit_div in Tx, Ty by easy. rewrite !digit_mod in Mx, My by easy. subst t' u'. f_equal.
  apply place_once; try easy. destruct (placed m z i), (placed m y j). cbn in *. now subst.
Qed.

(* Every element of D is written once, with its product, and none else. *)
Lemma machine_computes D ws sums : (forall t z i, In t (tiles m M N_) -> In z (sites m) -> i < size (of_sums m) ->
    let d := destination m (t, (z, i)) in fst d < M -> snd d < N_ ->
    sums t z i = product add mul zero_ a b K (fst d) (snd d)) ->
  Permutation ws (written_to_d add mul m M N_ alpha beta c sums) ->
  NoDup (map fst ws) /\ forall y z, stores same_pair ws D (y, z) =
    if (y <? M) && (z <? N_) then add (mul alpha (product add mul zero_ a b K y z)) (mul beta (c y z)) else D (y, z).
Proof.
  intros Sums Q. assert (Keys : map fst (written_to_d add mul m M N_ alpha beta c sums) =
    List.filter (in_d M N_) (map (destination m) (list_prod (tiles m M N_) (sums_of_tile m)))).
  { unfold written_to_d. rewrite map_map. cbn [fst]. symmetry. apply Gemm.filter_map. }
  assert (Nd : NoDup (map fst ws)).
  { apply (Permutation_NoDup (Permutation_map fst (Permutation_sym Q))). rewrite Keys.
    apply NoDup_filter, destinations_once. }
  split; [easy|]. intros y y'. pose proof same_pair_spec as Sp. destruct ((y <? M) && (y' <? N_)) eqn:E.
  - apply stores_there; [easy|easy|]. apply (Permutation_in _ (Permutation_sym Q)).
    apply andb_true_iff in E as [Hx Hy]. apply N.ltb_lt in Hx, Hy.
    destruct tile_positive as [Tm Tn].
    destruct (place_reached (y mod tm) (y' mod tn)) as (z & i & Hz & Hi & Ep); [apply N.mod_lt; lia..|].
    assert (Ed : destination m ((y / tm, y' / tn), (z, i)) = (y, y')).
    { unfold destination, tile_m, tile_n. cbn [fst snd]. rewrite Ep. cbn [fst snd]. now rewrite <- !N.div_mod'. }
    assert (Ht : In (y / tm, y' / tn) (tiles m M N_)).
    { unfold tiles. apply in_prod_iff. rewrite !in_iota. unfold tile_m, tile_n.
      assert (M <= tm * ceil M tm) by (rewrite N.mul_comm; apply ceil_least; lia).
      assert (N_ <= tn * ceil N_ tn) by (rewrite N.mul_comm; apply ceil_least; lia). split; apply div_below; lia. }
    unfold written_to_d. apply in_map_iff. exists ((y / tm, y' / tn), (z, i)). cbv zeta. rewrite Ed. cbn [fst snd].
    split.
    + do 3 f_equal. specialize (Sums (y / tm, y' / tn) z i Ht Hz Hi). cbv zeta in Sums. rewrite Ed in Sums.
      now apply Sums.
    + apply filter_In. split; [|unfold in_d; rewrite Ed; cbn; now apply N.ltb_lt in Hx as ->, Hy as ->].
      apply in_prod_iff. split; [easy|now apply sums_in].
  - apply stores_elsewhere; [easy|]. intros I. apply (Permutation_in _ (Permutation_map fst Q)) in I. rewrite Keys in I.
    apply filter_In in I as [_ I]. unfold in_d in I. cbn in I. congruence.
Qed.
End Whole.
End Proofs.
