"""Runs that stay open: how their process begins, answers and ends, by a program made by hand; and by the real one."""

import contextlib
import gc
import io
import json
import os
import pathlib
import signal
import sys
import threading
import time
import unittest
from unittest import mock

import numpy as np
import tapehead
from tiny import COPY, LABELLED, MASKED, TINY, has_open

# Answers `translate` with the text that it reads, after as many seconds as the text says; "die" and "leave" end it.
PROGRAM = f"""#!{sys.executable}
import json, os, signal, sys, time
if sys.argv[1] == "config":
    print("{{}}")
    sys.exit()
if sys.argv[1] != "open":
    print(json.dumps({{"source": "", "translations": [{{"text": "from a process of its own", "score": 0}}]}}))
    sys.exit()
if sys.argv[-1] == "nowhere":
    sys.exit("error: no run in nowhere")
open("opened", "w").write(f"{{os.getpid()}} {{os.getpgid(0)}} {{sys.argv[2:]}}")
for line in sys.stdin:
    request = json.loads(line)
    text = request["input"].strip()
    open("requests", "a").write(line)
    if text == "die":
        print("the last words", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if text == "leave":
        sys.exit(3)
    if text.replace(".", "").isdigit():
        time.sleep(float(text))
    record = {{"source": text, "translations": [{{"text": text, "score": 0}}]}}
    wrong = text == "wrong"
    errors = "error: it is wrong\\n" if wrong else "warning: a word\\n" * (text == "warn")
    answer = {{"exit_code": 2 * wrong, "output": "" if wrong else json.dumps(record) + "\\n", "errors": errors}}
    print(json.dumps(answer), flush=True)
"""


def is_gone(process):
    with contextlib.suppress(ProcessLookupError):
        for _ in range(100):
            os.kill(process, 0)
            time.sleep(0.05)
        return False
    return True


