"""Every kind of bad bot gets its verdict, and a match beside it does not notice."""

import json

import pytest
from tests.support.players import RawPlayer, start_badbot
from tests.support.servers import ServerProcess

WIN, LOSS = [1.0, -1.0], [-1.0, 1.0]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = ["--guests", "--move-ms", "400", "--away-ms", "1500", "--log-level", "info"]
    with ServerProcess(tmp_path_factory.mktemp("data"), *options) as running:
        yield running


def seen(process):
    for line in process.stdout:
        yield json.loads(line)


def play_to_the_end(player):
    """Answers every turn with the first legal action; returns `match_end` and all that came before it."""
    messages = []
    while (message := player.receive())["type"] != "match_end":
        messages.append(message)
        if message["type"] == "turn":
            player.act(message)
    return message, messages


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
        ("floods", "disconnect", LOSS, None, 1008),
        ("chatters", "disconnect", LOSS, None, 1008),
        ("disconnects", "rules", None, [], None),
    ],
)
def test_verdict(server, kind, reason, returns, codes, closed):
    with (
        RawPlayer(server.url, f"judge-{kind}") as judge,
        RawPlayer(server.url, f"ana-{kind}") as ana,
        RawPlayer(server.url, f"bob-{kind}") as bob,
    ):
        bad = start_badbot(kind, server.url, kind)
        try:
            reports = seen(bad)
            assert next(reports)["saw"] == "welcome"
            ana.challenge(bob.name)
            beside = ana.ready()
            bob.ready()
            first = ana.expect("turn")

            judge.challenge(kind, seat=1)
            judge.ready()
            end, _ = play_to_the_end(judge)
            assert end["reason"] == reason, end
            assert end["detail"].endswith(".")
            if returns is not None:
                assert end["returns"] == returns

            # The match beside it stands where it stood, and can be played on.
            assert first["match"] == beside
            ana.act(first)
            assert bob.expect("turn")["last"]["ply"] == 0

            if codes is not None and kind not in ("crashes", "leaves"):
                heard = []
                for report in reports:
                    if report["saw"] == "error":
                        heard.append(report["code"])
                    if report["saw"] in ("match_end", "closed"):
                        break
                assert heard == codes if isinstance(codes, list) else set(heard) == codes
            if closed is not None:
                assert closed in [report.get("code") for report in reports] or report.get("code") == closed
        finally:
            bad.kill()
            bad.wait()
            bad.stdout.close()
            bad.stdin.close()


def test_nothing_of_all_this_left_a_traceback(server):
    assert "Traceback" not in server.log()
