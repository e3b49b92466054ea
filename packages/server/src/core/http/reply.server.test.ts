import { ProtocolError } from "@purse/protocol";
import fastify from "fastify";
import { expect, it } from "vitest";
import { errorReply, respond } from "./reply.ts";

it("respond() answers an invalid header with status 500, and sends the other replies of the same turn", async () => {
  const app = fastify();
  app.get("/invalid", (_, reply) => {
    respond(reply, Promise.resolve({ status: 200, body: "{}", headers: { "x-note": "two\nlines" } }));
  });
  app.get("/valid", (_, reply) => {
    respond(reply, Promise.resolve({ status: 200, body: "{}", headers: { "x-note": "one line" } }));
  });
  const [invalid, valid] = await Promise.all([app.inject("/invalid"), app.inject("/valid")]);
  expect(invalid.statusCode).toBe(500);
  expect(valid.statusCode).toBe(200);
  expect(valid.headers).toMatchObject({ "x-note": "one line" });
});

it("errorReply() reports the cause of an error for clients that nothing has reported, and hides it", () => {
  class FullError extends ProtocolError {
    readonly unreportedCause = new Error("no space left on /data");
  }
  const reported: unknown[] = [];
  const reply = errorReply(new FullError(100, "Try again later.", 503), (error) => reported.push(error));
  expect(reply).toEqual({ status: 503, body: '{"code":100,"error":"Try again later."}' });
  expect(reported.map(String)).toEqual(["Error: no space left on /data"]);
});
