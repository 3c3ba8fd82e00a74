#!/usr/bin/env bash
# A project of a stranger's, built against an installed copy.   usage: example.sh BUILD
# Where that lies the name has spaces, and what lies beside it under the first word of that name stays.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
at="$1/example of use"
mkdir -p "$1/example"
touch "$1/example/kept"
rm -rf -- "$at"
cmake --install "$1" --prefix "$at/installed" >/dev/null
cmake -G Ninja -S tests/example -B "$at/build" -DCMAKE_PREFIX_PATH="$at/installed" -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build "$at/build"
ctest --test-dir "$at/build" --output-on-failure
[[ -e $1/example/kept ]] || { echo "a folder beside it is gone" && exit 1; }
