#!/usr/bin/env python3
"""Makes folders of tests/fixtures: what other programs say of inputs, or what a release says of its runs.

Usage: scripts/make_fixtures.py NAME ...

classification  scikit-learn==1.9.1: the confusion matrix and figures of each set of labels in labels.json
tagging         scikit-learn==1.9.1, seqeval==1.2.2: macro F1 over the labels of all tokens, and F1 of entities (IOB2, mode
                strict), of each set of sentences in tags.json
sacrebleu       sacrebleu==2.6.0: the scores of each corpus in corpora.json. Of BLEU it has for each variant the score,
                the four precisions, the brevity penalty, and the lengths of hypotheses and references
overlap         rouge-score==0.1.2: ROUGE-L, without the stemmer, of each output and its reference in pairs.json, and
                token F1 and exact match by the definition of SQuAD 2.0 (Rajpurkar et al. 2018)
safetensors     safetensors==0.8.0: safetensors_python.safetensors, by the reference implementation
tokenizers      tokenizers==0.20.3: vocabularies of training.txt, and what they make of the 5,000 texts of texts.json
                - byte_bpe/: a byte-level BPE as in GPT-2, as vocab.json and merges.txt; byte_bpe_json/: the same as
                  tokenizer.json, with a mark, whose merges are lists; byte_bpe_ids.txt: the ids of each text
                - word_piece/: a WordPiece as in BERT, in lower case without accents, as vocab.txt;
                  word_piece_cased/: one that keeps case and accents, as tokenizer.json; word_piece.json and
                  word_piece_cased.json: for each text its decoded text, in which the unknown mark is "⁇", and its
                  ids; word_piece_entries.txt and word_piece_cased_entries.txt: the entries of others whose training
                  does not depend on chance
                - word_piece_classes.txt: of all characters, what BertNormalizer and BertPreTokenizer do with one
                  between two letters: the first and the last code point of a run of characters, and `gone`, `space`,
                  `alone` (a word) or `accent` (a non-spacing mark, gone with the accents); all others are like letters
pretrained      transformers==4.46.3 with torch: small models as `save_pretrained` writes them, in which every parameter
                is drawn again (biases start at 0 and norms at 1 there, which would hide swaps). reference.safetensors
                has in double precision: `input_ids`, which begin with the mark for the begin, the `labels` (-100:
                none), the `logits`, the `loss` (the sum over the labels; a mask is never predicted) and the gradient
                of each parameter. An encoder-decoder also reads `source_ids`. A model of classes has one row of logits.
release         releases/VERSION: small runs that the built program trained, and what it says of them. Later versions
                must say the same (tests/apps/releases_test.cpp): run it once for each release, and never again.

The inputs stay in their files; commit b6b483a has the scripts that drew them. Their characters are of Unicode 14 or
older, for which Python, the packages and ICU agree, and those that WordPiece cuts at or leaves out are of Unicode 3.2.
Figures are rounded to 11 decimals.
"""

import collections
import importlib.metadata
import json
import pathlib
import re
import shutil
import string
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests/fixtures"


def write(path, text):
    (FIXTURES / path).parent.mkdir(parents=True, exist_ok=True)
    (FIXTURES / path).write_text(text)


def write_lines(path, lines):
    write(path, "".join(f"{line}\n" for line in lines))


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def items(values):
    """A list with each value on a line of its own."""
    return "[\n" + ",\n".join(map(compact, values)) + "\n]"


def classification():
    import sklearn
    from sklearn import metrics

    sets = json.loads((FIXTURES / "classification/labels.json").read_text())["sets"]
    for one in sets:
        labels = one["references"], one["outputs"]
        one["classes"] = sorted({*one["outputs"], *one["references"]})
        one["counts"] = metrics.confusion_matrix(*labels, labels=one["classes"]).tolist()
        one["accuracy"] = round(metrics.accuracy_score(*labels), 11)
        one["macro_f1"] = round(metrics.f1_score(*labels, average="macro", zero_division=0), 11)
        one["mcc"] = round(float(metrics.matthews_corrcoef(*labels)), 11)
    write("classification/labels.json", f'{{"scikit_learn": "{sklearn.__version__}","sets":{items(sets)}}}\n')


def tagging():
    from seqeval.metrics import f1_score
    from seqeval.scheme import IOB2
    from sklearn import metrics

    sets = json.loads((FIXTURES / "tagging/tags.json").read_text())["sets"]
    for one in sets:
        references, outputs = ([text.split() for text in one[side]] for side in ("references", "outputs"))
        flat = sum(references, []), sum(outputs, [])
        one["label_f1"] = round(metrics.f1_score(*flat, average="macro", zero_division=0), 11)
        one["entity_f1"] = round(float(f1_score(references, outputs, mode="strict", scheme=IOB2)), 11)
    head = compact({"seqeval": importlib.metadata.version("seqeval")})
    write("tagging/tags.json", f'{head[:-1]},"sets":{items(sets)}}}\n')


