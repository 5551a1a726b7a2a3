"""Runs a student's program as a subprocess: line I/O, standard error and termination."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from palestra_client.bridge.dialect import ProgramFailed
from palestra_client.tied import Tied
from palestra_protocol.harmless import ForPeople

POLL_S = 0.05  # how often to check whether a silent program is still running
UNENDED_S = 0.1  # an unterminated line counts as complete after this pause: some programs forget the newline
EXIT_S = 1.0  # how long a program has to exit before it is killed
LINE_MAX = 1 << 12  # bytes
UNREAD_MAX = 1_000  # lines that wait to be read. A program that writes more waits, too: its output is a full pipe.
FULL_POLL_S = 0.005  # how often to check whether there is room again
_LAST_WORDS = 5
_INTERPRETERS = {".py": "python", ".js": "node", ".mjs": "node", ".jar": "java -jar", ".java": "java", ".class": "java"}


class CannotStart(ForPeople, ValueError):
    """The command can't be run. The message is one sentence that says what to do."""


def check_command(command: Sequence[str]) -> None:
    """Check a command without running it. Raises CannotStart if it can't work."""
    if not command:
        raise CannotStart("Which program? Name it after --, as in `palestra bridge --name ana -- ./mybot`.")
    program = command[0]
    path = Path(program)
    if shutil.which(program) is not None:
        return
    if path.is_file() and path.name == program and os.access(path, os.X_OK):
        raise CannotStart(f"There is no command '{program}'; the file in this folder is ./{program}.")
    if path.is_file():
        if interpreter := _INTERPRETERS.get(path.suffix.lower()):
            raise CannotStart(f"{program} needs an interpreter: write `{interpreter} {program}`.")
        if path.suffix.lower() in (".c", ".cpp", ".cc", ".rs", ".go"):
            raise CannotStart(f"{program} is source code: compile it, and name the program that the compiler makes.")
        raise CannotStart(f"{program} is not executable: make it so with `chmod +x {program}`.")
    raise CannotStart(f"There is no program '{program}'; is it compiled, and are you in its folder?")


class Program:
    """A running program, which is killed when this process exits.

    `on_error_line` is called with each line of its standard error, on a separate thread.

    On POSIX, the program's standard output is a pseudo-terminal, so that the C library flushes after every line. With a
    pipe it would buffer, and a bot that doesn't flush would seem to hang.
    """

    def __init__(self, command: Sequence[str], on_error_line: Callable[[str], None]) -> None:
        self.name = Path(command[0]).name if len(command) == 1 else " ".join(command)
        self._on_error_line = on_error_line
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._begun = ""
        self._begun_at = 0.0
        self._killed = False
        self._lock = threading.Lock()
        self._last_words: deque[str] = deque(maxlen=_LAST_WORDS)
        self._reading, writing = _line_buffered()
        self._reads = True
        self._tied = Tied()
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=writing,
                stderr=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                process_group=self._tied.group,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            os.close(self._reading)
            self._tied.kill()
            raise ProgramFailed(f"{self.name} can't be started: {error.strerror or error}.") from error
        finally:
            os.close(writing)
        self._reader = self._in_a_thread(self._read)
        self._error_reader = self._in_a_thread(self._read_errors)

    def _in_a_thread(self, work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, name=f"bridge {self.name}", daemon=True)
        thread.start()
        return thread

    def say(self, *lines: str) -> None:
        """Write these lines. Raises ProgramFailed if the program no longer reads its input."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        except (OSError, ValueError):
            raise self._died() from None

    def hear(self, left_s: Callable[[], float]) -> str | None:
        """Return the next non-blank line, stripped; None once `left_s()` reaches zero.

        Raises ProgramFailed if the program has exited.
        """
        while True:
            left = left_s()
            try:
                line = self._lines.get(timeout=max(0.0, min(left, POLL_S)))
            except queue.Empty:
                line = self._unended()
                if line is None and left <= 0:
                    return None
                if line is None and self._process.poll() is not None and self._all_heard():
                    raise self._died() from None
            else:
                if line is None:
                    raise self._died()
            if line is not None and line.strip():
                return line.strip().strip("\0\ufeff")

    def close(self) -> None:
        """Close the program's input, give it a second to exit, then kill it and all its children."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_S)
        self.kill()

    def kill(self) -> None:
        """Kill the program and all its children. Idempotent."""
        self._killed = True
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._tied.kill(self._process.pid)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_S)

    def _died(self) -> ProgramFailed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(EXIT_S)
        self._error_reader.join(EXIT_S)  # its last words may still be on their way
        code = self._process.returncode
        if code is None:
            how = "closed its standard output, so it can't answer any more"
        elif code < 0:
            try:
                how = f"was ended by the signal {signal.Signals(-code).name}"
            except ValueError:
                how = f"was ended by signal {-code}"
            if -code == getattr(signal, "SIGSEGV", None):
                how += " (it used memory that is not its own)"
        elif code == 0:
            how = "ended by itself (exit code 0): it must go on reading until it is told that the match is over"
        else:
            how = f"ended with exit code {code}"
        words = "".join(f"\n  {line}" for line in self._last_words)
        return ProgramFailed(f"{self.name} {how}." + (f" It wrote last:{words}" if words else ""))

    def _unended(self) -> str | None:
        """Return the unterminated line, if nothing has been added to it for a while."""
        with self._lock:
            if not self._begun.strip() or time.monotonic() - self._begun_at < UNENDED_S or self._more_to_read():
                return None
            line, self._begun = self._begun, ""
            return line

    def _all_heard(self) -> bool:
        with self._lock:
            return self._lines.empty() and not self._begun and not self._more_to_read()

    def _more_to_read(self) -> bool:
        """Whether something waits for the reading thread, which may be late. Call with the lock."""
        if sys.platform == "win32":  # nobody can ask a pipe there
            return False
        return self._reads and bool(select.select([self._reading], [], [], 0)[0])

    def _read(self) -> None:
        with os.fdopen(self._reading, "rb", buffering=0) as stream:
            while True:
                try:
                    chunk = stream.read(LINE_MAX)
                except OSError:  # reading a pseudo-terminal fails once the other end is closed
                    chunk = b""
                if not chunk or self._killed:  # one that floods may go on until the signal reaches it
                    break
                with self._lock:
                    *whole, self._begun = (self._begun + chunk.decode("utf-8", "replace")).split("\n")
                    self._begun = self._begun[-LINE_MAX:]
                    self._begun_at = time.monotonic()
                    for line in whole:
                        self._lines.put(line)
                # Polled, since `kill` may run in a finalizer, where no lock may be taken to wake this thread.
                while self._lines.qsize() >= UNREAD_MAX and not self._killed:
                    time.sleep(FULL_POLL_S)
            with self._lock:
                rest, self._begun, self._reads = self._begun, "", False
                if rest:
                    self._lines.put(rest)
                self._lines.put(None)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stream:
            while line := stream.readline(LINE_MAX):
                text = line.decode("utf-8", "replace").rstrip("\r\n")
                self._last_words.append(text)
                self._on_error_line(text)


def _line_buffered() -> tuple[int, int]:
    """Open a pseudo-terminal for a program's output, or a pipe if there are none. Returns the read and write ends."""
    if sys.platform != "win32":
        import tty

        try:
            ours, theirs = os.openpty()
        except OSError:
            return os.pipe()
        tty.setraw(theirs)  # no newline translation
        return ours, theirs
    return os.pipe()
