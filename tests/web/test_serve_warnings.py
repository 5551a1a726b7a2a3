"""What `serve` warns of at its start."""

import pytest
from typer.testing import CliRunner

from palestra_server.cli import serve
from palestra_server.cli.hosting import keys
from palestra_server.cli.main import app
from palestra_server.runtime import Server
from palestra_server.settings import Settings
from palestra_server.web.keys import KeyFileError


async def warned(data):
    server = await Server.offline(Settings(data=data))
    try:
        return list(serve.warnings(server))
    finally:
        await server.close()


async def test_weak_tokens_and_readable_secrets_are_named(tmp_path):
    (tmp_path / "roster.csv").write_text("name,token\nana,1234\nbob,a-long-token-nobody-guesses\n")
    tmp_path.chmod(0o755)
    (tmp_path / "teacher.key").write_text("key")
    (tmp_path / "teacher.key").chmod(0o644)
    found = await warned(tmp_path)
    assert "the tokens of ana may be guessed" in found[0]
    assert any("teacher.key can be read by other users" in warning for warning in found)
    (tmp_path / "teacher.key").chmod(0o600)
    tmp_path.chmod(0o700)
    assert len(await warned(tmp_path)) == 1, "the token stays weak at every start"


async def test_a_low_limit_of_open_files(tmp_path, monkeypatch):
    monkeypatch.setattr(serve.resource, "getrlimit", lambda _: (64, 64))
    tmp_path.chmod(0o700)
    (warning,) = await warned(tmp_path)
    assert "ulimit -n" in warning


def test_a_reference_bot_that_there_is_none_of(tmp_path):
    result = CliRunner().invoke(app, ["serve", "--data", str(tmp_path), "--bot", "level1", "--bot", "levle2"])
    assert result.exit_code == 1
    assert "--bot: There is no reference bot levle2" in result.output


def test_no_such_reference_bot_in_the_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("PALESTRA_BOTS", '["random"]')
    result = CliRunner().invoke(app, ["serve", "--data", str(tmp_path)])
    assert result.exit_code == 1
    assert 'The variable PALESTRA_BOTS: There is no reference bot ["random"]: choose' in result.output


def test_a_data_folder_that_is_a_file_is_said_to_be_one(tmp_path):
    file = tmp_path / "notes.txt"
    file.touch()
    with pytest.raises(KeyFileError, match=r"notes\.txt is a file: name another with --data"):
        keys(Settings(data=file))
