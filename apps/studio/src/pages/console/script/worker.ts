/*
 * Runs scripts of the console, in a worker of a sandboxed frame (script-sandbox): without cookies, storage, documents and
 * connections. The studio sends the requests of its SDK.
 */
import { Moralis, memoryStorage, start } from "@purse/client";
import { createBridgeFetch } from "./bridgeFetch.ts";
import type { ScriptRequest, StudioMessage, WorkerMessage } from "./messages.ts";
import { createScriptRunner } from "./runScript.ts";
import { toValueTree } from "./valueTree.ts";

const runScript = createScriptRunner();
const responses = new Map<number, (response: { status: number; body: string }) => void>();
let lastRequest = 0;

addEventListener("message", ({ ports: [port] }) => port && connect(port), { once: true });

function connect(port: MessagePort): void {
  const post = (message: WorkerMessage) => port.postMessage(message);
  const output = (level: "log" | "warn" | "error" | "result", ...values: unknown[]) =>
    post({ type: "output", level, values: values.map(toValueTree) });
  replaceConsole(output);
  addEventListener("unhandledrejection", (event) => output("error", event.reason));
  addEventListener("error", (event) => output("error", event.error ?? event.message));
  port.onmessage = ({ data }: MessageEvent<StudioMessage>) => {
    if (data.type === "open") void openSdk(data.origin, send);
    else if (data.type === "response") responses.get(data.id)?.(data);
    else void run(data.code);
  };

  function send(request: ScriptRequest): Promise<{ status: number; body: string }> {
    return new Promise((resolve) => {
      lastRequest += 1;
      const id = lastRequest;
      responses.set(id, (response) => {
        responses.delete(id);
        resolve(response);
      });
      post({ type: "request", id, ...request });
    });
  }

  async function run(code: string): Promise<void> {
    const started = performance.now();
    const [level, value] = await runScript(code).then(
      (result) => ["result", result] as const,
      (error: unknown) => ["error", error] as const,
    );
    // Posted before the result: whoever sees the result can run the next script.
    post({ type: "done", ms: Math.round(performance.now() - started) });
    output(level, value);
  }
}

async function openSdk(origin: string, send: Parameters<typeof createBridgeFetch>[1]): Promise<void> {
  const serverUrl = `${origin}/server`;
  await start({
    serverUrl,
    appId: "studio",
    fetch: createBridgeFetch(serverUrl, send),
    storage: memoryStorage(),
    plugins: [],
    tracksCurrentUser: false,
    requestAttemptLimit: 1,
    disableVersionCheck: true,
  });
  Object.assign(globalThis, { Moralis, Parse: Moralis });
}

function replaceConsole(output: (level: "log" | "warn" | "error", ...values: unknown[]) => void): void {
  const log = (...values: unknown[]) => output("log", ...values);
  for (const name of ["log", "info", "debug", "dir", "table", "trace", "group"] as const) console[name] = log;
  console.warn = (...values) => output("warn", ...values);
  console.error = (...values) => output("error", ...values);
  console.assert = (isTrue, ...values) => isTrue || output("error", console.assert.name, ...values);
}
