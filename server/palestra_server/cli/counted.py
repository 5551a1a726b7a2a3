"""What `tournament` and `season` have in common: a file to begin with, tables and marks to take away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

import typer

from palestra_protocol.english import plural
from palestra_server.cli.output import HIDDEN_TOO, InLanguage, WithHidden, err, fail, in_base64, out
from palestra_server.cli.target import Target, target_command
from palestra_tournament.toml_edit import name_from

Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name, as 'list' shows it.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def shown(with_hidden: bool) -> str | None:
    """What is asked for about a hidden round."""
    return "show" if with_hidden else None


@dataclass(frozen=True, slots=True)
class Kind:
    """Tournaments, or seasons: `word` is what one is called in commands and addresses, `files` are its
    tables, `stays` says what is left when it is deleted.
    """

    word: str
    files: tuple[str, ...]
    stays: str

    def path(self, name: str, tail: str = "") -> str:
        return f"/{self.word}s/{quote(name, safe='')}{tail}"

    def unseen(self, target: Target, name: str, with_hidden: bool) -> tuple[str, ...]:
        """What to say if something was left out."""
        left_out = not (with_hidden or target.as_json) and target.api.get(self.path(name))["hides"]
        return (f"A hidden round is left out. {HIDDEN_TOO}",) if left_out else ()

    def text_in(self, file: Path) -> str:
        try:
            return file.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            fail(f"There is no file {file}; 'palestra-server {self.word} new {file}' writes one to begin with.")
        except OSError as error:
            fail(f"{file} cannot be read ({error.strerror}).")
        except UnicodeDecodeError:
            fail(f"{file} is not text in UTF-8: save it so, or take the file that '{self.word} new' writes.")

    def write_new(self, file: Path, force: bool, example: Callable[[str], str]) -> None:
        """Writes an example, which is called like its file."""
        if file.exists() and not force:
            fail(f"{file} exists already: choose another name, or give --force.")
        _write(file, example(name_from(file.stem) or f"our-{self.word}").encode())
        out.print(f"{file} is written. Change it, then: palestra-server {self.word} create {file}", markup=False)


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        fail(f"{file} cannot be written ({error.strerror}).")


def add_shared(app: typer.Typer, kind: Kind) -> None:
    """The commands `export`, `grades` and `delete`."""

    @target_command(app)
    def export(
        target: Target,
        name: Name,
        folder: Annotated[Path, typer.Option("--out", help="Folder for the files, created if need be.")] = Path(),
        with_hidden: WithHidden = False,
    ) -> None:
        """Write its file, and its tables and grades as CSV (with every record: 'palestra-server export')."""
        path, into = kind.path(name), folder / name
        files = {file: target.api.download(f"{path}/{file}", hidden=shown(with_hidden)) for file in kind.files}
        try:
            into.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fail(f"{into} cannot be written ({error.strerror}).")
        for file, content in files.items():
            _write(into / file, content)
        answer = {"folder": str(into), "files": list(files)}
        target.answer(answer, f"Written to {into}: {', '.join(files)}.", *kind.unseen(target, name, with_hidden))

    @target_command(app)
    def grades(
        target: Target,
        name: Name,
        system: Annotated[
            Literal["moodle", "canvas", "people"],
            typer.Option("--for", help="A file for Moodle's import, Canvas' own gradebook, or a table to read."),
        ] = "people",
        into: Annotated[
            Path | None,
            typer.Option(
                help="Canvas: its gradebook (CSV), which is filled. Moodle: its list of participants, for the ids."
            ),
        ] = None,
        file: Annotated[
            Path | None, typer.Option("--out", help="Where to write it.", show_default="standard output")
        ] = None,
        language: InLanguage = None,
        column: Annotated[
            str | None,
            typer.Option(
                "--column",
                help="What the marks are called there, such as an assignment of Canvas.",
                show_default="the title",
            ),
        ] = None,
        with_hidden: WithHidden = False,
    ) -> None:
        """Write everybody's mark, each with its explanation, for Moodle, Canvas or people."""
        body = {"system": system, "language": language or "en", "column": column, "into": into and in_base64(into)}
        sheet = target.api.post(kind.path(name, "/marks"), body, hidden=shown(with_hidden))
        if not target.as_json:
            for each in (*(each["message"] for each in sheet["notes"]), *kind.unseen(target, name, with_hidden)):
                err.print(each, markup=False)
        if file is not None:
            _write(file, sheet["text"].encode())
            target.answer(sheet, f"{plural(sheet['filled'], 'mark is', 'marks are')} in {file}.")
        elif target.as_json:
            target.answer(sheet)
        else:
            typer.echo(sheet["text"].encode(), nl=False)

    def delete(target: Target, name: Name, yes: Yes = False) -> None:
        if not yes and not typer.confirm(f"Delete the {kind.word} {name}?"):
            raise typer.Exit(1)
        target.answer(target.api.delete(kind.path(name)), f"{name} is deleted; {kind.stays}.")

    delete.__doc__ = f"Delete a {kind.word}; {kind.stays}."
    target_command(app)(delete)
