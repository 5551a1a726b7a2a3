"""The two secrets of the web port, each in a file of the data folder that only its owner can read."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from palestra_protocol.harmless import ForPeople

TEACHER_KEY = "teacher.key"
COOKIE_KEY = "cookie.key"


class KeyFileError(ForPeople):
    """A key can't be stored."""


def kept_key(path: Path) -> str:
    """The key in this file, created (192 bits) if there is none. Raises KeyFileError."""
    try:
        try:
            key = path.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            key = secrets.token_urlsafe(24)
            write_private(path, key + "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise KeyFileError(f"The key {path} can be neither read nor made ({error}): mend or delete it.") from error
    if not key:
        raise KeyFileError(f"The key {path} is empty: delete it, and the server makes a new one.")
    return key


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, replacing any. LF line ends on every system. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    fresh.replace(path)
