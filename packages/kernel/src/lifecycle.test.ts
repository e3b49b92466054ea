import { describe, expect, it } from "vitest";
import { Lifecycle, type LifecycleOptions } from "./lifecycle.ts";
import type { LogFields, Logger } from "./logger.ts";

/** A logger that writes `message name=value` lines. */
function loggerOf(write: (line: string) => void): Logger {
  const log = (message: string, fields: LogFields = {}) =>
    write([message, ...Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`)].join(" "));
  return { debug: log, info: log, warn: log, error: log, with: () => loggerOf(write) };
}

function setUp(options: LifecycleOptions = {}) {
  const lines: string[] = [];
  const done: string[] = [];
  const logger = loggerOf((line) => lines.push(line));
  const lifecycle = new Lifecycle(logger, options);
  const open = (name: string) =>
    lifecycle.open(
      name,
      async () => {
        done.push(`open ${name}`);
        return name;
      },
      async (opened) => {
        done.push(`stop ${opened}`);
      },
    );
  return { lifecycle, open, done, lines };
}

describe("Lifecycle", () => {
  it("stops what was opened in reverse order, and only once", async () => {
    const { lifecycle, open, done } = setUp();
    await open("store");
    await open("server");
    await lifecycle.stop();
    await lifecycle.stop();
    expect(done).toEqual(["open store", "open server", "stop server", "stop store"]);
  });

  it("stops what was opened so far when startup fails, and throws its error", async () => {
    const { lifecycle, open, done } = setUp();
    const started = lifecycle.stopOnFailure(async () => {
      await open("store");
      throw new Error("the port is taken");
    });
    await expect(started).rejects.toThrow("the port is taken");
    expect(done).toEqual(["open store", "stop store"]);
  });

  it("does not stop what could not be opened", async () => {
    const { lifecycle, done } = setUp();
    const opening = lifecycle.open(
      "store",
      () => Promise.reject(new Error("damaged")),
      () => done.push("stop store"),
    );
    await expect(opening).rejects.toThrow("damaged");
    await lifecycle.stop();
    expect(done).toEqual([]);
  });

  it("continues to stop after an error, logs it with its name, and throws it at the end", async () => {
    const { lifecycle, open, done, lines } = setUp();
    await open("store");
    lifecycle.onStop("mailer", () => Promise.reject(new Error("still sending")));
    await open("server");
    await expect(lifecycle.stop()).rejects.toThrow("still sending");
    expect(done.slice(2)).toEqual(["stop server", "stop store"]);
    expect(lines.join("\n")).toContain("mailer");
  });

  it("warns of a component that takes long to start, with its name, until it has started", async () => {
    const { lifecycle, lines } = setUp({ slow: { startMs: 5, stopMs: 60_000 } });
    const { promise, resolve } = Promise.withResolvers<string>();
    const late = Promise.withResolvers<string>();
    const opening = lifecycle.open(
      "database",
      () => promise,
      () => undefined,
    );
    await expect.poll(() => lines.length).toBeGreaterThan(1);
    expect(lines[0]).toMatch(/a component is still starting.*what=database/);
    resolve("opened");
    expect(await opening).toBe("opened");
    const { length } = lines;
    // Further warnings would come before the second one of a component that begins now.
    const next = lifecycle.open(
      "mailer",
      () => late.promise,
      () => undefined,
    );
    await expect.poll(() => lines.length).toBeGreaterThan(length + 1);
    late.resolve("sent");
    await next;
    expect(lines.slice(length).filter((line) => !line.includes("what=mailer"))).toEqual([]);
  });

  it("warns of a component that takes long to stop, with its name", async () => {
    const { lifecycle, lines } = setUp({ slow: { startMs: 60_000, stopMs: 5 } });
    const { promise, resolve } = Promise.withResolvers<void>();
    lifecycle.onStop("mailer", () => promise);
    const stopping = lifecycle.stop();
    await expect.poll(() => lines.join("\n")).toMatch(/a component is still stopping.*what=mailer/);
    resolve();
    await stopping;
  });

  it("throws the error of a failed startup even if a component never stops", async () => {
    const { lifecycle } = setUp({ stopAfterFailureMs: 5 });
    const started = lifecycle.stopOnFailure(async () => {
      lifecycle.onStop("mailer", () => new Promise(() => undefined));
      throw new Error("the port is taken");
    });
    await expect(started).rejects.toThrow("the port is taken");
  });
});
