"""Opens an export, which anybody may have made: within the limits of `layout`, and with a sentence for what is wrong.

What is in the file is exactly what its manifest says, and the manifest lists nothing but what an export has.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import IO, Annotated, Any, Final, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from palestra_referee import layout
from palestra_referee.canonical import canonical_json

Export: TypeAlias = str | Path | IO[bytes]

_READ: Final = 1 << 20
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError)
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
_END: Final = b"PK\5\6"  # how the last part of a zip file begins, which has so many bytes if it has no comment
_END_BYTES: Final = 22


class Wrong(Exception):
    """Verification failed; the text is a sentence that says why."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


_Name = Annotated[str, Field(pattern=layout.TOURNAMENT_NAME)]
_Number = Annotated[int, Field(ge=0)]


class LeftOut(_Strict):
    """The damaged matches and tournaments that are not in the file, by name."""

    matches: tuple[str, ...]
    tournaments: tuple[_Name, ...]


class Manifest(_Strict):
    """`exported` is UTC in ms since 1970; `hidden`: the tournaments whose hidden round is not in the file; `files`: the
    SHA-256 of all other files, in hex by name.
    """

    format: int
    server: str
    server_id: str | None
    exported: _Number
    matches: _Number
    tournaments: tuple[_Name, ...]
    seasons: tuple[_Name, ...]
    left_out: LeftOut
    hidden: tuple[_Name, ...]
    files: dict[str, str]


class Files:
    """The files of an export, each as its manifest describes it."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self._archive = archive
        self.manifest = manifest

    def has_begun(self, tournament: str) -> bool:
        """Whether the export has tables of the tournament."""
        return layout.folder(tournament) + layout.TABLE_FILES[0] in self.manifest.files

    def read(self, name: str, most: int) -> bytes:
        """A whole file; of a larger one, `most` bytes and one more."""
        return _read(self._archive, name, most)

    def lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        """The lines, numbered from 1, without their ends."""
        with _told(name), self._archive.open(name) as packed:
            file = io.BufferedReader(cast(io.RawIOBase, packed), _READ)
            for number in count(1):
                line = file.readline(layout.LINE_BYTES + 1)
                if not line:
                    return
                if not line.endswith(b"\n"):
                    what = "is too long" if len(line) > layout.LINE_BYTES else "is cut off"
                    raise Wrong(f"{name}, line {number} {what}.")
                yield number, line[:-1]


@contextmanager
def open_export(export: Export) -> Iterator[Files]:
    """Checks the files of an export against its manifest. Raises Wrong, here and while the files are read."""
    with ExitStack() as opened:
        try:
            source = opened.enter_context(open(export, "rb")) if isinstance(export, str | Path) else export
            archive = opened.enter_context(zipfile.ZipFile(cast(IO[bytes], _Guarded(source))))
        except OSError as error:
            raise Wrong(f"it can't be read: {error.strerror or error}.") from None
        except _DAMAGED as error:
            raise Wrong(f"it can't be read as an export ({error}).") from None
        source.seek(-_END_BYTES, io.SEEK_END)
        begin = min((entry.header_offset for entry in archive.infolist()), default=0)
        if source.read(len(_END)) != _END or begin > 0:
            raise Wrong("something stands before or after its files, and nothing of an export does.")
        yield Files(archive, _checked(archive, source.seek(0, io.SEEK_END)))


class _Guarded:
    """A file of which at most DIRECTORY_BYTES are read at once: zipfile reads the list of the files as a whole."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > layout.DIRECTORY_BYTES:
            raise Wrong("it lists far more files than an export has.")
        return self._file.read(size if size >= 0 else layout.DIRECTORY_BYTES)


