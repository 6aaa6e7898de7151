import { binary, bytesOf, fromUUID, hex, uuidText } from "../bytes/binary.ts";
import { milliseconds, replicaOf } from "../merge/clock.ts";
import type { StoredRecord } from "../merge/graph.ts";
import { ownState } from "../merge/slots.ts";
import { hiddenBecause } from "../merge/visible.ts";
import { readAttributes, readReferences } from "../model/put.ts";
import { readValue } from "../model/values.ts";
import { RoostError } from "../protocol/errors.ts";
import type { EntityType } from "../query/entities.ts";
import type { Fetcher } from "../query/fetching.ts";
import type { JournalKind, StoredJournalEntry } from "../replica/operations.ts";
import { recordText } from "../replica/reading.ts";

/** The outcome of a change that is not current. */
export interface JournalEntry {
  /** The number by which the entry is restored; `undefined` for a state that lasts only as long as its cause. */
  readonly number: number | undefined;
  readonly kind: JournalKind | "hidden" | "kept" | "unfit";
  /** The name of the entity; `#` and its number where the schema does not have it. */
  readonly entity: string;
  readonly id: string;
  /** When the outcome was noticed, in milliseconds since 1970; `undefined` where there is no number. */
  readonly noticed: number | undefined;
  /** When the change was made, in milliseconds since 1970 by the replica that made it. */
  readonly made: number;
  /** The replica that made the change, as 16 hexadecimal digits. */
  readonly by: string;
  /** The label of the transaction, for changes of this replica. */
  readonly label: string | undefined;
  /** The content by the names of properties; `undefined` for a delete. */
  readonly content: Readonly<Record<string, unknown>> | undefined;
  /** The outcome as a sentence. */
  readonly reason: string;
  /**
   * Whether a beaten change is current all the same: another change of its record has the same content and stands, or
   * both have deleted the record.
   */
  readonly isCurrent: boolean;
}

/** The state of a record, and the reason why it is shown or not. */
export interface Explanation {
  readonly state: "visible" | "kept" | "deleted" | "hidden" | "unfit" | "absent";
  readonly reason: string;
  /** Changes of this record that the journal lists. */
  readonly journal: readonly JournalEntry[];
  /** Whether changes of this record wait to be pushed. */
  readonly isPending: boolean;
}

/** Reads the journal of a replica: stored outcomes, and states that follow from the delete rules. */
export class Journal {
  readonly #fetcher: Fetcher;

  constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher;
  }

  get #model() {
    return this.#fetcher.reading.model;
  }

  /** @param all Whether to list beaten changes that are current all the same. */
  entries(all: boolean): JournalEntry[] {
    const stored = [...this.#model.journal.values()].map((entry) => this.#stored(entry))
      .filter((entry) => all || !entry.isCurrent);
    const derived: JournalEntry[] = [];
    for (const record of this.#model.graph.all()) {
      const entry = this.#derived(record);
      if (entry !== undefined) derived.push(entry);
    }
    return [...stored, ...derived];
  }

  /** Deleted records that can be undeleted. */
  deleted(): { entity: string; id: string; content: Readonly<Record<string, unknown>> }[] {
    const found: { entity: string; id: string; content: Readonly<Record<string, unknown>> }[] = [];
    for (const record of this.#model.graph.all()) {
      const entity = this.#fetcher.reading.entityOf(record);
      if (record.own !== "deleted" || record.isKept || entity === undefined || entity.isLink) continue;
      const content = this.#content(record.entity, record.current.put!.bytes);
      found.push({ entity: entity.name, id: uuidText(record.id), content });
    }
    return found;
  }

  #stored(entry: StoredJournalEntry): JournalEntry {
    return {
      number: entry.number,
      kind: entry.kind,
      entity: this.#name(entry.entity),
      id: uuidText(entry.id),
      noticed: entry.time,
      made: milliseconds(entry.stamp),
      by: hex(replicaOf(entry.stamp)),
      label: entry.label,
      content: entry.put === undefined ? undefined : this.#content(entry.entity, bytesOf(entry.put)),
      reason: this.#reason(entry),
      isCurrent: this.#isCurrent(entry),
    };
  }

  /**
   * Whether another change than the beaten one has its content, and stands (decision 237). Where the record's newest
   * change is the beaten one itself, what beat it has not arrived yet.
   */
  #isCurrent(entry: StoredJournalEntry): boolean {
    if (entry.kind !== "beaten") return false;
    const record = this.#model.graph.record(entry.entity, entry.id);
    if (entry.put === undefined) {
      return record === undefined || record.own !== "put" && record.current.del !== entry.stamp;
    }
    const put = record?.current.put;
    if (record === undefined || put === undefined || put.stamp === entry.stamp) return false;
    // A deleted record may still be shown, because a record that refers to it keeps it by a deny rule.
    return (record.own === "put" || record.isVisible) && binary(put.bytes) === entry.put;
  }

  #reason(entry: StoredJournalEntry): string {
    if (entry.message !== undefined) return entry.message;
    if (entry.other === undefined) return "It is not current.";
    const at = new Date(Math.min(milliseconds(entry.other), 8.64e15)).toISOString();
    return `A later change stands, of ${at} by replica ${hex(replicaOf(entry.other))}.`;
  }

  #derived(record: StoredRecord): JournalEntry | undefined {
    const put = record.current.put;
    if (put === undefined) return undefined;
    const unfit = record.isVisible ? this.#fetcher.reading.unfit(record) : null;
    const kind = record.isKept && record.isVisible
      ? "kept"
      : unfit !== null
      ? "unfit"
      : !record.isVisible && record.own === "put"
      ? "hidden"
      : undefined;
    if (kind === undefined) return undefined;
    return {
      number: undefined,
      kind,
      entity: this.#name(record.entity),
      id: uuidText(record.id),
      noticed: undefined,
      made: milliseconds(put.stamp),
      by: hex(replicaOf(put.stamp)),
      label: undefined,
      content: this.#content(record.entity, put.bytes),
      reason: this.#stateReason(record, kind, unfit),
      isCurrent: false,
    };
  }

  #stateReason(record: StoredRecord, kind: "kept" | "unfit" | "hidden", unfit: string | null): string {
    if (kind === "kept") return "Deleted, but shown while other records refer to it.";
    if (kind === "unfit") return `Kept and passed on, but not shown: ${unfit}.`;
    const cause = hiddenBecause(this.#model.graph, record);
    if (cause === undefined) return "Hidden.";
    const text = recordText(this.#model, cause.entity, cause.id);
    const isDeleted = cause.record !== undefined && ownState(cause.record.current) === "deleted";
    return `Hidden because ${text} ${isDeleted ? "is deleted" : "has not arrived"}.`;
  }

  #name(entity: number): string {
    return this.#model.schema.entities.get(entity)?.name ?? `#${entity}`;
  }

  /** The content of a put by the names of properties. One that the schema does not know has `#` and its number. */
  #content(entity: number, put: Uint8Array): Record<string, unknown> {
    const known = this.#model.schema.entities.get(entity);
    const content: Record<string, unknown> = {};
    try {
      for (const { relationship, target } of readReferences(put)) {
        const name = known?.relationships.find((each) => each.id === relationship)?.name ?? `#${relationship}`;
        content[name] = uuidText(target);
      }
      for (const [property, raw] of readAttributes(put)) {
        const attribute = known?.attributes.find((each) => each.id === property);
        let value: unknown = raw.form === "null" ? null : raw.value;
        try {
          if (attribute !== undefined) value = readValue(attribute, raw);
        } catch {
          // A JSON text that is none is shown as it is.
        }
        content[attribute?.name ?? `#${property}`] = value;
      }
    } catch {
      content["#"] = hex(String.fromCharCode(...put.subarray(0, 4096)));
    }
    return content;
  }

  entry(number: number): StoredJournalEntry {
    const entry = this.#model.journal.get(number);
    if (entry !== undefined) return entry;
    throw new RoostError("not_found", `Cannot find entry ${number} of the journal.`, "List the journal.");
  }

  explain(type: EntityType<unknown>, id: string): Explanation {
    const entity = this.#fetcher.entity(type);
    const key = fromUUID(id);
    const record = key === undefined ? undefined : this.#model.graph.record(entity.id, key);
    const all = [...this.#model.journal.values()].filter((each) => each.entity === entity.id && each.id === key);
    const journal = all.map((each) => this.#stored(each)).filter((each) => !each.isCurrent);
    const put = record?.current.put;
    if (record === undefined || put === undefined) {
      return { state: "absent", reason: "There is no content.", journal, isPending: record?.pending !== undefined };
    }
    const derived = this.#derived(record);
    const isPending = record.pending !== undefined;
    if (derived !== undefined) {
      return { state: derived.kind as Explanation["state"], reason: derived.reason, journal, isPending };
    }
    if (record.own === "deleted") {
      const by = hex(replicaOf(record.current.del!));
      return { state: "deleted", reason: `Deleted by replica ${by}.`, journal, isPending };
    }
    return { state: "visible", reason: `As replica ${hex(replicaOf(put.stamp))} wrote it.`, journal, isPending };
  }
}
