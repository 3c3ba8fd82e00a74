# Stands for torch: two of the packages import it, and nothing that is asked of them here uses it.
# SPDX-License-Identifier: Apache-2.0
import sys
from unittest.mock import MagicMock

sys.modules["torch"] = MagicMock(__version__="2.6.0", Tensor=type("Tensor", (), {}))
