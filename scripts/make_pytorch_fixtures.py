#!/usr/bin/env python3
"""Compares tests/fixtures/pytorch/*.safetensors with what PyTorch computes anew, and makes files that are not there.

Needs: pip install torch==2.13.0 safetensors==0.8.0 numpy (the CPU build of PyTorch is enough)

The files are of layers and models with every gradient, of optimisers and of schedules, in double precision. Parameters,
inputs, cotangents and rates are a file's own, or drawn for a new one; the rest is computed, by python/tapehead_torch.py
where it is of a model. The files that are here were computed by PyTorch's own layers and, where those lack positions,
by transformers 5.23.0: BLOOM (alibi), Llama and GPT-J (rotary, rotary_interleaved), T5, Wav2Vec2-BERT (relative_keys,
transformer_xl). So this compares the module with those. It prints the largest difference of each file, as a share of
its tensor's largest number; tensors that are 0 but for rounding count as 0.

A layer's file has the gradients of Σ c ∘ output for a random cotangent c; sequences go through one at a time and are
laid end to end. A model's file has the sum of its sequences' losses. All optimisers start from the same parameters and
see the same gradients and rates; "sgd.plain.*" and so on are the parameters after each step.
"""

import math
import pathlib
import sys

import torch
from safetensors.torch import load_file, save_file
from torch import nn, optim
from torch.nn import functional

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from tapehead_torch import Attention, Layer
from untrained import attention_options, untrained

BEGIN, END = 1, 2
TARGETS, SOURCES = [4, 1, 17], [1, 3, 9]  # lengths; 17 queries are more than a tile of tapehead's attention
SEQUENCES = [[3, 4, 5, 9], [6, 12], [8, 10, 3, 3, 5, 7, 4]]
PAIRS = [([3, 4, 5, 9], [7, 12, 3]), ([6], [4, 4, 10, 3, 5]), ([8, 10, 3, 3, 5, 7, 4], [11])]


class Fixture(dict):
    """The tensors of a file."""

    def __init__(self, name):
        super().__init__()
        self.name, self.path = name, ROOT / "tests" / "fixtures" / "pytorch" / f"{name}.safetensors"
        self.stored = load_file(self.path) if self.path.exists() else {}

    def given(self, name, *shape, scale=1.0, mean=0.0):
        if name in self.stored:
            self[name] = self.stored[name]
        else:
            self[name] = mean + scale * torch.randn(shape, dtype=torch.float64)
        return self[name].view(shape).clone()

    def fill(self, module):
        module.double()
        for name, parameter in module.named_parameters():
            gain = name.endswith("gain")
            parameter.data = self.given(f"parameter.{name}", *parameter.shape, scale=0.25, mean=float(gain))
        return module

    def take_gradients(self, module):
        for name, parameter in module.named_parameters():
            if parameter.grad is None:  # the norm of an attention by itself
                del self[f"parameter.{name}"]
            else:
                self[f"gradient.{name}"] = parameter.grad

    def away(self):
        """The largest difference from what the file had."""

        def share(old, new):
            largest = old.abs().max().item()
            difference = (old.double() - new.double().view(old.shape)).abs().max().item()
            return difference / (largest if largest > 1e-14 else 1)

        assert not self.stored or self.stored.keys() == self.keys(), (self.name, self.stored.keys() ^ self.keys())
        return max((share(old, self[name]) for name, old in self.stored.items()), default=math.nan)

    def finish(self):
        print(f"{self.away():.1e}  {self.name}")
        assert not self.away() > 1e-12
        if not self.stored:
            tensors = {name: tensor.detach().contiguous() for name, tensor in self.items()}
            save_file(tensors, self.path, metadata={"torch": torch.__version__})


