import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDiskFileStore } from "./diskFileStore.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-disk-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("openDiskFileStore()", () => {
  it("keeps files that another process is writing in the same folder", async () => {
    const one = await openDiskFileStore(folder);
    const { promise: restarted, resolve: restart } = Promise.withResolvers<void>();
    async function* content() {
      yield Buffer.from("first, ");
      await restarted;
      yield Buffer.from("second");
    }
    const written = one.write("a.txt", content());
    await expect.poll(() => readdir(join(folder, "partial"))).toHaveLength(1);
    const two = await openDiskFileStore(folder);
    restart();
    expect(await written).toBe(13);
    expect((await two.open("a.txt"))?.size).toBe(13);
  });

  it("removes incomplete files that are more than a day old", async () => {
    await openDiskFileStore(folder);
    const path = join(folder, "partial", "old");
    await writeFile(path, "incomplete");
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 3_600_000);
    await utimes(path, twoDaysAgo, twoDaysAgo);
    await openDiskFileStore(folder);
    expect(await readdir(join(folder, "partial"))).toEqual([]);
  });
});
