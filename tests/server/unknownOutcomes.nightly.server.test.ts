import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, query, rest } from "../support/purse.ts";

const CODE = resolve(import.meta.dirname, "../fixtures/cloud/outcomes.mjs");
const MASTER = { useMasterKey: true };
const CREATION = { method: "POST", path: "/server/classes/Made", body: {} };
const UNKNOWN = { code: 159, error: expect.stringContaining("whose outcome is unknown") };

describe.each(DATABASES)("a function with a request ID whose outcome is unknown on %s", (database) => {
  let purse: Purse;
  /** Calls that exceed their time, at the same time as each other. */
  const late = {
    alone: sender("/functions/wait", { by: "wait" }),
    inBatch: sender("/batch", { requests: [callOf("wait", "wait in a batch"), CREATION] }),
  };
  let lateAnswers: { alone: JsonObject; inBatch: JsonObject };

  beforeAll(async () => {
    const env = {
      PURSE_CLOUD: CODE,
      PURSE_CLOUD_WORKERS: "1",
      PURSE_CLOUD_BLOCKED_MS: "500",
      PURSE_FUNCTION_TIMEOUT_MS: "10000",
      PURSE_ALLOW_PRIVATE_HOOKS: "1",
    };
    purse = await hostPurse({ env: { ...(await databaseEnv(database)), ...env } });
    const [alone, inBatch] = await Promise.all([late.alone(1), late.inBatch(1)]);
    lateAnswers = { alone, inBatch };
  });
  afterAll(() => purse?.remove());

  async function send(id: string, path: string, body: object, attempt = 1): Promise<JsonObject> {
    const response = await fetch(`${purse.serverUrl}${path}`, {
      method: "POST",
      headers: {
        "X-Parse-Application-Id": purse.appId,
        "X-Parse-Request-Id": id,
        "Content-Type": attempt > 1 ? `text/plain; attempt=${attempt}` : "text/plain",
      },
      body: JSON.stringify(body),
    });
    return response.json();
  }
  function sender(path: string, body: object) {
    const id = randomUUID();
    return (attempt: number) => send(id, path, body, attempt);
  }
  const callsBy = async (by: string) =>
    (
      await rest(
        purse,
        "GET",
        `/classes/Called${query({ where: { by }, count: "1", limit: "0" })}`,
        undefined,
        MASTER,
      )
    ).body.count;

  it("is never executed again if its thread was ended", async () => {
    const id = randomUUID();
    expect(await send(id, "/functions/spin", { by: "spin" })).toMatchObject({ code: 141 });
    expect(await send(id, "/functions/spin", { by: "spin" }, 2)).toEqual(UNKNOWN);
    expect(await send(id, "/functions/spin", { by: "spin" })).toEqual(UNKNOWN);
    expect(await callsBy("spin")).toBe(1);
  });

  it("is never executed again if it exceeded its time and still runs", async () => {
    expect(lateAnswers.alone).toMatchObject({ code: 124 });
    expect(await late.alone(2)).toEqual(UNKNOWN);
    expect(await callsBy("wait")).toBe(1);
  });

  it("is never executed again in a batch, whose other requests have their results", async () => {
    expect(lateAnswers.inBatch).toMatchObject([{ error: { code: 124 } }, { success: {} }]);
    expect(await late.inBatch(2)).toEqual([{ error: UNKNOWN }, Object(lateAnswers.inBatch)[1]]);
    expect(await callsBy("wait in a batch")).toBe(1);
  });

  it("is never executed again if its webhook received the call and did not answer", async () => {
    let received = 0;
    const webhook = createServer((request) => {
      received += 1;
      request.socket.destroy();
    });
    await new Promise<void>((listening) => webhook.listen(0, "127.0.0.1", listening));
    const { port }: AddressInfo = Object(webhook.address());
    const hook = { functionName: "remote", url: `http://127.0.0.1:${port}/` };
    await rest(purse, "POST", "/hooks/functions", hook, MASTER);
    const id = randomUUID();
    expect(await send(id, "/functions/remote", {})).toMatchObject({ code: 141 });
    expect(await send(id, "/functions/remote", {}, 2)).toEqual(UNKNOWN);
    expect(received).toBe(1);
    // Nobody receives this one.
    await new Promise((closed) => webhook.close(closed));
    const other = randomUUID();
    expect(await send(other, "/functions/remote", {})).toMatchObject({ code: 141 });
    expect(await send(other, "/functions/remote", {}, 2)).toMatchObject({ code: 141 });
  });

  it("is executed again if it failed", async () => {
    const id = randomUUID();
    const failed = { code: 141, error: "It failed" };
    expect(await send(id, "/functions/fail", { by: "fail" })).toEqual(failed);
    expect(await send(id, "/functions/fail", { by: "fail" }, 2)).toEqual(failed);
    expect(await callsBy("fail")).toBe(2);
  });

  it("is executed if it had not begun when its thread was ended", async () => {
    const id = randomUUID();
    // They wait behind the endless loop: the only thread takes them in their order.
    const quick = Array.from({ length: 5 }, () => callOf("quick", "quick"));
    const requests = [callOf("spinAtOnce", ""), ...quick];
    const first = await send(id, "/batch", { requests });
    expect(first).toMatchObject([{ error: { code: 141 } }, ...quick.map(() => ({ success: {} }))]);
    const again = await send(id, "/batch", { requests }, 2);
    expect(again).toEqual([{ error: UNKNOWN }, ...Object(first).slice(1)]);
    expect(await callsBy("quick")).toBe(quick.length);
  });
});

function callOf(name: string, by: string) {
  return { method: "POST", path: `/server/functions/${name}`, body: { by } };
}
