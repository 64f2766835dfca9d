#!/usr/bin/env python3
"""Writes tests/fixtures/pytorch/{decoder,encoder}_stack.safetensors: models of one stack, with every gradient.

Needs what make_pytorch_fixtures.py needs, whose layers, names and sizes these are.

Both are stacks of nn.TransformerEncoderLayer with the norm first, in double precision: with a causal mask a decoder
whose labels stand on every row but the first, and without one an encoder whose label stands on the first row alone.
"""

import torch
from make_pytorch_fixtures import D, D_FF, HEADS, LAYERS, Model, gelu, named_layer, named_norm
from make_pytorch_fixtures import parameters_and_gradients, randomize, save
from torch import nn
from torch.nn import functional

VOCABULARY, LABELS = 13, 5
SEQUENCES = [[3, 4, 5, 9], [6, 12], [8, 10, 3, 3, 5, 7, 4]]


class StackModel(nn.Module):
    def __init__(self, classes):
        super().__init__()
        options = dict(dropout=0.0, activation=gelu, norm_first=True, batch_first=True)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(D, HEADS, D_FF, **options) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(D)
        self.table = nn.Parameter(torch.empty(VOCABULARY, D))
        self.output = nn.Parameter(torch.empty(classes, D))
        randomize(self)

    def logits(self, tokens, mask):
        x = Model.embed(self.table, tokens)
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        return self.norm(x)[0] @ self.output.T

    def named(self, side, stack):
        yield f"{side}.embedding", self.table
        yield "output.weight", self.output
        for i, layer in enumerate(self.layers):
            yield from named_layer(f"{stack}.layers.{i}.", layer)
        yield from named_norm(f"{stack}.norm.", self.norm)


def next_tokens(model, tokens):
    """Row n says token n + 1; the first row and the last have no label."""
    mask = nn.Transformer.generate_square_subsequent_mask(len(tokens), dtype=torch.float64)
    logits = model.logits(tokens, mask)[1:-1]
    return functional.cross_entropy(logits, torch.tensor(tokens[2:]), reduction="sum") if len(tokens) > 2 else 0


def first_row(model, tokens):
    """The first row says the number of tokens, modulo the number of labels."""
    logits = model.logits(tokens, None)[:1]
    return functional.cross_entropy(logits, torch.tensor([len(tokens) % LABELS]), reduction="sum")


def write(name, side, stack, classes, loss_of, seed):
    torch.manual_seed(seed)
    model = StackModel(classes)
    loss = sum(loss_of(model, tokens) for tokens in SEQUENCES)
    loss.backward()
    save(name, seed, {"loss": loss.detach()} | parameters_and_gradients(model, model.named(side, stack)))


if __name__ == "__main__":
    write("decoder_stack", "target", "decoder", VOCABULARY, next_tokens, seed=21)
    write("encoder_stack", "source", "encoder", LABELS, first_row, seed=22)
