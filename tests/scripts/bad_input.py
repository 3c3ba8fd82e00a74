# Feeds colex what nobody should have to survive and looks that it does: the promised exit status, a message a person can
# read (one line, then at most the text with a caret), no signal, no hang. The bundled ANSWER must answer each such line.
#   usage: bad_input.py COLEX ANSWER
# SPDX-License-Identifier: Apache-2.0
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

colex, answer = map(os.path.abspath, sys.argv[1:])
folder = tempfile.TemporaryDirectory()
asked = failed = 0


def write(name, text, mode=0o644):
    path = os.path.join(folder.name, name)
    with open(path, "w", encoding="latin1") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def program(name, body):
    return write(name, "#!/bin/sh\n" + body + "\n", 0o755)


def run(*arguments, **more):
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120} | more
    return subprocess.run([colex, *arguments], cwd=folder.name, stdin=subprocess.DEVNULL, **more)


def count(name, wrong, said):
    global asked, failed
    asked += 1
    failed += bool(wrong)
    if wrong:
        print(f"FAIL {name}: {', '.join(wrong)}")
        print("".join(f"    {line[:200]}\n" for line in said[:6]), end="")


def expect(name, ended, status, saying=".", lines=3):
    """Ended with that status, and said so in at most that many lines of plain text."""
    said = ended.stderr.decode("latin1").splitlines()
    wrong = []
    if ended.returncode != status:
        wrong.append(f"exit status {ended.returncode}, not {status}")
    if not re.search(saying, "\n".join(said)):
        wrong.append(f"no message like /{saying}/")
    if len(said) > lines or any(len(line) > 600 for line in said):
        wrong.append("a message too long to read")
    if any(not 32 <= ord(c) < 127 for line in said for c in line):
        wrong.append("a message that is not plain text")
    count(name, wrong, said)


malformed = {
    "empty": "",
    "blank": "  \t ",
    "unbalanced (": "size (4,2",
    "unbalanced )": "size 4,2)",
    "unbalanced stride": "size (4,2):(1,4",
    "unbalanced <": "composition 4:1 <2,3",
    "unbalanced Sw": "apply Sw<3,4,3 5",
    "trailing": "size 4:1:2",
    "trailing ,": "size (4,2),",
    "trailing o": "apply Sw<3,4,3>o0o 5",
    "empty element": "size (4,,2)",
    "zero extent": "size 0:1",
    "zero extent inside": "size (4,(2,0)):(1,(2,3))",
    "negative extent": "size -4:1",
    "incongruent": "size (4,2):1",
    "incongruent ranks": "size (4,2):(1,2,3)",
    "incongruent inside": "size (4,(2,2)):((1,2),3)",
    "deep": "size " + "(" * 50_000 + "1" + ")" * 50_000,
    "deep tilers": "composition 4:1 " + "<" * 50_000,
    "long integer": "size 4:" + "9" * 100_000,
    "a basis too wide": "f2_rank F2<2>(4)",
    "a negative basis": "f2_rank F2<2>(1,-1)",
    "bases and modes": "f2_rank F2<2>(1,(2))",
    "too many bits": "f2_rank F2<1001>()",
    "too many bases": "f2_rank F2<1>(" + "1," * 1000 + "1)",
    "unbalanced F2": "f2_rank F2<2",
    "F2 without bases": "f2_rank F2<2>",
    "a layout for a map": "f2_rank 4:1",
    "unknown operation": "frobnicate 4:1",
    "no atom": "mma_atom SM90_64x12x16_F16F16F16_SS ALayout",
    "no operation": "(4,2):(1,4)",
    "no arguments": "size",
    "too few arguments": "composition 4:1",
    "too many arguments": "size 4:1 4:1",
    "control characters": "size 4:1\x01\x1b[31m",
    "not ASCII": "size 4:1\xe9\xff",
    "two lines": "size 4:1\nsize 4:1",
}
# Too long for an argument of a process; a file or an answer may hold them.
long = {
    "very deep": "size " + "(" * 100_000 + "1" + ")" * 100_000,
    "very long integer": "size 4:" + "9" * 1_000_000,
    "very long line": "size 4:" + "1" * 10_000_000,
    "very many values": "size " + "1 " * 5_000_000,
    "many values": "select 4:1 " + "0 " * 400_000 + "x",
    "NUL": "size 4:1\0",
}
for name, line in malformed.items():
    expect(f"ask, {name}", run("ask", line), 2)
