"""Lost connections and restarts: the right board, the right time, the right verdict."""

import contextlib
import os
import signal
import time

import pytest
from tests.support.players import RawPlayer
from tests.support.servers import MOVE_MS, ServerProcess, enrol, journalled
from websockets.exceptions import ConnectionClosed


def begin(url, game="connect4"):
    ana, bob = RawPlayer(url, "ana"), RawPlayer(url, "bob")
    ana.challenge("bob", game)
    match = ana.ready()
    assert bob.ready() == match
    return ana, bob, match


@pytest.fixture
def server(tmp_path):
    with ServerProcess(tmp_path / "data", "--guests", "--away-ms", "60000") as running:
        yield running


def test_resume_gives_the_board_and_the_time_left(server):
    ana, bob, match = begin(server.url)
    ana.act(ana.expect("turn"), 3)
    bob.act(bob.expect("turn"), 2)
    before = ana.until("turn")
    ana.close()
    back = RawPlayer(server.url, resume=ana.session)
    assert (back.name, back.welcome["matches"]) == ("ana", [match])
    start = back.expect("match_start")
    assert (start["match"], start["seat"], start["players"]) == (match, 0, ["ana", "bob"])
    turn = back.expect("turn")
    assert {k: turn[k] for k in ("ply", "state", "legal", "last")} == {
        k: before[k] for k in ("ply", "state", "legal", "last")
    }
    assert 0 < turn["remaining_ms"] <= MOVE_MS
    back.act(turn)
    assert bob.until("turn")["last"]["ply"] == 2


def test_beyond_the_bank_and_the_clock_the_match_is_lost(tmp_path):
    with ServerProcess(tmp_path, "--guests", "--away-ms", "1000", "--move-ms", "2500") as server:
        ana, bob, _match = begin(server.url)
        ana.expect("turn")
        ana.close()
        end = bob.until("match_end")
        assert (end["reason"], end["returns"]) == ("disconnect", [-1.0, 1.0])
        back = RawPlayer(server.url, resume=ana.session)
        assert back.welcome["matches"] == []
        assert back.until("match_end")["reason"] == "disconnect"


def test_being_away_in_the_opponents_turn_costs_nothing(server):
    ana, bob, _match = begin(server.url)
    turn = ana.expect("turn")
    bob.close()
    bob = RawPlayer(server.url, resume=bob.session)
    bob.expect("match_start")
    ana.act(turn)
    assert bob.expect("turn")["remaining_ms"] == MOVE_MS


def test_the_newer_connection_wins(server):
    ana, _bob, match = begin(server.url)
    turn = ana.expect("turn")
    newer = RawPlayer(server.url, resume=ana.session)
    error = ana.until("error")
    assert (error["code"], error["fatal"]) == ("replaced", True)
    with pytest.raises(Exception, match="4009"):
        ana.receive()
    assert newer.expect("match_start")["match"] == match
    again = newer.expect("turn")
    assert again["ply"] == turn["ply"]
    assert again["remaining_ms"] <= MOVE_MS


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_match_goes_on_after_the_server_went_down(tmp_path, how):
    with ServerProcess(tmp_path, "--guests") as server:
        ana, bob, match = begin(server.url)
        ana.act(ana.expect("turn"), 3)
        bob.act(bob.expect("turn"), 4)
        before = ana.until("turn")
        journalled(
            tmp_path, match, 9
        )  # up to the second action; when the third turn went out is kept with what follows it
        assert server.stop(how) == (0 if how == signal.SIGTERM else -how)
        with pytest.raises(ConnectionClosed) as closed:
            ana.receive()
        assert closed.value.rcvd is None if how == signal.SIGKILL else closed.value.rcvd.code == 1001
    with ServerProcess(tmp_path, "--guests") as server:
        ana = RawPlayer(server.url, resume=ana.session)
        bob = RawPlayer(server.url, resume=bob.session)
        assert ana.welcome["matches"] == bob.welcome["matches"] == [match]
        ana.expect("match_start")
        turn = ana.expect("turn")
        assert (turn["state"], turn["ply"]) == (before["state"], 2)
        assert turn["remaining_ms"] == MOVE_MS
        ana.act(turn)
        bob.expect("match_start")
        assert bob.until("turn")["last"]["ply"] == 2
        bob.send(type="resign", match=match)
        assert ana.until("match_end")["reason"] == "resign"