def layer(name, module, inputs, run):
    """`inputs`: lengths of sequences by name; `run(a sequence of each)`."""
    fixture = Fixture(name)
    fixture.fill(module)
    leaves = {key: fixture.given(f"input.{key}", sum(lengths), 10) for key, lengths in inputs.items()}
    pieces = [leaf.requires_grad_().split(lengths) for leaf, lengths in zip(leaves.values(), inputs.values())]
    output = torch.cat([run(module, *sequence) for sequence in zip(*pieces, strict=True)])
    output.backward(fixture.given("cotangent", *output.shape))
    fixture["output"] = output
    fixture.update({f"input_gradient.{key}": leaf.grad for key, leaf in leaves.items()})
    fixture.take_gradients(module)
    return fixture


def model_options(**options):
    return untrained(1, 1, 1, d_model=10, d_ff=14, attention={"heads": 2}, **options).settings


def attention(name, kind, own=(), inputs=None):
    options = attention_options(10, **{"heads": 2, **dict(own)})
    return layer(name, Attention(model_options().model, options, kind), inputs or {"query": TARGETS}, Attention.f)


def layers():
    yield attention("attention_self", "encoder_self")
    yield attention("attention_causal", "decoder_self")
    yield attention("attention_cross", "cross", inputs={"query": TARGETS, "key": SOURCES})
    for stack in ("encoder", "decoder"):
        for position, activation in (("post", "relu"), ("pre", "gelu")):
            settings = model_options(norm_position=position, activation=activation)
            inputs = {"x": TARGETS, "memory": SOURCES} if stack == "decoder" else {"x": TARGETS}
            yield layer(f"{stack}_layer_{position}_norm", Layer(settings, stack, 0), inputs, Layer.forward)
    narrow = {"d_qk": 4, "d_v": 3, "clip": 3, "buckets": 8, "farthest": 6}
    for name, own in {
        "grouped": {"heads": 4, "kv_heads": 2}, "one_key_head_causal": {"heads": 3, "kv_heads": 1},
        "alibi": {"heads": 3, "positions": "alibi"}, "alibi_causal": {"heads": 6, "positions": "alibi"},
        "rotary": {"positions": "rotary"}, "rotary_interleaved": {"positions": "rotary"},
        "rotary_grouped_causal": {"heads": 4, "kv_heads": 2, "positions": "rotary"},
        "t5": {"heads": 3, "positions": "t5"}, "t5_causal": {"positions": "t5"},
        "relative": {"positions": "relative"}, "relative_causal": {"positions": "relative"},
        "relative_keys": {"positions": "relative_keys", "d_qk": 5, "d_v": 5},
        "transformer_xl": {"positions": "transformer_xl", "d_qk": 5, "d_v": 5, "clip": 16},
    }.items():
        kind = "decoder_self" if name.endswith("causal") else "encoder_self"
        yield attention(f"variant_{name}", kind, {**narrow, **own})


def model(name, entries, loss, cases, **options):
    fixture = Fixture(name)
    built = fixture.fill(untrained(*entries, d_model=12, d_ff=20, attention={"heads": 3}, **options))
    fixture["loss"] = sum(loss(built, case) for case in cases)
    fixture["loss"].backward()
    fixture.take_gradients(built)
    return fixture


def entropy(logits, labels, smoothing=0.0):
    return functional.cross_entropy(logits, torch.tensor(labels, dtype=torch.long), label_smoothing=smoothing, reduction="sum")


def pair_loss(built, pair):
    source, target = pair
    return entropy(built(torch.tensor([*source, END]), torch.tensor([BEGIN, *target])), [*target, END], 0.1)


def next_loss(built, tokens):
    """Row n says token n + 1; the first row and the last have no label."""
    return entropy(built(torch.tensor(tokens))[1:-1], tokens[2:])


def first_loss(built, tokens):
    """The first row says the number of tokens, modulo the number of labels. Types: 0, 0, 1, 1, 2, 2, 0, ..."""
    types = torch.arange(len(tokens)) // 2 % 3
    return entropy(built(torch.tensor(tokens), types)[:1], [len(tokens) % 5])


