"""Class lists as teachers have them."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from palestra_server.runtime.roster.class_list import parse_class_list
from palestra_server.text import NotText, text_of

ANA = ("Ana López", "ana@school.edu", "A")
BEA = ("Bea Ruiz", "bea@school.edu", "B")


def read(text):
    parsed = parse_class_list(text)
    return [(s.name, s.email, s.group) for s in parsed.students], [(p.line, p.sentence) for p in parsed.problems]


@pytest.mark.parametrize(
    "text",
    [
        "Ana López,ana@school.edu,A\nBea Ruiz,bea@school.edu,B\n",
        "\ufeffname;e-mail;group\r\nAna López;ana@school.edu;A\r\nBea Ruiz;bea@school.edu;B\r\n",
        "Grupo\tCorreo electrónico\tNombre\nA\tana@school.edu\tAna López\nB\tbea@school.edu\tBea Ruiz\n",
        "ana@school.edu,Ana López,A\nbea@school.edu,Bea Ruiz,B",
        "Nombre,Apellido(s),Número de ID,Dirección de correo,Grupos\n"
        "Ana,López,17,ana@school.edu,A\nBea,Ruiz,,bea@school.edu,B\n",
        '"First name","Last name","Email address","Groups"\n"Ana","López","ana@school.edu","A"\n'
        '\n"Bea","Ruiz","bea@school.edu","B"\n,,,\n',
        "DNI;Grup;Adreça electrònica;Cognoms;Nom\n17;A;ana@school.edu;López;Ana\n18;B;bea@school.edu;Ruiz;Bea\n",
        " Ana   López ; ana@school.edu ; A \n Bea Ruiz;bea@school.edu;B",
    ],
)
def test_the_same_list_in_many_forms(text):
    assert read(text) == ([ANA, BEA], [])


def test_names_alone():
    assert read("Ana López\nBea Ruiz\n") == ([("Ana López", "", ""), ("Bea Ruiz", "", "")], [])
    assert read("name\nAna López\n") == ([("Ana López", "", "")], [])


@pytest.mark.parametrize(
    "text",
    [
        "Palestra is the place to hold a class bot competition\n",
        "Palestra, the place to hold a class bot competition, with teachers and bots\n",
        "Este es el fichero de la clase de inteligencia artificial\n",
        "This is a README.\n",
        "# Palestra\n",
        "<!doctype html>\n",
        '{"name": "Ana"}\n',
        'name = "friday"\n',
        "See https://example.org/class\n",
        "from palestra_client import Bot\n\n\nclass Mine(Bot):\n    def choose(self, turn):\n        "
        "return turn.legal_actions()[0]\n\n\nbot = Mine()\nbot.join()\n",
    ],
)
def test_a_text_is_no_class_list(text):
    students, problems = read(text)
    assert students == []
    assert [sentence.partition(":")[0] for _, sentence in problems] == ["This reads as text and not as a class list"]


@pytest.mark.parametrize(
    "name",
    [
        "Ana",
        "ana maría ruiz garcía",
        "María de los Ángeles Fernández de la Torre y García",
        "maria de los angeles fernandez de la torre",
        "Martin Luther King Jr.",
        "Ana Ruiz (2)",
        "R2-D2",
        "The A Team",
        "#1",
        "Seán O'Brien-García",
        "小林 花子",
    ],
)
def test_a_class_of_one_is_a_class(name):
    for text in (f"{name}\n", f"name\n{name}\n", f"{name},a@x.org\n"):
        students, problems = read(text)
        assert ([student[0] for student in students], problems) == ([name], [])
    odd = "Whoever is the best of the class"
    assert len(read(f"Ana\nBea\n{odd}\n")[0]) == 3, "one odd line does not undo a list"
    assert read(f"name\n{odd}\n")[0] == [(odd, "", "")], "whoever says that these are names is believed"


def test_a_name_with_a_comma():
    assert read('"López, Ana",ana@school.edu\n') == ([("López, Ana", "ana@school.edu", "")], [])
    assert read("López, Ana;ana@school.edu\nRuiz, Bea;bea@school.edu\n")[0][0][0] == "López, Ana"


def test_all_that_is_wrong_is_said_at_once_with_its_line():
    students, problems = read(
        "name,email,group\n"
        "Ana,ana@school.edu,A\n"  # 2
        "ANA,,A\n"  # 3: not told from line 2
        ",nobody@school.edu,A\n"  # 4: no name
        "Bea,bea@school.edu,A" + "x" * 65 + "\n"  # 5: too long a group
        "\n"
        "Cid,c@x.org,A,extra\n"  # 7: too many cells
        "=cmd,d@x.org,A\n"  # 8: a formula
        "Eva,ANA@school.edu,A\n"  # 9: the address of line 2
        "Fay,f@x.org,B\n"
    )
    assert [line for line, _ in problems] == [3, 4, 5, 7, 8, 9]
    assert [name for name, *_ in students] == ["Ana", "Fay"]
    assert "line 2" in problems[0][1]
    assert all(message.endswith(".") for _, message in problems)


def test_a_student_of_two_groups_is_taken_once():
    parsed = parse_class_list(
        "name,email,group\nAna Ruiz,ana@x.org,A\nBea,bea@x.org,A\nAna Ruiz,Ana@x.org,B\nCid,,A\nCid,,B\n"
    )
    assert [(student.name, student.group) for student in parsed.students] == [
        ("Ana Ruiz", "A"),
        ("Bea", "A"),
        ("Cid", "A"),
    ]
    assert [remark.sentence for remark in parsed.remarks] == ["Ana Ruiz is in line 2 already; this line is left out."]
    assert [(problem.line, problem.code) for problem in parsed.problems] == [(6, "twin")], "two of the same name?"


def test_lines_without_a_name_are_not_the_same_student():
    parsed = parse_class_list("name,email\n,ana@x.org\n,ana@x.org\n")
    assert [problem.line for problem in parsed.problems if "name is missing" in problem.sentence] == [2, 3]
    assert parsed.remarks == ()


def test_an_odd_address_keeps_nobody_out():
    parsed = parse_class_list("Ana,ana@localhost,A\nBea,n/a,B\nCid,cid@x.org,C\nDan,a@b@c,D\n,also odd,E\n")
    students = [(student.name, student.email) for student in parsed.students]
    assert students == [("Ana", "ana@localhost"), ("Bea", ""), ("Cid", "cid@x.org"), ("Dan", "")]
    assert [problem.line for problem in parsed.problems] == [5]
    assert [remark.line for remark in parsed.remarks] == [1, 2, 4, 5]
    assert ["kept" in remark.sentence for remark in parsed.remarks] == [True, False, False, False]


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("", 1, "empty"),
        ("\n\n", 1, "empty"),
        ("name,email\n", 1, "empty"),
        ("email,group\na@b.org,A\n", 1, "Which column holds the names"),
        ("Navn;Gruppe;Kode\nAna;A;17\n", 1, "let the first line name the columns"),
        ("Ana,A,x,y,z\n", 1, "Which column holds the names"),
        ('Ana,a@b.org\n"Bea,b@b.org\nCid,c@b.org\n', 2, "quotes"),
        ("n" * 65 + ",a@b.org\n", 1, "shorten"),
    ],
)
def test_lists_that_cannot_be(text, line, word):
    _, problems = read(text)
    assert problems[0][0] == line
    assert word in problems[0][1]


MOODLE = (
    "Nombre,Apellido(s),Número de ID,Institución,Dirección de correo,Cuestionario: Uno (Real),Total del curso (Real)\n"
    "Ana,García López,u17,,ana@school.edu,-,-\nIñigo,Ruiz,u18,,inigo@school.edu,-,-\n"
)
PARTICIPANTS = (
    '"First name","Last name","Email address",Roles,Groups\nAna,"García López",ana@school.edu,Student,"No groups"\n'
    "Iñigo,Ruiz,inigo@school.edu,Student,B\nTea,Cher,tea@school.edu,Teacher,\n"
)
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Notes,Homework (901),Final Score\n"
    ",,,,,,Manual Posting,\n    Points Possible,,,,,,10,(read only)\n"
    '"García López, Ana",5001,u17,ana@school.edu,A,,7,\n'
    '"Ruiz, Iñigo",5002,u18,inigo,B,,,\n"Student, Test",9,,f0e,A,,,\n'
)
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Weighted Total [Total Pts: up to 10]"\n'
    '"García López"\t"Ana"\t"agarcia"\t"u17"\t"2026-11-02"\t""\n"Ruiz"\t"Iñigo"\t"iruiz"\t"u18"\t""\t""\n'
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (MOODLE, [{"Número de ID": "u17"}, {"Número de ID": "u18"}]),
        (PARTICIPANTS, [{}, {}]),
        (
            CANVAS,
            [
                {"Canvas ID": "5001", "SIS User ID": "u17", "SIS Login ID": "ana@school.edu"},
                {"Canvas ID": "5002", "SIS User ID": "u18", "SIS Login ID": "inigo"},
            ],
        ),
        (BLACKBOARD, [{"Username": "agarcia", "Student ID": "u17"}, {"Username": "iruiz", "Student ID": "u18"}]),
        ("sep=;\r\nPrimer apellido;Segundo apellido;Nombre;DNI\r\nGarcía;López;Ana;1\r\nRuiz;;Iñigo;2\r\n", None),
        ('"Apellidos, Nombre";NIA\n"García López, Ana";1\nRuiz, Iñigo;2\n', None),
        ("Apellidos, Nombre\nGarcía López, Ana\nRuiz, Iñigo\n", None),
        ("Universidad de Aquí;;\nCurso 2026/27;;\n\nApellidos;Nombre;DNI\nGarcía López;Ana;1\nRuiz;Iñigo;2\n", None),
    ],
)
def test_lists_as_universities_export_them(text, ids):
    for data in (text.encode(), text.encode("utf-16"), text.encode("cp1252")):
        parsed = parse_class_list(text_of(data))
        names = [student.name for student in parsed.students]
        assert sorted(names[0].split()) == ["Ana", "García", "López"]
        assert (names[0].split()[0], names[1:], parsed.problems) == ("Ana", ["Iñigo Ruiz"], ())
        if ids is not None:
            assert [student.ids for student in parsed.students] == ids


def test_what_is_left_out_of_a_list_is_told():
    assert [remark.code for remark in parse_class_list(PARTICIPANTS).remarks] == ["not_student"]
    assert [student.group for student in parse_class_list(PARTICIPANTS).students] == ["", "B"]
    parsed = parse_class_list("Listado de alumnos\nNombre;Apellidos\nAna;Ruiz\n")
    assert [(remark.line, remark.code) for remark in parsed.remarks] == [(1, "title")]
    assert [student.line for student in parse_class_list("sep=;\nname\nAna\n").students] == [3]


def test_a_spreadsheet():
    book = Workbook()
    book.create_sheet()
    sheet = book.worksheets[1]
    for row in ([], ["Curso 2026/27"], ["Apellidos, Nombre", "DNI", "Correo"], ["García, Ana", 17.0, "ana@x.org"]):
        sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    (student,) = parse_class_list(text_of(written.getvalue())).students
    assert (student.name, student.email, student.ids) == ("Ana García", "ana@x.org", {"DNI": "17"})


def test_a_spreadsheet_of_one_column_keeps_its_commas():
    book = Workbook()
    for name in ("García, Ana", "Ruiz, Iñigo"):
        book.worksheets[0].append([name])
    written = io.BytesIO()
    book.save(written)
    assert [s.name for s in parse_class_list(text_of(written.getvalue())).students] == ["García, Ana", "Ruiz, Iñigo"]


def test_a_spreadsheet_that_unpacks_to_too_much_is_not_unpacked():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files, files.open("xl/sharedStrings.xml", "w") as file:
        for _ in range(65):
            file.write(bytes(1 << 20))
    assert len(packed.getvalue()) < 100_000
    with pytest.raises(NotText, match="too large"):
        text_of(packed.getvalue())


def test_a_cell_over_two_lines_counts_them():
    _, problems = read('name,email\n"Ana\nLópez",ana@school.edu\n=Bea,b@school.edu\n')
    assert [line for line, _ in problems] == [4]


@pytest.mark.parametrize("name", ["Óscar Peña", "PEÑA", "José", "Lucía", "Úrsula", "Ümit", "Àlex", "Ângela", "Çelik"])
def test_accents_that_a_program_garbled_are_told_at_once(name):
    garbled = name.encode().decode("cp1252")
    ((line, sentence),) = read(f"name\nAna\n{garbled}\n")[1]
    assert (line, sentence.startswith("The accents are garbled, such as '")) == (3, True)
    assert read(f"name\nAna\n{name}\n")[1] == []


@pytest.mark.parametrize("name", ["JOÃO", "MANHÃ\xa0A", "MANHÃ", "MANHÃ… B", "NGÃ–1", "ANÃ–B", "“MANHÃ”", "Ãsa"])
def test_a_capital_with_a_tilde_is_a_letter(name):
    assert read(f"name,group\nAna,{name}\n")[1] == []


def test_files():
    assert text_of("\ufeffJosé".encode()) == "José"
    assert text_of("José".encode("utf-16")) == "José"
    assert text_of("José – 5 €".encode("cp1252")) == "José – 5 €"
    for data in (b"\xd0\xcf\x11\xe0\0\0", "José".encode("utf-16-le"), b"\x81\x8d"):
        with pytest.raises(NotText, match="CSV"):
            text_of(data)
    with pytest.raises(NotText, match="cannot be read"):
        text_of(b"PK\x03\x04rest")


@given(st.text(alphabet=st.sampled_from('abAB12 ,;\t\n\r"@.=\x00é\u200b'), max_size=120))
def test_whatever_the_file_holds_it_is_read(text):
    parsed = parse_class_list(text)
    assert parsed.students or parsed.problems
    lines = [problem.line for problem in parsed.problems]
    assert lines == sorted(lines)
    assert not {student.line for student in parsed.students} & set(lines)
