"""Trains transformers with the program tapehead, and reads and uses the runs that it leaves (docs/python.md).

    run = tapehead.train("configs/copy.yaml", set={"training.steps": 200})
    run.metrics["validation/loss"]  # an array, as long as run.metrics["validation/step"]
    run.translate(["3 1 4 1 5"])

Each call starts the program and reads its JSON. The program is the one that the environment variable TAPEHEAD names,
else ../build/tapehead beside this file, else `tapehead` on the PATH. Keyword arguments that a function does not name
are options of the command: `beam=4` is `--beam 4`, `other_data=True` is `--other-data`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np


class Error(Exception):
    """The program's message, with its `exit_code`: 1 if something failed, 2 for a wrong config or option, 128 and more
    if a signal stopped it."""

    def __init__(self, message: str, exit_code: int):
        super().__init__(message)
        self.exit_code = exit_code


def program() -> str:
    """The path of the program."""
    built = Path(__file__).resolve().parent.parent / "build" / "tapehead"
    found = os.environ.get("TAPEHEAD") or (str(built) if built.exists() else shutil.which("tapehead"))
    if not found:
        raise FileNotFoundError(f"no program tapehead: set TAPEHEAD to its path, or build {built}")
    return found


def config(file, set: dict | None = None) -> dict:
    """A config file, resolved: `config(file)["model"]["d_model"]`; what depends on the data is None. `set` as in
    `train`."""
    return json.loads(_ask(_line("config", file, json=True, set=set)))


def train(config, set: dict | None = None, run=None, **options) -> Run:
    """Trains the config's model and returns the run. `set` changes options: {"model.d_model": 32, "attention.heads":
    [4, 2]}. `run` is its directory, by default runs/ and the config's name. What the program prints goes to sys.stderr.
    KeyboardInterrupt stops the training after a step, with a checkpoint; `resume=True` continues it."""
    run = run or Path("runs") / Path(config).stem
    _watch(_line("train", config, run=run, set=set, **options))
    return Run(run)


class _Figures(dict):
    """Also answers to the names that figures had before. They go in the version after the next."""

    def __missing__(self, name):
        for old, new in ((".largest", ".confidence"), (".self", ".same_position")):
            if name.endswith(old):
                return self[name.removesuffix(old) + new]
        raise KeyError(name)


def sweep(file, set: dict | None = None, run=None, **options) -> dict:
    """Trains the settings of a sweep file and returns its results.json. Runs that finished before are not repeated.
    `set`, `run`, what is printed and KeyboardInterrupt are as in `train`."""
    run = run or Path("runs") / Path(file).stem
    _watch(_line("sweep", file, run=run, set=set, **options))
    return json.loads((Path(run) / "results.json").read_text("utf-8"), object_hook=_Figures)


def read_tensors(file) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays of a safetensors file by name, mapped into memory, and its metadata. Raises ValueError."""
    kinds = {"F64": "f8", "F32": "f4", "F16": "f2", "I64": "i8", "I32": "i4", "I16": "i2", "I8": "i1",
             "U64": "u8", "U32": "u4", "U16": "u2", "U8": "u1", "BOOL": "?"}
    data = np.memmap(file, np.uint8, "r") if os.path.getsize(file) else np.empty(0, np.uint8)
    begin = 8 + int.from_bytes(data[:8], "little")  # after the size of the header and the header
    tensors = {}
    try:
        header = json.loads(bytes(data[8:begin]))
        metadata = header.pop("__metadata__", {})
        for name, entry in header.items():
            first, last = entry["data_offsets"]
            numbers = data[begin + first : begin + last].view("<" + kinds[entry["dtype"]])
            tensors[name] = numbers.reshape(entry["shape"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} is truncated or no safetensors file ({error!r})") from error
    return tensors, metadata


class Attention:
    """What `Run.attention` shows: the fields of docs/python.md, such as `source_tokens`; `logits`, and `logits_without`
    the heads named; by the name of an attention, `weights`, `scores` (-inf: not allowed) and `outputs`, arrays of
    (heads, queries, keys or width)."""

    def __init__(self, file):
        tensors, metadata = read_tensors(file)
        facts = json.loads(metadata["tapehead"])
        if (facts["format"], facts["version"]) != ("tapehead attention", 1):
            raise ValueError(f"{file} has version {facts['version']} of {facts['format']}, which is not known here")
        vars(self).update(facts)
        self.logits = np.array(tensors["logits"])
        self.logits_without = np.array(tensors["without.logits"]) if "without.logits" in tensors else None
        self.weights, self.scores, self.outputs = (
            {one["attention"]: np.stack([tensors[f"{one['attention']}.{head}.{what}"] for head in range(one["heads"])])
             for one in self.attentions} for what in ("weights", "scores", "outputs"))


class Run:
    """A trained run: its resolved `config`, its metrics and weights, and what its model does with texts. `checkpoint`
    is best, last, average or a file; by default the average where there is one, else the best. A text is a line;
    methods take a list of texts, or one text."""

    def __init__(self, directory, checkpoint: str | None = None):
        self.directory, self.checkpoint = Path(directory), checkpoint
        self.config = config(self.directory / "config.yaml")

    @property
    def metrics(self) -> dict[str, np.ndarray]:
        """The figures so far: of training steps `step`, `loss`, `learning_rate` and so on, of evaluations
        `validation/step`, `validation/loss` and so on; NaN where a record lacks a figure."""
        kinds: dict[str, list[dict]] = {}
        lines = (self.directory / "metrics.jsonl").read_text("utf-8").split("\n")
        for record in map(json.loads, lines[:-1]):  # a training may be writing the last one
            kind = record.pop("split") + "/" if "split" in record else ""
            kinds.setdefault(kind, []).append({name: x for name, x in record.items() if isinstance(x, (int, float))})
        return {kind + name: np.array([record.get(name, np.nan) for record in records])
                for kind, records in kinds.items() for name in {name: 0 for record in records for name in record}}

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The parameters of the checkpoint by name, mapped into memory."""
        folder = self.directory / "checkpoints"
        file = self.checkpoint or ("average" if (folder / "average.safetensors").exists() else "best")
        if file == "last":
            file = max(folder.glob("step_*.safetensors"))
        elif file in ("best", "average"):
            file = folder / f"{file}.safetensors"
        return {name: x for name, x in read_tensors(file)[0].items() if not name.startswith("optimizer.")}

    def evaluate(self, split: str = "test", **options) -> dict:
        """All metrics on a split."""
        return self._use("evaluate", split=split, **options)[0]

    def heads(self, importance: bool = False, prune: bool = False, split: str = "validation", **options) -> dict:
        """What each head does on a split; with the loss without each head, and with the loss as all go one by one."""
        return self._use("heads", importance=importance, prune=prune, split=split, **options)[0]

    def attention(self, text: str, target: str | None = None, without=(), **options) -> Attention:
        """What the heads do with a text and its target, by default the model's own; also what the model
        predicts without the heads named."""
        with tempfile.TemporaryDirectory() as folder:
            file = f"{folder}/attention.safetensors"
            _ask(_line("attention", self.directory, text, target=target, without=[*without], output=file,
                       checkpoint=self.checkpoint, **options))
            return Attention(file)

    def translate(self, texts, n_best: int | None = None, **options) -> list:
        """The translation of each text; with `n_best` the list of its best translations, each {"text", "score"}."""
        records = [record["translations"] for record in self._use("translate", texts, n_best=n_best, **options)]
        return records if n_best else [translations[0]["text"] for translations in records]

    def classify(self, texts, **options) -> list[dict]:
        """The `top` most likely classes of each text, with their probabilities."""
        return self._use("classify", texts, **options)

    def fill(self, texts, **options) -> list[dict]:
        """The `top` most likely tokens for each <mask> of each text."""
        return self._use("fill", texts, **options)

    def tokenize(self, texts, **options) -> list[dict]:
        """The tokens of each text and their ids; with `target=True` as a target."""
        line = _line("tokenize", self.directory, json=True, **options)
        return [json.loads(record) for record in _ask(line, _joined(texts)).split("\n") if record]

    def generate(self, prompts="", **options) -> list[dict]:
        """`count` samples that go on with each prompt. One prompt, not in a list, may have several lines."""
        if isinstance(prompts, str):
            return self._use("generate", prompt=prompts, **options)
        return self._use("generate", prompts, prompts="/dev/stdin", **options)

    def score(self, texts, sources=None, **options) -> list[dict]:
        """How probable each text is; with `sources`, as the target of its source, and `align` names heads to align."""
        if sources is None:
            return self._use("score", texts, **options)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(_joined(sources))
            file.flush()
            return self._use("score", texts, source=file.name, target="/dev/stdin", **options)

    def prune(self, to, **options) -> Run:
        """Writes a smaller run, without the heads that matter least or without each `head` named, and returns it."""
        _ask(_line("prune", self.directory, to, checkpoint=self.checkpoint, **options))
        return Run(to)

    def _use(self, command: str, texts=(), **options) -> list[dict]:
        line = _line(command, self.directory, checkpoint=self.checkpoint, json=True, **options)
        return [json.loads(record) for record in _ask(line, _joined(texts), 4).split("\n") if record]


load = Run


def _joined(texts) -> str:
    texts = [texts] if isinstance(texts, str) else list(texts)
    for text in texts:
        if "\n" in text or "\r" in text:
            raise ValueError(f"a text has more than one line: {text!r}")
    return "".join(text + "\n" for text in texts)


def _line(command: str, *words, set: dict | None = None, **options) -> list[str]:
    """A command line. A list gives its option several times; what is None, False or empty is left out."""
    line = [program(), command]
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            line.append(option)
        elif value is not None and value is not False and value != "":
            line += [f"{option}={one}" for one in (value if isinstance(value, (list, tuple)) else [value])]
    for name, value in (set or {}).items():
        line.append(f"--set={name}={value if isinstance(value, str) else json.dumps(value)}")
    return [*line, "--", *map(str, words)]


def _ask(line: list[str], texts: str = "", level: int = 3) -> str:
    """What a command prints. Its warnings become Python's, of the caller so many levels up."""
    ran = subprocess.run(line, input=texts, capture_output=True, encoding="utf-8", errors="replace")
    if ran.returncode:
        raise _error(ran.stderr, ran.returncode)
    for warning in re.findall(r"^warning: (.*)", ran.stderr, re.MULTILINE):
        warnings.warn(warning, stacklevel=level)
    return ran.stdout


def _watch(line: list[str]) -> None:
    """Runs a command that takes long, and passes on what it prints."""
    said = []
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace") as running:
        def pass_on():
            for printed in running.stdout:
                said.append(printed)
                sys.stderr.write(printed)
        try:
            pass_on()
        except KeyboardInterrupt:
            running.send_signal(signal.SIGINT)  # from a terminal it has it already, from a notebook not
            pass_on()
            raise
    if running.returncode:
        raise _error("".join(said), running.returncode)


def _error(said: str, exit_code: int) -> Error:
    """The message follows `error: `; what is wrong with a command line has no such mark, and ends what is said."""
    found = re.search(r"^error: ", said, re.MULTILINE)
    message = said[found.end():] if found else "".join(said.splitlines(keepends=True)[-2:])
    return Error(message.strip() or f"tapehead ended with exit code {exit_code}", exit_code)
