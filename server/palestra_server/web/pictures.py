"""A board as a PNG of 1200 by 630, for readers of links, which draw no SVG."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from math import cos, sin
from typing import Final

from palestra_games.interface import BoardView

WIDTH: Final = 1200
HEIGHT: Final = 630
_MARGIN: Final = 30
_WELL, _HOLE, _GOLD = 1, 2, 5
_SEATS: Final = (3, 4)
_SIGNS: Final = (6, 7)
# The light colours of the page (`css/base.css`) by these numbers; 0 is around the board.
_PALETTE: Final = bytes.fromhex("faf6efece2d2fffdf9c2502b1f5d7dc08a1ee8a1848db8cf")


def board_png(view: BoardView) -> bytes:
    canvas = _Canvas(WIDTH, HEIGHT, 0)
    (_draw_pits if view.kind == "pits" else _draw_grid)(canvas, view)
    return canvas.png()


class _Canvas:
    """One byte a pixel: a number of the palette."""

    def __init__(self, width: int, height: int, colour: int) -> None:
        self.rows = [bytearray([colour]) * width for _ in range(height)]

    def rectangle(self, left: float, top: float, width: float, height: float, colour: int) -> None:
        begin, end = round(left), round(left + width)
        span = bytes([colour]) * (end - begin)
        for row in self.rows[round(top) : round(top + height)]:
            row[begin:end] = span

    def disc(self, x: float, y: float, radius: float, colour: int) -> None:
        middle, top, spans = round(x), round(y), _spans(radius, colour)
        for row, span in zip(self.rows[top - len(spans) // 2 :], spans, strict=False):
            begin = middle - len(span) // 2
            row[begin : begin + len(span)] = span

    def seeds(self, x: float, y: float, count: int, radius: float, colour: int) -> None:
        """In the spiral of a sunflower, as the page has them."""
        for at in range(count):
            far, angle = radius * ((at + 0.35) / max(count, 7)) ** 0.5, at * 2.39996
            self.disc(x + far * cos(angle), y + far * sin(angle), 11, colour)

    def png(self) -> bytes:
        def chunk(kind: bytes, body: bytes) -> bytes:
            return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

        header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
        # Looking for runs alone takes a third of the time, for half as many bytes again.
        packing = zlib.compressobj(strategy=zlib.Z_RLE)
        pixels = packing.compress(b"\0" + b"\0".join(self.rows)) + packing.flush()
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            (chunk(b"IHDR", header), chunk(b"PLTE", _PALETTE), chunk(b"IDAT", pixels), chunk(b"IEND", b""))
        )


@lru_cache(64)
def _spans(radius: float, colour: int) -> tuple[bytes, ...]:
    """The rows of a disc, whose middle is between the two in the middle."""
    high = round(radius)
    halves = (round(max(0.0, radius**2 - (at + 0.5) ** 2) ** 0.5) for at in range(-high, high))
    return tuple(bytes([colour]) * (2 * half) for half in halves)


def _draw_grid(canvas: _Canvas, view: BoardView) -> None:
    size = min((WIDTH - 2 * _MARGIN) // view.cols, (HEIGHT - 2 * _MARGIN) // view.rows)
    left, bottom = (WIDTH - size * view.cols) // 2, (HEIGHT + size * view.rows) // 2
    right = left + size * view.cols
    tiles = [_tile(size, each.seat, each.kind == "piece", bool(each.highlight)) for each in view.cells]
    for row in range(view.rows):
        below = bottom - size * row
        lines = zip(*tiles[row * view.cols : (row + 1) * view.cols], strict=True)
        for pixels, parts in zip(canvas.rows[below - size : below], lines, strict=True):
            pixels[left:right] = b"".join(parts)


@lru_cache(64)
def _tile(size: int, seat: int | None, is_piece: bool, is_highlit: bool) -> tuple[bytes, ...]:
    """The rows of a cell of a grid."""
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
    return tuple(map(bytes, canvas.rows))


def _draw_pits(canvas: _Canvas, view: BoardView) -> None:
    wide = (WIDTH - 2 * _MARGIN) / (view.cols + 2.4)
    radius, top = wide * 0.42, HEIGHT / 2 - wide * 1.35
    canvas.rectangle(_MARGIN, top, WIDTH - 2 * _MARGIN, wide * 2.7, _WELL)
    for index, cell in enumerate(view.cells):
        row, col = divmod(index, view.cols)
        x, y = _MARGIN + wide * (1.2 + col + 0.5), HEIGHT / 2 + wide * (0.65 if row == 0 else -0.65)
        canvas.disc(x, y, radius, _HOLE)
        canvas.seeds(x, y, cell.count, radius * 0.8, _SEATS[row])
    for seat, seeds in enumerate(view.stores or ()):
        x = WIDTH - _MARGIN - wide * 0.6 if seat == 0 else _MARGIN + wide * 0.6
        canvas.rectangle(x - wide * 0.42, top + wide * 0.2, wide * 0.84, wide * 2.3, _HOLE)
        canvas.seeds(x, HEIGHT / 2, seeds, wide * 0.36, _SEATS[seat])
