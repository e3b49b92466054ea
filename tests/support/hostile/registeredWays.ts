import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createServer, loadConfig, PackagesUnavailableError } from "@purse/server";
import { studioEndpoints } from "@purse/server/studio-api";
import { describedRoutes, readOpenApi } from "../../../packages/server/test/describedRoutes.ts";

export interface RegisteredWays {
  /** Each way into a server: `GET /server/classes/:className`, `UPGRADE /graphql`, `GraphQL mutation logIn`, `MCP get_object`. */
  ways: readonly string[];
  /** Ways of the studio that need an operator who has signed in, and of the Parse API that need the master key. */
  operatorWays: ReadonlySet<string>;
  /** Sends a request without credentials by a way; resolves with its status. */
  sendAsStranger(way: string): Promise<number>;
  close(): Promise<void>;
}

const APP = { "X-Parse-Application-Id": "test", "Content-Type": "application/json" };
const MASTER_KEY = "a master key of these tests";
/** The methods that the handlers of paths with everything below are asked for. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const WAY_METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
/** Paths whose handler tells methods apart by itself, with headers that it needs for that. */
const STREAMS: readonly (readonly [path: string, headers: Record<string, string>])[] = [
  ["/server/files/:name", {}],
  ["/server/files/resumable", { "Tus-Resumable": "1.0.0" }],
  ["/server/files/resumable/:id", { "Tus-Resumable": "1.0.0" }],
];

