#!/usr/bin/env python3
"""Writes tests/fixtures/pytorch/variant_*.safetensors: attention with grouped keys and with relative positions.

Needs: pip install torch==2.13.0 transformers==5.23.0 safetensors==0.8.0 numpy (the CPU build of PyTorch is enough)

What each is compared with:

- grouped keys: torch.nn.functional.scaled_dot_product_attention with enable_gqa
- ALiBi: the slopes and the causal bias of transformers' BLOOM; to both sides, its slopes times the distance
- rotary: apply_rotary_pos_emb of transformers' Llama, whose pairs of columns are (c, c + width / 2) as tapehead's are,
  and, with columns put in that order, that of its GPT-J, whose pairs are (2 c, 2 c + 1) as in Su et al. 2021
- Shaw's relative keys, and Transformer-XL: transformers' Wav2Vec2BertSelfAttention
- Shaw's relative keys and values: equations 3 and 4 of Shaw et al. 2018, written out here
- T5: the buckets of transformers' T5

The files are as those of make_pytorch_layer_fixtures.py. tapehead numbers buckets in the order of their distances, key
less query.
"""

import torch
from make_pytorch_fixtures import randomize
from make_pytorch_layer_fixtures import D, TARGETS, causal_mask, rows, write
from torch import nn
from torch.nn import functional
from transformers import Wav2Vec2BertConfig
from transformers.models.bloom import modeling_bloom as bloom
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.t5 import modeling_t5 as t5
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as wav2vec2_bert

WIDTH, VALUE_WIDTH = 4, 3
CLIP, BUCKETS, FARTHEST = 3, 8, 6


def distances(n):
    """Key less query: (n, n)."""
    return torch.arange(n)[None, :] - torch.arange(n)[:, None]


class Attention(nn.Module):
    """Self-attention whose positions are a function of (module, queries, keys) to (queries, keys, bias)."""

    def __init__(self, heads, key_heads=None, causal=False, place=None):
        super().__init__()
        self.heads, self.key_heads, self.causal, self.place = heads, key_heads or heads, causal, place
        self.query = nn.Linear(D, heads * WIDTH)
        self.key = nn.Linear(D, self.key_heads * WIDTH)
        self.value = nn.Linear(D, self.key_heads * VALUE_WIDTH)
        self.output = nn.Linear(heads * VALUE_WIDTH, D)

    def split(self, x):
        of_queries = self.query(x).unflatten(-1, (self.heads, WIDTH))
        of_keys = self.key(x).unflatten(-1, (self.key_heads, WIDTH))
        of_values = self.value(x).unflatten(-1, (self.key_heads, VALUE_WIDTH))
        return of_queries.transpose(1, 2), of_keys.transpose(1, 2), of_values.transpose(1, 2)

    def mask(self, n):
        return causal_mask(n) if self.causal else torch.zeros(n, n, dtype=torch.float64)

    def forward(self, x):
        q, k, v = self.split(x)
        bias = self.mask(x.shape[1])
        if self.place is not None:
            q, k, added = self.place(self, q, k)
            bias = bias + added
        y = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias, enable_gqa=self.heads != self.key_heads)
        return self.output(y.transpose(1, 2).flatten(2))


def causal_alibi(attention, q, k):
    return q, k, bloom.build_alibi_tensor(torch.ones(1, q.shape[2]), attention.heads, torch.float64)[None]


def symmetric_alibi(attention, q, k):
    slopes = bloom._get_alibi_slopes(attention.heads, None).double()
    return q, k, -slopes[:, None, None] * distances(q.shape[2]).abs()


def angles(n):
    return torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)


def rotary(attention, q, k):
    both = torch.cat([angles(q.shape[2])] * 2, dim=-1)[None]
    return *llama.apply_rotary_pos_emb(q, k, both.cos(), both.sin()), 0.0


def interleaved_rotary(attention, q, k):
    """Columns (c, c + width / 2) become neighbours; products of queries and keys do not mind the order."""
    turn = angles(q.shape[2])[None]
    neighbours = torch.arange(WIDTH).reshape(2, -1).T.flatten()

    def turned(x):
        return gptj.apply_rotary_pos_emb(x[..., neighbours].transpose(1, 2), turn.sin(), turn.cos()).transpose(1, 2)

    return turned(q), turned(k), 0.0


class T5(Attention):
    """The table has a row for each head and T5's buckets in the order of their distances."""

    def __init__(self, heads, causal=False):
        super().__init__(heads, causal=causal, place=T5.bias)
        self.score = nn.Parameter(torch.empty(heads, BUCKETS - (0 if causal else 1)))

    def bias(self, q, k):
        bucket = t5.T5Attention._relative_position_bucket(distances(q.shape[2]), not self.causal, BUCKETS, FARTHEST)
        half = BUCKETS if self.causal else BUCKETS // 2  # those from `half` on are of keys after the query
        return q, k, self.score[:, torch.where(bucket < half, half - 1 - bucket, bucket - 1)]


