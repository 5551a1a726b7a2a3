"""Hello: tokens, guests and their names, sessions resumed, one connection for each player, floods."""

import asyncio
import contextlib
import json
import time

import msgpack
import pytest
from tests.support.gateway import WAIT_S, Book, frame, hello, house, packed, raw_player, until
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from palestra_protocol.reference_bots import REFERENCE_BOTS
from palestra_server.gateway import sessions as sessions_module


class Client:
    """A JSON client that says what it is told."""

    def __init__(self, socket):
        self.socket = socket

    async def send(self, **message):
        await self.socket.send(json.dumps(message))

    async def receive(self):
        return json.loads(await asyncio.wait_for(self.socket.recv(), WAIT_S))

    async def hello(self, name=None, token="", **more):
        await self.send(**hello(name, token=token, **more))
        return await self.receive()

    async def closed(self):
        with pytest.raises(ConnectionClosed) as ended:
            await asyncio.wait_for(self.socket.recv(), WAIT_S)
        return ended.value.rcvd.code


@contextlib.asynccontextmanager
async def client(home):
    async with connect(home.url + "/play", subprotocols=["palestra.v1.json"]) as socket:
        yield Client(socket)


async def refused(home, message, code, close):
    """What is said to this first message; it must be one error with this code, then this close code."""
    async with client(home) as someone:
        await someone.send(**message)
        error = await someone.receive()
        assert (error["type"], error["code"], error["fatal"]) == ("error", code, True)
        assert error["message"].endswith(".")
        assert await someone.closed() == close
    return error["message"]


async def test_a_token_tells_the_player():
    async with house(guests=False, server_name="here/1", server_id="8f2c61d07be394a5") as home, client(home) as ana:
        home.runtime.matches = {("ana", False): ["m1", "m2"]}
        welcome = await ana.hello("ignored", token="token-ana", client="x/1", challenges=False)
        assert welcome.pop("session")
        assert welcome == {
            "type": "welcome",
            "player": "ana",
            "server": "here/1",
            "limits": {"frame_bytes": 4096, "ping_s": 5.0, "hello_s": 5.0},
            "matches": ["m1", "m2"],
            "server_id": "8f2c61d07be394a5",
            "page": None,
            "nodes": [],
        }
        assert await home.runtime.next("join") == "ana"
        peer = home.runtime.peers["ana"]
        assert (peer.guest, peer.client, peer.challenges) == (False, "x/1", False)
        assert peer.joined.at <= peer.joined.seen


async def test_a_player_with_another_name_since_resumes_under_that_by_the_session_alone():
    async with house() as home:
        async with client(home) as ana:
            session = (await ana.hello(token="token-ana"))["session"]
        # As a rename does.
        home.roster.tokens["token-ana"] = "bea"
        home.book.sessions[session].player = "bea"
        async with client(home) as bea:
            assert (await bea.hello(resume=session))["player"] == "bea"
        home.roster.tokens["token-of-another"] = "ana"
        async with client(home) as bea:
            assert (await bea.hello(resume=session))["player"] == "bea"


async def test_welcome_tells_the_page_under_the_name_that_was_used():
    async with house(page_port=8000) as home, client(home) as ana:
        assert (await ana.hello(token="token-ana"))["page"] == "http://127.0.0.1:8000"


async def test_the_first_message_must_be_hello():
    async with house() as home:
        for message in ({"type": "ready", "match": "m"}, {"type": "watch", "topic": "lobby"}):
            said = await refused(home, message, "no_hello", 4003)
            assert "hello" in said
        assert home.runtime.told.empty()


async def test_a_malformed_hello_may_be_mended():
    async with house() as home, client(home) as ana:
        await ana.send(type="hello", token=7)
        assert (await ana.receive())["code"] == "bad_message"
        assert (await ana.hello(token="token-ana"))["type"] == "welcome"


@pytest.mark.slow
async def test_no_hello_in_time():
    async with house(hello_s=2.0) as home, client(home) as someone:
        error = await someone.receive()
        assert (error["code"], error["fatal"]) == ("no_hello", True)
        assert await someone.closed() == 4003


