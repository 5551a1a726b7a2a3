"""`judge`: a whole match, from the end backwards, so that the table knows what a position leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from palestra_bots.judge.chances import CURVES, clear_drop
from palestra_bots.judge.diagnosis import Diagnosing
from palestra_bots.judge.keeping import keepers, keeps, separated
from palestra_bots.judge.models import Reported, reported
from palestra_bots.judge.values import Estimator, Prover, Value, proved, prover, sign
from palestra_client.others import seat_of
from palestra_games import Game, IllegalAction, State, UnknownGame, get_game, positions
from palestra_protocol.analysis import Accuracy, Analysis, Class, Decisive, Diagnosis, Estimate, JudgedMove
from palestra_protocol.harmless import ForPeople

DECISIVE_NODES: Final = 20_000_000  # to find the decisive move; most matches need a hundredth
POSITION_NODES: Final = 1_000_000  # for any other position, and
MATCH_NODES: Final = 10_000_000  # for all of them,
UNPROVED: Final = 3  # until so many in a row were not proved: those before are harder
LINES_NODES: Final = 3_000_000  # for all lines together
HOLDS: Final = 0.25  # an estimated position with a smaller chance counts as lost
LINE: Final = 12  # plies of a line that is shown
FAULTS: Final = ("slip", "blunder")


class Unjudgeable(ForPeople, ValueError):
    """The match can't be judged; the message is a sentence."""


@dataclass(slots=True)
class Budget:
    left: int
    used: int = 0

    def spend(self, nodes: int) -> None:
        self.left -= nodes
        self.used += nodes


def judge(told: Mapping[str, Any], others: Sequence[Mapping[str, Any]] = ()) -> Analysis:
    """`told`: a match as an export or the server's API has it; `others`: more matches of its players, which say more of
    what is wrong with their programs. Raises Unjudgeable.
    """
    game, actions, states = _read(told)
    name, first, returns = game.name, len(told["opening"]), told["returns"]
    if name not in CURVES:
        raise Unjudgeable(f"There is no judge for {name}: there is one for {', '.join(sorted(CURVES))}.")
    judging = _Judging(str(told["match"]), name, states, actions, first, None if returns is None else tuple(returns))
    return judging.analysis(told, (_reported(told, 0, others), _reported(told, 1, others)))


