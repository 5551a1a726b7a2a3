"""The client's side of one connection, sans I/O: frames and the bot's answers in, effects out.

There are no sockets, clocks or threads here: the caller passes in events along with the time (seconds of any
monotonic clock) and performs the effects in order. A session outlives its WebSocket: after `closed` the caller
reconnects and calls `opened`, and the matches go on.

| input                    | what follows                                                                     |
|--------------------------|----------------------------------------------------------------------------------|
| opened                   | hello, with the session to resume if there was one                               |
| welcome                  | the challenge, if one is wanted and its match is not on                          |
| match_start, new         | Prepare a bot                                                                    |
| match_start, known       | what the server may have missed: ready, or resign                                |
| turn, new                | Ask the bot; the question before it, if still open, is withdrawn                 |
| turn, the same again     | the answer once more, or the new deadline if the bot is still thinking           |
| chose, wanted            | the action is sent (and kept, until the server is known to have it)              |
| chose, withdrawn         | LateAnswer is shown, nothing is sent                                             |
| match_end                | an open question is withdrawn, the bot is told and let go; the next challenge    |
| match_start, match_end   | of a match that is over: nothing, the server did not know that it was heard      |
| error, of a challenge    | Later, and then the challenge once more                                          |
| closed                   | Reconnect or Stop                                                                |
"""

from __future__ import annotations

import platform
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version

from palestra_client import notices
from palestra_client.address import BadAddress, play_url
from palestra_client.closing import after_close
from palestra_client.effects import (
    Ask,
    Effect,
    Finish,
    Later,
    Prepare,
    Reconnect,
    Send,
    SetDeadline,
    Show,
    Stop,
    Withdraw,
)
from palestra_client.history import History
from palestra_client.match import LastMove, Match, Result
from palestra_client.series import Series
from palestra_games import Game, State, UnknownGame, get_game
from palestra_protocol import codecs, frame_faults, limits, messages

VERSION = version("palestra-client")

TOLD_S = 2.0  # how long after `welcome` the server may still report the result of a match that ended in the meantime
_ENDED_MAX = 100  # how many finished matches to remember: more than the server ever reports again
# Errors that only mean that an answer crossed with the end of its match.
_ECHOES = {"unknown_match", "not_in_match", "stale_ply", "not_your_turn"}


@dataclass(slots=True)
class _Question:
    """A turn put to the bot. `answer` is set once it chose, and `took_s` is how long that took.

    `asked_at` is when the bot could start thinking, which is later than the turn if it was still getting ready.
    """

    number: int
    match: Match
    ply: int
    wire: Mapping[str, object]
    legal: tuple[int, ...]
    state: State
    asked_at: float
    answer: messages.Action | None = None
    took_s: float | None = None


@dataclass(slots=True)
class _Play:
    """A match in progress. Moves up to ply `shown` have been shown; `board` is the last position received."""

    match: Match
    game: Game
    began_at: float
    history: History
    ready: bool = False
    resigned: bool = False
    crashed: bool = False
    missing: bool = False
    rules_differ: bool = False
    board: Mapping[str, object] | None = None
    shown: int = -1
    question: _Question | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """Where to play, as whom, and against whom.

    `urls`: those of one server, as `play_url` gives them, tried in turn. `token` identifies the player; for a guest it
    is empty and `name` is used. `challenge` is repeated until it is accepted; with `games`, until that many matches are
    played, after which the session stops. `version`: of the bot.
    """

    urls: tuple[str, ...]
    token: str
    name: str | None = None
    challenge: messages.Challenge | None = None
    games: int | None = None
    version: str | None = None


