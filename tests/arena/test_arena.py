"""The arena: what is played, what a fault costs, and what is reported."""

import asyncio
import multiprocessing
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from palestra_client import Bot
from palestra_client.arena import in_process, openings, unrefereed
from palestra_client.arena.contenders import Contender, NoContender, contenders
from palestra_client.arena.fixtures import Result, Settings, fixtures
from palestra_client.arena.local_server import Guest, House, Joined
from palestra_client.arena.refereed import Table, save
from palestra_client.arena.report import lines, units
from palestra_client.arena.running import Arena
from palestra_client.arena.statistics import Sprt
from palestra_client.cli.commands import app
from palestra_games import get_game
from palestra_games.mancala import Mancala
from palestra_games.shipped_openings import shipped_openings
from palestra_protocol.messages import Action, Ready
from palestra_referee import MatchConfig, Outcome, replay
from palestra_tournament.verify import verify_export

pytestmark = pytest.mark.process

FIRST = """
from palestra_client import Bot
class First(Bot):
    def choose(self, turn):
        return turn.legal[0]
"""
CRASHES = """
from palestra_client import Bot
class Crashes(Bot):
    def choose(self, turn):
        print("I think of", turn.ply)
        return {}["nothing"]
"""
DIES = """
import os
from palestra_client import Bot
class Dies(Bot):
    def choose(self, turn):
        os._exit(3)
"""


@pytest.fixture
def bots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # where the arena adds this folder, for its processes too
    for name, text in {"first.py": FIRST, "crashes.py": CRASHES, "dies.py": DIES}.items():
        (tmp_path / name).write_text(text)


def played(number, seats, returns, reason="rules"):
    return Result(number, seats, Outcome(returns, reason, "It was so."))


def test_every_pair_plays_each_opening_from_both_seats():
    planned = fixtures(3, 4, [(0,), (1,)])
    assert [fixture.pair for fixture in planned] == [(0, 1), (0, 2), (1, 2)] * 2
    assert [fixture.opening for fixture in planned] == [(0,)] * 3 + [(1,)] * 3
    assert planned[0].seatings == ((0, 1), (1, 0))
    assert [fixture.number for fixture in planned] == [1, 3, 5, 7, 9, 11]
    odd = fixtures(2, 3, [()])
    assert [fixture.seatings for fixture in odd] == [((0, 1), (1, 0)), ((0, 1),)]


def test_drawn_openings_are_the_same_for_a_seed_all_different_and_leave_the_game_open():
    game = get_game("connect4")
    drawn = openings.drawn(game, 100, 4, seed=7)
    assert drawn == openings.drawn(game, 100, 4, seed=7) != openings.drawn(game, 100, 4, seed=8)
    assert len(set(drawn)) == 100
    assert openings.drawn(game, 10, 0, seed=7) == [()] * 10
    for opening in drawn:
        state = game.initial_state()
        for action in opening:
            state = state.apply(action)
        assert all(state.apply(action).returns() is None for action in state.legal_actions())


def test_the_balanced_openings_are_drawn_from_the_seed_and_random_plies_where_there_are_none():
    game, other = get_game("mancala"), Mancala(3, 2)
    listed = shipped_openings("mancala")
    drawn = openings.balanced(game, 10, seed=7)
    assert len(set(drawn)) == 10
    assert set(drawn) < set(listed)
    assert drawn == openings.balanced(game, 10, seed=7) != openings.balanced(game, 10, seed=8)
    assert sorted(openings.balanced(game, 5000, seed=7)) == sorted(listed)
    assert {len(opening) for opening in openings.balanced(other, 5, seed=7)} == {openings.PLIES}


