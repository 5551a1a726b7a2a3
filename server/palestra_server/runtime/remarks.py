"""What the teacher reads about a tournament that stands still: a code and its values, and the sentence in English.

The records give the reason for a pause as the English sentence, so changing one of those sentences leaves old records
without a code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from palestra_tournament import Fault

_STAYS: Final = "{name} still takes part in {title}: "
_WITHDRAW: Final = ' To end that now: palestra-server tournament withdraw {tournament} "{name}"'
SENTENCES: Final = {
    # Why it is paused:
    "host": "The host paused it.",
    "break": "It is the break of {begin} to {end}.",
    "undrawn": "A round could not be drawn ({why}). Nothing is lost, and matches in progress are kept. "
    "'palestra-server tournament resume {name}' tries again; 'palestra-server tournament finish {name}' ends it with "
    "what was played.",
    # What keeps it from ending:
    "stuck": "Match {match} ({first} - {second}) cannot go on: {why}.",
    "repair": "All others are unaffected. Stop the server and run 'palestra-server repair'; if a match stays lost, "
    "play it again with 'palestra-server tournament repeat {name} MATCH'.",
    "house_bot": "{bot}, one of this server's bots, has not connected; its matches wait, and nobody loses because of "
    "it. Its last output is in {bot}.log in the data folder. To go on without it: 'palestra-server tournament withdraw "
    "{name} {bot}'; what it has not played then counts for nobody.",
    "damaged": "The tournament {name} cannot be read ({why}). If a game is missing, install it again and restart the "
    "server. Otherwise its matches are safe in the records ('palestra-server matches --tournament {name}'), but it "
    "can't be rebuilt from them: who took part, the seed, and whom you withdrew are in its own records only. Start the "
    "server from a backup ('palestra-server serve --data BACKUP'), or delete it with "
    "'palestra-server tournament delete {name}' and create it again under another name.",
    # What happens to the matches of a player who can no longer connect:
    "absent_loses": f"{_STAYS}it loses its remaining matches one by one.{_WITHDRAW}",
    "absent_withdrawn": f"{_STAYS}it loses its remaining matches one by one, and after {{count}} in a row {{name}} is "
    f"withdrawn.{_WITHDRAW}",
    "absent_waits": f"{_STAYS}the tournament waits for {{name}}, who can't come back.{_WITHDRAW}",
    # What a new player on the roster misses:
    "began_without": "{title} began without {names}: anybody added later plays in the next tournament.",
}
_BREAK: Final = re.compile(r"It is the break of (\d\d:\d\d) to (\d\d:\d\d)\.")


class Remark(Fault):
    sentences: ClassVar[Mapping[str, str]] = SENTENCES


def remark_parts(remark: Fault) -> dict[str, Any]:
    """A remark, or a fault of a tournament file, as it is sent."""
    place = {} if remark.line is None else {"line": remark.line}
    return {**place, "message": remark.sentence, "code": remark.code, "values": remark.values}


def pause_of(why: str) -> Remark | None:
    """The reason for a pause, from its sentence; None for a sentence by someone else, and for none."""
    hours = _BREAK.fullmatch(why)
    if hours is not None:
        return Remark("break", begin=hours[1], end=hours[2])
    return Remark("host") if why == SENTENCES["host"] else None
