#!/usr/bin/env python3
"""The training steps of `tapehead_bench step`, as a careful user of PyTorch would write them.

    python3 bench/pytorch_step.py A B C D --threads 1 2      # needs PyTorch 2

Prints the median of a step's milliseconds and the target tokens per second, one line for each size and number of
threads. The model is tapehead's: a pre-norm encoder-decoder with dropout 0.1 at the same places, one product for query,
key and value (one for key and value in cross-attention), scaled_dot_product_attention, label smoothing, clipping of the
norm, fused Adam. Sequences are all of one length, so there is no padding here either.
"""

import argparse
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional

SIZES = {  # vocabulary, d_model, heads, d_ff, layers, sequences, length: as in bench/step_size.hpp
    "A": (32, 64, 4, 256, 2, 64, 16),
    "B": (1000, 128, 4, 512, 2, 64, 32),
    "C": (8000, 256, 8, 1024, 3, 32, 64),
    "D": (8000, 512, 8, 2048, 6, 16, 64),
}
DROPOUT = 0.1


class Attention(nn.Module):
    def __init__(self, d_model, heads, causal, cross):
        super().__init__()
        self.heads, self.causal, self.cross = heads, causal, cross
        if cross:
            self.query = nn.Linear(d_model, d_model)
            self.key_value = nn.Linear(d_model, 2 * d_model)
        else:
            self.query_key_value = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)

    def forward(self, x, memory):
        if self.cross:
            parts = (self.query(x), *self.key_value(memory).chunk(2, -1))
        else:
            parts = self.query_key_value(x).chunk(3, -1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        y = functional.scaled_dot_product_attention(
            q, k, v, is_causal=self.causal, dropout_p=DROPOUT if self.training else 0.0
        )
        return self.output(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, d_model, heads, d_ff, decoder):
        super().__init__()
        self.attention = Attention(d_model, heads, causal=decoder, cross=False)
        self.cross = Attention(d_model, heads, causal=False, cross=True) if decoder else None
        self.inner, self.outer = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(3 if decoder else 2))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x, memory):
        x = x + self.dropout(self.attention(self.norms[0](x), None))
        if self.cross:
            x = x + self.dropout(self.cross(self.norms[1](x), memory))
        hidden = self.dropout(functional.relu(self.inner(self.norms[-1](x))))
        return x + self.dropout(self.outer(hidden))


class Stack(nn.Module):
    def __init__(self, vocabulary, d_model, heads, d_ff, layers, length, decoder):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.register_buffer("positions", torch.randn(length, d_model))  # any numbers cost the same
        self.layers = nn.ModuleList(Layer(d_model, heads, d_ff, decoder) for _ in range(layers))
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(DROPOUT)
        self.scale = math.sqrt(d_model)

    def forward(self, tokens, memory=None):
        x = self.dropout(self.embedding(tokens) * self.scale + self.positions)
        for layer in self.layers:
            x = layer(x, memory)
        return self.norm(x)


class Transformer(nn.Module):
    def __init__(self, vocabulary, d_model, heads, d_ff, layers, length):
        super().__init__()
        self.encoder = Stack(vocabulary, d_model, heads, d_ff, layers, length, decoder=False)
        self.decoder = Stack(vocabulary, d_model, heads, d_ff, layers, length, decoder=True)
        self.output = nn.Linear(d_model, vocabulary, bias=False)

    def forward(self, source, target):
        return self.output(self.decoder(target, self.encoder(source)))


def measure(size, seconds):
    vocabulary, d_model, heads, d_ff, layers, sequences, length = SIZES[size]
    torch.manual_seed(1)
    model = Transformer(vocabulary, d_model, heads, d_ff, layers, length)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
    source, target, wanted = torch.randint(vocabulary, (3, sequences, length))

    def step():
        optimizer.zero_grad(set_to_none=True)
        logits = model(source, target).flatten(0, 1)
        functional.cross_entropy(logits, wanted.flatten(), label_smoothing=0.1).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    for _ in range(3):
        step()
    times = []
    begin = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times), sequences * length


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=list(SIZES), help="of A B C D; all by default")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=8, help="time for the steps of one line")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    arguments = parser.parse_args()
    if not arguments.json:
        print(f"PyTorch {torch.__version__}\nsize threads  median ms   tokens/s", flush=True)
    for size in arguments.sizes:
        for threads in arguments.threads:
            torch.set_num_threads(threads)
            median, tokens = measure(size, arguments.seconds)
            row = {"size": size, "threads": threads, "ms": 1e3 * median, "tokens_per_second": tokens / median}
            if arguments.json:
                print(json.dumps(row), flush=True)
            else:
                print(f"{size:>4} {threads:>7} {row['ms']:>10.2f} {row['tokens_per_second']:>10.0f}", flush=True)


if __name__ == "__main__":
    main()
