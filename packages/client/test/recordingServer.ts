import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type ConnectionSettings, connect } from "../src/connection.ts";
import { ParseObject } from "../src/object/ParseObject.ts";
import { asyncStorage, memoryStorage } from "../src/storage.ts";
import { User } from "../src/user/User.ts";

export interface RecordedRequest {
  /** The real verb and path, as "GET classes/Note". */
  call: string;
  /** The HTTP verb. */
  httpMethod: string;
  headers: Record<string, string | string[] | undefined>;
  body: JsonObject;
}

export interface Reply {
  status?: number;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
  /** Drops the connection instead of responding. */
  dropConnection?: boolean;
}

type Handler = (request: RecordedRequest, attempt: number) => Reply | Promise<Reply>;

/** A real HTTP server below /server that records requests and sends the test's responses. */
export interface RecordingServer {
  url: string;
  requests: RecordedRequest[];
  /** The delays between attempts that the client requested from its clock, in milliseconds. */
  retryDelays: number[];
  respondWith(handler: Handler): void;
  connect(settings?: Partial<ConnectionSettings>): void;
  stop(): Promise<void>;
}

export async function startRecordingServer(): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  const retryDelays: number[] = [];
  let handler: Handler = () => ({ body: {} });
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", async () => {
      const text = Buffer.concat(chunks).toString();
      const json: unknown = text ? JSON.parse(text) : {};
      const body = isJsonObject(json) ? json : {};
      const path = (incoming.url ?? "").replace(/^\/server\//, "");
      const httpMethod = incoming.method ?? "";
      const verb = typeof body._method === "string" ? body._method : httpMethod;
      const recordedRequest = { call: `${verb} ${path}`, httpMethod, headers: incoming.headers, body };
      requests.push(recordedRequest);
      const reply = await handler(recordedRequest, requests.length);
      if (reply.dropConnection) return void incoming.socket.destroy();
      outgoing.writeHead(reply.status ?? 200, { "Content-Type": "application/json", ...reply.headers });
      outgoing.end(reply.text ?? JSON.stringify(reply.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/server`;
  return {
    url,
    requests,
    retryDelays,
    respondWith(next) {
      handler = next;
    },
    connect(settings = {}) {
      ParseObject.registerSubclass("_User", User);
      connect({
        applicationId: "app",
        serverUrl: url,
        tracksCurrentUser: true,
        storage: memoryStorage(),
        clock: {
          now: () => 0,
          random: () => 0.5,
          sleep: async (ms) => void retryDelays.push(ms),
        },
        ...settings,
      });
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An async storage, as in React Native. */
export function slowStorage(): ReturnType<typeof asyncStorage> {
  const items = new Map<string, string>();
  return asyncStorage({
    getItem: async (key) => items.get(key) ?? null,
    setItem: async (key, value) => void items.set(key, value),
    removeItem: async (key) => void items.delete(key),
  });
}