def masked_loss(built, tokens):
    """Every other row says its token and one more."""
    logits = built(torch.tensor(tokens), torch.arange(len(tokens)) // 2 % 3)[1::2]
    return entropy(logits, [(token + 1) % 13 for token in tokens[1::2]])


def models():
    yield model("post_norm", (11, 13, 13), pair_loss, PAIRS, norm_position="post")
    yield model("pre_norm", (11, 13, 13), pair_loss, PAIRS, activation="gelu")
    yield model("decoder_stack", (13, 13, 13), next_loss, SEQUENCES, family="decoder", activation="gelu")
    yield model("encoder_stack", (13, 13, 5), first_loss, SEQUENCES, family="encoder", activation="gelu")
    bert = {"family": "encoder", "norm_position": "post", "activation": "gelu", "positions": "learned",
            "max_positions": 9, "embedding_scale": "none", "layers": 1}
    masked = {"head_transform": "masked", "tie_embeddings": "target_output", "bias_output": True}
    full = {"token_types": 3, "embedding_norm": True, "d_embedding": 7, "layers": 3, "layer_groups": 2,
            "norm_epsilon": 1e-12}
    for name, own in {
        "types": {"token_types": 3}, "embedding_norm": {"embedding_norm": True}, "factored": {"d_embedding": 7},
        "one_group": {"layers": 3, "layer_groups": 1}, "two_groups": {"layers": 3, "layer_groups": 2},
        "pooler": {"head_transform": "pooler"}, "masked": masked,
        "classes_with_all": {**full, "head_transform": "pooler"}, "masked_with_all": {**full, **masked},
    }.items():
        of_masks = "masked" in name
        entries, loss = ((13, 13, 13), masked_loss) if of_masks else ((13, 13, 5), first_loss)
        yield model(f"encoder_{name}", entries, loss, SEQUENCES, **{**bert, **own})


def cross_entropy():
    fixture = Fixture("cross_entropy")
    logits = fixture.given("logits", 22, 11, scale=3.0)
    targets = fixture["targets"] = fixture.stored.get("targets", torch.arange(22) % 11)
    fixture["correct"] = (logits.argmax(dim=1) == targets).sum()
    for name, smoothing in (("sharp", 0.0), ("smooth", 0.1)):
        x = logits.clone().requires_grad_()
        fixture[f"{name}.loss"] = entropy(x, targets.tolist(), smoothing)
        fixture[f"{name}.loss"].backward()
        fixture[f"{name}.gradient"] = x.grad
    return fixture


STEPS, LARGEST_NORM = 10, 10.0
MOMENTUM = dict(momentum=0.8, weight_decay=0.1)
ADAM = dict(betas=(0.85, 0.95), eps=1e-4)
OPTIMIZERS = {
    "sgd": lambda ours: [optim.SGD(ours, **MOMENTUM)],
    "adam": lambda ours: [optim.Adam(ours, **ADAM)],
    "adam_decay": lambda ours: [optim.Adam(ours, weight_decay=0.1, **ADAM)],
    "adamw": lambda ours: [optim.AdamW(ours, weight_decay=0.1, **ADAM)],
}
MUON = {  # for the matrices
    "muon": lambda ours: [optim.Muon([one for one in ours if one.dim() == 2], **MOMENTUM),
                          optim.AdamW([one for one in ours if one.dim() != 2], weight_decay=0.1, **ADAM)],
}


def steps(name, shapes, size, optimizers):
    """Muon's gradients are so large that the term which keeps it from dividing by zero is none of the digits: PyTorch
    takes the larger of the norm and that term, the authors' code their sum."""
    fixture = Fixture(name)
    rates = fixture.given("rates", STEPS, scale=0.05).abs()
    start = {key: fixture.given(f"parameter.{key}", *shape) for key, shape in shapes.items()}
    gradients = [fixture.given(f"gradient.{key}", STEPS, *shape, scale=size) for key, shape in shapes.items()]
    norms = torch.stack([torch.stack([gradient[i].norm() for gradient in gradients]).norm() for i in range(STEPS)])
    for kind, make in optimizers.items():
        # clip_grad_norm_ divides by norm + 1e-6: by a ten-millionth more than tapehead, far above what is compared.
        for clipping, factors in (("plain", torch.ones(STEPS)), ("clipped", (size * LARGEST_NORM / norms).clamp(max=1))):
            ours = [tensor.clone().requires_grad_() for tensor in start.values()]
            after = {key: [] for key in start}
            made = make(ours)
            for i, rate in enumerate(rates):
                for parameter, gradient in zip(ours, gradients):
                    parameter.grad = gradient[i] * factors[i]
                for optimizer in made:
                    optimizer.param_groups[0]["lr"] = rate.item()
                    optimizer.step()
                for key, parameter in zip(start, ours):
                    after[key].append(parameter.detach().clone())
            fixture.update({f"{kind}.{clipping}.{key}": torch.stack(values) for key, values in after.items()})
    fixture["norms"] = norms
    return fixture


RUN, WARMUP, PEAK, D_MODEL = 20, 5, 0.7, 12
AFTER_WARMUP = {  # from the warmup's last step over the rest of the run
    "constant": lambda of, length: optim.lr_scheduler.ConstantLR(of, factor=1.0),
    "linear": lambda of, length: optim.lr_scheduler.LinearLR(of, start_factor=1.0, end_factor=0.0, total_iters=length),
    "cosine": lambda of, length: optim.lr_scheduler.CosineAnnealingLR(of, T_max=length),
}
FORMULAS = {  # of the step (from 1) and the warmup; PyTorch has neither, but takes a formula
    "inverse_sqrt": lambda step, warmup: step / warmup if step < warmup else math.sqrt(max(warmup, 1) / step),
    "noam": lambda step, warmup: D_MODEL**-0.5 * min(step**-0.5, step * warmup**-1.5 if warmup > 0 else math.inf),
}


def rates_of(make, skipped=0):
    """The rates of steps 1, 2, ...; without a warmup the peak is before the first step."""
    optimizer = optim.SGD([torch.zeros(1)], lr=PEAK)
    schedule, rates = make(optimizer), []
    for _ in range(RUN + skipped):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return torch.tensor(rates[skipped:], dtype=torch.float64)


def schedules():
    fixture, schedulers = Fixture("schedules"), optim.lr_scheduler
    for name, after in AFTER_WARMUP.items():
        def warm(of):
            rise = schedulers.LinearLR(of, start_factor=1 / WARMUP, total_iters=WARMUP - 1)
            return schedulers.SequentialLR(of, [rise, after(of, RUN - WARMUP)], milestones=[WARMUP - 1])

        fixture[f"{name}.cold"] = rates_of(lambda of: after(of, RUN), skipped=1)
        fixture[f"{name}.warm"] = rates_of(warm)
    for name, rate in FORMULAS.items():
        for start, warmup in (("cold", 0), ("warm", WARMUP)):
            fixture[f"{name}.{start}"] = rates_of(lambda of: schedulers.LambdaLR(of, lambda i: rate(i + 1, warmup)))
    return fixture


def main():
    torch.manual_seed(1)
    for fixture in (*layers(), *models(), cross_entropy(), schedules()):
        fixture.finish()
    steps("optimizers", {"matrix": (5, 7), "vector": (11,), "table": (13, 3)}, 1.0, OPTIMIZERS).finish()
    torch.Tensor.bfloat16 = torch.Tensor.double  # which Muon would iterate in
    steps("muon", {"wide": (5, 7), "tall": (12, 4), "vector": (11,)}, 1e4, MUON).finish()


if __name__ == "__main__":
    main()
