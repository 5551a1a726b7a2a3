"""Which version of a bot plays, unless its author says so: what git calls it, else a hash of the program."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final

from palestra_protocol.limits import VERSION_MAX

GIT_S: Final = 5.0  # longer than any healthy git takes
HASH: Final = 10  # hex digits


def version_of_bot(bot: Callable[..., object]) -> str:
    """Of what was imported from the folder of the bot's file, with its options; "" if it has no file."""
    words: list[str] = []
    while isinstance(bot, partial):
        words += [f"{name}={value}" for name, value in bot.keywords.items()]
        bot = bot.func
    try:
        file = inspect.getsourcefile(bot)
    except (TypeError, OSError):  # OSError in a notebook
        return ""
    if file is None or not Path(file).is_file():
        return ""
    main = Path(file).resolve()
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    parts = {path for each in loaded if each and (path := Path(each).resolve()).is_relative_to(main.parent)}
    return _version(main, sorted({main, *parts}), words)


def version_of_program(command: Sequence[str]) -> str:
    """Of the files that the command names; "" if it names none."""
    files = [path.resolve() for word in command if (path := Path(word)).is_file()]
    return _version(files[-1], files, command) if files else ""


def _version(main: Path, parts: Iterable[Path], words: Sequence[str]) -> str:
    summed = sha256("\0".join(words).encode())
    for part in parts:
        if part.is_file():
            summed.update(part.read_bytes())
    digest = summed.hexdigest()[:HASH]
    described = None
    if _git(main.parent, "ls-files", "--error-unmatch", main.name) is not None:
        described = _git(main.parent, "describe", "--tags", "--always", "--dirty")
    if described is None:
        return digest
    if not described.endswith("-dirty"):
        return described[:VERSION_MAX]
    # Two states that were not committed are two versions.
    return f"{described.removesuffix('-dirty')[: VERSION_MAX - HASH - 1]}+{digest}"


def _git(folder: Path, *words: str) -> str | None:
    try:
        ran = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, timeout=GIT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return re.sub("[^ -~]", "?", ran.stdout.strip()) if ran.returncode == 0 else None
