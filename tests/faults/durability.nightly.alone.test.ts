import { isJsonObject } from "@purse/protocol";
import { describe, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { query, rest, startPurse } from "../support/purse.ts";

const CLIENTS = 16;

describe("a server that is killed while objects are created", () => {
  it.concurrent.for(DATABASES)(
    "keeps every acknowledged object unchanged, and contains no object that was not sent, on %s",
    { timeout: 120_000 },
    async (database, { expect }) => {
      const env = await databaseEnv(database);
      const purse = await startPurse({ env });
      /** The returned IDs by the sent numbers; undefined without a response. */
      const sent = new Map<number, string | undefined>();
      let isKilled = false;
      const acknowledged = () => [...sent].filter(([, objectId]) => objectId !== undefined);
      const worker = async () => {
        while (!isKilled) {
          const n = sent.size;
          sent.set(n, undefined);
          const answer = await rest(purse, "POST", "/classes/Kept", { n }).catch(() => undefined);
          if (answer?.status === 201) sent.set(n, String(answer.body.objectId));
        }
      };
      const workers = Array.from({ length: CLIENTS }, worker);
      // In the middle of what is being written.
      await expect.poll(() => acknowledged().length, { timeout: 30_000, interval: 10 }).toBeGreaterThan(300);
      await purse.kill();
      isKilled = true;
      await Promise.all(workers);

      const restarted = await startPurse({ dataDir: purse.dataDir, env });
      try {
        const { body } = await rest(restarted, "GET", `/classes/Kept${query({ limit: 1_000_000 })}`);
        const rows = Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
        const stored = new Map(rows.map(({ objectId, n }) => [String(objectId), n]));
        const lost = acknowledged().filter(([n, objectId]) => stored.get(objectId ?? "") !== n);
        expect(lost).toEqual([]);
        // Each at most once; beyond the acknowledged ones only those that were under way.
        expect(new Set(stored.values()).size).toBe(stored.size);
        expect(rows.filter(({ n }) => !sent.has(Number(n)))).toEqual([]);
        expect(stored.size - acknowledged().length).toBeLessThanOrEqual(CLIENTS);
        expect((await rest(restarted, "POST", "/classes/Kept", { n: -1 })).status).toBe(201);
      } finally {
        await restarted.remove();
      }
    },
  );
});
