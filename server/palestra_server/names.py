"""Names that can be seen and told apart (Unicode Technical Standard 39, "Unicode Security Mechanisms").

Two names are alike if people might mistake one for the other: "ana" and "ANA", "Ivan" and "lvan", Latin "ana" and "аna"
with a Cyrillic letter, or two that differ only in invisible characters. The tables of look-alike characters are
Unicode's `confusables.txt`, from the library confusable-homoglyphs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Final

from confusable_homoglyphs.confusables import confusables_data

from palestra_protocol.limits import NAME_MAX

# Characters in a guest's name; names on the roster may have NAME_MAX, since they may be full names.
GUEST_NAME_MAX: Final = 32

# Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties.txt): invisible characters of any category.
_IGNORABLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BLANKS: Final = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_BLANK_BRAILLE: Final = "\u2800"
# Spreadsheets treat a cell that begins with one of these as a formula.
_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_MARKS: Final = re.compile("([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2,})")


def clean_name(name: str, longest: int = NAME_MAX) -> str | None:
    """The normalised name: NFC, single spaces; None if it can't be a name.

    A name has 1 to `longest` visible characters, at least one letter, digit or symbol, and is no formula.
    """
    clean = unicodedata.normalize("NFC", _BLANKS.sub(" ", name).strip(" "))
    shown = clean.isprintable() and not _IGNORABLE.search(clean) and _BLANK_BRAILLE not in clean
    # Accents or dots alone, with no letter to carry them, are not a name; neither is "..".
    told = any(unicodedata.category(character)[0] in "LNS" for character in clean)
    return clean if shown and told and len(clean) <= longest and not clean.startswith(_FORMULA) else None


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """The first of `others` that could be mistaken for `name` (or equals it); None if there is none."""
    mine = shapes(name)
    return next((other for other in others if not mine.isdisjoint(shapes(other))), None)


def unaccented(name: str) -> str:
    """In lower case and without accents: lists of one class often have the same student with and without."""
    letters = unicodedata.normalize("NFD", name.casefold())
    return "".join(letter for letter in letters if not "\u0300" <= letter <= "\u036f")


def nearest(name: str, others: Iterable[str]) -> str | None:
    """The one of `others` that may be meant by a name with a typing error; None if none is near."""
    plain = {other.casefold(): other for other in others}
    found = get_close_matches(name.casefold(), plain, n=1)
    return plain[found[0]] if found else None


def visible(text: str, keep: str = "") -> str:
    """Escapes each unprintable character (C0 and C1 controls, line ends, changes of direction) of text from outside,
    except those in `keep`.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in keep else character.encode("unicode_escape").decode()
        for character in text
    )


@lru_cache(8192)
def shapes(name: str) -> frozenset[str]:
    """How the name looks as written, and in lower case: "Ivan" looks like "lvan", and means "ivan".

    Two names are alike if they have a shape in common.
    """
    plain = unicodedata.normalize("NFKC", _IGNORABLE.sub("", name))
    return frozenset(_skeleton(form).casefold() for form in (plain, plain.casefold()))


@lru_cache(8192)
def guises(name: str) -> frozenset[str]:
    """How a name looks to those who don't mind its accents either: a guest must not pass for a student so."""
    return shapes(name) | shapes(unaccented(name))


def _skeleton(name: str) -> str:
    """UTS 39, section 4; moreover, the order of accents on one letter does not matter."""
    prototypes = _prototypes()
    decomposed = unicodedata.normalize("NFD", name)
    replaced = "".join(prototypes.get(character, character) for character in decomposed)
    ordered = _MARKS.sub(lambda marks: "".join(sorted(marks[0])), unicodedata.normalize("NFD", replaced))
    return "".join(ordered.split())


@cache
def _prototypes() -> dict[str, str]:
    """Each character's prototype, which stands for all its look-alikes.

    The library lists look-alikes in both directions. Each character has one prototype, so linked characters form stars,
    and any member of a star may stand for it; but where one is a sequence ("rn" for "m"), it must be that one.
    """
    links = {_bare(one): [_bare(other["c"]) for other in others] for one, others in confusables_data.items()}
    chosen: dict[str, str] = {}
    for first in links:
        if first in chosen:
            continue
        star, found = [first], {first}
        for one in star:
            fresh = [other for other in links.get(one, ()) if other not in found]
            star += fresh
            found.update(fresh)
        chosen |= dict.fromkeys(star, max(star, key=lambda text: (len(text), -ord(text[0]))))
    return {one: prototype for one, prototype in chosen.items() if len(one) == 1 and one != prototype}


def _bare(text: str) -> str:
    """Without the direction marks that Unicode's table puts around right-to-left letters."""
    return text.strip("\u200e") or text
