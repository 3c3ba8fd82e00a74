# The tool as WebAssembly says what the tool says: to cases, to what is malformed, in figures, with the same exit codes.
#   equal.py COLEX NODE COLEX.mjs COUNT    COUNT: of random requests, and of those that are asked again and again
# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
HAMMER = pathlib.Path(__file__).with_name("hammer.mjs")

# Spellings, and what is wrong at some place.
BESIDES = r"""coalesce((2, (1, 6)):(1, (6, 2)))
composition(Layout<Shape<_6,_2>,Stride<_8,_2>>{}, make_layout(make_shape(4, 3), make_stride(3, 1)));
(6,2):(8,2) o (4,3):(3,1)
composition (6,2:(8,2)
composition (6,2):(8,2)
composition (6,0):(8,2) 2:1
compositoin 2:1 2:1
mma_atom SM80_16x8x16_F32F16F16F32_T CLayout
size ∘
(4,8):(8,1)
SM75_U32x4_LDSM_N
size 99999999999999999999999999999:1""".splitlines()


def deep(extent, depth):
    return "(" * depth + str(extent) + ")" * depth


# What is deep, wide and long, just so much and a little more than a line may hold.
BESIDES += [f"flatten {deep(2, depth)}:{deep(1, depth)}" for depth in (255, 256, 257, 3000)]
BESIDES += [f"size {'9' * digits}:1" for digits in (4096, 4097)]
BESIDES += [f"cosize ({','.join(['2'] * 20000)})", f"size {'(' * 600000}", f"size {'1' * 1000000}"]

COMMANDS = [
    (["ask", "composition (6,2):(1,7) (3,2):(2,3)"], 1),
    (["ask", "composition", "(6,2):(8,2)", "(4,3):(3,1)"], 0),
    (["ask", "--json", "size (4,2"], 2),
    (["explain", "composition (6,2):(1,7) (3,2):(2,3)"], 1),
    (["explain", "zipped_divide (9,(4,8)):(59,(13,1)) <3:3,(2,4):(1,8)>"], 0),
    (["explain", "bank_conflict_phases Sw<2,3,3>o0o(8,4):(64,8) 16b SM75_U32x4_LDSM_N"], 0),
    (["explain", "shape_div (6,4) 4"], 1),
    (["explain", "2:1"], 2),
    (["solve", "composition (4,8):(8,1) ? = 32:1"], 0),
    (["solve", "composition 4:2 ? = 4:1"], 1),
    (["solve", "? = ?"], 2),
    (["draw", "(4,8):(8,1)", "--svg"], 0),
    (["draw", "(4,8):(8,1)", "--latex", "--highlight", "5"], 0),
    (["draw", "SM80_16x8x16_F32F16F16F32_TN", "--text", "--width", "80"], 0),
    (["draw", "composition (6,2):(1,7) (3,2):(2,3)"], 1),
    (["draw", "(5000,5000):(1,5000)"], 2),
    (["draw", "(4,8):(8,1)", "--banks", "x"], 2),
    (["draw"], 2),
    (["--version"], 0),
    (["nothing"], 2),
]


def requests(tool):
    """Of the cases, and an example of each operation."""
    operations = json.loads(said_by(tool, ["ops", "--json"])[1])
    names = {each["operation"] for each in operations}
    yield from (each["example"]["request"] for each in operations)
    for file in [*sorted((ROOT / "spec/cases").glob("*.txt")), ROOT / "spec/laws.md", ROOT / "spec/errata.md"]:
        for line in file.read_text().splitlines():
            if m := re.match(r"([a-z]\w* .*?) [=~] ", line.split("#")[0].strip() + " "):
                if m[1].split()[0] in names:
                    yield m[1]


# ---- random requests ----

LONGEST = 100000
LETTERS = "0123456789(),:<>@o_-?= SXw"
# Of other alphabets and of none, and bytes that are no text.
SIGNS = [*"\0\1\t\v\r\x1b\x7f\xa0é∘𝔸٣１", "\u202e", "\u2028", "\ufeff", "\u0301", "\udcff", "\udcc3"]
NUMBERS = [
    *(str(2**bits + by) for bits in (31, 32, 63, 64, 128) for by in (-1, 0, 1)),
    "9" * 400,
    "9" * 4096,
    "0",
    "-1",
    "-0",
    "1e9",
    "0x10",
]


def with_letter(line, place):
    return line[:place] + random.choice(LETTERS) + line[place + random.choice((0, 1)) :]


