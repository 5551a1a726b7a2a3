"""Marks for Moodle and Canvas, taken in by their importers' rules (`tests.support.importers`)."""

import csv
import io
import random

import pytest
from tests.support.importers import Canvas, Moodle, Pupil, Stopped
from tests.support.seasons import WIN, cup, play

from palestra_server.languages import LANGUAGES
from palestra_server.marks import MarksError, fill_canvas, for_moodle, for_people, marked
from palestra_server.runtime import Roster
from palestra_server.store import Store
from palestra_tournament.season import parse_season
from palestra_tournament.season_tables import season_grades

PAGE = "https://bots.school.edu"
FIRST = ("Ana", "Iñigo", "Zoë", "Jörg", "Çağla", "María José", "Łukasz", "Núria", "Õnne", "D'Arcy")
LAST = (
    "García",
    "Muñoz",
    "Àlvarez",
    "O'Neil",
    "Ibáñez",
    "Sørensen",
    "Peña",
    "Ruiz-Gómez",
    "Šimić",
    "Gil",
    "López",
    "Żak",
)


@pytest.fixture
def roster(tmp_path):
    store = Store(tmp_path / "data")
    yield Roster(store.players, now_ms=lambda: 1_700_000_000_000)
    store.close()


def course(count):
    """(first, last, number, login) of so many students; some share a name."""
    chance = random.Random(7)
    return [
        (chance.choice(FIRST), f"{chance.choice(LAST)} {chance.choice(LAST)}", 100 + n, f"u{n}") for n in range(count)
    ]


def moodle_list(students):
    lines = ["Nombre,Apellido(s),Número de ID,Dirección de correo,Grupos"]
    return "\n".join([*lines, *(f"{first},{last},n{at},{login}@school.edu,A" for first, last, at, login in students)])


def canvas_book(students, separator=",", bom="", assignment=(), scores=None):
    out = io.StringIO()
    book = csv.writer(out, delimiter=separator, lineterminator="\n")
    totals = ["Final Score", "Override Score"]
    book.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *assignment, *totals])
    book.writerow(["    Points Possible", "", "", "", "", *("10" for _ in assignment), "(read only)", "(read only)"])
    for first, last, at, login in students:
        own = ["" if scores is None else scores.get(at, "") for _ in assignment]
        book.writerow([f"{last}, {first}", at, f"n{at}", f"{login}@school.edu", "A", *own, "80", ""])
    book.writerow(["Student, Test", 9, "", "f00d", "A", *("" for _ in assignment), "", ""])
    return bom + out.getvalue()


def marks_of(roster, language="es", points=None, maximum=10):
    """Everybody's mark, each another."""
    table = {"maximum": maximum, "grades": []}
    for at, name in enumerate(roster.names):
        mark = round(at % 1001 / 100, 2) if points is None else points
        parts = [
            {"rule": "beats level1 connect4", "points": 2.0, "counted": {"scored": 1.5, "matches": 2}},
            {"rule": "rating 1200", "points": 0.0, "counted": {"low": None}},
        ]
        table["grades"].append({"player": name, "group": "A", "points": mark, "parts": parts})
    return marked(table, roster.get, PAGE, LANGUAGES[language])


def test_three_hundred_marks_reach_moodle(roster):
    students = course(300)
    roster.import_list(moodle_list(students), apply=True)
    assert len(roster.names) == 300 > len({(first, last) for first, last, *_ in students})
    marks = marks_of(roster)
    users = {at: {"idnumber": f"n{at}", "email": f"{login}@school.edu"} for *_, at, login in students}
    sheet = for_moodle(marks, None, "Liga de otoño", 10, LANGUAGES["es"])
    assert (sheet.filled, [note.code for note in sheet.notes]) == (300, ["moodle"])
    there = Moodle(users, decimal=",")
    there.take(sheet.text.encode(), ";", "Número de ID", "idnumber", "Liga de otoño", "comentario")
    assert list(there.marks.values()) == [one.points for one in marks]
    assert there.feedback[101].startswith(
        "0,01 de 10: gana a level1 connect4: 2 (puntos 1,5, partidas 2); fuerza de 1200"
    )
    assert there.feedback[101].endswith(f" {marks[1].page}")
    english = for_moodle(marks, None, "Cup", 10, LANGUAGES["en"])
    there = Moodle(users)
    there.take(english.text.encode(), ",", "ID number", "idnumber", "Cup", "feedback")
    assert list(there.marks.values()) == [one.points for one in marks]
    with pytest.raises(Stopped):
        Moodle(users).take(sheet.text.encode(), ";", "Número de ID", "idnumber", "Liga de otoño", "comentario")


