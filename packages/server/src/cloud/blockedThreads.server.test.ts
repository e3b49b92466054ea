import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { NIGHTLY } from "../../test/storeCopies.ts";
import { ANONYMOUS } from "../core/authContext.ts";
import { EventBus } from "../core/eventBus.ts";
import { createLogger } from "../core/logger.ts";
import { OutcomeUnknownError } from "../core/outcomeUnknownError.ts";
import { type CloudDependencies, createCloud } from "./cloud.ts";

/* Code that blocks its thread, in real threads. */

const CODE = `
  import { setTimeout as sleep } from "node:timers/promises";
  import { threadId } from "node:worker_threads";
  let marks = 0;
  Parse.Cloud.define("busy", ({ params }) => {
    const end = performance.now() + params.ms;
    while (performance.now() < end);
    return "done";
  });
  Parse.Cloud.define("hello", () => "hi");
  Parse.Cloud.define("thread", () => threadId);
  Parse.Cloud.define("spin", () => { for (;;); });
  Parse.Cloud.define("stand", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  Parse.Cloud.define("match", ({ params }) => /^(a+)+$/.test(params.text));
  Parse.Cloud.define("spinLater", async () => { await sleep(1); for (;;); });
  Parse.Cloud.define("leave", () => process.exit(0));
  Parse.Cloud.define("wait", () => new Promise(() => undefined));
  Parse.Cloud.define("mark", () => { marks += 1; });
  Parse.Cloud.define("marks", () => marks);
  Parse.Cloud.beforeLogin(() => undefined);
  Parse.Cloud.beforeDelete("Thing", () => undefined);
`;
const FOREVER_MS = 600_000;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startCloud({
  timeoutMs = FOREVER_MS,
  ...options
}: Partial<CloudDependencies> & { timeoutMs?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "purse-blocked-"));
  const file = join(folder, "main.mjs");
  await writeFile(file, CODE);
  const logged: string[] = [];
  const cloud = createCloud({
    config: { appId: "app", functionTimeoutMs: timeoutMs },
    events: new EventBus((error) => logged.push(String(error))),
    logger: createLogger({ level: "info", format: "text", write: (line) => logged.push(line) }),
    file,
    ...options,
  });
  closers.push(async () => {
    await cloud.stop();
    await rm(folder, { recursive: true, force: true });
  });
  await cloud.start({ dispatch: async () => ({ status: 200, body: "{}" }), userText: async () => undefined });
  const from = (ip: string) => ({
    auth: ANONYMOUS,
    installationId: undefined,
    context: {},
    ip,
    requestId: "r",
    serverUrl: "",
  });
  return {
    cloud,
    logged,
    /** Calls a function; resolves with its result or its error. */
    call: (name: string, params: JsonObject = {}, ip = "192.0.2.1"): Promise<unknown> =>
      cloud.runFunction(name, { ...from(ip), params }).then(
        ({ value }) => value,
        (error: unknown) => error,
      ),
    logIn: async () => cloud.triggers.auth.of("beforeLogin")?.({ objectId: "ann" }, from("192.0.2.3")),
    remove: async () => cloud.triggers.beforeDelete("Thing")?.({ objectId: "t" }, from("192.0.2.4")),
  };
}

const INTERRUPTED = expect.objectContaining({ code: 141, message: "The cloud code was interrupted." });
const EVE = "198.51.100.66";

