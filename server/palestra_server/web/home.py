"""index.html for each address, with every module of its page preloaded, so that none waits for another to import it.

File addresses contain the version (`/v/VERSION/js/main.js`), and browsers cache them: a second visit fetches only
index.html.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from posixpath import dirname, join, normpath

from palestra_server.web.assets import Asset, Assets, packed

FIRST = "lobby"
_MISSING = "missing"
_LANGUAGES = "js/lang/"
_NATIVE = "en"  # the language whose catalogue is always loaded
_MARK = "<!-- modules -->"
_IMPORT = re.compile(r'^(?:import|export)\b(?:[^;"]*\bfrom)? "(\.[^"]+)";', re.MULTILINE)
_TITLE = b"<title>Palestra</title>"
_WORD = re.compile(r'^"([^"]+)":("(?:[^"\\]|\\.)*"),$', re.MULTILINE)  # a line of a catalogue
_OURS = re.compile(r'(?<=")/(?=(?:js|css|vendor)/)')


class Home:
    """The views of the page: /match/ab12 is index.html with the modules that js/pages/match.js needs."""

    def __init__(self, assets: Assets) -> None:
        self._assets = assets
        self._made: dict[tuple[str, str], Asset] = {}
        self._words: dict[str, dict[str, str]] = {}

    def asset(self, path: str, accept_language: str) -> tuple[Asset, bool]:
        """index.html for this address and a browser that wants these languages; and whether there is such a page."""
        page = path.strip("/").partition("/")[0] or FIRST
        known = page != _MISSING and f"js/pages/{page}.js" in self._assets.files
        key = page if known else _MISSING, self._language(accept_language)
        if key not in self._made:
            self._made[key] = self._make(*key)
        return self._made[key], known

    def said(self, accept_language: str) -> Callable[..., str]:
        """`t` of `js/i18n.js`, for a reader that wants these languages; it says `other` for a key that is not there."""
        language = self._language(accept_language)
        if language not in self._words:
            found = _WORD.findall(self._text(f"{_LANGUAGES}{_NATIVE}.js") + self._text(f"{_LANGUAGES}{language}.js"))
            self._words[language] = {key: json.loads(text) for key, text in found}
        words = self._words[language]

        def t(key: str, other: str = "", **values: object) -> str:
            one = words.get(f"{key}.one") if values.get("n") == 1 else None
            return (one or words.get(key, other)).format_map(values) if values else words.get(key, other)

        return t

    def _language(self, accepted: str) -> str:
        """The first accepted language that we have; the browser decides which one is shown."""
        wanted = (tag.strip()[:2] for tag in accepted.lower().split(",")[:8])
        return next((name for name in wanted if f"{_LANGUAGES}{name}.js" in self._assets.files), _NATIVE)

    def _make(self, page: str, language: str) -> Asset:
        modules: dict[str, None] = {}
        for module in ("js/line.js", "js/main.js", f"js/pages/{page}.js", f"{_LANGUAGES}{language}.js"):
            self._add(module, modules)
        links = "\n".join(f'<link rel="modulepreload" href="/{module}">' for module in modules)
        text = self._text("index.html").replace(_MARK, links)
        return packed(_OURS.sub(f"/v/{self._assets.version}/", text).encode(), ".html")

    @staticmethod
    def with_head(page: Asset, head: str) -> Asset:
        """The page with these elements in place of its title."""
        return packed(page.plain.replace(_TITLE, head.encode(), 1), ".html")

    def _add(self, module: str, modules: dict[str, None]) -> None:
        if module in modules:
            return
        modules[module] = None
        for imported in _IMPORT.findall(self._text(module)):
            self._add(normpath(join(dirname(module), imported)), modules)

    def _text(self, path: str) -> str:
        asset = self._assets.files.get(path)
        return "" if asset is None else asset.plain.decode()
