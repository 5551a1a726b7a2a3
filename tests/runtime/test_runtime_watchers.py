"""What those who watch are shown: boards, what the bots said, and a lobby that never costs more than its share."""

from __future__ import annotations

import json
import random

import pytest
from tests.support.homes import Watcher, cup

from palestra_games import game_names, get_game
from palestra_protocol.codecs import JSON
from palestra_protocol.messages import Action, Info
from palestra_server.runtime import lobby
from palestra_server.runtime.snapshots import BoardHistory
from palestra_tournament import MatchStarted, step


@pytest.fixture
async def playing(open_home):
    """A home, and `pair()`: two players whose match waits for the first action."""
    home = open_home(challenge_ms=0)
    count = iter(range(100))

    def pair(game="connect4"):
        number = next(count)
        ana, bob = home.join(f"ana{number}"), home.join(f"bob{number}")
        match = ana.challenge(bob.player, game)
        ana.ready(match)
        bob.ready(match)
        return match, ana, bob

    return home, pair


@pytest.mark.parametrize("game", ["connect4", "mancala"])
async def test_a_match_is_shown_ply_by_ply_with_what_the_bots_said(playing, game):
    home, pair = playing
    match, ana, bob = pair(game)
    eva = Watcher(home, f"match:{match}")
    assert len(eva.heard()[0]["views"]) == 1
    ana.says(Action(match=match, ply=0, action=3, info=Info(depth=4, text="centre")))
    (played,) = eva.heard()
    state = get_game(game).initial_state().apply(3)
    assert (played["info"], played["away_ms"]) == ({"depth": 4, "text": "centre"}, 0)
    assert played["view"] == get_game(game).view(state).to_wire()
    assert "centre" not in str(bob.sent), "the opponent is told the action alone"
    late = Watcher(home, f"match:{match}").heard()[0]
    assert (late["infos"], late["away_ms"]) == ([{"depth": 4, "text": "centre"}], [0])
    assert late["views"] == [get_game(game).view(get_game(game).initial_state()).to_wire(), played["view"]]
    assert late["view"] == played["view"]


async def test_time_away_is_shown(playing):
    home, pair = playing
    match, ana, _ = pair()
    assert Watcher(home, f"match:{match}").heard()[0]["clock"]["lost_ms"] is None
    ana.leave()
    home.now += 3 * 10**9
    away = Watcher(home, f"match:{match}").heard()[0]["clock"]
    assert (away["remaining_ms"], away["lost_ms"]) == (2000, 10_000 + 2000 + 100 - 3000)
    ana = home.join("ana0", resumed=True)
    eva = Watcher(home, f"match:{match}")
    ana.act(match, 0, 3)
    assert eva.heard("played")[0]["away_ms"] == 3000


async def test_boards_go_round_in_the_lobby_those_that_waited_longest_first(playing, monkeypatch):
    monkeypatch.setattr(lobby, "BOARDS_MAX", 2)
    home, pair = playing
    matches = [pair() for _ in range(3)]
    eva = Watcher(home, "lobby")
    assert [entry["ply"] for entry in eva.heard()[0]["matches"]] == [0, 0, 0]
    for match, ana, _ in matches:
        ana.act(match, 0, 3)
    matches[0][2].act(matches[0][0], 1, 3)
    assert eva.heard() == []
    shown = []
    while home.lobby._moved:
        home.lobby.show_boards()
        shown.append([(event["match"], event["ply"]) for event in eva.heard("played")])
    assert shown == [[(matches[0][0], 2), (matches[1][0], 1)], [(matches[2][0], 1)]]


async def test_boards_that_have_no_place_in_the_snapshot_follow(playing, monkeypatch):
    monkeypatch.setattr(lobby, "VIEWS_MAX", 1)
    home, pair = playing
    _, second, third = (pair()[0] for _ in range(3))
    eva = Watcher(home, "lobby")
    assert [entry["view"] is None for entry in eva.heard()[0]["matches"]] == [False, True, True]
    home.lobby.show_boards()
    assert [(event["match"], event["view"]["kind"]) for event in eva.heard("played")] == [
        (second, "grid"),
        (third, "grid"),
    ]


async def test_the_lobby_counts_the_actions_of_an_opening_from_the_start(playing):
    home, _ = playing
    early = Watcher(home, "lobby")
    home.join("ana").challenge(home.join("bob").player, opening=(3, 0))
    assert [event["ply"] for event in early.heard("match_start")] == [2]


async def test_the_lobby_says_for_how_long_a_match_is_on(playing):
    home, pair = playing
    early = Watcher(home, "lobby")
    pair()
    assert [event["age_ms"] for event in early.heard("match_start")] == [0]
    home.now += 125 * 10**9
    assert [entry["age_ms"] for entry in Watcher(home, "lobby").heard()[0]["matches"]] == [125_000]


