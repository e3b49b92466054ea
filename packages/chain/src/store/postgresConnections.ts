import { Socket } from "node:net";
import pg from "pg";
import { toIndexError } from "./connectionErrors.ts";
import { ConnectionQueue } from "./connectionQueue.ts";
import { IndexDatabaseError } from "./indexErrors.ts";
import { currentGroup } from "./requestGroup.ts";
import { watchSession } from "./sessionWatch.ts";

/** Connections to a database that the indexes of all chains of a thread share. */
export interface SharedConnections {
  /**
   * Runs `work` with exclusive use of a connection, on which the tables of a schema are visible. Rejects with
   * IndexDatabaseError if there is no connection, or if it breaks.
   */
  withClient<T>(schema: string, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Closes the connections once they have no users. Each user calls it once. */
  release(): Promise<void>;
}

export interface Connection {
  client: pg.PoolClient;
  /** Begins a transaction in the schema. */
  readonly begin: string;
  /** Closes it at once; statements that are pending fail with the error. */
  destroy(error: Error): void;
}

export interface ConnectionsOptions {
  url: string;
  /** Whether a pooler may hand each transaction to another session of the server. */
  isPooled: boolean;
  /** What the connections are for; users of one purpose share them. */
  purpose: string;
  connections: number;
  /** Timeout of statements by the server in ms; unlimited if undefined. */
  timeoutMs: number | undefined;
  /** How long to wait for a connection that others use, in ms. */
  acquireMs: number;
  /** Whether statements are sent before the previous ones are answered; not for COPY. */
  isPipelined: boolean;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Timeout of asking about a session, with its connection, in ms. */
const STATE_TIMEOUT_MS = 2_000;
const KEEP_ALIVE_MS = 10_000;
/** Time after which an unused connection is closed, in ms. */
const IDLE_MS = 5 * 60_000;
/** How long a frozen process can hold locks in an open transaction, in ms. */
const IDLE_IN_TRANSACTION_MS = 3_000;
const INT8 = 20;

/** int8 is parsed as number: positions are safe integers (see model/rows.ts). */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string) =>
    oid === INT8
      ? Number
      : format === "binary"
        ? pg.types.getTypeParser(oid, "binary")
        : pg.types.getTypeParser(oid),
};

/** Plans for particular values depend on statistics, which lag behind a growing index. */
const PLAN_CACHE_MODE = "force_generic_plan";

interface OpenPool {
  pool: pg.Pool;
  /**
   * Determines which client uses a connection next: clients of one chain delay those of others as little as their own.
   */
  queue: ConnectionQueue;
  sockets: WeakMap<pg.ClientBase, Socket>;
  /** The session of each connection; not for pooled ones, whose transactions set the schema. */
  sessions: WeakMap<pg.ClientBase, Session>;
  /** The state of the session with a process and since when, by a connection of its own; undefined if there is none. */
  stateOf(pid: number): Promise<string | undefined>;
  /** The URL of each host, of which the primary is used, and how often the host was changed. */
  hosts: { urls: string[]; failures: number };
  users: number;
}

interface Session {
  schema: string;
  /** Its process on the server. */
  pid: number;
}

const pools = new Map<string, OpenPool>();

/** Returns the connections of a purpose, which are opened by its first user and when they are needed. */
export function shareConnections(options: ConnectionsOptions): SharedConnections {
  const key = JSON.stringify(options);
  const shared = pools.get(key) ?? openPool(options);
  pools.set(key, shared);
  shared.users += 1;
  const { pool, queue, sockets, sessions, hosts } = shared;
  let released: Promise<void> | undefined;

  return {
    withClient: (schema, work) => queue.run(currentGroup(), () => useClient(schema, work)),
    release() {
      released ??= leave();
      return released;
    },
  };

  async function useClient<T>(schema: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await connect();
    let lost: Error | undefined;
    const markLost = (error: Error) => {
      lost = error;
    };
    client.on("error", markLost);
    const destroy = (error: Error) => void sockets.get(client)?.destroy(error);
    let endWatch: (() => void) | undefined;
    try {
      if (!options.isPooled) {
        const { pid } = await sessionIn(schema, client);
        // Other statements are limited by the timeout.
        if (options.timeoutMs === undefined)
          endWatch = watchSession({ readState: () => shared.stateOf(pid), destroy });
      }
      return await work({
        client,
        begin: options.isPooled ? beginIn(schema, options.timeoutMs) : "BEGIN",
        destroy,
      });
    } catch (error) {
      // The connection stays usable after an error of the database.
      if (error instanceof Error && !(error instanceof pg.DatabaseError)) lost ??= error;
      throw toIndexError(error);
    } finally {
      endWatch?.();
      client.off("error", markLost);
      client.release(lost);
    }
  }

  async function sessionIn(schema: string, client: pg.PoolClient): Promise<Session> {
    const known = sessions.get(client);
    if (known?.schema === schema) return known;
    sessions.delete(client);
    const query: pg.QueryConfig & { query_timeout: number } = {
      text: "SELECT pg_backend_pid() AS pid, set_config('search_path', $1, false)",
      values: [pg.escapeIdentifier(schema)],
      query_timeout: CONNECT_TIMEOUT_MS,
    };
    const { rows } = await client.query<{ pid: number }>(query);
    const session = { schema, pid: rows[0]?.pid ?? 0 };
    sessions.set(client, session);
    return session;
  }

  /** Tries each host once; the last one that worked comes first. */
  async function connect(): Promise<pg.PoolClient> {
    for (let attempt = 1; ; attempt++) {
      const { failures } = hosts;
      try {
        return await pool.connect();
      } catch (error) {
        // Attempts that run at the same time change the host once.
        if (failures === hosts.failures) hosts.failures += 1;
        if (attempt >= hosts.urls.length) throw new IndexDatabaseError(error);
      }
    }
  }

  async function leave(): Promise<void> {
    shared.users -= 1;
    if (shared.users > 0) return;
    pools.delete(key);
    await pool.end();
  }
}

