# Do the checks of this folder see what they are for? house.py every spelling of an #include, links.py every kind of link,
# examples.py a sample that is not what the tool prints, workflows.py what is not pinned or not there, counts.py a number
# that is not that of today, the proofs' checks what is assumed and what a theorem says. And does gate_score.py know a loss?
# usage: checks_test.py COLEX
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
colex = sys.argv[1]
asked = failed = 0


def said(check, files, *arguments):
    """The status and output of a check on a folder with those files; {} in an argument is that folder."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [sys.executable, HERE / check.replace("{}", folder), *(each.replace("{}", folder) for each in arguments)]
        run = subprocess.run(command, capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


def expect(name, got, status, *lines):
    """It ended so, and says all of these; where it fails, of nothing else."""
    global asked, failed
    asked += 1
    found = got[1].splitlines()
    if got[0] != status or any(line not in found for line in lines) or (status and len(found) > len(lines) + 1):
        failed += 1
        print(f"FAIL {name}: status {got[0]}, and:\n{got[1]}")


HOUSE = {"gpu/algebra/a.hpp": "", "tests/t.inc": "", "ref/algebra/r.cc": "", "spec/notation/n.hpp": "// no layout\n"}
for spelling, target in {
    '#include "gpu/algebra/a.hpp"': "gpu/algebra/a.hpp",
    '#  include "gpu/algebra/a.hpp"': "gpu/algebra/a.hpp",
    ' # include "../../gpu/algebra/a.hpp"': "gpu/algebra/a.hpp",
    "#include <gpu/algebra/a.hpp>": "gpu/algebra/a.hpp",
    "#include<gpu/algebra/a.hpp>": "gpu/algebra/a.hpp",
    '#/* so */include/**/"gpu/algebra/a.hpp"': "gpu/algebra/a.hpp",
    '#incl\\\nude "gpu/algebra/a.hpp"': "gpu/algebra/a.hpp",
    '%: include "gpu/algebra/a.hpp"': "gpu/algebra/a.hpp",
    'import "gpu/algebra/a.hpp";': "gpu/algebra/a.hpp",
    '#include "tests/t.inc"': "tests/t.inc",
    '#include "r.cc"\n#include "tests/t.inc"': "tests/t.inc",
}.items():
    got = said("house.py", HOUSE | {"ref/algebra/x.hpp": f"#pragma once\n{spelling}\n"}, "{}")
    expect(spelling, got, 1, f"ref/algebra/x.hpp includes {target}, which is no room below it")
got = said("house.py", HOUSE | {"ref/algebra/x.hpp": '#define THAT "gpu/algebra/a.hpp"\n#include THAT\n'}, "{}")
expect("a macro", got, 1, "ref/algebra/x.hpp includes THAT: what that is, only a compiler knows")
for name in ("x.inc", "x.cc", "x.inl"):
    got = said("house.py", HOUSE | {f"ref/algebra/{name}": '#include "gpu/algebra/a.hpp"\n'}, "{}")
    expect(name, got, 1, f"ref/algebra/{name} includes gpu/algebra/a.hpp, which is no room below it")
for text in (
    '// #include "gpu/algebra/a.hpp"',
    '/*\n#include "gpu/algebra/a.hpp"\n*/',
    'auto s = R"(\n#include "gpu/algebra/a.hpp"\n)";',
):
    expect(text, said("house.py", HOUSE | {"ref/algebra/x.hpp": f"{text}\n"}, "{}"), 0)

LINKS = {"spec/a.md": "# Head\n\n## Twice\n\n## Twice\n\n<a id='named'></a>\n", "spec/p.png": "", "spec/c.hpp": "1\n2\n3\n"}
GOOD = """[a](spec/a.md "title") [b](<spec/a.md#head>) ![p](spec/p.png 'title')
[![p](spec/p.png)](spec/a.md#twice-1) [n](spec/a.md#named)
[c](spec/c.hpp#L3) [d](spec/c.hpp#L1-L3) [e][here] [here][]
[f](https://nowhere.invalid/x) <img src="spec/p.png"> `[g](none.md)` x[i][j]

[here]: spec/a.md#head "title"

```
[h](none.md) `spec/none.md`
```

    [i](none.md) `spec/none.md`

- a list

    [j](spec/a.md)
"""
expect("links that lead somewhere", said("links.py", LINKS | {"R.md": GOOD}, "{}"), 0)
for link, what in {
    '[a](none.md "title")': "none.md",
    "[a](none.md 'title')": "none.md",
    "[a](<none.md>)": "none.md",
    "![a](none.png)": "none.png",
    "[![a](none.png)](spec/a.md)": "none.png",
    "[a](spec/a.md#none)": "spec/a.md#none",
    "[a](spec/a.md#twice-2)": "spec/a.md#twice-2",
    "[a](spec/c.hpp#L4)": "spec/c.hpp#L4",
    "[a](spec/c.hpp#L2-L9)": "spec/c.hpp#L2-L9",
    "[a](spec/c.hpp#head)": "spec/c.hpp#head",
    "[a][none]": "[none]",
    "[none][]": "[none]",
    "[a]: none.md": "none.md",
    "<img alt='a' src='none.png'>": "none.png",
    "`spec/none.md`": "spec/none.md",
    "``spec/none.md``": "spec/none.md",
    "- a list\n\n    [a](none.md)": "none.md",
}.items():
    expect(
        link, said("links.py", LINKS | {"R.md": f"{link}\n"}, "{}"), 1, f"R.md:{link.count(chr(10)) + 1}: {what} is not there"
    )

FLOW = {
    "run": "echo '  conform [OPTION]'",
    "action.yml": "inputs:\n  level:\nruns:\n  env:\n        COLEX_LEVEL: ${{ inputs.level }}\n",
    ".ci/gate": "echo $COLEX_LEVEL",
    ".github/workflows/other.yml": f"      - uses: o/n@{'a' * 40}  # v1\n",
}
GOOD = (
    f"      - uses: ./\n        with:\n          level: core\n      - run: ./run conform\n      - uses: o/n@{'a' * 40}  # v1\n"
)
for text, wrong in {
    GOOD: "",
    GOOD.replace("a" * 40, "v1"): "5: o/n is not pinned to a commit, with its version behind it",
    GOOD.replace("  # v1", ""): "5: o/n is not pinned to a commit, with its version behind it",
    GOOD.replace("a" * 40, "b" * 40): "5: o/n has another commit than elsewhere",
    GOOD.replace("level", "depth"): "3: action.yml has no input depth",
    GOOD.replace("run conform", "run conforms"): "4: no job is called conforms",
    GOOD.replace("./run conform", "tests/none.sh"): "4: there is no tests/none.sh",
}.items():
    got = said("workflows.py", FLOW | {".github/workflows/z.yml": text}, "{}")
    expect(f"a workflow: {wrong}", got, bool(wrong), *[f".github/workflows/z.yml:{wrong}"][: bool(wrong)])
for text, wrong in {"echo": ".ci/gate does not read COLEX_LEVEL", "echo $COLEX_LEVEL": ""}.items():
    expect(f"a gate: {text}", said("workflows.py", FLOW | {".ci/gate": text}, "{}"), bool(wrong), *[wrong][: bool(wrong)])

SAMPLE = "A sample:\n\n    FAIL " + (HERE.parents[1] / "README.md").read_text().split("\n    FAIL ")[1].split("\n\n")[0] + "\n"
expect("the sample of README.md", said("examples.py", {"R.md": SAMPLE}, colex, "{}/R.md"), 0, "1 examples, 0 differ")
for text, other in {
    "i = 3": "i = 2",
    "right  1": "right  2",
    "laws.md:": "lows.md:",
    "(1,1) = (2,2):(1,1)": "(1,1) = (2,2):(2,3)",
    "    law ": "    row ",
}.items():
    status, _ = said("examples.py", {"R.md": SAMPLE.replace(text, other)}, colex, "{}/R.md")
    expect(f"a sample with {other}", (status, ""), 1)

COUNTED = {
    name: (HERE.parents[1] / name).read_text()
    for name in ("README.md", "spec/guide/judge.md", "spec/guide/gemm.md", "tests/plans/plans.txt")
}
expect("numbers as they are", said("counts.py", COUNTED, colex, "{}"), 0)
for name, number, other, what in (
    ("README.md", r"\d+( of \d+ laws)", r"1\1", "README.md: '1 of "),
    ("README.md", r"\w+( implementations in use were)", r"Three\1", "README.md: 'Three implementations "),
    ("README.md", r"(bf16 )\d+( beside)", r"\g<1>12\2", "README.md: 'bf16 12 "),
    ("spec/guide/gemm.md", r"(\| sm90 \| )\d+", r"\g<1>7", "spec/guide/gemm.md: '| sm90 | 7 |'"),
    ("tests/plans/plans.txt", r"sm80_(\w+: chips)", r"sm75_\1", "spec/guide/gemm.md: '| sm75 |"),
    ("README.md", "laws are proved", "laws were proved", "README.md: there is no "),
):
    status, out = said("counts.py", COUNTED | {name: re.sub(number, other, COUNTED[name], count=1)}, colex, "{}")
    expect(f"another number: {what}", (1 - (status == 1 and what in out), out), 0)

PROOFS = HERE.parents[1] / "proofs"
CHECKS = {f"tools/{name}": (PROOFS / "tools" / name).read_text() for name in ("check.py", "hypotheses.py", "statements.py")}
for text, what in {
    "Axiom a : False.": "'Axiom' stands there",
    "Section S.\nVariable a : False.\nEnd S.": "'Variable' stands there",
    "Declare Instance a : False.": "'Declare Instance' stands there",
    "Admit Obligations.": "'Admit' stands there",
    "Context (a : False).": "'Context' stands outside of a section",
    "Section S.\nEnd S.\nContext (a : False).": "'Context' stands outside of a section",
    "Section S.\nSection T.\nEnd T.\nEnd S.\nContext (a : False).": "'Context' stands outside of a section",
    "Section S.\nSection T.\nContext (a : False).\nEnd T.\nContext (a : False).\nEnd S.\nAxiom a : False. (* (* *) *)": (
        "'Axiom' stands there"
    ),
}.items():
    got = said("{}/tools/check.py", CHECKS | {"algebra/X.v": f"{text}\n"}, "{}")
    expect(text, got, 1, f"proofs: X.v: {what}")

SAYS = (PROOFS / "statements.txt").read_text()
PINNED = CHECKS | {"statements.txt": SAYS, "log": SAYS}
expect("statements as they are", said("{}/tools/statements.py", PINNED, "{}/log"), 0)
for name, other in {
    "plan_computes_product": re.sub(r" *plan_lawful p = true ->\n(?= *Plans\.runs p K splits)", "", SAYS, count=1),
    "size_product": SAYS.replace(
        "@size_product\n     : forall (D : Type) (A : layout D), size A = ", "@size_product\n     : 1 = "
    ),
    "rank_definition": SAYS.split("\n", 2)[2],
}.items():
    status, out = said("{}/tools/statements.py", PINNED | {"log": other}, "{}/log")
    expect(f"another {name}", (1 - (status == 1 and f"proofs: {name} says" in out and "and in statements.txt" in out), out), 0)

# What sources disagree on may be answered in any way: who changes that alone loses nothing.
SCRIBBLE = {
    "scribble/__init__.py": """def crd2idx(c, s):
    if isinstance(c, int):
        if c < 0:
            raise ValueError("negative")
        return c
    index, n = 0, 1
    for x, part in zip(c, s, strict=True):
        index, n = index + n * crd2idx(x, part), n * size(part)
    return index
def size(s):
    return s if isinstance(s, int) else size(s[0]) * size(s[1:]) if s else 1
""",
    "adapter/adapter.py": f"""import sys
sys.path.append("{HERE.parent}/peers")
import scribble
from wire import no_kind, reader, serve
serve("scribble", "1", dict(crd2idx=lambda c, s: scribble.crd2idx(c, s)), reader(no_kind))
""",
    "mutants.json": """[{"compiles": true, "path": "scribble/__init__.py", "file": "scribble/__init__.py", "line": 4,
        "text": "            return 7\\n", "function": "crd2idx", "change": "raise -> return"}]""",
}
AT = ("{}/mutants.json", "{}/scribble", "{}/adapter/adapter.py", colex, "1", "1")
expect("a mutant of what is unspecified", said("../mutation/gate_score.py", SCRIBBLE, *AT), 0, "   1 right as well")

print(f"{asked - failed} passed, {failed} failed")
sys.exit(failed > 0)
