"""What the page learns about formats, and what a teacher is told before a tournament gets too large."""

from tests.support.web import KEY

from palestra_tournament import installed_formats, parse_spec

CUP = 'name = "cup"\ngames = ["connect4"]\n'
EVERYTHING = '"connect4", "connect4-8x8", "desconecta4", "mancala"'
HUGE = CUP.replace('"connect4"', EVERYTHING) + 'format = "round-robin"\ncycles = 50\npairs = 50\n'


async def test_each_format_is_offered_with_an_example_that_names_it(open_web):
    async with open_web() as web, web.client() as anybody:
        offered = (await anybody.get("/api/v1/formats")).json()["formats"]
    assert [each["format"] for each in offered] == list(installed_formats())
    assert offered[0]["format"] == "swiss"
    for each in offered:
        assert parse_spec(each["example"]).format.title == each["format_title"]
        assert each["about"] in each["example"]


async def test_the_groups_are_shown_where_there_are_some(open_web):
    async with open_web("ana", "bob", "eva", "fay") as web, web.client(KEY) as teacher:
        toml = CUP + 'format = "groups"\ngroup_size = 2\nseeding = "roster"\n'
        shown = (await teacher.post("/api/v1/tournaments", json={"toml": toml})).json()
        assert (shown["format"], shown["views"][-2:]) == ("groups", ["groups", "bracket"])
        assert shown["spec"]["group_size"] == 2
        await teacher.post("/api/v1/tournaments/cup/start")
        groups = (await teacher.get("/api/v1/tournaments/cup/groups")).json()["groups"]
    assert groups == [["ana", "fay"], ["bob", "eva"]]


async def test_a_tournament_that_would_be_too_large_is_told_in_the_check_and_refused_at_the_start(open_web):
    names = [f"p{number}" for number in range(8)]
    async with open_web(*names) as web, web.client(KEY) as teacher:
        (told,) = (await teacher.post("/api/v1/tournaments/check", json={"toml": HUGE})).json()["remarks"]
        assert (told["code"], told["values"]) == ("too_large", {"players": 8, "planned": 560_000, "most": 500_000})
        await teacher.post("/api/v1/tournaments", json={"toml": HUGE})
        refused = await teacher.post("/api/v1/tournaments/cup/start")
        assert (refused.status_code, refused.json()["error"]) == (409, "cannot_begin")
        assert refused.json()["message"].startswith(told["message"])


async def test_what_a_ladder_cannot_hide_is_refused_with_its_line(open_web):
    toml = CUP + 'format = "ladder"\nembargo = "last-round"\n'
    async with open_web() as web, web.client(KEY) as teacher:
        (told,) = (await teacher.post("/api/v1/tournaments", json={"toml": toml})).json()["details"]
    assert (told["code"], told["line"]) == ("no_last_round", 4)
    assert told["message"].endswith("'embargo': format = \"ladder\" has no last round to hide; leave 'embargo' out.")
