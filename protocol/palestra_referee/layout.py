"""The files of an export, which let anyone verify a server's matches, and how large they may be; RECORDS.md describes
them."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from palestra_games import get_game
from palestra_referee.canonical import canonical_json
from palestra_referee.match import Match

FORMAT: Final = 2  # version of this layout, stored in the manifest
MANIFEST: Final = "manifest.json"
MATCHES: Final = "matches.jsonl"
JOURNAL: Final = "journal.jsonl"
OPENINGS: Final = "openings.json"  # the lists that openings are drawn from
# Those of a tournament, in its `folder`; the tables are missing until it begins.
FILE: Final = "tournament.toml"
EVENTS: Final = "events.jsonl"
# Those of a season, in its `season_folder`.
SEASON_FILE: Final = "season.toml"
SEASON_TABLES: Final = ("standings.csv", "grades.csv")
TABLE_FILES: Final = ("schedule.csv", "standings.csv", "crosstable.csv", "grades.csv")
TOURNAMENT_NAME: Final = r"^[a-z0-9][a-z0-9-]{0,39}$"

# Limits, so that reading what somebody made up costs no more than reading an export of the same size.
MANIFEST_BYTES: Final = 4 << 20
DIRECTORY_BYTES: Final = 4 << 20  # the zip file's own list of its files
FILE_BYTES: Final = 256 << 10  # a tournament's file
LINE_BYTES: Final = 8 << 20  # of a .jsonl file: a match of 5,000 plies in which both bots say all that `info` can hold
MATCH_BYTES: Final = 32 << 20  # of the records of one match
RATIO: Final = 100  # from FREE_BYTES on, how many times its packed size a file may have; an export's have 5 to 15
FREE_BYTES: Final = 1 << 20
RECEIPTS_BYTES: Final = 64 << 20  # a file of receipts: more than 100,000 of them

# A match's place in its tournament: fixture, round and pair.
Place: TypeAlias = tuple[str | None, int | None, str | None]
NOWHERE: Final[Place] = (None, None, None)


def folder(tournament: str) -> str:
    return f"tournaments/{tournament}/"


def season_folder(season: str) -> str:
    return f"seasons/{season}/"


def journal_line(match: str, seq: int, record: bytes) -> bytes:
    """`record` must be canonical JSON already."""
    return b'{"match":%b,"record":%b,"seq":%d}' % (canonical_json(match), record, seq)


def match_entry(match: Match, receipt: str, place: Place, started_ms: int, ended_ms: int | None) -> dict[str, Any]:
    """A finished match in MATCHES, for people and programs. `started` and `ended` are UTC in ms since 1970.

    Everything but these two and its place in a tournament follows from its records.
    """
    if match.outcome is None:
        raise ValueError(f"The match {match.config.match} is not over.")
    fixture, number, pair = place
    game, config, end = get_game(match.config.game), match.config, match.outcome
    return {
        "match": config.match,
        "tournament": config.tournament,
        "fixture": fixture,
        "round": number,
        "pair": pair,
        "game": config.game,
        "players": config.players,
        "versions": match.versions,
        "opening": config.opening,
        "moves": [
            {
                "ply": move.ply,
                "seat": move.seat,
                "action": move.action,
                "name": game.action_name(move.action),
                "charged_ms": move.charged_ns / 1_000_000,
                "away_ms": move.away_ns / 1_000_000,
                "info": move.info,
            }
            for move in match.moves
        ],
        "plies": match.ply,
        "returns": end.returns,
        "reason": end.reason,
        "why": end.why,
        "rated": config.rated,
        "started": started_ms,
        "ended": ended_ms,
        "receipt": receipt,
    }
