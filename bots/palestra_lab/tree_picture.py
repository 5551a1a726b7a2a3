"""A traced search tree as a picture: MAX as squares, MIN as round boxes, windows under them, cuts dashed in grey.

Leaves stand side by side, and each inner node above the middle of its children.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final

from palestra_lab.svg import FAINT, INK, Drawing, text_width
from palestra_lab.traced import Node

MARGIN: Final = 24
TOP: Final = 84
LEVEL: Final = 108
BOX: Final = 30  # height of a node's box; its width grows with the number in it
GAP: Final = 10  # between boxes side by side; FAMILY_GAP between those of different parents
FAMILY_GAP: Final = 22
SAMPLE: Final = 20  # size of the boxes in the legend
VALUE_SIZE: Final = 13
SMALL: Final = 10
LINE_OF_TEXT: Final = 16

MAX_FILL, MAX_LINE = "#dcebf7", "#0072b2"
MIN_FILL, MIN_LINE = "#fdebd3", "#c25a00"
LEAF_FILL, LEAF_LINE = "#f4f5f7", "#9aa5b1"
EDGE, LINE_OF_PLAY, CUT, CUT_INK = "#616e7c", "#d4a000", "#b8c0c8", "#98a2ad"
WHY: Final = "#c0262d"


@dataclass(slots=True)
class _Placed:
    node: Node
    x: float
    level: int
    children: list[_Placed]


def tree_picture(root: Node, title: str) -> Drawing:
    """The picture of a tree, with a legend, and how much of it was visited."""
    slots = _Slots(root)
    placed = slots.place(root, 0)
    visited, every = root.count()
    note = f"{visited} of {every} positions visited"
    width = max(slots.right + MARGIN, text_width(title, 16) + 2 * MARGIN, 640)
    shift = (width - slots.right - MARGIN) / 2
    level_height = min(max(LEVEL, width / 18), 2 * LEVEL)  # or the edges of a wide tree would lie flat
    bottom = TOP + level_height * slots.deepest + BOX
    drawing = Drawing(width, bottom + 76, title)
    drawing.text(MARGIN, 30, title, font_size=16, text_anchor="start", font_weight="bold")
    drawing.text(MARGIN, 50, note, font_size=12, text_anchor="start", fill=FAINT)
    _edges(drawing, placed, shift, level_height)
    _boxes(drawing, placed, shift, level_height)
    _legend(drawing, bottom + 50)
    return drawing


def number(value: float, infinity: str = "inf") -> str:
    """8, -1.5, inf, -inf."""
    if abs(value) == inf:
        return infinity if value > 0 else f"-{infinity}"
    return f"{value:.10g}"


def _shown(value: float) -> str:
    return number(value, "∞").replace("-", "−")


def _label(node: Node) -> str:
    if node.value is None:
        return "" if node.leaf_value is None else _shown(node.leaf_value)
    sign = "" if node.relation == "=" else f"{node.relation} "
    return sign + _shown(node.value)


def _window(node: Node) -> str:
    if node.window is None or node.leaf:
        return ""
    return f"({_shown(node.window[0])}, {_shown(node.window[1])})"


def _why(node: Node) -> str:
    """Why the search left this node early; "" if it did not."""
    if node.value is None or not node.cut_off:
        return ""
    return f"{_shown(node.value)} ≥ β" if node.maximizing else f"{_shown(node.value)} ≤ α"


def _below(node: Node) -> str:
    """The text under a node that stands for many."""
    return f"{node.hidden + 1} cut" if node.hidden else ""


class _Slots:
    """Assigns every node its place, from left to right."""

    def __init__(self, root: Node) -> None:
        # One width for all boxes, so that the levels look even.
        self.box = max(BOX, *(text_width(_label(node), VALUE_SIZE) + 10 for node in _all(root)))
        small = (max(text_width(words, SMALL) for words in (node.name, _below(node))) for node in _all(root))
        self.step = max(self.box, *small) + GAP
        self.inner = max((text_width(_window(node), SMALL) for node in _all(root)), default=0) + GAP
        self.right: float = MARGIN
        self.deepest = 0

    def place(self, node: Node, level: int) -> _Placed:
        self.deepest = max(self.deepest, level)
        if not node.children:
            width = self.step if node.leaf or not node.visited else max(self.step, self.inner)
            placed = _Placed(node, self.right + width / 2, level, [])
            self.right += width
            return placed
        left = self.right
        children = [self.place(child, level + 1) for child in node.children]
        # A window is wider than a lone leaf: the family gets the room that its parent needs.
        missing = self.inner - (self.right - left)
        if missing > 0:
            for child in children:
                _move(child, missing / 2)
            self.right += missing
        if not any(child.children for child in children):
            self.right += FAMILY_GAP - GAP
        return _Placed(node, (children[0].x + children[-1].x) / 2, level, children)


def _all(node: Node) -> list[Node]:
    return [node, *(below for child in node.children for below in _all(child))]


def _move(placed: _Placed, by: float) -> None:
    placed.x += by
    for child in placed.children:
        _move(child, by)


def _edges(drawing: Drawing, placed: _Placed, shift: float, level_height: float) -> None:
    y = TOP + level_height * placed.level
    begin = y + BOX + (LINE_OF_TEXT if _window(placed.node) else 0) + (LINE_OF_TEXT if _why(placed.node) else 0)
    for child in placed.children:
        node, below = child.node, TOP + level_height * child.level
        ends = (placed.x + shift, begin, child.x + shift, below - (LINE_OF_TEXT if node.name else 0))
        if not node.visited:
            drawing.line(*ends, stroke=CUT, stroke_dasharray="4 4")
            if placed.node.visited:
                _scissors(drawing, *ends)
        elif node.principal:
            drawing.line(*ends, stroke=LINE_OF_PLAY, stroke_width=4)
        else:
            drawing.line(*ends, stroke=EDGE, stroke_width=1.2)
        _edges(drawing, child, shift, level_height)


def _scissors(drawing: Drawing, x1: float, y1: float, x2: float, y2: float) -> None:
    """Two short strokes across an edge, the usual mark of a cut."""
    for part in (0.6, 0.66):
        x, y = x1 + part * (x2 - x1), y1 + part * (y2 - y1)
        drawing.line(x - 6, y + 3, x + 6, y - 3, stroke=WHY, stroke_width=1.6)


def _boxes(drawing: Drawing, placed: _Placed, shift: float, level_height: float) -> None:
    for child in placed.children:
        _boxes(drawing, child, shift, level_height)
    node, x, y = placed.node, placed.x + shift, TOP + level_height * placed.level
    label = _label(node)
    width = max(BOX, text_width(label, VALUE_SIZE) + 10)
    _box(drawing, x - width / 2, y, width, node)
    ink, faint = (INK, FAINT) if node.visited else (CUT_INK, CUT_INK)
    weight = "bold" if node.principal else ""
    drawing.text(x, y + BOX / 2 + 5, label, font_size=VALUE_SIZE, fill=ink, font_weight=weight)
    drawing.text(x, y - 5, node.name, font_size=SMALL, fill=ink)
    drawing.text(x, y + BOX + 13, _window(node) or _below(node), font_size=SMALL, fill=faint)
    drawing.text(x, y + BOX + LINE_OF_TEXT + 12, _why(node), font_size=SMALL, fill=WHY, font_weight="bold")


def _box(drawing: Drawing, x: float, y: float, width: float, node: Node, height: float = BOX) -> None:
    radius = 3 if node.maximizing else height / 2
    if node.leaf:
        fill, stroke, radius = LEAF_FILL, LEAF_LINE, 3
    elif node.maximizing:
        fill, stroke = MAX_FILL, MAX_LINE
    else:
        fill, stroke = MIN_FILL, MIN_LINE
    if not node.visited:
        drawing.rect(x, y, width, height, fill="#ffffff", stroke=CUT, rx=radius, stroke_dasharray="3 3")
    elif node.principal:
        drawing.rect(x, y, width, height, fill=fill, stroke=LINE_OF_PLAY, stroke_width=3, rx=radius)
    else:
        drawing.rect(x, y, width, height, fill=fill, stroke=stroke, stroke_width=1.4, rx=radius)


def _legend(drawing: Drawing, y: float) -> None:
    x: float = MARGIN
    samples = (
        ("MAX", Node("", True, False, value=0)),
        ("MIN", Node("", False, False, value=0)),
        ("leaf", Node("", True, True, value=0)),
        ("principal variation", Node("", True, True, value=0, principal=True)),
        ("cut", Node("", True, False)),
    )
    for words, node in samples:
        _box(drawing, x, y - 7, SAMPLE, node, height=SAMPLE)
        drawing.text(x + SAMPLE + 8, y + 8, words, font_size=11, text_anchor="start", fill=FAINT)
        x += SAMPLE + 8 + text_width(words, 11) + 18
    drawing.text(x, y + 8, "(α, β) window", font_size=11, text_anchor="start", fill=FAINT)
