"""A store with a tournament and casual matches in it, played by the referee and the tournament's machine themselves."""

from __future__ import annotations

import queue
import random
from itertools import count

from palestra_referee import (
    MS,
    Acted,
    AlarmDue,
    Append,
    Attached,
    BecameReady,
    Detached,
    MatchConfig,
    Resigned,
    Restarted,
    SendTurn,
    TurnWritten,
    Voided,
    receipt,
    record_line,
    start,
    step,
)
from palestra_server.store import NewTournament
from palestra_tournament import (
    Ended,
    Entrant,
    MatchStarted,
    Record,
    Ruled,
    begin,
    create,
    event_to_record,
    parse_spec,
    playable,
)
from palestra_tournament import step as tournament_step

TOML = """
name = "cup"
title = "Übungspokal"
games = ["connect4", "mancala"]
format = "{format}"
seed = 7
{more}
[clock]
move_ms = 1000
"""


SALT = "00112233445566778899aabbccddeeff"


def new_tournament(toml, seed=0):
    """The tournament of this file as it is created in a store."""
    spec = parse_spec(toml)
    return NewTournament(spec.name, toml, seed, SALT, event_to_record(create(spec, seed, SALT, 0)))


class Play:
    """A match on its way to its end: `lines` are its records. Seat 1 takes `slow_ns` a move, seat 0 a millisecond.

    `absent`: a seat that never gets ready (2: neither does); `void`: the server ends the match after its first action;
    `restarts`: it is started again at the fourth, and seat 0 comes back as a new process; `ends`: how the mover ends
    the match at the sixth (`by`: this seat, at the fifth or later); `dull`: the first legal action is played, always.
    """

    def __init__(
        self,
        config,
        chance,
        *,
        slow_ns=5 * MS,
        drops=False,
        absent=None,
        void=False,
        restarts=False,
        ends=None,
        by=None,
        dull=False,
    ):
        self.now = 0
        self.lines = []
        self.match, effects = start(config, 0)
        self._keep(effects)
        for event in (Attached(0, 1), Attached(1, 2, fresh=True), BecameReady(1, 3), BecameReady(0, 4)):
            if not (isinstance(event, BecameReady) and absent in (event.seat, 2)):
                self.feed(event)
        if absent is not None:
            self.feed(AlarmDue(self.after((config.ready_ms + 1) * MS)))
        while self.match.outcome is None:
            clock = self.match.clock
            ply = self.match.ply - len(config.opening)
            if void and ply == 1:
                bot = next((name for name in config.players if name.startswith("level")), None)
                failed = {"code": "failed", "game": config.game, "error": "ValueError"}
                why = {"code": "house_late", "player": bot} if bot else failed
                self.feed(Voided(why, self.after(MS)))
                continue
            if restarts and ply == 4 and not self.match.restarts:
                self.restart(clock.seat, config.away_ms * MS // 2)
                continue
            if ends is not None and (ply == 6 if by is None else ply > 4 and clock.seat == by):
                self.end(ends, clock.seat)
                continue
            if drops and self.match.ply == 3 and not self.match.drops[clock.seat]:
                self.feed(Detached(clock.seat, self.after(2 * MS)))
                self.feed(Attached(clock.seat, self.after(7 * MS)))
            arrived = self.after(MS if clock.seat == 0 else slow_ns)
            info = {"depth": 3, "value": chance.choice([0.1, -1, 1e-7, 2.5e20])} if chance.random() < 0.5 else None
            action = self.match.legal[0] if dull else chance.choice(self.match.legal)
            self.feed(Acted(clock.seat, self.match.ply, action, arrived, arrived + 900, "read", info))

    def restart(self, mover, gone_ns):
        """The mover is away just before. Then seat 1 resumes its session; seat 0 is a new process, and has to get ready
        before its next turn.
        """
        self.feed(Detached(mover, self.after(400 * MS)))
        self.feed(Attached(mover, self.after(300 * MS)))
        self.feed(Restarted(self.after(MS)))
        self.feed(Attached(1, self.after(2 * MS)))
        self.feed(Attached(0, self.after(gone_ns), fresh=True))
        self.feed(BecameReady(0, self.after(3 * MS)))

    def end(self, how, seat):
        ply, soon = self.match.ply, self.after(MS)
        if how == "away":
            self.feed(Detached(seat, soon))
        endings = {
            "resign": Resigned(seat, soon),
            "illegal": Acted(seat, ply, 254, soon, soon, "read", {"text": "answered 3"}),
            "no_action": Acted(seat, ply, 255, soon, soon, "read", {"text": "answered up"}),
        }
        self.feed(endings.get(how) or AlarmDue(self.after(10**15)))

    def after(self, ns):
        self.now += ns
        return self.now

    def feed(self, event):
        self.match, effects = step(self.match, event)
        self._keep(effects)
        if any(isinstance(effect, SendTurn) for effect in effects):
            self.feed(TurnWritten(self.match.ply, self.after(1000)))

    def _keep(self, effects):
        self.lines += [record_line(effect.event) for effect in effects if isinstance(effect, Append)]


def keep(store, play):
    """Puts a match into the journal, in two rows."""
    name = play.match.config.match
    store.journal.append(name, 0, *play.lines[:3])
    store.journal.append(name, 3, *play.lines[3:], finished=(play.match, receipt(play.lines)))


def play_casual(store, name, chance, *, move_ms=2000, **how):
    """A match outside any tournament; returns it as it was played, once it is on disk."""
    config = MatchConfig(name, "desconecta4", ("guest", "eva"), move_ms, 100, 30000, 10000, 200)
    play = Play(config, chance, **how)
    keep(store, play)
    settle(store)
    return play


def play_tournament(store, *, format="round-robin", more="", players=4):
    """A whole tournament; seat 1 of every fifth match is too slow and loses on time."""
    toml = TOML.format(format=format, more=more)
    entrants = [Entrant(name, "A") for name in ("ada", "böb", "eva", "mia", "zoe", "kim")[:players]]

    def how(number, _):
        return {"slow_ns": 2000 * MS if number % 5 == 0 else 5 * MS, "drops": number % 3 == 0}

    t = play_out(store, toml, entrants, random.Random(5), count(1_000_000, 1000), count(1), how)
    settle(store)
    return t


def play_out(store, toml, entrants, chance, clock, numbers, how, also=None, carried=None):
    """Plays the tournament of this file to its end and stores it. Match number n, `how(n, players)` being the keywords
    of its `Play`, is called mN; `clock` gives UTC in ms. `also(n, at_ms)` are events that come before it, those for -1
    at the end."""
    spec = parse_spec(toml)
    store.tournaments.create(new_tournament(toml, 7))
    seqs = count(1)

    def refused(why):
        raise AssertionError(why)

    def record(effects):
        for effect in effects:
            if isinstance(effect, Record):
                store.tournaments.append(spec.name, next(seqs), event_to_record(effect.event), refused)

    t, effects = begin(spec, entrants, 7, next(clock), salt=SALT, carried=carried)
    record(effects)
    number = 0
    while True:
        number = next(numbers) if next(playable(t), None) is not None else -1
        for event in also(number, next(clock)) if also is not None else ():
            t, effects = tournament_step(t, event)
            record(effects)
        if (fixture := next(playable(t), None)) is None:
            if number < 0:
                return t
            continue
        name = f"m{number}"
        t, effects = tournament_step(t, MatchStarted(fixture.id, name, next(clock)))
        record(effects)
        times = spec.clock
        config = MatchConfig(
            name,
            fixture.game,
            fixture.players,
            times.move_ms,
            times.grace_ms,
            times.ready_ms,
            times.away_ms,
            200,
            fixture.opening,
            spec.name,
            True,
            away=times.away,
            fixture=fixture.id,
        )
        play = Play(config, chance, **how(number, fixture.players))
        keep(store, play)
        match = play.match
        ended = Ended(
            fixture.id,
            name,
            match.outcome.returns,
            match.outcome.reason,
            match.ply,
            tuple(move.action for move in match.moves),
            tuple(-(-move.charged_ns // MS) for move in match.moves),
            next(clock),
            match.drops,
        )
        t, effects = tournament_step(t, ended)
        record(effects)


def rule(store, match, verdict, winner, why):
    """The teacher's ruling on a match of the tournament, as the last of its events."""

    def refused(why):
        raise AssertionError(why)

    _, events = store.tournaments.read("cup")
    ruled = event_to_record(Ruled(match, verdict, winner, why, events[-1]["at_ms"]))
    store.tournaments.append("cup", len(events), ruled, refused)
    settle(store)


def settle(store):
    """Returns when all that was written is on disk."""
    durable = queue.SimpleQueue()
    store.journal.when_durable(durable.put)
    assert durable.get(timeout=60) is None
