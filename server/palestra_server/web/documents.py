"""What to read for somebody who writes a client, a bot or a verifier: the pages of `protocol/`, under /docs/."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from markdown_it import MarkdownIt

import palestra_games
import palestra_protocol
from palestra_server.web.errors import ApiError

PAGES = ("PROTOCOL.md", "LINES.md", "RULES.md", "RECORDS.md")
_PACKAGE = Path(palestra_protocol.__file__).parent
# In a wheel they are inside the package; installed in place, beside it.
FOLDER = next((folder for folder in (_PACKAGE / "pages", _PACKAGE.parent) if (folder / PAGES[0]).is_file()), None)


@cache
def documents() -> dict[str, bytes]:
    """Each file by its path, as it was when somebody first asked for one."""
    if FOLDER is None:
        return {}
    paths = {name: FOLDER / name for name in (*PAGES, "schema.json")}
    paths |= {f"vectors/{path.name}": path for path in sorted(FOLDER.glob("vectors/*"))}
    openings = sorted(Path(palestra_games.__file__).parent.glob("openings/*.*"))
    paths |= {f"palestra_games/openings/{path.name}": path for path in openings if path.suffix != ".py"}
    return {name: path.read_bytes() for name, path in paths.items()}


@cache
def _html(name: str) -> str:
    text = documents()[name].decode()
    title = text.partition("\n")[0].lstrip("# ")
    body = MarkdownIt("commonmark").enable("table").render(text)
    # The anchors that links within a page go to, as GitHub makes them.
    body = re.sub(
        r"<h([2-4])>(.*?)</h\1>", lambda found: f'<h{found[1]} id="{_slug(found[2])}">{found[2]}</h{found[1]}>', body
    )
    return _page(title, body)


def _slug(heading: str) -> str:
    text = re.sub(r"<[^>]+>|&\w+;", "", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def _page(title: str, body: str) -> str:
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    style = '<link rel="stylesheet" href="/css/page.css"><link rel="stylesheet" href="/css/documents.css">'
    top = '<p><a href="/connect">Palestra</a> · <a href="/docs/">All pages</a></p>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<title>{escape(title)}</title>{style}</head>'
        f'<body class="document">{top}{body}</body></html>\n'
    )


router = APIRouter(prefix="/docs", include_in_schema=False)


@router.get("")
@router.get("/")
async def contents() -> Response:
    return _links("")


def _links(folder: str) -> Response:
    links = "".join(f'<li><a href="/docs/{name}">{name}</a></li>' for name in documents() if name.startswith(folder))
    return HTMLResponse(_page("Palestra: the wire, the rules, the records", f"<ul>{links}</ul>"))


@router.get("/{name:path}")
async def document(name: str) -> Response:
    if any(each.startswith(f"{name}/") for each in documents()):
        return _links(f"{name}/")
    if name not in documents():
        raise ApiError(404, "not_found", f"There is no page {name} here: /docs/ lists what there is.")
    if name.endswith(".md"):
        return HTMLResponse(_html(name))
    return PlainTextResponse(documents()[name])
