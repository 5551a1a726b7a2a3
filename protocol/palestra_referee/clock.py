"""The clock of the ply in play: nanoseconds, three states, no reading of any clock.

- stopped (`since` is None): the `turn` frame is not out yet, or nothing is being played;
- running: the mover has the turn and a connection; the move's budget goes down;
- away: it is the mover's turn and it has no connection; its bank, if there is one, goes down first, then the budget.

The grace is added once at the very end, whatever came before, so that a bot on a slow line has all of its budget.
"""

from __future__ import annotations

from typing import NamedTuple

from palestra_games import Seat

MS = 1_000_000
"""Nanoseconds in a millisecond."""


class Clock(NamedTuple):
    """`spent`: charged to this ply up to `since`. `banks`: what each seat has left for lost connections.

    `gone`: how long the mover was away in this ply, whoever paid for it.
    """

    budgets: tuple[int, int]
    grace: int
    banks: tuple[int, int]
    seat: Seat
    spent: int = 0
    since: int | None = None
    away: bool = False
    gone: int = 0

    @property
    def budget(self) -> int:
        """The time of the mover for each move."""
        return self.budgets[self.seat]

    @property
    def deadline(self) -> int | None:
        """The last instant that is in time, or None while the clock stands."""
        if self.since is None:
            return None
        end = self.since + self.budgets[self.seat] + self.grace - self.spent
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
        return Clock(self.budgets, self.grace, self.banks, self.seat, self.spent, at, False, self.gone)

    def leave(self, at: int) -> Clock:
        """The mover's connection is lost: what it used is charged, and its bank begins to pay."""
        return Clock(self.budgets, self.grace, self.banks, self.seat, self.charged(at), at, True, self.gone)

    def come_back(self, at: int) -> Clock:
        """The mover is back. The clock stands until the turn is written to the new connection."""
        if not self.away or self.since is None:
            return self
        gone = max(0, at - self.since)
        bank = self.banks[self.seat]
        left = self.with_bank(self.seat, bank - min(bank, gone))
        return left._replace(spent=self.charged(at), since=None, away=False, gone=self.gone + gone)

    def with_bank(self, seat: Seat, bank: int) -> Clock:
        """The same with another bank for this seat."""
        return self._replace(banks=(bank, self.banks[1]) if seat == 0 else (self.banks[0], bank))

    def next_ply(self, seat: Seat) -> Clock:
        """A stopped clock with a full budget for whoever moves next."""
        return Clock(self.budgets, self.grace, self.banks, seat)

    def stop(self) -> Clock:
        """The match is over: no deadline is left."""
        return Clock(self.budgets, self.grace, self.banks, self.seat, self.spent)
