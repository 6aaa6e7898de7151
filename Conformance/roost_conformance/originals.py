"""Edits of a put whose bytes its members do not give (§5.6, the member `#`): no byte changes but those of the edit.

    data = edited(original, said, {2})       # property 2 as `said` has it, all else as it was
"""
from __future__ import annotations

from typing import Dict, List, Set, Tuple

from . import protobuf
from .protobuf import BYTES, encode_varint, tagged
from .puts import Put

Chunk = Tuple[int, bytes]
"""The number of a property, or 0 for a field that this version does not have, with the bytes of its field."""


def _chunks(data: bytes, known: int) -> List[Tuple[int, bytes, bytes]]:
    """The fields of a message: number (0 for one above `known`), all bytes of the field, and its payload."""
    result = []
    for number, wire_type, value in protobuf.fields(data):
        payload = value if isinstance(value, bytes) else encode_varint(value)
        result.append((number if number <= known else 0, tagged(number, wire_type, payload), payload))
    return result


def _property(payload: bytes) -> int:
    return next((value for number, _, value in protobuf.fields(payload) if number == 1 and isinstance(value, int)), 0)


def _replaced(held: List[Chunk], new: Dict[int, bytes], edited_numbers: Set[int]) -> List[bytes]:
    """The held fields with those of the edited numbers replaced or left out, and new ones in their place by number."""
    chunks = {number: data for number, data in held if number and number not in edited_numbers}
    chunks.update({number: new[number] for number in edited_numbers if number in new})
    return [chunks[number] for number in sorted(chunks)] + [data for number, data in held if not number]


def edited(original: bytes, said: Put, numbers: Set[int]) -> bytes:
    """The original put with some properties as `said` has them; a property that it lacks becomes nil."""
    references: List[Chunk] = []
    content: List[Chunk] = []
    later: List[bytes] = []
    for number, data, payload in _chunks(original, 2):
        if number == 1:
            references.append((_property(payload), data))
        elif number == 2:
            content += [(_property(inner) if kind else 0, chunk) for kind, chunk, inner in _chunks(payload, 1)]
        else:
            later.append(data)
    new_references = {number: Put({number: target}).encode() for number, target in said.references.items()}
    new_content = {}
    for number, value in said.content.items():
        (_, _, message), = _chunks(Put({}, {number: value}).encode(), 2)
        new_content[number] = message
    fields = b"".join(_replaced(content, new_content, numbers))
    return (b"".join(_replaced(references, new_references, numbers)) + (tagged(2, BYTES, fields) if fields else b"")
            + b"".join(later))