function openPool(options: ConnectionsOptions): OpenPool {
  const { url, isPooled, timeoutMs } = options;
  const sockets = new WeakMap<pg.ClientBase, Socket>();
  // A pooler refuses settings at the start.
  const urls = urlsOfHosts(withSettings(url, isPooled ? {} : { plan_cache_mode: PLAN_CACHE_MODE }));
  const hosts = { urls, failures: 0 };
  class Client extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      const socket = new Socket();
      super({
        ...(typeof config === "object" && config),
        connectionString: urls[hosts.failures % urls.length],
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        stream: () => socket,
      });
      sockets.set(this, socket);
    }
  }
  const pool = new pg.Pool({
    ...(urls.length > 1 && { verify: requirePrimary }),
    max: options.connections,
    application_name: "purse chain",
    ...(!isPooled && {
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      ...(timeoutMs !== undefined && { statement_timeout: timeoutMs }),
    }),
    connectionTimeoutMillis: options.acquireMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    idleTimeoutMillis: IDLE_MS,
    pipeline: options.isPipelined,
    types: TYPES,
    Client,
  });
  // Lost idle connections are replaced on demand.
  pool.on("error", () => undefined);
  const queue = new ConnectionQueue(options.connections, options.acquireMs);
  async function queryState(pid: number): Promise<string | undefined> {
    const client = new Client({ application_name: "purse chain" });
    client.on("error", () => undefined);
    const destroy = () => sockets.get(client)?.destroy(new Error("Connection terminated: no response"));
    const timer = setTimeout(destroy, STATE_TIMEOUT_MS);
    try {
      await client.connect();
      const { rows } = await client.query<{ state: string }>(
        // A role that may not see the state of a session finds null, and `disabled` if the database records none.
        `SELECT CASE WHEN state LIKE 'idle%' THEN state || ' since ' || state_change ELSE 'active' END AS state
          FROM pg_stat_activity WHERE pid = $1`,
        [pid],
      );
      return rows[0]?.state;
    } finally {
      clearTimeout(timer);
      void client.end().catch(() => undefined);
      sockets.get(client)?.destroySoon();
    }
  }
  const stateOf = (pid: number) => afterOthers(() => queryState(pid));
  return { pool, queue, sockets, sessions: new WeakMap(), stateOf, hosts, users: 0 };
}

let lastQuestion: Promise<unknown> = Promise.resolve();

/** Questions about sessions use one connection at a time. */
function afterOthers<T>(ask: () => Promise<T>): Promise<T> {
  const answer = lastQuestion.then(ask);
  lastQuestion = answer.catch(() => undefined);
  return answer;
}

/** One URL for each of the hosts of a URL (`host1,host2`). */
function urlsOfHosts(url: string): string[] {
  const { hostname } = new URL(url);
  return hostname.split(",").map((host) => Object.assign(new URL(url), { hostname: host }).href);
}

function requirePrimary(client: pg.PoolClient, done: (error?: Error) => void): void {
  client
    .query<{ is_standby: boolean }>("SELECT pg_is_in_recovery() AS is_standby")
    .then(({ rows }) => done(rows[0]?.is_standby ? new Error("the server is in recovery") : undefined), done);
}

function beginIn(schema: string, timeoutMs: number | undefined): string {
  return [
    "BEGIN",
    `SET LOCAL search_path TO ${pg.escapeIdentifier(schema)}`,
    `SET LOCAL plan_cache_mode = ${PLAN_CACHE_MODE}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
    ...(timeoutMs === undefined ? [] : [`SET LOCAL statement_timeout = ${timeoutMs}`]),
  ].join(";");
}

/** `ssl` is an alias of `sslmode`, with libpq's meaning. */
function withSettings(url: string, settings: Readonly<Record<string, string>>): string {
  const target = new URL(url);
  const parameters = target.searchParams;
  const ssl = parameters.get("ssl");
  parameters.delete("ssl");
  if (ssl !== null && !parameters.has("sslmode")) parameters.set("sslmode", ssl === "true" ? "require" : ssl);
  if (parameters.has("sslmode")) parameters.set("uselibpqcompat", "true");
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const all = [parameters.get("options") ?? "", ...options].join(" ").trim();
  if (all !== "") parameters.set("options", all);
  return target.href;
}
