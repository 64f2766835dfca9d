#!/usr/bin/env python3
"""Writes tests/fixtures/classification/labels.json: small sets of labels and what scikit-learn says of them.

Needs: pip install scikit-learn==1.9.1

The labels are drawn here, from a seed; the figures are scikit-learn's. Each set is an object on a line of its own:
name, outputs, references, classes, counts (the confusion matrix), accuracy, macro_f1.
"""

import argparse
import json
import pathlib
import random

import sklearn
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score
from sklearn.utils.multiclass import unique_labels

FIXTURE = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/classification/labels.json"

QUESTIONS = ["ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"]

# Name: (outputs, references).
FIXED = {
    "one example, right": (["a"], ["a"]),
    "one example, wrong": (["a"], ["b"]),
    "all right": (["0", "1", "1"], ["0", "1", "1"]),
    "all wrong": (["1", "0", "0"], ["0", "1", "1"]),
    "a class is never predicted": (["a", "a", "b", "b"], ["a", "c", "b", "a"]),
    "a class is never right": (["a", "c", "b", "b"], ["a", "a", "b", "a"]),
    "always the same class": (["a"] * 5, ["a", "a", "a", "b", "c"]),
    "names in no order": (["zebra", "Zebra", "10", "9", "é", ""], ["Zebra", "Zebra", "9", "9", "z", "é"]),
}


def drawn_sets(rng, count):
    """Labels of a few classes, of which some are rare; a part of the predictions is drawn anew."""
    for number in range(count):
        classes = rng.sample(QUESTIONS, rng.randint(2, 6))
        weights = [rng.choice((1, 1, 4, 10)) for _ in classes]
        references = rng.choices(classes, weights, k=rng.randint(5, 80))
        wrong = rng.random()
        outputs = [rng.choice(classes) if rng.random() < wrong else label for label in references]
        yield f"drawn {number}", outputs, references


def entry(name, outputs, references):
    classes = [str(label) for label in unique_labels(references, outputs)]
    return {
        "name": name,
        "outputs": outputs,
        "references": references,
        "classes": classes,
        "counts": confusion_matrix(references, outputs, labels=classes).tolist(),
        "accuracy": round(accuracy_score(references, outputs), 11),
        "macro_f1": round(f1_score(references, outputs, average="macro", zero_division=0), 11),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drawn", type=int, default=40, help="sets beside the fixed ones")
    parser.add_argument("--output", type=pathlib.Path, default=FIXTURE)
    arguments = parser.parse_args()
    sets = [entry(name, *labels) for name, labels in FIXED.items()]
    sets += [entry(*one) for one in drawn_sets(random.Random(arguments.seed), arguments.drawn)]
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in sets)
    head = json.dumps({"scikit_learn": sklearn.__version__})
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(f'{head[:-1]},"sets":[\n{lines}\n]}}\n', encoding="ascii")


if __name__ == "__main__":
    main()
