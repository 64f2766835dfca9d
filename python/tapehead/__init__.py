"""Trains transformers with the program tapehead, and reads and uses the runs that it leaves (docs/python.md).

    run = tapehead.train("configs/copy.yaml", set={"training.steps": 200})
    run.metrics["validation/loss"]  # an array, as long as run.metrics["validation/step"]
    run.translate(["3 1 4 1 5"])

Each call starts the program and reads its JSON; `run.open()` keeps one process for many calls. Other keyword arguments
are options of the command: `beam=4` is `--beam 4`, `other_data=True` is `--other-data`, `as_="pytorch"` is
`--as pytorch`. Values may be those of numpy and pandas.
"""

from .commands import gradcheck, import_, plan, report, sweep, train
from .launch import Error, program
from .runs import OpenRun, Run, config, load
from .shown import Attention, Heads, Metrics, Sweep, read_tensors

__all__ = ["Attention", "Error", "Heads", "Metrics", "OpenRun", "Run", "Sweep", "config", "gradcheck", "import_",
           "load", "plan", "program", "read_tensors", "report", "sweep", "train"]
