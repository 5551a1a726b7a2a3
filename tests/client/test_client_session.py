"""The session without I/O: frames and answers in, effects out."""

from __future__ import annotations

import pytest

from palestra_client.closing import after_close
from palestra_client.effects import (
    Ask,
    Finish,
    Later,
    Prepare,
    Reconnect,
    Send,
    SetDeadline,
    Show,
    Stop,
    Withdraw,
)
from palestra_client.notices import (
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
    VersionsDiffer,
    Warned,
)
from palestra_client.session import VERSION, Session, Settings
from palestra_games import get_game
from palestra_games.shipped_openings import shipped_openings
from palestra_protocol.codecs import MSGPACK
from palestra_protocol.messages import Action, Challenge, Hello, Info, Ready, Resign


def new_session(**more):
    return Session(Settings(("ws://test:1/play",), "secret", **more))


def sent(effects):
    return [MSGPACK.decode_client(c.frame) for c in effects if isinstance(c, Send)]


def of(kind, effects):
    return [c for c in effects if isinstance(c, kind)]


def notices(kind, effects):
    return [c.notice for c in effects if isinstance(c, Show) and isinstance(c.notice, kind)]


@pytest.fixture
def playing(server_says):
    """A session in match M1, whose bot is ready and was asked for its first move at 100 s."""
    session = new_session()
    session.opened()
    session.received(server_says.welcome(), 0.0)
    session.received(server_says.match_start(), 1.0)
    session.bot_ready("M1", 0.0)
    (ask,) = of(Ask, session.received(server_says.turn(), 100.0))
    return session, ask


def test_a_server_on_several_machines_is_tried_at_the_next_when_one_is_gone(server_says):
    session = Session(Settings(("ws://one:1/play", "ws://two:1/play"), "secret"))
    session.unreached()
    assert session.url == "ws://two:1/play"
    session.opened()
    session.received(server_says.welcome(nodes=["ws://two:1", "ws://three:1", "no address"]), 0.0)
    session.closed(1006)
    assert session.url == "ws://two:1/play"  # the network, perhaps: where it was, first
    session.unreached()
    assert session.url == "ws://three:1/play"
    session.opened()
    session.received(server_says.error(code="elsewhere", message="...", fatal=True, address="ws://four:1"), 0.0)
    assert session.closed(1013) == Reconnect("the server is full or not ready yet", absent=True, sent=True)  # at once
    assert session.url == "ws://four:1/play"
    session.opened()
    session.received(server_says.welcome(), 0.0)
    session.closed(1001)
    assert session.url != "ws://four:1/play"


def test_choose_does_not_run_before_the_bot_is_ready(server_says):
    session = new_session()
    session.opened()
    session.received(server_says.welcome(), 0.0)
    session.received(server_says.match_start(), 1.0)
    (ask,) = of(Ask, session.received(server_says.turn(), 1.0))
    (end,) = notices(MatchEnds, session.received(server_says.match_end(reason="timeout"), 3.5))
    assert (end.choose_s, end.choosing, end.preparing_s) == (None, False, 2.5)
    assert session.bot_ready("M1", 5.0) == []
    (late,) = notices(LateAnswer, session.chose("M1", ask.number, 0, None, 5.5))
    assert late.took_s == 0.5


def test_a_turn_in_a_match_that_seemed_over_is_answered(server_says):
    session = new_session()
    session.opened()
    session.received(server_says.welcome(), 0.0)
    session.received(server_says.match_start("M1"), 1.0)
    session.received(server_says.welcome(matches=()), 2.0)
    (ask,) = of(Ask, session.received(server_says.turn("M1"), 3.0))
    session.received(server_says.match_start("M2"), 4.0)
    assert sent(session.chose("M1", ask.number, 0, None, 5.0)), "M2 did not let M1 go"


