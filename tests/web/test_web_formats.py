"""What the page learns about formats, and what a teacher is told before a tournament gets too large."""

from tests.support.web import KEY

from palestra_server.helper import Helper
from palestra_tournament import installed_formats, parse_spec
from palestra_tournament.season import parse_season

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


async def test_a_form_changes_the_file_and_shows_it_as_the_check_does(open_web, monkeypatch):
    apart = []

    def run(_, work, *args):
        apart.append(work)
        return work(*args)

    monkeypatch.setattr(Helper, "run", run)
    async with open_web("ana", "bob", "eva") as web, web.client(KEY) as teacher:

        async def form(toml, *changes):
            said = [{"key": key, "value": value} for key, value in changes]
            return (await teacher.post("/api/v1/tournaments/form", json={"toml": toml, "changes": said})).json()

        toml = CUP + 'format = "round-robin"\n[clock]\n# move_ms = 2000                # per move\n'
        assert (await form(toml))["faults"] == [] == apart
        filled = await form(toml, ("clock.move_ms", 500), ("start", "2099-12-01T18:00:00+01:00"))
        assert len(apart) == 1, "changes are not made beside the players"
        assert "move_ms = 500                   # per move" in filled["toml"]
        assert (filled["values"]["clock"], filled["lines"]["clock.move_ms"]) == ({"move_ms": 500}, [6, 6])
        assert (filled["outlook"]["matches"], filled["outlook"]["rounds"]) == (6, 3)
        checked = (await teacher.post("/api/v1/tournaments/check", json={"toml": filled["toml"]})).json()
        assert {key: filled[key] for key in checked} == checked

        faulty = await form(filled["toml"], ("clock.move_ms", 5), ("start", "soon"))
        assert [(each["code"], each["line"], each["values"]["key"]) for each in faulty["faults"]] == [
            ("date", 4, "start"),
            ("least", 6, "clock.move_ms"),
        ]
        assert (faulty["entrants"], faulty["outlook"]) == ([], None)
        titled = CUP.replace('"cup"', '"our-cup"') + 'title = "Our cup"\nformat = "round-robin"\n'
        final = (await form(titled, ("title", "Año 2: final")))["toml"]
        assert parse_spec(final).name == "ano-2-final"
        await teacher.post("/api/v1/tournaments", json={"toml": final})
        assert (await form(final, ("title", "Año 2, final")))["values"]["name"] == "ano-2-final-2"
        assert (await form(final, ("title", "決勝")))["values"]["name"] == "ano-2-final"
        named = (await form(titled, ("name", "mine"), ("title", "Another")))["values"]
        assert (named["name"], named["title"]) == ("mine", "Another")
        (fault,) = (await form(CUP, ("name.odd", 1)))["faults"][:1]
        assert fault["code"] == "by_hand"


async def test_a_name_that_is_taken_is_told_before_it_is_created(open_web):
    async with open_web("ana", "bob") as web, web.client(KEY) as teacher:
        file = {"toml": CUP + 'format = "swiss"\n'}
        assert (await teacher.post("/api/v1/tournaments/check", json=file)).json()["remarks"] == []
        await teacher.post("/api/v1/tournaments", json=file)
        (told,) = (await teacher.post("/api/v1/tournaments/check", json=file)).json()["remarks"]
    assert told["message"] == "There is a tournament 'cup' already: choose another name before creating this one."


async def test_before_it_begins_a_tournament_says_how_long_it_takes_and_what_counts(open_web):
    async with open_web("ana", "bob", "eva") as web, web.client(KEY) as teacher, web.client() as anybody:
        grades = "[grades]\nparticipation = { points = 2 }\n"
        await teacher.post("/api/v1/tournaments", json={"toml": CUP + 'format = "swiss"\nrounds = 2\n' + grades})
        before = (await anybody.get("/api/v1/tournaments/cup")).json()
        assert (before["outlook"]["rounds"], before["outlook"]["matches"]) == (2, 4)
        assert before["criteria"] == ["points", "Buchholz", "Sonneborn-Berger", "head to head"]
        assert before["spec"]["grades"]["participation"] == {"points": 2.0}
        await teacher.post("/api/v1/tournaments/cup/start")
        assert (await anybody.get("/api/v1/tournaments/cup")).json()["outlook"] is None


async def test_the_example_of_a_season_lists_the_tournaments_that_there_are(open_web):
    async with open_web("ana", "bob") as web, web.client(KEY) as teacher:
        for name in ("cup", "final"):
            text = CUP.replace('"cup"', f'"{name}"') + 'format = "swiss"\nwarm_up = true\n'
            await teacher.post("/api/v1/tournaments", json={"toml": text})
        listed = (await teacher.get("/api/v1/tournaments")).json()["tournaments"]
        assert "cup-warm-up" in {each["name"] for each in listed}
        example = (await teacher.get("/api/v1/seasons")).json()["example"]
        assert [leg.name for leg in parse_season(example).tournaments] == ["cup", "final"]
        assert (await teacher.post("/api/v1/seasons", json={"toml": example})).status_code == 200
