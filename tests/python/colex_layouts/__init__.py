"""The CuTe layout algebra stated, proved and tested: layouts, every operation, explanations, pictures, and the suite.

>>> import colex_layouts as cx
>>> L = cx.Layout((4, 8), (8, 1))
>>> L(5), L @ cx.Layout("8:4")
(9, Layout('8:1'))

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from colex_layouts import _colex
from colex_layouts._colex import *  # noqa: F403  (layouts, and the operations of the table)
from colex_layouts._gemm import PreparedGemm as PreparedGemm
from colex_layouts._gemm import gemm as gemm
from colex_layouts.errors import *  # noqa: F403
from colex_layouts.see import Atom as Atom
from colex_layouts.see import Explanation as Explanation
from colex_layouts.see import atoms as atoms
from colex_layouts.see import bank_conflicts as bank_conflicts
from colex_layouts.see import copy_atom as copy_atom
from colex_layouts.see import draw as draw
from colex_layouts.see import explain as explain
from colex_layouts.see import laws as laws
from colex_layouts.see import mma_atom as mma_atom
from colex_layouts.see import operations as operations
from colex_layouts.see import solve as solve
from colex_layouts.suite import Run as Run
from colex_layouts.suite import adapter as adapter
from colex_layouts.suite import assert_bijective as assert_bijective
from colex_layouts.suite import assert_same_function as assert_same_function
from colex_layouts.suite import check as check
from colex_layouts.suite import conform as conform

__version__: str = _colex.__version__


TYPE_CHECKING = False
if TYPE_CHECKING:
    from colex_layouts import strategies as strategies
    from colex_layouts import wire as wire


def __getattr__(name: str) -> object:  # what takes its time to import, or needs hypothesis
    if name not in ("strategies", "wire"):
        raise AttributeError(f"module 'colex_layouts' has no attribute {name!r}")
    import importlib

    return importlib.import_module(f"colex_layouts.{name}")
