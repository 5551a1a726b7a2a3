"""The judge that `palestra` asks: what it said of a match is kept in the user's cache folder."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path
from pydantic import ValidationError

import palestra_games
from palestra_protocol.analysis import Analysis, to_json


def judge(told: Mapping[str, Any], others: Sequence[Mapping[str, Any]] = ()) -> Analysis:
    """As `matches.judge`."""
    match = hashlib.blake2b(json.dumps([told, *others], sort_keys=True, default=str).encode(), digest_size=16)
    file = user_cache_path("palestra") / "judged" / _edition() / f"{match.hexdigest()}.json"
    with suppress(OSError, ValidationError):  # a broken file is written anew
        return Analysis.model_validate_json(file.read_bytes())
    from palestra_bots.judge.matches import judge as anew  # with Numba, more than a second

    analysis = anew(told, others)
    with suppress(OSError):
        if not file.parent.is_dir():
            shutil.rmtree(file.parent.parent, ignore_errors=True)  # what another edition said
            file.parent.mkdir(parents=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_bytes(to_json(analysis))
        part.replace(file)
    return analysis


@cache
def _edition() -> str:
    """Of the judge: its sources, and those of the rules."""
    texts = hashlib.blake2b(digest_size=12)
    for package in (Path(__file__).parents[1], Path(palestra_games.__file__).parent):
        for source in sorted(package.rglob("*.py")):
            texts.update(source.read_bytes())
    return texts.hexdigest()
