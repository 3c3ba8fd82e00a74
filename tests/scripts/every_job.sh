#!/usr/bin/env bash
# Every job of `./run help`, at small cost, as a machine that has nothing is asked it: the job does its work, or refuses in one
# line that says what is missing.   usage: every_job.sh [PATTERN...]      only jobs that match one
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The exit statuses that are right, and the job. 1: a peer fails laws. 2: refused. 3: a peer dies of some. `merge` takes what the
# line above it wrote: ask for both.
jobs() {
  cat <<END_OF_JOBS
0  help
0  conform --count 50
0  test
0  build
0  package
0  format
0  tidy spec/laws/laws.cpp
0  conform --count 50 --shard 1/1 --json $scratch/shard.json
0  merge $scratch/shard.json
13 conform --peer pycute --count 50
13 conform --peer torch-pycute --count 50
13 conform --peer tensor-layouts --count 50
01 conform --peer cute-static --law composition_pointwise --count 5
13 conform --peer cute-dynamic --count 50
13 conform --peer cute-dsl --count 50
2  conform --peer tract
13 conform --peer tensor-layouts --release 0.3.1 --count 16
0  conform --peer extracted --count 50
0  conform --peer relations --count 16
1  conform --peer triton --count 16
0  peers --count 5
0  strength
0  figures
0  site
0  python
0  proofs
0  agree 2000
0  fuzz --time 20s
0  fuzz --sanitize --time 20s
0  fuzz --engine afl --time 20s
01 fuzz --peer pycute --time 20s
0  fuzz --defects 1
0  mutants
2  mutants --help
0  mutants --all --shard 1/2000
0  coverage
0  bench
02 bench gemm
02 bench kernels
02 gpu
02 gpu --sanitize
END_OF_JOBS
}

# ask STATUSES JOB...: says what became of it, in a line, and more where that is wrong.
ask() {
  local status=0 job=${*:2} last
  SECONDS=0
  ./run "${@:2}" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
  last=$(tail -n 1 "$scratch/err")
  if [[ $1 != *"$status"* ]]; then
    printf 'FAILS    ./run %s (exit status %s)\n' "$job" "$status"
    tail -n 20 "$scratch/out" "$scratch/err" | sed 's/^/    /'
    return 1
  elif ((status != 2)); then
    printf 'works    ./run %s (%s s)\n' "$job" "$SECONDS"
  elif [[ $(wc -l <"$scratch/err") == 1 && ! -s $scratch/out && $last == "run: "* ]]; then
    printf 'refuses  ./run %s: %s\n' "$job" "$last"
  else
    printf 'FAILS    ./run %s refuses, in more than one line\n' "$job"
    sed 's/^/    /' "$scratch/out" "$scratch/err"
    return 1
  fi
}

failed=0
while read -r each; do
  grep -q "^[0-9]* *$each\b" <(jobs) || { echo "FAILS    nothing here asks ./run $each" && failed=1; }
done < <(./run help | sed -n 's/^  \([a-z]\+\).*/\1/p')
while read -r -a words; do
  job=${words[*]:1}
  (($# == 0)) || grep -qE "$(IFS='|' && echo "$*")" <<<"$job" || continue
  ask "${words[@]}" || failed=1
done < <(jobs)
exit "$failed"