def test_whom_moodle_does_not_know_is_left_out_and_told(roster):
    roster.import_list(
        "name,email,Username\nAna,ana@x.org,ana\nBea,,\nCid,cid@x.org,=cmd\nDea,dea@x.org,dea\n", apply=True
    )
    marks = marks_of(roster)
    sheet = for_moodle(marks, None, "Cup", 10, LANGUAGES["en"])
    assert sheet.filled == 3
    assert [(note.code, note.values.get("names")) for note in sheet.notes] == [("no_user", "Bea"), ("moodle", None)]
    # Only Ana and Dea are in the course, one of them by a new address, and somebody who did not play.
    listed = (
        "First name,Last name,Email address,Username\nAna,R,new@x.org,ana\nDea,S,dea@x.org,dea\nEva,T,eva@x.org,eva\n"
    )
    sheet = for_moodle(marks, listed, "Cup", 10, LANGUAGES["en"])
    there = Moodle({1: {"email": "new@x.org"}, 2: {"email": "dea@x.org"}, 3: {"email": "eva@x.org"}})
    there.take(sheet.text.encode(), ",", "Email address", "email", "Cup", "feedback")
    assert there.marks == {1: 0.0, 2: 0.03}
    told = {note.code: note.values.get("names") for note in sheet.notes}
    assert (told["not_in_file"], told["no_mark"]) == ("Bea, Cid", "Eva T")


def test_two_with_one_address_are_not_mixed_up(roster):
    roster.import_list("name,email,DNI\nAna,one@x.org,1\nBea,,2\n", apply=True)
    roster.change("Bea", email="one@x.org")
    sheet = for_moodle(marks_of(roster), None, "Cup", 10, LANGUAGES["en"])
    assert [row[0] for row in csv.reader(io.StringIO(sheet.text))] == ["\ufeffID number", "1", "2"]


def test_what_counts_in_a_season_is_said_in_spanish():
    rules = "score = { points = 4 }\nparticipation = { points = 2 }\ntop = [{ places = 1, points = 1 }]\n"
    rules += "rating = [{ at_least = 100, points = 1 }]\nbase = 1\n"
    season = parse_season(f'name = "s"\ntournaments = ["week-1"]\n[grades]\n{rules}')
    found = season_grades(season, [play(cup("week-1"), lambda _: (WIN, "rules"))])
    said = {word for part in found[0].parts for word in (part.rule.split()[0], *part.counted)}
    assert {"score", "highest", "begun"} <= said <= LANGUAGES["es"].words.keys()


def test_marks_that_moodle_cannot_take(roster):
    roster.import_list("name\nAna\n", apply=True)
    with pytest.raises(MarksError, match="list of participants"):
        for_moodle(marks_of(roster), None, "Cup", 10, LANGUAGES["en"])
    with pytest.raises(MarksError, match="no students"):
        for_moodle(marks_of(roster), "\n", "Cup", 10, LANGUAGES["en"])
    roster.import_list("name,email\nAna,ana@x.org\n", apply=True)
    sheet = for_moodle(marks_of(roster, points=120.0, maximum=200), None, "Cup", 10, LANGUAGES["en"])
    assert "too_high" in [note.code for note in sheet.notes]


