"""Tournament notices for players, delivered at once or on their next connection."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final

from palestra_protocol import Notice, NoticeCode, NoticeParts
from palestra_server.gateway import PlayerConnection
from palestra_tournament import ABSENT, Bye, Fault, Notify, Spec

NOTICES_MAX: Final = 20  # notices kept for a player who is away
BY_HOST: Final = "The host withdrew it."  # the reason in the records when the host withdrew a player
SENTENCES: Final = {
    "begins": "{tournament} begins: stay connected, your matches start by themselves.",
    "over": "{tournament} is over: thank you for playing. The standings are on the page.",
    "bye": "You have a bye in round {round} of {tournament}, which counts as a win.",
    "withdrawn": "You were withdrawn from the tournament {tournament}: {why} Ask the host to let you back in.",
    "withdrawn_host": "The host withdrew you from the tournament {tournament}. Ask the host to let you back in.",
    "withdrawn_absent": "You were withdrawn from the tournament {tournament}: your bot lost {count} matches in a row "
    "because it was absent or did not answer in time. Ask the host to let you back in.",
    "ready": "Your bot is ready for {game}: it played {count} matches without a fault.",
    "queued": "Your challenge waits until {opponent} is free: it is number {place} in the queue.",
}
_ABSENT: Final = re.compile(re.escape(ABSENT).replace(r"\{count\}", r"(\d+)"))


class Sentence(Fault):
    sentences: ClassVar[Mapping[str, str]] = SENTENCES


def notice(code: NoticeCode, says: Sentence, spec: Spec | None = None) -> Notice:
    """A notice, with its sentence in parts for a page in another language."""
    values: dict[str, Any] = dict(says.values)
    parts = NoticeParts(code=says.code, values=values)
    return Notice(code=code, message=says.sentence, tournament=None if spec is None else spec.name, parts=parts)


class News:
    """`peers`: the connected players by name. A guest is never mistaken for the roster's player of the same name."""

    def __init__(self, peers: Mapping[str, PlayerConnection]) -> None:
        self._peers = peers
        self._kept: defaultdict[str, deque[Notice]] = defaultdict(lambda: deque(maxlen=NOTICES_MAX))

    def notify(self, spec: Spec, effect: Notify) -> None:
        """Delivered now, or when the player is back."""
        name, about = spec.display_name, effect.about
        if isinstance(about, Bye):
            told = notice("tournament", Sentence("bye", round=about.round, tournament=name), spec)
        else:
            told = notice("withdrawn", _withdrawn(name, about), spec)
        self._send(effect.player, told)

    def ready(self, spec: Spec, player: str, game: str, count: int) -> None:
        self._send(player, notice("ready", Sentence("ready", game=game, count=count), spec))

    def tell_all(self, spec: Spec, players: Iterable[str], code: str) -> None:
        """Tell everybody who takes part; those who are away don't get it later."""
        told = notice("tournament", Sentence(code, tournament=spec.display_name), spec)
        for name in players:
            peer = self._peers.get(name)
            if peer is not None:
                peer.send(told)

    def arrived(self, peer: PlayerConnection) -> None:
        if not peer.guest:
            for each in self._kept.pop(peer.player, ()):
                peer.send(each)

    def _send(self, player: str, told: Notice) -> None:
        peer = self._peers.get(player)
        if peer is not None and not peer.guest:
            peer.send(told)
        else:
            self._kept[player].append(told)


def _withdrawn(tournament: str, why: str) -> Sentence:
    absent = _ABSENT.fullmatch(why)
    if absent is not None:
        return Sentence("withdrawn_absent", tournament=tournament, count=int(absent[1]))
    if why == BY_HOST:
        return Sentence("withdrawn_host", tournament=tournament)
    return Sentence("withdrawn", tournament=tournament, why=why)
