#!/usr/bin/env python3
"""Writes tests/fixtures/pytorch/p*_norm.safetensors: transformers as PyTorch computes them, with every gradient.

Needs: pip install torch==2.13.0 safetensors==0.8.0 numpy (the CPU build of PyTorch is enough)

The layers are PyTorch's own (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer) with random weights, in double
precision; embeddings, positions (Vaswani et al. 2017, section 3.5) and tying are put together here. Sentences go
through one at a time, so that there is no padding, and their losses are summed. Names are tapehead's.

The other make_pytorch_*_fixtures.py build on this one. With another CPU or number of threads the last bits come out
differently, and safetensors puts the metadata in any order.
"""

import math
import pathlib

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

D, HEADS, D_FF, LAYERS, SOURCE_VOCABULARY, TARGET_VOCABULARY, SMOOTHING = 12, 3, 20, 2, 11, 13, 0.1
BEGIN, END = 1, 2
PAIRS = [([3, 4, 5, 9], [7, 12, 3]), ([6], [4, 4, 10, 3, 5]), ([8, 10, 3, 3, 5, 7, 4], [11])]


def positions(count):
    wavelengths = 10000 ** (torch.arange(0, D, 2, dtype=torch.float64) / D)
    angles = torch.arange(count, dtype=torch.float64)[:, None] / wavelengths
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def gelu(x):
    return functional.gelu(x, approximate="tanh")


def randomize(module):
    """Random parameters in double precision: biases and gains too, so that none hides a mistake."""
    module.double()
    for name, parameter in module.named_parameters():
        gain = "norm" in name and name.endswith("weight")
        nn.init.normal_(parameter, mean=1.0 if gain else 0.0, std=0.25)


# Each parameter of a module by tapehead's name; what shares a matrix with others as (matrix, rows).


def named_norm(path, norm):
    yield f"{path}gain", norm.weight
    yield f"{path}bias", norm.bias


def named_attention(path, attention):
    for i, name in enumerate(("query", "key", "value")):
        rows = slice(i * attention.embed_dim, (i + 1) * attention.embed_dim)
        yield f"{path}{name}.weight", (attention.in_proj_weight, rows)
        yield f"{path}{name}.bias", (attention.in_proj_bias, rows)
    yield f"{path}output.weight", attention.out_proj.weight
    yield f"{path}output.bias", attention.out_proj.bias


def named_layer(path, layer):
    """Of a TransformerEncoderLayer or a TransformerDecoderLayer."""
    blocks = [("self", layer.self_attn, layer.norm1)]
    if isinstance(layer, nn.TransformerDecoderLayer):
        blocks.append(("cross", layer.multihead_attn, layer.norm2))
    for name, attention, norm in blocks:
        yield from named_attention(f"{path}{name}.", attention)
        yield from named_norm(f"{path}{name}.norm.", norm)
    for name, linear in (("inner", layer.linear1), ("outer", layer.linear2)):
        yield f"{path}feed_forward.{name}.weight", linear.weight
        yield f"{path}feed_forward.{name}.bias", linear.bias
    yield from named_norm(f"{path}feed_forward.norm.", layer.norm3 if len(blocks) == 2 else layer.norm2)


def parameters_and_gradients(module, named):
    tensors = {}
    for path, found in named:
        parameter, rows = found if isinstance(found, tuple) else (found, slice(None))
        tensors["parameter." + path] = parameter.detach()[rows].clone()
        tensors["gradient." + path] = parameter.grad[rows].clone()
    assert sum(t.numel() for t in tensors.values()) == 2 * sum(p.numel() for p in module.parameters())
    return tensors


def save(name, seed, tensors):
    folder = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "pytorch"
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / f"{name}.safetensors", metadata={"torch": torch.__version__, "seed": str(seed)})


class Model(nn.Module):
    def __init__(self, norm_first, activation):
        super().__init__()
        options = dict(dropout=0.0, activation=activation, norm_first=norm_first, batch_first=True)
        self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(D, HEADS, D_FF, **options) for _ in range(LAYERS))
        self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(D, HEADS, D_FF, **options) for _ in range(LAYERS))
        self.encoder_norm = nn.LayerNorm(D) if norm_first else nn.Identity()
        self.decoder_norm = nn.LayerNorm(D) if norm_first else nn.Identity()
        self.source = nn.Parameter(torch.empty(SOURCE_VOCABULARY, D))
        self.target = nn.Parameter(torch.empty(TARGET_VOCABULARY, D))
        self.output = nn.Parameter(torch.empty(TARGET_VOCABULARY, D))
        randomize(self)

    def loss(self, source, target):
        memory = self.embed(self.source, source + [END])
        for layer in self.encoder:
            memory = layer(memory)
        memory = self.encoder_norm(memory)
        x = self.embed(self.target, [BEGIN] + target)
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=torch.float64)
        for layer in self.decoder:
            x = layer(x, memory, tgt_mask=mask, tgt_is_causal=True)
        logits = self.decoder_norm(x)[0] @ self.output.T
        wanted = torch.tensor(target + [END])
        return functional.cross_entropy(logits, wanted, label_smoothing=SMOOTHING, reduction="sum")

    @staticmethod
    def embed(table, tokens):
        return (table[tokens] * math.sqrt(D) + positions(len(tokens)))[None]

    def named(self):
        for side, table in (("source", self.source), ("target", self.target)):
            yield f"{side}.embedding", table
        yield "output.weight", self.output
        for side, layers, last in (
            ("encoder", self.encoder, self.encoder_norm),
            ("decoder", self.decoder, self.decoder_norm),
        ):
            for i, layer in enumerate(layers):
                yield from named_layer(f"{side}.layers.{i}.", layer)
            if isinstance(last, nn.LayerNorm):
                yield from named_norm(f"{side}.norm.", last)


def write(name, norm_first, activation, seed):
    torch.manual_seed(seed)
    model = Model(norm_first, activation)
    loss = sum(model.loss(source, target) for source, target in PAIRS)
    loss.backward()
    save(name, seed, {"loss": loss.detach()} | parameters_and_gradients(model, model.named()))


if __name__ == "__main__":
    write("post_norm", norm_first=False, activation=functional.relu, seed=1)
    write("pre_norm", norm_first=True, activation=gelu, seed=2)
