#!/usr/bin/env bash
# An installed copy of BUILD, moved to a folder with a space in its name: is it whole, and what can a project elsewhere do with it?
#   installed.sh BUILD install                  makes it
#   installed.sh BUILD tool                     the tool there says what the one in BUILD says
#   installed.sh BUILD project COMPONENT...     find_package and the programs of tests/example
#   installed.sh BUILD pkg_config COMPONENT     a program of tests/example, by the flags of pkg-config
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
build=$1 part=$2 sources=$PWD
shift 2
at="$build/installed copy"
fail() { printf 'FAIL %s\n' "$*" >&2 && exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
cd "$scratch"

install_copy() {
  mkdir -p "${at% *}"  # what bears the first word of the name stays
  rm -rf -- "$at" "$at.first"
  cmake --install "$build" --prefix "$at.first" --strip >log || { cat log >&2 && exit 1; }
  mv -- "$at.first" "$at"
  [[ -d ${at% *} ]] || fail "a folder beside it is gone"
  [[ $(ls "$at/include") == colex ]] || fail "include/ holds more than colex/"
  ! grep -rF --include='*.h*' '#include "' "$at/include" | grep -v '#include "colex/' || fail "headers that are elsewhere"
  # In archives debug information names the sources.
  ! grep -rlF --exclude='*.a' -e "$sources" -e "$build" "$at" || fail "these know where they were built"
}

same() {
  local status=0 installed=0
  "$build/colex" "$@" >built || status=$?
  "$at/bin/colex" "$@" >installed || installed=$?
  ((status == installed)) || fail "colex $*: status $installed installed, $status built"
  { [[ -s built ]] && diff -u built installed; } || fail "colex $*: not the same"
}
# A run but for its times, and the command that tells them apart.
judged() {
  "$1" conform --count 20 --json report -- "$at/libexec/colex/answer" >log || { cat log >&2 && exit 1; }
  grep -vE '"(seconds|date|command)":' report
}
tool() {
  same --version
  same laws
  same laws --json
  same explain composition '(6,2):(8,2)' '(4,3):(3,1)'
  same explain size '(6,2):(8,2)'
  grep -qF 'The number of elements: the product' installed || fail "explain has lost the words of laws.md"
  judged "$build/colex" >built
  judged "$at/bin/colex" >installed
  diff -u built installed || fail "colex conform: not the same"
  grep -qF '"composition_form"' installed || fail "colex conform: no cases"
}

project() {
  cp -r -- "$sources/tests/example" .
  cmake -G Ninja -S example -B project -DCMAKE_PREFIX_PATH="$at" -DCOMPONENTS="$(IFS=';' && echo "$*")" >log ||
    { cat log >&2 && exit 1; }
  cmake --build project
  ctest --test-dir project --output-on-failure --no-tests=error
}

pkg_config() {
  local folder text flags=() compile=(c++ -std=c++20 "$sources/tests/example/compose.cpp")
  [[ $1 != gemm ]] || compile=(cc "$sources/tests/example/multiply.c")
  folder=$(find "$at" -name pkgconfig)
  text=$(PKG_CONFIG_PATH=$folder pkg-config --cflags --libs "colex-$1")
  eval "flags=($text)"  # pkg-config quotes for a shell
  "${compile[@]}" "${flags[@]}" -o program
  ./program
}

case $part in
  install) install_copy ;;
  *) "$part" "$@" ;;
esac
