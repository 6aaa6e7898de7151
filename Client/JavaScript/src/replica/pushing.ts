import { type Binary, bytesOf } from "../bytes/binary.ts";
import { HybridClock, reading, stamp } from "../merge/clock.ts";
import type { Change } from "../merge/slots.ts";
import { slotsOf } from "../merge/slots.ts";
import { encodePush, type PushReply, type PushResult } from "../protocol/messages.ts";
import { type Model, recordKey } from "./model.ts";
import type { Operation, OutboxTransaction, ResyncReason, SealedPush } from "./operations.ts";
import { Settlement } from "./settlement.ts";

/** The most that one push has. The server's own limits are larger (protocol.md §10). */
export const sealLimits = { transactions: 1000, changes: 10_000, bytes: 3 << 20 };

function changeBytes(change: Change): number {
  return 80 + (change.put?.length ?? 0);
}

/** Counts the changes from `from` that fit one push; at least one. */
function fittingChanges(changes: readonly Change[], from: number, bytes: number): number {
  let end = from, sum = 0;
  while (end < changes.length && end - from < sealLimits.changes) {
    sum += changeBytes(changes[end]);
    if (sum > bytes && end > from) break;
    end++;
  }
  return end;
}

/** Seals the next push of the outbox; `undefined` if the outbox is empty. */
export function seal(model: Model, outbox: readonly OutboxTransaction[] = model.outbox): SealedPush | undefined {
  const { control } = model;
  if (outbox.length === 0) return undefined;
  const limit = control.sealLimit ?? sealLimits;
  const number = control.pushNumber + 1;
  const checkpoint = bytesOf(control.checkpoint);
  const make = (transactions: OutboxTransaction[], parts: readonly Change[][], partEnd: number): SealedPush => ({
    number,
    body: encodePush(number, checkpoint, parts.map((changes) => ({ changes, continues: partEnd > 0 }))),
    transactions: transactions.map((each) => each.id),
    partEnd,
  });
  const first = outbox[0];
  const from = control.staged?.id === first.id ? control.staged.sent : 0;
  const end = fittingChanges(first.changes, from, limit.bytes);
  if (from > 0 || end < first.changes.length) {
    return make([first], [first.changes.slice(from, end)], end < first.changes.length ? end : 0);
  }
  const transactions: OutboxTransaction[] = [];
  let changes = 0, bytes = 0;
  for (const transaction of outbox) {
    changes += transaction.changes.length;
    bytes += transaction.changes.reduce((sum, change) => sum + changeBytes(change), 16);
    const isFull = changes > sealLimits.changes || bytes > limit.bytes;
    if (transactions.length >= limit.transactions || (isFull && transactions.length > 0)) break;
    transactions.push(transaction);
  }
  return make(transactions, transactions.map((each) => [...each.changes]), 0);
}

/** Explains why a reply does not settle a push (protocol.md §6.6); `undefined` where it does. */
export function replyFault(push: SealedPush, reply: PushReply): string | undefined {
  if (reply.number !== push.number) return `it is of push ${reply.number}, not of ${push.number}`;
  if (reply.results.length !== push.transactions.length) return "it has another number of results";
  if (reply.results.some((result) => result.isStaged && result.refused === undefined) && push.partEnd === 0) {
    return "it stages a transaction that does not continue";
  }
  return undefined;
}

/** The operations that follow from the reply to a push. */
export function settleReply(model: Model, push: SealedPush, reply: PushReply, wall: number): Operation[] {
  const settlement = new Settlement(model, wall);
  const named = new Set<string>();
  reply.results.forEach((result, index) => {
    const transaction = model.outbox.find((each) => each.id === push.transactions[index]);
    if (transaction !== undefined) settleResult(model, settlement, push, transaction, result, named);
  });
  for (const record of reply.current) {
    settlement.mergeConfirmed(record);
    named.delete(recordKey(record.entity, record.id));
  }
  settlement.operations.push({ kind: "sealed", push: undefined });
  settlement.set({ pushNumber: push.number, restamps: undefined });
  // The reply had no room for the slots of a record that was refused (protocol.md §6.7).
  const isIncomplete = [...named].some((key) => {
    const colon = key.indexOf(":");
    const record = model.graph.record(Number(key.slice(0, colon)), key.slice(colon + 1));
    return record?.confirmed.put !== undefined || record?.confirmed.del !== undefined;
  });
  const refused = push.transactions.filter((_id, index) => reply.results[index].refused !== undefined);
  const isLast = (id: number) => push.transactions.includes(id);
  settlement.operations.push(...rebase(model, (each) => refused.includes(each.id), (each) => !isLast(each.id)));
  const operations = settlement.finish();
  // A record that is gone was purged, and the server is not at fault for lacking it.
  const isGone = reply.results.some((result) => result.refused?.code === "gone");
  return isIncomplete ? [...operations, ...startResync(model, isGone ? "resync_required" : "digest")] : operations;
}

