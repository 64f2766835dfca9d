#!/usr/bin/python3
"""Runs docs/look-inside.ipynb, and writes it back with its new outputs, or to another file.

Usage: scripts/run_notebook.py [OUTPUT.ipynb]

Those of its pictures that docs/look-inside.md shows are written beside the notebook. The script needs Debian's
python3-ipykernel, python3-matplotlib, python3-nbclient and python3-nbformat. The user's own settings of IPython and
Jupyter do not count. If a cell of code fails or has no picture, that is said, and nothing is written.
"""
import base64
import os
import pathlib
import sys
import tempfile

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = pathlib.Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "docs" / "look-inside.ipynb"
SHOWN = ("maps", "without", "steps")  # the ids of cells whose pictures are docs/look-inside-ID.png


def execute(notebook, folder):
    """In the folder, without a trace of when and with which Python: the notebook changes only if its outputs do."""
    os.environ |= {"PYTHONPATH": str(ROOT / "python"), "MPLBACKEND": "module://matplotlib_inline.backend_inline",
                   "PYDEVD_DISABLE_FILE_VALIDATION": "1"}  # the kernel's debugger warns of Debian's Python 3.11
    os.environ |= {name: folder for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")}
    metadata = notebook.metadata.copy()
    NotebookClient(notebook, record_timing=False, resources={"metadata": {"path": folder}},
                   extra_arguments=["--InteractiveShell.colors=NoColor"]).execute()
    notebook.metadata = metadata


def picture(cell):
    """The PNG file of the cell's only picture, or None."""
    found = [output.data["image/png"] for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    return base64.b64decode(found[0]) if found else None


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1]) if sys.argv[1:] else NOTEBOOK
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        try:
            execute(notebook, folder)
        except CellExecutionError as error:
            sys.exit(str(error))
    pictures = {cell.id: picture(cell) or sys.exit(f"the cell {cell.id} has no picture")
                for cell in notebook.cells if cell.cell_type == "code"}
    nbformat.write(notebook, output)
    for name in SHOWN:
        (output.parent / f"look-inside-{name}.png").write_bytes(pictures[name])


if __name__ == "__main__":
    main()
