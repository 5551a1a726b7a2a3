"""Which other matches of the same programs a judge is shown with one."""

import pytest
from tests.support.players import RawPlayer
from tests.support.servers import ServerProcess

from palestra_client import others
from palestra_client.others import OTHERS, earlier_of, others_of, seat_of
from palestra_client.page import NoAnswer


def told(match, *players, versions=("", ""), game="connect4", says=True):
    moves = [{"ply": ply, "seat": ply, "info": {"depth": 4, "value": 1.0} if says else None} for ply in (0, 1)]
    return {"match": match, "game": game, "players": players, "versions": versions, "moves": moves}


def test_a_program_is_known_by_its_name_its_version_and_its_game():
    one = told("a", "ana", "ben", versions=("2", ""))
    assert seat_of(one, 0, told("b", "eva", "ana", versions=("", "2"))) == 1
    assert seat_of(one, 0, told("b", "ana", "eva", versions=("1", ""))) is None
    assert seat_of(one, 1, told("b", "ben", "eva", game="mancala")) is None


def test_a_few_of_each_program_and_none_of_who_says_nothing():
    one = told("a", "ana", "ben")
    there = [one, *(told(f"a{number}", "ana", "eva") for number in range(9)), told("b", "ben", "eva")]
    assert [each["match"] for each in others_of(one, there)] == ["a0", "a1", "a2", "b"]
    assert others_of(told("a", "ana", "ben", says=False), there) == []


def test_a_server_that_does_not_answer_for_one_costs_that_one_alone(monkeypatch):
    there = [told(name, "ana", "ben") | {"ended": 1} for name in "abc"]

    def ask(address, _key):
        if address.endswith("/b") or "player=ben" in address:
            raise NoAnswer("The record of match b can't be replayed.", 500)
        return {"matches": there} if "?" in address else next(each for each in there if address.endswith(each["match"]))

    monkeypatch.setattr(others, "ask", ask)
    assert [each["match"] for each in earlier_of("http://page", told("d", "ana", "ben"), None)] == ["a", "c"]


@pytest.mark.process
def test_a_server_is_asked_for_those_before_it(tmp_path):
    with ServerProcess(tmp_path, "--guests") as server, server.join("ben") as ben:
        played = []
        for version in ("1", "2", "2", "2", "2", "2"):
            with RawPlayer(server.url, "ana", version=version) as ana:
                ana.challenge("ben")
                match = ana.ready()
                ben.ready()
                turn = ana.until("turn")
                ana.send(type="action", match=match, ply=turn["ply"], action=3, info={"depth": 4, "value": 0.5})
                ben.until("turn")
                ben.send(type="resign", match=match)
                ana.until("match_end")
                ben.until("match_end")
                played.append(match)
        whole = server.api("GET", f"/matches/{played[-2]}")
        found = earlier_of(server.web, whole, None)
        assert [each["match"] for each in found] == [played[3], played[2], played[1]][:OTHERS]
        assert found[0]["moves"][0]["info"]["value"] == 0.5
