import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createQueryClient, lastErrorOf } from "./queryClient.ts";
import { reachability } from "./reachability.ts";

const NETWORK_ERROR = { code: 100, message: "XMLHttpRequest failed" };

let key: string[];
let round = 0;
let reads: number;
let respond: () => Promise<string>;
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  // Probes always succeed, so that only reads determine the reachability.
  vi.stubGlobal("fetch", () => Promise.reject(new Error("refused")));
  // What one test has read is nothing to the next.
  round += 1;
  key = ["tokens", String(round)];
  reads = 0;
  respond = () => Promise.resolve("tokens");
});
afterEach(() => {
  stop();
  reachability.reportSuccess();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function observe() {
  const client = createQueryClient();
  const observer = new QueryObserver(client, {
    queryKey: key,
    queryFn: () => {
      reads += 1;
      return respond();
    },
  });
  stop = observer.subscribe(() => {});
  return observer;
}

describe("the query client", () => {
  it("keeps the previous data when a read fails", async () => {
    const observer = observe();
    await vi.advanceTimersByTimeAsync(0);
    respond = () => Promise.reject(NETWORK_ERROR);
    await observer.refetch();
    expect(observer.getCurrentResult()).toMatchObject({ data: "tokens", error: NETWORK_ERROR });
  });

  it("retries transient errors automatically", async () => {
    respond = () => Promise.reject(NETWORK_ERROR);
    observe();
    await vi.advanceTimersByTimeAsync(16_000);
    expect(reads).toBe(2);
  });

  it("does not retry rejected reads", async () => {
    respond = () => Promise.reject({ code: 119, message: "unauthorized" });
    observe();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(reads).toBe(1);
  });

  it("retries failed reads as soon as the server is reachable", async () => {
    respond = () => Promise.reject(NETWORK_ERROR);
    const observer = observe();
    await vi.advanceTimersByTimeAsync(0);
    expect(reachability.get()).toBe(false);
    respond = () => Promise.resolve("tokens");
    reachability.reportSuccess();
    await vi.advanceTimersByTimeAsync(0);
    expect(observer.getCurrentResult()).toMatchObject({ data: "tokens", error: null });
  });

  it("remembers the error of a read without data during a retry", async () => {
    respond = () => Promise.reject(NETWORK_ERROR);
    const observer = observe();
    await vi.advanceTimersByTimeAsync(0);
    respond = () => new Promise(() => {});
    void observer.refetch();
    expect(observer.getCurrentResult().error).toBeNull();
    expect(lastErrorOf(key)).toBe(NETWORK_ERROR);
  });
});
