import { afterEach, describe, expect, it, vi } from "vitest";
import { Emitter } from "./emitter.ts";

interface Events {
  change: [value: number];
  state: [];
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("Emitter", () => {
  it("calls a listener until it is removed", () => {
    const emitter = new Emitter<Events>();
    const received: number[] = [];
    const stop = emitter.on("change", (value) => received.push(value));
    emitter.emit("change", 1);
    stop();
    emitter.emit("change", 2);
    expect(received).toEqual([1]);
  });

  it("calls a listener of once() a single time, and off() removes it by the original function", () => {
    const emitter = new Emitter<Events>();
    const first = vi.fn();
    const second = vi.fn();
    emitter.once("change", first);
    emitter.once("change", second);
    emitter.off("change", second);
    emitter.emit("change", 1);
    emitter.emit("change", 2);
    expect(first.mock.calls).toEqual([[1]]);
    expect(second).not.toHaveBeenCalled();
  });

  it("warns once if an event has more than ten listeners", { tags: ["9.event-listener-limit"] }, () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const emitter = new Emitter<Events>(["state"]);
    expect(emitter.getMaxListeners()).toBe(10);
    for (let i = 0; i < 10; i += 1) emitter.on("change", () => {});
    expect(warn).not.toHaveBeenCalled();
    for (let i = 0; i < 5; i += 1) emitter.on("change", () => {});
    expect(warn.mock.calls).toEqual([[expect.stringContaining("11 listeners of change")]]);
    for (let i = 0; i < 20; i += 1) emitter.on("state", () => {});
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("calls the remaining listeners if one throws, and rethrows its error asynchronously", () => {
    vi.useFakeTimers();
    const emitter = new Emitter<Events>();
    const after = vi.fn();
    emitter.on("change", () => {
      throw new Error("the listener's own");
    });
    emitter.on("change", after);
    emitter.emit("change", 1);
    expect(after).toHaveBeenCalledWith(1);
    expect(() => vi.runAllTimers()).toThrow("the listener's own");
  });
});