def test_says_hello_first_and_resumes_afterwards(server_says):
    session = new_session(name=None)
    (hello,) = sent(session.opened())
    assert isinstance(hello, Hello)
    assert (hello.token, hello.resume) == ("secret", None)
    assert hello.client.startswith("palestra-client/")
    assert not session.was_welcome
    (connected,) = notices(Connected, session.received(server_says.welcome("S7"), 0.0))
    assert (connected.player, connected.resumed) == ("ana", False)
    assert session.is_welcome
    assert isinstance(session.closed(1006), Reconnect)
    (hello,) = sent(session.opened())
    assert hello.resume == "S7"
    assert not session.is_welcome
    (connected,) = notices(Connected, session.received(server_says.welcome("S8"), 0.0))
    assert connected.resumed
    (hello,) = sent(session.opened())
    assert hello.resume == "S8"


def test_challenges_once(server_says):
    session = new_session(challenge=Challenge(game="mancala", opponent="bob", seat=1))
    session.opened()
    (challenge,) = sent(session.received(server_says.welcome(), 0.0))
    assert (challenge.game, challenge.opponent, challenge.seat, challenge.rated) == ("mancala", "bob", 1, False)
    session.received(server_says.match_start("M1", game="mancala", seat=0), 1.0)
    session.bot_ready("M1", 1.0)
    session.received(server_says.match_end("M1"), 2.0)
    session.closed(1001)
    session.opened()
    assert sent(session.received(server_says.welcome(), 0.0)) == []


@pytest.fixture
def series(server_says):
    """A session that has challenged bob to two games of connect4."""
    session = new_session(challenge=Challenge(game="connect4", opponent="bob", wait=True), games=2)
    session.opened()
    effects = session.received(server_says.welcome(), 0.0)
    (challenge,) = sent(effects)
    assert (challenge.seat, challenge.wait) == (0, True)
    assert [notice.games for notice in notices(Challenged, effects)] == [2]
    return session


def test_a_series_plays_its_games_with_the_seats_in_turn_and_stops(series, server_says):
    series.received(server_says.match_start("M1"), 1.0)
    series.bot_ready("M1", 1.0)
    (challenge,) = sent(series.received(server_says.match_end("M1", returns=(1.0, -1.0)), 2.0))
    assert challenge.seat == 1
    # Somebody else's match in between, and one of a tournament: neither is of the series.
    for match, more in (("M2", {"players": ["ana", "eva"]}), ("M3", {"tournament": "t"})):
        series.received(server_says.match_start(match, **more), 3.0)
        assert sent(series.received(server_says.match_end(match), 3.5)) == []
    series.received(server_says.match_start("M4", seat=1, players=["bob", "ana"]), 4.0)
    series.bot_ready("M4", 4.0)
    effects = series.received(server_says.match_end("M4", returns=(0.0, 0.0)), 5.0)
    (summary,) = notices(SeriesEnds, effects)
    assert [(result.won, result.drawn) for result in summary.results] == [(True, False), (False, True)]
    assert [stop.failed for stop in of(Stop, effects)] == [False]


def test_a_match_in_which_nobody_was_ready_is_not_of_the_series(series, server_says):
    for match in "M1", "M2":
        series.received(server_says.match_start(match), 1.0)
        effects = series.received(server_says.match_end(match, returns=(0.0, 0.0), reason="not_ready", ply=0), 2.0)
        assert [notice.again for notice in notices(NotCounted, effects)] == [True]
        assert [challenge.seat for challenge in sent(effects)] == [0], "the same seat as before"
        assert of(Stop, effects) == []
    for match, names in (("M3", ["ana", "bob"]), ("M4", ["bob", "ana"])):
        series.received(server_says.match_start(match, players=names, seat=names.index("ana")), 3.0)
        series.bot_ready(match, 3.0)
        effects = series.received(server_says.match_end(match, ply=7), 4.0)
    (summary,) = notices(SeriesEnds, effects)
    assert [result.counts for result in summary.results] == [False, False, True, True]
    assert [stop.failed for stop in of(Stop, effects)] == [False]


def test_a_series_in_which_nothing_counts_is_given_up(series, server_says):
    for number in range(3):
        series.received(server_says.match_start(f"M{number}"), 1.0)
        effects = series.received(server_says.match_end(f"M{number}", returns=(0.0, 0.0), reason="void", ply=0), 2.0)
    assert [notice.again for notice in notices(NotCounted, effects)] == [False]
    assert len(notices(SeriesEnds, effects)[0].results) == 3
    assert [(stop.failed, stop.sentence[:23]) for stop in of(Stop, effects)] == [(True, "3 matches in a row did ")]
    assert sent(effects) == []


