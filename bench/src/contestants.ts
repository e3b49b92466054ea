import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensureServerBuilt, serverFile } from "../../scripts/build.mjs";
import { lowMemory } from "../../scripts/install.mjs";
import { freePort } from "../../tests/support/freePort.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
const NODE = join(ROOT, "node_modules/.bin/node");
const APP_ID = "bench";
const MASTER_KEY = "bench-master-key";
const ROWS = 100_000;

/** Stands in addresses for a number that differs in each of the requests that are in flight. */
export const VARIED = "__varied__";

/** A request that the load generator repeats. */
export interface LoadRequest {
  method: "GET" | "POST" | "PUT";
  /** May contain `VARIED`. */
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export type Case =
  | "get"
  | "query-100"
  | "query-100-varied"
  | "in-query"
  | "in-query-varied"
  | "include"
  | "include-varied"
  | "acl-50"
  | "acl-1000"
  | "text"
  | "near"
  | "aggregate"
  | "aggregate-varied"
  | "create"
  | "update"
  | "batch-50"
  | "login"
  | "function";

export interface Contestant {
  name: string;
  /** Of the server's process. */
  pid: number;
  /** Undefined for cases that the contestant does not support. */
  requests: Partial<Record<Case, LoadRequest>>;
  stop(): Promise<void>;
}

export interface PurseOptions {
  /** Of a PostgreSQL database; SQLite without it. */
  databaseUrl?: string | undefined;
  /** Another build of the server than that of this checkout. */
  serverFile?: string | undefined;
  /** Options of Node.js. */
  nodeFlags?: readonly string[];
  /** Number of rows of the main class. */
  rows?: number;
  /** Number of processes of the server (default 1). */
  processes?: number;
}

export async function startPurse(options: PurseOptions = {}): Promise<Contestant> {
  const { databaseUrl, nodeFlags = [], rows, processes = 1 } = options;
  ensureServerBuilt();
  const folder = mkdtempSync(join(tmpdir(), "bench-purse-"));
  const port = await freePort();
  const child = spawn(
    NODE,
    [
      ...lowMemory.flags,
      ...nodeFlags,
      options.serverFile ?? serverFile,
      "--port",
      `${port}`,
      "--data-dir",
      folder,
    ],
    {
      env: {
        ...lowMemory.env,
        ...process.env,
        NODE_ENV: "development",
        PURSE_APP_ID: APP_ID,
        PURSE_MASTER_KEY: MASTER_KEY,
        PURSE_DEV_CHAIN: "0",
        ...(databaseUrl !== undefined && { PURSE_DATABASE_URL: databaseUrl }),
        ...(processes > 1 && { PURSE_PROCESSES: `${processes}` }),
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  await waitUntil(async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok);
  const requests = await parseProtocolRequests(`http://127.0.0.1:${port}/server`, rows);
  const name = `Purse (${databaseUrl === undefined ? "SQLite" : "PostgreSQL"})`;
  // parse-server on PostgreSQL needs PostGIS for this, so there is no comparison.
  requests.near = nearRequest(`http://127.0.0.1:${port}/server`);
  return { name, pid: pidOf(child), requests, stop: () => stop(child, folder) };
}

export async function startParseServer(
  databaseUrl: string,
  { rows, processes = 1 }: Pick<PurseOptions, "rows" | "processes"> = {},
): Promise<Contestant> {
  const port = await freePort();
  const script = join(import.meta.dirname, "parseServer.mjs");
  const child = spawn(NODE, [script, `${port}`, databaseUrl, `${processes}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await waitUntilReady(child);
  const requests = await parseProtocolRequests(`http://127.0.0.1:${port}/server`, rows);
  return { name: "parse-server (PostgreSQL)", pid: pidOf(child), requests, stop: () => stop(child) };
}

export async function startLimit({ rows = ROWS }: Pick<PurseOptions, "rows"> = {}): Promise<Contestant> {
  const folder = mkdtempSync(join(tmpdir(), "bench-limit-"));
  const port = await freePort();
  const child = spawn(
    NODE,
    [join(import.meta.dirname, "limit.mjs"), join(folder, "rows.sqlite"), `${port}`],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await waitUntilReady(child);
  const url = `http://127.0.0.1:${port}`;
  const json = { "Content-Type": "application/json" };
  for (let at = 0; at < rows; at += 1_000) {
    const batch = Array.from({ length: 1_000 }, (_, i) => ({ ...rowOf(at + i), ACL: aclOf(at + i, "user") }));
    await post(`${url}/create`, json, { rows: batch });
  }
  const { objectId } = await post(`${url}/create`, json, { ...rowOf(0), ACL: aclOf(0, "user") });
  const one = JSON.stringify({ ...rowOf(1), ACL: aclOf(1, "user") });
  const requests: Contestant["requests"] = {
    get: { method: "GET", url: `${url}/get/${objectId}`, headers: {} },
    "query-100": { method: "GET", url: `${url}/find`, headers: {} },
    create: { method: "POST", url: `${url}/create`, headers: json, body: one },
    "batch-50": {
      method: "POST",
      url: `${url}/create`,
      headers: json,
      body: JSON.stringify({ rows: Array.from({ length: 50 }, (_, i) => rowOf(i)) }),
    },
    function: { method: "POST", url: `${url}/function`, headers: json, body: '{"name":"Ada"}' },
  };
  return {
    name: "limit (node:http + better-sqlite3)",
    pid: pidOf(child),
    requests,
    stop: () => stop(child, folder),
  };
}

/** The same user, rows and requests for all servers with the Parse protocol. */
async function parseProtocolRequests(url: string, rows = ROWS): Promise<Contestant["requests"]> {
  const app = { "X-Parse-Application-Id": APP_ID, "Content-Type": "application/json" };
  const master = { ...app, "X-Parse-Master-Key": MASTER_KEY };
  const credentials = { username: "bench", password: "bench password" };
  const user = await post(`${url}/users`, app, credentials);
  const session = { ...app, "X-Parse-Session-Token": String(user.sessionToken) };
  const userId = String(user.objectId);
  for (let at = 0; at < rows; at += 500) {
    const requests = Array.from({ length: 500 }, (_, i) => ({
      method: "POST",
      path: "/server/classes/Row",
      body: { ...rowOf(at + i), ACL: aclOf(at + i, userId) },
    }));
    await post(`${url}/batch`, master, { requests });
  }
  const object = { ...rowOf(1), ACL: { [userId]: { read: true, write: true } } };
  const { objectId } = await post(`${url}/classes/Row`, session, object);
  const where = encodeURIComponent(JSON.stringify({ open: true }));
  const query = `${url}/classes/Row?where=${where}&limit=100`;
  const more = await queryRequests(url, app, master, Math.min(rows, SALES));
  const create = { method: "POST", path: "/server/classes/Made", body: object };
  return {
    get: { method: "GET", url: `${url}/classes/Row/${objectId}`, headers: session },
    "query-100": { method: "GET", url: query, headers: session },
    "query-100-varied": { method: "GET", url: `${query}&skip=${VARIED}`, headers: session },
    create: { method: "POST", url: `${url}/classes/Made`, headers: session, body: JSON.stringify(object) },
    "batch-50": {
      method: "POST",
      url: `${url}/batch`,
      headers: session,
      body: JSON.stringify({ requests: Array.from({ length: 50 }, () => create) }),
    },
    login: { method: "POST", url: `${url}/login`, headers: app, body: JSON.stringify(credentials) },
    update: {
      method: "PUT",
      url: `${url}/classes/Row/${objectId}`,
      headers: session,
      body: JSON.stringify({
        note: "A sentence that somebody has changed.",
        n: { __op: "Increment", amount: 1 },
      }),
    },
    function: { method: "POST", url: `${url}/functions/hello`, headers: session, body: '{"name":"Ada"}' },
    ...more,
  };
}

const SALES = 20_000;
const ROLES = 200;
const MANY_ROLES = 1_000;
const SHARED_ROWS = 5_000;

/** Other kinds of queries, on classes of their own, of which the largest have `sales` rows. */
async function queryRequests(
  url: string,
  app: Record<string, string>,
  master: Record<string, string>,
  sales: number,
): Promise<Contestant["requests"]> {
  const pointer = (className: string, objectId: unknown) => ({ __type: "Pointer", className, objectId });
  const save = (className: string, count: number, fields: (n: number) => object) =>
    saveMany(url, master, className, count, fields);
  const towns = await save("Town", 20, (n) => ({ name: `Town ${n}`, country: `Country ${n % 4}` }));
  const persons = await save("Person", 200, (n) => ({
    name: `Person ${n}`,
    kind: `kind ${n % 10}`,
    town: pointer("Town", towns[n % 20]),
  }));
  await save("Sale", sales, (n) => ({
    group: `group ${n % 20}`,
    amount: n % 97,
    title: `Sale of ${n % 50 === 0 ? "coffee" : "bread"} number ${n}`,
    at: {
      __type: "GeoPoint",
      latitude: ((n * 7) % 1_600) / 10 - 80,
      longitude: ((n * 13) % 3_400) / 10 - 170,
    },
    person: pointer("Person", persons[n % 200]),
  }));
  // Indexes for these queries.
  const index = await fetch(`${url}/schemas/Sale`, {
    method: "PUT",
    headers: master,
    body: JSON.stringify({ indexes: { byGroup: { group: 1, amount: 1 }, byTitle: { title: "text" } } }),
  });
  if (!index.ok) throw new Error(`The index was refused: ${await index.text()}`);
  const member = await post(`${url}/users`, app, { username: "member", password: "bench password" });
  await save("_Role", ROLES, (n) => ({
    name: `role ${n}`,
    ACL: {},
    ...(n < 50 && {
      users: { __op: "AddRelation", objects: [pointer("_User", member.objectId)] },
    }),
  }));
  // Half of the rows of `Shared` are readable for this user.
  const wide = await post(`${url}/users`, app, { username: "wide", password: "bench password" });
  await save("_Role", MANY_ROLES, (n) => ({
    name: `wide role ${n}`,
    ACL: {},
    users: { __op: "AddRelation", objects: [pointer("_User", wide.objectId)] },
  }));
  await save("Shared", SHARED_ROWS, (n) => ({
    n,
    ACL: { [`role:wide role ${n % (2 * MANY_ROLES)}`]: { read: true } },
  }));
  const wideSession = { ...app, "X-Parse-Session-Token": String(wide.sessionToken) };
  await save("Guarded", sales, (n) => ({ n, ACL: { [`role:role ${n % ROLES}`]: { read: true } } }));
  const session = { ...app, "X-Parse-Session-Token": String(member.sessionToken) };
  const find = (
    className: string,
    params: Record<string, unknown>,
    headers: Record<string, string> = session,
  ): LoadRequest => {
    const texts = Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
    return { method: "GET", url: `${url}/${className}?${new URLSearchParams(texts)}`, headers };
  };
  const totals = { $group: { _id: "$group", total: { $sum: "$amount" } } };
  const ofKind = { person: { $inQuery: { className: "Person", where: { kind: "kind 3" } } } };
  return {
    "in-query": find("classes/Sale", { where: ofKind, limit: 100 }),
    "in-query-varied": find("classes/Sale", { where: ofKind, limit: 100, skip: VARIED }),
    include: find("classes/Sale", { include: "person.town", limit: 50 }),
    "include-varied": find("classes/Sale", { include: "person.town", limit: 50, skip: VARIED }),
    "acl-50": find("classes/Guarded", { limit: 100 }),
    "acl-1000": find("classes/Shared", { limit: 100 }, wideSession),
    text: find("classes/Sale", { where: { title: { $text: { $search: { $term: "coffee" } } } }, limit: 100 }),
    aggregate: find("aggregate/Sale", { pipeline: [totals] }, master),
    // All rows match.
    "aggregate-varied": find(
      "aggregate/Sale",
      { pipeline: JSON.stringify([{ $match: { group: { $gte: VARIED } } }, totals]) },
      master,
    ),
  };
}

/** Objects near a location, nearest first. */
function nearRequest(url: string): LoadRequest {
  const place = { __type: "GeoPoint", latitude: 10, longitude: 20 };
  const where = JSON.stringify({ at: { $nearSphere: place, $maxDistanceInKilometers: 500 } });
  return {
    method: "GET",
    url: `${url}/classes/Sale?${new URLSearchParams({ where, limit: "20" })}`,
    headers: { "X-Parse-Application-Id": APP_ID },
  };
}

/** Saves objects in batches and returns their ids. */
async function saveMany(
  url: string,
  headers: Record<string, string>,
  className: string,
  count: number,
  fields: (n: number) => object,
): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 500) {
    const requests = Array.from({ length: Math.min(500, count - at) }, (_, i) => ({
      method: "POST",
      path: `/server/classes/${className}`,
      body: fields(at + i),
    }));
    const answers: unknown = await post(`${url}/batch`, headers, { requests });
    if (!Array.isArray(answers)) throw new Error(`${className} was not saved`);
    for (const { success, error } of answers) {
      if (error) throw new Error(`${className}: ${JSON.stringify(error)}`);
      ids.push(String(success.objectId));
    }
  }
  return ids;
}

function rowOf(n: number): object {
  return {
    n,
    open: n % 2 === 0,
    title: `Row number ${n}`,
    note: "A sentence that a person might have written.",
  };
}

/** One third is private to the user, the rest is publicly readable. */
function aclOf(n: number, userId: string): object {
  const own = { [userId]: { read: true, write: true } };
  return n % 3 === 0 ? own : { "*": { read: true }, ...own };
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  await new Promise<void>((done, fail) => {
    child.stdout?.on("data", (chunk) => String(chunk).includes("ready") && done());
    child.once("exit", (code) => fail(new Error(`A contestant ended with ${code}`)));
  });
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("A contestant could not be started");
  return pid;
}

async function stop(child: ChildProcess, folder?: string): Promise<void> {
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await gone;
  if (folder) rmSync(folder, { recursive: true, force: true });
}

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition().catch(() => false))) {
    if (Date.now() > deadline) throw new Error("A contestant did not start");
    await new Promise((done) => setTimeout(done, 50));
  }
}
