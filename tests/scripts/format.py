# Whether every file is as the formatters leave it, and what the linters of Python and shell say; --write mends what can be.
# No formatter knows proofs: their lines have 120 characters at most, their theorems three lines, behind a sentence in words.
#   format.py BIN [--write]      BIN: where clang-format and ruff are
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import shutil
import subprocess
import sys

from house import sources

ROOT = pathlib.Path(__file__).resolve().parents[2]


def ends(*endings):
    return lambda path: path.endswith(endings)


def is_shell(path):
    return b"sh" in (ROOT / path).read_bytes().split(b"\n", 1)[0] and (ROOT / path).read_bytes().startswith(b"#!")


def faults_of_proof(path):
    lines = (ROOT / path).read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > 120:
            yield f"{path}:{number}: {len(line)} characters"
        if line.startswith("Theorem "):
            statement = "\n".join(lines[number - 1 :]).split("Proof", 1)[0].count("\n")
            if statement > 3 or not lines[number - 2].rstrip().endswith("*)"):
                yield f"{path}:{number}: a theorem of {statement} lines, or without a sentence before it"


def main(bin_folder, write):
    where = f"{bin_folder}:{os.environ['PATH']}"
    if missing := [name for name in ("clang-format", "ruff", "shellcheck") if not shutil.which(name, path=where)]:
        print(f"skipped: no {missing[0]}; `./run test` and `./run format` install it")
        return 77
    files = [path for path in sources(ROOT) if (ROOT / path).is_file()]
    ruff = f"{bin_folder}/ruff"
    steps = [
        (
            [f"{bin_folder}/clang-format", *(["-i"] if write else ["--dry-run", "--Werror"])],
            ends(*".hpp .cpp .cu .cuh .h .c".split()),
        ),
        ([ruff, "format", "--quiet", *([] if write else ["--diff"])], ends(".py")),
        ([ruff, "check", "--quiet", *(["--fix"] if write else [])], ends(".py")),
        (["shellcheck"], is_shell),
    ]
    failed = False
    for command, wanted in steps:
        chosen = [f"./{path}" for path in files if wanted(path)]
        if not chosen:
            sys.exit(f"{command[0]}: no file of its kind is here")
        failed |= subprocess.run([*command, *chosen], cwd=ROOT).returncode != 0
        print(f"{pathlib.Path(command[0]).name}: {len(chosen)} files", flush=True)
    if faults := [fault for path in files if path.endswith(".v") for fault in faults_of_proof(path)]:
        failed = True
        print("\n".join(faults))
    if failed and not write:
        print("`./run format` mends what formatters can")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--write" in sys.argv[2:]))
