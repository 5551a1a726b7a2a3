"""Text that came from elsewhere, made fit for a terminal."""

from __future__ import annotations


def harmless(text: str) -> str:
    """`text` without what a terminal would obey (C0 and C1 controls, escape sequences) and without the marks that turn
    the direction of writing: each becomes a question mark. Tabs become blanks; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text.expandtabs())
