import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "../core/logger.ts";
import type { BackupMethod } from "../dataTransfer/backupMethod.ts";
import { Backups } from "./backups.ts";
import { BackupUploads } from "./backupUploads.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "purse-uploads-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The uploads of one process. */
function newUploads(isOnlyServer = true): BackupUploads {
  const method: BackupMethod = {
    extension: ".sqlite",
    contentType: "",
    unit: "pages",
    create: expect.unreachable,
    isOnlyServer: async () => isOnlyServer,
    check: async () => undefined,
    stagedFile: "",
    stage: () => expect.unreachable(),
    deleteStaged: expect.unreachable,
    replace: expect.unreachable,
    revert: expect.unreachable,
  };
  const logger = createLogger({ level: "error", format: "text", write: () => undefined });
  return new BackupUploads(new Backups({ method, folder, backupsStore: { kind: "disk" }, logger }));
}

describe("uploads of backups", () => {
  it("go on in another process, whose chunks follow each other", async () => {
    const { id } = await newUploads().begin(6);
    expect(await newUploads().add(id, 0, Buffer.from("abc"))).toBe(3);
    const uploads = newUploads();
    await expect(uploads.add(id, 0, Buffer.from("abc"))).rejects.toThrow("The next chunk begins at 3.");
    await expect(uploads.add(id, 3, Buffer.from("defg"))).rejects.toThrow("larger than announced");
    await expect(uploads.finish(id)).rejects.toThrow("incomplete");
    const twice = [uploads.add(id, 3, Buffer.from("def")), uploads.add(id, 3, Buffer.from("def"))];
    expect((await Promise.allSettled(twice)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    const file = await newUploads().finish(id);
    expect(readFileSync(join(folder, file), "utf8")).toBe("abcdef");
    await expect(uploads.finish(id)).rejects.toThrow("does not exist");
  });

  it("are discarded when another one starts", async () => {
    const uploads = newUploads();
    const { id } = await uploads.begin(6);
    await uploads.begin(5);
    await expect(uploads.add(id, 0, Buffer.from("abc"))).rejects.toThrow("does not exist");
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("are refused while other servers use the database", async () => {
    await expect(newUploads(false).begin(6)).rejects.toMatchObject({ code: 108 });
  });
});
