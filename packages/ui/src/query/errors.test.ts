import { describe, expect, it } from "vitest";
import { isConnectionError, isNodeConnectionError, isNotFound, isTransientError } from "./errors.ts";

const timeout = new DOMException("Request timed out", "TimeoutError");
const refused = { code: 100, message: 'XMLHttpRequest failed: "Unable to connect to the Parse API"' };
const nodeUnreachable = { code: 100, message: 'chain "eth" is not available: none of its nodes responds' };
const noResponse = { code: -32603, message: "No response" };
const nodeRefuses = { code: -32603, message: "Internal error" };
const forbidden = { code: 119, message: "unauthorized" };
const notFound = { code: 101, message: "Object not found." };

describe("a read that has failed", () => {
  it.each([
    ["a deadline", timeout, true],
    ["a refused connection", refused, true],
    ["a node of the server's that is away", nodeUnreachable, false],
    ["a refusal", forbidden, false],
  ])("for %s is one of a server that does not answer: %s", (_, error, expected) => {
    expect(isConnectionError(error)).toBe(expected);
  });

  it.each([
    ["a deadline", timeout, true],
    ["a refused connection", refused, true],
    ["a node of the server's that is away", nodeUnreachable, true],
    ["a node that does not answer", noResponse, true],
    ["too many requests", { code: 155, message: "too many" }, true],
    ["what a node refuses", nodeRefuses, false],
    ["a refusal", forbidden, false],
    ["what is not there", notFound, false],
    ["a mistake of the page", new TypeError("x is undefined"), false],
  ])("for %s is worth another try by itself: %s", (_, error, expected) => {
    expect(isTransientError(error)).toBe(expected);
  });

  it("is distinguished from a result", () => {
    expect([isNotFound(notFound), isNotFound(refused)]).toEqual([true, false]);
    expect([isNodeConnectionError(noResponse), isNodeConnectionError(nodeRefuses)]).toEqual([true, false]);
  });
});
