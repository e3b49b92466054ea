import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ChainClient, createChainClient } from "../support/chainClient.ts";
import { databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, type PurseProcess, startPurse } from "../support/purse.ts";

interface Term {
  holder: string;
  fence: number;
}

const FREEZE_MS = 60_000;

describe("the leader election of several processes on one PostgreSQL", () => {
  let node: Purse;
  let hand: ChainClient;
  let processes: PurseProcess[];
  let sql: postgres.Sql;
  const frozen = new Set<number>();

  beforeAll(async () => {
    node = await hostPurse({ devChain: true });
    hand = await createChainClient(node);
    const env: Record<string, string> = {
      ...(await databaseEnv("PostgreSQL")),
      PURSE_CHAIN_LOCALDEVCHAIN_RPC_URL: node.rpcUrl,
    };
    sql = postgres(env.PURSE_DATABASE_URL ?? "", { max: 1, onnotice: () => undefined });
    processes = await Promise.all([startPurse({ env }), startPurse({ env })]);
  });
  afterAll(async () => {
    for (const pid of frozen) process.kill(pid, "SIGCONT");
    await sql?.end();
    await Promise.all([node, ...(processes ?? [])].map((purse) => purse?.remove()));
  });

  async function health(purse: PurseProcess) {
    const answer = await fetch(`${purse.url}/health`);
    const body: { chains: { term?: number; state: string }[]; leases: { name: string; term: number }[] } =
      await answer.json();
    return body;
  }
  async function leadsIndex(purse: PurseProcess): Promise<boolean> {
    return (await health(purse)).chains.some(({ term }) => term !== undefined);
  }
  async function leadsWatches(purse: PurseProcess): Promise<boolean> {
    return (await health(purse)).leases.some(({ name }) => name === "chain-watch");
  }
  /** The term of the index of the chain, or of a lease of the server's by its name. */
  async function termOf(lease: string | undefined): Promise<Term> {
    const from = lease ? sql`purse_leases WHERE name = ${lease} AND` : sql`chain_1337.lease WHERE`;
    const [row] = await sql<Term[]>`SELECT holder, fence::int FROM ${from} expires_at > clock_timestamp()`;
    return row ?? { holder: "", fence: 0 };
  }

  it.each([
    ["the index of a chain", undefined, leadsIndex],
    ["the watches of chains", "chain-watch", leadsWatches],
  ])("replaces a frozen leader of %s, which steps down when it resumes", async (_, lease, leads) => {
    const holding = async () => Promise.all(processes.map(leads));
    await expect.poll(async () => (await holding()).filter(Boolean).length, { timeout: 20_000 }).toBe(1);
    const leader = processes[(await holding()).indexOf(true)];
    const other = processes.find((each) => each !== leader);
    if (!leader || !other) throw new Error("nobody leads");
    const before = await termOf(lease);
    await hand.mine(3);
    process.kill(leader.pid, "SIGSTOP");
    frozen.add(leader.pid);
    let after = before;
    await expect
      .poll(
        async () => {
          const term = await termOf(lease);
          if (term.holder !== "") after = term;
          return term.holder !== "" && term.holder !== before.holder;
        },
        { timeout: FREEZE_MS, interval: 50 },
      )
      .toBe(true);
    expect(after.fence).toBeGreaterThan(before.fence);
    await expect.poll(() => leads(other)).toBe(true);
    await hand.mine(3);

    process.kill(leader.pid, "SIGCONT");
    frozen.delete(leader.pid);
    await expect.poll(() => leads(leader), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => leader.output(), { timeout: 10_000 }).toContain("stands down");
    expect((await termOf(lease)).holder).toBe(after.holder);
  });

  it("indexes each block once, whatever process was the leader", async () => {
    await hand.mine(3);
    await expect
      .poll(async () => Number((await sql`SELECT count(*) FROM chain_1337.blocks`)[0]?.count))
      .toBeGreaterThan(9);
    const [counts] = await sql<{ blocks: number; numbers: number; span: number }[]>`
      SELECT count(*)::int AS blocks, count(DISTINCT number)::int AS numbers, (max(number) - min(number) + 1)::int AS span
      FROM chain_1337.blocks`;
    expect(counts?.numbers).toBe(counts?.blocks);
    expect(counts?.span).toBe(counts?.blocks);
  });
});
