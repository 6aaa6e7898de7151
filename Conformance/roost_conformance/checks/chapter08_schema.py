"""§8.6 Schema: what a schema file may say, link records, reading and publishing."""
from __future__ import annotations

import copy
from typing import Any, Callable, Dict, Tuple

from .. import schemas
from ..actors import Device, Run
from ..expectations import expect, expect_equal, expect_error, expect_members, expect_status
from ..hashing import link_identifier
from ..messages import Change
from ..puts import Put, Value
from ..requirements import requirement
from ..wire import JSON, Reply
from .chapter08_scopes import make

File = Dict[str, Any]
Edit = Callable[[File], object]
PERSON, SPENDING, THING = 0, 1, 2
ACCEPTED, INVALID = 201, 400


def relationship(number: int, name: str, kind: str, destination: str, inverse: str, **more: Any) -> File:
    return {"id": number, "name": name, "kind": kind, "destination": destination, "inverse": inverse, **more}


def edited(edit: Edit, base: File = schemas.FILE) -> File:
    file = copy.deepcopy(base)
    edit(file)
    return file


def attribute(file: File, entity: int, index: int) -> File:
    found: File = file["entities"][entity]["attributes"][index]
    return found


def relation(file: File, entity: int, index: int) -> File:
    found: File = file["entities"][entity]["relationships"][index]
    return found


def pair(first: File, second: File, entity: int = THING, other: int = THING) -> Edit:
    """Adds a relationship and its inverse."""
    def add(file: File) -> None:
        file["entities"][entity]["relationships"].append(first)
        file["entities"][other]["relationships"].append(second)
    return add


def expect_files(run: Run, status: int, *cases: Tuple[str, Edit]) -> None:
    """Expects that schema files with an edit are accepted, or are schema_invalid."""
    for name, edit in cases:
        reply = make(run, schema=schemas.text(edited(edit)))
        expect(reply.status == status and (status == ACCEPTED or reply.code == "schema_invalid"),
               f"a schema with {name} is answered {reply.status} {reply.code}, expected "
               f"{'201' if status == ACCEPTED else '400 schema_invalid'}", reply)


@requirement("8.6", 1, "format is 1, and version is a whole number from 1, 1 where left out")
def format_and_version(run: Run) -> None:
    expect_files(run, INVALID, ("format 2", lambda f: f.update(format=2)), ("no format", lambda f: f.pop("format")),
                 ("version 0", lambda f: f.update(version=0)), ("version 1.5", lambda f: f.update(version=1.5)),
                 ('version "1"', lambda f: f.update(version="1")), ("no entities", lambda f: f.pop("entities")))
    reply = make(run, schema=schemas.text(edited(lambda f: f.pop("version"))))
    device = Device(run, expect_members(expect_status(reply, 201), "token"))
    expect_equal(device.request("GET", "/v1/schema").json()["version"], 1, "version")
    expect_files(run, ACCEPTED, ("version 7", lambda f: f.update(version=7)))


@requirement("8.6", 2, "an id is 1 to 32767, and unique among entities, and among the properties of an entity")
def ids(run: Run) -> None:
    expect_files(run, INVALID, ("an entity with id 0", lambda f: f["entities"][THING].update(id=0)),
                 ("an entity with id 32768", lambda f: f["entities"][THING].update(id=32768)),
                 ("an attribute with id 0", lambda f: attribute(f, THING, 0).update(id=0)),
                 ("an attribute with id 32768", lambda f: attribute(f, THING, 0).update(id=32768)),
                 ("an attribute without id", lambda f: attribute(f, THING, 0).pop("id")),
                 ("two entities with one id", lambda f: f["entities"][THING].update(id=1)),
                 ("two attributes with one id", lambda f: attribute(f, THING, 0).update(id=2)),
                 ("an attribute and a relationship with one id", lambda f: attribute(f, THING, 0).update(id=20)))
    expect_files(run, ACCEPTED, ("ids of 32767", lambda f: (f["entities"][THING].update(id=32767),
                                                            attribute(f, THING, 0).update(id=32767))))


