#!/usr/bin/env python3
"""Draws loss and accuracy of a run over its steps, from metrics.jsonl, as an SVG file.

Usage: scripts/plot_run.py RUN OUTPUT.svg
"""
import json
import math
import pathlib
import sys

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP, BOTTOM = 760, 170, 64, 24, 34, 44, 46
TRAINING, VALIDATION, INK, GRID = "#2f6fb3", "#d2691e", "#333333", "#e3e3e3"
MOST_POINTS = 320  # of a curve; more steps than that are averaged


class Panel:
    """One pair of axes: steps to the right, a quantity upwards, linear or logarithmic."""

    def __init__(self, number, steps, low, high, logarithmic=False):
        self.top = TOP + number * (PANEL + GAP)
        self.steps, self.low, self.high, self.logarithmic = steps, low, high, logarithmic

    def x(self, step):
        return LEFT + (WIDTH - LEFT - RIGHT) * step / self.steps

    def y(self, value):
        scale = math.log10 if self.logarithmic else float
        low, high = scale(self.low), scale(self.high)
        part = (scale(max(value, self.low)) - low) / (high - low)
        return self.top + PANEL * (1 - part)

    def curve(self, points, colour, dots=False):
        place = [(self.x(step), self.y(value)) for step, value in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in place)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        if dots:
            yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{colour}"/>' for x, y in place)

    def axes(self, title, ticks, names):
        yield text(LEFT, self.top - 12, title, weight="bold")
        right = WIDTH - RIGHT
        for value, label in ticks:
            y = self.y(value)
            yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="{GRID}"/>'
            yield text(LEFT - 8, y + 4, label, anchor="end")
        for name, colour in reversed(names):
            yield text(right, self.top - 12, name, colour, "end")
            right -= 8 * len(name)

    def step_axis(self):
        bottom = self.top + PANEL
        for step in step_ticks(self.steps):
            yield text(self.x(step), bottom + 18, f"{step:,}", anchor="middle")
        yield text((LEFT + WIDTH - RIGHT) / 2, bottom + 38, "training step", anchor="middle")


def text(x, y, content, colour=INK, anchor="start", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" '
            f'font-weight="{weight}">{content}</text>')


def step_ticks(steps):
    """About five round numbers up to the last step."""
    rough = steps / 5
    unit = 10 ** math.floor(math.log10(rough)) if rough >= 1 else 1
    distance = max(1, int(next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)))
    return range(0, steps + 1, distance)


def averaged(points):
    """Means of neighbours, so that at most MOST_POINTS are left."""
    size = math.ceil(len(points) / MOST_POINTS)
    groups = (points[i:i + size] for i in range(0, len(points), size))
    return [tuple(sum(column) / len(group) for column in zip(*group)) for group in groups]


def draw(lines):
    training = [line for line in lines if "split" not in line]
    validation = [line for line in lines if line.get("split") == "validation"]
    steps = training[-1]["step"]

    def series(of, key, factor=1):
        return [(line["step"], factor * line[key]) for line in of if line.get(key) is not None]

    losses = averaged(series(training, "loss"))
    validation_losses = series(validation, "loss")
    values = [value for _, value in losses + validation_losses if value > 0]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    names = [("training", TRAINING), ("validation", VALIDATION)]
    loss = Panel(0, steps, 10.0 ** low, 10.0 ** high, logarithmic=True)
    yield from loss.axes("loss, nats a token", [(10.0 ** k, f"{10.0 ** k:g}") for k in range(low, high + 1)], names)
    yield from loss.curve(losses, TRAINING)
    yield from loss.curve(validation_losses, VALIDATION, dots=True)

    accuracy = Panel(1, steps, 0, 100)
    yield from accuracy.axes("accuracy", [(k, f"{k} %") for k in range(0, 101, 25)],
                             [("tokens, training", TRAINING), ("whole sequences, validation", VALIDATION)])
    yield from accuracy.curve(averaged(series(training, "token_accuracy", 100)), TRAINING)
    yield from accuracy.curve(series(validation, "sequence_accuracy", 100), VALIDATION, dots=True)
    yield from accuracy.step_axis()


def write_svg(path, panels, elements):
    height = TOP + panels * PANEL + (panels - 1) * GAP + BOTTOM
    content = "\n".join(elements)
    pathlib.Path(path).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="#ffffff"/>\n{content}\n</svg>\n')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    metrics = pathlib.Path(sys.argv[1]) / "metrics.jsonl"
    if not metrics.is_file():
        sys.exit(f"{metrics} is not there: {sys.argv[1]} is no run directory, or its training has not begun")
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    write_svg(sys.argv[2], 2, draw(lines))


if __name__ == "__main__":
    main()
