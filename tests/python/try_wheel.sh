#!/usr/bin/env bash
# Installs a wheel where nothing else is, and runs its tests there, with this checkout out of sight where that can be.
#   try_wheel.sh PYTHON WHEEL
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

here=$(CDPATH="" cd -- "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
"$1" -m venv "$home/venv"
cp "$2" "$home"
cp -r "$here/tests" "$here/notebooks" "$here/../../spec/guide/python.md" "$home"
cd "$home"
export PATH=$home/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1

# hidden COMMAND...: with an empty folder where the checkout is.
hidden() {
  local root
  root=$(dirname "$(dirname "$here")")
  if unshare --user --map-root-user --mount mount -t tmpfs none "$root" 2>/dev/null; then
    # shellcheck disable=SC2016  # for the inner shell
    unshare --user --map-root-user --mount bash -c 'mount -t tmpfs none "$0" && exec "$@"' "$root" "$@"
  else
    "$@"
  fi
}

pip install --quiet --disable-pip-version-check --no-index ./*.whl
hidden python -c 'import colex_layouts as cx; assert cx.composition("(6,2):(8,2)", "(4,3):(3,1)").size() == 12'
hidden colex ask size 4:1
pip install --quiet --disable-pip-version-check pytest==9.2.0 pytest-xdist==3.8.0 numpy mypy==2.4.1 tqdm \
  'hypothesis==6.170.15; python_version >= "3.11"' 'hypothesis==6.168.5; python_version < "3.11"' nbclient ipykernel nbformat
hidden python -m pytest -q -p no:cacheprovider tests
hidden python -m doctest python.md
hidden mypy --strict -p colex_layouts --ignore-missing-imports
hidden mypy --strict tests/typed.py
# The stub has the names that the extension has. (mypy's stubtest does not know nanobind's functions.)
hidden python - <<'END_OF_NAMES'
import ast, pathlib, colex_layouts._colex as made
tree = ast.parse(pathlib.Path(made.__file__).with_name("_colex.pyi").read_text())
told = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")}
lacks = told ^ {n for n in vars(made) if not n.startswith("_")}
assert not lacks, f"in the stub or in the extension alone: {sorted(lacks)}"
END_OF_NAMES
