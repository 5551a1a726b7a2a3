"""A sheet to print and cut: one card per student, with the token as text and QR code, and what to type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import urlsplit

import segno

from palestra_server.languages import Language
from palestra_server.web.addresses import install_command

_STYLE = """
@page { margin: 10mm; }
body { font: 13px/1.45 system-ui, sans-serif; color: #211d19; margin: 12mm; }
main { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 6mm; }
article { border: 1px dashed #7a7167; border-radius: 3mm; padding: 4mm; break-inside: avoid; overflow-wrap: anywhere; }
article > div { display: flex; gap: 3mm; align-items: start; }
article > div > div { min-width: 0; }
h1 { font-size: 18px; }
h2 { font-size: 16px; line-height: 1.2; margin: 0 0 1mm; }
svg { flex: none; width: 27mm; height: 27mm; margin-left: -2mm; }
code { font: 11px/1.5 ui-monospace, monospace; }
code.command { display: block; margin: 1.2mm 0 0; padding-left: 4mm; text-indent: -4mm; }
code.command span { display: inline-block; max-width: 100%; text-indent: 0; }
p { margin: 0 0 1.5mm; }
.token { font-weight: 700; }
@media print { body { margin: 0; } header { display: none; } }
"""


def token_sheet(issued: Iterable[Mapping[str, Any]], page: str, bots: str, language: Language) -> str:
    """The whole sheet as one self-contained HTML file.

    `issued`: name, email, token of each; `page`, `bots`: the addresses for browsers and for bots.
    """
    cards = "\n".join(_card(one, page, bots, language) for one in issued)
    tokens = language.text("Tokens")
    print_and_cut = language.text("Print, cut, and give each student their own; then delete this file.")
    return f"""<!doctype html>
<html lang="{language.code}">
<meta charset="utf-8">
<title>Palestra: {tokens}</title>
<style>{_STYLE}</style>
<header><h1>{tokens}</h1><p>{print_and_cut}</p></header>
<main>
{cards}
</main>
</html>
"""


def _card(one: Mapping[str, Any], page: str, bots: str, language: Language) -> str:
    token = one["token"]
    # By it the teacher tells two of one name apart.
    email = f"<p>{escape(one['email'])}</p>\n" if one["email"] else ""
    picture = segno.make(token, error="m").svg_inline(border=2, omitsize=True)
    join = f"palestra join mybot.py --server {bots} --token {token}"
    commands = install_command(page), "palestra new mybot", "cd mybot", join
    # Where a firewall lets no other port through, the page's serves bots, too.
    other = "" if urlsplit(bots).netloc == urlsplit(page).netloc else _instead(page, language)
    return f"""<article>
<h2>{escape(one["name"])}</h2>
{email}<div>{picture}
<div><p>{language.text("Your token, which is yours alone:")}<br><code class="token">{escape(token)}</code></p>
<p>{language.text("Watch, and see what your bot did wrong:")}<br><code>{escape(page)}</code></p></div></div>
{"".join(map(_command, commands))}{other}
</article>"""


def _instead(page: str, language: Language) -> str:
    said = language.text("If that address does not answer, the page is one for bots, too:")
    return f"<p>{said} <code>--server {escape(page)}</code></p>"


def _command(text: str) -> str:
    """A command that wraps only between words, so that anyone copying it by hand can see the spaces."""
    words = " ".join(f"<span>{escape(word)}</span>" for word in text.split(" "))
    return f'<code class="command">{words}</code>'
