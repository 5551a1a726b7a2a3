"""Matches of the bots that are broken on purpose, by a clock that counts nodes: the same on every machine."""

from dataclasses import dataclass

from tests.support.broken_bots import BOTS

from palestra_bots.search.fast.searcher import Searcher
from palestra_bots.solving import perfect_player
from palestra_bots.timeman import Limit
from palestra_client import Match, Turn
from palestra_client.arena import replaying
from palestra_client.reports import to_info
from palestra_client.turn import Deadline
from palestra_games import get_game

MOVE_S, GRACE_S = 0.1, 0.1
LOOK_S = 0.0016  # that pass between two looks at the clock
PERFECT_NODES, SEARCH_NODES = 1_500_000, 100_000
# What each bot is to be told, and None for the healthy ones, which are to be accused of nothing.
FAULTS = {
    "Healthy": None,
    "KeepsItsTable": None,
    "MemoryTest": None,
    "DepthOffByOne": "depth",
    "SignError": "sign",
    "SwapsWins": "ends",
    "IgnoresExtraTurns": "extra_turn",
    "AlternatesSides": "extra_turn",
    "NegatesBlindly": "extra_turn",
    "IgnoresCaptures": "capture",
    "IgnoresBombs": "bomb",
    "PlainPieces": "bomb",
    "StopsEarly": "early",
    "WrongBounds": "contradict",
    "DropsLastMove": "last_move",
    "DropsLastReply": "last_move",
    "NotTheSameTwice": "unsteady",
    "PerfectButSlow": "late",
}


SOLVED = ("connect4", "mancala")
GAMES = (*SOLVED, "connect4-8x8", "desconecta4")
ONLY = {
    "IgnoresExtraTurns": ("mancala",),
    "AlternatesSides": ("mancala",),
    "NegatesBlindly": ("mancala",),
    "IgnoresCaptures": ("mancala",),
    "IgnoresBombs": ("desconecta4",),
    "PlainPieces": ("desconecta4",),
    "PerfectButSlow": SOLVED,
}


def bots_of(game):
    return [name for name in FAULTS if game in ONLY.get(name, GAMES)]


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self):
        self.now += LOOK_S
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def made(name, game):
    """A bot, ready to play, and its clock."""
    bot, clock = BOTS[name](), Clock()
    bot.clock, bot.sleep, bot.nodes = clock, clock.sleep, PERFECT_NODES
    bot.warm_up(get_game(game))
    return bot, clock


class Perfect:
    """Plays as well as can be played, as far as so many nodes go; in a game that isn't solved, better than the bots.

    In a position that it has seen it plays as it did then, whoever it meets.
    """

    def __init__(self, game, nodes=PERFECT_NODES):
        self.game, self.nodes = game, nodes
        self.perfect, self.searcher = perfect_player(game, 20), Searcher(game, "mtdf", table_bits=18)
        self.chosen = {}

    def choose(self, state):
        if state not in self.chosen:
            found = self.perfect and self.perfect.perfect_move(state, 1e9, self.nodes)
            self.chosen[state] = found.action if found else self.searched(state)
        return self.chosen[state]

    def searched(self, state):
        return self.searcher.analyse(state, Limit(nodes=SEARCH_NODES)).action


def turn(state, ply, match, actions, kind=Turn):
    return kind(
        match,
        state,
        ply=ply,
        legal=state.legal_actions(),
        last=None,
        deadline=Deadline(MOVE_S),
        clock=lambda: 0.0,
        history=tuple(actions),
    )


def played(name, game, opening, seat, opponent):
    """A match of the bot in `seat` against the perfect player, as a server's API tells it."""
    bot, clock = made(name, game)
    names = (name, "perfect") if seat == 0 else ("perfect", name)
    match = Match("m", game, seat, names, MOVE_S, GRACE_S, 1e9, 0.0, tuple(opening))
    state, actions, moves, why = get_game(game).initial_state(), list(opening), [], None
    for action in opening:
        state = state.apply(action)
    while state.returns() is None and why is None:
        ply, info, charged_ms = len(actions), None, 1.0
        if state.to_move == seat:
            began, asked = clock.now, turn(state, ply, match, actions)
            action = bot.choose(asked)
            charged_ms, said = (clock.now - began) * 1000, to_info(asked.reported)
            info = said and said.model_dump()
            if charged_ms > (MOVE_S + GRACE_S) * 1000:
                times = {"took_ms": round(charged_ms), "move_ms": MOVE_S * 1000, "grace_ms": GRACE_S * 1000}
                why = {"code": "late", "player": name, "ply": ply, **times}
                break
        else:
            action = opponent.choose(state)
        moves.append({"ply": ply, "seat": state.to_move, "action": action, "charged_ms": charged_ms, "info": info})
        actions.append(action)
        state = state.apply(action)
    returns = state.returns() or ((-1.0, 1.0) if seat == 0 else (1.0, -1.0))
    reason = "rules" if why is None else "timeout"
    why = why or {"code": "drawn", "ply": len(actions)}
    told = {"match": "m", "game": game, "players": names, "opening": list(opening), "moves": moves}
    return {**told, "returns": returns, "reason": reason, "why": why, "seat_ms": [MOVE_S * 1000] * 2}


def answers(name, told, ply, times):
    """What the bot says if it is asked again before this ply."""
    record = replaying.from_map(told)
    state, seat = record.states()[ply], record.states()[ply].to_move
    match = Match("m", record.game, seat, record.players, MOVE_S, GRACE_S, 1e9, 0.0, record.opening)
    found = []
    for _ in range(times):
        bot, _ = made(name, record.game)
        asked = turn(state, ply, match, record.actions[:ply])
        found.append(replaying.Answer(bot.choose(asked), 0.0, to_info(asked.reported)))
    return found


def plays_as(other, told, seat):
    """Whether this bot would have played every move of `seat`."""
    own = [move for move in told["moves"] if move["seat"] == seat]
    return all(answers(other, told, move["ply"], 1)[0].action == move["action"] for move in own)


def asking(name, told):
    """Asks the bot, anew each time, after any actions: its values by depth."""
    record = replaying.from_map(told)

    def ask(actions):
        state = get_game(record.game).initial_state()
        for action in actions:
            state = state.apply(action)
        match = Match("m", record.game, state.to_move, record.players, MOVE_S, GRACE_S, 1e9, 0.0, record.opening)
        bot, _ = made(name, record.game)
        heard = turn(state, len(actions), match, actions, replaying.Heard)
        bot.choose(heard)
        return heard.values

    return ask
