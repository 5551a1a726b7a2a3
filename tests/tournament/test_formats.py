"""Every format, with any results, in any order of arrival, through any crash."""

import itertools
import json
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palestra_games import get_game
from palestra_tournament import (
    Completed,
    Ended,
    Entrant,
    Joined,
    MatchStarted,
    Record,
    Refused,
    Reinstated,
    Tournament,
    Withdrew,
    begin,
    create,
    crosstable,
    draws,
    event_from_record,
    event_to_record,
    installed_formats,
    join,
    openings,
    parse_spec,
    playable,
    progress,
    replay,
    schedule_csv,
    standings,
    standings_csv,
    step,
    too_large,
)
from palestra_tournament.formats.elimination import places
from palestra_tournament.formats.round_robin import berger
from palestra_tournament.pending import with_fixtures
from palestra_tournament.scores import counted, counted_byes

WIN, DRAW, LOSS = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)
OUTCOMES = [
    (WIN, "rules"),
    (LOSS, "rules"),
    (DRAW, "rules"),
    (LOSS, "timeout"),
    (WIN, "illegal"),
    (LOSS, "not_ready"),
    (DRAW, "not_ready"),
    (DRAW, "void"),
]
KINDS = tuple(installed_formats())


def cup(kind, extra=""):
    more = {"gauntlet": 'reference = ["level1", "level2"]\n', "ladder": "rounds = 4\n"}.get(kind, "")
    more = "" if "reference" in extra and kind == "gauntlet" else more
    return parse_spec(f'name = "cup"\ngames = ["connect4"]\nformat = "{kind}"\n{more}{extra}')


def entrants(spec, count):
    return [Entrant(f"p{i}") for i in range(count)] + [Entrant(name, "", True) for name in spec.reference]


def check_pending(t, choose):
    """What is kept about fixtures is what a search finds."""
    left = [(place, fixture) for place, fixture in enumerate(t.fixtures) if fixture.id not in t.results]
    assert t.settled == min([place for place, _ in left], default=len(t.fixtures))
    assert t.fixtures == tuple(t.by_id.values())
    assert t.pending == with_fixtures({}, left)
    for name, meetings in t.pending.items():
        places = [place for meeting in meetings.values() for place in meeting.places]
        assert places == [place for place, fixture in left if name in fixture.players]
    busy = Counter(name for identifier in t.playing for name in t.by_id[identifier].players)
    free = {name for name in t.seeds if name in t.references or busy[name] < t.spec.per_bot}
    for among in (free, {name for name in free if choose(3)}):
        wanted = [f for _, f in left if f.id not in t.playing and among.issuperset(f.players)]
        assert list(playable(t, among)) == (wanted if t.phase == "running" else [])


def play(spec, players, seed, choose, at_once=3, hosted=False):
    """A whole tournament with up to `at_once` matches at a time; `choose(n)` picks one of n. It, and its records.

    `hosted`: now and then the host withdraws somebody, or takes somebody back.
    """
    t, effects = begin(spec, players, seed, 0)
    records = [effect.event for effect in effects if isinstance(effect, Record)]
    attempts = itertools.count()
    while Completed() not in effects:
        ready = list(itertools.islice(playable(t), 6))
        assert ready or t.playing, "it neither ends nor goes on"
        if hosted and choose(20) == 0:
            name = t.seeds[choose(len(t.seeds))]
            event = Reinstated(name, 0) if name in t.withdrawn else Withdrew(name, 0)
        elif hosted and choose(20) == 0 and can_join(t, late := Joined(f"late{next(attempts)}", "", 0)):
            event = late
        elif ready and (not t.playing or (len(t.playing) < at_once and choose(2))):
            fixture = ready[choose(len(ready))]
            event = MatchStarted(fixture.id, f"m{next(attempts)}", 0)
        else:
            identifier, match = list(t.playing.items())[choose(len(t.playing))]
            returns, reason = OUTCOMES[choose(len(OUTCOMES))]
            event = Ended(identifier, match, returns, reason, 0, (), (), 0)
        t, effects = step(t, event)
        assert effects, "every one of these events fits"
        check_pending(t, choose)
        records += [effect.event for effect in effects if isinstance(effect, Record)]
    return t, records


def can_join(t, event):
    try:
        join(t, event)
    except Refused:
        return False
    return True


@st.composite
def played(
    draw,
    extras=("", "swap = false\n", "withdraw_after = 0\n", "per_bot = 2\n", 'reference = ["level1"]\n'),
    kinds=KINDS,
):
    kind = draw(st.sampled_from(kinds))
    spec = cup(kind, draw(st.sampled_from(extras)))
    count = draw(st.integers(2, 7))
    rng = draw(st.randoms(use_true_random=False))
    return play(spec, entrants(spec, count), draw(st.integers(0, 99)), rng.randrange, hosted=True)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(played())
