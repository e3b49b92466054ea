import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { startPurse } from "../support/purse.ts";
import { Random } from "../support/random.ts";
import { startSmallServer } from "../support/smallServer.ts";
import { KINDS, type Kind, Workload } from "./workload.ts";

/** How often each database's server is killed; `npm run prove:crashes` does it a thousand times. */
const CYCLES = Number(process.env.PURSE_CRASH_CYCLES ?? 1);
const SEED = Number(process.env.PURSE_SEED ?? 1);
/** Whether a process without all that is not about objects is killed, which takes a part of the time to start. */
const IS_SMALL = process.env.PURSE_SMALL_SERVER === "1";
const OBJECTS_ONLY: readonly Kind[] = KINDS.filter((kind) => kind !== "upload" && kind !== "signUp");
const CLIENTS = 12;
/** How many writes are acknowledged at most after one of each kind, before the server is killed. */
const MAX_WRITES = 200;

describe("a server that is killed repeatedly during writes", () => {
  // Side by side, as each has a server and a database of its own.
  it.concurrent.for(DATABASES)(
    `loses no acknowledged write and duplicates none in ${CYCLES} cycles, on %s`,
    { timeout: 60_000 + CYCLES * 600_000 },
    async (database, { expect }) => {
      const random = new Random(SEED + (database === "SQLite" ? 0 : 1));
      const dataDir = mkdtempSync(join(tmpdir(), "purse-crashes-"));
      const env = await databaseEnv(database);
      const start = () =>
        IS_SMALL ? startSmallServer(dataDir, env.PURSE_DATABASE_URL) : startPurse({ dataDir, env });
      const kinds = IS_SMALL ? OBJECTS_ONLY : KINDS;
      let purse = await start();
      const workload = new Workload(random);
      await workload.prepare(purse);
      for (let cycle = 1; cycle <= CYCLES; cycle++) {
        let isKilled = false;
        const isAcknowledged = workload.acknowledged(kinds, random.integerBelow(MAX_WRITES));
        const writing = workload.run(purse, CLIENTS, () => isKilled, kinds);
        // Amid the other writes.
        await isAcknowledged;
        await purse.kill();
        isKilled = true;
        await writing;
        purse = await start();
        await workload.check(purse);
        if (process.env.PURSE_CRASH_CYCLES && cycle % 10 === 0) {
          console.log(`${database}: ${cycle} cycles`, JSON.stringify(workload.totals));
        }
        if (workload.violations.length > 0) break;
      }
      await purse.remove();
      console.log(`${database}, seed ${SEED}:`, JSON.stringify(workload.totals));
      expect(workload.violations).toEqual([]);
      expect(Object.keys(workload.totals.acked).sort()).toEqual([...kinds].sort());
    },
  );
});
