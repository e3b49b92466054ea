import { connect } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/*
 * Clients as those of pgbench: each sends one prepared statement after the other and reads nothing but their ends, so
 * that the load takes as little as possible of the cores that it shares with the database.
 */

export interface CommitLoad {
  url: string;
  /** Concurrent connections. */
  clients: number;
  durationMs: number;
  /** A statement that commits one row, with its id as `$1` and the object as `$2`. */
  statement: string;
  /** What each id begins with. */
  idPrefix: string;
  /** The fields of each object. */
  fields: Readonly<Record<string, unknown>>;
}

/** Runs the load in a thread of its own. Returns the commits per second. */
export async function measureCommits(load: CommitLoad): Promise<number> {
  const thread = new Worker(import.meta.filename, { workerData: load });
  return new Promise((resolve, reject) => {
    thread.once("message", resolve);
    thread.once("error", reject);
  });
}

const PROTOCOL_VERSION = 196_608;
/** Types of messages of the server. */
const ERROR = 0x45;
const READY = 0x5a;
const HEADER_SIZE = 5;

/** As a process of Purse, whose sessions the database need not tell that their changes were logged. */
const SETTINGS = "-c purse.published=on";

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const text = (value: string) => Buffer.from(`${value}\0`);

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

/** A parameter in text format. */
function parameter(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int32(bytes.length), bytes]);
}

const SYNC = message("S");
const EXECUTE = message("E", text(""), int32(0));

function startup({ username, pathname }: URL): Buffer {
  const parameters = { user: username, database: pathname.slice(1), options: SETTINGS };
  const body = Buffer.concat([
    int32(PROTOCOL_VERSION),
    ...Object.entries(parameters).flatMap(([name, value]) => [text(name), text(value)]),
    text(""),
  ]);
  return Buffer.concat([int32(body.length + 4), body]);
}

function prepare(statement: string): Buffer {
  return Buffer.concat([message("P", text("commit"), text(statement), int16(0)), SYNC]);
}

function run(id: string, fields: CommitLoad["fields"]): Buffer {
  const values = [parameter(id), parameter(JSON.stringify({ objectId: id, ...fields }))];
  const bind = message("B", text(""), text("commit"), int16(0), int16(values.length), ...values, int16(0));
  return Buffer.concat([bind, EXECUTE, SYNC]);
}

/**
 * Connects a client. Each time the server is ready, `next` returns what is sent next, or undefined to end the
 * connection. Resolves when it has ended.
 */
function runClient(url: URL, next: () => Promise<Buffer | undefined> | Buffer | undefined): Promise<void> {
  const socket = connect(Number(url.port), url.hostname);
  socket.setNoDelay();
  socket.write(startup(url));
  let received: Buffer = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    socket.on("close", () => resolve());
    socket.on("error", reject);
    socket.on("data", async (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      let isReady = false;
      while (received.length >= HEADER_SIZE) {
        const end = received.readInt32BE(1) + 1;
        if (received.length < end) break;
        if (received[0] === ERROR) {
          reject(new Error(received.toString("latin1", HEADER_SIZE, end)));
          socket.destroy();
          return;
        }
        isReady = received[0] === READY;
        received = received.subarray(end);
      }
      if (!isReady) return;
      const following = await next();
      if (following) socket.write(following);
      else socket.end(message("X"));
    });
  });
}

async function runLoad(load: CommitLoad): Promise<number> {
  const connected = Promise.withResolvers<void>();
  let connecting = load.clients;
  let commits = 0;
  let began = 0;
  const runOne = (client: number) => {
    let sent = 0;
    return runClient(new URL(load.url), async () => {
      sent += 1;
      if (sent === 1) return prepare(load.statement);
      if (sent === 2) {
        connecting -= 1;
        if (connecting === 0) {
          began = performance.now();
          connected.resolve();
        }
        await connected.promise;
      } else {
        commits += 1;
        if (performance.now() > began + load.durationMs) return undefined;
      }
      return run(`${load.idPrefix}-${client}-${sent}`, load.fields);
    });
  };
  await Promise.all(Array.from({ length: load.clients }, (_, client) => runOne(client)));
  return (commits / (performance.now() - began)) * 1_000;
}

if (!isMainThread) {
  const load: CommitLoad = workerData;
  parentPort?.postMessage(await runLoad(load));
}
