"""Notices in plain words, as lines for a terminal."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import assert_never

from rich.text import Text

from palestra_client import notices
from palestra_client.address import PATH, install_line
from palestra_client.debugging import NO_CLOCK_S
from palestra_client.match import Match, Result
from palestra_client.receipts import FILE as RECEIPTS
from palestra_protocol.english import plural
from palestra_protocol.harmless import harmless
from palestra_protocol.messages import Info, NoticeCode

_GOOD, _BAD, _WARN, _DIM = "bold green", "bold red", "yellow", "dim"
STOOD_AT = "Where choose was"
_SLOW = 0.9  # from this share of the budget on, the time of a move is shown as a warning

_REASONS = {
    "rules": "by the rules",
    "timeout": "out of time",
    "illegal": "an illegal action",
    "resign": "given up",
    "disconnect": "connection lost",
    "not_ready": "not ready in time",
    "ply_limit": "too many moves",
    "void": "does not count",
}


_NOTICED: dict[NoticeCode, str] = {"queued": _DIM, "withdrawn": _BAD, "ready": _GOOD, "tournament": "bold"}


class Wording:
    """Puts notices into words. It keeps track of current matches, to name them only if there are several.

    `program`: the bot is a program behind the bridge, so there are no methods to mention. `notebook`: it is in a cell.
    """

    def __init__(self, *, program: bool = False, notebook: bool = False) -> None:
        self._program = program
        self._command = "!palestra" if notebook else "palestra"
        self._leave = "interrupting the cell" if notebook else "Ctrl-C"
        self._drilled = False
        self._choose = "program" if program else "choose"
        self._playing: set[str] = set()
        self._crashes: set[tuple[str, str]] = set()
        # By match, what the bot did that loses it: "your bot failed".
        self._faults: dict[str, str] = {}
        # By match, the board printed last.
        self._boards: dict[str, str] = {}
        self._server = ""
        self._page: str | None = None

    def lines(self, notice: notices.Notice) -> list[Text]:
        """The lines for `notice`; none if it isn't worth mentioning."""
        match notice:
            case notices.Connected(player, server, url, resumed, page):
                self._server, self._page = url, page
                if resumed:
                    return [_line(f"Connected again as {player}.", _GOOD)]
                lines = [_line(f"Connected to {url} ({server}) as {player}. ", _GOOD)]
                lines[0].append(f"Waiting for a match; {self._leave} leaves.")
                return lines if page is None else [*lines, _line(f"To watch: {page}", _DIM)]
            case notices.Unreachable(url, why, retry_s, attempt):
                # 1, 2, 4, 8 ...: a server that stays away must not fill the terminal.
                if attempt & (attempt - 1):
                    return []
                again = f"Trying again in {retry_s:.1f} s (attempt {attempt}) and so on; {self._leave} stops."
                return [_line(f"{url}: {why}. {again}", _WARN)]
            case notices.Challenged(opponent, game, games):
                times = f", {games} games" if games > 1 else ""
                return [_line(f"Challenged {opponent} to {game}{times}.")]
            case notices.SeriesWaits(why):
                return [_line(f"{why} Asking again until it works; {self._leave} stops.", _WARN)]
            case notices.NotCounted(match, again):
                after = "another is asked for" if again else "no more are asked for"
                return [_line(f"{_title(match)} does not count; {after}.", _WARN)]
            case notices.SeriesEnds():
                return _series(notice)
            case notices.Noticed(code, message):
                return [_line(message, _NOTICED[code])]
            case notices.VersionsDiffer():
                return [_line(_other_version(notice), _WARN)]
            case notices.MatchBegins():
                return [self._begins(notice)]
            case notices.Moved():
                return [self._moved(notice)]
            case notices.MatchEnds():
                return self._ends(notice)
            case notices.MatchGone(match):
                self._playing.discard(match.id)
                return [_line(f"{_title(match)}: ended while this client was away.", _WARN)]
            case notices.LateAnswer(match, ply, took_s):
                return [_line(_late(self._choose, match, ply, took_s), _WARN)]
            case notices.IllegalChoice(match, ply, board=board):
                what = self._answer(notice)
                self._faults[match.id] = f"your {what} at move {ply}, which is not legal"
                self._boards[match.id] = board
                return _illegal(what, notice)
            case notices.BotCrashed():
                crash = (notice.match.id, notice.report)
                if notice.instead is not None and crash in self._crashes:
                    again = (
                        f"The same at move {notice.ply}: {notice.instead} was played instead. Saved in {notice.file}."
                    )
                    return [_line(again, _WARN)]
                self._crashes.add(crash)
                if notice.gives_up:
                    what = "program failed" if self._program else f"bot raised an exception in {notice.where}"
                    self._faults[notice.match.id] = f"your {what}, and gave the match up"
                if notice.board is not None:
                    self._boards[notice.match.id] = notice.board
                return _crashed(notice, self._program)
            case notices.StillRunning(match, stack):
                return [_line(f"{STOOD_AT} when its time in match {match.id} ran out:", _WARN), _line(stack)]
            case notices.ServerError("illegal_action", match=match) if match in self._faults:
                return []
            case notices.ServerError(code, message, match):
                where = "" if match is None else f" (match {match})"
                return [_line(f"The server says{where}: {message} [{code}]", _WARN)]
            case notices.Warned(sentence):
                return [_line(sentence, _WARN)]
            case _:
                assert_never(notice)

    def _begins(self, notice: notices.MatchBegins) -> Text:
        match = notice.match
        if notice.resumed:
            return _line(f"{_title(match)} goes on.", "bold")
        self._playing.add(match.id)
        side = "you move first" if match.seat == 0 else f"{match.opponent} moves first"
        clock = "no clock" if match.move_s >= NO_CLOCK_S else f"{match.move_s:g} s a move"
        opening = f", {len(match.opening)} actions played already" if match.opening else ""
        return _line(_title(match), "bold").append(harmless(f": {side}, {clock}{opening}."))

    def _moved(self, notice: notices.Moved) -> Text:
        match, move = notice.match, notice.move
        mine = move.seat == match.seat
        which = f"{match.id} " if len(self._playing) > 1 else ""
        line = _line(f"  {which}{move.ply:3}  ", _DIM)
        line.append(harmless(f"{'you' if mine else match.opponent:12.12}  {move.name:8}"))
        slow = mine and move.charged_s > _SLOW * match.move_s
        line.append(f"{move.charged_s:7.3f} s", _WARN if slow else _DIM)
        return line.append(harmless(_found(notice.info)), _DIM)

    def _ends(self, notice: notices.MatchEnds) -> list[Text]:
        result = notice.result
        match = result.match
        self._playing.discard(match.id)
        word, style = _verdict(result)
        reason = _REASONS.get(result.reason, result.reason)
        fault, shown = self._faults.pop(match.id, None), self._boards.pop(match.id, None)
        lines = [] if notice.board in (None, shown) else [_line(notice.board)]
        if fault is not None and result.lost and result.reason in ("resign", "illegal"):
            lines.append(_line(f"{_title(match)}: {word}: {fault}.", style))
        else:
            lines.append(_line(f"{_title(match)}: {word} ({reason}). ", style).append(harmless(result.detail)))
        if result.lost and result.reason == "timeout" and notice.choose_s is not None:
            lines.append(_line(_overtime(self._choose, match, notice.choose_s, notice.choosing), _WARN))
        if result.lost and result.reason == "timeout" and notice.preparing_s is not None:
            lines.append(_line(_unready(match, notice.preparing_s), _WARN))
        if result.reason == "not_ready" and notice.preparing_s is not None:
            lines.append(_line(self._not_ready(match, notice.preparing_s), _WARN))
        if notice.receipt is not None:
            lines.append(_line(f"Receipt {notice.receipt[:16]}... (kept in {RECEIPTS})", _DIM))
        if result.lost and self._page is not None:
            lines += self._afterwards(match, kept=notice.receipt is not None)
        return lines

    def _afterwards(self, match: Match, *, kept: bool) -> Iterator[Text]:
        """What a loser can do; `kept`: the receipt tells the commands which server it was, and who."""
        server = "" if kept else f" --server {self._server.removesuffix(PATH)}"
        see = f"{self._page}/match/{match.id}, or {self._command} replay {match.id}{server}"
        yield _line(f"To see it again: {see}", _DIM)
        yield _line(f"Why it was lost: {self._command} why {match.id}{server}", _DIM)
        if not self._drilled:
            self._drilled = True
            me = "" if kept else f" --player {shlex.quote(match.players[match.seat])}"
            yield _line(f"Your losses as tests of your bot: {self._command} drill{server}{me}", _DIM)

    def _not_ready(self, match: Match, preparing_s: float) -> str:
        if preparing_s < _SLOW * match.ready_s:
            return f"Your bot connected or was restarted when the {match.ready_s:g} s to get ready had already begun."
        what = "this" if self._program else "__init__, warm_up and on_start together"
        took = f"Your bot was still getting ready after {preparing_s:.1f} s"
        return f"{took}; {what} may take {match.ready_s:g} s."

    def _answer(self, notice: notices.IllegalChoice) -> str:
        if notice.wrote is not None:
            return f"{self._choose} {notice.wrote}"
        what = f"{notice.action} ({notice.name})" if notice.name else str(notice.action)
        return f"{self._choose} {'answered' if self._program else 'returned'} {what}"