@pytest.mark.parametrize(("separator", "bom"), [(",", ""), (";", "\ufeff")])
def test_three_hundred_marks_go_into_the_gradebook_of_canvas(roster, separator, bom):
    students = course(300)
    # The roster comes from Moodle: it has the numbers and addresses, and none of Canvas' own ids.
    roster.import_list(moodle_list(students), apply=True)
    marks = marks_of(roster)
    book = canvas_book(students, separator, bom)
    sheet = fill_canvas(marks, book.removeprefix("\ufeff"), ["Liga de otoño"], 10)
    assert (sheet.filled, [note.code for note in sheet.notes]) == (300, ["new_column", "canvas"])
    there = Canvas(
        {at: Pupil(f"{first} {last}", f"{last}, {first}", f"n{at}", login) for first, last, at, login in students}
        | {9: Pupil("Test Student", "Student, Test")},
        {},
    )
    changes = there.take((bom + sheet.text).encode())
    assert {key: float(score) for key, score in changes.items()} == {
        (at, "Liga de otoño"): one.points for (*_, at, _), one in zip(students, marks, strict=True)
    }
    assert (there.made, there.unknown) == ({"Liga de otoño": "10"}, [])
    before, after = (
        list(csv.reader(io.StringIO(text), delimiter=separator)) for text in (book[len(bom) :], sheet.text)
    )
    assert [row[:-1] for row in after] == before, "its own columns, rows and cells are as they were"


def test_a_column_that_the_gradebook_has_is_filled_and_who_has_no_mark_keeps_theirs(roster):
    students = course(4)
    roster.import_list(moodle_list(students[:3]), apply=True)
    marks = marks_of(roster, points=7.25)
    book = canvas_book(students, assignment=["Cup (55)"], scores={103: "4", 100: "1"})
    sheet = fill_canvas(marks, book, ["cup"], 10)
    assert [note.code for note in sheet.notes] == ["no_mark", "replaced", "canvas"]
    assert sheet.notes[1].sentence == "Cup (55) had other marks for 1 of them, which these replace."
    assert fill_canvas(marks, book, ["55"], 10).text == sheet.text, "by its number"
    (told,) = [note.sentence for note in fill_canvas(marks, book, ["Bots"], 10).notes if note.code == "other_columns"]
    assert told == "The file has these assignments: Cup (55). To fill one of them, name it with --column."
    pupils = {at: Pupil(f"{first} {last}", f"{last}, {first}") for first, last, at, _ in students}
    pupils[103].scores[55] = "4"
    there = Canvas(pupils | {9: Pupil("Test Student", "Student, Test")}, {55: "Cup"})
    assert there.take(sheet.text.encode()) == {(at, "Cup (55)"): "7.25" for at in (100, 101, 102)}
    assert there.made == {}


def test_who_is_excused_in_canvas_stays_so(roster):
    students = course(3)
    roster.import_list(moodle_list(students), apply=True)
    book = canvas_book(students, assignment=["Cup (55)"], scores={101: "EX", 102: "3"})
    sheet = fill_canvas(marks_of(roster, points=7.25), book, ["cup"], 10)
    rows = [row for row in csv.DictReader(io.StringIO(sheet.text)) if row["ID"] in ("100", "101", "102")]
    assert [row["Cup (55)"] for row in rows] == ["7.25", "EX", "7.25"]
    assert sheet.filled == 2
    (told,) = [note.sentence for note in sheet.notes if note.code == "excused"]
    assert told.startswith("Excused in Canvas (EX), and left so: ")


def test_marks_out_of_another_maximum_are_told(roster):
    roster.import_list(moodle_list(course(1)), apply=True)
    book = canvas_book(course(1), assignment=["Cup (55)"])
    assert "worth" not in [note.code for note in fill_canvas(marks_of(roster), book, ["Cup"], 10).notes]
    (told, *_) = fill_canvas(marks_of(roster), book, ["Cup"], 20).notes
    assert told.sentence == "Cup (55) is worth 10 points in Canvas, and these marks are out of 20."
    for words in ("(read only)", "(sólo lectura)"):
        kept = book.replace("    Points Possible,,,,,10", f"    Points Possible,,,,,{words}")
        with pytest.raises(MarksError, match="read only"):
            fill_canvas(marks_of(roster), kept, ["Cup"], 10)