@requirement("8.6", 3, "a name has 1 to 64 of a-zA-Z0-9_ and starts with a letter")
def names(run: Run) -> None:
    bad = ("", "x" * 65, "1a", "_a", "a-b", "a b", "é", "a.b")
    expect_files(run, INVALID, *[(f"the attribute {name!r}", lambda f, n=name: attribute(f, THING, 0).update(name=n))
                                 for name in bad],
                 *[(f"the entity {name!r}", lambda f, n=name: rename_thing(f, n)) for name in bad],
                 *[(f"the schema's name {name!r}", lambda f, n=name: f.update(name=n))
                   for name in ("", "a b", "1a", "é")])
    expect_files(run, ACCEPTED, ("a name of 64", lambda f: attribute(f, THING, 0).update(name="x" * 64)),
                 ("the name a_1", lambda f: attribute(f, THING, 0).update(name="a_1")),
                 ("the schema's name a-b", lambda f: f.update(name="a-b")))


def rename_thing(file: File, name: str) -> None:
    file["entities"][THING]["name"] = name
    for item in file["entities"][THING]["relationships"]:
        item["destination"] = name


@requirement("8.6", 4, "names are compared ignoring case, and some are reserved")
def reserved_names(run: Run) -> None:
    names = ("id", "rowid", "oid", "_rowid_", "ID", "RowID", "roostName", "Roost")
    expect_files(run, INVALID, ("two names that differ in case", lambda f: attribute(f, THING, 0).update(name="WHOLE")),
                 ("two entities that differ in case", lambda f: rename_thing(f, "PERSON")),
                 ("an entity sqlite_x", lambda f: rename_thing(f, "sqlite_x")),
                 ("an entity SQLiteX", lambda f: rename_thing(f, "SQLiteX")),
                 ("an entity roost_x", lambda f: rename_thing(f, "roost_x")),
                 *[(f"the attribute {name}", lambda f, n=name: attribute(f, THING, 0).update(name=n))
                   for name in names])


@requirement("8.6", 5, "an attribute has a type of §5.3, and a default of that type")
def attributes(run: Run) -> None:
    expect_files(run, INVALID, ("the type colour", lambda f: attribute(f, THING, 0).update(type="colour")),
                 ("no type", lambda f: attribute(f, THING, 0).pop("type")),
                 ("a default of another type", lambda f: attribute(f, THING, 1).update(default="x")),
                 ("a default that is no day", lambda f: attribute(f, THING, 4).update(default="2026-02-30")),
                 ("optional that is no boolean", lambda f: attribute(f, THING, 0).update(optional="yes")))
    defaults = ("a", 5, 1.5, True, "2026-02-28", 1784021400000, "01890000-0000-7000-8000-000000000001", "YWI=",
                {"a": [1]})
    def preset(index: int, value: Any) -> Edit:
        return lambda file: attribute(file, THING, index).update(default=value)

    expect_files(run, ACCEPTED, *[(f"the default {value!r}", preset(index, value))
                                  for index, value in enumerate(defaults)])


@requirement("8.6", 6, "widens names boolean on an integer, and integer on a double, and nothing else")
def widens(run: Run) -> None:
    expect_files(run, ACCEPTED, ("boolean on integer", lambda f: attribute(f, THING, 1).update(widens="boolean")),
                 ("integer on double", lambda f: attribute(f, THING, 2).update(widens="integer")))
    expect_files(run, INVALID, ("integer on string", lambda f: attribute(f, THING, 0).update(widens="integer")),
                 ("boolean on double", lambda f: attribute(f, THING, 2).update(widens="boolean")),
                 ("double on integer", lambda f: attribute(f, THING, 1).update(widens="double")))


@requirement("8.6", 7, "a value of a widened attribute has the form of the earlier type where that holds it")
def widened_values(run: Run) -> None:
    def widen(file: File) -> None:
        attribute(file, THING, 1).update(widens="boolean")
        attribute(file, THING, 2).update(widens="integer")

    owner = run.scope(schemas.text(edited(widen))).owner
    for put, content in (({"whole": 1}, {2: Value("boolean", True)}), ({"whole": 0}, {2: Value("boolean", False)}),
                         ({"whole": 2}, {2: Value("integer", 2)}), ({"real": 2}, {3: Value("integer", 2)}),
                         ({"real": 1.5}, {3: Value("real", 1.5)}), ({"real": -0.0}, {3: Value("real", -0.0)}),
                         ({"real": 2.0 ** 53}, {3: Value("integer", 1 << 53)}),
                         ({"real": 2.0 ** 54}, {3: Value("real", 2.0 ** 54)}), ({"real": 0}, {3: Value("integer", 0)})):
        change = owner.person()
        members = owner.form.push_request(owner.next_push([change]))
        members["transactions"][0]["changes"][0].update(entity="Thing", put=put)
        owner.settle(owner.send(members))
        found = next(record.put for record in owner.everything() if record.id == change.record)
        expect_equal(found, Put({}, content).encode(), f"the put of {put}")


