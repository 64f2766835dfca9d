#!/usr/bin/env python3
"""Writes tests/fixtures/pytorch/*.safetensors: transformers as PyTorch computes them, with every gradient.

Needs: pip install torch==2.13.0 safetensors==0.8.0 numpy (the CPU build of PyTorch is enough)

The layers are PyTorch's own (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer) with random weights, in double
precision; embeddings, positions (Vaswani et al. 2017, section 3.5) and tying are put together here. Sentences go through
one at a time, so that there is no padding, and their losses are summed. Names are tapehead's.
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
        self.double()
        for name, parameter in self.named_parameters():
            gain = "norm" in name and name.endswith("weight")
            nn.init.normal_(parameter, mean=1.0 if gain else 0.0, std=0.25)

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
        """Each parameter by tapehead's name; what shares a matrix with others as (matrix, rows)."""
        for side, table in (("source", self.source), ("target", self.target)):
            yield f"{side}.embedding", table
        yield "output.weight", self.output
        for side, layers, last in (
            ("encoder", self.encoder, self.encoder_norm),
            ("decoder", self.decoder, self.decoder_norm),
        ):
            for i, layer in enumerate(layers):
                blocks = [("self", layer.self_attn, layer.norm1)]
                if side == "decoder":
                    blocks.append(("cross", layer.multihead_attn, layer.norm2))
                for name, attention, norm in blocks:
                    yield from self.attention(f"{side}.layers.{i}.{name}", attention)
                    yield from self.norm(f"{side}.layers.{i}.{name}.norm", norm)
                path = f"{side}.layers.{i}.feed_forward"
                for name, linear in (("inner", layer.linear1), ("outer", layer.linear2)):
                    yield f"{path}.{name}.weight", linear.weight
                    yield f"{path}.{name}.bias", linear.bias
                yield from self.norm(f"{path}.norm", layer.norm2 if side == "encoder" else layer.norm3)
            if isinstance(last, nn.LayerNorm):
                yield from self.norm(f"{side}.norm", last)

    @staticmethod
    def norm(path, norm):
        yield f"{path}.gain", norm.weight
        yield f"{path}.bias", norm.bias

    @staticmethod
    def attention(path, attention):
        for i, name in enumerate(("query", "key", "value")):
            rows = slice(i * D, (i + 1) * D)
            yield f"{path}.{name}.weight", (attention.in_proj_weight, rows)
            yield f"{path}.{name}.bias", (attention.in_proj_bias, rows)
        yield f"{path}.output.weight", attention.out_proj.weight
        yield f"{path}.output.bias", attention.out_proj.bias


def write(name, norm_first, activation, seed):
    torch.manual_seed(seed)
    model = Model(norm_first, activation)
    loss = sum(model.loss(source, target) for source, target in PAIRS)
    loss.backward()
    tensors = {"loss": loss.detach()}
    for path, found in model.named():
        parameter, rows = found if isinstance(found, tuple) else (found, slice(None))
        tensors["parameter." + path] = parameter.detach()[rows].clone()
        tensors["gradient." + path] = parameter.grad[rows].clone()
    assert sum(t.numel() for n, t in tensors.items() if n.startswith("parameter.")) == sum(
        p.numel() for p in model.parameters()
    )
    folder = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "pytorch"
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / f"{name}.safetensors", metadata={"torch": torch.__version__, "seed": str(seed)})


if __name__ == "__main__":
    write("post_norm", norm_first=False, activation=functional.relu, seed=1)
    write("pre_norm", norm_first=True, activation=lambda x: functional.gelu(x, approximate="tanh"), seed=2)
