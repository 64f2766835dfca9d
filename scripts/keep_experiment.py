#!/usr/bin/env python3
"""Keeps what sweeps found in docs/experiments, where a reader sees it without running anything.

Usage: scripts/keep_experiment.py SWEEP ... [--to DIRECTORY]

For each sweep's directory (runs/02_shared_weights): NAME.csv, its cells with the metric, the comparison with the best
and the figures that the sweep shows; NAME_runs.csv, the same figures seed by seed; and of a sweep with several cells
NAME_pairs.csv, the comparison of cells that differ in one axis, and NAME.png, the charts of its page, which headless
Chromium draws.
"""
import argparse
import csv
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
USUAL = ("parameters", "multiply_adds", "seconds", "tokens_per_second")
# The charts alone, in the order of the page, and how high they are.
ADDED = """<style>header, nav, section:not(#charts):not(#shown), .chooser, footer { display: none !important; }</style>
<script>document.title = 'height ' + document.documentElement.scrollHeight;</script></body>"""


def rounded(value):
    return f"{value:.5g}" if isinstance(value, (int, float)) else ""


def rows_of(results, figures):
    """Header and lines: axes, seeds, the metric, what is shown, what it cost, the comparison with the best."""
    yield results["axes"] + ["seeds"] + [part for name in figures for part in (name, f"{name} ±")] + ["to best", "p", "p (Holm)"]
    for cell in results["cells"]:
        spreads = [cell.get(name, {}).get(part) for name in figures for part in ("mean", "deviation")]
        best = cell["to_best"] or {}
        numbers = map(rounded, [*spreads, best.get("difference"), best.get("p"), best.get("p_holm")])
        yield [cell["settings"][axis] for axis in results["axes"]] + [cell["seeds"], *numbers]


def runs_of(sweep, results, figures):
    """Header and lines: axes, seed, and the figures of each run."""
    yield results["axes"] + ["seed"] + figures
    with open(sweep / "runs.csv", newline="", encoding="utf-8") as file:
        for run in csv.DictReader(file):
            numbers = [rounded(float(run[name])) if run.get(name) else "" for name in figures]
            yield [run[axis] for axis in [*results["axes"], "seed"]] + numbers


def pairs_of(results):
    """Header and lines: each two cells that differ in one axis and were tested on the same."""
    yield results["axes"] + ["other", f"{results['metric']}, minus the other's", "low", "high", "p", "p (Holm)"]
    for pair in results["comparisons"]:
        one, other, result = pair["one"], pair["other"], pair["result"]
        differing = [axis for axis in results["axes"] if one[axis] != other[axis]]
        if result and len(differing) == 1:
            numbers = [result["difference"], *result["interval"], result["p"], result.get("p_holm")]
            yield [*one.values(), other[differing[0]], *map(rounded, numbers)]


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def draw(report, picture):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"no headless Chromium ({', '.join(BROWSERS)}): `./dev deps test` installs it")
    with tempfile.TemporaryDirectory() as directory:
        page = pathlib.Path(directory) / "page.html"
        page.write_text(report.read_text(encoding="utf-8").replace("</body>", ADDED), encoding="utf-8")

        def browse(height, option):
            command = [browser, "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000",
                       f"--window-size=1000,{height}", option, page.as_uri()]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        height = re.search(r"<title>height (\d+)</title>", browse(100, "--dump-dom"))[1]
        browse(height, f"--screenshot={picture.resolve()}")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("sweeps", nargs="+", type=pathlib.Path)
parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path("docs/experiments"))
arguments = parser.parse_args()
arguments.to.mkdir(parents=True, exist_ok=True)
for sweep in arguments.sweeps:
    results = json.loads((sweep / "results.json").read_text(encoding="utf-8"))
    figures = list(dict.fromkeys([results["metric"], *results["show"], *USUAL]))
    kept = str(arguments.to / sweep.resolve().name)
    write(f"{kept}.csv", rows_of(results, figures))
    write(f"{kept}_runs.csv", runs_of(sweep, results, figures))
    if results["comparisons"]:
        write(f"{kept}_pairs.csv", pairs_of(results))
    if len(results["cells"]) > 1:
        draw(sweep / "report.html", pathlib.Path(f"{kept}.png"))
