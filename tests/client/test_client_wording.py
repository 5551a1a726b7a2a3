"""What a person reads."""

from __future__ import annotations

import io
import sys
import threading
from dataclasses import replace

import pytest
from rich.console import Console as Terminal

from palestra_client import LastMove, Match, Result, console
from palestra_client.notices import (
    BotCrashed,
    Challenged,
    Connected,
    IllegalChoice,
    LateAnswer,
    MatchBegins,
    MatchEnds,
    MatchGone,
    Moved,
    NotCounted,
    Noticed,
    SeriesEnds,
    SeriesWaits,
    ServerError,
    StillRunning,
    Unreachable,
    VersionsDiffer,
    Warned,
)
from palestra_client.wording import Wording
from palestra_protocol.english import sentence
from palestra_protocol.messages import Info

MATCH = Match("M1", "connect4", 0, ("ana", "bob"), 2.0, 0.1, 30.0, 10.0)


def read(notice, wording=None):
    return "\n".join(line.plain for line in (wording or Wording()).lines(notice))


def ends(returns, reason, detail="Because.", **more):
    fields = {"board": None, "receipt": None, "choose_s": None, "choosing": False, "preparing_s": None, **more}
    return MatchEnds(Result(MATCH, returns, reason, detail, 9), **fields)


@pytest.mark.parametrize(
    ("notice", "text"),
    [
        (
            Connected("ana", "palestra/1", "ws://x:1/play", False),
            "Connected to ws://x:1/play (palestra/1) as ana. Waiting for a match; Ctrl-C leaves.",
        ),
        (
            Connected("ana", "palestra/1", "ws://x:1/play", False, "http://x:8000"),
            "Connected to ws://x:1/play (palestra/1) as ana. Waiting for a match; Ctrl-C leaves.\n"
            "To watch: http://x:8000",
        ),
        (Connected("ana", "s", "u", True, "http://x:8000"), "Connected again as ana."),
        (
            Unreachable("ws://x:1/play", "the connection broke", 0.24, 1),
            "ws://x:1/play: the connection broke. Trying again in 0.2 s (attempt 1) and so on; Ctrl-C stops.",
        ),
        (Challenged("bob", "mancala", 1), "Challenged bob to mancala."),
        (Challenged("bob", "mancala", 20), "Challenged bob to mancala, 20 games."),
        (SeriesWaits("bob plays."), "bob plays. Asking again until it works; Ctrl-C stops."),
        (Noticed("queued", "You are next."), "You are next."),
        (
            VersionsDiffer("9.1", "0.1.0", "http://box:8001"),
            "The server runs version 9.1, and this is palestra-client 0.1.0. If something goes wrong, "
            "install the matching version: pip install --upgrade palestra-client "
            "--extra-index-url http://box:8001/simple/ --trusted-host box",
        ),
        (MatchBegins(MATCH, False), "connect4 against bob (match M1): you move first, 2 s a move."),
        (MatchBegins(MATCH, True), "connect4 against bob (match M1) goes on."),
        (Moved(MATCH, LastMove(4, 1, 2, "PUT 3", 1.25), None), "    4  bob           PUT 3     1.250 s"),
        (
            Moved(MATCH, LastMove(5, 0, 2, "PUT 3", 0.01), Info(depth=8, value=0.5, nodes=12345, text="hm")),
            "    5  you           PUT 3     0.010 s   depth 8, value 0.5, 12,345 nodes, hm",
        ),
        (
            ends((1.0, -1.0), "rules", board="| o |", receipt="0123456789abcdef0000"),
            "| o |\nconnect4 against bob (match M1): you won (by the rules). Because.\n"
            "Receipt 0123456789abcdef... (kept in palestra-receipts.jsonl)",
        ),
        (ends((1.0, -1.0), "rules"), "connect4 against bob (match M1): you won (by the rules). Because."),
        (ends((-1.0, 1.0), "illegal"), "connect4 against bob (match M1): you lost (an illegal action). Because."),
        (ends((0.0, 0.0), "ply_limit"), "connect4 against bob (match M1): a draw (too many moves). Because."),
        (ends((0.0, 0.0), "void"), "connect4 against bob (match M1): no result (does not count). Because."),
        (MatchGone(MATCH), "connect4 against bob (match M1): ended while this client was away."),
        (
            LateAnswer(MATCH, 4, 2.4),
            "Your choose took 2.4 s; the limit was 2 s. Its answer to move 4 was not sent (match M1).",
        ),
        (
            LateAnswer(MATCH, 4, 0.4),
            "The match was over before your choose answered move 4 (match M1); nothing was sent.",
        ),
        (ServerError("player_busy", "bob plays.", None), "The server says: bob plays. [player_busy]"),
        (ServerError("stale_ply", "Old.", "M1"), "The server says (match M1): Old. [stale_ply]"),
        (Warned("Hm."), "Hm."),
        (
            StillRunning(MATCH, '  File "a.py", line 1'),
            'Where choose was when its time in match M1 ran out:\n  File "a.py", line 1',
        ),
        (
            IllegalChoice(MATCH, 3, 9, "", "board", ((0, "PUT 1"), (2, "PUT 3"))),
            "Your choose returned 9 at move 3 of match M1: that is not legal.\nboard\n"
            "Legal actions: 0 (PUT 1), 2 (PUT 3).",
        ),
        (
            BotCrashed(
                MATCH,
                "choose",
                3,
                "board",
                "KeyError: 1",
                "c/x.json",
                "palestra replay-crash c/x.json b.py",
                None,
                None,
            ),
            "Your bot raised an exception in choose, at move 3 (match M1):\nKeyError: 1\nThe position:\nboard\n"
            "This match is given up; the bot plays on in its next match.\n"
            "Saved in c/x.json. Play it again with:\n  palestra replay-crash c/x.json b.py",
        ),
        (
            BotCrashed(MATCH, "on_end", None, None, "KeyError: 1", None, None, None, None),
            "Your bot raised an exception in on_end (match M1):\nKeyError: 1",
        ),
        (
            BotCrashed(MATCH, "choose", 3, None, "KeyError: 1", "c/x.json", None, None, "PUT 4"),
            "Your bot raised an exception in choose, at move 3 (match M1):\nKeyError: 1\n"
            "PUT 4 was played instead; the match goes on.\nSaved in c/x.json.",
        ),
    ],
)
def test_every_notice_in_words(notice, text):
    assert read(notice) == text


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"choose_s": 2.1, "choosing": True}, "Your choose was still running after 2.1 s; the limit was 2 s."),
        (
            {"choose_s": 1.1, "choosing": True},
            "Your choose was still running after 1.1 s of the 2 s; the rest of it had passed before",
        ),
        ({"choose_s": 2.4}, "Your choose took 2.400 s; the limit was 2 s."),
        ({"choose_s": 1.99}, "leave a larger margin"),
    ],
)
def test_a_loss_on_time_says_how_long_choose_took(more, text):
    assert text in read(ends((-1.0, 1.0), "timeout", **more))
    assert text not in read(ends((1.0, -1.0), "timeout", **more)), "it was the opponent's time"


