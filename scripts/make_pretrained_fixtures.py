#!/usr/bin/env python3
"""Writes tests/fixtures/pretrained/: small random models of other architectures, with their logits and gradients.

Needs torch and transformers 4.46.3. Each folder is what `save_pretrained` writes of a model in which every parameter
and buffer is drawn again (biases start at 0 and norms at 1 there, which would hide swaps), with reference.safetensors:
`input_ids`, the `labels` (-100: none), the `logits`, the `loss` (the sum over the labels; a mask is never predicted)
and the gradient of each parameter by its name, in double precision. Sequences begin with the model's mark for the
begin. An encoder-decoder reads `source_ids` and `input_ids`. A model of classes has one row of logits.
"""

import json
import pathlib

import torch
from safetensors.torch import save_file
from torch.nn import functional
from transformers import (AlbertConfig, AlbertForMaskedLM, BertConfig, BertForMaskedLM, BertForSequenceClassification,
                          GPT2Config, GPT2ForSequenceClassification, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM,
                          MarianConfig, MarianMTModel)
from transformers.models.llama.modeling_llama import LlamaRMSNorm, LlamaRotaryEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "pretrained"
ENTRIES = 19
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BERT = dict(vocab_size=ENTRIES, hidden_size=12, num_attention_heads=3, intermediate_size=20, max_position_embeddings=11,
            type_vocab_size=2)
GPT2 = dict(vocab_size=ENTRIES, n_embd=12, n_layer=2, n_head=3, n_positions=11, bos_token_id=18, eos_token_id=18)
MARIAN = dict(vocab_size=ENTRIES, d_model=10, encoder_layers=2, decoder_layers=1, encoder_attention_heads=2,
              decoder_attention_heads=1, encoder_ffn_dim=14, decoder_ffn_dim=14, max_position_embeddings=11,
              eos_token_id=0, pad_token_id=18, decoder_start_token_id=18)
CLASSES = {0: "no", 1: "yes", 2: "perhaps"}

MODELS = {
    "gpt2": (GPT2LMHeadModel, GPT2Config(**GPT2)),
    "gpt2_classes": (GPT2ForSequenceClassification, GPT2Config(id2label=CLASSES, **GPT2)),
    "llama": (LlamaForCausalLM, LlamaConfig(vocab_size=ENTRIES, hidden_size=16, num_hidden_layers=2,
                                            num_attention_heads=4, num_key_value_heads=2, intermediate_size=20,
                                            max_position_embeddings=11, rms_norm_eps=1e-6, rope_theta=500.0,
                                            bos_token_id=1, eos_token_id=2)),
    "llama_tied": (LlamaForCausalLM, LlamaConfig(vocab_size=ENTRIES, hidden_size=12, num_hidden_layers=1,
                                                 num_attention_heads=2, intermediate_size=20, head_dim=4,
                                                 max_position_embeddings=11, attention_bias=True, mlp_bias=True,
                                                 tie_word_embeddings=True, bos_token_id=1, eos_token_id=2)),
    "bert": (BertForMaskedLM, BertConfig(num_hidden_layers=2, hidden_act="gelu", **BERT)),
    "bert_classes": (BertForSequenceClassification, BertConfig(num_hidden_layers=1, id2label=CLASSES, **BERT)),
    "albert": (AlbertForMaskedLM, AlbertConfig(num_hidden_layers=3, num_hidden_groups=2, embedding_size=8,
                                               **BERT)),
    "marian": (MarianMTModel, MarianConfig(scale_embedding=True, activation_function="swish", **MARIAN)),
    "marian_apart": (MarianMTModel, MarianConfig(share_encoder_decoder_embeddings=False, decoder_vocab_size=ENTRIES,
                                                 tie_word_embeddings=False, activation_function="relu",
                                                 **MARIAN)),
}


