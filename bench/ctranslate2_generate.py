#!/usr/bin/env python3
"""The work of `tapehead_bench generate` in CTranslate2, in float32.

    python3 bench/ctranslate2_generate.py --batch 1 16 --threads 1 2      # needs ctranslate2 4

A GPT-2 of the same shape with random weights writes as many tokens after as many prompts, the most likely token each
time. Each line is the best of several ways to share the threads (models side by side, or threads within one): the way
is chosen by one run of each, then measured by itself.
"""

import random
import tempfile
import time

import ctranslate2
import numpy
from ctranslate2.specs import TransformerDecoderModelSpec, common_spec
from ctranslate2_decode import MARKS, RandomWeights
from generate_options import options, print_rows


def save_model(a, directory):
    weights = RandomWeights(1)
    spec = TransformerDecoderModelSpec.from_config(
        a.layers, a.heads, pre_norm=True, activation=common_spec.Activation.GELUTanh
    )
    decoder = spec.decoder
    decoder.embeddings.weight = weights.matrix(a.vocabulary, a.d_model)
    decoder.projection.weight = decoder.embeddings.weight
    decoder.position_encodings.encodings = weights.matrix(a.prompt_length + a.tokens, a.d_model)
    decoder.scale_embeddings = False
    weights.norm(decoder.layer_norm, a.d_model)
    for layer in decoder.layer:
        weights.attention(layer.self_attention, a.d_model, (3, 1))
        weights.feed_forward(layer.ffn, a.d_model, 4 * a.d_model)
    spec.register_vocabulary(MARKS + [f"word{i}" for i in range(a.vocabulary - len(MARKS))])
    spec.validate()
    spec.optimize(quantization="float32")
    spec.save(directory)


def run(generator, prompts, length, together):
    begin = time.perf_counter()
    results = generator.generate_batch(
        prompts, max_batch_size=together, max_length=length, min_length=length, include_prompt_in_result=False
    )
    seconds = time.perf_counter() - begin
    assert all(len(result.sequences_ids[0]) == length for result in results)
    return seconds


def measure(a, directory, batch, threads):
    draws = random.Random(1)
    prompts = [[f"word{draws.randrange(a.vocabulary - len(MARKS))}" for _ in range(a.prompt_length)] for _ in range(batch)]
    ways = []
    for inter in sorted({1, min(batch, threads)}):
        generator = ctranslate2.Generator(
            directory, compute_type="float32", inter_threads=inter, intra_threads=threads // inter
        )
        together = -(-batch // inter)
        run(generator, prompts, a.tokens, together)
        ways.append((run(generator, prompts, a.tokens, together), together, generator))
    _, together, generator = min(ways, key=lambda way: way[0])
    return [run(generator, prompts, a.tokens, together) for _ in range(a.repeats)]


def main():
    a = options(__doc__)
    with tempfile.TemporaryDirectory() as directory:
        save_model(a, directory)
        print_rows(
            f"CTranslate2 {ctranslate2.__version__}",
            a,
            lambda batch, threads: measure(a, directory, batch, threads),
        )


if __name__ == "__main__":
    main()
