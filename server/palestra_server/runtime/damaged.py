"""Tournaments whose records cannot be read: listed with instructions, while all others go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Damaged:
    """A tournament that cannot be read. `why` is what was found, without the full stop."""

    name: str
    why: str

    @property
    def trouble(self) -> str:
        """What is wrong and what to do, for people."""
        return (
            f"The tournament {self.name} cannot be read ({self.why}). Its matches are safe in the records "
            f"('palestra-server matches --tournament {self.name}'), but it is not made anew from them: who took part, "
            "the seed, and whom you withdrew stand in its own records only. Start the server "
            f"from a backup, or delete it with 'palestra-server tournament delete {self.name}' and create it again "
            "under another name."
        )

    def summary(self) -> dict[str, Any]:
        """As `LiveTournament.summary`, as far as it is known."""
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
