"""Tournaments: pure and event-sourced, like the referee. No clock, no randomness, no sockets.

    created = create(spec, seed, salt, at_ms)           # the first event, published before the roster closes
    t, effects = begin(spec, entrants, seed, at_ms, salt=salt)     # then, for each event:
    t, effects = step(t, event)                         # perform the effects in order
    t = replay(spec, events)                            # rebuild a tournament from the store

| event        | running                                    | paused | completed  |
|--------------|--------------------------------------------|--------|------------|
| MatchStarted | the fixture is being played                | same   |            |
| Ended        | records the result; maybe withdrawals, new | same   |            |
|              | fixtures, completed                        |        |            |
| Joined       | the player is in, and maybe new fixtures   | same   |            |
| Withdrew     | the player loses whatever hasn't begun     | same   |            |
| Reinstated   | the player is paired again, and may play   | same   | same, and  |
|              | the matches lost by walkover               |        | it goes on |
| Paused       | nothing new begins                         |        |            |
| Resumed      | Closed is taken back                       | resumes| same as    |
|              |                                            |        | running    |
| Revealed     | the embargo is lifted                      | same   | same       |
| Closed       | nothing new begins; completed once nothing | same   |            |
|              | is being played                            |        |            |
| Ruled        | a match that is over counts otherwise, or  | same   | same, and  |
|              | is played again                            |        | it goes on |

A blank, or an event that doesn't fit (a second result for a fixture, an unknown fixture), changes nothing and has no
effects. Whatever changes the tournament has Record(event) as its first effect, so a tournament is the fold of its
records. The other effects report news: Notify, Completed.

The shell starts matches, because it knows who is connected and how many matches there is room for: it takes a fixture
from `playable(t)`, records MatchStarted with the id of the match, starts the match, and hands in Ended once the result
is on disk. A `void` match is played again, up to three times. After a restart, the match of each fixture in `t.playing`
is over (hand in Ended), still going, or was never started (start it, under its id).
Scheduled starts and breaks are the shell's job: it hands in Paused and Resumed.

The schedule is a function of the file, the order of the entrants, the seed, and the results in the order in which they
came in; `draws` says how random choices are made.
"""

from palestra_tournament.automaton import begin, create, playable, replay, step
from palestra_tournament.csv_tables import crosstable_csv, grades_csv, safe_cell, schedule_csv, standings_csv
from palestra_tournament.ended_early import first_incomplete
from palestra_tournament.entering import FIXTURES_MAX, check_entrants, join, too_large
from palestra_tournament.events import (
    Began,
    Closed,
    Completed,
    Created,
    Ended,
    Event,
    Joined,
    MatchStarted,
    Notify,
    Paused,
    Record,
    Reinstated,
    Resumed,
    Revealed,
    Step,
    Withdrew,
)
from palestra_tournament.examples import example_spec
from palestra_tournament.faults import Fault, Refused
from palestra_tournament.formats.meetings import matches_of_a_meeting, meeting
from palestra_tournament.formats.pairing import PairRound, Pairs, Round, pair_round
from palestra_tournament.grading import grades
from palestra_tournament.growing import GrowingMap
from palestra_tournament.hiding import hides, public, public_events
from palestra_tournament.installed_formats import installed_formats
from palestra_tournament.interface import Criterion, Draw, Format, Planned, Tie
from palestra_tournament.model import (
    UNPLAYED,
    WHY_MAX,
    Bye,
    Carried,
    Entrant,
    Fixture,
    Result,
    Ruled,
    Tournament,
    Verdict,
)
from palestra_tournament.rated import ratings
from palestra_tournament.readiness import WARM_UP, readiness, warm_up, warm_up_file, warm_up_name, warm_up_of
from palestra_tournament.records import event_from_record, event_to_record
from palestra_tournament.ruling import as_ruled, judged, rule
from palestra_tournament.schedule import (
    FixtureState,
    Part,
    Progress,
    Scheduled,
    page,
    progress,
    rounds,
    schedule,
)
from palestra_tournament.scores import BUCHHOLZ, HEAD_TO_HEAD, POINTS, SONNEBORN_BERGER, WINS, Scores
from palestra_tournament.spec import Spec, SpecError, faults_of, group_key, parse_spec
from palestra_tournament.standings import Row, crosstable, earlier_ranks, first_loss_of_leader, standings
from palestra_tournament.toml_edit import Filled, filled
