#!/usr/bin/env python3
"""Writes tests/fixtures/sacrebleu/corpora.json: small corpora and what sacreBLEU says of them.

Needs: pip install sacrebleu==2.6.0

The sentences are drawn here, from a seed; the figures are sacreBLEU's. Each corpus is an object on
a line of its own: name, hypotheses, references, "bleu" (for each variant: score, the four
precisions, brevity penalty, length of hypotheses and references) and "chrf" (for each variant: the
score). The variants and their signatures stand once, at the top. Characters are of Unicode 14 or
older, for which Python, regex and ICU agree.
"""

import argparse
import json
import pathlib
import random

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF

FIXTURE = pathlib.Path(__file__).resolve().parent.parent / "tests/fixtures/sacrebleu/corpora.json"

BLEU_VARIANTS = {
    f"{tokenizer}/{case}": BLEU(tokenize=tokenizer, lowercase=case == "lc")
    for tokenizer in ("none", "13a", "intl", "char")
    for case in ("mixed", "lc")
}
CHRF_VARIANTS = {
    f"{name}/{case}": CHRF(word_order=order, lowercase=case == "lc")
    for name, order in (("chrF2", 0), ("chrF2++", 2))
    for case in ("mixed", "lc")
}

PLAIN = "the a red green dog cat house walks sees under over and of slowly Anna Ben".split()
POOLS = {
    "plain": PLAIN,
    "case": "Dog DOG dOG STRASSE Straße ẞ ÄÖÜ äöü İstanbul ISTANBUL ıI ΟΔΟΣ ὈΔΥΣΣΕΎΣ Σ ΑΣ. Σ’Σ "
    "Α\u00adΣ ΑΣ\u0301Β ʰΣ Σʰ 1Σ Ǆ ǅ Ⅷ Ⓐ ЖУК жук ԱՄ 𐐀𐐨 Ꭰ ꭰ Ა ა \u2126 \u212b \u212a".split(),
    "numbers": "1 12 1,234.56 3.14 10-12 2-ply 1. .5 5, ,5 1,,2 1..2 1.,2 -1 1- 1-- 12-a a-12 3.a "
    "a.3 1/2 50% $9.99 1:30 ½ ½. ².5 Ⅳ. ٣٫١٤ ٣,١٤ १२.३ 1.२ 二〇 ③. 1,000,000".split(),
    "ascii": list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    + "(hi) \"hi\" hi, hi. 'hi' don't a.b a,b a.,b ... .. ,, ., -- --- a-b -a a- http://a.b/c?d=e "
    "a@b.c a_b #a {a} [a] ~a` '. .' (.) ,( -. .- -- *** Mr. U.S. e.g.".split(),
    "punctuation": "“a” ‘a’ «a» ‹a› … — – ‐ a—b a–b 1–2 1—2 ¿a? ¡a! · • † § ¶ 、 。 「a」 ！ ， ． "
    "１，２ ١،٢ ، ؟ ؛ । ॥ ՞ ־ ׳ ་ ‿ ⁂ ″a″ 5′ ＂ ﹏ 𐄀 a‚b 1‚2".split(),
    "symbols": "€5 5€ £ ¥ © ® ™ ° 5°C ± × ÷ → ≠ ∑ √2 ♥ ★ ▲ ─ █ ⠿ ´ ¨ ¸ ˆ ^ ` ~ a+b 1+2 a=b a|b "
    "$a ＋ ￥ ﷼ 𝄞 a→b ₿".split(),
    "emoji": "😀 👍🏽 👩‍👩‍👧‍👦 🇩🇪 🇫🇷🇩🇪 1️⃣ ❤️ ❤ 🏴‍☠️ a😀b 😀😀 😀. 🫠 ☺ ☺️".split(),
    "marks": "e\u0301 é E\u0301 a\u0308b n\u0303 हिन्दी भाषा। ภาษาไทย ความ தமிழ் "
    "z\u0300\u0301\u0302\u0303 "
    ".\u0301 \u0301. 1\u0301 1\u20e3 👍\ufe0f ि q\u0323\u0307 q\u0307\u0323".split(),
    "east": "我 喜欢 狗。 今天,天气 很好! 日本語 ニホンゴ ﾆﾎﾝ 「はい」 한국어 \u1112\u1161\u11ab 你好，世界 "
    "２０２０年 10年 𠮷野家 東京.大阪 中文abc中文".split(),
    "right": "שלום עִבְרִית, مرحبا العربية؟ عَرَبِيّ \u200fא. \u202bאב\u202c ـا لا".split(),
    "entities": "&amp; &quot; &lt; &gt; &apos; &nbsp; &#39; &amp;lt; &amp;amp; &amp;amp;lt; "
    "&amp;quot; "
    "&lt;b&gt; a&amp;b &quot;a&quot; &ampamp; &am&amp;p; &AMP; &Lt; & && &; AT&T <skipped> "
    "a<skipped>b <skip<skipped>ped> <SKIPPED> &amp<skipped>; <skipped>. 1<skipped>.2".split(),
    "lines": ["a-\nb", "a -\n b", "\n", "a\nb", "-\n-\n", "--\n\n", "1-\n2", "1.\n2", "a\r\nb"],
    "invisible": ["a\u200bb", "\ufeffa", "a\u00adb", "\u200d", "a\u2060b", "\u180e", "\ufffd"]
    + ["\x00", "a\x00b", "\x01", "\x7f", "a\x1bb", "\u0080", "\ue000", "\U000f0000", "\U0010ffff"],
}
SPACES = list("\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x20\x85\xa0\u1680\u2000\u2003\u2009\u200a\u2028\u2029"
              "\u202f\u205f\u3000") + ["  ", " \t ", "\u00a0\u00a0", " \u3000"]

