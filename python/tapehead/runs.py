"""A trained run: its files, what is measured of it, and what its model does with texts."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import threading
import weakref
from pathlib import Path
from typing import IO, Any

import numpy as np

from .launch import (Answer, Config, Error, Name, Ran, Settings, Texts, ask, config_file, failure, joined, line, plain,
                     result, start)
from .shown import Attention, Heads, Metrics, read_tensors


def config(file: Config, set: Settings = None) -> dict[str, Any]:
    """A config with all options; None for what depends on the data. Example: `tapehead.config("a.yaml")["model"]`"""
    with config_file(file) as path:
        return dict(ask("config", path, set=set)[0])


class Run:
    """A trained run: its resolved `config`, its metrics and weights, and what its model does with texts. `checkpoint`
    is best, last, average or a file; by default the average where there is one, else the best. A text is a line;
    methods take a list of texts, or one text. Their other keyword arguments are options of the command.
    Example: `tapehead.load("runs/copy", checkpoint="last").evaluate()["loss"]`"""

    def __init__(self, directory: Name, checkpoint: Name | None = None):
        self.directory, self.checkpoint = Path(directory), checkpoint
        self.config = config(self.directory / "config.yaml")

    def __repr__(self) -> str:
        chosen = f", checkpoint={os.fspath(self.checkpoint)!r}" if self.checkpoint else ""
        return f"{type(self).__name__}({str(self.directory)!r}{chosen})"

    @property
    def metrics(self) -> Metrics:
        """The figures so far: of training steps `step`, `loss`, `learning_rate` and so on, of evaluations
        `validation/step`, `validation/loss` and so on; NaN where a record lacks a figure.
        Example: `run.metrics["loss"][-1]`"""
        kinds: dict[str, list[dict[str, Any]]] = {}
        lines = (self.directory / "metrics.jsonl").read_text("utf-8").split("\n")
        for record in map(json.loads, lines[:-1]):  # a training may be writing the last one
            kind = record.pop("split") + "/" if "split" in record else ""
            kinds.setdefault(kind, []).append({name: x for name, x in record.items() if isinstance(x, (int, float))})
        return Metrics({kind + name: np.array([record.get(name, np.nan) for record in records])
                        for kind, records in kinds.items() for name in {name: 0 for one in records for name in one}})

    @property
    def weights(self) -> dict[str, np.ndarray[Any, Any]]:
        """The parameters of the checkpoint, mapped into memory. Example: `run.weights["output.weight"].shape`"""
        tensors, _ = read_tensors(self._checkpoint_file())
        return {name: x for name, x in tensors.items() if not name.startswith("optimizer.")}

    def open(self) -> OpenRun:
        """The run with its model loaded, until `close()`. Example: `with run.open() as model: model.fill("<mask>")`"""
        return OpenRun(self)

    def evaluate(self, split: str = "test", **options: Any) -> dict[str, Any]:
        """All metrics on a split. Example: `run.evaluate("validation", beam=4)["loss"]`"""
        return dict(self._ask("evaluate", split=split, options=options)[0])

    def heads(self, importance: bool = False, prune: bool = False, split: str = "validation", **options: Any) -> Heads:
        """What each head does on a split; with the loss without each head, and with the loss as all go one by one.
        Example: `run.heads(importance=True).frame()`"""
        return Heads(self._ask("heads", importance=importance, prune=prune, split=split, options=options)[0])

    def attention(self, text: str, target: str | None = None, without: Texts = (), **options: Any) -> Attention:
        """What the heads do with a text and its target, by default the model's own; also what it predicts without the
        heads named. Example: `run.attention("3 1 4", without=["decoder.layers.0.cross.1"]).logits_without`"""
        run, own = self.directory, dict(target=target, without=plain(without), checkpoint=self.checkpoint)

        def write(file: str, answer: Answer) -> None:  # of what is shown later, which keeps no run open
            result(answer(line("attention", run, text, **own, output=file, options=options), ""))

        # In memory, if it has room for what a long text needs.
        roomy = os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 1 << 30
        with tempfile.TemporaryDirectory(dir="/dev/shm" if roomy else None) as folder:
            write(f"{folder}/attention.safetensors", self._answer)
            return Attention(f"{folder}/attention.safetensors", lambda page: write(page, start))

    def translate(self, texts: Texts, n_best: int | None = None, **options: Any) -> list[Any]:
        """The translation of each text; with `n_best` the list of its best translations, each {"text", "score"}.
        Example: `run.translate(["3 1 4", "2 7"], beam=4)`"""
        found = [record["translations"] for record in self._use("translate", texts, n_best=n_best, options=options)]
        return found if n_best else [translations[0]["text"] for translations in found]

    def classify(self, texts: Texts, **options: Any) -> list[dict[str, Any]]:
        """The `top` most likely classes of each text. Example: `run.classify(["a hot wind"], top=2)[0]["classes"]`"""
        return self._use("classify", texts, options=options)

    def fill(self, texts: Texts, **options: Any) -> list[dict[str, Any]]:
        """The `top` most likely tokens for each <mask>. Example: `run.fill("a m<mask>n", top=3)[0]["masks"]`"""
        return self._use("fill", texts, options=options)

    def tokenize(self, texts: Texts, **options: Any) -> list[dict[str, Any]]:
        """The tokens and ids of each text; with `target=True` as a target. Example: `run.tokenize("3 1")[0]["ids"]`"""
        return ask("tokenize", self.directory, texts=texts, answer=self._answer, options=options)

    def generate(self, prompts: Texts = "", **options: Any) -> list[dict[str, Any]]:
        """`count` samples that go on with each prompt. One prompt, not in a list, may have several lines.
        Example: `run.generate(["3 1", "2"], count=2, temperature=0.8)`"""
        prompts = plain(prompts)
        own = {"prompt": prompts} if isinstance(prompts, str) else {"texts": prompts, "prompts": "/dev/stdin"}
        return self._use("generate", options=options, **own)

    def score(self, texts: Texts, sources: Texts | None = None, **options: Any) -> list[dict[str, Any]]:
        """How probable each text is; with `sources`, as the target of its source, and `align` names heads to align.
        Example: `run.score(["3 1 4"], sources=["3 1 4"], align="all")[0]["log_probability"]`"""
        if sources is None:
            return self._use("score", texts, options=options)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(joined(sources))
            file.flush()
            return self._use("score", texts, source=file.name, target="/dev/stdin", options=options)

    def prune(self, to: Name, **options: Any) -> Run:
        """Writes a smaller run, without the heads that matter least or without each `head` named, and returns it.
        Example: `run.prune("runs/small", head=["encoder.layers.1.self.0"]).evaluate()["loss"]`"""
        self._ask("prune", to, options=options)
        return Run(to)

    def export(self, to: Name, **options: Any) -> dict[str, Any]:
        """Writes the model for another program. Example: `run.export("exported", as_="pytorch")["files"]`"""
        return dict(self._ask("export", to, options=options)[0])

    def report(self, **options: Any) -> dict[str, Any]:
        """Writes the run's page (docs/report.md). Example: `run.report(text=["3 1 4"])["page"]`"""
        return dict(self._ask("report", options=options)[0])

    def show(self, port: int = 0, browser: bool = False) -> None:
        """Serves a page on this machine, on which you type a text and see what the heads do with it, until an interrupt
        (docs/python.md). Example: `run.show(browser=True)`"""
        from .show import serve  # which needs this module
        serve(self, port, browser)

    def _checkpoint_file(self) -> Path:
        folder = self.directory / "checkpoints"
        usual = next((name for name in ("average", "best") if (folder / f"{name}.safetensors").exists()), "last")
        chosen = self.checkpoint or usual
        if chosen == "last":
            return max(folder.glob("step_*.safetensors"), default=folder / "best.safetensors")
        return folder / f"{chosen}.safetensors" if chosen in ("average", "best") else Path(chosen)

    def _answer(self, words: list[str], texts: str = "") -> Ran[str]:
        return start(words, texts)

    def _ask(self, command: str, *words: object, **options: Any) -> list[Any]:
        return ask(command, self.directory, *words, checkpoint=self.checkpoint, **options)

    def _use(self, command: str, texts: Texts = (), **options: Any) -> list[Any]:
        return self._ask(command, texts=texts, answer=self._answer, **options)


