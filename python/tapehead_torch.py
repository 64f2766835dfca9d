"""Transformers of tapehead in plain PyTorch. Nothing but torch is needed.

`tapehead export RUN DIRECTORY --as pytorch` writes this file as model.py, beside model.safetensors with the weights and
the options of the run, and vocabulary.json with the entries in the order of their ids.

    from model import greedy, load

    model = load("DIRECTORY")
    logits = model(source, target)             # an encoder and a decoder: ids (S) and (T) -> (T, labels)
    logits = model(tokens)                     # one stack: ids (N) -> (N, labels)
    logits = model(tokens, prefix)             # model.prefix full: the first `prefix` tokens see each other
    logits = model(tokens, types=types)        # model.token_types: 0 and, after the first end mark, 1
    written = greedy(model, source, limit=50)  # ids, by a model that writes

`model.settings` has the options, and in `reads.front` and `reads.behind` the marks around what the model reads, as ids;
None: no mark. Next to an encoder the source has them, and the target begins with the begin mark, 1. In a decoder the
target follows the mark behind the source. The logits of classes are in the row of the begin mark.

Sequences of one length can be stacked; there is no padding. Parameters and options have tapehead's names
(docs/config.md). In comments N and M are numbers of positions, D is the model's width, and d a head's.
"""

import json
from functools import partial
from math import ceil, inf

import torch
import torch.nn.functional as F
from torch import nn

ACTIVATIONS = {"relu": F.relu, "silu": F.silu, "tanh": torch.tanh, "gelu": partial(F.gelu, approximate="tanh"),
               "gelu_exact": F.gelu}

# Which projections make queries, keys and values, by attention.sharing; None: the input itself.
PROJECTIONS = {
    "none": ("query", "key", "value"), "query_key": ("query_key", "query_key", "value"),
    "key_value": ("query", "key_value", "key_value"), "query_value": ("query_value", "key", "query_value"),
    "all": ("query_key_value",) * 3, "identity": (None, None, None), "identity_query": (None, "key", "value"),
}


class Options(dict):
    """A section of a config: options.d_model is options["d_model"]."""

    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(f"there is no option {name}")
        return self[name]

    def of_layer(self, layer):
        """Those of one attention. An option that differs between layers is a list and, if it is one that heads may
        differ in, a list of lists."""
        lists = {name: value for name, value in self.items() if isinstance(value, list)}
        by_layer = {n: v for n, v in lists.items() if n not in ("score", "pattern") or isinstance(v[0], list)}
        return Options(self, **{name: value[layer] for name, value in by_layer.items()})


class Norm(nn.Module):
    """Layer norm (Ba et al. 2016), root mean square norm (Zhang and Sennrich 2019), or none: the rows as they are."""

    def __init__(self, model, width):
        super().__init__()
        self.kind, self.epsilon = model.norm, model.norm_epsilon
        self.gain = nn.Parameter(torch.ones(width)) if model.norm != "none" else None
        self.bias = nn.Parameter(torch.zeros(width)) if model.norm == "layer_norm" and model.bias_norm else None

    def forward(self, x):
        if self.kind == "none":
            return x
        if self.kind == "rms_norm":
            return x * (x.square().mean(-1, keepdim=True) + self.epsilon).rsqrt() * self.gain
        return F.layer_norm(x, self.gain.shape, self.gain, self.bias, self.epsilon)


class Embedding(nn.Module):
    """The rows of tokens, positions and types. With a narrower table, a linear map leads to D (Lan et al. 2020)."""

    def __init__(self, model, entries):
        super().__init__()
        self.model = model
        width = model.d_embedding or model.d_model
        self.embedding = nn.Parameter(torch.empty(entries, width))
        if model.positions == "learned":
            self.positions = nn.Parameter(torch.empty(model.max_positions, width))
        if model.token_types:
            self.types = nn.Parameter(torch.empty(model.token_types, width))
        if model.embedding_norm:
            self.norm = Norm(model, width)
        self.map = nn.Linear(width, model.d_model) if width != model.d_model else None

    def forward(self, tokens, types=None):
        model, N = self.model, tokens.shape[-1]
        x = F.embedding(tokens, self.embedding)
        if model.embedding_scale == "sqrt_d_model":
            x = x * model.d_model**0.5
        if model.positions != "none":
            learned = model.positions == "learned"
            rows = self.positions[:N] if learned else sinusoids(torch.arange(N, device=x.device), x.shape[-1]).to(x)
            x = x + (rows * model.d_model**-0.5 if model.position_scale == "inverse_sqrt_d_model" else rows)
        if model.token_types:
            x = x + self.types[torch.zeros_like(tokens) if types is None else types]
        if model.embedding_norm:
            x = self.norm(x)
        x = F.dropout(x, model.dropout_embedding, self.training)
        return x if self.map is None else self.map(x)


