/** The parts that need `node:sqlite`: Node 22.5 or later, and Deno. */
export { SQLiteStorage } from "./storage/sqlite.ts";
