#!/usr/bin/env python3
"""The work of `tapehead_bench decode` or `generate` in CTranslate2, in float32.

    python3 bench/ctranslate2_peer.py decode --beam 1 5 --threads 1 2         # needs ctranslate2 4
    python3 bench/ctranslate2_peer.py generate --batch 1 16 --threads 1 2

A model of the same shape with random weights writes as many tokens: for sentences of the same range of lengths, of
which the best output counts, or after prompts, the most likely token each time. Each line is the best of several ways
to share the threads (models side by side, or threads within one) and, for `decode`, of several batch sizes: the way is
chosen by one run of each, then measured by itself.
"""

import functools
import random
import sys
import tempfile
import time

import ctranslate2
import numpy
from ctranslate2.specs import TransformerDecoderModelSpec, TransformerSpec, common_spec
from peers import DECODE, GENERATE, options, print_rows

MARKS = ["<unk>", "<s>", "</s>"]
POSITIONS = 512


class RandomWeights:
    """Fills the parts of a specification, uniformly as xavier would have it."""

    def __init__(self, d_model, d_ff):
        self.generator = numpy.random.default_rng(1)
        self.d_model, self.d_ff = d_model, d_ff

    def matrix(self, rows, columns):
        bound = (6 / (rows + columns)) ** 0.5
        return self.generator.uniform(-bound, bound, (rows, columns)).astype(numpy.float32)

    def linear(self, spec, rows, columns):
        spec.weight = self.matrix(rows, columns)
        spec.bias = numpy.zeros(rows, numpy.float32)

    def norm(self, spec):
        spec.gamma = numpy.ones(self.d_model, numpy.float32)
        spec.beta = numpy.zeros(self.d_model, numpy.float32)

    def attention(self, spec, stacked):
        for linear, parts in zip(spec.linear, stacked):
            self.linear(linear, parts * self.d_model, self.d_model)
        self.norm(spec.layer_norm)

    def layers(self, stack):
        for layer in stack.layer:
            self.attention(layer.self_attention, (3, 1))
            if hasattr(layer, "attention"):
                self.attention(layer.attention, (1, 2, 1))
            self.linear(layer.ffn.linear_0, self.d_ff, self.d_model)
            self.linear(layer.ffn.linear_1, self.d_model, self.d_ff)
            self.norm(layer.ffn.layer_norm)


def translator_spec(a, words):
    weights = RandomWeights(a.d_model, a.d_ff)
    spec = TransformerSpec.from_config(a.layers, a.heads, pre_norm=False)
    table = weights.matrix(a.vocabulary, a.d_model)
    angles = numpy.arange(POSITIONS)[:, None] / 10000 ** (numpy.arange(0, a.d_model, 2) / a.d_model)
    positions = numpy.stack([numpy.sin(angles), numpy.cos(angles)], -1).reshape(POSITIONS, a.d_model)
    for side, embeddings in ((spec.encoder, spec.encoder.embeddings[0]), (spec.decoder, spec.decoder.embeddings)):
        embeddings.weight = table
        side.position_encodings.encodings = positions.astype(numpy.float32)
        weights.layers(side)
    spec.decoder.projection.weight = table
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.add_source_eos = True
    return spec


def generator_spec(a, words):
    weights = RandomWeights(a.d_model, 4 * a.d_model)
    activation = common_spec.Activation.GELUTanh
    spec = TransformerDecoderModelSpec.from_config(a.layers, a.heads, pre_norm=True, activation=activation)
    decoder = spec.decoder
    decoder.embeddings.weight = decoder.projection.weight = weights.matrix(a.vocabulary, a.d_model)
    decoder.position_encodings.encodings = weights.matrix(a.prompt_length + a.tokens, a.d_model)
    decoder.scale_embeddings = False
    weights.norm(decoder.layer_norm)
    weights.layers(decoder)
    spec.register_vocabulary(words)
    return spec


def random_words(a, lengths):
    return [[f"word{random.randrange(a.vocabulary - len(MARKS))}" for _ in range(length)] for length in lengths]


def best_way(a, make, threads, side_by_side, batch_sizes, write):
    """The seconds of each measurement. write(model, batch_size): whether all outputs have the wanted length."""

    def seconds_of(model, batch_size):
        begin = time.perf_counter()
        assert write(model, batch_size)
        return time.perf_counter() - begin

    ways = []
    for inter in sorted({1, side_by_side}):
        model = make(compute_type="float32", inter_threads=inter, intra_threads=threads // inter)
        for batch_size in batch_sizes(inter):
            seconds_of(model, batch_size)
            ways.append((seconds_of(model, batch_size), model, batch_size))
    _, *way = min(ways, key=lambda way: way[0])
    return [seconds_of(*way) for _ in range(a.repeats)]


def decode(a, directory, beam, threads):
    random.seed(1)  # lengths of 5 to 29, 13 in the mean
    lengths = [5 + min(random.randrange(25), random.randrange(25)) for _ in range(a.sentences)]
    source, length = random_words(a, lengths), a.output_length

    def write(translator, batch_size):
        limits = {"min_decoding_length": length, "max_decoding_length": length}
        batches = {"max_batch_size": batch_size, "batch_type": "tokens"}
        results = translator.translate_batch(source, beam_size=beam, **batches, **limits)
        return all(len(result.hypotheses[0]) == length for result in results)

    make = functools.partial(ctranslate2.Translator, directory)
    return best_way(a, make, threads, threads, lambda _: a.batch_tokens, write)


def generate(a, directory, batch, threads):
    random.seed(1)
    prompts = random_words(a, [a.prompt_length] * batch)

    def write(generator, batch_size):
        limits = {"min_length": a.tokens, "max_length": a.tokens, "include_prompt_in_result": False}
        results = generator.generate_batch(prompts, max_batch_size=batch_size, **limits)
        return all(len(result.sequences_ids[0]) == a.tokens for result in results)

    make = functools.partial(ctranslate2.Generator, directory)
    return best_way(a, make, threads, min(batch, threads), lambda inter: [-(-batch // inter)], write)


WORK = {"decode": (DECODE, translator_spec, decode, "beam"), "generate": (GENERATE, generator_spec, generate, "batch")}


def main():
    if sys.argv[1:2] not in [[name] for name in WORK]:
        sys.exit(__doc__)
    defaults, spec_of, measure, what = WORK[sys.argv[1]]
    a = options(__doc__, defaults, sys.argv[2:])
    spec = spec_of(a, MARKS + [f"word{i}" for i in range(a.vocabulary - len(MARKS))])
    spec.validate()
    spec.optimize(quantization="float32")
    with tempfile.TemporaryDirectory() as directory:
        spec.save(directory)
        name = f"CTranslate2 {ctranslate2.__version__}"
        print_rows(name, a, lambda count, threads: measure(a, directory, count, threads), what)


if __name__ == "__main__":
    main()
