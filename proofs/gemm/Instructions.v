(* What the instructions of the kernels do, as far as the proof that a plan multiplies uses it.
Of a chip, this is all that
   the proof believes; PTX's documents say it of each instruction. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Atoms Gemm Digits Swizzle.
Local Open Scope N_scope.

Section Instructions.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).

(* A store writes one element and no other: of a thread or the TMA engine, to shared memory or to D. *)
Definition store {K} (same_key : K -> K -> bool) (m : K -> R) (w : K * R) : K -> R :=
  fun x => if same_key (fst w) x then snd w else m x.
Definition stores {K} (same_key : K -> K -> bool) : list (K * R) -> (K -> R) -> K -> R :=
  fun ws m => fold_left (store same_key) ws m.

(* A copy reads only what lies inside the operand, and brings zeros for the rest: threads by predicates (cp.async with a
   source size), the TMA engine by the bounds of its tensor map. Rows outside that the producer of wgmma leaves out hold
   something else, of which no sum that is stored is made. *)
Definition fetch (X : N -> N -> R) (rows columns r c : N) : R := if (r <? rows) && (c <? columns) then X r c else zero_.

(* An MMA instruction (FMA, dp4a, mma.sync, wgmma, tcgen05.mma). C takes index i, of a thread and a value, to the
   coordinate of the sum that stands there; to it the products of row and column over the instruction's depth are
     added. With block scaling an element is taken times the scale factor of its row and block of K. *)
Definition scaled (factor : option R) (x : R) : R := match factor with Some f => mul x f | None => x end.
Definition multiplied (C : layout N) (m depth : N) (a b : N -> N -> R) (i : N) (before : R) : R :=
  let x := value_in (leaves C) i in
  add before (sum add zero_ (map (fun k => mul (a (x mod m) k) (b (x / m) k)) (iota depth))).
End Instructions.

(* Where an MMA that takes an operand from registers has coordinate x of it: an index, of a thread and a value, that the
   operand's layout L takes to x. *)
Fixpoint position (x : N) (l : list N) : N :=
  match l with
  | [] => 0
  | y :: l => if y =? x then 0 else 1 + position x l
  end.
Definition values (L : layout N) : list N := map (value_in (leaves L)) (iota (size L)).
Definition holder (L : layout N) (x : N) : N := position x (values L).

(* What TMA writes in rows of 128 bytes, and where wgmma and tcgen05.mma look for it: units of 16 bytes, swizzled among
   eight rows. Addresses count elements of 2^w bits, from a multiple of 1024 bytes on. *)
Definition engine (w x : N) : N := swizzled (Sw 3 7 3) (2 ^ w * x) / 2 ^ w.
(* The operand that a matrix descriptor describes, (row, k) to elements of 2^w bits from its beginning on,
  in front of the
   swizzle: along K, groups of eight rows one stride apart; along rows, runs of 128 bytes one leading stride apart, and
   groups of eight along K one stride apart. Strides count elements.
   Of a pair of SMs each has half of the rows; here the
   second one's shared memory follows `apart` elements behind the first one's. *)
Definition apart : N := 2 ^ 20.
Definition described (w : N) (along_k : bool) (leading stride sms rows depth : N) : list (N * N) :=
  let run := 2 ^ (10 - w) in let own := rows / sms in
  if along_k then [(8, run); (own / 8, stride); (sms, apart); (depth, 1)]
  else [(run, 1); (own / run, leading); (sms, apart); (8, run); (depth / 8, stride)].

(* Scale factors are bytes, four of a row to a word. mma.sync takes the word of a row from the first lane that the
   atom's layout of factors, (lane, value) to (row, k), gives the element to; given are its values. tcgen05.mma takes
   it from tensor memory: of row r from lane r mod 32, r / 32 columns on. tcgen05.cp (32x128b) has put it there: to a
   lane 16 bytes, four columns. Both take bytes of the word from one on that the instruction names. *)
Definition lane_of_factor (sf : list N) (lanes extent r k : N) : N := position (r + extent * k) sf mod lanes.
Definition copied_to_column (r : N) : N := 16 * (r mod 32) + 4 * (r / 32).

(* A load to registers by a copy atom (ldmatrix, or a thread's own load): which thread gives the address, and how many
   elements behind it lies what thread t receives as its value v.
   The atom's layouts are (thread, value) to elements; given
   are the values of the source's. *)
Definition threads_in (A : layout N) : N := match A with Node (T :: _) => size T | _ => 1 end.
Definition origin (threads : N) (source : list N) (dst : layout N) (t v : N) : N * N :=
  let i := position (value_in (leaves dst) (t + threads * v)) source in (i mod threads, i / threads).
