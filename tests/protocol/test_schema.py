"""schema.json: current, true to the models, and true to every example on the page."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator
from tests.support.strategies import client_messages, near_misses, server_messages
from tests.support.transcript import examples

from palestra_protocol.codecs import JSON
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.schema import rendered, schema

FILE = Path(__file__).parents[2] / "protocol" / "schema.json"
SCHEMA = json.loads(FILE.read_text(encoding="utf-8"))


def validator(direction: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/$defs/{direction}", "$defs": SCHEMA["$defs"]})


CLIENT, SERVER = validator("ClientMessage"), validator("ServerMessage")


def test_the_committed_file_is_current():
    assert FILE.read_text(encoding="utf-8") == rendered(), "run `make schema` and commit it"


def test_it_is_a_schema_and_each_message_must_have_its_type():
    Draft202012Validator.check_schema(schema())
    for name, definition in schema()["$defs"].items():
        if "type" in definition.get("properties", {}):
            assert definition["required"][0] == "type", name


@pytest.mark.parametrize("line", examples(), ids=lambda line: line.message["type"])
def test_each_example_of_the_page_is_valid(line):
    (CLIENT if line.from_client else SERVER).validate(line.message)
    assert not (SERVER if line.from_client else CLIENT).is_valid(line.message)
    Draft202012Validator(SCHEMA).validate(line.message)


@given(message=client_messages)
@pytest.mark.slow
def test_what_a_client_may_send_is_valid(message):
    CLIENT.validate(json.loads(JSON.encode(message)))


@given(message=server_messages)
@pytest.mark.slow
def test_what_the_server_sends_is_valid(message):
    SERVER.validate(json.loads(JSON.encode(message)))


def has_whole_float(value: object) -> bool:
    """JSON Schema takes 3.0 for an integer; the wire does not."""
    if isinstance(value, dict):
        return any(map(has_whole_float, value.values()))
    if isinstance(value, list):
        return any(map(has_whole_float, value))
    return isinstance(value, float) and value.is_integer()


@given(value=near_misses())
def test_the_schema_and_the_models_agree(value):
    try:
        frame = json.dumps(value, allow_nan=False).encode()
    except ValueError:
        return
    value = json.loads(frame)
    if has_whole_float(value):
        return
    try:
        JSON.decode_client(frame)
        accepted = True
    except BadMessage:
        accepted = False
    assert CLIENT.is_valid(value) == accepted
