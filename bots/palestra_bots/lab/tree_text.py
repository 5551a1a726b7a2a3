"""A traced search tree in a terminal, in plain ASCII."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from palestra_bots.lab.traced import Node

ASCII = {"=": "=", "≤": "<=", "≥": ">="}


def number(value: float, infinity: str = "inf") -> str:
    """8, -1.5, inf, -inf."""
    if abs(value) == inf:
        return infinity if value > 0 else f"-{infinity}"
    return f"{value:.10g}"


def outline(root: Node) -> str:
    """The tree, one node a line; children stand under their parent."""
    return "\n".join(_lines(root, "", ""))


def _lines(node: Node, first: str, rest: str) -> Iterator[str]:
    yield first + _describe(node)
    for child in node.children:
        last = child is node.children[-1]
        yield from _lines(child, rest + ("`-- " if last else "|-- "), rest + ("    " if last else "|   "))


def _describe(node: Node) -> str:
    words = [node.name] if node.name else []
    if node.value is None:
        shown = f"{number(node.leaf_value)}, " if node.leaf_value is not None else ""
        shown += f"{node.hidden + 1} positions " if node.hidden else ""
        words.append(f"({shown}not visited)")
    elif node.leaf:
        words.append(number(node.value))
    else:
        assert node.window is not None  # it was visited
        alpha, beta = node.window
        words.append(f"{'MAX' if node.maximizing else 'MIN'} {ASCII[node.relation]} {number(node.value)}")
        words.append(f"window ({number(alpha)}, {number(beta)})")
        if node.cut_off:
            words.append(
                f"cut: {number(node.value)} {f'>= {number(beta)}' if node.maximizing else f'<= {number(alpha)}'}"
            )
    if node.principal:
        words.append("*")
    return " ".join(words)