async def test_a_second_hello_changes_nothing():
    async with house() as home, client(home) as ana:
        await ana.hello(token="token-ana")
        error = await ana.hello(token="token-bob")
        assert (error["code"], error["fatal"]) == ("already_hello", False)
        assert await home.runtime.next("join") == "ana"
        await ana.send(type="ready", match="m")
        assert (await home.runtime.next("message"))[0] == "ana"


async def test_hellos_that_are_not_let_in(logged):
    async with house(guests=False) as home:
        assert "token" in await refused(home, hello(None, token="token-anna"), "bad_token", 4004)
        assert "token" in await refused(home, hello(None), "bad_token", 4004)
        assert "token" in await refused(home, hello("eva"), "guests_off", 4004)
        assert "token" in await refused(home, hello(None, resume="nobody's"), "bad_token", 4004)
    async with house(guests=True) as home:
        assert "name" in await refused(home, hello(None), "bad_token", 4004)
        assert "typing error" in await refused(home, hello("eva", token="token-anna"), "bad_token", 4004)
        await refused(home, hello("   "), "bad_name", 4004)
        await refused(home, hello("x" * 33), "bad_name", 4004)
        await refused(home, hello("a\x00b"), "bad_name", 4004)
        assert home.runtime.told.empty()
        assert home.gateway.counts.players == 0
    assert "token-anna" not in str(logged)


async def test_a_guest_whose_name_is_taken_gets_another():
    async with house() as home, client(home) as one, client(home) as two, client(home) as three, client(home) as four:
        home.runtime.matches = {("zoe", True): ["unfinished"]}
        assert (await one.hello("eva"))["player"] == "eva"
        assert (await two.hello(" eva "))["player"] == "eva-2"
        assert (await three.hello("ana"))["player"] == "ana-2", "ana is on the roster"
        assert (await four.hello("zoe"))["player"] == "zoe-2", "another zoe may come back to her match"
        async with client(home) as five, client(home) as long, client(home) as longer:
            assert (await five.hello("eva"))["player"] == "eva-3"
            assert (await long.hello("y" * 32))["player"] == "y" * 32
            assert (await longer.hello("y" * 32))["player"] == "y" * 30 + "-2"


async def test_a_name_is_free_again_when_its_guest_has_left():
    async with house() as home:
        for _ in range(2):
            async with client(home) as eva:
                assert (await eva.hello("eva"))["player"] == "eva"
                assert await home.runtime.next("join") == "eva"
            assert await home.runtime.next("leave") == "eva"


async def test_the_newer_connection_of_a_player_counts():
    async with house() as home, client(home) as old, client(home) as new:
        first = await old.hello(token="token-ana")
        # What the older one sent before is still dealt with, before it is sent away.
        await home.runtime.next("join")
        await old.send(type="ready", match="m")
        await home.runtime.next("message")
        second = await new.hello(token="token-ana")
        assert first["session"] != second["session"]
        error = await old.receive()
        assert (error["code"], error["fatal"]) == ("replaced", True)
        assert await old.closed() == 4009
        assert await home.runtime.next("leave") == "ana"
        assert await home.runtime.next("join") == "ana"
        await new.send(type="ready", match="m")
        await home.runtime.next("message")
        assert home.gateway.counts.players == 1
        assert home.runtime.told.empty()


async def test_what_a_replaced_connection_sent_before_counts():
    async with house() as home, raw_player(home) as old:
        session = home.runtime.peers["eva"].session
        async with client(home) as new:
            # Both are read in one turn of the loop, the newer connection's hello perhaps first.
            old.socket.sendall(packed(type="ready", match="before"))
            assert (await new.hello(None, resume=session))["player"] == "eva"
        told = [await home.runtime.next(kind) for kind in ("message", "leave", "join")]
        assert told[0][1].match == "before"


async def test_guests_resume_by_their_session():
    async with house() as home:
        async with client(home) as eva:
            first = (await eva.hello("eva"))["session"]
        assert home.book.sessions[first].guest
        async with client(home) as eva:
            welcome = await eva.hello("other", resume=first)
            assert (welcome["player"], welcome["session"] != first) == ("eva", True)
            second = welcome["session"]
            # While she is here: whoever proves to be her replaces her, by the last session or one before it.
            for session in (second, first):
                async with client(home) as again:
                    assert (await again.hello(None, resume=session))["player"] == "eva"
            assert (await eva.receive())["code"] == "replaced"


