"""What an embargo hides: in every format, whatever happens in the hidden round, the public sees the same."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_tournament import (
    Completed,
    Ended,
    Entrant,
    MatchStarted,
    Record,
    Reinstated,
    Revealed,
    Withdrew,
    begin,
    create,
    hides,
    parse_spec,
    playable,
    progress,
    public,
    public_events,
    replay,
    schedule,
    standings_csv,
    step,
)

WIN, DRAW, LOSS = (1.0, -1.0), (0.0, 0.0), (-1.0, 1.0)
OUTCOMES = [(WIN, "rules"), (LOSS, "rules"), (DRAW, "rules"), (LOSS, "timeout"), (WIN, "illegal"), (DRAW, "void")]
KINDS = {
    "round-robin": "",
    "swiss": "rounds = 2\n",
    "elimination": "tie_breaks = 2\n",
    "gauntlet": 'reference = ["level1", "level2"]\n',
    "groups": "group_size = 3\n",
    "groups without a bracket": "group_size = 5\nqualify = 1\n",
}
EXTRAS = ("", "swap = false\n", "withdraw_after = 1\n", "per_bot = 3\n")


class Cup:
    """A tournament and its events; `choose(n)` picks one of n."""

    def __init__(self, kind, extra=""):
        text = f'name = "cup"\ngames = ["connect4"]\nformat = "{kind.split()[0]}"\nembargo = "last-round"\n'
        self.spec = parse_spec(text + KINDS[kind] + extra)
        bots = [Entrant(name, "", True) for name in self.spec.reference]
        self.t, effects = begin(self.spec, [*(Entrant(f"p{i}") for i in range(5)), *bots], 7, 0)
        self.events = [effect.event for effect in effects if isinstance(effect, Record)]
        self.created = create(self.spec, 7, "", 0)
        self.ids = (f"m{number}" for number in itertools.count())
        self.is_over = False

    def feed(self, event):
        self.t, effects = step(self.t, event)
        self.events += [effect.event for effect in effects if isinstance(effect, Record)]
        self.is_over = Completed() in effects

    def play(self, choose, until=lambda _: False):
        while not (self.is_over or until(self.t)):
            ready = list(playable(self.t))
            assert ready or self.t.playing, "it neither ends nor goes on"
            if choose(25) == 0:
                name = self.t.seeds[choose(len(self.t.seeds))]
                self.feed(Reinstated(name, 0) if name in self.t.withdrawn else Withdrew(name, 0))
            elif ready and (not self.t.playing or choose(2)):
                self.feed(MatchStarted(ready[choose(len(ready))].id, next(self.ids), 0))
            else:
                fixture, match = list(self.t.playing.items())[choose(len(self.t.playing))]
                returns, reason = OUTCOMES[choose(len(OUTCOMES))]
                self.feed(Ended(fixture, match, returns, reason, 9, (), (), 0))

    def fork(self):
        other = object.__new__(Cup)
        other.__dict__ = {**self.__dict__, "events": [*self.events], "ids": (f"n{i}" for i in itertools.count())}
        return other


@pytest.mark.slow
@given(kind=st.sampled_from(sorted(KINDS)), extra=st.sampled_from(EXTRAS), seed=st.integers(0, 2**32))
def test_the_public_sees_the_same_whatever_happens_in_the_hidden_round(kind, extra, seed):
    choose = random.Random(seed).randrange
    cup = Cup(kind, extra)
    cup.play(choose, until=hides)
    before = public(cup.t)
    if not hides(cup.t):
        return  # everybody but one was withdrawn before the last round
    last = progress(cup.t).rounds
    assert all(fixture.id in before.results for fixture in before.fixtures if fixture.round < last)
    assert not before.playing
    other = cup.fork()
    for each in (cup, other):
        each.play(choose)
        assert public(each.t) is before
        assert each.t.hidden.isdisjoint(entry.match for entry in schedule(before))
        assert {event.match for event in each.events if isinstance(event, MatchStarted)} - each.t.hidden == {
            event.match for event in public_events(each.t, each.events) if isinstance(event, MatchStarted)
        }
        again = replay(each.spec, [each.created, *public_events(each.t, each.events)])
        assert (again, standings_csv(again)) == (before, standings_csv(before)), "what is shown can be rebuilt from it"
        assert replay(each.spec, [each.created, *each.events]) == each.t
    cup.feed(Revealed(0))
    assert public(cup.t) is cup.t
    assert (hides(cup.t), cup.t.hidden) == (False, frozenset())


@pytest.mark.parametrize("kind", ["round-robin", "gauntlet", "groups without a bracket"])
def test_a_round_that_will_be_hidden_begins_when_all_others_are_over(kind):
    """Also where the whole schedule is drawn at once: else its results would have a part in the rounds that show."""
    cup = Cup(kind, "per_bot = 3\n")
    last = progress(cup.t).rounds
    first, *others = [fixture for fixture in cup.t.fixtures if fixture.round < last]
    for fixture in others:
        cup.feed(MatchStarted(fixture.id, fixture.id, 0))
        cup.feed(Ended(fixture.id, fixture.id, WIN, "rules", 9, (), (), 0))
    assert list(playable(cup.t)) == [first]
    cup.feed(MatchStarted(first.id, first.id, 0))
    cup.feed(Ended(first.id, first.id, WIN, "rules", 9, (), (), 0))
    assert {fixture.round for fixture in playable(cup.t)} == {last}
    assert not hides(cup.t)


def test_extra_matches_of_a_hidden_final_do_not_tell_that_it_is_level():
    cup = Cup("elimination")
    cup.play(lambda count: count - 1 if count == 25 else 0, until=hides)
    shown = cup.t.spec.format.bracket(public(cup.t))
    while len(cup.t.fixtures) == len(public(cup.t).fixtures):
        for fixture in list(playable(cup.t)):
            cup.feed(MatchStarted(fixture.id, next(cup.ids), 0))
        for fixture, match in list(cup.t.playing.items()):
            cup.feed(Ended(fixture, match, DRAW, "rules", 9, (), (), 0))
    assert progress(public(cup.t)).total == len(public(cup.t).fixtures)
    assert cup.t.spec.format.bracket(public(cup.t)) == shown
    assert shown[-1][0].winner is None
