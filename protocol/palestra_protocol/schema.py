"""The JSON Schema (draft 2020-12) of both directions: `python -m palestra_protocol.schema [--check] FILE`.

Writes the file. With --check nothing is written, and the exit code is 1 if the file is out of date.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from palestra_protocol.messages import CLIENT_MESSAGES, SERVER_MESSAGES

_DIRECTIONS: dict[str, TypeAdapter[Any]] = {"ClientMessage": CLIENT_MESSAGES, "ServerMessage": SERVER_MESSAGES}


class _Untitled(GenerateJsonSchema):
    """Leaves out the titles of fields, which would only repeat their keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - pydantic's signature
        return False


def schema() -> dict[str, Any]:
    """A schema that accepts any message; `$defs` has `ClientMessage`, `ServerMessage` and each message."""
    unions, whole = TypeAdapter.json_schemas(
        [(name, "validation", adapter) for name, adapter in _DIRECTIONS.items()],
        title="The wire of Palestra, version 1",
        description="A frame is one ClientMessage or one ServerMessage. PROTOCOL.md says what each of them means.",
        schema_generator=_Untitled,
    )
    definitions: dict[str, Any] = whole["$defs"]
    for definition in definitions.values():
        # In Python the type of a message has a default; on the wire it is required.
        if "type" in definition["properties"]:
            definition["properties"]["type"].pop("default")
            definition["required"] = ["type", *definition.get("required", ())]
    for name in _DIRECTIONS:
        definitions[name] = unions[name, "validation"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **whole,
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in _DIRECTIONS],
    }


def rendered() -> str:
    """The text of the file, the same on every machine."""
    return json.dumps(schema(), indent=2, sort_keys=True) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m palestra_protocol.schema", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is out of date")
    options = parser.parse_args(arguments)
    file: Path = options.file
    try:
        if not options.check:
            file.write_text(rendered(), encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != rendered():
            print(f"{file} does not match the messages: run 'make schema' and commit it.", file=sys.stderr)
            return 1
    except (OSError, UnicodeDecodeError) as error:
        print(f"{file} cannot be used: {error}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