for name, line in (malformed | long).items():
    if line.strip() and "\n" not in line:
        expect(
            f"cases, {name}",
            run("cases", write("bad.txt", f"size 4:1 = 4\n{line} = 4\nsize 4:1 = 4\n")),
            2,
            r"bad\.txt:2: ",
        )
for name, line in {
    "no answer": "size 4:1",
    "no answer behind =": "size 4:1 = ",
    "two answers": "size 4:1 = 4 4",
}.items():
    expect(f"cases, {name}", run("cases", write("bad.txt", line + "\n")), 2, r"bad\.txt:1: ")
expect("cases, no such file", run("cases", "missing.txt"), 2, r"missing\.txt")
expect("cases, a folder", run("cases", folder.name), 2)
expect("no command", run(), 2, lines=100)
expect("unknown command", run("frobnicate"), 2, lines=100)
expect("unknown option", run("conform", "--frobnicate", "--", "true"), 2, lines=100)
expect("conform without a program", run("conform"), 2, lines=100)
expect("a count that is no number", run("conform", "--count", "x", "--", "true"), 2, lines=100)

# Questions to explain, and what cannot be drawn.
for name, line in malformed.items():
    expect(f"explain, {name}", run("explain", line), 2)
expect("explain, no operation", run("explain"), 2)
expect("ask, nothing at all", run("ask"), 2)
# Of two arguments that are wrong the first is named, whichever compiler.
expect("ask, two wrong", run("ask", "tiled_mma_tile_shape SM42_8x8x8 2:1 <<0>>"), 2, "'SM42' begins no name")
copy_of_mma = "tiled_copy_tiler make_tild_copy_C SM90_U32x2_STSM_N half_t UniversalFMA 1:0 <32,32,16>"
expect("ask, two wrong", run("ask", copy_of_mma), 2, "'make' begins no name")
expect(
    "explain, a thread that is not there",
    run("explain", "partition_C UniversalFMA (2,2,1):(1,2,0) <_,_,_> (4,4):(1,4) 4"),
    1,
    saying="",
)
tiles = "partition_C UniversalFMA (2,2,1):(1,2,0) <_,_,_> (4,4):(1,4)"
copy = "UniversalCopy<uint128_t> half_t (16,8):(8,1) (1,8):(0,1)"
for name, words, status, saying in [
    ("nothing", [], 2, "WHAT"),
    ("an unknown name", ["SM99_NOTHING"], 2, "no MMA atom"),
    ("an unknown operation", ["frobnicate", "4:1"], 2, "unknown operation"),
    ("a number", ["7"], 2, "nothing to draw"),
    ("a number as an answer", ["size", "7:1"], 2, "nothing to draw"),
    ("no answer", ["complement", "(2,2):(1,1)"], 1, "undefined the modes overlap"),
    ("an atom that does not fit", ["tiled_mma", "UniversalFMA", "(2,2,1,1):(1,2,0,0)", "<_,_,_>"], 1, "undefined"),
    ("an unknown atom of a tiling", ["tiled_mma", "SM99", "1:0", "<_,_,_>"], 2, "SM99"),
    ("too few arguments", ["tiled_mma"], 2, "takes ATOM THR T, not 0"),
    ("too many arguments", ["tv", "4:1", "4", "4"], 2, "TV SHAPE"),
    ("no layout of threads and values", ["tv", "4:1", "4"], 2, "two modes"),
    ("negative places", ["tv", "(2,2):(-1,1)", "4"], 1, "negative"),
    ("too wide", ["4096:1"], 2, "too many"),
    ("too many elements", ["(1024,1024):(1,1024)"], 2, "too many"),
    ("an enormous extent", ["(4," + "9" * 4000 + "):(1,4)"], 2, "too many"),
    ("an enormous swizzle", ["Sw<900,0,900>"], 2, "too many"),
    ("too many threads", ["tv", "(1000000000000,1):(1,0)", "(4,4)"], 2, "too many"),
    ("too large a tensor", ["local_partition", "(4,1000000000000):(1,4)", "(2,2):(1,2)"], 2, "too many"),
    ("no positions", ["permutations", "0", "1", "1:1"], 2, "positions"),
    ("threads that do not divide", ["permutations", "10", "4", "2:1"], 2, "divides"),
    ("two formats", ["--svg", "--latex", "4:1"], 2, "at most 1"),
    ("a highlight that is no number", ["--highlight", "x", "UniversalFMA"], 2, "thread"),
    ("a highlight of nothing", ["--highlight", "", "UniversalFMA"], 2, "thread"),
    ("a highlight of too many digits", ["--highlight", "1234567890", "UniversalFMA"], 2, "thread"),
    ("a highlight where nobody is", ["--highlight", "5", "tv", "(2,1):(1,0)", "(2,2)"], 2, "holds nothing"),
    ("a highlight that is not there", ["--highlight", "4", *tiles.split()], 2, "holds nothing"),
    ("a value that is not there", ["--highlight", "9", "4:1"], 2, "holds nothing"),
    ("an element that is not there", ["--highlight", "(9,9)", "(4,8):(1,4)"], 2, "holds nothing"),
    ("a slice of more modes", ["--highlight", "(1,_,_)", "(4,8):(1,4)"], 2, "no coordinate of"),
    ("a slice of two modes of three", ["--highlight", "(1,_)", "UniversalFMA"], 2, "m,n,k"),
    ("a highlight that never ends", ["--highlight", "(1,", "UniversalFMA"], 2, "coordinate"),
    ("a negative width", ["--width", "-3", "4:1"], 2, "--width"),
    ("phases of no access", ["bank_conflict_phases", "4:1", "32b", "SM75_U32x1_MOVM_T"], 1, "undefined"),
    ("phases of no bits", ["bank_conflict_phases", "4:1", "0", "32b"], 2, "width in bits"),
    ("a panel that is not there", ["--only", "Z", "UniversalFMA"], 2, "no panel"),
    ("banks of threads", ["--banks", "16", "UniversalFMA"], 2, "--banks"),
    ("slices of threads", ["--slices", "UniversalFMA"], 2, "--slices"),
    ("banks of chunks larger than all of them", ["--banks", "32", "Sw<1,20,1>"], 2, "no bank"),
    ("places that are no integers", ["tv", "(2,2):(1@0,1@1)", "(2,2)"], 2, "1@1 is no integer"),
    ("banks of shares", ["--banks", "16", *tiles.split()], 2, "--banks"),
    ("more than a tiling", ["tiled_copy", *copy.split(), "4:1"], 2, "takes COPY TYPE THR VAL.*not 5"),
    ("more than a tensor", ["partition_S", *copy.split(), "4:1", "4:1", "4:1"], 2, "takes COPY TYPE THR VAL A.*not 7"),
    ("banks of no bits", ["--banks", "0", "4:1"], 2, "banks"),
    ("a folder that is not there", ["-o", "missing/x.svg", "4:1"], 2, "missing/x.svg"),
    ("onto a folder", ["--svg", "-o", ".", "4:1"], 2, "cannot write"),
    ("onto a full device", ["--svg", "-o", "/dev/full", "4:1"], 2, "/dev/full"),
    ("an unknown ending", ["-o", "x.gif", "4:1"], 2, r"x\.gif .*\.svg, \.png, \.pdf, \.tex or \.txt"),
    ("no ending", ["-o", "x", "4:1"], 2, "x does not end in"),
    ("no file", ["-o", "", "4:1"], 2, "--output: '' is no file"),
    ("an ending of another format", ["--latex", "-o", "x.svg", "4:1"], 2, "another format"),
]:
    expect(f"draw, {name}", run("draw", *words), status, saying, lines=4)
