"""Trainings that take a fraction of a second."""

import pathlib
import subprocess

import tapehead

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures"
COPY = ROOT / "configs" / "copy.yaml"

# Of the copy task: a checkpoint and an evaluation every second step, and the average of the last two.
TINY = {"task.train_examples": 40, "task.validation_examples": 4, "task.test_examples": 4, "task.vocabulary": 8,
        "model.d_model": 8, "model.layers": 2, "model.d_ff": 8, "attention.heads": [2, 1], "training.batch_tokens": 256,
        "training.steps": 6, "training.warmup": 1, "training.checkpoint_every": 2, "training.average_last": 2,
        "evaluation.every": 2, "run.report": False}

# Of labelled texts and of running text, in an encoder.
ENCODER = """
model: {family: encoder, d_model: 8, layers: 1}
training: {batch_tokens: 128, steps: 2, schedule: constant}
evaluation: {every: 2}
run: {report: false}
"""
LABELLED = f"""
task: {{name: labelled_text, train_tsv: {FIXTURES}/labelled/train.tsv,
       validation_tsv: {FIXTURES}/labelled/validation.tsv, test_tsv: {FIXTURES}/labelled/test.tsv}}
{ENCODER}"""
MASKED = f"""
task: {{name: text, train_text: {FIXTURES}/text/train.en, tokenizer: character, context: 24}}
{ENCODER}"""


def has_open():
    return not subprocess.run([tapehead.program(), "open", "--help"], capture_output=True).returncode