def sacrebleu():
    import sacrebleu as package
    from sacrebleu.metrics import BLEU, CHRF

    bleu = {f"{tokenizer}/{case}": BLEU(tokenize=tokenizer, lowercase=case == "lc")
            for tokenizer in ("none", "13a", "intl", "char") for case in ("mixed", "lc")}
    chrf = {f"chrF2/{case}": CHRF(lowercase=case == "lc") for case in ("mixed", "lc")}
    corpora = json.loads((FIXTURES / "sacrebleu/corpora.json").read_text())["corpora"]
    for corpus in corpora:
        texts = corpus["hypotheses"], [corpus["references"]]
        scores = [metric.corpus_score(*texts) for metric in bleu.values()]
        corpus["bleu"] = [[*(round(value, 11) for value in (one.score, *one.precisions, one.bp)),
                           one.sys_len, one.ref_len]
                          for one in scores]
        corpus["chrf"] = [round(metric.corpus_score(*texts).score, 11) for metric in chrf.values()]
    signatures = {family: {name: str(metric.get_signature()) for name, metric in variants.items()}
                  for family, variants in (("bleu", bleu), ("chrf", chrf))}
    head = compact({"sacrebleu": package.__version__, "signatures": signatures})
    write("sacrebleu/corpora.json", f'{head[:-1]},"corpora":{items(corpora)}}}\n')


def overlap():
    from rouge_score import rouge_scorer

    def answer_words(text):
        plain = "".join(character for character in text.lower() if character not in string.punctuation)
        return re.sub(r"\b(?:a|an|the)\b", " ", plain).split()

    def token_f1(said, right):
        common = sum((collections.Counter(said) & collections.Counter(right)).values())
        return 2 * common / (len(said) + len(right)) if said and right else float(said == right)

    scorer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    pairs = json.loads((FIXTURES / "overlap/pairs.json").read_text())["pairs"]
    for pair in pairs:
        output, reference = pair[:2]
        said, right = answer_words(output), answer_words(reference)
        rouge_l = scorer.score(reference, output)["rougeL"].fmeasure
        pair[2:] = round(rouge_l, 11), round(token_f1(said, right), 11), said == right
    head = json.dumps({"rouge_score": importlib.metadata.version("rouge-score")})
    write("overlap/pairs.json", f'{head[:-1]},"pairs":{items(pairs)}}}\n')


def safetensors():
    import numpy
    from safetensors.numpy import save_file

    tensors = {
        "weight": numpy.array([[1.5, -2.25, 3.0], [0.1, 1e-30, -0.0]], dtype=numpy.float32),
        "scalar": numpy.array(0.1, dtype=numpy.float64),
        "ids": numpy.array([0, -1, 2**62, 7], dtype=numpy.int64),
        "empty": numpy.zeros((0, 3), dtype=numpy.float32),
    }
    save_file(tensors, FIXTURES / "safetensors_python.safetensors", metadata={"from": "Python – ü"})


def byte_bpe(lines, texts):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1200, min_frequency=2, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.model.save(str(FIXTURES / "tokenizers/byte_bpe"))
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.encode_special_tokens = True  # marks in a text are text
    write("tokenizers/byte_bpe_json/tokenizer.json", tokenizer.to_str() + "\n")
    encoded = [tokenizer.encode(text).ids for text in texts]
    assert all(tokenizer.decode(ids) == text for ids, text in zip(encoded, texts))
    write_lines("tokenizers/byte_bpe_ids.txt", (" ".join(map(str, ids)) for ids in encoded))