describe("cloud code that is busy", () => {
  it("answers all calls, although together they take longer than one may block", async () => {
    const { cloud, call } = await startCloud({ blockedMs: 500, maxThreads: 1 });
    const calls = Array.from({ length: 8 }, () => call("busy", { ms: 100 }));
    expect(await Promise.all(calls)).toEqual(calls.map(() => "done"));
    expect(cloud.health().restarts).toBe(0);
  });

  it("answers calls that were not begun in time, and never executes them", async () => {
    const { call } = await startCloud({ timeoutMs: 500, maxThreads: 1, blockedMs: FOREVER_MS });
    const busy = call("busy", { ms: 800 });
    expect(await call("mark")).toMatchObject({ code: 124, status: 503, retryAfter: 5 });
    expect(await busy).toBeInstanceOf(OutcomeUnknownError);
    await expect.poll(() => call("marks"), { timeout: 20_000 }).toBe(0);
  });

  it("has another thread for other calls, unless the app asks for one", async () => {
    const two = await startCloud({ maxThreads: 2, blockedMs: FOREVER_MS });
    const first = await two.call("thread");
    void two.call("stand");
    expect(await two.call("thread")).not.toBe(first);
    const one = await startCloud({ maxThreads: 1, blockedMs: 300 });
    void one.call("busy", { ms: 200 });
    await one.call("hello");
    expect(one.cloud.health().threads).toBe(1);
  });

  it("has a thread for triggers and logins that functions cannot take", async () => {
    const { call, cloud, logIn, remove } = await startCloud({ maxThreads: 2, blockedMs: FOREVER_MS });
    void call("stand");
    void call("match", { text: `${"a".repeat(41)}!` });
    // Both threads have what blocks them.
    await expect.poll(() => cloud.health()).toMatchObject({ threads: 2, waiting: 0 });
    expect(await Promise.all([logIn(), remove()])).toEqual([undefined, undefined]);
  });
});

describe("cloud code whose thread is ended", () => {
  it.each(["spin", "leave"])("interrupts only what had begun: %s", async (name) => {
    const { call } = await startCloud({ maxThreads: 1, blockedMs: 500 });
    const waiting = call("wait");
    await call("hello");
    const ending = call(name);
    const others = Array.from({ length: 30 }, () => call("hello"));
    expect(await Promise.all(others)).toEqual(others.map(() => "hi"));
    expect(await Promise.all([ending, waiting])).toEqual([INTERRUPTED, INTERRUPTED]);
    expect(await waiting).toBeInstanceOf(OutcomeUnknownError);
  });

  it.each<[string, JsonObject]>([
    ["spin", {}],
    ...(NIGHTLY ? [["spinLater", {}] satisfies [string, JsonObject]] : []),
    ["match", { text: `${"a".repeat(41)}!` }],
  ])("names what blocked it: %s", async (name, params) => {
    const { call, cloud, logged } = await startCloud({ maxThreads: 1, blockedMs: 500 });
    void call("wait");
    expect(await call(name, params)).toEqual(INTERRUPTED);
    expect([...cloud.health().interruptions]).toEqual([[name, 1]]);
    expect(logged.join("\n")).toContain(`${name} blocked it for 500 ms`);
  });

  it("refuses what one client has block it repeatedly, and answers the calls of all others", async () => {
    const { call, cloud, logIn, logged, remove } = await startCloud({ maxThreads: 2, blockedMs: 500 });
    let isRefused = false;
    const attack = async () => {
      const answers: unknown[] = [];
      for (;;) {
        const answer = await call("spin", {}, EVE);
        if (Object(answer).code === 155) return { answers, answer };
        answers.push(answer);
      }
    };
    const attacked = attack().finally(() => {
      isRefused = true;
    });
    const others: unknown[] = [];
    const serveOthers = async () => {
      others.push(await Promise.all([call("hello"), logIn(), remove()]));
      return isRefused;
    };
    await expect.poll(serveOthers).toBe(true);
    expect(others).toEqual(others.map(() => ["hi", undefined, undefined]));
    const { answers, answer } = await attacked;
    expect(answers).toEqual([INTERRUPTED, INTERRUPTED]);
    expect(answer).toMatchObject({ status: 429, message: expect.stringContaining("spin has blocked") });
    expect(cloud.health().refused).toMatchObject([{ name: "spin", isRefusedToAll: false }]);
    expect(logged.join("\n")).toContain("is refused for a while");
    expect(await call("hello", {}, EVE)).toBe("hi");
  });
});
