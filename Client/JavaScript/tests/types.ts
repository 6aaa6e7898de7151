/** The API as programs with typed entities use it: this file is checked and never run. */
import { entity, type Many, type One, Replica } from "../src/index.ts";

interface PersonFields {
  name: string;
  spendings: Many<SpendingFields>;
}
interface SpendingFields {
  content: string;
  amount: number | bigint;
  note: string | null;
  at: number | bigint | null;
  person: One<PersonFields>;
}
const Person = entity<PersonFields>("Person");
const Spending = entity<SpendingFields>("Spending");

export async function example(link: string, stop: AbortController): Promise<string | undefined> {
  const replica = await Replica.join(link, { device: "Ana's phone" });
  await replica.write("Add dinner", (tx) => {
    const ana = tx.insert(Person, { name: "Ana" });
    tx.insert(Spending, { content: "Dinner", amount: 30_00, person: ana, note: null });
    tx.update(Spending, ana, { at: new Date(), amount: 5n });
    tx.update(Spending, ana, { at: null });
    // @ts-expect-error A note is no date.
    tx.update(Spending, ana, { note: new Date() });
    // @ts-expect-error A name is a text.
    tx.insert(Person, { name: 5 });
    // @ts-expect-error There is no such property.
    tx.update(Spending, ana, { contents: "x" });
  });
  const dear = await replica.fetch(Spending, {
    where: (s) => s.person.name.eq("Ana").and(s.amount.gt(20_00)).or(s.note.isNil()),
    sortedBy: [(s) => s.content, (s) => s.person.name.descending()],
  });
  // @ts-expect-error There is no such path.
  await replica.fetch(Spending, { where: (s) => s.nom.eq("x") });
  // @ts-expect-error A text is not compared with a number.
  await replica.fetch(Spending, { where: (s) => s.content.eq(5) });
  await replica.fetch(Person, { where: (p) => p.spendings.any((s) => s.amount.ge(5n)) });
  for await (const update of replica.observe(Spending, { sectionedBy: (s) => s.person.name, signal: stop.signal })) {
    const first: string | undefined = update.difference.inserted[0]?.record.content;
    if (update.origin === "remote") return first;
  }
  const name: string | undefined = dear[0].person?.name;
  return name;
}
