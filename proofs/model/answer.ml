(* The extracted model as a program: one request a line in, one answer a line out. Reads and prints; the model
   answers. *)
(* SPDX-License-Identifier: Apache-2.0 *)
open Model
open Grammar

let answer line =
  match String.split_on_char ' ' line |> List.filter (( <> ) "") with
  | [] -> "unsupported nothing was asked"
  | [ "hello" ] -> "colex 1 extracted"
  | op :: args -> (
      try
        match respond (List.of_seq (String.to_seq op)) (List.map whole args) with
        | Answer v -> print v
        | Undefined -> "undefined"
        | Unspecified -> "unspecified"
        | Unsupported -> "unsupported outside the model"
      with Outside -> "unsupported outside the grammar of the model" | Stack_overflow -> "unsupported too large")

let () =
  try
    while true do
      print_endline (answer (input_line stdin))
    done
  with End_of_file -> ()