def test_students_of_one_name_are_told_apart_in_canvas(roster):
    roster.import_list("name,email,SIS User ID\nAna Ruiz,a@x.org,1\nAna Ruiz,b@x.org,2\nBea Gil,,\n", apply=True)
    header = "Student,ID,SIS User ID,SIS Login ID,Section\n"
    book = header + '"Ruiz, Ana",71,2,,A\n"Ruiz, Ana",72,,a@x.org,A\n"Gil, Bea",73,,,A\n'
    sheet = fill_canvas(marks_of(roster), book, ["Cup"], 10)
    assert [row[-1] for row in csv.reader(io.StringIO(sheet.text))][1:] == ["0.01", "0", "0.02"]
    nameless = header + '"Ruiz, Ana",71,,,A\n"Ruiz, Ana",72,,,A\n'
    sheet = fill_canvas(marks_of(roster), nameless, ["Cup"], 10)
    assert sheet.filled == 0, "who is who is not guessed"
    assert {note.code: note.values["names"] for note in sheet.notes if "names" in note.values} == {
        "not_in_file": "Ana Ruiz (a@x.org, SIS User ID 1), Ana Ruiz (2) (b@x.org, SIS User ID 2), Bea Gil",
        "no_mark": "Ana Ruiz (Canvas ID 71), Ana Ruiz (Canvas ID 72)",
    }


def test_one_of_two_students_of_one_name_is_not_guessed_either(roster):
    roster.import_list("name,email\nAna Ruiz,a@x.org\nAna Ruiz,b@x.org\nBea,bea@x.org\n", apply=True)
    header, both = "Student,ID,SIS User ID,SIS Login ID,Section\n", "Ana Ruiz (a@x.org), Ana Ruiz (2) (b@x.org)"
    sheet = fill_canvas(marks_of(roster), header + '"Ruiz, Ana",71,,,A\nBea,73,,,A\n', ["Cup"], 10)
    assert [row[-1] for row in csv.reader(io.StringIO(sheet.text))] == ["Cup", "", "0.02"]
    assert sheet.notes[0].values["names"] == both
    listed = "Full name,Email address,Username\nAna Ruiz,new@x.org,ana\nBea,bea@x.org,bea\n"
    sheet = for_moodle(marks_of(roster), listed, "Cup", 10, LANGUAGES["en"])
    assert (sheet.filled, sheet.notes[0].values["names"]) == (1, both)
    told = header + '"Ruiz, Ana",71,,,A\n"Ruiz, Ana",72,,b@x.org,A\n'
    assert fill_canvas(marks_of(roster), told, ["Cup"], 10).filled == 2, "the other one is known"
    listed = "Full name,Email address,Username\nAna Ruiz,new@x.org,ana\nAna Ruiz B,b@x.org,bea\n"
    assert for_moodle(marks_of(roster), listed, "Cup", 10, LANGUAGES["en"]).filled == 2


def test_teams_with_numbers_in_the_file_too_are_no_namesakes(roster):
    roster.import_list("name\nTeam\nTeam (2)\nTeam (3)\n", apply=True)
    book = "Student,ID,SIS User ID,SIS Login ID,Section\nTeam,71,,,A\nTeam (2),72,,,A\nTeam (3),73,,,A\n"
    assert fill_canvas(marks_of(roster), book, ["Cup"], 10).filled == 3
    listed = "Full name,Email address\nTeam,a@x.org\nTeam (2),b@x.org\nTeam (3),c@x.org\n"
    assert for_moodle(marks_of(roster), listed, "Cup", 10, LANGUAGES["en"]).filled == 3


def test_a_student_of_whose_name_there_are_two_in_the_course_is_named_with_what_is_known(roster):
    roster.import_list("name,email\nAna Ruiz,a@x.org\n", apply=True)
    told = "Ana Ruiz (a@x.org)", "Ana Ruiz (new@x.org, Username ana), Ana Ruiz (other@x.org)"
    listed = "Full name,Email address,Username\nAna Ruiz,new@x.org,ana\nAna Ruiz,other@x.org,\nBea,b@x.org,\n"
    book = 'Student,ID,SIS User ID,SIS Login ID,Section\n"Ruiz, Ana",71,,,A\n"Ruiz, Ana",72,9,,A\n'
    with pytest.raises(MarksError):
        for_moodle(marks_of(roster), listed, "Cup", 10, LANGUAGES["en"])
    roster.add("Bea", email="b@x.org")
    notes = for_moodle(marks_of(roster), listed, "Cup", 10, LANGUAGES["en"]).notes
    assert [note.values["names"] for note in notes[:2]] == [*told]
    (missing, left, *_) = fill_canvas(marks_of(roster), book, ["Cup"], 10).notes
    assert missing.values["names"] == "Ana Ruiz (a@x.org), Bea"
    assert left.values["names"] == "Ana Ruiz (Canvas ID 71), Ana Ruiz (Canvas ID 72, SIS User ID 9)"


