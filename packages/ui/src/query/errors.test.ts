import { describe, expect, it } from "vitest";
import {
  isConnectionError,
  isForbidden,
  isNodeConnectionError,
  isNotFound,
  isTransientError,
} from "./errors.ts";

const timeout = new DOMException("Request timed out", "TimeoutError");
const refused = { code: 100, message: 'XMLHttpRequest failed: "Unable to connect to the Parse API"' };
const nodeUnreachable = { code: 100, message: 'chain "eth" is not available: none of its nodes responds' };
const noResponse = { code: -32603, message: "No response" };
const nodeRefuses = { code: -32603, message: "Internal error" };
const forbidden = { code: 119, message: "unauthorized" };
const notFound = { code: 101, message: "Object not found." };

describe("a failed read", () => {
  it.each([
    ["a timeout", timeout, true],
    ["a refused connection", refused, true],
    ["an unreachable node of the server", nodeUnreachable, false],
    ["a rejection", forbidden, false],
  ])("for %s is a connection error: %s", (_, error, expected) => {
    expect(isConnectionError(error)).toBe(expected);
  });

  it.each([
    ["a timeout", timeout, true],
    ["a refused connection", refused, true],
    ["an unreachable node of the server", nodeUnreachable, true],
    ["a node that does not respond", noResponse, true],
    ["too many requests", { code: 155, message: "too many" }, true],
    ["a request that a node rejects", nodeRefuses, false],
    ["a rejection", forbidden, false],
    ["a missing object", notFound, false],
    ["a bug of the page", new TypeError("x is undefined"), false],
  ])("for %s is a transient error: %s", (_, error, expected) => {
    expect(isTransientError(error)).toBe(expected);
  });

  it("is classified by its error code", () => {
    expect([isNotFound(notFound), isNotFound(refused)]).toEqual([true, false]);
    expect([isNodeConnectionError(noResponse), isNodeConnectionError(nodeRefuses)]).toEqual([true, false]);
    const signedOut = { code: 101, message: "Permission denied, user needs to be authenticated." };
    expect([forbidden, signedOut, notFound].map(isForbidden)).toEqual([true, true, false]);
  });
});
