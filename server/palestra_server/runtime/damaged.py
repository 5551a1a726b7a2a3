"""Tournaments whose records cannot be read: listed with what to do, while all others go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Damaged:
    """One of them. `why`: what was found, without a full stop."""

    name: str
    why: str

    @property
    def trouble(self) -> str:
        """For people."""
        return (
            f"The tournament {self.name} cannot be read ({self.why}). Its matches are safe in the records: start the "
            "server on a backup, or take the tournament away with "
            f"'palestra-server tournament delete {self.name}' and make it again."
        )

    def summary(self) -> dict[str, Any]:
        """As `LiveTournament.summary`, as far as anything is known."""
        return {
            "name": self.name,
            "title": self.name,
            "format": "",
            "games": [],
            "state": "damaged",
            "players": 0,
            "played": 0,
            "total": None,
            "round": 0,
            "rounds": None,
            "why_paused": "",
            "trouble": self.trouble,
            "revealed": True,
            "scheduled": None,
            "predicted_end": None,
        }

    def snapshot(self) -> dict[str, Any]:
        """As `LiveTournament.snapshot`."""
        return {
            **self.summary(),
            "spec": None,
            "seed": None,
            "entrants": [],
            "playing": [],
            "missing": [],
            "withdrawn": {},
        }
