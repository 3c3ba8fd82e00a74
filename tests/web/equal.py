# The tool as WebAssembly says what the tool says: to cases, to what is malformed, in figures, with the same exit codes.
#   equal.py COLEX NODE COLEX.mjs COUNT    COUNT: of random requests, and of those that are asked again and again
# SPDX-License-Identifier: Apache-2.0
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


def requests():
    for file in [*sorted((ROOT / "spec/cases").glob("*.txt")), ROOT / "spec/laws.md", ROOT / "spec/errata.md"]:
        for line in file.read_text().splitlines():
            if m := re.match(r"([a-z]\w* .*?) [=~] ", line.split("#")[0].strip() + " "):
                yield m[1]


def drawn(count, seed=1):
    """Requests of the cases with arguments of others, one in three with a letter that is not its own."""
    random.seed(seed)
    words = [line.split() for line in requests()]
    at = {}
    for operation, *arguments in words:
        for place, argument in enumerate(arguments):
            at.setdefault((operation, place), []).append(argument)
    letters = "0123456789(),:<>@o_-?= SXw"
    for _ in range(count):
        operation, *arguments = random.choice(words)
        line = " ".join([operation, *(random.choice(at[operation, place]) for place in range(len(arguments)))])
        for _ in range(random.choice((0, 0, 1))):
            place = random.randrange(len(line))
            line = line[:place] + random.choice(letters) + line[place + random.choice((0, 1)) :]
        yield line.strip()


def said_by(program, words, asked=None):
    run = subprocess.run([*program, *words], input=asked, capture_output=True, text=True, cwd=ROOT)
    return run.returncode, run.stdout, run.stderr


def same_lines(tool, wasm, count):
    asked = [*requests(), *BESIDES, *drawn(count)]
    assert len(asked) > 4000 + count, f"only {len(asked)} requests"
    answers = [said_by(program, ["ask", "--json"], "\n".join(asked) + "\n")[1].splitlines() for program in (tool, wasm)]
    assert all(len(a) == len(asked) for a in answers), [len(a) for a in answers]
    for line, right, said in zip(asked, *answers):
        assert right == said, f"{line}\n  {right}\n  {said}"
    print(len(asked), "requests")


def survives(node, wasm, count):
    """What a page asks, of random lines: no trap, no stall, no growing memory."""
    run = subprocess.run([node, HAMMER, wasm], input="\n".join(drawn(count, 2)), capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    print(run.stdout.strip())


def same_commands(tool, wasm):
    for words, status in COMMANDS:
        right, said = said_by(tool, words), said_by(wasm, words)
        assert right == said and said[0] == status, f"{words}\n  {right}\n  {said}"
    assert said_by(wasm, ["ask", "--peers", "all", "size 2:1"])[0] == 2  # there are no programs to ask
    print(len(COMMANDS), "commands")


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
    same_commands(tool, wasm)
    same_files(tool, wasm)
    survives(*wasm, count)
