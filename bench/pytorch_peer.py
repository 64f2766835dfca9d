#!/usr/bin/env python3
"""The work of `tapehead_bench step`, `step lm` and `generate` in PyTorch, as a careful user would write it.

    python3 bench/pytorch_peer.py step A B C D --threads 1 2         # needs PyTorch 2
    python3 bench/pytorch_peer.py lm --threads 1 2
    python3 bench/pytorch_peer.py lm --text data/tinyshakespeare/input.txt --learning-rate 1e-3 --seed 1
    python3 bench/pytorch_peer.py generate --batch 1 16 --threads 1 2

The models are python/tapehead_torch.py, with one product for query, key and value (one for key and value in
cross-attention) and scaled_dot_product_attention, clipping of the norm, and fused Adam or AdamW. Sequences are all of
one length, so there is no padding. `step` and `lm` print the median of a step's milliseconds and the (target) tokens a
second, a line for each size and number of threads:

- step: a pre-norm encoder-decoder, with dropout 0.1 at the same places as tapehead and label smoothing.
- lm: nanoGPT's model of its instructions for CPUs: 4 pre-norm layers, 4 heads, width 128, windows of 64, 12 in a batch,
  no biases, no dropout, output weights shared with the embedding, first weights as GPT-2's. With --text it trains on a
  text, of which the last tenth is for validation, and prints the loss on that whole tenth, in windows of 64 without
  overlap, as `tapehead evaluate` does, which also counts the first character and an end mark.
- generate: a GPT-2 with random weights, with keys and values kept in tensors of their final size and written in place.
  Each token is the most likely one.
"""

import argparse
import functools
import itertools
import json
import math
import pathlib
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import tapehead_torch
from peers import options, print_rows
from untrained import untrained

SIZES = {  # vocabulary, d_model, heads, d_ff, layers, sequences, length: as in bench/measure.hpp
    "A": (32, 64, 4, 256, 2, 64, 16),
    "B": (1000, 128, 4, 512, 2, 64, 32),
    "C": (8000, 256, 8, 1024, 3, 32, 64),
    "D": (8000, 512, 8, 2048, 6, 16, 64),
}
CONTEXT, SEQUENCES, VOCABULARY = 64, 12, 65  # of the language model
STEPS, WARMUP, LEAST_RATE = 2000, 100, 1e-4


class Attention(tapehead_torch.Attention):
    def __init__(self, model, own, kind):
        super().__init__(model, own, kind)
        del self.query, self.key, self.value
        D, biases, crosses = model.d_model, model.bias_attention, kind == "cross"
        self.query = nn.Linear(D, D, biases) if crosses else None
        self.joint = nn.Linear(D, (2 if crosses else 3) * D, biases)
        self.cache, self.begin = None, 0

    def f(self, x, context=None, prefix=0):
        parts = self.joint(x).chunk(3, -1) if context is None else (self.query(x), *self.joint(context).chunk(2, -1))
        q, k, v = (tapehead_torch.split(part, self.own.heads) for part in parts)
        if self.cache is not None:
            end = self.begin + x.shape[-2]
            for side, rows in zip(self.cache, (k, v)):
                side[:, :, self.begin : end] = rows
            k, v = (side[:, :, :end] for side in self.cache)
        causal = self.kind == "decoder_self" and self.begin == 0
        dropout = self.own.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal, dropout_p=dropout)
        return self.output(y.transpose(-3, -2).flatten(-2))


tapehead_torch.Attention = Attention
sinusoids = functools.cache(lambda N, width, of=tapehead_torch.sinusoids: of(torch.arange(N), width).float())
tapehead_torch.sinusoids = lambda positions, width: sinusoids(len(positions), width)  # made once


def initialized(model, std=0.02, residual=1.0):
    for name, weight in model.named_parameters():
        if weight.dim() > 1:
            nn.init.normal_(weight, std=std * (residual if name.endswith(("output.weight", "outer.weight")) else 1))
        elif name.endswith("bias"):
            nn.init.zeros_(weight)
    return model


def median_step(step, seconds):
    for _ in range(3):
        step()
    times = []
    begin = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def take_step(model, optimizer, inputs, labels, smoothing=0.0, bfloat16=False):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        loss = F.cross_entropy(model(*inputs).flatten(0, 1), labels.flatten(), label_smoothing=smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def pair_step(bfloat16, size):
    vocabulary, d_model, heads, d_ff, layers, sequences, length = SIZES[size]
    torch.manual_seed(1)
    dropout = {f"dropout_{place}": 0.1 for place in ("embedding", "feed_forward", "residual")}
    model = initialized(untrained(vocabulary, vocabulary, vocabulary, layers, {"heads": heads, "dropout": 0.1},
                                  d_model=d_model, d_ff=d_ff, **dropout))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
    source, target, wanted = torch.randint(vocabulary, (3, sequences, length))
    return lambda: take_step(model, optimizer, (source, target), wanted, 0.1, bfloat16), sequences * length


def language_model(vocabulary, d_model=128, layers=4, heads=4, positions=CONTEXT, **options):
    return untrained(vocabulary, vocabulary, vocabulary, layers, {"heads": heads}, d_model=d_model, family="decoder",
                     positions="learned", max_positions=positions, embedding_scale="none",
                     tie_embeddings="target_output", **options)


def nano_gpt(vocabulary, rate):
    biases = {f"bias_{part}": False for part in ("attention", "feed_forward", "norm")}
    model = initialized(language_model(vocabulary, activation="gelu_exact", **biases), residual=8**-0.5)
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]
    gains = [weight for weight in model.parameters() if weight.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": gains, "weight_decay": 0.0}]
    return model, torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.99), fused=True)


