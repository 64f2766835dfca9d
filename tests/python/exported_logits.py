"""exported_logits.py DIRECTORY: compares the logits of exported models with those in `case.json` beside each.

The models run with the numpy in numpy_torch/ in the place of PyTorch.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "numpy_torch"))

import tapehead_torch
import torch

TOLERANCE = 1e-10  # of the largest logit; float64 rounds to 1e-16


def difference(directory):
    case = json.loads((directory / "case.json").read_text())
    inputs = {name: torch.tensor(value) if isinstance(value, list) else value for name, value in case["inputs"].items()}
    logits = tapehead_torch.load(directory)(**inputs).array
    expected = np.array(case["logits"])
    assert logits.shape == expected.shape, f"logits {logits.shape}, not {expected.shape}"
    return np.abs(logits - expected).max() / np.abs(expected).max()


def main():
    largest, failed = 0, 0
    for directory in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        try:
            found = difference(directory)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if isinstance(found, str) or not found <= TOLERANCE:
            print(f"{(directory / 'options').read_text()}: {found}")
            failed += 1
        else:
            largest = max(largest, found)
    print(f"the largest difference is {largest:.1e} of the largest logit")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
