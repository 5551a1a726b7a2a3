"""Alpha-beta and minimax that keep the tree they searched: windows, bounds, and what was cut.

The search is that of `search.reference.alphabeta`, node for node, except that it keeps the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from palestra_lab.tree_positions import Position


@dataclass(slots=True)
class Node:
    """A node of the drawn tree. What the search never reached has no `value` and no `window`."""

    name: str  # the action that leads here; "" at the root and in trees of numbers
    maximizing: bool
    leaf: bool
    window: tuple[float, float] | None = None  # (alpha, beta) when the search arrived here
    value: float | None = None  # what the search returned: the minimax value, or a bound that was enough
    known: tuple[float, float] = (-inf, inf)  # the bounds that the visited leaves put on the minimax value
    leaf_value: float | None = None  # the value of a leaf, visited or not
    principal: bool = False  # whether the node is on the principal variation
    children: list[Node] = field(default_factory=list)
    hidden: int = 0  # positions that this node stands for besides itself: cut, counted, and not drawn one by one

    @property
    def visited(self) -> bool:
        return self.value is not None

    @property
    def relation(self) -> str:
        """What `value` is: "=" the minimax value, "≤" an upper bound of it, "≥" a lower bound."""
        low, high = self.known
        return "=" if low == high else "≤" if self.value == high else "≥"

    @property
    def cut_off(self) -> bool:
        """Whether the search left this node before its last child."""
        return self.visited and any(not child.visited for child in self.children)

    def count(self) -> tuple[int, int]:
        """(visited nodes, all nodes) from here down, this one included."""
        visited, every = int(self.visited), 1 + self.hidden
        for child in self.children:
            below, all_below = child.count()
            visited, every = visited + below, every + all_below
        return visited, every


def trace(root: Position, *, prune: bool, max_leaves: int) -> Node:
    """Searches `root` with the full window, by alpha-beta or (not `prune`) by minimax, and keeps the tree.

    What was cut is in it too, if the whole tree has at most `max_leaves` leaves; else one node stands for all that a
    cut left out, and counts them. Raises ValueError, a sentence, if there are more leaves even so.
    """
    node = _Tracer(prune, _leaves(root, max_leaves + 1) <= max_leaves, max_leaves).search(root, "", -inf, inf)
    on_line: Node | None = node
    while on_line is not None:
        on_line.principal = True
        # The root's window was open, so a child whose value is only a bound is worse than the first of the best.
        on_line = next((c for c in on_line.children if c.value == node.value and c.relation == "="), None)
    return node


def _leaves(position: Position, enough: int) -> int:
    """How many leaves the tree has; counting stops at `enough`."""
    children = position.children()
    count = 0 if children else 1
    for _, child in children:
        if count >= enough:
            break
        count += _leaves(child, enough - count)
    return count


def _size(position: Position) -> int:
    return 1 + sum(_size(child) for _, child in position.children())


class _Tracer:
    """One search, and how many leaves its picture may still hold."""

    def __init__(self, prune: bool, whole: bool, max_leaves: int) -> None:
        self.prune = prune
        # Whether cut subtrees are drawn.
        self.whole = whole
        self.max_leaves = max_leaves
        self.drawn = 0

    def search(self, position: Position, name: str, alpha: float, beta: float) -> Node:
        children = position.children()
        maximizing = position.maximizing
        node = Node(name, maximizing, leaf=not children, window=(alpha, beta))
        if not children:
            self._draw_leaf()
            node.value = node.leaf_value = position.value()
            node.known = (node.value, node.value)
            return node
        best = max if maximizing else min
        value = -inf if maximizing else inf
        for place, (action, below) in enumerate(children, start=1):
            child = self.search(below, action, alpha, beta)
            node.children.append(child)
            assert child.value is not None  # it was searched just now
            value = best(value, child.value)
            if self.prune and maximizing:
                alpha = max(alpha, value)
            elif self.prune:
                beta = min(beta, value)
            if alpha >= beta:
                node.children += self._cut(children[place:])
                break
        node.value = value
        node.known = (best(c.known[0] for c in node.children), best(c.known[1] for c in node.children))
        return node

    def _cut(self, children: Sequence[tuple[str, Position]]) -> list[Node]:
        """The nodes for what the search leaves out."""
        if not children:
            return []
        if not self.whole:
            self._draw_leaf()
            positions = sum(_size(position) for _, position in children)
            return [Node(f"{len(children)} more", children[0][1].maximizing, leaf=False, hidden=positions - 1)]
        nodes = []
        for name, position in children:
            below = position.children()
            nodes.append(Node(name, position.maximizing, leaf=not below, children=self._cut(below)))
            if not below:
                nodes[-1].leaf_value = position.value()
        return nodes

    def _draw_leaf(self) -> None:
        self.drawn += 1
        if self.drawn > self.max_leaves:
            raise ValueError(
                f"This tree has too many leaves for a picture, which holds {self.max_leaves}; take a smaller depth."
            )
