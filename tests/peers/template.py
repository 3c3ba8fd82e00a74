# An adapter to start from: a package whose layout has .shape and .stride. Copy this file and wire.py beside it.
# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass

from wire import reader, serve, taking  # noqa: F401

# import my_package


@dataclass(frozen=True)
class Layout:  # yours instead
    shape: object
    stride: object


operations = dict(
    # As CuTe calls them. Until there is one, nothing can be judged, and a run says so.
    # size=my_package.size,
    # coalesce=my_package.coalesce,
    # This one is asked with integers, tilers and swizzles, too. Of a function that takes layouts alone these are `unsupported`:
    # composition=taking(my_package.composition, Layout, Layout),
)

serve("my-layouts", "0.1", operations, reader(Layout))
