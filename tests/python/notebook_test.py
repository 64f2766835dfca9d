"""docs/look-inside.ipynb: it runs, and the outputs that are saved in it are those of the code."""

import json
import pathlib
import subprocess
import sys
import unittest

import nbformat
from tiny import ROOT

DOCS = ROOT / "docs"
sys.path.append(str(ROOT / "scripts"))
from run_notebook import SHOWN, picture


def setUpModule():
    global saved, executed
    subprocess.run([sys.executable, "-B", ROOT / "scripts" / "run_notebook.py", "executed.ipynb"], check=True)
    saved, executed = (nbformat.read(file, as_version=4) for file in (DOCS / "look-inside.ipynb", "executed.ipynb"))


def printed(notebook, stream="stdout"):
    return {cell.id: output.text for cell in notebook.cells for output in cell.get("outputs", [])
            if output.get("name") == stream}


class Notebook(unittest.TestCase):
    def test_has_ten_cells_and_is_valid(self):
        nbformat.validate(saved)
        self.assertEqual(len(saved.cells), 10)

    def test_each_cell_of_code_is_saved_with_a_picture_and_has_one_again(self):
        for notebook in (saved, executed):
            code = [cell for cell in notebook.cells if cell.cell_type == "code"]
            self.assertEqual([cell.execution_count for cell in code], [1, 2, 3, 4, 5])
            for cell in code:
                self.assertTrue((picture(cell) or b"").startswith(b"\x89PNG"), cell.id)

    # Figures differ in their last bits from CPU to CPU, and are in pictures; what is printed is the same everywhere.
    def test_what_is_printed_is_what_is_saved(self):
        self.assertEqual(printed(executed), printed(saved))
        self.assertEqual(printed(saved).keys(), {"maps", "heads"})
        self.assertEqual(printed(saved, "stderr"), {})

    def test_is_small_and_says_nothing_of_the_machine(self):
        self.assertLess((DOCS / "look-inside.ipynb").stat().st_size, 400_000)
        for cell in saved.cells:
            for output in cell.get("outputs", []):
                output.get("data", {}).pop("image/png", None)
        text = json.dumps(saved)
        for trace in (str(ROOT), str(pathlib.Path.home()), "/tmp/", "Traceback", '"version"'):
            self.assertNotIn(trace, text)

    def test_the_pictures_of_the_page_are_those_of_the_notebook(self):
        page = (DOCS / "look-inside.md").read_text()
        cells = {cell.id: cell for cell in nbformat.read(DOCS / "look-inside.ipynb", as_version=4).cells}
        for name in SHOWN:
            self.assertIn(f"(look-inside-{name}.png)", page)
            self.assertEqual((DOCS / f"look-inside-{name}.png").read_bytes(), picture(cells[name]))


if __name__ == "__main__":
    unittest.main()