def test_a_result_that_an_earlier_run_had_is_not_of_the_series(series, server_says):
    # Told again, since the server could not know whether the run before this one heard it.
    series.received(server_says.match_start("M0"), 1.0)
    assert of(Stop, series.received(server_says.match_end("M0", ply=7), 1.0)) == []
    for match, names in (("M1", ["ana", "bob"]), ("M2", ["bob", "ana"])):
        series.received(server_says.match_start(match, players=names, seat=names.index("ana")), 2.0)
        series.bot_ready(match, 2.0)
        effects = series.received(server_says.match_end(match, ply=7), 3.0)
    (summary,) = notices(SeriesEnds, effects)
    assert [result.match.id for result in summary.results] == ["M1", "M2"]


def test_a_match_that_an_earlier_run_began_is_played_but_not_of_the_series(server_says):
    session = new_session(challenge=Challenge(game="connect4", opponent="bob", wait=True), games=1)
    session.opened()
    assert len(sent(session.received(server_says.welcome(matches=["M0"]), 0.0))) == 1
    for match in ("M0", "M1"):
        session.received(server_says.match_start(match), 1.0)
        assert sent(session.bot_ready(match, 1.0)) == [Ready(match=match)]
        effects = session.received(server_says.match_end(match, ply=7), 2.0)
        assert len(of(Stop, effects)) == (match == "M1")


def test_a_match_that_ended_before_anybody_was_ready_is_of_the_series(series, server_says):
    series.received(server_says.match_start("M1"), 1.0)
    (challenge,) = sent(series.received(server_says.match_end("M1", reason="not_ready", ply=0), 31.0))
    assert challenge.seat == 1


def test_a_challenge_that_is_refused_for_now_is_made_again(series, server_says):
    effects = series.received(server_says.error("player_busy", "bob plays."), 1.0)
    assert len(of(Later, effects)) == 1
    assert [notice.why for notice in notices(SeriesWaits, effects)] == ["bob plays."]
    assert len(sent(series.woken())) == 1
    effects = series.received(server_says.error("player_busy", "bob plays."), 3.0)
    assert len(of(Later, effects)) == 1
    assert notices(SeriesWaits, effects) == [], "once is enough"
    assert series.received(server_says.error("stale_ply"), 3.0), "an error about something else is shown"
    series.received(server_says.match_start("M1"), 4.0)
    assert series.woken() == [], "the match is on"


def test_a_challenge_that_is_refused_for_good_ends_a_series(series, server_says):
    (stop,) = series.received(server_says.error("challenges_off", "bob takes no challenges."), 1.0)
    assert stop == Stop("bob takes no challenges.", failed=True)


def test_a_name_that_nobody_has_ends_a_series(series, server_says):
    (stop,) = series.received(server_says.error("unknown_player", "Nobody called bob is here."), 1.0)
    assert stop.failed
    assert stop.sentence.startswith("Nobody called bob is here. `palestra players` lists who is here.")


def test_a_name_that_nobody_has_is_not_asked_for_again_by_a_bot_that_stays(server_says):
    session = new_session(challenge=Challenge(game="connect4", opponent="bob", wait=True))
    session.opened()
    session.received(server_says.welcome(), 0.0)
    effects = session.received(server_says.error("unknown_player", "Nobody called bob is here."), 1.0)
    assert of(Later, effects) == of(Stop, effects) == []
    (told,) = notices(Warned, effects)
    assert "`palestra players`" in told.sentence
    assert "this bot stays" in told.sentence


@pytest.mark.parametrize("before", ["busy", "played"])
def test_a_guest_who_was_there_and_left_is_waited_for(series, server_says, before):
    if before == "busy":
        series.received(server_says.error("player_busy", "bob plays."), 1.0)
    else:
        series.received(server_says.match_start("M1"), 1.0)
        series.received(server_says.match_end("M1", reason="disconnect"), 2.0)
    series.woken()
    effects = series.received(server_says.error("unknown_player", "Nobody called bob is here."), 3.0)
    assert of(Stop, effects) == []
    assert notices(SeriesWaits, effects)


