# Does the page of the history tell a change of the implementation from one of what was asked?
# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess
import sys
import tempfile

HISTORY = pathlib.Path(__file__).resolve().parents[1] / "peers/history.py"


def page(*inputs):
    """That of two releases which were asked so many inputs: the second holds what the first did not, and has another law."""
    laws = "wrong:\n    size_product", "held:\n    size_product rank_definition"
    releases = [f"triton 3.{k}.0: 2026-01-0{k}, seed 1, {n} inputs\n  {laws[k - 1]}\n" for k, n in enumerate(inputs, 1)]
    with tempfile.TemporaryDirectory() as folder:
        data, written = pathlib.Path(folder, "data"), pathlib.Path(folder, "page")
        data.write_text("".join(releases))
        subprocess.run([sys.executable, HISTORY, "write", data, written, folder], check=True)
        assert data.read_text() == "".join(releases).replace("size_product rank_definition", "rank_definition size_product")
        return written.read_text()


MENDED, NEW = "  - wrong, then held: [size_product]", "  - not offered, then held: [rank_definition]"
alike, otherwise = page(64, 64), page(64, 96)
for text, said in (
    (alike, ["- From 3.1.0 to 3.2.0:\n", MENDED, NEW]),
    (otherwise, ["- From 3.1.0 to 3.2.0 (asked otherwise: seed 1, 64 inputs, then seed 1, 96 inputs):\n", MENDED]),
):
    for line in said:
        assert line in text, f"{line!r} is not in\n{text}"
assert NEW not in otherwise, otherwise
