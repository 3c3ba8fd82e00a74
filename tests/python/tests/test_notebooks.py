# The notebooks run, and each cell that ends in a picture shows one. SPDX-License-Identifier: Apache-2.0
import pathlib

import pytest

nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
NOTEBOOKS = sorted((pathlib.Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda f: f.stem)
def test_a_notebook_runs(file):
    notebook = nbformat.read(file, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300).execute()
    shown = [mime for cell in notebook.cells for out in cell.get("outputs", []) for mime in out.get("data", {})]
    assert {"image/svg+xml", "text/html"} & {*shown}


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3
