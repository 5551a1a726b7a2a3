"""Drawn search trees: the search is the reference's, the cuts are the textbook's, and the picture shows them."""

import itertools
import random
from collections import defaultdict
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from palestra_bots import evaluations
from palestra_bots.search import reference
from palestra_games import get_game
from palestra_lab.cli import app
from palestra_lab.traced import trace
from palestra_lab.tree import outline
from palestra_lab.tree_picture import BOX, tree_picture
from palestra_lab.tree_positions import GamePosition, NumberPosition, read_numbers

SVG = "{http://www.w3.org/2000/svg}"
REPORT = [[8, 9, 10], [6, 12, 3], [9, 11, 7]]
"""Made to do what the 6x7 report tells of its figure: 8 at the root; 6 cuts off the second descendant at once, and in
the third the cut comes with the last child and saves nothing."""


def nodes(root):
    return [root, *(below for child in root.children for below in nodes(child))]


def line(root):
    return [node.name for node in nodes(root) if node.principal and node.name]


def traced(tree, prune=True, max_leaves=1000):
    return trace(NumberPosition(tree), prune=prune, max_leaves=max_leaves)


def test_the_textbook_s_example():
    """Russell and Norvig's tree: 3 at the root; the second MIN is left after its first leaf, the third is not."""
    root = traced([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    first, second, third = root.children
    assert (root.relation, root.value, root.window) == ("=", 3, (float("-inf"), float("inf")))
    assert (first.relation, first.value) == ("=", 3)
    assert (second.relation, second.value, second.window, second.cut_off) == ("≤", 2, (3, float("inf")), True)
    assert [leaf.visited for leaf in second.children] == [True, False, False]
    assert [leaf.leaf_value for leaf in second.children] == [2, 4, 6]
    assert (third.relation, third.value, third.cut_off) == ("=", 2, False)
    assert root.count() == (11, 13)
    assert [node.principal for node in (root, first, second, third)] == [True, True, False, False]


def test_what_the_6x7_report_tells_of_its_figure():
    root = traced(REPORT)
    assert root.value == traced(REPORT, prune=False).value == 8
    assert [child.cut_off for child in root.children] == [False, True, False]
    assert [(child.relation, child.value) for child in root.children] == [("=", 8), ("≤", 6), ("=", 7)]
    assert root.count() == (11, 13)
    assert traced(REPORT, prune=False).count() == (13, 13)


@pytest.mark.parametrize(("width", "depth"), [(2, 4), (3, 3), (4, 2), (3, 4)])
def test_with_the_best_first_the_minimal_tree_is_visited(width, depth):
    """Knuth and Moore 1975: width^ceil(depth/2) + width^floor(depth/2) - 1 leaves."""
    tree = 0
    for _ in range(depth):
        tree = [tree] * width
    visited = [node for node in nodes(traced(tree)) if node.leaf and node.visited]
    assert len(visited) == width ** ((depth + 1) // 2) + width ** (depth // 2) - 1


def minimax(tree, maximizing=True):
    if not isinstance(tree, list):
        return tree
    return (max if maximizing else min)(minimax(child, not maximizing) for child in tree)


def random_tree(rng, levels):
    if levels == 0 or rng.random() < 0.15:
        return rng.randrange(-9, 10)
    return [random_tree(rng, levels - 1) for _ in range(rng.randrange(1, 5))]


def test_bounds_are_true_and_the_values_those_of_minimax():
    rng = random.Random(5)
    for _ in range(300):
        tree = [random_tree(rng, 4) for _ in range(3)]
        root = traced(tree)
        assert (root.relation, root.value) == ("=", minimax(tree))

        def compare(node, part, maximizing):
            value = minimax(part, maximizing)
            if node.visited:
                assert node.known[0] <= value <= node.known[1]
                holds = {"=": value == node.value, "≤": value <= node.value, "≥": value >= node.value}
                assert holds[node.relation]
            for child, below in zip(node.children, part if isinstance(part, list) else [], strict=True):
                compare(child, below, not maximizing)

        compare(root, tree, True)


@pytest.mark.parametrize("game", ["connect4", "connect4-8x8", "desconecta4", "mancala"])
@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.slow
def test_a_game_s_tree_is_the_reference_search_node_for_node(game, prune):
    rng = random.Random(game)
    rules, evaluation = get_game(game), evaluations.default(game)
    for _ in range(5):
        state = rules.initial_state()
        for _ in range(rng.randrange(25)):
            after = state.apply(rng.choice(state.legal_actions()))
            state = after if after.returns() is None else state
        root = trace(GamePosition(rules, state, 3, state.to_move, evaluation), prune=prune, max_leaves=1000)
        tree = reference.Tree(state.to_move, evaluation)
        found = (reference.alphabeta if prune else reference.minimax)(tree, state, 3)
        assert root.value == found.value
        assert root.count()[0] == tree.nodes
        assert line(root) == [rules.action_name(action) for action in found.actions]


def test_a_large_tree_hides_what_was_cut_and_still_counts_it():
    rules = get_game("mancala")
    position = GamePosition(rules, rules.initial_state(), 3, 0, evaluations.default("mancala"))
    whole = trace(position, prune=True, max_leaves=1000)
    small = trace(position, prune=True, max_leaves=100)
    assert small.count() == whole.count()
    assert len(nodes(small)) < len(nodes(whole))
    assert any(node.hidden for node in nodes(small))
    with pytest.raises(ValueError, match="too many leaves for a picture, which holds 20"):
        trace(position, prune=True, max_leaves=20)


def test_the_outline_of_the_textbook_s_example():
    assert outline(traced([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).splitlines() == [
        "MAX = 3 window (-inf, inf) *",
        "|-- MIN = 3 window (-inf, inf) *",
        "|   |-- 3 *",
        "|   |-- 12",
        "|   `-- 8",
        "|-- MIN <= 2 window (3, inf) cut: 2 <= 3",
        "|   |-- 2",
        "|   |-- (4, not visited)",
        "|   `-- (6, not visited)",
        "`-- MIN = 2 window (3, inf)",
        "    |-- 14",
        "    |-- 5",
        "    `-- 2",
    ]


def test_the_picture_shows_bounds_windows_and_cuts():
    root = traced([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    svg = ElementTree.fromstring(str(tree_picture(root, "A & B")))
    words = [text.text for text in svg.iter(SVG + "text")]
    assert {"A & B", "11 of 13 positions visited", "≤ 2", "2 ≤ α", "(3, ∞)", "(−∞, ∞)"} <= set(words)
    dashed = [edge for edge in svg.iter(SVG + "line") if edge.get("stroke-dasharray")]
    assert len(dashed) == 2  # to 4 and 6


def test_boxes_of_one_level_never_overlap():
    rng = random.Random(8)
    for _ in range(60):
        root = traced([random_tree(rng, 3) for _ in range(3)], prune=bool(rng.randrange(2)))
        svg = ElementTree.fromstring(str(tree_picture(root, "t")))
        levels = defaultdict(list)
        for rect in svg.iter(SVG + "rect"):
            if float(rect.get("height")) == BOX:
                levels[rect.get("y")].append((float(rect.get("x")), float(rect.get("width"))))
        assert sum(map(len, levels.values())) == len(nodes(root))
        for boxes in levels.values():
            boxes.sort()
            assert all(x + width <= after for (x, width), (after, _) in itertools.pairwise(boxes))
            assert boxes[0][0] >= 0
            assert boxes[-1][0] + boxes[-1][1] <= float(svg.get("width"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[8,", "can't be read"),
        ("8", "begins with a list"),
        ("[]", "An empty list has no value"),
        ("[1, true]", "are numbers, not true"),
        ('[1, "x"]', 'are numbers, not "x"'),
        ("[NaN]", "NaN is not a value"),
        ("[" * 14 + "1" + "]" * 14, "at most 12 levels"),
        ("[" * 100_000, "at most 12 levels"),
    ],
)
def test_a_tree_that_is_none_is_told_in_one_sentence(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_numbers(text)


def test_the_command_draws_and_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    drawn = run(app, ["tree", "connect4", "--actions", "3,3", "--depth", "2"])
    assert drawn.exit_code == 0
    words = {text.text for text in ElementTree.parse(tmp_path / "tree.svg").iter(SVG + "text")}
    assert {"connect4 after PUT 4, PUT 4 (threats), 2 plies by alpha-beta", "PUT 7"} <= words
    printed = run(app, ["tree", "--numbers", str(REPORT), "--algorithm", "minimax", "--text"])
    assert printed.exit_code == 0
    assert printed.stdout.startswith("MAX = 8 ")
    assert "not visited" not in printed.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Name a game"),
        (["nogame"], "There is no game 'nogame'"),
        (["connect4", "--numbers", "[1]"], "not both"),
        (["connect4", "--depth", "0"], "1 to 8 plies deep, not 0"),
        (["connect4", "--depth", "5"], "too many leaves"),
        (["connect4", "--actions", "9"], "--actions, ply 0"),
        (["connect4", "--actions", "0,1,0,1,0,1,0"], "The game is over"),
        (["connect4", "--evaluation", "none"], "no evaluation 'none'"),
        (["connect4", "--out", "tree.pdf"], "ends in .svg or .png"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["tree", *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())
