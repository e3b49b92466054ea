import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDiskUploads } from "./diskUploads.ts";
import { UploadQuota } from "./uploadQuota.ts";
import type { UploadStorage } from "./uploadStorage.ts";

const ID = "0123456789abcdef".repeat(2);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-uploads-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Opens the storage of a process that has every lock, as one that has lost it without noticing. */
function open(): Promise<UploadStorage> {
  const limits = { maxPerOwner: 10, maxBytesPerOwner: 1_000, maxBytes: 10_000 };
  return openDiskUploads({
    folder,
    uploadQuota: new UploadQuota({ folder, ...limits }),
    isShared: true,
    withLock: (_, work) => work(),
    clock: () => 0,
  });
}

it("two processes that append the rest of an upload at once store each byte once", async () => {
  const [first, second] = [await open(), await open()];
  await first.create(
    ID,
    { owner: "user ann", length: 10, name: "a.txt", fileData: {}, expiresAt: 1_000 },
    undefined,
  );
  const [hasBegun, isContinued] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* slowContent(): AsyncGenerator<Buffer> {
    yield Buffer.from("01234");
    hasBegun.resolve();
    await isContinued.promise;
    yield Buffer.from("56789");
  }
  async function* rest(): AsyncGenerator<Buffer> {
    yield Buffer.from("56789");
  }
  const slow = first.append(ID, slowContent());
  await hasBegun.promise;
  await expect.poll(async () => (await second.find(ID))?.offset).toBe(5);
  await second.append(ID, rest());
  isContinued.resolve();
  await slow;
  expect(await readFile(join(folder, `${ID}.part`), "utf8")).toBe("0123456789");
  expect((await first.find(ID))?.offset).toBe(10);
});
