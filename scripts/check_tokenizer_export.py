#!/usr/bin/env python3
"""Compares tokenizers that are written for other programs with what the package transformers makes of them.

Usage: scripts/check_tokenizer_export.py [--show COUNT] [KIND ...]   (without kinds: all of them)
Needs: pip install transformers==4.46.3 tokenizers==0.20.3 sentencepiece; ninja -C build export_tokenizer

Of each kind a tokenizer is trained on tests/fixtures/tokenizers/training.txt and written by
build/tests/export_tokenizer. Of the 5,000 texts of texts.json there the script counts those whose ids are equal, and
those whose ids come back as the same text. skip_special_tokens leaves unknown tokens out, so our text is that of the
other tokens. Of Marian's files the texts come back for the target alone. --show prints the first texts that differ.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

from transformers import AutoTokenizer

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests/fixtures/tokenizers"
KINDS = {
    "word": 500, "character": 300, "byte": 259, "byte_bpe": 1200, "word_piece": 1000, "word_piece_cased": 1000,
    "bpe": 1200, "bpe_nfkc": 1200, "bpe_nfkc_cf": 1200, "bpe_lines": 1200,
    "unigram": 650, "unigram_nfkc": 600, "unigram_nfkc_cf": 560, "unigram_lines": 650,
    "joint_marian": 650, "separate_marian": 600,
}  # fmt: skip
BEGIN, END = 1, 2


def compare(name, texts, expected, encode, decode, show):
    """`expected`: for each text our ids, our text, and our text without unknown tokens. `decode` may be None."""
    same_ids = same_texts = unknown = 0
    for text, (ids, _, known) in zip(texts, expected):
        theirs = encode(text)
        back = decode(ids, skip_special_tokens=True) if decode else known
        same_ids += theirs == ids
        same_texts += back == known
        unknown += 0 in ids
        if show and (theirs != ids or back != known):
            print(json.dumps({"text": text, "ours": ids, "theirs": theirs, "our text": known, "their text": back}))
            show -= 1
    equal = f"{same_ids:5} ids" + (f" and {same_texts:5} texts" if decode else "")
    print(f"{name:28} of {len(texts)}: {equal} are equal; {unknown} have unknown tokens", flush=True)


def check(kind, directory, texts, show):
    tokenizer = AutoTokenizer.from_pretrained(directory)
    marian = kind.endswith("_marian")
    if marian:
        assert type(tokenizer).__name__ == "MarianTokenizer" and tokenizer.pad_token_id == BEGIN
        sides = [("text", ", source", None), ("text_target", ", target", tokenizer.decode)]
    else:
        marks = tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id
        assert tokenizer.is_fast and marks == (BEGIN, END, 0)
        sides = [("text", "", tokenizer.decode)]
    for side, name, decode in sides:

        def encode(text, side=side):
            ids = tokenizer(**{side: text}).input_ids
            assert ids[-1] == END and (marian or ids[0] == BEGIN)
            return ids[:-1] if marian else ids[1:-1]

        expected = json.loads((directory / f"expected{side.removeprefix('text')}.json").read_text())
        compare(kind + name, texts, expected, encode, decode, show)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("--show", type=int, default=0)
    arguments = parser.parse_args()
    texts = json.loads((FIXTURES / "texts.json").read_text())
    for kind in arguments.kinds:
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([ROOT / "build/tests/export_tokenizer", kind, FIXTURES / "training.txt",
                            FIXTURES / "texts.json", str(KINDS[kind]), directory], check=True)
            check(kind, pathlib.Path(directory), texts, arguments.show)


main()
