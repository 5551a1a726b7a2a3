"""Whatever a server says in whatever order, the session keeps its promises."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palestra_client.effects import Ask, Finish, Prepare, Send, SetDeadline, Withdraw
from palestra_client.session import Session, Settings
from palestra_games import get_game
from palestra_protocol.codecs import MSGPACK
from palestra_protocol.messages import Action, Hello, Ready, Resign

START = get_game("connect4").initial_state()
MATCHES = ("M1", "M2", "M3")

matches = st.sampled_from(MATCHES)
lines = st.lists(st.integers(0, 6), max_size=4).map(tuple)
steps = st.one_of(
    st.tuples(st.just("start"), matches),
    st.tuples(st.just("turn"), matches, lines),
    st.tuples(st.just("played"), matches, lines.filter(bool)),
    st.tuples(st.just("end"), matches),
    st.tuples(st.just("bot_ready"), matches),
    st.tuples(st.just("bot_failed"), matches),
    st.tuples(st.just("chose"), st.integers(0, 5), st.integers(0, 9)),
    st.tuples(st.just("failed"), st.integers(0, 5)),
    st.tuples(st.just("lost"), st.sets(matches)),
    st.tuples(st.just("noise"), st.binary(max_size=40)),
)


class Model:
    """Drives a session and checks each command against what was said before."""

    def __init__(self, server_says):
        self.says = server_says
        self.session = Session(Settings(("ws://x:1/play",), "t"))
        self.open = {}  # questions not answered yet: number -> ask
        self.wanted = set()  # those of them whose answer is wanted
        self.live = set()  # matches that have a bot
        self.asked = {}  # what was asked last in each match
        self.sent = {}  # (match, ply) -> action, since it was asked last
        self.now = 0.0

    def check(self, effects, answer=None):
        for command in effects:
            match command:
                case Prepare(match):
                    assert match.id not in self.live
                    self.live.add(match.id)
                case Ask():
                    assert command.match.id in self.live
                    assert command.number not in self.open
                    previous = self.asked.get(command.match.id)
                    assert previous is None or previous not in self.wanted, "one question at a time"
                    self.open[command.number] = command
                    self.wanted.add(command.number)
                    self.asked[command.match.id] = command.number
                    self.sent.pop((command.match.id, command.ply), None)
                case SetDeadline(_, number, _):
                    assert number in self.wanted
                case Withdraw(_, number):
                    self.wanted.remove(number)
                case Finish(match, _):
                    self.live.remove(match)
                case Send(frame):
                    self.sent_by_client(MSGPACK.decode_client(frame), answer)

    def sent_by_client(self, message, answer):
        match message:
            case Hello() | Resign():
                pass
            case Ready(match=match):
                assert match in self.live
            case Action(match=match, ply=ply, action=action):
                assert match in self.live
                if answer is not None:
                    assert (match, ply, action) == answer
                    assert (match, ply) not in self.sent
                    self.sent[match, ply] = action
                else:
                    assert self.sent[match, ply] == action, "said again as it was"

    def step(self, kind, *what):
        self.now += 1.0
        session, says = self.session, self.says
        match kind:
            case "start":
                self.check(session.received(says.match_start(what[0]), self.now))
            case "turn":
                self.check(session.received(says.turn(what[0], what[1]), self.now))
            case "played":
                self.check(session.received(says.played(what[0], what[1]), self.now))
            case "end":
                self.check(session.received(says.match_end(what[0]), self.now))
            case "bot_ready":
                self.check(session.bot_ready(what[0], self.now))
            case "bot_failed":
                if what[0] in self.live and what[0] not in self.asked:
                    self.check(session.bot_failed(what[0], None))
            case "chose":
                self.chose(*what)
            case "failed":
                if self.open:
                    ask = self.open.pop(sorted(self.open)[what[0] % len(self.open)])
                    effects = session.bot_failed(ask.match.id, ask.number)
                    assert bool(effects) == (ask.number in self.wanted)
                    self.wanted.discard(ask.number)
                    self.check(effects)
            case "lost":
                session.closed(1006)
                self.check(session.opened())
                self.check(session.received(says.welcome(matches=tuple(what[0])), self.now))
            case "noise":
                self.check(session.received(what[0], self.now))

    def chose(self, index, action):
        if not self.open:
            return
        ask = self.open.pop(sorted(self.open)[index % len(self.open)])
        effects = self.session.chose(ask.match.id, ask.number, action, None, self.now)
        sends = [command for command in effects if isinstance(command, Send)]
        assert len(sends) == (ask.number in self.wanted), "sent if it is wanted, and only then"
        self.wanted.discard(ask.number)
        self.check(effects, answer=(ask.match.id, ask.ply, action))


@settings(max_examples=150, deadline=None)
@given(script=st.lists(steps, max_size=40))
@pytest.mark.slow
def test_no_history_of_messages_makes_it_break_its_promises(server_says, script):
    model = Model(server_says)
    model.check(model.session.opened())
    for step in script:
        model.step(*step)


@given(frame=st.binary(max_size=200))
def test_no_bytes_raise(frame):
    Session(Settings(("ws://x:1/play",), "t")).received(frame, 0.0)
