"""What is wrong with a tournament file, or perhaps not as it was meant; and why an event can't be."""

from __future__ import annotations

from typing import ClassVar

from palestra_protocol.english import Said


class Fault(Said):
    kind: ClassVar[str] = "file"


class Refused(ValueError):
    """An event that can't be: a sentence, and a `code` for those who say it in another language."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
