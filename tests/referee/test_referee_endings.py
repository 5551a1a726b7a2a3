"""Every ending in every game, with the sentence people read; each game is replayed from its journal."""

from __future__ import annotations

import random

import msgpack
import pytest

from palestra_games import game_names
from palestra_referee import MS, Durable, Resigned, Voided, event_from_record, replay, step

GAMES = ("connect4", "connect4-8x8", "desconecta4", "mancala")
REFUSED = {"code": "refused", "player": "ada"}


def play(shell, chance, plies):
    """Up to `plies` random legal actions, with detours on the way that change no result."""
    for _ in range(plies):
        if shell.match.phase == "finished":
            return
        mover, other = shell.match.clock.seat, 1 - shell.match.clock.seat
        shell.now += chance.randrange(2100 * MS)
        detour = chance.randrange(12)
        if detour == 0:
            shell.detach(mover)
            shell.now += chance.randrange(400 * MS)
            shell.attach(mover)
        elif detour == 1:
            shell.detach(other) if shell.connected[other] else shell.attach(other)
        elif detour == 2:
            shell.alarm_due()
        elif detour == 3:
            shell.act(3, ply=shell.match.ply + 1)
        elif detour == 4:
            shell.restart()
            shell.attach(mover)
        if not shell.connected[mover]:
            shell.attach(mover)
        late = shell.match.clock.charged(shell.now) - 2100 * MS
        shell.act(chance.choice(shell.match.legal), lag=max(0, late))


def end_by_rules(shell, chance):
    play(shell, chance, 10_000)


def end_by_limit(shell, chance):
    play(shell, chance, shell.config.ply_limit)


def end_by_timeout(shell, _chance):
    shell.attach(shell.match.clock.seat)
    shell.ring()


def end_by_illegal(shell, _chance):
    shell.attach(shell.match.clock.seat)
    shell.act(99)


def end_by_resign(shell, chance):
    shell.feed(Resigned(chance.randrange(2), shell.now))


def end_by_void(shell, _chance):
    shell.feed(Voided(REFUSED, shell.now))


def end_by_disconnect(shell, _chance):
    shell.attach(shell.match.clock.seat)
    shell.detach(shell.match.clock.seat)
    shell.ring()


ENDINGS = {
    "rules": (end_by_rules, 10_000),
    "ply_limit": (end_by_limit, 7),
    "timeout": (end_by_timeout, 10_000),
    "illegal": (end_by_illegal, 10_000),
    "resign": (end_by_resign, 10_000),
    "void": (end_by_void, 10_000),
    "disconnect": (end_by_disconnect, 10_000),
}


@pytest.mark.parametrize("reason", ENDINGS)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_a_random_match_is_replayed_from_its_journal(playing, game, reason, seed):
    assert game in game_names()
    chance = random.Random(f"{game} {reason} {seed}")
    end, limit = ENDINGS[reason]
    shell = playing(game=game, ply_limit=limit)
    if reason not in ("rules", "ply_limit"):
        play(shell, chance, chance.randrange(6))
    end(shell, chance)
    assert shell.match.outcome.reason == reason

    # The shell folds the journal beside every step; here once more, as a restart does.
    events = [event_from_record(msgpack.unpackb(record)) for record in shell.records]
    assert replay(events) == step(shell.match, Durable(shell.now))[0]
    (finish,) = shell.durable()
    assert finish.outcome == shell.match.outcome
    assert sum(finish.outcome.returns) == 0


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("who", "returns"), [((), (0, 0)), ((0,), (1, -1)), ((1,), (-1, 1))])
def test_a_player_not_ready_in_time_loses(make_shell, game, who, returns):
    shell = make_shell(game=game)
    for seat in who:
        shell.attach(seat)
        shell.ready(seat)
    shell.ring()
    outcome = shell.match.outcome
    assert (outcome.reason, outcome.returns) == ("not_ready", returns)


@pytest.mark.parametrize("seat", [0, 1])
def test_resigning_and_voiding_before_the_start(make_shell, seat):
    shell = make_shell()
    shell.feed(Resigned(seat, 3))
    assert shell.match.outcome.returns == ((-1, 1), (1, -1))[seat]
    shell = make_shell()
    shell.feed(Voided(REFUSED, 3))
    assert (shell.match.outcome.returns, shell.match.outcome.why) == ((0, 0), REFUSED)
    assert shell.match.outcome.detail == "ada refused the challenge."


# What people read


def test_a_late_answer_says_what_it_took_and_what_it_had(playing):
    shell = playing(opening=(0, 1))
    shell.now = 2143 * MS
    shell.act(3)
    assert shell.match.outcome.detail == "ada took 2.143 s for move 2; it had 2.000 s and 0.100 s grace."
    assert shell.match.outcome.why == {
        "code": "late",
        "player": "ada",
        "took_ms": 2143,
        "ply": 2,
        "move_ms": 2000,
        "grace_ms": 100,
    }


def test_a_nanosecond_late_does_not_read_as_in_time(playing):
    shell = playing()
    shell.now = 2100 * MS + 1
    shell.act(3)
    assert shell.match.outcome.detail == "ada took 2.101 s for move 0; it had 2.000 s and 0.100 s grace."


def test_no_answer_at_all(playing):
    shell = playing()
    shell.act(3)
    shell.ring()
    assert shell.match.outcome.detail == "bob did not answer move 1 in time; it had 2.000 s and 0.100 s grace."


def test_a_lost_connection_says_what_was_left(playing):
    shell = playing()
    shell.now = 500 * MS
    shell.detach(0)
    shell.ring()
    assert shell.match.outcome.detail == (
        "ada lost its connection at move 0 and was not back within the 11.500 s it had left."
    )


def test_the_other_sentences(playing, make_shell):
    shell = playing(opening=(0, 1, 0, 1, 0, 1))
    shell.act(0)
    assert shell.match.outcome.detail == "ada won by the rules after 7 moves."
    shell = playing(ply_limit=1)
    shell.act(0)
    assert shell.match.outcome.detail == "A draw: the match came to its limit of 1 move."
    shell = playing()
    shell.act(7)
    assert shell.match.outcome.detail == "ada answered move 0 with action 7, which is not legal there."
    shell = playing()
    shell.act(255, info={"text": "answered '0'"})
    assert shell.match.outcome.detail == "ada answered move 0 with '0', which is no action of this game."
    shell = playing()
    shell.act(255, info={"text": "answered \x1b[2J{0}"})
    assert shell.match.outcome.why["answer"] == "\x1b[2J{0}"
    assert shell.match.outcome.detail == "ada answered move 0 with  [2J{0}, which is no action of this game."
    shell = playing()
    shell.act(255, info={"text": "my best"})
    assert shell.match.outcome.detail == "ada answered move 0 with action 255, which is not legal there."
    shell = make_shell()
    shell.ring()
    assert shell.match.outcome.detail == "Neither ada nor bob was ready within 30.000 s."
    shell = make_shell()
    shell.ready(0)
    shell.ring()
    assert shell.match.outcome.detail == "bob was not ready within 30.000 s."


def test_a_draw_by_the_rules(playing):
    # Twelve pieces that fill the two outer columns, then the middle ones in pairs that never make four.
    actions = [0, 1] * 3 + [1, 0] * 3 + [2, 3] * 3 + [3, 2] * 3 + [4, 5] * 3 + [5, 4] * 3 + [6] * 6
    shell = playing()
    for action in actions:
        shell.act(action)
    assert shell.match.outcome.detail == "A draw by the rules after 42 moves."
    assert shell.match.outcome.returns == (0, 0)
