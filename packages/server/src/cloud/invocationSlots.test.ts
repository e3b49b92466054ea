import { describe, expect, it } from "vitest";
import { InvocationSlots } from "./invocationSlots.ts";

/** The server's and the thread's view of the same memory. */
function bothSides() {
  const server = new InvocationSlots();
  return { server, thread: new InvocationSlots(server.buffer) };
}

describe("InvocationSlots", () => {
  it("lets an offered invocation either begin or be withdrawn, once", () => {
    const { server, thread } = bothSides();
    for (const id of [1, 2]) expect(server.offer(id)).toBe(true);
    expect([thread.begin(1), server.isOffered(1), server.withdraw(1)]).toEqual([true, false, false]);
    expect([server.withdraw(2), thread.begin(2), server.withdraw(2)]).toEqual([true, false, false]);
  });

  it("has no capacity for an invocation as long as the one that has its slot waits", () => {
    const { server, thread } = bothSides();
    const ids = Array.from({ length: 64 }, (_, i) => i + 1);
    expect(ids.every((id) => server.offer(id))).toBe(true);
    expect(server.offer(65)).toBe(false);
    thread.begin(1);
    expect([server.offer(65), server.isOffered(65)]).toEqual([true, true]);
  });

  it("shows the server which invocation runs, and that the thread makes progress", () => {
    const { server, thread } = bothSides();
    const { progress } = server;
    thread.setCurrent(7);
    expect([server.current, server.progress]).toEqual([7, progress + 1]);
    thread.advance();
    expect(server.progress).toBe(progress + 2);
  });

  it("starts its IDs again after the last that it can store", () => {
    expect([InvocationSlots.nextId(0), InvocationSlots.nextId(2 ** 31 - 1)]).toEqual([1, 1]);
  });
});
