"""What all tournaments in progress share: what they read, and what they write to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from palestra_server.gateway import Hub, ProvenConnection
from palestra_server.runtime.claims import Claims
from palestra_server.runtime.embargo import Embargo
from palestra_server.runtime.matches import Matches
from palestra_server.runtime.notices import Notices
from palestra_server.runtime.room import Bell
from palestra_server.runtime.saving import Saving
from palestra_server.store import Tournaments
from palestra_server.supervision import Supervisor
from palestra_tournament import Entrant, PairRound, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentShell:
    """`players`: who is connected, guests left out; `invited`: who takes part as the roster is now. `wall_ms` reads UTC
    in ms, `ply_limit` is the server's, `pair` is for threads.
    """

    players: Mapping[str, ProvenConnection]
    invited: Callable[[Spec], Sequence[Entrant]]
    matches: Matches
    saving: Saving
    hub: Hub
    book: Tournaments
    notices: Notices
    embargo: Embargo
    claims: Claims
    bell: Bell
    supervisor: Supervisor
    wall_ms: Callable[[], int]
    ply_limit: int
    pair: PairRound
