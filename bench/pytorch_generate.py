#!/usr/bin/env python3
"""The work of `tapehead_bench generate` in PyTorch, as a careful user would write it.

    python3 bench/pytorch_generate.py --batch 1 16 --threads 1 2       # needs PyTorch 2

A GPT-2 with random weights, with keys and values kept in tensors of their final size, and written in place; one product
for query, key and value; scaled_dot_product_attention over the rows so far. Each token is the most likely one.
"""

import time

import torch
from generate_options import options, print_rows
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
    return seconds[1:]  # the first warmed up


def main():
    a = options(__doc__)
    torch.manual_seed(1)
    model = LanguageModel(a).eval()
    print_rows(f"PyTorch {torch.__version__}", a, lambda batch, threads: measure(a, model, batch, threads))


if __name__ == "__main__":
    main()
