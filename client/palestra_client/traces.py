"""What to show a student of an exception, and of running code: the frames of their own files."""

from __future__ import annotations

import importlib
import itertools
import os
import traceback
from pathlib import Path
from types import FrameType

import palestra_games
from palestra_client.bot import Plain

_MAX_FRAMES = 40
# Prefixes of the files whose frames mean nothing to a student.
_OURS = (
    "<frozen ",
    *(f"{Path(file or '').parent}{os.sep}" for file in (__file__, palestra_games.__file__, importlib.__file__)),
)


def report(error: BaseException) -> str:
    """The exception as Python shows it, without the frames of this package and of the games."""
    if isinstance(error, Plain):
        return str(error)
    whole = traceback.TracebackException.from_exception(error)
    _keep_theirs(whole, set())
    if not whole.stack:
        return "".join(whole.format_exception_only()).rstrip()
    return "".join(whole.format()).rstrip()


def stack(frame: FrameType) -> str:
    """Where a bot's code is right now, oldest call first, without our own frames; "" if none is running."""
    frames = traceback.extract_stack(frame)
    calls = itertools.dropwhile(lambda call: not call.filename.startswith(_OURS), frames)
    return "".join(_theirs(list(calls)).format()).rstrip()


def _keep_theirs(error: traceback.TracebackException, seen: set[int]) -> None:
    """Removes our frames from an exception and from those that led to it."""
    if id(error) in seen:
        return
    seen.add(id(error))
    error.stack = _theirs(error.stack)
    for other in (error.__cause__, error.__context__, *(error.exceptions or ())):
        if other is not None:
            _keep_theirs(other, seen)


def _theirs(frames: list[traceback.FrameSummary]) -> traceback.StackSummary:
    kept = [frame for frame in frames if not frame.filename.startswith(_OURS)]
    if len(kept) > _MAX_FRAMES:  # a recursion that went too deep
        kept = kept[: _MAX_FRAMES // 2] + kept[-_MAX_FRAMES // 2 :]
    return traceback.StackSummary.from_list(kept)
