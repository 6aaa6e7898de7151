"""The schemas of the scenarios: the entity `Node` of the vectors, and `Value` with an attribute of each type."""
from __future__ import annotations

import json
from typing import Any, Dict, List

from .vectors import node_entity

TYPES = {"text": "string", "whole": "integer", "real": "double", "flag": "boolean", "day": "date",
         "moment": "timestamp", "key": "uuid", "bytes": "data", "document": "json"}
NODE, VALUE, LATER = 1, 2, 3


def value_entity() -> Dict[str, Any]:
    attributes: List[Dict[str, Any]] = [
        {"id": number, "name": name, "type": kind, "optional": True}
        for number, (name, kind) in enumerate(TYPES.items(), 1)]
    attributes.append({"id": 10, "name": "state", "type": "string", "optional": True, "default": "new"})
    return {"id": VALUE, "name": "Value", "attributes": attributes}


def first() -> Dict[str, Any]:
    """Version 1."""
    return {"format": 1, "name": "conformance", "version": 1, "entities": [node_entity(), value_entity()]}


def second() -> Dict[str, Any]:
    """Version 2: `Node.title` is `Node.label`, `Node` has a `note`, and there is an entity `Later`."""
    schema = first()
    schema["version"] = 2
    attributes = schema["entities"][0]["attributes"]
    attributes[0]["name"] = "label"
    attributes.append({"id": 21, "name": "note", "type": "string", "optional": True})
    schema["entities"].append({"id": LATER, "name": "Later",
                               "attributes": [{"id": 1, "name": "text", "type": "string", "optional": True}]})
    return schema


def text(schema: Dict[str, Any]) -> str:
    return json.dumps(schema)
