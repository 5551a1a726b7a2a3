"""What players are to hear, though they may be away: notices of tournaments, and results that may not have arrived."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from palestra_protocol.english import Said
from palestra_protocol.messages import Notice, NoticeCode, NoticeParts
from palestra_server.gateway import PlayerConnection, ProvenConnection, is_proven
from palestra_server.runtime.live import LiveMatch
from palestra_tournament import Bye, Joined, Notify, Ruled, Spec

NOTICES_MAX: Final = 20  # notices kept for a player who is away
RESULTS_MAX: Final = 20  # results kept in memory for a player
# Players for whom they are kept; beyond that, those longest without a result are dropped (the journal keeps all).
RESULT_PLAYERS_MAX: Final = 1000


class Sentence(Said):
    kind: ClassVar[str] = "notice"


class Remark(Said):
    """What the teacher reads about a tournament that stands still."""

    kind: ClassVar[str] = "remark"


def notice(code: NoticeCode, says: Sentence, spec: Spec | None = None) -> Notice:
    """A notice, with its sentence in parts for a page in another language."""
    values: dict[str, Any] = dict(says.values)
    parts = NoticeParts(code=says.code, values=values)
    return Notice(code=code, message=says.sentence, tournament=None if spec is None else spec.name, parts=parts)


class Notices:
    """`players`: who is connected, guests left out."""

    def __init__(self, players: Mapping[str, ProvenConnection]) -> None:
        self._players = players
        self._kept: defaultdict[str, deque[Notice]] = defaultdict(lambda: deque(maxlen=NOTICES_MAX))

    def notify(self, spec: Spec, effect: Notify) -> None:
        """Delivered now, or when the player is back."""
        name, about = spec.display_name, effect.about
        if isinstance(about, Bye):
            told = notice("tournament", Sentence("bye", round=about.round, tournament=name), spec)
        elif isinstance(about, Ruled):
            of = {"match": about.match, "winner": about.winner, "why": about.why}
            said = Sentence.of({"code": f"ruled_{about.verdict}", "tournament": name, **of})
            told = notice("tournament", said, spec).model_copy(update={"match": about.match})
        elif isinstance(about, Joined):
            told = notice("tournament", Sentence("joined", tournament=name), spec)
        else:
            said = Sentence.of({"tournament": name, **about, "code": f"withdrawn_{about['code']}"})
            told = notice("withdrawn", said, spec)
        self._send(effect.player, told)

    def ready(self, spec: Spec, player: str, game: str, count: int) -> None:
        self._send(player, notice("ready", Sentence("ready", game=game, count=count), spec))

    def tell_all(self, spec: Spec, players: Iterable[str], code: str) -> None:
        """Tell everybody who takes part; those who are away don't get it later."""
        told = notice("tournament", Sentence(code, tournament=spec.display_name), spec)
        for name in players:
            peer = self._players.get(name)
            if peer is not None:
                peer.send(told)

    def arrived(self, peer: PlayerConnection) -> None:
        if is_proven(peer):
            for each in self._kept.pop(peer.player, ()):
                peer.send(each)

    def _send(self, player: str, told: Notice) -> None:
        peer = self._players.get(player)
        if peer is not None:
            peer.send(told)
        else:
            self._kept[player].append(told)


class _Result(NamedTuple):
    """A result, and the connection it was sent on at `at` (ns); None if there was none, or it is gone."""

    live: LiveMatch
    peer: PlayerConnection | None
    at: int

    @property
    def heard(self) -> bool:
        """Whether anything came over that connection afterwards: a frame, a pong, or an orderly close."""
        return self.peer is not None and self.peer.last_read > self.at


class Unheard:
    """The newest results of each player that nothing proves to have been received.

    A guest is not the roster's player of the same name.
    """

    def __init__(self) -> None:
        self._of: dict[tuple[str, bool], deque[_Result]] = {}

    def add(self, player: str, guest: bool, live: LiveMatch, peer: PlayerConnection | None, at: int) -> None:
        """The result of `live` was sent on the connection `peer`, if there was one."""
        results = deque((each for each in self._of.pop((player, guest), ()) if not each.heard), RESULTS_MAX)
        results.append(_Result(live, peer, at))
        self._of[player, guest] = results
        if len(self._of) > RESULT_PLAYERS_MAX:
            del self._of[next(iter(self._of))]

    def left(self, peer: PlayerConnection) -> None:
        """This connection is over: what wasn't received on it has to be sent again."""
        results = self._of.pop((peer.player, peer.guest), ())
        kept = [each._replace(peer=None) if each.peer is peer else each for each in results if not each.heard]
        if kept:
            self._of[peer.player, peer.guest] = deque(kept, RESULTS_MAX)

    def again(self, peer: PlayerConnection, at: int) -> list[LiveMatch]:
        """What to send, at `at`, to a player who has just connected with this connection.

        Only to a proven player: a guest of the same name is somebody else, and has taken the name over.
        """
        results = self._of.pop((peer.player, peer.guest), ())
        if not peer.resumed or not results:
            return []
        self._of[peer.player, peer.guest] = deque((_Result(each.live, peer, at) for each in results), RESULTS_MAX)
        return [each.live for each in results]