def _checked(archive: zipfile.ZipFile, size: int) -> Manifest:
    """The manifest, once everything in the file, of `size` bytes, agrees with it."""
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        name = entry.filename
        if name in entries:
            raise Wrong(f"{name} is there twice.")
        entries[name] = entry
        if entry.comment:
            raise Wrong(f"{name} has a comment, and nothing in an export has.")
        if entry.flag_bits & _ENCRYPTED:
            raise Wrong(f"{name} is encrypted, and nothing in an export is.")
        if entry.compress_type not in _PACKED:
            raise Wrong(f"{name} is packed in a way that exports do not use (method {entry.compress_type}).")
        if not name.endswith(layout.TABLE_FILES) and entry.file_size > max(
            layout.FREE_BYTES, layout.RATIO * entry.compress_size
        ):
            raise Wrong(
                f"{name} would unpack to {layout.RATIO} times its size and more, which no file of an export does."
            )
    if sum(entry.compress_size for entry in entries.values()) > size:
        raise Wrong("its files overlap, or lie beyond its end.")
    manifest = _manifest(_read(archive, layout.MANIFEST, layout.MANIFEST_BYTES))
    expected = {layout.MANIFEST, layout.MATCHES, layout.JOURNAL, layout.OPENINGS}
    for tournament in manifest.tournaments:
        place = layout.folder(tournament)
        expected |= {place + layout.FILE, place + layout.EVENTS}
        if any(place + table in entries for table in layout.TABLE_FILES):
            expected.update(place + table for table in layout.TABLE_FILES)
    for season in manifest.seasons:
        expected.update(layout.season_folder(season) + file for file in (layout.SEASON_FILE, *layout.SEASON_TABLES))
    if strange := expected ^ entries.keys():
        name = min(strange)
        raise Wrong(f"{name} is missing." if name in expected else f"{name} is no file of this export.")
    if strange := manifest.files.keys() ^ (expected - {layout.MANIFEST}):
        name = min(strange)
        raise Wrong(f"{layout.MANIFEST} {'lacks' if name in expected else 'lists'} the file {name}.")
    for name, told in manifest.files.items():
        digest = sha256()
        with _told(name), archive.open(name) as file:
            while data := file.read(_READ):
                digest.update(data)
        if digest.hexdigest() != told:
            raise Wrong(f"{name} is not the file that {layout.MANIFEST} describes: its SHA-256 differs.")
    return manifest


def _manifest(data: bytes) -> Manifest:
    if len(data) > layout.MANIFEST_BYTES:
        raise Wrong(f"{layout.MANIFEST} is too long.")
    values = read_map(data, layout.MANIFEST)
    known = values.get("format")
    if type(known) is int and known != layout.FORMAT:
        raise Wrong(f"{layout.MANIFEST}: this is format {known}, and this program knows {layout.FORMAT}.")
    try:
        manifest = Manifest.model_validate_json(data)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise Wrong(f"{layout.MANIFEST}: '{'.'.join(map(str, fault['loc']))}' is wrong. {fault['msg']}.") from None
    if canonical(manifest.model_dump(), layout.MANIFEST) + b"\n" != data:
        raise Wrong(f"{layout.MANIFEST} is not canonical JSON with a line end.")
    for names in (manifest.tournaments, manifest.seasons, manifest.left_out.matches, manifest.left_out.tournaments):
        if len(set(names)) < len(names):
            raise Wrong(f"{layout.MANIFEST} lists a name twice.")
    if both := set(manifest.tournaments).intersection(manifest.left_out.tournaments):
        raise Wrong(f"{layout.MANIFEST}: the tournament {min(both)} can't be both in the file and left out.")
    return manifest


def _read(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    if name not in archive.NameToInfo:
        raise Wrong(f"{name} is missing.")
    with _told(name), archive.open(name) as file:
        return file.read(most + 1)


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Whatever is wrong with this file of the archive, as a sentence."""
    try:
        yield
    except OSError as error:
        raise Wrong(f"{name} can't be read: {error.strerror or error}.") from None
    except _DAMAGED as error:
        raise Wrong(f"{name} is damaged ({error}).") from None


def read_map(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = from_json(line, allow_inf_nan=False)
    except ValueError:
        raise Wrong(f"{where} is not JSON.") from None
    if not isinstance(value, dict):
        raise Wrong(f"{where} is not a map.")
    return value


def canonical(value: object, where: str) -> bytes:
    try:
        return canonical_json(value)
    except ValueError as error:
        raise Wrong(f"{where}: {error}") from None
