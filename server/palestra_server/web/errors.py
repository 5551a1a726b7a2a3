"""The one shape of all errors: `{"error": CODE, "message": SENTENCE, "details": [...]}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from palestra_server.gateway import SparingLog
from palestra_server.runtime import DirectorError, NoSuchPlayer, NotShown, RosterError
from palestra_server.store import StoreError
from palestra_server.text import NotText

sparing = SparingLog()

# Bytes in the body of a request: the teacher's class list of 300 has 20 KB, the report of a player's check a few.
BODY_MAX: Mapping[str, int] = {"teacher": 1 << 20, "player": 16 << 10, "visitor": 4 << 10}
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


def answer_errors(app: FastAPI) -> None:
    """Install handlers that answer every error of a route in this shape."""

    @app.exception_handler(ApiError)
    async def api_error(_: Request, error: ApiError) -> JSONResponse:
        return error.response()

    @app.exception_handler(HTTPException)
    async def http_error(_: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 413:
            return too_large(error.detail).response()
        code, message = _KNOWN.get(error.status_code, ("bad_request", f"{error.detail}."))
        return ApiError(error.status_code, code, message, headers=error.headers).response()

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        details = [
            {"where": ".".join(str(part) for part in fault["loc"]), "message": fault["msg"]} for fault in error.errors()
        ]
        first = details[0]
        message = f"The request is not as it should be: {first['where']}: {first['message']}."
        return ApiError(422, "bad_request", message, details=details).response()

    @app.exception_handler(RosterError)
    async def roster_error(_: Request, error: RosterError) -> JSONResponse:
        unknown = isinstance(error, NoSuchPlayer)
        return ApiError(404 if unknown else 422, "unknown_player" if unknown else "roster", str(error)).response()

    @app.exception_handler(NotText)
    async def not_text(_: Request, error: NotText) -> JSONResponse:
        return ApiError(422, "not_text", str(error)).response()

    @app.exception_handler(NotShown)
    async def not_shown(_: Request, error: NotShown) -> JSONResponse:
        return ApiError(403 if error.code == "embargoed" else 404, error.code, str(error)).response()

    @app.exception_handler(DirectorError)
    async def director_error(_: Request, error: DirectorError) -> JSONResponse:
        status = {"unknown_tournament": 404, "unknown_season": 404, "bad_tournament": 422, "stopping": 503}.get(
            error.code, 409
        )
        return ApiError(status, error.code, str(error)).response()

    @app.exception_handler(StoreError)
    async def store_error(_: Request, error: StoreError) -> JSONResponse:
        return ApiError(503, "storage", str(error)).response()

    @app.exception_handler(Exception)
    async def defect(_: Request, error: Exception) -> JSONResponse:
        return failed(error).response()


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
