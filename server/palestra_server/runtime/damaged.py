"""Tournaments whose records cannot be read: listed with instructions, while all others go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from palestra_server.runtime.remarks import Remark, remark_parts


@dataclass(frozen=True, slots=True)
class Damaged:
    """A tournament that cannot be read. `why` is what was found, without the full stop."""

    name: str
    why: str

    @property
    def trouble(self) -> Remark:
        """What is wrong and what to do, for people."""
        return Remark("damaged", name=self.name, why=self.why)

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
            "why_paused_parts": None,
            "trouble": self.trouble.sentence,
            "trouble_parts": [remark_parts(self.trouble)],
            "revealed": True,
            "hides": False,
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