def _title(match: Match) -> str:
    return f"{match.game} against {match.opponent} (match {match.id})"


def _verdict(result: Result) -> tuple[str, str]:
    if result.won:
        return "you won", _GOOD
    if result.lost:
        return "you lost", _BAD
    return ("a draw", "bold") if result.drawn else ("no result", "bold")


def _series(notice: notices.SeriesEnds) -> list[Text]:
    void = sum(result is not None and not result.counts for result in notice.results)
    known = [result for result in notice.results if result is not None and result.counts]
    played = len(notice.results) - void
    head = f"{plural(played, 'game')} of {notice.game} against {notice.opponent}: "
    lines = [_line(f"{head}{_score(known)}.", "bold")]
    for seat, name in enumerate(("first", "second")):
        here = [result for result in known if result.match.seat == seat]
        if here and len(here) < len(known):
            lines.append(_line(f"  moving {name}: {_score(here)}"))
    faults = Counter(_REASONS[r.reason] for r in known if r.lost and r.reason != "rules")
    if faults:
        lines.append(_line("  avoidable losses: " + ", ".join(f"{n} {why}" for why, n in faults.items()), _WARN))
    if unknown := played - len(known):
        lines.append(_line(f"  {unknown} of them ended while this client was away", _WARN))
    if void:
        lines.append(_line(f"  {void} more did not count: void, or nobody was ready", _WARN))
    return lines


