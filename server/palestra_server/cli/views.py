"""Formats tournaments for the terminal, from the API's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from palestra_protocol.english import plural, sentence
from palestra_tournament import UNPLAYED

BAR: Final = 50  # width of a full progress bar, in characters


def status_view(state: Mapping[str, Any], *, live: bool = True) -> RenderableType:
    """`GET /tournaments/NAME`; not `live`: from the data folder, which no server uses now."""
    total, played = state["total"], state["played"]
    head = f"{state['title']}: {state['state']}"
    if state["why_paused"]:
        head += f". {state['why_paused']['message']}"
    elif state["state"] == "waiting":
        head += f", begins {when(state['scheduled'])}"
    if not live and state["state"] in ("running", "waiting"):
        head += ". No server runs on this data folder: it goes on once 'palestra-server serve' does."
    lines: list[RenderableType] = [escape(head)]
    lines += map(escape, [*uncounted(state), *troubles(state)])
    if state["round"]:
        rounds = f" of {state['rounds']}" if state["rounds"] else ""
        end = f", over {when(state['predicted_end'])}" if state["predicted_end"] else ""
        count = f"{played} of " * (total is not None) + plural(played if total is None else total, "match", "matches")
        lines.append(f"round {state['round']}{rounds}, {count} played{end}")
    if total:
        done = BAR * played // total
        lines.append("█" * done + "░" * (BAR - done))
    if state["playing"]:
        table = Table("round", "game", "first", "second", "match", title="Being played", title_justify="left", box=None)
        for each in state["playing"]:
            table.add_row(str(each["round"]), *map(escape, (each["game"], *each["players"], each["match"])))
        lines.append(table)
    if state["missing"]:
        lines.append(escape(f"Not connected: {', '.join(state['missing'])}"))
    lines += [
        escape(f"Withdrawn: {player}, {sentence('withdrawn', why)}.") for player, why in state["withdrawn"].items()
    ]
    lines += map(escape, [*rulings_view(state["rulings"]), *struck_view(state)])
    return Group(*lines)


def uncounted(state: Mapping[str, Any]) -> list[str]:
    """What doesn't count of a tournament that was ended early."""
    if not state["closed"] or state["counts_all"] or state["incomplete"] is None:
        return []
    return [f"Rounds from {state['incomplete']} on aren't complete, so their results don't count (--all-results)."]


