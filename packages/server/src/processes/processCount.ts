import { availableParallelism } from "node:os";
import type { Config } from "../config/loadConfig.ts";

/** The number of processes that serve the port. Throws Error with a user-facing message if the database is SQLite. */
export function processCount({ processes, database }: Pick<Config, "processes" | "database">): number {
  if (processes === 1) return 1;
  if (database.kind === "sqlite") {
    throw new Error(
      `PURSE_PROCESSES is "${processes}": several processes need PostgreSQL (PURSE_DATABASE_URL=postgres://…). A SQLite database is used by one process.`,
    );
  }
  return processes === "auto" ? availableParallelism() : processes;
}
