"""What callers may give: values of numpy and pandas, dicts and Paths; the function of each command, and its help."""

import ast
import contextlib
import inspect
import io
import json
import keyword
import pathlib
import re
import subprocess
import unittest
from unittest import mock

import numpy as np
import tapehead
from tiny import COPY, FIXTURES, TINY

try:
    import pandas
except ImportError:
    pandas = None

SETTINGS = {**TINY, "training.steps": np.int64(4), "attention.heads": np.array([2, 1]), "training.warmup": np.uint8(1),
            "model.dropout": np.float32(0.5), "run.report": np.bool_(False), "training.average_last": 0}


def setUpModule():
    global run, swept
    with contextlib.redirect_stderr(io.StringIO()):
        run = tapehead.train(COPY, run=pathlib.Path("runs/copy"), set=SETTINGS)
        axes = {"model.dropout_residual": np.array([0, 0.5]), "feed": {"thin": {"model.d_ff": 4}, "thick": {}}}
        swept = tapehead.sweep({"config": COPY, "set": TINY, "axes": axes}, run="runs/swept")


class Values(unittest.TestCase):
    def test_settings_of_numpy(self):
        written = (run.config["training"]["steps"], run.config["attention"]["heads"], run.config["model"]["dropout"])
        self.assertEqual(written, (4, [2, 1], 0.5))

    def test_lists_of_numpy(self):
        texts = run.tokenize(np.array(["3 1", "2"]))
        self.assertEqual([one["text"] for one in texts], ["3 1", "2"])
        self.assertEqual(run.tokenize(np.array("2")), texts[1:])
        self.assertEqual(run.tokenize(text for text in ("3 1", "2")), texts)
        prompts = run.generate(np.array(["1", "3"]), seed=np.int32(7), max_tokens=np.int64(4))
        self.assertEqual([one["prompt"] for one in prompts], ["1", "3"])
        seen = run.attention("1 2", target="1 2", without=np.array(["encoder.layers.0.self.0"]))
        self.assertIsNotNone(seen.logits_without)
        smaller = run.prune("runs/smaller", head=np.array(["encoder.layers.0.self.1", "decoder.layers.0.cross.0"]))
        self.assertEqual((smaller.config["encoder_self"]["heads"], smaller.config["cross"]["heads"]), (1, 1))
        self.assertRaisesRegex(ValueError, "not a str .*: 3", lambda: run.tokenize(np.array([3])))

    def test_one_head_may_stand_alone(self):
        seen = run.attention("1 2", target="1 2", without="encoder.layers.0.self.0")
        self.assertIsNotNone(seen.logits_without)

    @unittest.skipUnless(pandas, "pandas is not installed")
    def test_lists_of_pandas(self):
        texts = pandas.DataFrame({"text": ["3 1", "2"]}, index=[7, 9])["text"]
        self.assertEqual(run.tokenize(texts), run.tokenize(["3 1", "2"]))
        self.assertEqual(run.tokenize(pandas.Index(texts)), run.tokenize(["3 1", "2"]))
        self.assertEqual([len(one["tokens"]) for one in run.score(texts, sources=texts)], [3, 2])
        config = tapehead.config(COPY, set={"model.dropout": pandas.Series([0.25]).max()})
        self.assertEqual(config["model"]["dropout"], 0.25)

    def test_a_run_says_its_directory_and_checkpoint(self):
        self.assertEqual(repr(run), "Run('runs/copy')")
        self.assertEqual(repr(tapehead.load("runs/copy", "best")), "Run('runs/copy', checkpoint='best')")


class Dicts(unittest.TestCase):
    def test_a_config_is_trained(self):
        config = {"base": "configs/a.json", "training": {"steps": np.int64(2)}}
        pathlib.Path("configs").mkdir()
        pathlib.Path("configs/a.json").write_text(json.dumps(tapehead.config(COPY, set=TINY)))
        with contextlib.redirect_stderr(io.StringIO()):
            trained = tapehead.train(config, run="runs/dict", set={"seed": 5})
        self.assertEqual((trained.config["training"]["steps"], trained.config["seed"]), (2, 5))
        self.assertEqual(trained.config["model"]["d_model"], TINY["model.d_model"])
        self.assertEqual(config["base"], "configs/a.json")

    def test_other_paths_begin_at_the_working_directory(self):
        pathlib.Path("words").write_text("a b\n")
        text = {"task": {"name": "text", "train_text": pathlib.Path("words"), "tokenizer": "character"},
                "model": {"family": "decoder"}}
        self.assertEqual(tapehead.config(text)["task"]["train_text"], "words")
        with self.assertRaisesRegex(tapehead.Error, "there is no file nowhere in "):
            tapehead.plan(text, set={"task.train_text": "nowhere"})

    def test_a_directory_is_needed(self):
        for function in (tapehead.train, tapehead.sweep):
            with self.assertRaisesRegex(TypeError, "^a dict needs run="):
                function({"base": str(COPY)})
        self.assertRaisesRegex(TypeError, "needs a config, or example=", tapehead.train)

    def test_an_error_has_the_option_and_no_folder(self):
        with self.assertRaisesRegex(tapehead.Error, r"^config.json:\d+:\d+: model.d_modell: unknown option"):
            tapehead.config({"base": str(COPY), "model": {"d_modell": 3}})


