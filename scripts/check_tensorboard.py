#!/usr/bin/env python3
"""Compares the event files of runs (run.tensorboard: true) with their metrics, by TensorBoard's own reader.

Usage: scripts/check_tensorboard.py RUN ...
Needs: pip install tensorboard==2.21.0

Every number in metrics.jsonl must be a scalar of the same tag, step and value, rounded to float, and every scalar such
a number; the last config must be config.yaml, and the samples of a language model those of the metrics. Steps before a
resume that turned the option on have no events, so they count as differences. Prints the differences; the exit status
is 1 if there are any.
"""
import collections
import json
import pathlib
import struct
import sys

from tensorboard.backend.event_processing.event_accumulator import SCALARS, TENSORS, EventAccumulator

SHOWN = 10  # differences of a run


def as_float(number):
    """The nearest float; None, as JSON has it, if that is not finite."""
    try:
        rounded = struct.unpack("f", struct.pack("f", number))[0]
    except (OverflowError, struct.error):
        return None
    return rounded if abs(rounded) < float("inf") else None


def code_block(text):
    return "    " + text.replace("\n", "\n    ").replace("\r", "\r    ")


def metrics_of(run):
    """Scalars and samples of metrics.jsonl, by tag and step. What is not finite there is null."""
    scalars, samples = collections.defaultdict(dict), {}
    for line in map(json.loads, (run / "metrics.jsonl").read_bytes().splitlines()):
        for name, value in line.items():
            if name != "step" and (value is None or isinstance(value, (int, float))):
                scalars[f"{line.get('split', 'train')}/{name}"][line["step"]] = as_float(value)
        if "samples" in line:
            samples[line["step"]] = [code_block(sample) for sample in line["samples"]]
    return scalars, samples


def texts_of(events, tag):
    """The texts of a tag, by step."""
    tagged = events.Tensors(tag) if tag in events.Tags()["tensors"] else []
    return {event.step: [cell.decode() for cell in event.tensor_proto.string_val] for event in tagged}


def differences(run):
    events = EventAccumulator(str(run), size_guidance={SCALARS: 0, TENSORS: 0})
    events.Reload()
    scalars, samples = metrics_of(run)
    tags = events.Tags()["scalars"]
    for tag in sorted({*scalars, *tags}):
        found = [(event.step, as_float(event.value)) for event in events.Scalars(tag)] if tag in tags else []
        values = dict(found)
        if len(values) != len(found):
            yield f"{tag}: a step has several values"
        for step in sorted({*scalars[tag], *values}):
            one, other = scalars[tag].get(step, "nothing"), values.get(step, "nothing")
            if one != other:
                yield f"{tag}, step {step}: {one} in metrics.jsonl, {other} in the events"
    configs = texts_of(events, "config")
    if not configs or configs[max(configs)] != [code_block((run / "config.yaml").read_bytes().decode())]:
        yield "config: not that of config.yaml"
    shown = texts_of(events, "validation/samples")
    if samples and shown != samples:
        yield "validation/samples: not those of metrics.jsonl"
    print(f"{run}: {len(tags)} scalars with {sum(map(len, scalars.values()))} values, "
          f"samples of {len(shown)} validations")


if len(sys.argv) == 1 or sys.argv[1].startswith("-"):
    sys.exit(__doc__.strip())
failed = False
for name in sys.argv[1:]:
    if not pathlib.Path(name, "metrics.jsonl").is_file():
        sys.exit(f"{name} is not a run")
    lines = list(differences(pathlib.Path(name)))
    failed |= bool(lines)
    print("\n".join([*lines[:SHOWN], f"and {len(lines) - SHOWN} more"][: len(lines)]) or "no differences")
sys.exit(failed)
