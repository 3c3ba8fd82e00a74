#!/usr/bin/env bash
# Makes the book and checks it; skipped where what makes it is not installed. `./run site` installs it.
#   test.sh BUILD_FOLDER
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

here=$(CDPATH="" cd -- "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python=$1/peers/book/bin/python
cmp -s "$here/requirements.txt" "$1/peers/book/ready" || { echo "skipped: no Sphinx; \`./run site\` installs it" && exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$here/make.sh" "$folder" "$1"
PYTHONDONTWRITEBYTECODE=1 "$python" "$here/check.py" "$folder" "$1/colex"
