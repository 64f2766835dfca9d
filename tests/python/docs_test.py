"""docs/python.md: its example runs, and its tables have the fields of the JSON that commands print and files hold."""

import contextlib
import importlib.util
import io
import json
import pathlib
import re
import subprocess
import unittest
from unittest import mock

import tapehead
from page import PAGE, keys, rows, words
from tiny import COPY, FIXTURES, LABELLED, MASKED, ROOT, TINY, has_open

COMMANDS = {  # what is given to each, and the words of its command line
    "config": ("", ["tiny.json"]),
    "train": ("", ["tiny.json", "--run", "runs/again"]),
    "sweep": ("", ["sweep.json"]),
    "report": ("", ["runs/copy"]),
    "replay": ("", ["runs/diverged/replay.safetensors"]),
    "plan": ("", ["tiny.json"]),
    "gradcheck": ("", ["tiny.json"]),
    "evaluate": ("", ["runs/copy"]),
    "heads": ("", ["runs/copy", "--importance", "--prune"]),
    "attention": ("", ["runs/copy", "1 2", "--without", "decoder.layers.0.cross.0", "--with-pattern", "2"]),
    "import": ("", [str(FIXTURES / "pretrained" / "gpt2"), "--token-texts"]),
    "export": ("", ["runs/gpt2", "exported"]),
    "prune": ("", ["runs/copy", "runs/smaller", "--head", "encoder.layers.0.self.0"]),
    "translate": ("1 2\n", ["runs/copy"]),
    "generate": ("", ["runs/copy", "--prompt", "1 2"]),
    "score": ("1 2\n", ["runs/copy", "--source", "lines", "--target", "lines", "--align", "all"]),
    "classify": ("a hot wind\n", ["runs/labelled"]),
    "tokenize": ("1 2\n", ["runs/copy"]),
    "fill": ("a m<mask>n\n", ["runs/masked"]),
}


DIVERGING = {"training.optimizer": "sgd", "training.learning_rate": 1000, "training.clip_norm": 0, "training.warmup": 0,
             "model.norm_position": "post", "training.steps": 100, "training.average_last": 0,
             "evaluation.every": 1000}


def setUpModule():
    pathlib.Path("configs").symlink_to(ROOT / "configs")
    pathlib.Path("lines").write_text("1 2\n")
    axes = {"model.dropout_residual": [0, 0.1]}
    pathlib.Path("sweep.json").write_text(json.dumps({"config": "tiny.json", "axes": axes}))
    pathlib.Path("tiny.json").write_text(json.dumps(tapehead.config(COPY, set=TINY)))
    with contextlib.redirect_stderr(io.StringIO()):
        tapehead.train("tiny.json", run="runs/copy")
        with contextlib.suppress(tapehead.Error):
            tapehead.train("tiny.json", run="runs/diverged", set=DIVERGING)
        for name, text in (("labelled", LABELLED), ("masked", MASKED)):
            pathlib.Path(name + ".yaml").write_text(text)
            tapehead.train(name + ".yaml")


class Page(unittest.TestCase):
    def test_the_examples_run(self):
        train = tapehead.train
        examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
        said, names = io.StringIO(), {}

        def train_little(config, set, **options):
            little = {"training.steps": 2, "evaluation.every": 2} if isinstance(config, dict) else {**TINY, **set}
            return train(config, {**set, **little}, **options)

        for example in examples:
            missing = ".frame()" in example and not importlib.util.find_spec("pandas")
            with self.subTest(example), contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()), \
                    mock.patch.object(tapehead, "train", train_little):
                if missing or ".open()" in example and not has_open():
                    self.skipTest("needs pandas or the command open")
                exec(compile(example, "docs/python.md", "exec"), names)
        self.assertEqual(len(examples), 4)
        self.assertIn("encoder.layers.0.self 0 ", said.getvalue())
        self.assertIn("did you mean model.d_model? 2\n", said.getvalue())

    def test_the_commands_are_those_that_have_json(self):
        commands = re.findall(r"^  (\w+) ", subprocess.check_output([tapehead.program(), "--help"], text=True), re.M)
        having = [command for command in commands if "--json" in subprocess.check_output(
            [tapehead.program(), command, "--help"], text=True)]
        self.assertEqual(sorted(having), sorted(COMMANDS))

    def test_the_fields_of_commands(self):
        for command, (given, line) in COMMANDS.items():
            with self.subTest(command):
                _, _, always, sometimes = rows()[command]
                printed = subprocess.run([tapehead.program(), command, *line, "--json"], input=given, text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(printed.returncode, command == "replay", printed.stderr)  # the step fails again
                value = json.loads(printed.stdout)
                self.assertLessEqual(words(always), keys(value))
                self.assertLessEqual({"importance", "pruning", "alignment"} & words(sometimes), keys(value))
                if command == "sweep":
                    always += rows()["results.json"][1]
                if command != "evaluate":  # whose metrics docs/metrics.md names
                    self.assertLessEqual(value.keys(), words(always) | words(sometimes))

    def test_the_fields_of_files(self):
        files = rows()
        lines = [json.loads(line) for line in pathlib.Path("runs/copy/metrics.jsonl").read_text().splitlines()]
        step, evaluation = files["metrics.jsonl"][1].split("of an evaluation")
        self.assertLessEqual(words(step) - {"penalty", "open_heads"}, lines[0].keys())
        self.assertLessEqual(lines[0].keys(), words(step))
        self.assertLessEqual(words(evaluation), lines[2].keys())
        self.assertEqual(words(files["times.jsonl"][1]), {"step", "seconds"})
        record = json.loads(pathlib.Path("runs/copy/record.json").read_text())
        self.assertLessEqual(words(files["record.json"][1]), keys(record))
        self.assertLessEqual(record.keys(), words(files["record.json"][1]))


if __name__ == "__main__":
    unittest.main()
