"""A game that nobody but its plug-in knows is played over the wire."""

import pytest
from tests.plugins.install import environment_with, install_plugin
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return install_plugin(tmp_path_factory.mktemp("plugin"))


def test_a_fifth_game_is_played_without_a_line_changed(site, tmp_path):
    with (
        ServerProcess(tmp_path, "--guests", env=environment_with(site)) as server,
        RawPlayer(server.url, "ana") as ana,
        RawPlayer(server.url, "bob") as bob,
    ):
        assert "nim" in server.banner
        ana.challenge("bob", "nim")
        ana.ready()
        bob.ready()
        while True:
            for player in (ana, bob):
                message = player.receive()
                while message["type"] not in ("turn", "match_end"):
                    message = player.receive()
                if message["type"] == "match_end":
                    assert message["reason"] == "rules"
                    return
                player.act(message)
