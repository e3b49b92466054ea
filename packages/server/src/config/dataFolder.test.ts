import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asFolderError, protectDataFolder } from "./dataFolder.ts";

describe("protectDataFolder()", () => {
  let parent: string;
  let previousMask: number;
  const log = { info: vi.fn(), warn: vi.fn() };
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  beforeEach(async () => {
    previousMask = process.umask();
    parent = await mkdtemp(join(tmpdir(), "purse-folder-"));
    vi.clearAllMocks();
  });
  afterEach(async () => {
    process.umask(previousMask);
    await rm(parent, { recursive: true });
  });

  it("creates a folder that only its owner can read", async () => {
    const folder = join(parent, "a/data");
    await protectDataFolder(folder, log);
    expect(await modeOf(folder)).toBe(0o700);
    expect(log.info).not.toHaveBeenCalled();
  });

  it("tightens an existing folder and what is in it, and logs their names", async () => {
    const folder = join(parent, "data");
    await mkdir(join(folder, "uploads"), { recursive: true });
    const database = join(folder, "purse.sqlite");
    await writeFile(database, "");
    await chmod(database, 0o644);
    await chmod(join(folder, "uploads"), 0o755);
    await chmod(folder, 0o755);
    await protectDataFolder(folder, log);
    expect(await Promise.all([folder, database, join(folder, "uploads")].map(modeOf))).toEqual([
      0o700, 0o600, 0o700,
    ]);
    expect(log.info).toHaveBeenCalledExactlyOnceWith(expect.any(String), {
      tightened: expect.arrayContaining([folder, database, join(folder, "uploads")]),
    });
  });

  it("lets this process create files that only its user can read", async () => {
    const folder = join(parent, "data");
    await protectDataFolder(folder, log);
    await writeFile(join(folder, "new"), "");
    expect(await modeOf(join(folder, "new"))).toBe(0o600);
  });
});

describe("asFolderError()", () => {
  it.each(["EACCES", "EPERM", "EROFS"])(
    "says what to change if a folder cannot be written with %s",
    (code) => {
      expect(asFolderError(Object.assign(new Error(code), { code }), "/srv/data")).toMatchObject({
        message: expect.stringMatching(/^The folder \/srv\/data cannot be written .*--data-dir/),
      });
    },
  );

  it("returns other errors unchanged", () => {
    const error = Object.assign(new Error("full"), { code: "ENOSPC" });
    expect(asFolderError(error, "/srv/data")).toBe(error);
  });
});
