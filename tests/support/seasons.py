"""Tournaments of a season, played as a test says."""

from palestra_tournament import Ended, Entrant, begin, parse_spec, step

WIN, LOSS = (1.0, -1.0), (-1.0, 1.0)
FILE = """
name = "spring"
tournaments = ["week-1", "week-2", {{ name = "final", weight = 2 }}]
best = {best}
{extra}
"""


def cup(name, extra="", names=("ana", "bob", "eva"), bots=()):
    reference = f"reference = [{', '.join(repr(bot) for bot in bots)}]\n" if bots else ""
    text = (
        f'name = "{name}"\ngames = ["connect4"]\nformat = "round-robin"\nseeding = "roster"\nopenings = false\n'
        f"{reference}{extra}"
    )
    entrants = [*(Entrant(each, "A") for each in names), *(Entrant(bot, "", True) for bot in bots)]
    return begin(parse_spec(text), entrants, 7, 0)[0]


def play(t, outcome, first=0):
    """Plays every fixture; `outcome(fixture)` gives (returns, reason); games of another `first` are other games."""
    for number, fixture in enumerate(t.fixtures):
        returns, reason = outcome(fixture)
        came = reason != "not_ready"
        actions = (first, number % 7) if came else ()
        t, _ = step(
            t,
            Ended(
                fixture.id, f"{t.spec.name}-{number}", returns, reason, len(actions), actions, (9,) * len(actions), 0
            ),
        )
    return t
