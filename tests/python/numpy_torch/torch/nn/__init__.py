"""Modules, which know their parameters by name."""

import torch
from torch.nn import functional


class Parameter(torch.Tensor):
    def __init__(self, tensor):
        super().__init__(tensor.array)

    data = property(fset=lambda self, tensor: setattr(self, "array", tensor.array))


class Module:
    def __call__(self, *inputs, **named):
        return self.forward(*inputs, **named)

    def named_children(self):
        return [(name, part) for name, part in vars(self).items() if isinstance(part, Module)]

    def named_parameters(self, recurse=True):
        """Unlike PyTorch's, also those that it has under another name already."""
        own = [(name, part) for name, part in vars(self).items() if isinstance(part, Parameter)]
        return own + [(f"{name}.{rest}", part) for name, child in self.named_children() if recurse
                      for rest, part in child.named_parameters()]

    def parameters(self):
        return {id(part): part for _, part in self.named_parameters()}.values()

    def state_dict(self, keep_vars):
        return dict(self.named_parameters())

    def modules(self):
        return [self, *(part for _, child in self.named_children() for part in child.modules())]

    training = False

    def eval(self):
        return self


class ModuleList(Module):
    def __init__(self, modules):
        self.count = len(list(map(lambda pair: setattr(self, str(pair[0]), pair[1]), enumerate(modules))))

    def __getitem__(self, index):
        return getattr(self, str(index))

    def __iter__(self):
        return (self[index] for index in range(self.count))


class ParameterDict(Module):
    def __init__(self, tensors):
        for name, tensor in tensors.items():
            setattr(self, name, Parameter(tensor))

    def __getitem__(self, name):
        return getattr(self, name)


class Linear(Module):
    def __init__(self, columns, rows, bias=True):
        self.weight = Parameter(torch.empty(rows, columns))
        self.bias = Parameter(torch.empty(rows)) if bias else None

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)
