# What the playground knows beside the engine, as JSON: the operations and atoms of the tool, what implementations answered.
#   data.py COLEX SPEC > data.json    COLEX: the tool; SPEC: the folder spec/
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).with_name("book")))
import documents  # noqa: E402

# What `draw` takes besides operations, in the words of its help.
PICTURES = [
    ("layout", "a layout or view", "A:tensor", "(4,(2,2)):(2,(1,8))"),
    ("swizzle", "a swizzle", "Sw:swizzle", "Sw<2,0,2>"),
    ("atom", "an atom", "ATOM:name", "SM80_16x8x16_F32F16F16F32_TN"),
    ("tv", "a thread-value layout", "TV:layout SHAPE:integers", "tv ((2,4),(2,2)):((8,1),(4,16)) (4,8)"),
    ("tiled_mma", "a tiled MMA", "ATOM:name THR:layout T:modes",
     "tiled_mma SM90_16x8x4_F64F64F64F64_TN (2,2,1):(1,2,0) <_,_,_>"),
    ("tiled_copy", "a tiled copy", "COPY:name TYPE:name THR:layout VAL:layout",
     "tiled_copy UniversalCopy<uint128_t> half_t (16,2):(2,1) (1,8):(0,1)"),
    ("permutations", "permutations of rows among threads", "SIZE:integer THREADS:integer T:layout...",
     "permutations 128 16 (16,4):(4,1) (16,4):(1,16)"),
]  # fmt: skip
VALUES = {"layout", "swizzle", "atom"}  # asked without a word in front
TYPES = "half_t bfloat16_t float tfloat32_t double int8_t uint8_t int32_t float_e4m3_t float_e5m2_t".split()
FIELDS = "Shape_MNK ThrID ALayout BLayout CLayout SFALayout SFBLayout ELayout SrcLayout DstLayout RefLayout".split()


def pictures():
    for name, title, arguments, example in PICTURES:
        yield dict(
            operation=name, title=title, arguments=arguments, group="pictures", form=name not in VALUES,
            example={"request": example},
        )  # fmt: skip


def cells(row):
    return [cell.strip().removeprefix("`").removesuffix("`") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def found(text):
    """Of found.md: what each request was answered, by whom."""
    out = {}
    for section in text.split("\n### ")[1:]:
        request, why, right, *rest = section.split("\n\n")
        law = re.search(r"\[(\w+)\]", right)[1]
        reported = re.search(r"Reported: (.*?)\.$", right)
        answers = [cells(row) for part in rest for row in part.splitlines() if row.startswith("| ")]
        agree = next((part[9:].strip().rstrip(".") for part in rest if part.startswith("Right in ")), "")
        out[request.strip()] = dict(
            why=why, law=law, reported=reported[1] if reported else "", right=agree,
            answers=[row for row in answers if row[0] != "implementation"],
        )  # fmt: skip
    return out


def peers(text, operation_of):
    """Of peers.md: by operation, who breaks which law of it, and with what."""
    out = {}
    for section in text.split("\n## ")[1:]:
        name, *lines = section.splitlines()
        for law, *rest in (cells(line) for line in lines if line.startswith("| ")):
            if law in operation_of and len(rest) == 4:
                out.setdefault(operation_of[law], []).append([name, law, *rest])
    return out


def errata(text, operation_of):
    """Of errata.md: by operation, where CuTe or its documents are wrong about it."""
    out = {}
    for each in documents.errata(text):
        for operation in {operation_of[law] for law in each.laws if law in operation_of}:
            out.setdefault(operation, []).append(f"{each.number} {each.title}")
    return out


def cases(text):
    """Of laws.md: the first case of each law."""
    sections = (section.partition("\n") for section in text.split("\n#### ")[1:])
    return {name: re.search(r"^Cases: `(.*?) [=~] ", section, re.M)[1] for name, _, section in sections if "Cases: " in section}


def main(colex, spec):
    def asked(*words):
        return json.loads(subprocess.run([colex, *words, "--json"], check=True, capture_output=True, text=True).stdout)

    spec = pathlib.Path(spec)
    atoms = asked("atoms", "*")
    laws = json.loads(subprocess.run([colex, "laws", "--json"], check=True, capture_output=True, text=True).stdout)
    operation_of = {law["law"]: law["operation"] for law in laws}
    json.dump(
        dict(
            operations=[*pictures(), *asked("ops")],
            atoms={kind: [a["atom"] for a in atoms if a["operation"] == f"{kind}_atom"] for kind in ("mma", "copy")},
            types=TYPES,
            fields=FIELDS,
            laws=cases((spec / "laws.md").read_text()),
            found=found((spec / "found.md").read_text()),
            peers=peers((spec / "peers.md").read_text(), operation_of),
            errata=errata((spec / "errata.md").read_text(), operation_of),
        ),
        sys.stdout,
        separators=(",", ":"),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