for name, line in malformed.items():
    if name != "no operation":
        expect(f"draw, {name}", run("draw", line), 2)
kept = write("kept.svg", "kept")
expect("draw onto a file, and fail", run("draw", "--svg", "-o", "kept.svg", "4096:1"), 2, "too many")
count("draw, the file it failed to replace", [] if open(kept).read() == "kept" else ["it changed"], [])
leftovers = [f for f in os.listdir(folder.name) if f.endswith(".part")]
count("draw, what it leaves behind", leftovers, [])
program("rsvg-convert", "echo a part; exit 1")
failing = run("draw", "-o", "failed.png", "4:1", env=os.environ | {"PATH": f"{folder.name}:/bin"})
expect("draw, a converter that fails", failing, 2, "rsvg-convert could not write the picture as png")
leftovers = [f for f in os.listdir(folder.name) if f.startswith("failed")]
count("draw, what a converter that fails leaves behind", leftovers, [])
expect("figures without a list", run("figures", "."), 2, r"figures\.txt")
for name, line in {
    "no bar": "x.svg 4:1",
    "a path": "../x.svg | 4:1",
    "another format": "x.gif | 4:1",
    "nothing to draw": "x.svg | 7",
    "an unknown option": "x.svg | --no 4:1",
}.items():
    write("figures.txt", "# list\n" + line + "\n")
    expect(f"figures, {name}", run("figures", "."), 2, r"figures\.txt:2: ")

