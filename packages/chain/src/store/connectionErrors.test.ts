import pg from "pg";
import { expect, it } from "vitest";
import { toIndexError } from "./connectionErrors.ts";
import { IndexDatabaseError } from "./indexErrors.ts";

const databaseError = (code: string) => Object.assign(new pg.DatabaseError("no", 2, "error"), { code });
const withCode = (code: string) => Object.assign(new Error("connect"), { code });

it.each([
  ["a closed socket", withCode("ECONNRESET")],
  ["a connection that ended", new Error("Connection terminated unexpectedly")],
  ["a server that does not respond", new Error("Query read timeout")],
  ["a server that stops", databaseError("57P01")],
  ["a server that starts", databaseError("57P03")],
])("toIndexError() reports the database as unavailable because of %s", (_, error) => {
  const converted = toIndexError(error);
  expect(converted).toBeInstanceOf(IndexDatabaseError);
  expect(String(converted)).toContain(`the database of the index is not available: ${error.message}`);
});

it.each([
  ["a violated constraint", databaseError("23505")],
  ["a statement that took too long", databaseError("57014")],
  ["an error of the caller", new Error("another process indexes the chain")],
])("toIndexError() keeps %s", (_, error) => {
  expect(toIndexError(error)).toBe(error);
});

it("IndexDatabaseError has the reason of the first address of a host with several", () => {
  const error = new AggregateError([new Error("connect ECONNREFUSED 127.0.0.1:5432"), new Error("::1")]);
  expect(new IndexDatabaseError(error).message).toContain("connect ECONNREFUSED 127.0.0.1:5432");
});
