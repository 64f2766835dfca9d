#!/usr/bin/env python3
"""Checks that exported models do in the package transformers what they do here.

Needs torch, transformers, sentencepiece and the built program. Trains a small model of each kind for some steps,
exports it, and compares:

- a GPT-2 and a Llama that go on with texts, and a decoder that maps a source to a target: 100 greedy tokens;
- a Marian with subwords, and one with words: greedy translations;
- a masked BERT and ALBERT: the probabilities of the likely tokens;
- a BERT and a GPT-2 of classes: the probabilities of the classes; a BERT of labels for tokens: the labels.

    python3 scripts/check_export.py [KIND ...]

prints a line for each kind, and fails if one differs: texts at all, probabilities by more than 1e-5.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build" / "tapehead"
CORPUS = ROOT / "tests/fixtures/text"
TOLERANCE = 1e-5

TEXT = {"name": "text", "train_text": "text.txt", "context": 126, "validation_share": 0.1}
LABELLED = {"name": "labelled_text", "train_tsv": "labelled.tsv", "max_length": 100}
PAIRS = {"name": "parallel_text", "train_source": str(CORPUS / "train.en"), "train_target": str(CORPUS / "train.de"),
         "validation_source": str(CORPUS / "validation.en"), "validation_target": str(CORPUS / "validation.de")}
COPY = {"name": "copy", "vocabulary": 9, "train_examples": 500, "validation_examples": 20, "test_examples": 20}

KINDS = {  # the task, what the model has beside its size, and the steps
    "gpt2": (TEXT | {"tokenizer": "byte_bpe", "vocabulary": 400}, {"family": "decoder", "preset": "gpt2"}, 60),
    "llama": (TEXT | {"tokenizer": "character"}, {"family": "decoder", "preset": "llama"}, 60),
    "gpt2_pairs": (COPY, {"family": "decoder", "preset": "gpt2"}, 150),
    "marian": (PAIRS | {"tokenizer": "bpe", "vocabulary": 110}, {"preset": "vaswani"}, 150),
    "marian_two": (PAIRS | {"tokenizer": "unigram", "vocabulary": 60, "joint_vocabulary": False},
                   {"preset": "vaswani", "tie_embeddings": "target_output"}, 150),
    "marian_words": (PAIRS | {"tokenizer": "word"}, {"preset": "vaswani"}, 150),
    "bert": (TEXT | {"tokenizer": "word", "vocabulary": 500}, {"family": "encoder", "preset": "bert"}, 30),
    "albert": (TEXT | {"tokenizer": "unigram", "vocabulary": 300},
               {"family": "encoder", "preset": "bert", "layer_groups": 1, "d_embedding": 16}, 30),
    "bert_classes": (LABELLED, {"family": "encoder", "preset": "bert"}, 20),
    "gpt2_classes": (LABELLED, {"family": "decoder", "preset": "gpt2", "tie_embeddings": "none"}, 20),
    "bert_labels": (COPY, {"family": "encoder", "preset": "bert"}, 150),
}


def run(*arguments, text=""):
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def json_lines(*arguments, text):
    return [json.loads(line) for line in run(*arguments, "--json", text=text).splitlines()]


def train_and_export(kind):
    task, model, steps = KINDS[kind]
    config = {"task": task, "model": {"d_model": 32, "heads": 4, "layers": 2, "max_positions": 128, **model},
              "training": {"steps": steps, "batch_tokens": 512, "learning_rate": 3e-3, "warmup": 10},
              "run": {"report": False}}
    pathlib.Path(f"{kind}.json").write_text(json.dumps(config))
    run("train", f"{kind}.json", "--run", f"runs/{kind}")
    said = json.loads(run("export", f"runs/{kind}", kind, "--json"))
    model = getattr(transformers, said["model"]).from_pretrained(kind, attn_implementation="eager").eval()
    return model, transformers.AutoTokenizer.from_pretrained(kind)


# Each of these yields what was asked, and what is said of it here and there: texts, or probabilities.


def generated(kind, model, tokenizer):
    for prompt in ("The model ", "A ", "training", "## The"):
        greedy = ["--temperature", "0", "--max-tokens", "100", "--json"]
        ours = json.loads(run("generate", f"runs/{kind}", "--prompt", prompt, *greedy))["text"]
        written = model.generate(**tokenizer(prompt, return_tensors="pt"), max_new_tokens=100, max_length=None)
        theirs = tokenizer.decode(written[0], skip_special_tokens=True)
        yield prompt, ours if ours == theirs else prompt + ours, theirs


def translated(kind, model, tokenizer):
    own = pathlib.Path(kind) / "target"
    target = transformers.AutoTokenizer.from_pretrained(own) if own.exists() else tokenizer
    sources = (CORPUS / "test.en").read_text().splitlines() if "marian" in kind else ["1 2 3", "4 4 5 6 1", "9"]
    greedy = ["--beam", "1"] if kind != "bert_labels" else []  # labels need no search
    for source, ours in zip(sources, json_lines("translate", f"runs/{kind}", *greedy, text="\n".join(sources))):
        read = tokenizer(source, return_tensors="pt")
        written = model(**read).logits.argmax(-1) if kind == "bert_labels" else model.generate(**read)
        if kind == "gpt2_pairs":
            written = written[:, read.input_ids.shape[1]:]
        yield source, ours["translations"][0]["text"], target.decode(written[0], skip_special_tokens=True)


def filled(kind, model, tokenizer):
    text = "the weights of the <mask> are in the run"
    read = tokenizer(text.replace("<mask>", tokenizer.mask_token), return_tensors="pt")
    row = (read.input_ids[0] == tokenizer.mask_token_id).nonzero()[0, 0]
    probabilities = model(**read).logits[0, row].softmax(-1)
    for likely in json_lines("fill", f"runs/{kind}", text=text)[0]["masks"][0]:
        theirs = probabilities[tokenizer.convert_tokens_to_ids(likely["token"].replace("\\n", "\n"))]
        yield likely["token"], likely["probability"], theirs.item()


def classified(kind, model, tokenizer):
    texts = ["a cat sees a dog", "the tree", "grass and a dog"]
    for text, ours in zip(texts, json_lines("classify", f"runs/{kind}", "--top", "2", text="\n".join(texts))):
        probabilities = model(**tokenizer(text, return_tensors="pt")).logits[0].softmax(-1)
        for one in ours["classes"]:
            yield text, one["probability"], probabilities[model.config.label2id[one["label"]]].item()


def compare(kind, model, tokenizer):
    """Whether all is equal, and what there is to say."""
    way = (filled if kind in ("bert", "albert") else classified if "classes" in kind else
           generated if KINDS[kind][0]["name"] == "text" else translated)
    said = list(way(kind, model, tokenizer))
    if way in (filled, classified):
        largest = max(abs(ours - theirs) for _, ours, theirs in said)
        return largest < TOLERANCE, f"probabilities within {largest:.1e}"
    for asked, ours, theirs in said:
        if ours != theirs:
            return False, f"{asked!r} becomes {ours!r} here, {theirs!r} there"
    return bool(said), f"{len(said)} texts"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="as in the script; all if none is given")
    kinds = parser.parse_args().kinds or list(KINDS)
    transformers.logging.set_verbosity_error()
    torch.set_grad_enabled(False)
    failed = False
    with tempfile.TemporaryDirectory() as here:
        os.chdir(here)
        pathlib.Path("text.txt").write_text("".join(sorted(page.read_text() for page in (ROOT / "docs").glob("*.md"))))
        lines = ["a cat sees a dog\tanimal", "the tree and the grass\tplant", "a dog\tanimal", "grass\tplant"]
        pathlib.Path("labelled.tsv").write_text("\n".join(lines * 20) + "\n")
        for kind in kinds:
            model, tokenizer = train_and_export(kind)
            equal, figures = compare(kind, model, tokenizer)
            print(f"{kind:14} {type(model).__name__:32} {'equal' if equal else 'different'}: {figures}", flush=True)
            failed |= not equal
    sys.exit(failed)


main()
