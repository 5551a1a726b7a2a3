"""The commented tournament file that a teacher starts from."""

from __future__ import annotations

from palestra_games import game_names
from palestra_tournament.interface import Format

_HEAD = """\
# A Palestra tournament. Remove the # from a line to set its key. Numbers, true/false and texts show the defaults;
# dates, names of bots and players, the seed and the rules of [grades] are examples.

{name:32}# small letters, digits and hyphens; used in commands and addresses
title = "Our cup"               # what people see
games = ["connect4", "mancala"] # any of: {games}
"""

_REST = """
# What a meeting of two bots consists of.
# pairs = 1                     # openings per game
# swap = true                   # each opening is played twice, with the seats swapped
# openings = true               # false: every match starts from the initial position
# opening_plies = 2             # length of the opening in games without a list of balanced ones

# Who takes part, and how they are seeded.
# who = "all"                   # or who = {{ groups = ["A", "B"], players = ["ana"] }}
{reference}# bots that the server runs; everybody plays them
# seeding = "draw"              # or "roster": in the order of the class list
# seed = 2026                   # makes every draw reproducible; by default the server picks one

# When it is played.
# start = 2026-12-01T18:00:00   # default: when you start it
# breaks = ["22:00-07:00"]      # daily; nothing begins during a break
# warm_up = false               # true: first, each bot plays random and level1 in every game, to see who is ready
# after_warm_up = "wait"        # for you to look at that and start it; "start": it begins by itself

# What happens to a bot.
# per_bot = 1                   # most matches at the same time
# absent = "lose"               # a bot that isn't connected loses the match after clock.ready_ms; "wait": wait for it
# withdraw_after = 3            # a bot is out after this many matches in a row lost by absence; 0: never
# embargo = "none"              # "last-round": results of the last round stay hidden until you reveal them

[clock]                         # in milliseconds
# move_ms = 2000                # per move
# grace_ms = 100                # added to that for the network
# ready_ms = 30000              # from the start of a match until a bot must be ready
# away_ms = 10000               # bank for lost connections, per match
# away = "bank"                 # what pays for them: that bank (time to think, which is shown), or the move's "clock"

[grades]                        # a rubric; without rules there are no grades
# maximum = 10
# base = 0
# beats = [{{ level = "level1", points = 2 }}, {{ level = "level4", points = 3, game = "connect4" }}]
                                # for scoring more than half of the points against it
# rating = [{{ at_least = 200, points = 1 }}]
                                # if the whole 95 % interval is above
# reliability = {{ points = 2 }}  # times the share of matches without a fault
# participation = {{ points = 2 }} # times the share of its matches that it turned up for
# top = [{{ places = 3, points = 1 }}] # a bonus for the first three
"""


def example_spec(kind: type[Format], name: str = "our-cup") -> str:
    """A complete file for this format, with every key explained."""
    reference = f'{"" if kind.needs_references else "# "}reference = ["level1", "level4"]'.ljust(35)
    return (
        _HEAD.format(name=f'name = "{name}"', games=", ".join(game_names()))
        + f'\n# {kind.about}\nformat = "{kind.name}"\n{kind.keys}'
        + _REST.format(reference=reference)
    )
