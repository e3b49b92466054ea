import pg from "pg";
import { type ExpectStatic, expect as expectInFile, type TestContext } from "vitest";
import type { ChainConfig } from "../src/model/chainConfig.ts";
import { createDatabase, type DatabaseLocation } from "./indexDatabase.ts";
import { proxyNode } from "./proxyNode.ts";
import { dumpIndexes, type IndexerProcess, rebuild, startIndexerProcess } from "./randomHistory.ts";
import { startTestChain } from "./startTestChain.ts";
import { startService, type TestService } from "./testService.ts";

/** Blocks that the node lacks while `gap.isCut`, so that a new index gets no further. */
export const MISSING = { from: 40, end: 60 };
export const WAIT_MS = 60_000;
const POLL = { timeout: WAIT_MS, interval: 20 };
const SWITCHED = "opened the index that has taken the place of another one";

type Ends = (() => Promise<unknown>)[];

async function newPostgres(ends: Ends): Promise<DatabaseLocation & { kind: "postgres" }> {
  const { location, remove } = await createDatabase("PostgreSQL");
  ends.push(remove);
  if (location.kind !== "postgres") throw new Error("the index is not on PostgreSQL");
  return location;
}

/** A chain whose node can lack blocks, and its index in PostgreSQL. Tests that run concurrently pass their own `expect`. */
export async function startChainWithGap(ends: Ends, expect: ExpectStatic = expectInFile) {
  const { chain } = await startTestChain(ends);
  await chain.mine(80);
  const location = await newPostgres(ends);
  const gap = { isCut: false };
  const node = await proxyNode(chain.url, ({ method, params }) => {
    const number = Number(params[0]);
    const isMissing = method === "eth_getBlockByNumber" && number >= MISSING.from && number < MISSING.end;
    return gap.isCut && isMissing ? { result: null } : undefined;
  });
  ends.push(() => node.stop());
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  ends.push(() => client.end());
  return {
    ...{ chain, location, gap },
    async start(settings: Partial<ChainConfig>, database: DatabaseLocation = location): Promise<TestService> {
      const config = { id: chain.chainId, rpcUrls: [node.url], ...settings };
      const service = await startService(config, database);
      ends.push(() => service.stop());
      return service;
    },
    /** Starts a process that can be killed. */
    startProcess(settings: Partial<ChainConfig>): IndexerProcess {
      const process = startIndexerProcess(chain, location, { rpcUrls: [node.url], ...settings });
      ends.push(() => process.kill());
      return process;
    },
    waitForHead: async (service: TestService) => {
      const head = await chain.head();
      return service.waitFor(({ state, indexed }) => state === "following" && indexed === head, WAIT_MS);
    },
    /** Waits until services have opened the index that has taken the place of another one. */
    async waitForSwitch(...services: TestService[]): Promise<void> {
      for (const { log } of services) await expect.poll(() => log.lines.join(), POLL).toContain(SWITCHED);
    },
    /** Expects the index to be the same as one that was built in one go with the settings. */
    async expectSameAsAnew(settings: Partial<ChainConfig> = {}): Promise<void> {
      const anew = await newPostgres(ends);
      await rebuild(chain, anew, settings);
      const [switched, single] = await dumpIndexes(chain, [location, anew]);
      expect(switched).toEqual(single);
    },
    async schemas(): Promise<string[]> {
      const { rows } = await client.query<{ name: string }>(
        "SELECT nspname::text AS name FROM pg_namespace WHERE starts_with(nspname, 'chain_') ORDER BY 1",
      );
      return rows.map(({ name }) => name);
    },
    async dropNext(): Promise<void> {
      await client.query(`DROP SCHEMA chain_${chain.chainId}_next CASCADE`);
    },
    async kindOfLogs(): Promise<string | undefined> {
      const { rows } = await client.query<{ kind: string }>(
        `SELECT relkind::text AS kind FROM pg_class WHERE oid = 'chain_${chain.chainId}.logs'::regclass`,
      );
      return rows[0]?.kind;
    },
    /** A property of the index that is read. */
    async fact(key: string): Promise<string | undefined> {
      const { rows } = await client.query<{ value: string }>(
        `SELECT value FROM chain_${chain.chainId}.facts WHERE key = $1`,
        [key],
      );
      return rows[0]?.value;
    },
  };
}

/** A chain whose services end with the test. */
export function startChainOfTest({ expect, onTestFinished }: TestContext) {
  const ends: Ends = [];
  onTestFinished(async () => {
    for (const end of ends.reverse()) await end();
  });
  return startChainWithGap(ends, expect);
}
