"""A verifier written from RECORDS.md alone, with nothing of the referee: it must come to the same results."""

from __future__ import annotations

import hashlib
import io
import json
import random
import zipfile
from contextlib import closing
from math import ceil

import pytest
from tests.support.played import Play, keep, play_casual, play_tournament, settle

from palestra_games import get_game
from palestra_protocol.english import SENTENCES
from palestra_referee import (
    MS,
    Acted,
    AlarmDue,
    Attached,
    BecameReady,
    Detached,
    MatchConfig,
    Resigned,
    Restarted,
    Voided,
    start,
)
from palestra_server.store import Store
from palestra_tournament.verify import verify_export

WIN = {0: [1, -1], 1: [-1, 1], None: [0, 0]}


class Replayed:
    """'Replaying a match'. `result` is (returns, reason, why); `moves` are (ply, seat, action, cost, away)."""

    def __init__(self, created):
        c = self.config = created["config"]
        self.state = get_game(c["game"]).initial_state()
        for action in c["opening"]:
            self.state = self.state.apply(action)
        self.ply = len(c["opening"])
        self.phase, self.result, self.moves = "starting", None, []
        self.attached, self.ready, self.owed = [False] * 2, [False] * 2, [False] * 2
        self.bank = [c["away_ms"] * MS if c["away"] == "bank" else 0] * 2
        self.budget = [ms * MS for ms in c["seat_ms"] or [c["move_ms"]] * 2]
        self.ready_by = created["at"] + c["ready_ms"] * MS
        self.new_clock()
        self.look()

    def new_clock(self):
        self.spent, self.since, self.gone, self.away = 0, None, 0, False

    @property
    def mover(self):
        return self.state.to_move

    @property
    def deadline(self):
        if self.since is None:
            return float("inf")
        left = self.budget[self.mover] - self.spent
        if self.away:
            left = min(left, 600_000 * MS) + self.bank[self.mover]
        return self.since + left + self.config["grace_ms"] * MS

    def charged(self, t):
        if self.since is None:
            return self.spent
        return self.spent + max(0, t - self.since - (self.bank[self.mover] if self.away else 0))

    @property
    def waits(self):
        return self.phase == "playing" and self.attached[self.mover] and not self.ready[self.mover]

    def leave(self, t):
        self.spent, self.since, self.away = self.charged(t), t, True

    def come_back(self, t):
        gone = max(0, t - self.since)
        self.spent = self.charged(t)
        self.bank[self.mover] -= min(self.bank[self.mover], gone)
        self.gone, self.since, self.away = self.gone + gone, None, False

    def connect(self, seat, t, fresh):
        self.attached[seat] = True
        if self.config["away"] == "clock":
            self.bank[seat] = 0
        if self.owed[seat] and fresh and t <= self.ready_by:
            self.ready[seat] = False
        self.owed[seat] = False

    def look(self):
        returns = self.state.returns()
        if returns is not None and returns[0] == returns[1]:
            self.end([0, 0], "rules", "drawn", ply=self.ply)
        elif returns is not None:
            self.end(list(returns), "rules", "won", winner=self.config["players"][returns.index(1)], ply=self.ply)
        elif self.ply >= self.config["ply_limit"]:
            self.end([0, 0], "ply_limit", "ply_limit", ply_limit=self.config["ply_limit"])

    def end(self, returns, reason, code, seat=None, **values):
        who = {} if seat is None else {"player": self.config["players"][seat]}
        self.phase, self.result = "finished", (returns, reason, {"code": code, **who, **values})

    def late(self, arrived=None):
        mover, budget = self.mover, self.budget[self.mover]
        won, ply, had = WIN[1 - mover], self.ply, {"move_ms": ceil(budget / MS), "grace_ms": self.config["grace_ms"]}
        if self.away:
            left = self.bank[mover] + min(max(0, budget - self.spent), 600_000 * MS)
            self.end(won, "disconnect", "stayed_away", mover, ply=ply, left_ms=ceil(left / MS))
        elif arrived is None:
            self.end(won, "timeout", "silent", mover, ply=ply, **had)
        else:
            self.end(won, "timeout", "late", mover, ply=ply, took_ms=ceil(self.charged(arrived) / MS), **had)

    def not_ready(self):
        ready_ms = self.config["ready_ms"]
        if any(self.ready):
            self.end(WIN[self.ready.index(True)], "not_ready", "not_ready", self.ready.index(False), ready_ms=ready_ms)
        else:
            other = self.config["players"][1]
            self.end(WIN[None], "not_ready", "neither_ready", 0, other=other, ready_ms=ready_ms)

    def illegal(self, seat, action, info):
        text = (info or {}).get("text") or ""
        if action == 255 and text.startswith("answered "):
            answer = text.removeprefix("answered ")
            return self.end(WIN[1 - seat], "illegal", "no_action", seat, ply=self.ply, answer=answer)
        return self.end(WIN[1 - seat], "illegal", "illegal", seat, ply=self.ply, action=action)

    def record(self, r):
        assert self.phase != "finished"
        playing = self.phase == "playing"
        seat, at = r.get("seat"), r["at"]
        mine = playing and seat == self.mover
        match r["type"]:
            case "attached":
                if mine and self.away:
                    if at > self.deadline:
                        return self.late()
                    self.come_back(at)
                self.connect(seat, at, r["fresh"])
            case "detached":
                if mine and at > self.deadline:
                    return self.late()
                assert self.attached[seat]
                self.attached[seat] = False
                if mine:
                    self.leave(at)
            case "ready":
                if not playing and at > self.ready_by:
                    return self.not_ready()
                self.ready[seat] = True
                if not playing and all(self.ready):
                    self.phase = "playing"
                    if not self.attached[self.mover]:
                        self.leave(at)
            case "turn":
                assert (r["ply"], self.since) == (self.ply, None)
                assert self.ready[self.mover]
                self.since = at
            case "acted":
                assert mine
                assert r["ply"] == self.ply
                assert self.attached[seat]
                assert self.ready[seat]
                if r["arrived_at"] > self.deadline:
                    return self.late(r["arrived_at"])
                if r["action"] not in self.state.legal_actions():
                    return self.illegal(seat, r["action"], r["info"])
                self.moves.append((self.ply, seat, r["action"], self.charged(r["arrived_at"]), self.gone))
                self.state = self.state.apply(r["action"])
                self.ply += 1
                self.new_clock()
                if not self.attached[self.mover]:
                    self.leave(at)
                self.look()
            case "resigned" | "alarm" if not playing and at > self.ready_by:
                self.not_ready()
            case "alarm" if self.waits and self.since is None:
                assert at > self.ready_by
                self.ready[self.mover] = True
            case "resigned" | "alarm" if playing and at > self.deadline:
                self.late()
            case "resigned":
                self.end(WIN[1 - seat], "resign", "crashed" if r["crashed"] else "resigned", seat, ply=self.ply)
            case "restarted":
                self.attached, self.owed, self.ready_by = [False] * 2, [True] * 2, at + self.config["ready_ms"] * MS
                if playing:
                    self.bank = [self.config["away_ms"] * MS] * 2
                    self.spent, self.since, self.away = 0, at, True
            case "voided":
                self.phase, self.result = "finished", ([0, 0], "void", r["why"])
            case kind:
                raise AssertionError(kind)
        return None


