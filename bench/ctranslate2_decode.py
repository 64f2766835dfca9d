#!/usr/bin/env python3
"""The work of `tapehead_bench decode` in CTranslate2, in float32.

    python3 bench/ctranslate2_decode.py --beam 1 5 --threads 1 2      # needs ctranslate2 4

A model of the same shape with random weights writes outputs of a fixed length for as many sentences of the same range
of lengths; the tokens of the best output of each count. Each line is the best of several ways to share the threads
(translators side by side, or threads within one) and of several batch sizes: the way is chosen by one run of each, then
measured by itself. With --json the lines have the fields of `tapehead_bench decode --json` and the way chosen.
"""

import argparse
import json
import random
import statistics
import tempfile
import time

import ctranslate2
import numpy
from ctranslate2.specs import TransformerSpec

MARKS = ["<unk>", "<s>", "</s>"]
POSITIONS = 512


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beam", nargs="+", type=int, default=[1, 5])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--batch-tokens", nargs="+", type=int, default=[512, 1024, 2048, 4096])
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--output-length", type=int, default=15)
    parser.add_argument("--vocabulary", type=int, default=10000)
    parser.add_argument("--d-model", type=int, default=128)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--d-ff", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each line")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


class RandomWeights:
    """Fills the parts of a specification, uniformly as xavier would have it."""

    def __init__(self, seed):
        self.generator = numpy.random.default_rng(seed)

    def matrix(self, rows, columns):
        bound = (6 / (rows + columns)) ** 0.5
        return self.generator.uniform(-bound, bound, (rows, columns)).astype(numpy.float32)

    def linear(self, spec, rows, columns):
        spec.weight = self.matrix(rows, columns)
        spec.bias = numpy.zeros(rows, numpy.float32)

    def norm(self, spec, width):
        spec.gamma = numpy.ones(width, numpy.float32)
        spec.beta = numpy.zeros(width, numpy.float32)

    def attention(self, spec, d_model, stacked):
        for linear, parts in zip(spec.linear, stacked):
            self.linear(linear, parts * d_model, d_model)
        self.norm(spec.layer_norm, d_model)

    def feed_forward(self, spec, d_model, d_ff):
        self.linear(spec.linear_0, d_ff, d_model)
        self.linear(spec.linear_1, d_model, d_ff)
        self.norm(spec.layer_norm, d_model)


def positions(d_model):
    angles = numpy.arange(POSITIONS)[:, None] / 10000 ** (numpy.arange(0, d_model, 2) / d_model)
    return numpy.stack([numpy.sin(angles), numpy.cos(angles)], -1).reshape(POSITIONS, d_model).astype(numpy.float32)


def save_model(a, directory):
    weights = RandomWeights(1)
    spec = TransformerSpec.from_config(a.layers, a.heads, pre_norm=False)
    table = weights.generator.normal(0, a.d_model**-0.5, (a.vocabulary, a.d_model)).astype(numpy.float32)
    spec.encoder.embeddings[0].weight = table
    spec.decoder.embeddings.weight = table
    spec.decoder.projection.weight = table
    for side in (spec.encoder, spec.decoder):
        side.position_encodings.encodings = positions(a.d_model)
        for layer in side.layer:
            weights.attention(layer.self_attention, a.d_model, (3, 1))
            weights.feed_forward(layer.ffn, a.d_model, a.d_ff)
    for layer in spec.decoder.layer:
        weights.attention(layer.attention, a.d_model, (1, 2, 1))
    names = MARKS + [f"word{i}" for i in range(a.vocabulary - len(MARKS))]
    spec.register_source_vocabulary(names)
    spec.register_target_vocabulary(names)
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize(quantization="float32")
    spec.save(directory)


def sentences(a):
    """Lengths of 5 to 29, 13 in the mean."""
    generator = random.Random(1)
    lengths = [5 + min(generator.randrange(25), generator.randrange(25)) for _ in range(a.sentences)]
    return [[f"word{generator.randrange(a.vocabulary - len(MARKS))}" for _ in range(n)] for n in lengths]


def run(translator, source, beam, batch, length):
    begin = time.perf_counter()
    results = translator.translate_batch(
        source,
        beam_size=beam,
        max_batch_size=batch,
        batch_type="tokens",
        min_decoding_length=length,
        max_decoding_length=length,
    )
    seconds = time.perf_counter() - begin
    tokens = sum(len(result.hypotheses[0]) for result in results)
    assert tokens == length * len(source), tokens
    return seconds, tokens


def measure(a, directory, source, beam, threads):
    ways = []
    for inter in sorted({1, threads}):
        translator = ctranslate2.Translator(
            directory, compute_type="float32", inter_threads=inter, intra_threads=threads // inter
        )
        for batch in a.batch_tokens:
            run(translator, source, beam, batch, a.output_length)
            seconds, _ = run(translator, source, beam, batch, a.output_length)
            ways.append((seconds, inter, batch, translator))
    _, inter, batch, translator = min(ways, key=lambda way: way[0])
    runs = [run(translator, source, beam, batch, a.output_length) for _ in range(a.repeats)]
    seconds = statistics.median(seconds for seconds, _ in runs)
    tokens = runs[0][1]
    return {
        "beam": beam,
        "threads": threads,
        "sentences": len(source),
        "tokens": tokens,
        "seconds": seconds,
        "best_seconds": min(seconds for seconds, _ in runs),
        "tokens_per_second": tokens / seconds,
        "inter_threads": inter,
        "intra_threads": threads // inter,
        "batch_tokens": batch,
    }


def main():
    a = arguments()
    source = sentences(a)
    if not a.json:
        print(f"CTranslate2 {ctranslate2.__version__}")
        print("beam threads sentences  tokens  median s    best s  tokens/s inter intra batch tokens", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        save_model(a, directory)
        for beam in a.beam:
            for threads in a.threads:
                row = measure(a, directory, source, beam, threads)
                if a.json:
                    print(json.dumps(row), flush=True)
                else:
                    print(
                        "{beam:>4} {threads:>7} {sentences:>9} {tokens:>7} {seconds:>9.3f} {best_seconds:>9.3f} "
                        "{tokens_per_second:>9.0f} {inter_threads:>5} {intra_threads:>5} {batch_tokens:>12}".format(**row),
                        flush=True,
                    )


if __name__ == "__main__":
    main()
