"""The roster: a table in the store, and an index in memory that serves every `hello`."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final, NamedTuple

import structlog

from palestra_protocol.harmless import ForPeople
from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_server.names import clean_name, look_alike, nearest, shapes
from palestra_server.runtime.roster.class_list import GROUP_MAX, Groups, is_email, name_fault, parse_class_list
from palestra_server.runtime.roster.importing import Imported, name_of_bot, planned
from palestra_server.store import PlayerRow, Players, wall_clock_ms
from palestra_tournament import Entrant, Spec

log = structlog.get_logger()

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # without those that are easily confused when copied by hand
LENGTH: Final = 26  # log2(31) * 26 = 128.8 bits


# Tokens: random, shown once, stored as a hash.


def new_token() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(LENGTH))


def token_hash(token: str) -> str:
    """SHA-256 in hex. A salt would add nothing: no table contains random tokens."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class RosterError(ForPeople): ...


class NoSuchPlayer(RosterError): ...


class Issued(NamedTuple):
    """A new token, shown here and never again."""

    name: str
    email: str
    token: str


class _Index:
    """A snapshot of the whole roster; immutable, so that any thread may read it."""

    def __init__(self, rows: Iterable[PlayerRow]) -> None:
        self.rows = {row.name: row for row in rows}
        self.by_shape = {form: name for name in self.rows for form in shapes(name)}
        self.by_hash = {
            row.token_hash: row.name for row in self.rows.values() if row.token_hash is not None and not row.banned
        }
        self.hashes = frozenset(row.token_hash for row in self.rows.values() if row.token_hash is not None)

    def look_alike(self, name: str) -> str | None:
        """Another name on the roster that can't be told from this one."""
        return next((self.by_shape[form] for form in shapes(name) if self.by_shape.get(form, name) != name), None)


