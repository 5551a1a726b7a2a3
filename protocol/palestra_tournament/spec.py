"""The tournament file: TOML, validated as a whole."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    Strict,
    ValidationError,
    model_serializer,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from palestra_games import game_names
from palestra_protocol import limits
from palestra_referee.layout import TOURNAMENT_NAME
from palestra_tournament.faults import Fault
from palestra_tournament.installed_formats import installed_formats
from palestra_tournament.interface import Format
from palestra_tournament.toml_faults import read_toml
from palestra_tournament.toml_places import Path, Place, layout, place_of


class SpecError(ValueError):
    """An invalid tournament file. `problems` are sentences, most of which name a key."""

    def __init__(self, problems: Sequence[Fault]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


def _custom(code: str, **values: str) -> PydanticCustomError:
    return PydanticCustomError("spec", "", {"code": code, "values": values})


def _known_games(names: tuple[str, ...]) -> tuple[str, ...]:
    known = game_names()
    strange = _listed(name for name in names if name not in known)
    if strange:
        raise _custom("no_game", names=strange, known=", ".join(known))
    return _distinct(names)


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    twice = _listed(name for name in names if names.count(name) > 1)
    if twice:
        raise _custom("listed_twice", names=twice)
    return names


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in dict.fromkeys(names))


def _format(value: object) -> Format:
    """The format with the values of its keys, given as both."""
    if isinstance(value, tuple):
        kind, own = value
        return cast("type[Format]", kind).model_validate(own)
    # By its title, too, which is what the page calls it.
    known = {word: each for each, kind in installed_formats().items() for word in (kind.title.casefold(), each)}
    near = difflib.get_close_matches(str(value).casefold(), known, 1)
    choices = {"choices": _listed(installed_formats()), "value": repr(value)}
    raise _custom("choice_near", **choices, near=known[near[0]]) if near else _custom("choice", **choices)


def _daily_break(value: object) -> object:
    if isinstance(value, tuple):
        return value
    try:
        first, last = (time.fromisoformat(part.strip()) for part in str(value).split("-"))
    except ValueError:
        raise _custom("break", text=str(value)) from None
    if first == last:
        raise _custom("no_break", text=str(value))
    return first, last


_Name = Annotated[str, Field(min_length=1, max_length=limits.NAME_MAX)]
_Names = Annotated[tuple[_Name, ...], Strict(False), AfterValidator(_distinct)]
_Games = Annotated[tuple[str, ...], Strict(False), Field(min_length=1), AfterValidator(_known_games)]
_Format = Annotated[Format, PlainValidator(_format), PlainSerializer(lambda chosen: chosen.name)]
_Points = Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False), Strict(False)]
_Break = Annotated[tuple[time, time], BeforeValidator(_daily_break)]


class Table(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Clock(Table):
    """The clock of every match, in milliseconds.

    `away` says what pays for a lost connection: the "bank" of `away_ms`, or the move's "clock", which keeps running.
    """

    move_ms: Annotated[int, Field(ge=limits.SEAT_MS_MIN, le=limits.SEAT_MS_MAX)] = limits.MOVE_MS
    grace_ms: Annotated[int, Field(ge=0, le=10_000)] = limits.GRACE_MS
    ready_ms: Annotated[int, Field(ge=100, le=3_600_000)] = limits.READY_MS
    away_ms: Annotated[int, Field(ge=0, le=3_600_000)] = limits.AWAY_MS
    away: Literal["clock", "bank"] = "bank"


class Chosen(Table):
    """Who takes part, if not everybody: groups on the roster, and players by name."""

    groups: _Names = ()
    players: _Names = ()

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, values: Any) -> Any:
        if isinstance(values, dict) and values and not any(_near(f"who.{key}") for key in values):
            raise _custom("who_key")  # one sentence, whatever its keys are
        return values


class BeatRule(Table):
    """`points` for scoring more than half against the reference bot `level`, in `game` or in all games together."""

    level: _Name
    points: _Points
    game: str | None = None


class RatingRule(Table):
    """`points` if the whole 95 % interval of the rating is at or above `at_least`."""

    at_least: int
    points: _Points


class TopRule(Table):
    """`points` for ranking among the first `places`, not counting reference bots."""

    places: Annotated[int, Field(ge=1)]
    points: _Points


class ShareRule(Table):
    """`points` times the share of matches without a fault, or of matches the bot turned up for."""

    points: _Points


class Rules(Table):
    """What the rubrics of tournaments and of seasons have in common."""

    maximum: Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False), Strict(False)] = 10.0
    base: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False), Strict(False)] = 0.0
    rating: Annotated[tuple[RatingRule, ...], Strict(False)] = ()
    participation: ShareRule | None = None
    top: Annotated[tuple[TopRule, ...], Strict(False)] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no rule could give a point."""
        return not any(rule for name, rule in self if name != "maximum")