def test_a_stranger_of_the_same_name_hears_nothing_of_the_match(server):
    ana, bob, match = begin(server.url)
    ana.expect("turn")
    ana.close()
    bob.send(type="resign", match=match)
    bob.until("match_end")
    with RawPlayer(server.url, "ana") as stranger:
        stranger.challenge(stranger.name)
        assert stranger.expect("error")["code"] == "self_challenge"


def test_a_result_is_told_again_unless_something_proves_that_it_was_heard(server):
    """ana's line breaks with the result on it, unread; bob takes his leave in due form."""
    ana, bob, match = begin(server.url)
    ana.expect("turn")
    bob.send(type="resign", match=match)
    bob.until("match_end")  # so ana's went out as well
    ana.close_now()
    ana = RawPlayer(server.url, resume=ana.session)
    assert ana.welcome["matches"] == []
    assert ana.expect("match_start")["match"] == match
    assert ana.expect("match_end")["reason"] == "resign"
    for player in (ana, bob):
        player.close()
        with RawPlayer(server.url, resume=player.session) as back:
            back.challenge(back.name)
            assert back.expect("error")["code"] == "self_challenge"


@pytest.mark.parametrize("restart", [False, True])
def test_the_match_of_a_guest_is_not_for_the_player_of_the_roster_who_has_the_name_now(tmp_path, restart):
    with contextlib.ExitStack() as servers:
        server = servers.enter_context(ServerProcess(tmp_path, "--guests"))
        ana, bob, match = begin(server.url)
        ana.expect("turn")
        journalled(tmp_path, match, 5)  # as far as both being ready
        if restart:
            server.stop(signal.SIGKILL)
            token = enrol(tmp_path, "ana")["ana"]
            server = servers.enter_context(ServerProcess(tmp_path, "--guests"))
            bob = RawPlayer(server.url, resume=bob.session)
        else:
            server.api("POST", "/roster", {"name": "ana"})
            token = server.api("POST", "/roster/ana/token")["token"]
        roster_ana = RawPlayer(server.url, token=token)
        assert (roster_ana.name, roster_ana.welcome["matches"]) == ("ana", [])
        end = bob.until("match_end")
        assert (end["reason"], end["returns"]) == ("void", [0.0, 0.0])
        assert "ana is on the roster now" in end["detail"]
        if not restart:
            assert ana.until("error")["code"] == "name_taken"
        with RawPlayer(server.url, resume=ana.session) as guest:
            assert (guest.name, guest.welcome["matches"]) == ("ana-2", [])
            roster_ana.challenge("ana-2", seat=1)
            start = roster_ana.expect("match_start")
            assert (start["players"], guest.expect("match_start")["match"]) == (["ana-2", "ana"], start["match"])


def test_a_stall_is_not_charged_to_a_mover_who_hung_up_during_it(tmp_path):
    """The server stands still for longer than the move's clock; the bank pays from the moment of hanging up."""
    with ServerProcess(tmp_path, "--guests", "--away-ms", "60000", "--move-ms", "2500") as server:
        ana, bob, _match = begin(server.url)
        ana.expect("turn")
        os.kill(server.process.pid, signal.SIGSTOP)
        ana.close_now()
        time.sleep(2.9)  # the stall itself is what is tested: longer than 2.5 s and the grace
        os.kill(server.process.pid, signal.SIGCONT)
        back = RawPlayer(server.url, resume=ana.session)
        back.expect("match_start")
        back.act(back.expect("turn"))
        assert bob.until("turn")["last"]["ply"] == 0


def test_after_a_restart_a_new_program_may_warm_up_and_one_that_resumes_need_not(tmp_path):
    tokens = enrol(tmp_path, "ana", "bob")
    with ServerProcess(tmp_path) as server:
        ana, bob = (RawPlayer(server.url, token=tokens[name]) for name in ("ana", "bob"))
        ana.challenge("bob")
        ana.ready()
        bob.ready()
        ana.act(ana.expect("turn"), 3)
        assert bob.expect("turn")["ply"] == 1
        assert server.stop(signal.SIGTERM) == 0
    with ServerProcess(tmp_path) as server:
        ana = RawPlayer(server.url, token=tokens["ana"], resume=ana.session)
        bob = RawPlayer(server.url, token=tokens["bob"])  # a program that knows no session
        match = bob.expect("match_start")["match"]
        bob.send(type="action", match=match, ply=1, action=3)
        assert bob.expect("error")["code"] == "not_your_turn"
        bob.send(type="ready", match=match)
        turn = bob.expect("turn")
        assert (turn["ply"], turn["remaining_ms"]) == (1, MOVE_MS)
        bob.act(turn, 3)
        assert ana.until("turn")["ply"] == 2
