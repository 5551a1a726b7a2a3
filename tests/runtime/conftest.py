"""A house without its gateway, in a data folder of its own."""

import pytest
from tests.support.homes import Home

from palestra_server.supervision import Supervisor


@pytest.fixture
async def supervisor():
    supervisor = await Supervisor.open()
    yield supervisor
    await supervisor.close()


@pytest.fixture
async def open_home(tmp_path, supervisor):
    """`open_home(**settings)`: a host in a data folder of its own."""
    homes = []

    def opened(**settings):
        homes.append(Home(tmp_path / str(len(homes)), supervisor, **settings))
        return homes[-1]

    yield opened
    for home in homes:
        home.close()
