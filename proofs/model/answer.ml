(* The extracted model as a program: one request a line in, one answer a line out. Reads and prints; the model
   answers, with --optimized that of the optimized algebra. *)
(* SPDX-License-Identifier: Apache-2.0 *)
open Model

exception Outside  (* the grammar that the model has: no basis strides, no words *)

(* ---- numbers ---- *)

let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 0 then XO (positive_of_int (n lsr 1)) else XI (positive_of_int (n lsr 1))
let n_of_int n = if n = 0 then N0 else Npos (positive_of_int n)
let rec bits = function XH -> 1 | XO p | XI p -> 1 + bits p
let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> (2 * int_of_positive p) + 1
let billion = n_of_int 1_000_000_000

let n_of_string s =
  if String.length s <= 18 then n_of_int (int_of_string s)
  else
    let digit n c = N.add (N.mul n (n_of_int 10)) (n_of_int (Char.code c - 48)) in
    String.fold_left digit N0 s

let rec string_of_n = function
  | N0 -> "0"
  | Npos p when bits p <= 60 -> string_of_int (int_of_positive p)
  | n ->
      let high, low = N.div_eucl n billion in
      let low = match low with N0 -> 0 | Npos p -> int_of_positive p in
      string_of_n high ^ Printf.sprintf "%09d" low

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
  if r.at = start || peek r = '@' then raise Outside;
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

let rec layout shape stride =
  match (shape, stride) with
  | Number (Zpos s), Number d -> Leaf (Npos s, d)
  | Tuple s, Tuple d when List.length s = List.length d -> Node (List.map2 layout s d)
  | _ -> raise Outside

let layout_behind r = let s = tuple r in expect r ':'; layout s (tuple r)

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
  | _ -> (
      let v = tuple r in
      if take r ':' then Layout (layout v (tuple r))
      else match v with Number n when take r 'o' -> Behind (None, n, layout_behind r) | _ -> v)

let whole text =
  let r = { text; at = 0 } in
  let v = value r in
  if r.at < String.length text then raise Outside else v

(* ---- printing ---- *)

let parens item l = "(" ^ String.concat "," (List.map item l) ^ ")"
let rec shape = function Leaf (s, _) -> string_of_n s | Node l -> parens shape l
let rec stride = function Leaf (_, d) -> string_of_z d | Node l -> parens stride l
let print_layout a = shape a ^ ":" ^ stride a
let print_swizzle w = Printf.sprintf "Sw<%s,%s,%s>" (string_of_n w.bits) (string_of_n w.base) (string_of_z w.shift)

let rec print = function
  | Number n -> string_of_z n
  | Wild -> "_"
  | Tuple l -> parens print l
  | Layout a -> print_layout a
  | Tiler l -> "<" ^ String.concat "," (List.map print l) ^ ">"
  | Swizzle w -> print_swizzle w
  | Behind (Some w, n, a) -> String.concat "o" [ print_swizzle w; string_of_z n; print_layout a ]
  | Behind (None, n, a) -> string_of_z n ^ "o" ^ print_layout a
  | Truth b -> string_of_bool b

let said op args =
  match respond op args with
  | Answer v -> print v
  | Undefined -> "undefined"
  | Unspecified -> "unspecified"
  | Unsupported -> "unsupported outside the model"
let said_optimized op args =
  match respond_64 op args with
  | Some (Yes v) -> print v
  | Some No -> "undefined"
  | Some Undecided -> "undefined not decided"
  | Some Beyond -> "unsupported beyond 64 bits or 32 leaves"
  | None -> "unsupported outside the model"
let say = if Array.mem "--optimized" Sys.argv then said_optimized else said

let answer line =
  match String.split_on_char ' ' line |> List.filter (( <> ) "") with
  | [] -> "unsupported nothing was asked"
  | [ "hello" ] -> "colex 1 extracted"
  | op :: args -> (
      try say (List.of_seq (String.to_seq op)) (List.map whole args)
      with Outside -> "unsupported outside the grammar of the model" | Stack_overflow -> "unsupported too large")

let () =
  try
    while true do
      print_endline (answer (input_line stdin))
    done
  with End_of_file -> ()
