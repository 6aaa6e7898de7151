"""What a client must show: the slots merged (§11.1) and the delete rules derived (§11.3), in the plainest way.

    shown = visible(schema, records)
    shown["Node"]["00000000-0000-4000-8000-000000000001"] == {"title": "x"}

Nothing here is shared with a client or server: each rule is read from the text, at quadratic cost.
"""
from __future__ import annotations

import uuid
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set, Tuple

from ..errors import FormatError
from ..jsontext import parse
from ..jsonvalues import PutForm
from ..messages import Record
from ..puts import Put
from ..schema import Reference, Schema
from .scope import Key, merge

Shown = Dict[str, Dict[str, Dict[str, Any]]]
"""The visible records: entity, identifier, properties that are not nil."""


def merged(parts: Iterable[Record]) -> Dict[Key, Record]:
    """The slots that come of all parts, in any order."""
    slots: Dict[Key, Record] = {}
    for part in parts:
        merge(slots.setdefault((part.entity, part.id), Record(part.entity, part.id)), part)
    return slots


def defaults(schema: Schema) -> Dict[int, Dict[str, Any]]:
    """The values of attributes that a put leaves out, by the number of the entity."""
    return {int(entity["id"]): {attribute["name"]: attribute["default"] for attribute in entity.get("attributes", [])
                                if "default" in attribute}
            for entity in parse(schema.text)["entities"]}


class Derivation:
    """The lines of §11.3 over the slots of a scope, each with the lines before it."""

    def __init__(self, schema: Schema, slots: Dict[Key, Record], shows_dangling: bool = True) -> None:
        self.schema, self.slots = schema, slots
        self.shows_dangling = shows_dangling
        self.defaults = defaults(schema)
        self.puts = {key: Put.decode(record.put or b"") for key, record in slots.items() if record.put_stamp}
        self.kept = {target for key in slots if self.own(key) == "put"
                     for reference, target in self.references(key)
                     if reference.rule == "deny" and self.own(target) == "deleted"}
        self.base = {key for key in slots if self.own(key) == "put"} | self.kept
        self.dropped = self._dropped()
        self.hidden = self._hidden()
        self.visible = self.base - self.hidden

    def own(self, key: Key) -> str:
        record = self.slots.get(key)
        if record is None or not record.put_stamp:
            return "absent"
        return "put" if record.put_stamp > record.delete_stamp else "deleted"

    def references(self, key: Key) -> Iterator[Tuple[Reference, Key]]:
        """The stored references of a record's put slot that the schema knows."""
        entity = self.schema.with_id(key[0])
        for number, target in self.puts[key].references.items() if key in self.puts else ():
            reference = entity.property(number)
            if isinstance(reference, Reference):
                yield reference, (self.schema.entity(reference.destination).id, target)

    def _dropped(self) -> Set[Key]:
        up = {key: target for key in self.puts for reference, target in self.references(key) if reference.is_tree}
        dropped: Set[Key] = set()
        for start in up:
            path: List[Key] = []
            key: Optional[Key] = start
            while key is not None and key not in path:
                path.append(key)
                key = up.get(key)
            if key is not None:
                cycle = path[path.index(key):]
                dropped.add(max(cycle, key=lambda each: (self.slots[each].put_stamp, each[1])))
        return dropped

    def _hidden(self) -> Set[Key]:
        hidden = set(self.slots) - self.base
        while True:
            more = {key for key in self.base - hidden if any(
                reference.rule == "cascade" and not (reference.is_tree and key in self.dropped)
                and (self.own(target) == "absent" or target in hidden)
                for reference, target in self.references(key))}
            if not more:
                return hidden
            hidden |= more

    def masked(self, key: Key) -> Set[str]:
        """The references of a visible record that read nil."""
        rules = ("nullify", "deny") if self.shows_dangling else ("nullify", "deny", "noAction")
        names = set()
        for reference, target in self.references(key):
            is_gone = reference.rule in rules and target not in self.visible
            if is_gone or reference.is_tree and key in self.dropped:
                names.add(reference.name)
        return names

    def properties(self, key: Key) -> Optional[Dict[str, Any]]:
        """The properties of a visible record by name, without nil; None where the put does not fit the schema."""
        try:
            members = PutForm(self.schema).members(key[0], self.slots[key].put or b"")
        except FormatError:
            return None
        masked = self.masked(key)
        entity = self.schema.with_id(key[0])
        if any(entity.property(int(name[1:])) is not None for name in members if name[:1] == "#" and name != "#"):
            return None  # a value that does not fit its type
        shown = {**self.defaults.get(key[0], {}), **members}
        return {name: value for name, value in shown.items()
                if not name.startswith("#") and value is not None and name not in masked}


def visible(schema: Schema, parts: Iterable[Record], shows_dangling: bool = True) -> Shown:
    """The visible records of the entities that the schema knows, link records left out.

    Without `shows_dangling` a `noAction` reference to a record that is not visible is left out: an interface that gives
    the record itself has none to give.
    """
    derivation = Derivation(schema, merged(parts), shows_dangling)
    shown: Shown = {}
    for key in sorted(derivation.visible):
        if key[0] not in schema.by_id or key[0] > 0xFFFF:
            continue
        properties = derivation.properties(key)
        if properties is not None:
            shown.setdefault(schema.name(key[0]), {})[str(uuid.UUID(bytes=key[1]))] = properties
    return shown
