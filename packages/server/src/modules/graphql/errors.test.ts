import { ProtocolError } from "@purse/protocol";
import { GraphQLError } from "graphql";
import { expect, it } from "vitest";
import { toClientError } from "./errors.ts";

class FullError extends ProtocolError {
  readonly unreportedCause = new Error("no space left on /data");
}

it("toClientError() reports the cause of an error for clients that nothing has reported, and hides it", () => {
  const originalError = new FullError(100, "Try again later.", 503);
  const reported: unknown[] = [];
  const error = toClientError(new GraphQLError("failed", { originalError }), (cause) => reported.push(cause));
  expect(error.toJSON()).toEqual({ message: "Try again later.", extensions: { code: 100 } });
  expect(reported).toEqual([originalError.unreportedCause]);
});