def test_a_series_goes_on_when_a_match_ended_while_it_was_away(series, server_says):
    series.received(server_says.match_start("M1"), 1.0)
    series.closed(1006)
    series.opened()
    effects = series.received(server_says.welcome(), 2.0)
    assert sent(effects) == []
    assert len(of(Later, effects)) == 1
    assert len(sent(series.woken())) == 1


def test_the_last_board_and_the_receipt_come_with_the_result(playing, server_says):
    session, _ = playing
    session.received(server_says.played(actions=(3,)), 101.0)
    (end,) = notices(MatchEnds, session.received(server_says.match_end(receipt="ab" * 32), 102.0))
    assert end.receipt == "ab" * 32
    assert end.board == str(get_game("connect4").initial_state().apply(3))


def test_news_are_shown_as_what_they_are(server_says):
    session = new_session()
    (shown,) = session.received(server_says.frame(type="notice", code="queued", message="You are next."), 0.0)
    assert shown == Show(Noticed("queued", "You are next."))


@pytest.mark.parametrize(("server", "told"), [(f"palestra/{VERSION}", 0), ("palestra/99.0", 1), ("other/3", 0)])
def test_another_version_of_the_server_is_told(server_says, server, told):
    session = new_session()
    session.opened()
    assert len(notices(VersionsDiffer, session.received(server_says.welcome(server=server), 0.0))) == told


def test_a_time_of_ones_own_counts(server_says):
    session = new_session()
    (prepare,) = of(Prepare, session.received(server_says.match_start(seat=1, seat_ms=[500, 4000], rated=True), 0.0))
    assert (prepare.match.move_s, prepare.match.rated) == (4.0, True)


def test_prepares_a_bot_and_says_ready_when_it_is(server_says):
    session = new_session()
    effects = session.received(server_says.match_start(seat=1, opening=[3, 3], tournament="T"), 0.0)
    (prepare,) = of(Prepare, effects)
    match = prepare.match
    assert (match.id, match.game, match.seat, match.opponent, match.opening) == ("M1", "connect4", 1, "ana", (3, 3))
    assert (match.move_s, match.grace_s, match.ready_s, match.away_s) == (2.0, 0.1, 30.0, 10.0)
    assert match.tournament == "T"
    assert sent(effects) == []
    assert sent(session.bot_ready("M1", 0.0)) == [Ready(match="M1")]


def test_asks_sends_and_shows_each_move_once(playing, server_says):
    session, ask = playing
    assert ask.state == get_game("connect4").initial_state()
    assert (ask.ply, ask.legal, ask.last, ask.deadline) == (0, tuple(range(7)), None, 102.0)
    info = Info(depth=4)
    assert sent(session.chose("M1", ask.number, 3, info, 100.5)) == [Action(match="M1", ply=0, action=3, info=info)]
    (mine,) = notices(Moved, session.received(server_says.played(actions=(3,)), 100.6))
    assert (mine.move.ply, mine.move.seat, mine.move.name, mine.move.charged_s) == (0, 0, "PUT 4", 0.007)
    assert mine.info == info
    effects = session.received(server_says.turn(actions=(3, 2)), 101.0)
    (theirs,) = notices(Moved, effects)
    assert (theirs.move.ply, theirs.move.seat, theirs.info) == (1, 1, None)
    (second,) = of(Ask, effects)
    assert second.number != ask.number
    assert (second.ply, second.last.action) == (2, 2)
    assert effects.index(second) == 0, "the bot must not wait for the terminal"


def test_a_note_goes_with_the_action(playing):
    session, ask = playing
    (action,) = sent(session.chose("M1", ask.number, 3, None, 100.5, "the middle"))
    assert action == Action(match="M1", ply=0, action=3, note="the middle")


def test_what_was_reported_is_shown_also_when_the_own_turn_follows(playing, server_says):
    session, ask = playing
    session.chose("M1", ask.number, 3, Info(depth=4), 100.5)
    # As in mancala after a seed in the own store: the action comes back as the `last` of the next turn.
    (mine,) = notices(Moved, session.received(server_says.turn(actions=(3,)), 101.0))
    assert mine.info == Info(depth=4)


