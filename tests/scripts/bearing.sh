#!/usr/bin/env bash
# Case lines that name every law and bear on none: `trace` says so of each law.   usage: bearing.sh TRACE
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
trace=$(realpath "$1") lists=$PWD/tests/mutation
mapfile -t laws < <(sed -n 's/^#### //p' spec/laws.md)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/spec/cases" "$folder/tests"
ln -s "$lists" "$folder/tests/mutation"
cd "$folder"

# gaps LINES WANTED...: with those case lines, and no others, all laws have gaps but the WANTED.
gaps() {
  while read -r line; do echo "$line   # ${laws[*]}"; done <<<"$1" >spec/cases/size.txt
  ! "$trace" >said || { echo "nothing is missed" && exit 1; }
  diff <(sed -n 's/ .*GAP .*//p' said | sort) <(printf '%s\n' "${laws[@]}" | grep -vxF "${@:2}" | sort) ||
    { echo "with the cases $1 these laws have gaps or have none" && exit 1; }
}
gaps $'size 4:1 = 4\nsize 4:1 = 4\nsize 4:1 = 4' -e none
gaps $'size 4:1 = 4\nsize 5:1 = 5\nsize (2,3):(1,2) = 6' -e size_product