def test_each_fixture_is_played_once_and_the_tournament_ends(run):
    t, records = run
    assert len(t.results) == len(t.fixtures) == len(t.by_id) == progress(t).total
    ended = Counter(event.fixture for event in records if isinstance(event, Ended) and event.reason != "void")
    assert set(ended.values()) <= {1}
    assert all(t.results[identifier].reason != "walkover" for identifier in ended)
    for fixture in t.fixtures:
        assert fixture.players[0] != fixture.players[1]
    for pair in itertools.groupby(t.fixtures, key=lambda fixture: fixture.pair):
        legs = list(pair[1])
        assert len({leg.opening for leg in legs}) == 1
        assert len(legs) == (2 if t.spec.swap else 1)
        assert len({leg.players for leg in legs}) == len(legs)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(played(), st.data())
def test_a_crash_anywhere_loses_nothing_and_the_schedule_is_a_function_of_what_was_recorded(run, data):
    t, records = run
    kept = [event_from_record(json.loads(json.dumps(event_to_record(event)))) for event in records]
    created = create(t.spec, t.seed, "", 0)
    assert replay(t.spec, [created, *kept]) == t
    # Where the records break off, the tournament goes on as it did.
    cut = data.draw(st.integers(1, len(kept)))
    again = replay(t.spec, [created, *kept[:cut]])
    for event in kept[cut:]:
        again, _ = step(again, event)
    assert schedule_csv(again) == schedule_csv(t)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(played(kinds=("elimination", "groups")))
def test_a_bracket_is_drawn_as_if_it_were_looked_at_after_every_result(run):
    t, records = run
    modules = "palestra_tournament.formats"
    with (
        patch(f"{modules}.elimination.meeting_goes_on", return_value=False),
        patch(f"{modules}.groups.meeting_goes_on", return_value=False),
    ):
        assert replay(t.spec, [create(t.spec, t.seed, "", 0), *records]) == t


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([kind for kind in KINDS if kind != "ladder"]),
    st.integers(2, 7),
    st.integers(0, 99),
    st.randoms(use_true_random=False),
)
def test_the_order_in_which_results_come_changes_nothing(kind, count, seed, rng):
    """But on a ladder, which pairs whoever is idle, and for withdrawals, which need failures in a row."""
    spec = cup(kind, "withdraw_after = 0\n")

    def fixed(fixture):
        return [WIN, LOSS, DRAW][draws.below(3, seed, fixture.id)], "rules"

    schedules = set()
    for at_once in (1, 4):
        t, _ = begin(spec, entrants(spec, count), seed, 0)
        while t.phase != "completed":
            ready = list(itertools.islice(playable(t), 6))
            if ready and len(t.playing) < at_once:
                fixture = ready[0] if at_once == 1 else ready[rng.randrange(len(ready))]
                t, _ = step(t, MatchStarted(fixture.id, f"m{fixture.id}", 0))
            else:
                identifier, match = list(t.playing.items())[rng.randrange(len(t.playing))]
                t, _ = step(t, Ended(identifier, match, *fixed(t.by_id[identifier]), 0, (), (), 0))
        played = sorted((f.id, f.players, f.opening) for f in t.fixtures)
        schedules.add((tuple(played), standings_csv(t)))
    assert len(schedules) == 1


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(played())
def test_the_standings_account_for_every_point(run):
    t, _ = run
    rows = standings(t, rated=False)
    assert sorted(row.player for row in rows) == sorted(t.seeds)
    results = t.results.values()
    counting = counted_byes(t.byes, results)
    given_out = sum(sum(r.points) for r in counted(results)) + sum(bye.points for bye in counting)
    assert sum(row.points for row in rows) == given_out
    ranks = [row.rank for row in rows if not row.reference]
    assert ranks == sorted(ranks)
    table = crosstable(t)
    for row, cells in zip(rows, table.cells, strict=True):
        byes = sum(bye.points for bye in counting if bye.player == row.player)
        assert sum(cell[0] for cell in cells if cell) + byes == row.points


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(2, 11), st.integers(0, 99), st.booleans(), st.randoms(use_true_random=False))
def test_a_swiss_pairs_nobody_twice_gives_byes_once_and_balances_the_seats(count, seed, swap, rng):
    rounds = max(1, (count + 1) // 2)
    spec = cup("swiss", f"rounds = {rounds}\nwithdraw_after = 0\nswap = {str(swap).lower()}\n")
    t, _ = play(spec, entrants(spec, count), seed, rng.randrange)
    assert t.round == rounds
    assert set(Counter(frozenset(f.players) for f in t.fixtures).values()) == {2 if swap else 1}
    assert max(Counter(bye.player for bye in t.byes).values(), default=1) == 1
    for name in t.seeds:
        firsts = sum(f.players[0] == name for f in t.fixtures)
        seconds = sum(f.players[1] == name for f in t.fixtures)
        assert abs(firsts - seconds) <= (0 if swap else 2)
        assert firsts + seconds + sum(b.player == name for b in t.byes) * (2 if swap else 1) == rounds * (1 + swap)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(2, 12), st.integers(0, 99), st.randoms(use_true_random=False))
