#!/usr/bin/env python3
"""Makes tests/fixtures/releases/VERSION: small runs that this version trained, and what it says of them.

Later versions must say the same (tests/apps/releases_test.cpp). Run it once for each release, and never again.
Usage: scripts/make_release_fixtures.py [PROGRAM]
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = str(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/tapehead").resolve())
VERSION = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]

# The options of each run, and what is asked of it: a command and its input.
RUNS = {
    "copy": (
        "configs/copy.yaml",
        ["task.vocabulary=6", "task.max_length=5", "task.train_examples=300", "task.validation_examples=20",
         "task.test_examples=20", "model.d_model=16", "model.heads=2", "model.layers=1", "model.d_ff=24",
         "model.dropout=0.1", "encoder_self.positions=relative", "decoder_self.kv_heads=1", "cross.gates=l0",
         "training.batch_tokens=256", "training.schedule=constant", "training.steps=1500", "training.warmup=20",
         "evaluation.every=500", "evaluation.samples=0"],
        ["translate", "run", "--input", "lines"],
        "3 1 2\n0 0 5 4\n\n5\n",
    ),
    "text": (
        "configs/gpt.yaml",
        ["task.train_text=docs/plan.md", "task.vocabulary=150", "task.context=32", "model.d_model=24",
         "model.heads=3", "model.layers=2", "model.dropout=0.1", "attention.kv_heads=1",
         "attention.pattern=window 16", "training.batch_tokens=512", "training.schedule=constant", "training.steps=600",
         "training.learning_rate=5e-3", "training.warmup=20", "evaluation.every=200", "evaluation.samples=0"],
        ["generate", "run", "--prompts", "lines", "--temperature", "0", "--max-tokens", "12"],
        "The memory\n",
    ),
}


def said(*arguments, directory):
    """What the program prints."""
    return subprocess.run([PROGRAM, *arguments], cwd=directory, check=True, text=True, capture_output=True).stdout


def figures(*arguments, directory):
    """What the program prints as JSON."""
    return json.loads(said(*arguments, "--json", directory=directory))


def make(fixture, config, options, command, lines):
    run = fixture / "run"
    overrides = [word for option in options for word in ("--set", option)]
    said("train", config, "--run", str(run), "--no-report", *overrides, directory=ROOT)
    for path in [run / ".lock", run / "log.txt", *sorted(run.glob("checkpoints/step_*"))[:-1]]:
        path.unlink(missing_ok=True)
    (fixture / "lines").write_text(lines)
    evaluated = figures("evaluate", "run", "--split", "validation", directory=fixture)
    heads = figures("heads", "run", directory=fixture)
    expected = {
        "split": "validation",
        "loss": evaluated["loss"],
        "token_accuracy": evaluated["token_accuracy"],
        "entropies": [head["entropy"] for attention in heads["attentions"] for head in attention["heads"]],
        "command": command,
        "output": said(*command, directory=fixture),
        "lines": lines,
        "loss_after_ten_steps": loss_after_ten_steps(fixture),
    }
    (fixture / "lines").unlink()
    (fixture / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


def loss_after_ten_steps(fixture):
    """Of a copy of the run that goes on."""
    copy = fixture / "copy"
    shutil.copytree(fixture / "run", copy)
    steps = int(max(copy.glob("checkpoints/step_*")).stem.removeprefix("step_")) + 10
    said("train", "copy/config.yaml", "--run", "copy", "--resume", "--set", f"training.steps={steps}",
         directory=fixture)
    evaluated = figures("evaluate", "copy", "--checkpoint", "last", "--split", "validation", directory=fixture)
    shutil.rmtree(copy)
    return evaluated["loss"]


def main():
    kept = ROOT / "tests/fixtures/releases" / VERSION
    if kept.exists():
        sys.exit(f"{kept} is there, and must stay what {VERSION} made")
    if not said("--version", directory=ROOT).startswith(f"tapehead {VERSION}"):
        sys.exit(f"{PROGRAM} is not of version {VERSION}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, run in RUNS.items():
            fixture = Path(scratch) / name
            fixture.mkdir()
            make(fixture, *run)
        shutil.copytree(scratch, kept)


main()
