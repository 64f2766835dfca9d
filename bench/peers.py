#!/usr/bin/env python3
"""Measures tapehead beside others, in turns, on the same sizes, batches and threads.

    ./dev bench peers                           # all that follow, 1 and 2 threads
    ./dev bench peers step --sizes A B --threads 1 --json       # training steps of an encoder-decoder
    ./dev bench peers lm                                        # training steps of a small language model
    ./dev bench peers decode generate --threads 2               # translations, and text of a small GPT-2

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
import json
import os
import pathlib
import statistics
import subprocess
import sys
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
PACKAGES = ["torch==2.13.0", "ctranslate2==4.8.0", "numpy"]
INTEL = "int mkl_serv_intel_cpu_true(void) { return 1; }\n"


@dataclass
class Program:
    """One of those compared: a command that prints one JSON object a line, among them `rate`, in `unit`."""

    name: str
    command: list
    rate: str
    environment: dict = field(default_factory=dict)

    def run(self):
        ran = subprocess.run(
            [str(word) for word in self.command],
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **self.environment},
            stdout=subprocess.PIPE,
            text=True,
        )
        if ran.returncode != 0:
            sys.exit(f"{self.name} failed: {' '.join(map(str, self.command))}")
        return json.loads(ran.stdout.splitlines()[-1])[self.rate]


@dataclass
class Comparison:
    """Ours first, then the others."""

    what: str
    unit: str
    programs: list


RATE = "tokens_per_second"


def with_threads(what, threads):
    return f"{what}, {threads} thread{'s' if threads > 1 else ''}"


def ours(options):
    return Program("tapehead", [BUILD / "tapehead_bench", *options], RATE)


def pytorch(command, intel):
    """PyTorch as installed, and with MKL's best kernels."""
    forced = {"LD_PRELOAD": str(intel)}
    return [Program("PyTorch", command, RATE), Program("PyTorch, MKL forced", command, RATE, forced)]


def step_comparisons(arguments, python, intel):
    for size in arguments.sizes:
        for threads in arguments.threads:
            options = [size, "--threads", threads, "--seconds", arguments.seconds, "--json"]
            theirs = pytorch([python, ROOT / "bench/pytorch_step.py", *options], intel)
            yield Comparison(with_threads(f"step {size}", threads), "tokens/s", [ours(["step", *options]), *theirs])


def lm_comparisons(arguments, python, intel):
    for threads in arguments.threads:
        options = ["--threads", threads, "--seconds", arguments.seconds, "--json"]
        command = [python, ROOT / "bench/pytorch_lm.py", *options]
        theirs = [*pytorch(command, intel), Program("PyTorch, compiled", [*command, "--compiled"], RATE)]
        yield Comparison(with_threads("lm", threads), "tokens/s", [ours(["step", "lm", *options]), *theirs])


def decode_comparisons(arguments, python, intel):
    for beam in [1, 5]:
        for threads in arguments.threads:
            options = ["--beam", beam, "--threads", threads, "--json"]
            theirs = Program("CTranslate2", [python, ROOT / "bench/ctranslate2_decode.py", *options], RATE)
            yield Comparison(
                with_threads(f"decode, beam {beam}", threads), "tokens/s", [ours(["decode", *options]), theirs]
            )


def generate_comparisons(arguments, python, intel):
    for batch in [1, 16]:
        for threads in arguments.threads:
            options = ["--batch", batch, "--threads", threads, "--json"]
            theirs = [
                *pytorch([python, ROOT / "bench/pytorch_generate.py", *options], intel),
                Program("CTranslate2", [python, ROOT / "bench/ctranslate2_generate.py", *options], RATE),
            ]
            yield Comparison(
                with_threads(f"generate, batch {batch}", threads), "tokens/s", [ours(["generate", *options]), *theirs]
            )


COMPARISONS = {
    "step": step_comparisons,
    "lm": lm_comparisons,
    "decode": decode_comparisons,
    "generate": generate_comparisons,
}


def compare(comparison, rounds):
    """One row for each peer."""
    tapehead, *peers = comparison.programs
    rates = {program.name: [] for program in comparison.programs}
    for _ in range(rounds):
        for program in comparison.programs:
            rates[program.name].append(program.run())
    for peer in peers:
        single = [mine / theirs for mine, theirs in zip(rates[tapehead.name], rates[peer.name])]
        mine, theirs = statistics.median(rates[tapehead.name]), statistics.median(rates[peer.name])
        yield {
            "what": comparison.what,
            "unit": comparison.unit,
            "tapehead": mine,
            "peer": peer.name,
            "rate": theirs,
            "ratio": mine / theirs,
            "least": min(single),
            "most": max(single),
            "rounds": rounds,
        }


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
    parser.add_argument("comparisons", nargs="*", metavar="comparison", help=f"of {', '.join(COMPARISONS)}; default all")
    parser.add_argument("--sizes", nargs="+", default=["A", "B", "C", "D"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3, help="time for the steps of one measurement")
    parser.add_argument("--python", type=pathlib.Path, help="a Python that has the peers")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    arguments = parser.parse_args()
    for name in arguments.comparisons:
        if name not in COMPARISONS:
            parser.error(f"no comparison {name}: there are {', '.join(COMPARISONS)}")
    python, intel = arguments.python or peers_python(), intel_library()
    if not arguments.json:
        print(f"{'what':<29}  {'tapehead':>10}  {'peer':<20}  {'rate':>10}  {'ratio':>6}  {'least':>6}  {'most':>6}")
    for name in arguments.comparisons or COMPARISONS:
        for comparison in COMPARISONS[name](arguments, python, intel):
            for row in compare(comparison, arguments.rounds):
                if arguments.json:
                    print(json.dumps(row), flush=True)
                else:
                    print(
                        f"{row['what']:<29}  {row['tapehead']:>10.0f}  {row['peer']:<20}  {row['rate']:>10.0f}  "
                        f"{row['ratio']:>6.2f}  {row['least']:>6.2f}  {row['most']:>6.2f}  {row['unit']}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
