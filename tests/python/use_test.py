"""What the models of runs do with texts, and what is measured of them."""

import contextlib
import io
import json
import pathlib
import unittest

import tapehead
from tiny import COPY, LABELLED, MASKED, TINY


def trained(name, text):
    pathlib.Path(name + ".yaml").write_text(text)
    return tapehead.train(name + ".yaml")


def setUpModule():
    global run, classifier, filler
    with contextlib.redirect_stderr(io.StringIO()):
        run = tapehead.train(COPY, run="runs/copy", set=TINY)
        classifier, filler = trained("labelled", LABELLED), trained("masked", MASKED)


class Measuring(unittest.TestCase):
    def test_evaluate_measures_a_split(self):
        tests = json.loads(pathlib.Path("runs/copy/record.json").read_text())["end"]["tests"]
        self.assertEqual(run.evaluate()["loss"], tests["test"]["loss"])
        best = tapehead.load("runs/copy", checkpoint="best").evaluate(split="validation", beam=1)
        self.assertEqual(best["loss"], min(run.metrics["validation/loss"]))

    def test_heads_have_what_is_asked_for(self):
        plain, all_of_it = run.heads(), run.heads(importance=True, prune=True, split="test")
        self.assertEqual((plain["split"], all_of_it["split"]), ("validation", "test"))
        self.assertEqual([one["attention"] for one in plain["attentions"][:2]],
                         ["encoder.layers.0.self", "encoder.layers.1.self"])
        self.assertNotIn("importance", plain)
        self.assertEqual(len(all_of_it["importance"]["heads"]), 9)  # two and one, in three attentions
        self.assertEqual(len(all_of_it["pruning"]["steps"]), 9)

    def test_prune_gives_a_smaller_run(self):
        smaller = run.prune("runs/smaller", head=["encoder.layers.0.self.1", "decoder.layers.0.cross.0"])
        self.assertEqual(smaller.config["encoder_self"]["heads"], 1)
        self.assertEqual(smaller.config["cross"]["heads"], 1)
        self.assertEqual(smaller.weights["encoder.layers.0.self.query.weight"].shape, (4, 8))


class Texts(unittest.TestCase):
    def test_translate_gives_texts_or_the_best_of_each(self):
        texts = run.translate(["1 2 3", "", "4"])
        self.assertEqual(len(texts), 3)
        self.assertEqual(run.translate("4"), texts[2:])
        best = run.translate(["1 2 3", "4"], beam=3, n_best=2)
        self.assertEqual([len(translations) for translations in best], [2, 2])
        self.assertGreaterEqual(best[0][0]["score"], best[0][1]["score"])
        self.assertEqual(run.translate([]), [])

    def test_generate_takes_a_prompt_or_several(self):
        self.assertEqual([one["sample"] for one in run.generate("1 2", count=2)], [1, 2])
        prompts = run.generate(["1 2", "3"], seed=7, max_tokens=4)
        self.assertEqual([one["prompt"] for one in prompts], ["1 2", "3"])
        self.assertEqual(prompts, run.generate(["1 2", "3"], seed=7, max_tokens=4))
        with self.assertWarns(UserWarning):  # it is no option, but unknown to the vocabulary
            self.assertEqual(run.generate("-1", temperature=0)[0]["prompt"], "-1")

    def test_score_sums_the_tokens(self):
        scores = run.score(["1 2", "3"], sources=["1 2", "3"], align="all")
        self.assertEqual([len(score["tokens"]) for score in scores], [3, 2])  # with the end mark
        for score in scores:
            self.assertAlmostEqual(score["log_probability"], sum(x for _, x in score["tokens"]), 9)
        self.assertEqual([target for _, target in scores[0]["alignment"]], [0, 1])

    def test_tokenize_gives_tokens_and_ids(self):
        tokens = run.tokenize(["3 1", "2"], target=True)
        self.assertEqual([one["tokens"] for one in tokens], [["3", "1"], ["2"]])
        self.assertEqual([one["ids"] for one in tokens], [[6, 4], [5]])  # after three marks

    def test_a_text_is_a_line(self):
        for break_ in "\n\r":
            with self.assertRaisesRegex(ValueError, "more than one line: '1"):
                run.translate(["2", f"1{break_}2"])

    def test_warnings_are_those_of_python(self):
        words = "^standard input: 1 of 2 tokens is not in the vocabulary.*`what`"
        with self.assertWarnsRegex(UserWarning, words) as caught:
            run.translate(["3 what"])
        self.assertEqual(pathlib.Path(caught.filename).name, "use_test.py")

    def test_classify_and_fill(self):
        records = classifier.classify(["nobody saw the mild garden", "a hot wind"], top=2)
        self.assertEqual({one["label"] for one in records[1]["classes"]}, {"warm", "cold"})
        self.assertAlmostEqual(sum(one["probability"] for one in records[1]["classes"]), 1, 5)
        filled = filler.fill(["a m<mask>n", "<mask> <mask>"], top=3)
        self.assertEqual([[len(mask) for mask in one["masks"]] for one in filled], [[3], [3, 3]])


if __name__ == "__main__":
    unittest.main()
