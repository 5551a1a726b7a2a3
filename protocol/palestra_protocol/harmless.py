"""What a terminal shows: exceptions that say something to people, and text from elsewhere, made safe."""

from __future__ import annotations


class ForPeople(Exception):
    """The text is for whoever uses the program, in sentences: what was wrong, and what to do."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows, in a notebook, in place of a traceback."""
        return [str(self)]


def harmless(text: str) -> str:
    """`text` with a question mark for every character that a terminal would obey (C0 and C1 controls, escapes) or that
    changes the direction of writing. Tabs become spaces; line ends stay.
    """
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text.expandtabs())
