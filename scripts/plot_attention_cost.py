#!/usr/bin/env python3
"""Draws what a self-attention costs over the length of sequences, the number of heads and the width, as an SVG file.

Usage: ./dev bench heads heads width length --json | scripts/plot_attention_cost.py OUTPUT.svg

Points are times, forward and backward, of 4,096 rows. Dashed lines are what theory says, at the best rate of the line:
O(n d²) for the projections, O(h n² d_head) for scores and weighted values, O(n d d_o) for the output.
"""
import json
import math
import sys

sys.dont_write_bytecode = True
from plot_run import INK, LEFT, PANEL, RIGHT, WIDTH, Panel, text, write_svg  # noqa: E402

PARTS = {"projections": ("queries, keys, values", "#2f6fb3"), "attention": ("scores, weighted values", "#d2691e"),
         "output": ("output", "#3a8f4d")}
PANELS = [("length, d_model 256, 4 heads", "n", lambda row: row["rule"] == "length" and row["d_model"] == 256),
          ("heads of 32 columns, d_model 256, n 128", "heads", lambda row: row["rule"] == "heads, fixed d_head"),
          ("heads of 256 / h columns, d_model 256, n 128", "heads", lambda row: row["rule"] == "heads, fixed width"),
          ("d_model, 4 heads, n 128", "d_model", lambda row: row["rule"] == "d_model")]


class LogPanel(Panel):
    """Both axes logarithmic; the horizontal one has a tick at each point."""

    def __init__(self, number, places, low, high):
        super().__init__(number, math.log2(places[-1] / places[0]), low, high, logarithmic=True)
        self.places = places

    def x(self, place):
        return super().x(math.log2(place / self.places[0]))

    def dashed(self, points, colour):
        path = " ".join(f"{self.x(place):.1f},{self.y(value):.1f}" for place, value in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-dasharray="4 4"/>'

    def place_axis(self):
        for place in self.places:
            yield text(self.x(place), self.top + PANEL + 18, f"{place}", anchor="middle")


def decades(values):
    return 10.0 ** math.floor(math.log10(min(values))), 10.0 ** math.ceil(math.log10(max(values)))


def draw_panel(number, title, along, rows):
    values = [row[f"{part}_ms"] for row in rows for part in PARTS]
    low, high = decades(values)
    panel = LogPanel(number, [row[along] for row in rows], low, high)
    powers = range(round(math.log10(low)), round(math.log10(high)) + 1)
    ticks = [(10.0 ** k, f"{10.0 ** k:g} ms" if k < 3 else f"{10.0 ** (k - 3):g} s") for k in powers]
    yield from panel.axes(title, ticks, list(PARTS.values()) if number == 0 else [])
    for part, (_, colour) in PARTS.items():
        work = [row[f"{part.removesuffix('s')}_multiply_adds"] for row in rows]
        rate = min(row[f"{part}_ms"] / amount for row, amount in zip(rows, work))
        theory = [(row[along], amount * rate) for row, amount in zip(rows, work)]
        yield from panel.dashed([(place, value) for place, value in theory if value >= low], colour)
        yield from panel.curve([(row[along], row[f"{part}_ms"]) for row in rows], colour, dots=True)
    yield from panel.place_axis()


def draw(rows):
    for number, (title, along, belongs) in enumerate(PANELS):
        chosen = [row for row in rows if belongs(row)]
        if not chosen:
            sys.exit(f"no line about {title} came in: run the parts heads, width and length")
        yield from draw_panel(number, title, along, chosen)
    yield text((LEFT + WIDTH - RIGHT) / 2, 4 * PANEL + 4 * 44 + 30,
               "dashed: in proportion to the multiply-adds, at the best rate of the line", INK, "middle")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_svg(sys.argv[1], len(PANELS), draw([json.loads(line) for line in sys.stdin if line.startswith("{")]))


if __name__ == "__main__":
    main()
