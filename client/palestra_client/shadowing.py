"""Checks, before anything else is imported, whether the running script's name hides a module of Python's.

From then on `import random` finds a student's random.py, even inside Python's own library. The resulting error,
somewhere deep in an import, tells a beginner nothing.
"""

# Only what Python itself has loaded by now may be imported here: anything else could be the student's file.
import os
import sys


def hidden_module(main: object) -> str | None:
    """The name of the module that the script in the module `main` hides, if any."""
    file = getattr(main, "__file__", None)
    if file is None or getattr(main, "__spec__", None) is not None:  # a notebook; `python -m` hides nothing
        return None
    name, ending = os.path.splitext(os.path.basename(file))
    return name if ending == ".py" and name in sys.stdlib_module_names else None


if (_name := hidden_module(sys.modules.get("__main__"))) is not None:
    raise SystemExit(f"Rename your file {_name}.py: Python has a module {_name} of its own, which it would hide.")