def test_several_matches_do_not_mix(playing, server_says):
    session, ask = playing
    session.received(server_says.match_start("M2", game="mancala", seat=0), 100.1)
    session.bot_ready("M2", 0.0)
    start = get_game("mancala").initial_state()
    wire = {"state": start.to_wire(), "legal": list(start.legal_actions())}
    (other,) = of(Ask, session.received(server_says.turn("M2", **wire), 100.2))
    assert other.state == start
    (action,) = sent(session.chose("M2", other.number, 5, None, 100.3))
    assert (action.match, action.action) == ("M2", 5)
    session.received(server_says.match_end("M2"), 100.4)
    (action,) = sent(session.chose("M1", ask.number, 1, None, 100.5))
    assert (action.match, action.action) == ("M1", 1)


def test_a_late_answer_is_not_sent_and_said(playing, server_says):
    session, ask = playing
    effects = session.received(server_says.match_end(returns=(-1.0, 1.0), reason="timeout"), 102.2)
    (end,) = notices(MatchEnds, effects)
    assert end.choosing
    assert end.choose_s == pytest.approx(2.2)
    assert end.result.lost
    assert of(Withdraw, effects) == [Withdraw("M1", ask.number)]
    assert of(Finish, effects) == [Finish("M1", end.result)]
    effects = session.chose("M1", ask.number, 3, None, 102.4)
    assert sent(effects) == []
    (late,) = notices(LateAnswer, effects)
    assert (late.ply, late.match.id) == (0, "M1")
    assert late.took_s == pytest.approx(2.4)


def test_an_exception_after_the_end_changes_nothing(playing, server_says):
    session, ask = playing
    session.received(server_says.match_end(), 100.2)
    assert session.bot_failed("M1", ask.number) == []


def test_an_answer_never_goes_to_another_ply(playing, server_says):
    session, ask = playing
    effects = session.received(server_says.turn(actions=(0, 0)), 100.2)
    assert of(Withdraw, effects) == [Withdraw("M1", ask.number)]
    assert sent(session.chose("M1", ask.number, 6, None, 100.3)) == []
    (new,) = of(Ask, effects)
    (action,) = sent(session.chose("M1", new.number, 5, None, 100.4))
    assert (action.ply, action.action) == (2, 5)


def test_an_answer_given_twice_is_sent_once(playing, server_says):
    session, ask = playing
    session.chose("M1", ask.number, 3, None, 100.1)
    session.received(server_says.turn(actions=(3, 3)), 100.2)
    assert session.chose("M1", ask.number, 5, None, 100.3) == []


def test_the_same_turn_again_while_the_bot_thinks_only_moves_the_deadline(playing, server_says):
    session, ask = playing
    session.closed(1006)
    session.opened()
    session.received(server_says.welcome(matches=("M1",)), 104.0)
    effects = session.received(server_says.match_start(), 104.1)
    assert of(Prepare, effects) == []
    assert sent(effects) == [Ready(match="M1")]
    assert notices(MatchBegins, effects)[0].resumed
    assert session.received(server_says.turn(remaining_ms=1500.0), 104.2) == [
        SetDeadline("M1", ask.number, pytest.approx(105.7))
    ]
    assert len(sent(session.chose("M1", ask.number, 3, None, 105.0))) == 1


def test_the_same_turn_again_after_the_answer_gets_the_same_answer(playing, server_says):
    session, ask = playing
    (action,) = sent(session.chose("M1", ask.number, 3, None, 101.0))
    session.closed(1006)
    session.opened()
    session.received(server_says.welcome(matches=("M1",)), 102.0)
    session.received(server_says.match_start(), 102.0)
    assert sent(session.received(server_says.turn(remaining_ms=900.0), 102.0)) == [action]


