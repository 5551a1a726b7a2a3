"""The referee of a match: pure and event-sourced. `automaton` holds the table of what each event does.

    match, effects = start(config, at)            # then, for each event:
    match, effects = step(match, event)           # perform the effects in order
    match = replay(events)                        # rebuild a match from its journal

Times (`at`) are nanoseconds on a monotonic axis of the match's own, which keeps increasing across restarts.
"""

from palestra_referee.automaton import after_opening, replay, start, step
from palestra_referee.canonical import canonical_json
from palestra_referee.clock import MS, Clock
from palestra_referee.effects import (
    Append,
    AwaitDurable,
    Effect,
    Finish,
    Reject,
    SendEnd,
    SendPlayed,
    SendStart,
    SendTurn,
    SetAlarm,
    Step,
)
from palestra_referee.events import (
    Acted,
    AlarmDue,
    Attached,
    BecameReady,
    Created,
    Detached,
    Durable,
    Event,
    MatchConfig,
    Resigned,
    Restarted,
    Stamp,
    TurnWritten,
    Voided,
)
from palestra_referee.match import Match, Move, Outcome, Phase
from palestra_referee.receipts import link, receipt
from palestra_referee.records import event_from_line, event_from_record, event_to_record, record_line