def test_openings_are_read_as_numbers_from_0_or_as_names(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("3 3  # in the middle\n\nPUT 1, put 7\n")
    assert openings.read(file, get_game("connect4")) == [(3, 3), (0, 6)]
    file.write_text("3\n9 9\n")
    with pytest.raises(ValueError, match=r"line 2, ply \d+: Action 9 is not legal"):
        openings.read(file, get_game("connect4"))
    file.write_bytes(b"3 \xff")
    for name, says in {file: "save it as UTF-8 text.$", tmp_path / "none": "can't be read: No such file"}.items():
        with pytest.raises(ValueError, match=says):
            openings.read(name, get_game("connect4"))


@pytest.mark.usefixtures("bots")
def test_what_the_command_line_can_name():
    found = contenders(["first.py", "first.py --depth 4", "level2", f"{sys.executable} bot.py", "first.py"])
    assert [each.name for each in found][:3] == ["first.py", "first.py --depth 4", "level2"]
    assert found[1].words == ("first.py", "--depth", "4")
    assert found[2].words == ("palestra_bots:level2",)
    assert found[3].kind == "lines"
    assert found[4].name == "first.py#2"
    Path("my bots").mkdir()
    Path("my bots/ñ.py").write_text(FIRST)
    named = contenders(["my bots/ñ.py", "my bots/ñ.py:First", "'my bots/ñ.py' --depth 4"])
    assert [each.words for each in named] == [
        ("my bots/ñ.py",),
        ("my bots/ñ.py:First",),
        ("my bots/ñ.py", "--depth", "4"),
    ]
    assert {each.kind for each in named} == {"python"}
    wire = contenders(["node bot.mjs {url} {token}"])[0]
    assert wire.command("ws://here", "key") == ["node", "bot.mjs", "ws://here", "key"]
    for wrong, says in {"firs.py": "Did you mean first.py", "levl2": "Did you mean level2", "'": "not closed"}.items():
        with pytest.raises(NoContender, match=says):
            contenders([wrong])


@pytest.mark.usefixtures("bots")
def test_matches_are_the_referees_and_a_fault_costs_one_match():
    results = []
    settings = Settings("mancala", move_ms=60_000)
    takes_part = contenders(["first.py", "crashes.py", "dies.py"])
    arena = Arena(takes_part, settings, results.append)
    asyncio.run(arena.play(fixtures(3, 1, [(2, 1)])))
    assert len(results) == 3
    for result in results:
        match = replay(result.finished.events)
        assert (match.outcome, match.actions) == (result.outcome, result.finished.match.actions)
        assert match.config.opening == (2, 1)
    reasons = {frozenset(result.seats): result.outcome.reason for result in results}
    assert reasons[frozenset({0, 1})] == "resign"
    assert reasons[frozenset({0, 2})] == "disconnect"
    assert all(result.points(0) == 1 for result in results if 0 in result.seats)
    assert "KeyError: 'nothing'" in arena.outputs[1]
    assert "I think of" in arena.outputs[1]
    said = "\n".join(lines(takes_part, results, None))
    assert "crashes.py lost" in said
    assert "1 first.py" in said
    assert re.search(r"^first.py: \d\.\d+ of 60 s a move, no depth reported \(medians\)\.$", said, re.MULTILINE)
    saved_matches_are_verified_and_replayed(Path("arena.zip"), [result.finished for result in results])


NEVER_READY = """
from palestra_client import Bot
class NeverReady(Bot):
    def on_start(self, match):
        raise RuntimeError("no weights")
    def choose(self, turn):
        return turn.legal[0]
"""


@pytest.mark.usefixtures("bots")
def test_a_bot_that_fails_before_it_is_ready_plays_one_match_and_the_others_go_on(tmp_path):
    (tmp_path / "never.py").write_text(NEVER_READY)
    words = ["arena", "first.py", "never.py", "crashes.py", "--game", "connect4", "--games", "4", "--openings", "0"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "never.py lost the first match before it was ready to play" in done.output
    assert "no weights" in done.output
    assert re.search(r"first\.py +5 of 5", done.output), done.output


@pytest.mark.usefixtures("bots")
def test_a_file_beside_the_bots_is_no_module_of_pythons():
    Path("random.py").write_text("raise SystemExit('this is not the random that was meant')")
    results = []
    arena = Arena(contenders(["first.py", "first.py"]), Settings("mancala", move_ms=60_000), results.append)
    asyncio.run(arena.play(fixtures(2, 1, [(2, 1)])))
    assert [result.outcome.reason for result in results] == ["rules"]


def saved_matches_are_verified_and_replayed(file, played):
    save(file, played, now_ms=1_800_000_000_000)
    report = verify_export(file)
    assert (report.matches, report.wrong) == (3, None)
    listed = CliRunner().invoke(app, ["replay", str(file)])
    assert listed.exit_code == 0
    assert all(finished.match.config.match in listed.output for finished in played)
    name, actions = next((f.match.config.match, f.match.actions) for f in played if len(f.match.actions) > 2)
    whole = CliRunner().invoke(app, ["replay", str(file), "--match", name])
    assert whole.output.count("\nmove ") == len(actions)
    asked = CliRunner().invoke(app, ["replay", str(file), "--match", name, "--ply", "2", "--bot", "first.py"])
    assert "first.py chooses PIT " in asked.output
    again = CliRunner().invoke(
        app, ["replay", str(file), "--match", name, "--ply", "2", "--bot", "first.py", "--again", "3"]
    )
    assert again.output.count("first.py chooses PIT ") == 3
    assert "3 answers, and none contradicts another" in again.output
    line = CliRunner().invoke(app, ["replay", str(file), "--match", name, "--ply", "0", "--line", f"{actions[0]}"])
    assert re.search(r"^move 0: \w+\.py PIT ", line.output, re.MULTILINE)
    assert line.output.endswith("Here the line ends, and the game goes on.\n")
    assert "played was" not in line.output
    states, steps = [get_game("mancala").initial_state()], []
    while states[-1].returns() is None:
        steps.append(states[-1].legal_actions()[-1])
        states.append(states[-1].apply(steps[-1]))
    words = ["--ply", "0", "--line", ",".join(map(str, steps))]
    end = CliRunner().invoke(app, ["replay", str(file), "--match", name, *words])
    returns = states[-1].returns()
    assert returns[0] != returns[1]
    players = next(f.match.config.players for f in played if f.match.config.match == name)
    assert end.output.endswith(f"Here {players[returns[0] < returns[1]]} wins.\n")
    crashed = CliRunner().invoke(app, ["replay", str(file), "--match", name, "--ply", "2", "--bot", "crashes.py"])
    assert crashed.exit_code == 1
    assert "KeyError: 'nothing'" in crashed.output
    given_up = next(f.match.config.match for f in played if f.match.outcome.reason == "resign")
    here = {"LC_ALL": "es_ES.UTF-8"}
    why = CliRunner().invoke(app, ["why", str(file), "--match", given_up, "--language", "en"], env=here)
    assert "crashes.py crashed at move " in why.output
    assert "crashed" not in (said := CliRunner().invoke(app, ["why", str(file), "--match", given_up], env=here).output)
    assert "crashes.py falló en la jugada " in said
    assert "No move decided it" not in why.output
    for words, says in {
        ("--bot", "first.py"): "first.py: its values can't be compared",
        ("--bot", "first.py", "--json"): "leave --json out",
    }.items():
        told = CliRunner().invoke(app, ["why", str(file), "--match", given_up, "--language", "en", *words])
        assert says in told.output
    for words, says in {
        ("--match", "a-99"): "has no match a-99",
        ("--match", name, "--ply", "999"): "--ply goes from 0 to",
        ("--match", name, "--ply", "0", "--line", "a"): "--line takes actions as numbers",
        ("--match", name, "--ply", "0", "--line", "9"): "--line: ",
        ("--match", name, "--line", "3"): "where the line begins",
        ("--match", name, "--bot", "first.py"): "Say with --ply",
    }.items():
        wrong = CliRunner().invoke(app, ["replay", str(file), *words])
        assert wrong.exit_code == 1
        assert says in wrong.output
    assert "There is no file" in CliRunner().invoke(app, ["replay", "nothing.zip"]).output


@pytest.mark.usefixtures("bots")
def test_without_the_reference_bots_their_names_are_no_modules(monkeypatch):
    monkeypatch.setattr("palestra_client.arena.contenders._bots_by_name", lambda: ())
    for name in ("random", "level1"):
        with pytest.raises(NoContender, match=f"'{name}' is not a file.*need palestra-bots"):
            contenders([name])
    Path("random.py").write_text(FIRST)
    assert [each.name for each in contenders(["random"])] == ["random"]


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ([1] * 16, "Elo difference above +"),
        ([-1] * 16, "Elo difference below -"),
        ([1, -1, -1, 1], "Elo difference +0, between -"),
    ],
)
def test_the_elo_of_a_duel_is_said_as_far_as_it_is_known(points, says):
    results = [
        Result(number, seats, Outcome((won, -won) if seats[0] == 0 else (-won, won), "rules", ""))
        for number, won in enumerate(points)
        for seats in [(number % 2, 1 - number % 2)]
    ]
    report = list(lines([Contender("a", "python", ("a",)), Contender("b", "python", ("b",))], results, Sprt()))
    assert any(line.strip().startswith(says) for line in report), report
    more = {16: "about 9 more", -16: "about 3 more"}.get(sum(points), "about ")
    assert any(line.startswith(f"Whether a is stronger than b is not decided: {more}") for line in report), report
    longer = [result._replace(number=result.number + 16 * again) for again in (0, 1) for result in results]
    verdict = list(lines([Contender("a", "python", ("a",)), Contender("b", "python", ("b",))], longer, Sprt()))
    told = {16: "a is stronger than b.", -16: "a is not stronger than b by 100 Elo or more."}.get(sum(points))
    assert told is None or told in verdict


