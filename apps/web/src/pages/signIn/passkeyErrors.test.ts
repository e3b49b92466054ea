import { expect, it } from "vitest";
import { isCancelled } from "./passkeyErrors.ts";

it.each([
  ["NotAllowedError", true],
  ["AbortError", true],
  ["InvalidStateError", false],
  ["SecurityError", false],
  ["TimeoutError", false],
])("a request of a passkey that ends with %s is cancelled: %s", (name, expected) => {
  expect(isCancelled(new DOMException("ended", name))).toBe(expected);
});

it("errors of the server are not taken for a cancelled request", () => {
  expect(isCancelled(new Error("Username already taken"))).toBe(false);
});
