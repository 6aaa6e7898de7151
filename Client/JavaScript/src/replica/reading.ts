import { type Binary, compareUTF8, uuidText } from "../bytes/binary.ts";
import { MalformedMessage } from "../bytes/protobuf.ts";
import { compareRecords, type StoredRecord } from "../merge/graph.ts";
import { isPlain, plainTags, readAttribute, readAttributes } from "../model/put.ts";
import type { Attribute, AttributeType, Entity, Relationship } from "../model/schema.ts";
import { faultInPut, readValue, type Value } from "../model/values.ts";
import type { Model } from "./model.ts";

interface Form {
  readonly tags: ReadonlyMap<number, number>;
  readonly required: ReadonlySet<number>;
}

/** The types whose values fit whatever they are. */
const plainForms: Partial<Record<AttributeType, keyof typeof plainTags>> = {
  string: "text",
  integer: "integer",
  timestamp: "integer",
  boolean: "boolean",
  data: "bytes",
};

/** Reads records of a model as programs see them: what is visible and fits the schema, with masked references. */
export class Reading {
  readonly model: Model;
  readonly #forms = new WeakMap<Entity, Form | null>();

  constructor(model: Model) {
    this.model = model;
  }

  entityOf(record: StoredRecord): Entity | undefined {
    return this.model.schema.entities.get(record.entity);
  }

  /** Whether a record is shown: visible by the delete rules, and its put fits the schema. */
  isShown(record: StoredRecord): boolean {
    return record.isVisible && this.unfit(record) === null;
  }

  /** Explains why the put of a record does not fit the schema; `null` where it fits. */
  unfit(record: StoredRecord): string | null {
    if (record.unfit === undefined) record.unfit = this.#findFault(record) ?? null;
    return record.unfit;
  }

  /** The form in which a put of an entity fits without a closer look; `undefined` where there is none. */
  #form(entity: Entity): Form | undefined {
    const known = this.#forms.get(entity);
    if (known !== undefined) return known ?? undefined;
    const tags = new Map<number, number>(), required = new Set<number>();
    for (const { id, type, optional, defaultValue, widens } of entity.attributes) {
      if (!optional && defaultValue === undefined) required.add(id);
      const form = widens === undefined ? plainForms[type] : undefined;
      if (form !== undefined) tags.set(id, plainTags[form]);
    }
    const isSimple = entity.relationships.every((each) => each.kind !== "toOne" || each.optional || each.tree);
    this.#forms.set(entity, isSimple ? { tags, required } : null);
    return isSimple ? { tags, required } : undefined;
  }

  #findFault(record: StoredRecord): string | undefined {
    const entity = this.entityOf(record), put = record.current.put;
    if (entity === undefined) return `the schema has no entity ${record.entity}`;
    if (put === undefined) return "there is no content";
    try {
      const form = this.#form(entity);
      if (form !== undefined && isPlain(put.bytes, form.tags, form.required)) return undefined;
      const values = readAttributes(put.bytes);
      for (const attribute of entity.attributes) {
        const raw = values.get(attribute.id);
        const isNil = raw === undefined
          ? attribute.defaultValue === undefined
          : raw.form === "null" || (raw.form === "real" && Number.isNaN(raw.value));
        if (isNil && !attribute.optional) return `${attribute.name} is nil`;
        const fault = raw === undefined || isNil ? undefined : faultInPut(attribute, raw);
        if (fault !== undefined) return `${attribute.name} ${fault}`;
      }
    } catch (error) {
      if (error instanceof MalformedMessage) return "nothing can read its content";
      throw error;
    }
    return this.#missingReference(record, entity);
  }

  /** A required reference that cannot be masked has to be there (protocol.md §11.3). */
  #missingReference(record: StoredRecord, entity: Entity): string | undefined {
    for (const relationship of entity.relationships) {
      if (relationship.kind !== "toOne" || relationship.optional || relationship.tree) continue;
      const rule = this.model.graph.rules.rule(entity.id, relationship.id);
      const isMaskable = rule?.deleteRule === "nullify" || rule?.deleteRule === "deny";
      if (!isMaskable && !record.edges.some((edge) => edge.rule.relationship === relationship.id)) {
        return `${relationship.name} is nil`;
      }
    }
    return undefined;
  }

  attribute(record: StoredRecord, attribute: Attribute): Value {
    return readValue(attribute, readAttribute(record.current.put!.bytes, attribute.id));
  }

  /** The identifier that a to-one relationship stores, as it reads: `undefined` where it is nil or masked. */
  targetID(record: StoredRecord, relationship: Relationship): Binary | undefined {
    for (const edge of record.edges) {
      if (edge.rule.relationship === relationship.id) {
        return this.model.graph.reads(record, edge) ? edge.target : undefined;
      }
    }
    return undefined;
  }

  /** The record at the other end of a to-one or single relationship. */
  one(record: StoredRecord, entity: Entity, relationship: Relationship): StoredRecord | undefined {
    if (relationship.kind !== "toOne") return this.many(record, entity, relationship).at(-1);
    const id = this.targetID(record, relationship);
    const destination = this.model.schema.entity(relationship.destination);
    const target = id === undefined || destination === undefined
      ? undefined
      : this.model.graph.record(destination.id, id);
    return target !== undefined && this.isShown(target) ? target : undefined;
  }

  /** The records at the other end of a to-many or many-to-many relationship, in its order or by identifier. */
  many(record: StoredRecord, entity: Entity, relationship: Relationship): StoredRecord[] {
    const { schema, graph } = this.model;
    const found: StoredRecord[] = [];
    const destination = schema.entity(relationship.destination)!;
    if (relationship.kind === "manyToMany") {
      const end = schema.linkEnd(entity, relationship);
      const rule = graph.rules.rule(end.entity.id, end.own)!;
      for (const link of graph.referrers(record.id, rule)) {
        const edge = link.isVisible ? link.edges.find((each) => each.rule.relationship === end.other) : undefined;
        const other = edge === undefined ? undefined : graph.record(destination.id, edge.target);
        if (other !== undefined && this.isShown(other)) found.push(other);
      }
    } else {
      const inverse = schema.relationship(destination.name, relationship.inverse)!;
      const rule = graph.rules.rule(destination.id, inverse.id)!;
      for (const referrer of graph.referrers(record.id, rule)) {
        if (this.isShown(referrer) && this.targetID(referrer, inverse) !== undefined) found.push(referrer);
      }
    }
    found.sort(compareRecords);
    const place = destination.attributes.find((each) => each.name === relationship.orderedBy);
    return place === undefined ? found : this.#ordered(found, place);
  }

  /** Orders by the bytes of a text, then by identifier, records without a text last. */
  #ordered(records: StoredRecord[], place: Attribute): StoredRecord[] {
    const keyed = records.map((record) => ({ record, place: this.attribute(record, place) as string | null }));
    keyed.sort((left, right) => {
      if (left.place === null || right.place === null) {
        return (left.place === null ? 1 : 0) - (right.place === null ? 1 : 0);
      }
      return compareUTF8(left.place, right.place);
    });
    return keyed.map((each) => each.record);
  }
}

/** A record for messages: its entity's name and identifier. */
export function recordText(model: Model, entity: number, id: Binary): string {
  return `${model.schema.entities.get(entity)?.name ?? `#${entity}`} ${uuidText(id)}`;
}
