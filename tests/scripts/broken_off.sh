#!/usr/bin/env bash
# An unpacking that breaks off leaves nothing that the next ./run takes for whole; mutants that do not compile are not judged; what
# cannot be installed is not asked: of a checkout without sources, with a pip, a python and a ninja that do so.
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016  # what is written expands when it runs
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
home=$folder/checkout/build/peers/torch-pycute
mkdir -p "$home/bin" "$folder/bin"
for each in cmake ninja apt-get sudo; do ln -s "$(type -P false)" "$folder/bin/$each"; done
PATH=$folder/bin:$PATH
cp --parents run tests/peers/peers.sh "$folder/checkout"
echo typing_extensions >"$home/ready"
printf '#!/bin/sh\n' >"$home/bin/pip"
printf '#!/bin/sh\nmkdir -p "$3/part/torch" && exit "${PYTHON_ENDS:-1}"\n' >"$home/bin/python"
chmod +x "$home/bin/"*

status=0
"$folder/checkout/run" conform --peer torch-pycute 2>"$folder/said" || status=$?
[[ $status == 2 && ! -e $home/torch && $(tail -n 1 "$folder/said") == "run: could not unpack torch" ]] ||
  { echo "exit status $status, and:" && cat "$folder/said" && exit 1; }
mkdir -p "$home/part/torch/old" "$home/wheel"
PYTHON_ENDS=0 "$folder/checkout/run" conform --peer torch-pycute 2>"$folder/said" || true
[[ -d $home/torch && ! -e $home/torch/old ]] || { echo "what was left before is in it:" && cat "$folder/said" && exit 1; }

home=$folder/checkout/build/peers/planter
mkdir -p "$home/bin"
echo clang==14.0 >"$home/ready"
printf '#!/bin/sh\necho "$1" >>"%s/asked"\n' "$folder" >"$home/bin/python"
chmod +x "$home/bin/python"
for each in cmake apt-get sudo clang++; do ln -sf "$(type -P true)" "$folder/bin/$each"; done
status=0
"$folder/checkout/run" mutants --all plans 2>"$folder/said" || status=$?
{ [[ $status == 1 && $(cat "$folder/said") == "run: it does not compile" ]] && ! grep mutation_score "$folder/asked"; } ||
  { echo "exit status $status, and:" && cat "$folder/said" && exit 1; }

ln -sf "$(type -P false)" "$folder/bin/python3"
ln -s "$(type -P true)" "$folder/bin/shellcheck"
status=0
"$folder/checkout/run" format 2>"$folder/said" || status=$?
[[ $status == 2 && $(tail -n 1 "$folder/said") == "run: could not install "*ruff* ]] ||
  { echo "exit status $status, and:" && cat "$folder/said" && exit 1; }

env -u PYCUTE_NVLABS_PATH "$folder/checkout/run" peers --install 2>"$folder/said" || { cat "$folder/said" && exit 1; }
installed=$(cut -f 1 "$folder/checkout/build/peers/installed")
[[ $installed == torch-pycute ]] || { echo "installed, though no Python is there: $installed" && exit 1; }
