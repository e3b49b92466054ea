import { describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { type CommitFault, startPostgresProxy } from "../support/postgresProxy.ts";
import { hostPurse } from "../support/purse.ts";
import { Random } from "../support/random.ts";
import { KINDS, type Kind, Workload } from "./workload.ts";

/** How often a commit is lost; `npm run prove:commits` does it five hundred times. */
const ROUNDS = Number(process.env.PURSE_COMMIT_ROUNDS ?? 3);
const SEED = Number(process.env.PURSE_SEED ?? 1);
const BURST = 30;
/** One after the other. */
const FAULTS: readonly CommitFault[] = ["loseResponse", "loseRequest", "deliverLate"];
/** What is written into the database. */
const WRITES: readonly Kind[] = KINDS.filter((kind) => kind !== "upload");

describe("a server that loses commits on the connection to PostgreSQL", () => {
  it(
    `duplicates no write and rejects no write that was committed, in ${ROUNDS} rounds`,
    async () => {
      const random = new Random(SEED);
      const env = await databaseEnv("PostgreSQL");
      const proxy = await startPostgresProxy(env.PURSE_DATABASE_URL ?? "");
      const purse = await hostPurse({
        env: { ...env, PURSE_DATABASE_URL: proxy.url(env.PURSE_DATABASE_URL ?? "") },
      });
      const workload = new Workload(random);
      await workload.prepare(purse);
      let lost = 0;
      for (let round = 1; lost < ROUNDS; round++) {
        // One of the commits of a burst is lost.
        let commitsUntilFault = random.integerBelow(8);
        const before = proxy.lost;
        proxy.onCommit(() => (commitsUntilFault-- === 0 ? FAULTS[lost % FAULTS.length] : undefined));
        await Promise.all(Array.from({ length: BURST }, () => workload.runOne(purse, random.pick(WRITES))));
        proxy.onCommit(undefined);
        lost += proxy.lost - before;
        await workload.check(purse);
        if (workload.violations.length > 0) break;
        if (process.env.PURSE_COMMIT_ROUNDS && round % 25 === 0) {
          console.log(`${lost} commits lost`, JSON.stringify(workload.totals));
        }
      }
      await purse.remove();
      await proxy.close();
      console.log(`${lost} commits lost, seed ${SEED}:`, JSON.stringify(workload.totals));
      expect(workload.violations).toEqual([]);
      // Every client has received a successful response.
      expect(workload.totals.unknown).toBe(0);
      expect(workload.totals.refused).toBe(0);
    },
    120_000 + ROUNDS * 30_000,
  );
});
