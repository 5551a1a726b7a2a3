"""The roster over its table: class lists, tokens, names."""

from dataclasses import replace

import pytest

from palestra_server.runtime import NoSuchPlayer, Roster, RosterError

LIST = "name,email,group\nAna,ana@school.edu,A\nBea,bea@school.edu,A\n"


def test_importing_twice_changes_nothing(roster, store):
    assert roster.import_list(LIST, apply=False).added == ("Ana", "Bea")
    assert roster.names == ()
    assert roster.import_list(LIST, apply=True).added == ("Ana", "Bea")
    before = store.players.list()
    again = roster.import_list(LIST, apply=True)
    assert (again.added, again.changed, again.unchanged) == ((), (), ("Ana", "Bea"))
    assert store.players.list() == before


def test_importing_a_new_term(roster):
    roster.import_list(LIST, apply=True)
    tokens = roster.enrol(["Ana"])
    done = roster.import_list("name,group\nAna,B\nCid,B\n", apply=True)
    assert (done.added, done.changed, done.unchanged) == (("Cid",), ("Ana",), ())
    rows = {row.name: row for row in roster.rows}
    assert (rows["Ana"].email, rows["Ana"].group) == ("ana@school.edu", "B"), "what the list does not say stays"
    assert rows["Bea"].group == "A"
    assert roster.player_for(tokens["Ana"]) == "Ana"


def test_a_group_in_two_spellings_is_one_and_the_teacher_is_told(roster):
    done = roster.import_list("name,group\nAna,B\nBea,b\nCid,b\nDea,A\n", apply=True)
    assert [(remark.line, remark.code, remark.values["other"]) for remark in done.remarks] == [(3, "one_group", "B")]
    done = roster.import_list("name,group\nEva,a\n", apply=True)
    assert done.remarks[0].sentence == "a and A are one group, written in two ways: Eva is put in A."
    assert roster.add("Fe", group="b").group == "B"
    assert {row.group for row in roster.rows} == {"A", "B"}
    assert roster.import_list("name,group\nAna,b\nBea,b\nCid,b\nFe,b\n", apply=True).remarks == ()
    assert {row.group for row in roster.rows} == {"A", "b"}, "a list that has the whole group may spell it anew"


def test_only_who_is_given_a_group_changes_it(roster, store):
    roster.import_list("name,group\nAna,B\nBea,A\n", apply=True)
    store.players.put(replace(next(row for row in roster.rows if row.name == "Bea"), group="b"))  # as older servers did
    roster = Roster(store.players)
    assert roster.change("Bea", banned=True, email="bea@school.edu").group == "b"
    assert roster.change("Bea", group=" b ").group == "B"
    assert roster.change("Bea", group="").group == ""


def test_one_fault_and_nothing_is_written(roster):
    roster.import_list(LIST, apply=True)
    done = roster.import_list("name,email\nDea,dea@school.edu\nDEA,\nMTDF,m@school.edu\n", apply=True)
    assert [problem.line for problem in done.problems] == [3, 4]
    assert roster.names == ("Ana", "Bea")


def test_a_list_of_canvas_after_one_of_moodle_makes_nobody_twice(roster):
    moodle = "First name,Last name,ID number,Email address\nAna,Ruiz,u1,ana@x.org\nBea,Sanz,u2,bea@x.org\nCid,Paz,,\n"
    canvas = (
        "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"
        '"Ruiz, Anita",71,U1,aruiz,A\n"Sanz, Bea",72,,BEA@x.org,A\n"Paz, Cid",73,,cpaz,B\n"Gil, Eva",74,,egil,B\n'
    )
    roster.import_list(moodle, apply=True)
    done = roster.import_list(canvas, apply=True)
    assert (done.added, done.changed) == (("Eva Gil",), ("Ana Ruiz", "Bea Sanz", "Cid Paz"))
    assert done.renamed == (("Ana Ruiz", "Anita Ruiz"),)
    row = roster.get("Ana Ruiz")
    assert row.ids == {"ID number": "u1", "Canvas ID": "71", "SIS User ID": "U1", "SIS Login ID": "aruiz"}
    assert (row.email, row.group) == ("ana@x.org", "A")
    again = roster.import_list(moodle, apply=True)
    assert (again.added, again.changed, again.renamed, again.gone) == ((), (), (), ("Eva Gil",))
    assert roster.import_list(canvas, apply=True).unchanged == ("Ana Ruiz", "Bea Sanz", "Cid Paz", "Eva Gil")