@requirement("8.6", 8, "minimumVersion is at most version")
def minimum_version(run: Run) -> None:
    expect_files(run, INVALID, ("minimumVersion 2", lambda f: f.update(minimumVersion=2)),
                 ("minimumVersion 0", lambda f: f.update(minimumVersion=0)))
    expect_files(run, ACCEPTED, ("minimumVersion 1", lambda f: f.update(minimumVersion=1)),
                 ("minimumVersion 2 of version 3", lambda f: f.update(minimumVersion=2, version=3)))


@requirement("8.6", 9, "a relationship and its inverse name each other, and have kinds that go together")
def inverses(run: Run) -> None:
    expect_files(run, INVALID,
                 ("an inverse that is not there", lambda f: relation(f, THING, 0).update(inverse="nothing")),
                 ("a destination that is not there", lambda f: relation(f, THING, 0).update(destination="Nothing")),
                 ("an inverse that names another", pair(relationship(30, "a", "toOne", "Thing", "previous"),
                                                        relationship(31, "b", "toMany", "Thing", "a"))),
                 ("two toOne", lambda f: relation(f, THING, 1).update(kind="toOne")),
                 ("two toMany", lambda f: relation(f, THING, 0).update(kind="toMany")),
                 ("manyToMany with toMany", lambda f: relation(f, THING, 0).update(kind="manyToMany")),
                 ("another kind", lambda f: relation(f, THING, 0).update(kind="oneToOne")))
    expect_files(run, ACCEPTED, ("two manyToMany", pair(relationship(30, "a", "manyToMany", "Thing", "b"),
                                                        relationship(31, "b", "manyToMany", "Thing", "a"))))


@requirement("8.6", 10, "a delete rule stands on the side that is deleted, and is one of its kind")
def delete_rules(run: Run) -> None:
    def links(**more: Any) -> Edit:
        return pair(relationship(30, "a", "manyToMany", "Thing", "b", **more),
                    relationship(31, "b", "manyToMany", "Thing", "a"))

    expect_files(run, INVALID, ("cascade on toOne", lambda f: relation(f, THING, 0).update(deleteRule="cascade")),
                 ("deny on toOne", lambda f: relation(f, THING, 0).update(deleteRule="deny")),
                 ("cascade on manyToMany", links(deleteRule="cascade")),
                 ("noAction on manyToMany", links(deleteRule="noAction")),
                 ("another rule", lambda f: relation(f, THING, 1).update(deleteRule="setNull")))
    expect_files(run, ACCEPTED, ("deny on manyToMany", links(deleteRule="deny")),
                 ("nullify on manyToMany", links(deleteRule="nullify")),
                 *[(f"{rule} on toMany", lambda f, r=rule: relation(f, THING, 1).update(deleteRule=r))
                   for rule in ("nullify", "cascade", "deny", "noAction")])


@requirement("8.6", 11, "tree stands on a toOne of an entity to itself, at most once in an entity")
def trees(run: Run) -> None:
    second = pair(relationship(30, "up", "toOne", "Thing", "down", tree=True),
                  relationship(31, "down", "toMany", "Thing", "up"))
    expect_files(run, ACCEPTED, ("one tree", lambda f: relation(f, THING, 0).update(tree=True)))
    expect_files(run, INVALID, ("a tree to another entity", lambda f: relation(f, SPENDING, 0).update(tree=True)),
                 ("a tree on toMany", lambda f: relation(f, THING, 1).update(tree=True)),
                 ("two trees", lambda f: (relation(f, THING, 0).update(tree=True), second(f))))


@requirement("8.6", 12, "single and orderedBy stand on a toMany, and orderedBy names a string of the destination")
def single_and_ordered(run: Run) -> None:
    expect_files(run, ACCEPTED, ("single", lambda f: relation(f, THING, 1).update(single=True)),
                 ("orderedBy", lambda f: relation(f, THING, 1).update(orderedBy="text")))
    expect_files(run, INVALID, ("single on toOne", lambda f: relation(f, THING, 0).update(single=True)),
                 ("orderedBy on toOne", lambda f: relation(f, THING, 0).update(orderedBy="text")),
                 ("orderedBy an integer", lambda f: relation(f, THING, 1).update(orderedBy="whole")),
                 ("orderedBy nothing", lambda f: relation(f, THING, 1).update(orderedBy="nothing")))


