"""Pairs the rounds of a large Swiss, all but the first, in another process: no bot's frame has to wait for it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from typing import Final

import structlog

from palestra_tournament import Pairs, Round, pair_round

log = structlog.get_logger()

HERE: Final = 100
"""Rounds of up to this many players are paired here, which takes less than 10 ms."""
LONGEST_S: Final = 60.0


def pair_apart(of: Round) -> Pairs:
    """As `pair_round`. Blocks until the other process has answered, and pairs here if that fails."""
    # -P: the folder where the server was started may hold bots called like modules (random.py).
    command = [sys.executable, "-P", "-m", "palestra_tournament.formats"]
    try:
        done = subprocess.run(
            command, input=json.dumps(asdict(of)), capture_output=True, text=True, timeout=LONGEST_S, check=True
        )
        said = json.loads(done.stdout)
        return Pairs(tuple((first, second) for first, second in said["pairs"]), said["idle"])
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        log.warning("a round is paired in the server's own process", why=str(error), players=len(of.players))
        return pair_round(of)