def test_a_login_that_is_an_address_is_the_email_of_who_has_no_other(roster):
    canvas = (
        'Student,ID,SIS User ID,SIS Login ID,Section\n"Ruiz, Ana",71,u1,ana@login.org,A\n"Sanz, Bea",72,u2,bsanz,A\n'
    )
    roster.import_list(canvas, apply=True)
    assert [roster.get(name).email for name in ("Ana Ruiz", "Bea Sanz")] == ["ana@login.org", ""]
    moodle = "First name,Last name,ID number,Email address\nAna,Ruiz,u1,ana@x.org\nBea,Sanz,u2,bea@x.org\n"
    roster.import_list(moodle, apply=True)
    assert roster.import_list(canvas, apply=True).unchanged == ("Ana Ruiz", "Bea Sanz")
    assert roster.get("Ana Ruiz").email == "ana@x.org"


TWINS = "name,email,DNI\nAna Ruiz,ana1@x.org,1\nAna Ruiz,ana2@x.org,2\n"


def test_two_students_of_one_name_can_be_told_apart(roster):
    done = roster.import_list(TWINS, apply=True)
    assert done.added == ("Ana Ruiz", "Ana Ruiz (2)")
    assert [(remark.line, remark.code) for remark in done.remarks] == [(3, "numbered")]
    again = roster.import_list(TWINS, apply=True)
    assert (again.unchanged, again.remarks, again.renamed) == (("Ana Ruiz", "Ana Ruiz (2)"), (), ())
    roster.change("Ana Ruiz (2)", called="Ana Ruiz Gil")
    assert roster.import_list(TWINS, apply=True).unchanged == ("Ana Ruiz", "Ana Ruiz Gil")
    # The second one alone, by another of her keys; and a third one.
    third = roster.import_list("name,email,DNI\nAna Ruiz,,2\nAna Ruiz,ana3@x.org,3\n", apply=True)
    assert (third.unchanged, third.added) == (("Ana Ruiz Gil",), ("Ana Ruiz (2)",))


def test_who_may_be_somebody_else_is_told(roster):
    roster.import_list(TWINS, apply=True)
    done = roster.import_list("name,email\nAna Ruiz,new@x.org\n", apply=True)
    assert (done.changed, [remark.code for remark in done.remarks]) == (("Ana Ruiz",), ["other_email"])
    (problem,) = roster.import_list("name,email,DNI\nAna Ruiz,new@x.org,2\n", apply=False).problems
    assert (problem.code, problem.values["one"], problem.values["other"]) == ("two_players", "Ana Ruiz", "Ana Ruiz (2)")
    (problem,) = roster.import_list("name,email,DNI\nAna,new@x.org,\nBea,,1\n", apply=False).problems
    assert (problem.line, problem.code) == (3, "one_player")


@pytest.mark.parametrize("written", ["José García", "jose garcia", " Jose  García ", "Jоse Garcia"])
def test_a_name_with_other_accents_or_capitals_makes_nobody_twice(roster, written):
    roster.import_list("name\nJose Garcia\nBea\n", apply=True)
    done = roster.import_list(f"name,group\nBea,A\n{written},B\n", apply=True)
    clean = " ".join(written.split())
    assert (done.added, done.changed, done.renamed) == ((), ("Bea", "Jose Garcia"), (("Jose Garcia", clean),))
    assert done.remarks[0].sentence.startswith(f"{clean} looks like Jose Garcia, who is on the roster")
    assert roster.get("Jose Garcia").group == "B"
    roster.change("Jose Garcia", called=clean)
    assert roster.import_list(f"name\nBea\n{written}\n", apply=True).remarks == ()


