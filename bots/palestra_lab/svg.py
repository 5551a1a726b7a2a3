"""Drawings as SVG, escaped by the standard library, and as files: SVG as it is, PNG through resvg."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, cast
from xml.etree import ElementTree

INK: Final = "#1f2933"
FAINT: Final = "#7b8794"
GRID: Final = "#e4e7eb"
FONT: Final = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
PNG_ZOOM: Final = 2  # pixels of a PNG for one of the drawing, for sharp letters on today's screens


def text_width(text: str, size: float) -> float:
    """About how wide `text` is in pixels, on the wide side: fonts differ from machine to machine."""
    return 0.64 * size * len(text)


class Drawing:
    """A picture of `width` x `height` pixels on white. `title` is what a screen reader says.

    Coordinates are pixels from the upper left corner; `style` has attributes of SVG.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        self._root = ElementTree.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "viewBox": f"0 0 {_number(width)} {_number(height)}",
                "width": _number(width),
                "height": _number(height),
                "font-family": FONT,
                "role": "img",
            },
        )
        ElementTree.SubElement(self._root, "title").text = title
        self.rect(0, 0, width, height, fill="#ffffff")

    def line(self, x1: float, y1: float, x2: float, y2: float, **style: float | str) -> None:
        self._add("line", x1=x1, y1=y1, x2=x2, y2=y2, **{"stroke": INK, "stroke_width": 1, **style})

    def path(self, points: Sequence[tuple[float, float]], **style: float | str) -> None:
        """A line through all points."""
        joined = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._add("polyline", points=joined, fill="none", stroke_linejoin="round", **{"stroke_width": 2, **style})

    def rect(self, x: float, y: float, width: float, height: float, **style: float | str) -> None:
        self._add("rect", x=x, y=y, width=width, height=height, **style)

    def circle(self, x: float, y: float, radius: float, *, fill: str) -> None:
        self._add("circle", cx=x, cy=y, r=radius, fill=fill)

    def text(self, x: float, y: float, content: str, *, upwards: bool = False, **style: float | str) -> None:
        """Words, with the baseline at `y`. `upwards` turns them by 90 degrees. Nothing is drawn for no words."""
        if not content:
            return
        turn = f"rotate(-90 {_number(x)} {_number(y)})" if upwards else ""
        usual: dict[str, float | str] = {"font_size": 13, "text_anchor": "middle", "fill": INK}
        self._add("text", x=x, y=y, transform=turn, **{**usual, **style}).text = content

    def __str__(self) -> str:
        ElementTree.indent(self._root)
        return ElementTree.tostring(self._root, encoding="unicode") + "\n"

    def _add(self, tag: str, **attributes: float | str) -> ElementTree.Element:
        """`stroke_width` is SVG's stroke-width; one that is "" is left out."""
        given = {
            name.replace("_", "-"): value if isinstance(value, str) else _number(value)
            for name, value in attributes.items()
            if value != ""
        }
        return ElementTree.SubElement(self._root, tag, given)


def _number(value: float) -> str:
    """Two decimals are a hundredth of a pixel; more only make the file larger."""
    return f"{round(value, 2):.10g}"


def check(path: Path) -> None:
    """ValueError, in one sentence, if `save` could not write this file: better before a long computation than after."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise ValueError(f"A picture is a file that ends in .svg or .png, not {path.name!r}.")
    if not path.parent.is_dir():
        raise ValueError(f"There is no folder {str(path.parent)!r} to write {path.name} to; make it first.")
    if path.suffix.lower() == ".png" and not _has_font():
        raise ValueError(
            "No font was found on this machine, so a PNG would have no words; install one (DejaVu Sans is free), "
            "or write an .svg."
        )


def save(drawing: Drawing, path: Path) -> None:
    """Writes the picture in the format of the file's suffix. Raises ValueError as `check` does, or OSError."""
    check(path)
    if path.suffix.lower() == ".svg":
        path.write_text(str(drawing), encoding="utf-8")
    else:
        path.write_bytes(_png(str(drawing)))


def _png(svg: str) -> bytes:
    try:
        resvg = importlib.import_module("resvg_py")
    except ImportError:
        raise ValueError(
            "Writing a PNG needs the package resvg-py, which is not installed: pip install resvg-py, or write an .svg."
        ) from None
    return cast(bytes, resvg.svg_to_bytes(svg_string=svg, zoom=PNG_ZOOM))


@cache
def _has_font() -> bool:
    """Whether words leave any ink: without a font the renderer leaves them out and says nothing."""
    blank, word = Drawing(20, 20, ""), Drawing(20, 20, "")
    word.text(10, 15, "8")
    return _png(str(blank)) != _png(str(word))
