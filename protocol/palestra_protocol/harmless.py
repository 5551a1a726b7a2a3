"""Makes text from elsewhere safe for a terminal."""

from __future__ import annotations


def harmless(text: str) -> str:
    """`text` with a question mark for every character that a terminal would obey (C0 and C1 controls, escapes) or that
    changes the direction of writing. Tabs become spaces; line ends stay.
    """
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text.expandtabs())
