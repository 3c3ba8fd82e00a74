(* Which inputs of laws their theorems cover, as extracted: reads lines `LAW A=4:1 i<4` and prints those that are not covered with
   the reason, then how many of each law are. *)
(* SPDX-License-Identifier: Apache-2.0 *)
open Model
open Grammar

let chars s = List.of_seq (String.to_seq s)
let text l = String.of_seq (List.to_seq l)

(* An index at its last; None where a law goes through none. *)
let argument word =
  match String.index_opt word '=', String.index_opt word '<' with
  | Some k, other when Option.fold ~none:true ~some:(( < ) k) other ->
      Some (chars (String.sub word 0 k), whole (String.sub word (k + 1) (String.length word - k - 1)))
  | _, Some k ->
      let last = Z.add (z_of_n (n_of_string (String.sub word (k + 1) (String.length word - k - 1)))) (Zneg XH) in
      if last = Zneg XH then None else Some (chars (String.sub word 0 k), Number last)
  | _ -> raise Outside

let verdict law words =
  match List.map argument words with
  | exception Outside -> "unread"
  | given when List.mem None given -> "covered"
  | given -> (
      match covers (chars law) (List.filter_map Fun.id given) with
      | Some Covered -> "covered"
      | Some Beyond -> "beyond"
      | Some (Unread name) -> "unread " ^ text name
      | Some (Missing name) -> "missing " ^ text name
      | Some Large -> "large"
      | None -> "no such law"
      | exception Stack_overflow -> "large")

let () =
  let counts = Hashtbl.create 300 in
  let count key = Hashtbl.replace counts key (1 + Option.value ~default:0 (Hashtbl.find_opt counts key)) in
  (try
     while true do
       let line = input_line stdin in
       match String.split_on_char ' ' line with
       | law :: words ->
           let v = verdict law words in
           if v = "covered" || v = "large" then count (v, law) else Printf.printf "%s: %s\n" v line
       | [] -> ()
     done
   with End_of_file -> ());
  Hashtbl.iter (fun (v, law) n -> Printf.printf "%s %s %d\n" v law n) counts