def test_two_students_whose_names_differ_by_an_accent(roster):
    roster.import_list("name,email\nAna Pena,ana@x.org\n", apply=True)
    done = roster.import_list("name,email\nAna Peña,other@x.org\n", apply=True)
    assert (done.added, [remark.code for remark in done.remarks]) == (("Ana Peña",), ["numbered"])
    roster.import_list("Jose Gil\n", apply=True)
    done = roster.import_list("José Gil\nJose Gil\n", apply=True)
    assert (done.added, done.unchanged) == (("José Gil",), ("Jose Gil",)), "the list has both"
    assert roster.import_list("Jose Gil\nJosé Gil\n", apply=True).remarks == ()


def test_students_of_one_word_that_differs_by_an_accent_are_not_lost(roster):
    roster.import_list("name,email\nMaría,a@x.es\n", apply=True)
    done = roster.import_list("name,email\nMaria,b@x.es\nMaria,c@x.es\n", apply=True)
    assert (done.added, done.changed) == (("Maria", "Maria (2)"), ())
    assert [roster.get(name).email for name in ("María", *done.added)] == ["a@x.es", "b@x.es", "c@x.es"]
    roster.import_list("name,email,DNI\nJose,e@x.es,2\nJosé,d@x.es,1\n", apply=True)
    assert roster.import_list("name,email,DNI\nJose,f@x.es,3\n", apply=True).added == ("Jose (2)",)
    assert roster.get("Jose").email == "e@x.es"


def test_a_student_is_not_called_as_a_reference_bot(roster):
    (problem,) = roster.import_list("name\nAna\nLeve11\n", apply=True).problems
    assert (problem.line, "level1" in problem.sentence) == (3, True)
    assert set(roster.enrol(["mtdf"])) == {"mtdf"}, "a command may let them play"
    assert roster.import_list("name,group\nmtdf,A\n", apply=True).changed == ("mtdf",)


def test_a_token_is_nowhere_on_the_disk(roster, store, tmp_path):
    token = roster.enrol(["Ana"])["Ana"]
    assert roster.player_for(token) == "Ana"
    assert Roster(store.players).player_for(token) == "Ana", "after a restart"
    store.close()
    for file in (tmp_path / "data").iterdir():
        assert token.encode() not in file.read_bytes()


def test_what_makes_a_token_worthless(roster):
    token = roster.enrol(["Ana"])["Ana"]
    proof = roster.token_hash("Ana")
    roster.change("Ana", banned=True)
    assert (roster.player_for(token), roster.token_hash("Ana")) == (None, None)
    assert (roster.is_taken_back(token), roster.is_taken_back("nobody's")) == (True, False)
    roster.change("Ana", banned=False)
    assert (roster.player_for(token), roster.token_hash("Ana")) == ("Ana", proof)
    assert not roster.is_taken_back(token)
    (issued,) = roster.issue(["Ana"])
    assert roster.player_for(token) is None
    assert roster.token_hash("Ana") != proof
    roster.remove("Ana")
    assert (roster.player_for(issued.token), roster.token_hash("Ana"), roster.names) == (None, None, ())
    assert all(roster.is_taken_back(old) for old in (token, issued.token))


def test_names(roster):
    token = roster.enrol(["Ana", "Bea"])["Ana"]
    for name, words in (
        ("ANA", "cannot be told from Ana"),
        ("Ana", "already"),
        ("..", "letter"),
        ("n" * 65, "shorten"),
        ("level1", "level1 is the name of a reference bot"),
        ("MTDF", "cannot be told from mtdf"),
    ):
        with pytest.raises(RosterError, match=words):
            roster.add(name)
    assert roster.change("Ana", called=" ana  maría").name == "ana maría"
    assert roster.player_for(token) == "ana maría"
    assert roster.change("ana maría", called="Ana María").name == "Ana María", "capitals may be mended"
    with pytest.raises(RosterError, match="already"):
        roster.change("Ana María", called="Bea")
    with pytest.raises(RosterError, match="reference bot"):
        roster.change("Ana María", called="level2")
    with pytest.raises(NoSuchPlayer, match="mean Bea"):
        roster.remove("bea")


def test_three_hundred_students_are_imported_at_once(roster):
    text = "name,email\n" + "".join(f"Student {n},s{n}@school.edu\n" for n in range(300))
    assert len(roster.import_list(text, apply=True).added) == 300
