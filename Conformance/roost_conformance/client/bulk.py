"""Many records at once, stored by the tester."""
from __future__ import annotations

import uuid
from typing import List

from ..messages import Change
from ..puts import Put, Value
from .schemas import NODE
from .world import World


def many_nodes(world: World, count: int) -> List[str]:
    """Stores so many records of the entity `Node` as one transaction of a peer."""
    peer = world.peer()
    records = [world.identifier() for _ in range(count)]
    put = [Put({}, {20: Value("text", f"record {index}".encode())}).encode() for index in range(count)]
    peer.store([Change(NODE, uuid.UUID(record).bytes, peer.stamp(), each) for record, each in zip(records, put)])
    return records