/**
 * Gives edits that were made from refused puts the base of those puts: the stamp of a refused put names no put, and the
 * edit would look blind to all replicas (protocol.md §6.7).
 *
 * @param isRest Whether a transaction stays in the outbox.
 */
function rebase(
  model: Model,
  isRefused: (transaction: OutboxTransaction) => boolean,
  isRest: (transaction: OutboxTransaction) => boolean,
): Operation[] {
  const bases = new Map<Binary, Binary>();
  for (const { changes } of model.outbox.filter(isRefused)) {
    for (const { put, stamp, base } of changes) if (put !== undefined) bases.set(stamp, bases.get(base) ?? base);
  }
  const rest = model.outbox.filter(isRest);
  if (!rest.some(({ changes }) => changes.some(({ base }) => bases.has(base)))) return [];
  return rest.flatMap((transaction): Operation[] => {
    const changes = transaction.changes.map((change) => ({ ...change, base: bases.get(change.base) ?? change.base }));
    return [
      { kind: "outboxRemove", id: transaction.id },
      { kind: "outboxAdd", transaction: { ...transaction, changes } },
    ];
  });
}

function settleResult(
  model: Model,
  settlement: Settlement,
  push: SealedPush,
  transaction: OutboxTransaction,
  result: PushResult,
  named: Set<string>,
): void {
  const from = model.control.staged?.id === transaction.id ? model.control.staged.sent : 0;
  if (result.refused !== undefined) {
    for (const change of transaction.changes) {
      const { code, message } = result.refused;
      settlement.journal("refused", change, { code, message: message.slice(0, 500), label: transaction.label });
      named.add(recordKey(change.entity, change.id));
    }
    settlement.set({ staged: undefined });
    // The server takes the next push for the rest of the refused transaction, unless the replica is another one.
    if (push.partEnd > 0) settlement.set({ renewal: { reason: "a part of a transaction was refused" } });
  } else if (push.partEnd > 0) {
    return settlement.set({ staged: { id: transaction.id, sent: push.partEnd } });
  } else {
    settlement.set({ staged: undefined, sealLimit: grownLimit(model) });
    for (const outcome of result.outcomes) {
      const change = transaction.changes[from + outcome.index];
      if (outcome.kind === "beaten" && change !== undefined) {
        settlement.journal("beaten", change, { other: outcome.other, label: transaction.label });
      }
    }
    for (const change of transaction.changes) {
      settlement.mergeConfirmed({ entity: change.entity, id: change.id, slots: slotsOf(change) });
    }
  }
  settlement.operations.push({ kind: "outboxRemove", id: transaction.id });
}

/** Lets pushes grow again after a smaller one was stored. */
function grownLimit(model: Model): { transactions: number; bytes: number } | undefined {
  const limit = model.control.sealLimit;
  if (limit === undefined) return undefined;
  const grown = { transactions: limit.transactions * 2, bytes: limit.bytes * 2 };
  return grown.transactions >= sealLimits.transactions && grown.bytes >= sealLimits.bytes ? undefined : grown;
}

/** Starts a full resynchronisation next to the confirmed slots, or starts it again. */
export function startResync(model: Model, reason: ResyncReason): Operation[] {
  // A restored server must be told what it lost, whatever else asks for a resynchronisation meanwhile.
  const strongest = model.control.resync?.reason === "history_changed" ? "history_changed" : reason;
  return [
    { kind: "freshDone" },
    {
      kind: "control",
      values: {
        resync: { reason: strongest, checkpoint: "", digest: "0".repeat(32), purged: [] },
        resyncs: (model.control.resyncs ?? 0) + 1,
      },
    },
  ];
}

