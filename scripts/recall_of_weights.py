#!/usr/bin/env python3
"""Says when each map of a model of two attentions recalls what it should (Bietti et al. 2023, section 4).

Needs: runs of configs/birth.yaml with all their checkpoints; python3-numpy.

A map W is a memory of pairs of vectors (u, v) if v^T W u is largest for the v that belongs to u. The recall R(W) is the
share of the pairs for which that is so. With embeddings e, positions p and output rows o, as this program has them:

  W_K1  p_t finds p_{t-1}:                 the s with the largest p_t^T W_K1 p_s is t - 1, of all positions t > 0
  W_K2  e_v finds what stands behind v:    the u with the largest e_v^T W_K2 W_O1 W_V1 e_u is v, of the characters
  W_O2  e_v becomes the prediction of v:   the u with the largest o_u^T W_O2 W_V2 e_v is v, of the characters

Where the triggers are the most frequent characters, W_K2 has the pairs of these alone, since no other character needs
it. Below the table is the first step from which on each recall stays at half or more.
"""

import argparse
import collections
import json
import math
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(ROOT / "scripts"))
import tapehead  # noqa: E402
from plot_run import Panel, write_svg  # noqa: E402

MARKS = 3  # entries of the vocabulary in front of the characters
MAPS = ("W_O2", "W_K2", "W_K1")
COLOURS = {"W_O2": "#2f6fb3", "W_K2": "#d2691e", "W_K1": "#2e8b57", "answers": "#333333"}


def recall(scores, wanted):
    """The share of the rows whose largest score is in the wanted column."""
    return float(np.mean(np.argmax(scores, axis=1) == wanted))


def recalls(weights, length, triggers):
    """R of each map. Maps are (out, in), and multiply columns."""
    e = weights["source.embedding"][MARKS:]
    p = weights["source.positions"][:length]
    o = weights["output.weight"][MARKS:]

    def of(layer, name):
        return weights[f"encoder.layers.{layer}.self.{name}.weight"]

    every = np.arange(len(e))
    asked = every if triggers is None else triggers
    behind = of(0, "output") @ of(0, "value") @ e.T  # columns: what a row with this character before it holds
    return {
        "W_O2": recall((o @ of(1, "output") @ of(1, "value") @ e.T).T, every),
        "W_K2": recall((e @ of(1, "key") @ behind)[asked], asked),
        "W_K1": recall((p @ of(0, "key") @ p.T)[1:], np.arange(length - 1)),
    }


def trigger_numbers(run, task):
    """The numbers of the most frequent characters; None if triggers are drawn or the text is the program's own."""
    if task["trigger_choice"] != "frequent" or not task["text"]:
        return None
    file = json.loads((run / "data.json").read_text("utf-8"))["text"]["absolute"]
    counts = collections.Counter(pathlib.Path(file).read_text("utf-8"))
    characters = sorted(counts, key=lambda character: character.encode())
    by_count = sorted(range(len(characters)), key=lambda number: -counts[characters[number]])
    return np.array(by_count[: task["triggers"]])


def rows_of(run):
    """A row for each checkpoint: its step, the recalls, and the share of the labels right on the validation split."""
    of = tapehead.Run(run)
    task, metrics = of.config["task"], of.metrics
    triggers = trigger_numbers(run, task)
    evaluated = {int(step): i for i, step in enumerate(metrics["validation/step"])}
    rows = []
    for file in sorted((run / "checkpoints").glob("step_*.safetensors")):
        step = int(file.stem.removeprefix("step_"))
        row = {"step": step, **recalls(tapehead.read_tensors(file)[0], task["length"], triggers)}
        for name, metric in (("answers", "answer_accuracy"), ("others", "other_accuracy")):
            row[name] = float(metrics["validation/" + metric][evaluated[step]]) if step in evaluated else math.nan
        rows.append(row)
    return rows


def first_step(rows, name):
    """The first step from which on this recall stays at half or more; None if there is none."""
    low = [i for i, row in enumerate(rows) if row[name] < 0.5]
    after = low[-1] + 1 if low else 0
    return rows[after]["step"] if after < len(rows) else None


def mean_rows(curves):
    """The means over runs at the steps that all have."""
    common = set.intersection(*({row["step"] for row in rows} for rows in curves))
    return [{name: float(np.mean([row[name] for row in together])) for name in together[0]}
            for together in zip(*([row for row in rows if row["step"] in common] for rows in curves))]


def table_of(runs, curves):
    columns = (*MAPS, "answers", "others")
    yield " ".join(f"{name:>8}" for name in ("step", *columns))
    for row in mean_rows(curves):
        yield f"{row['step']:>8.0f} " + " ".join(f"{100 * row[name]:>8.1f}" for name in columns)
    for run, rows in zip(runs, curves):
        firsts = ((name, first_step(rows, name)) for name in MAPS)
        yield f"{run}: " + ", ".join(f"{name} {'never' if step is None else f'from step {step}'}"
                                     for name, step in firsts)


def draw(rows):
    panel = Panel(0, int(rows[-1]["step"]), 0, 100)
    names = [(f" {name}", colour) for name, colour in COLOURS.items()]  # the blank keeps them apart
    yield from panel.axes("recall of maps, and answers right", [(k, f"{k} %") for k in range(0, 101, 25)], names)
    for name, colour in COLOURS.items():
        points = [(row["step"], 100 * row[name]) for row in rows if not math.isnan(row[name])]
        yield from panel.curve(points, colour, dots=True)
    yield from panel.step_axis()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--svg", type=pathlib.Path, help="draws the means over the runs")
    arguments = parser.parse_args()
    curves = [rows_of(run) for run in arguments.runs]
    if not all(curves):
        sys.exit("a run has no checkpoints of steps")
    print("\n".join(table_of(arguments.runs, curves)))
    if arguments.svg:
        write_svg(arguments.svg, 1, draw(mean_rows(curves)))


if __name__ == "__main__":
    main()
