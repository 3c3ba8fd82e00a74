# Runs the examples of the guides: what stands under a line `    $ colex ...` is what the tool prints, where a line `...` stands
# for any lines. Pictures that an example writes go to a folder of their own. A sample of a verdict, `    FAIL ...`, is what the
# tool says of a program that gives the answer in it: down to the effort, which depends on the run. Where the document shows the
# adapter itself, from its imports to `serve`, it says all of that when it judges that.
#   usage: examples.py COLEX FILE...
# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

EXAMPLE = re.compile(r"^    \$ colex (.*)\n((?:    (?!\$).*\n|\n(?=    (?!\$)))*)", re.MULTILINE)
VERDICT = re.compile(r"^    FAIL \w+ .*\n(?:    .*\n)*", re.MULTILINE)
ANSWER = re.compile(r"^  left .* = (.*)$", re.MULTILINE)
AGAIN = re.compile(r"^  again  colex (.*) -- (.*)$", re.MULTILINE)
ADAPTER = re.compile(r"^    from .*\n(?:    .*\n|\n)*?    serve\(.*\n", re.MULTILINE)
WIRE = pathlib.Path(__file__).resolve().parents[1] / "peers/wire.py"
PROGRAM = """import sys
for line in sys.stdin:
    print("colex 1 sample" if line == "hello\\n" else sys.argv[1], flush=True)
"""


def dedented(text):
    return re.sub("^    ", "", text, flags=re.MULTILINE).rstrip()


def printed(colex, words, folder):
    run = subprocess.run([colex, *words], cwd=folder, text=True, capture_output=True, timeout=60)
    return run.stdout.rstrip(), run.stderr


def write_adapter(text, folder):
    """The first adapter that a text shows becomes my_adapter.py, with what it imports."""
    for shown in ADAPTER.findall(text)[:1]:
        shutil.copy(WIRE, folder)
        pathlib.Path(folder, "my_adapter.py").write_text(dedented(shown))


def examples(text):
    """(words of a command, pattern of what it prints, what the document shows)"""
    for words, shown in EXAMPLE.findall(text):
        shown = dedented(shown)
        yield shlex.split(words), "\n(?:.*\n)*".join(map(re.escape, f"\n{shown}\n".split("\n...\n"))), shown
    for sample in map(dedented, VERDICT.findall(text)):
        answer, again = ANSWER.search(sample), AGAIN.search(sample)
        shown = sample.split("\n  after ")[0]
        if answer and again:
            words = [*shlex.split(again[1]), "--", sys.executable, "-c", PROGRAM, answer[1]]
            if "my_adapter.py" in again[2] and ADAPTER.search(text):
                words, shown = ["conform", "--", *shlex.split(again[2])], sample
            yield words, rf"(?:.*\n)*{re.escape(shown)}\n(?:.*\n)*", shown
        else:
            yield [], "$.", f"no answer, or no command that shows it again, in the sample\n{shown}"


def main(colex, files):
    asked = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            with open(file, encoding="utf-8") as f:
                text = f.read()
            write_adapter(text, folder)
            for words, pattern, shown in examples(text):
                out, errors = printed(colex, words, folder)
                asked += 1
                if errors or not re.fullmatch(pattern, f"\n{out}\n"):
                    failed += 1
                    print(
                        f"{os.path.relpath(file)}: colex {shlex.join(words)}\n--- printed\n{out}\n{errors}--- expected\n{shown}"
                    )
    print(f"{asked} examples, {failed} differ")
    return failed > 0 or asked == 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), list(map(os.path.abspath, sys.argv[2:]))))
