import { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import pg from "pg";
import type { SqlParameter } from "../sql/dialect.ts";
import { connectionConfig } from "./connectionConfig.ts";
import { ConnectionLost, isConnectionLost } from "./errors.ts";
import { preparedStatement } from "./preparedStatements.ts";

/** The columns of a row, as PostgreSQL writes them in text; null for NULL. */
export type Row = readonly (string | null)[];

/** Runs statements with `?` for their parameters. Rejects with the database's error, or ConnectionLost. */
export interface Sql {
  run(text: string, parameters: readonly (SqlParameter | null)[]): Promise<Row[]>;
}

export interface SessionOptions {
  /** `postgres://user:password@host:port/database`; several hosts with commas are tried in turn. */
  url: string;
  /** How the session shows in `pg_stat_activity`. */
  applicationName: string;
  /** Settings of the session at the server, by name; those that a server does not know are left out. */
  settings: Readonly<Record<string, string | number>>;
  /** ms after which a statement without an answer counts as lost, and the session is ended; undefined for never. */
  deadlineMs: number | undefined;
  /** Whether a server that is in recovery (a standby) is refused. */
  needsPrimary: boolean;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** How long the server may take to say goodbye, in ms. */
const END_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;
/** How often the deadlines of statements are checked, in ms. */
const CHECK_MS = 250;

/** Values stay the text that the server sends. */
const TEXT_ONLY: pg.CustomTypesConfig = { getTypeParser: () => (value: string) => value };

const sessions = new Set<Session>();
let checking: NodeJS.Timeout | undefined;

function watch(session: Session): void {
  sessions.add(session);
  checking ??= setInterval(() => {
    const now = performance.now();
    for (const each of sessions) each.checkDeadlines(now);
  }, CHECK_MS).unref();
}

function unwatch(session: Session): void {
  sessions.delete(session);
  if (sessions.size > 0) return;
  clearInterval(checking);
  checking = undefined;
}

interface InFlight {
  startedAt: number;
  /** Infinity for none. */
  deadline: number;
}

/**
 * One connection to PostgreSQL. Statements are pipelined: each is sent at once, and they are answered in order. A
 * statement that is not answered by its deadline ends the session, so that a connection that nobody serves any more
 * holds nobody up.
 */
export class Session implements Sql {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #deadlineMs: number | undefined;
  readonly #inFlight = new Set<InFlight>();
  readonly #onLost: (() => void)[] = [];
  #lost: ConnectionLost | undefined;
  #bytesRead = 0;
  /** When something came from the server last, as exactly as deadlines are checked. */
  #heardAt = performance.now();
  readonly openedAt = performance.now();

  private constructor(client: pg.Client, socket: Socket, deadlineMs: number | undefined) {
    this.#client = client;
    this.#socket = socket;
    this.#deadlineMs = deadlineMs;
    client.on("error", (error) => this.#lose(error.message));
    client.on("end", () => this.#lose("the server closed the connection"));
  }

  /** Rejects with ConnectionLost, or the error with which the server refuses. */
  static async open(options: SessionOptions, attempt = 0): Promise<Session> {
    const { config, withoutTls } = connectionConfig(options.url, attempt);
    try {
      return await Session.#open(config, options);
    } catch (error) {
      const hasNoTls = error instanceof Error && /does not support SSL/.test(error.message);
      if (withoutTls && hasNoTls) return Session.#open(withoutTls, options);
      throw error;
    }
  }

  static async #open(config: pg.ClientConfig, options: SessionOptions): Promise<Session> {
    const socket = new Socket();
    const client = new pg.Client({
      ...config,
      application_name: options.applicationName,
      stream: () => socket,
      types: TEXT_ONLY,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    const session = new Session(client, socket, options.deadlineMs);
    try {
      await client.connect();
      watch(session);
      await session.#prepare(options);
      return session;
    } catch (error) {
      session.destroy("it could not be opened");
      throw error instanceof pg.DatabaseError ? error : lost(error);
    }
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Statements that are sent and not answered yet. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** For how long the oldest statement has not been answered, in ms; 0 where there is none. */
  waitingMs(now: number): number {
    const [oldest] = this.#inFlight;
    return oldest ? now - oldest.startedAt : 0;
  }

  async run(
    text: string,
    parameters: readonly (SqlParameter | null)[],
    deadlineMs: number | undefined = this.#deadlineMs,
  ): Promise<Row[]> {
    const { numbered, name } = preparedStatement(text);
    const query = {
      text: numbered,
      values: [...parameters],
      rowMode: "array",
      ...(name && { name }),
    } as const;
    const { rows } = await this.#track(deadlineMs, () => this.#client.query<(string | null)[]>(query));
    return rows;
  }

  /** Runs a statement without parameters and rows; answers the tag of its command, as in `COMMIT`. */
  async command(text: string): Promise<string> {
    const { command } = await this.#track(this.#deadlineMs, () => this.#client.query(text));
    return command;
  }

  /** Receives notifications of the channels that the session listens to. */
  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on("notification", ({ channel, payload }) => listener(channel, payload ?? ""));
  }

  /** Calls back once, when the session is lost or ended. */
  onLost(listener: () => void): void {
    if (this.#lost) listener();
    else this.#onLost.push(listener);
  }

  /** Ends the connection at once; statements in flight reject with ConnectionLost. */
  destroy(reason: string): void {
    this.#lose(reason);
    this.#socket.destroy();
  }

  /** Ends the session once its statements are answered. */
  async end(): Promise<void> {
    if (this.#lost) return;
    const ended = this.#client.end();
    this.#lose("it was closed");
    const timer = setTimeout(() => this.#socket.destroy(), END_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Ends the session where nothing has been heard from the server for so long; ms. */
  destroyIfSilent(ms: number): void {
    if (performance.now() - this.#heardAt > ms) this.destroy("the server is silent");
  }

  checkDeadlines(now: number): void {
    const { bytesRead } = this.#socket;
    if (bytesRead !== this.#bytesRead) {
      this.#bytesRead = bytesRead;
      this.#heardAt = now;
    }
    for (const { deadline } of this.#inFlight) {
      if (deadline >= now) continue;
      this.destroy("a statement was not answered within its deadline");
      return;
    }
  }

  async #prepare({ settings, needsPrimary }: SessionOptions): Promise<void> {
    const [row] = await this.run(
      `SELECT pg_is_in_recovery(), (SELECT count(set_config(name, value, false))
         FROM jsonb_each_text(?::text::jsonb) AS wanted(name, value)
         WHERE name IN (SELECT name FROM pg_settings))`,
      [JSON.stringify(settings)],
      CONNECT_TIMEOUT_MS,
    );
    if (needsPrimary && row?.[0] === "t") throw new Error("the server is in recovery: it takes no writes");
  }

  async #track<T>(deadlineMs: number | undefined, send: () => Promise<T>): Promise<T> {
    if (this.#lost) throw this.#lost;
    const startedAt = performance.now();
    const entry = {
      startedAt,
      deadline: deadlineMs === undefined ? Number.POSITIVE_INFINITY : startedAt + deadlineMs,
    };
    this.#inFlight.add(entry);
    try {
      return await send();
    } catch (error) {
      if (this.#lost) throw this.#lost;
      // The server says that it ends the session before it does.
      if (isConnectionLost(error)) this.destroy(String(error));
      throw error;
    } finally {
      this.#inFlight.delete(entry);
    }
  }

  #lose(reason: string): void {
    if (this.#lost) return;
    this.#lost = new ConnectionLost(`The connection to the database was lost: ${reason}`);
    unwatch(this);
    for (const listener of this.#onLost) listener();
  }
}

function lost(error: unknown): ConnectionLost {
  if (error instanceof ConnectionLost) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ConnectionLost(`The connection to the database was lost: ${reason}`, { cause: error });
}
