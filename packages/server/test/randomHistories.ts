import { ALL_DATABASES, type DatabaseName } from "./storeCopies.ts";

/**
 * The seeds of the random histories on a database. `npm test` takes `count` of them, each on one database; `npm run
 * prove:histories` 200 on each, which are conclusive.
 */
export function historiesOn(database: DatabaseName, count: number): number[] {
  const { PURSE_HISTORIES, PURSE_TESTS } = process.env;
  const seeds = Array.from({ length: Number(PURSE_HISTORIES ?? count) }, (_, i) => i + 1);
  if (PURSE_HISTORIES !== undefined || PURSE_TESTS === "all") return seeds;
  return seeds.filter((seed) => ALL_DATABASES[seed % ALL_DATABASES.length] === database);
}
