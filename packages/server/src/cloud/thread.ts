import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { ErrorCode, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { LOG_LEVELS, type Log, type LogFields } from "../observe/log.ts";
import { AnsweredError } from "./answerFunction.ts";
import type { Ask, FromCode, Refusal, StartData, ToCode } from "./messages.ts";
import { installNamespace } from "./namespace.ts";
import { Outbox } from "./outbox.ts";
import { loadPlugins } from "./plugins.ts";
import { definitionsOf, newRegistry } from "./registry.ts";
import { runTask } from "./runTask.ts";
import { atDepth, currentDepth } from "./scope.ts";

/*
 * The thread that runs the cloud code: whatever it does (throws, loops for ever, fills the memory), the
 * server goes on and starts another one.
 */

const port = required(parentPort);
const start: StartData = workerData;
const registry = newRegistry();
const asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
let asks = 0;
let isReady = false;

/** Whether the code has defined or loaded something that the server has not been sent yet. */
let isChanged = false;
/** How many of its files the server has been sent. */
let knownFiles = 0;

const outbox = new Outbox<FromCode>((messages) => port.postMessage(messages));
const log = logWith({ from: "cloud" });

port.on("message", (messages: ToCode[]) => {
  for (const message of messages) receive(message);
});

/** What the code has defined goes before whatever else it says: nobody is answered by what is not known yet. */
function post(message: FromCode): void {
  postChanges();
  outbox.put(message);
}

/** Once for all definitions of one turn of the event loop: each message holds all of them. */
function postChanges(): void {
  if (!isChanged) return;
  isChanged = false;
  if (files.size > knownFiles) {
    knownFiles = files.size;
    outbox.put({ kind: "files", files: [...files] });
  }
  outbox.put({ kind: "defined", definitions: definitionsOf(registry) });
}

function onChanged(): void {
  if (!isReady || isChanged) return;
  isChanged = true;
  setImmediate(postChanges);
}

function receive(message: ToCode): void {
  switch (message.kind) {
    case "ping":
      post({ kind: "pong" });
      break;
    case "task":
      void perform(message);
      break;
    case "answer":
      asked.get(message.id)?.resolve(message.value);
      asked.delete(message.id);
      break;
    case "refused":
      asked.get(message.id)?.reject(new ProtocolError(message.refusal.code, message.refusal.message));
      asked.delete(message.id);
  }
}

// What nobody waits for and nobody catches ends nothing: the calls beside it go on.
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : error;
    log.error("cloud code threw where nobody catches", { error: text });
  });
}

const files = watchLoads();
try {
  await installNamespace({
    registry,
    ask,
    log,
    settings: start.settings,
    onDefined: onChanged,
  });
  await loadPlugins(start.plugins, registry);
  if (start.file !== "") await import(pathToFileURL(start.file).href);
  isReady = true;
  knownFiles = files.size;
  post({ kind: "files", files: [...files] });
  post({ kind: "ready", definitions: definitionsOf(registry) });
} catch (error) {
  post({ kind: "files", files: [...files] });
  post({ kind: "failed", error: error instanceof Error ? error.message : String(error) });
}

async function perform({ id, depth, task }: Extract<ToCode, { kind: "task" }>): Promise<void> {
  try {
    const outcome = await atDepth(depth, () => runTask({ registry, log, ask }, task));
    post({ kind: "done", id, outcome });
  } catch (error) {
    post({ kind: "refused", id, refusal: refusalOf(error) });
  }
}

function ask(what: Ask): Promise<unknown> {
  const id = ++asks;
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    post({ kind: "ask", id, depth: currentDepth(), ask: what });
  });
}

/** Texts and errors are what the client is told, as in Parse Server; anything else says nothing. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof AnsweredError) return { ...refusalOf(error.cause), status: error.chosen.status };
  if (error instanceof ProtocolError) {
    const { code, message, status } = error;
    return { code, message, status };
  }
  if (typeof error === "string") return { code: ErrorCode.SCRIPT_FAILED, message: error };
  log.warn("cloud code failed", { error: error instanceof Error ? (error.stack ?? error.message) : error });
  const message = error instanceof Error && error.message ? error.message : "Script failed.";
  return { code: ErrorCode.SCRIPT_FAILED, message };
}

/** Notes which files of one's own (not of packages) are loaded. */
function watchLoads(): ReadonlySet<string> {
  const loaded = new Set<string>(start.file === "" ? [] : [start.file]);
  registerHooks({
    load(url, context, next) {
      if (url.startsWith("file:") && !url.includes("/node_modules/")) {
        loaded.add(fileURLToPath(url));
        onChanged();
      }
      return next(url, context);
    },
  });
  return loaded;
}

function logWith(common: LogFields): Log {
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, fields?: LogFields): void => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(start.logLevel)) return;
      post({ kind: "log", level, message: String(message), fields: portable({ ...common, ...fields }) });
      outbox.flush();
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (fields) => logWith({ ...common, ...fields }),
  };
}

/** The fields as they can be copied to another thread. */
function portable(fields: LogFields): LogFields {
  const entries = Object.entries(fields).map(([name, value]) => [name, portableValue(value)]);
  return Object.fromEntries(entries);
}

function portableValue(value: unknown): JsonValue | undefined {
  if (value instanceof Error) return value.stack ?? value.message;
  try {
    const text = JSON.stringify(value);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return isJsonObject(value) ? "[object]" : String(value);
  }
}

function required<T>(value: T | null): T {
  if (value === null) throw new Error("This module runs in a thread");
  return value;
}
