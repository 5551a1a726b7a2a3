"""What the nodes of a benchmark stand on: a PostgreSQL of their own, and a network namespace each. Linux, as root."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

BRIDGE: Final = "palestra0"
NETWORK: Final = "10.87.0"  # .1 is this machine
DISK: Final = "160m"


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Postgres:
    """A cluster of its own on a small disk in memory; `url` is its database."""

    def __init__(self, folder: Path, host: str) -> None:
        self._disk, self._data = folder, folder / "data"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"postgresql://palestra@{host}:{self.port}/postgres?connect_timeout=5"
        self._run("initdb", "-A", "trust", "-U", "palestra", "--wal-segsize", "1", "-D", str(self._data))
        with (self._data / "pg_hba.conf").open("a") as file:
            file.write(f"host all all {NETWORK}.0/24 trust\n")
        self._control("start")

    def _run(self, program: str, *words: str) -> None:
        found = shutil.which(program) or str(next(Path("/usr/lib/postgresql").glob(f"*/bin/{program}")))
        subprocess.run(
            ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", found, *words],
            check=True,
            cwd=self._disk,
            stdout=subprocess.DEVNULL,
        )

    def _control(self, *words: str) -> None:
        settings = f"-p {self.port} -k {self._disk} -c listen_addresses=* -c max_connections=200 -c min_wal_size=2MB"
        log = str(self._disk / "log")
        self._run("pg_ctl", "-s", "-w", "-t", "60", "-D", str(self._data), "-l", log, "-o", settings, *words)

    def restart(self, mode: str) -> None:
        """`mode`: fast, or immediate, which is a crash."""
        self._control("restart", "-m", mode)

    def fill(self) -> None:
        """Leave no room on its disk."""
        with (self._disk / "full").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            for size in (1 << 20, 1 << 12):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(bytes(size))

    def clear(self) -> None:
        (self._disk / "full").unlink(missing_ok=True)

    def stop(self) -> None:
        self.clear()
        self._control("stop", "-m", "immediate")


@contextmanager
def postgres(host: str = "127.0.0.1") -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="palestra-"))
    run("mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700,uid={_uid('postgres')}", "tmpfs", str(folder))
    try:
        cluster = Postgres(folder, host)
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        run("umount", "-l", str(folder))
        folder.rmdir()


def _uid(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_uid


class Namespace:
    """A network of one program: `address` in it, `command` to run in it, and its link to all others."""

    def __init__(self, number: int) -> None:
        self.name = f"palestra{number}"
        self.address = f"{NETWORK}.{number + 10}"
        self.command: Sequence[str] = ("ip", "netns", "exec", self.name)
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", f"{self.name}v", "type", "veth", "peer", "name", "eth0", "netns", self.name)
        run("ip", "link", "set", f"{self.name}v", "master", BRIDGE, "up")
        self._inside("link", "set", "lo", "up")
        self._inside("addr", "add", f"{self.address}/24", "dev", "eth0")
        self.link("up")

    def _inside(self, *words: str) -> None:
        run("ip", "-n", self.name, *words)

    def link(self, state: str) -> None:
        self._inside("link", "set", "eth0", state)


@contextmanager
def namespaces(count: int) -> Iterator[list[Namespace]]:
    clear()
    run("ip", "link", "add", BRIDGE, "type", "bridge")
    try:
        run("ip", "addr", "add", f"{NETWORK}.1/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        yield [Namespace(number) for number in range(1, count + 1)]
    finally:
        clear()


def clear() -> None:
    for name in (line.split()[0] for line in run("ip", "netns", "list").splitlines() if line.startswith("palestra")):
        run("ip", "netns", "delete", name)
    for link in Path("/sys/class/net").glob("palestra*v"):  # of a program that is still there
        with contextlib.suppress(subprocess.CalledProcessError):  # it may be going with its namespace
            run("ip", "link", "delete", link.name)
    if os.path.exists(f"/sys/class/net/{BRIDGE}"):
        run("ip", "link", "delete", BRIDGE)
