"""What notebooks and terminals show of trainings, runs, heads, sweeps and attentions."""

import contextlib
import html
import io
import json
import pathlib
import re
import sys
import unittest

import nbformat
import tapehead
from tiny import COPY, ROOT, TINY

sys.path.append(str(ROOT / "scripts"))
from run_notebook import execute

CELLS = [
    f"import tapehead\nTINY = {TINY!r}\nrun = tapehead.train({str(COPY)!r}, run='runs/noted', set=TINY)",
    "sweep = {'config': 'runs/noted/config.yaml', 'axes': {'model.dropout_residual': [0, 0.1]}}\n"
    "swept = tapehead.sweep(sweep, run='runs/swept')",
    "swept",
    "run.heads()",
    "run.attention('1 2', target='1 2')",
    "run.attention('1 2', target='1 2', without=['encoder.layers.0.self.0'])",
    "run.config['model']['d_model']",
]


def setUpModule():
    global outputs, run, swept
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    execute(notebook, ".")
    outputs = [cell.outputs for cell in notebook.cells]
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        run = tapehead.load("runs/noted")
        swept = tapehead.sweep({"config": "runs/noted/config.yaml", "axes": {"model.dropout_residual": [0, 0.1]}},
                               run="runs/swept")
    swept.printed = printed.getvalue()


def cells(table):
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", table)]


class Notebook(unittest.TestCase):
    def html(self, cell):
        [output] = outputs[cell]
        return output.data["text/html"]

    def test_a_training_shows_a_bar_and_no_lines(self):
        self.assertRegex(self.html(0), r'^<progress value="6" max="6"></progress> step 6: validation: loss \d\.\d+, ')
        self.assertRegex(outputs[0][0].data["text/plain"], "^step 6: validation: loss ")

    def test_a_sweep_shows_a_bar(self):
        self.assertRegex(self.html(1), '^<progress value="2" max="2"></progress> 2 of 2 runs finished$')

    def test_results_are_tables(self):
        head, *rows = cells(self.html(2))
        self.assertEqual(head[:3], ["model.dropout_residual", "seeds", "sequence_accuracy.mean"])
        self.assertEqual([row[0] for row in rows], ["0", "0.1"])
        self.assertEqual(cells(swept._repr_html_()), [head, *rows])
        head, *rows = cells(self.html(3))
        self.assertEqual(head[:3], ["attention", "head", "role"])
        self.assertEqual(len(rows), 9)

    def test_attentions_are_pages_in_frames(self):
        for cell in (4, 5):
            frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" [^<>]*></iframe>', self.html(cell))
            page = html.unescape(frame[1])
            self.assertTrue(page.startswith("<!doctype html>") and "</html>" in page)
            self.assertIn("encoder.layers.1.self", page)
            self.assertNotRegex(page, r"localStorage|(src|href)=.https?:")  # the sandbox has neither

    def test_other_values_are_as_ever(self):
        self.assertEqual(outputs[6][0].data, {"text/plain": "8"})


class Text(unittest.TestCase):
    def test_tables(self):
        heads = run.heads(importance=True)
        lines = str(heads).splitlines()
        self.assertEqual(lines[0].split()[:3], ["attention", "head", "role"])
        self.assertIn("loss_without", lines[0])
        self.assertEqual(len(lines), 10)
        self.assertTrue(lines[2].startswith("encoder.layers.0.self   1     "))
        self.assertIsInstance(heads, dict)
        self.assertEqual(json.loads(json.dumps(heads)), dict(heads))

    def test_a_sweep_is_the_program_s_table(self):
        self.assertIn(repr(swept), swept.printed)
        self.assertRegex(str(swept), r"^ *model.dropout_residual +seeds")


if __name__ == "__main__":
    unittest.main()
