#!/usr/bin/env bash
# Every figure as LaTeX goes through pdflatex as it is and becomes one page.   usage: latex.sh COLEX
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

colex=$(realpath "$1") list=$PWD/spec/figures/figures.txt count=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
while read -r file bar arguments; do
  [[ $bar == '|' && $file == *.svg ]] || continue
  # shellcheck disable=SC2086  # the arguments are words
  "$colex" draw --latex -o figure.tex $arguments
  pdflatex -interaction=nonstopmode -halt-on-error figure.tex >log || { tail -20 log && echo "FAIL $file: $arguments" && exit 1; }
  grep -q '^Output written on figure.pdf (1 page' log || { echo "FAIL $file: not one page" && exit 1; }
  count=$((count + 1))
done <"$list"
echo "$count figures compiled"
((count > 0))
