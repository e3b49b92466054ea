import { describe, expect, it } from "vitest";
import { createLog, type LogFormat, type LogLevel, newRequestId } from "./log.ts";

function logOf({ level = "debug", format = "json" }: { level?: LogLevel; format?: LogFormat } = {}) {
  const lines: string[] = [];
  const log = createLog({ level, format, write: (line) => lines.push(line), now: () => 0 });
  return { log, lines, fields: () => JSON.parse(lines[0] ?? "{}") };
}

describe("log", () => {
  it("writes time, level, message and fields", () => {
    const { log, fields } = logOf();
    log.info("started", { port: 1337 });
    expect(fields()).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      message: "started",
      port: 1337,
    });
  });

  it("writes nothing below its level", () => {
    const { log, lines } = logOf({ level: "warn" });
    log.debug("a");
    log.info("b");
    log.warn("c");
    expect(lines).toHaveLength(1);
  });

  it.each([
    "masterKey",
    "_MasterKey",
    "sessionToken",
    "_SessionToken",
    "password",
    "X-Parse-Master-Key",
    "privateKey",
  ])("redacts %s at any depth", (name) => {
    const { log, lines } = logOf();
    log.error("refused", { [name]: "s3cret", request: { headers: [{ [name]: "s3cret" }] } });
    expect(lines.join()).not.toContain("s3cret");
    expect(lines.join()).toContain("[redacted]");
  });

  it("redacts session tokens inside texts and errors", () => {
    const { log, lines } = logOf({ format: "text" });
    const token = "r:0123456789abcdef0123456789abcdef";
    log.error(`bad ${token}`, { error: new Error(`no session ${token}`) });
    expect(lines.join()).not.toContain(token);
  });

  it("keeps one line per message, so that nobody can forge a line", () => {
    const { log, lines } = logOf({ format: "text" });
    log.info("hello\n1970 error forged", { name: "a\nb" });
    expect(lines[0]).not.toContain("\n");
  });

  it("survives circular values", () => {
    const { log, lines } = logOf();
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    log.info("loop", loop);
    expect(lines).toHaveLength(1);
  });

  it("adds its own fields to every line", () => {
    const { log, fields } = logOf();
    log.with({ requestId: "1" }).info("x");
    expect(fields().requestId).toBe("1");
  });

  it("makes request ids that differ", () => {
    expect(newRequestId()).not.toBe(newRequestId());
  });
});
