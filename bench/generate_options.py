"""What the peers of `tapehead_bench decode` and `generate` have in common: options, and how rows are printed."""

import argparse
import json
import statistics

COMMON = {"threads": [1, 2], "repeats": 5}
DECODE = {"beam": [1, 5], "batch_tokens": [512, 1024, 2048, 4096], "sentences": 1000, "output_length": 15}
DECODE |= {"vocabulary": 10000, "d_model": 128, "heads": 4, "d_ff": 256, "layers": 4, **COMMON}
GENERATE = {"batch": [1, 16], "tokens": 128, "prompt_length": 16}
GENERATE |= {"vocabulary": 8192, "d_model": 384, "heads": 6, "layers": 6, **COMMON}


def options(description, defaults=GENERATE, words=None):
    """Those of our command, with the same defaults."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in defaults.items():
        several = {"nargs": "+"} if isinstance(value, list) else {}
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value, **several)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser.parse_args(words)


def print_rows(name, a, seconds_of, what="batch"):
    """A line for each batch (or beam) and number of threads. seconds_of(batch, threads): those of each measurement."""
    if not a.json:
        print(f"{name}\n{what:>5} threads  tokens  median s    best s  tokens/s", flush=True)
    for count in vars(a)[what]:
        for threads in a.threads:
            tokens = count * a.tokens if what == "batch" else a.sentences * a.output_length
            seconds = seconds_of(count, threads)
            median, best = statistics.median(seconds), min(seconds)
            row = {what: count, "threads": threads, "tokens": tokens, "seconds": median, "best_seconds": best}
            row["tokens_per_second"] = tokens / median
            line = f"{count:>5} {threads:>7} {tokens:>7} {median:>9.3f} {best:>9.3f} {tokens / median:>9.0f}"
            print(json.dumps(row) if a.json else line, flush=True)