def verify(export):
    """How many matches and results of tournaments were verified; AssertionError if one is wrong."""
    with zipfile.ZipFile(export) as zipped:
        files = {name: zipped.read(name) for name in zipped.namelist()}
    manifest = json.loads(files["manifest.json"])
    assert manifest["files"].keys() == files.keys() - {"manifest.json"}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256(files[name]).hexdigest() == digest
    journal = iter(files["journal.jsonl"].splitlines())
    matches = {}
    line = next(journal, None)
    for text in files["matches.jsonl"].splitlines():
        entry = json.loads(text)
        name = entry["match"]
        chain, replayed, seq, drops = b"", None, 0, [0, 0]
        while line is not None and json.loads(line)["match"] == name:
            row = json.loads(line)
            assert row["seq"] == seq
            head, tail = b'{"match":%s,"record":' % json.dumps(name).encode(), b',"seq":%d}' % seq
            record = line.removeprefix(head).removesuffix(tail)  # the record as it is written
            assert head + record + tail == line
            chain = hashlib.sha256(chain + record).digest()
            if row["record"]["type"] == "detached":
                drops[row["record"]["seat"]] += 1
            if replayed is None:
                replayed = Replayed(row["record"])
            else:
                replayed.record(row["record"])
            line, seq = next(journal, None), seq + 1
        assert chain.hex() == entry["receipt"]
        assert replayed.result == (entry["returns"], entry["reason"], entry["why"]), name
        assert replayed.ply == entry["plies"]
        told = [(m["ply"], m["seat"], m["action"], m["charged_ms"], m["away_ms"]) for m in entry["moves"]]
        assert told == [(ply, seat, action, cost / 1e6, gone / 1e6) for ply, seat, action, cost, gone in replayed.moves]
        matches[name] = (entry, replayed, drops)
    assert line is None
    assert len(matches) == manifest["matches"]
    results = 0
    for tournament in manifest["tournaments"]:
        for text in files[f"tournaments/{tournament}/events.jsonl"].splitlines():
            event = json.loads(text)
            if event["type"] == "ended":
                entry, replayed, drops = matches[event["match"]]
                assert (event["returns"], event["reason"], event["plies"]) == (*replayed.result[:2], replayed.ply)
                assert event["actions"] == [move[2] for move in replayed.moves]
                assert event["charged_ms"] == [ceil(move[3] / MS) for move in replayed.moves]
                assert (event["fixture"], event["drops"], tournament) == (entry["fixture"], drops, entry["tournament"])
                assert entry["fixture"].rpartition("-")[0] == entry["pair"]
                results += 1
    return len(matches), results