def rulings_view(rulings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rulings of `GET /tournaments/NAME`, a line each."""
    return [
        f"Ruled: match {each['match']} ({' - '.join(each['players'])}) "
        f"{sentence('ruling', {'code': each['verdict'], 'winner': each['winner']})}: {each['why']}"
        for each in rulings
    ]


def struck_view(state: Mapping[str, Any]) -> list[str]:
    count = plural(state["struck"], "match", "matches")
    said = f"Struck, since after a ruling others play there: {count} ('tournament results')."
    return [said] if state["struck"] else []


def when(ms: int | None) -> str:
    """A time (UTC in ms) in the local format."""
    if ms is None:
        return "at a time nobody knows"
    moment = datetime.fromtimestamp(ms / 1000)
    return f"at {moment:%H:%M}" if moment.date() == datetime.now().date() else f"on {moment:%Y-%m-%d at %H:%M}"


# Short names of tie-breaks, which leave room for the players in 80 columns.
SHORT = {"Sonneborn-Berger": "S-B", "head to head": "h-h", "rounds survived": "rounds", "place in the group": "place"}


def standings_view(rows: Sequence[Mapping[str, Any]]) -> Table:
    """`GET /tournaments/NAME/standings`"""
    breaks = list(rows[0]["tiebreaks"]) if rows else []
    rated = any(row["rating"] is not None for row in rows)
    table = Table(title="Standings", title_justify="left", box=None, pad_edge=False)
    table.add_column("#", no_wrap=True)
    table.add_column("player", min_width=8)
    for each in ["points", "w-d-l", *(SHORT.get(each, each) for each in breaks), *(["rating (95 %)"] if rated else [])]:
        table.add_column(each, no_wrap=True)
    for row in rows:
        player = escape(row["player"]) + (" (out)" if row["withdrawn"] else "")
        cells = [_rank(row), player, f"{row['points']:g}", f"{row['wins']}-{row['draws']}-{row['losses']}"]
        cells += [f"{row['tiebreaks'][each]:g}" for each in breaks]
        if row["rating"] is not None:
            low, high = row["rating_low"], row["rating_high"]
            # Rounded to whole numbers, since those have no minus zero.
            cells.append(f"{round(row['rating'])}" + (f" ({round(low)}..{round(high)})" if low != high else ""))
        table.add_row(*cells)
    return table


def _rank(row: Mapping[str, Any]) -> str:
    if row["reference"]:
        return "-"
    low, high = row["rank_low"], row["rank_high"]
    return f"{row['rank']} ({low}-{high})" if high and low != high else str(row["rank"])


def crosstable_view(players: Sequence[str], cells: Sequence[Sequence[Sequence[float] | None]]) -> Table:
    """`GET /tournaments/NAME/crosstable`"""
    table = Table("", *map(escape, players), title="Crosstable (points of matches)", title_justify="left")
    for player, row in zip(players, cells, strict=True):
        table.add_row(escape(player), *("" if cell is None else f"{cell[0]:g} of {cell[1]:g}" for cell in row))
    return table


def results_view(fixtures: Sequence[Mapping[str, Any]]) -> Table:
    """`GET /tournaments/NAME/schedule`"""
    games = ["game"] if len({each["game"] for each in fixtures}) > 1 else []
    table = Table(box=None, pad_edge=False)
    for title in ("round", *games, "first", "second", "result", "why"):
        table.add_column(title, no_wrap=title not in ("first", "second"))  # in a narrow terminal long names give way
    table.add_column("match", min_width=max((len(each["match"] or "") for each in fixtures), default=0))
    for each in fixtures:
        result = "" if each["reason"] in ("void", "struck") else score(each["returns"], each["reason"])
        game = [each["game"]] if games else []
        row = (*game, *each["players"], result, each["reason"] or each["state"], each["match"])
        table.add_row(str(each["round"]), *(escape(cell or "") for cell in row))
    return table


def score(returns: Sequence[float] | None, reason: str | None) -> str:
    """A result as chess players write it, "0-0" if neither came; empty if there is none."""
    if returns is None:
        return ""
    first, second = returns
    level = "0-0" if reason in UNPLAYED else "1/2-1/2"
    return level if first == second else "1-0" if first > second else "0-1"


def tournaments_view(found: Sequence[Mapping[str, Any]]) -> RenderableType:
    """`GET /tournaments`"""
    if not found:
        return "There is no tournament yet; 'palestra-server tournament new cup.toml' begins one."
    table = Table("name", "title", "format", "games", "state", "players", "played", box=None)
    # The other commands take the name, so it is never truncated.
    table.columns[0].min_width = max(len(each["name"]) for each in found)
    for each in found:
        count = f"{each['played']} of {each['total']}" if each["total"] is not None else str(each["played"])
        games = ", ".join(each["games"])
        row = (each["name"], each["title"], each["format"], games, each["state"], str(each["players"]), count)
        table.add_row(*map(escape, row))
    return Group(table, *(escape(line) for each in found for line in troubles(each)))


def troubles(answer: Mapping[str, Any]) -> list[str]:
    """What needs attention, a line each: of a tournament, or of the server in `GET /tournaments`."""
    return [each["message"] for each in answer["troubles"]]


def readiness_view(found: Sequence[Mapping[str, Any]]) -> RenderableType:
    """Who is ready, one player per line, naming the games only where they differ."""
    table = Table("player", "ready", "why", box=None)
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for each in found:
        rows.setdefault(each["player"], []).append(each)
    for player, games in rows.items():
        all_of_them = {each["ready"] for each in games}
        whys = {each["game"]: each.get("why") or _why_ready(each) for each in games}
        ready = False if False in all_of_them else None if None in all_of_them else True
        word = {True: "yes", False: "no", None: "not yet known"}[ready]
        shown = games if ready is not False else [each for each in games if each["ready"] is False]
        if len({whys[each["game"]] for each in shown}) == 1 and len(shown) == len(games):
            why = whys[shown[0]["game"]]
        else:
            why = " ".join(f"{each['game']}: {whys[each['game']]}" for each in shown)
        table.add_row(*map(escape, (player, word, why)))
    return table


def _why_ready(each: Mapping[str, Any]) -> str:
    faults, played = each["faults"], each["played"]
    if faults:
        said = (sentence("ready", {"code": code, "count": count, "all": played}) for code, count in faults.items())
        return f"Not ready: {'; '.join(sorted(said))}."
    return sentence("ready", {"code": "unknown" if each["ready"] is None else "yes", "count": played})
