"""The `palestra watch` app: the lobby, with a match beside it."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import DataTable, Footer, Static

from palestra_client.watching import drawing
from palestra_client.watching.feed import LOBBY, CannotWatch, Feed, Lost, News
from palestra_client.watching.model import Lobby, Watched
from palestra_protocol.harmless import harmless

MOVES_SHOWN = 12


class WatchApp(App[str]):
    """Shows the matches being played on a server. Returns a sentence if there is nothing left to watch."""

    CSS = "DataTable { width: 1fr; } #match { width: 1fr; padding: 0 2; } #moves { padding: 1 0; }"
    TITLE = "palestra"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "leave"),
        Binding("left", "step(-1)", "a move back", priority=True),
        Binding("right", "step(1)", "a move on", priority=True),
        Binding("end", "newest", "newest move", priority=True),
    ]

    def __init__(self, feed: Feed, match: str | None) -> None:
        super().__init__()
        self._feed = feed
        self._lobby = Lobby()
        self._watched = None if match is None else Watched(match)
        self._at: int | None = None  # index of the view shown; None follows the newest

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield DataTable(cursor_type="row")
            with Vertical(id="match"):
                yield Static(id="title")
                yield Static(id="board")
                yield Static(id="moves")
        yield Static(id="state")
        yield Footer()

    def on_mount(self) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        table.add_columns("match", "game", "first", "second", "moves")
        self._draw_match()
        self._listen()

    @work
    async def _listen(self) -> None:
        try:
            async for news in self._feed.news():
                self._hear(news)
        except CannotWatch as error:
            self.exit(str(error))

    def _hear(self, news: News | Lost) -> None:
        if isinstance(news, Lost):
            self.query_one("#state", Static).update(Text(f"{news.why}; trying again", "yellow"))
        elif news.topic == LOBBY:
            self._lobby.happened(news.event)
            self._draw_lobby()
        elif self._watched is not None and news.topic == f"match:{self._watched.match}":
            self._watched.happened(news.event)
            self._draw_match()

    async def on_data_table_row_selected(self, selected: DataTable.RowSelected) -> None:
        match = str(selected.row_key.value)
        if self._watched is not None:
            await self._feed.leave(f"match:{self._watched.match}")
        self._watched, self._at = Watched(match), None
        self._draw_match()
        await self._feed.follow(f"match:{match}")

    def action_step(self, by: int) -> None:
        if self._watched is not None and self._watched.views:
            newest = len(self._watched.views) - 1
            at = max(0, min(newest, (newest if self._at is None else self._at) + by))
            self._at = None if at == newest else at
            self._draw_match()

    def action_newest(self) -> None:
        """Go back to following the match."""
        self._at = None
        self._draw_match()

    def _draw_lobby(self) -> None:
        lobby = self._lobby
        table: DataTable[str] = self.query_one(DataTable)
        row = table.cursor_row
        table.clear()
        for board in lobby.boards.values():
            first, second = board.players
            table.add_row(board.match, board.game, harmless(first), harmless(second), str(board.ply), key=board.match)
        table.move_cursor(row=min(row, max(0, table.row_count - 1)))
        free = sorted(player for player in lobby.players if not lobby.busy(player))
        waiting = f"; waiting: {', '.join(map(harmless, free[:8]))}" if free else ""
        more = f" and {len(free) - 8} more" if len(free) > 8 else ""
        self.query_one("#state", Static).update(
            Text(f"players: {len(lobby.players)}, matches: {len(lobby.boards)}{waiting}{more}", "dim")
        )

    def _draw_match(self) -> None:
        watched = self._watched
        title, moves = Text("Choose a match with the arrow keys and Enter.", "dim"), Text()
        drawn = Text()
        if watched is not None:
            title = Text(f"match {watched.match}")
            if watched.views:
                first, second = (harmless(player) for player in watched.players)
                title = Text.assemble((first, drawing.SEATS[0]), " against ", (second, drawing.SEATS[1]))
                title.append(f"   {watched.game}, {len(watched.moves)} moves", "dim")
                drawn = drawing.board(watched.views[-1 if self._at is None else self._at])
                if self._at is not None:
                    drawn.append(f"\nafter {self._at} moves", "yellow")
                moves = drawing.moves(watched, MOVES_SHOWN)
            if watched.result is not None:
                moves.append(harmless(watched.result), "bold")
        for place, text in (("#title", title), ("#board", drawn), ("#moves", moves)):
            self.query_one(place, Static).update(text)
