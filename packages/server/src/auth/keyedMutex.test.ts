import { describe, expect, it } from "vitest";
import { KeyedMutex } from "./keyedMutex.ts";

/** A task that runs until it is told to end. */
function openTask() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let isRunning = false;
  const work = () => {
    isRunning = true;
    return promise;
  };
  return { work, end: resolve, fail: reject, isRunning: () => isRunning };
}

/** Lets what is ready run. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("the tasks of one key", () => {
  it("run one after the other", async () => {
    const mutex = new KeyedMutex();
    const [first, second] = [openTask(), openTask()];
    const results = [mutex.run("a", first.work), mutex.run("a", second.work)];
    await turn();
    expect([first.isRunning(), second.isRunning()]).toEqual([true, false]);
    first.end("one");
    second.end("two");
    expect(await Promise.all(results)).toEqual(["one", "two"]);
  });

  it("run although the one before has failed, whose caller gets the error", async () => {
    const mutex = new KeyedMutex();
    const [first, second] = [openTask(), openTask()];
    const failed = expect(mutex.run("a", first.work)).rejects.toThrow("no");
    const result = mutex.run("a", second.work);
    first.fail(new Error("no"));
    second.end("two");
    await failed;
    expect(await result).toBe("two");
  });
});

it("the tasks of different keys run concurrently", async () => {
  const mutex = new KeyedMutex();
  const [first, second] = [openTask(), openTask()];
  const results = [mutex.run("a", first.work), mutex.run("b", second.work)];
  await turn();
  expect([first.isRunning(), second.isRunning()]).toEqual([true, true]);
  first.end("one");
  second.end("two");
  await Promise.all(results);
});