class MadeByHand(unittest.TestCase):
    def setUp(self):
        program = pathlib.Path("program").absolute()
        program.write_text(PROGRAM)
        program.chmod(0o755)
        for name in ("opened", "requests"):
            pathlib.Path(name).unlink(missing_ok=True)
        patch = mock.patch.dict(os.environ, {"TAPEHEAD": str(program)})
        patch.start()
        self.addCleanup(patch.stop)
        self.run_ = tapehead.load("run", checkpoint="last")

    def open(self):
        model = self.run_.open()
        self.addCleanup(model.close)
        self.process, self.group = map(int, pathlib.Path("opened").read_text().split()[:2])
        return model

    def test_the_command_lines(self):
        model = self.open()
        self.assertEqual(repr(model), "OpenRun('run', checkpoint='last')")
        self.assertEqual(model.translate("é 1", n_best=1), [[{"text": "é 1", "score": 0}]])
        self.assertIn("['--checkpoint=last', '--', 'run']", pathlib.Path("opened").read_text())
        request = json.loads(pathlib.Path("requests").read_text().splitlines()[-1])
        line = ["translate", "--json", "--checkpoint=last", "--n-best=1", "--", "run"]
        self.assertEqual(request, {"arguments": line, "input": "é 1\n"})

    def test_errors_and_warnings_are_as_of_a_run(self):
        model = self.open()
        with self.assertRaisesRegex(tapehead.Error, "^it is wrong$") as caught:
            model.translate("wrong")
        self.assertEqual(caught.exception.exit_code, 2)
        with self.assertWarnsRegex(UserWarning, "^a word$") as caught:
            model.translate("warn")
        self.assertEqual(pathlib.Path(caught.filename).name, "open_test.py")

    def test_a_run_that_cannot_be_opened(self):
        with self.assertRaisesRegex(tapehead.Error, "^no run in nowhere$"):
            tapehead.load("nowhere").open()

    def test_the_end(self):
        with self.open() as model:
            self.assertEqual(model.translate("a"), ["a"])
        self.assertTrue(is_gone(self.process))
        model.close()
        self.assertRaisesRegex(tapehead.Error, "OpenRun.* is closed$", lambda: model.translate("a"))

    def test_garbage_collection_ends_it(self):
        model = self.run_.open()
        process = int(pathlib.Path("opened").read_text().split()[0])
        del model
        gc.collect()
        self.assertTrue(is_gone(process))

    def test_its_death_is_said(self):
        model = self.open()
        with self.assertRaisesRegex(tapehead.Error, "^tapehead ended by SIGKILL\nthe last words$") as caught:
            model.translate("die")
        self.assertEqual(caught.exception.exit_code, 128 + signal.SIGKILL)
        self.assertRaisesRegex(tapehead.Error, "has ended: tapehead ended by SIGKILL", lambda: model.translate("a"))
        model = self.open()
        with self.assertRaisesRegex(tapehead.Error, "^tapehead ended with exit code 3$") as caught:
            model.translate("leave")
        self.assertEqual(caught.exception.exit_code, 3)
        model = self.open()
        os.kill(self.process, signal.SIGTERM)
        self.assertRaisesRegex(tapehead.Error, "^tapehead ended by SIGTERM", lambda: model.translate("a"))

    def test_threads_wait_for_each_other(self):
        model, wrong = self.open(), []

        def ask(name):
            for i in range(50):
                text = f"{name} {i}" * (1 + 10**4 * (i % 7 == name))
                if model.translate(text) != [text]:
                    wrong.append(text)

        threads = [threading.Thread(target=ask, args=(name,)) for name in range(7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_an_interrupt_is_of_python_and_ends_it(self):
        model = self.open()
        self.assertEqual(self.group, self.process)
        self.assertNotEqual(self.group, os.getpgid(0))
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        self.assertRaises(KeyboardInterrupt, model.translate, "60")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertTrue(is_gone(self.process))
        self.assertRaisesRegex(tapehead.Error, "its answer was interrupted", lambda: model.translate("a"))
        self.assertEqual(self.open().translate("a"), ["a"])

    def test_a_text_that_cannot_be_sent_harms_nothing(self):
        model = self.open()
        self.assertRaises(UnicodeEncodeError, model.translate, "\udc80")
        self.assertEqual(model.translate("a"), ["a"])


@unittest.skipUnless(has_open(), "the program has no command open")
class FromTheProgram(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with contextlib.redirect_stderr(io.StringIO()):
            cls.run_ = tapehead.train(COPY, run="runs/copy", set=TINY)
            for name, text in (("labelled", LABELLED), ("masked", MASKED)):
                pathlib.Path(name + ".yaml").write_text(text)
                tapehead.train(name + ".yaml")

    def test_answers_are_those_of_the_run(self):
        def answers(run):
            with self.assertWarns(UserWarning):  # cut before their end
                yield run.translate(["1 2 3", "", "4"], beam=2, n_best=2)
            yield run.translate([])
            yield run.generate(["1 2", "3"], seed=7, max_tokens=4)
            yield run.generate("1 2", count=2, max_tokens=4)
            yield run.score(["1 2", "3"], sources=["1 2", "3"], align="all")
            yield run.tokenize(["3 1", "2"], target=True)
            yield run.evaluate()["loss"]
            with self.assertRaises(tapehead.Error) as caught:
                run.translate("1", beam=0)
            yield str(caught.exception), caught.exception.exit_code

        with self.run_.open() as model:
            for one, other in zip(answers(self.run_), answers(model)):
                self.assertEqual(one, other)

    def test_what_heads_do(self):
        without = ["encoder.layers.0.self.0"]
        model = self.run_.open()
        seen, same = (run.attention("1 2 3", target="1 2", without=without) for run in (self.run_, model))
        for name, weights in seen.weights.items():
            np.testing.assert_array_equal(weights, same.weights[name])
        np.testing.assert_array_equal(seen.logits_without, same.logits_without)
        process = model._process.pid
        del model
        gc.collect()
        self.assertTrue(is_gone(process))  # what the heads did keeps it not open
        self.assertIn("&lt;/html&gt;", same._repr_html_())

    def test_other_models(self):
        classifier, filler = tapehead.load("runs/labelled"), tapehead.load("runs/masked")
        with classifier.open() as model:
            self.assertEqual(model.classify(["a hot wind"], top=2), classifier.classify(["a hot wind"], top=2))
        with filler.open() as model:
            self.assertEqual(model.fill(["a m<mask>n"], top=3), filler.fill(["a m<mask>n"], top=3))

    def test_a_run_that_cannot_be_opened(self):
        broken = tapehead.load("runs/copy", checkpoint="nowhere")
        with self.assertRaisesRegex(tapehead.Error, "nowhere") as caught:
            broken.open()
        self.assertIn(caught.exception.exit_code, (1, 2))


if __name__ == "__main__":
    unittest.main()