class Shaw(Attention):
    """Relative keys and values (Shaw et al. 2018, section 3.2)."""

    def __init__(self, heads, causal=False):
        super().__init__(heads, causal=causal)
        self.after = 0 if causal else CLIP
        self.key_rows = nn.Parameter(torch.empty(CLIP + 1 + self.after, WIDTH))
        self.value_rows = nn.Parameter(torch.empty(CLIP + 1 + self.after, VALUE_WIDTH))

    def forward(self, x):
        q, k, v = self.split(x)
        bucket = distances(x.shape[1]).clamp(-CLIP, self.after) + CLIP
        a_k, a_v = self.key_rows[bucket], self.value_rows[bucket]
        e = (q @ k.transpose(2, 3) + torch.einsum("bhid,ijd->bhij", q, a_k)) / WIDTH**0.5
        alpha = (e + self.mask(x.shape[1])).softmax(dim=-1)
        z = alpha @ v + torch.einsum("bhij,ijd->bhid", alpha, a_v)
        return self.output(z.transpose(1, 2).flatten(2))


def named(attention):
    for name in ("query", "key", "value", "output"):
        yield f"{name}.weight", getattr(attention, name).weight
        yield f"{name}.bias", getattr(attention, name).bias
    if isinstance(attention, T5):
        yield "distance.score", attention.score
    if isinstance(attention, Shaw):
        yield "distance.key", attention.key_rows
        yield "distance.value", attention.value_rows


def write_variant(name, seed, make):
    torch.manual_seed(seed)
    attention = make()
    randomize(attention)
    write(f"variant_{name}", seed, attention, named(attention), {"query": rows(TARGETS)}, [TARGETS], attention)


def wav2vec2_bert_attention(kind):
    config = Wav2Vec2BertConfig(
        hidden_size=D,
        num_attention_heads=2,
        attention_dropout=0.0,
        position_embeddings_type=kind,
        left_max_position_embeddings=CLIP,
        right_max_position_embeddings=CLIP,
    )
    config._attn_implementation = "eager"
    attention = wav2vec2_bert.Wav2Vec2BertSelfAttention(config)
    randomize(attention)
    linears = {"query": "linear_q", "key": "linear_k", "value": "linear_v", "output": "linear_out"}
    parameters = [
        (f"{ours}.{part}", getattr(getattr(attention, theirs), part))
        for ours, theirs in linears.items()
        for part in ("weight", "bias")
    ]
    return attention, parameters


def write_relative_keys(name, seed):
    torch.manual_seed(seed)
    attention, parameters = wav2vec2_bert_attention("relative_key")
    parameters.append(("distance.key", attention.distance_embedding.weight))
    inputs = {"query": rows(TARGETS)}
    write(f"variant_{name}", seed, attention, parameters, inputs, [TARGETS], lambda x: attention(x)[0])


def write_transformer_xl(name, seed):
    """The module's table of sinusoids begins with the farthest key before the query. Here they are of key less query,
    as tapehead has them; those of query less key have sines of the other sign, which a learned weight makes up for."""
    torch.manual_seed(seed)
    attention, parameters = wav2vec2_bert_attention("relative")
    parameters += [
        ("distance.weight", attention.linear_pos.weight),
        ("distance.content", attention.pos_bias_u),
        ("distance.place", attention.pos_bias_v),
    ]
    wavelengths = 10000 ** (torch.arange(0, D, 2, dtype=torch.float64) / D)

    def run(x):
        key_less_query = torch.arange(1 - x.shape[1], x.shape[1], dtype=torch.float64)
        turns = key_less_query[:, None] / wavelengths
        table = torch.stack([turns.sin(), turns.cos()], dim=-1).flatten(1)
        return attention(x, relative_position_embeddings=table[None])[0]

    write(f"variant_{name}", seed, attention, parameters, {"query": rows(TARGETS)}, [TARGETS], run)


if __name__ == "__main__":
    write_variant("grouped", 21, lambda: Attention(heads=4, key_heads=2))
    write_variant("one_key_head_causal", 22, lambda: Attention(heads=3, key_heads=1, causal=True))
    write_variant("alibi", 23, lambda: Attention(heads=3, place=symmetric_alibi))
    write_variant("alibi_causal", 24, lambda: Attention(heads=6, causal=True, place=causal_alibi))
    write_variant("rotary", 25, lambda: Attention(heads=2, place=rotary))
    write_variant("rotary_interleaved", 26, lambda: Attention(heads=2, place=interleaved_rotary))
    write_variant("rotary_grouped_causal", 27, lambda: Attention(heads=4, key_heads=2, causal=True, place=rotary))
    write_variant("t5", 28, lambda: T5(heads=3))
    write_variant("t5_causal", 29, lambda: T5(heads=2, causal=True))
    write_variant("relative", 30, lambda: Shaw(heads=2))
    write_variant("relative_causal", 31, lambda: Shaw(heads=2, causal=True))
    write_relative_keys("relative_keys", 32)
    write_transformer_xl("transformer_xl", 33)
