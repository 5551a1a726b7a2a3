"""The receipts of matches, one line of JSON each: evidence of the results that the server announced."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from palestra_client.notices import MatchEnds

FILE = Path("palestra-receipts.jsonl")


def keep(path: Path, url: str, end: MatchEnds) -> None:
    """Appends the receipt of a match refereed by the server at `url`. Raises OSError."""
    result = end.result
    match = result.match
    entry = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "server": url,
        "match": match.id,
        "game": match.game,
        "players": match.players,
        "tournament": match.tournament,
        "returns": result.returns,
        "reason": result.reason,
        "plies": result.ply,
        "receipt": end.receipt,
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def load(path: Path) -> dict[str, str]:
    """The receipts in a file written by `keep`, by match. Raises OSError, and ValueError with a sentence."""
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            entry = json.loads(line)
            found[str(entry["match"])] = str(entry["receipt"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}, line {number} is not a receipt.") from None
    return found