# Name: (hypotheses, references).
FIXED = {
    "one sentence, identical": (["a b c d e"], ["a b c d e"]),
    "one sentence, nothing in common": (["a b c d e"], ["f g h i j"]),
    "one word, identical": (["word"], ["word"]),
    "three words, identical": (["one two three"], ["one two three"]),
    "four words, identical": (["one two three four"], ["one two three four"]),
    "both empty": ([""], [""]),
    "all empty": (["", "", ""], ["", "", ""]),
    "hypotheses empty": (["", ""], ["a b c d e", "f"]),
    "references empty": (["a b c d e", "f"], ["", ""]),
    "some hypotheses empty": (["", "a b c d", ""], ["x y", "a b c d", "z"]),
    "some references empty": (["x y z u v w", "a b c d"], ["", "a b c d"]),
    "only spaces": ([" ", "\t\n", "\u00a0\u3000"], ["  ", "", "\u2028"]),
    "spaces against words": (["  \t "], ["a b"]),
    "only punctuation": (["...", ",,", "?!"], ["..", ",", "!?"]),
    "only symbols": (["+ + + +", "$$$"], ["+ + +", "$ $"]),
    "no bigram matches": (["a c b d"], ["b a d c"]),
    "no trigram matches": (["a b x c d"], ["a b y c d"]),
    "no four-gram matches": (["a b c x d e f"], ["a b c y d e f"]),
    "too short for four-grams": (["a b c", "d e"], ["a b c", "d e"]),
    "one long enough": (["a b c", "d e f g"], ["a b c", "d e f g"]),
    "clipped counts": (["the the the the the the the"], ["the cat is on the mat"]),
    "repeated": (["a a a a a a", "b b b"], ["a a a", "b b b b b"]),
    "much shorter": (["a b c d"], ["a b c d e f g h i j k l m n o p q r s t u v w x y z"]),
    "much longer": (["a b c d e f g h i j k l m n o p q r s t u v w x y z"], ["a b c d"]),
    "case only": (["THE DOG SEES A CAT ."], ["the dog sees a cat ."]),
    "case of first letters": (["The Dog Sees A Cat."], ["the dog sees a cat."]),
    "final sigma": (["ΟΔΟΣ ΣΑΣ Σ ΑΣ.Β ΑΣ' Σ."], ["οδος σας σ ας.β ας' σ."]),
    "dotted capital i": (["İİİİ İ I i ı"], ["i̇i̇i̇i̇ i̇ i i ı"]),
    "space at the ends": (["  a b c d  ", "\u00a0a b c d\u2003"], ["a b c d", "a b c d"]),
    "trailing newline": (["a b c d-\n", "a b c d\n"], ["a b c d-", "a b c d"]),
    "decomposed": (["e\u0301te\u0301 cafe\u0301 nai\u0308ve deja\u0300"], ["été café naïve déjà"]),
    "character order": (["abcdef"], ["abcdefg"]),
    "five characters": (["abcde"], ["abcde"]),
    "one character": (["a", "b"], ["a", "c"]),
    "long reference n-grams only": (["abcdefgh", "xy"], ["abcdefgh", ""]),
    "short reference beside long": (["abcdefgh abcdefgh", "abcdefgh"], ["abcdefgh", "ab"]),
    "very long": (["the dog sees a cat . " * 120], ["the dog , sees the cat . " * 110]),
    "very long word": (["ab" * 900], ["ba" * 800]),
    "many short": (["a b", "c", "d e f", "g"] * 12, ["a b", "c d", "d f", "g"] * 12),
}


