import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { openStore } from "../../database/openStore.ts";
import type { Store } from "../../database/store.ts";
import { type FolderReservationDependencies, reserveFilesFolder } from "./reserveFilesFolder.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "purse-folder-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The database of several servers; `setClock` moves their clocks, and not that of the database. */
async function openDatabase() {
  const opened = await openStore({ kind: "sqlite", path: join(await newFolder(), "purse.sqlite") });
  closers.push(() => opened.close());
  let offsetMs = 0;
  const store: Pick<Store, "write" | "now"> = {
    write: (writes) => opened.write(writes),
    now: () => opened.now() + offsetMs,
  };
  const setClock = (ms: number) => {
    offsetMs = ms;
  };
  return { store, setClock };
}

const S3 = {
  kind: "s3",
  bucket: "files",
  prefix: "",
  region: "eu-central-1",
  endpoint: undefined,
  forcePathStyle: false,
} as const;

/** Starts a server with its files in a folder. */
async function start(
  store: FolderReservationDependencies["store"],
  dataDir: string,
  config: Partial<FolderReservationDependencies["config"]> = {},
): Promise<void> {
  const release = await reserveFilesFolder({
    config: {
      database: { kind: "postgres", url: "postgres://host/database", connections: 4 },
      filesStore: { kind: "disk" },
      filesShared: false,
      ...config,
    },
    folder: join(dataDir, "files"),
    store,
    report: (error) => {
      throw error;
    },
  });
  closers.push(async () => release?.());
}

it("a server with another folder for files is rejected, with advice", async () => {
  const { store } = await openDatabase();
  await start(store, await newFolder());
  await expect(start(store, await newFolder())).rejects.toThrow("PURSE_FILES_SHARED=1");
});

it("servers with the same folder start concurrently and again", async () => {
  const { store } = await openDatabase();
  const folder = await newFolder();
  await Promise.all([start(store, folder), start(store, folder), start(store, folder)]);
  await start(store, folder);
});

it("folders that are declared as shared, S3 and SQLite are not checked", async () => {
  const { store } = await openDatabase();
  await start(store, await newFolder());
  await start(store, await newFolder(), { filesShared: true });
  await start(store, await newFolder(), { filesStore: S3 });
  await start(store, await newFolder(), { database: { kind: "sqlite", path: "purse.sqlite" } });
});

it("another folder is accepted if the first one has not been used for half a minute", async () => {
  const { store, setClock } = await openDatabase();
  setClock(-31_000);
  await start(store, await newFolder());
  setClock(0);
  await start(store, await newFolder());
});
