#!/usr/bin/env python3
"""Keeps what a sweep found where a reader sees it without running anything.

Usage: scripts/keep_experiment.py SWEEP ... [--to docs/experiments]

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
WIDTH = 1000  # pixels
USUAL = ("parameters", "multiply_adds", "seconds", "tokens_per_second")
# The charts alone, in the order of the page.
STYLE = "<style>header, nav, section:not(#charts):not(#shown), .chooser, footer { display: none !important; }</style>"
HEIGHT = "<script>document.title = 'height ' + document.documentElement.scrollHeight;</script>"


def rounded(value):
    return f"{value:.5g}" if isinstance(value, (int, float)) else ""


def figures_of(results):
    """The metric, what the sweep shows, and what it cost, each once."""
    return list(dict.fromkeys([results["metric"], *results["show"], *USUAL]))


def rows_of(results):
    """Header and lines: axes, seeds, the metric, the comparison with the best, what is shown, what it cost."""
    axes, figures = results["axes"], figures_of(results)
    yield axes + ["seeds"] + [part for name in figures for part in (name, f"{name} ±")] + ["to best", "p"]
    for cell in results["cells"]:
        row = [cell["settings"][axis] for axis in axes] + [cell["seeds"]]
        for name in figures:
            spread = cell.get(name, {})
            row += [rounded(spread.get("mean")), rounded(spread.get("deviation"))]
        best = cell["to_best"] or {}
        yield row + [rounded(best.get("difference")), rounded(best.get("p"))]


def runs_of(sweep, results):
    """Header and lines: axes, seed, and the figures of each run."""
    figures = figures_of(results)
    yield results["axes"] + ["seed"] + figures
    with open(sweep / "runs.csv", newline="", encoding="utf-8") as file:
        for run in csv.DictReader(file):
            numbers = [rounded(float(run[name])) if run.get(name) else "" for name in figures]
            yield [run[axis] for axis in results["axes"]] + [run["seed"]] + numbers


def pairs_of(results):
    """Header and lines: each two cells that differ in one axis and were tested on the same."""
    yield results["axes"] + ["other", f"{results['metric']}, minus the other's", "low", "high", "p"]
    for pair in results["comparisons"]:
        one, other, result = pair["one"], pair["other"], pair["result"]
        differing = [axis for axis in results["axes"] if one[axis] != other[axis]]
        if result and len(differing) == 1:
            numbers = [result["difference"], *result["interval"], result["p"]]
            yield list(one.values()) + [other[differing[0]]] + [rounded(number) for number in numbers]


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def browse(browser, page, *options):
    command = [browser, "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000", *options,
               page.as_uri()]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def draw(report, picture):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"no headless Chromium ({', '.join(BROWSERS)}): `./dev deps test` installs it")
    text = report.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as directory:
        page = pathlib.Path(directory) / "page.html"
        page.write_text(text.replace("</body>", STYLE + HEIGHT + "</body>"), encoding="utf-8")
        dom = browse(browser, page, f"--window-size={WIDTH},100", "--dump-dom")
        height = re.search(r"<title>height (\d+)</title>", dom).group(1)
        browse(browser, page, f"--window-size={WIDTH},{height}", f"--screenshot={picture.resolve()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sweeps", nargs="+", type=pathlib.Path)
    parser.add_argument("--to", type=pathlib.Path, default=pathlib.Path("docs/experiments"))
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    for sweep in arguments.sweeps:
        results = json.loads((sweep / "results.json").read_text(encoding="utf-8"))
        name = sweep.resolve().name
        write(arguments.to / f"{name}.csv", rows_of(results))
        write(arguments.to / f"{name}_runs.csv", runs_of(sweep, results))
        if results["comparisons"]:
            write(arguments.to / f"{name}_pairs.csv", pairs_of(results))
        if len(results["cells"]) > 1:
            draw(sweep / "report.html", arguments.to / f"{name}.png")


if __name__ == "__main__":
    main()