@pytest.mark.usefixtures("bots")
def test_the_command_tells_a_duel_in_process():
    few = ["--games", "6", "--in-process", "--jobs", "1"]
    ran = CliRunner().invoke(app, ["arena", "first.py", "random", "--game", "connect4", *few])
    assert ran.exit_code == 0, ran.output
    assert "of 6 points." in ran.output
    assert "Elo difference" in ran.output
    Path("notes.txt").write_text("")
    for wrong, says in {
        ("first.py",): "Name at least two bots",
        ("first.py", "nobody.py"): "There is no file nobody.py",
        ("first.py", "notes.txt"): "notes.txt does not end in .py: name a Python file, or a program as ./notes.txt",
        ("first.py", "first.py", "--sprt", "--elo0", "9", "--elo1", "3"): "elo0 must be below elo1",
    }.items():
        ran = CliRunner().invoke(app, ["arena", *wrong, "--game", "connect4"])
        assert ran.exit_code == 1
        assert says in ran.output
    for option, most in {"--games": 1_000_000, "--jobs": 1000}.items():
        ran = CliRunner().invoke(app, ["arena", "first.py", "first.py", "--game", "connect4", option, "9" * 9])
        assert ran.exit_code == 2
        assert f"it takes {most} or less" in ran.output


@pytest.mark.usefixtures("bots")
def test_in_process_an_exception_and_an_illegal_action_cost_the_match():
    fixtures_of_one = fixtures(2, 2, [()])
    for bad, reason in {"crashes.py": "resign", "first.py": "rules"}.items():
        takes_part = contenders(["random", bad])
        results = [r for some in in_process.play(takes_part, Settings("connect4"), fixtures_of_one) for r in some]
        assert {result.outcome.reason for result in results} == {reason}


