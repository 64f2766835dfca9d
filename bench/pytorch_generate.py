#!/usr/bin/env python3
"""The work of `tapehead_bench generate` in PyTorch, as a careful user would write it.

    python3 bench/pytorch_generate.py --batch 1 16 --threads 1 2       # needs PyTorch 2

A GPT-2 with random weights, with keys and values kept in tensors of their final size, and written in place; one product
for query, key and value; scaled_dot_product_attention over the rows so far. Each token is the most likely one.
"""

import argparse
import json
import statistics
import time

import torch
from torch import nn
from torch.nn import functional


class Layer(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))
        self.query_key_value = nn.Linear(d_model, 3 * d_model)
        self.output = nn.Linear(d_model, d_model)
        self.inner = nn.Linear(d_model, 4 * d_model)
        self.outer = nn.Linear(4 * d_model, d_model)

    def forward(self, x, cache, begin):
        end = begin + x.shape[1]
        parts = self.query_key_value(self.norms[0](x)).chunk(3, -1)
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        cache[0][:, :, begin:end] = k
        cache[1][:, :, begin:end] = v
        keys, values = (side[:, :, :end] for side in cache)
        y = functional.scaled_dot_product_attention(q, keys, values, is_causal=begin == 0)
        x = x + self.output(y.transpose(1, 2).flatten(2))
        return x + self.outer(functional.gelu(self.inner(self.norms[1](x)), approximate="tanh"))


class LanguageModel(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.tokens = nn.Embedding(a.vocabulary, a.d_model)
        self.positions = nn.Embedding(a.prompt_length + a.tokens, a.d_model)
        self.layers = nn.ModuleList(Layer(a.d_model, a.heads) for _ in range(a.layers))
        self.norm = nn.LayerNorm(a.d_model)

    def forward(self, ids, caches, begin):
        x = self.tokens(ids) + self.positions.weight[begin : begin + ids.shape[1]]
        for layer, cache in zip(self.layers, caches):
            x = layer(x, cache, begin)
        return functional.linear(self.norm(x[:, -1]), self.tokens.weight)

    @torch.inference_mode()
    def generate(self, ids, count, caches):
        written, begin = [], 0
        for _ in range(count):
            logits = self(ids, caches, begin)
            begin += ids.shape[1]
            ids = logits.argmax(-1, keepdim=True)
            written.append(ids)
        return torch.cat(written, 1)


def measure(a, model, batch, threads):
    torch.set_num_threads(threads)
    length = a.prompt_length + a.tokens
    shape = (a.layers, 2, batch, a.heads, length, a.d_model // a.heads)
    caches, prompts = torch.zeros(shape), torch.randint(a.vocabulary, (batch, a.prompt_length))
    seconds = []
    for _ in range(a.repeats + 1):
        begin = time.perf_counter()
        assert model.generate(prompts, a.tokens, caches).shape == (batch, a.tokens)
        seconds.append(time.perf_counter() - begin)
    median = statistics.median(seconds[1:])  # the first warmed up
    tokens = batch * a.tokens
    return {"batch": batch, "threads": threads, "tokens": tokens, "seconds": median,
            "best_seconds": min(seconds[1:]), "tokens_per_second": tokens / median}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 16])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--prompt-length", type=int, default=16)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--d-model", type=int, default=384)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each line")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    a = parser.parse_args()
    torch.manual_seed(1)
    model = LanguageModel(a).eval()
    if not a.json:
        print(f"PyTorch {torch.__version__}\nbatch threads  tokens  median s    best s  tokens/s", flush=True)
    for batch in a.batch:
        for threads in a.threads:
            row = measure(a, model, batch, threads)
            if a.json:
                print(json.dumps(row), flush=True)
            else:
                print("{batch:>5} {threads:>7} {tokens:>7} {seconds:>9.3f} {best_seconds:>9.3f} "
                      "{tokens_per_second:>9.0f}".format(**row), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
