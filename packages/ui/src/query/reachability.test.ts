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
  it("is assumed, without probes, until a request fails", async () => {
    await vi.advanceTimersByTimeAsync(60_000);
    expect([server.get(), probes]).toEqual([true, 0]);
  });

  it("is lost after the first failure, and reported once", () => {
    const listener = vi.fn();
    server.subscribe(listener);
    server.reportFailure();
    server.reportFailure();
    expect(server.get()).toBe(false);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("is restored by the first successful probe", async () => {
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

  it("is restored by a successful request, which ends the probes", async () => {
    server.reportFailure();
    server.reportSuccess();
    expect(server.get()).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probes).toBe(0);
  });

  it("is probed less often over time, but at least four times a minute", async () => {
    server.reportFailure();
    await vi.advanceTimersByTimeAsync(60_000);
    const first = probes;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(first).toBeGreaterThan(probes - first);
    expect(probes - first).toBeGreaterThanOrEqual(4);
  });
});
