import { ProtocolError } from "@purse/protocol";
import pg from "pg";
import { describe, expect, it } from "vitest";
import {
  isConnectionLost,
  isStatementTimeout,
  StatementTimeoutError,
  toProtocolError,
  toWriteError,
} from "./errors.ts";

function databaseError(code: string): pg.DatabaseError {
  const error = new pg.DatabaseError("could not extend file: internals of the server", 0, "error");
  error.code = code;
  return error;
}

describe("errors of PostgreSQL", () => {
  it.each([
    ["disk_full", "53100"],
    ["out_of_memory", "53200"],
    ["io_error", "58030"],
  ])("report %s as 503 without details, and keep the session", (_, code) => {
    const error = toProtocolError(databaseError(code));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ status: 503, code: 100, retryAfter: 1 });
    expect(String(error)).not.toContain("internals");
    expect(isConnectionLost(databaseError(code))).toBe(false);
  });

  it.each([
    ["read", toProtocolError, "The query took too long"],
    ["write", toWriteError, "The write took too long"],
  ] as const)(
    "report a %s that was canceled for its timeout as what it is: no outage, and nothing to retry",
    (kind, translate, text) => {
      for (const cause of [databaseError("57014"), new StatementTimeoutError(kind)]) {
        const error = translate(cause);
        expect(error).toBeInstanceOf(ProtocolError);
        expect(error).toMatchObject({ code: 124, message: expect.stringContaining(text) });
        expect(error).not.toHaveProperty("retryAfter");
        expect(isStatementTimeout(cause)).toBe(true);
        expect(isConnectionLost(cause)).toBe(false);
      }
    },
  );

  it("that nothing is known of are returned unchanged", () => {
    const error = databaseError("42601");
    expect(toProtocolError(error)).toBe(error);
  });
});
