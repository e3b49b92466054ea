import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Reachability } from "./reachability.ts";

let isUp: boolean;
let probes: number;
let server: Reachability;

beforeEach(() => {
  vi.useFakeTimers();
  isUp = false;
  probes = 0;
  server = new Reachability(async () => {
    probes += 1;
    if (!isUp) throw new Error("refused");
  });
});
afterEach(() => void vi.useRealTimers());

describe("the reachability of a server", () => {
  it("is taken for granted, and nobody probes, until a request has failed", async () => {
    await vi.advanceTimersByTimeAsync(60_000);
    expect([server.get(), probes]).toEqual([true, 0]);
  });

  it("is lost with the first failure, and reported once, however many requests fail", () => {
    const listener = vi.fn();
    server.subscribe(listener);
    server.reportFailure();
    server.reportFailure();
    expect(server.get()).toBe(false);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("comes back with the first probe that is answered", async () => {
    server.reportFailure();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.get()).toBe(false);
    isUp = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.get()).toBe(true);
    const after = probes;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(probes).toBe(after);
  });

  it("comes back with a request that succeeds, which ends the probing", async () => {
    server.reportFailure();
    server.reportSuccess();
    expect(server.get()).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probes).toBe(0);
  });

  it("is probed less often the longer it is lost, but never less than four times a minute", async () => {
    server.reportFailure();
    await vi.advanceTimersByTimeAsync(60_000);
    const first = probes;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first).toBeGreaterThan(probes - first);
    expect(probes - first).toBeGreaterThanOrEqual(4);
  });
});
