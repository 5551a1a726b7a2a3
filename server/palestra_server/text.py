"""The text of files as people have them: CSV in the encodings of their programs, or a spreadsheet."""

from __future__ import annotations

import codecs
import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Final

# What a spreadsheet may hold, so that a small file which unpacks to a huge one costs a sentence.
UNPACKED_MAX: Final = 64 << 20  # bytes
ROWS_MAX: Final = 20_000
COLUMNS_MAX: Final = 300


class NotText(ValueError):
    """The file holds no text; the message is one sentence that says how to save it."""


def text_of(data: bytes) -> str:
    """The text of a list: UTF-8, UTF-16 with its mark ("Unicode text"), Windows-1252, or an .xlsx as text with tabs.

    Raises NotText.
    """
    if data.startswith(b"PK\x03\x04"):
        return _xlsx(data)
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text: str | None = None
    for encoding in ("utf-16",) if utf16 else ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    if text is None or "\0" in text:
        raise NotText("This is no text and no .xlsx: save the list as CSV (UTF-8) and import that.")
    return text


def _xlsx(data: bytes) -> str:
    try:
        # It is an extra, and slow to import.
        from openpyxl import load_workbook
    except ImportError:
        raise NotText(
            "To read .xlsx, install palestra-server[xlsx]; or save the list as CSV (UTF-8) and import that."
        ) from None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as files:
            if sum(file.file_size for file in files.infolist()) > UNPACKED_MAX:
                raise NotText("This spreadsheet is too large for a list: save the list alone, as CSV (UTF-8).")
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # some programs write none, or wrong ones
            rows = list(_rows(sheet.iter_rows(max_row=ROWS_MAX, max_col=COLUMNS_MAX, values_only=True)))
            if rows:
                return _written(rows)
    except NotText:
        raise
    except Exception as error:  # whatever may be wrong in a file from outside; the library promises no one kind
        raise NotText(f"This spreadsheet cannot be read ({type(error).__name__}): save the list as CSV.") from None
    return ""


def _rows(found: Iterator[Sequence[object]]) -> Iterator[list[str]]:
    for row in found:
        cells = ["" if value is None else _cell(value) for value in row]
        if any(cells):
            yield cells


def _cell(value: object) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).strip()  # type: ignore[call-overload]


def _written(rows: list[list[str]]) -> str:
    width = max(1 + max(at for at, cell in enumerate(row) if cell) for row in rows)
    out = io.StringIO()
    # In a single column, a comma in a name would look like a separator.
    writer = csv.writer(out, csv.excel_tab, quoting=csv.QUOTE_ALL if width == 1 else csv.QUOTE_MINIMAL)
    writer.writerows(row[:width] for row in rows)
    return out.getvalue()
