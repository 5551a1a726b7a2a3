"""Our own server keeps every rule of PROTOCOL.md that the suite checks, and one that does not is found out."""

import json

import pytest
from tests.support.servers import ServerProcess
from typer.testing import CliRunner

from palestra_client.cli.commands import app
from palestra_client.conformance import run
from palestra_client.page import NoAnswer, ask


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    # All that connect come from one address, one after the other.
    with ServerProcess(tmp_path_factory.mktemp("data"), "--guests") as running:
        yield running


def test_our_server_keeps_every_rule(server):
    results = list(run(server.url))
    assert [(result.rule.says, result.fault) for result in results if result.fault] == []
    assert len(results) > 35


def test_the_command_tells_a_broken_rule_and_ends_with_1(server):
    # The page's port is a web server, and on another path there is no protocol at all.
    ran = CliRunner().invoke(app, ["conformance", "--server", f"{server.url}/nothing", "--json"])
    assert ran.exit_code == 1
    told = json.loads(ran.stdout)
    assert not told["passed"]
    assert all("connection failed" in row["fault"] for row in told["rules"])


def test_where_nothing_listens_no_rule_is_broken():
    ran = CliRunner().invoke(app, ["conformance", "--server", "ws://127.0.0.1:1"])
    assert ran.exit_code == 1
    assert "nothing listens there" in ran.output
    assert "BROKEN" not in ran.output


def test_the_server_says_why_it_does_not_take_a_check(server):
    with pytest.raises(NoAnswer, match="Nobody has this token: check it for typing errors"):
        ask(f"{server.web}/api/v1/session", "no-token")
    with pytest.raises(NoAnswer, match="Nobody has this token: check it for typing errors"):
        ask(f"{server.web}/api/v1/readiness", "no-token", {"games": ["connect4"], "passed": True})


@pytest.mark.parametrize("address", ["url", "web"])
def test_a_wrong_token_is_told_before_the_long_check(server, tmp_path, address):
    bot = tmp_path / "mybot.py"
    bot.write_text("")
    ran = CliRunner().invoke(app, ["doctor", str(bot), "--server", getattr(server, address), "--token", "no-token"])
    assert ran.exit_code == 1
    assert "connected after" not in ran.output
    assert "Nobody has this token: check it for typing errors" in ran.output
