"""Seeded bugs of the JavaScript client: one or more for each family of rules, and the requirement that catches it."""
from typing import List, NamedTuple, Tuple


class Bug(NamedTuple):
    name: str
    file: str
    edits: List[Tuple[str, str]]
    caught_by: str


BUGS = [
    Bug("a push is made again after a lost reply", "session/exchange.ts", [
        ("const push = this.#model.sealed ?? await this.#core.commit(", "const push = await this.#core.commit("),
        ("const sealed = this.#model.sealed ?? seal(this.#model);", "const sealed = seal(this.#model);")], "6.3-9"),
    Bug("a reply with any number settles a push", "replica/pushing.ts", [
        ("if (reply.number !== push.number)", "if (reply.number < 0)")], "6.6-1"),
    Bug("a reply may stage what does not continue", "replica/pushing.ts", [
        ("&& push.partEnd === 0) {", "&& push.partEnd < 0) {")], "6.6-4"),
    Bug("a change that is beaten blindly is not journaled", "replica/settlement.ts", [
        ("      this.#recordBeaten(entity, id, old, slots);\n", "")], "6.6-7"),
    Bug("a refused change leaves no entry", "replica/pushing.ts", [
        ("      settlement.journal(\"refused\", change, "
         "{ code, message: message.slice(0, 500), label: transaction.label });\n"
         "      named", "      named")], "6.7-1"),
    Bug("edits keep the stamps of refused puts as bases", "replica/pushing.ts", [
        ("bases.set(stamp, bases.get(base) ?? base)", "bases.get(base)")], "6.7-10"),
    Bug("slots that a reply had no room for are not fetched", "replica/pushing.ts", [
        ("return isIncomplete ?", "return isIncomplete && push.number < 0 ?")], "6.7-7"),
    Bug("acknowledged changes are not merged", "replica/pushing.ts", [
        ("      settlement.mergeConfirmed({ entity: change.entity, id: change.id, slots: slotsOf(change) });\n", "")],
        "7.3-1"),
    Bug("a page replaces slots", "replica/settlement.ts", [
        ("const old = this.confirmed(entity, id), now = merge(old, slots);",
         "const old = this.confirmed(entity, id), now = slots;")], "7.2-8"),
    Bug("names of purged records are forgotten after the records", "replica/settlement.ts", [
        ("      for (const name of page.purged) this.#purge(name, page.purged);\n"
         "      for (const record of page.records) this.mergeConfirmed(record);\n",
         "      for (const record of page.records) this.mergeConfirmed(record);\n"
         "      for (const name of page.purged) this.#purge(name, page.purged);\n")], "7.2-6"),
    Bug("an empty page that stays is asked for again", "session/exchange.ts", [
        ("if (page.hasMore && isEmpty &&", "if (page.hasMore && isEmpty && page.records.length > 0 &&")], "7.2-3"),
    Bug("bases do not move with stamps", "replica/pushing.ts", [
        ("base: moved.get(change.base) ?? change.base", "base: change.base")], "6.4-6"),
    Bug("received stamps do not move the clock", "merge/clock.ts", [
        ("if (bounded > this.last) this.last = bounded;", "if (bounded < 0n) this.last = bounded;")], "6.4-2"),
    Bug("stamps are given again without end", "session/session.ts", [
        ("(this.#core.model.control.restamps ?? 0) < 2", "(this.#core.model.control.restamps ?? 0) < 2000")], "6.4-8"),
    Bug("everything is pulled before the server is shown the checkpoint", "session/session.ts", [
        ("if (this.#core.model.control.checkpoint !== \"\") await this.#exchange.showCheckpoint();", "")], "11.5-11"),
    Bug("what a restored server lost is forgotten", "replica/settlement.ts", [
        ("(reason === \"history_changed\" || (", "((")], "7.7-1"),
    Bug("a renewal counts pushes on", "replica/pushing.ts", [
        ("      pushNumber: 0,\n", "")], "11.5-15"),
    Bug("a renewal has a new nonce each time", "session/identity.ts", [
        ("core.model.control.renewalNonce ?? newNonce(core)", "newNonce(core)")], "6.2-1"),
    Bug("a delete that is forbidden is written", "replica/transaction.ts", [
        ("if (rule.deleteRule !== \"deny\") continue;\n"
         "      for (const referrer of graph.referrers(record.id, rule)) {\n"
         "        if (referrer === record || !referrer.isVisible) continue;",
         "if (rule.deleteRule !== \"deny\") continue;\n"
         "      for (const referrer of graph.referrers(record.id, rule)) {\n"
         "        if (referrer !== undefined) continue;")], "11.2-5"),
    Bug("a tree cycle drops the member with the least stamp", "merge/liveness.ts", [
        ("return a !== b ? (a > b ? left : right)", "return a !== b ? (a < b ? left : right)")], "11.3-1"),
    Bug("deny keeps nothing", "merge/liveness.ts", [
        ("if (record.own !== \"deleted\") return false;\n",
         "if (record.own !== \"absent\") return false;\n")], "11.3-1"),
    Bug("a digest that differs is ignored", "session/exchange.ts", [
        ("const differs = isCompared && settlement.digest !== page.digest;",
         "const differs = isCompared && settlement.digest === \"\";")], "7.5-1"),
    Bug("a staged part leaves the outbox", "replica/pushing.ts", [
        ("    return settlement.set({ staged: { id: transaction.id, sent: push.partEnd } });\n", "")], "6.5-1"),
    Bug("redirects are followed", "protocol/transport.ts", [("redirect: \"error\"", "redirect: \"follow\"")], "3-1"),
    Bug("too_many_requests is retried at once", "session/session.ts", [
        ("(error.retryAfter ?? 0) * 1000", "(error.retryAfter ?? 0) * 0")], "9-5"),
]