write("figures.txt", "x.svg | 4:1\n")
expect("figures, one", run("figures", "."), 0, saying="")
count("figures, the file", [] if os.path.exists(os.path.join(folder.name, "x.svg")) else ["it is not there"], [])
expect("explain, an answer", run("explain", "complement 4:2 24"), 0, saying="")

# What is no shard, no run or no input of a law.
for name, text in {
    "no index": '{"shard":{"of":1},"asked":{}}',
    "a word for an index": '{"shard":{"index":"1","of":1},"asked":{}}',
    "no shard": '{"asked":{}}',
    "a list for a shard": '{"shard":[],"asked":{}}',
    "a list of options": '{"shard":{"index":1,"of":1},"asked":[]}',
    "shard 0": '{"shard":{"index":0,"of":1},"asked":{}}',
    "too large a number": '{"shard":{"index":2,"of":1},"asked":{}}',
    "a number": "7",
    "no number of shards": '{"shard":{"index":1},"asked":{}}',
    "no options": '{"shard":{"index":1,"of":1}}',
}.items():
    expect(f"merge, {name}", run("merge", write("bad.json", text)), 2, r"bad\.json")
for name, text in {
    "counts that are none": '{"laws":[{"law":"a","verdict":"pass","count":7}]}',
    "no program": '{"laws":[{"law":"a","verdict":"pass","count":{}}],"program":"x"}',
}.items():
    expect(f"report, {name}", run("report", write("bad.json", text)), 2, r"bad\.json")
for text in (
    "size_product 4:1",
    "size_product =4:1",
    "size_product A'=4:1",
    "size_product A_1=4:1 B",
    "size_product -=4:1",
    "composition_pointwise A=4:1 B=2:2 x",
):
    expect(f"conform --only {text}", run("conform", "--only", text, "--", answer), 2)

# GEMMs to plan for.
for name, words, status, saying in [
    ("nothing", [], 2, "required"),
    ("an extent too few", ["4", "4", "bf16"], 2, "K"),
    ("an extent that is no number", ["4", "x", "4", "bf16"], 2, "N"),
    ("an extent of 0", ["0", "4", "4", "bf16"], 2, "M"),
    ("a negative extent", ["--", "4", "4", "-4", "bf16"], 2, "K"),
    ("an extent beyond 64 bits", ["4", "4", "9" * 30, "bf16"], 2, "K: '9{30}' is no integer from 1 to 9223372036854775807"),
    ("extents whose product is", ["9" * 13] * 3 + ["bf16"], 2, "9999999999999: 64 bits do not count"),
    ("an unknown type", ["4", "4", "4", "bf17"], 2, "bf17"),
    ("an unknown layout", ["4", "4", "4", "bf16", "--layout", "NX"], 2, "NX"),
    ("an unknown chip", ["4", "4", "4", "bf16", "--arch", "91"], 2, "91"),
    ("no SMs", ["4", "4", "4", "bf16", "--sms", "0"], 2, "sms"),
    ("no bandwidth", ["4", "4", "4", "bf16", "--bandwidth", "0"], 2, "bandwidth: '0' is no integer from 1 to 1000000"),
    ("no rows", ["4", "4", "4", "bf16", "--rows", "0"], 2, "rows"),
]:
    expect(f"plan, {name}", run("plan", *words), status, saying)
