import crypto from "node:crypto";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { responseTooLarge } from "../core/limits/answerSize.ts";
import { jsonLength } from "../core/limits/answerText.ts";
import { LOG_LEVELS, type LogFields, type Logger } from "../core/logger.ts";
import { CURRENT_INVOCATION } from "./blockingInvocation.ts";
import { currentDepth, currentInvocation, runAtDepth, traceIdsOfCall, traceOfCall } from "./callDepth.ts";
import { FunctionResponseError } from "./callFunction.ts";
import { codeLocation } from "./codeLocation.ts";
import { definitionsOf } from "./definitionsOf.ts";
import { InvocationSlots } from "./invocationSlots.ts";
import { invoke } from "./invoke.ts";
import { MessageBatcher } from "./messageBatcher.ts";
import { installNamespace } from "./namespace.ts";
import { loadPlugins } from "./plugins.ts";
import { newRegistry } from "./registry.ts";
import { defaultErrorOf, plainContent, thrownMessage } from "./thrownErrors.ts";
import { resolveTypescriptSource } from "./typescriptSources.ts";
import type {
  HostMessage,
  HostRequest,
  InvocationResult,
  RemoteError,
  WorkerMessage,
  WorkerStartData,
} from "./workerMessages.ts";

/*
 * The worker thread that runs the cloud code. If it throws, loops forever or exhausts its memory, the server continues
 * and starts another one.
 */

type InvokeMessage = Extract<HostMessage, { kind: "invoke" }>;
type HostResponse = Extract<HostMessage, { kind: "hostResponse" | "hostError" }>;

const port = required(parentPort);
const startData: WorkerStartData = workerData;
const registry = newRegistry();
const slots = new InvocationSlots(startData.slots);
const pendingCalls = new Map<
  number,
  { resolve(value: unknown): void; reject(error: Error): void; invocation: number }
>();
/** Messages that have arrived and wait for their turn of the event loop. */
const responses: HostResponse[] = [];
const invocations: InvokeMessage[] = [];
let hasTurn = false;
/** Whether an invocation has begun of which the server knows nothing yet. */
let hasBegun = false;
let callCount = 0;
let isReady = false;

/** Whether there are definitions or files that have not been sent to the server yet. */
let hasChanges = false;
/** Number of files that have been sent to the server. */
let sentFileCount = 0;

const batcher = new MessageBatcher<WorkerMessage>((messages) => port.postMessage(messages));
const logger = createLoggerWith({ from: "cloud" });

port.on("message", (messages: HostMessage[]) => {
  slots.advance();
  for (const message of messages) {
    if (message.kind === "invoke") invocations.push(message);
    else if (message.kind !== "ping") responses.push(message);
  }
  scheduleTurn();
});

Object.defineProperty(globalThis, CURRENT_INVOCATION, { value: currentInvocation });

/** Sends definitions before any other message, so that results never precede them. */
function post(message: WorkerMessage): void {
  postChanges();
  batcher.add(message);
}

/** Sends all definitions once per turn of the event loop: each message contains all of them. */
function postChanges(): void {
  if (!hasChanges) return;
  hasChanges = false;
  if (files.size > sentFileCount) {
    sentFileCount = files.size;
    batcher.add({ kind: "files", files: [...files] });
  }
  batcher.add({ kind: "definitions", definitions: definitionsOf(registry) });
}

function markChanged(): void {
  if (!isReady || hasChanges) return;
  hasChanges = true;
  setImmediate(postChanges);
}

/**
 * Handles one message per turn of the event loop, so that everything else has its turn in between, and so that the server
 * knows whose code runs in each. What the code does between a message and the next one belongs to that invocation.
 */
function scheduleTurn(): void {
  if (hasTurn || (responses.length === 0 && invocations.length === 0)) return;
  hasTurn = true;
  setImmediate(handleNext);
  // Called after the promises that the message has settled, and before anything else.
  setImmediate(endTurn);
}

function handleNext(): void {
  // Results must not wait for what runs next, which may block the thread.
  batcher.flush();
  const response = responses.shift();
  const message = response ? undefined : invocations.shift();
  if (response) settle(response);
  else if (message && slots.begin(message.id)) {
    hasBegun = true;
    slots.setCurrent(message.id);
    void execute(message);
  }
}

function endTurn(): void {
  slots.setCurrent(0);
  hasTurn = false;
  scheduleTurn();
  if (hasTurn) return;
  if (hasBegun && batcher.isEmpty) batcher.add({ kind: "begun" });
  hasBegun = false;
  batcher.flush();
}

function settle(message: HostResponse): void {
  const call = pendingCalls.get(message.id);
  if (!call) return;
  pendingCalls.delete(message.id);
  slots.setCurrent(call.invocation);
  if (message.kind === "hostResponse") call.resolve(message.value);
  else call.reject(new ProtocolError(message.error.code, message.error.message));
}

// Uncaught errors terminate nothing: concurrent invocations continue.
for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : error;
    logger.error("uncaught error in cloud code", { error: text });
  });
}

