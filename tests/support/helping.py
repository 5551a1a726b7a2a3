"""What a test does to the process that helps a server."""

from __future__ import annotations

import signal

import pytest

from palestra_server.helper import Helper


def without_time(monkeypatch: pytest.MonkeyPatch, helper: Helper) -> None:
    """Every job takes longer than it may: it never ends. A short one could be done before anybody looks, even if it has
    no time at all."""
    run = helper.run
    monkeypatch.setattr(helper, "_longest_s", 0)
    monkeypatch.setattr(helper, "run", lambda _work, *_args, **_more: run(signal.pause))
