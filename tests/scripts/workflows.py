# What the workflows name is there: each foreign action is pinned to a commit, the same one everywhere, with its version beside
# it; each ./run JOB is one of `./run help`, each script a file, each input one of action.yml, and .ci/gate reads what it hands
# on.
#   workflows.py [FOLDER]      the checkout; this one when none is named
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import subprocess
import sys

ACTION = re.compile(r"^[ -]*uses:\s*([^@\s]+)(.*)$")
SCRIPT = re.compile(r"(?:^|[\s(])((?:\.ci|tests)/[\w./-]+)")


def jobs(root):
    said = subprocess.run(["bash", root / "run", "help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z]+)", said, re.M))


def uses(root, line, pins):
    """What is wrong with the action that a line uses."""
    action, pin = ACTION.search(line).groups()
    if action == "./":
        return
    if not re.fullmatch(r"@[0-9a-f]{40}  # v[\d.]+", pin):
        yield f"{action} is not pinned to a commit, with its version behind it"
    elif pins.setdefault(action, pin) != pin:
        yield f"{action} has another commit than elsewhere"


def inputs(root):
    """Those of action.yml; which of them no line hands on, and what is handed on that .ci/gate does not read."""
    text, gate = (root / "action.yml").read_text(), (root / ".ci/gate").read_text()
    names = set(re.findall(r"^  ([a-z-]+):$", text.split("inputs:")[1].split("runs:")[0], re.M))
    handed = dict(re.findall(r"(COLEX_\w+): \$\{\{ inputs\.([\w-]+) \}\}", text))
    wrong = [f"action.yml: {name} goes nowhere" for name in sorted(names - {*handed.values()})]
    wrong += [f".ci/gate does not read {variable}" for variable in handed if variable not in gate]
    return names, wrong


def wrong_in(root, path, known, names, pins):
    ours = False
    for number, line in enumerate((root / path).read_text().splitlines(), 1):
        wrong = []
        if ACTION.search(line):
            wrong, ours = list(uses(root, line, pins)), line.endswith("uses: ./")
        wrong += [f"no job is called {job}" for job in re.findall(r"\./run ([a-z]+)", line) if job not in known]
        wrong += [f"there is no {script}" for script in SCRIPT.findall(line) if not (root / script).exists()]
        given = re.match(r"          ([a-z-]+):", line)
        wrong += [f"action.yml has no input {given[1]}"] if ours and given and given[1] not in names else []
        yield from (f"{path}:{number}: {each}" for each in wrong)


def main(root):
    known, pins = jobs(root), {}
    names, wrong = inputs(root)
    paths = sorted(p.relative_to(root) for p in (root / ".github/workflows").glob("*.yml"))
    for path in paths:
        wrong += wrong_in(root, path, known, names, pins)
    print("\n".join(wrong) or f"{len(paths)} workflows, {len(pins)} actions, each pinned")
    return bool(wrong) or not pins


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(*sys.argv[1:]).resolve() if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2]))
