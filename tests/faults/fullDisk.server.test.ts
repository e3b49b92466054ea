import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitFiles } from "../support/limitedFiles.ts";
import { type PurseProcess, rest, startPurse } from "../support/purse.ts";

const MB = 1024 * 1024;

describe("a server on SQLite whose disk is full", () => {
  let purse: PurseProcess;
  beforeAll(async () => {
    purse = await startPurse();
  });
  afterAll(() => purse?.remove());

  const ready = async () => {
    const response = await fetch(`${purse.url}/ready`);
    const { status, error } = await response.json();
    return { http: response.status, status, error };
  };

  it("reports that it is not ready until a write succeeds again, and answers queries meanwhile", async () => {
    const createdIds: string[] = [];
    const create = async (text: string) => {
      const { status, body } = await rest(purse, "POST", "/classes/Thing", { text });
      if (status === 201) createdIds.push(String(body.objectId));
      return { status, body };
    };
    await create("first");
    expect(await ready()).toEqual({ http: 200, status: "ready", error: undefined });

    limitFiles(purse.pid, statSync(join(purse.dataDir, "purse.sqlite-wal")).size);
    const failed = await create("x".repeat(2 * MB));
    expect(failed).toMatchObject({ status: 503 });
    expect(await ready()).toEqual({
      http: 503,
      status: "unavailable",
      error: "The database cannot be written: the disk is full or faulty",
    });
    const found = await rest(purse, "GET", "/classes/Thing");
    expect(found.body.results).toHaveLength(createdIds.length);
    expect(purse.output()).toContain("The database cannot be written");

    limitFiles(purse.pid, "unlimited");
    await expect.poll(ready).toMatchObject({ http: 200 });
    expect(await create("x".repeat(2 * MB))).toMatchObject({ status: 201 });
    for (const id of createdIds) {
      expect((await rest(purse, "GET", `/classes/Thing/${id}`)).status).toBe(200);
    }
  });
});
