import fastify from "fastify";
import { expect, it } from "vitest";
import { respond } from "./reply.ts";

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
