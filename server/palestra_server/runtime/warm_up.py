"""The warm-up of a tournament: its file, derived from the tournament's."""

from __future__ import annotations

import json
from typing import Any

from palestra_tournament import Spec, warm_up

_OF_OTHER_FORMATS = {"rounds", "tie_breaks", "group_size", "qualify"}


def warm_up_name(spec: Spec) -> str | None:
    """The name of this tournament's warm-up; None if it has none."""
    return warm_up(spec).name if spec.warm_up else None


def warm_up_file(spec: Spec) -> str:
    """The file of this tournament's warm-up, which has to be started by hand."""
    left_out = {*_OF_OTHER_FORMATS, "grades", "start"}
    values = warm_up(spec).model_dump(mode="json", exclude_defaults=True, exclude=left_out)
    if "breaks" in values:
        values["breaks"] = [f"{first[:5]}-{last[:5]}" for first, last in values["breaks"]]
    return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: Any) -> str:
    """A value in TOML; texts, numbers and lists of them look the same in JSON."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