def _end(process: Any, errors: IO[bytes]) -> str:
    """Closes the input, which ends the process, and returns what it wrote to its standard error."""
    with contextlib.suppress(OSError):  # a request that was not written whole goes nowhere
        process.stdin.close()
    try:
        process.wait(2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    with errors:
        errors.seek(0)
        return errors.read().decode("utf-8", "replace")


class OpenRun(Run):
    """A run with its model loaded, as `Run.open` gives it, for translate, generate, score, classify, fill, tokenize and
    attention; the other methods start the program, as those of a Run do. Calls of several threads wait for each other.
    Example: `with run.open() as model: model.translate("3 1 4")`"""

    def __init__(self, run: Run):
        self.directory, self.checkpoint, self.config = run.directory, run.checkpoint, run.config
        self._lock, self._ended = threading.Lock(), ""
        errors = tempfile.TemporaryFile()
        # A session of its own keeps the Ctrl-C of a terminal from the process.
        self._process: Any = subprocess.Popen(
            line("open", self.directory, checkpoint=self.checkpoint), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=errors, start_new_session=True)
        self._end = weakref.finalize(self, _end, self._process, errors)
        self._answer(line("tokenize", self.directory))  # any answer means that the model is loaded

    def close(self) -> None:
        """Ends the process, after the answer that it works on. Example: `model.close()`"""
        with self._lock:
            self._ended = self._ended or "is closed"
            self._end()

    def __enter__(self) -> OpenRun:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _answer(self, words: list[str], texts: str = "") -> Ran[str]:
        request = json.dumps({"arguments": words[1:], "input": texts}, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            if self._ended:
                raise Error(f"{self} {self._ended}", 1)
            try:
                self._process.stdin.write(request)
                self._process.stdin.flush()
                said = self._process.stdout.readline()
            except BrokenPipeError:
                said = b""
            except BaseException:  # the answer would be mistaken for that to the next request
                self._ended = "was ended, because its answer was interrupted"
                self._process.kill()
                self._end()
                raise
            if not said.endswith(b"\n"):
                error = failure(self._end() or "", self._process.returncode)
                self._ended = f"has ended: {error}"
                raise error
        answer = json.loads(said)
        return Ran(words, answer["exit_code"], answer["output"], answer["errors"])


load = Run
