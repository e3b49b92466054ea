import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { allAttacks } from "../support/hostile/attacks.ts";
import { ANY_WAY, attacksOf, WAYS } from "../support/hostile/ways.ts";

const listed = WAYS.flatMap(([ways]) => ways);
const PRINT_WAYS = join(import.meta.dirname, "../support/hostile/printWays.ts");

interface RegisteredWays {
  ways: string[];
  /** Ways of the studio that need an operator who has signed in, and of the Parse API that need the master key. */
  operatorWays: string[];
  /** What strangers get by the ways that are for operators only. */
  statuses: [way: string, status: number][];
}

describe("the table of ways into the server", () => {
  let registered: RegisteredWays;
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [PRINT_WAYS], {
      maxBuffer: 16 * 1024 ** 2,
    });
    registered = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  }, 120_000);

  it("has a row for each way that the routers, the schema of GraphQL and the tools know", () => {
    const { ways, operatorWays } = registered;
    expect(ways.length).toBeGreaterThan(300);
    expect(ways.filter((way) => !listed.includes(way) && !operatorWays.includes(way))).toEqual([]);
  });

  it("has no rows for ways that do not exist, and no way twice", () => {
    expect(listed.filter((way) => !registered.ways.includes(way))).toEqual([]);
    expect(listed.filter((way, i) => listed.indexOf(way) !== i)).toEqual([]);
  });

  it("excuses ways that are for operators only if requests without credentials are refused", () => {
    const { statuses } = registered;
    expect(statuses.length).toBeGreaterThan(150);
    expect(statuses.filter(([, status]) => status !== 401 && status !== 403)).toEqual([]);
  });

  it("names attacks that exist, and all of them", () => {
    const existing = new Set(allAttacks(1).map(({ route }) => route));
    const named = new Set(WAYS.flatMap(([, tried]) => attacksOf(tried)));
    expect([...named].filter((name) => !existing.has(name))).toEqual([]);
    expect([...existing].filter((name) => !named.has(name) && name !== ANY_WAY)).toEqual([]);
  });
});
