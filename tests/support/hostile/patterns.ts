import type { JsonObject } from "@purse/protocol";
import { rest } from "../purse.ts";
import type { Attack } from "./attack.ts";
import { enveloped, type Target } from "./target.ts";

/** Slow to match per character in RE2. */
const SLOW = "(?i)(x[ab]{300}|[ab]{300}y|(a|b)*a(a|b){300}z)$";
const ROWS = 4;
const ROW_LENGTH = 200_000;

async function prepare(target: Target): Promise<void> {
  for (let i = 0; i < ROWS; i++) {
    const text = "ab".repeat(ROW_LENGTH / 2);
    await rest(target.purse, "POST", "/classes/LongText", { text }, { useMasterKey: true });
  }
}

const find = (target: Target, where: JsonObject) =>
  target.send({
    path: "/server/classes/LongText",
    headers: { "Content-Type": "text/plain" },
    body: enveloped(target, { _method: "GET", where, limit: 1 }),
  });

/** Patterns on large stored texts, which are slow to match. */
export function patternAttacks(): Attack[] {
  return [
    {
      generator: "a pattern that is slow to match",
      route: "query",
      async run(target) {
        await prepare(target);
        return [await find(target, { text: { $regex: SLOW } })];
      },
    },
    {
      generator: "a pattern whose statement was quick before",
      route: "query",
      async run(target) {
        const since = (year: number) => ({
          createdAt: { $gt: { __type: "Date", iso: `${year}-01-01T00:00:00.000Z` } },
        });
        for (let i = 0; i < 15; i++) await find(target, { ...since(2999), text: { $regex: SLOW } });
        return [await find(target, { ...since(2000), text: { $regex: SLOW } })];
      },
    },
  ];
}
