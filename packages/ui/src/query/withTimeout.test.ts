import { expect, it } from "vitest";
import { withTimeout } from "./withTimeout.ts";

const never = new AbortController().signal;

it("withTimeout() resolves with the result of a read that is in time", async () => {
  expect(await withTimeout(async () => 7, never, 1_000)).toBe(7);
});

it("withTimeout() rejects with a TimeoutError after the timeout, and aborts the read", async () => {
  let received: AbortSignal | undefined;
  const read = ({ signal }: { signal: AbortSignal }) => {
    received = signal;
    return new Promise(() => {});
  };
  await expect(withTimeout(read, never, 5)).rejects.toMatchObject({ name: "TimeoutError" });
  expect(received?.aborted).toBe(true);
});

it("withTimeout() rejects with the abort reason of its caller", async () => {
  const caller = new AbortController();
  const late = withTimeout(() => new Promise(() => {}), caller.signal, 1_000);
  caller.abort(new Error("gone"));
  await expect(late).rejects.toThrow("gone");
});

it("withTimeout() rejects with the error of a failed read", async () => {
  await expect(withTimeout(() => Promise.reject(new Error("refused")), never, 1_000)).rejects.toThrow(
    "refused",
  );
});
