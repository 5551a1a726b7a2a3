"""Structured logs: text for terminals, JSON for machines."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
from collections.abc import Iterator
from typing import Literal, TextIO, cast

import structlog

from palestra_server.names import visible


class _Unfailing(io.TextIOBase):
    """A stream that drops lines it can't write instead of raising: a full disk must not end the server."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def _show(_: object, __: str, line: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Escapes what clients put into names and messages, so that they can't control the teacher's terminal."""
    return {
        key: visible(value, keep="\n" if key == "exception" else "") if isinstance(value, str) else value
        for key, value in line.items()
    }


@contextlib.contextmanager
def only_warnings() -> Iterator[None]:
    """For commands without a server: standard output is for their answer, so problems go to standard error."""
    before = structlog.get_config()
    configure_logs("console", "warning", for_good=False)
    try:
        yield
    finally:
        structlog.configure(**before)


def configure_logs(
    form: Literal["console", "json"], level: str, to: TextIO | None = None, *, for_good: bool = True
) -> None:
    stream = to or sys.stderr
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=stream.isatty(), pad_event_to=24)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _show,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, _Unfailing(stream))),
        cache_logger_on_first_use=for_good,
    )
    # uvicorn logs through the standard library; only its warnings are of interest here.
    logging.basicConfig(stream=stream, level=logging.WARNING, format="%(levelname)s %(name)s %(message)s", force=True)
