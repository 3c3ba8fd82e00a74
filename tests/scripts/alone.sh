#!/usr/bin/env bash
# While one ./run installs or builds, another of the same checkout waits and says so once; what a ./run calls does not wait, and
# help builds nothing.
# Of a checkout without sources, with a cmake that builds nothing.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
checkout="$folder/a checkout"
mkdir -p "$folder/bin" "$checkout/build"
cp --parents run tests/peers/peers.sh "$checkout"
for each in cmake ninja apt-get sudo; do
  printf '#!/bin/sh\necho "%s" >>"%s/called"\n' "$each" "$folder" >"$folder/bin/$each"
  chmod +x "$folder/bin/$each"
done
PATH=$folder/bin:$PATH

fails() { echo "$*" && exit 1; }
called() { grep -qs ninja "$folder/called"; }

exec 8>"$checkout/build/.lock"
flock 8
COLEX_ALONE=$checkout "$checkout/run" build 8>&- 2>"$folder/said"
called || fails "what a ./run calls does nothing"
rm "$folder/called"
"$checkout/run" build 8>&- 2>"$folder/said" &
while kill -0 $! 2>/dev/null && [[ ! -s $folder/said ]]; do sleep 0.1; done
[[ ! -e $folder/called ]] || fails "it does not wait: $(cat "$folder/called")"
exec 8>&-
wait $!
called || fails "it does nothing afterwards"
[[ $(cat "$folder/said") == "run: waiting for another ./run in this checkout" ]] || fails "it says: $(cat "$folder/said")"

rm "$folder/called"
cp -r fuzz "$checkout"
"$checkout/run" fuzz --help >"$folder/said" || fails "fuzz --help ends with $?"
{ grep -q -- --sanitize "$folder/said" && ! called; } || fails "fuzz --help builds, or says: $(cat "$folder/said")"
