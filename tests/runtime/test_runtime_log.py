"""What the log says: strangers neither fill it nor hide what is known of others, and whatever ends a bot has words."""

import asyncio
import signal

from structlog.testing import capture_logs

from palestra_server.runtime import reference


async def test_guests_who_come_and_go_are_counted_and_the_roster_is_seen_among_them(open_home):
    with capture_logs() as lines:
        home = open_home()
        for number in range(1000):
            home.join(f"guest-{number}").leave()
        home.join("ana", guest=False)
    about = [line for line in lines if line["event"].startswith("player ")]
    assert len(about) < 100
    assert about[-1]["player"] == "ana"


async def test_a_reference_bot_that_a_signal_without_a_name_ended_is_started_again(monkeypatch, tmp_path):
    async def ended(*_):
        return -(signal.SIGRTMIN + 6)

    monkeypatch.setattr(reference, "_run", ended)
    with capture_logs() as lines:
        kept = asyncio.create_task(reference.keep_running("random", "ws://host/play", {}, tmp_path / "random.log"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not kept.done()
        kept.cancel()
    said = f"was ended by signal {signal.SIGRTMIN + 6} (Real-time signal 6)"
    assert [(each["event"], each["why"]) for each in lines] == [("reference bot starts again", said)]
