#!/usr/bin/env python3
"""Writes tests/fixtures/pytorch/*.safetensors of single layers: attention, encoder, decoder, and of cross-entropy.

Needs: pip install torch==2.13.0 safetensors==0.8.0 numpy (the CPU build of PyTorch is enough)

Each file has the parameters and inputs of a layer, what it makes of them, a random cotangent c, and the gradients of
Σ c ∘ output with respect to every input and parameter, all in double precision. Sequences go through one at a time and
are laid end to end afterwards. Names are tapehead's.
"""

import torch
from make_pytorch_fixtures import gelu, named_attention, named_layer, parameters_and_gradients, randomize, save
from torch import nn
from torch.nn import functional

D, HEADS, D_FF = 10, 2, 14
TARGETS, SOURCES = [4, 1, 17], [1, 3, 9]  # lengths; 17 queries are more than a tile of tapehead's attention
VOCABULARY = 11


def rows(lengths):
    """Random rows of that many sequences, one after the other."""
    return torch.randn(sum(lengths), D, dtype=torch.float64, requires_grad=True)


def causal_mask(length):
    return nn.Transformer.generate_square_subsequent_mask(length, dtype=torch.float64)


def write(name, seed, layer, named, inputs, lengths, run):
    """`inputs`: (rows, D) by name; `lengths`: of each one's sequences; `run(a sequence of each)`: (1, rows, D)."""
    pieces = [x.split(length) for x, length in zip(inputs.values(), lengths, strict=True)]
    output = torch.cat([run(*(piece[None] for piece in sequence))[0] for sequence in zip(*pieces, strict=True)])
    cotangent = torch.randn_like(output)
    output.backward(cotangent)
    tensors = {"output": output.detach(), "cotangent": cotangent} | parameters_and_gradients(layer, named)
    for input_name, x in inputs.items():
        tensors["input." + input_name] = x.detach()
        tensors["input_gradient." + input_name] = x.grad
    save(name, seed, tensors)


def write_attention(name, seed, inputs, lengths, causal=False):
    """Inputs that are not there are the one before: value is key, and key is query."""
    torch.manual_seed(seed)
    attention = nn.MultiheadAttention(D, HEADS, batch_first=True)
    randomize(attention)

    def run(query, key=None, value=None):
        key = query if key is None else key
        mask = causal_mask(query.shape[1]) if causal else None
        return attention(query, key, key if value is None else value, attn_mask=mask, need_weights=False)[0]

    values = {name: rows(length) for name, length in zip(inputs, lengths, strict=True)}
    write(name, seed, attention, named_attention("", attention), values, lengths, run)


def write_layer(kind, norm, seed):
    torch.manual_seed(seed)
    classes = {"encoder": nn.TransformerEncoderLayer, "decoder": nn.TransformerDecoderLayer}
    activation = gelu if norm == "pre" else functional.relu
    layer = classes[kind](
        D, HEADS, D_FF, dropout=0.0, activation=activation, norm_first=norm == "pre", batch_first=True
    )
    randomize(layer)

    def decode(x, memory):
        return layer(x, memory, tgt_mask=causal_mask(x.shape[1]), tgt_is_causal=True)

    inputs = {"x": rows(TARGETS)}
    if kind == "decoder":
        inputs["memory"] = rows(SOURCES)
    lengths = [TARGETS, SOURCES][: len(inputs)]
    run = decode if kind == "decoder" else layer
    write(f"{kind}_layer_{norm}_norm", seed, layer, named_layer("", layer), inputs, lengths, run)


def write_cross_entropy(seed):
    torch.manual_seed(seed)
    logits = 3 * torch.randn(sum(TARGETS), VOCABULARY, dtype=torch.float64)
    targets = torch.randint(VOCABULARY, (sum(TARGETS),))
    tensors = {"logits": logits, "targets": targets, "correct": (logits.argmax(dim=1) == targets).sum()}
    for name, smoothing in (("sharp", 0.0), ("smooth", 0.1)):
        x = logits.clone().requires_grad_()
        loss = functional.cross_entropy(x, targets, label_smoothing=smoothing, reduction="sum")
        loss.backward()
        tensors |= {f"{name}.loss": loss.detach(), f"{name}.gradient": x.grad}
    save("cross_entropy", seed, tensors)


if __name__ == "__main__":
    write_attention("attention_self", 3, ["query"], [TARGETS])
    write_attention("attention_causal", 4, ["query"], [TARGETS], causal=True)
    write_attention("attention_cross", 5, ["query", "key"], [TARGETS, SOURCES])
    write_attention("attention_separate", 6, ["query", "key", "value"], [TARGETS, SOURCES, SOURCES])
    write_layer("encoder", "post", 7)
    write_layer("encoder", "pre", 8)
    write_layer("decoder", "post", 9)
    write_layer("decoder", "pre", 10)
    write_cross_entropy(11)