# The first row's term of the matrix units: 2 m n 4096 operations for a tile, 4096 of them a cycle.
row = re.search(
    r"\n +\d+\.\d  sm90_bf16_kk_(\d+)x(\d+)x64_\S+ (?:swap_ab)? *[a-z ]+(\d+) ",
    run("plan", *["4096"] * 3, "bf16").stdout.decode("latin1"),
)
count(
    "plan, the matrix units",
    [] if row and int(row[3]) == 2 * int(row[1]) * int(row[2]) else ["another number"],
    [row[0]] if row else [],
)
for words, saying in [
    (
        ["4096", "4096", "4096", "f16", "--arch", "80"],
        r"108 SMs and \d\.\d+ TB/s of sm_80.*\n.*\n.*\n.*\n +\d+\.\d  sm80_f16_kk_",
    ),
    (["16", "8192", "8192", "bf16"], r"bound by\b.*\n.* memory "),
    (["4096", "4096", "4096", "s8", "--layout", "NT"], r"copies  reduction\n.* [1-9]\d*\.\d +0\.0\n"),
    (["64", "64", "64", "f32", "--arch", "100a", "--sms", "7", "--rows", "1"], r"on 7 SMs and 8 TB/s of sm_100a.*order"),
    (["64", "64", "64", "f32", "--sms", "1", "--bandwidth", "2500"], r"on 1 SM and 2\.5 TB/s "),
    (["4096", "4096", "4096", "s8", "--layout", "NT"], r" copy_a copy_b (.*\n)*copy_a, copy_b: the kernel reads copies"),
    (["4096", "4096", "4096", "s8", "--layout", "TT"], r" copy_a (.*\n)*copy_a: the kernel reads a copy"),
    (["4096", "4096", "4096", "s8", "--layout", "NN"], r" copy_b (.*\n)*copy_b: the kernel reads a copy"),
    (["7", "19722", "100", "bf16", "--layout", "TT"], r"\nBytes at whose multiples rows begin: A 2, B 8, D 4;"),
    (["512", "512", "512", "s8", "--layout", "NT"], r"\nAn instruction older than the chip's own: .* 1\.5 times"),
    (["64", "64", "100000", "bf16"], r"split_k: K is split into \d+"),
    (["392", "7064", "64", "bf16", "--layout", "TT"], r"\d+\.\d  sm90_bf16_mk_\S+ +epilogue "),
    (["5", "5", "5", "fp8", "--arch", "80"], r": 1 plan may run, in 2 ways; .*\n(.*\n){4}.* swap_ab"),
]:
    ended = run("plan", *words)
    said = ended.stdout.decode("latin1")
    count(
        f"plan {' '.join(words)}",
        [] if ended.returncode == 0 and re.search(saying, said) else ["another plan"],
        said.splitlines(),
    )

# A campaign spells durations as the tool does, and writes through no link that somebody left.
campaign = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fuzz/campaign")
for text, wrong in {"5m": 0, "0.5h": 0, "30": 0, "5x": 2, "0s": 2, "-1s": 2, "9" * 400: 2}.items():
    command = [sys.executable, f"{campaign}/campaign.py", f"--time={text}", "--folder=.", "--build=.", "--file-case"]
    ended = subprocess.run(command, cwd=folder.name, capture_output=True, timeout=60)
    saying = "is no duration such as 30s, 5m or 1h" if wrong else ""
    expect(f"fuzz --time {text[:9]}", ended, wrong, saying, lines=30)
os.symlink("victim", os.path.join(folder.name, "summary.json.part"))
writing = "import campaign, pathlib; campaign.write_whole(pathlib.Path('summary.json'), 'whole')"
command = [sys.executable, "-c", writing]
subprocess.run(command, cwd=folder.name, env=os.environ | {"PYTHONPATH": campaign, "PYTHONDONTWRITEBYTECODE": "1"}, timeout=60)
left = {name for name in os.listdir(folder.name) if "summary" in name or name == "victim"}
count("fuzz, a link left where a summary goes", left ^ {"summary.json", "summary.json.part"}, [])