def with_sign(line, place):
    return line[:place] + random.choice(SIGNS) * random.choice((1, 3)) + line[place:]


def with_number(line, place):
    """In the place of one number or of all."""
    number = random.choice(NUMBERS)
    return re.sub(r"\d+", lambda _: number, line[:place]) + re.sub(r"\d+", number, line[place:], count=1)


def with_depth(line, place):
    depth = random.choice((5, 100, 257, 3000))
    return line[:place] + "(" * depth + line[place:] + ")" * random.choice((0, depth))


def with_length(line, place):
    return line[:place] + line[place // 2 : place] * random.choice((2, 10, 500)) + line[place:]


def cut(line, place):
    return line[:place] or "("


MANGLED = (with_letter, with_letter, with_sign, with_number, with_number, with_depth, with_length, cut)


def drawn(known, count, seed=1):
    """Requests of every operation with arguments of others like them; one in two is mangled, some of these again and again."""
    random.seed(seed)
    at, forms = {}, {}
    for operation, *arguments in map(str.split, known):
        forms.setdefault(operation, []).append(len(arguments))
        for place, argument in enumerate(arguments):
            at.setdefault((operation, place), []).append(argument)
    for _ in range(count):
        operation = random.choice(list(forms))
        line = " ".join([operation, *(random.choice(at[operation, place]) for place in range(random.choice(forms[operation])))])
        for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
            line = random.choice(MANGLED)(line, random.randrange(len(line)))
        yield line[:LONGEST]


def said_by(program, words, asked=None):
    """Exit code, output and complaints; bytes that are no text are kept."""
    run = subprocess.run([*program, *words], input=asked and os.fsencode(asked), capture_output=True, cwd=ROOT)
    return run.returncode, os.fsdecode(run.stdout), os.fsdecode(run.stderr)


def same_lines(tool, wasm, count):
    known = list(requests(tool))
    asked = [*known, *BESIDES, *drawn(known, count)]
    assert len(asked) > 4000 + count, f"only {len(asked)} requests"
    answers = [said_by(program, ["ask", "--json"], "\n".join(asked) + "\n")[1].split("\n")[:-1] for program in (tool, wasm)]
    assert all(len(a) == len(asked) for a in answers), [len(a) for a in answers]
    for line, right, said in zip(asked, *answers):
        assert right == said, f"{line}\n  {right}\n  {said}"
    print(len(asked), "requests")


def survives(tool, wasm, count):
    """What a page asks, of random lines: no trap, no stall, no growing memory."""
    lines = "\n".join(drawn(list(requests(tool)), count, 2))
    status, said, complaints = said_by([wasm[0], HAMMER, *wasm[1:]], [], lines)
    assert status == 0, said + complaints
    print(said.strip())


def same_commands(tool, wasm, count):
    for words, status in COMMANDS:
        right, said = said_by(tool, words), said_by(wasm, words)
        assert right == said and said[0] == status, f"{words}\n  {right}\n  {said}"
    # A byte that is no text does not reach a program of node's.
    lines = [line for line in drawn(list(requests(tool)), count // 50, 3) if line.isprintable()]
    for words in ([command, line] for line in lines for command in ("ask", "explain", "draw")):
        right, said = said_by(tool, words), said_by(wasm, words)
        assert right == said, f"{words}\n  {right}\n  {said}"
    assert said_by(wasm, ["ask", "--peers", "all", "size 2:1"])[0] == 2  # there are no programs to ask
    print(len(COMMANDS) + 3 * len(lines), "commands")


def same_files(tool, wasm):
    with tempfile.TemporaryDirectory() as folder:
        for program, name in ((tool, "a.svg"), (wasm, "b.svg")):
            assert said_by(program, ["draw", "(4,8):(8,1)", "-o", f"{folder}/{name}"])[0] == 0
        a, b = (pathlib.Path(folder, name).read_bytes() for name in ("a.svg", "b.svg"))
        assert a and a == b
        assert said_by(wasm, ["draw", "2:1", "-o", f"{folder}/none/a.svg"])[0] == 2
    status, said, _ = said_by(wasm, ["figures", "spec/figures", "--check"])
    assert status == 0, said
    print(said.strip())


if __name__ == "__main__":
    tool, wasm, count = sys.argv[1:2], sys.argv[2:4], int(sys.argv[4])
    same_lines(tool, wasm, count)
    same_commands(tool, wasm, count)
    same_files(tool, wasm)
    survives(tool, wasm, count)
