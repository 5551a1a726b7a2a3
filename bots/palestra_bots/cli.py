"""The command `palestra-bots`: what can be done with the reference bots and their search, away from any server."""

from __future__ import annotations

from typing import Final

from palestra_protocol.commands import group

# To add a command, write it in `palestra_bots.commands` and list it here with the first line of its docstring.
COMMANDS: Final = {
    "list": ("palestra_bots.commands.listing:list_bots", "List the bots that can be joined, and their options."),
    "analyse": (
        "palestra_bots.commands.analyse:analyse_position",
        "Search a position: the best action, its value and the line it leads to.",
    ),
    "solve": (
        "palestra_bots.commands.solve:solve_position",
        "Solve a position: its exact score for the player to move, and a best action.",
    ),
    "positions": (
        "palestra_bots.commands.book:list_positions",
        "Print random positions of connect four, one a line: the columns played (1 to 7) and the score.",
    ),
    "book": ("palestra_bots.commands.book:app", "Rebuild the opening books."),
    "tables": ("palestra_bots.commands.tables:app", "Make the tables of the exact solver of mancala."),
    "compile": (
        "palestra_bots.commands.compiling:compile_searches",
        "Compile every game's search now and keep it, so that no first match waits for it; takes a minute or two.",
    ),
    "ladder": (
        "palestra_bots.commands.ladder:rate_levels",
        'Let the levels play each other, and rate them: what "beat level 4 to pass" means.',
    ),
    "openings": (
        "palestra_bots.commands.openings:make_openings",
        "Find balanced openings: positions after a few plies that the solver or the search finds even.",
    ),
    "levels": (
        "palestra_bots.commands.levels:show_levels",
        "How strong each level is in each game, with 95 % intervals.",
    ),
    "calibrate": (
        "palestra_bots.commands.levels:calibrate_levels",
        "Fit and measure the levels of a game, and store them in the package; takes minutes to an hour.",
    ),
}

app = group(
    COMMANDS,
    name="palestra-bots",
    help="The reference bots of Palestra and their search. To let one play: palestra join palestra_bots:mtdf",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    app()
