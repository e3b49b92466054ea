import { describe, expect, it, vi } from "vitest";
import { EventQueue } from "./eventQueue.ts";

describe("an event queue", () => {
  it("hands out events in their order, and to a reader that waits at once", async () => {
    const queue = new EventQueue<string>(() => undefined);
    queue.push("a", 1);
    queue.push("b", 1);
    expect(await queue.next()).toEqual({ value: "a", done: false });
    expect(await queue.next()).toEqual({ value: "b", done: false });
    const waiting = queue.next();
    queue.push("c", 1);
    expect(await waiting).toEqual({ value: "c", done: false });
  });

  it("knows the size of what has not been taken", async () => {
    const queue = new EventQueue<string>(() => undefined);
    queue.push("a", 10);
    queue.push("b", 5);
    expect(queue.bytes).toBe(15);
    await queue.next();
    expect(queue.bytes).toBe(5);
    await queue.return();
    expect(queue.bytes).toBe(0);
  });

  it("knows the size of what its reader processes as well, until it asks for the next event", async () => {
    const queue = new EventQueue<string>(() => undefined);
    const waiting = queue.next();
    queue.push("a", 10);
    queue.push("b", 5);
    await waiting;
    expect(queue.heldBytes).toBe(15);
    await queue.next();
    expect(queue.heldBytes).toBe(5);
    await queue.return();
    expect(queue.heldBytes).toBe(0);
  });

  it("adds its sizes to those of others, as long as it has events", async () => {
    const sizes = { bytes: 0, heldBytes: 0 };
    const [first, second] = [1, 2].map(() => new EventQueue<string>(() => undefined, sizes));
    first?.push("a", 10);
    second?.push("b", 5);
    expect(sizes).toEqual({ bytes: 15, heldBytes: 15 });
    await first?.next();
    expect(sizes).toEqual({ bytes: 5, heldBytes: 15 });
    await first?.return();
    second?.drop();
    expect(sizes).toEqual({ bytes: 0, heldBytes: 0 });
  });

  it("hands out what is left before it ends, and takes nothing more", async () => {
    const queue = new EventQueue<string>(() => undefined);
    queue.push("a", 1);
    queue.end();
    queue.push("b", 1);
    expect(await queue.next()).toEqual({ value: "a", done: false });
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it("ends a reader that waits when it ends", async () => {
    const queue = new EventQueue<string>(() => undefined);
    const waiting = queue.next();
    queue.end();
    expect(await waiting).toEqual({ value: undefined, done: true });
  });

  it("reports a reader that stops early", async () => {
    const onReturn = vi.fn();
    const queue = new EventQueue<string>(onReturn);
    queue.push("a", 1);
    for await (const _ of queue) break;
    expect(onReturn).toHaveBeenCalledOnce();
  });

  it.each([
    ["waits", true],
    ["comes later", false],
  ])("throws the error with which it ends, once, for a reader that %s", async (_, isWaiting) => {
    const queue = new EventQueue<string>(() => undefined);
    const waiting = isWaiting ? queue.next() : undefined;
    queue.end(new Error("too expensive"));
    await expect(waiting ?? queue.next()).rejects.toThrow("too expensive");
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });
});
