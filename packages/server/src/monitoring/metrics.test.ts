import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ClassSchema } from "../database/classSchema.ts";
import { openStore } from "../database/openStore.ts";
import { createMetrics, type MetricSources } from "./metrics.ts";

const AT = "2026-01-01T00:00:00.000Z";
const schema: ClassSchema = {
  className: "Post",
  table: "Post",
  fields: {},
  classLevelPermissions: {},
  indexes: {},
};

it("purse_store_errors_total counts creates that the database failed to write, but not duplicate IDs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-metrics-"));
  const metrics = createMetrics();
  const store = metrics.instrumentStore(
    await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") }),
  );
  const create = { kind: "create" as const, schema, id: "a", at: AT, object: { objectId: "a" } };
  await store.changeClass("Post", () => schema);
  const [created, taken] = await store.createEach([create, create]);
  expect([typeof created, taken]).toEqual(["string", expect.objectContaining({ code: 137 })]);
  expect(await metrics.text()).not.toContain('call="createEach"');
  await store.close();
  expect(await store.createEach([create, create])).toEqual([expect.any(Error), expect.any(Error)]);
  expect(await metrics.text()).toContain('purse_store_errors_total{call="createEach"} 2');
  metrics.close();
  rmSync(folder, { recursive: true });
});

it("purse_chain_rebuild_blocks and purse_chain_rebuild_missing_blocks exist while an index is built beside another", async () => {
  const metrics = createMetrics();
  const chain = { name: "eth", state: "following" as const, head: 9, indexed: 9, lag: 0 };
  let chains: ReturnType<MetricSources["chains"]> = [{ ...chain, rebuild: { blocks: 4, missing: 6 } }];
  metrics.observe({
    sockets: () => 0,
    subscriptions: () => 0,
    changeLogDelayMs: () => 0,
    isDatabaseAvailable: () => true,
    leases: () => [],
    workers: () => [],
    chains: () => chains,
  });
  const samples = async () => (await metrics.text()).match(/^purse_chain_rebuild_.*$/gm);
  expect(await samples()).toEqual([
    'purse_chain_rebuild_blocks{chain="eth"} 4',
    'purse_chain_rebuild_missing_blocks{chain="eth"} 6',
  ]);
  chains = [{ ...chain, rebuild: { blocks: 0, missing: null } }];
  expect(await samples()).toEqual(['purse_chain_rebuild_blocks{chain="eth"} 0']);
  chains = [chain];
  expect(await samples()).toBeNull();
  metrics.close();
});

it("the metrics of several processes have the lag of the slowest event loop", async () => {
  const metrics = createMetrics({
    shareMetrics(read) {
      return async () => {
        const lags = (await read()).filter(({ name }) => name === "nodejs_eventloop_lag_p99_seconds");
        return [lags, lags.map((metric) => ({ ...metric, values: [{ value: 7, labels: {} }] }))];
      };
    },
  });
  expect(await metrics.text()).toContain("nodejs_eventloop_lag_p99_seconds 7\n");
  metrics.close();
});
