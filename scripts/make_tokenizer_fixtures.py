#!/usr/bin/env python3
"""Writes tests/fixtures/tokenizers/: 5,000 texts, and what the package tokenizers makes of them.

Needs: pip install tokenizers==0.20.3

- training.txt: the lines that the vocabularies are trained on, which are written and drawn here;
- texts.json: natural texts, and texts drawn from parts that are hard for tokenizers, without line ends in the file;
- byte_bpe/: a byte-level BPE as in GPT-2, as vocab.json and merges.txt; byte_bpe_json/: the same as tokenizer.json, with
  a mark, whose merges are lists; byte_bpe_ids.txt: the ids of each text, a text a line. Decoded they are the text;
- word_piece/: a WordPiece as in BERT, in lower case without accents, as vocab.txt; word_piece_cased/: one that keeps
  case and accents, as tokenizer.json; word_piece.json and word_piece_cased.json: for each text its ids and its decoded
  text, in which the unknown mark is "⁇"; word_piece_entries.txt and word_piece_cased_entries.txt: the entries of others
  whose training does not depend on chance, an entry a line.

- word_piece_classes.txt: of all characters, what BertNormalizer and BertPreTokenizer do with one between two letters: the
  first and the last code point of a run of characters, and `gone`, `space`, `alone` (a word) or `accent` (a non-spacing
  mark, gone with the accents); all others are like letters. Version 0.23.3 does the same.

Texts have only characters of Unicode 14 or older, and of those that WordPiece cuts at or leaves out only such of Unicode
3.2, for which the package and ICU agree. Marks in a text are text (encode_special_tokens).
"""

import argparse
import importlib.metadata
import json
import pathlib
import random
import unicodedata

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

FIXTURES = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/tokenizers"

SENTENCES = """\
The quick brown fox jumps over the lazy dog.
She'd said they're late, but I'll wait; we've time, haven't we? It's fine, I'm sure you'd agree.
In 1984 the price rose from $3.50 to $1,299.99, i.e. by more than 37,000 % (see table 2).
He whispered: “Don’t look back!” — and then… nothing.
A naïve café owner in São Paulo served crème brûlée and smørrebrød.
Die Straßenbahn hält am Überweg; Größe und Maß der Äpfel sind egal.
Où est la bibliothèque ? L'élève a mangé des œufs à Noël.
El niño pidió un café con leche, ¿verdad? ¡Qué día tan bonito!
Zażółć gęślą jaźń. Příliš žluťoučký kůň úpěl ďábelské ódy.
Быстрая лиса прыгает через ленивую собаку, а ёжик молчит.
Η γρήγορη αλεπού πηδά πάνω από το τεμπέλικο σκυλί.
今天天气很好，我们去公园散步吧。
東京は日本の首都です。カタカナとひらがな。
한국어 문장도 하나 있습니다.
الطقس جميل اليوم ونحن سعداء.
השועל המהיר קופץ מעל הכלב העצלן.
यह एक छोटा वाक्य है।
วันนี้อากาศดีมาก
Tôi thích đọc sách tiếng Việt.
İstanbul'da ılık bir gün; IĞDIR çok güzel.
def attention(query, key, value): return softmax(query @ key.T / sqrt(d)) @ value
for (int i = 0; i < n; ++i) { total += values[i] * 2; }  // sum
{"name": "tape", "size": [1, 2, 3], "ok": true, "note": "a\\tb"}
https://example.org/a/path?query=value&other=1#part
👍🏽 great work 😀😀 👩‍👩‍👧 🇩🇪 ❤️
E = mc², x₁ ≤ x₂, ½ + ⅓ ≠ Ⅷ, ٣ and ३ are digits, ∑∫√∞
A model reads tokens; a token is a part of a word, a word is what spaces separate.
The encoder reads the source sentence, and the decoder writes the target sentence token by token.
The cat sat on the mat, the dog lay on the rug, and the bird sang in the tree.
""".splitlines()

