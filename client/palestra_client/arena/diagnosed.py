"""What a judge says of matches, in sentences: where they were decided, what is wrong with the programs, how we know."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from palestra_client.address import install_line
from palestra_client.arena.replaying import Played
from palestra_client.judges import BUSY, NotJudged, installed_judge
from palestra_client.others import earlier_of
from palestra_client.page import NoAnswer, ask, match_address
from palestra_games import Game, get_game
from palestra_protocol.analysis import Analysis, Diagnosis, Flaw
from palestra_protocol.english import Language, sentence

FLAWS: Final[tuple[str, ...]] = get_args(Flaw)


def analysis_of(page: str, told: Mapping[str, Any], token: str | None, until: float) -> Analysis:
    """Of a match of the server with this page: the server's, else that of the judge installed here, else the server's
    again, if a judge is at work there, until this time of the monotonic clock.

    Raises NotJudged, NoAnswer, and ValueError as the judge does.
    """
    while True:
        try:
            return Analysis.model_validate(ask(f"{match_address(page, told['match'])}/analysis", token))
        except NoAnswer as error:
            if error.status != 404:
                raise
            again_s = error.again_s
        if (judge := installed_judge()) is not None:
            return judge(told, earlier_of(page, told, token))
        if again_s is None:
            raise NotJudged(f"To judge it on this machine, install the judge: {install_line('palestra-bots', page)}")
        if time.monotonic() + again_s > until:
            raise NotJudged(BUSY)
        time.sleep(again_s)


def of_match(played: Played, analysis: Analysis, again: str, language: Language = "en") -> Iterator[str]:
    """`again`: what `palestra replay` shows the match by."""

    def said(code: str, **values: object) -> str:
        return sentence("judge", {"code": code, **values}, language)

    game = get_game(analysis.game)
    decisive = analysis.decisive
    sure = {move.ply: move.estimate is None for move in analysis.moves}
    by_the_rules = played.reason == "rules"
    if not by_the_rules:  # a crash or the clock ended it, whatever the board was worth
        yield sentence("why", played.told["why"], language)
    named = [found for found in analysis.diagnoses if "of" in found.values]
    winner = next((seat for seat in (0, 1) if played.returns and played.returns[seat] > 0), None)
    for found in named:
        yield _diagnosis(played, analysis, found, game, language)
        yield said("look", match=again, ply=found.ply)
    if decisive is None and by_the_rules:
        drawn = played.returns is not None and played.returns[0] == played.returns[1]
        start = next((move for move in analysis.moves if played.returns and played.returns[move.seat] < 0), None)
        if start is not None and start.estimate is None and start.value < 0:
            yield said("from_start", player=played.players[start.seat])
        else:
            yield said("drawn" if drawn else "undecided")
    elif decisive is not None:
        yield said(
            "decisive" if sure[decisive.ply] else "estimated",
            player=played.players[decisive.seat],
            ply=decisive.ply,
            action=game.action_name(decisive.action),
            better=game.action_name(decisive.better),
        )
        for code, line in ("line", decisive.line), ("refutation", decisive.refutation):
            yield said(code, line=", ".join(map(game.action_name, line)))
        yield said("look", match=again, ply=decisive.ply)
    for found in analysis.diagnoses:
        if found.seat == winner:
            continue
        if found not in named:
            yield _diagnosis(played, analysis, found, game, language)
        if found.line:
            yield said("proof", match=again, ply=found.ply, line=",".join(map(str, found.line)))
    for seat, accuracy in enumerate(analysis.accuracy):
        kept, choices = sum(accuracy.kept), sum(accuracy.choices)
        if choices:
            yield said("accuracy", player=played.players[seat], kept=kept, choices=choices)


def of_all(found: Sequence[tuple[Played, Analysis]], language: Language = "en") -> Iterator[str]:
    """The faults that come again in the losses of each player."""
    losses, causes = Counter[str](), dict[str, Counter[str]]()
    for played, analysis in found:
        for seat, player in enumerate(played.players):
            if played.returns is not None and played.returns[seat] < 0:
                losses[player] += 1
                first = next((each.code for each in analysis.diagnoses if each.seat == seat), None)
                causes.setdefault(player, Counter()).update([first] if first else [])
    for player, counted in causes.items():
        for code, count in counted.most_common(3):
            cause = sentence("cause", {"code": code}, language)
            said = {"player": player, "cause": cause, "count": count, "losses": losses[player]}
            yield sentence("judge", {"code": "repeated", **said}, language)


def _diagnosis(played: Played, analysis: Analysis, found: Diagnosis, game: Game, language: Language) -> str:
    values: dict[str, object] = {
        key: round(value, 2) if key in ("told", "sound") and value % 1 else round(value)
        for key, value in found.values.items()
    }
    move = next((move for move in analysis.moves if move.ply == found.ply), None)
    if move is not None:
        values |= {"action": game.action_name(move.action), "better": game.action_name(move.best)}
    if "worth" in values:
        worth = found.values["worth"]
        values["worth"] = sentence("worth", {"code": (worth > 0) - (worth < 0)}, language)
    values |= {"player": played.players[found.seat], "ply": found.ply}
    if "of" in values:
        evidence = "others" if "matches" in values else "fits"
        parts = [("diagnosis", str(found.code)), ("diagnosis", evidence), ("mend", found.code)]
    else:
        parts = [("diagnosis", "there" if found.code in FLAWS else found.code)]
    return "".join(sentence(kind, {**values, "code": code}, language) for kind, code in parts)
