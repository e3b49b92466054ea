import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANONYMOUS } from "../core/authContext.ts";
import type { ApiReply } from "../core/http/apiRoute.ts";
import type { Envelope } from "../core/http/envelope.ts";
import { errorReply } from "../core/http/reply.ts";
import { createIdempotentWrite } from "../data/objects/idempotentWrite.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import { openStore } from "../database/openStore.ts";
import { createRow } from "../database/serverRows.ts";
import type { Store } from "../database/store.ts";
import { WriteOutcomeUnknownError } from "../database/writeOutcome.ts";
import { batchRoute } from "./batchRoute.ts";
import { createIdempotency } from "./idempotency.ts";

const UNAVAILABLE: ApiReply = { status: 503, body: '{"code":100,"error":"Try again later."}' };

let folder: string;
let store: Store;
let schema: ClassSchema;
/** The paths of the executed requests of batches. */
let executed: string[];
/** Paths that fail. */
let failing: Map<string, ApiReply | WriteOutcomeUnknownError>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "purse-batches-"));
  store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  schema = await store.changeClass("Made", () => ({
    className: "Made",
    table: "Made",
    fields: {},
    classLevelPermissions: {},
    indexes: {},
  }));
  executed = [];
  failing = new Map();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/**
 * Sends a batch of paths with an id: `made…` creates an object, the others write nothing. `once…` may never be executed
 * again, and those with `Long` have a response that is not stored.
 */
async function send(paths: string[], isRetry = false): Promise<JsonObject[]> {
  const context = {
    auth: ANONYMOUS,
    installationId: undefined,
    context: {},
    ip: "127.0.0.1",
    requestId: "r",
  };
  const params = { requests: paths.map((path) => ({ method: "POST", path: `/server/${path}` })) };
  const route = batchRoute({
    mountPath: "/server",
    store,
    prepareFor: () => () => undefined,
    createEach: async () => [],
    report: () => undefined,
    execute({ writeOptions: { idempotentWrite } }, _, path) {
      const run = async (): Promise<ApiReply> => {
        executed.push(path.slice(1));
        const failure = failing.get(path.slice(1));
        if (failure instanceof WriteOutcomeUnknownError) throw failure;
        if (failure) return failure;
        const text = path.includes("Long") ? "x".repeat(20_000) : "";
        const body = { objectId: `${path.slice(1)}${executed.length}`, text };
        if (!path.startsWith("/made")) return { status: 200, body: JSON.stringify(body) };
        const creation = createRow(schema, body.objectId, store.now(), {});
        await store.write([creation, ...(idempotentWrite?.writes({ status: 201, body }) ?? [])]);
        return { status: 201, body: JSON.stringify(body) };
      };
      const record = path.startsWith("/once") ? idempotentWrite?.request : undefined;
      const running = record ? record.executeOnce(run) : run();
      return running.catch((error: unknown) => errorReply(error, () => undefined));
    },
  });
  const execute = createIdempotency({
    store,
    paths: [/^batch$/],
    seconds: 60,
    rememberedFields: async () => ({}),
  });
  const envelope: Envelope = {
    method: "POST",
    appId: "app",
    masterKey: undefined,
    maintenanceKey: undefined,
    clientKeys: {},
    sessionToken: undefined,
    installationId: undefined,
    context: {},
    clientRequestId: "the-id-of-the-batch",
    isRetry,
    params,
  };
  const reply = await execute(envelope, "/batch", context, "write", async (record) => {
    const writeOptions = { idempotentWrite: record && createIdempotentWrite(record) };
    const request = {
      ...context,
      method: "POST",
      path: "/batch",
      params,
      pathParams: {},
      serverUrl: "",
    } as const;
    const { status, body } = Object(await route.handle({ ...request, writeOptions }));
    return { status: Number(status), body: String(body) };
  });
  return JSON.parse(reply.body);
}

describe("a batch with an id", () => {
  it("whose requests failed because of the server executes only those again when it is sent again", async () => {
    failing.set("made2", UNAVAILABLE).set("call2", UNAVAILABLE);
    const paths = ["made1", "made2", "call1", "call2"];
    const first = await send(paths);
    expect(first.map((entry) => Object.keys(entry)[0])).toEqual(["success", "error", "success", "error"]);
    executed = [];
    failing.clear();
    const second = await send(paths, true);
    expect(executed).toEqual(["made2", "call2"]);
    expect([second[0], second[2]]).toEqual([first[0], first[2]]);
    expect(second.map((entry) => Object.keys(entry)[0])).toEqual([
      "success",
      "success",
      "success",
      "success",
    ]);
    executed = [];
    expect([await send(paths, true), executed]).toEqual([second, []]);
  });

  it("whose responses were too long to be stored executes only those requests again that may be repeated", async () => {
    failing.set("made2", UNAVAILABLE);
    const paths = ["callLong", "madeLong", "onceLong", "made2"];
    const first = await send(paths);
    expect(first.map((entry) => Object.keys(entry)[0])).toEqual(["success", "success", "success", "error"]);
    executed = [];
    const notStored = { error: { code: 159, error: expect.stringContaining("it has been executed") } };
    expect(await send(paths, true)).toMatchObject([{ success: {} }, notStored, notStored, { error: {} }]);
    expect(executed).toEqual(["callLong", "made2"]);
    executed = [];
    failing.clear();
    const last = await send(paths, true);
    expect(last).toMatchObject([{ success: {} }, notStored, notStored, { success: {} }]);
    expect(executed).toEqual(["callLong", "made2"]);
  });

  it("does not execute those again that had begun and whose outcome is unknown", async () => {
    failing.set("once1", new WriteOutcomeUnknownError());
    const paths = ["once1", "made1"];
    expect(await send(paths)).toMatchObject([{ error: { code: 124 } }, { success: {} }]);
    executed = [];
    failing.clear();
    const unknown = { error: { code: 159, error: expect.stringContaining("outcome is unknown") } };
    expect(await send(paths, true)).toMatchObject([unknown, { success: {} }]);
    expect(executed).toEqual([]);
  });

  it("executes those again that had begun and failed because of the server, and no others", async () => {
    failing.set("once2", UNAVAILABLE);
    const first = await send(["once1", "once2"]);
    executed = [];
    failing.clear();
    const second = await send(["once1", "once2"], true);
    expect(executed).toEqual(["once2"]);
    expect(second).toMatchObject([{ success: first[0]?.success }, { success: {} }]);
  });

  it("keeps the rejections of requests that the client caused", async () => {
    failing.set("made2", { status: 400, body: '{"code":111,"error":"a type mismatch"}' });
    const first = await send(["made1", "made2"]);
    executed = [];
    expect([await send(["made1", "made2"], true), executed]).toEqual([first, []]);
  });
});
