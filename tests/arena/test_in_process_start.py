"""What a process of the in-process arena imports before it plays."""

import subprocess
import sys

# Without `if __name__ == "__main__"`: a process that imported it would start an arena of its own.
UNGUARDED = """
from palestra_client.arena import in_process
from palestra_client.arena.contenders import contenders
from palestra_client.arena.fixtures import Settings, fixtures

played = in_process.play(contenders(["bot.py", "random"]), Settings("mancala", jobs=2), fixtures(2, 5, [()]))
print(sorted((result.number, result.outcome.reason) for some in played for result in some))
"""
BOT = """
import sys
from palestra_client import Bot

class Pit(int):
    pass

class First(Bot):
    def on_start(self, match):
        assert "palestra_client.arena.in_process" not in sys.modules
    def choose(self, turn):
        return Pit(turn.legal[0])
"""


def test_a_process_does_not_import_the_program_that_started_it_nor_a_student_s_json(tmp_path):
    (tmp_path / "play.py").write_text(UNGUARDED)
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "json.py").write_text("raise SystemExit('not the module of the standard library')")
    program = [sys.executable, "-P", "play.py"]
    ran = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout.strip() == str([(number, "rules") for number in range(1, 6)])


def test_reference_bots_do_not_wait_for_pydantic():
    program = (
        "import sys; from palestra_client.arena import pooled; from palestra_client.arena.fixtures import *; "
        "pooled._acting = [0, 0]; names = 'palestra_bots:random', 'palestra_bots:greedy'; "
        "print(len(pooled.load_and_play(names, [(name,) for name in names], Settings('mancala'), "
        "fixtures(2, 2, [()]))), 'pydantic' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("2 False\n", "")
