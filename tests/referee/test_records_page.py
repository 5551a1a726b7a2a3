"""RECORDS.md is true: its example is replayed, and what it lists is what there is."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palestra_protocol.english import SENTENCES
from palestra_referee import canonical_json, event_from_line, link, receipt, record_line
from palestra_referee.events import VOIDS
from palestra_referee.layout import match_entry
from palestra_referee.reading import Wrong
from palestra_referee.records import _KINDS
from palestra_referee.verification import replay_strictly, verify_match
from palestra_tournament import Spec, installed_formats
from palestra_tournament.openings import opening_lists
from palestra_tournament.spec import Clock, Rubric

PAGE = (Path(__file__).parents[2] / "protocol" / "RECORDS.md").read_text(encoding="utf-8")


def block(kind):
    """The fenced block of this kind, as lines."""
    (found,) = re.findall(rf"^```json {kind}\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    return found.encode().splitlines()


def test_the_worked_example():
    records, (line,) = block("records"), block("match")
    entry = json.loads(line)
    assert canonical_json(entry) == line
    assert verify_match(entry, records).outcome.reason == "rules"
    h0 = link(b"", records[0])
    assert f"h0 is `{h0.hex()}`, h1 is `{link(h0, records[1]).hex()}`" in PAGE
    assert f"the receipt is `{receipt(records)}`" in PAGE
    assert entry["receipt"] == receipt(records)


@pytest.mark.parametrize("seq", range(19))
def test_every_record_of_the_example_counts(seq):
    """Without any one of them, or with its time moved beyond all limits, the page's result does not follow."""
    records, (line,) = block("records"), block("match")
    assert len(records) == 19
    with pytest.raises(Wrong):
        verify_match(json.loads(line), records[:seq] + records[seq + 1 :])
    with pytest.raises(Wrong):
        replay_strictly("m-20417", [*records[: seq + 1], records[seq], *records[seq + 1 :]])


def test_every_kind_of_record_and_each_of_its_fields_is_listed():
    table = PAGE.partition("## The records of a match")[2].partition("`config` has")[0]
    for kind, event in _KINDS.items():
        (row,) = re.findall(rf"^\| `{kind}` \| (.*?) \| [^|]*\|$", table, re.MULTILINE)
        assert re.findall(r"`(\w+)`", row) == list(event.__annotations__)


def test_every_reason_and_each_of_its_values_is_listed():
    table = PAGE.partition("## Why a match ended")[2].partition("## Chain")[0].partition("| --- |")[2]
    rows = re.findall(r"^\|[^|]*\| `(\w+)` \| (.*?) \|", table, re.MULTILINE)
    listed = {code: set(re.findall(r"`(\w+)`", values.partition(", as in")[0])) for code, values in rows}
    said = {key: text for key, text in SENTENCES.items() if key.startswith("why.")}
    assert listed == {key.removeprefix("why."): set(re.findall(r"\{(\w+)\}", text)) for key, text in said.items()}
    assert {code: listed[code] for code in VOIDS} == VOIDS


def test_every_field_of_a_match_is_listed():
    entry = json.loads(block("match")[0])
    table = PAGE.partition("A map of `matches.jsonl`:")[2].partition("##")[0]
    for field in (*entry, *entry["moves"][0]):
        assert f"`{field}`" in table
    assert match_entry.__doc__


def test_every_key_of_a_tournament_file_is_listed_with_its_default():
    page = PAGE.partition("### The file")[2].partition("### Events")[0]
    rows = re.findall(r"^\| (`.*?`) \|(.*?)\| ", page, re.MULTILINE)
    listed = dict(
        pair for keys, values in rows for pair in zip(keys.split(", "), values.strip().split(", "), strict=False)
    )
    decide_nothing = page.partition("Keys not listed here (")[2].partition(")")[0].split(", ")
    fields = [
        *Spec.model_fields.items(),
        *(pair for one in installed_formats().values() for pair in one.model_fields.items()),
    ]
    for key, field in fields:
        if f"`{key}`" not in decide_nothing and key not in ("clock", "grades", "name", "games", "format"):
            default = "" if field.default is None else json.dumps(field.default)
            assert listed[f"`{key}`"].strip("`").replace("[]", "()") in (default, "()"), key
    for key, field in [*Clock.model_fields.items(), ("maximum", Rubric.model_fields["maximum"])]:
        default = field.default if isinstance(field.default, (int, float)) else f'`"{field.default}"`'
        assert re.search(rf"`{key}` {default:{'g' if isinstance(default, float) else ''}}", page), key


def test_the_lists_of_openings_are_those_of_the_page():
    table = PAGE.partition("### Chance and openings")[2].partition("### Formats")[0]
    rows = re.findall(r"^\| ([\w-]+) \| (\d+) \| `(\w{64})` \|$", table, re.MULTILINE)
    lists = json.loads(opening_lists())
    assert rows == [(game, str(len(of)), sha256(canonical_json(of)).hexdigest()) for game, of in lists.items()]


# canonical JSON


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # RFC 8785, appendix B and section 3.2.3
        (5e-324, "5e-324"),
        (-1.7976931348623157e308, "-1.7976931348623157e+308"),
        (9007199254740992.0, "9007199254740992"),
        (295147905179352830000.0, "295147905179352830000"),
        (9.999999999999997e22, "9.999999999999997e+22"),
        (1e23, "1e+23"),
        (999999999999999700000.0, "999999999999999700000"),
        (1e21, "1e+21"),
        (9.999999999999997e-7, "9.999999999999997e-7"),
        (0.000001, "0.000001"),
        (333333333.33333325, "333333333.33333325"),
        (-0.0000033333333333333333, "-0.0000033333333333333333"),
        (1424953923781206.2, "1424953923781206.2"),
        (-0.0, "0"),
        (1.0, "1"),
        (55421084997621420, "55421084997621420"),
        ('€$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'),
        (
            {"€": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "ö": 7},
            '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\U0001f600":5,"\ufb33":3}',
        ),
        ([True, None, (), {"b": [], "a": {}}], '[true,null,[],{"a":{},"b":[]}]'),
    ],
)
def test_canonical_json(value, text):
    assert canonical_json(value).decode() == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53 + 1, 2**60, 10**400, "\ud800", b"bytes", {1}])
def test_what_json_cannot_say_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        canonical_json(value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(2**53), 2**53)
    # no lone surrogates
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON)
def test_canonical_json_is_read_back_and_written_the_same(value):
    text = canonical_json(value)
    assert canonical_json(json.loads(text)) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_keeps_its_value(value):
    assert float(json.loads(canonical_json(value))) == value


def test_records_written_out_by_hand_are_canonical():
    """What comes at every move does not go through `canonical_json`."""
    for line in block("records"):
        event = event_from_line(line)
        assert record_line(event) == line == canonical_json(json.loads(line))
