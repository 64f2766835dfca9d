#!/usr/bin/env python3
"""Fuzzes what reads files, two readers at a time, then asks the oracle about all files that this found.

Usage: fuzz.py PROGRAM NAME|all MINUTES (./dev fuzz builds the program). `all` shares the time out. What is found wrong lies
in `found` beside the program's build, and becomes a file of tests/fixtures/fuzz once it is mended.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import oracle

AT_ONCE = 2
ENOUGH = 1_000_000  # executions
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "fuzz"


def fuzz(program, name, seconds):
    """The number of executions, and what is wrong ("": nothing)."""
    work = program.parent.parent
    kept, found = work / "corpus" / name, work / "found"
    for directory in (kept, found):
        directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        done = subprocess.run(
            [program, f"--reader={name}", f"-max_total_time={seconds}", f"-runs={ENOUGH}", "-timeout=5",
             "-rss_limit_mb=1024", "-print_final_stats=1", f"-artifact_prefix={found}/{name}-", kept, FIXTURES / name],
            env={"ASAN_OPTIONS": "quarantine_size_mb=32:detect_stack_use_after_return=1", "UBSAN_OPTIONS":
                 "print_stacktrace=1", **os.environ, "TMPDIR": memory},
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    runs = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    places = re.findall(r"cov: (\d+)", done.stderr)
    print(f"{name}: {int(runs[1]) if runs else 0:,} executions, {places[-1] if places else 0} places", flush=True)
    begin = re.search(r"WRONG|ERROR|runtime error", done.stderr)
    wrong = "" if done.returncode == 0 else f"{name}: {done.stderr[begin.start() if begin else -3000:][:6000]}"
    if not wrong and name in oracle.COMPARED:
        files = sorted(str(file) for directory in (kept, FIXTURES / name) for file in directory.iterdir())
        wrong = oracle.complaints(program, name, files)
    return int(runs[1]) if runs else 0, wrong


def main():
    program, chosen, minutes = Path(sys.argv[1]).resolve(), sys.argv[2], float(sys.argv[3])
    names = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    if chosen != "all" and chosen not in names:
        sys.exit(f"dev: no reader '{chosen}'; there are: all, {', '.join(names)}.")
    names = names if chosen == "all" else [chosen]
    seconds = int(minutes * 60 * min(AT_ONCE, len(names)) / len(names))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(lambda name: fuzz(program, name, seconds), names))
    wrong = [text for _, text in results if text]
    print("\n".join(wrong), file=sys.stderr)
    print(f"{sum(runs for runs, _ in results):,} executions of {len(names)} readers in {minutes:g} minutes, {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
