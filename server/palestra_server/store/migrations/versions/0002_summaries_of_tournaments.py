"""Summaries of finished tournaments, so that startup need not read them. Empty: the next start fills them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tournament_summaries",
        sa.Column("tournament", sa.Text, primary_key=True),
        sa.Column("events", sa.Integer, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
    )
