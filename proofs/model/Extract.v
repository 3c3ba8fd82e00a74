(* The two models as an OCaml program. No constant is replaced: numbers stay Coq's binary ones. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Import Answer_64.
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlString.
Extraction "model.ml" respond respond_64.
