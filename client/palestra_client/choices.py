"""Converts the result of `choose` to an action."""

from __future__ import annotations

import operator

from palestra_client.bot import Plain
from palestra_protocol import limits


class BadChoice(Plain, TypeError):
    """`choose` returned something that can't be an action; the text says what."""


def as_action(choice: object) -> int:
    """Raises BadChoice if no game could have such an action."""
    if isinstance(choice, bool) or not hasattr(choice, "__index__"):
        if choice is None:
            raise BadChoice("choose returned nothing (None): is a `return` missing? It must return one of turn.legal")
        raise BadChoice(
            f"choose returned {choice!r}, a {type(choice).__name__}; it must return one of turn.legal, an int"
        )
    action = operator.index(choice)
    if not 0 <= action <= limits.ACTION_MAX:
        raise BadChoice(f"choose returned {action}; it must return one of turn.legal")
    return action