class Rubric(Rules):
    beats: Annotated[tuple[BeatRule, ...], Strict(False)] = ()
    reliability: ShareRule | None = None


class Spec(Table):
    """A tournament, as described by its file; `example_spec` explains each key.

    In the file, the keys of the format stand beside the others.
    """

    name: Annotated[str, Field(pattern=TOURNAMENT_NAME)]
    title: Annotated[str, Field(max_length=100)] = ""
    games: _Games
    format: _Format
    pairs: Annotated[int, Field(ge=1, le=50)] = 1
    swap: bool = True
    seeding: Literal["draw", "roster"] = "draw"
    seed: Annotated[int, Field(ge=0, le=limits.SEQ_MAX)] | None = None
    openings: bool = True
    opening_plies: Annotated[int, Field(ge=0, le=8)] = 2
    who: Literal["all"] | Chosen = "all"
    reference: _Names = ()
    start: datetime | None = None
    breaks: Annotated[tuple[_Break, ...], Strict(False)] = ()
    per_bot: Annotated[int, Field(ge=1, le=16)] = 1
    absent: Literal["lose", "wait"] = "lose"
    withdraw_after: Annotated[int, Field(ge=0, le=100)] = 3
    warm_up: bool = False
    after_warm_up: Literal["wait", "start"] = "wait"
    embargo: Literal["none", "last-round"] = "none"
    clock: Clock = Clock()
    grades: Rubric = Rubric()

    _sha256: str = PrivateAttr("")

    @property
    def sha256(self) -> str:
        """Of the file that it was parsed from, in hex."""
        return self._sha256

    @model_validator(mode="before")
    @classmethod
    def _with_its_format(cls, values: dict[str, Any]) -> dict[str, Any]:
        kind, own_keys = _kind(values), _own_keys()
        rest = {key: value for key, value in values.items() if key in cls.model_fields or key not in own_keys}
        if kind is None:
            return rest
        return {**rest, "format": (kind, {key: value for key, value in values.items() if key in kind.model_fields})}

    @model_serializer(mode="wrap")
    def _as_in_file(self, rest: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        own = self.format.model_dump(mode=info.mode, exclude_defaults=info.exclude_defaults)
        return {**rest(self), **own}

    @property
    def display_name(self) -> str:
        """What people call it."""
        return self.title or self.name

    def invites(self, name: str, group: str) -> bool:
        """Whether a player on the roster takes part."""
        if self.who == "all" or name in self.who.players:
            return True
        return group != "" and group_key(group) in {group_key(each) for each in self.who.groups}


def _kind(values: Mapping[str, Any]) -> type[Format] | None:
    """The format that a file names; None if there is none of that name."""
    name = values.get("format")
    return installed_formats().get(name) if isinstance(name, str) else None


def _own_keys() -> dict[str, list[str]]:
    """The formats that have it, for each key that only some have."""
    keys: dict[str, list[str]] = {}
    for name, kind in installed_formats().items():
        for key in kind.model_fields:
            keys.setdefault(key, []).append(name)
    return keys


def group_key(group: str) -> str:
    """What all spellings of a group have in common: "b" and "B" are one."""
    return " ".join(unicodedata.normalize("NFKC", group).casefold().split())


def parse_spec(text: str, bots: Sequence[str] | None = None) -> Spec:
    """Raises SpecError with everything that is wrong with the file.

    `bots` are the reference bots that exist; None accepts any name.
    """
    values, read, faults = read_toml(text)
    found: list[tuple[Path, Fault]] = []
    unsound: set[str | int] = set()
    spec = None
    try:
        spec = Spec.model_validate(values)
    except ValidationError as error:
        problems = [problem for problem in error.errors() if not _is_idle(problem)]
        unsound = {problem["loc"][0] for problem in problems if problem["loc"]}
        # For a union, every alternative reports a problem; the last one is enough. If the TOML has faults, keys that
        # seem missing or misplaced may be due to them.
        found = list(
            {
                (path := _path(problem["loc"])): (path, fault_of(problem))
                for problem in problems
                if not (faults and problem["type"] in ("missing", "extra_forbidden"))
            }.values()
        )
    sound = {key: value for key, value in values.items() if key not in unsound}
    found += _misplaced(values)
    found += _inconsistent(sound, bool(faults) or "reference" in unsound)
    if spec is not None:
        found += [((str(fault.values["key"]),), fault) for fault in spec.format.faults(None)]
    if bots is not None:
        strange = [(at, name) for at, name in enumerate(sound.get("reference", ())) if name not in bots]
        found += [(("reference", at), Fault("no_bot", name=name, known=", ".join(bots))) for at, name in strange]
    if faults or found or spec is None:
        where = layout(read).places
        told = [*faults, *(placed(fault, where, path) for path, fault in found)]
        raise SpecError(sorted(told, key=lambda fault: (fault.line is None, fault.line or 0, fault.column or 0)))
    spec._sha256 = sha256(text.encode()).hexdigest()
    return spec


def faults_of(spec: Spec, text: str, players: int) -> list[Fault]:
    """What the file that `spec` was parsed from asks for and so many players can't give."""
    where = layout(text).places
    return [placed(fault, where, (str(fault.values["key"]),)) for fault in spec.format.faults(players)]


def placed(fault: Fault, where: Mapping[Path, Place], path: Path) -> Fault:
    place = place_of(where, path)
    return fault if place is None else fault.at(*place)


def _inconsistent(values: Mapping[str, Any], unsure: bool) -> Iterator[tuple[Path, Fault]]:
    """Problems between keys that are valid on their own. `unsure`: more bots may have been meant for 'reference'."""
    reference, games = values.get("reference", ()), values.get("games")
    kind = _kind(values)
    if kind is not None and kind.needs_references and not reference and not unsure:
        yield ("format",), Fault("no_reference", format=kind.name)
    if kind is not None and not kind.has_last_round and values.get("embargo") == "last-round":
        yield ("embargo",), Fault("no_last_round", format=kind.name)
    for number, rule in enumerate(values.get("grades", {}).get("beats", ())):
        level, game, path = rule["level"], rule.get("game"), ("grades", "beats", number)
        if level not in reference and not unsure:
            yield (*path, "level"), Fault("beats_level", level=level)
        if game is not None and games is not None and game not in games:
            yield (*path, "game"), Fault("beats_game", game=game)


def _misplaced(values: Mapping[str, Any]) -> list[tuple[Path, Fault]]:
    """Keys of other formats: they would be silently ignored."""
    kind = _kind(values)
    if kind is None:
        return []
    return [
        ((key,), Fault("no_effect", key=key, formats=", ".join(names), format=kind.name))
        for key, names in _own_keys().items()
        if key in values and key not in Spec.model_fields and kind.name not in names
    ]


_CODES: Final = {
    "int_type": "int",
    "float_type": "number",
    "float_parsing": "number",
    "bool_type": "bool",
    "string_type": "text",
    "tuple_type": "list",
    "datetime_type": "date",
    "model_type": "table",
    "dict_type": "table",
    "too_short": "empty",
    "string_too_short": "empty",
}
# pydantic's name of a violated limit: our code, and the key of the limit.
_LIMITS: Final = {
    "greater_than_equal": ("least", "ge"),
    "less_than_equal": ("most", "le"),
    "greater_than": ("above", "gt"),
    "string_too_long": ("long", "max_length"),
}


def _is_idle(problem: ErrorDetails) -> bool:
    """Whether it only complains that a table isn't "all"."""
    return problem["type"] == "literal_error" and isinstance(problem["input"], dict)


def _path(place: tuple[int | str, ...]) -> Path:
    """Where it is in the file."""
    # Pydantic includes the alternative it tried ("Chosen", "literal['all']") in the path. The format's own keys stand
    # beside the others.
    place = place[1:] if place[:1] == ("format",) and place[1:] else place
    return tuple(part for part in place if isinstance(part, int) or (part.isidentifier() and not part[0].isupper()))


def _key(place: tuple[int | str, ...]) -> str:
    return ".".join(part for part in _path(place) if isinstance(part, str))


def fault_of(problem: ErrorDetails) -> Fault:
    """What pydantic found wrong with a file."""
    key, kind, context = _key(problem["loc"]), problem["type"], problem.get("ctx", {})
    value = repr(problem["input"])
    if kind == "missing":
        return Fault("missing", key=key)
    if kind == "extra_forbidden":
        near = _near(key)
        return Fault("unknown_key", key=key) if near is None else Fault("unknown_key_near", key=key, near=near)
    if kind == "spec":
        return Fault(context["code"], key=key, **context["values"])
    if key in ("who", "name"):
        return Fault(key, value=value)
    if kind == "literal_error":
        return Fault("choice", key=key, choices=context["expected"], value=value)
    if kind in _CODES:
        return Fault(_CODES[kind], key=key, value=value)
    if kind in _LIMITS:
        code, limit = _LIMITS[kind]
        return Fault(code, key=key, value=value, limit=context[limit])
    message = problem["msg"].replace("Input should", "it should").removeprefix("Value error, ").rstrip(".")
    return Fault("other", key=key, value=value, message=message)


def _near(key: str) -> str | None:
    table, _, last = key.rpartition(".")
    tables: dict[str, type[Table]] = {"clock": Clock, "grades": Rubric, "who": Chosen}
    known = tables[table].model_fields if table in tables else (*Spec.model_fields, *_own_keys())
    near = difflib.get_close_matches(last, known, 1)
    return near[0] if near else None