def word_piece(lines, lower_case, marks):
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    words = [word for line in lines
             for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(line))]
    trainer = trainers.WordPieceTrainer(vocab_size=1000, min_frequency=2, special_tokens=marks(words),
                                        show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.encode_special_tokens = True
    return tokenizer


def all_characters(words):
    """As marks, which keep their order: characters that go on with a word the trainer numbers in the order of a hash
    table, which differs from run to run, and decides between equal counts by these numbers."""
    return ["[UNK]", "[CLS]", "[SEP]", *sorted({character for word in words for character in word}),
            *("##" + character for character in sorted({character for word in words for character in word[1:]}))]


def word_pieces(lines, texts, name, lower_case):
    tokenizer = word_piece(lines, lower_case, lambda words: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    if lower_case:
        tokenizer.model.save(str(FIXTURES / "tokenizers" / name))
    else:
        write(f"tokenizers/{name}/tokenizer.json", tokenizer.to_str() + "\n")
    pairs = []
    for text in texts:
        ids = tokenizer.encode(text).ids
        decoded = tokenizer.decode(ids, skip_special_tokens=False)
        assert tokenizer.token_to_id("[UNK]") in ids or "[UNK]" not in decoded
        pairs.append([decoded.replace("[UNK]", "⁇"), ids])
    write(f"tokenizers/{name}.json", items(pairs) + "\n")
    vocabulary = word_piece(lines, lower_case, all_characters).get_vocab()
    write_lines(f"tokenizers/{name}_entries.txt", sorted(vocabulary, key=vocabulary.get)[3:])


def class_of(character):
    from tokenizers import normalizers, pre_tokenizers

    def words(strip_accents):
        normalizer = normalizers.BertNormalizer(strip_accents=strip_accents, lowercase=False)
        text = normalizer.normalize_str(f"a{character}b")
        return tuple(word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text))

    kinds = {("ab",): "gone", ("a", "b"): "space", ("a", character, "b"): "alone", ("a" + character + "b",): "letter"}
    kind = kinds[words(False)]
    return "accent" if kind == "letter" and words(True) == ("ab",) else kind


def character_classes():
    runs = []
    for code_point in [*range(0xD800), *range(0xE000, 0x110000)]:
        kind = class_of(chr(code_point))
        if runs and runs[-1][2] == kind and runs[-1][1] == code_point - 1:
            runs[-1][1] = code_point
        else:
            runs.append([code_point, code_point, kind])
    return [f"{first:X} {last:X} {kind}" for first, last, kind in runs if kind != "letter"]


def tokenizers():
    lines = (FIXTURES / "tokenizers/training.txt").read_text().splitlines()
    texts = json.loads((FIXTURES / "tokenizers/texts.json").read_text())
    byte_bpe(lines, texts)
    word_pieces(lines, texts, "word_piece", True)
    word_pieces(lines, texts, "word_piece_cased", False)
    write_lines("tokenizers/word_piece_classes.txt", character_classes())


ENTRIES = 19
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
BERT = {"vocab_size": ENTRIES, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 20,
        "max_position_embeddings": 11, "type_vocab_size": 2}
GPT2 = {"vocab_size": ENTRIES, "n_embd": 12, "n_layer": 2, "n_head": 3, "n_positions": 11, "bos_token_id": 18,
        "eos_token_id": 18}
LLAMA = {"vocab_size": ENTRIES, "intermediate_size": 20, "max_position_embeddings": 11, "bos_token_id": 1,
         "eos_token_id": 2}
MARIAN = {"vocab_size": ENTRIES, "d_model": 10, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 2,
          "decoder_attention_heads": 1, "encoder_ffn_dim": 14, "decoder_ffn_dim": 14, "max_position_embeddings": 11,
          "eos_token_id": 0, "pad_token_id": 18, "decoder_start_token_id": 18}
CLASSES = {"id2label": {0: "no", 1: "yes", 2: "perhaps"}}
MODELS = {
    "gpt2": ("GPT2LMHeadModel", GPT2),
    "gpt2_classes": ("GPT2ForSequenceClassification", GPT2 | CLASSES),
    "llama": ("LlamaForCausalLM", LLAMA | {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
                                           "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 500.0}),
    "llama_tied": ("LlamaForCausalLM", LLAMA | {"hidden_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2,
                                                "head_dim": 4, "attention_bias": True, "mlp_bias": True,
                                                "tie_word_embeddings": True}),
    "bert": ("BertForMaskedLM", BERT | {"num_hidden_layers": 2, "hidden_act": "gelu"}),
    "bert_classes": ("BertForSequenceClassification", BERT | CLASSES | {"num_hidden_layers": 1}),
    "albert": ("AlbertForMaskedLM", BERT | {"num_hidden_layers": 3, "num_hidden_groups": 2, "embedding_size": 8}),
    "marian": ("MarianMTModel", MARIAN | {"scale_embedding": True, "activation_function": "swish"}),
    "marian_apart": ("MarianMTModel", MARIAN | {"share_encoder_decoder_embeddings": False,
                                                "decoder_vocab_size": ENTRIES,
                                                "tie_word_embeddings": False, "activation_function": "relu"}),
}


def draw_again(torch, model):
    """float32 numbers, so that the saved model is the one that the reference is of."""
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        noise = torch.randn(parameter.shape, generator=generator) * 0.5
        if parameter.requires_grad:
            parameter.data = noise + (1.0 if parameter.dim() == 1 else 0.0)
    if hasattr(model, "final_logits_bias"):
        model.final_logits_bias.normal_(generator=generator)


def compute_in_double(torch, model):
    """Llama's norms and rotations, and Marian's sines, are in float32 there whatever the model's type is."""

    def angles(positions, width, base):
        return positions[..., None] * base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)

    def rotation(_, positions):
        config = model.config
        width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        turned = angles(positions, width, config.rope_theta).repeat(1, 1, 2)
        return turned.cos(), turned.sin()

    for module in model.modules():
        kind = type(module).__name__
        if kind == "LlamaRMSNorm":
            module.forward = lambda x, own=module: own.weight * x * (
                x.square().mean(-1, keepdim=True) + own.variance_epsilon).rsqrt()
        elif kind == "LlamaRotaryEmbedding":
            module.forward = rotation
        elif kind == "MarianSinusoidalPositionalEmbedding":
            turned = angles(torch.arange(module.weight.shape[0]), module.weight.shape[1], 10000.0)
            module.weight.data = torch.cat([turned.sin(), turned.cos()], 1)
        elif kind == "Embedding":
            module.padding_idx = None  # the mark that a target begins with has no gradient there


def example(name):
    """The ids that a model reads, and the labels of its rows."""
    if "classes" in name:
        return [2, 7, 9, 12, 5, 3] if "bert" in name else [7, 3, 9, 12, 18], [1]
    if "marian" in name:
        return [18, 4, 9, 6], [4, 9, 6, 0]
    if "bert" in name:
        return [2, 7, 4, 9, 12, 4, 5, 3], [-100, -100, 8, 11, -100, 6, -100, -100]
    ids = [18 if name == "gpt2" else 1, 7, 3, 9, 12, 4, 5]
    return ids, ids[1:] + [18 if name == "gpt2" else 2]


def write_vocabularies(name, config):
    if "bert" in name:
        write_lines(f"pretrained/{name}/vocab.txt", MARKS + [f"w{i}" for i in range(len(MARKS), ENTRIES)])
        marks = {f"{mark.strip('[]').lower()}_token": mark for mark in MARKS}
    elif "marian" in name:
        for file in ["vocab.json"] + ["target_vocab.json"] * (not config.share_encoder_decoder_embeddings):
            entries = ["</s>", "<unk>", *(f"{file[0]}{i}" for i in range(2, ENTRIES - 1)), "<pad>"]
            vocabulary = {entry: i for i, entry in enumerate(entries)}
            write(f"pretrained/{name}/{file}", json.dumps(vocabulary, indent=2) + "\n")
        marks = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    else:
        return
    write(f"pretrained/{name}/special_tokens_map.json", json.dumps(marks, indent=2) + "\n")


def pretrained():
    import torch
    import transformers
    from safetensors.torch import save_file

    for name, (kind, options) in MODELS.items():
        torch.manual_seed(1)
        torch.set_default_dtype(torch.float32)
        kind = getattr(transformers, kind)
        config = kind.config_class(**options)
        config.attn_implementation = "eager"
        model = kind(config)
        draw_again(torch, model)
        model.save_pretrained(FIXTURES / "pretrained" / name)
        (FIXTURES / "pretrained" / name / "generation_config.json").unlink(missing_ok=True)
        write_vocabularies(name, config)
        model = model.double().eval()
        torch.set_default_dtype(torch.float64)  # of masks
        compute_in_double(torch, model)
        ids, labels = map(torch.tensor, example(name))
        tensors = {"input_ids": ids, "labels": labels}
        parameters, read = dict(model.named_parameters()), {"input_ids": ids[None]}
        if "marian" in name:
            tensors["source_ids"] = torch.tensor([5, 7, 3, 12, 0])
            parameters["final_logits_bias"] = model.final_logits_bias.requires_grad_(True)
            read = {"input_ids": tensors["source_ids"][None], "decoder_input_ids": ids[None]}
        logits = model(**read).logits.reshape(len(labels), -1)
        mask = [MARKS.index("[MASK]")] if "MaskedLM" in kind.__name__ else []
        possible = logits.index_fill(1, torch.tensor(mask, dtype=int), -torch.inf)
        loss = torch.nn.functional.cross_entropy(possible, labels, ignore_index=-100, reduction="sum")
        loss.backward()
        tensors |= {"logits": logits.detach(), "loss": loss.detach()}
        tensors |= {f"gradient.{key}": value.grad for key, value in parameters.items() if value.grad is not None}
        save_file({key: value.clone().contiguous() for key, value in tensors.items()},
                  FIXTURES / "pretrained" / name / "reference.safetensors")


# The options of each run of a release, and what is asked of it: a command and its input.
RUNS = {
    "copy": (
        "configs/copy.yaml",
        ["task.vocabulary=6", "task.max_length=5", "task.train_examples=300", "task.validation_examples=20",
         "task.test_examples=20", "model.d_model=16", "model.heads=2", "model.layers=1", "model.d_ff=24",
         "model.dropout=0.1", "encoder_self.positions=relative", "decoder_self.kv_heads=1", "cross.gates=l0",
         "training.batch_tokens=256", "training.schedule=constant", "training.steps=1500", "training.warmup=20",
         "evaluation.every=500", "evaluation.samples=0"],
        ["translate", "run", "--input", "lines"],
        "3 1 2\n0 0 5 4\n\n5\n",
    ),
    "text": (
        "configs/gpt.yaml",
        ["task.train_text=docs/plan.md", "task.vocabulary=150", "task.context=32", "model.d_model=24",
         "model.heads=3", "model.layers=2", "model.dropout=0.1", "attention.kv_heads=1",
         "attention.pattern=window 16", "training.batch_tokens=512", "training.schedule=constant", "training.steps=600",
         "training.learning_rate=5e-3", "training.warmup=20", "evaluation.every=200", "evaluation.samples=0"],
        ["generate", "run", "--prompts", "lines", "--temperature", "0", "--max-tokens", "12"],
        "The memory\n",
    ),
}


def said(*arguments, directory):
    """What the program prints."""
    program = ROOT / "build/tapehead"
    return subprocess.run([program, *arguments], cwd=directory, check=True, text=True, capture_output=True).stdout


def figures(*arguments, directory):
    return json.loads(said(*arguments, "--json", directory=directory))


def release_run(fixture, config, options, command, lines):
    run = fixture / "run"
    overrides = [word for option in options for word in ("--set", option)]
    said("train", config, "--run", str(run), "--no-report", *overrides, directory=ROOT)
    for path in [run / ".lock", run / "log.txt", *sorted(run.glob("checkpoints/step_*"))[:-1]]:
        path.unlink(missing_ok=True)
    (fixture / "lines").write_text(lines)
    evaluated = figures("evaluate", "run", "--split", "validation", directory=fixture)
    heads = figures("heads", "run", directory=fixture)
    expected = {
        "split": "validation",
        "loss": evaluated["loss"],
        "token_accuracy": evaluated["token_accuracy"],
        "entropies": [head["entropy"] for attention in heads["attentions"] for head in attention["heads"]],
        "command": command,
        "output": said(*command, directory=fixture),
        "lines": lines,
        "loss_after_ten_steps": loss_after_ten_steps(fixture),
    }
    (fixture / "lines").unlink()
    (fixture / "expected.json").write_text(json.dumps(expected, indent=2) + "\n")


def loss_after_ten_steps(fixture):
    """Of a copy of the run that goes on."""
    copy = fixture / "copy"
    shutil.copytree(fixture / "run", copy)
    steps = int(max(copy.glob("checkpoints/step_*")).stem.removeprefix("step_")) + 10
    said("train", "copy/config.yaml", "--run", "copy", "--resume", "--set", f"training.steps={steps}",
         directory=fixture)
    evaluated = figures("evaluate", "copy", "--checkpoint", "last", "--split", "validation", directory=fixture)
    shutil.rmtree(copy)
    return evaluated["loss"]


def release():
    version = re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]
    kept = FIXTURES / "releases" / version
    if kept.exists():
        sys.exit(f"{kept} is there, and must stay what {version} made")
    if not said("--version", directory=ROOT).startswith(f"tapehead {version}"):
        sys.exit(f"build/tapehead is not of version {version}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, run in RUNS.items():
            fixture = pathlib.Path(scratch) / name
            fixture.mkdir()
            release_run(fixture, *run)
        shutil.copytree(scratch, kept)


MAKERS = {maker.__name__: maker
          for maker in (classification, tagging, sacrebleu, overlap, safetensors, tokenizers, pretrained, release)}
if not sys.argv[1:] or not set(sys.argv[1:]) <= set(MAKERS):
    sys.exit(__doc__.strip())
for chosen in sys.argv[1:]:
    for package, version in re.findall(rf"(?m)^{chosen} +(\S+)==([\d.]+\d)", __doc__):
        if importlib.metadata.version(package) != version:
            sys.exit(f"{chosen} are of {package} {version}, and this is {importlib.metadata.version(package)}")
    MAKERS[chosen]()
