#!/usr/bin/env bash
# Makes the book: static pages out of spec/, with the tool in the build folder, by Sphinx, installed there once.
#   make.sh OUT_FOLDER BUILD_FOLDER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

here=$(CDPATH="" cd -- "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# == 2)) || { echo "usage: make.sh OUT_FOLDER BUILD_FOLDER" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
sphinx=$build/peers/book source=$build/book

if ! cmp -s "$here/requirements.txt" "$sphinx/ready"; then
  python3 -m venv "$sphinx"
  "$sphinx/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$sphinx/ready"
fi
rm -rf "$source"
mkdir -p "$source"
PYTHONDONTWRITEBYTECODE=1 "$sphinx/bin/python" "$here/book.py" "$build/colex" "$source"
PYTHONDONTWRITEBYTECODE=1 "$sphinx/bin/python" -m sphinx --quiet --fail-on-warning --keep-going --jobs auto \
  -c "$here" -d "$source/.doctrees" "$source" "$out"
rm -rf "$out/.buildinfo" "$out/objects.inv" "$out/_sources"