LOOKS_BACK = """
from palestra_client import Bot
class LooksBack(Bot):
    def on_start(self, match):
        self.seen = [*match.opening]
    def choose(self, turn):
        if turn.last is not None:
            assert turn.last == (turn.ply - 1, turn.last.seat, turn.history[-1], turn.last.name, turn.last.charged_s)
            self.seen.append(turn.last.seat)
        turn.report(depth=1)
        return turn.legal[(sum(turn.history) + sum(self.seen) + turn.ply) % len(turn.legal)]
"""
MENDS = """
from palestra_client import Bot
class Mends(Bot):
    def choose(self, turn):
        if turn.ply % 3 == 0:
            raise RuntimeError("not today")
        return 99 if turn.ply % 3 == 1 else turn.legal[0]
    def fallback(self, turn):
        return turn.legal[-1]
"""
ILLEGAL = """
from palestra_client import Bot
class Illegal(Bot):
    def choose(self, turn):
        return turn.legal[0] if turn.ply < 8 else 7
"""


def test_answers_that_wait_in_line_as_the_time_runs_out_are_late():
    async def play():
        now, guests = 0, (Guest("ana"), Guest("ben"))
        table = Table(MatchConfig("m", "connect4", ("ana", "ben"), 50, 50, 60_000, 0, 200), guests, lambda: now)
        playing = asyncio.create_task(table.play())
        await asyncio.sleep(0)
        for guest in guests:
            guest.hear(Joined(resumed=False), 1)
            guest.hear(Ready(match="m"), 1)
        for _ in range(20):
            await asyncio.sleep(0)
        assert table.match.phase == "playing"
        now = 10**10
        for guest in reversed(guests):
            guest.hear(Action(match="m", ply=0, action=3), now)
        return await asyncio.wait_for(playing, 5)

    outcome = asyncio.run(play()).outcome
    assert (outcome.reason, outcome.returns) == ("timeout", (-1, 1))


