import postgres from "postgres";
import { expect } from "vitest";
import { until } from "../../support/until.ts";
import type { ChaosNode } from "./nodes.ts";

/** How long after a leader froze another node must have taken over its work, in ms. */
const MAX_TAKEOVER_MS = 5_000;
/** How long is waited for a leader, and for one that was frozen to stand down, in ms. */
const PATIENCE = { timeout: 30_000, interval: 100 };

interface Term {
  lease: string;
  holder: string;
  fence: number;
  /** The clock of the database, in ms. */
  at: number;
}

/** The work of a frozen leader is taken over within seconds, and the leader is fenced when it resumes. */
export class Takeovers {
  readonly violations: string[] = [];
  readonly #milliseconds: number[] = [];
  readonly #sql: postgres.Sql;

  constructor(databaseUrl: string) {
    this.#sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  }

  /** The number of leases that were taken over, and how long it took in ms. */
  get metrics() {
    const sorted = [...this.#milliseconds].sort((a, b) => a - b);
    return {
      leases: sorted.length,
      medianMs: sorted[Math.floor(sorted.length / 2)],
      longestMs: sorted.at(-1),
    };
  }

  /** Freezes the node that indexes the chain until others have all of its leases. */
  async run(nodes: readonly ChaosNode[]): Promise<void> {
    const leader = await this.#leader(nodes);
    if (!leader.process) throw new Error("the leader has no process of its own");
    const leases = await leasesOf(leader);
    const before = (await this.#terms()).filter(({ lease }) => leases.includes(lease));
    process.kill(leader.process.pid, "SIGSTOP");
    const frozenAt = await this.#now();
    const after = new Map<string, Term>();
    try {
      const deadline = performance.now() + PATIENCE.timeout;
      await until(async () => {
        for (const term of await this.#terms()) {
          const old = before.find(({ lease }) => lease === term.lease);
          if (!old || old.holder === term.holder || after.has(term.lease)) continue;
          after.set(term.lease, term);
          this.#record(term, old, term.at - frozenAt);
        }
        return after.size === before.length || performance.now() > deadline;
      });
    } finally {
      process.kill(leader.process.pid, "SIGCONT");
    }
    for (const { lease } of before)
      if (!after.has(lease)) this.violations.push(`nobody took over the lease ${lease} of a frozen node`);
    await expect
      .poll(async () => (await leasesOf(leader)).filter((lease) => after.has(lease)), PATIENCE)
      .toEqual([]);
  }

  async close(): Promise<void> {
    await this.#sql.end();
  }

  #record({ lease, fence }: Term, old: Term, milliseconds: number): void {
    this.#milliseconds.push(Math.round(milliseconds));
    if (fence <= old.fence)
      this.violations.push(`the term ${fence} of ${lease} does not follow ${old.fence}`);
    if (milliseconds > MAX_TAKEOVER_MS)
      this.violations.push(`the lease ${lease} was taken over after ${Math.round(milliseconds)} ms`);
  }

  async #leader(nodes: readonly ChaosNode[]): Promise<ChaosNode> {
    const found: ChaosNode[] = [];
    const count = async () => {
      found.length = 0;
      for (const node of nodes) if ((await leasesOf(node)).includes("index")) found.push(node);
      return found.length;
    };
    await expect.poll(count, PATIENCE).toBe(1);
    const [leader] = found;
    if (!leader) throw new Error("no node indexes the chain");
    return leader;
  }

  async #now(): Promise<number> {
    const [row] = await this.#sql<{ at: number }[]>`
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at`;
    return row?.at ?? 0;
  }

  /** The current terms of all leases. */
  async #terms(): Promise<Term[]> {
    return this.#sql<Term[]>`
      SELECT lease, holder, fence::int, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at
      FROM (SELECT name AS lease, holder, fence, expires_at FROM purse_leases
        UNION ALL SELECT 'index', holder, fence, expires_at FROM chain_1337.lease) AS leases
      WHERE expires_at > clock_timestamp()`;
  }
}

/** The leases that a node holds, by what it says. */
async function leasesOf({ purse }: ChaosNode): Promise<string[]> {
  const response = await fetch(`${purse.url}/health`);
  const { chains, leases }: { chains: { term?: number }[]; leases: { name: string }[] } =
    await response.json();
  const isIndexer = chains.some(({ term }) => term !== undefined);
  return [...leases.map(({ name }) => name), ...(isIndexer ? ["index"] : [])];
}
