"""`palestra new`."""

from __future__ import annotations

import keyword
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import palestra_client
from palestra_client.cli.common import give_up
from palestra_games import get_game

_HERE = Path(palestra_client.__file__).parent
# A wheel carries the samples inside the package; a clone has them beside it.
_EXAMPLES = next((folder for folder in (_HERE / "examples", _HERE.parent / "examples") if folder.is_dir()), _HERE)

# Actions that lead to a position for the test; by default two in the middle.
_OPENINGS: dict[str, tuple[int, ...]] = {"mancala": (3, 0)}
_OTHER = (
    '        if "{key}" not in board:  # a tournament may have other games: of their boards it thinks nothing yet\n'
    "            return 0.0\n"
)
_CELLS = _OTHER.format(key="cells") + (
    '        middle = (board["cols"] - 1) / 2\n'
    "        value = 0.0\n"
    '        for place, cell in enumerate(board["cells"]):\n'
    "            if cell == me + 1:  # a piece of mine: the nearer to the middle, the {what}\n"
    '                value {sign}= 1 / (1 + abs(place % board["cols"] - middle))\n'
    "        return value"
)
_BOARDS = {
    "grid": (
        'board["cells"] is one list, the bottom row first: the cell in row r and column c is cells[r * cols + c].\n'
        "        # 0 is empty, 1 a piece of seat 0, 2 a piece of seat 1"
    ),
    "pits": (
        'board["pits"][seat] are the seeds in the pits 1 to 6 of a player, board["stores"][seat] those in the store;\n'
        "        # pit 1 is the one beside the store"
    ),
}
_STORES = (
    _OTHER.format(key="stores") + '        return board["stores"][me] - board["stores"][1 - me]  # the lead in seeds'
)


_WINDOWS = os.name == "nt"


@dataclass(frozen=True, slots=True)
class _Language:
    """A sample to start from, and how to build, test and start it; {module} is the bot's name."""

    sample: str
    ending: str
    build: str
    start: str
    test: str = "python test_{module}.py"


_CC, _CXX = ("gcc", "g++") if _WINDOWS else ("cc", "c++")
_PROGRAM = "{module}.exe" if _WINDOWS else "./{module}"
_BRIDGE = f"palestra bridge --server ws://HOST:8765 --token TOKEN{{challenge}} -- {_PROGRAM}"
_CHALLENGE = " --challenge random --game {game} --games 4"
# Prefix that sets a variable for a command (on Windows, at the command prompt).
_TOKEN = "set PALESTRA_TOKEN=TOKEN&& " if _WINDOWS else "PALESTRA_TOKEN=TOKEN "
LANGUAGES = {
    "c": _Language("two_ply.c", ".c", f"{_CC} -O2 -o {{module}} {{module}}.c", _BRIDGE),
    "cpp": _Language("two_ply.cpp", ".cpp", f"{_CXX} -O2 -std=c++17 -o {{module}} {{module}}.cpp", _BRIDGE),
    "rust": _Language("two_ply.rs", ".rs", "rustc -O {module}.rs", _BRIDGE),
    "java": _Language(
        "TwoPly.java",
        ".java",
        "",
        _TOKEN + "java {module}.java ws://HOST:8765/play {module} random {game} 4",
        "java {module}.java --test",
    ),
    "javascript": _Language(
        "two_ply.mjs",
        ".mjs",
        "",
        _TOKEN + "node {module}.mjs ws://HOST:8765/play {module} random {game} 4",
        "node {module}.mjs --test",
    ),
}


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The bot's name; its files go into a folder of this name.")
    ],
    language: Annotated[str, typer.Option(help="python, c, cpp, java, javascript or rust.")] = "python",
    game: Annotated[str, typer.Option(help="The game it is for; `palestra games` lists them.")] = "connect4",
) -> None:
    """Write a first bot: one that runs, with a test and comments."""
    get_game(game)
    module = re.sub(r"\W", "_", name, flags=re.ASCII).lower()
    if not re.fullmatch(r"[a-z]\w*", module) or keyword.iskeyword(module) or module in sys.stdlib_module_names:
        give_up(f"'{name}' can't be a bot's name: choose another word, such as mybot.")
    language = {"py": "python", "c++": "cpp", "js": "javascript", "rs": "rust"}.get(language.lower(), language.lower())
    if language == "python":
        files, steps = _python(module, game)
    elif language in LANGUAGES:
        files, steps = _sample(module, game, LANGUAGES[language])
    else:
        give_up(f"There is no template in {language}; choose one of python, {', '.join(LANGUAGES)}.")
    folder = Path(name)
    try:
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
    except FileExistsError:
        give_up(f"{folder} exists already: choose another name, or remove it first.")
    except OSError as error:
        give_up(f"{folder} can't be written: {error.strerror or error}.")
    typer.echo(f"{folder}{os.sep} has {' and '.join(files)}. Next:")
    for step in (f'cd "{folder}"' if " " in name else f"cd {folder}", *steps):
        typer.echo(f"  {step}")
    typer.echo(
        "The last line plays against the server's own `random`, if it has one: `palestra players` lists who is there."
    )