def lm_step(bfloat16, compiled):
    torch.manual_seed(1)
    model, optimizer = nano_gpt(VOCABULARY, 1e-3)
    model = torch.compile(model) if compiled else model
    ids, labels = torch.randint(VOCABULARY, (2, SEQUENCES, CONTEXT))
    return lambda: take_step(model, optimizer, (ids,), labels, bfloat16=bfloat16), SEQUENCES * CONTEXT


@torch.no_grad()
def whole_loss(model, ids):
    """The mean over all ids but the first, each seen from the start of its own window."""
    windows = zip(ids[:-1].split(CONTEXT), ids[1:].split(CONTEXT))
    return sum(F.cross_entropy(model(x), y, reduction="sum").item() for x, y in windows) / (len(ids) - 1)


def train(path, peak, seed):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    characters = sorted(set(text))
    ids = torch.tensor([characters.index(character) for character in text])
    training, validation = ids[: int(0.9 * len(ids))], ids[int(0.9 * len(ids)) :]
    torch.manual_seed(seed)
    model, optimizer = nano_gpt(len(characters), peak)
    begin = time.perf_counter()
    for step in range(STEPS):
        fall = 0.5 * (1 + math.cos(math.pi * (step - WARMUP) / (STEPS - WARMUP)))
        rate = peak * (step + 1) / (WARMUP + 1) if step < WARMUP else LEAST_RATE + fall * (peak - LEAST_RATE)
        for group in optimizer.param_groups:
            group["lr"] = rate
        starts = torch.randint(len(training) - CONTEXT, (SEQUENCES, 1)) + torch.arange(CONTEXT)
        take_step(model, optimizer, (training[starts],), training[starts + 1])
    seconds = time.perf_counter() - begin
    return {"seed": seed, "learning_rate": peak, "seconds": seconds, "loss": whole_loss(model, validation)}


@torch.inference_mode()
def write(model, ids, count, caches):
    written, begin, embedding = [], 0, model.target
    for _ in range(count):
        x = F.embedding(ids, embedding.embedding) + embedding.positions[begin : begin + ids.shape[1]]
        for layer, layer.self.cache in zip(model.decoder.layers, caches):
            layer.self.begin = begin
            x = layer(x)
        begin += ids.shape[1]
        ids = F.linear(model.decoder.norm(x[:, -1]), embedding.embedding).argmax(-1, keepdim=True)
        written.append(ids)
    return torch.cat(written, 1)


def generate(a, model, batch, threads):
    torch.set_num_threads(threads)
    caches = torch.zeros(a.layers, 2, batch, a.heads, a.prompt_length + a.tokens, a.d_model // a.heads)
    prompts, seconds = torch.randint(a.vocabulary, (batch, a.prompt_length)), []
    for _ in range(a.repeats + 1):
        begin = time.perf_counter()
        assert write(model, prompts, a.tokens, caches).shape == (batch, a.tokens)
        seconds.append(time.perf_counter() - begin)
    return seconds[1:]  # the first warmed up


def print_steps(a, sizes, step_of):
    if not a.json:
        print(f"PyTorch {torch.__version__}\nsize threads  median ms   tokens/s", flush=True)
    for size, threads in itertools.product(sizes, a.threads):
        torch.set_num_threads(threads)
        step, tokens = step_of(size)
        median = median_step(step, a.seconds)
        row = {"size": size, "threads": threads, "ms": 1e3 * median, "tokens_per_second": tokens / median}
        line = "{size:>4} {threads:>7} {ms:>10.2f} {tokens_per_second:>10.0f}"
        print(json.dumps(row) if a.json else line.format(**row), flush=True)


def main():
    if sys.argv[1:2] == ["generate"]:
        a = options(__doc__, words=sys.argv[2:])
        torch.manual_seed(1)
        model = initialized(language_model(a.vocabulary, a.d_model, a.layers, a.heads, a.prompt_length + a.tokens,
                                           activation="gelu")).eval()
        print_rows(f"PyTorch {torch.__version__}", a, functools.partial(generate, a, model))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["step", "lm", "generate"])
    parser.add_argument("sizes", nargs="*", default=list(SIZES), help="step: of A B C D; all by default")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=8, help="time for the steps of one line")
    parser.add_argument("--compiled", action="store_true", help="lm: with torch.compile, which needs a C++ compiler")
    parser.add_argument("--bfloat16", action="store_true", help="step and lm: with autocast to bfloat16")
    parser.add_argument("--text", help="lm: trains on this text, on the last of --threads")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    a = parser.parse_args()
    if a.work == "step":
        print_steps(a, a.sizes, functools.partial(pair_step, a.bfloat16))
    elif a.text and a.bfloat16:
        parser.error("--text trains in float32: leave --bfloat16 out")
    elif a.text:
        torch.set_num_threads(a.threads[-1])
        print(json.dumps(train(a.text, a.learning_rate, a.seed)), flush=True)
    else:
        print_steps(a, ["lm"], lambda _: lm_step(a.bfloat16, a.compiled))


if __name__ == "__main__":
    main()
