"""What every server does at its start with the same outcome, done once: by the process of which servers are copies.

Importing this module does it. What a server reads of its data folder, its settings and its environment is its own.
"""

import gc
import importlib

from palestra_games import game_names
from palestra_server.names import shapes
from palestra_server.web.assets import read_assets
from palestra_tournament import installed_formats

LATER = ["anyio._backends._asyncio", "encodings.idna", "sqlalchemy.dialects.sqlite", "uvicorn.lifespan.off"]
LATER += ["psycopg", "sqlalchemy.dialects.postgresql.psycopg", "palestra_server.web.standing_by"]  # of nodes
LATER += ["palestra_server.cli.records"]
"""What is loaded when it is needed."""

for name in LATER:
    importlib.import_module(name)

game_names()
installed_formats()
read_assets()
shapes("")

# A collection would go through all of this in each copy, and copy its memory.
gc.collect()
gc.freeze()
