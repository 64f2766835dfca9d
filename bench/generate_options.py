"""What bench/pytorch_generate.py and bench/ctranslate2_generate.py have in common: options, and how rows are printed."""

import argparse
import json
import statistics


def options(description):
    """The options of `tapehead_bench generate`, with the same defaults."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 16])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--prompt-length", type=int, default=16)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--d-model", type=int, default=384)
    parser.add_argument("--heads", type=int, default=6)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each line")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser.parse_args()


def print_rows(name, a, seconds_of):
    """A line for each batch and number of threads. seconds_of(batch, threads): the seconds of each measurement."""
    if not a.json:
        print(f"{name}\nbatch threads  tokens  median s    best s  tokens/s", flush=True)
    for batch in a.batch:
        for threads in a.threads:
            seconds = seconds_of(batch, threads)
            median, tokens = statistics.median(seconds), batch * a.tokens
            row = {
                "batch": batch,
                "threads": threads,
                "tokens": tokens,
                "seconds": median,
                "best_seconds": min(seconds),
                "tokens_per_second": tokens / median,
            }
            line = "{batch:>5} {threads:>7} {tokens:>7} {seconds:>9.3f} {best_seconds:>9.3f} {tokens_per_second:>9.0f}"
            print(json.dumps(row) if a.json else line.format(**row), flush=True)
