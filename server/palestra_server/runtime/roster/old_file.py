"""The roster: who may play, and the token that proves it.

A CSV file with the columns `name` and `token`, which a teacher can open in a spreadsheet. The server looks at it at
every `hello`, so a student added during the lesson can connect at once, and a token that was changed is worth nothing.
"""

from __future__ import annotations

import csv
import os
import secrets
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import structlog

from palestra_protocol import limits
from palestra_server.gateway import PLAYER_NAME_MAX

log = structlog.get_logger()


class RosterError(Exception):
    """The roster file cannot be used; the text is one sentence that says where and what to do."""


def checked_name(name: str) -> str:
    """The name without blanks at its ends; RosterError unless it is 1 to PLAYER_NAME_MAX printable characters."""
    trimmed = name.strip()
    if not trimmed or len(trimmed) > PLAYER_NAME_MAX or not trimmed.isprintable():
        raise RosterError(f"A player's name has 1 to {PLAYER_NAME_MAX} printable characters; {trimmed[:40]!r} has not.")
    return trimmed


def _rows(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """The columns and the rows of the file; only (name, token) and none when there is no file."""
    if not path.exists():
        return ["name", "token"], []
    try:
        # utf-8-sig: spreadsheets like to put a byte order mark in front.
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restkey="", restval="")
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RosterError(f"The roster {path} cannot be read ({error}); save it as CSV in UTF-8.") from error
    columns = list(reader.fieldnames or ["name", "token"])
    if not {"name", "token"} <= set(columns):
        raise RosterError(f"The roster {path} needs 'name,token' as its first line, with commas between.")
    return columns, rows


def read_roster(path: Path) -> dict[str, str]:
    """name -> token, in the file's order; empty when there is no file. Other columns are left alone."""
    roster: dict[str, str] = {}
    for line, row in enumerate(_rows(path)[1], start=2):
        if not row["name"] and not row["token"]:
            continue
        name, token = checked_name(row["name"]), row["token"].strip()
        if not token:
            raise RosterError(f"{path}, line {line}: {name} has no token; 'palestra-server roster add' makes one.")
        if len(token) > limits.TOKEN_MAX:
            raise RosterError(f"{path}, line {line}: the token of {name} has more than {limits.TOKEN_MAX} characters.")
        if name in roster or token in roster.values():
            raise RosterError(f"{path}, line {line}: the name or the token of {name} stands there twice.")
        roster[name] = token
    return roster


def add_players(path: Path, names: Iterable[str]) -> dict[str, str]:
    """Gives each new name a token and writes the file; returns name -> token of all `names`.

    Who is in the roster already keeps the token, and the columns of a teacher's own stay. The file is replaced at once,
    so that a crash leaves the old one.
    """
    columns, rows = _rows(path)
    roster = read_roster(path)
    wanted = [checked_name(name) for name in names]
    for name in wanted:
        if name not in roster:
            # 79 bits, without the letters that are mistaken for others when copied by hand.
            roster[name] = "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(16))
            rows.append({"name": name, "token": roster[name]})
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    fresh.replace(path)
    return {name: roster[name] for name in wanted}


class Roster:
    """The roster file as the gateway asks it: token to player."""

    def __init__(self, path: Path) -> None:
        """Raises RosterError if there is a file that cannot be used."""
        self._path = path
        self._seen: int | None = None
        self._by_hash: dict[bytes, str] = {}
        self._refresh()

    def _refresh(self) -> None:
        changed = self._path.stat().st_mtime_ns if self._path.exists() else None
        if changed != self._seen:
            self._seen = changed
            self._by_hash = {_digest(token): name for name, token in read_roster(self._path).items()}

    def _look_again(self) -> None:
        try:
            self._refresh()
        except (OSError, RosterError) as error:
            # Once for each change of the file: until it is mended, the roster before counts.
            log.warning("roster not taken over", why=str(error))

    @property
    def names(self) -> tuple[str, ...]:
        """All players of the roster as it is now, in its order."""
        self._look_again()
        return tuple(self._by_hash.values())

    def player_for(self, token: str) -> str | None:
        """The player whose token this is now, or None."""
        self._look_again()
        # Looked up by hash: how long it takes says nothing about how much of a guess was right.
        return self._by_hash.get(_digest(token))

    def badge(self, player: str) -> str | None:
        """The hash of the player's token, in hex: it changes with the token. None for who is not on the roster."""
        self._look_again()
        return next((digest.hex() for digest, name in self._by_hash.items() if name == player), None)


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
