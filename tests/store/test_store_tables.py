"""Roster, tournaments and readiness: what was written is there when the call returns, and after a restart."""

from __future__ import annotations

import pytest
from tests.support.played import new_tournament

from palestra_server.store import PlayerRow, StoreError, TeacherRow

ADA = PlayerRow("ada", "ada@school.example", "A", {"DNI": "17ñ"}, "aa", False, 1)
BOB = PlayerRow("bob", "", "", {}, None, False, 2)


def test_players(open_store):
    store = open_store()
    store.players.put(BOB, ADA)
    assert store.players.list() == [BOB, ADA]
    banned = PlayerRow("bob", "b@school.example", "B", {}, "bb", True, 2)
    store.players.put(banned)
    store.players.rename("ada", "Ada L.")
    store.close()
    again = open_store().players
    assert again.list() == [banned, PlayerRow("Ada L.", "ada@school.example", "A", {"DNI": "17ñ"}, "aa", False, 1)]
    again.remove("bob")
    assert [row.name for row in again.list()] == ["Ada L."]


def test_what_a_roster_refuses_changes_nothing(open_store):
    players = open_store().players
    players.put(ADA, BOB)
    for refused, why in (
        (
            lambda: players.put(
                PlayerRow("eva", "", "", {}, None, False, 3), PlayerRow("x", "", "", {}, "aa", False, 3)
            ),
            "of x",
        ),
        (lambda: players.rename("ada", "bob"), "already"),
        (lambda: players.rename("eva", "x"), "no player called eva"),
        (lambda: players.remove("eva"), "no player called eva"),
    ):
        with pytest.raises(StoreError, match=why):
            refused()
        assert players.list() == [ADA, BOB]


def test_a_player_takes_its_sessions_and_its_checks_along(open_store):
    store = open_store()
    store.players.put(ADA, BOB)
    for player in ("ada", "bob"):
        store.readiness.put(player, "connect4", True, 5)
        store.journal.save_session(f"of {player}", player, False)
    store.players.rename("ada", "eva")
    store.players.remove("bob")
    assert store.readiness.passed() == {"eva": {"connect4": True}}
    assert store.journal.session("of ada").player == "eva"
    assert store.journal.session("of bob") is None


def test_readiness_is_what_the_last_check_said(open_store, saved):
    store = open_store()
    store.readiness.put("bob", "mancala", True, 5)
    store.readiness.put("ada", "connect4", False, 6)
    store.readiness.put("ada", "connect4", True, 7)
    saved(store.journal)
    assert store.readiness.passed() == {"ada": {"connect4": True}, "bob": {"mancala": True}}


REST = 'title = "Ñandú"\ngames = ["connect4"]\nformat = "round-robin"\n'


def test_tournaments(open_store, saved):
    store = open_store()
    cup, league = (new_tournament(f'name = "{name}"\n{REST}', 2**53 - 1) for name in ("cup", "league"))
    store.tournaments.create(cup, league)
    for seq in range(1, 4):
        store.tournaments.append("cup", seq, {"type": "ended", "returns": [1.0, -1.0], "seq": seq}, pytest.fail)
    saved(store.journal)
    store.close()
    tournaments = open_store().tournaments
    toml, events = tournaments.read("cup")
    assert (toml, tournaments.secret("cup")) == (cup.toml, (2**53 - 1, cup.salt))
    assert events == [cup.created, *({"type": "ended", "returns": [1, -1], "seq": seq} for seq in range(1, 4))]
    assert tournaments.listed() == [("cup", None), ("league", None)]
    with pytest.raises(StoreError, match="called cup already"):
        tournaments.create(new_tournament(f'name = "new"\n{REST}'), cup)
    assert tournaments.listed() == [("cup", None), ("league", None)], "all of them or none"
    tournaments.delete("cup")
    assert tournaments.listed() == [("league", None)]
    for refused in (tournaments.read, tournaments.delete):
        with pytest.raises(StoreError, match="no tournament called cup"):
            refused("cup")
    tournaments.create(cup)
    assert tournaments.read("cup") == (cup.toml, [cup.created])


def test_cookies_given_back_are_kept_until_they_expire(open_store):
    store = open_store()
    store.logged_out.add("first", 20, 10)
    store.logged_out.add("second", 30, 15)
    assert store.logged_out.since(15) == ["first", "second"]
    store.logged_out.add("third", 40, 20)
    assert store.logged_out.since(0) == ["second", "third"]
    store.logged_out.add("fourth", 50, 20, ("second",))
    assert store.logged_out.since(0) == ["third", "fourth"]
    store.close()
    assert open_store().logged_out.since(40) == ["fourth"]


def test_what_a_constraint_forbids_is_told_to_who_asked_and_nothing_else_stops(open_store, saved):
    store = open_store()
    row = TeacherRow("eva", "run", "00" * 32, 1)
    store.teachers.add(row)
    with pytest.raises(StoreError, match="done already"):
        store.teachers.add(row)
    for _ in range(2):  # two clicks
        store.logged_out.add("cookie", 20, 10)
    saved(store.journal)
    assert store.journal.broken is None
    assert (store.teachers.list(), store.logged_out.since(0)) == ([row], ["cookie"])
