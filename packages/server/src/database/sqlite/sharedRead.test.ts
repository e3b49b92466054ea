import { describe, expect, it } from "vitest";
import { SharedRead } from "./sharedRead.ts";

describe("SharedRead", () => {
  function startRead() {
    const { promise, resolve } = Promise.withResolvers<string>();
    const signals: AbortSignal[] = [];
    const read = new SharedRead((signal) => {
      signals.push(signal);
      return promise;
    });
    return { read, finish: resolve, isAborted: () => signals.some((signal) => signal.aborted) };
  }

  const gone = () => new Error("gone");

  it("gives its result to all requests", async () => {
    const { read, finish } = startRead();
    const results = [read.join(undefined, gone), read.join(new AbortController().signal, gone)];
    finish("rows");
    expect(await Promise.all(results)).toEqual(["rows", "rows"]);
  });

  it("continues as long as one request waits for it", async () => {
    const { read, isAborted } = startRead();
    const [first, second] = [new AbortController(), new AbortController()];
    const left = read.join(first.signal, gone);
    void read.join(second.signal, gone);
    first.abort();
    await expect(left).rejects.toThrow("gone");
    expect(isAborted()).toBe(false);
    second.abort();
    expect(isAborted()).toBe(true);
    expect(read.isAborted).toBe(true);
  });

  it("is not aborted after its result", async () => {
    const { read, finish, isAborted } = startRead();
    const request = new AbortController();
    finish("rows");
    await read.join(request.signal, gone);
    request.abort();
    expect(isAborted()).toBe(false);
  });
});
