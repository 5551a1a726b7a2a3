"""The pages for people: every file, class and command that they name exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click import Context
from typer.core import TyperGroup
from typer.main import get_command

from palestra_bots.cli import app as bots
from palestra_client.cli.commands import app as client
from palestra_lab.cli import app as lab
from palestra_server.cli.main import app as server
from palestra_server.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("*/*.md")]
FOLDERS = ("protocol", "client", "bots", "server", "tests", "benchmarks", "docs", ".ci")
FILES = [path.relative_to(ROOT).as_posix() for name in FOLDERS for path in (ROOT / name).rglob("*") if path.is_file()]
FILES += [path.name for path in ROOT.iterdir()]
CODE = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in FILES if name.endswith((".py", ".js")))
PROGRAMS = {"palestra": client, "palestra-server": server, "palestra-bots": bots, "palestra-lab": lab}


def quoted(page: Path) -> str:
    """What stands in backticks or in a block of code."""
    text = page.read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^    .*$|`[^`\n]+`|^```.*?^```", text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_files_that_a_page_names_exist(page):
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        assert (page.parent / link).exists(), link
    for name in re.findall(r"`([\w./-]+\.(?:py|js)|[\w.-]+/[\w./-]+\.\w+)`", text):
        made = name == "mybot.py" or re.search("[A-Z]{2}", name.rpartition(".")[0])  # by whoever reads it, or NAME
        assert made or any(f"/{file}".endswith(f"/{name}") for file in FILES), name


def test_the_names_that_contributing_takes_from_the_code_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {name for dotted in re.findall(r"`@?([A-Za-z_][\w.]{3,})(?:\(.*?\))?`", text) for name in dotted.split(".")}
    assert len(named) > 50
    assert named <= set(re.findall(r"\w+", CODE)) | {"md", "toml"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_variables_that_a_page_names_are_settings(page):
    of_clients = {"server", "token"}
    named = {name.lower() for name in re.findall(r"\bPALESTRA_([A-Z_]+)\b", page.read_text(encoding="utf-8"))}
    assert named <= Settings.model_fields.keys() | of_clients


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_commands_and_options_that_a_page_names_exist(page):
    for program, rest in re.findall(r"(?<![\w/:-])(palestra(?:-server|-bots|-lab)?) ([a-z][^`\n|;]*)", quoted(page)):
        command, words = get_command(PROGRAMS[program]), rest.split(" -- ")[0].split(" #")[0].split()
        with Context(command) as context:
            while isinstance(command, TyperGroup) and words and not words[0].startswith("--"):
                _, command, words = command.resolve_command(context, words)
        known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
        if not command.ignore_unknown_options and '"' not in rest:
            assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known, rest
