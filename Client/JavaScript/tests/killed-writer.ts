/** Writes records into a file of SQLite until it is killed, and prints each that is durable. */
import { Replica } from "../src/index.ts";
import { SQLiteStorage } from "../src/node.ts";
import { Person } from "./model.ts";

const replica = await Replica.open({ storage: new SQLiteStorage(process.argv[2]), synchronises: false });
for (let count = 0;; count++) {
  const name = `${process.argv[3]}.${count}`;
  await replica.write("Add", (tx) => tx.insert(Person, { name }));
  process.stdout.write(`${name}\n`);
}
