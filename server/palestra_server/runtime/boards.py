"""Boards for messages, joined from cells and actions that are already encoded.

A board is drawn and written at every move of every watched match, and nearly all of it was on other boards before: a
game has few distinct cells, and mostly the same actions are legal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from palestra_games import Seat
from palestra_games.interface import ActionView, BoardView, CellView
from palestra_protocol.codecs import GAP, JSON, MSGPACK, Codec, Encoded


class Board(Encoded):
    """A view as it appears in messages, as the bytes of its `to_wire()`."""

    __slots__ = ("_view",)

    def __init__(self, view: BoardView) -> None:
        super().__init__()
        self._view = view

    def encode(self, codec: Codec) -> bytes:
        view = self._view
        # Only for boards in play, since (1, -1) and (1.0, -1.0) would be one key.
        outline = _outline if view.returns is None else _outline.__wrapped__
        start, middle, end = outline(
            codec.binary, view.kind, view.rows, view.cols, view.to_move, view.returns, *(view.stores or ())
        )
        return b"".join((start, _joined(view.cells, codec), middle, _joined(view.actions, codec), end))


def _joined(parts: Sequence[CellView] | Sequence[ActionView], codec: Codec) -> bytes:
    binary = codec.binary
    try:
        return codec.join([part.encoded[binary] for part in parts])
    except KeyError:
        for part in parts:
            part.encoded[binary] = codec.encode(part.wire)
        return codec.join([part.encoded[binary] for part in parts])


# Typed, since a game may use True where another has 1: they are written differently.
@lru_cache(maxsize=4096, typed=True)
def _outline(
    binary: bool,
    kind: Literal["grid", "pits"],
    rows: int,
    cols: int,
    to_move: Seat | None,
    returns: tuple[float, float] | None,
    *stores: int,
) -> tuple[bytes, bytes, bytes]:
    wire = BoardView(kind, rows, cols, (), (), to_move, returns).to_wire()
    parts = {**wire, "cells": GAP, "actions": GAP, "stores": stores or None}
    start, middle, end = (MSGPACK if binary else JSON).cut(parts)
    return start, middle, end
