"""A position of a drill, and the files of them: `positions.jsonl`, one JSON map a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError

from palestra_games import Game, State, UnknownGame, get_game, positions
from palestra_protocol import limits
from palestra_protocol.analysis import Cause
from palestra_protocol.english import sentence
from palestra_protocol.harmless import ForPeople

DEFAULT: Final = "drill"  # the folder
FILE: Final = "positions.jsonl"
READY: Final = Path(__file__).parent / "ready"  # by game, made by `palestra-bots drill`

_Actions = Annotated[tuple[Annotated[int, Field(ge=0, le=limits.ACTION_MAX)], ...], Strict(False)]


class NotADrill(ForPeople, ValueError):
    """There are no positions there; the text is a sentence."""


class Position(BaseModel):
    """After `actions` from the start of the game, `keeps` are all actions that keep the `value`.

    "better" is an estimate: these are clearly better than all others. "other": no search of `depth` plies would play
    what was `played`. "searched": the question is not what to play, but what a search of `depth` plies is worth: not
    `told`, what the fault of the bot made it say, where a correct search with the same evaluation says `sound`.

    `match` and `played`: where it comes from, and what was played there. `depth`: the plies that a plain search needs.
    `cause`: what the judge says is wrong there.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    game: str
    actions: _Actions
    keeps: _Actions
    value: Literal["won", "drawn", "better", "other", "searched"]
    move_ms: int = limits.MOVE_MS
    match: str | None = None
    played: int | None = None
    depth: int | None = None
    told: float | None = None
    sound: float | None = None
    cause: Cause | None = None

    @property
    def of_a_fault(self) -> bool:
        """Whether it shows a fault of the program, and not what it can't see or values otherwise."""
        return self.value in ("searched", "other")

    def __str__(self) -> str:
        where = "" if self.match is None else f", match {self.match}"
        return f"{self.game}{where}, move {len(self.actions)}"

    @property
    def rules(self) -> Game:
        return get_game(self.game)

    def state(self) -> State:
        """Raises ValueError if the rules installed here differ."""
        return positions(self.rules, self.actions)[-1]

    def named(self, actions: Iterable[int]) -> str:
        return " or ".join(map(self.rules.action_name, actions))

    def wanted(self) -> str:
        """What is to be found, as half a sentence."""
        if self.value == "searched":
            return f"a correct search with the same evaluation says {self.sound:g}{self._because()}"
        if self.value == "other":
            return f"looking {self.depth} moves ahead shows that it is bad{self._because()}"
        keeps = self.named(self.keeps)
        verb = "keeps" if len(self.keeps) == 1 else "keep"
        if self.value == "better":
            return f"{keeps} {'is' if len(self.keeps) == 1 else 'are'} clearly better, by an estimate"
        return f"{keeps} {verb} the {'win' if self.value == 'won' else 'draw'}"

    def _because(self) -> str:
        return "" if self.cause is None else f" (the judge: {sentence('cause', {'code': self.cause})})"


def read(place: str | Path) -> list[Position]:
    """Those of a folder, of a file, or the ready-made ones of a game. Raises NotADrill."""
    path = Path(place)
    if not path.exists() and (READY / f"{place}.jsonl").is_file():
        path = READY / f"{place}.jsonl"
    file = path / FILE if path.is_dir() else path
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        ready = ", ".join(sorted(each.stem for each in READY.glob("*.jsonl")))
        out = "" if str(place) == DEFAULT else f" --out {place}"
        raise NotADrill(
            f"There are no positions in {place}: `palestra drill{out}` writes those that you lost by, and there are "
            f"ready-made ones for {ready}."
        ) from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(Position.model_validate_json(line))
            found[-1].state()
        except (ValidationError, UnknownGame, ValueError):
            raise NotADrill(f"{file}, line {number}, is no position of a drill.") from None
    return found


def write(folder: Path, positions: Sequence[Position], bot: str) -> None:
    """Also the test. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{each.model_dump_json(exclude_none=True)}\n" for each in positions)
    (folder / FILE).write_text(lines, encoding="utf-8")
    template = Path(__file__).parents[1] / "templates" / "test_drill.py.txt"
    text = template.read_text(encoding="utf-8").format(bot=bot, folder=folder)
    (folder / "test_drill.py").write_text(text, encoding="utf-8")
