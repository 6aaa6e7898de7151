"""The JSON form of the messages (§5.6), in the names of a schema.

    form = JSONForm(Schema(registration["schema"]))
    body = form.push_request(PushRequest(1, b"", [Transaction([change])]))
    page = form.read_page(reply.json())
"""
from __future__ import annotations

import uuid
from typing import Any, Dict, List, Optional

from .errors import FormatError
from .jsontext import Members
from .jsonvalues import PutForm
from .messages import (OUTCOME_NAMES, Change, Outcome, PullReply, PushReply, PushRequest, Record, RecordName,
                       RecoverReply, RecoverRequest, Refusal, Result, Transaction)
from .schema import Schema


def _identifier(text: Any) -> bytes:
    if not isinstance(text, str) or len(text) != 36:
        raise FormatError(f"{text!r} is no identifier")
    try:
        return uuid.UUID(text).bytes
    except ValueError as error:
        raise FormatError(f"{text!r} is no identifier") from error


def _hexadecimal(text: Any, count: Optional[int]) -> bytes:
    try:
        data = bytes.fromhex(text) if isinstance(text, str) and " " not in text else None
    except ValueError:
        data = None
    if data is None or count is not None and len(data) != count:
        raise FormatError(f"{text!r} is not hexadecimal of {count or 'some'} bytes")
    return data


def _whole(members: Members, name: str, missing: Optional[int] = None) -> int:
    value = members.get(name, missing)
    if isinstance(value, bool) or not isinstance(value, int):
        raise FormatError(f"{name} is {value!r} and no whole number")
    return int(value)


def _list(members: Members, name: str) -> List[Any]:
    value = members.get(name)
    if value is not None and not isinstance(value, list):
        raise FormatError(f"{name} is no array")
    return value or []


