"""What a process of the in-process arena imports before it plays."""

import subprocess
import sys

# Without `if __name__ == "__main__"`: a process that imported it would start an arena of its own.
UNGUARDED = """
from palestra_client.arena import in_process
from palestra_client.arena.contenders import contenders
from palestra_client.arena.fixtures import Settings, fixtures

played = in_process.play(contenders(["random", "bot.py"]), Settings("mancala", jobs=2), fixtures(2, 5, [()]))
print(sorted((result.number, result.outcome.reason) for some in played for result in some))
"""
BOT = """
import sys
from palestra_client import Bot

class Pit(int):
    pass

class First(Bot):
    def on_start(self, match):
        assert "pydantic" not in sys.modules, "pydantic takes longer to import than all the rest"
        assert "palestra_client.arena.in_process" not in sys.modules
    def choose(self, turn):
        return Pit(turn.legal[0])
"""


def test_a_process_imports_neither_pydantic_nor_the_program_that_started_it(tmp_path):
    (tmp_path / "play.py").write_text(UNGUARDED)
    (tmp_path / "bot.py").write_text(BOT)
    ran = subprocess.run([sys.executable, "play.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout.strip() == str([(number, "rules") for number in range(1, 6)])
