"""The roster file of earlier versions: CSV with the columns `name` and `token`, imported once."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from palestra_protocol import limits
from palestra_server.names import clean_name, look_alike
from palestra_server.runtime.roster.class_list import name_fault
from palestra_server.runtime.roster.errors import RosterError
from palestra_server.text import NotText, decode

OLD_FILE = "roster.csv"


def read_old_file(path: Path) -> dict[str, str]:
    """Maps names to tokens, in file order; other columns are ignored. Raises RosterError with the line."""
    try:
        reader = csv.DictReader(io.StringIO(decode(path.read_bytes()), newline=""), restkey="", restval="")
        rows = list(reader)
    except (OSError, NotText, csv.Error) as error:
        raise RosterError(f"The roster {path} cannot be read: {error}") from error
    if not {"name", "token"} <= set(reader.fieldnames or ()):
        raise RosterError(
            f"The roster {path} needs 'name,token' as its first line; "
            "import class lists with 'palestra-server roster import' instead."
        )
    roster: dict[str, str] = {}
    for line, row in enumerate(rows, start=2):
        written, token = row["name"].strip(), row["token"].strip()
        if not written and not token:
            continue
        name = clean_name(written)
        if name is None:
            raise RosterError(f"{path}, line {line}: {name_fault(written)}")
        if not token or len(token) > limits.TOKEN_MAX:
            raise RosterError(f"{path}, line {line}: {name} needs a token of 1 to {limits.TOKEN_MAX} characters.")
        twin = look_alike(name, roster)
        if twin is not None or token in roster.values():
            raise RosterError(
                f"{path}, line {line}: the name or the token of {name} appears twice"
                f"{f' (see {twin})' if twin not in (None, name) else ''}: correct it."
            )
        roster[name] = token
    return roster
