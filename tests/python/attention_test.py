"""What the heads do with a text, as arrays: from a file made by hand, and from the program."""

import contextlib
import io
import json
import os
import pathlib
import struct
import sys
import unittest
from unittest import mock

import numpy as np
import tapehead
from tiny import COPY, TINY

FACTS = {"format": "tapehead attention", "version": 1, "source": "a b", "target": "c", "generated": False,
         "source_tokens": ["a", "b"], "target_tokens": ["<s>", "c"], "said_tokens": ["c", "</s>"],
         "attentions": [{"attention": "encoder.layers.0.self", "queries": "source", "keys": "source", "heads": 1},
                        {"attention": "decoder.layers.0.cross", "queries": "target", "keys": "source", "heads": 2}]}
TENSORS = {"encoder.layers.0.self.0.weights": [[1, 0], [0.5, 0.5]],
           "encoder.layers.0.self.0.scores": [[2, -np.inf], [1, 1]],
           "encoder.layers.0.self.0.outputs": [[1, 2, 3], [4, 5, 6]],
           "decoder.layers.0.cross.0.weights": [[0.25, 0.75], [1, 0]],
           "decoder.layers.0.cross.0.scores": [[0, 1], [2, 3]],
           "decoder.layers.0.cross.0.outputs": [[1], [2]],
           "decoder.layers.0.cross.1.weights": [[0, 1], [0.5, 0.5]],
           "decoder.layers.0.cross.1.scores": [[4, 5], [6, 7]],
           "decoder.layers.0.cross.1.outputs": [[3], [4]],
           **{f"{head}.{what}": np.arange(4).reshape(2, 2) + place for place, head in enumerate(
               ["encoder.layers.0.self.0", "decoder.layers.0.cross.0", "decoder.layers.0.cross.1"])
              for what in ("queries", "keys", "values")},
           "logits": [[1, 2, 3, 4], [5, 6, 7, 8]]}

# Keeps its command line, and answers `config` with an object and anything else with a file.
PROGRAM = f"""#!{sys.executable}
import shutil, sys
if sys.argv[1] == "config":
    print("{{}}")
else:
    open("line", "w").write("\\n".join(sys.argv[1:]))
    output = next(word[len("--output="):] for word in sys.argv if word.startswith("--output="))
    shutil.copy("made", output)
"""


def write_safetensors(file, tensors, metadata):
    header, data = {"__metadata__": metadata}, b""
    for name, values in tensors.items():
        numbers = np.float32(values)
        header[name] = {"dtype": "F32", "shape": numbers.shape, "data_offsets": [len(data), len(data) + numbers.nbytes]}
        data += numbers.tobytes()
    text = json.dumps(header).encode()
    pathlib.Path(file).write_bytes(struct.pack("<Q", len(text)) + text + data)


class MadeByHand(unittest.TestCase):
    def setUp(self):
        program = pathlib.Path("program").absolute()
        program.write_text(PROGRAM)
        program.chmod(0o755)
        patch = mock.patch.dict(os.environ, {"TAPEHEAD": str(program)})
        patch.start()
        self.addCleanup(patch.stop)
        write_safetensors("made", TENSORS, {"tapehead": json.dumps(FACTS)})

    def test_heads_are_stacked_by_attention(self):
        seen = tapehead.load("run").attention("a b", target="c")
        self.assertEqual({name: getattr(seen, name) for name in FACTS}, FACTS)
        self.assertEqual(list(seen.weights), ["encoder.layers.0.self", "decoder.layers.0.cross"])
        for name in TENSORS.keys() - {"logits"}:
            site, head, what = name.rsplit(".", 2)
            np.testing.assert_array_equal(getattr(seen, what)[site][int(head)], TENSORS[name])
        self.assertEqual(seen.outputs["encoder.layers.0.self"].shape, (1, 2, 3))
        np.testing.assert_array_equal(seen.logits, TENSORS["logits"])

    def test_the_command_line(self):
        heads = ["encoder.layers.0.self.0", "decoder.layers.0.cross.1"]
        tapehead.load("run", checkpoint="last").attention("-a", target="-c", without=heads)
        command, *options, mark, run, text = pathlib.Path("line").read_text().splitlines()
        self.assertEqual((command, mark, run, text), ("attention", "--", "run", "-a"))
        self.assertEqual([option for option in options if not option.startswith("--output=")],
                         ["--target=-c", *(f"--without={head}" for head in heads), "--checkpoint=last"])

    def test_a_later_version_is_refused(self):
        write_safetensors("made", TENSORS, {"tapehead": json.dumps({**FACTS, "version": 2})})
        with self.assertRaisesRegex(ValueError, "version 2 of tapehead attention"):
            tapehead.load("run").attention("a b")


class FromTheProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with contextlib.redirect_stderr(io.StringIO()):
            cls.run_ = tapehead.train(COPY, run="runs/copy", set=TINY)

    def test_the_source_is_read_and_an_output_written(self):
        seen = self.run_.attention("1 2 3")
        self.assertTrue(seen.generated)
        self.assertEqual(seen.source_tokens[:3], ["1", "2", "3"])
        self.assertEqual(seen.logits.shape[0], len(seen.target_tokens))
        length = {"source": len(seen.source_tokens), "target": len(seen.target_tokens)}
        for one in seen.attentions:
            shape = (one["heads"], length[one["queries"]], length[one["keys"]])
            weights, scores = seen.weights[one["attention"]], seen.scores[one["attention"]].astype(float)
            self.assertEqual((weights.shape, scores.shape), (shape, shape))
            self.assertEqual(seen.outputs[one["attention"]].shape[:2], shape[:2])
            np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
            # The weights are the softmax of the scores; the kernel's rounding is that of float.
            exponentials = np.exp(scores - scores.max(-1, keepdims=True))
            np.testing.assert_allclose(exponentials / exponentials.sum(-1, keepdims=True), weights, atol=1e-6)
            queries, keys, values = (made[one["attention"]] for made in (seen.queries, seen.keys, seen.values))
            products = queries @ keys.transpose(0, 2, 1) / queries.shape[-1] ** 0.5
            np.testing.assert_allclose(np.where(np.isfinite(scores), products, scores), scores, atol=1e-5)
            np.testing.assert_allclose(weights @ values, seen.outputs[one["attention"]], atol=1e-5)

    def test_a_walk_has_the_matrices_of_a_head(self):
        seen = self.run_.attention("1 2 3", walk="encoder.layers.0.self.1")
        steps = {step["step"]: step for step in seen.walk["steps"]}
        self.assertEqual(steps["query"]["formula"], "X W_Q + b_Q")
        made = steps["input"]["values"] @ steps["query_weight"]["values"] + steps["query_bias"]["values"]
        np.testing.assert_allclose(made, steps["query"]["values"], atol=1e-5)
        np.testing.assert_array_equal(steps["query"]["values"], seen.queries["encoder.layers.0.self"][1])

    def test_without_heads_the_logits_differ(self):
        whole, less = (self.run_.attention("1 2 3", target="1 2", without=without)
                       for without in ([], ["encoder.layers.0.self.0"]))
        self.assertEqual((whole.target, whole.generated), ("1 2", False))
        np.testing.assert_array_equal(whole.logits, less.logits)
        self.assertIsNone(whole.logits_without)
        self.assertFalse(np.array_equal(less.logits, less.logits_without))
        with self.assertRaisesRegex(tapehead.Error, "encoder.layers.9"):
            self.run_.attention("1", without=["encoder.layers.9.self.0"])


if __name__ == "__main__":
    unittest.main()
