"""Connection limits: who is dropped when there are more connections than places.

Each kind of connection has its own limit, so that a crowd of one kind can't keep out another: players on the roster
always get in, while strangers (no `hello` yet), watchers, guests and page requests have a room each. A full room drops
a connection of the address with the most places in it. Each connection also takes a file descriptor, which the system
limits as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Protocol

import structlog

from palestra_server.gateway.hosts import household

_LOOKED_AT = 64  # how many members, oldest first, are checked for being idle, so that searching a full room stays fast

_RESERVE = 16  # descriptors kept back, so that the journal and the page can still open a file
_RETAKE_S = 0.5
_SAID_EVERY_S = 60.0

log = structlog.get_logger()


class Member(Hashable, Protocol):
    @property
    def idle(self) -> bool:
        """Whether it can be dropped to make room."""

    def give_way(self) -> None:
        """Its place is taken. Must not raise, and must not use the room."""


class Room:
    """A limited number of places.

    `per_address`: the limit for one address (None: no limit of its own); an IPv6 /64 counts as one. `shared`: whether
    busy members are dropped, too, if their address has more places than the newcomer's.
    """

    def __init__(self, size: int, per_address: int | None = None, *, shared: bool = False) -> None:
        self.size = size
        self._per_address = per_address
        self._shared = shared
        # Both in order of arrival.
        self._members: dict[Member, str] = {}
        self._by_address: dict[str, dict[Member, None]] = {}

    def __len__(self) -> int:
        return len(self._members)

    def enter(self, newcomer: Member, address: str) -> bool:
        """Give `newcomer` a place, dropping another member if need be; False if there is none."""
        home = household(address)
        neighbours = self._by_address.get(home, {})
        goes: Member | None = None
        if self._per_address is not None and len(neighbours) >= self._per_address:
            if (goes := _first_idle(neighbours)) is None:
                return False
        elif len(self) >= self.size and (goes := self._first_to_go(home, len(neighbours))) is None:
            return False
        if goes is not None:
            self.leave(goes)
        self._members[newcomer] = home
        self._by_address.setdefault(home, {})[newcomer] = None
        if goes is not None:
            goes.give_way()
        return True

    def leave(self, member: Member) -> None:
        home = self._members.pop(member, None)
        if home is not None:
            neighbours = self._by_address[home]
            del neighbours[member]
            if not neighbours:
                del self._by_address[home]

    def thin_out(self) -> None:
        idle = (member for member in self._members if member.idle)
        for member in tuple(islice(idle, len(self) // 4 + 1)):
            self.leave(member)
            member.give_way()

    def _first_to_go(self, home: str, neighbours: int) -> Member | None:
        """The oldest idle member of the address with most places, counting the newcomer."""
        if not self._by_address:
            return None
        crowd = max(self._by_address, key=lambda each: len(self._by_address[each]) + (each == home))
        goes = _first_idle(self._by_address[crowd])
        if goes is None and self._shared and len(self._by_address[crowd]) > neighbours + 1:
            goes = next(iter(self._by_address[crowd]))
        return goes if goes is not None else _first_idle(self._members)


def _first_idle(members: Iterable[Member]) -> Member | None:
    return next((member for member in islice(members, _LOOKED_AT) if member.idle), None)


@dataclass(frozen=True, slots=True)
class Rooms:
    """The rooms of a gateway; `requests` is for the web port."""

    strangers: Room
    watchers: Room
    guests: Room
    requests: Room

    def thin_out(self) -> None:
        for room in (self.strangers, self.requests, self.watchers):
            room.thin_out()


def build_rooms(strangers: int, watchers: int, guests: int, requests: int, per_address: int, files: int) -> Rooms:
    """Empty rooms of these sizes, scaled down in proportion if `files` open files do not allow them."""
    share = min(1.0, max(files, 0) / (strangers + watchers + guests + requests))

    def of(size: int) -> int:
        return max(1, int(size * share))

    return Rooms(
        strangers=Room(of(strangers)),
        watchers=Room(of(watchers), per_address, shared=True),
        guests=Room(of(guests), per_address),
        requests=Room(of(requests)),
    )


def allowed_files(wanted: int) -> int:
    """Raise the limit of open files towards `wanted` (the default is often 1024). Returns the new limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    more = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
    return min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


class Exhaustion:
    """Called when accept() fails for lack of a descriptor. For the loop's thread only."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._loop = asyncio.get_running_loop()
        self._reserve: list[int] = []
        self._said_at = float("-inf")
        self._closed = False
        self._take()

    def __call__(self) -> None:
        self._release()
        self._rooms.thin_out()
        self._loop.call_later(_RETAKE_S, self._take)
        if monotonic() - self._said_at > _SAID_EVERY_S:
            self._said_at = monotonic()
            limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            log.error("no more connections: too many files are open; allow more with 'ulimit -n'", limit=limit)

    def close(self) -> None:
        self._closed = True
        self._release()

    def _release(self) -> None:
        while self._reserve:
            os.close(self._reserve.pop())

    def _take(self) -> None:
        with contextlib.suppress(OSError):
            while not self._closed and len(self._reserve) < _RESERVE:
                self._reserve.append(os.open(os.devnull, os.O_RDONLY))