def test_an_elimination_has_one_winner_who_never_lost_a_meeting(count, seed, rng):
    spec = cup("elimination")
    t, _ = play(spec, entrants(spec, count), seed, rng.randrange)
    rounds = t.spec.format.bracket(t)
    assert len(rounds[-1]) == 1
    winner = rounds[-1][0].winner
    assert standings(t, rated=False)[0].player == winner
    assert all(tie.winner == winner for ties in rounds for tie in ties if winner in tie.players)
    losers = [n for ties in rounds for tie in ties for n in tie.players if n is not None and n != tie.winner]
    assert sorted([*losers, winner]) == sorted(t.seeds)


def always(returns):
    def choose(count):
        return next(i for i, (r, reason) in enumerate(OUTCOMES) if (r, reason) == (returns, "rules")) % count

    return choose


def test_berger_tables_are_those_of_the_handbook():
    handbook = [[(1, 6), (2, 5), (3, 4)], [(6, 4), (5, 3), (1, 2)], [(2, 6), (3, 1), (4, 5)]]
    rounds = [sorted((a + 1, b + 1) for a, b in pairs) for pairs in berger(6)]
    assert rounds[:3] == [sorted(pairs) for pairs in handbook]


@pytest.mark.parametrize("count", range(2, 12))
def test_in_berger_tables_all_meet_once_and_have_each_seat_as_often(count):
    rounds = berger(count)
    assert sorted(tuple(sorted(pair)) for pairs in rounds for pair in pairs) == list(
        itertools.combinations(range(count), 2)
    )
    for pairs in rounds:
        assert len({player for pair in pairs for player in pair}) == 2 * len(pairs) == count - count % 2
    for player in range(count):
        firsts = sum(pair[0] == player for pairs in rounds for pair in pairs)
        assert abs(2 * firsts - (count - 1)) <= 1


def test_seeds_stand_in_the_bracket_so_that_the_best_meet_last():
    assert places(8) == [0, 7, 3, 4, 1, 6, 2, 5]


def test_a_meeting_that_stays_level_gets_tie_breaks_and_then_goes_to_the_higher_seed():
    spec = cup("elimination", 'seeding = "roster"\ntie_breaks = 2\n')
    t, _ = play(spec, entrants(spec, 2), 1, always(DRAW), at_once=1)
    assert len(t.fixtures) == 6
    assert len({fixture.pair for fixture in t.fixtures}) == 3
    assert t.spec.format.bracket(t)[0][0].winner == "p0"


def test_the_highest_seeds_have_no_opponent_when_places_are_left_over():
    spec = cup("elimination", 'seeding = "roster"\n')
    t, _ = begin(spec, entrants(spec, 5), 1, 0)
    assert {f.players for f in t.fixtures} >= {("p3", "p4")}
    assert {name for f in t.fixtures for name in f.players} == {"p1", "p2", "p3", "p4"}
    assert progress(t) == (0, 8, 1, 3)


def test_groups_send_their_best_into_the_bracket():
    spec = cup("groups", 'seeding = "roster"\ngroup_size = 3\nqualify = 1\n')
    t, _ = begin(spec, entrants(spec, 6), 1, 0)
    assert t.spec.format.bracket(t) == ()
    assert progress(t)[1:] == (14, 1, 4)
    # The first of each group on the list wins everything.
    while (fixture := next(playable(t), None)) is not None:
        returns = WIN if fixture.players[0] < fixture.players[1] else LOSS
        t, _ = step(t, Ended(fixture.id, "m", returns, "rules", 0, (), (), 0))
    assert t.spec.format.groups(t) == (("p0", "p3", "p4"), ("p1", "p2", "p5"))
    assert [tie.players for ties in t.spec.format.bracket(t) for tie in ties] == [("p0", "p1")]
    assert [row.player for row in standings(t)][:2] == ["p0", "p1"]
    assert t.phase == "completed"


def test_a_gauntlet_is_each_player_against_each_reference():
    spec = cup("gauntlet")
    t, _ = begin(spec, entrants(spec, 3), 1, 0)
    assert Counter(frozenset(f.players) for f in t.fixtures) == {
        frozenset((f"p{i}", level)): 2 for i in range(3) for level in ("level1", "level2")
    }


