"""What a closed connection means: try again, or stop and say why. One table for all close codes."""

from __future__ import annotations

from palestra_client.effects import Reconnect, Stop
from palestra_protocol.limits import CloseCode

ABNORMAL = 1006  # RFC 6455, section 7.1.5: the connection broke without a close frame

_AGAIN = {
    CloseCode.GOING_AWAY: "the server went away (it may be restarting)",
    CloseCode.TRY_LATER: "the server is full or not ready yet",
    ABNORMAL: "the connection broke",
}

_STOP = {
    CloseCode.TOO_MANY_REJECTED: "The server closed the connection because it refused too many of this program's "
    "messages; update palestra-client and start it again.",
    CloseCode.FRAME_TOO_LARGE: "The server closed the connection because a message of this program was too long; "
    "update palestra-client and start it again.",
    CloseCode.NO_HELLO: "The server did not get this program's greeting in time; start it again when this "
    "machine is less busy.",
    CloseCode.BAD_TOKEN: "The server does not accept this token or name; check it for missing letters, or ask "
    "whoever runs the competition for yours.",
    CloseCode.REPLACED: "Another program joined with the same token or name, so this one stops; run one bot a "
    "player, or ask for a second token.",
}


def after_close(code: int, fatal_message: str | None) -> Reconnect | Stop:
    """What to do after a connection was closed with this WebSocket close code (RFC 6455, section 7.4).

    `fatal_message` is the server's `error` just before, if any: it is more specific.
    """
    if code == CloseCode.NORMAL:
        return Stop("The server ended the connection: there is nothing more to play.", failed=False)
    if code in _STOP:
        return Stop(fatal_message or _STOP[CloseCode(code)], failed=True)
    return Reconnect(_AGAIN.get(code, f"the server closed the connection (code {code})"))