async def test_a_player_back_before_the_book_is_written_is_known():
    async with house() as home:
        async with client(home) as eva:
            session = (await eva.hello("eva"))["session"]
            home.runtime.matches = {("eva", True): ["m"]}
        home.book.sessions.clear()
        async with client(home) as eva:
            assert (await eva.hello("eva", resume=session))["player"] == "eva"


async def test_sessions_from_before_a_restart_are_in_the_book():
    async with house() as home, client(home) as eva:
        session = (await eva.hello("eva"))["session"]
        book = home.book
    async with house() as home, client(home) as eva:
        home.book.sessions.update(book.sessions)
        home.runtime.matches = {("eva", True): ["m"]}
        assert (await eva.hello(None, resume=session))["player"] == "eva"


async def test_who_comes_back_after_a_restart_waits_for_no_reading():
    """All come at once, and each would hold up the others."""
    book = Book()
    book.save_session("before", "eva", True, None)
    async with house(book=book) as home:
        book.session = None
        async with connect(home.url + "/play", subprotocols=["palestra.v1.msgpack"]) as eva:
            await eva.send(msgpack.packb({"type": "hello", "token": "", "name": "x", "resume": "before"}))
            assert msgpack.unpackb(await asyncio.wait_for(eva.recv(), WAIT_S))["player"] == "eva"


async def test_only_so_many_sessions_are_kept_beside_the_book(monkeypatch):
    monkeypatch.setattr(sessions_module, "_RECENT_MAX", 2)
    async with house() as home:
        async with client(home) as eva:
            first = (await eva.hello("eva"))["session"]
        for _ in range(2):
            async with client(home) as ana:
                await ana.hello(token="token-ana")
        home.book.sessions.clear()
        await refused(home, hello(None, resume=first), "bad_token", 4004)


async def test_a_guest_who_took_the_name_meanwhile_is_not_thrown_out():
    async with house() as home:
        async with client(home) as eva:
            first = (await eva.hello("eva"))["session"]
            await home.runtime.next("join")
        await home.runtime.next("leave")
        async with client(home) as impostor, client(home) as eva:
            assert (await impostor.hello("eva"))["player"] == "eva"
            assert (await eva.hello("eva", resume=first))["player"] == "eva-2"
            assert home.gateway.counts.players == 2


async def test_a_guest_does_not_come_back_beside_one_who_looks_the_same():
    async with house() as home:
        first = (await leave_after(home, "eva"))["session"]
        async with client(home) as lookalike:
            assert (await lookalike.hello("\u0435va"))["player"] == "\u0435va"
            await home.runtime.next("join")
            assert (await leave_after(home, "eva", resume=first))["player"] == "eva-2"
            home.runtime.matches = {("eva", True): ["unfinished"]}
            assert (await leave_after(home, "eva", resume=first))["player"] == "eva", "it plays a match on"


async def leave_after(home, name, **more):
    """A guest who comes and goes; its welcome."""
    async with client(home) as someone:
        welcome = await someone.hello(name, **more)
        await home.runtime.next("join")
    await home.runtime.next("leave")
    return welcome


async def test_the_match_of_an_absent_guest_is_not_for_an_earlier_bearer_of_the_name():
    async with house() as home:
        thief = await leave_after(home, "eva")
        owner = await leave_after(home, "eva")
        home.runtime.matches = {("eva", True): ["m"]}
        assert (await leave_after(home, "eva", resume=thief["session"]))["player"] == "eva-2"
        back = await leave_after(home, "eva", resume=owner["session"])
        assert (back["player"], back["matches"]) == ("eva", ["m"])
        # The welcome with the newest session may have been lost: the one before it is as good.
        assert (await leave_after(home, None, resume=owner["session"]))["player"] == "eva"
        assert (await leave_after(home, None, resume=thief["session"]))["player"] == "eva-2"
        book = home.book
    async with house() as home:
        home.book.sessions.update(book.sessions)
        home.runtime.matches = {("eva", True): ["m"]}
        newest = [session for session, known in book.sessions.items() if known.player == "eva"][-1]
        assert (await leave_after(home, None, resume=thief["session"]))["player"] == "eva-2"
        assert (await leave_after(home, None, resume=newest))["player"] == "eva"


