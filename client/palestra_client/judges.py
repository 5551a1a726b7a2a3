"""The judge of matches that is installed here, if any: palestra-bots has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, Final, Protocol

from palestra_protocol.analysis import Analysis
from palestra_protocol.harmless import ForPeople

JUDGES: Final = "palestra.judges"  # entry points: each a Judge
NO_JUDGE: Final = "To judge it on this machine, install the judge: pip install palestra-bots"
BUSY: Final = "The judge is at work on others: ask again soon."


class NotJudged(ForPeople):
    """Nobody has judged the match; the text says what to do."""


class Judge(Protocol):
    """What an entry point of this group names. Matches are as the API tells them."""

    def __call__(self, told: Mapping[str, Any], others: Sequence[Mapping[str, Any]] = (), /) -> Analysis:
        """`others`: more matches of the same programs. Raises ValueError, a sentence, if it can't be judged."""


def installed_judge() -> Judge | None:
    for point in entry_points(group=JUDGES):
        found: Judge = point.load()
        return found
    return None
