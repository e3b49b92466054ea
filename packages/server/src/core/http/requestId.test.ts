import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { assignRequestId, requestIdOf } from "./requestId.ts";

function requestWith(id: string | undefined): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  if (id !== undefined) message.headers["x-request-id"] = id;
  return message;
}

describe("the ID of a request", () => {
  it("differs for each request, and replaces what the client sent", () => {
    const ids = [requestWith(undefined), requestWith("mine"), requestWith("mine")].map((message) =>
      assignRequestId(message, () => false),
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain("mine");
  });

  it("is taken from a trusted proxy, so that both logs have the same one", () => {
    const message = requestWith("edge-1:42");
    expect(assignRequestId(message, () => true)).toBe("edge-1:42");
    expect(requestIdOf(message)).toBe("edge-1:42");
  });

  it.each(["a b", "x".repeat(129), "a\u0000", "<script>", ""])(
    "is never %j, even from a trusted proxy",
    (sent) => {
      expect(assignRequestId(requestWith(sent), () => true)).not.toBe(sent);
    },
  );
});
