import { afterEach, describe, expect, it, vi } from "vitest";
import { Emitter } from "./emitter.ts";

interface Events {
  told: [value: number];
  state: [];
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("Emitter", () => {
  it("tells listeners until they stop listening", () => {
    const emitter = new Emitter<Events>();
    const told: number[] = [];
    const stop = emitter.on("told", (value) => told.push(value));
    emitter.emit("told", 1);
    stop();
    emitter.emit("told", 2);
    expect(told).toEqual([1]);
  });

  it("tells those of once one time, and forgets them by the function that they were given as", () => {
    const emitter = new Emitter<Events>();
    const first = vi.fn();
    const second = vi.fn();
    emitter.once("told", first);
    emitter.once("told", second);
    emitter.off("told", second);
    emitter.emit("told", 1);
    emitter.emit("told", 2);
    expect(first.mock.calls).toEqual([[1]]);
    expect(second).not.toHaveBeenCalled();
  });

  it("[9.event-listener-limit] warns once of more than ten listeners of an event", () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const emitter = new Emitter<Events>(["state"]);
    expect(emitter.getMaxListeners()).toBe(10);
    for (let i = 0; i < 10; i += 1) emitter.on("told", () => {});
    expect(warn).not.toHaveBeenCalled();
    for (let i = 0; i < 5; i += 1) emitter.on("told", () => {});
    expect(warn.mock.calls).toEqual([[expect.stringContaining("11 listeners of told")]]);
    for (let i = 0; i < 20; i += 1) emitter.on("state", () => {});
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("goes on with the others where a listener throws, and lets its error show up", () => {
    vi.useFakeTimers();
    const emitter = new Emitter<Events>();
    const after = vi.fn();
    emitter.on("told", () => {
      throw new Error("the listener's own");
    });
    emitter.on("told", after);
    emitter.emit("told", 1);
    expect(after).toHaveBeenCalledWith(1);
    expect(() => vi.runAllTimers()).toThrow("the listener's own");
  });
});
