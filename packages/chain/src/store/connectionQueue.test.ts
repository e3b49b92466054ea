import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConnectionQueue } from "./connectionQueue.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Tasks that end on request, in the order in which they began. */
function createTasks(queue: ConnectionQueue) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const start = (name: string, group = name) =>
    queue.run(group, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const endNext = async () => {
    ends.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { begun, start, endNext };
}

describe("ConnectionQueue", () => {
  it("starts the task of a group that waits for its first before further ones of a group with many", async () => {
    const queue = new ConnectionQueue(2, 1_000);
    const { begun, start, endNext } = createTasks(queue);
    for (const name of ["a1", "a2", "a3", "a4", "b1"]) void start(name, name.slice(0, 1));
    expect(begun).toEqual(["a1", "a2"]);
    await endNext();
    expect(begun).toEqual(["a1", "a2", "b1"]);
    await endNext();
    await endNext();
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  });

  it("serves groups in turn, and tasks of one group in their order", async () => {
    const queue = new ConnectionQueue(1, 1_000);
    const { begun, start, endNext } = createTasks(queue);
    for (const name of ["a1", "a2", "b1", "b2", "c1"]) void start(name, name.slice(0, 1));
    for (let ended = 0; ended < 5; ended += 1) await endNext();
    expect(begun).toEqual(["a1", "b1", "c1", "a2", "b2"]);
  });

  it("rejects a task that has waited too long, and never starts it", async () => {
    const queue = new ConnectionQueue(1, 1_000);
    const { begun, start, endNext } = createTasks(queue);
    void start("a");
    const rejected = expect(start("b")).rejects.toThrow("no connection became free within 1 s");
    await vi.advanceTimersByTimeAsync(1_000);
    await rejected;
    await endNext();
    expect(begun).toEqual(["a"]);
    void start("c");
    expect(begun).toEqual(["a", "c"]);
  });

  it("continues after a failed task", async () => {
    const queue = new ConnectionQueue(1, 1_000);
    await expect(queue.run("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(await queue.run("a", async () => 1)).toBe(1);
  });
});
