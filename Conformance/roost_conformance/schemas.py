"""The schemas that checks publish, as the text of schema files."""
from __future__ import annotations

import copy
from typing import Any, Dict

from . import jsontext

PERSON, SPENDING, THING = 1, 2, 3

FILE: Dict[str, Any] = {
    "format": 1, "name": "trip", "version": 1, "entities": [
        {"id": PERSON, "name": "Person",
         "attributes": [{"id": 1, "name": "name", "type": "string"}],
         "relationships": [{"id": 2, "name": "spendings", "kind": "toMany", "destination": "Spending",
                            "inverse": "person", "deleteRule": "cascade"}]},
        {"id": SPENDING, "name": "Spending",
         "attributes": [{"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "amount", "type": "integer"}],
         "relationships": [{"id": 3, "name": "person", "kind": "toOne", "destination": "Person",
                            "inverse": "spendings"}]},
        {"id": THING, "name": "Thing",
         "attributes": [
             {"id": 1, "name": "text", "type": "string", "optional": True},
             {"id": 2, "name": "whole", "type": "integer", "optional": True},
             {"id": 3, "name": "real", "type": "double", "optional": True},
             {"id": 4, "name": "flag", "type": "boolean", "optional": True},
             {"id": 5, "name": "day", "type": "date", "optional": True},
             {"id": 6, "name": "moment", "type": "timestamp", "optional": True},
             {"id": 7, "name": "key", "type": "uuid", "optional": True},
             {"id": 8, "name": "data", "type": "data", "optional": True},
             {"id": 9, "name": "json", "type": "json", "optional": True},
             {"id": 10, "name": "preset", "type": "integer", "optional": True, "default": 7}],
         "relationships": [
             {"id": 20, "name": "next", "kind": "toOne", "destination": "Thing", "inverse": "previous"},
             {"id": 21, "name": "previous", "kind": "toMany", "destination": "Thing", "inverse": "next"}]}]}


def text(file: Dict[str, Any]) -> str:
    """The text of a schema file."""
    return jsontext.write(file)


def changed(version: int = 1, **names: Any) -> Dict[str, Any]:
    """A copy of the schema file with another version and with other members at its top."""
    file = copy.deepcopy(FILE)
    file["version"] = version
    file.update(names)
    return file


def trip() -> str:
    """The schema of most checks."""
    return text(FILE)
