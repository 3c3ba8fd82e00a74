(* Plans of GEMMs as spec/plans.md has them, their correctness laws as booleans that compute by ranks and strides,
  and the
   theorem: a plan that meets them multiplies. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Machine.
Local Open Scope N_scope.

Local Notation modes := (list (N * N)).

(* b is computed only where a is true. *)
Local Notation "a &&& b" := (if a then b else false) (at level 40, left associativity).
Lemma both (a b : bool) : a &&& b = true <-> a = true /\ b = true.
Proof. destruct a; intuition discriminate. Qed.

(* ---- Layouts compared as functions, without enumerating them. ---- *)

(* The largest value of a list of leaves. *)
Definition largest (l : modes) : N := fold_right N.add 0 (map (fun m => (fst m - 1) * snd m) l).
(* l after b by the digit test, where b stays inside l. *)
Definition through (l b : modes) : option modes :=
  if positive l && positive b && (largest b <? numel l) then composition_by_digits l b else None.
Definition same_function (l m : modes) : bool := positive l && positive m && same_leaves (merge l) (merge m).
Definition stretched (n : N) (l : modes) : modes := map (fun m => (fst m, n * snd m)) l.
(* l after (a, b), as a part of a's index and a part of b's. *)
Definition parts (l a b : modes) : option (modes * modes) :=
  r <- through l (a ++ b); x <- through l a; y <- through l b;
  if same_leaves r (x ++ y) then Some (x, y) else None.

(* ---- Plans ---- *)

(* How copies are written to shared memory. Threads (simt): (thread, value) to the address. Vectors (warp): of `threads`
   threads, each vectors of so many elements; an address is made of a thread's part and a step's. Boxes (TMA): copy i is
   written in order, but for the swizzle; `at` is i to its place, on one SM i itself. *)
Inductive filling := Threads (at_ : layout N) | Vectors (threads vector : N) | Boxes (w : N) (at_ : layout N).
(* Where a thread loads a register from. Parts (simt): (thread, value) to the address. Matrices: by a copy atom of
   src and dst, `width` values at once, from the index that `source` gives; Steps: as wgmma's A of tf32 along M. *)
Inductive loading := Parts (at_ : layout N) | Matrices (src dst source : layout N) (width : N) | Steps (threads values
  : N).
(* How an instruction takes an operand: by a matrix descriptor of `sms` SMs' shares, whose steps along K begin where the
   layout says, or d apart; or from registers, `held` as (thread, value) to (row, k). *)
Inductive reading :=
  | Described (w : N) (along_k : bool) (leading stride sms : N) (step : option N)
  | Held (held : layout N) (loads : loading).
(* Where an instruction's scale factors of a row come from: a lane loads the word of its row from where the layout says,
   or the words are copied to columns of tensor memory. *)
Inductive wording := Lanes (word : layout N) | Columns.
(* Scale factors, one for `per` elements of K. Byte i of a stage is that of (row, block) `packed` i; a word of each
   row is in `chunk` bytes. *)
Record factor_plan := Factors { per : N; packed : layout N; chunk : N; words : wording }.
Record operand_plan := Operand { copy : layout N; outer_swizzle : swizzle; smem : layout N; cluster : N;
  fills : filling; reads : reading; scales : option factor_plan }.
(* Threads of an atom, and of the groups along M and N; what the tilers make of M, N and K; where sum (thread, value)
   belongs, m + tile_m n; through which pieces of shared memory results go. *)
Record plan := Plan { mma : mma_atom; lanes : layout N; threads_m : layout N; threads_n : layout N;
  order_m : layout N; order_n : layout N; order_k : layout N; of_a_plan : operand_plan; of_b_plan : operand_plan;
  stored : layout N;
  stagings : list (swizzle * layout N) }.

(* ---- What the kernels make of a plan: the machine. ---- *)

Definition at_ (A : layout N) (i : N) : N := value_in (leaves A) i.
Definition home_of (o : operand_plan) (x : N) : N := swizzled (outer_swizzle o) (at_ (smem o) x).
(* An address from a thread's part and a step's (`joined_address` in the kernels): the lower bits by exclusive or. *)
Definition period (w : swizzle) : N := 2 ^ (base w + bits w + Z.to_N (Z.abs (shift w))).
Definition joined (w : swizzle) (own step : N) : N :=
  N.lxor own (step mod period w) + (step - step mod period w).
Definition written_by (o : operand_plan) (i : N) : N :=
  match fills o with
  | Threads A => at_ A i
  | Vectors T n =>
      let v := i / T in
      joined (outer_swizzle o) (home_of o (at_ (copy o) (i mod T))) (home_of o (at_ (copy o) (T * (v - v mod n))))
        + v mod n
  | Boxes w A => engine w (at_ A i)
  end.

(* The pattern of an operand: its extent in the atom, atoms of all groups, and the order of its rows. *)
Definition depth_of (p : plan) : N := size (order_k p).
Definition groups (T : layout N) : N := size T.
Definition atoms_of (order : layout N) (extent groups : N) : N := size order / (extent * groups).
Definition thread_number (p : plan) (g : N * N) (lane : N) : N :=
  at_ (lanes p) lane + (at_ (threads_m p) (fst g) + at_ (threads_n p) (snd g)).
Definition threads_of_plan (p : plan) : N := size (lanes p) * (size (threads_m p) * size (threads_n p)).
Definition loaded_from (o : operand_plan) (held : layout N) (loads : loading) (T t v : N) : N :=
  match loads with
  | Parts A => at_ A (t + T * v)
  | Matrices src dst source width =>
      let P := threads_in src in let (u, e) := origin P (values src) dst (t mod P) (v mod width) in
      joined (outer_swizzle o) (home_of o (at_ source (t - t mod P + u)))
        (home_of o (at_ source (T * (v - v mod width)))) + e
  | Steps U V =>
      home_of o (at_ held (t mod U + T * (v mod V))) + at_ (smem o) (at_ held (t - t mod U)) +
      v / V * (home_of o (at_ held (T * V)) - home_of o 0)
  end.
(* The operand of atoms of `extent` rows, taken through A; W groups along its rows, of which g is the group's place. *)
Definition address_of (p : plan) (o : operand_plan) (order A : layout N) (extent W : N) (own : N * N -> N)
    (g : N * N) (i s r k : N) : N :=
  let atom_k := steps (mma p) in
  match reads o with
  | Described w along_k leading stride sms step =>
      let begin := match step with
        | Some d => s * d
        | None => at_ (smem o) (at_ order (extent * own g)) +
            at_ (smem o) (at_ order (extent * W * i) + size order * at_ (order_k p) (atom_k * s))
        end in
      engine w (begin + value_in (described w along_k leading stride sms extent atom_k) (r + extent * k))
  | Held held loads =>
      let j := holder A (r + extent * k) in
      let L := size (lanes p) in let V := size A / L in let I := atoms_of order extent W in
      loaded_from o held loads (threads_of_plan p) (thread_number p g (j mod L)) (j / L + V * (i + I * s))
  end.
(* Scale factors of sum (thread, value) number x of a warp's tile, of its row or column: a warp begins at the row of
   its first sum, its i-th atom so many rows further; then the instruction's row, of which a lane loads the word. *)
Definition line_of (p : plan) (of_m : bool) (x : N) : N :=
  let y := at_ (stored p) x in if of_m then y mod size (order_m p) else y / size (order_m p).
Definition factors_of (a : mma_atom) (of_m : bool) : layout N :=
  match (if of_m then of_sfa a else of_sfb a) with Some A => A | None => Leaf 1 0 end.
Definition factor_address (p : plan) (q : factor_plan) (extent : N) (of_m : bool) (lane : N) (g : N * N)
    (i s r j : N) : N :=
  let first := s * (steps (mma p) / per q) in
  let V := size (of_c (mma p)) / size (lanes p) *
    (if of_m then 1 else atoms_of (order_m p) (rows (mma p)) (groups (threads_m p))) in
  chunk q * (first / 4) + (first mod 4 + j) mod 4 +
  match words q with
  | Lanes word => at_ word (line_of p of_m (thread_number p g 0) + at_ (factors_of (mma p) of_m) lane mod extent) +
      at_ word (line_of p of_m (threads_of_plan p * V * i))
  | Columns => copied_to_column r
  end.
Definition operand_side (p : plan) (o : operand_plan) (order A : layout N) (extent W : N) (own : N * N -> N) : side :=
  Side (size order) 1 (cluster o) (at_ (copy o)) (written_by o) (home_of o) (address_of p o order A extent W own).
Definition factor_side (p : plan) (order : layout N) (extent : N) (of_m : bool) (q : factor_plan) : side :=
  let sf := values (factors_of (mma p) of_m) in
  Side (size order) (per q) 1 (at_ (packed q)) (fun i => i) (holder (packed q)) (fun g i s r k =>
    factor_address p q extent of_m (lane_of_factor sf (size (lanes p)) extent r k) g i s r (k / per q)).
Definition place_of (p : plan) (z : site) (c : N) : N * N :=
  let L := size (lanes p) in let V := size (of_c (mma p)) / L in
  let I := atoms_of (order_m p) (rows (mma p)) (groups (threads_m p)) in
  let x := at_ (stored p) (thread_number p (fst z) (c mod L) + threads_of_plan p * (c / L + V * (fst (snd z)
    + I * snd (snd z)))) in
  (x mod size (order_m p), x / size (order_m p)).
Definition machine_of (p : plan) : machine :=
  let a := mma p in let gm := groups (threads_m p) in let gn := groups (threads_n p) in
  Machine (operand_side p (of_a_plan p) (order_m p) (of_a a) (rows a) gm fst)
    (operand_side p (of_b_plan p) (order_n p) (of_b a) (columns a) gn snd)
    (option_map (factor_side p (order_m p) (rows a) true) (scales (of_a_plan p)))
    (option_map (factor_side p (order_n p) (columns a) false) (scales (of_b_plan p))) (depth_of p)
    (rows a) (columns a) (steps a) (of_c a) gm gn (atoms_of (order_m p) (rows a) gm) (atoms_of (order_n p) (columns a)
      gn)
    (atoms_of (order_k p) (steps a) 1)
    (fun g i r => at_ (order_m p) (r + rows a * (g + gm * i))) (fun g i r => at_ (order_n p) (r + columns a * (g
      + gn * i)))
    (fun s k => at_ (order_k p) (k + steps a * s)) (place_of p).

(* ---- The laws: booleans of a plan. ---- *)

Definition takes_all_once (A : layout N) (n : N) : bool := shaped A && compactb A && (size A =? n) && (0 <? n).
Definition valid_swizzle (w : swizzle) : bool := (Z.of_N (bits w) <=? Z.abs (shift w))%Z.
Definition engine_swizzle (w : N) (v : swizzle) : bool :=
  (w <=? 7) && (bits v =? 3) && (base v =? 7 - w) && (shift v =? 3)%Z.

Definition plan_copy_covers (o : operand_plan) (n : N) : bool := takes_all_once (copy o) n.
(* Blocks of a cluster share whole parts. *)
Definition plan_shares_whole (o : operand_plan) (n : N) : bool := (n mod cluster o =? 0) && (0 <? cluster o).
Definition plan_keeps_apart (o : operand_plan) (n : N) : bool :=
  takes_none_twice (smem o) && (size (smem o) =? n) && valid_swizzle (outer_swizzle o).

(* An address is joined of each thread's part and each step's. *)
Definition steps_join (w : swizzle) (own steps : list N) : bool :=
  forallb (fun s => let t := swizzled w s in
    forallb (fun x => joined w (swizzled w x) t =? swizzled w (x + s)) own) steps.
Definition multiples (n : N) (l : list N) : bool := forallb (fun x => x mod n =? 0) l.
(* Runs of n elements from multiples of n on stay runs behind the swizzle. *)
Definition keeps_runs (w : swizzle) (n : N) : bool := (0 <? n) && (2 ^ base w mod n =? 0).
Definition plan_arrives (o : operand_plan) (n : N) : bool :=
  match fills o with
  | Threads A => (bits (outer_swizzle o) =? 0) &&&
      match through (leaves (smem o)) (leaves (copy o)) with Some r => same_function r (leaves A) | None => false end
  | Vectors T v =>
      let w := outer_swizzle o in
      match copy o with
      | Node [C; Node (V :: Q)] =>
          match parts (leaves (smem o)) (leaves C) (leaves (Node (V :: Q))) with
          | Some (x, y) =>
              let own := map (value_in x) (iota T) in let far := map (fun l => value_in y (v * l)) (iota (size (Node
                Q))) in
              (size C =? T) &&& (0 <? T) &&& (size V =? v) &&& keeps_runs w v &&& multiples v own &&& multiples v far
                &&&
              steps_join w own far &&&
              forallb (fun l => forallb (fun e => value_in y (e + v * l) =? value_in y (v * l) + e) (iota v))
                (iota (size (Node Q)))
          | None => false
          end
      | _ => false
      end
  | Boxes w A => engine_swizzle w (outer_swizzle o) &&&
      match through (leaves (smem o)) (leaves (copy o)) with Some r => same_function r (leaves A) | None => false end
  end.

(* The rows and the depth of a tile in the order of the atoms, index x + size M y. *)
Definition grid (M K : layout N) : modes := leaves M ++ stretched (size M) (leaves K).
Definition whole_order (order : layout N) (extent groups : N) : bool :=
  takes_all_once order (extent * (groups * atoms_of order extent groups)) && (0 <? extent) && (0 <? groups).
(* Of an operand (row, k) and site, in the order (r, k), group, atom along rows, atom along K. *)
Definition plan_finds (p : plan) (o : operand_plan) (order A : layout N) (extent W : N) (of_m : bool) : bool :=
  let atom_k := steps (mma p) in let R := size order in let I := atoms_of order extent W in
  let S := atoms_of (order_k p) atom_k 1 in let T := threads_of_plan p in
  match reads o with
  | Described w along_k leading stride sms step =>
      engine_swizzle w (outer_swizzle o) &&&
      match parts (grid order (order_k p)) [(extent, 1); (atom_k, R)] [(W, extent); (I, extent * W);
        (S, atom_k * R)] with
      | Some (a, b) =>
          match parts (leaves (smem o)) a b with
          | Some (x, y) =>
              same_function x (described w along_k leading stride sms extent atom_k) &&&
              forallb (fun g => forallb (fun i => forallb (fun s =>
                match step with
                | Some d => s * d
                | None => at_ (smem o) (at_ order (extent * g)) +
                    at_ (smem o) (at_ order (extent * W * i) + R * at_ (order_k p) (atom_k * s))
                end =? value_in y (g + W * (i + I * s))) (iota S)) (iota I)) (iota W)
          | None => false
          end
      | None => false
      end
  | Held held loads =>
      let L := size (lanes p) in let V := size A / L in let n := V * (I * S) in
      covered (extent * atom_k) A &&& (size A =? L * V) &&&
      match held with
      | Node [U; H] =>
          (size U =? T) &&& (size H =? n) &&&
          match through [(extent, 1); (atom_k, R)] (leaves A) with
          | Some a =>
              match through (grid order (order_k p)) (a ++ (if of_m then [(W, extent); (size (threads_n p), 0)]
                  else [(size (threads_m p), 0); (W, extent)]) ++ [(I, extent * W); (S, atom_k * R)]),
                through (leaves held) (leaves (lanes p) ++ [(V, T)] ++ leaves (threads_m p) ++ leaves (threads_n p) ++
                  [(I * S, T * V)]) with
              | Some x, Some y => same_function x y
              | _, _ => false
              end
          | None => false
          end &&&
          match loads with
          | Parts B => (bits (outer_swizzle o) =? 0) &&&
              match through (leaves (smem o)) (leaves held) with Some r => same_function r (leaves B) | None => false
                end
          | Matrices src dst source width =>
              let w := outer_swizzle o in let P := threads_in src in let m := size src / P in let table := values src in
              match source with
              | Node [X; Y] =>
                  match parts (leaves (smem o)) (leaves X) (leaves Y),
                    parts (leaves (smem o)) (leaves U) (leaves H) with
                  | Some (x, y), Some (a, b) =>
                      let own := map (value_in x) (iota T) in let far := map (fun l => value_in y (width * l)) (iota
                        (n / width)) in
                      (size X =? T) &&& (0 <? width) &&& (n =? width * (n / width)) &&& (0 <? P) &&& (T mod P =? 0) &&&
                      keeps_runs w m &&& multiples m own &&& multiples m far &&& steps_join w own far &&&
                      forallb (fun t => (value_in x t =? value_in x (t mod P) + value_in x (t - t mod P)) &&
                        (value_in a t =? value_in a (t mod P) + value_in x (t - t mod P))) (iota T) &&&
                      forallb (fun v => forallb (fun t => let (u, e) := origin P table dst t v in
                        (u <? P) && (e <? m) && (value_in x u + e =? value_in a t
                          + value_in b v)) (iota P)) (iota width) &&&
                      forallb (fun l => forallb (fun v => value_in b (v + width * l) =? value_in b v
                        + value_in y (width * l))
                        (iota width)) (iota (n / width))
                  | _, _ => false
                  end
              | _ => false
              end
          | Steps _ _ => forallb (fun v => forallb (fun t =>
              loaded_from o held loads T t v =? home_of o (at_ held (t + T * v))) (iota T)) (iota n)
          end
      | _ => false
      end
  end.

(* The byte that an instruction takes as the factor of a row and a block of K was packed from these. *)
Definition plan_factors_flow (p : plan) (q : factor_plan) (order : layout N) (extent W : N) (of_m : bool) : bool :=
  let atom_k := steps (mma p) in let F := atom_k / per q in let n := size order * (depth_of p / per q) in
  let sf := values (factors_of (mma p) of_m) in let lane := lane_of_factor sf (size (lanes p)) extent in
  let I := atoms_of order extent W in let S := atoms_of (order_k p) atom_k 1 in
  (0 <? per q) &&& (atom_k =? per q * F) &&& (depth_of p mod per q =? 0) &&& takes_all_once (packed q) n &&&
  match words q with Lanes _ => true | Columns => extent <=? 128 end &&&
  forallb (fun s => forallb (fun k => at_ (order_k p) (k + atom_k * s) / per q =? k / per q + F * s) (iota atom_k))
    (iota
    S) &&&
  forallb (fun r => let l := lane r 0 in
    forallb (fun k => lane r k =? l) (iota atom_k) &&&
    forallb (fun g => forallb (fun h => forallb (fun i => forallb (fun s => forallb (fun j =>
      let x := factor_address p q extent of_m l (g, h) i s r j in
      (x <? n) &&& (at_ (packed q) x =? at_ order (r + extent * ((if of_m then g else h) + W * i))
        + size order * (j + F * s)))
    (iota F)) (iota S)) (iota I)) (iota (groups (threads_n p)))) (iota (groups (threads_m p)))) (iota extent).

Definition atom_multiplies (a : mma_atom) : bool :=
  takes_all_once (of_c a) (rows a * columns a) && (0 <? rows a) && (0 <? columns a) && (0 <? steps a).
Definition plan_threads_apart (p : plan) : bool := takes_all_once (Node [lanes p; threads_m p;
  threads_n p]) (threads_of_plan p).
Definition plan_epilogue_covers (p : plan) : bool :=
  let a := mma p in let L := size (lanes p) in let V := size (of_c a) / L in let T := threads_of_plan p in
  let R := size (order_m p) in let gm := groups (threads_m p) in let gn := groups (threads_n p) in
  let I := atoms_of (order_m p) (rows a) gm in let J := atoms_of (order_n p) (columns a) gn in
  (size (of_c a) =? L * V) &&&
  match through [(rows a, 1); (columns a, R)] (leaves (of_c a)) with
  | Some c =>
      match through (grid (order_m p) (order_n p)) (c ++ [(gm, rows a); (gn, columns a * R); (I, rows a * gm);
          (J, columns a * gn * R)]),
        through (leaves (stored p)) (leaves (lanes p) ++ [(V, T)] ++ leaves (threads_m p) ++ leaves (threads_n p) ++
          [(I * J, T * V)]) with
      | Some x, Some y => same_function x y
      | _, _ => false
      end
  | None => false
  end.

Definition stages_apart (q : swizzle * layout N) : bool := takes_none_twice (snd q) && valid_swizzle (fst q).

Definition operand_lawful (p : plan) (o : operand_plan) (order A : layout N) (extent W : N) (of_m : bool) : bool :=
  let n := size order * depth_of p in
  plan_copy_covers o n &&& plan_shares_whole o n &&& plan_keeps_apart o n &&& whole_order order extent W &&&
  match scales o with Some q => plan_factors_flow p q order extent W of_m | None => true end &&&
  plan_arrives o n &&& plan_finds p o order A extent W of_m.
Definition plan_lawful (p : plan) : bool :=
  atom_multiplies (mma p) &&& whole_order (order_k p) (steps (mma p)) 1 &&& plan_threads_apart p &&&
  operand_lawful p (of_a_plan p) (order_m p) (of_a (mma p)) (rows (mma p)) (groups (threads_m p)) true &&&
  operand_lawful p (of_b_plan p) (order_n p) (of_b (mma p)) (columns (mma p)) (groups (threads_n p)) false &&&
  plan_epilogue_covers p &&& forallb stages_apart (stagings p).

(* ---- What a term says of its plan: the program that writes it computes these numbers of the plan itself. ---- *)

Definition sampled (f : N -> N) (n : N) : N := fold_left (fun r j => r + (j + 1) * f (7919 * j mod n)) (iota 64) 0.
Definition operand_digest (o : operand_plan) : list N :=
  [size (copy o); sampled (at_ (copy o)) (size (copy o)); sampled (home_of o) (size (smem o)); cluster o] ++
  match scales o with Some q => [per q; size (packed q); sampled (at_ (packed q)) (size (packed q))] | None => [] end.
(* Tile and atom; threads, as the plan counts them and as its MMA does; the operands; the pieces of the epilogue. *)
Definition digest (p : plan) : list N :=
  [size (order_m p); size (order_n p); size (order_k p); rows (mma p); columns (mma p); steps (mma p);
   threads_of_plan p; threads_of_plan p] ++ operand_digest (of_a_plan p) ++ operand_digest (of_b_plan p) ++
  map (fun q => sampled (fun i => swizzled (fst q) (at_ (snd q) i)) (size (snd q))) (stagings p).

(* ---- What the booleans say. ---- *)

Lemma value_at_most l i : positive l = true -> value_in l i <= largest l.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i P; [cbn; lia|]. apply positive_cons in P as [Hs P].
  change ((i mod s) * d + value_in l (i / s) <= (s - 1) * d + largest l). specialize (IH (i / s) P).
  assert (i mod s < s) by (apply N.mod_lt; lia). nia.
Qed.
Lemma digits_positive (l b r : modes) : positive b = true -> composition_by_digits l b = Some r -> positive r = true.
Proof.
  unfold composition_by_digits. intros P. destruct (split_leaves (cuts l) b) as [runs|] eqn:E; [|discriminate].
  cbn [bind].
  destruct (carries _ _); [discriminate|]. intros K. injection K as <-.
  destruct (split_leaves_spec _ b runs P E) as (_ & Q & _). revert Q. clear.
  induction runs as [|[s d] runs IH]; [easy|].
  cbn [map fst snd]. rewrite !positive_cons. tauto.
Qed.
Lemma through_spec l b r : through l b = Some r ->
  numel r = numel b /\ positive r = true /\ positive b = true /\ positive l = true /\
  forall i, value_in r i = value_in l (value_in b i).
Proof.
  unfold through. destruct (_ && _) eqn:C; [|discriminate]. rewrite !andb_true_iff, N.ltb_lt in C.
  destruct C as [[P Q] B].
  intros E. split; [now apply (composition_by_digits_sound l b r 0 P Q E)|].
  split; [now apply (digits_positive l b)|]. repeat split; try easy. intros i.
  rewrite (proj2 (composition_by_digits_sound l b r i P Q E)). apply value_at_inside; [easy|].
  pose proof (value_at_most b i Q). lia.
Qed.
Lemma same_function_spec l m : same_function l m = true -> numel l = numel m /\ forall i, value_in l i = value_in m i.
Proof.
  unfold same_function. rewrite !andb_true_iff. intros [[P Q] E]. apply same_leaves_spec in E.
  destruct (merge_spec l P) as (Z & _ & V), (merge_spec m Q) as (Z' & _ & V'). split; [congruence|]. intros i.
  now rewrite <- V, <- V', E.
Qed.
Lemma value_apart (l m : modes) i j : positive l = true -> i < numel l ->
  value_in (l ++ m) (i + numel l * j) = value_in l i + value_in m j.
Proof.
  intros P H. rewrite value_in_app, digit_div by easy. f_equal. rewrite <- value_in_periodic, digit_mod by easy.
  reflexivity.
Qed.
Lemma value_digit s d l i j : i < s -> value_in ((s, d) :: l) (i + s * j) = i * d + value_in l j.
Proof. intros H. change ((i + s * j) mod s * d + value_in l ((i + s * j) / s) = i * d + value_in l j).
now rewrite digit_mod, digit_div. Qed.
Lemma value_last s d i : i < s -> value_in [(s, d)] i = i * d.
Proof. intros H. change (i mod s * d + 0 = i * d). rewrite N.mod_small by easy. lia. Qed.
Lemma value_scaled n l i : value_in (stretched n l) i = n * value_in l i.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i; [cbn; lia|].
  change ((i mod s) * (n * d) + value_in (stretched n l) (i / s) = n * ((i mod s) * d + value_in l (i / s))).
  rewrite IH.
  lia.
Qed.
Lemma parts_spec l a b x y : parts l a b = Some (x, y) ->
  numel x = numel a /\ numel y = numel b /\ positive x = true /\ positive y = true /\ positive a = true /\
    positive b = true /\
  forall i j, i < numel a -> value_in l (value_in a i + value_in b j) = value_in x i + value_in y j.
Proof.
  unfold parts. destruct (through l (a ++ b)) as [r|] eqn:E; [|discriminate].
  destruct (through l a) as [x'|] eqn:Ea; [|discriminate].
  destruct (through l b) as [y'|] eqn:Eb; [|discriminate]. cbn [bind].
  destruct (same_leaves _ _) eqn:C; [|discriminate].
  intros K. injection K as -> ->. apply same_leaves_spec in C as ->.
  apply through_spec in E as (_ & _ & _ & _ & V), Ea as (Za & Pa & Qa & _ & _), Eb as (Zb & Pb & Qb & _ & _).
  repeat split; try easy. intros i j H. rewrite <- value_apart, <- V, <- Za by easy.
  apply value_apart; [easy|now rewrite Za].
Qed.
Lemma at_cons A ms i j : shaped A = true -> i < size A ->
  at_ (Node (A :: ms)) (i + size A * j) = at_ A i + at_ (Node ms) j.
Proof. intros S H. unfold at_. cbn [leaves flat_map]. rewrite (size_product A) in *. now apply value_apart. Qed.
Lemma at_node A B i j : shaped A = true -> i < size A -> at_ (Node [A; B]) (i + size A * j) = at_ A i + at_ B j.
Proof. intros S H. rewrite at_cons by easy. unfold at_. cbn [leaves flat_map]. now rewrite app_nil_r. Qed.

Lemma permutes_spec A n : takes_all_once A n = true -> size A = n /\ shaped A = true /\ 0 < n /\ one_to_one (at_ A) n.
Proof.
  unfold takes_all_once. rewrite !andb_true_iff, N.eqb_eq, N.ltb_lt. intros [[[S C] Z] P]. repeat split; try easy.
  apply compactb_spec in C; [|easy]. unfold compact_layout, image in C. rewrite <- size_product, Z in C. exact C.
Qed.
Lemma grid_at M K x y : shaped M = true -> x < size M ->
  value_in (grid M K) (x + size M * y) = at_ M x + size M * at_ K y.
Proof.
  intros S H. unfold grid. rewrite (size_product M) in *. rewrite value_apart by easy. now rewrite value_scaled.
Qed.

(* ---- Orders ---- *)

Lemma whole_order_spec order extent groups : whole_order order extent groups = true ->
  let I := atoms_of order extent groups in
  shaped order = true /\ 0 < extent /\ 0 < groups /\ 0 < size order /\ size order = extent * (groups * I) /\
  one_to_one (at_ order) (size order) /\
  splits_into (fun g i x => at_ order (x + extent * (g + groups * i))) groups I extent (size order).
Proof.
  intros W I. revert W. unfold whole_order. fold I. rewrite !andb_true_iff, !N.ltb_lt. intros [[P E] G].
  apply permutes_spec in P as (Z & S & P & O).
  rewrite Z. repeat (split; [easy|]). pose proof (one_to_one_takes _ _ O) as (B & J & U). repeat split.
  - intros g i x Hg Hi Hx. apply B. now repeat apply digits_below.
  - intros y Hy. destruct (J y Hy) as (j & Hj & <-).
    exists (j / extent mod groups), (j / extent / groups), (j mod extent).
    assert (j / extent < groups * I) by now apply div_below.
    repeat split; try (apply N.mod_lt; lia); [now apply div_below|].
    f_equal. rewrite (N.add_comm (_ mod groups)), <- N.div_mod'. rewrite N.add_comm. now rewrite <- N.div_mod'.
  - intros g i x g' i' x' Hg Hi Hx Hg' Hi' Hx' K. apply U in K; [|now repeat apply digits_below..].
    pose proof (f_equal (fun z => z mod extent) K) as Kx. pose proof (f_equal (fun z => z / extent) K) as Kg.
    cbv beta in *.
    rewrite !digit_mod in Kx by easy. rewrite !digit_div in Kg by easy.
    pose proof (f_equal (fun z => z mod groups) Kg) as Kh. pose proof (f_equal (fun z => z / groups) Kg) as Ki.
    cbv beta in *.
    rewrite !digit_mod in Kh by easy. rewrite !digit_div in Ki by easy. congruence.
Qed.

(* ---- Swizzles ---- *)

Lemma swizzled_by_nothing w x : bits w = 0 -> swizzled w x = x.
Proof. destruct w as [b m s]. cbn. intros ->. apply swizzled_nothing. Qed.
Lemma swizzled_run w n x e : keeps_runs w n = true -> x mod n = 0 -> e < n -> swizzled w (x + e) = swizzled w x + e.
Proof.
  unfold keeps_runs. rewrite andb_true_iff, N.ltb_lt, N.eqb_eq. intros [P D] M H. set (u := 2 ^ base w) in *.
  assert (0 < u) as Pu by (apply N.neq_0_lt_0, N.pow_nonzero; lia).
  apply mod_0_divides in D, M; [|easy..]. destruct D as [q D], M as [y ->].
  assert (Hq : 0 < q) by nia. assert (y mod q < q) as L by (apply N.mod_lt; lia).
  assert (E : y * n = u * (y / q) + y mod q * n).
  { rewrite D. rewrite (N.div_mod' y q) at 1. nia. }
  assert (R : y mod q * n + e < u) by (rewrite D; nia).
  rewrite E, <- N.add_assoc. unfold u in *. rewrite !apply_swizzle_vector by lia. lia.
Qed.
Lemma engine_spec w v x : engine_swizzle w v = true -> engine w x = swizzled v x.
Proof.
  unfold engine_swizzle. rewrite !andb_true_iff, N.leb_le, !N.eqb_eq, Z.eqb_eq. intros [[[L B] M] S]. unfold engine.
  assert (Sw 3 7 3 = downcast_swizzle_by v w) as -> by (unfold downcast_swizzle_by; rewrite B, M, S; f_equal; lia).
  rewrite <- (N.add_0_r (2 ^ w * x)). assert (2 ^ w <> 0) by (apply N.pow_nonzero; lia).
  rewrite downcast_swizzle, N.add_0_r by lia. rewrite N.mul_comm. now apply N.div_mul.
Qed.
Lemma steps_join_spec w own far x s : steps_join w own far = true -> In x own -> In s far ->
  joined w (swizzled w x) (swizzled w s) = swizzled w (x + s).
Proof.
  unfold steps_join. rewrite forallb_forall. intros H I J. specialize (H s J). cbv zeta in H.
  rewrite forallb_forall in H.
  now apply N.eqb_eq, H.
Qed.
Lemma multiples_spec n l x : multiples n l = true -> In x l -> x mod n = 0.
Proof. unfold multiples. rewrite forallb_forall. intros H I. now apply N.eqb_eq, H. Qed.
Lemma multiple_plus n x y : n <> 0 -> x mod n = 0 -> y mod n = 0 -> (x + y) mod n = 0.
Proof. intros Z X Y. rewrite N.add_mod, X, Y by easy. now apply N.mod_0_l. Qed.

(* ---- Copies ---- *)

Lemma arrives_spec o n i : plan_copy_covers o n = true -> plan_arrives o n = true -> i < n ->
  written_by o i = home_of o (at_ (copy o) i).
Proof.
  intros C A Hi. apply permutes_spec in C as (Z & Sh & _). unfold plan_arrives, written_by, home_of in *.
  destruct (fills o) as [B|T v|w B].
  - apply both in A as [B0 A]. apply N.eqb_eq in B0. rewrite swizzled_by_nothing by easy.
    destruct (through _ _) as [r|] eqn:E; [|discriminate]. apply through_spec in E as (_ & _ & _ & _ & V).
    apply same_function_spec in A as [_ A]. unfold at_. now rewrite <- A, V.
  - set (w := outer_swizzle o) in *. destruct (copy o) as [|[|X [|[|[|V Q]] [|]]]]; try discriminate.
    destruct (parts _ _ _) as [[x y]|] eqn:E; [|discriminate]. rewrite !both, !N.eqb_eq in A.
    destruct A as [[[[[[[ZX PT] ZV] KR] MO] MF] J] VE]. apply N.ltb_lt in PT. assert (PV : 0 < v).
    { unfold keeps_runs in KR. now apply andb_true_iff in KR as [KR _]; apply N.ltb_lt in KR. }
    apply parts_spec in E as (Zx & Zy & Px & Py & Pa & Pb & E). rewrite <- size_product in Zx. rewrite ZX in Zx.
    set (q := i / T). set (l := q / v). set (e := q mod v).
    assert (Hq : q < size V * size (Node Q)).
    { unfold q. apply div_below; [easy|]. rewrite <- Z in Hi. rewrite <- ZX.
      replace (size X * (size V * size (Node Q))) with
        (size (Node [X; Node (V :: Q)])) by (cbn; lia). easy. }
    rewrite ZV in Hq. assert (Hl : l < size (Node Q)) by now apply div_below.
    assert (He : e < v) by (apply N.mod_lt; lia).
    assert (Ht : i mod T < T) by (apply N.mod_lt; lia).
    assert (At : forall t j, t < T -> at_ (smem o) (at_ (Node [X;
      Node (V :: Q)]) (t + T * j)) = value_in x t + value_in y j).
    { intros t j H. rewrite <- ZX at 1. rewrite at_node by (rewrite ?ZX; easy). apply E. rewrite <- size_product.
      now rewrite ZX. }
    assert (Y0 : value_in y 0 = 0) by exact (value_in_0 y Py).
    assert (X0 : value_in x 0 = 0) by exact (value_in_0 x Px).
    assert (Ei : i = i mod T + T * q) by (unfold q; rewrite N.add_comm; apply N.div_mod').
    assert (Eq : q = e + v * l) by (unfold e, l; rewrite N.add_comm; apply N.div_mod').
    assert (El : q - e = v * l) by lia.
    rewrite forallb_iota in VE. specialize (VE l Hl). rewrite forallb_iota in VE. specialize (VE e He).
    apply N.eqb_eq in VE.
    assert (In (value_in x (i mod T)) (map (value_in x) (iota T))) as Io by now apply in_map, in_iota.
    assert (In (value_in y (v * l)) (map (fun l => value_in y (v * l)) (iota (size (Node Q))))) as If.
    { apply in_map_iff. exists l. split; [easy|]. now apply in_iota. }
    cbv zeta. fold q. fold e. rewrite El.
    pose proof (At (i mod T) 0 Ht) as A1. rewrite N.mul_0_r, Y0, !N.add_0_r in A1.
    pose proof (At 0 (v * l) PT) as A2. rewrite X0, !N.add_0_l in A2. rewrite A1, A2.
    rewrite (steps_join_spec _ _ _ _ _ J Io If). pose proof (At (i mod T) q Ht) as A3. rewrite <- Ei in A3.
    assert (value_in y q = value_in y (v * l) + e) as Yq by (rewrite <- VE; f_equal; exact Eq).
    rewrite A3, Yq, N.add_assoc. symmetry. apply (swizzled_run _ v); [easy| |easy]. apply multiple_plus; [lia| |].
    + now apply (multiples_spec _ _ _ MO).
    + now apply (multiples_spec _ _ _ MF).
  - apply both in A as [B0 A]. rewrite (engine_spec _ _ _ B0).
    destruct (through _ _) as [r|] eqn:E; [|discriminate]. apply through_spec in E as (_ & _ & _ & _ & V).
    apply same_function_spec in A as [_ A]. unfold at_. now rewrite <- A, V.
Qed.

(* ---- Fragments ---- *)

Lemma position_spec x l : In x l -> (N.to_nat (position x l) < length l)%nat /\ nth (N.to_nat (position x l)) l 0 = x.
Proof.
  induction l as [|y l IH]; [easy|]. intros I. cbn [position].
  destruct (N.eqb_spec y x) as [->|Ne]; [cbn; split; [lia|easy]|].
  destruct I as [->|I]; [easy|]. destruct (IH I). rewrite N2Nat.inj_add. cbn. split; [lia|easy].
Qed.
Lemma holder_in A x : In x (values A) -> holder A x < size A /\ at_ A (holder A x) = x.
Proof.
  intros H. destruct (position_spec x (values A) H) as [L E]. unfold holder.
  set (j := position x (values A)) in *. clearbody j.
  unfold values in L, E. rewrite map_length, length_iota in L. split; [lia|].
  rewrite (nth_indep _ _ (at_ A 0)) in E by (rewrite map_length, length_iota; easy).
  unfold at_ in E. rewrite map_nth in E. unfold iota in E.
  rewrite (nth_indep _ _ (N.of_nat 0)) in E by (rewrite map_length, seq_length; easy).
  rewrite map_nth, seq_nth, Nat.add_0_l, N2Nat.id in E by easy. exact E.
Qed.
Lemma holder_spec A n x : covered n A = true -> x < n -> let j := holder A x in j < size A /\ at_ A j = x.
Proof.
  intros C H. apply (covered_values n A x C) in H. unfold image in H. rewrite <- size_product in H. now apply holder_in.
Qed.
Lemma holder_inverts A n : takes_all_once A n = true ->
  (forall x, x < n -> at_ A (holder A x) = x) /\ forall i, i < n -> holder A (at_ A i) = i.
Proof.
  intros C. pose proof (permutes_spec _ _ C) as (Z & _ & _ & O). pose proof (one_to_one_takes _ _ O) as (B & J & U).
  assert (H : forall x, x < n -> holder A x < n /\ at_ A (holder A x) = x).
  { intros x Hx. rewrite <- Z at 1. apply holder_in. destruct (J x Hx) as (i & Hi & <-). unfold values. rewrite Z.
    apply (in_map (at_ A)), in_iota, Hi. }
  split; [intros x Hx; now apply H|]. intros i Hi. specialize (B i Hi). destruct (H _ B) as [L E]. now apply U.
Qed.

Lemma matrices_spec o T n U H src dst X Y width t v : 0 < T -> size U = T -> size H = n ->
  forall (loads := Matrices src dst (Node [X; Y]) width) (w := outer_swizzle o)
    (P := threads_in src) m x y a b,
  parts (leaves (smem o)) (leaves X) (leaves Y) = Some (x,
    y) -> parts (leaves (smem o)) (leaves U) (leaves H) = Some (a, b) ->
  size X = T -> 0 < width -> n = width * (n / width) -> 0 < P -> T mod P = 0 ->
  keeps_runs w m = true -> multiples m (map (value_in x) (iota T)) = true ->
  multiples m (map (fun l => value_in y (width * l)) (iota (n / width))) = true ->
  steps_join w (map (value_in x) (iota T)) (map (fun l => value_in y (width * l)) (iota (n / width))) = true ->
  (forall t, t < T -> value_in x t = value_in x (t mod P) + value_in x (t - t mod P) /\
    value_in a t = value_in a (t mod P) + value_in x (t - t mod P)) ->
  (forall v, v < width -> forall t, t < P -> let (u, e) := origin P (values src) dst t v in
    u < P /\ e < m /\ value_in x u + e = value_in a t + value_in b v) ->
  (forall l, l < n / width -> forall v, v < width ->
    value_in b (v + width * l) = value_in b v + value_in y (width * l)) ->
  t < T -> v < n -> loaded_from o (Node [U; H]) loads T t v = home_of o (at_ (Node [U; H]) (t + T * v)).
Proof.
  intros PT ZU ZH loads w P m x y a b Exy Eab ZX Pw Zn PP TP Kr Mo Mf J Wp Ar Br Ht Hv.
  apply parts_spec in Exy as (Zx & Zy & Px & Py & Qx & Qy & Exy), Eab as (Za & Zb & Pa & Pb & Qa & Qb & Eab).
  rewrite <- size_product in Zx, Za. rewrite ZX in Zx. rewrite ZU in Za.
  assert (AtS : forall t j, t < T -> at_ (smem o) (at_ (Node [X; Y]) (t + T * j)) = value_in x t + value_in y j).
  { intros s j Hs. rewrite <- ZX at 1. rewrite at_node by (rewrite ?ZX; easy). apply Exy.
    now rewrite <- size_product, ZX. }
  assert (AtH : forall t j, t < T -> at_ (smem o) (at_ (Node [U; H]) (t + T * j)) = value_in a t + value_in b j).
  { intros s j Hs. rewrite <- ZU at 1. rewrite at_node by (rewrite ?ZU; easy). apply Eab.
    now rewrite <- size_product, ZU. }
  assert (Y0 : value_in y 0 = 0) by exact (value_in_0 y Py). assert (X0 : value_in x 0 = 0) by exact (value_in_0 x Px).
  set (l := v / width). set (e' := v mod width). assert (He : e' < width) by (apply N.mod_lt; lia).
  assert (Hl : l < n / width) by (apply div_below; [easy|now rewrite <- Zn]).
  assert (Ev : v = e' + width * l) by (unfold e', l; rewrite N.add_comm; apply N.div_mod').
  unfold loaded_from, loads. fold P. fold e'. assert (Htp : t mod P < P) by (apply N.mod_lt; lia).
  specialize (Ar e' He _ Htp). destruct (origin P (values src) dst (t mod P) e') as [u e].
  clearbody P. destruct Ar as (Hu & Hue & Ar). fold w. unfold home_of. fold w.
  assert (Et : t - t mod P = P * (t / P)).
  { pose proof (N.div_mod' t P) as Dt. clear - Dt. revert Dt. generalize (t / P) (t mod P). intros d r.
    generalize (P * d).
    intros. lia. }
  assert (Hs : t - t mod P + u < T).
  { apply mod_0_divides in TP; [|easy]. destruct TP as [q TP].
    assert (t / P < q) by (apply div_below; [easy|]; rewrite N.mul_comm; lia).
    rewrite Et, N.add_comm, TP, (N.mul_comm q). now apply digits_below. }
  assert (Xu : value_in x (t - t mod P + u) + e = value_in a t + value_in b e').
  { rewrite (proj1 (Wp _ Hs)). assert ((t - t mod P + u) mod P = u) as -> by (rewrite Et, N.add_comm;
      now apply digit_mod).
    replace (t - t mod P + u - u) with (t - t mod P) by lia. rewrite (proj2 (Wp _ Ht)). clear - Ar. lia. }
  pose proof (AtS _ 0 Hs) as A1. rewrite N.mul_0_r, Y0, !N.add_0_r in A1.
  pose proof (AtS 0 (width * l) PT) as A2. rewrite X0, !N.add_0_l in A2.
  replace (v - e') with (width * l) by lia. rewrite A1, A2.
  assert (In (value_in x (t - t mod P + u)) (map (value_in x) (iota T))) as Io by now apply in_map, in_iota.
  assert (In (value_in y (width * l)) (map (fun l => value_in y (width * l)) (iota (n / width)))) as If.
  { apply in_map_iff. exists l. split; [easy|]. now apply in_iota. }
  rewrite (steps_join_spec _ _ _ _ _ J Io If), AtH by easy.
  assert (Bv : value_in b v = value_in b e' + value_in y (width * l)) by (rewrite <- Br by easy; f_equal; exact Ev).
  rewrite Bv, N.add_assoc, <- Xu. rewrite <- !N.add_assoc, (N.add_comm e), !N.add_assoc. symmetry.
  apply (swizzled_run _ m); [easy| |easy].
  apply multiple_plus; [lia|now apply (multiples_spec _ _ _ Mo)|now apply (multiples_spec _ _ _ Mf)].
Qed.

Section Finds.
Context (p : plan) (o : operand_plan) (order A : layout N) (extent W : N) (of_m : bool).
Notation atom_k := (steps (mma p)). Notation T := (threads_of_plan p). Notation Rw := (size order).
Notation I_ := (atoms_of order extent W). Notation S_ := (atoms_of (order_k p) (steps (mma p)) 1).
Notation gm := (size (threads_m p)). Notation gn := (size (threads_n p)).
Definition place_in (g : N * N) : N := if of_m then fst g else snd g.
Context (ZW : W = if of_m then gm else gn).
Context (Wo : whole_order order extent W = true) (Wk : whole_order (order_k p) atom_k 1 = true).
Context (Th : plan_threads_apart p = true) (F : plan_finds p o order A extent W of_m = true).

Lemma number_below g h lane : g < gm -> h < gn -> lane < size (lanes p) -> thread_number p (g, h) lane < T.
Proof.
  intros Hg Hh Hl. pose proof (permutes_spec _ _ Th) as (Z & S & _ & O). apply one_to_one_takes in O as (B & _ & _).
  rewrite !shaped_node in S. inversion S as [|? ? S1 S2]; subst. inversion S2 as [|? ? S3 S4]; subst.
  inversion S4 as [|? ? S5 _]; subst.
  specialize (B (lane + size (lanes p) * (g + gm * h))). rewrite at_cons, at_node in B by easy. apply B.
  unfold threads_of_plan. now repeat apply digits_below.
Qed.

Lemma finds_spec g h i s r k : g < gm -> h < gn -> i < I_ -> s < S_ -> r < extent -> k < atom_k ->
  address_of p o order A extent W place_in (g, h) i s r k =
  home_of o (at_ order (r + extent * (place_in (g, h) + W * i)) + Rw * at_ (order_k p) (k + atom_k * s)).
Proof.
  intros Hg Hh Hi Hs Hr Hk. pose proof (whole_order_spec _ _ _ Wo) as (So & Pe & PW & PR & ZR & _ & _).
  pose proof (whole_order_spec _ _ _ Wk) as (Sk & Pk & _ & _ & ZK & _ & _). pose proof F as F'.
  assert (Hw : place_in (g, h) < W) by (unfold place_in; rewrite ZW; now destruct of_m).
  assert (Hu : r + extent * (place_in (g, h) + W * i) < Rw) by (rewrite ZR; now repeat apply digits_below).
  assert (Grid : value_in (grid order (order_k p)) (r + k * Rw + (place_in (g,
    h) * extent + (i * (extent * W) + s * (atom_k * Rw)))) =
    at_ order (r + extent * (place_in (g, h) + W * i)) + Rw * at_ (order_k p) (k + atom_k * s)).
  { rewrite <- (grid_at order) by easy. f_equal. nia. }
  unfold plan_finds in F'. unfold address_of. destruct (reads o) as [w along leading stride sms step|held loads].
  - apply both in F' as [En F']. rewrite (engine_spec _ _ _ En).
    destruct (parts (grid order (order_k p)) _ _) as [[a b]|] eqn:E1; [|discriminate].
    destruct (parts (leaves (smem o)) a b) as [[x y]|] eqn:E2; [|discriminate].
    apply both in F' as [Sf Be]. apply same_function_spec in Sf as [_ Sf]. rewrite <- Sf.
    rewrite forallb_iota in Be. specialize (Be _ Hw). rewrite forallb_iota in Be. specialize (Be _ Hi).
    rewrite forallb_iota in Be. specialize (Be _ Hs). apply N.eqb_eq in Be. rewrite Be. unfold home_of. f_equal.
    apply parts_spec in E1 as (Z1 & _ & _ & _ & _ & _ & E1), E2 as (_ & _ & _ & _ & _ & _ & E2).
    assert (Hrk : r + extent * k < extent * atom_k) by now apply digits_below.
    assert (Zab : numel [(extent, 1); (atom_k, Rw)] = extent * atom_k) by (cbn; lia).
    unfold at_ at 1. rewrite <- Grid.
    specialize (E1 (r + extent * k) (place_in (g, h) + W * (i + I_ * s))). rewrite Zab in E1. specialize (E1 Hrk).
    rewrite !value_digit, !value_last in E1 by easy. rewrite !N.mul_1_r in E1.
    rewrite E1, E2 by (rewrite Z1, Zab; easy). apply N.add_comm.
  - rewrite !both in F'. destruct F' as [[Co ZA] F']. apply N.eqb_eq in ZA.
    destruct held as [|[|U [|H [|]]]]; try discriminate.
    rewrite !both, !N.eqb_eq in F'. destruct F' as [[[ZU ZH] Fr] Lo].
    set (L := size (lanes p)) in *. set (V := size A / L) in *. set (n := V * (I_ * S_)) in *.
    destruct (holder_spec A (extent * atom_k) (r + extent * k) Co ltac:(now apply digits_below)) as [Hj Ej].
    set (j := holder A (r + extent * k)) in *. rewrite ZA in Hj. assert (PL : 0 < L) by nia.
    set (lane := j mod L). set (va := j / L). assert (Hlane : lane < L) by (apply N.mod_lt; lia).
    assert (Hva : va < V) by now apply div_below.
    assert (Ejl : j = lane + L * va) by (unfold lane, va; rewrite N.add_comm; apply N.div_mod').
    pose proof (number_below g h lane Hg Hh Hlane) as Ht. set (t := thread_number p (g, h) lane) in *.
    set (v := va + V * (i + I_ * s)). assert (Hv : v < n) by (unfold v, n; now repeat apply digits_below).
    assert (Held : at_ (Node [U; H]) (t + T * v) = at_ order (r + extent * (place_in (g,
      h) + W * i)) + Rw * at_ (order_k p) (k + atom_k * s)).
    { destruct (through [(extent, 1); (atom_k, Rw)] (leaves A)) as [a|] eqn:Ea; [|discriminate].
      destruct (through (grid order (order_k p)) _) as [x|] eqn:Ex; [|discriminate].
      destruct (through (leaves (Node [U; H])) _) as [y|] eqn:Ey; [|discriminate].
      apply same_function_spec in Fr as [_ Fr]. apply through_spec in Ea as (Za & Pa & _ & _ & Va).
      apply through_spec in Ex as (_ & _ & _ & _ & Vx), Ey as (_ & _ & PY & _ & Vy).
      rewrite <- size_product, ZA in Za.
      specialize (Fr (j + L * V * (g + gm * (h + gn * (i + I_ * s))))). rewrite Vx, Vy in Fr. rewrite <- Za in Fr at 1.
      rewrite value_apart, Va in Fr by (rewrite ?Za; easy). change (value_in (leaves A) j) with (at_ A j) in Fr.
      rewrite Ej in Fr.
      rewrite value_digit, value_last in Fr by easy. rewrite N.mul_1_r in Fr.
      rewrite !positive_app in PY. rewrite !andb_true_iff in PY. destruct PY as (Pl & _ & Pm & Pn & _).
      unfold at_ at 1. transitivity (value_in (grid order (order_k p)) (r + k * Rw + (place_in (g,
        h) * extent + (i * (extent * W) + s * (atom_k * Rw)))));
        [|exact Grid]. etransitivity; [|etransitivity; [symmetry; exact Fr|]].
      - f_equal. rewrite Ejl. replace (lane + L * va + L * V * (g + gm * (h + gn * (i + I_ * s)))) with
          (lane + L * (va + V * (g + gm * (h + gn * (i + I_ * s))))) by lia.
        unfold L at 1. rewrite size_product. rewrite value_apart by (rewrite <- ?size_product; easy). cbn [app].
        rewrite value_digit by easy. rewrite size_product. rewrite value_apart by (rewrite <- ?size_product; easy).
        rewrite (size_product (threads_n p)). rewrite value_apart by (rewrite <- ?size_product; easy).
        rewrite value_last by now apply digits_below. unfold t, thread_number, v, at_. cbn [fst snd]. lia.
      - f_equal. f_equal. unfold place_in in *. cbn [fst snd] in *. clear - Hg Hh Hi Hs Hw ZW.
        destruct of_m; cbn [app]; rewrite <- ZW, !value_digit, value_last by easy; lia. }
    rewrite <- Held. change (loaded_from o (Node [U; H]) loads T t v = home_of o (at_ (Node [U; H]) (t + T * v))).
    destruct loads as [B|src dst source width|U' V'].
    + apply both in Lo as [B0 Lo]. apply N.eqb_eq in B0. unfold home_of. rewrite swizzled_by_nothing by easy.
      destruct (through (leaves (smem o)) (leaves (Node [U; H]))) as [q|] eqn:E; [|discriminate].
      apply through_spec in E as (_ & _ & _ & _ & Vq).
      apply same_function_spec in Lo as [_ Lo]. unfold loaded_from, at_. now rewrite <- Lo, Vq.
    + destruct source as [|[|X [|Y [|]]]]; try discriminate.
      destruct (parts (leaves (smem o)) (leaves X) (leaves Y)) as [[x y]|] eqn:E1; [|discriminate].
      destruct (parts (leaves (smem o)) (leaves U) (leaves H)) as [[a b]|] eqn:E2; [|discriminate].
      rewrite !both, !N.eqb_eq, !N.ltb_lt in Lo.
      destruct Lo as [[[[[[[[[[[ZX Pw] Zn] PP] TP] Kr] Mo] Mf] J] Wp] Ar] Br]. rewrite forallb_iota in Wp, Ar, Br.
      eapply matrices_spec; try eassumption; [lia| | |].
      * intros t' Ht'. specialize (Wp t' Ht'). now rewrite andb_true_iff, !N.eqb_eq in Wp.
      * intros v' Hv' t' Ht'. specialize (Ar v' Hv'). rewrite forallb_iota in Ar. specialize (Ar t' Ht').
        destruct (origin _ _ _ t' v') as [u e]. now rewrite !andb_true_iff, !N.ltb_lt, N.eqb_eq in Ar.
      * intros l Hl' v' Hv'. specialize (Br l Hl'). rewrite forallb_iota in Br. now apply N.eqb_eq, Br.
    + rewrite forallb_iota in Lo. specialize (Lo v Hv). rewrite forallb_iota in Lo. now apply N.eqb_eq, Lo.
Qed.

(* ---- Scale factors ---- *)

Lemma factors_faithful q m : plan_factors_flow p q order extent W of_m = true -> groups_m m = gm -> groups_n m = gn ->
  tile_depth m = depth_of p -> atoms_k m = S_ -> atom_k = Machine.atom_k m ->
  deep m = (fun s k => at_ (order_k p) (k + atom_k * s)) ->
  part_faithful m Rw I_ extent (fun g i r => at_ order (r + extent * (place_in g + W * i)))
    (factor_side p order extent of_m q).
Proof.
  intros Fl Em En Ed Ek Ea Edp. pose proof (whole_order_spec _ _ _ Wo) as (_ & _ & _ & PR & _).
  unfold plan_factors_flow in Fl. rewrite !both, N.ltb_lt, !N.eqb_eq in Fl.
  destruct Fl as [[[[[[PB ZB] DB] Pk] _] Dp] Fl]. unfold part_faithful, depth_in. rewrite Em, En, Ed, Ek, <- Ea, Edp.
  cbn [Machine.extent block factor_side address home].
  destruct (holder_inverts _ _ Pk) as [Hx Hi]. pose proof (permutes_spec _ _ Pk) as (_ & _ & _ & O).
  pose proof (one_to_one_takes _ _ O) as (Bx & _ & _). split; [|repeat (split; [easy|])].
  - unfold side_faithful. cbn [Machine.extent brings written home peers]. repeat split; try easy.
    + intros i L. symmetry. exact (Hi i L).
    + intros x y Lx Ly E. change (holder (packed q) x = holder (packed q) y) in E.
      transitivity (at_ (packed q) (holder (packed q) x)); [symmetry; exact (Hx x Lx)|]. rewrite E. exact (Hx y Ly).
    + apply N.mod_1_r.
  - intros g h i s r k Hg Hh Ha Hs Hr Hk.
    rewrite forallb_iota in Dp. specialize (Dp s Hs). rewrite forallb_iota in Dp. specialize (Dp k Hk).
    apply N.eqb_eq in Dp. rewrite Dp. rewrite forallb_iota in Fl. specialize (Fl r Hr). apply both in Fl as [Ln Fl].
    rewrite forallb_iota in Ln. specialize (Ln k Hk). apply N.eqb_eq in Ln. rewrite Ln.
    rewrite forallb_iota in Fl. specialize (Fl g Hg). rewrite forallb_iota in Fl. specialize (Fl h Hh).
    rewrite forallb_iota in Fl. specialize (Fl i Ha). rewrite forallb_iota in Fl. specialize (Fl s Hs).
    rewrite forallb_iota in Fl. specialize (Fl (k / per q) ltac:(apply div_below; [easy|now rewrite <- ZB])).
    apply both in Fl as [L E]. apply N.ltb_lt in L. apply N.eqb_eq in E. etransitivity; [symmetry; exact (Hi _ L)|].
    f_equal. exact E.
Qed.
End Finds.

(* ---- Lawful plans ---- *)

Section Lawful.
Context (p : plan) (Lawful : plan_lawful p = true).
Notation gm := (size (threads_m p)). Notation gn := (size (threads_n p)).
Notation am := (rows (mma p)). Notation an := (columns (mma p)).
Notation Im := (atoms_of (order_m p) am gm). Notation In_ := (atoms_of (order_n p) an gn).

Lemma lawful_parts : atom_multiplies (mma p) = true /\ whole_order (order_k p) (steps (mma p)) 1 = true /\
  plan_threads_apart p = true /\ operand_lawful p (of_a_plan p) (order_m p) (of_a (mma p)) am gm true = true /\
  operand_lawful p (of_b_plan p) (order_n p) (of_b (mma p)) an gn false = true /\ plan_epilogue_covers p = true /\
  forallb stages_apart (stagings p) = true.
Proof. pose proof Lawful as L. unfold plan_lawful in L. rewrite !both in L. tauto. Qed.

Lemma lawful_steps : whole_order (order_k p) (steps (mma p)) 1 = true /\ plan_threads_apart p = true.
Proof. destruct lawful_parts as (_ & Wk & Th & _). easy. Qed.

Lemma operand_parts o order A extent W of_m : operand_lawful p o order A extent W of_m = true ->
  whole_order order extent W = true /\ plan_finds p o order A extent W of_m = true /\
  side_faithful (operand_side p o order A extent W (place_in of_m)) (depth_of p) /\
  forall q, scales o = Some q -> plan_factors_flow p q order extent W of_m = true.
Proof.
  unfold operand_lawful. rewrite !both. intros [[[[[[C Sw_] Ka] Wo] Fl] Ar] F]. split; [easy|]. split; [easy|].
  split; [|intros q E; now rewrite E in Fl].
  pose proof (permutes_spec _ _ C) as (_ & _ & _ & O). pose proof (whole_order_spec _ _ _ Wo) as (_ & _ & _ & P & _).
  unfold side_faithful. cbn [Machine.extent brings written home peers operand_side]. split; [easy|].
  split; [now intros; apply arrives_spec with (n := size order * depth_of p)|].
  unfold plan_shares_whole, plan_keeps_apart, valid_swizzle in *. rewrite !andb_true_iff, N.eqb_eq, ?N.ltb_lt in *.
  rewrite Z.leb_le in Ka.
  destruct Sw_ as [M Pc], Ka as [[Nt Zs] V]. split; [|now rewrite ?N.eqb_eq in *].
  intros x y Hx Hy E. apply swizzle_injective in E; [|exact V]. apply none_twice in Nt.
  apply (nodup_image _ x y Nt); rewrite <- ?size_product, ?Zs; easy.
Qed.
Lemma operand_faithful o order A extent W of_m s : operand_lawful p o order A extent W of_m = true ->
  W = (if of_m then gm else gn) ->
  Some s = Some (operand_side p o order A extent W (place_in of_m)) \/
  Some s = option_map (factor_side p order extent of_m) (scales o) ->
  part_faithful (machine_of p) (size order) (atoms_of order extent W) extent
    (fun g i r => at_ order (r + extent * (place_in of_m g + W * i))) s.
Proof.
  intros L ZW. destruct lawful_steps as (Wk & Th). apply operand_parts in L as (Wo & F & S & Fl). intros [E|E].
  - injection E as ->. split; [unfold depth_in; cbn; now rewrite N.div_1_r|]. split; [easy|]. split; [easy|].
    split; [apply N.mod_1_r|]. intros. cbn [Machine.extent block operand_side address home]. rewrite N.div_1_r.
    now apply (finds_spec p o order A extent W of_m).
  - destruct (scales o) as [q|]; [|discriminate]. injection E as ->.
    now apply (factors_faithful p order extent W of_m Wo); [apply Fl|..].
Qed.

Lemma place_spec g h i j c : g < gm -> h < gn -> i < Im -> j < In_ -> c < size (of_c (mma p)) ->
  let x := at_ (of_c (mma p)) c in place_of p ((g, h), (i, j)) c =
    (at_ (order_m p) (x mod am + am * (g + gm * i)), at_ (order_n p) (x / am + an * (h + gn * j))).
Proof.
  destruct lawful_parts as (At & Wk & Th & Oa & Ob & Ep & _). intros Hg Hh Hi Hj Hc x.
  apply operand_parts in Oa as (Wm & _), Ob as (Wn & _).
  pose proof (whole_order_spec _ _ _ Wm) as (Sm & _ & _ & Pm & Zm & _ & (Bm & _)).
  pose proof (whole_order_spec _ _ _ Wn) as (_ & _ & _ & _ & _ & _ & (Bn & _)).
  unfold atom_multiplies in At. rewrite !andb_true_iff, !N.ltb_lt in At. destruct At as [[[Pe Pa] Pb] _].
  apply permutes_spec in Pe as (Zc & Sc & _ & Oc). pose proof (one_to_one_takes _ _ Oc) as (Bx & _).
  rewrite Zc in Hc. specialize (Bx c Hc). fold x in Bx. rewrite <- Zc in Hc.
  assert (Hr : x mod am < am) by (apply N.mod_lt; lia). assert (Hn : x / am < an) by now apply div_below.
  specialize (Bm g i _ Hg Hi Hr). specialize (Bn h j _ Hh Hj Hn). cbv beta in Bm, Bn.
  unfold place_of. cbn [fst snd]. unfold plan_epilogue_covers in Ep. apply both in Ep as [ZL Ep].
  apply N.eqb_eq in ZL.
  change (groups (threads_m p)) with gm in *. change (groups (threads_n p)) with gn in *.
  set (L := size (lanes p)) in *. set (V := size (of_c (mma p)) / L) in *. set (R := size (order_m p)) in *.
  set (T := threads_of_plan p) in *. assert (PL : 0 < L) by nia.
  set (lane := c mod L). set (vc := c / L). assert (Hl : lane < L) by (apply N.mod_lt; lia).
  assert (Hv : vc < V) by (apply div_below; [easy|now rewrite <- ZL]).
  assert (Ec : c = lane + L * vc) by (unfold lane, vc; rewrite N.add_comm; apply N.div_mod').
  destruct (through [(am, 1); (an, R)] (leaves (of_c (mma p)))) as [a|] eqn:Ea; [|discriminate].
  destruct (through (grid (order_m p) (order_n p)) _) as [u|] eqn:Eu; [|discriminate].
  destruct (through (leaves (stored p)) _) as [y|] eqn:Ey; [|discriminate].
  apply same_function_spec in Ep as [_ Ep]. apply through_spec in Ea as (Za & Pza & _ & _ & Va).
  apply through_spec in Eu as (_ & _ & _ & _ & Vu), Ey as (_ & _ & PY & _ & Vy). rewrite <- size_product in Za.
  specialize (Ep (c + L * V * (g + gm * (h + gn * (i + Im * j))))). rewrite Vu, Vy in Ep. rewrite <- ZL in Ep.
  rewrite <- Za in Ep at 1.
  rewrite value_apart, Va in Ep by (rewrite ?Za; easy). change (value_in (leaves (of_c (mma p))) c) with x in Ep.
  assert (Ex : x = x mod am + am * (x / am)) by (rewrite N.add_comm; apply N.div_mod').
  rewrite Ex in Ep at 1. rewrite value_digit, value_last in Ep by easy.
  rewrite !value_digit, value_last in Ep by easy.
  assert (Eg : value_in (grid (order_m p) (order_n p)) (x mod am * 1 + x / am * R + (g * am + (h * (an * R)
    + (i * (am * gm) + j * (an * gn * R))))) =
    at_ (order_m p) (x mod am + am * (g + gm * i)) + R * at_ (order_n p) (x / am + an * (h + gn * j))).
  { unfold R at 4. rewrite <- (grid_at (order_m p)); [|exact Sm|fold R; rewrite Zm; now repeat apply digits_below].
    f_equal. fold R. nia. }
  rewrite Eg in Ep. rewrite !positive_app in PY. rewrite !andb_true_iff in PY. destruct PY as (Pl & _ & Ptm & Ptn & _).
  assert (Ei : value_in (leaves (lanes p) ++ [(V, T)] ++ leaves (threads_m p) ++ leaves (threads_n p) ++ [(Im * In_,
    T * V)])
    (c + size (of_c (mma p)) * (g + gm * (h + gn * (i + Im * j)))) = thread_number p (g,
      h) lane + T * (vc + V * (i + Im * j))).
  { rewrite ZL. clear - Ec Hl Hv Hg Hh Hi Hj Pl Ptm Ptn. revert Hi Hj. generalize Im In_. intros Im' In' Hi Hj.
    rewrite Ec. replace (lane + L * vc + L * V * (g + gm * (h + gn * (i + Im' * j)))) with
      (lane + L * (vc + V * (g + gm * (h + gn * (i + Im' * j))))) by lia.
    unfold L at 1. rewrite size_product. rewrite value_apart by (rewrite <- ?size_product; easy). cbn [app].
    rewrite value_digit by easy. rewrite (size_product (threads_m p)).
    rewrite value_apart by (rewrite <- ?size_product; easy).
    rewrite (size_product (threads_n p)). rewrite value_apart by (rewrite <- ?size_product; easy).
    rewrite value_last by now apply digits_below. unfold thread_number, at_. cbn [fst snd]. lia. }
  rewrite Ei in Ep. unfold at_ at 1 2. rewrite <- Ep. fold R in Bm. now rewrite digit_mod, digit_div.
Qed.

Lemma lawful_faithful : faithful (machine_of p).
Proof.
  destruct lawful_parts as (At & Wk & Th & Oa & Ob & Ep & _).
  pose proof (operand_parts _ _ _ _ _ _ Oa) as (Wm & _). pose proof (operand_parts _ _ _ _ _ _ Ob) as (Wn & _).
  pose proof (whole_order_spec _ _ _ Wm) as (_ & _ & _ & _ & _ & _ & Rm).
  pose proof (whole_order_spec _ _ _ Wn) as (_ & _ & _ & _ & _ & _ & Rn).
  pose proof (whole_order_spec _ _ _ Wk) as (_ & _ & _ & Pk & Zk & Ok & _). rewrite N.mul_1_l in Zk.
  unfold atom_multiplies in At. rewrite !andb_true_iff, !N.ltb_lt in At. destruct At as [[[Pe Pa] Pb] _].
  apply permutes_spec in Pe as (Zc & _ & _ & Oc). rewrite <- Zc in Oc.
  split.
  { intros x s E. destruct x; cbn [is_a side_of] in *; symmetry in E.
    - apply (operand_faithful _ _ _ _ _ true s Oa eq_refl). now left.
    - apply (operand_faithful _ _ _ _ _ false s Ob eq_refl). now left.
    - apply (operand_faithful _ _ _ _ _ true s Oa eq_refl). now right.
    - apply (operand_faithful _ _ _ _ _ false s Ob eq_refl). now right. }
  unfold machine_of, groups. cbn -[place_of operand_side factor_side atoms_of]. split; [easy|]. split; [exact Pk|].
  split; [exact Rm|]. split; [exact Rn|]. split.
  { unfold one_to_one in Ok. rewrite Zk in Ok at 1. rewrite iota_mul, map_flat_map in Ok. rewrite <- Ok at 1.
    erewrite flat_map_ext; [reflexivity|]. intros s. cbv beta. now rewrite map_map. }
  split; [easy|]. intros. now apply place_spec.
Qed.
End Lawful.

(* ---- The theorem ---- *)

(* Splits that cover K, in any order, and of each tile and split an order of its copies, instructions and blocks. *)
Definition splits_lawful (p : plan) (K : N) (splits : list (N * N)) : Prop :=
  (exists order, splits_cover 0 order K = true /\ Permutation splits order) /\ of_whole_blocks (machine_of p) splits.
Definition runs {R} (p : plan) (K : N) (splits : list (N * N)) (s : N * N -> N * N -> schedule R) : Prop :=
  splits_lawful p K splits /\ forall t q, In q splits -> orderly (machine_of p) (snd q) (s t q).

Section Computes.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).
Context (add_comm : forall x y, add x y = add y x) (add_assoc : forall x y z, add x (add y z) = add (add x y) z)
  (add_zero : forall x, add zero_ x = x) (mul_comm : forall x y, mul x y = mul y x) (mul_zero : forall x,
    mul zero_ x = zero_).

(* A and B, each element times the scale factor of its row and block of K where the plan has block scaling. *)
Definition operand_of (o : operand_plan) (x f : N -> N -> R) (r k : N) : R :=
  scaled mul (option_map (fun q => f r (k / per q)) (scales o)) (x r k).
(* alpha A B + beta C inside of D, and what stood there outside. *)
Definition gemm (p : plan) (M N_ K : N) (alpha beta : R) (x : part -> N -> N -> R) (c : N -> N -> R) (D : N * N -> R)
    (y : N * N) : R :=
  let a := operand_of (of_a_plan p) (x elements_a) (x factors_a) in
  let b := operand_of (of_b_plan p) (x elements_b) (x factors_b) in
  if in_d M N_ y
  then add (mul alpha (product add mul zero_ a b K (fst y) (snd y))) (mul beta (c (fst y) (snd y)))
  else D y.

Lemma given_operand p x r k :
  given mul (scale_a (machine_of p)) (x elements_a) (x factors_a) r k =
    operand_of (of_a_plan p) (x elements_a) (x factors_a) r k /\
  given mul (scale_b (machine_of p)) (x elements_b) (x factors_b) r k =
    operand_of (of_b_plan p) (x elements_b) (x factors_b) r k.
Proof. unfold given, operand_of, machine_of. cbn. now destruct (scales (of_a_plan p)), (scales (of_b_plan p)). Qed.
Lemma product_given p K x m n : product add mul zero_
    (given mul (scale_a (machine_of p)) (x elements_a) (x factors_a))
    (given mul (scale_b (machine_of p)) (x elements_b) (x factors_b)) K m n =
  product add mul zero_ (operand_of (of_a_plan p) (x elements_a) (x factors_a))
    (operand_of (of_b_plan p) (x elements_b) (x factors_b)) K m n.
Proof.
  unfold product. f_equal. apply map_ext. intros k. destruct (given_operand p x m k) as [-> _].
  now destruct (given_operand p x n k) as [_ ->].
Qed.

(* What is written to D where of each tile and split these are the sums. *)
Definition written_by_sums (p : plan) (M N_ : N) (alpha beta : R) (c : N -> N -> R) (splits : list (N * N))
    (sums : N * N -> N * N -> site -> N -> R) : list ((N * N) * R) :=
  written_to_d add mul (machine_of p) M N_ alpha beta c (summed add zero_ splits sums).
(* Where the sums of all tiles and splits are those of their products, D is what it is to be. *)
Lemma sums_compute_product p M N_ K alpha beta x c D splits sums ws : plan_lawful p = true ->
  splits_lawful p K splits -> (forall t q z i, let m := machine_of p in In t (tiles m M N_) -> In q splits ->
    In z (sites m) -> i < size (of_sums m) -> sums t q z i = sum add zero_ (map (at_k mul zero_ m (from_k m x (fst q)) M
      N_ (snd q) (tile_m m * fst t) (tile_n m * snd t) (placed m z i)) (iota (snd q)))) ->
  Permutation ws (written_by_sums p M N_ alpha beta c splits sums) ->
  NoDup (map fst ws) /\ forall y, stores same_pair ws D y = gemm p M N_ K alpha beta x c D y.
Proof.
  intros L ((order & S & P) & B) Sums Q. pose proof (lawful_faithful p L) as F.
  destruct (machine_computes add mul zero_ (machine_of p) F x M N_ K alpha beta c D ws _ (summed_product add mul zero_
    add_comm add_assoc add_zero (machine_of p) F x M N_ K splits order S P B sums Sums) Q) as [Nd E].
  split; [exact Nd|]. intros [m n]. rewrite E. unfold gemm, in_d. cbn [fst snd]. now rewrite product_given.
Qed.

(* A plan that meets its laws leaves alpha A B + beta C in D, each element written once, and none outside of D. *)
Theorem plan_computes_product p M N_ K alpha beta x c D splits s ws : plan_lawful p = true -> runs p K splits s ->
  Permutation ws (written_by_sums p M N_ alpha beta c splits (split_sums add mul zero_ (machine_of p) M N_ x s)) ->
  NoDup (map fst ws) /\ forall y, stores same_pair ws D y = gemm p M N_ K alpha beta x c D y.
Proof.
  intros L (Sp & O). apply sums_compute_product; [easy|easy|]. intros t q z i m Ht I Hz Hi. unfold split_sums.
  now apply (tile_sums_all add mul zero_ add_comm add_assoc add_zero mul_zero m (lawful_faithful p L)); [apply O|..].
Qed.

(* What is staged in shared memory on its way to D, in any order, is what is read there. *)
Theorem plan_stages_results p w A (f : N -> R) before order i : plan_lawful p = true -> In (w, A) (stagings p) ->
  Permutation order (iota (size A)) -> i < size A ->
  stores N.eqb (map (fun i => (swizzled w (at_ A i), f i)) order) before (swizzled w (at_ A i)) = f i.
Proof.
  intros L I P Hi. apply lawful_parts in L as (_ & _ & _ & _ & _ & _ & St). rewrite forallb_forall in St.
  specialize (St _ I). unfold stages_apart, valid_swizzle in St. apply andb_true_iff in St as [Nt V].
  cbn [fst snd] in *.
  apply Z.leb_le in V. apply none_twice in Nt. apply stores_there; [apply N.eqb_eq| |].
  - rewrite map_map. cbn [fst]. apply (Permutation_NoDup (Permutation_map _ (Permutation_sym P))).
    apply nodup_map_in; [|apply nodup_iota]. intros x y Hx Hy E. rewrite in_iota in *.
    apply swizzle_injective in E; [|exact V]. apply (nodup_image _ x y Nt); rewrite <- ?size_product; easy.
  - apply in_map_iff. exists i. split; [easy|]. apply (Permutation_in _ (Permutation_sym P)), in_iota, Hi.
Qed.

(* Operands swapped, D transposed: the same product. *)
Theorem product_swapped a b K m n : product add mul zero_ b a K n m = product add mul zero_ a b K m n.
Proof. unfold product. f_equal. apply map_ext. intros k. apply mul_comm. Qed.

(* Every lawful plan can run, whatever stood in its stages. *)
Theorem plan_runs p K (before : part -> N -> R) : plan_lawful p = true ->
  exists s : N * N -> N * N -> schedule R, runs p K [(0, K)] s.
Proof.
  intros L. set (m := machine_of p). exists (fun _ q => Schedule R
    (fun x _ => match side_of m x with Some s => shares m s | None => [] end)
    (fun x _ => before x) (fun _ => instructions m) [iota (ceil (snd q) (tile_depth m))]).
  split.
  - split; [|now intros q x [<-|[]]].
    exists [(0, K)]. split; [|easy]. cbn [splits_cover]. now rewrite N.add_0_l, !N.eqb_refl.
  - intros t q _. split; [intros x s kb E; unfold m; cbn [copies]; now rewrite E|]. split; [easy|]. cbn. now rewrite
    app_nil_r.
Qed.
End Computes.
