"""What import-linter's contracts do not say: there are no import cycles, and what two packages hold is the same."""

from graphlib import TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PACKAGES = ["games", "protocol", "referee", "tournament", "client", "bots", "server"]


def test_no_import_goes_in_a_circle():
    graph = grimp.build_graph(*(f"palestra_{name}" for name in PACKAGES), cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert sum(map(len, imports.values())) > 1000
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


def test_client_and_server_load_their_commands_alike():
    client, server = (ROOT / name / f"palestra_{name}" / "cli" / "loading.py" for name in ("client", "server"))
    assert client.read_text() == server.read_text()
