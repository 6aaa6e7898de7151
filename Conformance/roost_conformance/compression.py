"""Bodies that are compressed, also by hand: Python 3.9 has no zstd."""
from __future__ import annotations

import gzip

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_BLOCK_BYTES_MAX = 1 << 17


def gzipped(data: bytes) -> bytes:
    """One member, with the time 0: the same bytes each time."""
    return gzip.compress(data, mtime=0)


def zstd_frame(data: bytes) -> bytes:
    """One frame of uncompressed blocks (RFC 8878 §3.1.1), with the size of the content."""
    # A single segment, and a content size of 8 bytes.
    frame = ZSTD_MAGIC + b"\xe0" + len(data).to_bytes(8, "little")
    blocks = [data[start:start + _BLOCK_BYTES_MAX] for start in range(0, len(data), _BLOCK_BYTES_MAX)] or [b""]
    for index, block in enumerate(blocks):
        is_last = index == len(blocks) - 1
        frame += (len(block) << 3 | is_last).to_bytes(3, "little") + block
    return frame


def zstd_runs(byte: int, length: int) -> bytes:
    """One frame of run-length blocks: 4 bytes for each 128 KiB of one byte."""
    frame = ZSTD_MAGIC + b"\xe0" + length.to_bytes(8, "little")
    while True:
        size = min(length, _BLOCK_BYTES_MAX)
        length -= size
        frame += (size << 3 | 1 << 1 | (length == 0)).to_bytes(3, "little") + bytes([byte])
        if length == 0:
            return frame
