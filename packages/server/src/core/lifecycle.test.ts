import { describe, expect, it } from "vitest";
import { Lifecycle } from "./lifecycle.ts";
import { createLogger } from "./logger.ts";

function setUp() {
  const lines: string[] = [];
  const done: string[] = [];
  const logger = createLogger({ level: "debug", format: "text", write: (line) => lines.push(line) });
  const lifecycle = new Lifecycle(logger);
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
});
