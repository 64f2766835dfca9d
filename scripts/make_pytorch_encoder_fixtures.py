#!/usr/bin/env python3
"""Writes tests/fixtures/pytorch/encoder_*.safetensors: encoders with BERT's and ALBERT's options, with every gradient.

Needs what make_pytorch_fixtures.py needs, whose layers, names and sizes these are.

Each is a stack of nn.TransformerEncoderLayer with the norm last, in double precision, with one option more than the
first encoder of make_pytorch_stack_fixtures.py has, and the last one with all of them: types of tokens, a norm of the
embedding and a transform before the output layer (Devlin et al. 2019), tables narrower than the model and layers that
share their weights (Lan et al. 2020). Positions are learned. A classifier's label is on the first row of a sequence; a
masked language model's are on some rows, and its output layer is the table of tokens, with a bias.
"""

import torch
from make_pytorch_fixtures import D, D_FF, HEADS, gelu, named_layer, named_norm
from make_pytorch_fixtures import parameters_and_gradients, randomize, save
from torch import nn
from torch.nn import functional

VOCABULARY, LABELS, POSITIONS, TYPES, NARROW = 13, 5, 9, 3, 7
SEQUENCES = [[3, 4, 5, 9], [6, 12], [8, 10, 3, 3, 5, 7, 4]]


def type_of(row):
    """The types of a sequence's tokens: 0, 0, 1, 1, 2, 2, 0, ..."""
    return row // 2 % TYPES


class Encoder(nn.Module):
    def __init__(self, types=False, embedding_norm=False, width=D, layers=1, groups=1, head="none", epsilon=1e-5):
        super().__init__()
        options = dict(dropout=0.0, activation=gelu, batch_first=True, layer_norm_eps=epsilon)
        masked = head == "masked"
        self.head = head
        self.group_of = [layer * groups // layers for layer in range(layers)]
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(D, HEADS, D_FF, **options) for _ in range(groups))
        self.table = nn.Parameter(torch.empty(VOCABULARY, width))
        self.positions = nn.Parameter(torch.empty(POSITIONS, width))
        self.types = nn.Parameter(torch.empty(TYPES, width)) if types else None
        self.norm = nn.LayerNorm(width, eps=epsilon) if embedding_norm else None
        self.map = nn.Linear(width, D) if width != D else None
        self.transform = nn.Linear(D, width if masked else D) if head != "none" else None
        self.transform_norm = nn.LayerNorm(width, eps=epsilon) if masked else None
        self.output = None if masked else nn.Parameter(torch.empty(LABELS, D))
        self.output_bias = nn.Parameter(torch.empty(VOCABULARY)) if masked else None
        randomize(self)

    def embed(self, tokens):
        x = self.table[tokens] + self.positions[: len(tokens)]
        if self.types is not None:
            x = x + self.types[[type_of(row) for row in range(len(tokens))]]
        if self.norm is not None:
            x = self.norm(x)
        return x if self.map is None else self.map(x)

    def logits(self, tokens, rows):
        x = self.embed(tokens)[None]
        for group in self.group_of:
            x = self.layers[group](x)
        x = x[0, rows]
        if self.head == "pooler":
            x = torch.tanh(self.transform(x))
        if self.head == "masked":
            return self.transform_norm(gelu(self.transform(x))) @ self.table.T + self.output_bias
        return x @ self.output.T

    def loss(self, tokens):
        if self.head == "masked":
            rows = list(range(1, len(tokens), 2))
            labels = [(tokens[row] + 1) % VOCABULARY for row in rows]
        else:
            rows, labels = [0], [len(tokens) % LABELS]
        return functional.cross_entropy(self.logits(tokens, rows), torch.tensor(labels), reduction="sum")

    def named(self):
        tables = {"source.embedding": self.table, "source.positions": self.positions, "source.types": self.types}
        tables |= {"output.weight": self.output, "output.bias": self.output_bias}
        yield from ((name, table) for name, table in tables.items() if table is not None)
        for path, linear in (("source.map", self.map), ("output.transform", self.transform)):
            if linear is not None:
                yield from ((f"{path}.weight", linear.weight), (f"{path}.bias", linear.bias))
        for path, norm in (("source.norm.", self.norm), ("output.transform.norm.", self.transform_norm)):
            if norm is not None:
                yield from named_norm(path, norm)
        for group, layer in enumerate(self.layers):
            yield from named_layer(f"encoder.layers.{self.group_of.index(group)}.", layer)


def write(name, seed, **options):
    torch.manual_seed(seed)
    model = Encoder(**options)
    loss = sum(model.loss(tokens) for tokens in SEQUENCES)
    loss.backward()
    save(f"encoder_{name}", seed, {"loss": loss.detach()} | parameters_and_gradients(model, model.named()))


if __name__ == "__main__":
    write("types", 31, types=True)
    write("embedding_norm", 32, embedding_norm=True)
    write("factored", 33, width=NARROW)
    write("one_group", 34, layers=3)
    write("two_groups", 35, layers=3, groups=2)
    write("pooler", 36, head="pooler")
    write("masked", 37, head="masked")
    everything = dict(types=True, embedding_norm=True, width=NARROW, layers=3, groups=2, epsilon=1e-12)
    write("classes_with_all", 38, head="pooler", **everything)
    write("masked_with_all", 39, head="masked", **everything)
