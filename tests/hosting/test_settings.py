"""Settings that cannot be: which option or variable, what it takes, and what it was given."""

from __future__ import annotations

import pytest
import typer

from palestra_server.cli.output import settings_from
from palestra_server.settings import EVERYWHERE, Settings
from palestra_server.web.addresses import local_address


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ({"web_port": 70000}, "--web-port takes a whole number from 0 to 65535, not 70000."),
        ({"log": "xml"}, "--log takes console or json, not 'xml'."),
        ({"log_level": "loud"}, "--log-level takes debug, info, warning or error, not 'loud'."),
        ({"admin_key": "a secret"}, "--admin-key takes a key of 16 characters or more."),
        (
            {"site": "school.edu/bots"},
            "--site takes an address without a path, such as https://palestra.school.edu, not 'school.edu/bots'.",
        ),
    ],
)
def test_an_option_that_cannot_be(capsys, option, sentence):
    with pytest.raises(typer.Exit):
        settings_from(**option)
    assert capsys.readouterr().err == sentence + "\n"


@pytest.mark.parametrize(
    ("variable", "value", "takes"),
    [
        ("PORT", "many", "a whole number from 0 to 65535, not 'many'"),
        ("MAX_GUESTS", "0", "a whole number from 1 on, not '0'"),
        ("GUESTS", "perhaps", "true or false, not 'perhaps'"),
        ("ADMIN_KEY", "a secret", "a key of 16 characters or more"),
    ],
)
def test_a_variable_that_cannot_be(capsys, monkeypatch, variable, value, takes):
    monkeypatch.setenv(f"PALESTRA_{variable}", value)
    with pytest.raises(typer.Exit):
        settings_from(web_port=0)
    assert capsys.readouterr().err == f"The variable PALESTRA_{variable} takes {takes}: change it, or unset it.\n"


def test_every_fault_is_said_at_once(capsys, monkeypatch):
    monkeypatch.setenv("PALESTRA_PORT", "many")
    with pytest.raises(typer.Exit):
        settings_from(web_port=-1)
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_several_in_a_variable_are_separated_by_spaces(monkeypatch):
    monkeypatch.setenv("PALESTRA_BOTS", "random level1")
    monkeypatch.setenv("PALESTRA_PROXIES", "10.0.0.5")
    assert (Settings().bots, Settings().proxies) == (("random", "level1"), ("10.0.0.5",))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_all_interfaces_have_one_name(host):
    assert Settings(host=host).host == EVERYWHERE
    assert local_address(Settings(host=host), 80) == "http://127.0.0.1:80"
