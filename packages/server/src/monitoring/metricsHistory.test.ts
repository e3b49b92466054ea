import { expect, it } from "vitest";
import { createMetricsHistory } from "./metricsHistory.ts";

it("createMetricsHistory() shows the size of the database apart from its write-ahead log", async () => {
  const history = createMetricsHistory(
    {
      sockets: () => 2,
      subscriptions: () => 3,
      storage: async () => ({ storageBytes: 4_096, walBytes: 1_000_000 }),
      lagBlocks: () => null,
    },
    (error) => {
      throw error;
    },
  );
  await expect
    .poll(() => history.points().at(-1))
    .toMatchObject({ storageBytes: 4_096, walBytes: 1_000_000, sockets: 2, subscriptions: 3 });
  history.stop();
});
