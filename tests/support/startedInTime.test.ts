import { afterEach, expect, it, vi } from "vitest";
import { limitStart, startedInTime, waitUntilHealthy } from "./startedInTime.ts";

afterEach(() => vi.restoreAllMocks());

it("leaves a server that took its time to start only what is left until the hooks of tests end", async () => {
  const output = () => "its log";
  const limit = limitStart({ devChain: true });
  await startedInTime(Promise.resolve(), limit, output);
  const started = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => started + limit.ms);
  const healthy = waitUntilHealthy("http://127.0.0.1:1", () => undefined, output, limit);
  await expect(healthy).rejects.toThrow(`The server was not healthy within ${limit.ms} ms:\nits log`);
});
