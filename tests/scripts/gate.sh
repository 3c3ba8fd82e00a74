#!/usr/bin/env bash
# What .ci/gate makes of the texts that a pipeline gives: words as a shell quotes them, patterns expanded, nothing run. Beside a
# `run` that says what it is asked, in a folder whose name has spaces. And what it makes of a baseline.   gate.sh COLEX BROKEN
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016  # nothing here is to expand
set -euo pipefail
colex=$(realpath "$1") broken=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/a checkout/.ci" "$folder/job/the shards/1" "$folder/job/the shards/2"
cp .ci/gate "$folder/a checkout/.ci"
cat >"$folder/a checkout/run" <<'END'
#!/bin/sh
printf '<%s>' "$@"
for each; do case $each in --markdown=*) : >"${each#*=}" ;; esac done
exit 3
END
chmod +x "$folder/a checkout/run"
touch "$folder/job/the shards/"{1,2}/report.json
cd "$folder/job"

ask() {  # VARIABLE=TEXT...: sets said and status, and nothing may have been run
  status=0
  said=$(env "$@" "$folder/a checkout/.ci/gate" 2>&1) || status=$?
  [[ ! -e pwned ]] || { echo "$* was run" && exit 1; }
}
asked() {  # STATUS WORDS VARIABLE=TEXT...: asks for those last words, and ends so
  ask "${@:3}"
  [[ $status == "$1" && $said == *"$2" ]] || { echo "${*:3}: exit status $status, and: $said" && exit 1; }
}

asked 3 '<--><./my adapter><--x><a b>' COLEX_PROGRAM="'./my adapter' --x \"a b\""
asked 3 '<--><a><$(touch><pwned)*>' COLEX_PROGRAM='a $(touch pwned)*'
asked 3 '<--><a><;><touch><pwned>' COLEX_PROGRAM='a ; touch pwned'
asked 2 'unmatched single quote; by default quotes are special to xargs unless you use the -0 option' COLEX_PROGRAM="it's"
asked 3 '<the shards/1/report.json><the shards/2/report.json>' COLEX_MERGE="'the shards'/*/report.json"
asked 3 '<$(touch><pwned)x>' COLEX_MERGE='$(touch pwned)x'
asked 3 '<`touch><pwned`>' COLEX_MERGE='`touch pwned`'
asked 3 '<;><touch><pwned>' COLEX_MERGE='; touch pwned'
asked 3 '<--><a>' COLEX_PROGRAM=a COLEX_REPORTS='$(touch pwned)/`touch pwned`'
# Every other input goes on as it is, as the value of its option.
for input in LEVEL SEED TIME SINCE BASELINE SHARD REQUIRE_OPS; do
  option=${input,,}
  for text in '$(touch pwned)x' '`touch pwned`' '; touch pwned' '"; touch pwned; "' "'" '*' --peer $'a\ntouch pwned'; do
    ask COLEX_PROGRAM=a COLEX_$input="$text"
    [[ $said == *"<--${option//_/-}=$text>"*"<--><a>" ]] || { echo "COLEX_$input=$text: $said" && exit 1; }
  done
done

# A `run` that judges, by few laws. What passed before and is not judged any more fails, unless it may.
cat >"$folder/a checkout/run" <<END
#!/bin/sh
shift
exec "$colex" conform --op coalesce --count 20 "\$@"
END
judged() {  # STATUS MODE VARIABLE=TEXT...
  local status=0
  env COLEX_PROGRAM="'$broken' $2 coalesce" "${@:3}" "$folder/a checkout/.ci/gate" >/dev/null 2>&1 || status=$?
  [[ $status == "$1" ]] || { echo "$2 ${*:3}: exit status $status, not $1" && cat colex-report/report.txt && exit 1; }
}
judged 0 honest
grep -q '^offers coalesce$' colex-report/baseline.txt
mv colex-report/baseline.txt before.txt
judged 0 honest COLEX_BASELINE=before.txt COLEX_REQUIRE_OPS=coalesce
judged 1 unsupported COLEX_BASELINE=before.txt
grep -q '^lost: coalesce was offered' colex-report/report.txt
judged 1 unsupported COLEX_BASELINE=before.txt COLEX_ALLOW_LOST=true COLEX_REQUIRE_OPS=coalesce
judged 1 wrong COLEX_BASELINE=before.txt COLEX_ALLOW_LOST=true

# Of what does not greet there is no report, and report.txt says why.
judged 3 no_such_mode COLEX_REPORTS=none GITHUB_STEP_SUMMARY="$PWD/summary"
[[ $(ls none) == report.txt ]] || { ls none && exit 1; }
grep -q "^colex: .* exited with status 2; it said: usage: .* before it answered 'hello'$" none/report.txt
grep -qx 'gate: ended with 3 before anything was judged; of this run there is report.txt alone' none/report.txt
cmp summary none/report.txt