def _read(told: Mapping[str, Any]) -> tuple[Game, list[int], list[State]]:
    """The game of a match, its actions with those of the opening, and its positions. Raises Unjudgeable."""
    try:
        game = get_game(str(told["game"]))
        actions = [*map(int, told["opening"]), *(int(move["action"]) for move in told["moves"])]
        _ = told["returns"], told["match"]
        return game, actions, positions(game, actions)
    except UnknownGame as error:
        raise Unjudgeable(str(error)) from None
    except IllegalAction as error:
        raise Unjudgeable(f"The moves of this match are not legal here: {error}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise Unjudgeable(f"This match can't be read ({type(error).__name__}: {error}).") from None


def _reported(told: Mapping[str, Any], seat: int, others: Sequence[Mapping[str, Any]]) -> list[Reported]:
    """What the program of this seat said of its moves in other matches; those that can't be read say nothing."""
    found: list[Reported] = []
    for number, other in enumerate(others, 1):
        with suppress(Unjudgeable):
            _, _, states = _read(other)
            theirs = seat_of(told, seat, other)
            if theirs is not None:
                found += reported(states, enumerate(other["moves"], len(other["opening"])), theirs, number)
    return found


class _Judging:
    def __init__(
        self,
        match: str,
        game: str,
        states: Sequence[State],
        actions: Sequence[int],
        first: int,
        returns: tuple[float, ...] | None,
    ) -> None:
        self.match, self.game, self.states, self.actions, self.first = match, game, states, actions, first
        self.loser = None if returns is None or returns[0] == returns[1] else int(returns[0] > returns[1])
        self.prover: Prover | None = prover(game)
        self.estimator = Estimator(game)
        self.deciding, self.rest, self.lines = Budget(DECISIVE_NODES), Budget(MATCH_NODES), Budget(LINES_NODES)
        self.unproved = 0  # in a row
        self.valued: dict[State, Value] = {}

    def analysis(self, told: Mapping[str, Any], others: Sequence[Sequence[Reported]]) -> Analysis:
        decisive = self._proved_decisive()
        values = self._values()
        if self.prover is None or (decisive is None and self.deciding.left <= 0):
            decisive = self._estimated_decisive(values)
        moves = [self._move(ply, values) for ply in range(self.first, len(self.actions))]
        found = None
        if decisive is not None:
            ply, better = decisive
            state = self.states[ply]
            keeps = self._keeps(state)
            better = values[ply].best if values[ply].proved else better  # wins, where the other may only draw
            if keeps and better not in keeps:
                better = keeps[0]
            found = Decisive(
                ply=ply,
                seat=state.to_move,
                action=self.actions[ply],
                better=better,
                line=self._line(state.apply(better), better),
                refutation=self._line(self.states[ply + 1], self.actions[ply]),
                keeps=keeps,
            )
        diagnosing = Diagnosing(self.game, self.states, told["moves"], told.get("seat_ms"), moves, others)
        diagnoses: list[Diagnosis] = []
        for seat in (1, 0) if self.loser == 1 else (0, 1):
            if seat == self.loser:
                chance = self._chance(values[-1], self.states[-1].to_move)
                worth = (chance > 1 - HOLDS) - (chance < HOLDS)
                diagnoses += diagnosing.ended(seat, told.get("why"), worth)
            diagnoses += diagnosing.of(seat, found.ply if found is not None and found.seat == seat else None)
        return Analysis(
            match=self.match,
            game=self.game,
            exact=all(move.estimate is None for move in moves),
            moves=tuple(moves),
            decisive=found,
            accuracy=(self._accuracy(moves, 0), self._accuracy(moves, 1)),
            diagnoses=tuple(map(self._with_line, diagnoses)),
            nodes=self.deciding.used + self.rest.used + self.lines.used + diagnosing.nodes,
        )

    def _with_line(self, found: Diagnosis) -> Diagnosis:
        if "needed" not in found.values and "beyond" not in found.values:
            return found  # it is not about a move that has a refutation
        line = self._line(self.states[found.ply + 1], self.actions[found.ply])
        return found.model_copy(update={"line": line})

    def _proved_decisive(self) -> tuple[int, int] | None:
        """(ply, an action that does not lose) of the loser's last own move before which it had not lost."""
        if self.prover is None or self.loser is None:
            return None
        later_lost = self._holds(len(self.states) - 1)[0]
        if later_lost is not False:
            return None  # lost by a fault, or resigned too soon: no move on the board did it
        for ply in reversed(range(self.first, len(self.actions))):
            if self.states[ply].to_move == self.loser:
                holds, action = self._holds(ply)
                if holds is None:
                    return None
                if holds and action is not None:
                    return ply, action
        return None

    def _holds(self, ply: int) -> tuple[bool | None, int | None]:
        """Whether the position is not lost for the loser, and, where it is on the move, an action that keeps that."""
        assert self.prover is not None
        state = self.states[ply]
        mine = state.to_move == self.loser
        if state.returns() is not None:
            score = self.prover.final(state)
            return (score if mine else -score) >= 0, None
        if self.deciding.left <= 0:
            return None, None
        reached, action, nodes = self.prover.reaches(state, 0 if mine else 1, self.deciding.left)
        self.deciding.spend(max(nodes, 1))
        if reached is None:
            self.deciding.left = 0
            return None, None
        return (reached, action) if mine else (not reached, None)

    def _values(self) -> list[Value]:
        """Of every position from the end of the opening on, and 0 for those before; proved from the end backwards."""
        found: dict[int, Value] = {}
        for ply in reversed(range(self.first, len(self.states))):
            found[ply] = self.valued[self.states[ply]] = self._value(self.states[ply])
        nothing = Value(0, 0.5, False, 0, 0)
        return [found.get(ply, nothing) for ply in range(len(self.states))]

    def _value(self, state: State) -> Value:
        result = state.returns()
        if result is not None:
            score = sign(result[state.to_move] - result[1 - state.to_move])
            return proved(score if self.prover is None else self.prover.final(state), 0, 0, 0)
        if self.prover is not None and self.unproved < UNPROVED:
            value = self._proved(state, self.rest)
            self.unproved = 0 if value is not None else self.unproved + 1
            if value is not None:
                return value
        value = self.estimator.value(state)
        self.rest.used += value.nodes
        return value

    def _proved(self, state: State, budget: Budget) -> Value | None:
        nodes = min(budget.left, POSITION_NODES)
        if self.prover is None or nodes <= 0:
            return None
        value = self.prover.solve(state, nodes)
        budget.spend(nodes if value is None else value.nodes)
        return value

    def _estimated_decisive(self, values: Sequence[Value]) -> tuple[int, int] | None:
        last = values[-1]
        turn = self.states[-1].to_move
        if self.loser is None or self._chance(last, turn) >= HOLDS:
            return None
        for ply in reversed(range(self.first, len(self.actions))):
            if self.states[ply].to_move == self.loser and values[ply].chance >= HOLDS:
                # Else the estimates may err by more than the two moves differ.
                clear = self._class(ply, values[ply], values[ply + 1]) in FAULTS
                best = values[ply].best
                return (ply, best) if clear or (values[ply + 1].proved and not self._lost(ply, best)) else None
        return None

    def _lost(self, ply: int, action: int) -> bool:
        """Whether this action of the loser is proved to lose, as the one that was played."""
        state = self.states[ply].apply(action)
        value = None if state.returns() is not None else self._proved(state, Budget(POSITION_NODES))
        return value is not None and (value.score if state.to_move == self.loser else -value.score) < 0

    def _chance(self, value: Value, turn: int) -> float:
        return value.chance if turn == self.loser else 1 - value.chance

    def _move(self, ply: int, values: Sequence[Value]) -> JudgedMove:
        state, value = self.states[ply], values[ply]
        estimate = None
        if not value.proved:
            estimate = Estimate(depth=value.depth, nodes=value.nodes, chance=round(value.chance, 4))
        return JudgedMove.model_validate(
            {
                "ply": ply,
                "seat": state.to_move,
                "action": self.actions[ply],
                "value": value.score,
                "best": value.best,
                "class": self._class(ply, value, values[ply + 1]),
                "plies": value.plies,
                "estimate": estimate,
            }
        )

    def _class(self, ply: int, before: Value, after: Value) -> Class:
        state = self.states[ply]
        if len(state.legal_actions()) == 1:
            return "forced"
        same = self.states[ply + 1].to_move == state.to_move
        score, chance = (after.score, after.chance) if same else (-after.score, 1 - after.chance)
        if guessed := (not before.proved) + (not after.proved):
            drop = before.chance - chance
            if drop <= clear_drop(self.game, guessed):
                return "good"
            return "blunder" if drop > 0.5 else "slip"
        lost = sign(before.score) - sign(score)
        if lost > 0:
            return "blunder" if lost == 2 else "slip"
        if self.game == "connect4" and score < before.score:
            return "slack"
        return "only" if before.score >= 0 and self._alone(ply, sign(before.score)) else "good"

    def _alone(self, ply: int, kept: int) -> bool:
        """Whether every other action than the one that was played loses value, which is `kept` (1 or 0)."""
        if self.prover is None:
            return False
        state = self.states[ply]
        for action in state.legal_actions():
            if action == self.actions[ply]:
                continue
            if self.rest.left <= 0 and state.apply(action).returns() is None:
                return False
            reached, used = keeps(state, action, self.prover, kept, min(self.rest.left, POSITION_NODES))
            self.rest.spend(used)
            if reached is not False:
                return False
        return True

    def _keeps(self, state: State) -> tuple[int, ...]:
        proving = self.prover
        found, nodes = (
            keepers(state, proving, POSITION_NODES) if proving is not None else separated(state, self.estimator)
        )
        self.rest.used += nodes
        return found

    def _line(self, state: State, action: int) -> tuple[int, ...]:
        """`action`, which led to `state`, and the best play of both after it; once nothing is proved, as an estimate
        sees it.
        """
        line = [action]
        while len(line) < LINE and state.returns() is None:
            value = self.valued.get(state) or self._proved(state, self.lines)
            if value is None:
                value = self.estimator.value(state)
                self.lines.used += value.nodes
            if value.line:
                return (*line, *value.line)[:LINE]
            line.append(value.best)
            state = state.apply(value.best)
        return tuple(line)

    def _accuracy(self, moves: Sequence[JudgedMove], seat: int) -> Accuracy:
        kept, choices = [0, 0, 0], [0, 0, 0]
        for place, move in enumerate(moves):
            lost = move.value < 0 if move.estimate is None else move.estimate.chance < HOLDS
            if move.seat == seat and move.class_ != "forced" and not lost:
                third = 3 * place // len(moves)
                choices[third] += 1
                kept[third] += move.class_ not in FAULTS
        return Accuracy(kept=(kept[0], kept[1], kept[2]), choices=(choices[0], choices[1], choices[2]))