@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize("game", ["connect4", "mancala"])
def test_in_process_the_matches_end_as_under_the_referee(game, tmp_path):
    for name, text in {"looks_back.py": LOOKS_BACK, "mends.py": MENDS, "illegal.py": ILLEGAL}.items():
        (tmp_path / name).write_text(text)
    takes_part = contenders(["looks_back.py", "mends.py", "illegal.py"])
    settings, planned = Settings(game, move_ms=60_000), fixtures(3, 2, [(2, 1)])
    refereed = []
    asyncio.run(Arena(takes_part, settings, refereed.append).play(planned))
    trusted = [result for some in in_process.play(takes_part, settings, planned) for result in some]

    def ends(results):
        return {r.number: (r.seats, r.returns, r.outcome.reason) for r in results}

    assert ends(trusted) == ends(refereed)
    assert {"rules", "illegal"} == {result.outcome.reason for result in trusted}


WRITES_IN_ITS_TURN = """
from palestra_client import Bot
class Writes(Bot):
    def choose(self, turn):
        action = turn.legal[0]
        turn.state = turn.state.apply(action)
        ply, turn.match, turn.ply, turn.legal = turn.ply, None, 1000, (99,)
        return 99 if ply > 5 else action
    def fallback(self, turn):
        turn.legal = (99,)
        return 99
"""
EXITS = """
from palestra_client import Bot
class Exits(Bot):
    def choose(self, turn):
        return turn.legal[0] if turn.ply < 6 else exit()
    def on_end(self, result):
        exit()
"""


@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(("text", "reason"), [(WRITES_IN_ITS_TURN, "illegal"), (EXITS, "resign")])
def test_in_process_exit_and_a_changed_turn_cost_the_match_and_no_more(tmp_path, text, reason):
    (tmp_path / "odd.py").write_text(text)
    takes_part = contenders(["first.py", "odd.py"])
    played = in_process.play(takes_part, Settings("connect4"), fixtures(2, 2, [()]))
    results = [result for some in played for result in some]
    assert [result.outcome.reason for result in results] == [reason, reason]
    assert [result.returns[result.seats.index(1)] for result in results] == [-1, -1]


STAYS = """
import signal
import threading
from palestra_client import Bot
class Stays(Bot):
    def on_start(self, match):
        if match.id not in ("a-1", "a-2"):
            threading.Event().wait()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    def choose(self, turn):
        return turn.legal[0]
"""


