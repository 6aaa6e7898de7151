import { type Binary, binary16 } from "../bytes/binary.ts";
import { sha256, sha256Words } from "../bytes/sha256.ts";

/** A put with the stamp of its change. Values of this type never change. */
export interface PutSlot {
  readonly stamp: Binary;
  /** The stamp of the put that this one was edited from; empty for a create. */
  readonly base: Binary;
  /** The encoded `Put`. */
  readonly bytes: Uint8Array;
}

/** The slots of a record: the greatest put and the greatest delete. Values of this type never change. */
export interface Slots {
  readonly put: PutSlot | undefined;
  readonly del: Binary | undefined;
}

export const noSlots: Slots = { put: undefined, del: undefined };

/** One replica's put or delete of one record. */
export interface Change {
  readonly entity: number;
  readonly id: Binary;
  readonly stamp: Binary;
  readonly base: Binary;
  /** The encoded `Put`; `undefined` for a delete. */
  readonly put: Uint8Array | undefined;
}

export type OwnState = "put" | "deleted" | "absent";

export function ownState(slots: Slots): OwnState {
  if (slots.put === undefined) return "absent";
  return slots.del === undefined || slots.put.stamp > slots.del ? "put" : "deleted";
}

export function contentHash(put: Uint8Array): Binary {
  return binary16(sha256(put), 0);
}

/** Merges two slots (protocol.md §11.1): in each slot the greater stamp wins, and for equal stamps the greater hash. */
export function merge(left: Slots, right: Slots): Slots {
  if (left === noSlots) return right;
  const put = greaterPut(left.put, right.put);
  const del = left.del === undefined || (right.del !== undefined && right.del > left.del) ? right.del : left.del;
  if (put === left.put && del === left.del) return left;
  return { put, del };
}

function greaterPut(left: PutSlot | undefined, right: PutSlot | undefined): PutSlot | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  if (left.stamp !== right.stamp) return left.stamp > right.stamp ? left : right;
  return contentHash(right.bytes) > contentHash(left.bytes) ? right : left;
}

export function slotsOf(change: Change): Slots {
  if (change.put === undefined) return { put: undefined, del: change.stamp };
  return { put: { stamp: change.stamp, base: change.base, bytes: change.put }, del: undefined };
}

/** An order-independent hash over all slots of a scope: the sum modulo 2^128 of one term for each record. */
export class ScopeDigest {
  readonly #words = new Uint32Array(4);

  static readonly #buffer = new Uint8Array(68);
  static readonly #term = new Uint32Array(4);

  /** Replaces the slots of a record. */
  replace(entity: number, id: Binary, old: Slots, now: Slots): void {
    if (old.put !== undefined || old.del !== undefined) this.#add(entity, id, old, true);
    if (now.put !== undefined || now.del !== undefined) this.#add(entity, id, now, false);
  }

  #add(entity: number, id: Binary, slots: Slots, isNegative: boolean): void {
    const buffer = ScopeDigest.#buffer, term = ScopeDigest.#term;
    buffer[0] = entity >>> 24;
    buffer[1] = entity >>> 16;
    buffer[2] = entity >>> 8;
    buffer[3] = entity;
    write(buffer, 4, id);
    write(buffer, 20, slots.put?.stamp);
    if (slots.put === undefined) write(buffer, 36, undefined);
    else {
      sha256Words(slots.put.bytes, term);
      for (let word = 0, at = 36; word < 4; word++) {
        buffer[at++] = term[word] >>> 24;
        buffer[at++] = term[word] >>> 16;
        buffer[at++] = term[word] >>> 8;
        buffer[at++] = term[word];
      }
    }
    write(buffer, 52, slots.del);
    sha256Words(buffer, term);
    let carry = isNegative ? 1 : 0;
    for (let word = 3; word >= 0; word--) {
      const sum = this.#words[word] + (isNegative ? ~term[word] >>> 0 : term[word]) + carry;
      this.#words[word] = sum >>> 0;
      carry = sum > 0xffffffff ? 1 : 0;
    }
  }

  /** 32 hexadecimal digits. */
  get text(): string {
    return Array.from(this.#words, (word) => word.toString(16).padStart(8, "0")).join("");
  }

  set text(digits: string) {
    for (let word = 0; word < 4; word++) this.#words[word] = parseInt(digits.slice(word * 8, word * 8 + 8), 16);
  }
}

function write(buffer: Uint8Array, at: number, value: Binary | undefined): void {
  for (let index = 0; index < 16; index++) buffer[at + index] = value === undefined ? 0 : value.charCodeAt(index);
}