def test_a_loss_on_time_before_choose_began_is_not_put_down_to_choose():
    text = read(ends((-1.0, 1.0), "timeout", preparing_s=2.1))
    assert "still getting ready after 2.1 s and had not begun to choose" in text
    assert "Your choose" not in text


def test_a_loss_on_time_before_the_bot_came_is_not_put_down_to_its_getting_ready():
    text = read(ends((-1.0, 1.0), "timeout", preparing_s=0.0))
    assert "Your bot connected or was restarted when the 2 s of that move had passed" in text
    assert "still getting ready" not in text


def test_not_ready_says_what_counts():
    text = read(ends((-1.0, 1.0), "not_ready", preparing_s=30.2))
    assert "still getting ready after 30.2 s; __init__, warm_up and on_start together may take 30 s." in text


def test_a_match_that_was_lost_before_the_bot_came_is_not_put_down_to_its_getting_ready():
    text = read(ends((-1.0, 1.0), "not_ready", preparing_s=0.1))
    assert "Your bot connected or was restarted when the 30 s to get ready had already begun." in text
    assert "still getting ready" not in text


def test_a_series_is_summed_up_by_seat_with_what_was_thrown_away():
    def result(returns, reason="rules", seat=0):
        return Result(MATCH._replace(seat=seat), returns, reason, "", 9)

    results = (
        result((1.0, -1.0)),
        result((1.0, -1.0), "timeout", seat=1),
        result((0.0, 0.0)),
        result((0.0, 0.0), "void"),
        result((0.0, 0.0), "not_ready"),
        None,
    )
    assert read(SeriesEnds("bob", "connect4", results)).splitlines() == [
        "4 games of connect4 against bob: 1 won, 1 drawn, 1 lost.",
        "  moving first: 1 won, 1 drawn, 0 lost",
        "  moving second: 0 won, 0 drawn, 1 lost",
        "  avoidable losses: 1 out of time",
        "  1 of them ended while this client was away",
        "  2 more did not count: void, or nobody was ready",
    ]
    assert "connect4 against bob (match M1) does not count; another is asked for." in read(NotCounted(MATCH, True))


