"""What is wrong with a tournament file: a code and its values, for any language, and the sentence in English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, Self

SENTENCES: Final = {
    # Not TOML:
    "not_toml": "The file is not TOML: {error}.",
    "twice": "{key} appears a second time; keep only one of them.",
    "curled": "these quotes are a word processor's; use straight ones, \".",
    "heading": "a heading is a word in brackets, such as [clock], on a line of its own.",
    "no_setting": "{text} is not a setting; a setting is written key = value, and a comment begins with #.",
    "no_value": "{key}: there is nothing after the =; write a value, or put a # in front of the line.",
    "bool_word": "{key}: {text} is not a value; write true or false, in small letters.",
    "quotes": "{key}: a text needs quotes at both ends and none inside, unlike {text}.",
    "open": "{key}: the {bracket} is never closed; write {closing} where it ends.",
    "bare": '{key}: a text needs quotes; write {key} = "{text}".',
    "no_list": "{key}: {text} is not a list; put commas between its entries, and quotes around texts.",
    "decimal": "{key}: a decimal number needs a point, and a list needs brackets; {text} has neither.",
    "odd_value": "{key}: {text} is not a value; write a text in quotes, a number, true or false, a date like "
    "2026-12-01T09:00:00, or a list in brackets.",
    # A key or its value:
    "missing": "'{key}' is missing.",
    "unknown_key": "'{key}' is not a key of a tournament file.",
    "unknown_key_near": "'{key}' is not a key of a tournament file; did you mean '{near}'?",
    "who": '\'who\' must be "all" or a table such as {{ groups = ["A"] }}, not {value}.',
    "name": "'name' must be 1 to 40 small letters, digits or hyphens, and not begin with a hyphen; {value} is not.",
    "choice": "'{key}' must be one of {choices}, not {value}.",
    "int": "'{key}' must be a whole number, not {value}.",
    "number": "'{key}' must be a number, not {value}.",
    "bool": "'{key}' must be true or false, not {value}.",
    "text": "'{key}' must be a text in quotes, not {value}.",
    "list": "'{key}' must be a list in brackets, not {value}.",
    "date": "'{key}' must be a date with a time, like 2026-12-01T09:00:00, not {value}.",
    "table": "'{key}' must be a table, not {value}.",
    "empty": "'{key}' must not be empty.",
    "least": "'{key}' is {value}: it should be {limit} or more.",
    "most": "'{key}' is {value}: it should be {limit} or less.",
    "above": "'{key}' is {value}: it should be more than {limit}.",
    "long": "'{key}' is {value}: it should have at most {limit} characters.",
    "other": "'{key}' is {value}: {message}.",
    "no_game": "'{key}': there is no game {names}; this server knows {known}.",
    "listed_twice": "'{key}': {names} must not be listed twice.",
    "break": "'{key}': a break is written like '22:00-07:00', not '{text}'.",
    "no_break": "'{key}': the break '{text}' begins and ends at the same time.",
    # Keys that do not go together:
    "no_effect": "'{key}' is for {formats}; it has no effect with format = \"{format}\", so leave it out.",
    "no_reference": "'reference' is missing: a gauntlet needs reference bots, such as reference = [\"level1\"].",
    "beats_level": "'grades.beats' names '{level}', which must be in 'reference' to be played against.",
    "beats_game": "'grades.beats' names the game '{game}', which is not among 'games'.",
    "no_bot": "'reference': there is no reference bot {name}: choose among {known}.",
    # Nothing wrong with the file, but perhaps not what was meant:
    "not_on_roster": "{name} is not on the roster.",
    "empty_group": "Nobody on the roster is in the group {group}.",
    "bot_and_player": "{name} is both a reference bot and on the roster.",
    "nobody": "Nobody on the roster takes part yet.",
    "no_bots_here": "The reference bots are not installed here: install the package palestra-bots.",
    "past_start": "Its start is in the past: it will begin as soon as it is created.",
}


class Fault(str):
    """The sentence in English, after the line of the file (from 1) if the fault is in one.

    `sentences`: in English, by code; a subclass may have others.
    """

    sentences: ClassVar[Mapping[str, str]] = SENTENCES
    sentence: str
    code: str
    values: Mapping[str, object]
    line: int | None

    def __new__(cls, code: str, line: int | None = None, **values: object) -> Self:
        place = "" if line is None else f"line {line}: "
        sentence = cls.sentences[code].format(**values)
        self = super().__new__(cls, place + sentence)
        self.sentence, self.code, self.values, self.line = sentence, code, values, line
        return self

    def at(self, line: int) -> Self:
        return type(self)(self.code, line, **self.values)
