import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allAttacks } from "../support/hostile/attacks.ts";
import { openRegisteredWays, type RegisteredWays } from "../support/hostile/registeredWays.ts";
import { ANY_WAY, attacksOf, WAYS } from "../support/hostile/ways.ts";

const listed = WAYS.flatMap(([ways]) => ways);

describe("the table of ways into the server", () => {
  let registered: RegisteredWays;
  beforeAll(async () => {
    registered = await openRegisteredWays();
  });
  afterAll(() => registered?.close());

  it("has a row for each way that the routers, the schema of GraphQL and the tools know", () => {
    const { ways, operatorWays } = registered;
    expect(ways.length).toBeGreaterThan(300);
    expect(ways.filter((way) => !listed.includes(way) && !operatorWays.has(way))).toEqual([]);
  });

  it("has no rows for ways that do not exist, and no way twice", () => {
    expect(listed.filter((way) => !registered.ways.includes(way))).toEqual([]);
    expect(listed.filter((way, i) => listed.indexOf(way) !== i)).toEqual([]);
  });

  it("excuses ways that are for operators only if requests without credentials are refused", async () => {
    const refused = [
      ...registered.operatorWays,
      ...WAYS.flatMap(([ways, tried]) => ("why" in tried && tried.isRefused ? ways : [])),
    ];
    expect(refused.length).toBeGreaterThan(150);
    const statuses = await Promise.all(
      refused.map(async (way) => [way, await registered.sendAsStranger(way)] as const),
    );
    expect(statuses.filter(([, status]) => status !== 401 && status !== 403)).toEqual([]);
  });

  it("names attacks that exist, and all of them", () => {
    const existing = new Set(allAttacks(1).map(({ route }) => route));
    const named = new Set(WAYS.flatMap(([, tried]) => attacksOf(tried)));
    expect([...named].filter((name) => !existing.has(name))).toEqual([]);
    expect([...existing].filter((name) => !named.has(name) && name !== ANY_WAY)).toEqual([]);
  });
});
