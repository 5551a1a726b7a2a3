"""Packages of another version than the client needs."""

import sys
from importlib import metadata
from importlib.metadata import PackageNotFoundError

import pytest

from palestra_client import cli
from palestra_client.cli import dependencies


def test_what_is_installed_for_these_tests_fits():
    assert dependencies.misfits() == []


@pytest.mark.parametrize("name", [*dependencies.OURS, "websockets", "rich", "pydantic"])
def test_the_fields_are_read_as_the_standard_library_reads_them(name):
    assert dependencies.version(name) == metadata.version(name)
    assert dependencies.fields(name, "Requires-Dist") == (metadata.requires(name) or [])


@pytest.mark.parametrize(
    ("have", "fits"), [("10.4", False), ("14.9.9", False), ("15.0", True), ("15.0.1", True), ("16.0rc1", True)]
)
def test_an_old_package_is_named_with_what_to_do(monkeypatch, have, fits):
    real = dependencies.version
    monkeypatch.setattr(dependencies, "version", lambda name: have if name == "websockets" else real(name))
    monkeypatch.setattr(sys, "argv", ["palestra", "--version"])
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert (caught.value.code == 0) == fits
    if not fits:
        assert f"websockets {have} (15.0 or newer is needed)" in caught.value.code
        assert caught.value.code.endswith(f"{sys.executable} -m pip install palestra-client")


def test_a_missing_package_is_named(monkeypatch):
    real = dependencies.version

    def version(name):
        if name == "msgpack":
            raise PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(dependencies, "version", version)
    assert dependencies.misfits() == ["msgpack (it is missing)"]