async def test_the_runtime_is_told_who_is_the_same_as_before():
    async with house() as home:

        async def resumed(name, **more):
            async with client(home) as someone:
                welcome = await someone.hello(name, **more)
                answer = home.runtime.peers[await home.runtime.next("join")].resumed
            await home.runtime.next("leave")
            return answer, welcome["session"]

        assert (await resumed(None, token="token-ana"))[0]
        new, first = await resumed("eva")
        assert not new
        again, _ = await resumed("eva", resume=first)
        assert again
        namesake, _ = await resumed("eva")
        assert not namesake
        back, _ = await resumed("eva", resume=first)
        assert not back, "the name has had another bearer since"


async def test_sessions_of_guests_are_of_no_use_where_guests_are_off():
    async with house() as home:
        session = (await leave_after(home, "eva"))["session"]
        book = home.book
    async with house(guests=False) as home:
        home.book.sessions.update(book.sessions)
        await refused(home, hello("eva", resume=session), "guests_off", 4004)


async def test_a_name_that_looks_the_same_is_the_same_name():
    async with house() as home, client(home) as one, client(home) as two, client(home) as three, client(home) as four:
        assert (await one.hello("Eva"))["player"] == "Eva"
        assert (await two.hello("EVA"))["player"] == "EVA-2"
        assert (await three.hello("ANA"))["player"] == "ANA-2", "ana is on the roster"
        assert (await four.hello("\u0430na"))["player"] == "\u0430na-3", "with a Cyrillic letter"


@pytest.mark.parametrize("name", [*REFERENCE_BOTS, "Level8", "leve18", "ｌｅｖｅｌ８", "r\u0430ndom"])
async def test_a_guest_never_has_the_name_of_a_reference_bot_running_or_not(name):
    async with house() as home, client(home) as guest:
        assert (await guest.hello(name))["player"] == f"{name}-2"


async def test_a_session_does_not_bring_back_a_name_that_looks_like_a_players_by_now():
    async with house() as home:
        first = (await leave_after(home, "Zo\u0435"))["session"]
        home.roster.tokens["token-zoe"] = "zoe"
        assert (await leave_after(home, None, resume=first))["player"] == "Zo\u0435-2"


async def test_sessions_of_the_roster():
    async with house(guests=False) as home:
        async with client(home) as ana:
            session = (await ana.hello(token="token-ana"))["session"]
        assert not home.book.sessions[session].guest
        async with client(home) as ana:
            assert (await ana.hello(None, resume=session))["player"] == "ana"
        async with client(home) as bob:
            # The token counts, not somebody else's session.
            assert (await bob.hello(None, token="token-bob", resume=session))["player"] == "bob"
        # Another token, and the session that the old one opened is worth nothing; none at all, and neither.
        home.roster.tokens = {"new-token-ana": "ana", "token-bob": "bob"}
        await refused(home, hello(None, resume=session), "bad_token", 4004)
        del home.roster.tokens["new-token-ana"]
        await refused(home, hello(None, resume=session), "bad_token", 4004)


async def test_a_name_that_comes_to_the_roster_is_no_longer_the_guests():
    async with house() as home, client(home) as guest, client(home) as zoe:
        session = (await guest.hello("zoe"))["session"]
        await home.runtime.next("join")
        home.runtime.matches = {("zoe", True): ["the guest's"]}
        home.roster.tokens["token-zoe"] = "zoe"
        welcome = await zoe.hello(token="token-zoe")
        assert (welcome["player"], welcome["matches"]) == ("zoe", [])
        error = await guest.receive()
        assert (error["code"], error["fatal"]) == ("name_taken", True)
        assert "on the roster now" in error["message"]
        assert await guest.closed() == 4004
        async with client(home) as again:
            assert (await again.hello(None, resume=session))["player"] == "zoe-2"
        # Neither does the guest of old get the name back when it leaves the roster again.
        del home.roster.tokens["token-zoe"]
        async with client(home) as again:
            assert (await again.hello(None, resume=session))["player"] == "zoe-2"


