import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type WebSocket as ServerSocket, WebSocketServer } from "ws";

interface Reply {
  status?: number;
  body?: unknown;
  /** Delays the response. */
  waitFor?: Promise<unknown>;
}

type Answer = Reply | ((body: JsonObject) => Reply);

/** A server with canned responses by method and path, and live queries without permission checks. */
export interface TestServer {
  url: string;
  /** Calls so far, as "POST functions/hello". */
  calls: string[];
  bodies: JsonObject[];
  /** Calls that were aborted before their response. */
  abortedCalls: string[];
  on(call: string, answer: Answer): void;
  /** The classes of the open live subscriptions. */
  subscriptions(): string[];
  /** The session tokens of the open live subscriptions. */
  tokens(): (string | undefined)[];
  /** Breaks all live connections; clients may reconnect. */
  breakConnections(): void;
  /** Sends an event to every subscription of a class. */
  sendEvent(op: string, className: string, object: object): void;
  reset(): void;
  stop(): Promise<void>;
}

interface Live {
  socket: ServerSocket;
  requestId: unknown;
  className: string;
  token: string | undefined;
}

const ALLOWED = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-allow-methods": "*",
};

export async function startTestServer(): Promise<TestServer> {
  const answers = new Map<string, Answer>();
  const calls: string[] = [];
  const bodies: JsonObject[] = [];
  const abortedCalls: string[] = [];
  const open = new Map<string, Live>();
  const server = createServer(async (request, response) => {
    if (request.method === "OPTIONS") return void response.writeHead(204, ALLOWED).end();
    let text = "";
    for await (const chunk of request) text += chunk;
    const json: unknown = text ? JSON.parse(text) : {};
    const body = isJsonObject(json) ? json : {};
    const verb = typeof body._method === "string" ? body._method : request.method;
    const call = `${verb} ${(request.url ?? "").slice(1)}`;
    // Requested by the version check of every page.
    if (call === "GET moralis/package.json") return void response.writeHead(404, ALLOWED).end();
    calls.push(call);
    bodies.push(body);
    response.on("close", () => {
      if (!response.writableEnded) abortedCalls.push(call);
    });
    const answer = answers.get(call) ?? { body: {} };
    const reply = answer instanceof Function ? answer(body) : answer;
    await reply.waitFor;
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...ALLOWED });
    response.end(JSON.stringify(reply.body ?? {}));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    socket.on("message", (data) => {
      const message: {
        op: string;
        requestId?: number;
        query?: { className: string };
        sessionToken?: string;
      } = JSON.parse(String(data));
      const { op, requestId } = message;
      if (op === "connect") socket.send(JSON.stringify({ op: "connected", clientId: "c" }));
      if (op === "unsubscribe") open.delete(String(requestId));
      if (op !== "subscribe") return;
      open.set(String(requestId), {
        socket,
        requestId,
        className: String(message.query?.className),
        token: message.sessionToken,
      });
      socket.send(JSON.stringify({ op: "subscribed", clientId: "c", requestId }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    bodies,
    abortedCalls,
    on: (call, answer) => void answers.set(call, answer),
    subscriptions: () => [...open.values()].map(({ className }) => className),
    tokens: () => [...open.values()].map(({ token }) => token),
    breakConnections() {
      for (const socket of sockets.clients) socket.terminate();
      open.clear();
    },
    sendEvent(op, className, object) {
      for (const { socket, requestId, className: name } of open.values()) {
        if (name === className)
          socket.send(JSON.stringify({ op, clientId: "c", requestId, object: { className, ...object } }));
      }
    },
    reset() {
      answers.clear();
      calls.length = 0;
      bodies.length = 0;
      abortedCalls.length = 0;
    },
    stop: () =>
      new Promise((done) => {
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
