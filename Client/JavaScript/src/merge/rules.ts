import type { DeleteRule, Schema } from "../model/schema.ts";

/** The behaviour of one stored to-one relationship while its target is not visible. */
export interface Rule {
  /** Position among all rules of the schema. */
  readonly index: number;
  readonly entity: number;
  readonly relationship: number;
  readonly destination: number;
  /** The rule that the destination's side declares; cascade for a tree. */
  readonly deleteRule: DeleteRule;
  readonly isTree: boolean;
}

/** The rules of all stored references of a schema. Merging needs nothing else of a schema. */
export class ReferenceRules {
  readonly all: readonly Rule[];
  readonly #outgoing = new Map<number, Map<number, Rule>>();
  readonly #incoming = new Map<number, Rule[]>();
  readonly usesDeny: boolean;
  readonly treeEntities: Set<number> = new Set();

  constructor(rules: Omit<Rule, "index">[]) {
    this.all = rules.map((rule, index) => ({ ...rule, index }));
    this.usesDeny = rules.some((rule) => rule.deleteRule === "deny");
    for (const rule of this.all) {
      if (!this.#outgoing.has(rule.entity)) this.#outgoing.set(rule.entity, new Map());
      this.#outgoing.get(rule.entity)!.set(rule.relationship, rule);
      if (!this.#incoming.has(rule.destination)) this.#incoming.set(rule.destination, []);
      this.#incoming.get(rule.destination)!.push(rule);
      if (rule.isTree) this.treeEntities.add(rule.entity);
    }
  }

  static of(schema: Schema): ReferenceRules {
    const rules: Omit<Rule, "index">[] = [];
    for (const entity of schema.entities.values()) {
      for (const relationship of entity.relationships) {
        if (relationship.kind !== "toOne") continue;
        const destination = schema.entity(relationship.destination);
        if (destination === undefined) continue;
        const declared = schema.relationship(destination.name, relationship.inverse)?.deleteRule ?? "nullify";
        // A link is deleted with either of its ends, unless that end declares that links hold it back.
        const deleteRule = entity.isLink
          ? (declared === "deny" ? "deny" : "cascade")
          : relationship.tree
          ? "cascade"
          : declared;
        rules.push({
          entity: entity.id,
          relationship: relationship.id,
          destination: destination.id,
          deleteRule,
          isTree: relationship.tree,
        });
      }
    }
    return new ReferenceRules(rules);
  }

  rule(entity: number, relationship: number): Rule | undefined {
    return this.#outgoing.get(entity)?.get(relationship);
  }

  hasOutgoing(entity: number): boolean {
    return this.#outgoing.has(entity);
  }

  /** The references that lead to an entity. */
  incoming(entity: number): readonly Rule[] {
    return this.#incoming.get(entity) ?? none;
  }
}

const none: readonly Rule[] = [];
