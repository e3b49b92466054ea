import { describe, expect, it } from "vitest";
import { createLogger, type LogFormat, type LogLevel } from "./logger.ts";

function createTestLogger({
  level = "debug",
  format = "json",
}: {
  level?: LogLevel;
  format?: LogFormat;
} = {}) {
  const lines: string[] = [];
  const logger = createLogger({ level, format, write: (line) => lines.push(line), now: () => 0 });
  return { log: logger, lines, fields: () => JSON.parse(lines[0] ?? "{}") };
}

describe("createLogger()", () => {
  it("writes time, level, message and fields", () => {
    const { log: logger, fields } = createTestLogger();
    logger.info("started", { port: 1337 });
    expect(fields()).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      message: "started",
      port: 1337,
    });
  });

  it("writes only the fields of the line itself", () => {
    const { log: logger, lines } = createTestLogger();
    logger.info("one", { first: 1 });
    logger.info("two", { second: 2 });
    expect(JSON.parse(lines[1] ?? "")).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      message: "two",
      second: 2,
    });
  });

  it("redacts passwords of URLs in messages and fields", () => {
    const { log: logger, lines } = createTestLogger();
    logger.error("https://ann:s3cret@example.org/a is refused", { url: "postgres://:s3cret@host:5432/db" });
    logger.error("postgres://ann:@t-s3cret@host,postgres://bob:s3cret@host");
    expect(lines.join()).not.toContain("s3cret");
    expect(lines.join()).toContain("https://ann:[redacted]@example.org/a is refused");
    expect(lines.join()).toContain("postgres://:[redacted]@host:5432/db");
    expect(lines.join()).toContain("postgres://ann:[redacted]@host,postgres://bob:[redacted]@host");
  });

  it("writes nothing below its level", () => {
    const { log: logger, lines } = createTestLogger({ level: "warn" });
    logger.debug("a");
    logger.info("b");
    logger.warn("c");
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
    const { log: logger, lines } = createTestLogger();
    logger.error("refused", { [name]: "s3cret", request: { headers: [{ [name]: "s3cret" }] } });
    expect(lines.join()).not.toContain("s3cret");
    expect(lines.join()).toContain("[redacted]");
  });

  it("redacts session tokens inside texts and errors", () => {
    const { log: logger, lines } = createTestLogger({ format: "text" });
    const token = "r:0123456789abcdef0123456789abcdef";
    logger.error(`bad ${token}`, { error: new Error(`no session ${token}`) });
    expect(lines.join()).not.toContain(token);
  });

  it("writes one line per message, so that lines cannot be forged", () => {
    const { log: logger, lines } = createTestLogger({ format: "text" });
    logger.info("hello\n1970 error forged", { name: "a\nb" });
    expect(lines[0]).not.toContain("\n");
  });

  it("survives circular values", () => {
    const { log: logger, lines } = createTestLogger();
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    logger.info("loop", loop);
    expect(lines).toHaveLength(1);
  });

  it("adds the fields of with() to every line", () => {
    const { log: logger, fields } = createTestLogger();
    logger.with({ requestId: "1" }).info("x");
    expect(fields().requestId).toBe("1");
  });
});