class Session:
    """One player's conversation with one server.

    `is_welcome` tells whether the server has answered the hello of the current connection, and `ping_s` how often it
    pings, as it said.
    """

    def __init__(self, settings: Settings) -> None:
        # The one to connect to first. A server on several machines names the others in `welcome`.
        self._urls = deque(settings.urls)
        self._hello = messages.Hello(
            token=settings.token,
            name=settings.name,
            client=f"palestra-client/{VERSION} python/{platform.python_version()}",
            version=settings.version or "",
        )
        self._series = None if settings.challenge is None else Series(settings.challenge, settings.games)
        self._resume: str | None = None
        self._fatal: str | None = None
        self._sent_to: str | None = None
        self._sent_on = False  # by a machine that stands by, whether it knew where to or not
        self.is_welcome = False
        self.ping_s: float | None = None
        self.server_id: str | None = None
        self._warned_unreadable = False
        self._asked = 0
        self._plays: dict[str, _Play] = {}
        self._withdrawn: dict[int, _Question] = {}
        # The server repeats a result to a client that was cut off before acknowledging it.
        self._ended: deque[str] = deque(maxlen=_ENDED_MAX)

    # --- the connection ---------------------------------------------------------------------------------------

    def opened(self) -> list[Effect]:
        self._fatal = self._sent_to = None
        self._sent_on = False
        self.is_welcome = False
        return [_send(self._hello.model_copy(update={"resume": self._resume}))]

    def closed(self, code: int) -> Reconnect | Stop:
        if self._sent_to is not None:
            self._these_first(self._sent_to)
        elif code == limits.CloseCode.GOING_AWAY or not self.is_welcome:
            self.unreached()
        outcome = after_close(code, self._fatal)
        # Asking such a machine costs nobody much, and the next one referees within seconds.
        if isinstance(outcome, Reconnect) and self._sent_on:
            return replace(outcome, absent=True, sent=self._sent_to is not None)
        return outcome

    def unreached(self) -> None:
        """Nobody answers at `url`: try the next one."""
        self._urls.rotate(-1)

    @property
    def url(self) -> str:
        """Where to connect now."""
        return self._urls[0]

    @property
    def has_others(self) -> bool:
        """Whether another address of the server is known."""
        return len(self._urls) > 1

    def _these_first(self, *urls: str) -> None:
        self._urls = deque(dict.fromkeys((*urls, *self._urls)))

    @property
    def was_welcome(self) -> bool:
        """Whether the server has ever sent `welcome` to this player."""
        return self._resume is not None

    @property
    def playing(self) -> tuple[Match, ...]:
        """The matches that, as far as is known here, are neither over nor given up."""
        return tuple(play.match for play in self._plays.values() if not play.resigned and not play.missing)

    def received(self, frame: bytes, now: float) -> list[Effect]:
        """Handle a frame. Never raises: what this version can't parse is skipped."""
        try:
            message = codecs.MSGPACK.decode_server(frame)
        except frame_faults.BadMessage as fault:
            return self._unreadable(fault)
        match message:
            case messages.Welcome():
                return self._welcome(message)
            case messages.MatchStart():
                return self._match_start(message, now)
            case messages.Turn():
                return self._turn(message, now)
            case messages.Played():
                return self._played(message)
            case messages.MatchEnd():
                return self._match_end(message, now)
            case messages.Error():
                return self._error(message)
            case messages.Notice():
                return [Show(notices.Noticed(message.code, message.message))]
            case messages.Event():
                return []

    def _unreadable(self, fault: frame_faults.BadMessage) -> list[Effect]:
        # Unknown types are expected from a newer server.
        if fault.path == "type" or self._warned_unreadable:
            return []
        self._warned_unreadable = True
        return [_warn(f"The server sent a message that can't be read here ({fault}); is palestra-client up to date?")]

    def _welcome(self, message: messages.Welcome) -> list[Effect]:
        resumed, self._resume, self.is_welcome = self.was_welcome, message.session, True
        self.ping_s, self.server_id = message.limits.ping_s, message.server_id
        self._these_first(self.url, *_usable(message.nodes))
        connected = notices.Connected(message.player, message.server, self.url, resumed, message.page)
        effects: list[Effect] = [Show(connected)]
        name, _, theirs = message.server.partition("/")
        if not resumed and name == "palestra" and theirs != VERSION:
            effects.append(Show(notices.VersionsDiffer(theirs, VERSION, message.page)))
        for play in self._plays.values():
            if play.match.id not in message.matches and not play.missing:
                # Ended while we were away. Kept until something else begins: the server may still report the result.
                play.missing = True
                effects.append(Show(notices.MatchGone(play.match)))
                effects += self._withdraw(play)
        if self._series is None:
            return effects
        if not resumed:
            self._series.not_these(message.matches)
        if any(play.missing for play in self._plays.values()):
            return [*effects, Later(TOLD_S)]
        return effects + self._series.ask()

    def woken(self) -> list[Effect]:
        """The pause requested by Later is over: repeat the challenge, if it is still wanted."""
        if self._series is None or not self.is_welcome:
            return []
        effects: list[Effect] = []
        for play in self._plays.values():
            if play.missing:
                effects += self._series.ended(play.match.id, None)
        return effects or self._series.ask()

    def _error(self, message: messages.Error) -> list[Effect]:
        if message.fatal:
            self._fatal = message.message
            self._sent_on = message.code == "elsewhere"
            self._sent_to = next(iter(_usable((message.address,) if message.address else ())), None)
            return []  # the close that follows explains it
        about_challenge = None if self._series is None else self._series.refused(message)
        if about_challenge is not None:
            return about_challenge
        if message.code in _ECHOES and message.match is not None and message.match not in self._plays:
            return []
        return [Show(notices.ServerError(message.code, message.message, message.match))]

    # --- a match ----------------------------------------------------------------------------------------------

    def _match_start(self, message: messages.MatchStart, now: float) -> list[Effect]:
        if message.match in self._ended:
            return []
        known = self._plays.get(message.match)
        if known is not None:
            return self._match_again(known)
        effects = self._let_missing_go()
        match = _match(message)
        try:
            game = get_game(message.game)
        except UnknownGame as error:
            effects.append(_send(messages.Resign(match=match.id)))
            effects.append(_warn(f"A match was given up: {error} Install it here, or update palestra-client."))
            return effects
        self._plays[match.id] = _Play(match, game, now, History(game, match.opening))
        if self._series is not None:
            self._series.began(match)
        return [*effects, Prepare(match), Show(notices.MatchBegins(match, resumed=False))]

    def _match_again(self, play: _Play) -> list[Effect]:
        if play.missing:
            play.missing = False
            return []
        effects: list[Effect] = []
        if play.resigned:
            effects.append(_send(messages.Resign(match=play.match.id, crashed=play.crashed)))
        elif play.ready:
            effects.append(_send(messages.Ready(match=play.match.id)))
        return [*effects, Show(notices.MatchBegins(play.match, resumed=True))]

    def _let_missing_go(self) -> list[Effect]:
        gone = [play.match.id for play in self._plays.values() if play.missing]
        for match in gone:
            del self._plays[match]
        return [Finish(match, None) for match in gone]

    def _turn(self, message: messages.Turn, now: float) -> list[Effect]:
        play = self._plays.get(message.match)
        if play is None or play.resigned:
            return []
        play.missing = False
        play.board = message.state
        deadline = now + message.remaining_ms / 1000
        question = play.question
        if question is not None and (question.ply, question.wire) == (message.ply, message.state):
            if question.answer is not None:
                return [_send(question.answer)]
            return [SetDeadline(play.match.id, question.number, deadline)]
        if message.ply <= play.shown:
            play.shown = message.ply - 2  # a restarted server went back to its last saved ply
        last = None if message.last is None else _move(message.last)
        if last is not None:
            play.history.played(last.ply, last.action)
        news = [] if last is None else self._moved(play, last)
        effects = self._withdraw(play)
        try:
            state = play.game.from_wire(message.state)
        except ValueError as error:
            play.resigned = True
            why = f"The board of {play.match.id} can't be read by the rules installed here ({error})"
            effects.append(_send(messages.Resign(match=play.match.id)))
            return [*effects, _warn(f"{why}; the match was given up. Update palestra-client.")]
        self._asked += 1
        play.question = _Question(
            self._asked, play.match, message.ply, message.state, message.legal, state, asked_at=now
        )
        # The bot goes before the terminal: its clock is running.
        history = play.history.at(message.ply, state)
        effects += [Ask(play.match, self._asked, state, message.ply, message.legal, last, deadline, history), *news]
        if message.legal != state.legal_actions() and not play.rules_differ:
            play.rules_differ = True
            whose = f"The server's rules of {play.game.name} differ from those installed here"
            effects.append(_warn(f"{whose}; update palestra-client."))
        return effects

    def _played(self, message: messages.Played) -> list[Effect]:
        play = self._plays.get(message.match)
        if play is None:
            return []
        play.board = message.state
        play.history.played(message.ply, message.action)
        return self._moved(play, _move(message))

    def _moved(self, play: _Play, move: LastMove) -> list[Effect]:
        if move.ply <= play.shown:
            return []
        play.shown = move.ply
        info: messages.Info | None = None
        question = play.question
        if question is not None and question.answer is not None and question.ply == move.ply:
            info = question.answer.info
        return [Show(notices.Moved(play.match, move, info))]

    def _match_end(self, message: messages.MatchEnd, now: float) -> list[Effect]:
        play = self._plays.pop(message.match, None)
        if play is None:
            return []
        self._ended.append(message.match)
        result = Result(play.match, message.returns, message.reason, message.detail, message.ply)
        question = play.question
        running = play.ready and question is not None and question.answer is None
        took_s = None
        if play.ready and question is not None:
            took_s = now - question.asked_at if question.took_s is None else question.took_s
        getting_ready_s = None if play.ready else now - play.began_at
        ends = notices.MatchEnds(result, _board(play), message.receipt, took_s, running, getting_ready_s)
        effects: list[Effect] = [Show(ends)]
        effects += self._withdraw(play)
        effects.append(Finish(play.match.id, result))
        if self._series is not None and not play.ready and message.ply > len(play.match.opening):
            # Moves were made, but no bot here was ready: this is the result of an earlier run.
            self._series.not_played_here(play.match.id)
        elif self._series is not None:
            effects += self._series.ended(play.match.id, result)
        return effects

    def _withdraw(self, play: _Play) -> list[Effect]:
        question, play.question = play.question, None
        if question is None or question.answer is not None:
            return []
        self._withdrawn[question.number] = question
        return [Withdraw(play.match.id, question.number)]

    # --- the bot ----------------------------------------------------------------------------------------------

    def bot_ready(self, match: str, now: float) -> list[Effect]:
        play = self._plays.get(match)
        for question in (*self._withdrawn.values(), play.question if play else None):
            if question is not None and question.match.id == match:
                question.asked_at = now  # it couldn't start earlier, though its clock may have run (after a restart)
        if play is None:
            return []
        play.ready = True
        return [_send(messages.Ready(match=match))]

    def bot_failed(self, match: str, number: int | None) -> list[Effect]:
        """The bot of this match raised an exception, on question `number` or (None) before any."""
        play = self._plays.get(match)
        if number is not None and self._withdrawn.pop(number, None) is not None:
            return []
        if play is None:
            return []
        play.resigned = play.crashed = True
        play.question = None
        return [_send(messages.Resign(match=match, crashed=True))]

    def chose(
        self, match: str, number: int, action: int, info: messages.Info | None, now: float, note: str | None = None
    ) -> list[Effect]:
        """The bot answered question `number` at `now` with an action (0 to 255, not necessarily legal)."""
        late = self._withdrawn.pop(number, None)
        if late is not None:
            return [Show(notices.LateAnswer(late.match, late.ply, now - late.asked_at))]
        play = self._plays.get(match)
        question = None if play is None else play.question
        if play is None or question is None or question.number != number:
            return []
        question.answer = messages.Action(match=match, ply=question.ply, action=action, info=info, note=note)
        question.took_s = now - question.asked_at
        effects: list[Effect] = [_send(question.answer)]
        if action not in question.legal:
            legal = tuple((each, _name(play.game, each)) for each in question.legal)
            name = _name(play.game, action)
            wrote = info.text if info is not None and action == limits.ACTION_MAX else None
            notice = notices.IllegalChoice(play.match, question.ply, action, name, str(question.state), legal, wrote)
            effects.append(Show(notice))
        return effects


