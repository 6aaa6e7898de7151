"""A scope in memory: what a correct server keeps of it and does with it (protocol.md §6, §7, §11.1, §11.4).

Everything here is by the text of protocol.md. The faults of a scenario are put around it (`faults.py`).
"""
from __future__ import annotations

import copy
import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Optional, Tuple

from ..hashing import content_hash, digest
from ..messages import (BEATEN, REPLACED, Change, Outcome, PullReply, PushReply, PushRequest, Record, RecordName,
                        RecoverReply, Refusal, Result, Transaction)
from ..puts import canonical_fault
from ..schema import Schema
from ..stamps import Stamp, wall_milliseconds

Key = Tuple[int, bytes]
CLOCK_AHEAD_MAX = 300_000
CHANGES_PER_PUSH_MAX = 10_000
PUT_BYTES_MAX = 256 << 10
RENEWALS_MAX = 10


class Refused(Exception):
    """A request that the server refuses with an error of §9."""

    def __init__(self, status: int, code: str, message: str, **members: Any) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.members = status, code, message, members


@dataclass
class Replica:
    """What the server keeps of one identity."""

    id: bytes
    device: str
    role: str
    token: str
    first: bytes
    """The first identity of its device."""
    is_revoked: bool = False
    last_number: int = 0
    last_hash: bytes = b""
    last_reply: Optional[PushReply] = None
    greatest: int = 0
    """The greatest `milliseconds << 16 | counter` that was stored of it."""
    staged: List[Change] = field(default_factory=list)
    is_rest_refused: bool = False


@dataclass
class Stored:
    """A record's slots, with the sequence and the author of its last change."""

    record: Record
    sequence: int
    order: int
    author: Optional[bytes]


@dataclass
class Position:
    """What a checkpoint says (§7.6)."""

    epoch: bytes
    sequence: int
    own_until: int
    chain: bytes


def merge(record: Record, change: Record) -> bool:
    """Merges slots as §11.1 says. Returns whether they are others now."""
    is_new = False
    if change.put_stamp:
        rank = (change.put_stamp, content_hash(change.put or b""))
        if not record.put_stamp or rank > (record.put_stamp, content_hash(record.put or b"")):
            record.put_stamp, record.put, record.base = change.put_stamp, change.put or b"", change.base
            is_new = True
    if change.delete_stamp > record.delete_stamp:
        record.delete_stamp = change.delete_stamp
        is_new = True
    return is_new


def slots_of(change: Change) -> Record:
    """The slots that a change alone fills."""
    if change.put is None:
        return Record(change.entity, change.record, delete_stamp=change.stamp)
    return Record(change.entity, change.record, change.stamp, change.put, change.base)


