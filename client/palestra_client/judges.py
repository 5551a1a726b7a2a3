"""The judge of matches that is installed here, if any: palestra-bots has one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any, Final

from palestra_protocol.analysis import Analysis
from palestra_protocol.harmless import ForPeople

JUDGES: Final = "palestra.judges"  # entry points: functions from a match, as the API tells it, to an Analysis
NO_JUDGE: Final = "To judge it on this machine, install the judge: pip install palestra-bots"
BUSY: Final = "The judge is at work on others: ask again soon."


class NotJudged(ForPeople):
    """Nobody has judged the match; the text says what to do."""


def installed_judge() -> Callable[[Mapping[str, Any]], Analysis] | None:
    """Raises ValueError, a sentence, for a match that it can't judge."""
    for point in entry_points(group=JUDGES):
        found: Callable[[Mapping[str, Any]], Analysis] = point.load()
        return found
    return None