def draw_again(model):
    """float32 numbers, so that the saved model is the one that the reference is of."""
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        noise = torch.randn(parameter.shape, generator=generator) * 0.5
        if parameter.requires_grad:
            parameter.data = noise + (1.0 if parameter.dim() == 1 else 0.0)
    if isinstance(model, MarianMTModel):
        model.final_logits_bias.normal_(generator=generator)


def compute_in_double(model):
    """Llama's norms and rotations, and Marian's sines, are in float32 there whatever the model's type is."""
    for module in model.modules():
        if isinstance(module, LlamaRMSNorm):
            module.forward = lambda x, own=module: own.weight * x * (
                x.square().mean(-1, keepdim=True) + own.variance_epsilon).rsqrt()
        elif isinstance(module, LlamaRotaryEmbedding):
            module.forward = lambda x, positions: rotation(positions, model.config)
        elif isinstance(module, MarianSinusoidalPositionalEmbedding):
            module.weight.data = sines(*module.weight.shape)
        elif isinstance(module, torch.nn.Embedding):
            module.padding_idx = None  # the mark that a target begins with has no gradient there


def rotation(positions, config):
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    frequencies = config.rope_theta ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = (positions[..., None] * frequencies).repeat(1, 1, 2)
    return angles.cos(), angles.sin()


def sines(positions, width):
    angles = torch.arange(positions)[:, None] * 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    return torch.cat([angles.sin(), angles.cos()], 1)


def example(name):
    """The ids that a model reads, and the labels of its rows."""
    if "classes" in name:
        return [2, 7, 9, 12, 5, 3] if "bert" in name else [7, 3, 9, 12, 18], [1]
    if "marian" in name:
        return [18, 4, 9, 6], [4, 9, 6, 0]
    if "bert" in name:
        ids = [2, 7, 4, 9, 12, 4, 5, 3]
        return ids, [-100, -100, 8, 11, -100, 6, -100, -100]
    begin = 18 if name == "gpt2" else 1
    ids = [begin, 7, 3, 9, 12, 4, 5]
    return ids, ids[1:] + [18 if name == "gpt2" else 2]


def write_marian_vocabularies(directory, config):
    files = ["vocab.json"] if config.share_encoder_decoder_embeddings else ["vocab.json", "target_vocab.json"]
    for file in files:
        entries = ["</s>", "<unk>"] + [f"{file[0]}{i}" for i in range(2, ENTRIES - 1)] + ["<pad>"]
        (directory / file).write_text(json.dumps({entry: i for i, entry in enumerate(entries)}, indent=2) + "\n")
    marks = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    (directory / "special_tokens_map.json").write_text(json.dumps(marks, indent=2) + "\n")


def main():
    for name, (kind, config) in MODELS.items():
        torch.manual_seed(1)
        torch.set_default_dtype(torch.float32)
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
        if "marian" in name:
            write_marian_vocabularies(directory, config)
        model = model.double().eval()
        torch.set_default_dtype(torch.float64)  # of masks
        compute_in_double(model)
        if "marian" in name:
            model.final_logits_bias.requires_grad_(True)
        ids, labels = map(torch.tensor, example(name))
        source = torch.tensor([5, 7, 3, 12, 0])
        logits = (model(source[None], decoder_input_ids=ids[None]) if "marian" in name else model(ids[None])).logits[0]
        logits = logits[None] if "classes" in name else logits
        possible = logits.index_fill(1, torch.tensor([MARKS.index("[MASK]")]), -torch.inf) if "MaskedLM" in kind.__name__ else logits
        loss = functional.cross_entropy(possible, labels, ignore_index=-100, reduction="sum")
        loss.backward()
        tensors = {f"gradient.{key}": value.grad for key, value in model.named_parameters() if value.grad is not None}
        tensors |= {"input_ids": ids, "labels": labels, "logits": logits.detach().clone(), "loss": loss.detach().clone()}
        if "marian" in name:
            tensors |= {"source_ids": source, "gradient.final_logits_bias": model.final_logits_bias.grad}
        save_file({key: value.contiguous() for key, value in tensors.items()}, directory / "reference.safetensors")


if __name__ == "__main__":
    main()