def test_the_same_exception_in_every_turn_of_a_match_takes_a_line():
    wording = Wording()
    crash = BotCrashed(MATCH, "choose", 3, "board", "KeyError: 1", "c/x.json", None, None, "PUT 4")
    assert "The position:" in read(crash, wording)
    again = replace(crash, ply=5, file="c/y.json")
    assert read(again, wording) == "The same at move 5: PUT 4 was played instead. Saved in c/y.json."
    assert "The position:" in read(replace(again, instead=None), wording), "this one ends the match"


CRASH = BotCrashed(MATCH, "choose", 3, "| o |", "KeyError: 1", None, None, None, None)


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (False, "you lost: your bot raised an exception in choose, and gave the match up."),
        (True, "you lost: your program failed, and gave the match up."),
    ],
)
def test_a_match_lost_by_an_exception_says_so_and_the_board_is_shown_once(program, says):
    wording = Wording(program=program)
    told = read(CRASH, wording) + read(ends((-1.0, 1.0), "resign", board="| o |"), wording)
    assert told.count("| o |") == 1
    assert told.endswith(f"connect4 against bob (match M1): {says}")
    assert "(given up)" in read(ends((-1.0, 1.0), "resign"), wording), "the next match is another one"


def test_the_opponents_fault_is_not_put_down_to_an_exception():
    wording = Wording()
    read(CRASH, wording)
    assert "you won (given up). Because." in read(ends((1.0, -1.0), "resign", board="later"), wording)


@pytest.mark.parametrize(
    ("program", "action", "wrote", "what"),
    [
        (False, 9, None, "choose returned 9"),
        (True, 9, None, "program answered 9"),
        (True, 255, "answered 'left'", "program answered 'left'"),
    ],
)
def test_a_match_lost_by_an_illegal_answer_says_what_it_was(program, action, wrote, what):
    wording = Wording(program=program)
    choice = IllegalChoice(MATCH, 3, action, "", "| o |", ((0, "PUT 1"),), wrote)
    told = read(choice, wording)
    told += read(ServerError("illegal_action", "Action 255 is not legal.", "M1"), wording)
    told += read(ends((-1.0, 1.0), "illegal", board="| o |"), wording)
    assert told.count("| o |") == 1
    assert "255" not in told
    assert told.startswith(f"Your {what} at move 3 of match M1: that is not legal.")
    assert told.endswith(f"you lost: your {what} at move 3, which is not legal.")


def test_a_server_that_stays_away_does_not_fill_the_terminal():
    wording = Wording()
    told = [n for n in range(1, 100) if wording.lines(Unreachable("u", "why", 1.0, n))]
    assert told == [1, 2, 4, 8, 16, 32, 64]


def test_a_loss_says_where_to_see_it_again():
    wording = Wording()
    assert "replay" not in read(ends((-1.0, 1.0), "rules"), wording), "the page is not known"
    wording.lines(Connected("ana", "palestra/1", "ws://x:1/play", False, "http://x:8000"))
    again = "To see it again: http://x:8000/match/M1, or palestra replay M1"
    once = "Your losses as tests of your bot: palestra drill"
    told = read(ends((-1.0, 1.0), "rules"), wording)
    assert told.endswith(
        f"{again} --server ws://x:1\nWhy it was lost: palestra why M1 --server ws://x:1\n"
        f"{once} --server ws://x:1 --player ana"
    )
    kept = read(ends((-1.0, 1.0), "rules", receipt="ab" * 32), wording)
    assert kept.endswith(f"{again}\nWhy it was lost: palestra why M1"), (
        "the receipt knows the server; said once is enough"
    )
    assert "replay" not in read(ends((1.0, -1.0), "rules"), wording)


