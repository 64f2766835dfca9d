"""The functions of bench/beside_pytorch/ as custom functions of PyTorch, under the same names and in the same order.

Each class is one: its value, its gradients as a function of dL/dy, the value and the inputs (both are called on the
class), and a line that says what is wrong.
"""

import math

import torch
from torch import nn
from torch.nn import functional


class Custom(torch.autograd.Function):
    """What all have in common: inputs and output are kept in the way that PyTorch asks for."""

    repeatable = True  # whether each run gives the same numbers

    @classmethod
    def forward(cls, ctx, *inputs):
        y = cls.value(*inputs)
        ctx.save_for_backward(y, *inputs)
        return y

    @classmethod
    def backward(cls, ctx, dy):
        return cls.gradients(dy, *ctx.saved_tensors)


class minus_forgotten(Custom):
    """a - b: the minus is forgotten, db = dy"""

    def value(a, b):
        return a - b

    def gradients(dy, y, a, b):
        return dy, dy


class mean_not_divided(Custom):
    """mean of the rows: not divided by their number, dx_n = dy"""

    def value(x):
        return x.mean(0)

    def gradients(dy, y, x):
        return dy.expand_as(x)


class product_transposed(Custom):
    """product of square matrices: the second gradient is transposed, db = (aᵀ dy)ᵀ"""

    def value(a, b):
        return a @ b

    def gradients(dy, y, a, b):
        return dy @ b.T, (a.T @ dy).T


class softmax(Custom):
    """softmax"""

    def value(x):
        return x.softmax(-1)

    def gradients(dy, y, x):
        return y * (dy - (y * dy).sum(-1, keepdim=True))


class softmax_without_sum(softmax):
    """softmax: without the sum over the row, dx = y ∘ dy"""

    def gradients(dy, y, x):
        return y * dy


def over_deviation(rows, x):
    return rows / torch.sqrt(x.var(-1, correction=0, keepdim=True) + 1e-5)


class norm(Custom):
    """layer norm"""

    def value(x):
        return over_deviation(x - x.mean(-1, keepdim=True), x)

    def gradients(dy, y, x):
        return over_deviation(dy - dy.mean(-1, keepdim=True) - y * (dy * y).mean(-1, keepdim=True), x)


class norm_without_variance(norm):
    """layer norm: without the term of the variance, dx = (dy - mean(dy)) / σ"""

    def gradients(dy, y, x):
        return over_deviation(dy - dy.mean(-1, keepdim=True), x)


class gelu(Custom):
    """gelu"""

    power = 3

    def value(x):
        return functional.gelu(x, approximate="tanh")

    @classmethod
    def gradients(cls, dy, y, x):
        c, k = math.sqrt(2 / math.pi), 0.044715
        t = torch.tanh(c * (x + k * x**3))
        return dy * (1 + t + x * (1 - t**2) * c * (1 + cls.power * k * x**2)) / 2


class gelu_slope(gelu):
    """gelu: x³ inside it differentiates to x², without the 3"""

    power = 1


class attention(Custom):
    """causal attention"""

    masked_backwards = True

    def weights(q, k, masked):
        """Each row's exponentials over the sum of those that it sees; with the mask, 0 where it sees nothing."""
        exponentials = torch.exp(q @ k.T / math.sqrt(q.shape[1]))
        seen = exponentials.tril()
        return (seen if masked else exponentials) / seen.sum(-1, keepdim=True)

    @classmethod
    def value(cls, q, k, v):
        return cls.weights(q, k, masked=True) @ v

    @classmethod
    def gradients(cls, dy, y, q, k, v):
        p = cls.weights(q, k, cls.masked_backwards)
        ds = p * (dy @ v.T - (dy * y).sum(-1, keepdim=True)) / math.sqrt(q.shape[1])
        return ds @ k, ds.T @ q, p.T @ dy


class mask_forgotten(attention):
    """causal attention: the weights are made anew backwards, and without the mask"""

    masked_backwards = False


class bias_not_summed(Custom):
    """bias: its gradient is one row's, db = dy_0"""

    def value(x, bias):
        return x + bias

    def gradients(dy, y, x, bias):
        return dy, dy[0]


class last_row_left_out(Custom):
    """square: the last row gets nothing"""

    def value(x):
        return x**2

    def gradients(dy, y, x):
        dx = torch.zeros_like(x)
        dx[:-1] = 2 * x[:-1] * dy[:-1]
        return dx


class one_element_off(Custom):
    """tanh: one element of the gradient is 1e-3 too large"""

    def value(x):
        return x.tanh()

    def gradients(dy, y, x):
        dx = (1 - y**2) * dy
        dx[1, 2] += 1e-3
        return dx


class constant_rounded(Custom):
    """log10: 0.4343 instead of 1 / ln 10, which is 1e-5 more"""

    def value(x):
        return x.log10()

    def gradients(dy, y, x):
        return 0.4343 * dy / x


class cotangent_ignored(Custom):
    """sigmoid: dL/dy is left out, dx = y ∘ (1 - y)"""

    def value(x):
        return x.sigmoid()

    def gradients(dy, y, x):
        return y * (1 - y)


