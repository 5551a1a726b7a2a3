"""The gateway's own handling of plain frames agrees with the library's."""

from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from palestra_server.gateway.websocket.stream import BINARY, OTHER, TEXT, data_frame, read_head, unmasked

payloads = st.one_of(
    st.binary(max_size=200), st.integers(0, 5000).map(bytes), st.sampled_from([bytes(65535), bytes(65536)])
)


@given(payloads, st.booleans(), st.binary(max_size=9), st.binary(max_size=9))
def test_reads_what_the_library_writes(payload, binary, before, after):
    sent = Frame(Opcode.BINARY if binary else Opcode.TEXT, payload).serialize(mask=True)
    data = before + sent + after
    kind, body, end = read_head(data, len(before))
    assert kind == (BINARY if binary else TEXT)
    assert end == len(before) + len(sent)
    assert unmasked(data, body, end) == payload


@given(payloads, st.data())
def test_a_part_of_a_header_is_no_header(payload, data):
    sent = Frame(Opcode.BINARY, payload).serialize(mask=True)
    whole = len(sent) - len(payload)
    cut = data.draw(st.integers(0, len(sent)))
    head = read_head(sent[:cut], 0)
    assert (head is None) == (cut < whole)
    if head is not None:
        assert head[2] == len(sent)


@given(st.sampled_from(list(Opcode)), st.booleans(), st.booleans(), st.booleans())
def test_all_but_whole_data_frames_and_pongs_are_left_to_the_library(opcode, fin, rsv, masked):
    sent = bytearray(Frame(opcode, b"abc").serialize(mask=masked))
    sent[0] = sent[0] & 0x0F | (fin << 7) | (rsv << 6)
    kind, _, end = read_head(bytes(sent), 0)
    assert end == len(sent)
    assert (kind != OTHER) == (masked and fin and not rsv and opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.PONG))


@given(st.binary(min_size=126, max_size=200))
def test_a_pong_that_is_too_long_is_left_to_the_library(payload):
    sent = Frame(Opcode.BINARY, payload).serialize(mask=True)
    assert read_head(b"\x8a" + sent[1:], 0)[0] == OTHER


@given(payloads, st.booleans())
def test_writes_what_the_library_writes(payload, binary):
    expected = Frame(Opcode.BINARY if binary else Opcode.TEXT, payload).serialize(mask=False)
    assert data_frame(payload, binary) == expected
