# Lets Mojo's layout package answer requests: `mojo.py PROGRAM`, which is mojo.mojo compiled. It refuses by aborting
# and by assertions, which end the program.
# SPDX-License-Identifier: Apache-2.0
import re
import subprocess
import sys
from importlib.metadata import version

from aborts import reading
from wire import lines

operations = """apply blocked_product coalesce compatible complement composition congruent cosize crd2idx downcast get idx2crd
    logical_divide logical_product make_layout_left make_layout_right make_ordered_layout product_each rank right_inverse
    shape_div size tile_to_shape upcast weakly_congruent zipped_divide"""
limits = "int=64 min=0 strides=nonnegative"  # its IntTuple keeps what is less than 0 for itself


greeting = " ".join(["colex 1 mojo-layout", version("max-mojo-libs"), limits, *operations.split()])


def program(_, batch):
    text = "".join(line + "\n" for line in batch)
    run = subprocess.run([sys.argv[1], greeting], input=text, capture_output=True, text=True)
    said, *why = re.split("(?m)^(?=(?:ABORT|At): )", run.stdout, maxsplit=1)  # it goes where answers go
    return said, run.returncode, "\n".join([*why, run.stderr])


say = reading("(?:ABORT|At): .*", program)
for batch in lines():
    say(None, batch)