class Scope:
    """One scope of a server, with everything that a backup of the server holds."""

    def __init__(self, schema: str, secret: Optional[bytes] = None) -> None:
        self.id = secrets.token_bytes(16)
        self.secret = secret or secrets.token_bytes(16)
        self.schemas = [schema]
        self._schema: Optional[Schema] = None
        self.replicas: Dict[bytes, Replica] = {}
        self.records: Dict[Key, Stored] = {}
        self.sequence = 0
        self.order = 0
        self.epoch = secrets.token_bytes(8)
        self.ended_epochs: List[bytes] = []
        self.chain: List[bytes] = [bytes(32)]
        self.purged: List[Tuple[int, Key]] = []
        self.names_forgotten_until = 0
        self.is_recovering = False
        self.skew = 0
        """Milliseconds that the server's clock is ahead of this machine's."""
        self.leaves_out_pages = False
        """Whether replies to pushes have no page, as a server may decide."""
        self.clock_max = 0
        self.sequences_per_page_max = 0
        self.stored: List[Tuple[bytes, Change]] = []
        """Every change that was ever stored, with its replica: the tester's own memory, no part of a backup."""

    # Time, schema, checkpoints.

    @property
    def now(self) -> int:
        return wall_milliseconds() + self.skew

    @property
    def version(self) -> int:
        return self.schema.version

    @property
    def schema(self) -> Schema:
        if self._schema is None or self._schema.text != self.schemas[-1]:
            self._schema = Schema(self.schemas[-1])
        return self._schema

    @property
    def digest(self) -> bytes:
        return digest(stored.record for stored in self.records.values())

    def checkpoint(self, sequence: int, own_until: int) -> bytes:
        own = own_until if own_until > sequence else 0
        body = (self.epoch + sequence.to_bytes(8, "big") + own.to_bytes(8, "big") + self.chain[sequence][:8])
        return body + self._seal(body)

    def _seal(self, body: bytes) -> bytes:
        return hashlib.sha256(self.secret + self.id + body).digest()[:8]

    def position(self, checkpoint: bytes) -> Position:
        """Reads a checkpoint. Refuses one that this server has not made."""
        body = checkpoint[:32]
        if len(checkpoint) != 40 or checkpoint[32:] != self._seal(body):
            raise Refused(400, "bad_request", "The checkpoint is not of this server and scope.")
        return Position(body[:8], int.from_bytes(body[8:16], "big"), int.from_bytes(body[16:24], "big"), body[24:32])

    def is_in_history(self, position: Position) -> bool:
        return (position.epoch == self.epoch and position.sequence <= self.sequence
                and self.chain[position.sequence][:8] == position.chain)

    def notice_rollback(self, position: Position) -> None:
        """A checkpoint of no incarnation that the server knows of begins a recovery (§7.7)."""
        if not self.is_in_history(position) and position.epoch not in self.ended_epochs:
            self.begin_epoch()

    def begin_epoch(self) -> None:
        self.ended_epochs.append(self.epoch)
        self.epoch = secrets.token_bytes(8)
        self.is_recovering = True

    def _advance(self) -> None:
        self.sequence += 1
        data = self.chain[-1] + self.sequence.to_bytes(8, "big") + self.digest
        self.chain.append(hashlib.sha256(data).digest())

    # Push (§6).

    def push(self, replica: Replica, push: PushRequest, body_hash: bytes) -> PushReply:
        """Stores a push, or gives the reply to its repetition."""
        position = self.position(push.checkpoint) if push.checkpoint else None
        try:
            return self._push(replica, push, body_hash, position)
        except Refused:
            if position is not None:
                self.notice_rollback(position)
            raise

    def _push(self, replica: Replica, push: PushRequest, body_hash: bytes, position: Optional[Position]) -> PushReply:
        last = replica.last_number
        if push.number == last and body_hash == replica.last_hash and replica.last_reply is not None:
            return replica.last_reply
        if replica.role == "viewer":
            raise Refused(403, "forbidden", "This device is a viewer.")
        if push.number <= last:
            raise Refused(409, "replica_forked", f"Push {push.number} had other bytes; the last is {last}.")
        if push.number > last + 1:
            raise Refused(409, "server_rolled_back", f"Push {push.number} comes after {last}.")
        self._check_shape(push)
        greatest = self._check_stamps(replica, push)
        if position is not None:
            self.notice_rollback(position)
        results: List[Result] = []
        current: Dict[Key, None] = {}
        for transaction in push.transactions:
            result, named = self._transaction(replica, transaction, position)
            results.append(result)
            current.update(named)
        reply = PushReply(push.number, results, self._current(current), self.now)
        replica.last_number, replica.last_hash, replica.last_reply = push.number, body_hash, reply
        replica.greatest = greatest
        return reply

    def _current(self, named: Dict[Key, None]) -> List[Record]:
        return [copy.copy(self.records[key].record) for key in named if key in self.records]

    def _check_shape(self, push: PushRequest) -> None:
        changes = sum(len(transaction.changes) for transaction in push.transactions)
        if changes > CHANGES_PER_PUSH_MAX:
            raise Refused(413, "too_large", f"A push has at most {CHANGES_PER_PUSH_MAX} changes.")
        for index, transaction in enumerate(push.transactions):
            if not transaction.changes:
                raise Refused(400, "bad_request", f"Transaction {index} has no change.")
            if transaction.continues and index < len(push.transactions) - 1:
                raise Refused(400, "bad_request", f"Transaction {index} continues and is not the last.")
            for change in transaction.changes:
                if (change.put is None) != change.delete or len(change.record) != 16 or len(change.stamp) != 16:
                    raise Refused(400, "bad_request", f"Transaction {index} has a change of no known shape.")

    def _check_stamps(self, replica: Replica, push: PushRequest) -> int:
        greatest = replica.greatest
        self.clock_max = max(self.clock_max, self.now)
        for change in (change for transaction in push.transactions for change in transaction.changes):
            stamp = Stamp.read(change.stamp)
            if stamp.replica != replica.id:
                raise Refused(403, "foreign_stamp", "A stamp carries another replica.")
            ahead = stamp.milliseconds - self.clock_max
            if ahead > CLOCK_AHEAD_MAX:
                wait = ahead - CLOCK_AHEAD_MAX
                more = {"retryAfter": -(-wait // 1000)} if wait <= 10_000 else {}
                raise Refused(409, "clock_ahead", f"A stamp is {ahead} ms ahead of the server's clock.", **more)
            reading = stamp.milliseconds << 16 | stamp.counter
            if reading <= greatest:
                raise Refused(400, "stamps_not_increasing", "A stamp is not greater than the one before it.")
            greatest = reading
        return greatest

    def _transaction(self, replica: Replica, transaction: Transaction,
                     position: Optional[Position]) -> Tuple[Result, Dict[Key, None]]:
        whole = replica.staged + transaction.changes
        named = {(change.entity, change.record): None for change in whole}
        refusal = self._refusal(replica, transaction)
        if refusal is not None:
            replica.staged = []
            replica.is_rest_refused = transaction.continues
            return Result(refused=refusal), named
        replica.staged = whole if transaction.continues else []
        if transaction.continues:
            return Result(staged=True), {}
        outcomes = self._store(replica, whole, position, len(whole) - len(transaction.changes))
        return Result(self.sequence, outcomes), {}

    def _refusal(self, replica: Replica, transaction: Transaction) -> Optional[Refusal]:
        if replica.is_rest_refused:
            return Refusal("bad_request", "This is the rest of a transaction that was refused.")
        for index, change in enumerate(transaction.changes):
            if change.put is None:
                continue
            if len(change.put) > PUT_BYTES_MAX:
                return Refusal("too_large", f"The put has {len(change.put)} bytes.", index)
            fault = canonical_fault(change.put)
            if fault is not None and not change.base:
                return Refusal("malformed_put", fault, index)
            is_known = (change.entity, change.record) in self.records
            if change.base and not is_known and self.purged and not self.is_recovering:
                return Refusal("gone", "The record was purged.", index)
        return None

    def _store(self, replica: Replica, changes: List[Change], position: Optional[Position],
               staged: int) -> List[Outcome]:
        seen = position.sequence if position is not None and self._knows(position) else None
        outcomes = []
        before = {(change.entity, change.record): self._state(change) for change in changes}
        for index, change in enumerate(changes):
            outcome = self._merge_change(replica, change, before[change.entity, change.record], seen)
            if outcome is not None and index >= staged:
                outcomes.append(Outcome(index - staged, *outcome))
            self.stored.append((replica.id, change))
        self._advance()
        return outcomes

    def _knows(self, position: Position) -> bool:
        return self.is_in_history(position) and position.sequence >= self.names_forgotten_until

    def _state(self, change: Change) -> Optional[Stored]:
        stored = self.records.get((change.entity, change.record))
        return Stored(copy.copy(stored.record), stored.sequence, stored.order, stored.author) if stored else None

    def _merge_change(self, replica: Replica, change: Change, before: Optional[Stored],
                      seen: Optional[int]) -> Optional[Tuple[int, bytes]]:
        """Merges one change, and returns its outcome where it met a change that its author had not seen."""
        key = (change.entity, change.record)
        stored = self.records.setdefault(key, Stored(Record(*key), 0, 0, replica.id))
        held = copy.copy(stored.record)
        if merge(stored.record, slots_of(change)):
            self.order += 1
            stored.sequence, stored.order = self.sequence + 1, self.order
            stored.author = self._author(replica, before, seen, key)
        latest = max(held.put_stamp, held.delete_stamp)
        if latest > change.stamp and latest[8:] != replica.id:
            return BEATEN, latest
        is_blind = held.put_stamp and change.put is not None and held.put_stamp != change.base
        if is_blind and held.put_stamp < change.stamp and held.put_stamp[8:] != replica.id:
            return REPLACED, held.put_stamp
        return None

    def _author(self, replica: Replica, before: Optional[Stored], seen: Optional[int], key: Key) -> Optional[bytes]:
        """Who is not sent the record (§7.3)."""
        if seen is None:
            return None
        if before is None:
            return None if any(at > seen and name == key for at, name in self.purged) else replica.id
        return replica.id if before.sequence <= seen or before.author == replica.id else None

    # Pull (§7).

    def pull(self, replica: Replica, since: bytes) -> PullReply:
        """The next page for a replica."""
        position = self.position(since) if since else Position(self.epoch, 0, self.sequence, b"")
        if since:
            self._check_history(position)
        changed = sorted((stored for stored in self.records.values() if stored.sequence > position.sequence),
                         key=lambda stored: (stored.sequence, stored.order))
        changed = [stored for stored in changed
                   if stored.author != replica.id or stored.sequence <= position.own_until]
        end = self.sequence
        if self.sequences_per_page_max:
            end = min(end, position.sequence + self.sequences_per_page_max)
        names = [key for at, key in self.purged if position.sequence < at <= end]
        page = [stored.record for stored in changed if stored.sequence <= end]
        page += [stored.record for stored in changed
                 if stored.sequence > end and (stored.record.entity, stored.record.id) in names]
        has_more = end < self.sequence
        return PullReply([copy.copy(record) for record in page], self.checkpoint(end, position.own_until), has_more,
                         b"" if has_more else self.digest, self.version, self.now, [RecordName(*key) for key in names])

    def _check_history(self, position: Position) -> None:
        if self.is_in_history(position):
            if position.sequence < self.names_forgotten_until:
                raise Refused(409, "resync_required", "The checkpoint is older than what was purged.")
            return
        self.notice_rollback(position)
        if position.sequence < self.names_forgotten_until:
            raise Refused(409, "resync_required", "The checkpoint is older than what was purged.")
        raise Refused(409, "history_changed", "The server was restored.")

    # Recovery (§7.7), purging (§11.4), what a scenario does to a server.

    def recover(self, replica: Replica, records: Iterable[Record]) -> RecoverReply:
        if replica.role == "viewer":
            raise Refused(403, "forbidden", "This device is a viewer.")
        news = [record for record in records if self._is_news(record)]
        if news and not self.is_recovering:
            raise Refused(409, "not_recovering", "The scope has not lost anything that the server knows of.")
        passed_over = [record for record in news if (record.entity, record.id) in self.purged_names
                       and record.put_stamp and (record.entity, record.id) not in self.records]
        stored = [record for record in news if record not in passed_over]
        for record in stored:
            key = (record.entity, record.id)
            slot = self.records.setdefault(key, Stored(Record(*key), 0, 0, None))
            merge(slot.record, record)
            self.order += 1
            slot.sequence, slot.order, slot.author = self.sequence + 1, self.order, None
            if record.put_stamp:
                self.stored.append((record.put_stamp[8:], Change(*key, record.put_stamp, record.put, record.base)))
        if stored:
            self._advance()
        return RecoverReply(len(stored), self.now, [RecordName(record.entity, record.id) for record in passed_over])

    @property
    def purged_names(self) -> List[Key]:
        return [key for _, key in self.purged]

    def _is_news(self, record: Record) -> bool:
        held = self.records.get((record.entity, record.id))
        return merge(copy.copy(held.record) if held else Record(record.entity, record.id), record)

    def purge(self, keys: Iterable[Key]) -> None:
        """Forgets records, under a sequence of its own."""
        keys = list(keys)
        for key in keys:
            self.records.pop(key, None)
        self._advance()
        self.purged += [(self.sequence, key) for key in keys]

    def forget_names(self) -> None:
        """Forgets the names of purged records: checkpoints of before are too old from now on."""
        self.names_forgotten_until = max((at for at, _ in self.purged), default=0)

    def backup(self) -> Dict[str, Any]:
        """A copy of one moment."""
        kept = {name: value for name, value in vars(self).items() if name not in ("stored", "skew")}
        return copy.deepcopy(kept)

    def restore(self, backup: Dict[str, Any], is_noticed: bool) -> None:
        """Puts a backup in place. An operator's restore begins an epoch at once; otherwise a checkpoint shows it."""
        vars(self).update(copy.deepcopy(backup))
        if is_noticed:
            self.begin_epoch()
