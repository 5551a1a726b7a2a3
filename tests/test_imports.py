"""What import-linter's contracts do not say: there are no import cycles."""

from graphlib import TopologicalSorter

import grimp

PACKAGES = ["games", "protocol", "referee", "tournament", "client", "bots", "server"]


def test_no_import_goes_in_a_circle():
    graph = grimp.build_graph(*(f"palestra_{name}" for name in PACKAGES), cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert sum(map(len, imports.values())) > 1000
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle
