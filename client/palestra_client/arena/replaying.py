"""Replaying a recorded match ply by ply, and asking a bot again in one of its positions."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_args

from palestra_client.choices import as_action
from palestra_client.factories import BotFactory
from palestra_client.match import LastMove, Match
from palestra_client.page import ask_match
from palestra_client.reports import to_info
from palestra_client.turn import Turn
from palestra_games import IllegalAction, State, UnknownGame, get_game, positions
from palestra_protocol.english import Language, said_of, sentence
from palestra_protocol.harmless import ForPeople
from palestra_protocol.messages import Info
from palestra_referee.layout import EVENTS, folder
from palestra_referee.reading import Files, Wrong, open_export, read_map
from palestra_referee.verification import read_matches

READY_S: Final = 60.0  # what a bot that is asked again is told that getting ready may take


class NotReplayable(ForPeople, ValueError):
    """The match doesn't exist or can't be read. The message is a full sentence."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match as recorded by an export or a server. `actions` includes those of the opening."""

    id: str
    game: str
    players: tuple[str, str]
    opening: tuple[int, ...]
    moves: tuple[Mapping[str, Any], ...]
    returns: tuple[float, ...] | None
    reason: str
    detail: str
    told: Mapping[str, Any] = field(default_factory=dict)  # as it was recorded, with each seat's time in `seat_ms`
    ruled: Mapping[Language, str] = field(default_factory=dict)  # what its teacher ruled on it, if anything

    @property
    def actions(self) -> tuple[int, ...]:
        return self.opening + tuple(int(move["action"]) for move in self.moves)

    def states(self) -> list[State]:
        """The position before each ply, then the final one. Raises NotReplayable if the installed rules disagree."""
        try:
            return positions(get_game(self.game), self.actions)
        except (UnknownGame, IllegalAction) as error:
            raise NotReplayable(f"The match {self.id} can't be replayed here: {error}") from None

    def headline(self, language: Language = "en") -> str:
        """A one-line summary: the game, the players and the result."""
        said = "goes on"
        if self.returns is not None:
            result = {1: "1-0", -1: "0-1"}.get(int(self.returns[0]), "1/2")
            over = {"code": "match", "result": result, "reason": self.reason, "plies": len(self.actions)}
            said = ". ".join(filter(None, (sentence("over", over, language), self.ruled.get(language))))
        return f"{self.id:12} {self.game:14} {' - '.join(self.players)}: {said}"


def from_map(told: Mapping[str, Any]) -> Played:
    """Parse a match from an export's entry or a server's response. Raises NotReplayable."""
    try:
        first, second = told["players"]
        returns, ruling = told["returns"], told.get("ruling")
        return Played(
            id=str(told["match"]),
            game=str(told["game"]),
            players=(str(first), str(second)),
            opening=tuple(map(int, told["opening"])),
            moves=tuple(told["moves"]),
            returns=None if returns is None else tuple(returns),
            reason=str(told["reason"] or ""),
            detail="" if told["why"] is None else sentence("why", told["why"]),
            told=told,
            ruled={each: said_of(ruling, each) for each in get_args(Language)} if ruling else {},
        )
    except (KeyError, TypeError, ValueError) as error:
        raise NotReplayable(f"This match can't be read ({type(error).__name__}: {error}).") from None


def is_file(what: str) -> bool:
    """Whether this names a file, in place of a match on a server. Raises NotReplayable for a file that isn't there."""
    file = Path(what)
    if not file.exists() and (file.suffix or "/" in what):
        raise NotReplayable(f"There is no file {what}.")
    return file.exists()


def read(file: str | Path, match: str | None = None) -> list[Played]:
    """The matches (or only this one) of an export, from a server or `palestra arena --save`. Raises NotReplayable."""
    try:
        with open_export(Path(file)) as files:
            rulings = _rulings(files)
            found = [
                from_map(entry | _times(records) | {"ruling": rulings.get(entry["match"])})
                for entry, records in read_matches(files)
            ]
    except Wrong as error:
        raise NotReplayable(f"{file} is not an export as RECORDS.md describes it: {error}") from None
    return found if match is None else only(found, match, file)


def only(there: Sequence[Played], match: str, file: str | Path) -> list[Played]:
    """This match of a file. Raises NotReplayable."""
    found = [played for played in there if played.id == match]
    if not found:
        raise NotReplayable(f"{file} has no match {match}; `palestra replay {file}` lists them.")
    return found


def _rulings(files: Files) -> dict[str, Mapping[str, Any]]:
    """The last ruling on each match, by match. Raises Wrong."""
    found: dict[str, Mapping[str, Any]] = {}
    for file in (folder(name) + EVENTS for name in files.manifest.tournaments):
        for number, line in files.lines(file):
            event = read_map(line, f"{file}, line {number}")
            if event.get("type") == "ruled":
                found[str(event.get("match"))] = event
    return found


def _times(records: Sequence[bytes]) -> dict[str, Any]:
    config = json.loads(records[0])["config"]
    return {"seat_ms": config["seat_ms"] or [config["move_ms"]] * 2}


def fetch(page: str, match: str, token: str | None = None) -> Played:
    """Fetch a match from a server, given the address of its page. Raises NotReplayable and NoAnswer."""
    return from_map(ask_match(page, match, token))


def move_line(played: Played, ply: int) -> str:
    """Describe a ply: the player, the action, the time taken and what the search reported."""
    game = get_game(played.game)
    if ply < len(played.opening):
        action = played.opening[ply]
        return f"move {ply}: {game.action_name(action)} (action {action}), of the opening"
    move = played.moves[ply - len(played.opening)]
    action, seat = move["action"], move["seat"]
    told = move.get("info")
    said = "" if not told else f"; {search_words(played.game, told)}"
    name = game.action_name(action)
    return (
        f"move {ply}: seat {seat} ({played.players[seat]}) {name} (action {action}), {move['charged_ms']:.0f} ms{said}"
    )


def search_words(game: str, info: Mapping[str, Any]) -> str:
    words = [f"{key} {info[key]:.10g}" for key in ("depth", "nodes", "value") if info.get(key) is not None]
    if line := info.get("pv"):
        words.append("line " + ", ".join(_name(game, action) for action in line))
    if text := info.get("text"):
        words.append(str(text))
    return ", ".join(words)


def _name(game: str, action: int) -> str:
    try:
        return get_game(game).action_name(action)
    except ValueError:
        return str(action)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a bot chose in a position, how long it took, and what it reported."""

    action: int
    took_s: float
    info: Info | None
    values: Mapping[int, float] = field(default_factory=dict)  # each one that it reported, by depth


class Heard(Turn):
    """Keeps each value that is reported, by its depth, in `values`."""

    __slots__ = ("values",)

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.values: dict[int, float] = {}

    def report(self, **told: Any) -> None:
        super().report(**told)
        said = to_info({"depth": told.get("depth"), "value": told.get("value")})
        if said is not None and said.depth is not None and said.value is not None:
            self.values[said.depth] = said.value


def ask(
    factory: BotFactory,
    played: Played,
    actions: tuple[int, ...],
    move_s: float,
    begun: Callable[[], object] = lambda: None,
) -> Answer:
    """Ask a new bot to choose after these actions, which need not be the match's, as the player to move there; `begun`
    is called when its clock starts.

    Its exceptions propagate.
    """
    game, ply, beyond = get_game(played.game), len(actions), len(actions) - len(played.opening)
    *before, state = positions(game, actions)
    last = None
    if beyond > 0:
        taken_ms = played.moves[beyond - 1]["charged_ms"] if actions == played.actions[:ply] else 0.0
        last = LastMove(ply - 1, before[-1].to_move, actions[-1], game.action_name(actions[-1]), taken_ms / 1000)
    match = Match(
        id=played.id,
        game=played.game,
        seat=state.to_move,
        players=played.players,
        move_s=move_s,
        grace_s=0.0,
        ready_s=READY_S,
        away_s=0.0,
        opening=played.opening,
    )
    bot = factory()
    bot.warm_up(game)
    bot.on_start(match)
    begun()
    began = time.monotonic()
    turn = Heard.now(match, state, ply, last=last, history=actions)
    action = as_action(bot.choose(turn))
    return Answer(action, time.monotonic() - began, to_info(turn.reported), turn.values)


def contradictions(answers: Sequence[Answer]) -> int:
    """How many answers to one question contradict the first of their kind: the same depth and another value.

    Without a depth, another action: then it can also be the clock that decides.
    """
    firsts: dict[int | None, Answer] = {}
    count = 0
    for answer in answers:
        depth = None if answer.info is None else answer.info.depth
        first = firsts.setdefault(depth, answer)
        if depth is None or answer.info is None or first.info is None or answer.info.value is None:
            count += answer.action != first.action
        else:
            count += answer.info.value != first.info.value
    return count
