"""What every server does at its start with the same outcome, done once: by the process of which servers are copies.

Importing this module does it. What a server reads of its data folder, its settings and its environment is its own.
"""

import gc
import importlib

from palestra_games import game_names
from palestra_server.names import shapes
from palestra_server.web.assets import read_assets
from palestra_tournament import installed_formats

# What only a running server loads, of libraries that choose among several.
for name in ("anyio._backends._asyncio", "encodings.idna", "sqlalchemy.dialects.sqlite", "uvicorn.lifespan.off"):
    importlib.import_module(name)

game_names()
installed_formats()
read_assets()
shapes("")

# A collection would go through all of this in each copy, and copy its memory.
gc.collect()
gc.freeze()