async def test_the_last_sign_of_life_is_a_message_a_pong_or_an_orderly_close():
    async with house(ping_s=0.05) as home, raw_player(home) as eva:
        peer = home.runtime.peers["eva"]
        for payload, opcode in ((msgpack.packb({"type": "ready", "match": "m"}), Opcode.BINARY), (b"", Opcode.PONG)):
            before = time.monotonic_ns()
            assert peer.last_read < before
            eva.socket.sendall(frame(payload, opcode))
            await until(lambda before=before: peer.last_read > before)
        before = time.monotonic_ns()
        eva.socket.sendall(frame(b"", Opcode.CLOSE))
        await until(lambda: not peer.connected)
        assert peer.last_read > before
    async with house() as home, raw_player(home) as eva:
        peer = home.runtime.peers["eva"]
        before = time.monotonic_ns()
        eva.socket.close()
        await until(lambda: not peer.connected)
        assert peer.last_read < before, "that it has gone does not say that it heard anything"


async def test_a_session_that_nobody_knows_makes_a_new_guest():
    async with house() as home, client(home) as eva:
        assert (await eva.hello("eva", resume="lost with the old server's disk"))["player"] == "eva"


async def test_sessions_are_not_written_to_the_log(logged):
    async with house() as home, client(home) as ana:
        session = (await ana.hello(token="token-ana"))["session"]
        assert len(session) >= 32
    assert session not in str(logged)
    assert "token-ana" not in str(logged)


async def test_nobody_is_let_in_while_sessions_cannot_be_kept(logged):
    def broken(*_):
        raise RuntimeError("The disk is full.")

    async with house() as home:
        home.book.save_session = broken
        await refused(home, hello("eva"), "try_later", 1013)
        assert home.runtime.told.empty()
    (said,) = [entry for entry in logged if entry["event"] == "no session can be saved"]
    assert (said["log_level"], said["detail"], "exc_info" in said) == ("warning", "The disk is full.", False)


@pytest.mark.usefixtures("defects_expected")
async def test_a_book_that_cannot_be_read_lets_nobody_in():
    async with house() as home:
        home.book.session = None
        await refused(home, hello("eva", resume="something"), "try_later", 1013)
        assert home.runtime.told.empty()


@pytest.mark.parametrize("name", ["ANA", "\u0430na", "\uff41na", "a\u034fna", "an\u0251", "\u00e1na"])
async def test_a_guest_cannot_look_like_a_player_of_the_roster(name):
    async with house() as home, client(home) as guest:
        welcome = await guest.hello(name)
        assert welcome["type"] == "error" or welcome["player"].endswith("-2")


async def test_a_session_is_worth_what_its_token_is_worth():
    async with house() as home:
        async with client(home) as ana:
            session = (await ana.hello(token="token-ana"))["session"]
        async with client(home) as ana:
            assert (await ana.hello(resume=session))["player"] == "ana"
        del home.roster.tokens["token-ana"]
        home.roster.tokens["another-token"] = "ana"
        assert "has changed" in await refused(home, hello(None, resume=session), "bad_token", 4004)
        assert "taken back" in await refused(home, hello(None, token="token-ana", resume=session), "bad_token", 4004)
        async with client(home) as ana:
            fresh = (await ana.hello(token="another-token", resume=session))["session"]
        async with client(home) as ana:
            assert (await ana.hello(resume=fresh))["player"] == "ana"
        book = home.book
    # The same after a restart, by the book.
    async with house() as home:
        home.book.sessions.update(book.sessions)
        await refused(home, hello(None, resume=fresh), "bad_token", 4004)
        home.roster.tokens = {"another-token": "ana"}
        await refused(home, hello(None, resume=session), "bad_token", 4004)
        async with client(home) as ana:
            assert (await ana.hello(resume=fresh))["player"] == "ana"


