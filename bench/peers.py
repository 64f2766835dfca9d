#!/usr/bin/env python3
"""Measures tapehead beside others, in turns, on the same sizes, batches and threads.

    ./dev bench peers                           # all that follow, 1 and 2 threads
    ./dev bench peers step --sizes A B --threads 1 --json       # training steps of an encoder-decoder
    ./dev bench peers lm                                        # training steps of a small language model
    ./dev bench peers decode generate --threads 2               # translations, and text of a small GPT-2
    ./dev bench peers step lm --bfloat16                        # ours in bfloat16, PyTorch in both precisions
    ./dev bench peers step --beside PROGRAM                     # the tapehead_bench of another build

Each comparison runs ours, then each peer, then ours again, ROUNDS times. The table has the medians and, as the ratio,
the median of ours over the median of theirs, so that more than 1 means that tapehead is faster; `least` and `most` are
those of the single rounds. PyTorch is measured twice: as installed, and with the kernels of MKL that it takes on
Intel's CPUs alone; the language model's step a third time, with torch.compile. CTranslate2 decodes greedily and with
beam 5, in the best of its ways to share out the threads.

The peers run in a virtual environment, build/peers, that is made when it is missing, with the versions named below, or
in the Python that --python names. pip's own settings say where packages come from; on Linux the smaller builds of
PyTorch, for CPUs alone, lie in an index of their own, which PIP_INDEX_URL can name.
"""

import argparse
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PACKAGES = ["torch==2.13.0", "ctranslate2==4.8.0", "numpy"]
CASES = {"step": ["A", "B", "C", "D"], "lm": [""], "decode": [1, 5], "generate": [1, 16]}
LABELS = {"step": " ", "lm": "", "decode": ", beam ", "generate": ", batch "}
INTEL = "int mkl_serv_intel_cpu_true(void) { return 1; }\n"

# The options of our commands and their defaults, which the peers have, too.
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
    for count, threads in itertools.product(vars(a)[what], a.threads):
        tokens = count * a.tokens if what == "batch" else a.sentences * a.output_length
        seconds = seconds_of(count, threads)
        median, best = statistics.median(seconds), min(seconds)
        row = {what: count, "threads": threads, "tokens": tokens, "seconds": median, "best_seconds": best}
        row["tokens_per_second"] = tokens / median
        line = f"{count:>5} {threads:>7} {tokens:>7} {median:>9.3f} {best:>9.3f} {tokens / median:>9.0f}"
        print(json.dumps(row) if a.json else line, flush=True)


def commands(name, case, arguments, python, intel):
    """Our command and the others: each a name, words and environment. They print a rate as JSON."""
    pytorch, ctranslate2 = ["pytorch_peer.py", name], ["ctranslate2_peer.py", name]
    timed = ["--seconds", arguments.seconds]
    rounded = ["--set", "training.precision=bfloat16"] if arguments.bfloat16 else []
    options, peers = {
        "step": ([case, *timed], {"PyTorch": pytorch}),
        "lm": (timed, {"PyTorch": pytorch, "PyTorch, compiled": [*pytorch, "--compiled"]}),
        "decode": (["--beam", case], {"CTranslate2": ctranslate2}),
        "generate": (["--batch", case], {"PyTorch": pytorch, "CTranslate2": ctranslate2}),
    }[name]
    if arguments.bfloat16:
        peers["PyTorch, bfloat16"] = [*pytorch, "--bfloat16"]
    ours = [*(["step", "lm"] if name == "lm" else [name]), *options, *rounded]
    yield "tapehead", [BUILD / "tapehead_bench", *ours], {}
    if arguments.beside:
        yield "another build", [arguments.beside, *ours], {}
        return
    for peer, (script, work, *flags) in peers.items():
        command = [python, ROOT / "bench" / script, work, *options, *flags]
        yield peer, command, {}
        if peer == "PyTorch":
            yield "PyTorch, MKL forced", command, {"LD_PRELOAD": str(intel)}


def rate_of(name, command, environment):
    words = [str(word) for word in command]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    ran = subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        sys.exit(f"{name} failed: {' '.join(words)}")
    return json.loads(ran.stdout.splitlines()[-1])["tokens_per_second"]


def compare(what, programs, rounds):
    """One row for each peer."""
    rates = {name: [] for name, _, _ in programs}
    for _ in range(rounds):
        for program in programs:
            rates[program[0]].append(rate_of(*program))
    ours = rates.pop("tapehead")
    for peer, theirs in rates.items():
        single = [mine / other for mine, other in zip(ours, theirs)]
        mine, rate = statistics.median(ours), statistics.median(theirs)
        row = {"what": what, "unit": "tokens/s", "tapehead": mine, "peer": peer, "rate": rate, "ratio": mine / rate}
        yield {**row, "least": min(single), "most": max(single), "rounds": rounds}


def peers_python():
    """The Python of build/peers, which is made where it is missing."""
    environment = BUILD / "peers"
    python, done = environment / "bin/python", environment / "packages.txt"
    if not done.exists() or done.read_text().split() != PACKAGES:
        print(f"Installing {' '.join(PACKAGES)} into {environment}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True, stdout=sys.stderr)
        done.write_text("\n".join(PACKAGES))
    return python


def intel_library():
    """A library which, loaded first, tells MKL that the CPU is Intel's, so that it takes its best kernels."""
    library = BUILD / "mkl_intel_cpu.so"
    compiler = ["cc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library)]
    subprocess.run(compiler, input=INTEL, text=True, check=True)
    return library


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("comparisons", nargs="*", metavar="comparison", help=f"of {', '.join(CASES)}; default all")
    parser.add_argument("--sizes", nargs="+", default=CASES["step"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="time for the steps of one measurement")
    parser.add_argument("--bfloat16", action="store_true", help="step and lm: ours, and PyTorch also, in bfloat16")
    parser.add_argument("--python", type=pathlib.Path, help="a Python that has the peers")
    parser.add_argument("--beside", type=pathlib.Path, help="another build's tapehead_bench, instead of the peers")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    arguments = parser.parse_args()
    for name in arguments.comparisons:
        if name not in CASES:
            parser.error(f"no comparison {name}: there are {', '.join(CASES)}")
    if arguments.bfloat16 and not {"step", "lm"}.issuperset(arguments.comparisons or CASES):
        parser.error("--bfloat16 is for training steps: name step, lm or both")
    python = intel = None
    if not arguments.beside:
        python, intel = arguments.python or peers_python(), intel_library()
    if not arguments.json:
        print(f"{'what':<29}  {'tapehead':>10}  {'peer':<20}  {'rate':>10}  {'ratio':>6}  {'least':>6}  {'most':>6}")
    line = "{what:<29}  {tapehead:>10.0f}  {peer:<20}  {rate:>10.0f}  {ratio:>6.2f}  {least:>6.2f}  {most:>6.2f}"
    for name in arguments.comparisons or CASES:
        cases = arguments.sizes if name == "step" else CASES[name]
        for case, threads in itertools.product(cases, arguments.threads):
            programs = [
                (program, [*command, "--threads", threads, "--json"], environment)
                for program, command, environment in commands(name, case, arguments, python, intel)
            ]
            what = f"{name}{LABELS[name]}{case}, {threads} thread{'s' if threads > 1 else ''}"
            for row in compare(what, programs, arguments.rounds):
                print(json.dumps(row) if arguments.json else line.format(**row), flush=True)


if __name__ == "__main__":
    main()
