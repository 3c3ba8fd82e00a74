# Lets Mojo's layout package answer requests: `mojo.py PROGRAM`, which is mojo.mojo compiled. It refuses by aborting
# and by assertions, which end the program.
# SPDX-License-Identifier: Apache-2.0
import sys
from importlib.metadata import version

from aborts import reading, run
from wire import lines

operations = """apply blocked_product coalesce compatible complement composition congruent cosize crd2idx downcast get idx2crd
    logical_divide logical_product make_layout_left make_layout_right make_ordered_layout product_each rank right_inverse
    shape_div size tile_to_shape upcast weakly_congruent zipped_divide"""
limits = "int=64 min=0 strides=nonnegative"  # its IntTuple keeps what is less than 0 for itself
greeting = " ".join(["colex 1 mojo-layout", version("max-mojo-libs"), limits, *operations.split()])

say = reading("(?:ABORT|At): .*", run([sys.argv[1], greeting]))
for batch in lines():
    say(None, batch)
