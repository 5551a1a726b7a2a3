"""What leaves the server is judged by what is hidden when it leaves."""

from __future__ import annotations

from types import SimpleNamespace

from palestra_server.runtime.embargo import VISITOR, Viewer
from palestra_server.runtime.gate import View
from palestra_server.store import NOTHING, Hidden, MatchSummary

UNKNOWN = (None,) * 7
MATCHES = [
    MatchSummary(0, name, "connect4", ("ana", "bob"), "cup", "[]", True, 1, *UNKNOWN) for name in ("last", "shown")
]


class Reads:
    """A store in which a hidden match begins while the first question waits for a thread."""

    def __init__(self):
        self.embargo = SimpleNamespace(hidden=NOTHING)
        self.store = SimpleNamespace(journal=self, tallies=self)
        self.playing = SimpleNamespace(matches={})
        self.titles = {}
        self.catalogue = SimpleNamespace(rulings=lambda _names, _viewer: {})

    def matches(self, _limit, without, **_which):
        self.embargo.hidden = Hidden(frozenset({"last"}))
        return [one for one in MATCHES if one.match not in without.matches]

    def of_all(self, without):
        return {one.match: len(one.players) for one in self.matches(9, without)}


async def test_a_hidden_match_that_begins_while_a_list_waits_for_a_thread_is_not_in_it():
    entries, following = await View(Reads(), VISITOR).matches(1)
    assert ([entry["match"] for entry in entries], following) == (["shown"], "shown")
    assert (await View(Reads(), VISITOR).tallies()).keys() == {"shown"}
    entries, _ = await View(Reads(), Viewer("teacher", asks_for_hidden=True)).matches(2)
    assert [entry["match"] for entry in entries] == ["last", "shown"]
