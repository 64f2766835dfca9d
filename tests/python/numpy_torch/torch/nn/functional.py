"""Functions of tensors."""

import math

import numpy as np
from torch import Tensor, tanh

erf = np.vectorize(math.erf, otypes=[np.float64])


def embedding(ids, table):
    return table[ids]


def linear(x, weight, bias=None):
    return x @ weight.T if bias is None else x @ weight.T + bias


def layer_norm(x, shape, weight, bias=None, eps=1e-5):
    assert x.shape[-1:] == shape
    centred = x - x.mean(-1, keepdim=True)
    y = centred * (centred.square().mean(-1, keepdim=True) + eps).rsqrt() * weight
    return y if bias is None else y + bias


def dropout(x, probability, training):
    assert not training
    return x


def relu(x):
    return Tensor(np.maximum(x.array, 0))


def silu(x):
    return x * x.sigmoid()


def gelu(x, approximate="none"):
    if approximate == "tanh":
        return x * 0.5 * (1 + tanh((x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)))
    return x * 0.5 * (1 + Tensor(erf(x.array / math.sqrt(2))))
