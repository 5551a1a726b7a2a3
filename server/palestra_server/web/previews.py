"""What a link to a match, a player or a tournament says where it is shared: title, description and picture (ogp.me).

It is read by programs on behalf of many, so it says what every visitor may see, whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any, NamedTuple
from urllib.parse import quote

from palestra_server.runtime import NotShown, View
from palestra_server.store import StoreError
from palestra_server.web import API
from palestra_server.web.pictures import HEIGHT, WIDTH
from palestra_tournament import UNPLAYED

_GAMES = 1000  # more than are installed anywhere
Say = Callable[..., str]  # the page's catalogue in one language: `t` of `js/i18n.js`


class Preview(NamedTuple):
    """`picture`: the address of a PNG on this server."""

    title: str
    description: str
    picture: str

    def head(self, site: str, path: str) -> str:
        """Elements for the head of a page at `path` of `site`."""
        values = {
            "og:type": "website",
            "og:site_name": "Palestra",
            "og:title": self.title,
            "og:description": self.description,
            "og:url": f"{site}/{quote(path)}",
            "og:image": site + self.picture,
            "og:image:type": "image/png",
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
            "og:image:alt": self.title,
            "twitter:card": "summary_large_image",
        }
        tags = (f'<meta property="{name}" content="{escape(value)}">' for name, value in values.items())
        return "\n".join((f"<title>{escape(self.title)} · Palestra</title>", *tags))


async def preview(public: View, path: str, t: Say) -> Preview | None:
    """None for a page of something else, or of what visitors may not see."""
    kind, _, name = path.strip("/").removeprefix("embed/").partition("/")
    try:
        if kind == "match":
            return await _match(public, name, t)
        if kind == "player":
            return await _player(public, name, t)
        return await _tournament(public, name, t) if kind == "tournament" else None
    except (NotShown, StoreError):
        return None


async def _match(public: View, name: str, t: Say) -> Preview | None:
    entry = (await public.match(name)).entry
    if entry is None:
        return None
    first, second = entry["players"]
    facts = [t(f"game.{entry['game']}", entry["game"]), entry["tournament_title"] or ""]
    facts += [_ended(entry, t)] if entry["returns"] else [t("live")]
    ruling = entry["ruling"]
    if ruling:
        facts.append(f"{t('reason.ruled')}: {t('ruling.' + ruling['verdict'], winner=ruling['winner'])}")
    description = " · ".join(filter(None, facts))
    return Preview(f"{first} {_score(ruling or entry)} {second}", description, f"{API}/matches/{quote(name)}/board.png")


def _score(entry: Mapping[str, Any]) -> str:
    if entry["returns"] is None:
        return "–"
    mine, other = entry["returns"]
    if mine == other:
        return "0–0" if entry["reason"] in UNPLAYED else "½–½"
    return "1–0" if mine > other else "0–1"


def _ended(entry: Mapping[str, Any], t: Say) -> str:
    """How many moves it had, or what else ended it, in the page's words."""
    reason, (first, second) = entry["reason"], entry["players"]
    if reason == "rules":
        return t("ply.n", n=entry["plies"])
    mine, other = entry["returns"]
    winner, loser = (first, second) if mine > other else (second, first)
    return t(f"ending.draw.{reason}" if mine == other else f"ending.{reason}", winner=winner, loser=loser)


async def _player(public: View, name: str, t: Say) -> Preview | None:
    newest, _ = await public.matches(1, player=name)
    if not newest:
        return None
    scores, _ = await public.scores(name, "game", None, _GAMES, 0)
    counts = {result: sum(each[result] for each in scores) for result in ("won", "drawn", "lost")}
    description = t("preview.record", n=sum(counts.values()), **counts)
    return Preview(name, description, f"{API}/matches/{quote(newest[0]['match'])}/board.png")


async def _tournament(public: View, name: str, t: Say) -> Preview | None:
    found = next((each for each in public.tournaments() if each["name"] == name), None)
    if found is None or not found["games"]:  # damaged
        return None
    facts = [t(f"format.{found['format']}", found["format_title"]), t(f"state.{found['state']}", found["state"])]
    facts += [t("players.n", n=found["players"])] if found["players"] else []
    newest, _ = await public.matches(1, tournament=name)
    board = f"matches/{quote(newest[0]['match'])}" if newest else f"games/{quote(found['games'][0])}"
    return Preview(found["title"] or name, " · ".join(facts), f"{API}/{board}/board.png")