// Cloud code of Moralis v1 uses Node's crypto module without importing it; it includes the members of Web Crypto.
Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true, writable: true });

const files = trackLoadedFiles();
/** Those that are not the operator's. */
let ownFiles: ReadonlySet<string> = new Set();
try {
  await installNamespace({
    registry,
    callHost,
    logger,
    file: startData.file === "" ? import.meta.filename : startData.file,
    settings: startData.settings,
    // Parse Server 4, on which Moralis ran, ignored them.
    ...(startData.settings.compatibility === "parse" && {
      onUnknownRule: (message: string) => logger.warn(`${message}. It is ignored`),
    }),
    onDefined: markChanged,
  });
  ownFiles = new Set(files);
  await loadPlugins(startData.plugins, registry);
  if (startData.file !== "") await import(pathToFileURL(startData.file).href);
  isReady = true;
  sentFileCount = files.size;
  post({ kind: "files", files: [...files] });
  // What loading the code has left would stay in memory until it has run often enough.
  globalThis.gc?.({ type: "major", flavor: "last-resort", execution: "sync" });
  post({ kind: "ready", definitions: definitionsOf(registry) });
} catch (error) {
  post({ kind: "files", files: [...files] });
  const code = [...files].filter((file) => file === startData.file || !ownFiles.has(file));
  post({
    kind: "loadFailed",
    error: error instanceof Error ? error.message : String(error),
    location: codeLocation(error, code),
  });
}

async function execute({ id, depth, traceparent, invocation }: InvokeMessage): Promise<void> {
  try {
    const { encodeParseObjectInCloudFunction, compatibility } = startData.settings;
    const decodesPointers = encodeParseObjectInCloudFunction !== false;
    const sendsSetObjects = compatibility === "parse";
    const result = await runAtDepth(
      depth,
      () => invoke({ registry, logger, callHost, decodesPointers, sendsSetObjects }, invocation),
      traceparent,
      id,
    );
    assertFits(result, startData.maxAnswerBytes);
    post({ kind: "result", id, result });
  } catch (error) {
    post({ kind: "error", id, error: remoteErrorOf(error, defaultErrorOf(invocation)) });
  }
}

/** Throws 116 if a result is larger than a response may be. */
function assertFits({ value, objects }: InvocationResult, maxBytes: number): void {
  if (jsonLength(value, maxBytes) + jsonLength(objects, maxBytes) > maxBytes)
    throw responseTooLarge(maxBytes);
}

function callHost(request: HostRequest): Promise<unknown> {
  const id = ++callCount;
  return new Promise((resolve, reject) => {
    pendingCalls.set(id, { resolve, reject, invocation: currentInvocation() });
    const traceparent = traceOfCall();
    post({
      kind: "hostRequest",
      id,
      depth: currentDepth(),
      ...(traceparent !== undefined && { traceparent }),
      hostRequest: request,
    });
  });
}

/** Texts and messages of errors are sent to the client, as in Parse Server; anything else becomes a generic error. */
function remoteErrorOf(error: unknown, defaults: RemoteError): RemoteError {
  if (error instanceof FunctionResponseError)
    return { ...remoteErrorOf(error.cause, defaults), status: error.responseOptions.status };
  if (error instanceof ProtocolError) {
    const { code, status } = error;
    return { code, message: plainContent(error.toJSON().error) ?? defaults.message, status };
  }
  if (typeof error === "string" && error !== "") return { code: defaults.code, message: error };
  logger.warn("cloud code failed", {
    error: error instanceof Error ? (error.stack ?? error.message) : error,
  });
  return { code: defaults.code, message: thrownMessage(error) ?? defaults.message };
}

/** Tracks which files of the code (not of packages) are loaded. */
function trackLoadedFiles(): ReadonlySet<string> {
  const loaded = new Set<string>(startData.file === "" ? [] : [startData.file]);
  registerHooks({
    resolve: resolveTypescriptSource,
    load(url, context, next) {
      if (url.startsWith("file:") && !url.includes("/node_modules/")) {
        loaded.add(fileURLToPath(url));
        markChanged();
      }
      return next(url, context);
    },
  });
  return loaded;
}

function createLoggerWith(common: LogFields): Logger {
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, fields?: LogFields): void => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(startData.logLevel)) return;
      post({
        kind: "log",
        level,
        message: String(message),
        fields: cloneableFields({ ...common, ...traceIdsOfCall(), ...fields }),
      });
      batcher.flush();
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (fields) => createLoggerWith({ ...common, ...fields }),
  };
}

/** Converts fields so that they can be copied to another thread. */
function cloneableFields(fields: LogFields): LogFields {
  const entries = Object.entries(fields).map(([name, value]) => [name, cloneableValue(value)]);
  return Object.fromEntries(entries);
}

function cloneableValue(value: unknown): JsonValue | undefined {
  if (value instanceof Error) return value.stack ?? value.message;
  try {
    const text = JSON.stringify(value);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return isJsonObject(value) ? "[object]" : String(value);
  }
}

function required<T>(value: T | null): T {
  if (value === null) throw new Error("This module must run in a worker thread");
  return value;
}