def _python(module: str, game: str) -> tuple[dict[str, str], list[str]]:
    rules = get_game(game)
    state = rules.initial_state()
    kind = rules.view(state).kind
    wire = state.to_wire()
    if kind == "pits":
        value = _STORES
    elif {"cells", "cols"} <= wire.keys():
        # Four in a row loses in desconecta4: there the middle is dangerous.
        sign, what = ("-", "worse") if "round" in wire else ("+", "better")
        value = _CELLS.format(sign=sign, what=what)
    else:
        value = "        return 0.0"
    board = _BOARDS[kind] + ("; 4 and 5 are their bombs" if "round" in wire else "")
    words = {
        "name": "".join(part.capitalize() for part in module.split("_")) or "MyBot",
        "module": module,
        "game": game,
        "legal": str(state.legal_actions()),
        "move_s": 2.0,
        "board": board,
        "value": value,
        "actions": _opening(game),
    }
    files = {f"{module}.py": "bot.py.txt", f"test_{module}.py": "test_bot.py.txt"}
    texts = {file: _template(template).format(**words) for file, template in files.items()}
    start = f"palestra join {module}.py --server ws://HOST:8765 --token TOKEN" + _CHALLENGE.format(game=game)
    return texts, [f"python test_{module}.py", f"palestra doctor {module}.py --game {game}", start]


def _sample(module: str, game: str, language: _Language) -> tuple[dict[str, str], list[str]]:
    java, called = language.ending == ".java", module.replace("_", "-")
    module = "".join(part.capitalize() for part in module.split("_")) if java else module
    name = Path(language.sample).stem
    text = (_EXAMPLES / language.sample).read_text(encoding="utf-8")
    text = text.replace(name, module)
    # The name by which it introduces itself to the server, such as two-ply-java/1.
    text = re.sub(r"two-ply-\w+", called, text)
    files = {f"{module}{language.ending}": text}
    if "test_{module}" in language.test:
        program = f"{module}.exe" if _WINDOWS else module
        test = _template("test_program.py.txt")
        files[f"test_{module}.py"] = test.format(module=module, program=program, game=game, actions=_opening(game))
    words = {"module": module, "game": game, "challenge": _CHALLENGE.format(game=game)}
    doctor = f"palestra doctor {_PROGRAM} --game {{game}}" if language.start is _BRIDGE else ""
    steps = [step.format(**words) for step in (language.build, language.test, doctor, language.start) if step]
    return files, steps


def _template(name: str) -> str:
    return (_HERE / "templates" / name).read_text(encoding="utf-8")


def _opening(game: str) -> str:
    middle = len(get_game(game).initial_state().legal_actions()) // 2
    return repr(_OPENINGS.get(game, (middle, middle)))
