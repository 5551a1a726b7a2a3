"""Writes a drawing to a file: SVG as it is, PNG through resvg, so that both are the same picture."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Final, cast

from palestra_bots.lab.svg import Drawing

PNG_ZOOM: Final = 2  # pixels of a PNG for one of the drawing, for sharp letters on today's screens
SUFFIXES: Final = (".svg", ".png")


class CannotDraw(ValueError):
    """The picture can't be written as requested; `str()` is a sentence that says why and what to do."""


def check(path: Path) -> None:
    """Raises `CannotDraw` if `save` could not write this file: better before a long computation than after it."""
    if path.suffix.lower() not in SUFFIXES:
        raise CannotDraw(f"A picture is a file that ends in .svg or .png, not {path.name!r}.")
    if not path.parent.is_dir():
        raise CannotDraw(f"There is no folder {str(path.parent)!r} to write {path.name} to; make it first.")
    if path.suffix.lower() == ".png" and not _has_font():
        raise CannotDraw(
            "No font was found on this machine, so a PNG would have no words; install one (DejaVu Sans is free), "
            "or write an .svg."
        )


def save(drawing: Drawing, path: Path) -> None:
    """Writes the picture in the format of the file's suffix. Raises `CannotDraw` as `check` does, or OSError."""
    check(path)
    if path.suffix.lower() == ".svg":
        path.write_text(str(drawing), encoding="utf-8")
    else:
        path.write_bytes(_png(str(drawing)))


def _png(svg: str) -> bytes:
    try:
        resvg = importlib.import_module("resvg_py")
    except ImportError:
        raise CannotDraw(
            "Writing a PNG needs the package resvg-py, which is not installed: pip install resvg-py, or write an .svg."
        ) from None
    return cast(bytes, resvg.svg_to_bytes(svg_string=svg, zoom=PNG_ZOOM))


@cache
def _has_font() -> bool:
    """Whether words leave any ink: without a font the renderer leaves them out and says nothing."""
    blank, word = Drawing(20, 20, ""), Drawing(20, 20, "")
    word.text(10, 15, "8")
    return _png(str(blank)) != _png(str(word))
