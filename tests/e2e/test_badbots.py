"""Every kind of bad bot gets its verdict, and a match beside it does not notice."""

import json

import pytest
from tests.support.players import PairBeside, RawPlayer, start_badbot
from tests.support.servers import MOVE_MS, ServerProcess

LOSS = [-1.0, 1.0]
GONE_MS = 5000
BUDGET_MS = {
    "hangs": 400,
    "late": 400,
    **dict.fromkeys(("crashes", "leaves", "big", "floods", "chatters"), GONE_MS),
}
"""Of those who use it up; all others have more than a busy machine takes from them."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = ["--guests", "--away-ms", "1500", "--log-level", "info"]
    with ServerProcess(tmp_path_factory.mktemp("data"), *options) as running:
        yield running


def seen(process):
    for line in process.stdout:
        yield json.loads(line)


@pytest.mark.parametrize(
    ("kind", "reason", "returns", "codes", "closed"),
    [
        ("honest", "rules", None, [], None),
        ("crashes", "disconnect", LOSS, None, None),
        ("leaves", "disconnect", LOSS, [], None),
        ("hangs", "timeout", LOSS, [], None),
        ("late", "timeout", LOSS, None, None),
        ("garbage", "rules", None, {"bad_message"}, None),
        ("big", "disconnect", LOSS, [], 1009),
        ("wrong_ply", "rules", None, {"stale_ply"}, None),
        ("illegal", "illegal", LOSS, ["illegal_action"], None),
        ("floods", "disconnect", LOSS, None, None),
        ("chatters", "disconnect", LOSS, None, None),
        ("disconnects", "rules", None, [], None),
    ],
)
def test_verdict(server, kind, reason, returns, codes, closed):
    with RawPlayer(server.url, f"judge-{kind}") as judge, PairBeside(server.url, kind) as beside:
        bad = start_badbot(kind, server.url, kind, after=int(BUDGET_MS.get(kind, MOVE_MS) >= GONE_MS))
        try:
            reports = seen(bad)
            assert next(reports)["saw"] == "welcome"
            budgets = [BUDGET_MS.get(kind, MOVE_MS), MOVE_MS]
            judge.send(type="challenge", game="connect4", opponent=kind, seat=1, rated=False, seat_ms=budgets)
            judge.ready()
            end, _ = judge.play()
            assert end["reason"] == reason, end
            assert end["detail"].endswith(".")
            if returns is not None:
                assert end["returns"] == returns

            if codes is not None and closed is None:
                heard = []
                for report in reports:
                    if report["saw"] == "error":
                        heard.append(report["code"])
                    if report["saw"] in ("match_end", "closed", "left"):
                        break
                assert heard == codes if isinstance(codes, list) else set(heard) == codes
            if closed is not None:
                assert closed in [report.get("code") for report in reports]
            if kind in ("floods", "chatters"):
                # They do not read, so that they may not see their 1008; the log tells why they lost the connection.
                assert "flooding peer dropped" in server.log()
        finally:
            bad.kill()
            bad.wait()
            bad.stdout.close()
            bad.stdin.close()
    assert beside.ends
    assert {end["reason"] for end in beside.ends} == {"rules"}, "a bad bot disturbed the match beside it"


def test_nothing_of_all_this_left_a_traceback(server):
    assert "Traceback" not in server.log()
