(* Values of the grammar as the model has them: how they are read and printed. *)
(* SPDX-License-Identifier: Apache-2.0 *)
open Model

exception Outside  (* the grammar that the model has *)

(* ---- numbers ---- *)

let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 0 then XO (positive_of_int (n lsr 1)) else XI (positive_of_int (n lsr 1))
let n_of_int n = if n = 0 then N0 else Npos (positive_of_int n)
let rec bits = function XH -> 1 | XO p | XI p -> 1 + bits p
let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> (2 * int_of_positive p) + 1

let n_of_string s =
  if String.length s <= 18 then n_of_int (int_of_string s)
  else
    let digit n c = N.add (N.mul n (n_of_int 10)) (n_of_int (Char.code c - 48)) in
    String.fold_left digit N0 s

(* Groups of 18 digits, the lowest first: twice as large, and what is carried. *)
let limb = 1_000_000_000_000_000_000
let rec doubled carry = function
  | [] -> if carry = 0 then [] else [ carry ]
  | d :: rest -> ((2 * d) + carry) mod limb :: doubled (((2 * d) + carry) / limb) rest
let rec limbs = function XH -> [ 1 ] | XO p -> doubled 0 (limbs p) | XI p -> doubled 1 (limbs p)

let string_of_n = function
  | N0 -> "0"
  | Npos p -> (
      match List.rev (limbs p) with
      | [] -> assert false
      | first :: rest -> String.concat "" (string_of_int first :: List.map (Printf.sprintf "%018d") rest))

let z_of_n = function N0 -> Z0 | Npos p -> Zpos p
let string_of_z = function Z0 -> "0" | Zpos p -> string_of_n (Npos p) | Zneg p -> "-" ^ string_of_n (Npos p)

(* ---- reading ---- *)

type reader = { text : string; mutable at : int }

let peek r = if r.at < String.length r.text then r.text.[r.at] else '\000'
let take r c = peek r = c && (r.at <- r.at + 1; true)
let expect r c = if not (take r c) then raise Outside
let is_digit c = c >= '0' && c <= '9'

let number r =
  ignore (take r '_');
  let minus = take r '-' in
  let start = r.at in
  while is_digit (peek r) do r.at <- r.at + 1 done;
  if r.at = start then raise Outside;
  match z_of_n (n_of_string (String.sub r.text start (r.at - start))) with Zpos p when minus -> Zneg p | z -> z

let rec list r close item = if take r close then [] else rest r close item
and rest r close item =
  let x = item r in
  if take r ',' then x :: rest r close item else (expect r close; [ x ])

let next_is_digit r = r.at + 1 < String.length r.text && is_digit r.text.[r.at + 1]
let rec tuple r =
  match peek r with
  | '(' -> r.at <- r.at + 1; Tuple (list r ')' tuple)
  | '_' when not (next_is_digit r) -> r.at <- r.at + 1; Wild
  | 'X' -> r.at <- r.at + 1; Wild
  | _ -> Number (number r)

(* A stride is a number with its path, the innermost mode first in the text. *)
type strides = Step of (nat list * z) | Steps of strides list
let rec nat_of n = if n = 0 then O else S (nat_of (n - 1))
let rec int_of = function O -> 0 | S n -> 1 + int_of n
let small r = match number r with Z0 -> O | Zpos p when bits p < 16 -> nat_of (int_of_positive p) | _ -> raise Outside
let rec path r inner = if take r '@' then path r (small r :: inner) else inner
let rec strides r = if take r '(' then Steps (list r ')' strides) else let d = number r in Step (path r [], d)

let rec layout shape stride =
  match (shape, stride) with
  | Number (Zpos s), Step d -> Leaf (Npos s, d)
  | Tuple s, Steps d when List.length s = List.length d -> Node (List.map2 layout s d)
  | _ -> raise Outside
let rec integral = function Leaf (s, ([], d)) -> Leaf (s, d) | Leaf _ -> raise Outside | Node l -> Node (List.map integral l)
let layout_of a = try Layout (integral a) with Outside -> Basis a

let spelled r = let s = tuple r in expect r ':'; layout s (strides r)
let layout_behind r = integral (spelled r)
let view n a = try Behind (None, n, integral a) with Outside -> Moved (n, a)

let swizzle r =
  match list r '>' number with
  | [ b; m; s ] ->
      let n = function Z0 -> N0 | Zpos p -> Npos p | Zneg _ -> raise Outside in
      { bits = n b; base = n m; shift = s }
  | _ -> raise Outside

let rec value r =
  match peek r with
  | '<' -> r.at <- r.at + 1; Tiler (list r '>' value)
  | 'S' ->
      String.iter (expect r) "Sw<";
      let w = swizzle r in
      if take r 'o' then (let n = number r in expect r 'o'; Behind (Some w, n, layout_behind r)) else Swizzle w
  | 'F' ->
      String.iter (expect r) "F2<";
      let n = number r in
      expect r '>';
      let bases = tuple r in
      Map ((match n with Z0 -> N0 | Zpos p -> Npos p | Zneg _ -> raise Outside), bases)
  | _ -> (
      let v = tuple r in
      if take r ':' then layout_of (layout v (strides r))
      else
        match v with
        | Number n when take r 'o' -> view n (spelled r)
        | Tuple _ when take r 'o' -> Placed (v, spelled r)
        | _ -> v)

(* A name, perhaps of a type, Copy<int>; a width, 8b, is its number. *)
let is_letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
let is_word text =
  let begins start = String.length text >= 3 && String.sub text 0 3 = start in
  text <> "X" && is_letter text.[0] && (not (begins "Sw<" || begins "F2<"))
  && String.for_all (fun c -> is_letter c || is_digit c || String.contains "_<>," c) text
let whole text =
  let r = { text; at = 0 } in
  let v = if is_word text then (r.at <- String.length text; Word (List.of_seq (String.to_seq text))) else value r in
  (match v with Number _ -> ignore (take r 'b') | _ -> ());
  if r.at < String.length text then raise Outside else v

(* ---- printing ---- *)

let parens item l = "(" ^ String.concat "," (List.map item l) ^ ")"
let rec shape = function Leaf (s, _) -> string_of_n s | Node l -> parens shape l
let rec stride number = function Leaf (_, d) -> number d | Node l -> parens (stride number) l
let print_layout number a = shape a ^ ":" ^ stride number a
let place (path, d) = String.concat "@" (string_of_z d :: List.rev_map (fun n -> string_of_int (int_of n)) path)
let print_swizzle w = Printf.sprintf "Sw<%s,%s,%s>" (string_of_n w.bits) (string_of_n w.base) (string_of_z w.shift)

let rec print = function
  | Number n -> string_of_z n
  | Wild -> "_"
  | Tuple l -> parens print l
  | Layout a -> print_layout string_of_z a
  | Tiler l -> "<" ^ String.concat "," (List.map print l) ^ ">"
  | Swizzle w -> print_swizzle w
  | Behind (Some w, n, a) -> String.concat "o" [ print_swizzle w; string_of_z n; print_layout string_of_z a ]
  | Behind (None, n, a) -> string_of_z n ^ "o" ^ print_layout string_of_z a
  | Truth b -> string_of_bool b
  | Basis a -> print_layout place a
  | Moved (n, a) -> string_of_z n ^ "o" ^ print_layout place a
  | Placed (n, a) -> print n ^ "o" ^ print_layout place a
  | Map (n, bases) -> "F2<" ^ string_of_n n ^ ">" ^ print bases
  | Word w -> String.of_seq (List.to_seq w)