/** Replaces all transactions of the outbox by ones with other stamps, and moves the bases that are old stamps. */
function restampOutbox(model: Model, next: (change: Change) => Binary): Operation[] {
  const moved = new Map<Binary, Binary>();
  const operations: Operation[] = [];
  for (const transaction of model.outbox) {
    const changes = transaction.changes.map((change) => {
      const changed = { ...change, stamp: next(change), base: moved.get(change.base) ?? change.base };
      moved.set(change.stamp, changed.stamp);
      return changed;
    });
    operations.push({ kind: "outboxRemove", id: transaction.id });
    operations.push({ kind: "outboxAdd", transaction: { ...transaction, changes } });
  }
  operations.push({ kind: "sealed", push: undefined });
  return operations;
}

/** Gives the outbox new stamps by the server's time, in order (protocol.md §11.5, `clock_ahead`). */
export function restamp(model: Model, serverTime: number, wall: number): Operation[] {
  const clock = new HybridClock();
  for (const record of model.graph.all()) {
    for (const time of [record.confirmed.put?.stamp, record.confirmed.del]) {
      if (time !== undefined) clock.receive(reading(time));
    }
  }
  clock.learn(serverTime, wall);
  const operations = restampOutbox(model, () => stamp(clock.tick(wall), model.control.replica));
  operations.push({
    kind: "control",
    values: {
      clock: String(clock.last),
      clockOffset: clock.offset,
      restamps: (model.control.restamps ?? 0) + 1,
      ...model.control.staged === undefined
        ? {}
        : { staged: undefined, renewal: { reason: "a staged transaction has new stamps" } },
    },
  });
  return operations;
}

/** The answer of a server to a device that joins or renews (protocol.md §8.1). */
export interface Registration {
  scope: string;
  scopeName: string;
  replica: Binary;
  token: string;
  role: string;
  schema: string;
}

/** Takes a new identity (protocol.md §6.2). */
export function renew(model: Model, registration: Registration, wall: number): Operation[] {
  const { control } = model;
  const operations = restampOutbox(model, (change) => change.stamp.slice(0, 8) + registration.replica);
  const former = [control.token, ...control.formerTokens].filter((token) => token !== "");
  operations.push({
    kind: "control",
    values: {
      replica: registration.replica,
      token: registration.token,
      proposedToken: undefined,
      formerTokens: former.slice(0, 64),
      identities: [...control.identities, registration.replica],
      role: registration.role,
      scopeName: registration.scopeName,
      pushNumber: 0,
      staged: undefined,
      renewal: undefined,
      renewalNonce: undefined,
      renewals: [...(control.renewals ?? []).filter((time) => time > wall - 86_400_000), wall],
    },
  });
  return operations;
}

/** Takes a transaction that the server refuses whole out of the outbox, with its content and reason. */
export function setAside(model: Model, code: string, message: string, wall: number): Operation[] {
  const settlement = new Settlement(model, wall);
  const id = model.sealed?.transactions[0] ?? model.outbox[0]?.id;
  const transaction = model.outbox.find((each) => each.id === id);
  settlement.operations.push({ kind: "sealed", push: undefined });
  if (transaction === undefined) return settlement.finish();
  for (const change of transaction.changes) {
    settlement.journal("refused", change, { code, message: message.slice(0, 500), label: transaction.label });
  }
  settlement.operations.push({ kind: "outboxRemove", id: transaction.id });
  settlement.operations.push(...rebase(model, (each) => each === transaction, (each) => each !== transaction));
  if (model.control.staged !== undefined) {
    settlement.set({ staged: undefined, renewal: { reason: "a staged transaction was refused" } });
  }
  return settlement.finish();
}

/** Makes the next push smaller, after the server or a proxy refused it whole. */
export function divide(model: Model): Operation[] {
  const push = model.sealed;
  const transactions = Math.max(1, Math.floor((push?.transactions.length ?? 1) / 2));
  const bytes = Math.max(1, Math.floor((push?.body.length ?? sealLimits.bytes) / 2));
  return [
    { kind: "sealed", push: undefined },
    { kind: "control", values: { sealLimit: { transactions, bytes: Math.max(bytes, 1024) } } },
  ];
}