async def test_tokens_cannot_be_guessed_and_nobody_elsewhere_waits():
    clock = Clock()
    async with house(clock) as home:
        async with client(home) as bob:
            session = (await bob.hello(token="token-bob"))["session"]
        for number in range(sessions_module.GUESSES):
            await refused(home, hello(None, token=f"guess {number}"), "bad_token", 4004)
        assert "in 1 s" in await refused(home, hello(None, token="guess"), "try_later", 1013)
        # A session of one's own is no licence to guess, and what is refused makes nobody wait longer.
        for number in range(sessions_module.GUESSES):
            await refused(home, hello(None, token=f"more {number}", resume=session), "try_later", 1013)
        # Who has a right one, at the same address, or comes from elsewhere, or has no token, is not held up.
        async with client(home) as ana:
            assert (await ana.hello(token="token-ana"))["player"] == "ana"
        async with client(home) as bob:
            assert (await bob.hello(token="token-bob", resume=session))["player"] == "bob"
        async with connect(home.url + "/play", additional_headers={"X-Forwarded-For": "198.51.100.7"}) as elsewhere:
            await elsewhere.send(msgpack.packb({"type": "hello", "token": "token-ana"}))
            assert msgpack.unpackb(await asyncio.wait_for(elsewhere.recv(), WAIT_S))["player"] == "ana"
        async with client(home) as eva:
            assert (await eva.hello("eva"))["player"] == "eva"
        clock.now = 1.0
        await refused(home, hello(None, token="guess"), "bad_token", 4004)
        await refused(home, hello(None, token="guess"), "try_later", 1013)


# Floods


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


async def rejections(someone, count):
    for _ in range(count):
        await someone.socket.send("no message")
        assert (await someone.receive())["code"] == "bad_message"


async def test_fifty_rejected_frames_in_the_window_are_forgiven_one_more_is_not(logged):
    clock = Clock()
    async with house(clock) as home, client(home) as eva:
        await eva.hello("eva")
        await home.runtime.next("join")
        await rejections(eva, 50)
        clock.now = 20.1
        await rejections(eva, 25)
        clock.now = 40.1
        await rejections(eva, 25)
        await rejections(eva, 1)  # in these 20 s, exactly the 51st
        assert await eva.closed() == 1008
        assert await home.runtime.next("leave") == "eva"
        assert home.gateway.counts.dropped_flooding == 1
    assert "flooding peer dropped" in [entry["event"] for entry in logged]


async def test_what_the_runtime_rejects_counts_too():
    async with house(Clock()) as home, client(home) as eva:
        await eva.hello("eva")
        home.runtime.answer = lambda peer, _message, _arrival: peer.reject(
            "stale_ply", "Too late.", match="m", ply=3, legal=(1, 2)
        )
        for _ in range(51):
            await eva.send(type="ready", match="m")
            error = await eva.receive()
            assert (error["match"], error["ply"], error["legal"], error["fatal"]) == ("m", 3, [1, 2], False)
        assert await eva.closed() == 1008


async def test_a_flood_of_good_frames_is_read_slowly_and_keeps_nobody_waiting():
    async with house() as home, raw_player(home) as flooder, client(home) as other:
        flood = packed(type="ready", match="m") * 20_000
        sending = asyncio.get_running_loop().run_in_executor(None, send_all, flooder, flood)
        await other.hello("ben")
        home.runtime.answer = lambda peer, _message, _arrival: peer.player == "ben" and peer.send({"type": "echo"})
        while not home.gateway.counts.throttled:
            await other.send(type="ready", match="m")
            assert (await other.receive())["type"] == "echo"
        for _ in range(50):
            await other.send(type="ready", match="m")
            assert (await other.receive())["type"] == "echo"
        from_flooder = home.gateway.counts.frames_in
        assert from_flooder < 2000, "the rest waits in the kernel"
        assert home.runtime.peers["eva"].connected, "slow, not thrown out"
        home.runtime.peers["eva"].close(1000)
        await sending


def send_all(client, data):
    with contextlib.suppress(OSError):
        client.socket.sendall(data)


async def test_answers_to_what_the_runtime_sends_are_no_flood():
    """Twice as many frames as a burst allows, each asked for by one of the runtime's."""
    async with house() as home, raw_player(home) as client:
        home.runtime.answer = lambda peer, _message, _arrival: peer.send({"type": "turn"})

        def play():
            for _ in range(1000):
                client.socket.sendall(packed(type="ready", match="m"))
                assert client.receive() == {"type": "turn"}

        await asyncio.to_thread(play)
        assert home.gateway.counts.throttled == 0


async def test_a_flood_of_pings_is_throttled_too():
    async with house() as home, raw_player(home) as client:
        ping = b"\x89\x80mask"
        sending = asyncio.get_running_loop().run_in_executor(None, send_all, client, ping * 3000)
        await until(lambda: home.gateway.counts.throttled)
        home.runtime.peers["eva"].close(1000)
        await sending
