"""What `serve` warns of at its start."""

import errno

import pytest
from typer.testing import CliRunner

from palestra_server.cli import hosting, serve
from palestra_server.cli.hosting import keys
from palestra_server.cli.main import app
from palestra_server.runtime import House
from palestra_server.settings import Settings
from palestra_server.store.database import Database
from palestra_server.web.keys import KeyFileError


async def warned(data):
    server = await House.offline(Settings(data=data))
    try:
        return list(serve.warnings(server))
    finally:
        await server.close()


async def test_readable_secrets_are_named(tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "teacher.key").write_text("key")
    (tmp_path / "teacher.key").chmod(0o644)
    assert any("teacher.key can be read by other users" in warning for warning in await warned(tmp_path))
    (tmp_path / "teacher.key").chmod(0o600)
    tmp_path.chmod(0o700)
    assert await warned(tmp_path) == []


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


async def test_a_password_that_everybody_sees(tmp_path, monkeypatch):
    tmp_path.chmod(0o700)
    for words, count in (
        (["--database", "postgresql://ana:secret@db/x"], 1),
        (["--database=postgresql://ana:secret@db/x"], 1),
        (["--database", "postgresql://ana@db/x?password=secret"], 1),
        (["--database", "postgresql://ana@db/x", "--site", "https://a.edu:80"], 0),
    ):
        monkeypatch.setattr(serve.sys, "argv", ["palestra-server", "serve", *words])
        assert sum("--database @FILE" in warning for warning in await warned(tmp_path)) == count


@pytest.mark.parametrize("words", [["--admin-key", "secret"], ["--admin-key=secret"]])
async def test_a_key_that_everybody_sees(tmp_path, monkeypatch, words):
    tmp_path.chmod(0o700)
    monkeypatch.setattr(serve.sys, "argv", ["palestra-server", "serve", *words])
    assert ["PALESTRA_ADMIN_KEY" in warning for warning in await warned(tmp_path)] == [True]


def test_a_password_is_not_in_the_name_of_a_database(tmp_path):
    for url in ("postgresql://ana:secret@db/x", "postgresql://ana@db/x?password=secret&sslpassword=secret"):
        assert "secret" not in Database(tmp_path, url, 1.0).name


def test_the_database_may_be_in_a_file(tmp_path, monkeypatch):
    file = tmp_path / "database"
    file.write_text("postgresql://ana:secret@db/x\n")
    assert Settings(database=f"@{file}").database == "postgresql://ana:secret@db/x"
    monkeypatch.setenv("PALESTRA_DATABASE", f"@{file}")
    assert Settings().database == "postgresql://ana:secret@db/x"
    result = CliRunner().invoke(app, ["serve", "--data", str(tmp_path), "--database", "@/nowhere/file"])
    assert (result.exit_code, "--database takes an address" in result.output) == (1, True)


def test_a_disk_that_is_full_at_the_last_moment(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(hosting, "write_private", full)
    with pytest.raises(KeyFileError, match=r"can't be written \(No space left on device\): make room"):
        hosting.announced(tmp_path, "http://localhost", "key").__enter__()
