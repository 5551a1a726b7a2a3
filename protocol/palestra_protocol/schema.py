"""The JSON Schema (draft 2020-12) of both directions: `python -m palestra_protocol.schema > protocol/schema.json`."""

from __future__ import annotations

import json
import sys
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


if __name__ == "__main__":
    sys.stdout.write(rendered())
