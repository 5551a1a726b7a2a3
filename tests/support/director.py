"""Homes with a roster, whose players are bots that play at once: for tournaments that run."""

from __future__ import annotations

import asyncio

from tests.support.homes import Home, Player

from palestra_tournament import event_from_record as tournament_event
from palestra_tournament import parse_spec
from palestra_tournament import replay as replay_tournament

CUP = """
name = "cup"
games = ["connect4"]
format = "round-robin"
seed = 7
"""
NAMES = ("ana", "bob", "eva")
SWISS = """
name = "cup"
games = ["connect4"]
format = "swiss"
rounds = 3
seed = 7
"""
FOUR = ("ana", "bob", "eva", "ida")


class Bot(Player):
    """Plays the first legal action, each answer in a turn of the loop of its own."""

    def send(self, message):
        super().send(message)
        self.home.news.set()
        soon = asyncio.get_running_loop().call_soon
        last = self.sent[-1]
        if last["type"] == "match_start":
            soon(self.ready, last["match"])
            soon(self.home.news.set)
        elif last["type"] == "turn":
            soon(self.act, last["match"], last["ply"], last["legal"][0])


class House(Home):
    """A home with a roster. `news` is set whenever somebody was told something, or a tournament changed."""

    def __init__(self, data, supervisor, names=NAMES, skip="", **more):
        super().__init__(data, supervisor, **more)
        self.news = self.house.bell.ear()
        known = self.house.roster.names
        for name in names:
            if name not in known:
                self.house.roster.add(name, "", "A")
        for match, records in self.journal.unfinished().items():
            if match != skip:
                self.house.matches.restore(match, records)
        self.catalogue.restore()

    def bots(self, *names):
        """They are connected and play."""
        bots = []
        for name in names:
            bots.append(Bot(self, name, False, True, "127.0.0.1"))
            self.host.on_join(bots[-1])
        return bots

    async def until(self, condition):
        """Returns when it holds; looked at whenever somebody was told something."""
        while not condition():
            self.news.clear()
            await self.news.wait()

    async def over(self, name="cup"):
        live = self.catalogue.get(name)
        await asyncio.wait_for(self.until(lambda: live.state == "completed"), 60)
        return live.tournament

    async def kept(self, name="cup"):
        """The tournament as the store has it."""
        loop, written = asyncio.get_running_loop(), asyncio.Event()
        self.store.journal.when_durable(lambda _error: loop.call_soon_threadsafe(written.set))
        await written.wait()
        toml, records = self.store.tournaments.read(name)
        return replay_tournament(parse_spec(toml), map(tournament_event, records))
