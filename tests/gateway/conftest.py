"""Gateway tests run in the loop that the server runs in, and must leave no trace of a defect in its log."""

import logging

import pytest
import structlog

from palestra_server.gateway import new_event_loop


def pytest_asyncio_loop_factories():
    return {"server": new_event_loop}


@pytest.fixture
def logged():
    """What the server logs, as structlog's dicts."""
    with structlog.testing.capture_logs() as entries:
        yield entries


@pytest.fixture(autouse=True)
def no_defects(request, logged, caplog):
    """No test but those marked so may make the server log an error or a traceback."""
    with caplog.at_level(logging.WARNING):
        yield
    if "defects_expected" in request.fixturenames:
        return
    assert [entry for entry in logged if entry["log_level"] in ("error", "critical")] == []
    assert [record.getMessage() for record in caplog.records if record.exc_info or record.levelno >= 40] == []


@pytest.fixture
def defects_expected():
    """For a test in which the server is to log an exception."""
