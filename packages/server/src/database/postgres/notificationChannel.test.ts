import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { CHANGES_NOTIFICATION } from "../changeLog.ts";
import { NotificationChannel } from "./notificationChannel.ts";
import { SharedPool } from "./pools.ts";
import type { SessionOptions } from "./session.ts";

const ends: (() => Promise<unknown>)[] = [];
let url: string;
let pool: SharedPool;

beforeEach(async () => {
  url = await createDatabase();
  pool = new SharedPool(sessionOf(url), 2);
  await pool.run("CREATE SEQUENCE purse_notifications", []);
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await pool.end();
});

function sessionOf(databaseUrl: string): SessionOptions {
  return {
    url: databaseUrl,
    applicationName: "test",
    settings: {},
    deadlineMs: 10_000,
    requiresPrimary: true,
  };
}

async function createDatabase(): Promise<string> {
  const name = `channel_${randomBytes(8).toString("hex")}`;
  const server = new SharedPool(sessionOf(inject("postgresUrl")), 1);
  await server.run(`CREATE DATABASE ${name}`, []);
  await server.end();
  const created = new URL(inject("postgresUrl"));
  created.pathname = `/${name}`;
  return created.href;
}

/** A channel that listens to a database and sends to another one; notifications stay within a database. */
async function openChannel(listenUrl: string) {
  const messages: (string | undefined)[] = [];
  const polling: boolean[] = [];
  const channel = new NotificationChannel({
    session: sessionOf(listenUrl),
    sql: pool,
    onMessage: (message) => messages.push(message),
    onSilence: () => undefined,
    onConnected: async () => undefined,
    onPolling: (isPolling) => polling.push(isPolling),
  });
  await channel.open();
  ends.push(() => channel.close());
  return { channel, messages, polling };
}

describe("NotificationChannel", () => {
  it("receives the notifications of other processes, and does not poll meanwhile", async () => {
    const { channel, messages, polling } = await openChannel(url);
    const other = await openChannel(url);
    await other.channel.send("hello");
    await expect.poll(() => messages).toEqual([undefined, "hello"]);
    expect([channel.isHealthy, polling]).toEqual([true, []]);
  });

  it("polls the number of notifications and the changes if no notifications arrive, and stays healthy", async () => {
    const { channel, messages, polling } = await openChannel(await createDatabase());
    await expect.poll(() => polling).toEqual([true]);
    // The first poll cannot know what was missed. Then there is nothing new but changes of objects.
    await expect.poll(() => messages.slice(0, 3)).toEqual([undefined, undefined, CHANGES_NOTIFICATION]);
    const before = messages.length;
    await channel.send("hello");
    await expect.poll(() => messages.slice(before)).toContain(undefined);
    await expect.poll(() => messages.at(-1)).toBe(CHANGES_NOTIFICATION);
    expect(channel.isHealthy).toBe(true);
  });
});