def test_a_server_that_went_back_asks_anew(playing, server_says):
    session, ask = playing
    session.chose("M1", ask.number, 3, None, 101.0)
    session.received(server_says.turn(actions=(3, 2)), 101.1)
    session.closed(1001)
    session.opened()
    session.received(server_says.welcome(matches=("M1",)), 102.0)
    session.received(server_says.match_start(), 102.0)
    # What was played at ply 0 and 1 is lost; somebody else's replay of it leads to another board.
    effects = session.received(server_says.turn(actions=(4, 2)), 103.0)
    (again,) = of(Ask, effects)
    assert (again.ply, again.last.action) == (2, 2)
    effects = session.received(server_says.turn(actions=()), 104.0)
    (again,) = of(Ask, effects)
    assert again.ply == 0
    assert notices(Moved, session.received(server_says.played(actions=(4,)), 104.1)) != []


def test_a_match_that_ended_while_away_is_told_and_let_go(playing, server_says):
    session, ask = playing
    session.closed(1006)
    session.opened()
    effects = session.received(server_says.welcome(matches=()), 120.0)
    assert notices(MatchGone, effects)[0].match.id == "M1"
    assert of(Withdraw, effects) == [Withdraw("M1", ask.number)]
    effects = session.received(server_says.match_start("M2"), 130.0)
    assert of(Finish, effects) == [Finish("M1", None)]


def test_a_match_that_ended_while_away_may_still_bring_its_result(playing, server_says):
    session, _ = playing
    session.closed(1006)
    session.opened()
    session.received(server_says.welcome(matches=()), 120.0)
    assert session.received(server_says.match_start(), 120.0) == []
    effects = session.received(server_says.match_end(reason="disconnect", returns=(-1.0, 1.0)), 120.0)
    (finish,) = of(Finish, effects)
    assert (finish.result.reason, finish.result.lost) == ("disconnect", True)


def test_a_result_that_the_server_tells_again_is_passed_over(playing, server_says):
    session, _ = playing
    session.received(server_says.match_end(), 101.0)
    session.closed(1006)
    session.opened()
    session.received(server_says.welcome(matches=()), 102.0)
    assert session.received(server_says.match_start(), 102.0) == []
    assert session.received(server_says.match_end(), 102.0) == []


def test_a_bot_that_fails_resigns_until_the_server_knows(playing, server_says):
    session, ask = playing
    assert sent(session.bot_failed("M1", ask.number)) == [Resign(match="M1", crashed=True)]
    assert session.received(server_says.turn(), 101.0) == []
    session.closed(1006)
    session.opened()
    session.received(server_says.welcome(matches=("M1",)), 102.0)
    assert sent(session.received(server_says.match_start(), 102.0)) == [Resign(match="M1", crashed=True)]
    (finish,) = of(Finish, session.received(server_says.match_end(reason="resign", returns=(-1.0, 1.0)), 102.1))
    assert finish.result.lost
    assert sent(session.received(server_says.match_start("M2"), 103.0)) == []
    assert sent(session.bot_ready("M2", 0.0)) == [Ready(match="M2")], "it plays on in its next match"


def test_a_bot_that_fails_before_ready_resigns(server_says):
    session = new_session()
    session.received(server_says.match_start(), 0.0)
    assert sent(session.bot_failed("M1", None)) == [Resign(match="M1", crashed=True)]


def test_an_illegal_choice_is_sent_and_shown_with_the_board(playing):
    session, ask = playing
    effects = session.chose("M1", ask.number, 9, None, 100.1)
    assert isinstance(effects[0], Send)
    (notice,) = notices(IllegalChoice, effects)
    assert (notice.action, notice.name) == (9, "no action of this game")
    assert notice.legal[3] == (3, "PUT 4")
    assert notice.board == str(get_game("connect4").initial_state())


def test_not_ready_says_how_long_it_took(server_says):
    session = new_session()
    session.received(server_says.match_start(), 10.0)
    (end,) = notices(MatchEnds, session.received(server_says.match_end(reason="not_ready"), 40.5))
    assert end.preparing_s == pytest.approx(30.5)
    assert session.bot_ready("M1", 0.0) == []


def test_a_game_that_is_not_installed_is_given_up_in_words(server_says):
    session = new_session()
    effects = session.received(server_says.match_start(game="hex"), 0.0)
    assert of(Prepare, effects) == []
    assert sent(effects) == [Resign(match="M1")]
    (warned,) = notices(Warned, effects)
    assert "'hex'" in warned.sentence
    assert session.received(server_says.turn(), 0.0) == []


