"""Matches without a referee, between trusted bots in this process: nobody enforces the clock.

For bots that answer in time, matches end as they do under the referee: an exception or an illegal action loses the
match, unless the bot has a fallback. A bot that is late, or never answers, is waited for.

A process of `in_process` imports this, and pydantic would be half of its startup: nothing here or below imports it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache, lru_cache
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from palestra_client.arena.fixtures import Fixture, Settings
from palestra_client.bot import Bot
from palestra_client.choices import as_action
from palestra_client.factories import BotFactory
from palestra_client.match import LastMove, Match
from palestra_client.match import Result as Ended
from palestra_client.turn import Turn
from palestra_games import Game, IllegalAction, State, get_game, positions
from palestra_games.interface import DRAW, OPPONENT, SEATS, WIN

if TYPE_CHECKING:
    from palestra_protocol.messages import EndReason

FAULTS = (Exception, SystemExit)  # what counts as a bot's failure: a bot that calls `exit()` must not end the arena
new = tuple.__new__  # what a NamedTuple's constructor calls in the end; skips the Python frame around it
# Whose code is running: the number of the match, and the seat. Kept where it outlives a bot that ends its process.
Acting: TypeAlias = "memoryview[int] | list[int]"


class Ending(NamedTuple):
    """How a match ended, as in `palestra_referee.Outcome`."""

    returns: tuple[float, float]
    reason: EndReason
    detail: str


def play_here(
    names: Sequence[str],
    factories: Sequence[BotFactory],
    settings: Settings,
    planned: Sequence[Fixture],
    acting: Acting | None = None,
) -> list[Ending]:
    """Play the fixtures in this process, one match after the other. `names` and `factories` are the contenders'."""
    acting = [0, 0] if acting is None else acting
    game = get_game(settings.game)
    endings = []
    for fixture in planned:
        for leg, (first, second) in enumerate(fixture.seatings):
            players, makers = (names[first], names[second]), (factories[first], factories[second])
            endings.append(_match(fixture.number + leg, game, settings, fixture, players, makers, acting))
    return endings


class _Turn(Turn):
    """A turn that computes its history and clock lazily, and discards reports.

    The time for the move starts running when the bot first asks how much is left.
    """

    __slots__ = ("before", "played", "until")

    # Its attributes are set after the call: a constructor of our own would take twice as long.
    __init__ = object.__init__

    before: State | None  # the position one action ago
    played: list[int]  # the actions of the match; those after this turn too, once they are played
    until: float

    @property
    def wanted(self) -> bool:
        return True

    @property
    def remaining_s(self) -> float:
        now = monotonic()
        if not hasattr(self, "until"):
            self.until = now + self.match.move_s
        return max(0.0, self.until - now)

    @property
    def last(self) -> LastMove | None:
        if self.before is None:
            return None
        action = self.history[-1]
        name = get_game(self.match.game).action_name(action)
        return LastMove(self.ply - 1, self.before.to_move, action, name, 0.0)

    @property
    def history(self) -> tuple[int, ...]:
        opening = self.match.opening
        return (*opening, *self.played[: self.ply - len(opening)])

    def report(self, **found: object) -> None:
        """Do nothing: there are no spectators."""


def _match(
    number: int,
    game: Game,
    settings: Settings,
    fixture: Fixture,
    names: tuple[str, str],
    makers: tuple[BotFactory, BotFactory],
    acting: Acting,
) -> Ending:
    matches = _matches(number, settings, fixture.opening, names)
    bots: list[Bot] = []
    acting[0] = number
    for seat in SEATS:
        acting[1] = seat
        try:
            bot = makers[seat]()
            bot.warm_up(game)
            bot.on_start(matches[seat])
        except FAULTS as error:
            return _resigned(matches[seat], f"before the match: {_words(error)}")
        bots.append(bot)
    ply, outcome = _moves(game, matches, (bots[0], bots[1]), settings.ply_limit, acting)
    for seat in SEATS:
        bot = bots[seat]
        if type(bot).on_end is not Bot.on_end:
            acting[1] = seat
            with suppress(*FAULTS):
                bot.on_end(Ended(matches[seat], outcome.returns, outcome.reason, outcome.detail, ply))
    return outcome


def _moves(
    game: Game, matches: tuple[Match, Match], bots: tuple[Bot, Bot], limit: int, acting: Acting
) -> tuple[int, Ending]:
    """Play the match. Returns the number of plies and the outcome."""
    opening = matches[0].opening
    state, ply = _after(game.name, opening), len(opening)
    before: State | None = None
    choosers = bots[0].choose, bots[1].choose
    played: list[int] = []
    while legal := state.legal_actions():
        if ply == limit:
            return ply, Ending(DRAW, "ply_limit", f"A draw: the match came to its limit of {ply} moves.")
        seat = acting[1] = state.to_move
        turn = _Turn()
        turn.match = matches[seat]
        turn.state = state
        turn.ply = ply
        turn.legal = legal
        turn.played = played
        turn.before = before
        # Judge by our own `state` and `legal`: the bot may have modified its turn.
        try:
            action = choosers[seat](turn)
            if type(action) is not int:
                action = as_action(action)
        except FAULTS as error:
            instead = _fallback(bots[seat], turn, legal)
            if instead is None:
                return ply, _resigned(matches[seat], f"at move {ply}: {_words(error)}")
            action = instead
        before = state
        try:
            state = state.apply(action)
        except IllegalAction as error:
            instead = _fallback(bots[seat], turn, legal)
            if instead is None:
                who = matches[seat].players[seat]
                return ply, Ending(WIN[OPPONENT[seat]], "illegal", f"{who} at move {ply}: {error}")
            action = instead
            state = state.apply(action)
        played.append(action)
        ply += 1
    returns = state.returns()
    assert returns is not None
    return ply, _by_rules(returns)


@lru_cache(maxsize=1)
def _after(game: str, opening: tuple[int, ...]) -> State:
    """The position after an opening. Cached, because consecutive matches share it."""
    return positions(get_game(game), opening)[-1]


def _fallback(bot: Bot, turn: Turn, legal: tuple[int, ...]) -> int | None:
    """The bot's fallback action after `choose` failed; None if it resigns."""
    try:
        choice = bot.fallback(turn)
        action = None if choice is None else as_action(choice)
    except FAULTS:
        return None
    return action if action in legal else None


def _resigned(match: Match, why: str) -> Ending:
    return Ending(WIN[OPPONENT[match.seat]], "resign", f"{match.players[match.seat]} {why}")


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


@cache
def _by_rules(returns: tuple[float, float]) -> Ending:
    return Ending(returns, "rules", "")


def _matches(number: int, settings: Settings, opening: tuple[int, ...], names: tuple[str, str]) -> tuple[Match, Match]:
    name, game, move_s, ready_s = f"a-{number}", settings.game, settings.move_ms / 1000, settings.ready_ms / 1000
    return (
        new(Match, (name, game, 0, names, move_s, 0.0, ready_s, 0.0, opening, None, False)),
        new(Match, (name, game, 1, names, move_s, 0.0, ready_s, 0.0, opening, None, False)),
    )
