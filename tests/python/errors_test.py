"""What Python says of a wrong config, of a broken run, and when there is no program."""

import contextlib
import importlib
import io
import os
import pathlib
import pickle
import shutil
import sys
import unittest
from unittest import mock

import tapehead
from tiny import COPY, ROOT, TINY


def setUpModule():
    global run
    with contextlib.redirect_stderr(io.StringIO()):
        run = tapehead.train(COPY, run="runs/copy", set=TINY)


class Errors(unittest.TestCase):
    def assert_error(self, exit_code, message, call):
        with self.assertRaisesRegex(tapehead.Error, message) as caught, contextlib.redirect_stderr(io.StringIO()):
            call()
        for error in (caught.exception, pickle.loads(pickle.dumps(caught.exception))):  # as from another process
            self.assertEqual((str(error), error.exit_code), (str(caught.exception), exit_code))

    def test_a_wrong_config_has_file_line_and_option(self):
        pathlib.Path("a.yaml").write_text("task:\n  name: copy\nmodel:\n  heads: 4\n  d_modell: 32\n")
        message = "^a.yaml:5:3: model.d_modell: unknown option; did you mean model.d_model\\?$"
        self.assert_error(2, message, lambda: tapehead.train("a.yaml"))
        self.assert_error(2, message, lambda: tapehead.config("a.yaml"))
        self.assert_error(2, "^--set model.d_model=x: ", lambda: tapehead.config(COPY, set={"model.d_model": "x"}))
        self.assertFalse(pathlib.Path("runs/a").exists())

    def test_a_training_that_began_ends_with_the_message_alone(self):
        diverging = {**TINY, "training.optimizer": "sgd", "training.learning_rate": 1000, "training.clip_norm": 0,
                     "training.steps": 50}
        self.assert_error(1, "^step [0-9]+: .*\nto repeat the step: ",
                          lambda: tapehead.train(COPY, run="runs/far", set=diverging))

    def test_a_broken_run_is_named(self):
        self.assert_error(2, "^nowhere/config.yaml: no such file$", lambda: tapehead.load("nowhere"))
        shutil.copytree("runs/copy", "runs/broken")
        best = pathlib.Path("runs/broken/checkpoints/average.safetensors")
        best.write_bytes(best.read_bytes()[:2000])
        broken = tapehead.load("runs/broken")
        self.assert_error(1, "^cannot use runs/broken/.*truncated", broken.evaluate)
        with self.assertRaisesRegex(ValueError, "^runs/broken/checkpoints/average.safetensors is truncated"):
            broken.weights
        best.write_bytes(b"")
        with self.assertRaisesRegex(ValueError, "average.safetensors is truncated"):
            broken.weights
        with open("runs/broken/config.yaml", "a") as config:
            config.write("more: 1\n")
        self.assert_error(2, "^runs/broken/config.yaml:[0-9]+:1: more: unknown", lambda: tapehead.load("runs/broken"))

    def test_options_that_the_command_does_not_know(self):
        for name, nearest, call in (("beem", "'beam'", run.translate), ("sed", "'seed'", run.generate),
                                    ("tops", "'top'", run.fill)):
            with self.assertRaisesRegex(TypeError, f"{call.__name__}\\(\\) has no option '{name}'.*{nearest}\\?$"):
                call(["1"], **{name: None})
        with self.assertRaisesRegex(TypeError, "^train\\(\\) has no option 'overwrit'; did you mean 'overwrite'\\?$"):
            tapehead.train(COPY, overwrit=True)
        for name in ("json", "help", "Ω"):  # options that change what the function reads, and one like no other
            with self.assertRaisesRegex(TypeError, f"^evaluate\\(\\) has no option '{name}'$"):
                run.evaluate(**{name: True})
        self.assert_error(2, "^--beam: not a number", lambda: run.evaluate(beam="x"))
        self.assert_error(1, "^no split named best", lambda: run.heads(split="best"))


class Program(unittest.TestCase):
    """Found by its variable, inside the package, in the checkout, and on the path, in this order."""

    def test_it_is_found(self):
        self.assertEqual(tapehead.program(), os.environ["TAPEHEAD"])
        folder = pathlib.Path("elsewhere/python").absolute()
        shutil.copytree(ROOT / "python" / "tapehead", folder / "copied")
        with mock.patch.object(sys, "path", [str(folder), *sys.path]):
            copied = importlib.import_module("copied")
        with mock.patch.dict(os.environ, {"PATH": str(folder)}):
            del os.environ["TAPEHEAD"]
            with self.assertRaisesRegex(FileNotFoundError, "set TAPEHEAD"):
                copied.program()
            inside = folder / "copied" / "program" / "bin" / "tapehead"
            for place in (folder / "tapehead", folder.parent / "build" / "tapehead", inside):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch(0o755)
                self.assertEqual(copied.program(), str(place))


if __name__ == "__main__":
    unittest.main()
