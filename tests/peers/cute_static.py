# Lets CuTe C++ with static integers answer requests: `cute_static.py INCLUDE...`. What has come is compiled as one
# program and run; a static assertion that fires is `undefined`.
# SPDX-License-Identifier: Apache-2.0
import subprocess, sys

import cute
from cute import templated
from wire import lines, no_word
cute.operations |= dict(
    {name: (lambda name: lambda a, i: f"{a}.{name}({cute.cpp(i)})")(name) for name in ("get_hier_coord", "get_flat_coord", "get_1d_coord")},
    get=templated("layout"), take=templated("take", 2), group=templated("group", 2), select=templated("select", 99),
    replace=templated("replace"), upcast=templated("upcast"), downcast=templated("downcast"))

def answers(batch):
    asked, said = {}, {"hello": cute.greeting("CuTe-C++-static")}
    for line in {*batch} - {"hello"}:
        try:
            asked[line] = cute.expression(line)
        except (KeyError, TypeError, no_word) as e:
            said[line] = f"unsupported {e!r}"
    if not asked:
        return said
    said |= cute.compiled(asked)
    run = subprocess.run([cute.program, "all"], stdout=subprocess.PIPE, text=True)
    said |= zip((a for a in asked if a not in said), run.stdout.splitlines())
    return said

for batch in lines():
    said = answers(batch)
    for line in batch:
        if line not in said:
            sys.exit("the compiled program died of: " + line)
        print(said[line], flush=True)
