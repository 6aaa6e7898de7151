"""Decompression of Zstandard frames (RFC 8878), for request bodies with ``Content-Encoding: zstd``.

Python has a decoder of its own from version 3.14 on only. This one favours short code over speed.
"""
from typing import List, Optional, Tuple

MAGIC = b"\x28\xb5\x2f\xfd"
BLOCK_BYTES_MAX = 128 << 10

LITERAL_LENGTHS = [(code, 0) for code in range(16)] + [
    (16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2), (32, 3), (40, 3), (48, 4), (64, 6), (128, 7), (256, 8),
    (512, 9), (1024, 10), (2048, 11), (4096, 12), (8192, 13), (16384, 14), (32768, 15), (65536, 16)]
MATCH_LENGTHS = [(code + 3, 0) for code in range(32)] + [
    (35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2), (51, 3), (59, 3), (67, 4), (83, 4), (99, 5), (131, 7),
    (259, 8), (515, 9), (1027, 10), (2051, 11), (4099, 12), (8195, 13), (16387, 14), (32771, 15), (65539, 16)]
LITERAL_LENGTH_ODDS = [4, 3] + [2] * 11 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4
MATCH_LENGTH_ODDS = [1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7
OFFSET_ODDS = [1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5


class MalformedFrame(ValueError):
    """The bytes are no single, whole frame."""


class BackwardBits:
    """Reads a bit stream from its end, as entropy-coded streams are written."""

    def __init__(self, data: bytes) -> None:
        if not data or data[-1] == 0:
            raise MalformedFrame("a bit stream has no end mark")
        self.padding = 64
        self.data = bytes(8) + data + bytes(8)
        self.position = self.padding + 8 * len(data) - 9 + data[-1].bit_length()

    @property
    def left(self) -> int:
        return self.position - self.padding

    def peek(self, count: int) -> int:
        start = self.position - count
        if start < 0:
            raise MalformedFrame("a bit stream is too short")
        word = int.from_bytes(self.data[start >> 3:(start >> 3) + 8], "little")
        return (word >> (start & 7)) & ((1 << count) - 1)

    def read(self, count: int) -> int:
        value = self.peek(count) if count else 0
        self.position -= count
        return value


class StateTable:
    """A table of finite-state entropy: for each state its symbol, and how to get to the next."""

    def __init__(self, odds: List[int], log: int) -> None:
        size = 1 << log
        self.log = log
        self.symbols = [0] * size
        self.bits = [0] * size
        self.bases = [0] * size
        high = size - 1
        following = []
        for symbol, odd in enumerate(odds):
            following.append(1 if odd == -1 else odd)
            if odd == -1:
                self.symbols[high] = symbol
                high -= 1
        position, step = 0, (size >> 1) + (size >> 3) + 3
        for symbol, odd in enumerate(odds):
            for _ in range(max(odd, 0)):
                self.symbols[position] = symbol
                position = (position + step) & (size - 1)
                while position > high:
                    position = (position + step) & (size - 1)
        for state in range(size):
            symbol = self.symbols[state]
            self.bits[state] = log - (following[symbol].bit_length() - 1)
            self.bases[state] = (following[symbol] << self.bits[state]) - size
            following[symbol] += 1

    @classmethod
    def single(cls, symbol: int) -> "StateTable":
        table = cls([1], 0)
        table.symbols = [symbol]
        table.bits = [0]
        table.bases = [0]
        return table

    @classmethod
    def read(cls, data: bytes, start: int, log_max: int) -> Tuple["StateTable", int]:
        """Reads a table's description. Returns it and the index after it."""
        stream = int.from_bytes(data[start:start + 600], "little")
        log = (stream & 15) + 5
        if log > log_max:
            raise MalformedFrame("a table is too accurate")
        position, remaining, threshold, bits = 4, (1 << log) + 1, 1 << log, log + 1
        odds: List[int] = []
        while remaining > 1:
            most = 2 * threshold - 1 - remaining
            value = stream >> position
            if value & (threshold - 1) < most:
                count = value & (threshold - 1)
                position += bits - 1
            else:
                count = value & (2 * threshold - 1)
                count -= most if count >= threshold else 0
                position += bits
            odds.append(count - 1)
            remaining -= abs(count - 1)
            while remaining < threshold and threshold > 1:
                bits -= 1
                threshold >>= 1
            while count == 1:
                repeated = (stream >> position) & 3
                position += 2
                odds += [0] * repeated
                if repeated < 3:
                    break
        if remaining != 1 or len(odds) > 256:
            raise MalformedFrame("a table does not add up")
        return cls(odds, log), start + (position + 7) // 8


class HuffmanTable:
    """Symbols by the bits that come next."""

    def __init__(self, weights: List[int]) -> None:
        total = sum(1 << (weight - 1) for weight in weights if weight)
        self.log = total.bit_length()
        left = (1 << self.log) - total
        if left & (left - 1) or self.log > 11:
            raise MalformedFrame("the weights of the literals do not add up")
        weights = weights + [left.bit_length()]
        self.entries: List[Tuple[int, int]] = []
        for weight in range(1, self.log + 1):
            for symbol, each in enumerate(weights):
                if each == weight:
                    self.entries += [(symbol, self.log + 1 - weight)] * (1 << (weight - 1))

    @classmethod
    def read(cls, data: bytes, start: int) -> Tuple["HuffmanTable", int]:
        head = data[start]
        if head >= 128:
            count, end = head - 127, start + 1 + (head - 126) // 2
            halves = [half for byte in data[start + 1:end] for half in (byte >> 4, byte & 15)]
            return cls(halves[:count]), end
        end = start + 1 + head
        table, first = StateTable.read(data[:end], start + 1, 6)
        bits = BackwardBits(data[first:end])
        states = [bits.read(table.log), bits.read(table.log)]
        weights: List[int] = []
        turn = 0
        while len(weights) < 255:
            state = states[turn]
            weights.append(table.symbols[state])
            if bits.left < table.bits[state]:
                weights.append(table.symbols[states[1 - turn]])
                break
            states[turn] = table.bases[state] + bits.read(table.bits[state])
            turn = 1 - turn
        return cls(weights), end

    def decode(self, data: bytes, count: int) -> bytes:
        bits = BackwardBits(data)
        result = bytearray()
        for _ in range(count):
            symbol, used = self.entries[bits.peek(self.log)]
            bits.position -= used
            result.append(symbol)
        if bits.left != 0:
            raise MalformedFrame("a stream of literals has another length")
        return bytes(result)


class Decoder:
    """One frame, and what a block takes over from the ones before it."""

    def __init__(self, data: bytes, bytes_max: int) -> None:
        self.data = data
        self.bytes_max = bytes_max
        self.result = bytearray()
        self.huffman: Optional[HuffmanTable] = None
        self.tables: List[Optional[StateTable]] = [None, None, None]
        self.offsets = [1, 4, 8]

    def decode(self) -> bytes:
        data = self.data
        if data[:4] != MAGIC:
            raise MalformedFrame("the magic number is missing")
        head = data[4]
        position = 5 if head & 32 else 6
        position += (0, 1, 2, 4)[head & 3]
        position += (1 if head & 32 else 0, 2, 4, 8)[head >> 6]
        is_last = False
        while not is_last:
            block = int.from_bytes(data[position:position + 3], "little")
            is_last, kind, size = bool(block & 1), (block >> 1) & 3, block >> 3
            position += 3
            if kind == 1:
                self.result += data[position:position + 1] * size
                position += 1
            else:
                content = data[position:position + size]
                if len(content) != size or kind == 3:
                    raise MalformedFrame("a block breaks off")
                position += size
                if kind == 0:
                    self.result += content
                else:
                    self.block(content)
            if len(self.result) > self.bytes_max:
                raise MalformedFrame("the content is too large")
        position += 4 if head & 4 else 0
        if position != len(data):
            raise MalformedFrame("the frame is not alone")
        return bytes(self.result)

    def block(self, data: bytes) -> None:
        literals, position = self.literals(data)
        count = data[position]
        position += 1
        if count == 255:
            count, position = int.from_bytes(data[position:position + 2], "little") + 0x7F00, position + 2
        elif count >= 128:
            count, position = ((count - 128) << 8) + data[position], position + 1
        if count == 0:
            self.result += literals
            return
        modes = data[position]
        position += 1
        kinds = ((6, LITERAL_LENGTH_ODDS, 6, 9), (4, OFFSET_ODDS, 5, 8), (2, MATCH_LENGTH_ODDS, 6, 9))
        for index, (shift, odds, log, log_max) in enumerate(kinds):
            mode = (modes >> shift) & 3
            if mode == 0:
                self.tables[index] = StateTable(odds, log)
            elif mode == 1:
                self.tables[index] = StateTable.single(data[position])
                position += 1
            elif mode == 2:
                self.tables[index], position = StateTable.read(data, position, log_max)
        self.sequences(BackwardBits(data[position:]), count, literals)

    def literals(self, data: bytes) -> Tuple[bytes, int]:
        kind, form = data[0] & 3, (data[0] >> 2) & 3
        if kind < 2:
            width = (1, 2, 1, 3)[form]
            size = int.from_bytes(data[:width], "little") >> (3 if width == 1 else 4)
            if kind == 1:
                return data[width:width + 1] * size, width + 1
            return data[width:width + size], width + size
        width, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[form]
        head = int.from_bytes(data[:width], "little") >> 4
        size, packed = head & ((1 << bits) - 1), head >> bits
        end, position = width + packed, width
        if kind == 2:
            self.huffman, position = HuffmanTable.read(data, width)
        if self.huffman is None:
            raise MalformedFrame("literals have no table")
        streams = data[position:end]
        if form == 0:
            return self.huffman.decode(streams, size), end
        sizes = [int.from_bytes(streams[2 * index:2 * index + 2], "little") for index in range(3)]
        starts = [6, 6 + sizes[0], 6 + sizes[0] + sizes[1], 6 + sum(sizes), len(streams)]
        each = (size + 3) // 4
        counts = [each, each, each, size - 3 * each]
        parts = [self.huffman.decode(streams[starts[index]:starts[index + 1]], counts[index]) for index in range(4)]
        return b"".join(parts), end

    def sequences(self, bits: BackwardBits, count: int, literals: bytes) -> None:
        lengths, offsets, matches = self.tables
        if lengths is None or offsets is None or matches is None:
            raise MalformedFrame("sequences have no table")
        states = [bits.read(lengths.log), bits.read(offsets.log), bits.read(matches.log)]
        used = 0
        for index in range(count):
            code = offsets.symbols[states[1]]
            offset = (1 << code) + bits.read(code)
            base, more = MATCH_LENGTHS[matches.symbols[states[2]]]
            match = base + bits.read(more)
            base, more = LITERAL_LENGTHS[lengths.symbols[states[0]]]
            length = base + bits.read(more)
            if index < count - 1:
                for place, table in ((0, lengths), (2, matches), (1, offsets)):
                    state = states[place]
                    states[place] = table.bases[state] + bits.read(table.bits[state])
            self.result += literals[used:used + length]
            used += length
            self.copy(self.distance(offset, length), match)
            if len(self.result) > self.bytes_max:
                raise MalformedFrame("the content is too large")
        self.result += literals[used:]

    def distance(self, offset: int, length: int) -> int:
        """The distance of a match, which may be one of the last three."""
        recent = self.offsets
        if offset > 3:
            self.offsets = [offset - 3, recent[0], recent[1]]
            return self.offsets[0]
        index = offset - 1 + (1 if length == 0 else 0)
        distance = recent[0] - 1 if index == 3 else recent[index]
        if index:
            self.offsets = [distance, recent[0], recent[1] if index > 1 else recent[2]]
        return distance

    def copy(self, distance: int, count: int) -> None:
        if not 0 < distance <= len(self.result):
            raise MalformedFrame("a match begins before the content")
        start = len(self.result) - distance
        if distance >= count:
            self.result += self.result[start:start + count]
            return
        pattern = bytes(self.result[start:])
        self.result += (pattern * (count // distance + 1))[:count]


def decompress(data: bytes, bytes_max: int = 64 << 20) -> bytes:
    """Decompresses one frame.

    Raises MalformedFrame if the bytes are no whole frame, or if the content has more bytes than bytes_max.
    """
    try:
        return Decoder(data, bytes_max).decode()
    except IndexError:
        raise MalformedFrame("the frame breaks off") from None
