"""The receipts of matches, one line of JSON each: evidence of the results that the server announced."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

# The commands that only ask the page import this module, and need no messages of the protocol.
if TYPE_CHECKING:
    from palestra_client.notices import MatchEnds

FILE = Path("palestra-receipts.jsonl")
TAIL = 1 << 16  # bytes at the end of the file in which the newest receipt is looked for
_WRITING = Lock()  # matches that end together are kept by several threads


class Receipt(BaseModel):
    """What is read of a line; the rest is for people."""

    model_config = ConfigDict(strict=True)

    when: AwareDatetime
    match: str
    tournament: str | None
    receipt: str
    server_id: str | None = None
    server: str | None = None
    player: str | None = None


def keep(path: Path, url: str, server_id: str | None, end: MatchEnds) -> str | None:
    """Appends the receipt of a match refereed by the server `server_id` at `url`; a repeated one is not kept again.

    Returns what is suspicious, as a sentence: the match had another receipt before. Both are kept then. Raises OSError.
    """
    result = end.result
    match = result.match
    entry = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "server": url,
        "server_id": server_id,
        "match": match.id,
        "player": match.players[match.seat],
        "game": match.game,
        "players": match.players,
        "tournament": match.tournament,
        "returns": result.returns,
        "reason": result.reason,
        "plies": result.ply,
        "receipt": end.receipt,
    }
    with _WRITING:
        before = [line.receipt for line in _lines(path, match.id) if line.match == match.id]
        if end.receipt in before:
            return None
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
    if not before:
        return None
    return (
        f"The server has given two different receipts for match {match.id}: {before[0]}, and now {end.receipt}. "
        f"A match has one result and one receipt; both are kept in {path}: show them to your teacher."
    )


def newest(path: Path = FILE) -> Receipt | None:
    """The last one of a file, which tells where one played, and as whom; None if there is none that can be read."""
    with suppress(OSError), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        for line in reversed(file.read().splitlines()):
            with suppress(ValidationError):
                return Receipt.model_validate_json(line)
    return None


def _lines(path: Path, holding: str) -> list[Receipt]:
    """The receipts of a file whose lines hold this; lines that are no receipt don't count here. Raises OSError."""
    found = []
    with suppress(FileNotFoundError), path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if holding in line:
                with suppress(ValidationError):
                    found.append(Receipt.model_validate_json(line))
    return found
