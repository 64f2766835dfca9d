"""The part of PyTorch that exported models use, in numpy and without gradients, for tests on machines without PyTorch.

Real numbers are float64, as after torch.set_default_dtype. scripts/check_pytorch_export.py compares models in PyTorch
itself.
"""

import numpy as np

float32, float64 = np.float32, np.float64


class Tensor(np.lib.mixins.NDArrayOperatorsMixin):
    device = None

    def __init__(self, array):
        self.array = np.asarray(array)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return Tensor(getattr(ufunc, method)(*map(bare, inputs), **options))

    def __getitem__(self, index):
        return Tensor(self.array[bare(index)])

    def __setitem__(self, index, value):
        self.array[bare(index)] = bare(value)

    def __len__(self):
        return len(self.array)

    def __int__(self):
        return int(self.array)

    shape = property(lambda self: self.array.shape)
    T = property(lambda self: Tensor(self.array.T))

    def tolist(self):
        return self.array.tolist()

    def double(self):
        return Tensor(self.array.astype(np.float64))

    def to(self, other):
        return Tensor(self.array.astype(other.array.dtype))

    def clone(self):
        return Tensor(self.array.copy())

    def view(self, *shape):
        return Tensor(self.array.reshape(shape))

    def flatten(self, start):
        return Tensor(self.array.reshape(*self.shape[:start], -1))

    def gather(self, dim, index):
        return Tensor(np.take_along_axis(self.array, index.array, axis=dim))

    def transpose(self, a, b):
        return Tensor(self.array.swapaxes(a, b))

    def expand(self, *sizes):
        kept = (1,) * (len(sizes) - len(self.shape)) + self.shape
        return Tensor(np.broadcast_to(self.array, [own if size == -1 else size for size, own in zip(sizes, kept)]))

    def chunk(self, count, dim):
        return tuple(map(Tensor, np.split(self.array, count, axis=dim)))

    def repeat_interleave(self, count, dim):
        return Tensor(self.array.repeat(count, axis=dim))

    def square(self):
        return self * self

    def abs(self):
        return Tensor(np.abs(self.array))

    def sqrt(self):
        return Tensor(np.sqrt(self.array))

    def rsqrt(self):
        return 1 / self.sqrt()

    def sin(self):
        return Tensor(np.sin(self.array))

    def cos(self):
        return Tensor(np.cos(self.array))

    def sigmoid(self):
        return 1 / (1 + Tensor(np.exp(-self.array)))

    def clamp(self, least, most):
        return Tensor(self.array.clip(least, most))

    def sum(self, dim, keepdim=False):
        return Tensor(self.array.sum(dim, keepdims=keepdim))

    def mean(self, dim, keepdim=False):
        return Tensor(self.array.mean(dim, keepdims=keepdim))

    def masked_fill(self, mask, value):
        return Tensor(np.where(mask.array, value, self.array))

    def nan_to_num(self):
        return Tensor(np.nan_to_num(self.array))

    def softmax(self, dim):
        with np.errstate(invalid="ignore"):
            powers = np.exp(self.array - self.array.max(dim, keepdims=True))
            return Tensor(powers / powers.sum(dim, keepdims=True))

    def argsort(self, dim, descending=False, stable=False):
        return Tensor(np.argsort(-self.array if descending else self.array, axis=dim, kind="stable"))

    def argmax(self):
        return Tensor(self.array.argmax())


def bare(value):
    if isinstance(value, tuple):
        return tuple(map(bare, value))
    return value.array if isinstance(value, Tensor) else value


def frombuffer(numbers, dtype):
    return Tensor(np.frombuffer(numbers, dtype))


def tensor(values, device=None):
    return Tensor(np.array(values))


def empty(*shape):
    return Tensor(np.full(shape, np.nan))


def ones(*shape):
    return empty(*shape)


zeros = ones


def arange(*limits, device=None):
    return Tensor(np.arange(*limits))


def zeros_like(like):
    return Tensor(np.zeros_like(like.array))


def where(condition, one, other):
    return Tensor(np.where(condition.array, one.array, other.array))


def tanh(x):
    return Tensor(np.tanh(x.array))


def cat(parts, dim):
    return Tensor(np.concatenate([part.array for part in parts], axis=dim))


def stack(parts, dim=0):
    return Tensor(np.stack([part.array for part in parts], axis=dim))


def einsum(subscripts, *operands):
    return Tensor(np.einsum(subscripts, *(operand.array for operand in operands)))


def bucketize(values, boundaries, right):
    return Tensor(np.searchsorted(boundaries.array, values.array, side="right" if right else "left"))


def no_grad():
    return lambda function: function