class JSONForm:
    """Reads and writes the JSON form in the names of one version of a schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.puts = PutForm(schema)

    # Requests.

    def change(self, change: Change) -> Members:
        members: Members = {"entity": self.schema.name(change.entity), "record": str(uuid.UUID(bytes=change.record)),
                            "stamp": change.stamp.hex()}
        if change.base:
            members["base"] = change.base.hex()
        if change.put is not None:
            members["put"] = self.puts.members(change.entity, change.put)
        if change.delete:
            members["delete"] = True
        return members

    def read_change(self, members: Members) -> Change:
        entity = self.schema.entity(members["entity"]).id
        put = members.get("put")
        return Change(entity, _identifier(members.get("record")), _hexadecimal(members.get("stamp"), 16),
                      None if put is None else self.puts.put(entity, put),
                      _hexadecimal(members["base"], 16) if members.get("base") else b"",
                      bool(members.get("delete", False)))

    def push_request(self, push: PushRequest) -> Members:
        transactions = []
        for transaction in push.transactions:
            members: Members = {"changes": [self.change(change) for change in transaction.changes]}
            if transaction.continues:
                members["continues"] = True
            transactions.append(members)
        result: Members = {"number": push.number}
        if push.checkpoint:
            result["checkpoint"] = push.checkpoint.hex()
        if transactions:
            result["transactions"] = transactions
        return result

    def read_push_request(self, members: Members) -> PushRequest:
        checkpoint = members.get("checkpoint")
        transactions = [
            Transaction([self.read_change(change) for change in _list(transaction, "changes")],
                        bool(transaction.get("continues", False)))
            for transaction in _list(members, "transactions")]
        return PushRequest(_whole(members, "number"), _hexadecimal(checkpoint, None) if checkpoint else b"",
                           transactions)

    def recover_request(self, request: RecoverRequest) -> Members:
        return {"records": [self.record(record) for record in request.records]}

    def read_recover_request(self, members: Members) -> RecoverRequest:
        return RecoverRequest([self.read_record(record) for record in _list(members, "records")])

    # Records.

    def record(self, record: Record) -> Members:
        members: Members = {"entity": self.schema.name(record.entity), "record": str(uuid.UUID(bytes=record.id))}
        if record.put_stamp:
            put = record.put or b""
            members["stamp"] = record.put_stamp.hex()
            members["put"] = self.puts.members(record.entity, put)
            members["hash"] = self.puts.hash(put)
        if record.base:
            members["base"] = record.base.hex()
        if record.delete_stamp:
            members["deleted"] = record.delete_stamp.hex()
        return members

    def read_record(self, members: Members) -> Record:
        """Reads the slots of a record. Raises FormatError where its `hash` is not that of its put."""
        entity = self.schema.entity(members["entity"]).id
        record = Record(entity, _identifier(members.get("record")))
        if members.get("stamp"):
            record.put_stamp = _hexadecimal(members["stamp"], 16)
            record.put = self.puts.put(entity, members["put"])
            if "hash" in members and members["hash"] != self.puts.hash(record.put):
                raise FormatError(f"the hash {members['hash']} is not that of the put {record.put.hex()}, which is "
                                  f"{self.puts.hash(record.put)}")
        if members.get("base"):
            record.base = _hexadecimal(members["base"], 16)
        if members.get("deleted"):
            record.delete_stamp = _hexadecimal(members["deleted"], 16)
        if not record.put_stamp and not record.delete_stamp:
            raise FormatError(f"the record {members} has no slot")
        return record

    def name(self, name: RecordName) -> Members:
        return {"entity": self.schema.name(name.entity), "record": str(uuid.UUID(bytes=name.id))}

    def read_names(self, members: Members) -> List[RecordName]:
        return [RecordName(self.schema.entity(name["entity"]).id, _identifier(name["record"]))
                for name in _list(members, "purged")]

    # Replies.

    def page(self, page: PullReply) -> Members:
        members: Members = {"records": [self.record(record) for record in page.records],
                            "checkpoint": page.checkpoint.hex(), "hasMore": page.has_more,
                            "schemaVersion": page.schema_version, "serverTime": page.server_time}
        if page.digest:
            members["digest"] = page.digest.hex()
        if page.purged:
            members["purged"] = [self.name(name) for name in page.purged]
        return members

    def read_page(self, members: Members) -> PullReply:
        if not isinstance(members.get("hasMore"), bool):
            raise FormatError("a page has no hasMore")
        return PullReply([self.read_record(record) for record in _list(members, "records")],
                         _hexadecimal(members.get("checkpoint"), None), members["hasMore"],
                         _hexadecimal(members["digest"], 16) if members.get("digest") else b"",
                         _whole(members, "schemaVersion"), _whole(members, "serverTime"), self.read_names(members))

    def push_reply(self, reply: PushReply) -> Members:
        members: Members = {"number": reply.number, "results": [self._result(result) for result in reply.results],
                            "serverTime": reply.server_time}
        if reply.current:
            members["current"] = [self.record(record) for record in reply.current]
        if reply.page is not None:
            members["page"] = self.page(reply.page)
        return members

    def read_push_reply(self, members: Members) -> PushReply:
        page = members.get("page")
        return PushReply(_whole(members, "number"), [self._read_result(result) for result in _list(members, "results")],
                         [self.read_record(record) for record in _list(members, "current")],
                         _whole(members, "serverTime"), self.read_page(page) if page is not None else None)

    def recover_reply(self, reply: RecoverReply) -> Members:
        members: Members = {"stored": reply.stored, "serverTime": reply.server_time}
        if reply.purged:
            members["purged"] = [self.name(name) for name in reply.purged]
        return members

    def read_recover_reply(self, members: Members) -> RecoverReply:
        return RecoverReply(_whole(members, "stored", 0), _whole(members, "serverTime"), self.read_names(members))

    def _result(self, result: Result) -> Members:
        if result.refused is not None:
            refused: Members = {"code": result.refused.code, "message": result.refused.message}
            if result.refused.index is not None:
                refused["index"] = result.refused.index
            return {"refused": refused}
        if result.staged:
            return {"staged": True}
        members: Members = {"sequence": result.sequence}
        if result.outcomes:
            members["outcomes"] = [{"index": outcome.index, "kind": OUTCOME_NAMES[outcome.kind],
                                    "other": outcome.other.hex()} for outcome in result.outcomes]
        return members

    def _read_result(self, members: Members) -> Result:
        result = Result(_whole(members, "sequence", 0), [], bool(members.get("staged", False)))
        kinds: Dict[str, int] = {name: kind for kind, name in OUTCOME_NAMES.items()}
        for outcome in _list(members, "outcomes"):
            if outcome.get("kind") not in kinds:
                raise FormatError(f"{outcome.get('kind')!r} is no kind of an outcome")
            result.outcomes.append(Outcome(_whole(outcome, "index"), kinds[outcome["kind"]],
                                           _hexadecimal(outcome.get("other"), 16)))
        refused = members.get("refused")
        if refused is not None:
            index = refused.get("index")
            result.refused = Refusal(refused["code"], refused["message"], None if index is None else int(index))
        return result
