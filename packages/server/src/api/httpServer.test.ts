import { connect, type Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DrainState } from "../core/drainState.ts";
import { UnsentBytes } from "../core/limits/unsentBytes.ts";
import { createApp } from "./app.ts";
import { createHttpServer, type HttpServer } from "./httpServer.ts";
import { RequestTurns } from "./requestTurns.ts";

const ends: (() => Promise<void>)[] = [];
/** The response to `/slow`, and when it has received a request. */
let slow: PromiseWithResolvers<string>;
let received: PromiseWithResolvers<void>;
beforeEach(() => {
  slow = Promise.withResolvers();
  received = Promise.withResolvers();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function listen(times: { requestTimeoutMs: number; keepAliveMs: number }): Promise<HttpServer> {
  const turns = new RequestTurns(() => "127.0.0.1");
  const app = await createApp({
    ...times,
    http: { isFromTrustedProxy: () => false, clientAddressOf: () => "127.0.0.1", requestTurns: turns },
    unsent: new UnsentBytes({ maxBytes: 1_000_000 }),
    drainState: new DrainState(),
    plugins: [
      async (plugin) => {
        plugin.get("/", async () => "hello");
        plugin.get("/slow", async () => {
          received.resolve();
          return slow.promise;
        });
      },
    ],
    onResponse: () => undefined,
    report: () => undefined,
  });
  const server = createHttpServer({ host: "127.0.0.1", port: 0 }, app, { turns });
  await server.listen();
  ends.push(() => server.drained());
  return server;
}

/** Sends a request; returns its connection with the response, and when it is closed. */
async function request({ url }: HttpServer, path = "/") {
  const socket: Socket = connect(Number(new URL(url).port), "127.0.0.1");
  const closed = new Promise<number>((resolve) => socket.once("close", () => resolve(performance.now())));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const response = await new Promise<string>((resolve) =>
    socket.once("data", (data: Buffer) => resolve(data.toString())),
  );
  return { response, closed, answeredAt: performance.now() };
}

it("an idle connection stays open for keepAliveMs, also if a request has to be sent sooner", async () => {
  const server = await listen({ requestTimeoutMs: 100, keepAliveMs: 2_000 });
  const { response, closed, answeredAt } = await request(server);
  expect(response).toMatch(/^keep-alive: timeout=2\r$/im);
  expect((await closed) - answeredAt).toBeGreaterThan(1_900);
});

it("finishConnections() closes idle connections after idleMs, however long they would stay open", async () => {
  const server = await listen({ requestTimeoutMs: 60_000, keepAliveMs: 60_000 });
  const { closed, answeredAt } = await request(server);
  await server.finishConnections({ timeoutMs: 60_000, idleMs: 300 });
  const idleMs = (await closed) - answeredAt;
  expect(idleMs).toBeGreaterThan(290);
  expect(idleMs).toBeLessThan(5_000);
});

it("finishConnections() does not wait for the client of a request that ends after idleMs", async () => {
  const server = await listen({ requestTimeoutMs: 60_000, keepAliveMs: 60_000 });
  const idle = await request(server);
  const slowRequest = request(server, "/slow");
  await received.promise;
  const finished = server.finishConnections({ timeoutMs: 60_000, idleMs: 100 });
  await idle.closed;
  slow.resolve("done");
  const { response, answeredAt, closed } = await slowRequest;
  expect(response).toMatch(/done$/);
  expect((await closed) - answeredAt).toBeLessThan(10_000);
  await finished;
}, 30_000);
