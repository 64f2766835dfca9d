"""Computes the steps of walks again, each from the steps before it, and compares. Usage: walk_test.py DIRECTORY"""
import json
import sys
from pathlib import Path

import numpy as np


def positions(matrix):
    """The positions of queries, as a column, and of keys, as a row."""
    return np.arange(matrix.shape[0])[:, None], np.arange(matrix.shape[1])[None, :]


def allowed(pattern, looks_back, i, j):
    """Whether query i may look at key j (docs/attention.md, patterns)."""
    words = pattern.split(" top_k")[0].split()
    kind, numbers = words[0], [int(word) for word in words[1:]]
    near = abs(i - j)
    if kind == "window":
        before, after = numbers if len(numbers) == 2 else numbers * 2
        seen = (i - j <= before) & (j - i <= after)
    elif kind == "blocks":
        seen = i // numbers[0] == j // numbers[0]
    elif kind == "strided":
        seen = (near <= numbers[0]) | (near % numbers[0] == 0)
    elif kind == "fixed":
        seen = (i // numbers[0] == j // numbers[0]) | (j % numbers[0] >= numbers[0] - numbers[1])
    elif kind == "sink_window":
        seen = ((i - j <= numbers[1]) & (j <= i)) | (j < numbers[0])
    else:
        seen = near >= 0
    return seen & (j <= i) if looks_back or kind == "causal" else seen


def buckets(options, distance):
    """The bucket of each distance: clipped, or those of Raffel et al. 2020 without the one that they leave empty."""
    back = options["looks_back"]
    if options["positions"] != "t5":
        return np.clip(distance, -options["clip"], 0 if back else options["clip"]) + options["clip"]
    side = options["buckets"] if back else options["buckets"] // 2
    exact, far = side // 2, options["farthest"]

    def of_size(size):
        if size < exact:
            return size
        return min(side - 1, exact + int(np.log(size / exact) / np.log(far / exact) * (side - exact)))

    def one(d):
        return side - 1 - of_size(-d) if d <= 0 else side - 1 + (0 if back else of_size(d))
    return np.vectorize(one)(distance)


def rotated(options, x, last=None):
    half = options["d_qk"] // 2
    p = np.arange(len(x)) if last is None else np.minimum(np.arange(len(x)), last)
    angle = p[:, None] * options["rotary_base"] ** (-2 * np.arange(half) / options["d_qk"])
    halves = options["rotary_pairs"] == "halves"
    a, b = (x[:, :half], x[:, half:]) if halves else (x[:, ::2], x[:, 1::2])
    a, b = a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)
    return np.concatenate([a, b], 1) if halves else np.stack([a, b], 2).reshape(x.shape)