# The bundled adapter: one answer a line whatever the line holds, in order, also to a last line without its end.
asking = {name: line for name, line in (malformed | long).items() if "\n" not in line}
told = "".join(f"{line}\nsize 4:1\r\n" for line in asking.values()) + "size 5:1"
ended = subprocess.run([answer], input=told.encode("latin1"), capture_output=True, timeout=120)
expect("answer", ended, 0, saying="")
answers = ended.stdout.decode("latin1").splitlines()
count(
    "answer, the number of answers",
    [f"{len(answers)} answers"] if len(answers) != 2 * len(asking) + 1 else [],
    answers[:3],
)
for name, bad, good in zip(asking, answers[0::2], answers[1::2]):
    refusal = "undefined " if name == "no atom" else "unsupported malformed: "
    right = bad.startswith(refusal) and good == "4"
    count(f"answer, {name}", [] if right else ["another answer"], [bad, good])
count("answer, the last line", [] if answers[-1:] == ["5"] else ["another answer"], answers[-1:])
for name, line in {"a line": b"size 4:1\n", "a last line": b"size 4:1"}.items():
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([answer], input=line, stdout=full, stderr=subprocess.PIPE, timeout=120)
    expect(f"answer >/dev/full, {name}", ended, 3, saying="")

# Programs that cannot be asked at all.
write("not_executable", "")
greets = "read -r hello; echo colex 1 mine; "
answers = 'while read -r line; do if [ "$line" = hello ]; then printf "colex 1 mine%s"; else printf "unsupported%s"; fi; done'
for name, command, saying in [
    ("does not exist", ["./no_such_program"], "no_such_program"),
    ("is not in PATH", ["no_such_program"], "no_such_program"),
    ("is not executable", ["./not_executable"], "not_executable"),
    ("is a folder", ["/"], "."),
    ("exits at once", [program("exits", "exit 7")], "7"),
    ("kills itself", [program("killed", "kill -SEGV $$")], "11|SEGV|[Ss]egmentation"),
    ("reads all and prints nothing", [program("mute", "cat >/dev/null")], "."),
    ("prints binary", [program("binary", "head -c 100000 /dev/urandom")], "."),
    ("prints an endless line", [program("endless", "cat /dev/zero")], "."),
    ("prints endless lines", [program("chatty", "yes 4:1")], "."),
]:
    expect(f"conform, a program that {name}", run("conform", "--count", "2", "--timeout", "2", "--", *command), 3, saying)

# Programs that speak at first and then answer what is no answer: each is a death to report, with a status of its own. What has
# the form of a layout and is none is a wrong answer.
babble = {
    "nothing": "",
    "unbalanced": "(4,2",
    "a zero extent": "0:1",
    "a zero extent and more": "0:1 Z",
    "two answers": "4:1 4:1",
    "binary": "\x01\xff\0",
}
for name, line in babble.items():
    write("line.bin", line + "\n")
    command = program("babbles", answers.replace('printf "unsupported%s"', "cat line.bin").replace("%s", "\\n"))
    ended = run("conform", "--law", "size*", "--count", "2", "--timeout", "2", "--", command)
    expect(f"conform, a program that answers {name}", ended, 1 if name == "a zero extent" else 3, saying="")
for name, line in long.items():
    write("line.bin", line + "\n")
    command = program("babbles", greets + "read -r line; cat line.bin; cat >/dev/null")
    ended = run("conform", "--law", "size*", "--count", "2", "--timeout", "2", "--", command)
    expect(f"conform, a program that answers with a {name}", ended, 3, saying="")

command = program("crlf", answers.replace("%s", "\\r\\n"))
expect(
    "conform, a program that ends lines as Windows does",
    run("conform", "--law", "size*", "--count", "2", "--time", "5", "--", command),
    1,
    saying="",
)

# Where the output goes may be full, or gone.
silent = program("silent", answers.replace("%s", "\\n"))
for option in "--json", "--junit", "--write-baseline":
    for path in "/dev/full", "/no/such/folder/file":
        ended = run("conform", "--count", "2", option, path, "--", silent)
        expect(f"conform {option} {path}", ended, 2, re.escape(path))