def sentence(rng, pools, length):
    """Words of the pools, between spaces of many kinds, sometimes glued together."""
    text = ""
    for i in range(length):
        if i > 0:
            kind = rng.random()
            text += " " if kind < 0.8 else "" if kind < 0.9 else rng.choice(SPACES)
        text += rng.choice(POOLS[rng.choice(pools)])
    return text


def variation(rng, reference, pools):
    """A hypothesis: the reference after some edits, or something else altogether."""
    kind = rng.random()
    if kind < 0.1:
        return reference
    if kind < 0.16:
        return ""
    if kind < 0.24:
        return sentence(rng, pools, rng.randint(1, 12))
    words = reference.split(" ")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(words))
        edit = rng.randrange(6)
        if edit == 0:
            words.insert(at, rng.choice(POOLS[rng.choice(pools)]))
        elif edit == 1 and len(words) > 1:
            del words[at]
        elif edit == 2:
            words[at] = rng.choice((words[at].upper(), words[at].lower(), words[at].title()))
        elif edit == 3:
            words[at] += rng.choice(".,-!’。 \n")
        elif edit == 4:
            words[at:at] = words[at : at + 3]
        else:
            words[at] = words[at][::-1]
    return " ".join(words)


def drawn_corpora(rng, count):
    """Corpora of one pool among plain words, of everything, and of a little of it, in turn."""
    themes = {name: [name, "plain"] for name in POOLS}
    themes["everything"] = list(POOLS)
    themes["mostly plain"] = ["plain"] * 20 + list(POOLS)
    for number in range(count):
        theme, pools = list(themes.items())[number % len(themes)]
        references = [
            "" if rng.random() < 0.04 else sentence(rng, pools, rng.randint(1, 14))
            for _ in range(rng.choice((1, 2, 3, 4, 6)))
        ]
        hypotheses = [variation(rng, reference, pools) for reference in references]
        yield f"{theme} {number}", hypotheses, references


def bleu_figures(metric, hypotheses, references):
    bleu = metric.corpus_score(hypotheses, [references])
    rounded = [round(value, 11) for value in (bleu.score, *bleu.precisions, bleu.bp)]
    return rounded + [bleu.sys_len, bleu.ref_len]


def chrf_figure(metric, hypotheses, references):
    return round(metric.corpus_score(hypotheses, [references]).score, 11)


def entry(name, hypotheses, references):
    return {
        "name": name,
        "hypotheses": hypotheses,
        "references": references,
        "bleu": [bleu_figures(m, hypotheses, references) for m in BLEU_VARIANTS.values()],
        "chrf": [chrf_figure(m, hypotheses, references) for m in CHRF_VARIANTS.values()],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--drawn", type=int, default=200, help="corpora beside the fixed ones")
    parser.add_argument("--output", type=pathlib.Path, default=FIXTURE)
    arguments = parser.parse_args()
    corpora = [entry(name, *texts) for name, texts in FIXED.items()]
    corpora += [entry(*c) for c in drawn_corpora(random.Random(arguments.seed), arguments.drawn)]
    signatures = {
        family: {name: str(metric.get_signature()) for name, metric in variants.items()}
        for family, variants in (("bleu", BLEU_VARIANTS), ("chrf", CHRF_VARIANTS))
    }
    compact = {"separators": (",", ":")}
    lines = ",\n".join(json.dumps(corpus, **compact) for corpus in corpora)
    head = json.dumps({"sacrebleu": sacrebleu.__version__, "signatures": signatures}, **compact)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(f'{head[:-1]},"corpora":[\n{lines}\n]}}\n', encoding="ascii")


if __name__ == "__main__":
    main()
