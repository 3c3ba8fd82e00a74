# An example: judges a `size` of its own by the file that `colex export --json` writes. `reader.py FILE`
# SPDX-License-Identifier: Apache-2.0
import json
import math
import re
import sys


def size(layout):  # of the layout behind a swizzle and its offset
    return math.prod(map(int, re.findall(r"\d+", layout.split("o")[-1].split(":")[0])))


with open(sys.argv[1]) as f:
    asked = [v for v in json.load(f)["vectors"] if v["operation"] == "size" and v["flag"] == "defined"]
wrong = [v for v in asked if str(size(*v["arguments"])) != v["answer"]]
shown = [f"size {v['arguments'][0]} is {v['answer']}; known: {v.get('defect', 'nothing')}" for v in wrong]
print(*shown, f"{len(asked)} asked, {len(wrong)} wrong", sep="\n")
sys.exit(bool(wrong) or not asked)
