"""What is wrong with a program, from what it played, what it said of it, and what it was worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from palestra_bots import evaluations
from palestra_bots.judge import models, template
from palestra_bots.judge.depths import Depths, bought
from palestra_games import State
from palestra_protocol.analysis import Cause, Diagnosis, Flaw, JudgedMove

WORST: Final = 3  # moves of each seat, besides the decisive one
EARLY: Final = 0.5  # of its time: a bot that used less could have searched on
KNOWN: Final = 0.5  # of the values it reported: then the evaluation is taken for the bot's own
LATER: Final = 2  # depths, from the one reported on, at which a move must be wrong
DEAR: Final = 3_000_000  # nodes, about a second, to search the positions of one player as it should have
OVER_TIME: Final = ("late", "silent")
FORFEITS: Final = ("illegal", "no_action", "crashed", "resigned", "stayed_away")


class Diagnosing:
    """One match. `moves` as the API tells them, from the end of the opening on; `judged` their values and classes;
    `others` what the program of each seat reported in other matches.
    """

    def __init__(
        self,
        game: str,
        states: Sequence[State],
        moves: Sequence[Mapping[str, Any]],
        move_ms: Sequence[float] | None,
        judged: Sequence[JudgedMove],
        others: Sequence[Sequence[models.Reported]],
    ) -> None:
        self._game, self._states, self._move_ms, self._others = game, states, move_ms, others
        self._moves = {move.ply: told for move, told in zip(judged, moves, strict=True)}
        self._judged = {move.ply: move for move in judged}
        self._depths = Depths(game)
        self._spent = 0
        self._blamed: Flaw | None = None

    @property
    def nodes(self) -> int:
        """What it took."""
        return self._spent + self._depths.nodes

    def ended(self, seat: int, why: Mapping[str, Any] | None, worth: int) -> Iterator[Diagnosis]:
        """If not the board ended the match; `worth`: of the last position for the loser."""
        last, code = len(self._states) - 1, (why or {}).get("code")
        if why is not None and code in OVER_TIME:
            took_ms = why.get("took_ms", why["move_ms"] + why["grace_ms"])
            yield self._found("late", seat, last, took_ms=took_ms, move_ms=why["move_ms"], worth=worth)
        elif code in FORFEITS:
            yield self._found("forfeit", seat, last, worth=worth)

    def of(self, seat: int, decisive: int | None) -> Iterator[Diagnosis]:
        """A flaw of its search, then the causes of its decisive move and of its worst others."""
        own = sorted(
            (move for move in self._judged.values() if move.seat == seat),
            key=lambda move: (move.ply == decisive, self._loss(move)),
            reverse=True,
        )
        fits = models.fits(self._game, self._reported(seat), self._others[seat])
        flaw = models.flaw_of(fits)
        self._blamed = None if flaw is None else flaw.flaw
        fits = [fit for fit in fits if fit.evaluation != template.NAME]  # no search here can have it
        known = (flaw if flaw in fits else None) or next(
            (fit for fit in fits if fit.flaw is None and fit.fits >= KNOWN * fit.of), None
        )
        wrong = self._wrong(own, known)
        told = None
        if flaw is not None and flaw.flaw is not None and flaw.shown is not None:
            shown, sound = flaw.shown
            counts = {"fits": flaw.fits, "of": flaw.of, "telling": flaw.telling}
            values = counts | {"depth": shown.depth, "told": shown.value, "sound": sound}
            more = {"matches": flaw.matches} if flaw.matches else {}
            yield self._found(flaw.flaw, seat, shown.ply, **values, **more)
        elif len(wrong) >= (1 if known is None else models.CLEARLY):
            told = next(move.ply for move in own if move.ply in wrong)
            yield self._found(self._fault(told, known), seat, told, depth=wrong[told], needed=wrong[told])
        worst = [move for move in own if move.ply == decisive or move.class_ in ("slip", "blunder")]
        for move in worst[: WORST + (decisive is not None)]:
            if move.ply != told:
                yield from self._cause(move, known, wrong)

    def _wrong(self, own: Sequence[JudgedMove], known: models.Fit | None) -> Mapping[int, int]:
        """The moves that no sound search with the bot's own evaluation, if that is known, else with any, would have
        played, and the depth reported.

        They may have been played by a search one ply deeper that the clock broke off, so they must be wrong there, too.
        The first ones are searched in any case, the others as far as DEAR reaches.
        """
        found, depths = dict[int, int](), Depths(self._game, None if known is None else known.evaluation)
        for place, move in enumerate(own):
            depth = (self._moves[move.ply].get("info") or {}).get("depth")
            if (
                not depth
                or move.class_ == "forced"
                or self._may_know(move, known)
                or (place > WORST and depths.nodes > DEAR)
            ):
                continue
            later = range(depth, depth + LATER)
            if depths.rejects(self._states[move.ply], move.action, later, surely=known is None):
                found[move.ply] = depth
        self._spent += depths.nodes
        return found

    def _fault(self, ply: int, known: models.Fit | None) -> Cause:
        """What lets a search play a move that a sound one of the depth reported rejects."""
        if known is not None:
            return known.flaw or "search"
        if self._blamed is not None:
            return self._blamed
        move, info = self._judged[ply], self._moves[ply]["info"]
        evaluation, after = evaluations.get(self._game), self._states[ply + 1]
        for flaw in models.RULES_OF_ENDS.get(self._game, ()):
            value = models.flawed_value(after, info["depth"] - 1, evaluation, flaw, move.seat, models.SLOW)
            if value is not None and not evaluation.decides(value):
                return flaw  # who does not know this rule doesn't see that the move loses
        return "search"

    def _may_know(self, move: JudgedMove, known: models.Fit | None) -> bool:
        """Whether it may know, from deeper searches, that the game is decided, so that it doesn't care."""
        value = (self._moves[move.ply].get("info") or {}).get("value")
        if known is not None and value is not None:
            return evaluations.get(self._game, known.evaluation).decides(value)
        # How does it say that all is lost? By its lowest value so far.
        told = [each.value for each in self._reported(move.seat) if each.ply < move.ply]
        return value is None or not told or value <= min(told)

    def _cause(self, move: JudgedMove, known: models.Fit | None, wrong: Mapping[int, int]) -> Iterator[Diagnosis]:
        """`known`: the model that the bot is known to follow."""
        info = self._moves[move.ply].get("info") or {}
        seen = self._depths.seen(self._states[move.ply], move.action, move.best)
        depth = info.get("depth")
        if depth:
            # Any sound search sees it, or one with the bot's own evaluation.
            at = seen.proved if seen.proved is not None and seen.proved <= depth else wrong.get(move.ply)
            if at is not None:
                yield self._found(self._fault(move.ply, known), move.seat, move.ply, depth=depth, needed=at)
                return
            if seen.first is not None and seen.first <= depth:
                if known is None:
                    yield self._found("evaluation", move.seat, move.ply, depth=depth, needed=seen.first)
                return  # else by a search that the clock broke off
        needed = {"beyond": seen.deepest} if seen.first is None else {"needed": seen.first}
        took_ms = self._moves[move.ply].get("charged_ms", math.inf)
        move_ms = 0 if self._move_ms is None else self._move_ms[move.seat]
        searched = {"depth": depth} if depth else {}
        if took_ms <= EARLY * move_ms:
            more = bought(depth or 1, info.get("nodes"), took_ms, move_ms)
            if more > 0:
                times = {"took_ms": took_ms, "move_ms": move_ms, "bought": more}
                yield self._found("early", move.seat, move.ply, **times, **searched, **needed)
                return
        code: Cause = "deep" if seen.first is None else "horizon" if depth else "unreported"
        yield self._found(code, move.seat, move.ply, **searched, **needed)

    def _reported(self, seat: int) -> list[models.Reported]:
        return list(models.reported(self._states, self._moves.items(), seat))

    def _loss(self, move: JudgedMove) -> float:
        """How much of its chances the move lost, as far as its class tells."""
        chance = move.estimate.chance if move.estimate is not None else (move.value > 0) + (move.value == 0) / 2
        return {"blunder": 2.0, "slip": 1.0}.get(move.class_, 0.0) + chance

    def _found(self, code: Cause, seat: int, ply: int, **values: float) -> Diagnosis:
        return Diagnosis.model_validate({"code": code, "seat": seat, "ply": ply, "values": values})
