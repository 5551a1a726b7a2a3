"""Whether results can be saved: what the store says about it, and what the players hear."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import structlog

from palestra_protocol.limits import CloseCode
from palestra_server.gateway import PlayerConnection
from palestra_server.runtime.room import Bell, Playing

log = structlog.get_logger()

NOT_SAVING: Final = (
    "The server cannot save results right now: matches go on, no new one begins, and results are told later."
)
NEVER_SAVING: Final = "The server cannot save results right now; try again later."


class Saving:
    """`fault` is set to a sentence when nothing will be written any more; to wait for it use `asyncio.shield`. `works`
    is set while results can be saved: no match begins without it.
    """

    def __init__(self, peers: Mapping[str, PlayerConnection], playing: Playing, bell: Bell) -> None:
        self._peers = peers
        self._playing = playing
        self._bell = bell
        self.fault: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.works = asyncio.Event()
        self.works.set()

    def troubled(self, why: str | None) -> None:
        """Writing fails for now (None: works again): matches continue, no result is announced, and no match begins."""
        if why is None:
            self.works.set()
            self._bell.ring()
            return
        self.works.clear()
        for peer in self._peers.values():
            peer.reject("try_later", NOT_SAVING)

    def failed(self, error: BaseException) -> None:
        """Writing failed for good: nothing more is announced, and everybody is asked to come back later.

        The matches stay as they are in the journal; a restart resumes them from there.
        """
        if self.fault.done():
            return
        self.fault.set_result(str(error))
        log.error("storage failed", detail=str(error))
        for live in self._playing.matches.values():
            live.close()
        for peer in tuple(self._peers.values()):
            peer.close(CloseCode.TRY_LATER, NEVER_SAVING)
