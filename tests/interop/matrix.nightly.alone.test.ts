import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse } from "../support/purse.ts";
import { type ClientRun, MATRIX, REACT_MATRIX, runClient } from "./matrix/clients.ts";

/** The clients that `npm test` installs; `npm run interop` runs many more versions. */
const CLIENTS: ClientRun[] = [
  { client: "parse", module: "parse" },
  { client: "moralis", module: "moralis" },
  { client: "@purse/client", module: "@purse/client" },
];

describe.each(DATABASES)("the scenario of the client matrix, on %s", (database) => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ cloudCode: true, devChain: true, env: await databaseEnv(database) });
  });
  afterAll(() => purse?.remove());

  it.each(CLIENTS)("passes with $client", async (client) => {
    const outcomes = await runClient(client, purse, import.meta.dirname);
    expect(outcomes.length).toBeGreaterThan(50);
    expect(outcomes.filter(({ result }) => result === "failed")).toEqual([]);
    expect(outcomes.filter(({ result }) => result === "absent")).toEqual([]);
  });
});

it("installs every client that the matrix names", () => {
  const { dependencies } = JSON.parse(
    readFileSync(new URL("./matrix/package.json", import.meta.url), "utf8"),
  );
  const modules = [...MATRIX, ...REACT_MATRIX].flatMap(({ module, moralis }) => [module, moralis ?? module]);
  const foreign = modules.filter((module) => !module.startsWith("@purse/"));
  expect(foreign.filter((module) => !(module in dependencies))).toEqual([]);
});
