"""The big screen's programme: which scene is shown, why, and for how long; and which match is featured."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")

AUTO = {"show": "auto", "match": None, "going": 0, "ceremony": None}
CUP = {"name": "cup", "state": "running", "round": 1, "rounds": 3, "hides": False, "revealed": True}
HAS = {"pairings": True, "standings": True, "bracket": False}
QUIET = {"code": "on"}
CLOSE = {"match": "m1", "worth": 1.2, "why": {"code": "close"}}
OTHER = {"match": "m2", "worth": 1.1, "why": {"code": "close"}}

RUN = """async (steps) => {
    const { begun, next } = await import("/js/screen/programme.js");
    let state = begun();
    const seen = [];
    for (const known of steps) {
        state = next(state, known);
        const { scene, match, why } = state;
        seen.push(scene === "match" || scene === "result" ? `${scene} ${match} ${why?.code ?? ""}` : scene);
    }
    return seen;
}"""


def known(second: float, **more: Any) -> dict[str, Any]:
    """What is known at this second."""
    values = {"told": AUTO, "cup": CUP, "choices": [CLOSE, OTHER], "match": None, "has": HAS, "pages": {}, **more}
    return {"now": 1000 * second, **values}


def playing(match: str, ply: int, over: bool = False) -> dict[str, Any]:
    return {"match": match, "ply": ply, "over": over}


async def run(workshop: Page, *steps: dict[str, Any]) -> list[str]:
    return await workshop.evaluate(RUN, list(steps))


async def test_an_evening_from_before_to_after(workshop: Page) -> None:
    nothing = {"pairings": False, "standings": False, "bracket": False}
    first = {"has": {**nothing, "pairings": True}}
    second = {**CUP, "round": 2}
    told = [
        (known(0, cup=None, choices=[], has=nothing), "welcome"),
        (known(1, cup={**CUP, "state": "waiting", "round": 0}, choices=[], has=nothing), "field"),
        (known(600, cup={**CUP, "state": "waiting", "round": 0}, choices=[], has=nothing), "field"),
        (known(601, **first), "pairings"),
        (known(612, **first), "pairings"),
        (known(614, **first), "match m1 close"),
        (known(640, match=playing("m1", 20), **first), "match m1 close"),
        (known(641, match=playing("m1", 21, over=True), choices=[OTHER], **first), "result m1 close"),
        (known(649, match=playing("m1", 21, over=True), choices=[OTHER], **first), "result m1 close"),
        (known(651, match=playing("m1", 21, over=True), choices=[OTHER], **first), "match m2 close"),
        (known(660, cup=second, match=playing("m2", 30, over=True), choices=[CLOSE]), "result m2 close"),
        (known(670, cup=second, match=playing("m2", 30, over=True), choices=[CLOSE]), "standings"),
        (known(683, cup=second, match=playing("m2", 30, over=True), choices=[CLOSE]), "pairings"),
        (known(696, cup=second, match=playing("m2", 30, over=True), choices=[CLOSE]), "match m1 close"),
        (known(700, cup={**second, "state": "completed"}, choices=[], told={**AUTO, "ceremony": "cup"}), "ceremony"),
        (known(9000, cup={**second, "state": "completed"}, choices=[], told={**AUTO, "ceremony": "cup"}), "ceremony"),
        (known(9001, cup={**second, "state": "completed"}, choices=[]), "standings"),
        (known(9999, cup={**second, "state": "completed"}, choices=[]), "standings"),
    ]
    assert await run(workshop, *(step for step, _ in told)) == [scene for _, scene in told]


async def test_a_match_is_left_between_two_moves_and_stays_while_nothing_else_is_worth_more(workshop: Page) -> None:
    seen = await run(
        workshop,
        known(0),
        known(13),
        *(known(13 + second, match=playing("m1", second)) for second in (1, 39)),
        known(53.5, match=playing("m1", 40)),
        known(54, match=playing("m1", 41)),
        known(55.5, match=playing("m1", 41)),
    )
    assert seen == ["pairings", *["match m1 close"] * 5, "match m2 close"]
    # One that moves without a pause is left some time all the same.
    seen = await run(workshop, known(0), known(13), *(known(13 + n, match=playing("m1", n)) for n in range(1, 55)))
    assert seen[50] == "match m1 close"
    assert seen[54] == "match m2 close"


async def test_what_matters_more_takes_its_place_and_a_final_is_seen_to_its_end(workshop: Page) -> None:
    level = {"match": "m3", "worth": 4.5, "why": {"code": "level"}}
    final = {"match": "m4", "worth": 7, "why": {"code": "final"}}
    seen = await run(
        workshop,
        known(0),
        known(13),
        known(20, choices=[level, CLOSE], match=playing("m1", 5)),
        known(29, choices=[level, CLOSE], match=playing("m1", 5)),
        known(31, choices=[final, level], match=playing("m3", 5)),
        known(50, choices=[final, level], match=playing("m3", 5)),
        *(known(50 + second, choices=[final, level], match=playing("m4", 5)) for second in (1, 100, 1000)),
    )
    assert seen == ["pairings", "match m1 close", "match m1 close", *["match m3 level"] * 2, *["match m4 final"] * 4]


async def test_a_match_that_nobody_plays_any_more_is_left(workshop: Page) -> None:
    seen = await run(
        workshop,
        known(0),
        known(13),
        known(20, match=playing("m1", 5)),
        known(22, choices=[OTHER], match=playing("m1", 5)),
        known(24, choices=[OTHER], match=playing("m1", 5)),
        known(25, choices=[OTHER]),
    )
    # Its result may be on its way.
    assert seen == ["pairings", *["match m1 close"] * 3, "match m2 close", "match m2 close"]


async def test_the_remote_goes_on_holds_and_shows_a_match(workshop: Page) -> None:
    hold = {**AUTO, "show": "hold"}
    asked = {**AUTO, "show": "match", "match": "m9"}
    seen = await run(
        workshop,
        known(0),
        known(1, told={**AUTO, "going": 1}),
        known(2, told={**AUTO, "going": 2}, match=playing("m1", 3)),
        known(3, told={**hold, "going": 2}),
        known(500, told={**hold, "going": 2}),
        known(501, told={**asked, "going": 2}),
        known(900, told={**asked, "going": 2}, match=playing("m9", 3)),
        known(901, told={**asked, "going": 2}, match=playing("m9", 9, over=True)),
        known(911, told={**asked, "going": 2}, match=playing("m9", 9, over=True)),
    )
    assert seen[:5] == ["pairings", "match m1 close", "match m2 close", "match m2 close", "match m2 close"]
    assert seen[5:8] == ["match m9 teacher", "match m9 teacher", "result m9 teacher"]
    assert not seen[8].endswith("m9 teacher")


async def test_a_hidden_round_is_suspense_and_a_knock_out_a_bracket(workshop: Page) -> None:
    hidden = {"cup": {**CUP, "round": 3, "hides": True, "revealed": False}, "choices": []}
    seen = await run(workshop, *(known(second, **hidden) for second in (0, 19, 21, 34, 55)))
    assert seen == ["hidden", "hidden", "standings", "hidden", "standings"]
    bracket = {"has": {**HAS, "bracket": True}}
    seen = await run(workshop, *(known(second, **bracket) for second in (0, 13, 15)))
    assert seen == ["bracket", "bracket", "match m1 close"]


async def test_a_table_of_several_pages_lasts_as_long_as_they_do(workshop: Page) -> None:
    pages = {"pages": {"pairings": 3}}
    seen = await run(workshop, *(known(second, **pages) for second in (0, 25, 27)))
    assert seen == ["pairings", "pairings", "match m1 close"]


ROWS = [
    {"rank": rank, "player": name, "points": points, "reference": False, "withdrawn": False, "before": before}
    for rank, name, points, before in [
        (1, "ana", 5, 1),
        (2, "ben", 4, 3),
        (3, "cid", 3, 2),
        (4, "eva", 3, 6),
        (5, "ida", 1, 4),
        (6, "oto", 0, 5),
    ]
]


@pytest.mark.parametrize(
    ("players", "cup", "round", "code"),
    [
        (("ben", "ana"), {}, 2, "level"),
        (("cid", "eva"), {}, 2, "place"),
        (("cid", "eva"), {}, 1, None),
        (("ana", "oto"), {}, 2, "leader"),
        (("ida", "oto"), {}, 2, None),
        (("ana", "stranger"), {}, 2, None),
        (("ana", "ben"), {"knockout": True}, 3, "final"),
        (("ana", "ben"), {"knockout": True}, 2, "semifinal"),
        (("ana", "ben"), {"knockout": True, "rounds": 6}, 1, "knockout"),
    ],
)
async def test_why_a_match_is_featured(
    workshop: Page, players: tuple[str, str], cup: dict[str, Any], round: int, code: str | None
) -> None:
    found = await workshop.evaluate(
        """async ([players, rows, cup, round]) => {
            const { stakes } = await import("/js/screen/featured.js");
            return stakes(players, rows, cup, round);
        }""",
        [players, ROWS, {"round": 2, "rounds": 3, "knockout": False, **cup}, round],
    )
    assert (found and found[1]["code"]) == code


async def test_what_nobody_plays_is_never_featured(workshop: Page) -> None:
    matches = [
        {"match": name, "players": players, "tournament": cup, "ply": 9, "view": None}
        for name, players, cup in [
            ("left", ("ana", "gone"), None),
            ("idle", ("ana", "ben"), None),
            ("on", ("ana", "ben"), None),
            ("cup's", ("cid", "eva"), "cup"),
        ]
    ]
    found = await workshop.evaluate(
        """async ([matches, cup]) => {
            const { choices } = await import("/js/screen/featured.js");
            const known = { now: 1_000_000, moved: (match) => (match === "idle" ? 870_000 : 990_000),
                here: (player) => player !== "gone", rounds: new Map(), rows: [] };
            const ids = (cup) => choices(matches, { ...known, cup }).map(({ match }) => match);
            return [ids(null), ids(cup)];
        }""",
        [matches, {"name": "cup", "state": "running", "round": 1, "rounds": 3, "knockout": False}],
    )
    assert [sorted(each) for each in found] == [["cup's", "on"], ["cup's"]]


async def test_the_upset_of_a_round_and_who_can_still_win(workshop: Page) -> None:
    def ended(winner: str, loser: str, reason: str = "rules") -> dict[str, Any]:
        return {"players": (loser, winner), "game": "connect4", "returns": (-1, 1), "reason": reason}

    found = await workshop.evaluate(
        """async ([rows, fixtures]) => {
            const { inReach, upset } = await import("/js/screen/featured.js");
            const able = inReach(rows, () => 1).map((row) => row.player);
            return [upset(fixtures, rows), upset(fixtures.slice(0, 1), rows), able];
        }""",
        [ROWS, [ended("cid", "ana"), ended("ben", "ana"), ended("eva", "ana"), ended("oto", "ana", "not_ready")]],
    )
    assert found[0] == {"winner": "eva", "loser": "ana", "game": "connect4", "by": 5}
    assert found[1] is None
    assert found[2] == ["ana", "ben"]
