"""The one shape of all errors: `{"error": CODE, "message": SENTENCE, "details": [...]}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from palestra_protocol.english import plural
from palestra_server.gateway import SparingLog
from palestra_server.helper import HelperFailed, HelperStopped
from palestra_server.runtime import DirectorError, NoSuchPlayer, RosterError
from palestra_server.runtime.director import STOPPING
from palestra_server.store import StoreError
from palestra_server.text import NotText
from palestra_tournament import SpecError

sparing = SparingLog()

# Bytes in the body of a request: the teacher's class list of 300 has 20 KB; what players send has a few hundred bytes,
# and 16 KiB of JSON keys take 2 ms to be refused.
BODY_MAX: Mapping[str, int] = {"teacher": 1 << 20, "player": 4 << 10, "visitor": 4 << 10}
DETAILS_MAX = 20  # of them are told

_KNOWN = {
    404: ("not_found", "There is nothing at this address; check it for typing errors."),
    405: ("method_not_allowed", "This address does not take that method."),
}


class ApiError(Exception):
    """Raised by routes: a status, a code for programs, a sentence for people.

    `details`: one entry per fault, where there can be several (in the lines of a class list, say), of which the first
    few are told.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        details: Sequence[object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.headers = headers

    def response(self) -> JSONResponse:
        body: dict[str, object] = {"error": self.code, "message": self.message}
        if self.details is not None:
            body["details"] = list(self.details[:DETAILS_MAX])
        return JSONResponse(body, self.status, headers=self.headers)


def _of_starlette(error: HTTPException) -> ApiError:
    if error.status_code == 413:
        return too_large(error.detail)
    code, message = _KNOWN.get(error.status_code, ("bad_request", f"{error.detail}."))
    return ApiError(error.status_code, code, message, headers=error.headers)


def _invalid(error: RequestValidationError) -> ApiError:
    details = [{"where": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in error.errors()]
    first = details[0]
    message = f"The request is not as it should be: {first['where']}: {first['message']}."
    return ApiError(422, "bad_request", message, details=details)


def _bad_file(error: SpecError) -> ApiError:
    faults = f"The file has {plural(len(error.problems), 'fault')}:"
    return ApiError(422, "bad_tournament", faults, details=[each.parts for each in error.problems])


_STATUS = {
    **dict.fromkeys(("unknown_tournament", "unknown_season", "unknown_match", "unknown_teacher"), 404),
    **{"embargoed": 403, "bad_tournament": 422, "bad_key_name": 422, "stopping": 503},
}
_AGAIN = "The table could not be made. {} Try again in a moment."
# What routes raise on purpose, and what is told of it; every other exception is a bug.
_MEANT: Mapping[type[Exception], Callable[[Any], ApiError]] = {
    ApiError: lambda error: error,
    HTTPException: _of_starlette,
    RequestValidationError: _invalid,
    NoSuchPlayer: lambda error: ApiError(404, "unknown_player", str(error)),
    RosterError: lambda error: ApiError(422, "roster", str(error)),
    NotText: lambda error: ApiError(422, "not_text", str(error)),
    DirectorError: lambda error: ApiError(_STATUS.get(error.code, 409), error.code, str(error)),
    SpecError: _bad_file,
    HelperStopped: lambda _: ApiError(503, "stopping", STOPPING),
    HelperFailed: lambda error: ApiError(503, "try_later", _AGAIN.format(error)),
    StoreError: lambda error: ApiError(503, "storage", str(error)),
}


def answer_errors(app: FastAPI) -> None:
    """Answer every error of a route in this shape."""

    async def answer(_: Request, error: Exception) -> JSONResponse:
        return told(error).response()

    for kind in (*_MEANT, Exception):
        app.add_exception_handler(kind, answer)


def told(error: Exception) -> ApiError:
    """What is told of an exception that a route raised."""
    tell = next((tell for kind, tell in _MEANT.items() if isinstance(error, kind)), failed)
    return tell(error)


def failed(error: Exception) -> ApiError:
    """A bug in the server: the traceback goes to the log, and no internals to the client."""
    sparing.error("a request failed", exc_info=error)
    message = "Something went wrong in the server; its log says what. If it happens again, tell your teacher."
    return ApiError(500, "internal", message)


def too_large(role: str) -> ApiError:
    """The body is longer than BODY_MAX; the connection is not read any further."""
    more = "" if role == "teacher" else f", with the teacher's key {BODY_MAX['teacher'] >> 10}"
    message = f"A request may have {BODY_MAX[role] >> 10} KiB{more}; send less."
    return ApiError(413, "too_large", message, headers={"connection": "close"})