def _usable(addresses: Sequence[str]) -> list[str]:
    """As `connect` takes them, without those that it would not."""
    urls = []
    for each in addresses:
        with suppress(BadAddress):
            urls.append(play_url(each))
    return urls


def _match(message: messages.MatchStart) -> Match:
    return Match(
        id=message.match,
        game=message.game,
        seat=message.seat,
        players=message.players,
        move_s=(message.move_ms if message.seat_ms is None else message.seat_ms[message.seat]) / 1000,
        grace_s=message.grace_ms / 1000,
        ready_s=message.ready_ms / 1000,
        away_s=message.away_ms / 1000,
        opening=message.opening,
        tournament=message.tournament,
        rated=message.rated,
    )


def _move(told: messages.LastAction | messages.Played) -> LastMove:
    return LastMove(told.ply, told.seat, told.action, told.name, told.charged_ms / 1000)


def _board(play: _Play) -> str | None:
    try:
        return None if play.board is None else str(play.game.from_wire(play.board))
    except ValueError:
        return None


def _send(message: messages.Message) -> Send:
    return Send(codecs.MSGPACK.encode(message))


def _warn(sentence: str) -> Show:
    return Show(notices.Warned(sentence))


def _name(game: Game, action: int) -> str:
    try:
        return game.action_name(action)
    except ValueError:
        return "no action of this game"