/** Starts a server in this process, and asks its routers, its schema of GraphQL and its tools what ways there are. */
export async function openRegisteredWays(): Promise<RegisteredWays> {
  const routes = new Set<string>();
  const onFastify = (message: unknown) => {
    if (!hasFastify(message)) return;
    message.fastify.addHook("onRoute", ({ method, url }) => {
      for (const each of [method].flat()) routes.add(`${each} ${url}`);
    });
  };
  const onRoutes = (message: unknown) => {
    if (Array.isArray(message)) for (const route of message) routes.add(String(route));
  };
  subscribe("fastify.initialization", onFastify);
  subscribe("purse.routes", onRoutes);
  const folder = await mkdtemp(join(tmpdir(), "purse-ways-"));
  const env = {
    PURSE_DATA_DIR: folder,
    PURSE_PORT: "0",
    PURSE_APP_ID: "test",
    PURSE_MASTER_KEY: MASTER_KEY,
    PURSE_MCP: "write",
    PURSE_TRACKING: "1",
    PURSE_KEY_FETCH: "1",
  };
  const config = await loadConfig({ argv: [], env, cwd: folder });
  const logger = createLogger({ level: "silent", format: "text", write: () => undefined });
  const server = await createServer(config, {
    logger,
    chains: [],
    docs: { open: async () => undefined },
    packages: { open: () => Promise.reject(new PackagesUnavailableError("not for this test")) },
  });
  await server.start();
  const { url } = server;
  // The routes of the studio are opened with its first request.
  await fetch(`${url}/studio/api/state`);
  const ways = [
    ...[...routes].filter((route) => !leadsElsewhere(route) && !isSpelling(route)),
    ...(await streamWays(url)),
    ...(await graphqlWays(url)),
    ...(await mcpWays(url)),
  ];
  unsubscribe("fastify.initialization", onFastify);
  unsubscribe("purse.routes", onRoutes);
  const operatorWays = studioEndpoints()
    .filter(({ endpoint }) => endpoint.needs !== "none")
    .map(({ endpoint }) => `${endpoint.method} /studio/api${endpoint.path}`);
  return {
    ways: [...new Set(ways)].sort(),
    operatorWays: new Set([...operatorWays, ...(await masterKeyWays(url))]),
    async sendAsStranger(way) {
      const [method = "GET", path = ""] = way.split(" ");
      const hasBody = method !== "GET" && method !== "HEAD";
      const response = await fetch(url + path.replace(/:\w+/g, "x"), {
        method,
        headers: { ...APP, Origin: url },
        ...(hasBody && { body: "{}" }),
      });
      await response.arrayBuffer();
      return response.status;
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface FastifyMessage {
  fastify: {
    addHook(name: "onRoute", hook: (route: { method: string | string[]; url: string }) => void): unknown;
  };
}

function hasFastify(message: unknown): message is FastifyMessage {
  return typeof message === "object" && message !== null && "fastify" in message;
}

/** Whether a route is another spelling of one: of version 2 with the number 2.2, or with a slash at the end. */
function isSpelling(route: string): boolean {
  return / \/api\/v2(?:\.2(?:\/|$)|\/.*\/$)/.test(route);
}

/** Whether a route only leads to a router of its own, or has a method that does the same as GET or nothing. */
function leadsElsewhere(route: string): boolean {
  const [method = "", path = ""] = route.split(" ");
  if (method === "UPGRADE") return false;
  return !WAY_METHODS.has(method) || path === "/server" || path === "/server/*" || path === "/studio/api/*";
}

/** The routes of the Parse API that need the master key, as the server describes them. */
async function masterKeyWays(url: string): Promise<string[]> {
  return describedRoutes(await readOpenApi(url))
    .filter(({ operation }) => operation["x-access"] === "masterKey")
    .map(({ method, path }) => `${method} /server${path.replace(/\{(\w+)\}/g, ":$1")}`);
}

/** What the handlers of streams take. */
async function streamWays(url: string): Promise<string[]> {
  const ways: string[] = [];
  for (const [path, headers] of STREAMS) {
    for (const method of METHODS) {
      const response = await fetch(url + path.replace(/:\w+/g, "x"), {
        method,
        headers: { ...APP, ...headers },
        ...(method !== "GET" && method !== "HEAD" && { body: "x" }),
      });
      await response.arrayBuffer();
      if (response.status !== 405) ways.push(`${method} ${path}`);
    }
  }
  return ways;
}

/** The fields at the root of the schema: those of classes under the name of one class. */
async function graphqlWays(url: string): Promise<string[]> {
  const headers = { ...APP, "X-Parse-Master-Key": MASTER_KEY };
  const create = { method: "POST", headers, body: "{}" };
  await (await fetch(`${url}/server/schemas/Row`, create)).arrayBuffer();
  const query =
    "{ __schema { queryType { fields { name } } mutationType { fields { name } } subscriptionType { fields { name } } } }";
  const response = await fetch(`${url}/graphql`, { ...create, body: JSON.stringify({ query }) });
  const { data } = (await response.json()) as {
    data: { __schema: Record<string, { fields: { name: string }[] }> };
  };
  const namesOf = (type: string) => data.__schema[type]?.fields.map(({ name }) => name) ?? [];
  // System classes have the same fields as others, except for those that have been left out.
  const classes = namesOf("subscriptionType").map((name) => name.replace(/Changed$/, ""));
  const ofOtherClass = (name: string) =>
    classes.some((each) => {
      const type = each.charAt(0).toUpperCase() + each.slice(1);
      const names = [
        each,
        `${each}s`,
        `${each}es`,
        `${each}Changed`,
        ...["create", "update", "delete"].map((verb) => verb + type),
      ];
      return each !== "row" && names.includes(name);
    });
  return ["query", "mutation", "subscription"].flatMap((kind) =>
    namesOf(`${kind}Type`)
      .filter((name) => !ofOtherClass(name))
      .map((name) => `GraphQL ${kind} ${name}`),
  );
}

/** The tools that a user is offered. */
async function mcpWays(url: string): Promise<string[]> {
  const user = { username: "a user", password: "a password of a user" };
  const signedUp = await fetch(`${url}/server/users`, {
    method: "POST",
    headers: APP,
    body: JSON.stringify(user),
  });
  const { sessionToken } = (await signedUp.json()) as { sessionToken: string };
  const listed = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${sessionToken}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  const { result } = (await listed.json()) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => `MCP ${name}`);
}
