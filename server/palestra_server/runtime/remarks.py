"""What the teacher reads about a tournament that stands still."""

from __future__ import annotations

from typing import ClassVar

from palestra_protocol.english import Said


class Remark(Said):
    kind: ClassVar[str] = "remark"
