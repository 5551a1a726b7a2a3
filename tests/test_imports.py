"""What import-linter's contracts do not say: there are no import cycles, and what tests share is in `tests.support`."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PACKAGES = ["games", "protocol", "referee", "tournament", "client", "bots", "lab", "server"]


def test_no_import_goes_in_a_circle():
    packages = [f"palestra_{name}" for name in PACKAGES]
    # For types alone two modules may name each other: a tournament has a format, which draws a tournament.
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert sum(map(len, imports.values())) > 1000
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


def test_tests_import_nothing_of_each_other():
    tests, shared = ROOT / "tests", 0
    for path in [*tests.rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]:
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "tests." in text else ():
            imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in imported:
                assert not name.startswith("tests.") or name.startswith("tests.support."), (
                    f"{path.relative_to(ROOT)} imports {name}: what two test modules need belongs in tests/support"
                )
                shared += name.startswith("tests.support.")
    assert shared > 100
