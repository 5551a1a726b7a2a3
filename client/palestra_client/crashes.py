"""When a student's bot raises an exception: saving the position to a file, and replaying it."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from palestra_client.choices import as_action
from palestra_client.factories import BotFactory
from palestra_client.match import LastMove, Match, file_name
from palestra_client.traces import report
from palestra_client.turn import Deadline, Turn
from palestra_games import State, UnknownGame, get_game
from palestra_protocol.harmless import ForPeople

FOLDER = Path("palestra-crashes")
_VERSION = 1


class NotACrash(ForPeople, ValueError):
    """The file can't be replayed; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Crash:
    """A saved crash. `turn` is None if it happened before the first turn; `error` is its last line."""

    where: str
    error: str
    match: Match
    turn: SavedTurn | None


@dataclass(frozen=True, slots=True)
class SavedTurn:
    state: State
    ply: int
    legal: tuple[int, ...]
    last: LastMove | None


def save(folder: Path, where: str, error: BaseException, match: Match, turn: Turn | None) -> Path:
    """Writes a crash to a new file in `folder`, which is created if missing. Raises OSError."""
    now = datetime.now()
    place = "start" if turn is None else f"ply{turn.ply}"
    stem = f"{now:%Y%m%d-%H%M%S}-{file_name(match.id)}-{place}"
    content = {
        "palestra_crash": _VERSION,
        "when": now.isoformat(timespec="seconds"),
        "where": where,
        "error": traceback.format_exception_only(error)[-1].strip(),
        "traceback": report(error).splitlines(),
        "board": None if turn is None else str(turn.state).splitlines(),
        "match": match._asdict(),
        "turn": None if turn is None else _kept(turn),
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, indent=1, ensure_ascii=False)
    for attempt in range(1, 1000):
        path = folder / f"{stem}.json" if attempt == 1 else folder / f"{stem}-{attempt}.json"
        try:
            with path.open("x", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except FileExistsError:
            continue
        return path
    raise FileExistsError(f"{folder} is full of crashes of this second")


def newest_of(match: str, folder: Path = FOLDER) -> tuple[Path, Crash] | None:
    """The last crash in this match that was saved here and can be read."""
    for path in sorted(folder.glob(f"*-{file_name(match)}-*.json"), reverse=True):
        with suppress(NotACrash):
            if (crash := load(path)).match.id == match:
                return path, crash
    return None


def _kept(turn: Turn) -> dict[str, object]:
    last = None if turn.last is None else turn.last._asdict()
    return {"state": turn.state.to_wire(), "ply": turn.ply, "legal": turn.legal, "last": last}


class _Turn(BaseModel):
    state: dict[str, Any]
    ply: int
    legal: tuple[int, ...]
    last: LastMove | None


class _Kept(BaseModel):
    """What is read of a file; the rest is for people."""

    where: str
    error: str
    match: Match
    turn: _Turn | None


def load(path: Path) -> Crash:
    """Reads a file written by `save`. Raises NotACrash."""
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise NotACrash(f"{path} can't be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise NotACrash(f"{path} is not a crash file of palestra: it is not JSON ({error}).") from error
    if not isinstance(content, dict) or content.get("palestra_crash") != _VERSION:
        raise NotACrash(f"{path} is not a crash file of this version of palestra.")
    try:
        kept = _Kept.model_validate(content)
        game, turn = get_game(kept.match.game), kept.turn
        saved = None if turn is None else SavedTurn(game.from_wire(turn.state), turn.ply, turn.legal, turn.last)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise NotACrash(f"{path} can't be replayed: its {place} is missing or damaged.") from error
    except (UnknownGame, ValueError) as error:
        raise NotACrash(f"{path} can't be replayed: {error}") from error
    return Crash(kept.where, kept.error, kept.match, saved)


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay. `error` was raised in `where`; else `action` was chosen within `took_s` seconds (both
    None if the crash came before the first turn and did not happen again).
    """

    where: str
    error: BaseException | None = None
    action: int | None = None
    took_s: float | None = None


def replay(crash: Crash, factory: BotFactory, clock: Callable[[], float] = time.monotonic) -> Replay:
    """Creates a bot and runs it, in this thread, up to and including the position of the crash. Ctrl-C gets through."""
    where = "__init__"
    try:
        bot = factory()
        where = "warm_up"
        bot.warm_up(get_game(crash.match.game))
        where = "on_start"
        bot.on_start(crash.match)
        if crash.turn is None:
            return Replay(where)
        where = "choose"
        began = clock()
        saved = crash.turn
        deadline = Deadline(began + crash.match.move_s)
        turn = Turn(
            crash.match, saved.state, ply=saved.ply, legal=saved.legal, last=saved.last, deadline=deadline, clock=clock
        )
        choice = bot.choose(turn)
        return Replay(where, action=as_action(choice), took_s=clock() - began)
    except (Exception, SystemExit) as error:
        return Replay(where, error=error)
