#!/usr/bin/env python3
"""Compares the logits of exported models (tapehead export --as pytorch) with those of the program.

Needs: pip install torch==2.13.0 safetensors==0.8.0 numpy packaging (the CPU build of PyTorch is enough), and
./dev build. With a WORD, only the models with it in their names are compared; --random N adds N models with options at
random.

Each model is small, and trained for a few steps at a high learning rate, so that gates, gains and biases are not as
they began. Then `tapehead attention --output` gives the logits of a text, and model.py those of the same tokens. The
models of pytorch_export_models.py together have every choice of every option that changes what a model computes; the
script checks this against the JSON Schema of configs. Models that write also write the same tokens.

It prints a line for each model: the largest difference, as a share of the largest logit. It fails above 1e-5.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import torch
from pytorch_export_models import READ, SMALL, models, named, random_options
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("TAPEHEAD", str(ROOT / "build" / "tapehead"))
TOLERANCE = 1e-5
BEGIN, END = 1, 2  # marks
WRITTEN = 12  # tokens that greedy decoding writes

# Options that change nothing of what a trained model computes, or nothing that a choice could be missed of.
APART = {"model.initializer", "model.initializer_depth_scale", "model.embedding_initializer",
         "attention.budget", "attention.start"}


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)


def set_words(options):
    for name, value in options.items():
        text = str(value).replace("'", "") if isinstance(value, list) else value
        yield from ("--set", f"{name}={str(text).lower() if isinstance(text, bool) else text}")


def config_of(options):
    """The resolved config, or None if it is refused."""
    done = run("config", "empty.yaml", "--json", *set_words(options))
    return json.loads(done.stdout) if done.returncode == 0 else None


def load_module(directory):
    spec = importlib.util.spec_from_file_location("model", directory / "model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_for(config):
    if config["task"]["name"] == "text":
        return READ["masked" if config["model"]["family"] == "encoder" else "text"]
    if config["task"]["name"] == "labelled_text" and "pairs" in str(config["task"]["train_tsv"]):
        return READ["pairs"]
    return READ[config["task"]["name"]]


def logits_of_program(config):
    """The logits of the labelled rows, their numbers, and the tokens of source and target as texts."""
    done = run("attention", "run", *text_for(config), "--output", "seen.safetensors", "--json")
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    return load_file("seen.safetensors")["logits"], [row["row"] for row in seen["predictions"]], seen


def logits_of_export(config, seen):
    """The logits of all rows."""
    entries = json.loads(pathlib.Path("export/vocabulary.json").read_text())
    read = next(iter(entries.values()))
    target = entries["target" if "target" in entries else "input"]

    def ids(tokens, among):
        return torch.tensor([among.index(token) for token in tokens])

    model = load_module(pathlib.Path("export")).load("export")
    source, written = ids(seen["source_tokens"], read), ids(seen["target_tokens"], target)
    family = config["model"]["family"]
    types = {}
    if config["model"]["token_types"] and config["task"]["name"] == "labelled_text" and family == "encoder":
        types = {"types": ((source == END).cumsum(0) - (source == END).long()).clamp(max=1)}
    with torch.no_grad():
        if family == "encoder_decoder":
            return model(source, written)
        if family == "encoder":
            return model(source, **types)
        if config["model"]["prefix"] == "full" and config["task"]["name"] != "text":
            return model(written, written.tolist().index(BEGIN))
        return model(written)


def written_by_program(config):
    """The first tokens that it writes, greedily, after the text; None for a model that writes nothing."""
    text = text_for(config)[0]
    if config["model"]["family"] == "encoder" or config["task"]["name"] == "labelled_text":
        return None
    if config["task"]["name"] == "text":
        done = run("generate", "run", "--prompt", text, "--temperature", 0, "--max-tokens", WRITTEN, "--json")
        return list(json.loads(done.stdout)["text"])
    pathlib.Path("lines").write_text(text + "\n")
    done = run("translate", "run", "--input", "lines", "--beam", 1, "--json")
    return json.loads(done.stdout)["translations"][0]["text"].split()[:WRITTEN]


def written_by_export(config):
    entries = json.loads(pathlib.Path("export/vocabulary.json").read_text())
    source, target = entries.values()
    module, text = load_module(pathlib.Path("export")), text_for(config)[0]
    of_text = config["task"]["name"] == "text"
    read = [source.index(token) for token in (["\\n", *text] if of_text else text.split())]
    end = [END] if config["model"]["family"] == "encoder_decoder" else []
    tokens = module.greedy(module.load("export"), torch.tensor(read + end), WRITTEN)
    names = ["\n" if target[token] == "\\n" else target[token] for token in tokens]
    return ["\u2047" if name == "<unk>" else name for name in names]


def compare(options):
    """The largest difference, as a share of the largest logit."""
    for directory in ("run", "export"):
        subprocess.run(["rm", "-rf", directory], check=True)
    config = config_of(options)
    assert config, run("config", "empty.yaml", *set_words(options)).stderr
    trained = run("train", "empty.yaml", "--run", "run", *set_words(options))
    assert trained.returncode == 0, trained.stderr
    exported = run("export", "run", "export", "--as", "pytorch", "--checkpoint", "last")
    assert exported.returncode == 0, exported.stderr
    return difference(config), config


def difference(config):
    theirs, rows, seen = logits_of_program(config)
    ours = logits_of_export(config, seen)[rows]
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    written = written_by_program(config)
    assert written is None or written == written_by_export(config), (written, written_by_export(config))
    return float((ours - theirs).abs().max() / theirs.abs().max())


def choices(node):
    """The values of an option that is a choice."""
    if "enum" in node and all(isinstance(value, str) for value in node["enum"]):
        return set(node["enum"])
    parts = node.get("anyOf", []) + ([node["items"]] if "items" in node else [])
    return set().union(*map(choices, parts))


def values(option):
    return set().union(*map(values, option)) if isinstance(option, list) else {str(option).lower()}


def missing(configs):
    """Choices of options that no model has."""
    schema = json.loads(run("config", "--schema").stdout)["properties"]
    kinds = ("encoder_self", "decoder_self", "cross")
    for section in ("model", "attention"):
        for name, node in schema[section]["properties"].items():
            if f"{section}.{name}" in APART:
                continue
            wanted = choices(node) - {"auto"} or ({"true", "false"} if node.get("type") == "boolean" else set())
            sections = kinds if section == "attention" else ("model",)
            seen = set().union(*(values(config[one][name]) for config in configs for one in sections))
            yield from (f"{section}.{name}: {choice}" for choice in sorted(wanted - seen))


def all_models(arguments):
    yield from models(lambda options: config_of({**SMALL, **options}) is not None)
    draw = random.Random(arguments.seed)
    for number in range(arguments.random):
        options = random_options(draw)
        while config_of({**SMALL, **options}) is None:
            options = random_options(draw)
        yield f"random {number}: {named(options)}", options


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=0, help="further models with options at random")
    parser.add_argument("--seed", type=int, default=1, help="of these")
    parser.add_argument("word", nargs="?", default="")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    differences, configs, failures = {}, [], 0
    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        pathlib.Path("empty.yaml").write_text("{}\n")
        pathlib.Path("pairs.tsv").write_text("a hot wind\tthe cold lake\tyes\na lake\tthe hot wind\tno\n" * 10)
        for name, options in all_models(arguments):
            if arguments.word not in name:
                continue
            try:
                differences[name], config = compare({**SMALL, **options})
                configs.append(config)
                verdict = f"{differences[name]:.1e}"
                failures += not differences[name] <= TOLERANCE
            except Exception as error:
                verdict = f"{type(error).__name__}: {error}"
                failures += 1
            print(f"{verdict}  {name}", flush=True)
    left = [] if arguments.word else list(missing(configs))
    print(*(f"no model has {choice}" for choice in left), sep="\n", end="\n" if left else "")
    largest = max(differences.values(), default=0)
    print(f"{len(differences)} models; the largest difference is {largest:.1e} of the largest logit; {failures} failed")
    sys.exit(failures > 0 or bool(left))


if __name__ == "__main__":
    main()
