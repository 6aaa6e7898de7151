"""The vectors of §11.7 (Tests/Vectors/vectors.json), as records of the tester's schema."""
from __future__ import annotations

import json
import os
import uuid
from typing import Any, Dict, List

from ..messages import Record
from ..puts import Put
from ..stamps import Stamp

HERE = os.path.dirname(os.path.abspath(__file__))
REFERENCES = {"a": 1, "b": 2, "t": 3, "n": 4, "d": 5, "o": 6}
RULES = {"a": "cascade", "b": "cascade", "t": "cascade", "n": "nullify", "d": "deny", "o": "noAction"}
AUTHOR = bytes.fromhex("00000000000000aa")
Vector = Dict[str, Any]


def load() -> List[Vector]:
    """The histories of the project's file."""
    path = os.path.join(HERE, "..", "..", "..", "Tests", "Vectors", "vectors.json")
    with open(path, encoding="utf-8") as file:
        vectors: List[Vector] = json.load(file)["vectors"]
    return vectors


def identifier(name: str) -> bytes:
    """The identifier that a name stands for: its bytes, filled up to 16 with zeros."""
    return name.encode().ljust(16, b"\x00")


def text(name: str) -> str:
    return str(uuid.UUID(bytes=identifier(name)))


def stamp(milliseconds: int, start: int = 0) -> bytes:
    """The stamp of a change, with the milliseconds of `start` added."""
    return Stamp(start + milliseconds, 0, AUTHOR).encode()


def changes_of(vector: Vector, start: int = 0) -> List[Record]:
    """The changes of a history, each as the slot that it fills."""
    records = []
    for change in vector["changes"]:
        record = Record(1, identifier(change["record"]))
        if change.get("delete"):
            record.delete_stamp = stamp(change["stamp"], start)
        else:
            references = {REFERENCES[name]: identifier(target) for name, target in change["put"].items()}
            record.put_stamp, record.put = stamp(change["stamp"], start), Put(references).encode()
        records.append(record)
    return records


def expected_of(vector: Vector) -> Dict[str, Dict[str, str]]:
    """The visible records of a history with their references that are not nil."""
    return {text(name): {reference: text(target) for reference, target in shown["refs"].items() if target is not None}
            for name, shown in vector["visible"].items()}


def node_entity() -> Dict[str, Any]:
    """The entity `Node` of the vectors as a schema file has it; each relationship has an inverse named after it."""
    relationships: List[Dict[str, Any]] = []
    for name, number in REFERENCES.items():
        reference = {"id": number, "name": name, "kind": "toOne", "destination": "Node", "inverse": f"{name}s"}
        inverse = {"id": number + 10, "name": f"{name}s", "kind": "toMany", "destination": "Node", "inverse": name,
                   "deleteRule": RULES[name]}
        if name == "t":
            reference["tree"] = True
        relationships += [reference, inverse]
    title = {"id": 20, "name": "title", "type": "string", "optional": True}
    return {"id": 1, "name": "Node", "attributes": [title], "relationships": relationships}


def schema_text(version: int = 1, **more: Any) -> str:
    """A schema with the entity `Node` alone, or with further entities."""
    return json.dumps({"format": 1, "name": "conformance", "version": version, "entities": [node_entity()], **more})
