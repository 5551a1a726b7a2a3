"""The server's log: whatever a client says cannot write on the teacher's terminal."""

import io
import logging

import pytest
import structlog

from palestra_server.cli.logs import configure_logs
from palestra_server.names import visible


@pytest.fixture
def log_lines():
    """Console log lines go to this stream; afterwards structlog is as it was."""
    before, handlers = structlog.get_config(), logging.root.handlers[:]
    stream = io.StringIO()
    configure_logs("console", "info", stream)
    yield stream
    structlog.configure(**before)
    logging.root.handlers[:] = handlers


def test_what_comes_from_outside_is_escaped(log_lines):
    structlog.get_logger().info(
        "player joined", client="\x1b]0;x\x07\x1b[2J\x9b31m\u202eevil\nforged", player="José 🐜"
    )
    text = log_lines.getvalue()
    assert text.count("\n") == 1
    assert visible(text, keep="\n") == text
    assert r"\x1b]0;x\x07\x1b[2J\x9b31m\u202eevil\nforged" in text
    assert "José 🐜" in text


def test_a_traceback_keeps_its_lines(log_lines):
    try:
        raise ValueError("\x1b[2J")
    except ValueError:
        structlog.get_logger().exception("defect")
    text = log_lines.getvalue()
    assert "\x1b" not in text
    assert len(text.splitlines()) > 3
