"""Authentication and authorisation: visitors may look, players see what is theirs, the teacher may do everything.

A teacher has the key of the data folder, or one of a name of their own, which may run everything or only read.

Commands send `Authorization: Bearer KEY`. Browsers send a cookie that scripts can't read and other sites can't make
them send; a request that changes something also needs a header that a foreign page can't set.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import secrets
from collections.abc import Callable, Coroutine
from dataclasses import replace
from hashlib import sha256
from typing import Annotated, Any

import structlog
from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute

from palestra_server.gateway import Guesses, PlayerRoster, Refusal, household, is_same_origin
from palestra_server.runtime import VISITOR, Viewer
from palestra_server.runtime.teachers import OWNER, TeacherKeys
from palestra_server.store import LoggedOut, StoreError
from palestra_server.web.errors import ApiError

log = structlog.get_logger()

COOKIE = "palestra"
TEACHER_S = 12 * 3600
PLAYER_S = 30 * 24 * 3600
RETRY_S = 1
# Cookies given back that are remembered for each player and teacher, or somebody who keeps logging in and out would
# fill the memory. Of those before, one that somebody kept is worth something again.
ENDED_MAX = 100
_SAFE = ("GET", "HEAD", "OPTIONS")


TEACHER = Viewer("teacher", runs=True)


class Access:
    """`now` reads UTC in seconds; `monotonic_ns` dates wrong guesses. `ended`: cookies given back."""

    def __init__(
        self,
        admin_key: str,
        cookie_key: str,
        roster: PlayerRoster,
        teachers: TeacherKeys,
        guesses: Guesses,
        ended: LoggedOut,
        now: Callable[[], float],
        monotonic_ns: Callable[[], int],
    ) -> None:
        self._admin = _digest(admin_key)
        self._cookie_key = cookie_key.encode()
        self._roster = roster
        self._teachers = teachers
        self._now = now
        self._monotonic_ns = monotonic_ns
        self._guesses = guesses
        self._ended_book = ended
        # By whose they were, the latest last.
        self._ended: dict[str, tuple[str, ...]] = {}
        for text in ended.since(now()):
            self._ended[_owner(text)] = (*self._ended.get(_owner(text), ()), text)

    def identify(self, request: Request) -> Viewer:
        """Who sent this; with `?as=visitor`, nobody: what is shown to all has nothing in it that only some may see.

        Raises ApiError 401 for a wrong key, 403 for what a foreign page may have sent.
        """
        if request.query_params.get("as") == "visitor":
            return VISITOR
        secret = _bearer(request)
        if secret is not None:
            return self.check(secret, address_of(request))
        if request.method not in _SAFE:
            _refuse_foreign(request)
        return self._from_cookie(request.cookies.get(COOKIE, ""))

    def check(self, secret: str, address: str) -> Viewer:
        """Whose key or token this is. Raises ApiError 401, or 429 for a wrong one when many came from the address."""
        if (teacher := self._teacher(secret)) is not None:
            return teacher
        player = self._guesses.player(self._roster, secret, address, self._monotonic_ns())
        if not isinstance(player, Refusal):
            return Viewer("player", player)
        if player.code == "try_later":
            raise ApiError(429, "try_later", player.message, headers={"retry-after": str(RETRY_S)})
        raise ApiError(401, "bad_key", player.message)

    def _teacher(self, secret: str) -> Viewer | None:
        # By hash, so that timing reveals nothing about how much of a guess was right.
        return TEACHER if hmac.compare_digest(_digest(secret), self._admin) else self._teachers.holder(secret)

    def known(self, request: Request) -> Viewer:
        """Who sent this, whatever else is wrong with it: a visitor if it does not say so."""
        secret = _bearer(request)
        if secret is None:
            return self._from_cookie(request.cookies.get(COOKIE, ""))
        if (teacher := self._teacher(secret)) is not None:
            return teacher
        player = self._roster.player_for(secret)
        return VISITOR if player is None else Viewer("player", player)

    # Cookies: role.name.expires.nonce.signature

    def cookie(self, who: Viewer) -> tuple[str, int]:
        """A cookie's value for this identity, and the seconds it lasts."""
        lasts = TEACHER_S if who.role == "teacher" else PLAYER_S
        name = (who.player or who.teacher).encode().hex()
        text = f"{who.role}.{name}.{int(self._now()) + lasts}.{secrets.token_hex(8)}"
        return f"{text}.{self._sign(text, who)}", lasts

    def _from_cookie(self, value: str) -> Viewer:
        text, _, signature = value.rpartition(".")
        fields = text.split(".")
        if len(fields) != 4 or fields[0] not in ("player", "teacher"):
            return VISITOR
        role, name, expires, _ = fields
        try:
            called = bytes.fromhex(name).decode()
            who = Viewer("player", called) if role == "player" else self._teachers.viewer(called) if called else TEACHER
            late = int(expires) < self._now()
        except ValueError:
            return VISITOR
        if who is None:
            return VISITOR
        good = hmac.compare_digest(signature.encode(), self._sign(text, who).encode())
        return who if good and not late and text not in self._ended.get(_owner(text), ()) else VISITOR

    def end(self, value: str) -> None:
        """This cookie is worth nothing from now on, whoever has it. Blocks; raises StoreError if that can't be kept."""
        text = value.rpartition(".")[0]
        if self._from_cookie(value) is not VISITOR:
            ended = (*self._ended.get(_owner(text), ()), text)
            self._ended[_owner(text)] = ended[-ENDED_MAX:]
            self._ended_book.add(text, int(text.split(".")[2]), self._now(), ended[:-ENDED_MAX])

    def _sign(self, text: str, who: Viewer) -> str:
        """The signature covers the key or token that the cookie was made for, so it ends when that changes."""
        if who.player is not None:
            worth = self._roster.token_hash(who.player)
        else:
            worth = self._teachers.key_hash(who.teacher) if who.teacher else self._admin.hex()
        if worth is None:
            return secrets.token_hex(32)
        return hmac.new(self._cookie_key, f"{text}.{worth}".encode(), sha256).hexdigest()


