"""Strangers can neither fill the log nor hide what is known of others."""

from structlog.testing import capture_logs


async def test_guests_who_come_and_go_are_counted_and_the_roster_is_seen_among_them(open_home):
    with capture_logs() as lines:
        home = open_home()
        for number in range(1000):
            home.join(f"guest-{number}").leave()
        home.join("ana", guest=False)
    about = [line for line in lines if line["event"].startswith("player ")]
    assert len(about) < 100
    assert about[-1]["player"] == "ana"
