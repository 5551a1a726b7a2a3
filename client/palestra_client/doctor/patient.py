"""A bot under examination: its process, and a conversation that gives every mistake a name."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from palestra_client.arena.contenders import Contender, NoContender
from palestra_client.arena.local_server import Arrival, Gone, Guest, House, Joined, Left
from palestra_client.arena.runners import Runner
from palestra_client.doctor.findings import Ailment, Code
from palestra_games import Game, Seat, State
from palestra_protocol.frame_faults import BadMessage
from palestra_protocol.limits import AWAY_MS, CloseCode
from palestra_protocol.messages import Action, MatchEnd, MatchStart, Message, Ready, Resign, Turn

JUNK_ALLOWED = 50  # messages other than the answer that are tolerated in one turn, as on the server; more are a flood
LATEST_S = 3.0  # how long to wait past the deadline, to tell a late answer from a missing one
BACK_S = 12.0  # time to reconnect: the server's time bank plus the time for a move

TOO_BIG = "It sent a frame of more than 4096 bytes, and the server hung up."

Wanted = TypeVar("Wanted")


class Patient:
    """The bot. `times_ms` collects its answer times, measured as the server does: arrival minus departure."""

    def __init__(self, contender: Contender, house: House, move_ms: int, ready_ms: int) -> None:
        self.runner = Runner(contender, house)
        self.move_ms = move_ms
        self.ready_ms = ready_ms
        self.times_ms: list[float] = []
        self._heard: asyncio.Queue[Arrival] = asyncio.Queue()
        self._frames = 0
        self._action_name: Callable[[int], str] = str
        # The doctor cut the connection itself, so losing it is no fault.
        self.may_leave = False

    @property
    def guest(self) -> Guest:
        """The server's side of the bot's connection."""
        return self.runner.guest

    async def come(self) -> None:
        """Start the bot's process if it isn't running, and wait for its hello."""
        if not self.runner.running:
            self._heard = asyncio.Queue()
        self.guest.listen = self._note
        try:
            await self.runner.ready()
        except NoContender as error:
            raise Ailment("does-not-start", str(error)) from None
        self._frames = 0

    def _note(self, arrival: Arrival) -> None:
        if not isinstance(arrival.heard, Joined | Left | Gone):
            self._frames += 1
            if self._frames > JUNK_ALLOWED:
                self.guest.break_off()  # as the server does with a flood
        self._heard.put_nowait(arrival)

    def send(self, message: Message | dict[str, object]) -> None:
        self.guest.send(message)

    async def hear(self, wanted: Callable[[Arrival], Wanted | None], within_s: float) -> Wanted | None:
        """Return the first wanted arrival, or None on timeout. Raises Ailment."""
        until = time.monotonic() + within_s
        while True:
            try:
                async with asyncio.timeout(max(0.0, until - time.monotonic())):
                    arrival = await self._heard.get()
            except TimeoutError:
                return None
            if self._frames > JUNK_ALLOWED:
                raise Ailment("flood", f"It sent more than {JUNK_ALLOWED} messages in one turn.")
            found = wanted(arrival)
            if found is not None:
                return found
            if isinstance(arrival.heard, Left) and not self.may_leave:
                await self._left(arrival.heard.code)
            if isinstance(arrival.heard, Gone):
                await self._gone()
            if isinstance(arrival.heard, BadMessage):
                self.unreadable = str(arrival.heard)

    async def _gone(self) -> None:
        """The process ended. The close of its connection may arrive only now, and tells more."""
        while self.guest.connected or not self._heard.empty():
            heard = (await self._heard.get()).heard
            if isinstance(heard, Left) and heard.code == CloseCode.FRAME_TOO_LARGE:
                raise Ailment("frame-too-big", TOO_BIG)
        raise Ailment("crash", "Its process ended in the middle of a match.")

    async def _left(self, code: int) -> None:
        """The connection was lost, and not by the doctor's doing: find out why."""
        if code == CloseCode.FRAME_TOO_LARGE:
            raise Ailment("frame-too-big", TOO_BIG)
        try:
            async with asyncio.timeout(BACK_S):
                while not isinstance(heard := (await self._heard.get()).heard, Gone | Joined):
                    pass
        except TimeoutError:
            raise Ailment(
                "does-not-come-back", f"It closed the connection during a match, and was not back after {BACK_S:.0f} s."
            ) from None
        if isinstance(heard, Gone):
            raise Ailment("crash", "Its process ended in the middle of a match.")
        raise Ailment("hangs-up", f"It closed the connection in the middle of a match (code {code}), and came back.")

    unreadable = ""  # what was wrong with the last unreadable frame

    async def begin(
        self, match: str, game: Game, seat: Seat, opening: tuple[int, ...] = (), more: dict[str, object] | None = None
    ) -> None:
        """Send `match_start` and wait for the bot's `ready`."""
        self.guest.matches = (match,)
        self._action_name = game.action_name
        players = (self.guest.name, "doctor") if seat == 0 else ("doctor", self.guest.name)
        started = MatchStart(
            match=match,
            game=game.name,
            seat=seat,
            players=players,
            move_ms=self.move_ms,
            grace_ms=100,
            ready_ms=self.ready_ms,
            opening=opening,
            away_ms=AWAY_MS,
        )
        self._started = started.fields()
        self.send({**self._started, **(more or {})})
        await self.expect_ready(match)

    def start_again(self) -> None:
        """Send the last `match_start` once more, as a server does to a player who is back."""
        self.send(self._started)

    async def expect_ready(self, match: str) -> None:
        def wanted(arrival: Arrival) -> bool | None:
            match arrival.heard:
                case Ready(match=name) if name == match:
                    return True
                case Resign(match=name) if name == match:
                    raise self._gave_up("while it got ready")
            return None

        if await self.hear(wanted, self.ready_ms / 1000) is None:
            code: Code = "silent" if self.runner.contender.is_program else "not-ready"
            raise Ailment(code, f"It was not ready within {self.ready_ms / 1000:.0f} s.")

    def turn(self, match: str, state: State, ply: int, remaining_ms: float) -> Turn:
        """Build the `turn` message for this position."""
        return Turn(
            match=match,
            ply=ply,
            seat=state.to_move,
            state=state.to_wire(),
            legal=state.legal_actions(),
            last=None,
            remaining_ms=remaining_ms,
        )

    async def ask(
        self,
        match: str,
        state: State,
        ply: int,
        *,
        remaining_ms: float | None = None,
        more: dict[str, object] | None = None,
    ) -> int:
        """Send `turn` and return the bot's legal answer. Raises Ailment if it is anything else or missing."""
        budget = self.move_ms if remaining_ms is None else remaining_ms
        self._frames = 0
        self.unreadable = ""
        self.send({**self.turn(match, state, ply, budget).fields(), **(more or {})})
        sent = time.monotonic_ns()
        action, at = await self.answer(match, state, ply, budget)
        took_ms = max(0.0, (at - sent) / 1e6)
        self.times_ms.append(took_ms)
        if self.unreadable:
            raise Ailment("unreadable-frames", f"It sent something that is not a message: {self.unreadable}")
        if took_ms > budget + 100:
            raise Ailment("late", f"It took {took_ms:.0f} ms for move {ply}, of {budget:.0f} ms and 100 ms grace.")
        if action not in state.legal_actions():
            shown = ", ".join(f"{each} ({self._action_name(each)})" for each in state.legal_actions())
            raise Ailment(
                "illegal-action", f"It answered move {ply} with action {action}; legal were {shown}.\n{state}"
            )
        return action

    async def answer(self, match: str, state: State, ply: int, budget_ms: float) -> tuple[int, int]:
        """Return the bot's action, and when it arrived (ns)."""
        wrong: list[int] = []

        def wanted(arrival: Arrival) -> tuple[int, int] | None:
            match arrival.heard:
                case Action(match=name, ply=of, action=action) if name == match:
                    if of == ply:
                        return action, arrival.at
                    wrong.append(of)
                case Resign(match=name) if name == match:
                    raise self._gave_up(f"at move {ply}", state)
            return None

        found = await self.hear(wanted, budget_ms / 1000 + LATEST_S)
        if wrong:
            raise Ailment("wrong-ply", f"It answered move {wrong[0]} when move {ply} was asked for.")
        if found is None:
            self.over(match, None, ply)  # our client then prints where `choose` is
            raise Ailment("no-answer", f"It gave no answer to move {ply}, although it had {budget_ms:.0f} ms.\n{state}")
        return found

    def _gave_up(self, when: str, state: State | None = None) -> Ailment:
        board = "" if state is None else f"\n{state}"
        if self.runner.contender.is_program:
            said = f"Its program failed {when}, and the match was given up.{board}"
            return Ailment("program-ended", said, in_turn=state is not None)
        return Ailment("exception", f"It raised an exception {when}, and gave the match up.{board}")

    async def come_back(self) -> bool:
        """Wait until the bot has reconnected; return whether it resumed its session."""

        def wanted(arrival: Arrival) -> bool | None:
            return arrival.heard.resumed if isinstance(arrival.heard, Joined) else None

        resumed = await self.hear(wanted, BACK_S)
        if resumed is None:
            raise Ailment("does-not-come-back", f"It was not back {BACK_S:.0f} s after its connection was lost.")
        return resumed

    def over(self, match: str, returns: tuple[float, float] | None, ply: int) -> None:
        """Send `match_end`; `returns` is None when the doctor ends the match early."""
        self.guest.matches = ()
        self.send(
            MatchEnd(
                match=match,
                ply=ply,
                returns=returns or (0.0, 0.0),
                reason="void" if returns is None else "rules",
                detail="The doctor has seen enough." if returns is None else "The game is over.",
            )
        )
