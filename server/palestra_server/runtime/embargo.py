"""Who is asking, and which matches may not be seen yet: those of a round that stays hidden until it is revealed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from palestra_server.store import Hidden
from palestra_tournament import Tournament, public

EMBARGOED: Final = "This match is of a round that stays hidden until the teacher reveals it: come back then."
Role = Literal["visitor", "player", "teacher"]


@dataclass(frozen=True, slots=True)
class Viewer:
    """`player` is set for players only, `teacher` for a named key, `runs` for who may change things.

    A teacher's page may be on a projector, and their files be sent on: so they see what is hidden only if they ask for
    it.
    """

    role: Role = "visitor"
    player: str | None = None
    asks_for_hidden: bool = False
    teacher: str = ""
    runs: bool = False

    @property
    def sees_hidden(self) -> bool:
        return self.role == "teacher" and self.asks_for_hidden

    def why(self, error: str) -> str:
        """An unexpected exception, whose own words, which may tell of a hidden match, are for the teacher only."""
        return error if self.role == "teacher" else error.partition(":")[0]

    def tournament(self, whole: Tournament) -> Tournament:
        """What this viewer may see of it."""
        return whole if self.sees_hidden else public(whole)


VISITOR: Final = Viewer()


class Embargo:
    """Told by each tournament, at every one of its events; asked by whatever leaves the server.

    Hidden matches are for the teacher who asks for them and their own players only. Of a tournament that can't be read
    nobody knows which they are: so it hides all.
    """

    def __init__(self) -> None:
        self._hidden: dict[str, frozenset[str]] = {}
        self._closed: set[str] = set()

    def note(self, t: Tournament) -> None:
        if t.hidden:
            self._hidden[t.spec.name] = t.hidden
        else:
            self._hidden.pop(t.spec.name, None)

    def close(self, tournament: str) -> None:
        """It can't be read, and may hide something."""
        self._closed.add(tournament)

    def forget(self, tournament: str) -> None:
        """It was deleted, or the teacher reveals what nobody can read."""
        self._hidden.pop(tournament, None)
        self._closed.discard(tournament)

    @property
    def hidden(self) -> Hidden:
        return Hidden(frozenset().union(*self._hidden.values()), frozenset(self._closed))

    def hides(self, match: str, tournament: str | None) -> bool:
        """Whether a match of that tournament, if it is of one, may not be seen."""
        return tournament in self._closed or any(match in hidden for hidden in self._hidden.values())
