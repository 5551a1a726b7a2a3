"""The command `palestra-bots`: what can be done with the reference bots and their search, away from any server."""

from __future__ import annotations

from typing import Final

from palestra_protocol.command_groups import group

# To add a command, write it in `palestra_bots.commands` and list it here.
COMMANDS: Final = {
    "list": "palestra_bots.commands.listing:list_bots",
    "analyse": "palestra_bots.commands.analyse:analyse_position",
    "solve": "palestra_bots.commands.analyse:solve_position",
    "judge": "palestra_bots.commands.judge:judge_matches",
    "book": "palestra_bots.commands.book:app",
    "tables": "palestra_bots.commands.book:tables",
    "compile": "palestra_bots.commands.listing:compile_searches",
    "ladder": "palestra_bots.commands.ladder:rate_levels",
    "openings": "palestra_bots.commands.found:make_openings",
    "drill": "palestra_bots.commands.found:make_drill",
    "levels": "palestra_bots.commands.levels:show_levels",
    "calibrate": "palestra_bots.commands.levels:calibrate_levels",
}

app = group(
    COMMANDS,
    name="palestra-bots",
    help="The reference bots of Palestra and their search. To let one play: palestra join palestra_bots:mtdf",
)


def main() -> None:
    app()
