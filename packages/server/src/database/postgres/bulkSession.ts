import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import type { SqlParameter } from "../sql/dialect.ts";
import { connectionConfig } from "./connectionConfig.ts";
import { preparedStatement } from "./preparedStatements.ts";
import type { Row } from "./session.ts";
import { BULK_APPLICATION } from "./sessionKinds.ts";
import type { Transaction } from "./transactions.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const LOCK_TIMEOUT_MS = 8_000;

/** A session without time limits, which copies whole tables. It can be used by one statement at a time. */
export interface BulkSession extends Transaction {
  /** Returns the rows that a `COPY … TO STDOUT` sends. */
  copyOut(statement: string): Readable;
  /** Returns the stream of the rows of a `COPY … FROM STDIN`. */
  copyIn(statement: string): Writable;
  /** Closes the connection, which rolls a transaction back. */
  close(): void;
}

/** Opens a session without a pooler. Rejects if no server of the URL can be reached. */
export async function openBulkSession(url: string): Promise<BulkSession> {
  const hosts = new URL(url).hostname.split(",").length;
  for (let attempt = 0; ; attempt += 1) {
    const { config, withoutTls } = connectionConfig(url, attempt);
    try {
      return await connect(config);
    } catch (error) {
      const isTlsUnsupported = error instanceof Error && /does not support SSL/.test(error.message);
      if (withoutTls && isTlsUnsupported) return connect(withoutTls);
      if (attempt + 1 >= hosts) throw error;
    }
  }
}

async function connect(config: pg.ClientConfig): Promise<BulkSession> {
  const socket = new Socket();
  const client = new pg.Client({
    ...config,
    application_name: BULK_APPLICATION,
    stream: () => socket,
    types: { getTypeParser: () => (value: string) => value },
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  let failure: unknown;
  // A lost connection rejects the pending statement as well.
  client.on("error", (error) => {
    failure = error;
  });
  const run = async (text: string, parameters: readonly (SqlParameter | null)[] = []): Promise<Row[]> => {
    const { numberedText } = preparedStatement(text);
    try {
      const query = { text: numberedText, values: [...parameters], rowMode: "array" } as const;
      const { rows } = await client.query<(string | null)[]>(query);
      return rows;
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  try {
    await client.connect();
    for (const [name, value] of Object.entries(SETTINGS)) await client.query(`SET ${name} = ${value}`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    get failure() {
      return failure;
    },
    run,
    copyOut: (statement) => client.query(copyTo(statement)).on("error", noop),
    copyIn: (statement) => client.query(copyFrom(statement)).on("error", noop),
    close: () => socket.destroy(),
  };
}

/** Readers of a stream receive its errors; an error without any listener would end the process. */
const noop = (): void => undefined;

const SETTINGS: Readonly<Record<string, number>> = {
  statement_timeout: 0,
  // A slow disk or S3 delays the statements of a transaction.
  idle_in_transaction_session_timeout: 0,
  lock_timeout: LOCK_TIMEOUT_MS,
};