for arguments in (
    ["laws"],
    ["ask", "size 4:1"],
    ["cases", write("good.txt", "size 4:1 = 4\n")],
    ["draw", "--svg", "(64,64):(1,64)"],
    ["conform", "--count", "2", "--", silent],
):
    with open("/dev/full", "wb") as full:
        expect(f"{arguments[0]} >/dev/full", run(*arguments, stdout=full), 2, "No space left")
    reading, writing = os.pipe()
    os.close(reading)  # the reader is gone before the first word; Python's children die of SIGPIPE unless they look after it
    ended = run(*arguments, stdout=writing, restore_signals=True)
    os.close(writing)
    expect(f"{arguments[0]}, a reader that is gone", ended, 2 if ended.returncode == 2 else -signal.SIGPIPE, saying="")


def shown_on(terminal):
    """All that a terminal was sent, when nobody writes to it any more."""
    text = b""
    try:
        while more := os.read(terminal, 65536):
            text += more
    except OSError:  # that is how Linux says so
        pass
    return text


# What is wrong is said as plain text of which one sees both ends, also where nobody listens.
for name, words, saying in [
    ("a long operation", ["ask", "a" * 100_000], r"unknown operation 'a+ \.\.\. \(\d+ characters\) \.\.\. a+'"),
    ("a long number", ["draw", "--width", "9" * 60_000, "4:1"], r"--width: Value 9+ \.\.\..*9 not in range"),
    ("a word that clears the screen", ["init", "\x1b[2J\n"], r"LANGUAGE: \\x1b\[2J\\x0a not in"),
    ("a panel that rings", ["draw", "--only", "\a\u00e9", "4:1"], r"no panel is called '\\x07\\xc3\\xa9'"),
    ("no file to export to", ["export", "--json", "-o", ""], "--output: '' is no file"),
    ("too much to export", ["export", "--json", "--count", str(2**64 - 1)], "--count: .* from 0 to 1000000"),
    ("too much to draw", ["laws", "--coverage", "--count", str(2**64 - 1)], "--count: .* from 1 to 1000000000"),
]:
    expect(name, run(*words), 2, saying)
    with open("/dev/full", "wb") as full:
        ended = run(*words, stderr=full)
    count(f"{name}, 2>/dev/full", [] if ended.returncode == 2 else [f"exit status {ended.returncode}, not 2"], [])
    ended = run(*words, stderr=None, preexec_fn=lambda: os.close(2))
    count(f"{name}, 2>&-", [] if ended.returncode == 2 else [f"exit status {ended.returncode}, not 2"], [])
no_files = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)), "restore_signals": True}
expect("a file larger than may be", run("export", "--json", "--op", "size", "-o", "x.json", **no_files), 2, "File too large")
leftovers = [f for f in os.listdir(folder.name) if f.startswith("x.json")]
count("a file larger than may be, what it leaves behind", leftovers, [])

# On a terminal: how far it is, and colours.
for name, words, end, wanted, shown in [
    ("progress", ["conform", "--law", "size*", "--count", "2", "--", silent], "stderr", {}, rb"\r\x1b\[K\d+/\d+ size_"),
    ("colours", ["draw", "4:1"], "stdout", {}, rb"\x1b\[38;5;16;48;5;\d+m"),
    ("no colours", ["draw", "4:1"], "stdout", {"NO_COLOR": "1"}, rb"\A[^\x1b]+\Z"),
    ("what folds", ["draw", "(2,65):(1,2)"], "stdout", {"COLUMNS": "40"}, rb"\n 32 +40 +48 +56 *\r"),
    ("what is faded", ["draw", "--highlight", "1", *tiles.split()], "stdout", {}, rb"\x1b\[2m"),
]:
    terminal, its_end = os.openpty()
    run(*words, **{end: its_end}, env={k: v for k, v in os.environ.items() if k != "NO_COLOR"} | wanted)
    os.close(its_end)
    count(f"on a terminal, {name}", [] if re.search(shown, shown_on(terminal)) else ["nothing of the kind"], [])
    os.close(terminal)

print(f"{asked - failed} passed, {failed} failed")
sys.exit(failed > 0)
