#!/usr/bin/env python3
"""Writes tests/fixtures/pytorch/{optimizers,muon,schedules}.safetensors: ten steps of PyTorch's optimisers; its schedules.

Needs: pip install torch==2.13.0 safetensors==0.8.0 numpy (the CPU build of PyTorch is enough)

All optimisers start from the same parameters and see the same gradients and learning rates: "parameter.*", "gradient.*"
and "rates". "sgd.plain.*" and so on are the parameters after each step. In double precision throughout. Muon has
parameters and gradients of its own, since it is for matrices, and so large that the term which keeps it from dividing
by zero is none of the digits: PyTorch takes the larger of the norm and that term, the authors' code their sum.
"""

import math

import torch
from make_pytorch_fixtures import save
from torch import optim

STEPS = 10
SHAPES = {"matrix": (5, 7), "vector": (11,), "table": (13, 3)}
DECAY, MOMENTUM, BETAS, EPSILON = 0.1, 0.8, (0.85, 0.95), 1e-4
OPTIMIZERS = {
    "sgd": lambda parameters: optim.SGD(parameters, momentum=MOMENTUM, weight_decay=DECAY),
    "adam": lambda parameters: optim.Adam(parameters, betas=BETAS, eps=EPSILON),
    "adam_decay": lambda parameters: optim.Adam(parameters, betas=BETAS, eps=EPSILON, weight_decay=DECAY),
    "adamw": lambda parameters: optim.AdamW(parameters, betas=BETAS, eps=EPSILON, weight_decay=DECAY),
}
LARGEST_NORM = 10.0
MUON_SHAPES, MUON_SIZE = {"wide": (5, 7), "tall": (12, 4), "vector": (11,)}, 1e4

RATE, RUN, WARMUP, D_MODEL = 0.7, 20, 5, 12


class MuonAndAdamW:
    """Muon for the matrices, AdamW for all else."""

    def __init__(self, parameters):
        matrices = [parameter for parameter in parameters if parameter.dim() == 2]
        others = [parameter for parameter in parameters if parameter.dim() != 2]
        self.optimizers = [
            optim.Muon(matrices, momentum=MOMENTUM, weight_decay=DECAY),
            optim.AdamW(others, betas=BETAS, eps=EPSILON, weight_decay=DECAY),
        ]
        self.param_groups = [group for optimizer in self.optimizers for group in optimizer.param_groups]

    def step(self):
        for optimizer in self.optimizers:
            optimizer.step()


def steps(make, start, gradients, rates, largest_norm):
    """The parameters after each step, and the gradient's norms."""
    parameters = [tensor.clone().requires_grad_() for tensor in start.values()]
    optimizer = make(parameters)
    after, norms = {name: [] for name in start}, []
    for i, rate in enumerate(rates):
        for parameter, gradient in zip(parameters, gradients.values(), strict=True):
            parameter.grad = gradient[i].clone()
        norms.append(torch.nn.utils.get_total_norm([parameter.grad for parameter in parameters]))
        if largest_norm is not None and norms[-1] > largest_norm:
            for parameter in parameters:
                # clip_grad_norm_ divides by norm + 1e-6, so that what it leaves is smaller than the largest norm by a
                # ten-millionth: far above the roundings that are compared here.
                parameter.grad *= largest_norm / norms[-1]
        for group in optimizer.param_groups:
            group["lr"] = rate.item()
        optimizer.step()
        for name, parameter in zip(start, parameters, strict=True):
            after[name].append(parameter.detach().clone())
    return {name: torch.stack(values) for name, values in after.items()}, torch.stack(norms)


