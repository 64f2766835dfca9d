"""What Python trains, and the files of a run that it reads."""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import unittest

import numpy as np
import tapehead
from page import rows, words
from tiny import COPY, FIXTURES, TINY


def setUpModule():
    global run, printed
    with contextlib.redirect_stderr(io.StringIO()) as printed:
        run = tapehead.train(COPY, run="runs/copy", set=TINY)


class Training(unittest.TestCase):
    def test_what_the_program_prints_goes_to_stderr(self):
        self.assertRegex(printed.getvalue(), r"(?m)^step 6: validation: loss ")
        self.assertIn("sequences right", printed.getvalue())

    def test_an_interrupt_leaves_a_checkpoint(self):
        metrics = pathlib.Path("runs/long/metrics.jsonl")

        def interrupt():
            while not (metrics.exists() and metrics.stat().st_size):
                time.sleep(0.005)
            os.kill(os.getpid(), signal.SIGINT)  # to Python alone, as a notebook does

        threading.Thread(target=interrupt).start()
        endless = {**TINY, "training.steps": 10**6, "training.checkpoint_every": 10**6, "evaluation.every": 10**6,
                   "training.minutes": 0.5}  # if it gets no signal
        with self.assertRaises(KeyboardInterrupt), contextlib.redirect_stderr(io.StringIO()) as said:
            tapehead.train(COPY, run="runs/long", set=endless)
        self.assertIn("continue with: ", said.getvalue())
        stopped = tapehead.load("runs/long", checkpoint="last")
        self.assertEqual(stopped.weights.keys(), run.weights.keys())

    def test_a_sweep_returns_its_results(self):
        sweep = {"config": str(COPY), "set": TINY, "axes": {"model.dropout": [0, 0.1]}}
        pathlib.Path("dropouts.yaml").write_text(json.dumps(sweep))
        with contextlib.redirect_stderr(io.StringIO()) as said:
            results = tapehead.sweep("dropouts.yaml", set={"training.steps": 4, "training.average_last": 0})
        self.assertEqual([cell["settings"]["model.dropout"] for cell in results["cells"]], ["0", "0.1"])
        self.assertEqual([one["steps"] for one in results["runs"]], [4, 4])
        self.assertEqual(results.keys(), words(rows()["results.json"][1]))
        self.assertIn("2 cells, 2 runs", said.getvalue())
        results["runs"][0]["cross.confidence"] = 0.5
        self.assertEqual(results["runs"][0]["cross.largest"], 0.5)
        self.assertRaisesRegex(KeyError, "^'cross.entropy'$", lambda: results["runs"][0]["cross.entropy"])
        self.assertEqual(tapehead.load("runs/dropouts/" + results["runs"][0]["name"]).metrics["step"][-1], 4)


class Reading(unittest.TestCase):
    def test_the_config_is_resolved(self):
        self.assertEqual(run.config["model"]["d_model"], 8)
        self.assertEqual(run.config["attention"]["heads"], [2, 1])
        self.assertEqual(run.config["cross"]["d_qk"], [4, 8])  # from d_model and the heads
        self.assertIs(run.config["run"]["report"], False)
        self.assertEqual(tapehead.config(COPY, set={"seed": 5})["seed"], 5)

    def test_metrics_are_arrays_of_steps_and_of_evaluations(self):
        metrics = run.metrics
        self.assertEqual(metrics["step"].tolist(), [1, 2, 3, 4, 5, 6])
        self.assertEqual(metrics["validation/step"].tolist(), [2, 4, 6])
        lines = [json.loads(line) for line in pathlib.Path("runs/copy/metrics.jsonl").read_text().splitlines()]
        self.assertEqual(metrics["loss"].tolist(), [line["loss"] for line in lines if "split" not in line])
        self.assertEqual(metrics["validation/bleu"].tolist(), [line["bleu"] for line in lines if "split" in line])
        self.assertEqual(metrics["tokens"].dtype.kind, "i")
        self.assertNotIn("validation/bleu_signature", metrics)

    def test_metrics_of_a_training_that_writes(self):
        file = pathlib.Path("runs/copy/metrics.jsonl")
        whole = file.read_text()
        try:
            file.write_text(whole + '{"step":7,"loss":1.0,"more":2}\n{"step":8,"lo')
            metrics = run.metrics
        finally:
            file.write_text(whole)
        self.assertEqual(metrics["step"].tolist(), [1, 2, 3, 4, 5, 6, 7])
        np.testing.assert_array_equal(metrics["more"], 6 * [np.nan] + [2])
        self.assertTrue(np.isnan(metrics["gradient_norm"][6]))

    def test_weights_are_those_of_the_checkpoint(self):
        weights = run.weights
        self.assertEqual(weights["encoder.layers.0.self.query.weight"].shape, (8, 8))
        self.assertIsInstance(weights["output.weight"], np.memmap)
        self.assertFalse(weights["output.weight"].flags.writeable)
        plan = subprocess.run([tapehead.program(), "plan", "runs/copy/config.yaml", "--json"], stdout=subprocess.PIPE)
        self.assertEqual(sum(x.size for x in weights.values()), json.loads(plan.stdout)["total"]["parameters"])
        self.assertFalse(np.array_equal(weights["output.weight"],
                                        tapehead.load("runs/copy", checkpoint="best").weights["output.weight"]))

    def test_the_average_is_the_mean_of_the_last_weights(self):
        last = [tapehead.load("runs/copy", f"runs/copy/checkpoints/weights_0000000{step}.safetensors").weights
                for step in (4, 6)]
        for name, average in run.weights.items():
            np.testing.assert_allclose(average, (last[0][name] + last[1][name]) / 2, atol=1e-6)

    def test_a_file_of_the_reference_implementation(self):  # scripts/make_fixtures.py
        tensors, metadata = tapehead.read_tensors(FIXTURES / "safetensors_python.safetensors")
        self.assertEqual(metadata, {"from": "Python – ü"})
        np.testing.assert_array_equal(tensors["weight"], np.float32([[1.5, -2.25, 3.0], [0.1, 1e-30, -0.0]]))
        np.testing.assert_array_equal(tensors["ids"], [0, -1, 2**62, 7])
        self.assertEqual(tensors["scalar"][()], 0.1)
        self.assertEqual(tensors["empty"].shape, (0, 3))


if __name__ == "__main__":
    unittest.main()
