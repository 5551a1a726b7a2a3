"""Where migrations begin: no database is older than the first release, whose tables `tables.py` makes."""

from __future__ import annotations

revision = "0003"
down_revision = None


def upgrade() -> None:
    raise AssertionError("a database without tables is not migrated, but made")