class Walk:
    def __init__(self, file):
        self.file = json.loads(Path(file).read_text())
        self.options = self.file["options"]
        self.steps = {step["step"]: np.array(step["values"], dtype=float) for step in self.file["steps"]}
        for matrix in self.steps.values():
            matrix[np.isnan(matrix)] = -np.inf

    def last(self, *names):
        """The last of these steps that the walk has."""
        return next(self.steps[name] for name in reversed(names) if name in self.steps)

    def queries(self, *until):
        order = ["query", "query_by_score", "query_rotated", "query_scaled", "query_content"]
        return self.last(*(order[:order.index(until[0])] if until else order))

    def keys(self):
        return self.last("key", "key_by_score", "key_rotated")

    def normed(self, x):
        if self.file["norm"] == "layer_norm":
            x = x - x.mean(1, keepdims=True)
        y = self.steps["norm_gain"] * x / np.sqrt((x ** 2).mean(1, keepdims=True) + self.file["epsilon"])
        return y + self.steps.get("norm_bias", 0)

    def projected(self, role):
        o, s = self.options, self.steps
        x = s["input"] if role == "query" else s.get("key_input", s["input"])
        makers = {"none": "q,k,v", "query_key": "qk,v", "key_value": "q,kv", "query_value": "qv,k", "all": "qkv",
                  "identity": "", "identity_query": "kv"}[o["sharing"]]
        if o["sharing"] == "identity_query":
            makers = "k,v"
        owner = next((word for word in makers.split(",") if role[0] in word), None)
        group = o["heads"] // o["kv_heads"]
        number, of = (o["head"], o["heads"]) if role == "query" else (o["head"] // group, o["kv_heads"])
        if o["input"] == "narrow":
            if owner and "q" in owner:
                of = o["heads"]
            width = o["d_model"] // of
            x = x[:, number * width:(number + 1) * width]
        if owner is None:
            return x
        name = {"q": "query", "k": "key", "v": "value"}[owner[0]]
        return x @ s[f"{name}_weight"] + s.get(f"{name}_bias", 0)

    def products(self, q, k):
        if "score_vector" in self.steps:
            return (self.steps["score_vector"] * np.tanh(q[:, None] + k[None])).sum(2)
        return q @ k.T

    def expected(self, key):
        """The matrix of a step, or None for parameters and rows from outside."""
        o, s = self.options, self.steps
        scale = {"inverse_sqrt_d_qk": o["d_qk"], "inverse_sqrt_d_model": o["d_model"]}.get(o["scale"], 1) ** -0.5
        if key == "input" and "rows" in s:
            return self.normed(s["rows"])
        if key in ("query", "key", "value"):
            return self.projected(key)
        if key in ("query_by_score", "key_by_score"):
            x = s[key.split("_")[0]]
            if "score_matrix" in s:
                return x @ s["score_matrix"]
            return np.sqrt(o["d_qk"]) * x / np.sqrt((x ** 2).sum(1, keepdims=True))
        if key == "query_rotated":
            return rotated(o, self.queries("query_rotated"))
        if key == "key_rotated":
            return rotated(o, self.last("key", "key_by_score"))
        if key == "query_of_sinks":
            sinks, before = (int(word) for word in o["pattern"].split()[1:])
            return rotated(o, self.queries("query_rotated"), sinks + before) * s.get("score_scale", 1)
        if key == "query_scaled":
            return self.queries("query_scaled") * s["score_scale"]
        if key == "query_content":
            return self.queries("query_content") + s["content_bias"]
        if key == "products":
            return self.products(self.queries(), self.keys())
        if key == "scaled":
            return s["products"] * scale
        if key == "distance_bias":
            i, j = positions(s["products"])
            if o["positions"] == "alibi":
                return -self.slope() * abs(j - i)
            bucket = buckets(o, j - i)
            if o["positions"] == "t5":
                return s["distance_numbers"][0][bucket]
            rows = (self.queries("query_content") + s.get("distance_query", 0)) @ s["distance_keys"].T
            return scale * np.take_along_axis(rows, bucket, 1)
        if key == "biased":
            return self.last("products", "scaled") + s["distance_bias"]
        if key == "visible":
            scores = self.last("products", "scaled", "biased")
            if "query_of_sinks" in s:
                sinks, before = (int(word) for word in o["pattern"].split()[1:])
                i, j = positions(scores)
                far = self.products(s["query_of_sinks"], self.keys()) * scale
                scores = np.where((j < sinks) & (j < i - before), far, scores)
            return np.where(allowed(o["pattern"], o["looks_back"], *positions(scores)), scores, -np.inf)
        if key == "largest":
            scores = self.last("products", "scaled", "biased", "visible")
            count = int(o["pattern"].split()[-1])
            kept = np.argsort(-scores, 1, kind="stable")[:, :count]
            largest = np.full(scores.shape, -np.inf)
            np.put_along_axis(largest, kept, np.take_along_axis(scores, kept, 1), 1)
            return largest
        if key == "weights":
            scores = self.last("products", "scaled", "biased", "visible", "largest")
            weights = np.exp(scores - np.maximum(scores.max(1, keepdims=True), -1e300))
            return weights / np.maximum(weights.sum(1, keepdims=True), 1e-300)
        if key == "output":
            output = s["weights"] @ s["value"]
            if "distance_values" in s:
                i, j = positions(s["weights"])
                output += (s["weights"][:, :, None] * s["distance_values"][buckets(o, j - i)]).sum(1)
            return output
        if key == "gated":
            return s["gate"] * s["output"]
        h, width = o["head"], o["d_v"]
        if key == "part":
            output = self.last("output", "gated")
            if o["combine"] == "output":
                return output @ s["output_weight"][h * width:(h + 1) * width]
            if o["combine"] == "concatenate":
                part = np.zeros(s["attention"].shape)
                part[:, h * width:(h + 1) * width] = output
                return part
            return output * (1 / o["heads"] if o["combine"] == "mean" else s["head_weights"][0][h])
        if key == "attention":
            heads = s["heads"]
            if o["combine"] == "output":
                heads = heads @ s["output_weight"]
            elif o["combine"] != "concatenate":
                share = s.get("head_weights", np.full((1, o["heads"]), 1 / o["heads"]))
                heads = (heads.reshape(len(heads), o["heads"], width) * share[0][None, :, None]).sum(1)
            return heads + s.get("output_bias", 0)
        if key == "sum":
            return self.last("input", "rows") + s["attention"] if "rows" in s else s["input"] + s["attention"]
        if key == "normed":
            return self.normed(s["sum"])
        return None

    def slope(self):
        """Press et al. 2022: 2^(-8 h / n), for n that are no power of two from the next smaller and the doubled one."""
        def of(n):
            return [2 ** (-8 * (h + 1) / n) for h in range(n)]
        heads = self.options["heads"]
        power = 2 ** int(np.log2(heads))
        return (of(power) + of(2 * power)[::2])[self.options["head"]]


def main():
    walks = 0
    for file in sorted(Path(sys.argv[1]).glob("*.json")):
        walk = Walk(file)
        for key, matrix in walk.steps.items():
            expected = walk.expected(key)
            if expected is not None and not np.allclose(np.broadcast_to(expected, matrix.shape), matrix, rtol=1e-9, atol=1e-9):
                sys.exit(f"{file.name}: {key} differs\n{walk.options}\nexpected {expected}\nbut it is {matrix}")
        h, width = walk.options["head"], walk.options["d_v"]
        own = walk.steps["heads"][:, h * width:(h + 1) * width]
        if not np.allclose(own, walk.last("output", "gated"), atol=1e-12):
            sys.exit(f"{file.name}: the head's columns of `heads` are not its output")
        walks += 1
    print(f"{walks} walks")


main()
