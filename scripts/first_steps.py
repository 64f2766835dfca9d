#!/usr/bin/env python3
"""Says at which step the training batches, and later the validation, of runs first were right.

Usage: scripts/first_steps.py RUN ... [--share 0.99] [--metric sequence_accuracy]

A line of CSV for each run: the first step at which that share of a training batch's tokens was right (token_accuracy),
the first evaluation of the validation split at which the metric had reached it, and how many times as many steps that
is. A field is empty if the run did not reach the share.
"""
import argparse
import csv
import json
import pathlib
import sys


def lines_of(run):
    with open(run / "metrics.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def first_step(lines, metric, share):
    return next((line["step"] for line in lines if line.get(metric, 0) >= share), None)


def first_steps(run, metric, share):
    lines = lines_of(run)
    training = first_step([line for line in lines if "split" not in line], "token_accuracy", share)
    validation = first_step([line for line in lines if line.get("split") == "validation"], metric, share)
    factor = f"{validation / training:.1f}" if training and validation else None
    return [run.name, training, validation, factor]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--share", type=float, default=0.99)
    parser.add_argument("--metric", default="sequence_accuracy")
    arguments = parser.parse_args()
    rows = [first_steps(run, arguments.metric, arguments.share) for run in arguments.runs]
    csv.writer(sys.stdout, lineterminator="\n").writerows([["run", "training", "validation", "factor"], *rows])


if __name__ == "__main__":
    main()
