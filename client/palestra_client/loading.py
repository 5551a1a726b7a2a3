"""Finds the bot named on a command line: a file, a module, or something inside one of them."""

from __future__ import annotations

import codecs
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import cast

from palestra_client import traces
from palestra_client.bot import Bot
from palestra_client.factories import BotFactory, NoBot, being_loaded, check_factory
from palestra_client.options import Factory, bind, read_options


def load_factory(target: str) -> Factory:
    """The bot factory named by `target`: "mybot.py", "mybot.py:MyBot", "package.module" or "package.module:name".

    The name is that of a Bot class or of a function that returns a bot; without it, the file or module must define
    exactly one Bot class. The folder of a file (the current one for a module) goes on the module search path, as Python
    itself does it. Raises NoBot.
    """
    place, name = _split(target)
    if place.startswith("-"):
        raise NoBot(f"'{place}' is an option: name the bot first, as in `palestra join mybot.py {place} ...`.")
    place = file_in(place)
    is_file = place.endswith(".py") or "/" in place or "\\" in place
    module = _load_file(Path(place)) if is_file else _load_module(place)
    if name is not None:
        return _named(module, place, name)
    factory = _only_bot(module, place)
    check_factory(factory)
    return factory


def bot_of(target: str, *options: str) -> BotFactory:
    """The bot of a command line: its target, and its own options, such as --depth 8. Raises NoBot and BadOption."""
    return bind(load_factory(target), read_options(options))


def file_in(place: str) -> str:
    """A folder's bot, as `palestra new` makes it: the file of the folder's name, else its only one that is no test."""
    folder = Path(place)
    if not folder.is_dir() or (folder / "__init__.py").exists():
        return place
    files = [path for path in sorted(folder.glob("*.py")) if not path.name.startswith("test_")]
    own = [path for path in files if path.stem == folder.resolve().name]
    if len(own or files) != 1:
        found = f"there are {', '.join(path.name for path in files)}" if files else "there is none"
        raise NoBot(f"{place} is a folder: name the Python file in it ({found}).")
    return str((own or files)[0])


def no_file(path: Path) -> str:
    near = get_close_matches(path.name, (p.name for p in path.absolute().parent.glob("*.py")), n=1)
    return f"There is no file {path}." + (f" Did you mean {path.with_name(near[0])}?" if near else "")


def _split(target: str) -> tuple[str, str | None]:
    place, mark, name = target.rpartition(":")
    if mark and name.isidentifier():
        return place, name
    return target, None


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise NoBot(no_file(path))
    # A name of its own: a bot in random.py or client.py must not replace the module of that name.
    name = f"palestra_student_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise NoBot(f"{path} is not a Python file: its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    _search_first(path.resolve().parent)
    sys.modules[name] = module  # dataclasses and pickle look their module up
    with _student_code(str(path)):
        spec.loader.exec_module(module)
    return module


def _load_module(name: str) -> ModuleType:
    _search_first(Path.cwd())
    package = name.partition(".")[0]
    if not package or (package not in sys.modules and importlib.util.find_spec(package) is None):
        file = Path(f"{name}.py")
        hint = f" Did you mean {file}?" if file.is_file() else " To load a file, write its name with .py."
        if package == "palestra_bots":
            hint = " It is in palestra-bots: install that as you did palestra-client."
        raise NoBot(f"There is no module '{name}' here.{hint}")
    with _student_code(name):
        return importlib.import_module(name)


def _search_first(folder: Path) -> None:
    # Everything that this package itself needs is imported by now, so a student's json.py can only trouble the student.
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@contextmanager
def _student_code(what: str) -> Iterator[None]:
    """Wraps the import of a student's code: any exception becomes a NoBot that shows only their own lines."""
    token = being_loaded.set(True)
    try:
        yield
    except (SyntaxError, UnicodeError) as error:
        if _is_utf16(Path(what)):
            raise NoBot(f"{what} is saved as UTF-16, which Python can't read: save it as UTF-8.") from error
        shown = "".join(traceback.format_exception_only(error)).rstrip()
        raise NoBot(f"Python can't read {what}:\n{shown}") from error
    except SystemExit as error:
        raise NoBot(
            f"{what} ended the program while it was being loaded: put what it does when it is run by itself "
            'under `if __name__ == "__main__":`.'
        ) from error
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise NoBot(
            f"{what} can't be loaded:\n{traces.report(error)}\nIs '{package}' a typing error? If it is a package, "
            f"install it for the Python that runs palestra: {sys.executable} -m pip install {package}"
        ) from error
    except Exception as error:
        raise NoBot(f"{what} can't be loaded, it raises an exception:\n{traces.report(error)}") from error
    finally:
        being_loaded.reset(token)


def _is_utf16(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    except OSError:
        return False


def _own_classes(module: ModuleType) -> dict[str, type]:
    """The classes that the module defines itself, without imported ones and aliases."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and value.__name__ == name
    }


def _bots_in(module: ModuleType) -> dict[str, type[Bot]]:
    """The Bot classes that the module defines: those with a `choose`, or, if there are none, those without."""
    bots = {name: value for name, value in _own_classes(module).items() if issubclass(value, Bot)}
    return {name: value for name, value in bots.items() if not inspect.isabstract(value)} or bots


def _only_bot(module: ModuleType, place: str) -> Factory:
    bots = _bots_in(module)
    if len(bots) == 1:
        return next(iter(bots.values()))
    if bots:
        names = ", ".join(bots)
        raise NoBot(f"{place} has several bots ({names}): say which, as in {place}:{next(iter(bots))}.")
    almost = [name for name, value in _own_classes(module).items() if hasattr(value, "choose")]
    if almost:
        raise NoBot(f"{almost[0]} in {place} has a choose but is not a Bot: write `class {almost[0]}(Bot):`.")
    raise NoBot(f"{place} has no bot: it needs a class derived from palestra_client.Bot (`class MyBot(Bot):`).")


def _named(module: ModuleType, place: str, name: str) -> Factory:
    value: object = getattr(module, name, None)
    if value is not None:
        check_factory(value)
        return cast(Factory, value)
    known = sorted(
        {*_bots_in(module), *(n for n in getattr(module, "__all__", ()) if callable(getattr(module, n, None)))}
    )
    near = get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else f" There is {', '.join(known)}." if known else ""
    raise NoBot(f"{place} has no bot called {name}.{hint}")
