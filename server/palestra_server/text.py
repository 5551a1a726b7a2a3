"""Decodes text files in the encodings that people use."""

from __future__ import annotations

import codecs


class NotText(ValueError):
    """The file isn't text; the message is one sentence that says how to save it."""


def decode(data: bytes) -> str:
    """The text of a class list, UTF-8 or UTF-16 (Excel's "Unicode text"). Raises NotText."""
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise NotText("This is a spreadsheet's own file: save it as CSV (UTF-8) and import that.")
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotText(f"Line {line} is not in UTF-8: save the list as CSV (UTF-8) and import that.") from None