@pytest.mark.parametrize("kind", ["swiss", "elimination", "groups"])
def test_everybody_meets_the_reference_bots_first_and_then_only_each_other(kind):
    spec = cup(kind, 'reference = ["level1", "level2"]\n')
    t, records = play(spec, entrants(spec, 6), 3, always(WIN))
    levels = {"level1", "level2"}
    met = Counter(frozenset(f.players) for f in t.fixtures if not levels.isdisjoint(f.players))
    assert met == {frozenset((f"p{i}", level)): 2 for i in range(6) for level in levels}
    assert {f.round for f in t.fixtures if not levels.isdisjoint(f.players)} == {1, 2}
    assert len(t.results) == progress(t).total == len(t.fixtures) > 24
    assert replay(spec, [create(spec, 3, "", 0), *records]) == t
    assert {row.player for row in standings(t, rated=False)[-2:]} == levels
    planned = progress(begin(spec, entrants(spec, 6), 3, 0)[0])
    assert planned.rounds == t.round
    # Nobody foresees tie-breaks.
    assert planned.total == len([f for f in t.fixtures if "-connect4-1-" in f.id])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bots", [(), ("level1", "level2")])
@pytest.mark.parametrize("count", [2, 5, 9])
def test_what_is_planned_is_known_before_anything_is_drawn(kind, bots, count):
    spec = cup(kind, f"reference = {json.dumps(bots)}\n" if bots else "")
    t, _ = begin(spec, entrants(spec, count), 1, 0)
    assert spec.format.planned(Tournament(spec, t.entrants, t.seeds, 1)) == spec.format.planned(t)


def test_a_tournament_of_too_many_fixtures_is_refused_before_it_is_drawn():
    text = 'name = "cup"\ngames = ["connect4", "connect4-8x8", "desconecta4", "mancala"]\nformat = "round-robin"\n'
    players = [Entrant(f"p{number}") for number in range(300)]
    assert too_large(parse_spec(text), players) is None
    spec = parse_spec(text + "pairs = 2\n")
    fault = too_large(spec, players)
    assert fault.startswith("These 300 players would play 717600 matches, and a tournament has at most 500000: choose ")
    with pytest.raises(ValueError, match="would play 717600 matches"):
        begin(spec, players, 1, 0)
    assert too_large(spec, players[:1]) is None


def test_a_ladder_goes_on_without_waiting_for_the_slowest_until_it_is_closed():
    spec = parse_spec('name = "cup"\ngames = ["connect4"]\nformat = "ladder"\n')
    t, _ = begin(spec, entrants(spec, 6), 1, 0)
    slow = next(playable(t))
    t, _ = step(t, MatchStarted(slow.id, "slow", 0))
    met = Counter()
    for _ in range(60):
        fixture = next(playable(t))
        met[frozenset(fixture.players)] += 1
        t, _ = step(
            t, Ended(fixture.id, "m", WIN if fixture.players[0] < fixture.players[1] else LOSS, "rules", 0, (), (), 0)
        )
    assert not any(set(slow.players) & pair for pair in met)
    # Nobody is stuck with one opponent.
    assert len(met) == 6


def test_withdrawing_everybody_ends_a_swiss():
    spec = cup("swiss", "rounds = 3\n")
    t, effects = begin(spec, entrants(spec, 4), 1, 0)
    for name in t.seeds[:3]:
        t, effects = step(t, Withdrew(name, 1))
    assert effects[-1] == Completed()


def test_the_number_of_rounds_of_a_swiss():
    for count, rounds in ((2, 1), (3, 3), (8, 5), (30, 7), (200, 10)):
        spec = cup("swiss")
        t, _ = begin(spec, entrants(spec, count), 1, 0)
        assert t.spec.format.swiss_rounds(t) == rounds


def test_two_players_do_not_see_an_opening_again(monkeypatch):
    book = tuple((a, b) for a in range(3) for b in range(3))
    monkeypatch.setattr(openings, "shipped_openings", lambda _game: book)
    spec = cup("round-robin", "cycles = 3\npairs = 3\n")
    t, _ = begin(spec, entrants(spec, 4), 3, 0)
    seen = {}
    for fixture in t.fixtures:
        seen.setdefault(frozenset(fixture.players), []).append(fixture.opening)
    assert all(Counter(played) == dict.fromkeys(book, 2) for played in seen.values())
    assert len({tuple(played) for played in seen.values()}) > 1


@pytest.mark.parametrize("game", ["connect4", "connect4-8x8", "desconecta4", "mancala"])
def test_openings_can_be_played_and_leave_the_game_open(game):
    spec = parse_spec(f'name = "cup"\ngames = ["{game}"]\nformat = "round-robin"\npairs = 3\n')
    t, _ = begin(spec, entrants(spec, 5), 3, 0)
    for opening in {fixture.opening for fixture in t.fixtures}:
        state = get_game(game).initial_state()
        for action in opening:
            assert action in state.legal_actions()
            state = state.apply(action)
        assert state.returns() is None
        assert all(state.apply(action).returns() is None for action in state.legal_actions())
