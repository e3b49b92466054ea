import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectLive, type LiveSocket } from "../support/liveClient.ts";
import { residentBytes } from "../support/processCpu.ts";
import { type PurseProcess, rest, startPurse } from "../support/purse.ts";

const MB = 1024 * 1024;
const SOCKETS = 30;
const TEXT = "x".repeat(200_000);

describe("live query clients that do not read", () => {
  let purse: PurseProcess;
  let reader: LiveSocket;
  let silent: LiveSocket[];

  beforeAll(async () => {
    // One address may have half of it.
    purse = await startPurse({
      env: { PURSE_MAX_UNSENT_BYTES: String(16 * MB), PURSE_MAX_ANSWER_BYTES: String(4 * MB) },
    });
    await rest(purse, "POST", "/classes/Sheet", { n: -1 });
    reader = await connectLive(purse);
    await reader.subscribe("Sheet");
    silent = [];
    for (let n = 0; n < SOCKETS; n++) {
      const client = await connectLive(purse);
      await client.subscribe("Sheet");
      client.socket.pause();
      silent.push(client);
    }
  }, 60_000);
  afterAll(async () => {
    for (const { socket } of [reader, ...(silent ?? [])]) socket?.terminate();
    await purse?.remove();
  });

  const metric = async (name: string): Promise<number> => {
    const response = await fetch(`${purse.url}/metrics`);
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(await response.text())?.[1]);
  };

  it("are ended once too much waits for all of them, while others receive every event", async () => {
    const before = residentBytes(purse.pid);
    let created = 0;
    const endedAfterCreate = async () => {
      await rest(purse, "POST", "/classes/Sheet", { n: created, text: TEXT });
      created += 1;
      return metric("purse_ended_receivers_total");
    };
    await expect.poll(endedAfterCreate, { interval: 0, timeout: 60_000 }).toBeGreaterThan(SOCKETS / 2);
    for (let n = 0; n < created; n++) {
      const { op, object } = await reader.next();
      expect([op, object?.n]).toEqual(["create", n]);
    }
    expect(await metric("purse_unsent_bytes")).toBeLessThan(8 * MB);
    expect(residentBytes(purse.pid) - before).toBeLessThan(200 * MB);
  });

  it("resume where they were ended", async () => {
    const { position } = await reader.subscribe("Sheet", {}, { requestId: 2 });
    await rest(purse, "POST", "/classes/Sheet", { n: 1_000 });
    const resumed = await connectLive(purse);
    await resumed.subscribe("Sheet", {}, { resumeFrom: position });
    expect(await resumed.next()).toMatchObject({ op: "create", object: { n: 1_000 } });
    resumed.socket.terminate();
  });
});