class Commands(unittest.TestCase):
    def test_configs(self):
        planned = tapehead.plan(COPY, set=TINY, threads=1)
        self.assertEqual((planned["threads"], planned["steps"]), (1, 6))
        checked = tapehead.gradcheck(COPY, set=TINY, only="output.*")
        self.assertEqual((checked["ok"], checked["findings"]), (True, []))
        self.assertEqual({one["name"] for one in checked["parameters"]}, {"output.weight"})
        self.assertRaisesRegex(tapehead.Error, "no such file", lambda: tapehead.gradcheck("nowhere.yaml"))

    def test_models_go_out_and_come_in(self):
        exported = run.export(pathlib.Path("exported"), as_="pytorch")
        self.assertEqual((exported["as"], exported["directory"]), ("pytorch", "exported"))
        self.assertTrue(pathlib.Path("exported/model.py").exists())
        with self.assertWarns(UserWarning):  # there is no text beside the model
            imported = tapehead.import_(FIXTURES / "pretrained" / "gpt2", token_texts=True)
        self.assertEqual(imported.directory, pathlib.Path("runs/gpt2"))
        self.assertEqual(imported.config["model"]["family"], "decoder")

    def test_a_page(self):
        page = run.report(output=pathlib.Path("page.html"), text=np.array(["3 1"]), sentences=[1, 2])["page"]
        self.assertEqual(page, "page.html")
        self.assertIn("</html>", pathlib.Path(page).read_text())
        self.assertEqual(tapehead.report(run.directory, output="page.html")["page"], page)

    def test_an_example(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(tapehead.train(example="copy", set=TINY, run="runs/example").metrics["step"][-1], 6)


@unittest.skipUnless(pandas, "pandas is not installed")
class Frames(unittest.TestCase):
    def test_of_metrics(self):
        frame = run.metrics.frame()
        self.assertEqual(frame.index.tolist(), [1, 2, 3, 4])
        self.assertEqual(frame["loss"].tolist(), run.metrics["loss"].tolist())
        self.assertEqual(frame["validation/loss"].dropna().tolist(), run.metrics["validation/loss"].tolist())
        self.assertEqual(frame["validation/loss"].dropna().index.tolist(), [2, 4])
        self.assertNotIn("validation/step", frame)

    def test_of_heads(self):
        heads = run.heads(importance=True)
        frame = heads.frame().set_index(["attention", "head"])
        self.assertEqual(len(frame), 9)
        head = heads["attentions"][1]["heads"][0]
        row = frame.loc[heads["attentions"][1]["attention"], 0]
        self.assertEqual((row["role"], row["entropy"]), (head["role"], head["entropy"]))
        self.assertEqual(row["weight_on.previous"], head["weight_on"]["previous"])
        losses = {(one["attention"], one["head"]): one["loss_without"] for one in heads["importance"]["heads"]}
        self.assertEqual(frame["loss_without"].to_dict(), losses)
        relation = heads["attentions"][3]["relations"][0]
        self.assertEqual(frame.loc[heads["attentions"][3]["attention"]]["relations.answer"].tolist(),
                         relation["agreement"])

    def test_of_heads_at_each_checkpoint(self):
        frame = tapehead.load("runs/copy").heads(every_checkpoint=True).frame()
        self.assertEqual(len(frame), 9 * frame["step"].nunique())

    def test_of_sweeps(self):
        frame = swept.frame()
        self.assertEqual(len(frame), 4)
        self.assertEqual(frame["model.dropout_residual"].tolist(), [0, 0, 0.5, 0.5])
        self.assertEqual(frame["feed"].tolist(), 2 * ["thin", "thick"])
        self.assertEqual(frame["loss"].tolist(), [one["loss"] for one in swept["runs"]])
        self.assertEqual(swept.frame("cells")["loss.mean"].tolist(), frame["loss"].tolist())


class Help(unittest.TestCase):
    def test_each_command_has_a_function(self):
        said = subprocess.run([tapehead.program(), "--help"], stdout=subprocess.PIPE, text=True).stdout
        for command in set(re.findall(r"^  (\w+)  ", said, re.MULTILINE)) - {"replay"}:  # it is for a terminal
            name = command + "_" * keyword.iskeyword(command)
            self.assertTrue(hasattr(tapehead, name) or hasattr(tapehead.Run, name), command)

    def test_a_frame_names_pandas(self):
        with mock.patch.dict("sys.modules", pandas=None):
            self.assertRaisesRegex(ImportError, r"frame\(\) needs pandas: pip install pandas", run.metrics.frame)

    def test_each_public_name_has_an_example(self):
        for name in tapehead.__all__:
            public = {name: getattr(tapehead, name)}
            if inspect.isclass(public[name]):
                members = vars(public[name]).items()
                public |= {f"{name}.{of}": one for of, one in members if of[0] != "_" and not isinstance(one, str)}
            for where, one in public.items():
                with self.subTest(where):
                    example = re.search(r"Example: `(.*)`$", inspect.getdoc(one))[1]
                    begin = "try: pass\n" if example.startswith("except") else ""
                    ast.parse(begin + example)
                    word = where.split(".")[-1]
                    self.assertIn({"OpenRun": "open", "Run": "load"}.get(word, word.lower()), example)


if __name__ == "__main__":
    unittest.main()
