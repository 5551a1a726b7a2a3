"""What is wrong with a tournament file, or perhaps not as it was meant."""

from __future__ import annotations

from typing import ClassVar

from palestra_protocol.english import Said


class Fault(Said):
    kind: ClassVar[str] = "file"
