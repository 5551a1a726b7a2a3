import itertools

from hypothesis import given
from hypothesis import strategies as st

from palestra_tournament.simple import Result, crosstable, standings

PLAYERS = ("ana", "bob", "eva")
WIN, DRAW, LOSS = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)


def result(first, second, returns, reason="rules"):
    return Result("connect4", (first, second), returns, reason)


def test_points_wins_draws_and_losses():
    rows = standings(
        PLAYERS,
        [result("ana", "bob", WIN), result("bob", "eva", DRAW), result("eva", "ana", LOSS, "timeout")],
    )
    assert [(r.rank, r.player, r.points, r.wins, r.draws, r.losses) for r in rows] == [
        (1, "ana", 2.0, 2, 0, 0),
        (2, "bob", 0.5, 0, 1, 1),
        (2, "eva", 0.5, 0, 1, 1),
    ]


def test_sonneborn_berger_breaks_a_tie():
    # bob and eva have a point each; bob took it from ana, who has more points than dan, from whom eva took hers.
    rows = standings(
        ("ana", "bob", "eva", "dan"),
        [
            result("ana", "eva", WIN),
            result("ana", "dan", WIN),
            result("bob", "ana", WIN),
            result("eva", "dan", WIN),
            result("dan", "bob", WIN),
        ],
    )
    table = {r.player: r for r in rows}
    assert table["bob"].sonneborn_berger == 2.0
    assert table["eva"].sonneborn_berger == 1.0
    assert [r.player for r in rows] == ["ana", "bob", "dan", "eva"]


def test_a_void_match_counts_for_nobody_and_a_player_without_a_match_is_listed():
    rows = standings(PLAYERS, [result("ana", "bob", DRAW, "void")])
    assert [(r.rank, r.played, r.points) for r in rows] == [(1, 0, 0.0)] * 3


def test_crosstable_counts_both_seats():
    table = crosstable(PLAYERS, [result("ana", "bob", WIN), result("bob", "ana", DRAW)])
    assert table.players == PLAYERS
    assert table.cells[0] == (None, (1.5, 2), (0.0, 0))
    assert table.cells[1] == ((0.5, 2), None, (0.0, 0))


results = st.lists(
    st.builds(
        result,
        st.sampled_from(["ana", "bob"]),
        st.just("eva"),
        st.sampled_from([WIN, DRAW, LOSS]),
        st.sampled_from(["rules", "timeout", "void"]),
    )
)


@given(results)
def test_points_add_up_and_the_order_of_results_does_not_matter(played):
    rows = standings(PLAYERS, played)
    counted = [r for r in played if r.reason != "void"]
    assert sum(r.points for r in rows) == len(counted)
    assert sum(r.wins for r in rows) == sum(r.losses for r in rows)
    assert standings(PLAYERS, reversed(played)) == rows
    assert all(better.points >= worse.points for better, worse in itertools.pairwise(rows))