async def test_a_large_audience_makes_boards_rarer_and_never_dearer(playing, monkeypatch):
    monkeypatch.setattr(lobby, "FRAMES_MAX", 4)
    home, pair = playing
    watchers = [Watcher(home, "lobby") for _ in range(3)]
    for match, ana, _ in [pair() for _ in range(3)]:
        ana.act(match, 0, 3)
    for watcher in watchers:
        watcher.heard()
    home.lobby.show_boards()
    assert [len(watcher.heard("played")) for watcher in watchers] == [1, 1, 1]


async def test_the_last_board_is_shown_before_the_end(playing):
    home, pair = playing
    match, ana, bob = pair()
    eva = Watcher(home, "lobby")
    ana.act(match, 0, 3)
    over = home.matches[match].finished
    bob.resign(match)
    await over
    assert [event["type"] for event in eva.heard()[-2:]] == ["played", "match_end"]


async def test_boards_of_hidden_matches_are_passed_over(playing, monkeypatch):
    monkeypatch.setattr(lobby, "BOARDS_MAX", 1)
    home, pair = playing
    eva = Watcher(home, "lobby")
    (hidden, ana, bob), (public, eli, _) = pair(), pair()
    t = cup("ana0", "bob0", more='embargo = "last-round"\n')
    home.house.embargo.note(step(t, MatchStarted(t.fixtures[0].id, hidden, 0))[0])
    ana.act(hidden, 0, 3)
    eli.act(public, 0, 3)
    eva.heard()
    home.lobby.show_boards()
    assert [event["match"] for event in eva.heard("played")] == [public], "and take no place in the round"
    bob.act(hidden, 1, 3)
    over = home.matches[hidden].finished
    ana.resign(hidden)
    await over
    home.house.embargo.forget("cup")
    home.lobby.show_boards()
    assert [event for event in eva.heard() if event.get("match") == hidden] == [], "nor later"


async def test_nobody_looks_on_and_nothing_is_drawn(playing):
    home, pair = playing
    match, ana, _ = pair()
    live = home.matches[match]
    ana.act(match, 0, 3)
    assert (live._viewed, home.lobby._moved) == (None, {})


@pytest.mark.parametrize("game", game_names())
def test_boards_that_are_kept_are_those_drawn_anew_at_every_ply(game):
    state = get_game(game).initial_state()
    kept, actions, views = BoardHistory(game), [], [get_game(game).view(state).to_wire()]

    def drawn():
        return json.loads(JSON.encode({"views": kept.views(actions)}))["views"]

    assert drawn() == views
    rng = random.Random(8)
    while state.returns() is None:
        actions.append(rng.choice(state.legal_actions()))
        state = state.apply(actions[-1])
        views.append(get_game(game).view(state).to_wire())
        if len(actions) % 3 == 0:
            assert drawn() == views
    assert drawn() == views
    kept.views(actions).pop()
    assert drawn() == views, "what a caller does to its list is its own"
    cells = [cell for view in views for cell in view["cells"]]
    assert 10 * len({id(cell) for cell in cells}) < len(cells), "alike cells are one map"


class Undrawable:
    """A game that fails to draw the positions with two pieces the first `times` it is asked to."""

    def __init__(self, game, times):
        self._game, self._times = game, times

    def __getattr__(self, name):
        return getattr(self._game, name)

    def view(self, state):
        if len(state.cells) - state.cells.count(0) == 2 and self._times:
            self._times -= 1
            raise RuntimeError("no view")
        return self._game.view(state)


async def test_a_position_that_cannot_be_drawn_is_not_shown_as_another(playing):
    home, pair = playing
    match, ana, bob = pair()
    live = home.matches[match]
    live.game = Undrawable(live.game, 2)
    eva = Watcher(home, f"match:{match}")
    eva.heard()
    ana.act(match, 0, 3)
    bob.act(match, 1, 3)
    assert [(event["ply"], event["view"] is None) for event in eva.heard("played")] == [(0, False), (1, True)]
    assert live.match.outcome.reason == "void", "a game that can't be shown is not played"


def test_a_position_that_could_not_be_drawn_shifts_no_other(monkeypatch):
    game = get_game("connect4")
    kept = BoardHistory("connect4")
    monkeypatch.setattr(kept, "_game", Undrawable(game, 1))
    with pytest.raises(RuntimeError):
        kept.views([3, 3, 3])
    views, state = [], game.initial_state()
    for action in (3, 3, 3, 3):
        views.append(game.view(state).to_wire())
        state = state.apply(action)
    assert json.loads(JSON.encode({"views": kept.views([3, 3, 3])}))["views"] == views
