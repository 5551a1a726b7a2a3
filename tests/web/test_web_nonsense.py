"""What is no HTTP, to a real server: it is refused, and fills no log."""

import json
import socket
from collections import Counter

from tests.support.servers import ServerProcess

from palestra_server.gateway.allowance import LINES

NONSENSE = (
    b"\x00\xff nonsense\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /watch HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
    b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
)


def test_nonsense_is_refused_and_fills_no_log(tmp_path):
    with ServerProcess(tmp_path) as server:
        port = int(server.web.rstrip("/").rpartition(":")[2])
        for number in range(3 * len(NONSENSE) * LINES):
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(NONSENSE[number % len(NONSENSE)])
                assert client.recv(9).startswith(b"HTTP/1.1 ")
    lines = [json.loads(line) for line in (tmp_path / "log.json").read_text().splitlines()]
    assert {line["event"] for line in lines} <= {"gateway open", "web server"}, "no fault of the server's own"
    said = Counter(line["said"] for line in lines if line["event"] == "web server")
    assert said["Invalid HTTP request received."] >= LINES
    assert max(said.values()) < 2 * LINES
