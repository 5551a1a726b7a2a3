"""`palestra verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from palestra_client import receipts
from palestra_client.cli.common import give_up
from palestra_referee.layout import RECEIPTS_BYTES
from palestra_referee.receipts import Kept
from palestra_referee.verification import INCOMPLETE, Report, verify_matches


def verify(
    path: Annotated[Path, typer.Argument(metavar="EXPORT", help="The file that the teacher published.")],
    kept: Annotated[
        Path, typer.Option("--receipts", help="The receipts that your client kept, to compare with the export.")
    ] = receipts.FILE,
) -> None:
    """Check an export: that every result follows from the moves, the rules and the clock, and fits your receipts."""
    mine: list[Kept] | None = None
    if kept.exists() or kept != receipts.FILE:
        try:
            mine = load(kept)
        except OSError as error:
            give_up(f"The receipts in {kept} can't be read: {error.strerror or error}.")
        except ValueError as error:
            give_up(str(error))
    if not path.exists():
        give_up(f"There is no {path}: name the file of an export.")
    report = _verified(path, mine)
    if report.wrong is not None:
        give_up(str(report))
    typer.echo(str(report))
    if mine is None:
        typer.echo(f"No receipts were compared: there is no {kept} in this folder.")
    if report.incomplete:
        raise typer.Exit(INCOMPLETE)


def load(path: Path) -> list[Kept]:
    """The receipts in a file written by `receipts.keep`. Raises OSError, and ValueError with a sentence."""
    with path.open("rb") as file:
        text = file.read(RECEIPTS_BYTES + 1)
    if len(text) > RECEIPTS_BYTES:
        raise ValueError(f"{path} is too large for a file of receipts.")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            entry = receipts.Receipt.model_validate_json(line)
        except ValidationError:
            raise ValueError(f"{path}, line {number} is not a receipt.") from None
        when_ms = int(entry.when.timestamp() * 1000)
        found.append(Kept(entry.match, entry.tournament, entry.receipt, when_ms, entry.server_id))
    return found


def _verified(path: Path, mine: list[Kept] | None) -> Report:
    try:
        from palestra_tournament.verify import verify_export

        return verify_export(path, mine)
    except ImportError as error:
        # Ratings and pairings need libraries that a student's client does not install.
        if (error.name or "").startswith("palestra_"):
            raise
        return verify_matches(path, mine)
