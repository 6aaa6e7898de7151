import { bytesOf, uuidText } from "../bytes/binary.ts";
import { contentHash } from "../merge/slots.ts";
import { RoostError } from "../protocol/errors.ts";
import type { Fetcher } from "../query/fetching.ts";
import type { ReplicaCore } from "../replica/core.ts";
import type { HistoryStep, Operation } from "../replica/operations.ts";
import { content, type Transaction } from "../replica/transaction.ts";

/** Steps that are kept, newest last. */
const stepsMax = 100;
/** Changes of the largest step that can be undone. */
const changesMax = 20_000;

/** The history of local transactions, and what undoing and redoing them writes. */
export class UndoHistory {
  readonly #core: ReplicaCore;
  readonly #fetcher: Fetcher;

  constructor(core: ReplicaCore, fetcher: Fetcher) {
    this.#core = core;
    this.#fetcher = fetcher;
  }

  get #steps(): HistoryStep[] {
    return [...this.#core.model.history.values()].sort((left, right) => left.id - right.id);
  }

  /** The step that `undo` would undo. */
  get undoable(): HistoryStep | undefined {
    return this.#steps.findLast((step) => step.state === "done");
  }

  /** The step that `redo` would redo, with the step that undid it. A newer transaction ends that. */
  get redoable(): { undone: HistoryStep; undoing: HistoryStep } | undefined {
    const steps = this.#steps;
    const undoing = steps.findLast((step) => step.state === "undoing");
    const undone = steps.find((step) => step.id === undoing?.undoes);
    if (undoing === undefined || undone === undefined) return undefined;
    return steps.some((step) => step.state === "done" && step.id > undoing.id) ? undefined : { undone, undoing };
  }

  /** The operations that record a transaction as a step. */
  record(
    id: number,
    label: string,
    changes: HistoryStep["changes"],
    state: HistoryStep["state"] = "done",
  ): Operation[] {
    if (changes.length > changesMax) return [];
    const operations: Operation[] = [{ kind: "history", step: { id, label, state, changes } }];
    const steps = this.#steps;
    for (const old of steps.slice(0, Math.max(0, steps.length + 1 - stepsMax))) {
      operations.push({ kind: "historyRemove", id: old.id });
    }
    return operations;
  }

  /**
   * Writes the content that the records of a step had before it.
   *
   * @throws RoostError `changed_since` if one of them was changed since, or another record refers to one that would go.
   */
  revert(step: HistoryStep, transaction: Transaction, verb: "undo" | "redo"): void {
    const { model } = this.#core;
    model.settle();
    const refuse = (reason: string): never => {
      throw new RoostError("changed_since", `Cannot ${verb} "${step.label}": ${reason}.`, "Edit it instead.");
    };
    const deleted = new Set<string>();
    for (const { entity, id, before, after } of step.changes) {
      const record = model.graph.record(entity, id);
      const now = record === undefined ? undefined : content(record);
      const isSame = now === undefined ? after === undefined : contentHash(now) === after;
      if (!isSame) refuse(`somebody has changed its ${model.schema.entities.get(entity)?.name ?? "record"} since`);
      if (before === undefined) deleted.add(`${entity}:${id}`);
    }
    for (const { entity, id, before } of step.changes) {
      if (before !== undefined) continue;
      for (const rule of model.graph.rules.incoming(entity)) {
        for (const referrer of model.graph.referrers(id, rule)) {
          const key = `${referrer.entity}:${referrer.id}`;
          if (!referrer.isVisible || deleted.has(key)) continue;
          if (step.changes.some((each) => `${each.entity}:${each.id}` === key)) continue;
          refuse(`a ${this.#fetcher.reading.entityOf(referrer)?.name ?? "record"} refers to ${uuidText(id)} by now`);
        }
      }
    }
    for (const { entity, id, before } of [...step.changes].reverse()) {
      if (before !== undefined) transaction.restore(entity, id, bytesOf(before));
      else if (model.graph.record(entity, id)?.own === "put") transaction.removeRecord(entity, id);
    }
  }
}
