#!/usr/bin/env bash
# What `colex export` writes can be read: by each example reader whose compiler is there, and a spoilt answer is noticed.
#   read.sh COLEX
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
colex=$1 here=$(CDPATH="" cd -- "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

read_json() { python3 "$here/reader.py" "$1"; }
read_cpp() { cp "$1" "$folder/vectors.hpp" && "${CXX:-c++}" -std=c++17 -I"$folder" "$here/reader.cpp" -o "$folder/cpp" && "$folder/cpp"; }
read_rust() {
  cp "$1" "$folder/vectors.rs"
  cp "$here/reader.rs" "$folder/"
  rustc --edition 2021 -A dead_code -o "$folder/rust" "$folder/reader.rs" && "$folder/rust"
}
read_mojo() {
  cp "$1" "$folder/vectors.mojo"
  cp "$here/reader.mojo" "$folder/"
  # Its own exit status says nothing of the answers.
  mojo build "$folder/reader.mojo" -o "$folder/mojo" && "$folder/mojo" | grep " asked, 0 wrong"
}

check() {  # FORMAT
  local written=$folder/written.$1 spoilt=$folder/spoilt.$1
  "$colex" export "--$1" --op size --count 5 -o "$written"
  "read_$1" "$written"
  sed 's/"24"/"23"/; s/\\t24\\t/\\t23\\t/' "$written" >"$spoilt"
  ! cmp -s "$written" "$spoilt" || { echo "$1: nothing to spoil" && exit 1; }
  ! "read_$1" "$spoilt" >/dev/null || { echo "$1: a spoilt answer is not noticed" && exit 1; }
}
check json
check cpp
! command -v rustc >/dev/null || check rust
! command -v mojo >/dev/null || check mojo
