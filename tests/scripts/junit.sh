#!/usr/bin/env bash
# JUnit reports of programs that pass, fail, die and offer little are valid by junit.xsd; spoilt ones are not.
#   junit.sh COLEX ANSWER BROKEN
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016  # a program of its own expands it
set -euo pipefail
colex=$1 answer=$2 broken=$3
report=$(mktemp)
trap 'rm -f "$report" "$report.spoilt"' EXIT
valid() { xmllint --noout --schema "$(dirname "$0")/junit.xsd" "$1" 2>&1; }

judge() {  # STATUS NODE-IT-MUST-HOLD PROGRAM...
  local status=0
  "$colex" conform --op '*co*' --count 20 --timeout 2 --junit "$report" -- "${@:3}" >/dev/null || status=$?
  ((status == $1)) || { echo "exit status $status, not $1, on ${*:3}" && exit 1; }
  valid "$report"
  grep -q "$2" "$report" || { echo "no $2 in the report on ${*:3}" && exit 1; }
}
spoil() {  # EDIT: of the last report
  sed "$1" "$report" >"$report.spoilt"
  ! cmp -s "$report" "$report.spoilt" || { echo "$1 spoils nothing" && exit 1; }
  ! valid "$report.spoilt" >/dev/null || { echo "valid, though spoilt by $1" && exit 1; }
}

judge 0 '<testcase' "$answer"
judge 1 '<failure' "$broken" wrong
judge 3 '<failure message="died: ' "$broken" binary
judge 0 '<skipped' "$broken" unsupported coalesce
judge 1 '<failure message="vanished' bash -c 'while read -r line; do
  if [[ $line == hello ]]; then echo colex 1 mine 1 cosize; else echo unsupported; fi; done'
for edit in 's/ classname=/ class=/' 's/ tests="[0-9]*"/ tests="many"/' 's/ timestamp="/&yesterday, /' 's/<skipped/<omitted/' \
  's/ time="/&-/' 's/<system-out *.>//' 's/<testcase .*name="[^"]*"/<testcase classname="a" name="b"/' 's/<testsuites>/<suites>/'; do
  spoil "$edit"
done
