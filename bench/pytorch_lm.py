#!/usr/bin/env python3
"""The language model of configs/shakespeare.yaml, as a careful user of PyTorch would write it.

    python3 bench/pytorch_lm.py --threads 1 2                    # training steps; needs PyTorch 2
    python3 bench/pytorch_lm.py --text data/tinyshakespeare/input.txt --learning-rate 1e-3 --seed 1

The first prints the median of a step's milliseconds and the tokens a second, a line for each number of threads, on
random tokens. The second trains on a text, of which the last tenth is for validation, and prints the loss on that whole
tenth, in windows of 64 without overlap, as `tapehead evaluate` does, which also counts the first character and an end
mark.

The model is nanoGPT's of its instructions for CPUs: 4 pre-norm layers, 4 heads, width 128, windows of 64, 12 in a
batch, no biases, no dropout, output weights shared with the embedding, first weights as GPT-2's. One product for query,
key and value, scaled_dot_product_attention, clipping of the norm, fused AdamW.
"""

import argparse
import json
import math
import statistics
import time

import torch
from torch import nn
from torch.nn import functional

D_MODEL, HEADS, LAYERS, CONTEXT, SEQUENCES, VOCABULARY = 128, 4, 4, 64, 12, 65
STEPS, WARMUP, LEAST_RATE = 2000, 100, 1e-4


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(D_MODEL, bias=False) for _ in range(2))
        self.query_key_value = nn.Linear(D_MODEL, 3 * D_MODEL, bias=False)
        self.output = nn.Linear(D_MODEL, D_MODEL, bias=False)
        self.inner = nn.Linear(D_MODEL, 4 * D_MODEL, bias=False)
        self.outer = nn.Linear(4 * D_MODEL, D_MODEL, bias=False)

    def forward(self, x):
        parts = self.query_key_value(self.norms[0](x)).chunk(3, -1)
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.output(y.transpose(1, 2).flatten(2))
        return x + self.outer(functional.gelu(self.inner(self.norms[1](x))))


class LanguageModel(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, D_MODEL)
        self.positions = nn.Embedding(CONTEXT, D_MODEL)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(D_MODEL, bias=False)
        for name, weight in self.named_parameters():
            if weight.dim() > 1:
                residual = name.endswith(("output.weight", "outer.weight"))
                nn.init.normal_(weight, std=0.02 / math.sqrt(2 * LAYERS if residual else 1))

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight[: ids.shape[-1]]
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.tokens.weight.T


def optimizer_of(model, rate):
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]
    gains = [weight for weight in model.parameters() if weight.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": gains, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.99), fused=True)


def loss_of(model, ids, labels, reduction="mean"):
    return functional.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), reduction=reduction)


def take_step(model, optimizer, ids, labels):
    optimizer.zero_grad(set_to_none=True)
    loss_of(model, ids, labels).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def median_step(seconds, compiled):
    torch.manual_seed(1)
    model = LanguageModel(VOCABULARY)
    optimizer = optimizer_of(model, 1e-3)
    if compiled:
        model = torch.compile(model)
    ids, labels = torch.randint(VOCABULARY, (2, SEQUENCES, CONTEXT))
    for _ in range(3):
        take_step(model, optimizer, ids, labels)
    times = []
    begin = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        take_step(model, optimizer, ids, labels)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def rate_at(step, rate):
    if step < WARMUP:
        return rate * (step + 1) / (WARMUP + 1)
    done = (step - WARMUP) / (STEPS - WARMUP)
    return LEAST_RATE + 0.5 * (1 + math.cos(math.pi * done)) * (rate - LEAST_RATE)


@torch.no_grad()
def whole_loss(model, ids):
    """The mean over all ids but the first, each seen from the start of its own window."""
    inputs, labels = ids[:-1].split(CONTEXT), ids[1:].split(CONTEXT)
    total = sum(loss_of(model, x[None], y[None], "sum").item() for x, y in zip(inputs, labels))
    return total / (len(ids) - 1)


def train(path, rate, seed):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(character) for character in text])
    training, validation = ids[: int(0.9 * len(ids))], ids[int(0.9 * len(ids)) :]
    torch.manual_seed(seed)
    model = LanguageModel(len(characters))
    optimizer = optimizer_of(model, rate)
    begin = time.perf_counter()
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, rate)
        starts = torch.randint(len(training) - CONTEXT, (SEQUENCES, 1)) + torch.arange(CONTEXT)
        take_step(model, optimizer, training[starts], training[starts + 1])
    seconds = time.perf_counter() - begin
    return {"seed": seed, "learning_rate": rate, "seconds": seconds, "loss": whole_loss(model, validation)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=8, help="time for the steps of one line")
    parser.add_argument("--compiled", action="store_true", help="with torch.compile, which needs a C++ compiler")
    parser.add_argument("--text", help="trains on this text, on the last of --threads")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    arguments = parser.parse_args()
    if arguments.text:
        torch.set_num_threads(arguments.threads[-1])
        print(json.dumps(train(arguments.text, arguments.learning_rate, arguments.seed)), flush=True)
        return
    if not arguments.json:
        print(f"PyTorch {torch.__version__}\nthreads  median ms   tokens/s", flush=True)
    for threads in arguments.threads:
        torch.set_num_threads(threads)
        median = median_step(arguments.seconds, arguments.compiled)
        row = {"threads": threads, "ms": 1e3 * median, "tokens_per_second": SEQUENCES * CONTEXT / median}
        if arguments.json:
            print(json.dumps(row), flush=True)
        else:
            print(f"{threads:>7} {row['ms']:>10.2f} {row['tokens_per_second']:>10.0f}", flush=True)


if __name__ == "__main__":
    main()
