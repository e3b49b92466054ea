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

  it("gives its result to all requests", async () => {
    const { read, finish } = startRead();
    const results = [read.join(undefined), read.join(new AbortController().signal)];
    finish("rows");
    expect(await Promise.all(results)).toEqual(["rows", "rows"]);
  });

  it("continues as long as one request waits for it", () => {
    const { read, isAborted } = startRead();
    const [first, second] = [new AbortController(), new AbortController()];
    void read.join(first.signal);
    void read.join(second.signal);
    first.abort();
    expect(isAborted()).toBe(false);
    second.abort();
    expect(isAborted()).toBe(true);
  });

  it("is not aborted after its result", async () => {
    const { read, finish, isAborted } = startRead();
    const request = new AbortController();
    finish("rows");
    await read.join(request.signal);
    request.abort();
    expect(isAborted()).toBe(false);
  });
});
