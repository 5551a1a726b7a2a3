"""The tables of the first release, which later migrations change; frozen once it is out.

A new database is made from `tables.py` directly; a test compares the two.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_GUARDS = {
    "sqlite": tuple(
        f"CREATE TRIGGER journal_no_{verb.lower()} BEFORE {verb} ON journal "
        "BEGIN SELECT RAISE(ABORT, 'the journal is only ever added to'); END"
        for verb in ("UPDATE", "DELETE")
    ),
    "postgresql": (
        "CREATE FUNCTION journal_keeps() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN RAISE EXCEPTION 'the journal is only ever added to'; END$$",
        "CREATE TRIGGER journal_keeps BEFORE UPDATE OR DELETE ON journal "
        "FOR EACH STATEMENT EXECUTE FUNCTION journal_keeps()",
    ),
}


def create_tables() -> None:
    """Within `Operations.context`."""
    op.create_table(
        "journal",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("records", sa.LargeBinary, nullable=False),
        sa.Column("wall_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("match_id", "seq", name="journal_match_seq"),
    )
    for statement in _GUARDS[op.get_context().dialect.name]:
        op.execute(statement)
    op.create_table(
        "matches",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("match_id", sa.Text, nullable=False, unique=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("first", sa.Text, nullable=False),
        sa.Column("second", sa.Text, nullable=False),
        sa.Column("tournament", sa.Text),
        sa.Column("opening", sa.Text, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("finished_ms", sa.BigInteger),
        sa.Column("version0", sa.Text),
        sa.Column("version1", sa.Text),
        sa.Column("plies", sa.Integer),
        sa.Column("return0", sa.Double),
        sa.Column("return1", sa.Double),
        sa.Column("reason", sa.Text),
        sa.Column("why", sa.Text),
        sa.Column("receipt", sa.Text),
    )
    for column in ("tournament", "first", "second"):
        op.create_index(f"matches_{column}", "matches", [column])
    unfinished = sa.text("finished_ms IS NULL")
    op.create_index("matches_unfinished", "matches", ["match_id"], sqlite_where=unfinished, postgresql_where=unfinished)
    op.create_table(
        "sessions",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("player", sa.Text, nullable=False),
        sa.Column("guest", sa.Boolean, nullable=False),
        sa.Column("token_hash", sa.Text),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("sessions_player", "sessions", ["player", "id"])
    op.create_table(
        "players",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("group", sa.Text, nullable=False),
        sa.Column("ids", sa.Text, nullable=False),
        sa.Column("token_hash", sa.Text, unique=True),
        sa.Column("banned", sa.Boolean, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("toml", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("salt", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "tournament_events",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("tournament", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("wall_ms", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("tournament", "seq", name="tournament_events_tournament_seq"),
    )
    op.create_table(
        "readiness",
        sa.Column("player", sa.Text, primary_key=True),
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("when_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "analyses",
        sa.Column("match_id", sa.Text, primary_key=True),
        sa.Column("analysis", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "notes",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("match_id", sa.Text, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
    )
    op.create_index("notes_match", "notes", ["match_id"])
    op.create_table(
        "judged",
        sa.Column("match_id", sa.Text, primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        *(
            sa.Column(f"{what}{third}", sa.Integer, nullable=False)
            for what in ("kept", "choices")
            for third in range(3)
        ),
        sa.Column("cause", sa.Text),
    )
    op.create_table(
        "seasons",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("toml", sa.Text, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "teachers",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("rights", sa.Text, nullable=False),
        sa.Column("key_hash", sa.Text, nullable=False, unique=True),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "acts",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("when_ms", sa.BigInteger, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("act", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
    )
    op.create_table("identity", sa.Column("server", sa.Text, primary_key=True))
    op.create_table("screen", sa.Column("state", sa.Text, primary_key=True))
    op.create_table(
        "tournament_summaries",
        sa.Column("tournament", sa.Text, primary_key=True),
        sa.Column("events", sa.Integer, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
    )
    op.create_table(
        "referee",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("node", sa.Text, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.Column("batch", sa.BigInteger, nullable=False),
        sa.Column("open", sa.Boolean, nullable=False),
    )
    op.create_table(
        "logged_out",
        sa.Column("cookie", sa.Text, primary_key=True),
        sa.Column("expires", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "nodes",
        sa.Column("name", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("run", "page", "bots", "version", "games")),
        sa.Column("key_check", sa.Text, nullable=False),
        sa.Column("trouble", sa.Text, nullable=False),
        sa.Column("drained", sa.Boolean, nullable=False),
        sa.Column("load", sa.Double, nullable=False),
        sa.Column("seen", sa.Double, nullable=False),
    )
    op.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    op.execute("INSERT INTO alembic_version VALUES ('0003')")
