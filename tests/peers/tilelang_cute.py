# Lets TileLang's CuTe layouts answer requests: C++ behind TVM's calls, which needs neither a GPU nor torch.
# SPDX-License-Identifier: Apache-2.0
from importlib.metadata import version

import no_torch  # noqa: F401

# isort: split
from tilelang.layout import cute
from tilelang.layout.cute import Layout, Swizzle
from wire import no_kind, no_word, reader, serve, show, taking


def shown(v):
    if isinstance(v, cute.ScaledBasis):
        raise no_word(f"a basis element alone: {v}")
    return str(v) if isinstance(v, (Layout, Swizzle)) else show(v)


def swizzle(*numbers):
    return Swizzle.parse("Sw<{},{},{}>".format(*numbers))


of_one = "rank size cosize coshape flatten filter right_inverse left_inverse".split()
of_two = "composition logical_divide logical_product tiled_product blocked_product".split()
takes = dict.fromkeys(of_one, (Layout,)) | dict.fromkeys(of_two, (Layout, Layout)) | {"complement": (Layout, int)}
takes |= dict.fromkeys("compatible congruent make_identity_layout".split(), ())
operations = {name: taking(getattr(cute, name), *kinds) for name, kinds in takes.items() if hasattr(cute, name)}
operations |= dict(
    apply=taking(lambda a, c: a(c), Layout),
    coalesce=taking(lambda a: cute.coalesce(a), Layout),  # its second argument is no profile
    get=taking(lambda a, i: a[i], Layout),
    make_layout_left=cute.make_column_major_layout,
    make_layout_right=cute.make_row_major_layout,
)

basis = cute.ScaledBasis
read = reader(cute.make_layout, swizzle, tiler=no_kind, basis=lambda n, *modes: basis(n, modes[::-1]))
serve("tilelang", version("tilelang"), operations, read, shown, "int=64")
