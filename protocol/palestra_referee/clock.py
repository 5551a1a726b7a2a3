"""The clock of the ply in play: nanoseconds, three states, no reading of any clock.

- stopped (`since` is None): the `turn` frame is not out yet, or nothing is being played;
- running: the mover has the turn and a connection; the move's budget goes down;
- away: it is the mover's turn and it has no connection; its bank goes down first, then the budget.

The grace is added once at the very end, whatever came before, so that a bot on a slow line has all of its budget.
"""

from __future__ import annotations

from typing import NamedTuple

from palestra_games import Seat

MS = 1_000_000
"""Nanoseconds in a millisecond."""


class Clock(NamedTuple):
    """`spent`: charged to this ply up to `since`. `banks`: what each seat has left for lost connections."""

    budget: int
    grace: int
    banks: tuple[int, int]
    seat: Seat
    spent: int = 0
    since: int | None = None
    away: bool = False

    @property
    def deadline(self) -> int | None:
        """The last instant that is in time, or None while the clock stands."""
        if self.since is None:
            return None
        end = self.since + self.budget + self.grace - self.spent
        return end + self.banks[self.seat] if self.away else end

    def charged(self, at: int) -> int:
        """What this ply costs the mover if it ends at `at`; time spent on the bank is not part of it."""
        if self.since is None:
            return self.spent
        free = self.banks[self.seat] if self.away else 0
        return self.spent + max(0, at - self.since - free)

    def remaining(self, at: int) -> int:
        """What is left of the budget at `at`, without the grace and never less than 0."""
        return max(0, self.budget - self.charged(at))

    def start(self, at: int) -> Clock:
        """The `turn` frame is out; the clock stood until now."""
        return Clock(self.budget, self.grace, self.banks, self.seat, self.spent, at)

    def leave(self, at: int) -> Clock:
        """The mover's connection is lost: what it used is charged, and its bank begins to pay."""
        return Clock(self.budget, self.grace, self.banks, self.seat, self.charged(at), at, True)

    def come_back(self, at: int) -> Clock:
        """The mover is back. The clock stands until the turn is written to the new connection."""
        if not self.away or self.since is None:
            return self
        bank = self.banks[self.seat]
        left = bank - min(bank, max(0, at - self.since))
        banks = (left, self.banks[1]) if self.seat == 0 else (self.banks[0], left)
        return Clock(self.budget, self.grace, banks, self.seat, self.charged(at))

    def next_ply(self, seat: Seat) -> Clock:
        """A stopped clock with a full budget for whoever moves next."""
        return Clock(self.budget, self.grace, self.banks, seat)

    def stop(self) -> Clock:
        """The match is over: no deadline is left."""
        return Clock(self.budget, self.grace, self.banks, self.seat, self.spent)
