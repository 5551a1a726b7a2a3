"""Who may stay when there are more connections than places.

Places are apart by kind, so that no crowd of one kind keeps out another: players of the roster always find one, while
strangers (who have not said yet who they are), watchers, guests and requests for the page each have a room. A full room
makes space at the cost of the address that takes up most of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from palestra_server.gateway.hosts import household

_LOOKED_AT = 64
"""Members asked whether they are idle, the oldest first: a full room must not take long to search."""


class Member(Hashable, Protocol):
    """Somebody in a room."""

    @property
    def idle(self) -> bool:
        """Whether nobody would miss it: its place may be given to another."""

    def give_way(self) -> None:
        """Another one has its place now. Must not raise, and must not use the room."""


class Room:
    """A number of places.

    `per_address`: how many of them one address may have (None: all); an IPv6 network of 64 bits counts as one.
    `shared`: whether busy members have to go, too, where their address has more places than the newcomer's.
    """

    def __init__(self, size: int, per_address: int | None = None, *, shared: bool = False) -> None:
        self.size = size
        self._per_address = per_address
        self._shared = shared
        # Both in the order in which they came.
        self._members: dict[Member, str] = {}
        self._by_address: dict[str, dict[Member, None]] = {}

    def __len__(self) -> int:
        return len(self._members)

    def enter(self, newcomer: Member, address: str) -> bool:
        """Gives `newcomer` a place, if need be that of another; False if there is none to be had."""
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
        """Frees the place of `member`, if it has one."""
        home = self._members.pop(member, None)
        if home is not None:
            neighbours = self._by_address[home]
            del neighbours[member]
            if not neighbours:
                del self._by_address[home]

    def thin_out(self) -> None:
        """The oldest idle members give way, a quarter of all."""
        idle = (member for member in self._members if member.idle)
        for member in tuple(islice(idle, len(self) // 4 + 1)):
            self.leave(member)
            member.give_way()

    def _first_to_go(self, home: str, neighbours: int) -> Member | None:
        """The oldest idle member of the address that takes up most, the newcomer counted."""
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
        """There are no more file descriptors: those whom nobody would miss give way."""
        for room in (self.strangers, self.requests, self.watchers):
            room.thin_out()


def build_rooms(strangers: int, watchers: int, guests: int, requests: int, per_address: int, files: int) -> Rooms:
    """Empty rooms of these sizes, or of as large a share of each as `files` open files allow."""
    share = min(1.0, max(files, 0) / (strangers + watchers + guests + requests))

    def of(size: int) -> int:
        return max(1, int(size * share))

    return Rooms(
        strangers=Room(of(strangers)),
        watchers=Room(of(watchers), per_address, shared=True),
        guests=Room(of(guests), per_address),
        requests=Room(of(requests)),
    )
