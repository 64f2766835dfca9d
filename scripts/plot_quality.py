#!/usr/bin/env python3
"""Draws BLEU on the validation split over the minutes of training, as an SVG file.

Usage: ./dev bench multi30k RUN --json | scripts/plot_quality.py OUTPUT.svg
"""
import json
import sys

sys.dont_write_bytecode = True
from plot_run import INK, LEFT, PANEL, RIGHT, TRAINING, WIDTH, Panel, step_ticks, text, write_svg  # noqa: E402


def draw(points):
    minutes = points[-1][0]
    best = max(bleu for _, bleu in points)
    panel = Panel(0, minutes, 0, 10 * (best // 10 + 1))
    ticks = [(value, f"{value:g}") for value in range(0, int(panel.high) + 1, 10)]
    yield from panel.axes("BLEU on the validation split", ticks, [(f"{points[-1][1]:.1f} at the end", TRAINING)])
    yield from panel.curve(points, TRAINING, dots=True)
    bottom = panel.top + PANEL
    for minute in step_ticks(int(minutes)):
        yield text(panel.x(minute), bottom + 18, f"{minute}", anchor="middle")
    yield text((LEFT + WIDTH - RIGHT) / 2, bottom + 38, "minutes of training", INK, "middle")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = [json.loads(line) for line in sys.stdin]
    points = [(row["minutes"], row["bleu"]) for row in rows if row.get("bleu") is not None]
    if not points:
        sys.exit("no line with minutes and bleu came in: has the run been evaluated?")
    write_svg(sys.argv[1], 1, draw(points))


if __name__ == "__main__":
    main()
