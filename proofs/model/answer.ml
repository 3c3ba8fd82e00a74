(* The extracted model as a program: one request a line in, one answer a line out. Reads and prints; the model
   answers, with --optimized that of the optimized algebra. *)
(* SPDX-License-Identifier: Apache-2.0 *)
open Model
open Grammar

(* No more parentheses in each other than a line may have. *)
let within text =
  let deeper (now, most) c =
    match c with '(' | '<' -> (now + 1, max most (now + 1)) | ')' | '>' -> (now - 1, most) | _ -> (now, most)
  in
  if snd (String.fold_left deeper (0, 0) text) > 256 then raise Outside else text

let said op args =
  match respond op args with
  | Answer v -> within (print v)
  | Undefined -> "undefined"
  | Unspecified -> "unspecified"
  | Unsupported -> "unsupported outside the model"
let said_optimized op args =
  match respond_64 op args with
  | Some (Yes v) -> within (print v)
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