def _score(results: Sequence[Result]) -> str:
    return ", ".join(f"{sum(getattr(each, how) for each in results)} {how}" for how in ("won", "drawn", "lost"))


def _other_version(notice: notices.VersionsDiffer) -> str:
    differ = (
        f"The server runs version {notice.server}, and this is palestra-client {notice.client}. If something goes wrong"
    )
    if notice.page is None:
        return f"{differ}, ask its host for the matching version."
    return f"{differ}, install the matching version: {install_line('palestra-client', notice.page)}"


def _limit(match: Match) -> str:
    return f"the limit was {match.move_s:g} s"


def _unready(match: Match, preparing_s: float) -> str:
    # A match that ended while the bot was gone is told when it comes back.
    if preparing_s < (1 - _SLOW) * match.move_s:
        return f"Your bot connected or was restarted when the {match.move_s:g} s of that move had passed, or nearly so."
    took = f"Your bot was still getting ready after {preparing_s:.1f} s and had not begun to choose"
    return f"{took}: started again in a match that goes on, it gets ready on the time of its move ({match.move_s:g} s)."


def _overtime(choose: str, match: Match, choose_s: float, choosing: bool) -> str:
    if choosing and choose_s < match.move_s:
        gone = "the rest of it had passed before (a lost connection, a computer asleep, or another copy of your bot)"
        return f"Your {choose} was still running after {choose_s:.1f} s of the {match.move_s:g} s; {gone}."
    if choosing:
        return f"Your {choose} was still running after {choose_s:.1f} s; {_limit(match)}."
    if choose_s > match.move_s:
        return f"Your {choose} took {choose_s:.3f} s; {_limit(match)}."
    return (
        f"Your {choose} took {choose_s:.3f} s of {match.move_s:g} s and the answer arrived too late: "
        "leave a larger margin."
    )


def _late(choose: str, match: Match, ply: int, took_s: float) -> str:
    if took_s > match.move_s:
        answer = f"Its answer to move {ply} was not sent (match {match.id})."
        return f"Your {choose} took {took_s:.1f} s; {_limit(match)}. {answer}"
    return f"The match was over before your {choose} answered move {ply} (match {match.id}); nothing was sent."


def _found(info: Info | None) -> str:
    if info is None:
        return ""
    parts = []
    if info.depth is not None:
        parts.append(f"depth {info.depth}")
    if info.value is not None:
        parts.append(f"value {info.value:g}")
    if info.nodes is not None:
        parts.append(f"{info.nodes:,} nodes")
    if info.text:
        parts.append(info.text)
    return "   " + ", ".join(parts)


def _illegal(what: str, notice: notices.IllegalChoice) -> list[Text]:
    legal = ", ".join(f"{action} ({name})" for action, name in notice.legal)
    return [
        _line(f"Your {what} at move {notice.ply} of match {notice.match.id}: that is not legal.", _BAD),
        _line(notice.board),
        _line(f"Legal actions: {legal}."),
    ]


def _crashed(notice: notices.BotCrashed, program: bool) -> list[Text]:
    where = notice.where if notice.ply is None else f"{notice.where}, at move {notice.ply}"
    what = "program failed" if program else f"bot raised an exception in {where}"
    lines = [_line(f"Your {what} (match {notice.match.id}):", _BAD), _line(notice.report)]
    if notice.board is not None:
        lines += [_line("The position:"), _line(notice.board)]
    if notice.instead is not None:
        lines.append(_line(f"{notice.instead} was played instead; the match goes on.", _WARN))
    elif notice.gives_up:
        lines.append(_line("This match is given up; the bot plays on in its next match.", _WARN))
    if notice.file is not None:
        again = f" Play it again with:\n  {notice.command}" if notice.command is not None else ""
        lines.append(_line(f"Saved in {notice.file}.{again}"))
    if notice.problem is not None:
        lines.append(_line(notice.problem, _WARN))
    return lines


def _line(text: str, style: str = "") -> Text:
    return Text(harmless(text), style=style)