@pytest.mark.usefixtures("bots")
@pytest.mark.skipif(sys.platform == "win32", reason="a Windows process inherits no signal handling")
def test_whoever_has_seen_enough_waits_for_no_match(tmp_path):
    (tmp_path / "stays.py").write_text(STAYS)
    others = set(multiprocessing.active_children())
    played = in_process.play(contenders(["first.py", "stays.py"]), Settings("connect4", jobs=2), fixtures(2, 20, [()]))
    assert {result.outcome.reason for result in next(played)} == {"rules"}
    played.close()
    assert set(multiprocessing.active_children()) <= others


DIES_LATE = """
import os, signal
from palestra_client import Bot
class Dies(Bot):
    def on_start(self, match):
        self.last = match.id in ("a-31", "a-32")
    def choose(self, turn):
        if self.last and turn.ply > 4:
            {how}
        return turn.legal[0]
"""
WAYS = {"os._exit(0)": "os._exit", "os.kill(os.getpid(), signal.SIGKILL)": "killed by SIGKILL"}


@pytest.mark.usefixtures("bots")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("how", "told"), WAYS.items())
def test_in_process_a_bot_that_ends_its_process_is_named_and_the_results_so_far_are_kept(tmp_path, jobs, how, told):
    (tmp_path / "gone.py").write_text(DIES_LATE.format(how=how))
    duel = ["arena", "first.py", "gone.py", "--game", "connect4", "--games", "40", "--in-process", "--jobs", jobs]
    ran = CliRunner().invoke(app, duel)
    assert ran.exit_code == 1
    assert "gone.py ended the process it played in, in match 3" in ran.output
    assert told in ran.output
    # One job: fifteen chunks of two were played before.
    assert ("of 30 points." if jobs == "1" else "Elo difference") in ran.output, ran.output


@pytest.mark.usefixtures("bots")
def test_in_process_a_bot_that_ends_its_process_at_once_is_named_too():
    duel = ["arena", "first.py", "dies.py", "--game", "connect4", "--games", "2", "--in-process"]
    ran = CliRunner().invoke(app, duel)
    assert ran.exit_code == 1
    assert "dies.py ended the process it played in, in match " in ran.output


def test_in_process_a_bot_that_looks_at_the_clock_has_its_time(monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(unrefereed, "monotonic", lambda: next(clock))
    seen = []

    class Looks(Bot):
        def choose(self, turn):
            seen.append((turn.remaining_s, turn.remaining_s, turn.remaining_s, turn.wanted))
            return turn.legal[0]

    fixture, acting = fixtures(2, 1, [()])[0], [0, 0]
    outcome = unrefereed._match(
        1, get_game("connect4"), Settings("connect4"), fixture, ("ana", "ben"), (Looks, Looks), acting
    )
    assert outcome.reason == "rules"
    assert set(seen) == {(2.0, 1.0, 0.0, True)}


def test_in_process_the_reference_bots_play():
    takes_part = contenders(["level1", "mtdf --move-s 0.01"])
    played = in_process.play(takes_part, Settings("mancala"), fixtures(2, 2, [()]))
    assert {result.outcome.reason for some in played for result in some} == {"rules"}


def test_pairs_are_the_units_where_both_matches_were_played():
    results = [
        played(1, (0, 1), (1, -1)),
        played(2, (1, 0), (1, -1)),
        played(3, (0, 1), (0, 0)),
        played(4, (1, 0), (-1, 1)),
        played(5, (0, 1), (-1, 1)),
    ]
    assert units(results, 0, 1) == [0.5, 0.75]
    assert units(results[4:], 0, 1) == [0.0]
    duel = [Contender("ants", "python", ("a.py",)), Contender("bees", "python", ("b.py",))]
    assert next(lines(duel, results, None)) == "ants against bees: 2 won, 1 drawn, 2 lost; 2.5 of 5 points."


def test_a_token_is_never_taken_for_an_option():
    tokens = {House().admit("ana").token for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(token.isalnum() for token in tokens)