@requirement("8.6", 13, "keys that the server does not know are passed over, and kept in the text")
def unknown_keys(run: Run) -> None:
    def add(file: File) -> None:
        file["later"] = {"a": 1}
        file["entities"][THING]["later"] = [1]
        attribute(file, THING, 0)["later"] = None
        relation(file, THING, 0)["later"] = "x"

    text = schemas.text(edited(add))
    owner = run.scope(text).owner
    expect_equal(owner.request("GET", "/v1/schema").json()["schema"], text, "the schema")
    owner.push([owner.put("Thing", {"text": "a"})])


@requirement("8.6", 14, "links of a manyToMany are records of an entity of their own, with source and target",
             both=True)
def link_records(run: Run) -> None:
    file = edited(pair(relationship(30, "likes", "manyToMany", "Thing", "likedBy"),
                       relationship(31, "likedBy", "manyToMany", "Person", "likes"), PERSON, THING))
    scope = run.scope(schemas.text(file))
    owner = scope.owner
    person, thing = owner.person(), owner.put("Thing", {"text": "a"})
    ends = [_uuid(person.record), _uuid(thing.record)]
    record = link_identifier(1 << 16 | 30, *ends)
    link = owner.put("Person_likes", {"source": ends[0], "target": ends[1]}, record=record)
    expect_equal(link.entity, 65566, "the entity")
    owner.push([person, thing, link])
    stored = owner.stored(link)
    expect_equal(stored and stored.put, Put({1: person.record, 2: thing.record}).encode(), "the put")
    reply = owner.get_page(b"", JSON)
    names = [item["entity"] for item in reply.json()["records"]]
    expect_equal(names, ["Person", "Thing", "Person_likes"], "the entities", reply)


def _uuid(data: bytes) -> str:
    text = data.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


@requirement("8.6", 15, "any entity and property is stored, whatever the schema says", both=True)
def any_entity(run: Run) -> None:
    owner = run.scope().owner
    put = Put({5: bytes(16)}, {9: Value("text", b"a")}).encode()
    changes = [Change(entity, run.identifier(), owner.clock.tick(), put)
               for entity in (7, 32767, 65537, (1 << 32) - 1)]
    owner.push(changes)
    expect_equal([(r.entity, r.put) for r in owner.everything()], [(c.entity, c.put) for c in changes], "the records")


def publish(device: Device, file: File) -> Reply:
    return device.request("PUT", "/v1/schema", {"schema": schemas.text(file)})


@requirement("8.6", 16, "GET /v1/schema gives version and text, and PUT the version that is in force then")
def publication(run: Run) -> None:
    scope = run.scope()
    owner, viewer = scope.owner, scope.join("viewer")
    for version in (2, 3):
        reply = expect_status(publish(owner, schemas.changed(version)))
        expect_equal(reply.json()["version"], version, "version", reply)
        reply = expect_status(viewer.request("GET", "/v1/schema"))
        expect_equal((reply.json()["version"], reply.json()["schema"]),
                     (version, schemas.text(schemas.changed(version))),
                     "version and schema", reply)


@requirement("8.6", 17, "another version than the next is a schema_conflict, and the text in force is taken again")
def next_version(run: Run) -> None:
    owner = run.scope().owner
    expect_status(publish(owner, schemas.changed(2)))
    for file in (schemas.changed(4), schemas.changed(1), schemas.FILE, schemas.changed(2, later=1)):
        expect_error(publish(owner, file), 409, "schema_conflict")
    reply = expect_status(publish(owner, schemas.changed(2)))
    expect_equal(reply.json()["version"], 2, "version", reply)


def expect_versions(run: Run, code: str, *cases: Tuple[str, Edit], base: Edit = lambda f: None) -> None:
    """Expects that a next version with an edit is taken, or refused with a code."""
    for name, edit in cases:
        first = edited(base)
        owner = run.scope(schemas.text(first)).owner
        second = edited(lambda f: (f.update(version=2), edit(f)), first)
        reply = publish(owner, second)
        expect(reply.code == code, f"a next version with {name} is answered {reply.status} {reply.code}, "
                                   f"expected {code or '200'}", reply)


