"""Matches in the shell that checks every step."""

import pytest
from tests.support.shell import Shell, config


@pytest.fixture
def make_config():
    return config


@pytest.fixture
def make_shell():
    """`make_shell(**changes of the config)`: a match that exists and nothing more."""
    return lambda **changes: Shell(config(**changes))


@pytest.fixture
def playing(make_shell):
    """`playing(**changes)`: a match in which seat 0 has the turn, written at 0 ns."""
    return lambda **changes: make_shell(**changes).begin()