class Roster:
    """Implements `gateway.PlayerRoster`; reading never touches the disk.

    Methods that change something have committed it when they return, raise RosterError or StoreError, and must not be
    called in the event loop's thread. `now_ms` reads UTC.
    """

    def __init__(self, players: Players, now_ms: Callable[[], int] = wall_clock_ms) -> None:
        self._players = players
        self._now_ms = now_ms
        self._changing = threading.Lock()
        self._index = _Index(players.list())
        # Hashes of tokens that were changed or removed since this roster was opened.
        self._gone: frozenset[str] = frozenset()

    # For the gateway and the page:

    @property
    def names(self) -> tuple[str, ...]:
        """All players in the order in which they were added, including banned ones, who keep their names."""
        return tuple(self._index.rows)

    @property
    def rows(self) -> tuple[PlayerRow, ...]:
        return tuple(self._index.rows.values())

    def get(self, name: str) -> PlayerRow | None:
        """None if there is nobody with this name."""
        return self._index.rows.get(name)

    def row(self, name: str) -> PlayerRow:
        """Raises NoSuchPlayer, with the name that may be meant."""
        row = self._index.rows.get(name)
        if row is None:
            near = self._index.look_alike(name) or nearest(name, self._index.rows)
            hint = f"did you mean {near}?" if near else "'palestra-server roster list' shows who is."
            raise NoSuchPlayer(f"Nobody on the roster is called {name}; {hint}")
        return row

    def invited(self, spec: Spec) -> list[Entrant]:
        """Who takes part as the roster is now, followed by the reference bots."""
        rows = (row for row in self._index.rows.values() if not row.banned and spec.invites(row.name, row.group))
        players = [Entrant(row.name, row.group) for row in rows]
        return players + [Entrant(name, "", True) for name in spec.reference]

    def player_for(self, token: str) -> str | None:
        # Looked up by hash, so timing doesn't reveal how much of a guess was right.
        return self._index.by_hash.get(token_hash(token))

    def is_taken_back(self, token: str) -> bool:
        """Whether this token belongs to a banned player, or belonged to one until it was replaced or removed.

        Tokens that were replaced or removed before this roster was opened are forgotten.
        """
        kept = token_hash(token)
        return kept not in self._index.by_hash and (kept in self._index.hashes or kept in self._gone)

    def token_hash(self, player: str) -> str | None:
        """The hash of the player's token, in hex; None if the player has none, is banned or isn't on the roster.

        Sessions and cookies are valid only as long as the token they were made with: they compare this hash.
        """
        row = self._index.rows.get(player)
        return None if row is None or row.banned else row.token_hash

    # For the teacher:

    def import_list(self, text: str, *, apply: bool) -> Imported:
        """Add new players and update those listed with other details; players not in the list stay.

        Importing the same list again changes nothing. Nothing is done if `apply` is False or anything is wrong.
        """
        with self._changing:
            plan = planned(parse_class_list(text), self._index.rows, self._fresh)
            if apply and not plan.imported.problems:
                self._put(plan.rows)
        return plan.imported

    def add(self, name: str, email: str = "", group: str = "") -> PlayerRow:
        """Add a player, who has no token yet. Raises RosterError for names that are taken or belong to our bots."""
        self._leave_to_bots(name)
        with self._changing:
            fresh = self._fresh(self._new_name(name))
            row = _checked(replace(fresh, email=email, group=self._as_spelt(group, fresh.name)))
            self._put([row])
        return row

    def change(
        self,
        name: str,
        *,
        called: str | None = None,
        email: str | None = None,
        group: str | None = None,
        banned: bool | None = None,
    ) -> PlayerRow:
        """Change what is given, all or nothing. Raises RosterError."""
        with self._changing:
            old = self.row(name)
            if called is not None:
                self._leave_to_bots(called)
                called = self._new_name(called, instead_of=name)
            row = _checked(
                replace(
                    old,
                    email=old.email if email is None else email,
                    group=old.group if group is None else self._as_spelt(group, name),
                    banned=old.banned if banned is None else banned,
                )
            )
            self._put([row])
            if called not in (None, name):
                self._players.rename(name, called)
                self._reload()
            return self.row(called or name)

    def remove(self, name: str) -> None:
        with self._changing:
            self.row(name)
            self._players.remove(name)
            self._reload()

    def issue(self, names: Iterable[str]) -> list[Issued]:
        with self._changing:
            issued = [Issued(row.name, row.email, new_token()) for row in map(self.row, names)]
            self._put(replace(self.row(name), token_hash=token_hash(token)) for name, _, token in issued)
        return issued

    def enrol(self, names: Sequence[str]) -> dict[str, str]:
        """Issue new tokens, by name, adding players (even our bots) who aren't on the roster yet."""
        with self._changing:
            for name in names:
                if name not in self._index.rows:
                    self._put([self._fresh(self._new_name(name))])
        return {name: token for name, _, token in self.issue(names)}

    # Inside:

    def _fresh(self, name: str) -> PlayerRow:
        return PlayerRow(name, "", "", {}, None, False, self._now_ms())

    def _new_name(self, name: str, instead_of: str | None = None) -> str:
        clean = clean_name(name)
        if clean is None:
            raise RosterError(str(name_fault(name)))
        if clean in self._index.rows and clean != instead_of:
            raise RosterError(f"{clean} is on the roster already.")
        twin = look_alike(clean, (other for other in self._index.rows if other not in (clean, instead_of)))
        if twin is not None:
            raise RosterError(f"{clean} cannot be told from {twin}, who is on the roster: choose another name.")
        return clean

    def _leave_to_bots(self, name: str) -> None:
        bot = look_alike(name, REFERENCE_BOTS)
        if bot is not None:
            raise RosterError(str(name_of_bot(name, bot)))

    def _as_spelt(self, group: str, name: str) -> str:
        return Groups(row.group for row in self.rows if row.name != name).first(" ".join(group.split()))

    def _put(self, rows: Iterable[PlayerRow]) -> None:
        self._players.put(*rows)
        self._reload()

    def _reload(self) -> None:
        index = _Index(self._players.list())
        self._gone |= self._index.hashes - index.hashes
        self._index = index


def _checked(row: PlayerRow) -> PlayerRow:
    """The row with whitespace tidied up. Raises RosterError for an invalid address or group."""
    email, group = row.email.strip(), " ".join(row.group.split())
    if email and not is_email(email):
        raise RosterError(f"{email[:60]!r} is not an e-mail address: correct it, or leave it empty.")
    if len(group) > GROUP_MAX or not group.isprintable():
        raise RosterError(f"A group may have at most {GROUP_MAX} characters, all of them printable: shorten it.")
    return replace(row, email=email, group=group)
