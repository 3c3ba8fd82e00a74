"""The command `colex`: the tool, in this process. SPDX-License-Identifier: Apache-2.0"""

import signal
import sys

from colex_layouts import _colex


def main() -> int:
    for each in (signal.SIGINT, signal.SIGPIPE):  # as of any program
        signal.signal(each, signal.SIG_DFL)
    return _colex._tool(["colex", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
