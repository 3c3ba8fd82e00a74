(* The machine that runs a plan: copies, instructions, epilogue, in any order that the kernel's barriers leave open.
Where
   its maps fit together (`faithful`) it computes the product and writes nothing else. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Instructions.
Local Open Scope N_scope.

(* An operand's way: `count` copies fill a stage of `extent` by the tile's depth, each block of a cluster its share of
   them. Copy i brings index copied i (row + extent k) to address written i; home says where an index belongs; an
   instruction takes coordinate (r, k) of its operand from an address. *)
Record side := Side { extent : N; peers : N; brings : N -> N; written : N -> N; home : N -> N;
  address : N * N -> N -> N -> N -> N -> N }.
(* Groups of threads along M and N, each with atoms along M, N and K: a site is an atom of D, (group, atom). *)
Definition site : Type := (N * N) * (N * N).
Record machine := Machine { side_a : side; side_b : side; tile_depth : N;
  atom_m : N; atom_n : N; atom_k : N; of_sums : layout N;
  groups_m : N; groups_n : N; atoms_m : N; atoms_n : N; atoms_k : N;
  row : N -> N -> N -> N; column : N -> N -> N -> N; deep : N -> N -> N; placed : site -> N -> N * N }.

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
Definition faithful (m : machine) : Prop :=
  side_faithful (side_a m) (tile_depth m) /\ side_faithful (side_b m) (tile_depth m) /\ 0 < tile_depth m /\
  splits_into (row m) (groups_m m) (atoms_m m) (atom_m m) (extent (side_a m)) /\
  splits_into (column m) (groups_n m) (atoms_n m) (atom_n m) (extent (side_b m)) /\
  Permutation (flat_map (fun s => map (deep m s) (iota (atom_k m))) (iota (atoms_k m))) (iota (tile_depth m)) /\
  (forall g h i s r k, g < groups_m m -> h < groups_n m -> i < atoms_m m -> s < atoms_k m -> r < atom_m m ->
    k < atom_k m -> address (side_a m) (g, h) i s r k = home (side_a m) (row m g i r
      + extent (side_a m) * deep m s k)) /\
  (forall g h j s r k, g < groups_m m -> h < groups_n m -> j < atoms_n m -> s < atoms_k m -> r < atom_n m ->
    k < atom_k m -> address (side_b m) (g, h) j s r k = home (side_b m) (column m h j r
      + extent (side_b m) * deep m s k)) /\
  (size (of_sums m) = atom_m m * atom_n m /\ 0 < atom_m m /\
    one_to_one (value_in (leaves (of_sums m))) (size (of_sums m))) /\
  (forall g h i j c, g < groups_m m -> h < groups_n m -> i < atoms_m m -> j < atoms_n m -> c < size (of_sums m) ->
    let x := value_in (leaves (of_sums m)) c in
    placed m ((g, h), (i, j)) c = (row m g i (x mod atom_m m), column m h j (x / atom_m m))).

(* The order of things. Of the kb-th block of K: the copies, of all blocks of the cluster in any order;
  what stood in the
   stage before; the order of the instructions. And the blocks of K in groups, each summed apart: one group, or one for
   each block where accumulation has two levels. *)
Record schedule (R : Type) := Schedule { copies_a : N -> list N; copies_b : N -> list N; stage_a : N -> N -> R;
  stage_b : N -> N -> R; issued : N -> list (site * N); blocks_of_k : list (list N) }.
Arguments copies_a {R}. Arguments copies_b {R}. Arguments stage_a {R}. Arguments stage_b {R}. Arguments issued {R}.
Arguments blocks_of_k {R}.
Definition share (s : side) (depth p : N) : list N :=
  let n := extent s * depth / peers s in map (fun i => i + n * p) (iota n).
Definition orderly {R} (m : machine) (len : N) (s : schedule R) : Prop :=
  (forall kb, Permutation (copies_a s kb) (flat_map (share (side_a m) (tile_depth m)) (iota (peers (side_a m))))) /\
  (forall kb, Permutation (copies_b s kb) (flat_map (share (side_b m) (tile_depth m)) (iota (peers (side_b m))))) /\
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
Definition executed (m : machine) (A B : N -> R) (acc : site -> N -> R) (w : site * N) : site -> N -> R :=
  fun z c => if same_site (fst w) z
    then multiplied add mul zero_ (of_sums m) (atom_m m) (atom_k m) (fun r k => A (address (side_a m) (fst z) (fst
      (snd z)) (snd w) r k))
      (fun r k => B (address (side_b m) (fst z) (snd (snd z)) (snd w) r k)) c (acc z c)
    else acc z c.

(* An M x N product over `len` of K, of the tile whose first row and column are (m0,
  n0): what each sum holds at the end. *)
Section Tile.
Context (m : machine) (a b : N -> N -> R) (M N_ len m0 n0 : N) (s : schedule R).
Definition stepped (acc : site -> N -> R) (kb : N) : site -> N -> R :=
  fold_left (executed m (stage_after (side_a m) a M len m0 (tile_depth m * kb) (stage_a s kb) (copies_a s kb))
    (stage_after (side_b m) b N_ len n0 (tile_depth m * kb) (stage_b s kb) (copies_b s kb))) (issued s kb) acc.
Definition tile_sums : site -> N -> R := fold_left (fun acc g z c =>
  add (acc z c) (fold_left stepped g (fun _ _ => zero_) z c)) (blocks_of_k s) (fun _ _ => zero_).
End Tile.

(* The whole: tiles over M and N, each with all splits of K, whose sums are added in any order;
  every sum that lies in D is
   written once. *)
Section Whole.
Context (m : machine) (M N_ : N) (alpha beta : R) (a b c : N -> N -> R) (splits : list (N * N))
  (s : N * N -> N * N -> schedule R).
Definition tile_m := extent (side_a m).
Definition tile_n := extent (side_b m).
Definition tiles : list (N * N) := list_prod (iota (ceil M tile_m)) (iota (ceil N_ tile_n)).
Definition summed (t : N * N) (z : site) (i : N) : R := total (map (fun p =>
  tile_sums m (fun r k => a r (fst p + k)) (fun r k => b r (fst p + k)) M N_ (snd p) (tile_m * fst t) (tile_n * snd t)
    (s t p) z i) splits).
Definition destination (w : (N * N) * (site * N)) : N * N :=
  (tile_m * fst (fst w) + fst (placed m (fst (snd w)) (snd (snd w))),
   tile_n * snd (fst w) + snd (placed m (fst (snd w)) (snd (snd w)))).
Definition in_d (x : N * N) : bool := (fst x <? M) && (snd x <? N_).
Definition written_to_d : list ((N * N) * R) :=
  map (fun w => let x := destination w in
      (x, add (mul alpha (summed (fst w) (fst (snd w)) (snd (snd w)))) (mul beta (c (fst x) (snd x)))))
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

Definition products (m : machine) (A B : N -> R) (z : site) (i s : N) : R :=
  let x := value_in (leaves (of_sums m)) i in
  total (map (fun k => mul (A (address (side_a m) (fst z) (fst (snd z)) s (x mod atom_m m) k))
    (B (address (side_b m) (fst z) (snd (snd z)) s (x / atom_m m) k))) (iota (atom_k m))).
Lemma executed_all m A B l acc z i : fold_left (executed add mul zero_ m A B) l acc z i =
  add (acc z i) (total (map (fun w => products m A B z i (snd w)) (List.filter (fun w => same_site (fst w) z) l))).
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

Section Tile.
Context (m : machine) (F : faithful m) (a b : N -> N -> R) (M N_ len m0 n0 : N) (s : schedule R) (O : orderly m len s).
Notation fa := (fetch zero_ a M len). Notation fb := (fetch zero_ b N_ len).

Definition at_k (x : N * N) (k : N) : R := mul (fa (m0 + fst x) k) (fb (n0 + snd x) k).

Lemma stepped_adds z i acc kb : In z (sites m) -> i < size (of_sums m) ->
  stepped add mul zero_ m a b M N_ len m0 n0 s acc kb z i =
  add (acc z i) (total (map (fun k => at_k (placed m z i) (k + tile_depth m * kb)) (iota (tile_depth m)))).
Proof.
  intros Hz Hi. destruct F as (FA & FB & D & Rw & Cl & Dp & Aa & Ab & (Zs & Pm & Bs) & Pl).
  destruct O as (OA & OB & OI & _).
  destruct z as ((g & h) & (p & q)). apply in_sites in Hz as ((Hg & Hh) & Hp & Hq).
  unfold stepped. rewrite executed_all. f_equal.
  set (A := stage_after _ (side_a m) _ _ _ _ _ _ _). set (B := stage_after _ (side_b m) _ _ _ _ _ _ _).
  assert (Q : forall p : site * N -> bool, Permutation (List.filter p (issued s kb)) (List.filter p (instructions m))).
  { intros f. pose proof (OI kb) as P. clear - P. induction P as [|x l l' P IH|x y l|l l' l'' P IH P' IH']; cbn; auto.
    - destruct (f x); auto.
    - destruct (f x), (f y); auto using perm_swap.
    - now transitivity (List.filter f l'). }
  rewrite (total_order _ _ (Permutation_map _ (Q _))), instructions_of, map_map by (apply in_sites; auto). cbn [snd].
  pose proof (Pl g h p q i Hg Hh Hp Hq Hi) as E. cbv zeta in E.
  set (x := value_in (leaves (of_sums m)) i) in *. pose proof (one_to_one_takes _ _ Bs) as (Bx & _ & _).
  specialize (Bx i Hi). fold x in Bx. rewrite Zs in Bx.
  assert (Hr : x mod atom_m m < atom_m m) by (apply N.mod_lt; lia).
  assert (Hc : x / atom_m m < atom_n m) by now apply div_below.
  destruct Rw as (Rb & _ & _), Cl as (Cb & _ & _).
  assert (At : forall k, k < tile_depth m ->
    A (home (side_a m) (row m g p (x mod atom_m m) + extent (side_a m) * k)) = fa (m0
      + row m g p (x mod atom_m m)) (tile_depth m * kb + k) /\
    B (home (side_b m) (column m h q (x / atom_m m) + extent (side_b m) * k)) = fb (n0
      + column m h q (x / atom_m m)) (tile_depth m * kb + k)).
  { intros k Hk. specialize (Rb g p _ Hg Hp Hr). specialize (Cb h q _ Hh Hq Hc). split.
    - unfold A. rewrite filled_home with (depth := tile_depth m) by (try easy; nia).
      rewrite digit_mod, digit_div by easy. easy.
    - unfold B. rewrite filled_home with (depth := tile_depth m) by (try easy; nia).
      rewrite digit_mod, digit_div by easy. easy. }
  transitivity (total (map (fun t => total (map (fun k => at_k (placed m ((g, h), (p,
    q)) i) (k + tile_depth m * kb)) (map (deep m t) (iota (atom_k m))))) (iota (atoms_k m)))).
  - f_equal. apply map_ext_in. intros t Ht. rewrite in_iota in Ht. unfold products. cbn [fst snd]. fold x.
    rewrite map_map.
    f_equal. apply map_ext_in. intros k Hk. rewrite in_iota in Hk. rewrite Aa, Ab by easy.
    assert (Hd : deep m t k < tile_depth m).
    { apply in_iota, (Permutation_in _ Dp), in_flat_map. exists t. split; [now apply in_iota|].
      now apply in_map, in_iota. }
    destruct (At _ Hd) as [-> ->]. unfold at_k. rewrite E. cbn [fst snd]. now rewrite (N.add_comm (tile_depth m * kb)).
  - rewrite total_flat. apply total_order, Permutation_map, Dp.
Qed.
Lemma stepped_all z i g acc : In z (sites m) -> i < size (of_sums m) ->
  fold_left (stepped add mul zero_ m a b M N_ len m0 n0 s) g acc z i =
  add (acc z i) (total (map (fun kb => total (map (fun k => at_k (placed m z i) (k
    + tile_depth m * kb)) (iota (tile_depth m)))) g)).
Proof.
  intros Hz Hi. revert acc. induction g as [|kb g IH]; intros acc; [symmetry; apply add_zero_r|]. cbn [fold_left map].
  rewrite IH, stepped_adds by easy.
  now rewrite <- add_assoc.
Qed.

(* The sum of a tile is that of all its products, zeros beyond the end of K included. *)
Lemma tile_sums_all z i : In z (sites m) -> i < size (of_sums m) ->
  tile_sums add mul zero_ m a b M N_ len m0 n0 s z i = total (map (at_k (placed m z i)) (iota len)).
Proof.
  intros Hz Hi. assert (E : tile_sums add mul zero_ m a b M N_ len m0 n0 s z i = total (map (fun kb =>
    total (map (fun k => at_k (placed m z i) (k
      + tile_depth m * kb)) (iota (tile_depth m)))) (concat (blocks_of_k s)))).
  { unfold tile_sums.
    transitivity (add zero_ (total (map (fun kb =>
      total (map (fun k => at_k (placed m z i) (k
        + tile_depth m * kb)) (iota (tile_depth m)))) (concat (blocks_of_k s)))));
      [|apply add_zero]. change zero_ with ((fun (_ : site) (_ : N) => zero_) z i) at 4.
    generalize (fun (_ : site) (_ : N) => zero_) at 2 3. generalize (blocks_of_k s).
    induction l as [|g l IH]; intros acc; [symmetry; apply add_zero_r|]. cbn [fold_left concat].
    rewrite IH, stepped_all, add_zero by easy.
    now rewrite map_app, total_app, add_assoc. }
  rewrite E. destruct O as (_ & _ & _ & P). rewrite (total_order _ _ (Permutation_map _ P)).
  transitivity (total (map (at_k (placed m z i)) (iota (tile_depth m * ceil len (tile_depth m))))).
  - rewrite iota_mul, <- total_flat. f_equal. apply map_ext. intros q. now rewrite map_map.
  - pose proof F as (_ & _ & D & _).
    assert (len <= tile_depth m * ceil len (tile_depth m)) as L by (rewrite N.mul_comm; apply ceil_least; lia).
    replace (tile_depth m * ceil len (tile_depth m)) with (len + (tile_depth m * ceil len (tile_depth m) - len)) by lia.
    rewrite iota_add, map_app, total_app, (total_zeros (at_k (placed m z i)) (map (N.add len) _)); [apply add_zero_r|].
    intros k I.
    apply in_map_iff in I as (j & <- & _). unfold at_k, fetch.
    replace (len + j <? len) with false by (symmetry; apply N.ltb_ge; lia). now rewrite !andb_false_r, mul_zero.
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
Context (m : machine) (F : faithful m) (M N_ K : N) (alpha beta : R) (a b c : N -> N ->
  R) (splits order : list (N * N)).
Context (s : N * N -> N * N -> schedule R) (S : splits_cover 0 order K = true) (P : Permutation splits order).
Context (O : forall t p, In p splits -> orderly m (snd p) (s t p)).
Notation tm := (extent (side_a m)). Notation tn := (extent (side_b m)).

Lemma summed_product t z i : In z (sites m) -> i < size (of_sums m) ->
  let x := destination m (t, (z, i)) in fst x < M -> snd x < N_ ->
  summed add mul zero_ m M N_ a b splits s t z i = product add mul zero_ a b K (fst x) (snd x).
Proof.
  intros Hz Hi x Hx Hy. unfold summed. rewrite (map_ext_in _ (fun p => total (map (fun k =>
    mul (a (fst x) (fst p + k)) (b (snd x) (fst p + k))) (iota (snd p))))).
  - rewrite (total_order _ _ (Permutation_map _ P)).
    destruct (total_splits (fun k => mul (a (fst x) k) (b (snd x) k)) order 0 K S) as [E _]. rewrite E.
    unfold product. now rewrite N.sub_0_r.
  - intros p I. rewrite tile_sums_all by auto. f_equal. apply map_ext_in. intros k Hk. rewrite in_iota in Hk.
    unfold at_k, fetch.
    change (tile_m m * fst t + fst (placed m z i)) with (fst x).
    change (tile_n m * snd t + snd (placed m z i)) with (snd x).
    now apply N.ltb_lt in Hx as ->, Hy as ->, Hk as ->.
Qed.

Lemma place_below z i : In z (sites m) -> i < size (of_sums m) -> fst (placed m z i) < tm /\ snd (placed m z i) < tn.
Proof.
  destruct F as (_ & _ & _ & (Rb & _) & (Cb & _) & _ & _ & _ & (Zs & Pm & Bs) & Pl). destruct z as ((g & h) & (p & q)).
  intros Hz Hi. apply in_sites in Hz as ((Hg & Hh) & Hp & Hq). rewrite Pl by easy. cbn.
  pose proof (one_to_one_takes _ _ Bs) as (Bx & _ & _). specialize (Bx i Hi). rewrite Zs in Bx.
  split; [apply Rb|apply Cb]; try easy; [apply N.mod_lt; lia|now apply div_below].
Qed.
Lemma place_reached x y : x < tm -> y < tn -> exists z i, In z (sites m) /\ i < size (of_sums m) /\ placed m z i = (x,
  y).
Proof.
  destruct F as (_ & _ & _ & (_ & Rs & _) & (_ & Cs & _) & _ & _ & _ & (Zs & Pm & Bs) & Pl). intros Hx Hy.
  destruct (Rs x Hx) as (g & p & r & Hg & Hp & Hr & <-), (Cs y Hy) as (h & q & t & Hh & Hq & Ht & <-).
  pose proof (one_to_one_takes _ _ Bs) as (_ & Sx & _).
  destruct (Sx (r + atom_m m * t)) as (i & Hi & E); [rewrite Zs; nia|].
  exists ((g, h), (p, q)), i. split; [now apply in_sites|]. split; [easy|]. rewrite Pl by easy. cbv zeta. rewrite E.
  now rewrite digit_mod, digit_div.
Qed.
Lemma place_once z i y j : In z (sites m) -> i < size (of_sums m) -> In y (sites m) -> j < size (of_sums m) ->
  placed m z i = placed m y j -> (z, i) = (y, j).
Proof.
  destruct F as (_ & _ & _ & (_ & _ & Ri) & (_ & _ & Ci) & _ & _ & _ & (Zs & Pm & Bs) & Pl).
  destruct z as ((g & h) & (p & q)), y as ((g' & h') & (p' & q')). intros Hz Hi Hy Hj.
  apply in_sites in Hz as ((Hg & Hh) & Hp & Hq), Hy as ((Hg' & Hh') & Hp' & Hq'). rewrite !Pl by easy. cbv zeta.
  intros E.
  injection E as Er Ec. pose proof (one_to_one_takes _ _ Bs) as (Bx & _ & Jx).
  pose proof (Bx i Hi) as Bi. pose proof (Bx j Hj) as Bj. rewrite Zs in Bi, Bj.
  apply Ri in Er; try easy; try (apply N.mod_lt; lia). apply Ci in Ec; try easy; try now apply div_below.
  injection Er as -> -> Er. injection Ec as -> -> Ec. f_equal. apply Jx; try easy.
  rewrite (N.div_mod' (value_in _ i) (atom_m m)), (N.div_mod' (value_in _ j) (atom_m m)). now rewrite Er, Ec.
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
Lemma machine_computes D ws : Permutation ws (written_to_d add mul zero_ m M N_ alpha beta a b c splits s) ->
  NoDup (map fst ws) /\ forall x y, stores same_pair ws D (x, y) =
    if (x <? M) && (y <? N_) then add (mul alpha (product add mul zero_ a b K x y)) (mul beta (c x y)) else D (x, y).
Proof.
  intros Q. assert (Keys : map fst (written_to_d add mul zero_ m M N_ alpha beta a b c splits s) =
    List.filter (in_d M N_) (map (destination m) (list_prod (tiles m M N_) (sums_of_tile m)))).
  { unfold written_to_d. rewrite map_map. cbn [fst]. symmetry. apply Gemm.filter_map. }
  assert (Nd : NoDup (map fst ws)).
  { apply (Permutation_NoDup (Permutation_map fst (Permutation_sym Q))). rewrite Keys.
    apply NoDup_filter, destinations_once. }
  split; [easy|]. intros x y. pose proof same_pair_spec as Sp. destruct ((x <? M) && (y <? N_)) eqn:E.
  - apply stores_there; [easy|easy|]. apply (Permutation_in _ (Permutation_sym Q)).
    apply andb_true_iff in E as [Hx Hy]. apply N.ltb_lt in Hx, Hy.
    pose proof F as ((_ & _ & _ & _ & _ & Tm) & (_ & _ & _ & _ & _ & Tn) & _).
    destruct (place_reached (x mod tm) (y mod tn)) as (z & i & Hz & Hi & Ep); [apply N.mod_lt; lia..|].
    assert (Ed : destination m ((x / tm, y / tn), (z, i)) = (x, y)).
    { unfold destination, tile_m, tile_n. cbn [fst snd]. rewrite Ep. cbn [fst snd]. now rewrite <- !N.div_mod'. }
    unfold written_to_d. apply in_map_iff. exists ((x / tm, y / tn), (z, i)). cbv zeta. rewrite Ed. cbn [fst snd].
    split.
    + do 3 f_equal. rewrite (summed_product (x / tm, y / tn) z i Hz Hi); rewrite Ed; easy.
    + apply filter_In. split; [|unfold in_d; rewrite Ed; cbn; now apply N.ltb_lt in Hx as ->, Hy as ->].
      apply in_prod_iff. split; [|now apply sums_in]. unfold tiles. apply in_prod_iff. rewrite !in_iota.
      unfold tile_m, tile_n.
      assert (M <= tm * ceil M tm) by (rewrite N.mul_comm; apply ceil_least; lia).
      assert (N_ <= tn * ceil N_ tn) by (rewrite N.mul_comm; apply ceil_least; lia). split; apply div_below; lia.
  - apply stores_elsewhere; [easy|]. intros I. apply (Permutation_in _ (Permutation_map fst Q)) in I. rewrite Keys in I.
    apply filter_In in I as [_ I]. unfold in_d in I. cbn in I. congruence.
Qed.
End Whole.
End Proofs.