def write_steps(file, seed, shapes, size, optimizers):
    torch.manual_seed(seed)
    start = {name: torch.randn(shape, dtype=torch.float64) for name, shape in shapes.items()}
    gradients = {name: torch.randn(STEPS, *shape, dtype=torch.float64) for name, shape in shapes.items()}
    for gradient in gradients.values():  # steps of small, middling and large gradients in turn
        gradient *= size * (0.25 + torch.arange(STEPS) % 3).reshape(-1, *[1] * (gradient.dim() - 1))
    rates = 0.1 * torch.rand(STEPS, dtype=torch.float64)
    tensors = {"rates": rates}
    tensors |= {f"parameter.{name}": values for name, values in start.items()}
    tensors |= {f"gradient.{name}": values for name, values in gradients.items()}
    for name, make in optimizers.items():
        for clipping, largest_norm in (("plain", None), ("clipped", size * LARGEST_NORM)):
            after, tensors["norms"] = steps(make, start, gradients, rates, largest_norm)
            tensors |= {f"{name}.{clipping}.{parameter}": values for parameter, values in after.items()}
    clipped = tensors["norms"] > size * LARGEST_NORM
    assert clipped.any() and not clipped.all()
    save(file, seed, tensors)


# What comes after the warmup, as its last step's rate and `length` more to the end of the run.
AFTER_WARMUP = {
    "constant": lambda optimizer, length: optim.lr_scheduler.ConstantLR(optimizer, factor=1.0),
    "linear": lambda optimizer, length: optim.lr_scheduler.LinearLR(
        optimizer, start_factor=1.0, end_factor=0.0, total_iters=length
    ),
    "cosine": lambda optimizer, length: optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=length),
}


# PyTorch has neither of the next two, but takes their formulas, here of the step (from 1) and the warmup.
def inverse_sqrt(step, warmup):
    """As fairseq's, with the peak at the end of a rise from 0."""
    return step / warmup if step < warmup else math.sqrt(max(warmup, 1) / step)


def noam(step, warmup):
    """Vaswani et al. 2017, equation 3; nothing holds back the first steps where there is no warmup."""
    return D_MODEL**-0.5 * min(step**-0.5, step * warmup**-1.5 if warmup > 0 else math.inf)


def rates_of_run(make):
    """The rates of steps 1, 2, ... from a schedule whose first rate is that of step 1."""
    optimizer = optim.SGD([torch.zeros(1)], lr=RATE)
    schedule, rates = make(optimizer), []
    for _ in range(RUN):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return torch.tensor(rates, dtype=torch.float64)


def with_warmup(make):
    def made(optimizer):
        rise = optim.lr_scheduler.LinearLR(optimizer, start_factor=1 / WARMUP, total_iters=WARMUP - 1)
        fall = make(optimizer, RUN - WARMUP)
        return optim.lr_scheduler.SequentialLR(optimizer, [rise, fall], milestones=[WARMUP - 1])

    return made


def without_warmup(make):
    """The peak is before the first step, which therefore has the schedule's second rate."""

    def made(optimizer):
        schedule = make(optimizer, RUN)
        optimizer.step()
        schedule.step()
        return schedule

    return made


def write_schedules():
    tensors = {}
    for name, make in AFTER_WARMUP.items():
        tensors[f"{name}.cold"] = rates_of_run(without_warmup(make))
        tensors[f"{name}.warm"] = rates_of_run(with_warmup(make))
    for formula in (inverse_sqrt, noam):
        for start, warmup in (("cold", 0), ("warm", WARMUP)):
            tensors[f"{formula.__name__}.{start}"] = rates_of_run(
                lambda optimizer, f=formula, w=warmup: optim.lr_scheduler.LambdaLR(optimizer, lambda i: f(i + 1, w))
            )
    save("schedules", 0, tensors)  # nothing is drawn


if __name__ == "__main__":
    write_steps("optimizers", 12, SHAPES, 1, OPTIMIZERS)
    torch.Tensor.bfloat16 = torch.Tensor.double  # which Muon would iterate in
    write_steps("muon", 12, MUON_SHAPES, MUON_SIZE, {"muon": MuonAndAdamW})
    write_schedules()
