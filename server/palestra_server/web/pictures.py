"""A board as a PNG of 1200 by 630, for readers of links, which draw no SVG."""

from __future__ import annotations

import struct
import zlib
from binascii import unhexlify
from functools import lru_cache
from math import cos, sin
from typing import Final, TypeAlias

from palestra_games.interface import BoardView

WIDTH: Final = 1200
HEIGHT: Final = 630
_MARGIN: Final = 30
_WELL, _HOLE, _GOLD = b"1", b"2", b"5"
_SEATS: Final = (b"3", b"4")
_SIGNS: Final = (b"6", b"7")
# The light colours of the page (`css/base.css`) by these numbers; 0 is around the board.
_PALETTE: Final = bytes.fromhex("faf6efece2d2fffdf9c2502b1f5d7dc08a1ee8a1848db8cf")


# Rows of a part of the picture, two pixels a byte; their number in a row is even.
_Tile: TypeAlias = tuple[bytes, ...]


def board_png(view: BoardView) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = [bytearray(WIDTH // 2) for _ in range(HEIGHT)]
    (_draw_pits if view.kind == "pits" else _draw_grid)(rows, view)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 4, 3, 0, 0, 0)
    # The quickest level takes a quarter of the usual one's time, for half as many bytes again.
    pixels = zlib.compress(b"\0" + b"\0".join(rows), 1)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (chunk(b"IHDR", header), chunk(b"PLTE", _PALETTE), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
    )


class _Canvas:
    """A hexadecimal digit a pixel: a number of the palette."""

    def __init__(self, width: int, height: int, colour: bytes) -> None:
        self.rows = [bytearray(colour) * width for _ in range(height)]

    def rectangle(self, left: float, top: float, width: float, height: float, colour: bytes) -> None:
        begin, end = round(left), round(left + width)
        span = colour * (end - begin)
        for row in self.rows[round(top) : round(top + height)]:
            row[begin:end] = span

    def disc(self, x: float, y: float, radius: float, colour: bytes) -> None:
        middle, top, spans = round(x), round(y), _spans(radius, colour)
        for row, span in zip(self.rows[top - len(spans) // 2 :], spans, strict=False):
            begin = middle - len(span) // 2
            row[begin : begin + len(span)] = span

    def seeds(self, count: int, colour: bytes) -> None:
        """Around the middle in the spiral of a sunflower, as the page has them."""
        x, y = len(self.rows[0]) // 2, len(self.rows) // 2
        size = min(11, x // 5)
        for at in range(count):
            far, angle = (x - size) * ((at + 0.35) / max(count, 7)) ** 0.5, at * 2.39996
            self.disc(x + far * cos(angle), y + far * sin(angle), size, colour)

    def tile(self) -> _Tile:
        return tuple(map(unhexlify, self.rows))


@lru_cache(64)
def _spans(radius: float, colour: bytes) -> tuple[bytes, ...]:
    """The rows of a disc, whose middle is between the two in the middle."""
    high = round(radius)
    halves = (round(max(0.0, radius**2 - (at + 0.5) ** 2) ** 0.5) for at in range(-high, high))
    return tuple(colour * (2 * half) for half in halves)


def _draw_grid(rows: list[bytearray], view: BoardView) -> None:
    size = min((WIDTH - 2 * _MARGIN) // view.cols, (HEIGHT - 2 * _MARGIN) // view.rows) & ~1
    left, bottom = (WIDTH - size * view.cols) // 4, (HEIGHT + size * view.rows) // 2
    right = left + size * view.cols // 2
    tiles = [_cell(size, each.seat, each.kind == "piece", bool(each.highlight)) for each in view.cells]
    for row in range(view.rows):
        below = bottom - size * row
        lines = zip(*tiles[row * view.cols : (row + 1) * view.cols], strict=True)
        for pixels, parts in zip(rows[below - size : below], lines, strict=True):
            pixels[left:right] = b"".join(parts)


@lru_cache(64)
def _cell(size: int, seat: int | None, is_piece: bool, is_highlit: bool) -> _Tile:
    canvas, middle = _Canvas(size, size, _WELL), size / 2
    if is_highlit:
        canvas.disc(middle, middle, size * 0.48, _GOLD)
    if seat is None:
        canvas.disc(middle, middle, size * 0.4, _HOLE)
    else:
        canvas.disc(middle, middle, size * 0.41, _SEATS[seat])
        if not is_piece:
            canvas.rectangle(middle - size * 0.2, middle - size * 0.05, size * 0.4, size * 0.1, _HOLE)
            canvas.rectangle(middle - size * 0.05, middle - size * 0.2, size * 0.1, size * 0.4, _HOLE)
        elif seat == 1:
            canvas.disc(middle, middle, size * 0.1, _SIGNS[1])
        else:
            canvas.disc(middle, middle, size * 0.26, _SIGNS[0])
            canvas.disc(middle, middle, size * 0.21, _SEATS[0])
    return canvas.tile()


def _draw_pits(rows: list[bytearray], view: BoardView) -> None:
    wide = (WIDTH - 2 * _MARGIN) / (view.cols + 2.4)
    radius, high = round(wide * 0.42), round(wide * 2.7)
    _paste(rows, WIDTH / 2, HEIGHT / 2, (unhexlify(_WELL * (WIDTH - 2 * _MARGIN)),) * high)
    for index, cell in enumerate(view.cells):
        row, col = divmod(index, view.cols)
        x = WIDTH / 2 + wide * (col + 0.5 - view.cols / 2)
        _paste(rows, x, HEIGHT / 2 + wide * (0.65 if row == 0 else -0.65), _pit(radius, cell.count, row))
    for seat, seeds in enumerate(view.stores or ()):
        x = WIDTH - _MARGIN - wide * 0.6 if seat == 0 else _MARGIN + wide * 0.6
        _paste(rows, x, HEIGHT / 2, _store(2 * radius, round(wide * 2.3), seeds, seat))


@lru_cache(128)
def _pit(radius: int, count: int, seat: int) -> _Tile:
    canvas = _Canvas(2 * radius, 2 * radius, _WELL)
    canvas.disc(radius, radius, radius, _HOLE)
    canvas.seeds(count, _SEATS[seat])
    return canvas.tile()


@lru_cache(128)
def _store(width: int, height: int, count: int, seat: int) -> _Tile:
    canvas = _Canvas(width, height, _HOLE)
    canvas.seeds(count, _SEATS[seat])
    return canvas.tile()


def _paste(rows: list[bytearray], x: float, y: float, tile: _Tile) -> None:
    """With its middle at (x, y)."""
    left, top = round(x / 2) - len(tile[0]) // 2, round(y) - len(tile) // 2
    for row, span in zip(rows[top:], tile, strict=False):
        row[left : left + len(span)] = span