@requirement("8.6", 18, "a next version may rename, add and leave out, and let a type grow")
def allowed_changes(run: Run) -> None:
    new = {"id": 50, "name": "later", "type": "string", "optional": True}
    entity = {"id": 9, "name": "Later", "attributes": [{"id": 1, "name": "a", "type": "string"}]}
    expect_versions(run, "", ("a renamed attribute", lambda f: attribute(f, THING, 0).update(name="title")),
                    ("a renamed entity", lambda f: rename_thing(f, "Item")),
                    ("a new optional attribute", lambda f: f["entities"][THING]["attributes"].append(new)),
                    ("a new attribute with a default",
                     lambda f: f["entities"][THING]["attributes"].append({**new, "optional": False, "default": "x"})),
                    ("a new entity", lambda f: f["entities"].append(entity)),
                    ("date as string", lambda f: attribute(f, THING, 4).update(type="string")),
                    ("json as string", lambda f: attribute(f, THING, 8).update(type="string")),
                    ("uuid as data", lambda f: attribute(f, THING, 6).update(type="data")),
                    ("timestamp as integer", lambda f: attribute(f, THING, 5).update(type="integer")),
                    ("boolean as integer", lambda f: attribute(f, THING, 3).update(type="integer", widens="boolean")),
                    ("integer as double", lambda f: attribute(f, THING, 1).update(type="double", widens="integer")),
                    ("an optional attribute", lambda f: attribute(f, PERSON, 0).update(optional=True)))


@requirement("8.6", 19, "a next version that changes what an id means is schema_invalid")
def refused_changes(run: Run) -> None:
    new = {"id": 50, "name": "later", "type": "string"}
    expect_versions(run, "schema_invalid", ("another name of the schema", lambda f: f.update(name="other")),
                    ("string as integer", lambda f: attribute(f, THING, 0).update(type="integer")),
                    ("string as date", lambda f: attribute(f, THING, 0).update(type="date")),
                    ("integer as double without widens", lambda f: attribute(f, THING, 1).update(type="double")),
                    ("double as integer", lambda f: attribute(f, THING, 2).update(type="integer")),
                    ("a new required attribute", lambda f: f["entities"][THING]["attributes"].append(new)),
                    ("an attribute that becomes required", lambda f: attribute(f, THING, 0).update(optional=False)),
                    ("an attribute's id as a relationship's", _as_relationship))


def _as_relationship(file: File) -> None:
    file["entities"][THING]["attributes"].pop(0)
    relation(file, THING, 1)["id"] = 1


@requirement("8.6", 20, "minimumVersion does not fall")
def falling_minimum(run: Run) -> None:
    owner = run.scope(schemas.text(schemas.changed(3, minimumVersion=2))).owner
    expect_error(publish(owner, schemas.changed(4, minimumVersion=1)), 400, "schema_invalid")
    expect_error(publish(owner, schemas.changed(4)), 400, "schema_invalid")
    expect_status(publish(owner, schemas.changed(4, minimumVersion=3)))


@requirement("8.6", 21, "schema_invalid changes nothing: the earlier version stays in force")
def invalid_publication(run: Run) -> None:
    owner = run.scope().owner
    expect_error(publish(owner, edited(lambda f: (f.update(version=2), attribute(f, THING, 0).update(type="date")))),
                 400,
                 "schema_invalid")
    expect_error(owner.request("PUT", "/v1/schema", {"schema": "{"}), 400, "schema_invalid")
    expect_equal(owner.request("GET", "/v1/schema").json()["version"], 1, "version")
    expect_equal(owner.page().schema_version, 1, "schemaVersion")


@requirement("8.6", 22, "a schema file has at most as many bytes as the limit says; more is too_large")
def large_schema(run: Run) -> None:
    most = run.limit("schemaBytesMax")
    text = schemas.trip()
    fitting = text[:-1] + ',"later":"' + "x" * (most - len(text) - 11) + '"}'
    expect_equal(len(fitting), most, "the bytes of the largest schema")
    expect_status(make(run, schema=fitting), 201)
    expect_error(make(run, schema=fitting.replace('"later":"', '"later":"x')), 413, "too_large")
