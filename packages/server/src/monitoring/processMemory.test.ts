import { expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

it.runIf(process.platform === "linux")(
  "purse_memory_bytes tells the memory that the process has allocated from the files that it has mapped",
  async () => {
    const metrics = createMetrics();
    const text = await metrics.text();
    metrics.close();
    const bytes = (kind: string) =>
      Number(new RegExp(`^purse_memory_bytes{kind="${kind}"} (\\d+)$`, "m").exec(text)?.[1]);
    expect(bytes("allocated")).toBeGreaterThan(process.memoryUsage().heapUsed / 2);
    expect(bytes("mapped")).toBeGreaterThan(1_000_000);
    const resident = process.memoryUsage.rss();
    expect(bytes("allocated") + bytes("mapped")).toBeLessThan(resident * 1.5);
  },
);
