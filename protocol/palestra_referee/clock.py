"""The clock of the current ply, in nanoseconds. It has three states, and never reads the time itself.

- stopped (`since` is None): the `turn` frame hasn't been sent yet, or the match isn't in play;
- running: the mover is connected and has its turn; the move's budget is running down;
- away: it is the mover's turn but it is disconnected; its bank (if any) runs down first, then the budget, of which it
  has at most `GONE` until it is back.

The grace is added once at the very end in every case, so that a bot on a slow line has its full budget.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from palestra_games import Seat
from palestra_protocol import limits

MS = 1_000_000  # nanoseconds in a millisecond
GONE: Final = limits.GONE_MS * MS


class Clock(NamedTuple):
    """`spent` is what this ply has been charged up to `since`, `banks` what each seat has left for lost connections,
    and `gone` how long the mover was away during this ply, charged or not.
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
        return self.budgets[self.seat]

    @property
    def deadline(self) -> int | None:
        """The last instant that is still in time; None while the clock is stopped."""
        return None if self.since is None else self.since + self.left + self.grace

    @property
    def left(self) -> int:
        """What the mover had left at `since`, without the grace: of its budget, and while it is away of its bank."""
        left = self.budgets[self.seat] - self.spent
        return self.banks[self.seat] + min(left, GONE) if self.away else left

    def charged(self, at: int) -> int:
        """What this ply costs the mover if it ends at `at`, not counting time paid from the bank."""
        if self.since is None:
            return self.spent
        free = self.banks[self.seat] if self.away else 0
        return self.spent + max(0, at - self.since - free)

    def remaining(self, at: int) -> int:
        """What is left of the budget at `at`, without the grace; never negative."""
        return max(0, self.budget - self.charged(at))

    def start(self, at: int) -> Clock:
        """The `turn` frame has been sent."""
        return Clock(self.budgets, self.grace, self.banks, self.seat, self.spent, at, False, self.gone)

    def leave(self, at: int) -> Clock:
        """The mover lost its connection: what it used is charged, and its bank starts to pay."""
        return Clock(self.budgets, self.grace, self.banks, self.seat, self.charged(at), at, True, self.gone)

    def come_back(self, at: int) -> Clock:
        """The mover is back: the clock stops until the turn is written to the new connection."""
        if not self.away or self.since is None:
            return self
        gone = max(0, at - self.since)
        bank = self.banks[self.seat]
        left = self.with_bank(self.seat, bank - min(bank, gone))
        return left._replace(spent=self.charged(at), since=None, away=False, gone=self.gone + gone)

    def with_bank(self, seat: Seat, bank: int) -> Clock:
        return self._replace(banks=(bank, self.banks[1]) if seat == 0 else (self.banks[0], bank))

    def next_ply(self, seat: Seat) -> Clock:
        """A stopped clock with a full budget for `seat`, which moves next."""
        return Clock(self.budgets, self.grace, self.banks, seat)

    def stop(self) -> Clock:
        return Clock(self.budgets, self.grace, self.banks, self.seat, self.spent)