@pytest.mark.parametrize("title", ["Final Grade", "Cup (2026)", "Section"])
def test_a_title_that_canvas_would_misread_is_not_written(roster, title):
    roster.import_list(moodle_list(course(1)), apply=True)
    book = canvas_book(course(1))
    assert "cup-26" in fill_canvas(marks_of(roster), book, [title, "cup-26"], 10).text.splitlines()[0]
    with pytest.raises(MarksError, match="--column"):
        fill_canvas(marks_of(roster), book, [title], 10)


@pytest.mark.parametrize("text", ["", "name,email\nAna,a@x.org\n", moodle_list(course(2))])
def test_what_is_no_gradebook_of_canvas_is_refused(roster, text):
    with pytest.raises(MarksError, match="no gradebook of Canvas"):
        fill_canvas(marks_of(roster), text, ["Cup"], 10)


def test_a_table_for_people(roster):
    roster.import_list("name,email,DNI\nAna Ruiz,a@x.org,-1+2\n", apply=True)
    text = for_people(marks_of(roster, points=7.5), LANGUAGES["es"]).text
    assert text.startswith("\ufeff")
    header, row = csv.reader(io.StringIO(text[1:]), delimiter=";")
    assert header[:7] == [
        "jugador",
        "grupo de clase",
        "correo",
        "DNI",
        "nota",
        "gana a level1 connect4",
        "fuerza de 1200",
    ]
    assert row[:6] == ["Ana Ruiz", "A", "a@x.org", "'-1+2", "7,5", "2"]
    assert row[-1] == f"{PAGE}/player/Ana%20Ruiz/"


def test_tables_for_people_have_their_decimals_and_no_dates():
    spanish = LANGUAGES["es"]
    assert (
        spanish.table("rank,player,points,match\n1,Ana,2.5,\n")
        == "\ufeffpuesto;jugador;puntos;partida\r\n1;Ana;2,5;\r\n"
    )
    assert spanish.table("player,match,Bea\nmatch,,1.5/2\nBea,0.5/2,\n", 1).splitlines()[1:] == [
        "match;;1,5 de 2",
        "Bea;0,5 de 2;",
    ]
    assert LANGUAGES["en"].table("fixture,score\n1,1:0\n").splitlines()[1] == "1,1 – 0"


@pytest.mark.parametrize(
    ("titles", "ana", "test"),
    [
        (
            "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section",
            "García,Ana,101,n101,ana,A",
            "Student,Test,9,,f00d,A",
        ),
        (
            "Student,ID,SIS User ID,SIS Login ID,Integration ID,Root Account,Section",
            '"García, Ana",101,n101,ana,x,school.edu,A',
            '"Student, Test",9,,f00d,,,A',
        ),
        ("Student,ID,SIS Login ID,Section", '"García, Ana",101,ana,A', '"Student, Test",9,f00d,A'),
    ],
)
def test_every_layout_of_a_gradebook_is_filled(roster, titles, ana, test):
    blank = "," * titles.count(",")
    book = f"{titles},Cup (12)\n{blank},Manual Posting\n    Points Possible{blank},10\n{ana},\n{test},\n"
    roster.import_list(book, apply=True)
    assert roster.names == ("Ana García",)
    sheet = fill_canvas(marks_of(roster, points=7.25), book, ["Cup"], 10)
    there = Canvas({101: Pupil("Ana García", "García, Ana", "n101", "ana"), 9: Pupil("Test Student", "")}, {12: "Cup"})
    assert there.take(sheet.text.encode()) == {(101, "Cup (12)"): "7.25"}
    assert (there.made, there.unknown) == ({}, [])
