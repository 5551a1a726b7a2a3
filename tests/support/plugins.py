"""Installs the plug-ins of `tests/plugins` for real: built as a wheel by their own build backend, then unpacked."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

PLUGINS = Path(__file__).parents[1] / "plugins"


def install_plugin(target_dir: Path, name: str = "palestra_nim") -> Path:
    """Builds the plug-in `name` and installs it into the folder `site` in `target_dir`; gives back that folder.

    A process with the folder on its PYTHONPATH has the game installed: the package and the metadata with its entry
    point are what pip would put into site-packages for this wheel. (pip itself is not asked for, as a virtual
    environment made by uv has none.)
    """
    source, wheels, site = (target_dir / part for part in ("source", "wheels", "site"))
    shutil.copytree(PLUGINS / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)],
        cwd=source / name,
        check=True,
        capture_output=True,
    )
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def environment_with(site: Path) -> dict[str, str]:
    """This process's environment with `site` first on PYTHONPATH, for a subprocess that shall see the plug-in."""
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path}