def sinusoids(positions, width):
    """Sine and cosine of position / 10000^(2i / width) in columns 2i and 2i + 1 (Vaswani et al. 2017)."""
    column = torch.arange(width, device=positions.device)
    frequency = 10000.0 ** -((column - column % 2).double() / width)
    angle = positions[:, None] * frequency
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


class Block(nn.Module):
    """A block with its residual sum: x + f(norm(x)) or, with norm_position post, norm(x + f(x))."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.norm = Norm(model, model.d_model)

    def forward(self, x, *others):
        post = self.model.norm_position == "post"
        y = x + F.dropout(self.f(x if post else self.norm(x), *others), self.model.dropout_residual, self.training)
        return self.norm(y) if post else y


class FeedForward(Block):
    """W2 f(W1 x) (Vaswani et al. 2017) or, gated, W2 (f(V x) * W1 x) (Shazeer 2020)."""

    def __init__(self, model):
        super().__init__(model)
        self.inner = nn.Linear(model.d_model, model.d_ff, model.bias_feed_forward)
        if model.feed_forward == "gated":
            self.gate = nn.Linear(model.d_model, model.d_ff, model.bias_feed_forward)
        self.outer = nn.Linear(model.d_ff, model.d_model, model.bias_feed_forward)

    def f(self, x):
        activation = ACTIVATIONS[self.model.activation]
        gated = self.model.feed_forward == "gated"
        y = self.inner(x) * activation(self.gate(x)) if gated else activation(self.inner(x))
        return self.outer(F.dropout(y, self.model.dropout_feed_forward, self.training))


class Projection(nn.Module):
    """The queries, keys or values of all heads: (..., N, D) -> (..., heads, N, d). Tied heads have one map and, if
    their input is wide, one result. With narrow input, each head reads its own D / heads columns."""

    def __init__(self, model, own, heads, d):
        super().__init__()
        self.heads, self.narrow = heads, own.input == "narrow"
        self.maps = 1 if own.head_weights == "tied" else heads
        columns = model.d_model // heads if self.narrow else model.d_model
        self.weight = nn.Parameter(torch.empty(self.maps * d, columns))
        self.bias = nn.Parameter(torch.empty(self.maps * d)) if model.bias_attention else None

    def forward(self, x):
        if not self.narrow:
            return split(F.linear(x, self.weight, self.bias), self.maps)
        y = split(x, self.heads) @ self.weight.view(self.maps, -1, self.weight.shape[1]).transpose(1, 2)
        return y if self.bias is None else y + self.bias.view(self.maps, 1, -1)


def split(x, heads):
    """(..., N, heads d) -> (..., heads, N, d)"""
    return x.view(*x.shape[:-1], heads, -1).transpose(-3, -2)


def parameters(**shapes):
    """A parameter for each name that has a shape."""
    return nn.ParameterDict({name: torch.empty(*shape) for name, shape in shapes.items() if shape})


class Attention(Block):
    """Multi-head attention of queries to keys: softmax(q k / d^1/2) v (Vaswani et al. 2017) and its variants."""

    def __init__(self, model, own, kind):
        super().__init__(model)
        self.own, self.kind, self.output = own, kind, None
        if own.heads > 0 and own.combine == "output":
            self.output = nn.Linear(own.heads * own.d_v, model.d_model, model.bias_attention)
        elif model.bias_attention:
            self.output = parameters(bias=(model.d_model,))
        if own.heads == 0:
            return
        for name in filter(None, PROJECTIONS[own.sharing]):
            heads = own.heads if "query" in name else own.kv_heads
            setattr(self, name, Projection(model, own, heads, own.d_v if name == "value" else own.d_qk))
        scores = own.score if isinstance(own.score, list) else [own.score]
        self.heads_of = {name: [head for head in range(own.heads) if scores[head % len(scores)] == name]
                         for name in ("cosine", "bilinear", "additive")}
        bilinear, additive, rows = len(self.heads_of["bilinear"]), len(self.heads_of["additive"]), own.heads * own.d_qk
        self.score = parameters(weight=bilinear and (bilinear * own.d_qk, own.d_qk),
                                vector=additive and (additive, own.d_qk),
                                scale=own.scale == "learned" and (own.heads,))
        back = kind == "decoder_self" and model.prefix != "full"  # no query ever sees a later key
        self.after = 0 if back else own.clip
        self.bounds = t5_bounds(own.buckets, own.farthest, back) if own.positions == "t5" else None
        buckets, has = own.clip + self.after + 1, own.positions
        xl = has == "transformer_xl"
        self.distance = parameters(key=has in ("relative", "relative_keys") and (buckets, own.d_qk),
                                   value=has == "relative" and (buckets, own.d_v),
                                   weight=xl and (rows, model.d_model), content=xl and (rows,), place=xl and (rows,),
                                   score=has == "t5" and (own.heads, len(self.bounds) + 1))
        self.gates = nn.Parameter(torch.empty(own.heads)) if own.gates == "l0" else None
        self.head_weights = nn.Parameter(torch.empty(own.heads)) if own.combine == "weighted" else None

    def f(self, x, context=None, prefix=0):
        """x (..., N, D); context (..., M, D), of a cross-attention -> (..., N, D)"""
        own = self.own
        if own.heads == 0:
            return torch.zeros_like(x) if self.output is None else torch.zeros_like(x) + self.output["bias"]
        context = x if context is None else context
        names, heads = PROJECTIONS[own.sharing], (own.heads, own.kv_heads, own.kv_heads)
        q, k, v = (self.rows(*of) for of in zip(names, (x, context, context), heads))
        if own.kv_heads != own.heads:  # several heads of queries share keys and values (Ainslie et al. 2023)
            k, v = (rows.repeat_interleave(own.heads // own.kv_heads, dim=-3) for rows in (k, v))
        query, key = torch.arange(q.shape[-2], device=x.device)[:, None], torch.arange(k.shape[-2], device=x.device)
        bucket = (key - query).clamp(-own.clip, self.after) + own.clip  # farther ones are in the outermost
        scores = self.masked(self.scores(q, k, key - query, bucket), query, key, prefix)
        weights = scores.softmax(-1).nan_to_num()  # a query that may attend to nothing has none
        y = F.dropout(weights, own.dropout, self.training) @ v
        if own.positions == "relative":
            y = y + torch.einsum("...qk,qkd->...qd", weights, self.distance["value"][bucket])
        return self.combined(y)

    def rows(self, name, x, heads):
        """The queries, keys or values. (..., N, D) -> (..., heads, N, d)"""
        return getattr(self, name)(x) if name else split(x, heads if self.own.input == "narrow" else 1)

    def scores(self, q, k, distance, bucket):
        """(..., heads, N, d), (..., heads, M, d), key - query and its bucket (N, M) -> (..., heads, N, M)"""
        own = self.own
        cosine, bilinear, additive = self.heads_of.values()
        if cosine or bilinear or additive:
            q, k = (rows.expand(*rows.shape[:-3], own.heads, -1, -1).clone() for rows in (q, k))
        if cosine:  # vectors of length d^1/2, whose products are d times their cosine
            for rows in (q, k):
                squares = rows[..., cosine, :, :].square().sum(-1, keepdim=True)
                rows[..., cosine, :, :] = rows[..., cosine, :, :] * (own.d_qk / (squares + 1e-12)).sqrt()
        if bilinear:
            matrix = self.score["weight"].view(-1, own.d_qk, own.d_qk)
            q[..., bilinear, :, :] = q[..., bilinear, :, :] @ matrix.transpose(1, 2)
        if own.positions == "rotary":
            q, k = (rotate(rows, own.rotary_base, own.rotary_pairs) for rows in (q, k))
        if own.scale == "learned":
            q = q * self.score["scale"].view(-1, 1, 1)
        by_bucket = None
        if own.positions in ("relative", "relative_keys"):  # Shaw et al. 2018
            by_bucket = q @ self.distance["key"].T
        if own.positions == "transformer_xl":  # Dai et al. 2019
            q, place = (q + self.distance[name].view(own.heads, 1, -1) for name in ("content", "place"))
            sines = sinusoids(torch.arange(-own.clip, self.after + 1, device=q.device), self.model.d_model).to(q)
            by_bucket = place @ split(sines @ self.distance["weight"].T, own.heads).transpose(1, 2)
        scores = q @ k.transpose(-2, -1)
        if additive:  # v tanh(q + k) (Bahdanau et al. 2015)
            sums = torch.tanh(q[..., additive, :, None, :] + k[..., additive, None, :, :])
            scores[..., additive, :, :] = (self.score["vector"][:, None, None] * sums).sum(-1)
        if by_bucket is not None:
            scores = scores + by_bucket.gather(-1, bucket.expand(*by_bucket.shape[:-1], -1))
        width = {"inverse_sqrt_d_qk": own.d_qk, "inverse_sqrt_d_model": self.model.d_model}.get(own.scale, 1)
        scores = scores / width**0.5
        if own.positions == "t5":
            bucket = torch.bucketize(distance, torch.tensor(self.bounds, device=q.device), right=True)
            scores = scores + self.distance["score"][:, bucket]
        if own.positions == "alibi":
            scores = scores - torch.tensor(alibi_slopes(own.heads), device=q.device).view(-1, 1, 1) * distance.abs()
        return scores

    def masked(self, scores, query, key, prefix):
        """The scores, -inf where the pattern of a head does not let a query attend to a key."""
        patterns = self.own.pattern if isinstance(self.own.pattern, list) else [self.own.pattern]
        decoder = self.kind == "decoder_self"
        allowed = torch.stack([allows(pattern, query, key, decoder) | (key < prefix) for pattern in patterns])
        scores = scores.masked_fill(~allowed, -inf)
        if "top_k" not in str(patterns):
            return scores
        rank = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
        kept = [int(pattern.split()[-1]) if "top_k" in pattern else len(key) for pattern in patterns]
        return scores.masked_fill(rank >= torch.tensor(kept, device=rank.device).view(-1, 1, 1), -inf)

    def combined(self, y):
        """(..., heads, N, d) -> (..., N, D)"""
        own = self.own
        y = y.expand(*y.shape[:-3], own.heads, -1, -1)  # heads that are alike were computed once
        if own.gates == "l0":  # without what training draws (Voita et al. 2019)
            y = y * (1.2 * self.gates.sigmoid() - 0.1).clamp(0, 1).view(-1, 1, 1)
        if own.combine in ("output", "concatenate"):
            y = y.transpose(-3, -2).flatten(-2)
        elif own.combine == "mean":
            y = y.mean(-3)
        else:
            y = torch.einsum("h,...hqd->...qd", self.head_weights, y)
        if self.output is None:
            return y
        return self.output(y) if own.combine == "output" else y + self.output["bias"]


def allows(pattern, query, key, decoder):
    """Where a query may attend to a key: (N, 1), (M) -> (N, M). `pattern`: as "window 3 1" or "blocks 8 top_k 2"."""
    kind, *numbers = pattern.split("top_k")[0].split() or ["full"]
    numbers = list(map(int, numbers))
    distance = key - query
    if kind == "window":
        allowed = (distance >= -numbers[0]) & (distance <= numbers[-1])
    elif kind == "blocks":
        allowed = query // numbers[0] == key // numbers[0]
    elif kind == "strided":  # near keys, and those at a multiple of the stride (Child et al. 2019)
        allowed = (distance.abs() <= numbers[0]) | (distance % numbers[0] == 0)
    elif kind == "fixed":  # the query's block, and the last keys of every block (Child et al. 2019)
        allowed = (query // numbers[0] == key // numbers[0]) | (key % numbers[0] >= numbers[0] - numbers[1])
    else:
        allowed = distance <= 0 if kind == "causal" else distance == distance
    return allowed & (distance <= 0) if decoder else allowed


def rotate(x, base, pairs):
    """Turns pair c of d / 2 pairs of columns by position * base^(-2c / d) (Su et al. 2021). They are the columns c and
    c + d / 2 (halves) or 2c and 2c + 1 (interleaved)."""
    N, d = x.shape[-2:]
    frequency = base ** -(torch.arange(0, d, 2, device=x.device).double() / d)
    angle = torch.arange(N, device=x.device)[:, None] * frequency
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    a, b = x.chunk(2, dim=-1) if pairs == "halves" else (x[..., 0::2], x[..., 1::2])
    turned = (a * cos - b * sin, b * cos + a * sin)
    return torch.cat(turned, dim=-1) if pairs == "halves" else torch.stack(turned, dim=-1).flatten(-2)


def alibi_slopes(heads):
    """The slope of each head (Press et al. 2022)."""
    whole = 2 ** (heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * (i + 1) / whole) for i in range(whole)]
    return slopes + [2.0 ** (-8 * (2 * i + 1) / (2 * whole)) for i in range(heads - whole)]


def t5_bounds(buckets, farthest, back):
    """Where the buckets of distances begin, as key - query; the first has no beginning (Raffel et al. 2020). On each
    side half of the buckets have one distance each; then they grow by a constant factor up to `farthest`."""
    side = buckets if back else buckets // 2
    exact = side // 2
    steps = side - exact
    far = [ceil(exact * (farthest / exact) ** (i / steps) - 1e-9) for i in range(steps)]
    first = [*range(1, exact), *far]
    return [*(1 - distance for distance in reversed(first)), *([] if back else first)]


class Layer(nn.Module):
    """Self-attention, cross-attention in a decoder next to an encoder, and the feed-forward block."""

    def __init__(self, settings, stack, number):
        super().__init__()
        model, kind = settings.model, f"{stack}_self"
        crosses = stack == "decoder" and model.family == "encoder_decoder"
        self.self = Attention(model, settings[kind].of_layer(number), kind)
        self.cross = Attention(model, settings.cross.of_layer(number), "cross") if crosses else None
        self.feed_forward = FeedForward(model) if model.feed_forward != "none" else None

    def forward(self, x, context=None, prefix=0):
        x = self.self(x, None, prefix)
        x = x if self.cross is None else self.cross(x, context)
        return x if self.feed_forward is None else self.feed_forward(x)


class Stack(nn.Module):
    """Layers, of which successive groups may share their weights, and a last norm if norms come first."""

    def __init__(self, settings, stack):
        super().__init__()
        model, count = settings.model, settings.model[f"{stack}_layers"]
        self.layers = nn.ModuleList([Layer(settings, stack, number) for number in range(count)])
        self.norm = Norm(model, model.d_model) if model.norm_position == "pre" else None
        size = count / min(model.layer_groups or count, count) if count else 1
        firsts = {}  # the first layer of each group
        for number, layer in enumerate(self.layers):
            first = firsts.setdefault(int(number / size), layer)
            for name, block in layer.named_children():
                share(getattr(first, name), block)

    def forward(self, x, context=None, prefix=0):
        for layer in self.layers:
            x = layer(x, context, prefix)
        return x if self.norm is None else self.norm(x)


def share(first, other, apart=()):
    """Gives a module that is built alike the weights of the first one."""
    for name, part in [*first.named_children(), *first.named_parameters(recurse=False)]:
        if name not in apart:
            setattr(other, name, part)


class Output(nn.Module):
    """Logits of x, of tanh(W x + b) (pooler) or of norm(f(W x + b)) (masked; both Devlin et al. 2019)."""

    def __init__(self, model, labels):
        super().__init__()
        self.model, self.labels = model, labels
        masked = model.head_transform == "masked"
        width = (model.d_embedding or model.d_model) if masked else model.d_model
        if model.head_transform != "none":
            self.transform = nn.Linear(model.d_model, width)
            self.transform.norm = Norm(model, width) if masked else None
        tied = model.tie_embeddings in ("target_output", "all")
        self.weight = None if tied else nn.Parameter(torch.empty(labels, width))
        self.bias = nn.Parameter(torch.empty(labels)) if model.bias_output else None

    def forward(self, x, table):
        if self.model.head_transform == "pooler":
            x = torch.tanh(self.transform(x))
        if self.model.head_transform == "masked":
            x = self.transform.norm(ACTIVATIONS[self.model.activation](self.transform(x)))
        return F.linear(x, table[: self.labels] if self.weight is None else self.weight, self.bias)


class Transformer(nn.Module):
    """What all models have in common. `source`: an encoder's embedding; `target`: a decoder's."""

    def __init__(self, settings):
        super().__init__()
        self.settings, model = settings, settings.model
        if model.family != "decoder":
            self.source = Embedding(model, settings.entries.source)
            self.encoder = Stack(settings, "encoder")
        if model.family != "encoder":
            self.target = Embedding(model, settings.entries.target)
            self.decoder = Stack(settings, "decoder")
        if model.tie_embeddings in ("source_target", "all") and model.family == "encoder_decoder":
            self.source.embedding = self.target.embedding
        self.output = Output(model, settings.entries.labels)
        self.shared = {}  # the first attention of each name
        for one in list(self.modules()):
            if isinstance(one, Attention) and one.own.shared_as:
                share(self.shared.setdefault(f"shared.{one.own.shared_as}.", one), one, apart=["norm"])


class EncoderDecoder(Transformer):
    def forward(self, source, target):
        """Ids (S) and (T) -> logits of each next token of the target (T, labels)."""
        context = self.encoder(self.source(source))
        return self.output(self.decoder(self.target(target), context), self.target.embedding)


class Decoder(Transformer):
    def forward(self, tokens, prefix=0, types=None):
        """Ids (N), of which the first `prefix` see each other -> logits of each next token (N, labels)."""
        assert prefix == 0 or self.settings.model.prefix == "full", "model.prefix is causal: there is no prefix"
        return self.output(self.decoder(self.target(tokens, types), None, prefix), self.target.embedding)


class Encoder(Transformer):
    def forward(self, tokens, types=None):
        """Ids (N) -> logits of each row's label (N, labels)."""
        return self.output(self.encoder(self.source(tokens, types)), self.source.embedding)


FAMILIES = {"encoder_decoder": EncoderDecoder, "decoder": Decoder, "encoder": Encoder}
DTYPES = {"F32": torch.float32, "F64": torch.float64}


def load(directory):
    """The model with its trained weights, for evaluation."""
    with open(f"{directory}/model.safetensors", "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")), object_hook=Options)
        numbers = bytearray(file.read())
    settings = json.loads(header.pop("__metadata__").tapehead, object_hook=Options)
    model = FAMILIES[settings.model.family](settings)
    parameters = model.state_dict(keep_vars=True)
    for path, attention in model.shared.items():
        parameters |= {path + name: weight for name, weight in attention.state_dict(keep_vars=True).items()}
    for name, at in header.items():
        assert list(parameters[name].shape) == at.shape, f"{name}: {at.shape}, not {list(parameters[name].shape)}"
        own = numbers[slice(*at.data_offsets)]
        parameters[name].data = torch.frombuffer(own, dtype=DTYPES[at.dtype]).view(*at.shape)
    assert len(header) == len(list(model.parameters())), "weights are missing"
    return model.eval()


@torch.no_grad()
def greedy(model, tokens, limit):
    """The likeliest next token after a source, or after a text, again and again until the end mark or the limit."""
    settings, writes = model.settings, model.settings.writes
    assert writes, "this model labels what it reads, and writes nothing"
    pairs = settings.model.family == "encoder_decoder"
    begun = [*([] if pairs else tokens.tolist()), *([] if writes.text else [writes.begin])]
    prefix = [len(tokens)] if settings.model.prefix == "full" and not writes.text else []
    written = []
    for _ in range(limit):
        ids = torch.tensor(begun + written, device=tokens.device)
        logits = (model(tokens, ids) if pairs else model(ids, *prefix))[-1]
        logits[writes.never] = -inf
        token = int(logits.argmax())
        if token == writes.end:
            break
        written.append(token)
    return written
