import { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import pg from "pg";
import type { SqlParameter } from "../sql/dialect.ts";
import { connectionConfig } from "./connectionConfig.ts";
import { endOfTurn } from "./endOfTurn.ts";
import {
  ConnectionLostError,
  isConnectionLost,
  isIdleTimeout,
  StatementOverdueError,
  TransactionIdleError,
} from "./errors.ts";
import { startChecks } from "./lateChecks.ts";
import { preparedStatement } from "./preparedStatements.ts";

/** The columns of a row in PostgreSQL's text format; null for NULL. */
export type Row = readonly (string | null)[];

/** Runs statements with `?` as parameters. Rejects with the error of the database, or ConnectionLostError. */
export interface Sql {
  run(text: string, parameters: readonly (SqlParameter | null)[]): Promise<readonly Row[]>;
}

export interface SessionOptions {
  /** `postgres://user:password@host:port/database`; several comma-separated hosts are tried in turn. */
  url: string;
  /** Name of the session in `pg_stat_activity`. */
  applicationName: string;
  /** Settings of the session by name; unknown ones are skipped. */
  settings: Readonly<Record<string, string | number>>;
  /**
   * Time without anything from the server after which a statement counts as lost and the session is destroyed, in ms;
   * undefined for no limit.
   */
  deadlineMs: number | undefined;
  /** Whether to reject a server in recovery (a standby). */
  requiresPrimary: boolean;
  /**
   * Whether a pooler may hand each transaction to another session of the server: every statement then is a transaction
   * that begins with the settings, and none is prepared by name.
   */
  isPooled?: boolean;
  /** Whether the result of each statement begins with a row that has the position that the server had reached before. */
  reportsPosition?: boolean;
}

/** A statement later sees everything up to this position; on a standby, as far as it has replayed. */
const POSITION = `SELECT coalesce(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
  ELSE pg_current_wal_insert_lsn() END, '0/0')`;

/** The same for a server and its copies, of which one accepts writes. */
const SYSTEM = "(SELECT system_identifier FROM pg_control_system())";

/**
 * Has a row if the server has been working on the same statement of a process for this many ms. While it waits for the
 * client to read the result, the connection is at fault.
 */
const AT_WORK = `SELECT 1 FROM pg_stat_activity WHERE pid = ?::int AND state = 'active'
  AND wait_event_type IS DISTINCT FROM 'Client'
  AND query_start < clock_timestamp() - ?::float8 * interval '1 millisecond'`;
/** The part of the deadline after which the server has been working on one statement alone. */
const WORK_SHARE = 0.75;

const CONNECT_TIMEOUT_MS = 5_000;
/** Timeout for closing a session gracefully, in ms. */
const END_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;
/** Interval for checking the deadlines of statements, in ms. */
const CHECK_MS = 250;

/** Values are returned as the text that the server sends. */
const TEXT_ONLY: pg.CustomTypesConfig = { getTypeParser: () => (value: string) => value };

const sessions = new Set<Session>();
let checkTimer: NodeJS.Timeout | undefined;

function startMonitoring(session: Session): void {
  sessions.add(session);
  checkTimer ??= startChecks(CHECK_MS, (lateMs) => {
    for (const each of sessions) each.checkDeadlines(lateMs);
  });
}

function stopMonitoring(session: Session): void {
  sessions.delete(session);
  if (sessions.size > 0) return;
  clearInterval(checkTimer);
  checkTimer = undefined;
}

interface InFlight {
  startedAt: number;
  /** Since when the server is expected to send something. */
  waitsSince: number;
  /** Infinity for no deadline. */
  deadlineMs: number;
}

/**
 * A connection to PostgreSQL. Statements are pipelined: those of one turn of the event loop are sent together, and
 * answered in order. A statement that exceeds its deadline destroys the session, so that a dead connection does not block
 * requests. A large result may take longer, as long as it keeps arriving.
 */
export class Session implements Sql {
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #deadlineMs: number | undefined;
  /** How a transaction begins. */
  readonly #begin: string;
  readonly #isPooled: boolean;
  #reportsPosition = false;
  /** Whether the statements that are sent now belong to a transaction of the caller. */
  #isInTransaction = false;
  readonly #inFlight = new Set<InFlight>();
  readonly #onLost: (() => void)[] = [];
  readonly #messages = new Set<string>();
  #lostError: ConnectionLostError | undefined;
  #isCorked = false;
  /** The ID of the server's process, and the server's. */
  #pid: string | undefined;
  #system: string | null | undefined;
  /** The pending statement on which the server was found not to work, and since when. */
  #abandoned: { statement: InFlight; since: number } | undefined;
  #bytesRead = 0;
  /** Time of the last data from the server, accurate to the interval of the deadline checks. */
  #lastReceivedAt = performance.now();
  readonly openedAt = performance.now();

  private constructor(client: pg.Client, socket: Socket, options: SessionOptions, statements: string[]) {
    this.#client = client;
    this.#socket = socket;
    this.#deadlineMs = options.deadlineMs;
    this.#isPooled = options.isPooled ?? false;
    this.#begin = this.#isPooled
      ? ["BEGIN", ...localSettings(options.settings), ...statements].join(";")
      : "BEGIN";
    client.on("error", (error) =>
      this.#markLost(error.message, isIdleTimeout(error) ? TransactionIdleError : ConnectionLostError),
    );
    client.on("notice", ({ severity, message }) => {
      if (severity === "INFO" && message !== undefined) this.#messages.add(message);
    });
    client.on("end", () => this.#markLost("the server closed the connection"));
  }

  /** Rejects with ConnectionLostError, or the error with which the server refuses the connection. */
  static async open(options: SessionOptions, attempt = 0): Promise<Session> {
    const { config, withoutTls, statements } = connectionConfig(options.url, attempt, options.isPooled);
    try {
      return await Session.#open(config, options, statements);
    } catch (error) {
      const isTlsUnsupported = error instanceof Error && /does not support SSL/.test(error.message);
      if (withoutTls && isTlsUnsupported) return Session.#open(withoutTls, options, statements);
      throw error;
    }
  }

  static async #open(
    config: pg.ClientConfig,
    options: SessionOptions,
    statements: string[],
  ): Promise<Session> {
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
    const session = new Session(client, socket, options, statements);
    try {
      await client.connect();
      startMonitoring(session);
      await session.#prepare(options);
      return session;
    } catch (error) {
      session.destroy("it could not be opened");
      throw error instanceof pg.DatabaseError ? error : toConnectionLostError(error);
    }
  }

  get isLost(): boolean {
    return this.#lostError !== undefined;
  }

  /** Number of statements that have been sent and not answered. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Returns how long the oldest statement has been pending, in ms; 0 if there is none. */
  waitingMs(now: number): number {
    const [oldest] = this.#inFlight;
    return oldest ? now - oldest.startedAt : 0;
  }

  async run(
    text: string,
    parameters: readonly (SqlParameter | null)[],
    deadlineMs: number | undefined = this.#deadlineMs,
  ): Promise<readonly Row[]> {
    const { numberedText, name } = preparedStatement(text);
    const query = {
      text: numberedText,
      values: [...parameters],
      rowMode: "array",
      ...(name && !this.#isPooled && { name }),
    } as const;
    const send = this.#reportsPosition
      ? () => this.#withPosition(() => this.#client.query<(string | null)[]>(query))
      : () => this.#client.query<(string | null)[]>(query);
    const isOwnTransaction = this.#isPooled && !this.#isInTransaction;
    const { rows } = await this.#track(deadlineMs, isOwnTransaction ? () => this.#inTransaction(send) : send);
    return rows;
  }

  /** Sends a statement after the one for the position, in one round trip. */
  async #withPosition(
    send: () => Promise<{ rows: (string | null)[][] }>,
  ): Promise<{ rows: (string | null)[][] }> {
    const position = this.#client.query<(string | null)[]>({ text: POSITION, rowMode: "array" });
    const [before, result] = await settleBoth(position, send());
    return { rows: [...before.rows, ...result.rows] };
  }

  /** Sends a statement together with the transaction around it, in one round trip. */
  async #inTransaction<T>(send: () => Promise<T>): Promise<T> {
    const began = this.#client.query(this.#begin);
    const result = send();
    const ended = this.#client.query("COMMIT");
    const [beginning, , end] = await Promise.allSettled([began, result, ended]);
    const value = await result;
    for (const outcome of [beginning, end]) if (outcome.status === "rejected") throw outcome.reason;
    return value;
  }

  /** Runs a statement without parameters and rows. Returns its command tag, such as `COMMIT`. */
  async command(text: string): Promise<string> {
    if (text === "COMMIT" || text === "ROLLBACK") this.#isInTransaction = false;
    const { command } = await this.#track(this.#deadlineMs, () => this.#client.query(text));
    return command;
  }

  /** Begins a transaction, which `command("COMMIT")` or `command("ROLLBACK")` ends. */
  async begin(): Promise<void> {
    this.#isInTransaction = true;
    try {
      await this.#track(this.#deadlineMs, () => this.#client.query(this.#begin));
    } catch (error) {
      this.#isInTransaction = false;
      throw error;
    }
  }

  /** Calls the listener with notifications of the channels that the session listens to. */
  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on("notification", ({ channel, payload }) => listener(channel, payload ?? ""));
  }

  /** Whether the server has sent this message (`RAISE INFO`) since the last call. */
  takeMessage(message: string): boolean {
    return this.#messages.delete(message);
  }

  /** Calls the listener once when the session is lost or closed. */
  onLost(listener: () => void): void {
    if (this.#lostError) listener();
    else this.#onLost.push(listener);
  }

  /** Closes the connection at once; pending statements reject with ConnectionLostError. */
  destroy(reason: string): void {
    this.#markLost(reason);
    this.#socket.destroy();
  }

  /** Closes the session after its pending statements. */
  async end(): Promise<void> {
    if (this.#lostError) return;
    const ended = this.#client.end();
    this.#markLost("it was closed");
    const timer = setTimeout(() => this.#socket.destroy(), END_MS);
    await ended;
    clearTimeout(timer);
  }

  /** Destroys the session if nothing has been received for this many ms. */
  destroyIfSilent(ms: number): void {
    if (performance.now() - this.#lastReceivedAt > ms) this.destroy("the server is silent");
  }

  /**
   * Destroys the session if the server, asked by another session, has not worked on its oldest statement for this many
   * ms: the connection is dead. A statement may take any time otherwise. Nothing is known if a server answers that is no
   * copy of it: one of several that accept writes, behind a load balancer, knows its own sessions only.
   */
  async destroyIfAbandoned(other: Sql, ms: number): Promise<void> {
    const [statement] = this.#inFlight;
    if (!statement || this.#pid === undefined) return;
    const [row] = await other.run(
      // The state is hidden from another role.
      `SELECT coalesce((SELECT coalesce(state, 'hidden') FROM pg_stat_activity WHERE pid = ?::int), 'idle'),
         ${this.#system === undefined ? "NULL" : SYSTEM}`,
      [this.#pid],
    );
    const isKnown = this.#system === undefined || row?.[1] === this.#system;
    const isAbandoned = isKnown && String(row?.[0]).startsWith("idle");
    if (!isAbandoned || !this.#inFlight.has(statement)) {
      this.#abandoned = undefined;
      return;
    }
    const now = performance.now();
    if (this.#abandoned?.statement !== statement) this.#abandoned = { statement, since: now };
    else if (now - this.#abandoned.since >= ms) this.destroy("the server does not work on its statement");
  }

  /**
   * Whether the server, asked by another session, still works on the statement for which this session was given up.
   * Behind a pooler, only the transaction knows the process (`pid`).
   */
  async isAtWork(other: Sql, pid = this.#pid): Promise<boolean> {
    if (!(this.#lostError instanceof StatementOverdueError) || pid === undefined) return false;
    try {
      return (await other.run(AT_WORK, [pid, (this.#deadlineMs ?? 0) * WORK_SHARE])).length > 0;
    } catch {
      // Without an answer, the database is at fault.
      return false;
    }
  }

  /** `lateMs` is the time in which the process could not notice what arrived, because its event loop was blocked. */
  checkDeadlines(lateMs: number): void {
    const now = performance.now();
    const { bytesRead } = this.#socket;
    const hasReceived = bytesRead !== this.#bytesRead;
    this.#bytesRead = bytesRead;
    this.#lastReceivedAt = hasReceived ? now : Math.min(now, this.#lastReceivedAt + lateMs);
    for (const statement of this.#inFlight)
      statement.waitsSince = hasReceived ? now : Math.min(now, statement.waitsSince + lateMs);
    for (const { waitsSince, deadlineMs } of this.#inFlight) {
      if (now - waitsSince <= deadlineMs) continue;
      this.#markLost("a statement was not answered within its deadline", StatementOverdueError);
      this.#socket.destroy();
      return;
    }
  }

  async #prepare({ settings, requiresPrimary, reportsPosition = false }: SessionOptions): Promise<void> {
    const sessionSettings = this.#isPooled ? {} : settings;
    const [row] = await this.run(
      `SELECT pg_is_in_recovery(), (SELECT count(set_config(name, value, false))
         FROM jsonb_each_text(?::text::jsonb) AS wanted(name, value)
         WHERE name IN (SELECT name FROM pg_settings)), pg_backend_pid()`,
      [JSON.stringify(sessionSettings)],
      CONNECT_TIMEOUT_MS,
    );
    if (!this.#isPooled) this.#pid = row?.[2] ?? undefined;
    if (requiresPrimary && row?.[0] === "t")
      throw new Error("the server is in recovery and does not accept writes");
    if (this.#deadlineMs === undefined) this.#system = await this.#readSystem();
    this.#reportsPosition = reportsPosition;
  }

  /** Returns undefined if the server does not say it: it counts as the only one that accepts writes then. */
  async #readSystem(): Promise<string | null | undefined> {
    try {
      const [row] = await this.run(`SELECT ${SYSTEM}`, [], CONNECT_TIMEOUT_MS);
      return row?.[0];
    } catch (error) {
      if (isConnectionLost(error)) throw error;
      return undefined;
    }
  }

  async #track<T>(deadlineMs: number | undefined, send: () => Promise<T>): Promise<T> {
    if (this.#lostError) throw this.#lostError;
    const startedAt = performance.now();
    const entry = {
      startedAt,
      waitsSince: startedAt,
      deadlineMs: deadlineMs ?? Number.POSITIVE_INFINITY,
    };
    this.#inFlight.add(entry);
    this.#corkTurn();
    try {
      return await send();
    } catch (error) {
      if (this.#lostError) throw this.#lostError;
      // The server announces the end of a session by an error.
      if (isConnectionLost(error)) this.destroy(String(error));
      throw error;
    } finally {
      this.#inFlight.delete(entry);
    }
  }

  /**
   * Sends the statements of one turn of the event loop together: a system call for each would take longer than all other
   * work on it, and wake the server's process each time.
   */
  #corkTurn(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    endOfTurn.send(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }

  #markLost(reason: string, LostError = ConnectionLostError): void {
    if (this.#lostError) return;
    this.#lostError = new LostError(`The connection to the database was lost: ${reason}`);
    stopMonitoring(this);
    for (const listener of this.#onLost) listener();
  }
}

/** Returns both results after both promises have settled. */
export async function settleBoth<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/** The settings that a transaction needs; all versions of PostgreSQL have them. */
const TRANSACTION_SETTINGS = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];

/** Statements for the settings of a transaction, which end with it. */
function localSettings(settings: SessionOptions["settings"]): string[] {
  return TRANSACTION_SETTINGS.flatMap((name) => {
    const value = settings[name];
    return value === undefined ? [] : [`SET LOCAL ${name} = ${Number(value)}`];
  });
}

function toConnectionLostError(error: unknown): ConnectionLostError {
  if (error instanceof ConnectionLostError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ConnectionLostError(`The connection to the database was lost: ${reason}`, { cause: error });
}
