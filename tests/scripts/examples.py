# Runs the examples of the guides: what stands under a line `    $ colex ...` is what the tool prints, where a line `...` stands
# for any lines. Pictures that an example writes go to a folder of their own.
#   usage: examples.py COLEX FILE...
# SPDX-License-Identifier: Apache-2.0
import os
import re
import shlex
import subprocess
import sys
import tempfile

colex, *files = map(os.path.abspath, sys.argv[1:])
EXAMPLE = re.compile(r"^    \$ colex (.*)\n((?:    (?!\$).*\n|\n(?=    (?!\$)))*)", re.MULTILINE)
asked = failed = 0

with tempfile.TemporaryDirectory() as folder:
    for file in files:
        text = open(file, encoding="utf-8").read()
        for words, expected in EXAMPLE.findall(text):
            expected = re.sub("^    ", "", expected, flags=re.MULTILINE).rstrip()
            run = subprocess.run([colex, *shlex.split(words)], cwd=folder, text=True, capture_output=True, timeout=60)
            pattern = "\n(?:.*\n)*".join(map(re.escape, f"\n{expected}\n".split("\n...\n")))
            asked += 1
            if run.stderr or not re.fullmatch(pattern, f"\n{run.stdout.rstrip()}\n"):
                failed += 1
                print(f"{os.path.relpath(file)}: colex {words}\n--- printed\n{run.stdout}{run.stderr}--- expected\n{expected}")

print(f"{asked} examples, {failed} differ")
sys.exit(failed > 0 or asked == 0)
