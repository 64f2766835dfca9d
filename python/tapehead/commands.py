"""The commands about configs and files: they train, plan and check a config, and import a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping

from .launch import Config, Name, Settings, ask, config_file, line, result, start, watch
from .runs import Run
from .shown import Figures, Progress, Sweep


def _directory(config: Config, run: Name | None) -> Path:
    if run is None and isinstance(config, Mapping):
        raise TypeError("a dict needs run=, the directory to write into")
    return Path(run or Path("runs", Path(str(config)).stem))


def train(config: Config | None = None, set: Settings = None, run: Name | None = None, **options: Any) -> Run:
    """Trains the model of a config and returns the run. The config is a file or a dict; else `example` names one that
    comes with the program. `set` changes its options: {"model.d_model": 32, "attention.heads": [4, 2]}. `run` is the
    directory, by default runs/ and the config's name. What the program prints goes to sys.stderr; a notebook shows a
    bar. KeyboardInterrupt stops the training after a step, with a checkpoint; `resume=True` continues it.
    Example: `tapehead.train("configs/copy.yaml", set={"model.d_model": 32}, run="runs/small")`"""
    chosen = options.get("example") if config is None else config
    if chosen is None:
        raise TypeError("train() needs a config, or example= with the name of one that comes with the program")
    directory = _directory(chosen, run)
    with config_file(chosen) as file:
        watch(line("train", *([] if config is None else [file]), run=directory, set=set, options=options), Progress())
    return Run(directory)


def sweep(file: Config, set: Settings = None, run: Name | None = None, **options: Any) -> Sweep:
    """Trains the settings of a sweep, a file or a dict, and returns its results.json. Runs that finished before are not
    repeated. `set`, `run`, what is printed and KeyboardInterrupt are as in `train`.
    Example: `tapehead.sweep("configs/sweeps/copy_heads.yaml", parallel=2).frame()`"""
    directory = _directory(file, run)
    with config_file(file) as path:
        printed = watch(line("sweep", path, run=directory, set=set, options=options), Progress())
    return Sweep(json.loads((directory / "results.json").read_text("utf-8"), object_hook=Figures), printed)


def plan(config: Config, set: Settings = None, **options: Any) -> dict[str, Any]:
    """Estimates memory and time of a training (docs/plan.md). Example: `tapehead.plan("a.yaml")["training_seconds"]`"""
    with config_file(config) as file:
        return dict(ask("plan", file, set=set, options=options)[0])


def gradcheck(config: Config, set: Settings = None, **options: Any) -> dict[str, Any]:
    """Checks the gradients of a config's model; if `ok` is False, `findings` says what is wrong.
    Example: `tapehead.gradcheck("configs/copy.yaml", only="decoder.*")["ok"]`"""
    with config_file(config) as file:
        words = line("gradcheck", file, json=True, set=set, options=options)
        ran = start([word for word in words if word != "--"])  # which tapehead-gradcheck does not know
        return dict(json.loads(ran.stdout or result(ran)))


def report(directory: Name, **options: Any) -> dict[str, Any]:
    """Writes the page of a run or a sweep (docs/report.md). Example: `tapehead.report("runs/copy_heads")["page"]`"""
    return dict(ask("report", directory, options=options)[0])


def import_(directory: Name, run: Name | None = None, **options: Any) -> Run:
    """Makes a run of a model in Hugging Face's layout. Example: `tapehead.import_("gpt2", run="runs/gpt2")`"""
    return Run(ask("import_", directory, run=run, options=options)[0]["run"])
