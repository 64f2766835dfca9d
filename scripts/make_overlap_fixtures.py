#!/usr/bin/env python3
"""Writes tests/fixtures/overlap/pairs.json: pairs of texts, with ROUGE-L, token F1 and exact match of each.

Needs: pip install rouge-score==0.1.2

ROUGE-L is that of the package rouge-score, without its stemmer. Token F1 and exact match follow the definition of the
SQuAD 2.0 evaluation (Rajpurkar et al. 2018), written here with Python's own text functions. Each pair is a list on a
line of its own: output, reference, ROUGE-L, token F1, exact match. The pairs are drawn here, from a seed, beside some
fixed ones. Characters are of Unicode 14 or older, for which Python and ICU agree.
"""

import argparse
import collections
import importlib.metadata
import json
import pathlib
import random
import re
import string

from rouge_score import rouge_scorer

FIXTURE = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/overlap/pairs.json"
SCORER = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)

WORDS = "the a an red dog cat house The A AN Dog runs 12 3.5 don't e-mail U.S. (cat) “dog” naïve Ärger Straße".split()
WORDS += "жук собака 狗 \u212aelvin İzmir ΟΔΟΣ a—the the–cat a_b _a_ the_ a\u0301 é an's Ⅷ ½ ٣ ... ! - — ' \" & 😀 a😀the".split()
SPACES = [" "] * 12 + ["  ", "\t", "\n", "\u00a0", "\u3000", "\u2028", "\u200b", ""]

FIXED = [
    ("", ""),
    ("", "a dog"),
    ("a dog", ""),
    ("the", "an"),
    ("the", "dog"),
    ("...", "!"),
    ("  ", "\n"),
    ("the cat sat on the mat", "the cat sat on the mat"),
    ("The cat, sat on a mat!", "cat sat on mat"),
    ("police killed the gunman", "police kill the gunman"),
    ("the gunman kill police", "police kill the gunman"),
    ("a b c d e f", "f e d c b a"),
    ("b b b b", "b b"),
    ("b b a a", "a b a b"),
    ("Denver Broncos", "The Denver Broncos"),
    ("1,234.5", "12345"),
    ("well-known", "well known"),
    ("theatre an anthem", "theatre anthem"),
    ("x\x00y z\ufffd", "x y z"),
]


def answer_words(text):
    lowered = text.lower()
    plain = "".join(c for c in lowered if c not in string.punctuation)
    return re.sub(r"\b(?:a|an|the)\b", " ", plain).split()


def token_f1(output, reference):
    said, right = answer_words(output), answer_words(reference)
    if not said or not right:
        return float(said == right)
    common = sum((collections.Counter(said) & collections.Counter(right)).values())
    if common == 0:
        return 0.0
    precision, recall = common / len(said), common / len(right)
    return 2 * precision * recall / (precision + recall)


def drawn_text(rng, most):
    return "".join(rng.choice(WORDS) + rng.choice(SPACES) for _ in range(rng.randint(0, most)))


def drawn_pairs(rng, count):
    """A reference, and an output that has some of its words, in another order now and then."""
    for _ in range(count):
        reference = drawn_text(rng, 14)
        words = reference.split(" ")
        for _ in range(rng.randint(0, 5)):
            place = rng.randrange(len(words))
            if rng.random() < 0.4:
                words[place] = rng.choice(WORDS)
            elif rng.random() < 0.5:
                words.insert(place, words.pop(rng.randrange(len(words))))
            else:
                words[place] = words[place].swapcase()
        yield (" ".join(words), reference) if rng.random() < 0.85 else (drawn_text(rng, 14), reference)


def entry(output, reference):
    return [
        output,
        reference,
        round(SCORER.score(reference, output)["rougeL"].fmeasure, 11),
        round(token_f1(output, reference), 11),
        answer_words(output) == answer_words(reference),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drawn", type=int, default=300, help="pairs beside the fixed ones")
    parser.add_argument("--output", type=pathlib.Path, default=FIXTURE)
    arguments = parser.parse_args()
    pairs = [entry(*pair) for pair in [*FIXED, *drawn_pairs(random.Random(arguments.seed), arguments.drawn)]]
    lines = ",\n".join(json.dumps(pair, separators=(",", ":")) for pair in pairs)
    head = json.dumps({"rouge_score": importlib.metadata.version("rouge-score")})
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(f'{head[:-1]},"pairs":[\n{lines}\n]}}\n', encoding="ascii")


if __name__ == "__main__":
    main()
