"""PROTOCOL.md says what the code does: its tables name the fields, codes and numbers of the models."""

import re
from types import SimpleNamespace
from typing import get_args

import pytest
from tests.support.transcript import PAGE

from palestra_games import game_names, get_game
from palestra_protocol import limits
from palestra_protocol.codecs import SUBPROTOCOLS
from palestra_protocol.limits import CloseCode
from palestra_protocol.messages import ClientMessage, EndReason, ErrorCode, Info, NoticeCode, ServerMessage
from palestra_referee import MatchConfig, Move, start
from palestra_referee.frames import played_message
from palestra_server.runtime import LiveTournament
from palestra_server.runtime.snapshots import match_snapshot, watched_message
from palestra_tournament import pair_round, parse_spec

TEXT = PAGE.read_text(encoding="utf-8")
CLIENT_CLASSES = get_args(get_args(ClientMessage)[0])
SERVER_CLASSES = get_args(get_args(ServerMessage)[0])


def section(heading: str) -> str:
    """From this heading to the next one of the same or a higher level."""
    level = heading.split(" ")[0]
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{2,{len(level)}}} |\Z)", TEXT, re.DOTALL | re.MULTILINE)
    assert found, f"PROTOCOL.md has no '{heading}'"
    return found[1]


def table(text: str, first_column: str) -> list[list[str]]:
    """The rows of the table whose first column has this head."""
    found = re.search(rf"^\| {re.escape(first_column)} \|.*\n\|[ \-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found, f"no table with the column '{first_column}'"
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in found[1].splitlines()]


def wire_fields(model) -> dict[str, object]:
    return {field.serialization_alias or name: field for name, field in model.model_fields.items()}


def shown_default(field) -> str:
    if field.is_required():
        return ""
    return {None: "null", True: "true", False: "false", "": '`""`'}[field.default]


@pytest.mark.parametrize("model", [*CLIENT_CLASSES, *SERVER_CLASSES], ids=lambda model: model.__name__)
def test_each_message_has_a_table_of_its_fields_in_order(model):
    kind = model.model_fields["type"].default
    rows = table(section(f"### `{kind}`"), "field")
    assert [row[0].strip("`") for row in rows] == list(wire_fields(model))
    assert rows[0][1] == f'`"{kind}"`'


@pytest.mark.parametrize("model", CLIENT_CLASSES, ids=lambda model: model.__name__)
def test_the_defaults_and_bounds_are_those_of_the_models(model):
    rows = table(section(f"### `{model.model_fields['type'].default}`"), "field")[1:]
    for (name, kind, default, _), field in zip(rows, list(wire_fields(model).values())[1:], strict=True):
        assert default == shown_default(field), name
        assert ("null" in kind) == (not field.is_required() and field.default is None), name
        for bound in field.metadata:
            for number in (getattr(bound, "le", None), getattr(bound, "max_length", None)):
                if number is not None:
                    assert str(number) in kind, name


def test_the_table_of_info_is_complete():
    rows = table(section("### `action`"), "field of `info`")
    assert [row[0].strip("`") for row in rows] == list(Info.model_fields)
    bounds = [row[1] for row in rows]
    assert bounds == [
        f"whole number, 0 to {limits.DEPTH_MAX}, or null",
        "whole number, 0 to 2^53, or null",
        "number, -1e12 to 1e12, or null",
        f"list of up to {limits.PV_MAX} actions, or null",
        f"text, up to {limits.TEXT_MAX}, or null",
    ]
    assert (limits.NODES_MAX, limits.SEQ_MAX, limits.VALUE_MAX) == (2**53, 2**53, 1e12)


def test_the_table_of_views_is_complete():
    view = get_game("connect4").view(get_game("connect4").initial_state()).to_wire()
    rows = [row[0].strip("`") for row in table(section("### Views"), "field of a view")]
    assert sorted(rows) == sorted(view)


def test_the_tables_of_a_watched_match_are_complete():
    match, _ = start(MatchConfig("m", "connect4", ("ana", "bob"), 2000, 100, 30000, 10000, 200), 0)
    text = section('### `"match:ID"`')
    assert [row[0].strip("`") for row in table(text, "field")] == list(match_snapshot(match, None, None))
    match = match._replace(moves=(Move(0, 0, 3, 0, "read"),))
    told = watched_message(match, {}, {}, {}).keys() - played_message(match, {}, {}).keys()
    assert {row[0].strip("`") for row in table(text, "field of `played`")} == told


def test_the_table_of_a_tournament_is_complete():
    spec = parse_spec('name = "cup"\ngames = ["connect4"]\nformat = "swiss"\n')
    rows = [row[0].strip("`") for row in table(section('### `"tournament:ID"`'), "field")]
    assert rows == list(LiveTournament(SimpleNamespace(pair=pair_round, supervisor=None), "", spec, (0, "")).summary())


def test_every_error_code_reason_and_close_code_is_explained_once():
    codes = [row[0].strip("`") for row in table(section("## Errors"), "code")]
    assert sorted(codes) == sorted(get_args(ErrorCode))
    reasons = [row[0].strip("`") for row in table(section("### `match_end`"), "reason")]
    assert reasons == list(get_args(EndReason))
    notices = [row[0].strip("`") for row in table(section("### `notice`"), "code of a notice")]
    assert notices == list(get_args(NoticeCode))
    assert [int(row[0]) for row in table(section("## Close codes"), "code")] == sorted(CloseCode)


def test_the_close_codes_that_errors_name_exist():
    named = {int(code) for code in re.findall(r"closes with (\d+)", section("## Errors"))}
    assert named == {CloseCode.NO_HELLO, CloseCode.BAD_TOKEN, CloseCode.REPLACED, CloseCode.TRY_LATER}


def test_the_limits_are_those_of_the_code():
    said = {row[0].split(",")[0]: float(row[1]) for row in table(section("## Limits"), "what")}
    assert said == {
        "longest frame from a client": limits.MAX_FRAME_BYTES,
        "pause between pings": limits.PING_S,
        "silence until a connection is dropped": limits.SILENCE_S,
        "how many times as long both are for spectators": limits.SPECTATORS_PATIENCE,
        "time for `hello`": limits.HELLO_S,
        "rejected frames within the window": limits.REJECTED_MAX,
        "length of that window": limits.REJECTED_WINDOW_S,
        "matches that one player may start by `challenge` at once": limits.CHALLENGE_BURST,
        "pause until it may start one more": limits.CHALLENGE_MS,
        "time for a move": limits.MOVE_MS,
        "grace": limits.GRACE_MS,
        "time for `ready`": limits.READY_MS,
        "bank for lost connections": limits.AWAY_MS,
        "of the time for a move": limits.GONE_MS,
        "plies until a draw": limits.PLY_LIMIT,
    }


def test_the_subprotocols_and_the_games_are_named():
    assert tuple(row[0].strip("`") for row in table(section("## Transport"), "subprotocol")) == SUBPROTOCOLS
    boards = {row[0].strip("`") for row in table(section("## Boards"), "game")}
    assert boards == {"connect4", "connect4-8x8", "desconecta4", "mancala"}
    assert boards <= set(game_names())


def test_the_links_inside_the_page_lead_somewhere():
    anchors = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    }
    links = set(re.findall(r"\]\(#([^)]*)\)", TEXT))
    assert links
    assert links <= anchors