class gain_forgotten(Custom):
    """gain: no gradient for it"""

    def value(x, gain):
        return x * gain

    def gradients(dy, y, x, gain):
        return dy * gain, None


class quotient_unguarded(Custom):
    """sin(x) / x: 0 / 0 backwards where x is 0"""

    def value(x):
        return torch.where(x == 0, 1, x.sin() / x)

    def gradients(dy, y, x):
        return dy * (x.cos() - y) / x


class repeated_row_overwritten(Custom):
    """lookup: where an id repeats, its row's gradient is overwritten, not added to"""

    def value(table):
        return table[[2, 0, 2, 3, 0]]

    def gradients(dy, y, table):
        dtable = torch.zeros_like(table)
        for i, row in zip((2, 0, 2, 3, 0), dy):
            dtable[i] = row
        return dtable


class input_shifted_forwards(softmax):
    """softmax: each row's largest number is taken off in place"""

    def value(x):
        x -= x.max(-1, keepdim=True).values
        return x.softmax(-1)


class input_doubled_backwards(Custom):
    """square: 2 x is computed in place, backwards"""

    def value(x):
        return x**2

    def gradients(dy, y, x):
        x *= 2
        return x * dy


class mask_drawn_again(Custom):
    """dropout: the mask is drawn anew backwards"""

    repeatable = False

    def value(x):
        return x * (torch.rand(x.shape, generator=torch.Generator().manual_seed(7)) < 0.7) / 0.7

    def gradients(dy, y, x):
        return dy * (torch.rand(dy.shape) < 0.7) / 0.7


class element_unwritten(Custom):
    """square: the last element of the gradient is left as its memory was"""

    repeatable = False

    def value(x):
        return x**2

    def gradients(dy, y, x):
        dx = torch.empty_like(x)
        dx.view(-1)[:-1] = (2 * x * dy).view(-1)[:-1]
        return dx


class gradient_hangs_on_other(Custom):
    """a ∘ b: both gradients are made where b needs one, none where it does not"""

    def value(a, b):
        return a * b

    @staticmethod
    def backward(ctx, dy):
        _, a, b = ctx.saved_tensors
        return (dy * b, dy * a) if ctx.needs_input_grad[1] else (None, None)


class kink(Custom):
    """absolute value: exactly at 0, where dx = dy"""

    def value(x):
        return x.abs()

    def gradients(dy, y, x):
        return torch.where(x < 0, -dy, dy)


class bias_left_broadcast(Custom):
    """bias: its gradient has the shape of the output, db = dy"""

    def value(x, bias):
        return x + bias

    def gradients(dy, y, x, bias):
        return dy, dy


WRONG = [
    minus_forgotten,
    mean_not_divided,
    product_transposed,
    softmax_without_sum,
    norm_without_variance,
    gelu_slope,
    mask_forgotten,
    bias_not_summed,
    last_row_left_out,
    one_element_off,
    constant_rounded,
    cotangent_ignored,
    gain_forgotten,
    quotient_unguarded,
    repeated_row_overwritten,
    input_shifted_forwards,
    input_doubled_backwards,
    mask_drawn_again,
    element_unwritten,
    gradient_hangs_on_other,
]
RIGHT = [softmax, norm, gelu, attention]
DEBATABLE = [kink, bias_left_broadcast]



LAYER = [  # the parameters of one layer, in the order of bench/beside_pytorch/decoder.cpp
    *("norm1.weight", "norm1.bias"),
    *("self_attn.in_proj_weight", "self_attn.in_proj_bias", "self_attn.out_proj.weight", "self_attn.out_proj.bias"),
    *("norm2.weight", "norm2.bias"),
    *("query.weight", "query.bias", "key_value.weight", "key_value.bias"),
    *("multihead_attn.out_proj.weight", "multihead_attn.out_proj.bias"),
    *("norm3.weight", "norm3.bias"),
    *("linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias"),
]
HEADS = 4


def decoder_layer(tensors):
    """PyTorch's own, with the given parameters and the norm before each block."""
    state = dict(zip(LAYER, tensors, strict=True))
    for kind in ("weight", "bias"):
        both = state.pop(f"query.{kind}"), state.pop(f"key_value.{kind}")
        state[f"multihead_attn.in_proj_{kind}"] = torch.cat(both)
    d_ff, d_model = state["linear1.weight"].shape
    layer = nn.TransformerDecoderLayer(
        d_model,
        HEADS,
        d_ff,
        dropout=0.0,
        activation=lambda x: functional.gelu(x, approximate="tanh"),
        norm_first=True,
        batch_first=True,
        dtype=torch.float64,
    )
    layer.load_state_dict(state)
    return layer


def decoder(inputs):
    """The function of x and memory, and its inputs: these two and every parameter, which it reads where it lies."""
    x, memory, *parameters = inputs
    layers = [decoder_layer(parameters[i : i + len(LAYER)]) for i in range(0, len(parameters), len(LAYER))]
    mask = nn.Transformer.generate_square_subsequent_mask(len(x), dtype=torch.float64)

    def run(x, memory, *_):
        for layer in layers:
            x = layer(x, memory, tgt_mask=mask, tgt_is_causal=True)
        return x

    return run, (x, memory, *(parameter for layer in layers for parameter in layer.parameters()))