def test_in_a_notebook_commands_begin_with_an_exclamation_mark():
    wording = Wording(notebook=True)
    told = read(Connected("ana", "palestra/1", "ws://x:1/play", False, "http://x:8000"), wording)
    assert "interrupting the cell leaves" in told
    told = read(ends((-1.0, 1.0), "rules", receipt="ab" * 32), wording)
    assert told.endswith("Why it was lost: !palestra why M1\nYour losses as tests of your bot: !palestra drill")


def test_matches_are_named_where_there_are_several():
    wording = Wording()
    moved = Moved(MATCH, LastMove(5, 0, 2, "PUT 3", 0.01), None)
    read(MatchBegins(MATCH, False), wording)
    assert "M1" not in read(moved, wording)
    read(MatchBegins(Match("M2", "mancala", 1, ("eva", "ana"), 2.0, 0.1, 30.0, 10.0), False), wording)
    assert "M1" in read(moved, wording)


def test_one_move_is_no_moves():
    for ply, said in {1: "after 1 move.", 11: "after 11 moves."}.items():
        assert sentence("why", {"code": "won", "winner": "ana", "ply": ply}).endswith(said)
    assert sentence("why", {"code": "drawn", "ply": 1}, "es").endswith("tras 1 jugada.")


def test_names_cannot_write_commands_to_the_terminal():
    text = read(ServerError("x", "\x1b[2J\x07[red]hello[/red]", None))
    assert text == "The server says: ?[2J?[red]hello[/red] [x]"
    assert read(Warned("a\x9b2Jb\u202ec\u2066d")) == "a?2Jb?c?d", "C1 and what turns the direction"
    screen = io.StringIO()
    Terminal(file=screen, force_terminal=True).print(Wording().lines(Warned("[bold]a[/bold]"))[0])
    assert "[bold]a[/bold]" in screen.getvalue()


def test_a_terminal_that_stands_still_holds_nobody_up(monkeypatch):
    stuck, release = threading.Event(), threading.Event()
    printed = []

    def slow_print(_terminal, line):
        stuck.set()
        release.wait()
        printed.append(line.plain)

    monkeypatch.setattr(console, "_print", slow_print)
    with console.Console() as screen:
        for number in range(5):
            screen.show(Warned(str(number)))
        assert stuck.wait(60)
        assert printed == []
        release.set()
    assert printed == ["0", "1", "2", "3", "4"]


def test_prints_of_a_bot_come_as_whole_lines_and_in_order_with_the_log(capsys):
    begun, told = threading.Event(), threading.Event()

    def bot():
        print("thin", end="", flush=True)
        begun.set()
        told.wait()
        print("king")
        print("oops", file=sys.stderr)
        print("never ended", end="")

    with console.Console() as screen:
        thread = threading.Thread(target=bot)
        thread.start()
        begun.wait()
        screen.show(Warned("A move."))
        told.set()
        thread.join()
    assert capsys.readouterr() == ("A move.\nthinking\nnever ended\n", "oops\n")


def test_a_bot_that_prints_without_end_waits_for_the_terminal_and_is_let_go(monkeypatch):
    stuck, release = threading.Event(), threading.Event()

    def slow_print(_terminal, _line):
        stuck.set()
        release.wait()

    monkeypatch.setattr(console, "_print", slow_print)
    monkeypatch.setattr(console, "PRINTS_MAX", 3)
    done = threading.Event()

    def bot():
        for number in range(10):
            print(number)
        done.set()

    with console.Console() as screen:
        screen.show(Warned("first"))
        stuck.wait()
        threading.Thread(target=bot, daemon=True).start()
        assert not done.is_set()
        release.set()
        assert done.wait(60)


def test_a_terminal_of_few_letters_is_written_to_all_the_same():
    latin = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    console._print(Terminal(file=latin), Wording().lines(Warned("año"))[0])
    latin.flush()
    assert latin.buffer.getvalue() == b"a?o\n"
