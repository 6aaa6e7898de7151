/** Runs the contract of storages in a page. */
import { deleteIndexedDB, IndexedDBStorage } from "../src/storage/indexeddb.ts";
import { contracts, sharedContracts } from "../tests/storage-contract.ts";

/** Returns a line for each contract: its name, or its name and why it failed. */
export async function run(): Promise<string[]> {
  const results: string[] = [];
  for (const [index, contract] of [...contracts, ...sharedContracts].entries()) {
    const name = `contract-${index}`;
    await deleteIndexedDB(name);
    try {
      await contract.check(() => IndexedDBStorage.open(name));
      results.push(contract.name);
    } catch (error) {
      results.push(`${contract.name}: FAILED: ${error}`);
    }
  }
  return results;
}