def _bearer(request: Request) -> str | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def _owner(cookie: str) -> str:
    """Role and name."""
    return cookie.rsplit(".", 2)[0]


def _digest(secret: str) -> bytes:
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def address_of(request: Request) -> str:
    return household(request.client.host) if request.client else ""


def _refuse_foreign(request: Request) -> None:
    """Refuse cross-site requests: a foreign page can submit a form, but neither set this header nor hide its origin."""
    origin = request.headers.get("origin")
    site = request.app.state.desk.settings.site
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


# What routes depend on is `async`, though it waits for nothing: FastAPI calls all else in a thread.


async def identify(request: Request) -> Viewer:
    """With `?hidden=show` the teacher asks for what is hidden from all others."""
    who = access_of(request).identify(request)
    return replace(who, asks_for_hidden=request.query_params.get("hidden") == "show")


Who = Annotated[Viewer, Depends(identify)]


async def _reader(who: Who) -> Viewer:
    if who.role != "teacher":
        status, code = (403, "forbidden") if who.role == "player" else (401, "no_key")
        raise ApiError(status, code, "This is for the teacher: send the key of the data folder's teacher.key.")
    return who


async def _teacher(who: Who) -> Viewer:
    if not (await _reader(who)).runs:
        message = f"The key of {who.teacher} only reads: ask who runs this server for a key with the right to run."
        raise ApiError(403, "reads_only", message)
    return who


# A parameter of one of these types keeps everybody else out: who may see all, and who may also change things.
Reader = Annotated[Viewer, Depends(_reader)]
Teacher = Annotated[Viewer, Depends(_teacher)]

# What is kept of an act, besides its address; no class list, file or address of a person.
_TOLD = (
    *("name", "player", "players", "match", "verdict", "winner", "why"),
    *("rights", "names", "banned", "show", "tournament"),
)


class CheckedRoute(APIRoute):
    """Where only the teacher may say something, who it is comes before what is said: nobody else's body is read.

    What somebody did with a teacher's rights is kept, with who it was.
    """

    keeps = True

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        check = next((each.call for each in self.dependant.dependencies if each.call in (_teacher, _reader)), None)
        if check is None:
            return handle
        keeps = self.keeps and check is _teacher

        async def checked(request: Request) -> Response:
            who: Viewer = await check(await identify(request))
            answer = await handle(request)
            if keeps and answer.status_code < 400:
                said = (self.body_field and json.loads(await request.body() or b"{}")) or {}
                if said.get("apply") is False:  # it was only looked over
                    return answer
                about = {**request.path_params, **{key: said[key] for key in _TOLD if said.get(key) is not None}}
                if (was := request.path_params.get("name", about.get("name"))) != about.get("name"):
                    about["was"] = was
                if "toml" in said:
                    about["name"] = json.loads(bytes(answer.body))["name"]  # as its file says
                act = f"{self.tags[0]} {self.name}"
                log.info("act", who=who.teacher or OWNER, act=act, about=about)
                keep = request.app.state.desk.teachers.book.note
                with contextlib.suppress(StoreError):  # it is done, and the log has it
                    await asyncio.to_thread(keep, who.teacher or OWNER, act, about)
            return answer

        return checked


def only(who: Viewer, player: str) -> None:
    """Raises ApiError unless it is this player, or the teacher, who asks."""
    if who.role != "teacher" and who.player != player:
        raise ApiError(403, "forbidden", f"Only {player} and the teacher may see this: send the token.")