def test_a_board_that_cannot_be_read_is_given_up_in_words(server_says):
    session = new_session()
    session.received(server_says.match_start(), 0.0)
    effects = session.received(server_says.turn(state={"rows": 6}), 0.0)
    assert of(Ask, effects) == []
    assert sent(effects) == [Resign(match="M1")]
    assert "can't be read" in notices(Warned, effects)[0].sentence


def test_rules_that_differ_are_said_once(server_says):
    session = new_session()
    session.received(server_says.match_start(), 0.0)
    effects = session.received(server_says.turn(legal=[1, 2]), 0.0)
    assert of(Ask, effects)[0].legal == (1, 2), "the server's list counts"
    assert len(notices(Warned, effects)) == 1
    assert notices(Warned, session.received(server_says.turn(actions=(1, 1), legal=[1, 2]), 0.0)) == []


def test_what_a_newer_server_says_is_skipped(server_says):
    session = new_session()
    assert session.received(server_says.frame(type="chat", text="hi"), 0.0) == []
    (connected,) = notices(Connected, session.received(server_says.welcome(mood="sunny"), 0.0))
    assert connected.player == "ana"
    assert session.received(server_says.frame(type="event", topic="lobby", seq=1, event={"type": "x"}), 0.0) == []


def test_what_cannot_be_read_is_said_once():
    session = new_session()
    assert len(notices(Warned, session.received(b"\xc1", 0.0))) == 1
    assert session.received(b"\xc1", 0.0) == []


def test_errors_are_shown_unless_they_only_crossed_the_end(playing, server_says):
    session, _ = playing
    (shown,) = notices(ServerError, session.received(server_says.error("player_busy", "bob plays."), 0.0))
    assert (shown.code, shown.message) == ("player_busy", "bob plays.")
    assert len(session.received(server_says.error("stale_ply", match="M1"), 0.0)) == 1
    assert session.received(server_says.error("unknown_match", match="M0"), 0.0) == []


def test_the_last_fatal_word_of_the_server_is_the_reason(server_says):
    session = new_session()
    session.opened()
    assert session.received(server_says.error("bad_token", "This token is unknown.", fatal=True), 0.0) == []
    assert session.closed(4004) == Stop("This token is unknown.", failed=True)
    session.opened()
    stop = session.closed(4004)
    assert isinstance(stop, Stop)
    assert "token" in stop.sentence


@pytest.mark.parametrize("code", [1001, 1005, 1006, 1011, 1012, 1013, 4321])
def test_these_close_codes_mean_again(code):
    assert isinstance(after_close(code, None), Reconnect)


@pytest.mark.parametrize("code", [1008, 1009, 4003, 4004, 4009])
def test_these_close_codes_mean_stop_and_say_what_to_do(code):
    stop = after_close(code, None)
    assert isinstance(stop, Stop)
    assert stop.failed
    assert stop.sentence.endswith(".")


def test_a_normal_close_is_an_orderly_end():
    stop = after_close(1000, None)
    assert isinstance(stop, Stop)
    assert not stop.failed


@pytest.mark.parametrize(("seat", "fresh"), [(None, 2), (0, 1)])
def test_a_series_begins_its_later_games_with_balanced_openings_each_in_both_seats(server_says, seat, fresh):
    session = new_session(challenge=Challenge(game="connect4", opponent="bob", seat=seat, wait=True), games=5)
    session.opened()
    asked = sent(session.received(server_says.welcome(), 0.0))
    for game in range(5):
        mine = asked[-1].seat
        names = ["ana", "bob"] if mine == 0 else ["bob", "ana"]
        session.received(server_says.match_start(f"M{game}", players=names, seat=mine), 1.0)
        session.bot_ready(f"M{game}", 1.0)
        asked += sent(session.received(server_says.match_end(f"M{game}"), 2.0))
    openings = [challenge.opening for challenge in asked if isinstance(challenge, Challenge)]
    shipped = shipped_openings("connect4")
    assert openings == ([None] * fresh + [each for each in shipped[:4] for _ in range(fresh)])[:5]
