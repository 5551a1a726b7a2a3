"""Authentication and authorisation: visitors may look, players see what is theirs, the teacher may do everything.

Commands send `Authorization: Bearer KEY`. Browsers send a cookie that scripts can't read and other sites can't make
them send; a request that changes something also needs a header that a foreign page can't set.
"""

from __future__ import annotations

import hmac
import math
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Literal

from fastapi import Depends, Request

from palestra_server.gateway import TAKEN_BACK, Allowance, PlayerRoster, household, is_same_origin
from palestra_server.web.errors import ApiError

Role = Literal["visitor", "player", "teacher"]

COOKIE = "palestra"
TEACHER_S = 12 * 3600
PLAYER_S = 30 * 24 * 3600
# Wrong keys or tokens allowed from one address in a burst (it may be a whole class's), then one every GUESS_S.
GUESSES = 20
GUESS_S = 3
_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is asking; `player` is set for players only."""

    role: Role
    player: str | None = None


VISITOR = Identity("visitor")
TEACHER = Identity("teacher")


class Access:
    """`now` reads UTC in seconds; `monotonic_ns` dates wrong guesses."""

    def __init__(
        self,
        admin_key: str,
        cookie_key: str,
        roster: PlayerRoster,
        now: Callable[[], float],
        monotonic_ns: Callable[[], int],
    ) -> None:
        self._admin = _digest(admin_key)
        self._cookie_key = cookie_key.encode()
        self._roster = roster
        self._now = now
        self._monotonic_ns = monotonic_ns
        self._guesses = Allowance(GUESSES, GUESS_S * 1_000_000_000)

    def identify(self, request: Request) -> Identity:
        """Who sent this; with `?as=visitor`, nobody: what is shown to all has nothing in it that only some may see.

        Raises ApiError 401 for a wrong key, 403 for what a foreign page may have sent.
        """
        if request.query_params.get("as") == "visitor":
            return VISITOR
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.check(secret.strip(), address_of(request))
        if request.method not in _SAFE:
            _refuse_foreign(request)
        return self._from_cookie(request.cookies.get(COOKIE, ""))

    def check(self, secret: str, address: str) -> Identity:
        """Whose key or token this is. Raises ApiError 401, or 429 when the address has guessed too often.

        The teacher's key is too long to be guessed and is checked first, so that nobody can lock its owner out.
        """
        # By hash, so that timing reveals nothing about how much of a guess was right.
        if hmac.compare_digest(_digest(secret), self._admin):
            return TEACHER
        wait = self._guesses.wait(address, self._monotonic_ns())
        if wait:
            seconds = math.ceil(wait / 1e9)
            message = f"Too many wrong keys or tokens came from your address: try again in {seconds} s."
            raise ApiError(429, "try_later", message, headers={"retry-after": str(seconds)})
        player = self._roster.player_for(secret) if secret else None
        if player is None and self._roster.is_taken_back(secret):
            raise ApiError(401, "bad_key", TAKEN_BACK)
        if player is None:
            self._guesses.use(address, self._monotonic_ns())
            message = "This is neither the teacher's key nor a player's token: check it for typing errors."
            raise ApiError(401, "bad_key", message)
        return Identity("player", player)

    # Cookies: role.player.expires.nonce.signature

    def cookie(self, who: Identity) -> tuple[str, int]:
        """A cookie's value for this identity, and the seconds it lasts."""
        lasts = TEACHER_S if who.role == "teacher" else PLAYER_S
        name = (who.player or "").encode().hex()
        text = f"{who.role}.{name}.{int(self._now()) + lasts}.{secrets.token_hex(8)}"
        return f"{text}.{self._sign(text, who)}", lasts

    def _from_cookie(self, value: str) -> Identity:
        text, _, signature = value.rpartition(".")
        fields = text.split(".")
        if len(fields) != 4 or fields[0] not in ("player", "teacher"):
            return VISITOR
        role, name, expires, _ = fields
        try:
            who = TEACHER if role == "teacher" else Identity("player", bytes.fromhex(name).decode())
            late = int(expires) < self._now()
        except ValueError:
            return VISITOR
        good = hmac.compare_digest(signature.encode(), self._sign(text, who).encode())
        return who if good and not late else VISITOR

    def _sign(self, text: str, who: Identity) -> str:
        """The signature covers the key or token that the cookie was made for, so it ends when that changes."""
        worth = self._admin.hex() if who.player is None else self._roster.token_hash(who.player)
        if worth is None:
            return secrets.token_hex(32)
        return hmac.new(self._cookie_key, f"{text}.{worth}".encode(), sha256).hexdigest()


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def address_of(request: Request) -> str:
    return household(request.client.host) if request.client else ""


def _refuse_foreign(request: Request) -> None:
    """Refuse cross-site requests: a foreign page can submit a form, but neither set this header nor hide its origin."""
    origin = request.headers.get("origin")
    site = request.app.state.server.settings.site
    at_home = origin is None or is_same_origin(origin, request.headers.get("host", ""), site)
    if at_home and request.headers.get("x-palestra") == "1":
        return
    raise ApiError(
        403,
        "foreign",
        "A request that changes something must come from this server's own page (header X-Palestra: 1, same origin), "
        "or carry the key (Authorization: Bearer KEY).",
    )


def access_of(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


def identify(request: Request) -> Identity:
    """A dependency of routes."""
    return access_of(request).identify(request)


Who = Annotated[Identity, Depends(identify)]


def _teacher(who: Who) -> Identity:
    if who.role != "teacher":
        status, code = (403, "forbidden") if who.role == "player" else (401, "no_key")
        raise ApiError(status, code, "This is for the teacher: send the key of the data folder's teacher.key.")
    return who


Teacher = Annotated[Identity, Depends(_teacher)]  # a parameter of this type keeps everybody else out


def only(who: Identity, player: str) -> None:
    """Raises ApiError unless it is this player, or the teacher, who asks."""
    if who.role != "teacher" and who.player != player:
        raise ApiError(403, "forbidden", f"Only {player} and the teacher may see this: send the token.")
