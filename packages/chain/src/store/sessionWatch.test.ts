import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchSession } from "./sessionWatch.ts";

let states: (string | undefined | Error)[];
let destroyed: string[];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  destroyed = [];
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

function watch(...found: (string | undefined | Error)[]): void {
  states = found;
  stop = watchSession({
    async readState() {
      const state = states.shift();
      if (state instanceof Error) throw state;
      return state;
    },
    destroy: (error) => destroyed.push(error.message),
  });
}

it.each([
  ["is idle", "idle"],
  ["waits in its transaction", "idle in transaction"],
  ["has ended", undefined],
])("breaks a connection whose session %s at two successive polls", async (_, state) => {
  watch(state, state);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(destroyed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(destroyed).toEqual(["Connection terminated: the response to a finished statement was lost"]);
});

it("does not break a connection whose session works, or cannot be asked about", async () => {
  watch("active", "idle", "active", "idle", new Error("unreachable"), "idle", "active");
  await vi.advanceTimersByTimeAsync(27_000);
  expect([states, destroyed]).toEqual([[], []]);
});

it("does not break a connection whose session has worked between two polls at which it waited", async () => {
  watch(
    "idle in transaction since 1",
    "idle in transaction since 2",
    "idle in transaction since 3",
    "active",
  );
  await vi.advanceTimersByTimeAsync(12_000);
  expect([states, destroyed]).toEqual([[], []]);
});

it("does not break a connection after the end of the watch", async () => {
  watch("idle", "idle");
  await vi.advanceTimersByTimeAsync(1_000);
  stop();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(destroyed).toEqual([]);
});
