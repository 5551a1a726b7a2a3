"""A line chart with a logarithmic axis, as node counts need one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from palestra_lab.svg import FAINT, GRID, Drawing, text_width

# Okabe and Ito's palette: told apart by people with any kind of colour vision, and in print.
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
DASHES: Final = ("", "7 3", "2 3")  # once the palette is used up, dashes tell the lines apart

LEFT, TOP, BOTTOM, PLOT_WIDTH, PLOT_HEIGHT = 74, 56, 52, 640, 380
LEGEND_SIZE, LEGEND_STEP = 12, 36


@dataclass(frozen=True, slots=True)
class Series:
    """One line: its name, a remark in small print under the name, and points (x, y), y > 0."""

    name: str
    remark: str
    points: Sequence[tuple[float, float]]


def short_number(value: float) -> str:
    """1234 as "1.23k": three digits and k, M or G."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def log_chart(title: str, x_label: str, y_label: str, series: Sequence[Series]) -> Drawing:
    xs = [x for line in series for x, _ in line.points]
    logs = [math.log10(y) for line in series for _, y in line.points]
    low, high = math.floor(min(logs)), max(math.ceil(max(logs)), math.floor(min(logs)) + 1)
    first, last = min(xs), max(max(xs), min(xs) + 1)
    legend = 60 + max(text_width(words, LEGEND_SIZE) for line in series for words in (line.name, line.remark))
    height = max(TOP + PLOT_HEIGHT + BOTTOM, TOP + LEGEND_STEP * len(series) + 20)
    drawing = Drawing(LEFT + PLOT_WIDTH + legend, height, title)

    def at(x: float, y_log: float) -> tuple[float, float]:
        across, up = (x - first) / (last - first), (y_log - low) / (high - low)
        return LEFT + 8 + across * (PLOT_WIDTH - 16), TOP + (1 - up) * PLOT_HEIGHT

    drawing.text(LEFT, 30, title, font_size=16, text_anchor="start", font_weight="bold")
    for power in range(low, high + 1):
        _, y = at(first, power)
        drawing.line(LEFT, y, LEFT + PLOT_WIDTH, y, stroke=GRID)
        drawing.text(LEFT - 8, y + 4, short_number(10.0**power), font_size=12, text_anchor="end")
        if power < high and high - low <= 4:
            for minor in range(2, 10):
                _, y = at(first, power + math.log10(minor))
                drawing.line(LEFT, y, LEFT + 4, y, stroke=FAINT)
    for tick in _ticks(first, last):
        x, _ = at(tick, low)
        drawing.line(x, TOP + PLOT_HEIGHT, x, TOP + PLOT_HEIGHT + 5, stroke=FAINT)
        drawing.text(x, TOP + PLOT_HEIGHT + 20, str(tick), font_size=12)
    drawing.line(LEFT, TOP, LEFT, TOP + PLOT_HEIGHT, stroke=FAINT)
    drawing.line(LEFT, TOP + PLOT_HEIGHT, LEFT + PLOT_WIDTH, TOP + PLOT_HEIGHT, stroke=FAINT)
    drawing.text(LEFT + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 42, x_label)
    drawing.text(20, TOP + PLOT_HEIGHT / 2, y_label, upwards=True)

    for place, line in enumerate(series):
        colour, dash = COLOURS[place % len(COLOURS)], DASHES[place // len(COLOURS) % len(DASHES)]
        points = [at(x, math.log10(y)) for x, y in line.points]
        drawing.path(points, stroke=colour, stroke_dasharray=dash)
        for x, y in points:
            drawing.circle(x, y, 2.6, fill=colour)
        x, y = LEFT + PLOT_WIDTH + 16, TOP + 8 + LEGEND_STEP * place
        drawing.path([(x, y), (x + 26, y)], stroke=colour, stroke_width=3, stroke_dasharray=dash)
        drawing.circle(x + 13, y, 3.5, fill=colour)
        drawing.text(x + 34, y + 4, line.name, font_size=LEGEND_SIZE, text_anchor="start")
        drawing.text(x + 34, y + 18, line.remark, font_size=LEGEND_SIZE - 2, text_anchor="start", fill=FAINT)
    return drawing


def _ticks(first: float, last: float) -> range:
    """At most a dozen whole numbers from `first` to `last`, in steps of 1, 2 or 5 times a power of ten."""
    step = next(s for power in range(12) for s in (10**power, 2 * 10**power, 5 * 10**power) if (last - first) / s <= 12)
    return range(math.ceil(first / step) * step, math.floor(last) + 1, step)
