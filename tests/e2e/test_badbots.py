"""Every kind of bad bot gets its verdict, and a match beside it does not notice."""

import json
from contextlib import ExitStack, contextmanager

import pytest
from tests.support.players import PairBeside, RawPlayer, start_badbot
from tests.support.servers import MOVE_MS, ServerProcess

LOSS = [-1.0, 1.0]
BUDGET_MS = {"hangs": 400, "late": 400}
"""Of those who use it up in their first turn; all others have more than a busy machine takes from them."""
GONE_MS = 5000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = ["--guests", "--away-ms", "1500", "--log-level", "info"]
    with ServerProcess(tmp_path_factory.mktemp("data"), *options) as running:
        yield running


def seen(process):
    for line in process.stdout:
        yield json.loads(line)


@contextmanager
def badbot(server, kind, after):
    """A bad bot that has come in, and what it reports."""
    bad = start_badbot(kind, server.url, kind, after)
    try:
        reports = seen(bad)
        assert next(reports)["saw"] == "welcome"
        yield reports
    finally:
        bad.kill()
        bad.wait()
        bad.stdout.close()
        bad.stdin.close()


def challenge(judge, kind, budget_ms):
    judge.send(type="challenge", game="connect4", opponent=kind, seat=1, rated=False, seat_ms=[budget_ms, MOVE_MS])
    judge.ready()


def errors(reports):
    """The codes of the errors that it heard in its match."""
    heard = []
    for report in reports:
        if report["saw"] == "error":
            heard.append(report["code"])
        if report["saw"] in ("match_end", "closed", "left"):
            break
    return heard


@pytest.mark.parametrize(
    ("kind", "reason", "returns", "codes"),
    [
        ("honest", "rules", None, []),
        ("hangs", "timeout", LOSS, []),
        ("late", "timeout", LOSS, None),
        ("garbage", "rules", None, {"bad_message"}),
        ("wrong_ply", "rules", None, {"stale_ply"}),
        ("illegal", "illegal", LOSS, ["illegal_action"]),
        ("disconnects", "rules", None, []),
    ],
)
def test_verdict(server, kind, reason, returns, codes):
    budget_ms = BUDGET_MS.get(kind, MOVE_MS)
    with (
        RawPlayer(server.url, f"judge-{kind}") as judge,
        PairBeside(server.url, kind) as beside,
        badbot(server, kind, after=int(kind not in BUDGET_MS)) as reports,
    ):
        challenge(judge, kind, budget_ms)
        end, _ = judge.play()
        assert end["reason"] == reason, end
        assert end["detail"].endswith(".")
        if returns is not None:
            assert end["returns"] == returns
        if codes is not None:
            heard = errors(reports)
            assert heard == codes if isinstance(codes, list) else set(heard) == codes
    undisturbed(beside)


def test_verdict_on_all_who_are_gone_once_bank_and_clock_are_used_up(server):
    """At the same time: it takes each of them the same seconds."""
    kinds = ("crashes", "leaves", "big", "floods", "chatters")
    with ExitStack() as open_, PairBeside(server.url, "gone") as beside:
        reports = {kind: open_.enter_context(badbot(server, kind, after=1)) for kind in kinds}
        judges = {kind: open_.enter_context(RawPlayer(server.url, f"judge-{kind}")) for kind in kinds}
        for kind, judge in judges.items():
            challenge(judge, kind, GONE_MS)
            judge.act(judge.until("turn"))
        for kind, judge in judges.items():
            end = judge.until("match_end")
            assert (end["reason"], end["returns"]) == ("disconnect", LOSS), (kind, end)
            assert end["detail"].endswith("."), kind
        assert errors(reports["leaves"]) == []
        assert {"saw": "closed", "code": 1009} in reports["big"]
        # They do not read, so that they may not see their 1008; the log tells why they lost the connection.
        assert server.log().count("flooding peer dropped") >= 2
    undisturbed(beside)


def undisturbed(beside):
    assert beside.ends
    assert {end["reason"] for end in beside.ends} == {"rules"}, "a bad bot disturbed the match beside it"


def test_nothing_of_all_this_left_a_traceback(server):
    assert "Traceback" not in server.log()
