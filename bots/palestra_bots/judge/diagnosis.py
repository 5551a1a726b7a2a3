"""What is wrong with a program, from what it played, what it said of it, and what it was worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from palestra_bots import evaluations
from palestra_bots.judge import models
from palestra_bots.judge.depths import Depths, Seen, bought
from palestra_games import State
from palestra_protocol.analysis import Cause, Diagnosis, JudgedMove

WORST: Final = 3  # moves of each seat, besides the decisive one
EARLY: Final = 0.5  # of its time: a bot that used less could have searched on
KNOWN: Final = 0.5  # of the values it reported: then the evaluation is taken for the bot's own
NODES: Final = 60_000  # in plain Python, to search one position as the bot should have: about a second
OVER_TIME: Final = ("late", "silent")


class Diagnosing:
    """One match. `moves` as the API tells them, from the end of the opening on; `judged` their values and classes."""

    def __init__(
        self,
        game: str,
        states: Sequence[State],
        moves: Sequence[Mapping[str, Any]],
        move_ms: Sequence[float] | None,
        judged: Sequence[JudgedMove],
    ) -> None:
        self._game, self._states, self._move_ms = game, states, move_ms
        self._moves = {move.ply: told for move, told in zip(judged, moves, strict=True)}
        self._judged = {move.ply: move for move in judged}
        self._depths = Depths(game)
        self.nodes = 0

    def late(self, seat: int, why: Mapping[str, Any] | None, worth: int) -> Iterator[Diagnosis]:
        """If the clock ended the match; `worth`: of the last position for the loser."""
        if why is not None and why.get("code") in OVER_TIME:
            took_ms = why.get("took_ms", why["move_ms"] + why["grace_ms"])
            yield self._found("late", seat, len(self._states) - 1, took_ms=took_ms, move_ms=why["move_ms"], worth=worth)

    def of(self, seat: int, decisive: int | None) -> Iterator[Diagnosis]:
        """A flaw of its search, then the causes of its decisive move and of its worst others."""
        fits = models.fits(self._game, list(self._reported(seat)))
        flaw = models.flaw_of(fits)
        if flaw is not None and flaw.flaw is not None and flaw.shown is not None:
            shown, sound = flaw.shown
            values = {"fits": flaw.fits, "of": flaw.of, "depth": shown.depth, "told": shown.value, "sound": sound}
            yield self._found(flaw.flaw, seat, shown.ply, **values)
        known = flaw or next((fit for fit in fits if fit.flaw is None and fit.fits >= KNOWN * fit.of), None)
        faults = [move for move in self._judged.values() if move.seat == seat and move.class_ in ("slip", "blunder")]
        worst = sorted(faults, key=lambda move: (move.ply == decisive, self._loss(move)), reverse=True)[: WORST + 1]
        if decisive is not None and decisive not in {move.ply for move in worst}:
            worst.insert(0, self._judged[decisive])
        for move in worst[: WORST + (decisive is not None)]:
            yield from self._cause(move, known)

    def _cause(self, move: JudgedMove, known: models.Fit | None) -> Iterator[Diagnosis]:
        """`known`: the model that the bot is known to follow."""
        info, state = self._moves[move.ply].get("info") or {}, self._states[move.ply]
        seen = self._depths.seen(state, move.action, move.best)
        self.nodes += seen.nodes
        depth = info.get("depth")
        if depth:
            at = self._at_its_depth(state, move, depth, seen, known)
            if at is not None:
                code: Cause = "search" if known is None or known.flaw is None else known.flaw
                yield self._found(code, move.seat, move.ply, depth=depth, needed=at)
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
        code = "deep" if seen.first is None else "horizon" if depth else "unreported"
        yield self._found(code, move.seat, move.ply, **searched, **needed)

    def _at_its_depth(
        self, state: State, move: JudgedMove, depth: int, seen: Seen, known: models.Fit | None
    ) -> int | None:
        """A depth, no more than the bot reported, at which a sound search would not have played the move.

        It may have been played by a search one ply deeper that the clock broke off, so it must be wrong there, too.
        """
        if seen.proved is not None and seen.proved <= depth:
            return seen.proved
        if known is None:
            return None
        evaluation, seat, best = evaluations.get(self._game, known.evaluation), state.to_move, None
        for plies in (depth, depth + 1):
            values = {}
            for action in state.legal_actions():
                value = models.flawed_value(state.apply(action), plies - 1, evaluation, None, seat, NODES)
                if value is None:
                    return None
                values[action] = value
            best = max(values, key=values.__getitem__) if best is None else best
            if values[move.action] >= values[best]:
                return None
        return depth

    def _reported(self, seat: int) -> Iterator[models.Reported]:
        for ply, move in self._moves.items():
            info = move.get("info") or {}
            if self._judged[ply].seat == seat and info.get("depth") and info.get("value") is not None:
                yield models.Reported(ply, self._states[ply], info["depth"], info["value"])

    def _loss(self, move: JudgedMove) -> float:
        """How much of its chances the move lost, as far as its class tells."""
        chance = move.estimate.chance if move.estimate is not None else (move.value > 0) + (move.value == 0) / 2
        return {"blunder": 2.0, "slip": 1.0}.get(move.class_, 0.0) + chance

    def _found(self, code: Cause, seat: int, ply: int, **values: float) -> Diagnosis:
        return Diagnosis.model_validate({"code": code, "seat": seat, "ply": ply, "values": values})
