"""The tables, the same for SQLite and PostgreSQL; `migrations/` brings older ones to this form.

`journal` and `tournament_events` are the truth and are only ever added to. `matches` and `tournament_summaries` are
derived from them, for listings, and can be rebuilt. Times are UTC in milliseconds since 1970: for people, never for the
clock of a move.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)
from sqlalchemy.schema import SchemaItem

REVISION: Final = "0003"  # the newest migration, whose tables these are

METADATA: Final = MetaData()


def _numbered(name: str, *parts: SchemaItem) -> Table:
    """A table whose rows are numbered as they are added."""
    number = BigInteger().with_variant(Integer, "sqlite")  # SQLite's rowid
    return Table(name, METADATA, Column("id", number, primary_key=True), *parts)


journal: Final = _numbered(
    "journal",
    Column("match_id", Text, nullable=False),
    Column("seq", Integer, nullable=False),  # of the first of its records, which count 0, 1, 2, ... in each match
    Column("records", LargeBinary, nullable=False),  # canonical JSON, one or more, each ended by a newline
    Column("wall_ms", BigInteger, nullable=False),
    UniqueConstraint("match_id", "seq", name="journal_match_seq"),
)

matches: Final = _numbered(
    "matches",
    Column("match_id", Text, nullable=False, unique=True),
    Column("game", Text, nullable=False),
    Column("first", Text, nullable=False),  # the player in seat 0
    Column("second", Text, nullable=False),
    Column("tournament", Text),
    Column("opening", Text, nullable=False),  # a JSON list of actions
    Column("rated", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("finished_ms", BigInteger),  # from here on: NULL until the match is over
    Column("version0", Text),
    Column("version1", Text),
    Column("plies", Integer),
    Column("return0", Double),
    Column("return1", Double),
    Column("reason", Text),
    Column("why", Text),  # JSON: a code and its values
    Column("receipt", Text),
)
Index("matches_tournament", matches.c.tournament)
Index("matches_first", matches.c.first)
Index("matches_second", matches.c.second)
_unfinished: Final = Index("matches_unfinished", matches.c.match_id)


@event.listens_for(matches, "before_create")
def _only_unfinished(_: object, db: Connection, **__: object) -> None:
    # `postgresql_where=` above would import everything for PostgreSQL at every start, even where it is not used.
    _unfinished.dialect_kwargs[f"{db.dialect.name}_where"] = matches.c.finished_ms.is_(None)


sessions: Final = _numbered(
    "sessions",
    Column("hash", LargeBinary, nullable=False, unique=True),  # SHA-256, so that the table gives no session away
    Column("player", Text, nullable=False),
    Column("guest", Boolean, nullable=False),
    Column("token_hash", Text),  # of the token that opened it; NULL for a guest
    Column("created_ms", BigInteger, nullable=False),
)
Index("sessions_player", sessions.c.player, sessions.c.id)

players: Final = _numbered(
    "players",
    Column("name", Text, nullable=False, unique=True),
    Column("email", Text, nullable=False),
    Column("group", Text, nullable=False),
    Column("ids", Text, nullable=False),  # a JSON object
    Column("token_hash", Text, unique=True),  # NULL while the player has none
    Column("banned", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

tournaments: Final = _numbered(
    "tournaments",
    Column("name", Text, nullable=False, unique=True),
    Column("toml", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),  # secret until it begins, like the salt
    Column("salt", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

tournament_events: Final = _numbered(
    "tournament_events",
    Column("tournament", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),  # canonical JSON
    Column("wall_ms", BigInteger, nullable=False),
    UniqueConstraint("tournament", "seq", name="tournament_events_tournament_seq"),
)

tournament_summaries: Final = Table(  # of finished tournaments: startup reads these instead of their events
    "tournament_summaries",
    METADATA,
    Column("tournament", Text, primary_key=True),
    Column(
        "events", Integer, nullable=False
    ),  # from how many events it was derived: with more of them it is out of date
    Column("summary", Text, nullable=False),  # JSON
)

identity: Final = Table(  # one row: which server this is, made at its first start
    "identity", METADATA, Column("server", Text, primary_key=True)
)

readiness: Final = Table(
    "readiness",
    METADATA,
    Column("player", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("passed", Boolean, nullable=False),
    Column("when_ms", BigInteger, nullable=False),
)

analyses: Final = Table(  # what the judge says of a match
    "analyses",
    METADATA,
    Column("match_id", Text, primary_key=True),
    Column("analysis", LargeBinary, nullable=False),  # JSON
)

judged: Final = Table(  # of each seat of an analysis, what is added up over a player's matches
    "judged",
    METADATA,
    Column("match_id", Text, primary_key=True),
    Column("seat", Integer, primary_key=True),
    *(Column(f"{what}{third}", Integer, nullable=False) for what in ("kept", "choices") for third in range(3)),
    Column("cause", Text),  # the first diagnosis
)

notes: Final = _numbered(  # what bots note beside their moves
    "notes",
    Column("match_id", Text, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("note", Text, nullable=False),
)
Index("notes_match", notes.c.match_id)

screen: Final = Table(  # one row at most: what the big screen was last told to show
    "screen",
    METADATA,
    Column("state", Text, primary_key=True),  # JSON
)

referee: Final = Table(  # one row, in a PostgreSQL that has had a server: who may write, see `lease.py`
    "referee",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("node", Text, nullable=False),
    Column("epoch", BigInteger, nullable=False),  # one more for each server that took it
    Column("until", Double, nullable=False),  # seconds since 1970, like `nodes.seen`, on the database's clock
    Column("batch", BigInteger, nullable=False),  # number of its last transaction, counted from 1 by each epoch
    Column("open", Boolean, nullable=False),  # players can come: it has resumed the unfinished matches
)

nodes: Final = Table(  # servers started with --node
    "nodes",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("run", Text, nullable=False),  # drawn at each start
    Column("page", Text, nullable=False),
    Column("bots", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("games", Text, nullable=False),  # a JSON list
    Column("key_check", Text, nullable=False),  # differs between nodes with different teacher's keys
    Column("trouble", Text, nullable=False),
    Column("drained", Boolean, nullable=False),
    Column("load", Double, nullable=False),  # of a core, lately
    Column("seen", Double, nullable=False),
)

seasons: Final = _numbered(
    "seasons",
    Column("name", Text, nullable=False, unique=True),
    Column("toml", Text, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

teachers: Final = _numbered(  # besides the data folder's own key
    "teachers",
    Column("name", Text, nullable=False, unique=True),
    Column("rights", Text, nullable=False),  # run or read
    Column("key_hash", Text, nullable=False, unique=True),
    Column("created_ms", BigInteger, nullable=False),
)

logged_out: Final = Table(
    "logged_out",
    METADATA,
    Column("cookie", Text, primary_key=True),  # without its signature
    Column("expires", BigInteger, nullable=False),  # seconds since 1970
)

acts: Final = _numbered(  # what was done with the rights of a teacher
    "acts",
    Column("when_ms", BigInteger, nullable=False),
    Column("who", Text, nullable=False),
    Column("act", Text, nullable=False),
    Column("about", Text, nullable=False),  # a JSON object
)

# Guards the journal against a careless hand at the database's own prompt, too.
GUARDS: Final[dict[str, tuple[str, ...]]] = {
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
for _dialect, _statements in GUARDS.items():
    for _statement in _statements:
        event.listen(journal, "after_create", DDL(_statement).execute_if(dialect=_dialect))  # type: ignore[no-untyped-call]