WORDS = """the of and to in a is that it was for on are as with his they at be this from I have or by one had not but what
all were when we there can an your which their said if do will each about how up out them then she many some so these
would other into has more her two like him see time could no make than first been its who now people my made over did
down only way find use may water long little very after words called just where most know attention token model head
layer training weight gradient loss learning language sentence translation decoder encoder vocabulary""".split()

PARTS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'", "''", "’s", "don't", "I'm", "'lland", "x'd",
         " ", " ", " ", "  ", "   ", "\t", "\n", "\n\n", " \n ", "\r\n", "\u00a0", "\u3000", "\u2003", "\u2028", "\u0085",
         "\v", "\f", "\x1c", "\x1f", "\u200b", "\ufeff", "\u180e", "\u00ad", "\0", "\x01", "\x7f", "\ufffd",
         "a", "Z", "the", " the", "The", "attention", "ing", "0", "12", " 345", "1a", "²", "Ⅷ", "½", "٣", "৩", "〇",
         ".", ",", "...", "?!", "--", "—", "“", "”", "(", ")", "[", "]", "{", "}", "<", ">", "/", "\\", "$", "€", "+", "=", "^",
         "`", "~", "|", "_", "@", "#", "%", "&", "*", "°", "©",
         "é", "e\u0301", "É", "ß", "ẞ", "ñ", "ö", "İ", "ı", "Ǆ", "ſ", "ﬁ", "Σ", "ς", "ΟΔΟΣ", "й", "Ё", "Я", "ж", "ا", "ـ", "ש", "क्ष",
         "ก็", "中", "文", "中文", "龍", "𠀀", "豈", "あ", "カ", "ー", "한", "\u1100\u1161", "\u0301", "\u0488", "\u20dd", "ﷺ",
         "😀", "👍🏽", "👩‍👧", "🇩🇪", "❤️", "\u200d", "\u202e", "\U000e0001", "\ue000", "\U0010ffff", "\uffff", "\U00010000",
         "<|endoftext|>", "<s>", "</s>", "<unk>", "[UNK]", "[CLS]", "[MASK]", "##ing", "##", "Ġ", "Ċ", "▁", "⁇"]

NATURAL = 1500
FUZZED = 3500


def natural_text(random_source):
    if random_source.random() < 0.5:
        words = random_source.choice(SENTENCES).split(" ")
        first = random_source.randrange(len(words))
        return " ".join(words[first : first + random_source.randint(1, 8)])
    words = random_source.choices(WORDS, k=random_source.randint(1, 8))
    return " ".join(words).capitalize() + random_source.choice([".", "?", "!", "", ","])


def is_known(character):
    """Whether the package knows the class of a character. Its tables for WordPiece are older than those for BPE."""
    category = unicodedata.category(character)
    if category in ("Mn", "Cf") or category[0] == "P":
        return unicodedata.ucd_3_2_0.category(character) == category
    return category not in ("Cs", "Cn")


def any_character(random_source):
    """An assigned character, mostly of the first 12,288."""
    while True:
        character = chr(random_source.randrange(0x3000 if random_source.random() < 0.7 else 0x20000))
        if is_known(character):
            return character


def fuzzed_text(random_source):
    return "".join(
        any_character(random_source) if random_source.random() < 0.15 else random_source.choice(PARTS)
        for _ in range(random_source.randint(1, 9))
    )


def training_lines(random_source):
    lines = SENTENCES * 2
    for _ in range(700):
        words = random_source.choices(WORDS, weights=[1 / (rank + 3) for rank in range(len(WORDS))], k=random_source.randint(4, 12))
        lines.append(" ".join(words).capitalize() + ".")
    return lines


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def write_json(path, items):
    write(path, "[\n" + ",\n".join(json.dumps(item, ensure_ascii=True, separators=(",", ":")) for item in items) + "\n]\n")


