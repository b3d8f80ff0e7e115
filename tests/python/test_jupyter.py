"""In a notebook's kernel: its functions have no module that a worker could import."""

import os

import pytest
import quarry

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("cloudpickle")

CELLS = [
    """
import quarry


def square(number):
    return number * number


with quarry.ProcessExecutor(max_workers=2) as pool:
    print(list(pool.map(square, range(5))), pool.submit(lambda a, b: a + b, 3, 4).result())
""",
    """
engine = quarry.Engine("quarry.terrain", workers=1)
engine.start()
chunk = engine.run("mesh_chunk", (quarry.terrain.Field.noise(), (0, 0, 0, 0)))
print(chunk["positions"].shape[1])
""",
    "report = engine.shutdown(); print(report.exited, report.killed)",
]


def test_a_notebook_uses_workers_from_cell_to_cell(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(quarry.__file__)))  # which may not be installed
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    printed = ["".join(each.text for each in cell.outputs if each.output_type == "stream") for cell in notebook.cells]
    assert printed == ["[0, 1, 4, 9, 16] 7\n", "3\n", "1 0\n"]
