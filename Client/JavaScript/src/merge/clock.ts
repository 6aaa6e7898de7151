import type { Binary } from "../bytes/binary.ts";

/** The maximum reading of a clock in milliseconds, in the year 6395 (protocol.md §6.4). */
export const millisecondsMax = 2 ** 47 - 2 ** 40;
const readingMax = BigInt(millisecondsMax) << 16n;

/**
 * A hybrid logical clock as a value: the wall clock is an argument.
 *
 * It never goes back, and never refuses a reading. The counter bridges a wall clock that stands still or jumps back,
 * and carries into the milliseconds when it overflows.
 */
export class HybridClock {
  /** The last reading returned or received: `milliseconds << 16 | counter`. */
  last: bigint;
  /** The difference to add to the wall clock to get the server's clock, in milliseconds. */
  offset: number;

  constructor(last = 0n, offset = 0) {
    this.last = last;
    this.offset = offset;
  }

  /** Returns the reading for a new change, greater than every earlier one. */
  tick(wall: number): bigint {
    const now = BigInt(clamp(wall + this.offset)) << 16n;
    this.last = now > this.last ? now : this.last + 1n;
    return this.last;
  }

  /** Advances past the reading of another replica. There is no drift check: the server has judged it. */
  receive(reading: bigint): void {
    const bounded = reading < readingMax ? reading : readingMax;
    if (bounded > this.last) this.last = bounded;
  }

  /** Learns the difference between the server's clock and this machine's. */
  learn(server: number, wall: number): void {
    this.offset = Math.min(server, millisecondsMax) - Math.trunc(wall);
  }
}

function clamp(milliseconds: number): number {
  return Math.min(Math.max(Math.trunc(milliseconds), 0), millisecondsMax);
}

/** Makes a stamp of a clock reading and a replica of 8 bytes. */
export function stamp(reading: bigint, replica: Binary): Binary {
  const high = Number(reading >> 32n), low = Number(reading & 0xffffffffn);
  const head = String.fromCharCode(high >>> 24, (high >>> 16) & 255, (high >>> 8) & 255, high & 255);
  return head + String.fromCharCode(low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, low & 255) + replica;
}

/** Returns the clock reading of a stamp. */
export function reading(stamp: Binary): bigint {
  let value = 0n;
  for (let index = 0; index < 8; index++) value = (value << 8n) | BigInt(stamp.charCodeAt(index));
  return value;
}

/** Returns the milliseconds of a stamp. */
export function milliseconds(stamp: Binary): number {
  let value = 0;
  for (let index = 0; index < 6; index++) value = value * 256 + stamp.charCodeAt(index);
  return value;
}

/** Returns the replica that made a stamp. */
export function replicaOf(stamp: Binary): Binary {
  return stamp.slice(8);
}