class Troubled(Play):
    """A match in which connections come and go and the server is started again; it ends by one thing or another."""

    def __init__(self, config, chance):
        self.trouble = chance
        super().__init__(config, chance)

    def after(self, ns):
        """Between any two records something may happen."""
        chance = getattr(self, "trouble", None)
        if chance is not None and self.match.phase == "playing" and chance.random() < 0.3:
            self.trouble = None
            seat = chance.randrange(2)
            events = [Detached, Attached, Restarted, AlarmDue, Voided]
            match chance.choices(events, weights=[5, 5, 2, 3, 0.2])[0]:
                case kind if kind is Voided:
                    self.feed(Voided({"code": "house_late", "player": "a"}, self.after(MS)))
                case kind if kind in (Restarted, AlarmDue):
                    self.feed(kind(self.after(chance.choice([MS, 900 * MS, 3000 * MS]))))
                case kind:
                    self.feed(kind(seat, self.after(chance.choice([MS, 600 * MS, 1500 * MS]))))
            self.trouble = chance
        return super().after(ns)


class Short(Play):
    """A match of these events."""

    def __init__(self, config, *events):
        self.now, self.lines = 10, []
        self.match, effects = start(config, 0)
        self._keep(effects)
        for event in events:
            self.feed(event)


HERE = (Attached(0, 1), Attached(1, 2))
READY = (*HERE, BecameReady(0, 3), BecameReady(1, 4))
# Two columns at a time in turns, so that nobody has four in a row.
FULL = [0, 1] * 3 + [1, 0] * 3 + [2, 3] * 3 + [3, 2] * 3 + [4, 5] * 3 + [5, 4] * 3 + [6] * 6
SHORT = {
    "resigned": (*READY, Resigned(1, 2000)),
    "crashed": (*READY, Resigned(0, 2000, crashed=True)),
    "illegal": (*READY, Acted(0, 0, 7, 2000, 2001, "poll", {"text": "answered 7"})),
    "no_action": (*READY, Acted(0, 0, 255, 2000, 2001, "stall", {"text": "answered 'é\n'"})),
    "illegal255": (*READY, Acted(0, 0, 255, 2000, 2001)),
    "not_ready": (*HERE, BecameReady(1, 3), AlarmDue(2001 * MS)),
    "neither_ready": (*HERE, AlarmDue(2001 * MS)),
    "silent": (*READY, Resigned(0, 1200 * MS)),
    "gone": (*READY, Detached(0, 5 * MS), AlarmDue(601_106 * MS)),
    "refused": (*HERE, Voided({"code": "refused", "player": "a"}, 3)),
    "name_taken": (*HERE, Voided({"code": "name_taken", "player": "b"}, 3)),
    "taken_back": (*READY, Voided({"code": "taken_back", "player": "a"}, 1300)),
    "house_late": (*HERE, Voided({"code": "house_late", "player": "a"}, 3)),
    "failed": (*HERE, Voided({"code": "failed", "game": "connect4", "error": "KeyError"}, 3)),
    "drawn": (
        *READY,
        *(Acted(ply % 2, ply, act, 1000 * ply + 1020, 1000 * ply + 1021) for ply, act in enumerate(FULL)),
    ),
}


@pytest.fixture
def exported(tmp_path):
    """An export of a tournament, casual matches, forty troubled ones and one for each rare end."""
    with closing(Store(tmp_path)) as store:
        play_tournament(store, players=3)
        play_casual(store, "casual", random.Random(3), drops=True)
        for number in range(40):
            away = "clock" if number % 2 else "bank"
            config = MatchConfig(
                f"x{number}", "connect4", ("a", "b"), 1000, 100, 2000, 1000, 6 if number % 3 else 99, (3,), away=away
            )
            play = Troubled(config, random.Random(number))
            keep(store, play)
        for name, events in SHORT.items():
            clock = {"seat_ms": (3_600_000, 1000)} if name == "gone" else {}
            config = MatchConfig(
                name, "connect4", ("a", "b"), 1000, 100, 2000, 1000, 99, guests=(False, name == "name_taken"), **clock
            )
            keep(store, Short(config, *events))
        settle(store)
        file = io.BytesIO()
        store.archive.export(file, "test/1")
    return file


def test_a_verifier_written_from_the_page_agrees(exported):
    assert verify(exported) == (53 + len(SHORT), 12)
    assert verify_export(exported).ok
    with zipfile.ZipFile(exported) as files:
        entries = [json.loads(line) for line in files.read("matches.jsonl").splitlines()]
    assert {f"why.{entry['why']['code']}" for entry in entries} == {key for key in SENTENCES if key.startswith("why.")}
    assert any(move["away_ms"] for entry in entries for move in entry["moves"])
