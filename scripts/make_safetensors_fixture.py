#!/usr/bin/env python3
"""Writes tests/fixtures/safetensors_python.safetensors with the reference implementation.

Needs: pip install safetensors==0.8.0 numpy
"""

import pathlib

import numpy
from safetensors.numpy import save_file

fixtures = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures"
tensors = {
    "weight": numpy.array([[1.5, -2.25, 3.0], [0.1, 1e-30, -0.0]], dtype=numpy.float32),
    "scalar": numpy.array(0.1, dtype=numpy.float64),
    "ids": numpy.array([0, -1, 2**62, 7], dtype=numpy.int64),
    "empty": numpy.zeros((0, 3), dtype=numpy.float32),
}
save_file(tensors, fixtures / "safetensors_python.safetensors", metadata={"from": "Python – ü"})
