"""What a judge says of matches, in sentences: where they were decided, what is wrong with the programs, how we know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, get_args

from palestra_client.arena.replaying import Played
from palestra_games import Game, get_game
from palestra_protocol.analysis import Analysis, Diagnosis, Flaw
from palestra_protocol.english import sentence

FLAWS: Final[tuple[str, ...]] = get_args(Flaw)


def of_match(played: Played, analysis: Analysis, again: str) -> Iterator[str]:
    """`again`: what `palestra replay` shows the match by."""
    game = get_game(analysis.game)
    decisive = analysis.decisive
    sure = {move.ply: move.estimate is None for move in analysis.moves}
    by_the_rules = played.reason == "rules"
    if not by_the_rules:
        yield played.detail  # a crash or the clock ended it, whatever the board was worth
    if decisive is None and by_the_rules:
        drawn = played.returns is not None and played.returns[0] == played.returns[1]
        yield _said("drawn" if drawn else "undecided")
    elif decisive is not None:
        yield _said(
            "decisive" if sure[decisive.ply] else "estimated",
            player=played.players[decisive.seat],
            ply=decisive.ply,
            action=game.action_name(decisive.action),
            better=game.action_name(decisive.better),
        )
        for code, line in ("line", decisive.line), ("refutation", decisive.refutation):
            yield _said(code, line=", ".join(map(game.action_name, line)))
        yield _said("look", match=again, ply=decisive.ply)
    for found in analysis.diagnoses:
        yield _diagnosis(played, analysis, found, game)
        if found.line:
            yield _said("proof", match=again, ply=found.ply, line=",".join(map(str, found.line)))
        elif "fits" in found.values:
            yield _said("look", match=again, ply=found.ply)
    for seat, accuracy in enumerate(analysis.accuracy):
        kept, choices = sum(accuracy.kept), sum(accuracy.choices)
        if choices:
            yield _said("accuracy", player=played.players[seat], kept=kept, choices=choices)


def of_all(found: Sequence[tuple[Played, Analysis]]) -> Iterator[str]:
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
            cause = sentence("cause", {"code": code})
            yield _said("repeated", player=player, cause=cause, count=count, losses=losses[player])


def _diagnosis(played: Played, analysis: Analysis, found: Diagnosis, game: Game) -> str:
    values: dict[str, object] = {
        key: value if key in ("told", "sound") and value % 1 else round(value) for key, value in found.values.items()
    }
    move = next((move for move in analysis.moves if move.ply == found.ply), None)
    if move is not None:
        values |= {"action": game.action_name(move.action), "better": game.action_name(move.best)}
    if "worth" in values:
        worth = found.values["worth"]
        values["worth"] = sentence("worth", {"code": "won" if worth > 0 else "lost" if worth < 0 else "even"})
    values |= {"player": played.players[found.seat], "ply": found.ply}
    text = sentence("diagnosis", {**values, "code": found.code})
    if found.code in FLAWS:
        text += sentence("diagnosis", {**values, "code": "fits" if "fits" in found.values else "there"})
    return text


def _said(code: str, **values: object) -> str:
    return sentence("judge", {"code": code, **values})
