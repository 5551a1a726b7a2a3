"""The commented tournament file that a teacher begins with."""

from __future__ import annotations

from palestra_games import game_names
from palestra_tournament.spec import Format

_HEAD = """\
# A tournament of Palestra. Take the # away from a line to set its key. Numbers, true and false, and texts are shown as
# they are without the line; dates, names of bots and players, the seed and the rules of [grades] are examples.

{name:32}# small letters, digits and hyphens; how commands and addresses call it
title = "Our cup"               # what people see
games = ["connect4", "mancala"] # of {games}
"""

_FORMATS: dict[Format, str] = {
    "round-robin": """
# Everybody meets everybody.
format = "round-robin"
# cycles = 1                    # how often
""",
    "swiss": """
# In each round everybody meets somebody with about as many points, and nobody twice.
format = "swiss"
# rounds = 7                    # without it as many as it takes to find the first of the class, and two more
""",
    "elimination": """
# Whoever loses a meeting is out.
format = "elimination"
# tie_breaks = 2                # pairs of matches that are added, at the most, to a meeting that ends level;
                                # if it is still level, whoever is seeded higher goes on
""",
    "gauntlet": """
# Everybody meets the reference bots, and nobody else.
format = "gauntlet"
# cycles = 1                    # how often
""",
    "ladder": """
# Goes on: those meet whose order is least certain.
format = "ladder"
# rounds = 20                   # matches against others for each bot; without it the ladder goes on until it is closed
""",
    "groups": """
# Groups in which everybody meets everybody, then elimination among the best of them.
format = "groups"
# group_size = 4                # players in a group, at the most
# qualify = 2                   # how many of each group go on
# cycles = 1                    # how often everybody meets everybody in the groups
# tie_breaks = 2                # pairs of matches that are added, at the most, to a meeting that ends level;
                                # if it is still level, whoever is seeded higher goes on
""",
}

_REST = """
# What a meeting of two bots is.
# pairs = 1                     # openings in each game
# swap = true                   # each opening is played twice, with the seats swapped
# openings = true               # false: every match begins at the start
# opening_plies = 2             # length of the opening in games that have no list of balanced ones

# Who takes part, and how they are numbered.
# who = "all"                   # or who = {{ groups = ["A", "B"], players = ["ana"] }}
{reference}# bots that the server starts; everybody meets them
# seeding = "draw"              # or "roster": in the order of the class list
# seed = 2026                   # whoever knows it can draw everything again; without it the server picks one

# When it is played.
# start = 2026-12-01T18:00:00   # without it, at once when you start it
# breaks = ["22:00-07:00"]      # every day; nothing begins then
# warm_up = false               # true: before it, each bot plays random and level1 in every game, to see who is ready

# What happens to a bot.
# per_bot = 1                   # matches at a time, at the most
# absent = "lose"               # a bot that is not there has clock.ready_ms, then loses that match; "wait": no hurry
# withdraw_after = 3            # matches in a row lost by absence or lateness that put a bot out; 0: never
# embargo = "none"              # "last-round": the last results are shown when you reveal them

[clock]                         # in milliseconds
# move_ms = 2000                # for each move
# grace_ms = 100                # added to it, for the network
# ready_ms = 30000              # to say that it is ready, from the start of a match
# away_ms = 10000               # bank for lost connections in a match
# away = "clock"                # who pays: the clock of the move, or that "bank" (then leaving buys time to think)

[grades]                        # a rubric; without rules there are no grades
# maximum = 10
# base = 0
# beats = [{{ level = "level1", points = 2 }}, {{ level = "level4", points = 3, game = "connect4" }}]
                                # when more than half of the points against it are scored
# rating = [{{ at_least = 200, points = 1 }}]
                                # when the whole 95 % interval is above
# reliability = {{ points = 2 }}  # times the share of matches without a fault
# participation = {{ points = 2 }} # times the share of its matches that it came to
# top = [{{ places = 3, points = 1 }}] # a bonus for the first three
"""


def example_spec(kind: Format, name: str = "our-cup") -> str:
    """A file for this format, ready to be used, with every key that it knows explained. `name` is the tournament's."""
    reference = f'{"" if kind == "gauntlet" else "# "}reference = ["level1", "level4"]'.ljust(35)
    return (
        _HEAD.format(name=f'name = "{name}"', games=", ".join(game_names()))
        + _FORMATS[kind]
        + _REST.format(reference=reference)
    )
