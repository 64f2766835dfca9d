#!/usr/bin/env python3
"""Compares the logits of exported models (tapehead export --as pytorch) with those of the program.

Needs: pip install torch==2.13.0 safetensors==0.8.0 numpy packaging (the CPU build of PyTorch is enough), and
./dev build. With a WORD, only the models with it in their names are compared; --random N adds N models with options at
random.

Each model is small, and trained for a few steps at a high learning rate, so that gates, gains and biases are not as
they began. Then `tapehead attention --output` gives the logits of a text, and model.py those of the same tokens. The
models together have every choice of every option that changes what a model computes; the script checks this against
the JSON Schema of configs. Models that write also write the same tokens.

It prints a line for each model: the largest difference, as a share of the largest logit. It fails above 1e-5.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures"
PROGRAM = os.environ.get("TAPEHEAD", str(ROOT / "build" / "tapehead"))
TOLERANCE = 1e-5
BEGIN, END = 1, 2  # marks
WRITTEN = 12  # tokens that greedy decoding writes

# Options that change nothing of what a trained model computes, or nothing that a choice could be missed of.
APART = {"model.initializer", "model.initializer_depth_scale", "model.embedding_initializer", "attention.budget",
         "attention.start"}

# Of every model, unless it says otherwise.
SMALL = {"model.d_model": 12, "model.heads": 2, "model.layers": 2, "model.d_ff": 10, "model.max_positions": 40,
         "training.learning_rate": 0.03, "training.schedule": "constant", "training.batch_tokens": 128,
         "training.steps": 8, "evaluation.every": 8, "run.report": False}

COPY = {"task.name": "copy", "task.vocabulary": 9, "task.min_length": 3, "task.max_length": 12,
        "task.train_examples": 60, "task.validation_examples": 4, "task.test_examples": 4}
SPLITS = ("train", "validation", "test")
CLASSES = {"task.name": "labelled_text", "task.max_length": 30,
           **{f"task.{split}_tsv": FIXTURES / "labelled" / f"{split}.tsv" for split in SPLITS}}
TWO_TEXTS = {"task.name": "labelled_text", "task.texts": 2, "task.max_length": 30,
             **{f"task.{split}_tsv": "pairs.tsv" for split in SPLITS}}  # which the script makes
TEXT = {"task.name": "text", "task.train_text": FIXTURES / "text" / "train.en", "task.tokenizer": "character",
        "task.context": 24}

# What a task's models read, and how they are told what to say.
READ = {"copy": ["7 1 4 4 2 8 0 3 5 6", "--target", "7 1 4 4 2 8 0 3 5 6"], "labelled_text": ["a hot wind"],
        "text": ["the man in a "], "masked": ["the m<mask>n in a <mask>"], "pairs": ["a hot wind\tthe cold lake"]}

DECODER = {**COPY, "model.family": "decoder"}
ENCODER = {**COPY, "model.family": "encoder"}
PREFIX = {**DECODER, "model.prefix": "full"}

MODEL = [
    {"encoder_layers": 0}, {"encoder_layers": 1, "decoder_layers": 3}, {"layer_groups": 1},
    {"layers": 5, "layer_groups": 2},
    {"feed_forward": "gated"}, {"feed_forward": "none"}, {"feed_forward": "gated", "bias_feed_forward": False},
    *({"activation": name} for name in ("gelu", "silu", "tanh", "gelu_exact")),
    {"norm": "none"}, {"norm": "rms_norm"}, {"norm": "rms_norm", "norm_position": "post"}, {"norm_epsilon": 0.1},
    {"norm_position": "post"}, {"norm_position": "post", "feed_forward": "gated"},
    {"bias_attention": False}, {"bias_feed_forward": False}, {"bias_norm": False}, {"bias_output": True},
    {"head_transform": "pooler"}, {"head_transform": "masked", "activation": "gelu", "bias_output": True},
    {"d_embedding": 6}, {"d_embedding": 16, "embedding_norm": True, "positions": "learned", "token_types": 2},
    {"d_embedding": 6, "head_transform": "masked", "tie_embeddings": "all"},
    {"token_types": 2}, {"embedding_norm": True}, {"embedding_scale": "none"},
    {"positions": "learned"}, {"positions": "none"}, {"position_scale": "inverse_sqrt_d_model"},
    {"positions": "learned", "position_scale": "inverse_sqrt_d_model"},
    *({"tie_embeddings": name} for name in ("source_target", "target_output", "all")),
    {"tie_embeddings": "all", "bias_output": True},
]

PATTERNS = ["causal", "window 2", "window 3 1", "blocks 3", "strided 3", "fixed 4 1", "fixed 4 0", "top_k 2",
            "window 4 top_k 2"]
SHARINGS = ["query_key", "key_value", "query_value", "all", "identity", "identity_query"]

ATTENTION = [
    {"heads": 4, "kv_heads": 2}, {"heads": 4, "kv_heads": 1, "d_qk": 5, "d_v": 3}, {"heads": [0, 3]}, {"heads": [1, 4]},
    *({"sharing": name} for name in SHARINGS),
    {"head_weights": "tied"}, {"head_weights": "tied", "input": "narrow"}, {"input": "narrow"},
    {"input": "narrow", "heads": 4, "kv_heads": 2, "sharing": "key_value"}, {"input": "narrow", "sharing": "identity"},
    {"shared_as": "mine", "pattern": "[[full], [window 2]]"}, {"shared_as": ["mine", "other.one"]},
    *({"combine": name} for name in ("concatenate", "mean", "weighted")),
    {"combine": "mean", "head_weights": "tied"}, {"combine": "weighted", "sharing": "identity"},
    *({"score": name} for name in ("bilinear", "cosine", "additive")),
    {"heads": 4, "kv_heads": 2, "score": "bilinear"}, {"heads": 4, "kv_heads": 2, "score": "additive"},
    {"heads": 4, "score": "[[dot, bilinear, cosine, additive]]"}, {"score": "[[cosine, dot]]", "head_weights": "tied"},
    {"score": "[[additive, bilinear]]", "positions": "transformer_xl"}, {"score": "additive", "head_weights": "tied"},
    {"score": "cosine", "sharing": "identity"}, {"score": "bilinear", "head_weights": "tied"},
    *({"scale": name} for name in ("inverse_sqrt_d_model", "none", "learned")),
    {"scale": "learned", "score": "additive"}, {"scale": "none", "score": "[[additive, dot]]"},
    *({"pattern": name} for name in PATTERNS),
    {"pattern": "[[window 3, full]]"}, {"pattern": "[[causal, top_k 2], [full, full]]"},
    {"pattern": "[[full top_k 3, window 2 top_k 1]]"},
    {"gates": "l0"}, {"gates": "l0", "head_weights": "tied"},
]

POSITIONS = ["rotary", "relative", "relative_keys", "transformer_xl", "t5", "alibi"]
BY_KIND = [
    *({f"{kind}.positions": name} for kind in ("encoder_self", "decoder_self") for name in POSITIONS),
    *({"attention.positions": name, "attention.clip": 2, "attention.score": score} for score in ("cosine", "bilinear")
      for name in ("relative", "transformer_xl")),
    *({"attention.positions": name, "attention.clip": 0} for name in ("relative_keys", "transformer_xl")),
    {"attention.positions": "relative", "attention.head_weights": "tied"},
    {"attention.positions": "relative", "attention.scale": "learned", "attention.clip": 3},
    {"attention.positions": "transformer_xl", "attention.scale": "none", "attention.heads": 4, "attention.kv_heads": 2},
    {"attention.positions": "rotary", "attention.rotary_pairs": "interleaved", "attention.rotary_base": 100},
    {"attention.positions": "rotary", "encoder_self.rotary_pairs": "interleaved"},
    {"attention.positions": "rotary", "attention.heads": 2, "attention.kv_heads": 1},
    {"attention.positions": "rotary", "attention.head_weights": "tied", "attention.scale": "learned"},
    {"attention.positions": "t5", "attention.buckets": 6, "attention.farthest": 5},
    {"attention.positions": "alibi", "attention.heads": 3}, {"attention.positions": "alibi", "attention.heads": 6},
    {"attention.positions": ["t5", "none"]}, {"attention.positions": ["alibi", "rotary"]},
    {"attention.positions": "relative", "attention.pattern": "window 3"},
    *({"cross.pattern": name} for name in PATTERNS),
    {"cross.pattern": "blocks 2", "task.min_length": 3}, {"cross.heads": 0}, {"encoder_self.heads": [3, 1]},
    {"cross.heads": 0, "model.bias_attention": False}, {"cross.heads": 0, "model.norm_position": "post"},
    {"cross.sharing": "identity", "encoder_self.combine": "mean", "decoder_self.input": "narrow"},
    {"encoder_self.shared_as": "a", "decoder_self.score": "cosine", "cross.d_v": 3},
    {"model.layer_groups": 1, "attention.pattern": "[[full], [window 2]]"},
    {"model.layers": 3, "model.layer_groups": 1, "attention.pattern": "[[full], [window 2], [full]]"},
    {"model.layer_groups": 1, "cross.pattern": "[[full], [top_k 2, full]]"},
    {"attention.positions": "relative", "attention.sharing": "key_value", "model.bias_attention": False},
    {"model.bias_attention": False, "attention.combine": "weighted"},
    {"model.bias_attention": False, "attention.input": "narrow"},
]


MASKED = {**TEXT, "model.family": "encoder"}
PLAIN = {"encoder_decoder": COPY, "decoder": DECODER, "prefix": PREFIX, "encoder": ENCODER, "masked": MASKED,
         "masked, tied": {**MASKED, "model.head_transform": "masked", "model.tie_embeddings": "target_output",
                          "model.d_embedding": 8, "model.embedding_norm": True},
         "classes": {**CLASSES, "model.family": "encoder"},
         "classes at the end": {**CLASSES, "model.family": "decoder"},
         "two texts": {**TWO_TEXTS, "model.family": "encoder", "model.token_types": 2},
         "text": {**TEXT, "model.family": "decoder"}}


def named(options):
    return " ".join(f"{name}={value}" for name, value in options.items())


def of_section(section, options):
    return {f"{section}.{name}": value for name, value in options.items()}


def models():
    """Names and options."""
    yield from PLAIN.items()
    for preset in ("vaswani", "gpt2", "llama", "bert"):
        for name in ("encoder_decoder", "decoder", "masked", "classes"):
            yield f"{name}, {preset}", {**PLAIN[name], "model.preset": preset}
    for options in MODEL:
        yield named(options), {**COPY, **of_section("model", options)}
    for options in ATTENTION:
        for name in ("encoder_decoder", "prefix"):
            whole = {**PLAIN[name], **of_section("attention", options)}
            if name == "encoder_decoder" or config_of(whole):  # few patterns go with a prefix
                yield f"{name}, {named(options)}", whole
    for options in BY_KIND:
        yield named(options), {**COPY, **options}


def random_options(draw):
    def one(name, *some):
        return {name: draw.choice(some)} if draw.random() < 0.3 else {}

    options = {**draw.choice([COPY, COPY, DECODER, PREFIX, ENCODER])}
    for name, some in (("norm", ("rms_norm",)), ("norm_position", ("post",)), ("feed_forward", ("gated", "none")),
                       ("bias_attention", (False,)), ("positions", ("learned", "none")), ("layer_groups", (1, 2)),
                       ("d_embedding", (6,)), ("head_transform", ("masked", "pooler")), ("bias_output", (True,)),
                       ("tie_embeddings", ("all", "target_output", "source_target")), ("layers", (1, 3))):
        options |= one(f"model.{name}", *some)
    for kind in ("attention", "encoder_self", "decoder_self", "cross"):
        for name, some in (("heads", (1, 2, 3, 4, 6)), ("kv_heads", (1, 2)), ("d_qk", (2, 4)), ("d_v", (2, 3, 12)),
                           ("sharing", SHARINGS), ("head_weights", ("tied",)), ("input", ("narrow",)),
                           ("combine", ("concatenate", "mean", "weighted")), ("shared_as", ("a",)), ("gates", ("l0",)),
                           ("score", ("bilinear", "cosine", "additive", "[[dot, cosine]]", "[[additive, dot]]")),
                           ("scale", ("inverse_sqrt_d_model", "none", "learned")), ("positions", POSITIONS),
                           ("rotary_pairs", ("interleaved",)), ("clip", (0, 1, 4)), ("pattern", PATTERNS)):
            if draw.random() < 0.4:
                options |= one(f"{kind}.{name}", *some)
    return options


def run(*words):
    return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)


def done(*words):
    ran = run(*words)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def set_words(options):
    for name, value in options.items():
        text = str(value).replace("'", "") if isinstance(value, list) else value
        yield from ("--set", f"{name}={str(text).lower() if isinstance(text, bool) else text}")


def config_of(options):
    """The resolved config, or None if it is refused."""
    ran = run("config", "empty.yaml", "--json", *set_words({**SMALL, **options}))
    return json.loads(ran.stdout) if ran.returncode == 0 else None


def text_for(config):
    task, family = config["task"], config["model"]["family"]
    if task["name"] == "text":
        return READ["masked" if family == "encoder" else "text"]
    return READ["pairs" if "pairs" in str(task.get("train_tsv")) else task["name"]]


def logits_of(model, config, seen, source, target):
    """The logits of all rows, of the tokens that the program saw."""
    def ids(tokens, among):
        return torch.tensor([among.index(token) for token in tokens])

    read, written = ids(seen["source_tokens"], source), ids(seen["target_tokens"], target or source)
    family, task = config["model"]["family"], config["task"]["name"]
    with torch.no_grad():
        if family == "encoder_decoder":
            return model(read, written)
        if family == "encoder":
            typed = config["model"]["token_types"] and task == "labelled_text"
            return model(read, types=((read == END).cumsum(0) - (read == END).long()).clamp(max=1) if typed else None)
        prefixed = config["model"]["prefix"] == "full" and task != "text"
        return model(written, *([written.tolist().index(BEGIN)] if prefixed else []))


def written_by_program(of_text, text):
    """The first tokens that it writes, greedily, after the text."""
    if of_text:
        return list(json.loads(done("generate", "run", "--prompt", text, "--temperature", 0, "--max-tokens", WRITTEN,
                                    "--json"))["text"])
    pathlib.Path("lines").write_text(text + "\n")
    said = json.loads(done("translate", "run", "--input", "lines", "--beam", 1, "--json"))
    return said["translations"][0]["text"].split()[:WRITTEN]


def written_by_export(greedy, model, text, source, target):
    of_text = model.settings.writes.text
    read = [source.index(token) for token in (["\\n", *text] if of_text else text.split())]
    end = [END] if model.settings.model.family == "encoder_decoder" else []
    names = ["\n" if target[token] == "\\n" else target[token]
             for token in greedy(model, torch.tensor(read + end), WRITTEN)]
    return ["\u2047" if name == "<unk>" else name for name in names]


def compare(options):
    """The largest difference, as a share of the largest logit, and the config."""
    for directory in ("run", "export"):
        shutil.rmtree(directory, ignore_errors=True)
    done("train", "empty.yaml", "--run", "run", *set_words({**SMALL, **options}))
    done("export", "run", "export", "--as", "pytorch", "--checkpoint", "last")
    spec = importlib.util.spec_from_file_location("model", "export/model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model, config = module.load("export"), config_of(options)
    entries = json.loads(pathlib.Path("export/vocabulary.json").read_text())
    source, target = entries.values()
    text = text_for(config)
    seen = json.loads(done("attention", "run", *text, "--output", "seen.safetensors", "--json"))
    theirs = load_file("seen.safetensors")["logits"]
    rows = [row["row"] for row in seen["predictions"]]
    ours = logits_of(model, config, seen, source, entries.get("target"))[rows]
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    if model.settings.writes:
        written = written_by_program(model.settings.writes.text, text[0])
        assert written == written_by_export(module.greedy, model, text[0], source, target), written
    return float((ours - theirs).abs().max() / theirs.abs().max()), config


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
    yield from models()
    draw = random.Random(arguments.seed)
    for number in range(arguments.random):
        options = random_options(draw)
        while config_of(options) is None:
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
                differences[name], config = compare(options)
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
