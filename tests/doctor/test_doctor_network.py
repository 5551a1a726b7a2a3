"""The line to a server: what is measured, and what it says about the time for a move."""

import pytest
from tests.support.servers import held_port
from typer.testing import CliRunner

from palestra_client.arena.local_server import open_house
from palestra_client.cli.commands import app
from palestra_client.doctor.network import Line, measure
from palestra_client.page import NoAnswer


def test_what_a_line_leaves_of_the_time_for_a_move():
    assert Line(tuple([1.0] * 40)).stop_at_s(2000) == 1.95
    # 200 ms there and back are 100 more than the grace pays for.
    assert Line(tuple([200.0] * 40)).stop_at_s(2000) == 1.85
    # One that varies is trusted less.
    assert Line(tuple([100.0 + number for number in range(40)])).stop_at_s(2000) == 1.85
    assert Line((5000.0,)).stop_at_s(2000) == 0


def test_jitter_is_how_far_nine_of_ten_lie_apart():
    line = Line(tuple(float(number) for number in range(100)))
    assert (line.median_ms, line.worst_ms, line.jitter_ms) == (50, 99, 90)


async def test_a_line_is_measured_with_real_pings():
    async with open_house() as house:
        line = await measure(house.url, pings=5, pause_s=0)
    assert len(line.round_trips_ms) == 5
    assert 0 < line.round_trips_ms[0] <= line.worst_ms
    with pytest.raises(NoAnswer, match="nothing listens there"):
        await measure(f"ws://127.0.0.1:{held_port()}/play")


def test_a_server_that_is_not_there_is_a_sentence():
    ran = CliRunner().invoke(app, ["doctor", "--server", "ws://127.0.0.1:1"])
    assert ran.exit_code == 1
    assert "nothing listens there" in ran.output
