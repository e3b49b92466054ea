import { connect, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createDatabase, sessionOf } from "../../../test/postgresDatabase.ts";
import { CHANGES_NOTIFICATION } from "../changeLog.ts";
import { NotificationChannel } from "./notificationChannel.ts";
import { SharedPool } from "./pools.ts";

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

/** Returns the URL of a database that knows neither LISTEN nor pg_notify, through a proxy that misspells them. */
async function withoutNotifications(databaseUrl: string): Promise<string> {
  const { port, hostname } = new URL(databaseUrl);
  const sockets = new Set<{ destroy(): void }>();
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    client.on("data", (data) => {
      const text = data
        .toString("latin1")
        .replaceAll("LISTEN", "LASTEN")
        .replaceAll("pg_notify", "pg_natify");
      server.write(Buffer.from(text, "latin1"));
    });
    client.on("close", () => server.destroy());
    server.pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  ends.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
  const address = proxy.address();
  const proxied = new URL(databaseUrl);
  proxied.host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return proxied.href;
}

/** A channel that listens to a database and sends to another one; notifications stay within a database. */
async function openChannel(listenUrl: string, sql = pool) {
  const messages: (string | undefined)[] = [];
  const polling: boolean[] = [];
  const channel = new NotificationChannel({
    session: sessionOf(listenUrl),
    sql,
    onMessage: (message) => messages.push(message),
    onSilence: () => undefined,
    onConnected: async () => undefined,
    onPolling: (isPolling) => polling.push(isPolling),
  });
  await channel.open();
  ends.push(() => channel.close());
  return { channel, messages, polling };
}

describe("NotificationChannel of PostgreSQL", () => {
  it("receives the notifications of other processes, and does not poll meanwhile", async () => {
    const { channel, messages, polling } = await openChannel(url);
    const other = await openChannel(url);
    await other.channel.send("hello");
    await expect.poll(() => messages).toEqual([undefined, "hello"]);
    expect([channel.isHealthy, polling]).toEqual([true, []]);
  });

  it("announces the changes of a few ms together, with their classes if all are known", async () => {
    const sent: unknown[] = [];
    const channel = new NotificationChannel({
      session: sessionOf(url),
      sql: {
        async run(_text, [notification]) {
          sent.push(notification);
          return [];
        },
      },
      onMessage: () => undefined,
      onSilence: () => undefined,
      onConnected: async () => undefined,
      onPolling: () => undefined,
    });
    ends.push(() => channel.close());
    channel.sendChanges(new Set(["Post"]));
    channel.sendChanges(new Set(["Comment", "Post"]));
    await expect.poll(() => sent).toEqual(["changes Post Comment"]);
    channel.sendChanges(new Set(["Post"]));
    channel.sendChanges();
    await expect.poll(() => sent.slice(1)).toEqual([CHANGES_NOTIFICATION]);
    channel.sendChanges(new Set(["Other"]));
    await expect.poll(() => sent.slice(2)).toEqual(["changes Other"]);
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

  it("opens and polls on a database that refuses LISTEN and NOTIFY", async () => {
    const limited = await withoutNotifications(url);
    const limitedPool = new SharedPool(sessionOf(limited), 2);
    ends.push(() => limitedPool.end());
    await expect(limitedPool.run("SELECT pg_notify('purse', '')", [])).rejects.toMatchObject({
      code: "42883",
    });
    const { channel, messages, polling } = await openChannel(limited, limitedPool);
    expect(polling).toEqual([true]);
    await expect.poll(() => messages.at(-1)).toBe(CHANGES_NOTIFICATION);
    expect(channel.isHealthy).toBe(true);
    const before = messages.length;
    await channel.send("hello");
    await expect.poll(() => messages.slice(before)).toContain(undefined);
  });
});
