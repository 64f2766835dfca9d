#!/usr/bin/env python3
"""Writes tests/fixtures/pretrained/: small random models of other architectures, with their logits and gradients.

Needs torch and transformers 4.46.3. Each folder is what `save_pretrained` writes of a model in which every parameter
and buffer is drawn again (biases start at 0 and norms at 1 there, which would hide swaps), with reference.safetensors:
`input_ids`, the `labels` (-100: none), the `logits`, the `loss` (the sum over the labels; a mask is never predicted)
and the gradient of each parameter by its name, in double precision. Sequences begin with the model's mark for the
begin.
"""

import json
import pathlib

import torch
from safetensors.torch import save_file
from torch.nn import functional
from transformers import (AlbertConfig, AlbertForMaskedLM, BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel,
                          LlamaConfig, LlamaForCausalLM)
from transformers.models.llama.modeling_llama import LlamaRMSNorm, LlamaRotaryEmbedding

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "pretrained"
ENTRIES = 19
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BERT = dict(vocab_size=ENTRIES, hidden_size=12, num_attention_heads=3, intermediate_size=20, max_position_embeddings=11,
            type_vocab_size=2)

MODELS = {
    "gpt2": (GPT2LMHeadModel, GPT2Config(vocab_size=ENTRIES, n_embd=12, n_layer=2, n_head=3, n_positions=11,
                                         bos_token_id=18, eos_token_id=18)),
    "llama": (LlamaForCausalLM, LlamaConfig(vocab_size=ENTRIES, hidden_size=16, num_hidden_layers=2,
                                            num_attention_heads=4, num_key_value_heads=2, intermediate_size=20,
                                            max_position_embeddings=11, rms_norm_eps=1e-6, rope_theta=500.0,
                                            bos_token_id=1, eos_token_id=2)),
    "llama_tied": (LlamaForCausalLM, LlamaConfig(vocab_size=ENTRIES, hidden_size=12, num_hidden_layers=1,
                                                 num_attention_heads=2, intermediate_size=20, head_dim=4,
                                                 max_position_embeddings=11, attention_bias=True, mlp_bias=True,
                                                 tie_word_embeddings=True, bos_token_id=1, eos_token_id=2)),
    "bert": (BertForMaskedLM, BertConfig(num_hidden_layers=2, hidden_act="gelu", **BERT)),
    "albert": (AlbertForMaskedLM, AlbertConfig(num_hidden_layers=3, num_hidden_groups=2, embedding_size=8,
                                               **BERT)),
}


def draw_again(model):
    """float32 numbers, so that the saved model is the one that the reference is of."""
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        noise = torch.randn(parameter.shape, generator=generator) * 0.5
        parameter.data = noise + (1.0 if parameter.dim() == 1 else 0.0)


def compute_in_double(model):
    """Llama's norms and rotations are in float32 there whatever the model's type is."""
    for module in model.modules():
        if isinstance(module, LlamaRMSNorm):
            module.forward = lambda x, own=module: own.weight * x * (
                x.square().mean(-1, keepdim=True) + own.variance_epsilon).rsqrt()
        elif isinstance(module, LlamaRotaryEmbedding):
            module.forward = lambda x, positions: rotation(positions, model.config)


def rotation(positions, config):
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    frequencies = config.rope_theta ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = (positions[..., None] * frequencies).repeat(1, 1, 2)
    return angles.cos(), angles.sin()


def example(name):
    """The ids that a model reads, and the labels of its rows."""
    if "bert" in name:
        ids = [2, 7, 4, 9, 12, 4, 5, 3]
        return ids, [-100, -100, 8, 11, -100, 6, -100, -100]
    begin = 18 if name == "gpt2" else 1
    ids = [begin, 7, 3, 9, 12, 4, 5]
    return ids, ids[1:] + [18 if name == "gpt2" else 2]


def main():
    for name, (kind, config) in MODELS.items():
        torch.manual_seed(1)
        config.attn_implementation = "eager"
        model = kind(config)
        draw_again(model)
        directory = FIXTURES / name
        model.save_pretrained(directory)
        (directory / "generation_config.json").unlink(missing_ok=True)
        if "bert" in name:
            entries = MARKS + [f"w{i}" for i in range(len(MARKS), ENTRIES)]
            (directory / "vocab.txt").write_text("\n".join(entries) + "\n")
            marks = {f"{mark.strip('[]').lower()}_token": mark for mark in MARKS}
            (directory / "special_tokens_map.json").write_text(json.dumps(marks, indent=2) + "\n")
        model = model.double().eval()
        compute_in_double(model)
        ids, labels = map(torch.tensor, example(name))
        logits = model(ids[None]).logits[0]
        possible = logits.index_fill(1, torch.tensor([MARKS.index("[MASK]")]), -torch.inf) if "bert" in name else logits
        loss = functional.cross_entropy(possible, labels, ignore_index=-100, reduction="sum")
        loss.backward()
        tensors = {f"gradient.{key}": value.grad for key, value in model.named_parameters() if value.grad is not None}
        tensors |= {"input_ids": ids, "labels": labels, "logits": logits.detach().clone(), "loss": loss.detach().clone()}
        save_file({key: value.contiguous() for key, value in tensors.items()}, directory / "reference.safetensors")


if __name__ == "__main__":
    main()
