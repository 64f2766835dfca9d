"""Weights from a safetensors file."""

import tapehead


def load_model(model, file):
    """Each parameter has a name in the file, and none has two."""
    weights, _ = tapehead.read_tensors(file)
    known, found = set(), set()
    for name, parameter in model.named_parameters():
        known.add(id(parameter))
        if name in weights:
            assert id(parameter) not in found, f"{name} is under two names in {file}"
            assert parameter.shape == weights[name].shape, f"{name}: {parameter.shape}, not {weights[name].shape}"
            found.add(id(parameter))
            parameter.array = weights.pop(name)
    assert not weights, f"{file} has {sorted(weights)}, which the model does not"
    assert found == known, f"{file} lacks {sorted(n for n, p in model.named_parameters() if id(p) not in found)}"
