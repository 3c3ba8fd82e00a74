# The rooms: where a folder may look, how many entries it may have, and that no two units include each other. However an
# #include is spelled; one that a macro spells is refused.
#   house.py [FOLDER]      the checkout; this one when none is named
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import subprocess
import sys

MOST = 30
CODE = re.compile(r"\.(hpp|cpp|cuh?|hh?|cc?|[hc]xx|[hc]\+\+|inc|inl|ipp|tpp|ixx|cppm|def)$")
COMMENT = re.compile(
    r"""(?P<kept>R"(?P<mark>[^\s(]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?\*/""", re.S
)
DIRECTIVE = re.compile(
    r"""^\s*(?:(?:\#|%:|\?\?=)\s*(?:include|include_next|import)\b|(?:export\s+)?import(?=\s*[<"]))[ \t]*(.*)$""", re.M
)
GENERATED = ("spec/cases", "spec/figures")  # as many entries as there are operations and pictures

# Each room may include itself and the rooms before it in its own row, and what `BESIDE` adds.
ROWS = [
    ["spec/notation", "spec", "spec/laws"],
    ["ref/algebra", "ref/atoms", "ref"],
    ["gpu/algebra", "gpu/atoms", "gpu/plans", "gpu/kernels/common", "gpu/kernels", "gpu/gemm"],
    ["gpu/algebra", "gpu/atoms", "gpu/wire"],
    ["tests/suite/arguments", "tests/suite/peer", "tests/suite/judge", "tests/suite/report", "tests/suite/explain"]
    + ["tests/suite/picture", "tests/suite/commands", "tests/suite"],
    ["tests", "fuzz/engine", "fuzz"],
]
BESIDE = {"ref": ["spec"], "gpu/wire": ["spec"], "tests/suite": ["spec", "ref", "gpu"]}
BESIDE["tests"] = BESIDE["fuzz"] = BESIDE["cmake"] = ["spec", "ref", "gpu", "tests"]


def within(path, room):
    return path == room or path.startswith(room + "/")


def room_of(path, row):
    """The innermost room of a row that a file lies in."""
    return max((room for room in row if within(path, room)), key=len, default=None)


def may_include(path, target):
    beside = [room for at, rooms in BESIDE.items() if within(path, at) for room in rooms]
    suite = within(path, "tests/suite")
    if any(within(target, room) for room in beside) and not (suite and within(target, "tests")):
        return True
    for row in ROWS:
        here, there = room_of(path, row), room_of(target, row)
        if here and there and row.index(there) <= row.index(here):
            return not (within(path, "tests") and suite != within(target, "tests/suite"))
    return False


def sources(root):
    try:
        command = ["git", "ls-files", "-coz", "--exclude-standard"]
        inside = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")
    except (FileNotFoundError, subprocess.CalledProcessError):  # no git, or no repository
        paths = (p.relative_to(root) for p in root.rglob("*") if p.is_file())
        inside = [str(p) for p in paths if not {"build", ".git"} & {*p.parts}]
    return sorted(path for path in inside if path and (root / path).exists())


def without_comments(text):
    """Lines that go on are joined; a literal of several lines is none."""
    keep = lambda m: (m["kept"] if "\n" not in m["kept"] else '""') if m["kept"] else " "
    return COMMENT.sub(keep, re.sub(r"\\\r?\n", "", text))


def included(root, path, files):
    """What a file includes of this checkout, as paths from its root; what no reader can follow, as it stands there."""
    for what in DIRECTIVE.findall(without_comments((root / path).read_text())):
        name = re.match(r'[<"]([^>"]+)[>"]', what)
        for base in (root, (root / path).parent) if name else ():
            target = (base / name[1]).resolve()
            if target.is_relative_to(root) and str(target.relative_to(root)) in files:
                yield str(target.relative_to(root))
                break
        if not name:
            yield what.strip()


def crowded(files):
    entries = {}
    for path in files:
        for parent in pathlib.PurePath(path).parents:
            below = pathlib.PurePath(path).relative_to(parent).parts[0]
            entries.setdefault(str(parent), set()).add(below)
    for folder, names in sorted(entries.items()):
        if len(names) > MOST and folder not in GENERATED:
            yield f"{folder} has {len(names)} entries, more than {MOST}"


def cycles(uses):
    """Units (a header and its source) that need each other."""
    done, path, found = set(), [], []

    def visit(unit):
        if unit in path:
            found.append(" -> ".join([*path[path.index(unit) :], unit]))
        elif unit not in done:
            path.append(unit)
            for other in sorted(uses.get(unit, ())):
                visit(other)
            path.pop()
            done.add(unit)

    for unit in sorted(uses):
        visit(unit)
    return found


def main(root):
    files = sources(root)
    code = {path for path in files if CODE.search(path)}
    wrong, uses = list(crowded(files)), {}
    for path in sorted(code):
        unit = path.rsplit(".", 1)[0]
        for target in included(root, path, {*files}):
            if target not in files:
                wrong.append(f"{path} includes {target}: what that is, only a compiler knows")
            elif not may_include(path, target):
                wrong.append(f"{path} includes {target}, which is no room below it")
            other = target.rsplit(".", 1)[0]
            if other != unit:
                uses.setdefault(unit, set()).add(other)
    wrong += [f"{cycle}: they need each other" for cycle in cycles(uses)]
    print("\n".join(wrong) or f"{len(code)} files of code, each where it belongs")
    return bool(wrong) or not code


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(*sys.argv[1:]).resolve() if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2]))
