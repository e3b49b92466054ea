import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStudioClasses } from "../data/schema/studioClasses.ts";
import { openStore } from "../database/openStore.ts";
import type { Store } from "../database/store.ts";
import { StudioSessions } from "./sessions.ts";

const MINUTE = 60_000;

describe("sessions of operators", () => {
  let folder: string;
  let store: Store;
  let now = Date.now();
  let sessions: StudioSessions;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "purse-sessions-"));
    store = await openStore({ kind: "sqlite", path: join(folder, "a.sqlite") });
    sessions = new StudioSessions({ store, classes: await openStudioClasses(store), clock: () => now });
  });
  afterAll(async () => {
    await store?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function begin(): Promise<string> {
    const { session, writes } = sessions.create("ada", { address: "::1", userAgent: "x".repeat(5_000) });
    await store.write(writes);
    return session.token;
  }

  it("end after an hour without use", async () => {
    const token = await begin();
    now += 59 * MINUTE;
    expect(await sessions.find(token)).toBeDefined();
    now += 59 * MINUTE;
    expect(await sessions.find(token)).toBeDefined();
    now += 60 * MINUTE;
    expect(await sessions.find(token)).toBeUndefined();
  });

  it("are not extended by a check of their validity", async () => {
    const token = await begin();
    now += 50 * MINUTE;
    expect(await sessions.find(token, false)).toBeDefined();
    now += 10 * MINUTE;
    expect(await sessions.find(token)).toBeUndefined();
  });

  it("end after twelve hours even if they are used, and are removed", async () => {
    const token = await begin();
    for (let i = 0; i < 14; i++) {
      now += 50 * MINUTE;
      expect(await sessions.find(token)).toBeDefined();
    }
    now += 50 * MINUTE;
    expect(await sessions.find(token)).toBeUndefined();
    expect(await sessions.list("ada", "")).toEqual([]);
    await store.write(await sessions.endExpired("ada"));
    expect(await sessions.endAll("ada")).toEqual([]);
  });

  it("include access tokens, which do not end if they are unused, and are not session tokens", async () => {
    const client = { address: "::1", userAgent: "" };
    const { token, writes } = sessions.createAccessToken("bob", client, { name: "agent", days: 2 });
    await store.write(writes);
    now += 47 * 60 * MINUTE;
    expect(await sessions.findAccessToken(token)).toMatchObject({ operatorId: "bob" });
    expect(await sessions.find(token)).toBeUndefined();
    expect(await sessions.find(token.slice("purse_".length))).toBeUndefined();
    expect(await sessions.findAccessToken(await begin())).toBeUndefined();
    expect(await sessions.list("bob", "")).toMatchObject([{ name: "agent" }]);
    now += 60 * MINUTE;
    expect(await sessions.findAccessToken(token)).toBeUndefined();
  });

  it("include access tokens, which end with all others", async () => {
    const client = { address: "::1", userAgent: "" };
    const { token, writes } = sessions.createAccessToken("eve", client, { name: "agent", days: 2 });
    await store.write(writes);
    await store.write(await sessions.endAll("eve"));
    expect(await sessions.findAccessToken(token)).toBeUndefined();
  });
});
