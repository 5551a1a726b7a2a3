"""Kalah: each rule in a position made for it, a second implementation by cell names, and the solved values."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_games.mancala import MANCALA, Mancala, MancalaState
from palestra_games.sowing import Capture


def state(
    row_0: str, row_1: str, stores: tuple[int, int], to_move: int = 0, capture: Capture = "non-empty"
) -> MancalaState:
    """A position with pits given from pit 1 on; it is a state of the match game (48 seeds)."""
    pits = [[int(seeds) for seeds in row.split()] for row in (row_0, row_1)]
    return Mancala(capture=capture).from_wire({"pits": pits, "stores": list(stores), "to_move": to_move})


def test_sowing_goes_down_the_own_pits_into_the_store_and_on_from_pit_6():
    after = MANCALA.initial_state().apply(1)
    assert after == state("5 0 4 4 4 4", "4 4 4 4 5 5", (1, 0), to_move=1)
    assert after.apply(0) == state("5 0 4 5 5 5", "0 4 4 4 5 5", (1, 1), to_move=0)


def test_a_seed_in_the_own_store_last_gives_another_move():
    assert MANCALA.initial_state().apply(3) == state("5 5 5 0 4 4", "4 4 4 4 4 4", (1, 0), to_move=0)


def test_sowing_passes_the_opponents_store_by():
    before = state("0 0 1 0 0 12", "1 1 1 1 1 1", (14, 15))
    assert before.apply(5) == state("1 1 2 1 1 0", "2 2 2 2 2 2", (15, 15), to_move=1)


def test_a_lap_of_13_ends_in_the_emptied_pit_and_captures():
    before = state("0 0 13 0 1 0", "1 1 1 1 1 1", (14, 14))
    # One seed each everywhere; the last in pit 3, opposite pit 4 with 2: three more for the store.
    assert before.apply(2) == state("1 1 0 1 2 1", "2 2 2 0 2 2", (18, 14), to_move=1)


def test_a_lap_beyond_13_sows_the_emptied_pit_and_does_not_capture_there():
    before = state("0 0 14 0 0 1", "1 1 1 1 1 1", (13, 14))
    assert before.apply(2) == state("1 2 1 1 1 2", "2 2 2 2 2 2", (14, 14), to_move=1)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_last_seed_in_an_empty_own_pit_captures_the_opposite_one(seat):
    mine, theirs, stores = "0 3 1 0 0 2", "1 2 0 4 5 6", (10, 14)
    if seat == 0:
        after = state(mine, theirs, stores).apply(2)
        assert after == state("0 4 0 0 0 2", theirs, stores, to_move=1)
        after = state("0 1 0 0 0 2", theirs, (10, 17)).apply(1)
        assert after == state("0 0 0 0 0 2", "1 2 0 4 5 0", (17, 17), to_move=1)
    else:
        after = state(theirs, "0 1 0 0 0 2", (17, 10), to_move=1).apply(1)
        assert after == state("1 2 0 4 5 0", "0 0 0 0 0 2", (17, 17), to_move=0)


def test_an_empty_opposite_pit_leaves_the_seed_where_it_is():
    before = state("0 0 0 1 0 2", "1 2 3 0 5 6", (10, 18))
    assert before.apply(3) == state("0 0 1 0 0 2", "1 2 3 0 5 6", (10, 18), to_move=1)


def test_an_empty_opposite_pit_is_captured_in_the_any_variant():
    before = state("0 0 0 1 0 2", "1 2 3 0 5 6", (10, 18), capture="any")
    after = before.apply(3)
    assert after == state("0 0 0 0 0 2", "1 2 3 0 5 6", (11, 18), to_move=1, capture="any")
    assert after != state("0 0 0 0 0 2", "1 2 3 0 5 6", (11, 18), to_move=1)


def test_the_last_seed_in_an_empty_pit_of_the_opponent_captures_nothing():
    before = state("2 1 1 1 1 1", "3 3 3 3 3 0", (12, 14))
    assert before.apply(0) == state("0 1 1 1 1 1", "3 3 3 3 3 1", (13, 14), to_move=1)


def test_the_game_ends_when_the_movers_row_is_empty():
    after = state("1 0 0 0 0 0", "1 2 3 4 5 6", (12, 14)).apply(0)
    assert after.pits == ((0,) * 6, (0,) * 6)
    assert after.stores == (13, 35)
    assert after.returns() == (-1.0, 1.0)
    assert after.legal_actions() == ()


def test_the_game_ends_when_the_other_row_is_empty():
    """A capture takes the opponent's last seeds; what is left on the own side is the mover's."""
    after = state("0 1 0 0 0 7", "0 0 0 0 0 3", (20, 17)).apply(1)
    assert after.stores == (31, 17)
    assert after.returns() == (1.0, -1.0)


def test_equal_stores_are_a_draw():
    after = state("1 0 0 0 0 0", "0 0 0 0 0 1", (23, 23)).apply(0)
    assert after.stores == (24, 24)
    assert after.returns() == (0.0, 0.0)
    assert str(after).endswith("over: a draw")


def test_25_seeds_do_not_end_the_game():
    before = state("1 1 1 1 1 1", "1 1 1 1 1 1", (30, 6))
    assert before.returns() is None
    assert before.apply(5).returns() is None


class Plain:
    """The rules on a dictionary of named cells: (seat, 1) .. (seat, m) and (seat, "store")."""

    def __init__(self, pits: int, seeds: int, capture: str) -> None:
        self.count, self.capture, self.mover, self.over = pits, capture, 0, False
        self.cells: dict[tuple[int, object], int] = {
            (seat, pit): seeds for seat in (0, 1) for pit in range(1, pits + 1)
        }
        self.cells |= {(0, "store"): 0, (1, "store"): 0}

    def row(self, seat: int) -> list[int]:
        return [self.cells[seat, pit] for pit in range(1, self.count + 1)]

    def sow(self, pit: int) -> None:
        me, you = self.mover, 1 - self.mover
        downwards = range(self.count, 0, -1)
        ring = [*((me, i) for i in downwards), (me, "store"), *((you, i) for i in downwards)]
        hand, self.cells[me, pit] = self.cells[me, pit], 0
        at = ring.index((me, pit))
        was_empty = False
        while hand:
            at = at + 1 if at + 1 < len(ring) else 0
            was_empty = self.cells[ring[at]] == 0
            self.cells[ring[at]] += 1
            hand -= 1
        owner, last = ring[at]
        if last == "store":
            self.mover = me
        else:
            self.mover = you
            opposite = (you, self.count + 1 - last)
            if owner == me and was_empty and (self.cells[opposite] > 0 or self.capture == "any"):
                for cell in (ring[at], opposite):
                    self.cells[me, "store"] += self.cells[cell]
                    self.cells[cell] = 0
        if not any(self.row(0)) or not any(self.row(1)):
            self.over = True
            for seat in (0, 1):
                self.cells[seat, "store"] += sum(self.row(seat))
                self.cells |= {(seat, i): 0 for i in downwards}

    def wire(self) -> dict[str, object]:
        stores = [self.cells[0, "store"], self.cells[1, "store"]]
        return {"pits": [self.row(0), self.row(1)], "stores": stores, "to_move": self.mover}


@given(
    size=st.sampled_from([(6, 4), (6, 4), (6, 6), (3, 4), (2, 9), (1, 5)]),
    capture=st.sampled_from(["non-empty", "any"]),
    choices=st.lists(st.integers(0, 5), max_size=120),
)
def test_play_agrees_with_the_rules_written_by_cell_names(size, capture, choices):
    game, plain = Mancala(*size, capture), Plain(*size, capture)
    position = game.initial_state()
    for choice in choices:
        assert position.to_wire() == plain.wire()
        assert (position.returns() is not None) == plain.over
        assert sum(position.stores) + sum(map(sum, position.pits)) == 2 * size[0] * size[1]
        legal = position.legal_actions()
        assert list(legal) == [i for i, seeds in enumerate(plain.row(plain.mover)) if seeds]
        if not legal:
            difference = position.stores[0] - position.stores[1]
            assert position.returns() == ((difference > 0) - (difference < 0), (difference < 0) - (difference > 0))
            break
        action = legal[choice % len(legal)]
        position = position.apply(action)
        plain.sow(action + 1)


@cache
def gain(position: MancalaState) -> int:
    """What seat 0's store grows by more than seat 1's from here on, with perfect play. The stores are (0, 0)."""
    values = []
    for action in position.legal_actions():
        after = position.apply(action)
        rest = MancalaState.of(after.pits, (0, 0), after.to_move, after.capture)
        values.append(after.stores[0] - after.stores[1] + gain(rest))
    if not values:
        return 0
    return max(values) if position.to_move == 0 else min(values)


SOLVED = {1: (0, -2, 6, -2, 2, 0), 2: (2, -2, -2, -10, 6, 8), 3: (0, 4, 2, 2), 4: (2,)}


@pytest.mark.parametrize(
    ("pits", "seeds", "value"),
    [(pits, seeds, value) for pits, row in SOLVED.items() for seeds, value in enumerate(row, start=1)],
)
@pytest.mark.slow
def test_small_games_have_their_solved_value(pits, seeds, value):
    assert gain(Mancala(pits, seeds).initial_state()) == value


def test_the_variants_have_names_of_their_own():
    assert [game.name for game in (MANCALA, Mancala(3, 2), Mancala(capture="any"), Mancala(3, 2, "any"))] == [
        "mancala",
        "mancala-3x2",
        "mancala-any",
        "mancala-3x2-any",
    ]


def test_the_board_in_a_terminal():
    assert str(MANCALA.initial_state().apply(1)) == (
        "         pit   1   2   3   4   5   6\n"
        "  seat 1 (0)   4   4   4   4   5   5\n"
        "               4   4   4   4   0   5  seat 0 (1)\n"
        "               6   5   4   3   2   1  pit\n"
        "seat 1 to move"
    )


def test_a_page_shows_pits_opposite_each_other():
    view = MANCALA.view(state("5 0 4 4 4 4", "4 4 4 4 5 5", (1, 0), to_move=1))
    assert (view.kind, view.rows, view.cols, view.stores) == ("pits", 2, 6, (1, 0))
    assert [cell.count for cell in view.cells] == [4, 4, 4, 4, 0, 5, 4, 4, 4, 4, 5, 5]
    assert [cell.seat for cell in view.cells] == [0] * 6 + [1] * 6
    assert [action.cells for action in view.actions] == [(6,), (7,), (8,), (9,), (10,), (11,)]
    first = MANCALA.view(MANCALA.initial_state())
    assert [action.cells for action in first.actions] == [(5,), (4,), (3,), (2,), (1,), (0,)]


ROW = [4] * 6


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"stores": [1, 0]}, "49 seeds on the board; this game has 48"),
        ({"stores": [0, 0, 0]}, "stores must hold 2 ints, not 3"),
        ({"stores": [-1, 1]}, r"stores\[0\] must be an int from 0 to 48"),
        ({"pits": [ROW]}, "two rows"),
        ({"pits": [ROW, [4] * 5]}, r"pits\[1\] must hold 6 ints, not 5"),
        ({"pits": [ROW, [4, 4, 4, 4, 4, True]]}, r"pits\[1\]\[5\] must be an int from 0 to 48, not True"),
        ({"pits": 48}, "two rows"),
        ({"to_move": None}, "to_move must be an int"),
        ({"pits": [[0] * 6, ROW], "stores": [24, 0]}, "The row of seat 0 is empty, so the game is over"),
        ({"pits": [ROW, [0] * 6], "stores": [24, 0]}, "The row of seat 1 is empty, so the game is over"),
    ],
)
def test_the_wire_may_not_claim_what_cannot_be(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        MANCALA.from_wire({**MANCALA.initial_state().to_wire(), **changes})
