"""Schemathesis, where it is installed, sends the API of a real server what its OpenAPI allows, and what it does not:
whatever it is sent, the server never answers with an error of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.servers import ServerProcess, enrol

KEY = "the-key-of-the-teacher"
WHERE = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
SCHEMATHESIS = shutil.which("schemathesis", path=WHERE)

pytestmark = [
    pytest.mark.skipif(SCHEMATHESIS is None, reason="Schemathesis is not installed: make neighbours"),
    pytest.mark.timeout(600),
]


@pytest.mark.parametrize("who", ["visitor", "teacher"])
def test_no_request_makes_the_server_fail(tmp_path, who):
    enrol(tmp_path / "data", "ana", "ben")
    command = [SCHEMATHESIS, "run", "--checks", "not_a_server_error", "--seed", "1", "--max-examples", "2"]
    command += ["--request-timeout", "120"]
    command += ["--phases", "coverage,fuzzing", "--generation-database", "none", "--no-color"]
    with ServerProcess(tmp_path / "data", "--guests", "--admin-key", KEY) as server:
        address = server.web.rstrip("/")
        if who == "teacher":
            command += ["-H", f"Authorization: Bearer {KEY}"]
        done = subprocess.run(
            [*command, f"{address}/api/v1/openapi.json"], capture_output=True, text=True, cwd=tmp_path
        )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    lines = [json.loads(line) for line in (tmp_path / "data" / "log.json").read_text().splitlines()]
    assert [line for line in lines if line["event"] == "a request failed"] == []
