"""The part of a schema file (§8.6) that names and types need.

    schema = Schema(registration["schema"])
    schema.entity("Spending").attributes["amount"].type
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union

from . import jsontext
from .errors import FormatError


@dataclass
class Attribute:
    id: int
    name: str
    type: str
    optional: bool = False
    has_default: bool = False
    widens: str = ""


@dataclass
class Reference:
    """A stored to-one relationship. `rule` is the delete rule that its target's side declares."""

    id: int
    name: str
    destination: str
    rule: str
    is_tree: bool = False


Property = Union[Attribute, Reference]


@dataclass
class Entity:
    id: int
    name: str
    attributes: Dict[str, Attribute] = field(default_factory=dict)
    references: Dict[str, Reference] = field(default_factory=dict)

    def property(self, number: int) -> Optional[Property]:
        """The attribute or reference with a number, or None."""
        items: List[Property] = [*self.attributes.values(), *self.references.values()]
        for item in items:
            if item.id == number:
                return item
        return None


class Schema:
    """Entities of a schema file by name and by number, link entities included."""

    def __init__(self, text: str) -> None:
        self.text = text
        file: Dict[str, Any] = jsontext.parse(text)
        self.version = int(file.get("version", 1))
        files = {item["name"]: item for item in file["entities"]}
        self.by_name: Dict[str, Entity] = {}
        for item in file["entities"]:
            self._add_entity(item, files)
        self.by_id: Dict[int, Entity] = {entity.id: entity for entity in self.by_name.values()}

    def entity(self, name: str) -> Entity:
        """The entity with a name, or with `#` and a number where the schema does not know it."""
        if name.startswith("#"):
            number = int(name[1:])
            return self.by_id.get(number) or Entity(number, name)
        if name not in self.by_name:
            raise FormatError(f"the schema has no entity {name!r}")
        return self.by_name[name]

    def name(self, entity: int) -> str:
        return self.by_id[entity].name if entity in self.by_id else f"#{entity}"

    def with_id(self, entity: int) -> Entity:
        return self.by_id.get(entity) or Entity(entity, f"#{entity}")

    def _add_entity(self, item: Dict[str, Any], files: Dict[str, Dict[str, Any]]) -> None:
        entity = Entity(int(item["id"]), item["name"])
        self.by_name[entity.name] = entity
        for attribute in item.get("attributes", []):
            entity.attributes[attribute["name"]] = Attribute(
                int(attribute["id"]), attribute["name"], attribute["type"], attribute.get("optional", False),
                "default" in attribute, attribute.get("widens", ""))
        for relationship in item.get("relationships", []):
            destination = files[relationship["destination"]]
            inverse = next(r for r in destination["relationships"] if r["name"] == relationship["inverse"])
            if relationship["kind"] == "toOne":
                is_tree = relationship.get("tree", False)
                rule = "cascade" if is_tree else inverse.get("deleteRule", "nullify")
                entity.references[relationship["name"]] = Reference(
                    int(relationship["id"]), relationship["name"], destination["name"], rule, is_tree)
            elif relationship["kind"] == "manyToMany":
                if (item["id"], relationship["id"]) < (destination["id"], inverse["id"]):
                    self._add_link(item, relationship, inverse)

    def _add_link(self, owner: Dict[str, Any], relationship: Dict[str, Any], inverse: Dict[str, Any]) -> None:
        """The entity of link records, at the owner's side."""
        link = Entity(int(owner["id"]) << 16 | int(relationship["id"]), f"{owner['name']}_{relationship['name']}")
        for number, name, side, end in ((1, "source", relationship, owner["name"]),
                                        (2, "target", inverse, relationship["destination"])):
            rule = "deny" if side.get("deleteRule") == "deny" else "cascade"
            link.references[name] = Reference(number, name, end, rule)
        self.by_name[link.name] = link