def byte_bpe(lines, entries):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        lines,
        trainers.BpeTrainer(
            vocab_size=entries,
            min_frequency=2,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return tokenizer


def write_byte_bpe(lines, texts):
    tokenizer = byte_bpe(lines, 1200)
    (FIXTURES / "byte_bpe").mkdir(parents=True, exist_ok=True)
    tokenizer.model.save(str(FIXTURES / "byte_bpe"))
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.encode_special_tokens = True
    write(FIXTURES / "byte_bpe_json/tokenizer.json", tokenizer.to_str() + "\n")
    encoded = [tokenizer.encode(text).ids for text in texts]
    assert all(tokenizer.decode(ids) == text for ids, text in zip(encoded, texts))
    write(FIXTURES / "byte_bpe_ids.txt", "".join(" ".join(map(str, ids)) + "\n" for ids in encoded))


def untrained_word_piece(lower_case):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def word_piece(lines, entries, lower_case):
    tokenizer = untrained_word_piece(lower_case)
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        lines, trainers.WordPieceTrainer(vocab_size=entries, min_frequency=2, special_tokens=marks, show_progress=False)
    )
    tokenizer.encode_special_tokens = True
    return tokenizer


def trained_entries(lines, entries, lower_case):
    """The entries of a WordPiece in the order of their ids, after three marks. The trainer numbers the characters that go on
    with a word in the order of a hash table, which differs from run to run, and decides between equal counts by these
    numbers. So all characters are given to it in the order of their code points, as marks."""
    tokenizer = untrained_word_piece(lower_case)
    words = [
        word
        for line in lines
        for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(line))
    ]
    marks = ["[UNK]", "[CLS]", "[SEP]"]
    marks += sorted({character for word in words for character in word})
    marks += ["##" + character for character in sorted({character for word in words for character in word[1:]})]
    trainer = trainers.WordPieceTrainer(vocab_size=entries, min_frequency=2, special_tokens=marks, show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.get)[3:]


def write_word_piece(lines, texts, name, lower_case):
    tokenizer = word_piece(lines, 1000, lower_case)
    if lower_case:
        (FIXTURES / name).mkdir(parents=True, exist_ok=True)
        tokenizer.model.save(str(FIXTURES / name))
    else:
        write(FIXTURES / name / "tokenizer.json", tokenizer.to_str() + "\n")
    unknown = tokenizer.token_to_id("[UNK]")
    items = []
    for text in texts:
        ids = tokenizer.encode(text).ids
        decoded = tokenizer.decode(ids, skip_special_tokens=False)
        assert unknown in ids or "[UNK]" not in decoded
        items.append([decoded.replace("[UNK]", "⁇"), ids])
    write_json(FIXTURES / f"{name}.json", items)
    write(FIXTURES / f"{name}_entries.txt", "".join(entry + "\n" for entry in trained_entries(lines, 1000, lower_case)))


def class_of(character):
    def words(strip_accents):
        normalizer = normalizers.BertNormalizer(strip_accents=strip_accents, lowercase=False)
        text = normalizer.normalize_str(f"a{character}b")
        return [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)]

    plain = words(False)
    kinds = {("ab",): "gone", ("a", "b"): "space", ("a", character, "b"): "alone", ("a" + character + "b",): "letter"}
    kind = kinds[tuple(plain)]
    return "accent" if kind == "letter" and words(True) == ["ab"] else kind


def write_classes():
    runs = []
    for code_point in [*range(0xD800), *range(0xE000, 0x110000)]:
        kind = class_of(chr(code_point))
        if runs and runs[-1][2] == kind and runs[-1][1] == code_point - 1:
            runs[-1][1] = code_point
        else:
            runs.append([code_point, code_point, kind])
    lines = [f"{first:X} {last:X} {kind}\n" for first, last, kind in runs if kind != "letter"]
    write(FIXTURES / "word_piece_classes.txt", "".join(lines))


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    assert importlib.metadata.version("tokenizers") == "0.20.3"
    random_source = random.Random(1)
    lines = training_lines(random_source)
    texts = [natural_text(random_source) for _ in range(NATURAL)] + [fuzzed_text(random_source) for _ in range(FUZZED)]
    write(FIXTURES / "training.txt", "\n".join(lines) + "\n")
    write_json(FIXTURES / "texts.json", texts)
    write_byte_bpe(lines, texts)
    write_word_piece(lines, texts, "word_piece", True)
    write_word_piece(lines, texts, "word_piece_cased", False)
    write_classes()


if __name__ == "__main__":
    main()
