"""Commands on the records: list, export, back up, verify, repair."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from palestra_protocol.english import plural, said_of, sentence
from palestra_referee.verification import INCOMPLETE, Report, verify_unfinished
from palestra_server import VERSION
from palestra_server.cli.logs import only_warnings
from palestra_server.cli.output import (
    HIDDEN_TOO,
    AsJson,
    Data,
    Database,
    WithHidden,
    fail,
    out,
    print_json,
    settings_from,
)
from palestra_server.settings import ADDRESS_FILE
from palestra_server.store import Archive, MatchSummary, open_archive
from palestra_server.store import repair as repair_store
from palestra_tournament.verify import verify_export

SERVER = f"palestra-server {VERSION}"


@contextmanager
def records_of(data: Path | None, database: str | None) -> Iterator[Archive]:
    """Opens the records of a data folder read-only. Raises StoreError."""
    settings = settings_from(data=data, database=database)
    with open_archive(settings.data, settings.database) as records:
        yield records


def matches(
    player: Annotated[str | None, typer.Option(help="Only those of this player.")] = None,
    game: Annotated[str | None, typer.Option(help="Only those of this game.")] = None,
    tournament: Annotated[str | None, typer.Option(help="Only those of this tournament.")] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 50,
    with_hidden: WithHidden = False,
    data: Data = None,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """List the matches, the newest first; also while the server runs."""
    with records_of(data, database) as records:
        found = records.matches(limit, with_hidden=with_hidden, player=player, game=game, tournament=tournament)
        names = {match.tournament for match in found if match.tournament is not None}
        rulings = records.rulings(names, with_hidden=with_hidden)
    told = [(match, asdict(rulings[match.match]) if match.match in rulings else None) for match in found]
    if as_json:
        print_json([{**asdict(match), "ruling": ruling} for match, ruling in told])
        return
    for match, ruling in told:
        out.print(_line(match) + (f" {said_of(ruling)}" if ruling else ""), markup=False)
    if not found:
        out.print("There are no such matches.")


def _line(match: MatchSummary) -> str:
    begun = datetime.fromtimestamp(match.created_ms / 1000).strftime("%Y-%m-%d %H:%M")
    place = f" ({match.tournament})" if match.tournament else ""
    result = "not over yet" if match.why is None else sentence("why", match.why)
    first, second = match.players
    return f"{begun}  {match.match}  {match.game:<12}  {first} - {second}{place}: {result}"


def export(
    file: Annotated[Path, typer.Option("--out", help="The file to write, such as cup.zip.")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Tournaments to export (default: everything).")
    ] = None,
    with_hidden: WithHidden = False,
    data: Data = None,
    database: Database = None,
) -> None:
    """Write results and records into one file that anybody can verify; also while the server runs.

    Without names, what is damaged is left out: the exit code is 3, and the file's manifest names it.
    """
    with records_of(data, database) as records, _written(file) as part, part.open("w+b") as target:
        held = records.export(target, SERVER, names or (), with_hidden=with_hidden)
    out.print(
        f"{file} holds {plural(held.matches, 'match', 'matches')} and {plural(held.tournaments, 'tournament')}.",
        markup=False,
    )
    if held.walkovers:
        out.print(f"{plural(held.walkovers, 'result is', 'results are')} without a match: who was withdrawn loses so.")
    out.print(f"Anybody can check it: palestra-server verify {file}, or palestra verify {file}.", markup=False)
    for name in held.hidden:
        out.print(f"Left out: the hidden round of {name}. {HIDDEN_TOO}", markup=False)
    if held.left_out:
        parts = [f"Left out: {why}" for why in held.left_out.values()]
        fail(
            "\n".join([*parts, "All that can be read is in the file, whose manifest names what is missing."]),
            INCOMPLETE,
        )


def backup(
    folder: Annotated[Path, typer.Option("--out", help="A new folder.")], data: Data = None, database: Database = None
) -> None:
    """Copy everything into a new data folder, also while the server runs; it holds secrets, like the first one."""
    settings = settings_from(data=data, database=database)
    with records_of(data, database) as records:
        try:
            # It names the server running on the original folder, which no command on the copy may contact.
            records.backup(settings.data, folder, without=[ADDRESS_FILE])
        except OSError as error:
            fail(f"The backup cannot be written to {folder} ({error.strerror or error}): choose another folder.")
    out.print(
        f"{folder} is a whole data folder: start from it with palestra-server serve --data {folder}.", markup=False
    )


def verify(
    path: Annotated[
        Path, typer.Argument(metavar="EXPORT|FOLDER", help="An export, or a data folder.", show_default="palestra-data")
    ] = Path("palestra-data"),
    database: Database = None,
) -> None:
    """Verify that every result follows from its records: rules, clock, receipts, schedules and tables."""
    if path.is_dir() or database is not None:
        report = verify_folder(path, database)
    elif path.exists():
        report = verify_export(path)
    else:
        fail(f"There is no {path}: name an export, or the folder that the server was started with.")
    if not report.ok:
        fail(str(report))
    out.print(str(report), markup=False)
    if report.incomplete:
        raise typer.Exit(INCOMPLETE)


def verify_folder(data: Path, database: str | None) -> Report:
    with records_of(data, database) as records, tempfile.TemporaryFile() as file:
        left_out = records.export(file, SERVER, with_hidden=True).left_out
        file.seek(0)
        report = verify_export(file)
        wrong = next(iter(left_out.values()), None) or verify_unfinished(records.unfinished())
    return report if wrong is None or report.wrong else replace(report, wrong=wrong)


def repair(data: Data = None, database: Database = None) -> None:
    """Repair a damaged database: what can be read is kept, what is derived is rebuilt."""
    settings = settings_from(data=data, database=database)
    with only_warnings():
        result = repair_store(settings.data, settings.database)
    if result.kept is not None:
        out.print(f"The database was damaged; it is kept as {result.kept}, and what could be read is in a new one.")
    out.print(f"{plural(result.whole, 'match is', 'matches are')} whole.")
    for name, why in result.tournaments.items():
        out.print(f"{name}: {why} 'palestra-server tournament status {name}' says what you can do.", markup=False)
    for match, why in result.lost.items():
        out.print(f"{match}: {why}", markup=False)
    if result.tournaments and not result.lost:
        fail(f"{plural(len(result.tournaments), 'tournament')} can't be read any more.")
    if result.lost:
        fail(f"{plural(len(result.lost), 'match', 'matches')} can't be read any more.")


@contextmanager
def _written(file: Path) -> Iterator[Path]:
    """A temporary file that replaces `file` once it is complete."""
    if file.is_dir():
        fail(f"{file} is a folder: name a file, such as {file / 'cup.zip'}.")
    part = file.with_name(f".{file.name}.part")
    try:
        yield part
        os.replace(part, file)
    except OSError as error:
        fail(f"{file} cannot be written ({error.strerror}): choose another file.")
    finally:
        with suppress(OSError):  # such as in a folder that can't be written: that has been said
            part.unlink()
