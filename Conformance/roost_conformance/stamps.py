"""Stamps and the hybrid clock of a replica (§6.4)."""
from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

CLOCK_MAX = (1 << 47) - (1 << 40)
"""The last reading of a clock: milliseconds in the year 6395."""


class Stamp(NamedTuple):
    """A stamp by its parts. Its bytes have the order of stamps: compare those, not tuples of parts."""

    milliseconds: int
    counter: int
    replica: bytes

    def encode(self) -> bytes:
        return (self.milliseconds << 16 | self.counter).to_bytes(8, "big") + self.replica

    @classmethod
    def read(cls, data: bytes) -> Stamp:
        reading = int.from_bytes(data[:8], "big")
        return cls(reading >> 16, reading & 0xFFFF, data[8:])


def wall_milliseconds() -> int:
    return time.time_ns() // 1_000_000


@dataclass
class Clock:
    """The hybrid clock of one replica.

        clock = Clock(bytes.fromhex(registration["replica"]))
        clock.learn(page.server_time)
        change.stamp = clock.tick()
    """

    replica: bytes
    offset: int = 0
    reading: int = 0
    """`milliseconds << 16 | counter` of the greatest stamp made or received."""

    def learn(self, server_time: int) -> None:
        """Learns the offset; a difference of under 2 seconds is ignored."""
        difference = server_time - wall_milliseconds()
        self.offset = difference if abs(difference) >= 2000 else 0

    def receive(self, stamp: bytes) -> None:
        """Remembers a stamp of others, bounded by the last reading of a clock."""
        self.reading = max(self.reading, min(int.from_bytes(stamp[:8], "big"), CLOCK_MAX << 16))

    def tick(self) -> bytes:
        """A new stamp: greater than all that were made or received."""
        now = min(wall_milliseconds() + self.offset, CLOCK_MAX)
        self.reading = max(now << 16, self.reading + 1)
        return self.reading.to_bytes(8, "big") + self.replica
