#!/usr/bin/env python3
"""Makes tests/fixtures/releases/VERSION: small runs that this version trained, and what it says of them.

Later versions must say the same (tests/apps/releases_test.cpp). Run it once for each release, and never again.
Usage: scripts/make_release_fixtures.py [PROGRAM]
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = str(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/tapehead").resolve())
VERSION = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
NOT_READ = [".lock", "log.txt", "metrics.jsonl", "scores.jsonl", "times.jsonl", "record.json"]  # by what the tests do

# The options of each run, and what is asked of it: a command and its input.
RUNS = {
    "copy": (
        "configs/copy.yaml",
        ["task.vocabulary=6", "task.max_length=5", "task.train_examples=300", "task.validation_examples=20",
         "task.test_examples=20", "model.d_model=16", "model.heads=2", "model.layers=1", "model.d_ff=24",
         "model.dropout=0.1", "encoder_self.positions=relative", "decoder_self.kv_heads=1", "cross.gates=l0",
         "training.batch_tokens=256", "training.steps=1500", "training.warmup=20", "evaluation.every=500",
         "evaluation.samples=0"],
        ["translate", "run", "--input", "lines"],
        "3 1 2\n0 0 5 4\n\n5\n",
    ),
    "text": (
        "configs/gpt.yaml",
        ["task.train_text=docs/plan.md", "task.vocabulary=150", "task.context=32", "model.d_model=24",
         "model.heads=3", "model.layers=2", "model.dropout=0.1", "attention.kv_heads=1",
         "attention.pattern=window 16", "training.batch_tokens=512", "training.steps=600",
         "training.learning_rate=5e-3", "training.warmup=20", "evaluation.every=200", "evaluation.samples=0"],
        ["generate", "run", "--prompts", "lines", "--temperature", "0", "--max-tokens", "12"],
        "The memory\n",
    ),
}


def said(*arguments, directory):
    """What the program prints."""
    return subprocess.run([PROGRAM, *arguments], cwd=directory, check=True, text=True, capture_output=True).stdout


def make(name, config, options, command, lines):
    fixture = ROOT / "tests/fixtures/releases" / VERSION / name
    if fixture.exists():
        sys.exit(f"{fixture} is there, and must stay what {VERSION} made")
    overrides = [word for option in options for word in ("--set", option)]
    run = fixture / "run"
    said("train", config, "--run", str(run), "--no-report", *overrides, directory=ROOT)
    for path in [*map(run.joinpath, NOT_READ), *sorted(run.glob("checkpoints/step_*"))[:-1]]:
        path.unlink(missing_ok=True)

    evaluated = json.loads(said("evaluate", "run", "--split", "validation", "--json", directory=fixture))
    heads = json.loads(said("heads", "run", "--json", directory=fixture))
    (fixture / "lines").write_text(lines)
    expected = {
        "split": "validation",
        "loss": evaluated["loss"],
        "token_accuracy": evaluated["token_accuracy"],
        "entropies": [head["entropy"] for attention in heads["attentions"] for head in attention["heads"]],
        "command": command,
        "output": said(*command, directory=fixture),
    }
    (fixture / "lines").unlink()
    expected["lines"] = lines
    (fixture / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


for run, (config_file, set_options, asked, given) in RUNS.items():
    make(run, config_file, set_options, asked, given)
