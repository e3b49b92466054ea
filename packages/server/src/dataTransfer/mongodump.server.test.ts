import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { JsonObject } from "@purse/protocol";
import { Binary, type Document, Double, Int32, Long, ObjectId, serialize } from "bson";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSchemas } from "../data/schema/openSchemas.ts";
import { systemClasses } from "../data/schema/systemClasses.ts";
import { openStore } from "../database/openStore.ts";
import { findRows } from "../database/serverRows.ts";
import { openDiskFileStore } from "../modules/files/diskFileStore.ts";
import { moveFiles } from "../modules/files/moveFiles.ts";
import { gridDocuments, importDump } from "./parseDump.ts";

const CREATED = new Date("2024-05-01T10:00:00.000Z");
const progress = { report: () => undefined, done: () => undefined };
let folder: string;
let closers: (() => Promise<unknown>)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "purse-mongodump-"));
  closers = [];
});
afterEach(async () => {
  for (const close of closers) await close();
  await rm(folder, { recursive: true, force: true });
});

/** Writes a collection as mongodump does, into the folder of a database. */
async function dumpCollection(
  name: string,
  documents: Document[],
  { database = "app", isGzipped = false } = {},
): Promise<void> {
  const path = join(folder, "dump", database);
  await mkdir(path, { recursive: true });
  const content = Buffer.concat(documents.map((document) => serialize(document)));
  const file = name.replaceAll(":", "%3A");
  const suffix = isGzipped ? ".gz" : "";
  await writeFile(join(path, `${file}.bson${suffix}`), isGzipped ? gzipSync(content) : content);
  await writeFile(join(path, `${file}.metadata.json${suffix}`), "{}");
}

/** A file of GridFS in chunks of four bytes. */
function gridFile(filename: string, text: string, more: Document = {}) {
  const _id = new ObjectId();
  const bytes = Buffer.from(text);
  const chunks = [];
  for (let at = 0; at < bytes.length; at += 4)
    chunks.push({ files_id: _id, n: new Int32(at / 4), data: new Binary(bytes.subarray(at, at + 4)) });
  const length = new Long(bytes.length);
  return { file: { _id, filename, length, chunkSize: new Int32(4), uploadDate: CREATED, ...more }, chunks };
}

async function importAll() {
  const store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  closers.push(() => store.close());
  const schemas = await openSchemas(store, systemClasses([]));
  const counts = await importDump(join(folder, "dump"), { store, schemas, progress });
  const rows = (className: string): Promise<JsonObject[]> => findRows(store, schemas.require(className));
  return { counts, schemas, rows };
}

async function moveGridFiles() {
  const source = await gridDocuments(join(folder, "dump"));
  if (!source) throw new Error("the dump has no files");
  return moveFiles({ dataDir: folder, filesStore: { kind: "disk" } }, source, () => undefined);
}

/** The content of a stored file; undefined if there is none. */
async function contentOf(name: string): Promise<string | undefined> {
  const file = await (await openDiskFileStore(join(folder, "files"))).open(name);
  if (!file) return undefined;
  if (file.size === 0) return "";
  const chunks: Buffer[] = [];
  for await (const chunk of file.read(0, file.size - 1)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

describe("the folder of a mongodump", () => {
  it.each([true, false])(
    "is imported with types, relations and options (compressed: %s)",
    async (isGzipped) => {
      const options = { isGzipped };
      await dumpCollection(
        "_SCHEMA",
        [
          {
            _id: "Post",
            title: "string",
            likes: "number",
            at: "date",
            author: "*_User",
            fans: "relation<_User>",
            _metadata: {
              fields_options: {
                title: { required: true },
                likes: { defaultValue: new Int32(3) },
                at: { defaultValue: CREATED },
              },
            },
          },
        ],
        options,
      );
      const post = { title: "Hello", likes: new Double(2.5), at: CREATED, _p_author: "_User$ada0000000" };
      await dumpCollection("Post", [{ _id: "post000000", _created_at: CREATED, ...post }], options);
      await dumpCollection(
        "_Join:fans:Post",
        [{ _id: new ObjectId(), owningId: "post000000", relatedId: "ada0000000" }],
        options,
      );
      await dumpCollection("system.views", [{ _id: "x" }], options);
      const { counts, schemas, rows } = await importAll();
      expect(counts.collections).toEqual({ Post: 1, "_Join:fans:Post": 1 });
      expect(counts.skippedCollections).toEqual(["system.views"]);
      expect(await rows("Post")).toMatchObject([
        {
          objectId: "post000000",
          createdAt: CREATED.toISOString(),
          title: "Hello",
          likes: 2.5,
          at: { __type: "Date", iso: CREATED.toISOString() },
          author: { __type: "Pointer", className: "_User", objectId: "ada0000000" },
        },
      ]);
      expect(schemas.require("Post").fields).toMatchObject({
        title: { type: "String", required: true },
        likes: { type: "Number", defaultValue: 3 },
        at: { type: "Date", defaultValue: { __type: "Date", iso: CREATED.toISOString() } },
      });
    },
  );

  it("that ends within a document is refused before anything is written", async () => {
    await dumpCollection("Post", [{ _id: "post000000", _created_at: CREATED }]);
    const path = join(folder, "dump/app/Note.bson");
    await writeFile(path, serialize({ _id: "note000000", _created_at: CREATED }).subarray(0, 20));
    await expect(importAll()).rejects.toThrow("Note.bson ends within the document at byte 0");
    await writeFile(path, "no BSON at all");
    await expect(importAll()).rejects.toThrow("Note.bson has no BSON document at byte 0");
  });

  it("with several databases asks for one", async () => {
    await dumpCollection("Post", []);
    await dumpCollection("Post", [], { database: "other" });
    await expect(importAll()).rejects.toThrow("contains several databases");
  });
});

describe("files of GridFS", () => {
  it("keep their names and content, also if their chunks are in any order", async () => {
    const small = gridFile("a_small.txt", "abc");
    const large = gridFile("b_gr\u00f6\u00dfer.txt", "0123456789");
    const folded = gridFile("folder/c.txt", "in a folder");
    const empty = gridFile("d_empty.txt", "");
    await dumpCollection("fs.files", [small.file, large.file, folded.file, empty.file]);
    const [first, second, third] = large.chunks;
    await dumpCollection(
      "fs.chunks",
      [third, ...folded.chunks, first, ...small.chunks, second].flatMap((c) => c ?? []),
    );
    expect(await moveGridFiles()).toEqual({ copied: 4, bytes: 24, present: 0, failed: [] });
    expect(await contentOf("a_small.txt")).toBe("abc");
    expect(await contentOf("b_gr\u00f6\u00dfer.txt")).toBe("0123456789");
    expect(await contentOf("folder/c.txt")).toBe("in a folder");
    expect(await contentOf("d_empty.txt")).toBe("");
    expect(await moveGridFiles()).toEqual({ copied: 0, bytes: 0, present: 4, failed: [] });
    expect(await readdir(join(folder, "uploads"))).toEqual([]);
  });

  it("of one name are those of the last upload, with its metadata", async () => {
    const old = gridFile("a.txt", "old", { uploadDate: new Date(0) });
    const last = gridFile("a.txt", "the last", { metadata: { by: "ada" } });
    await dumpCollection("fs.files", [last.file, old.file]);
    await dumpCollection("fs.chunks", [...old.chunks, ...last.chunks]);
    await moveGridFiles();
    expect(await contentOf("a.txt")).toBe("the last");
    const store = await openDiskFileStore(join(folder, "files"));
    expect(await store.readAttributes("a.txt")).toEqual({ metadata: { by: "ada" }, tags: {} });
  });

  it("that are incomplete or have no possible name are named, and the others copied", async () => {
    const whole = gridFile("whole.txt", "whole");
    const part = gridFile("part.txt", "only a part");
    const outside = gridFile("outside.txt", "ab", { length: new Int32(1) });
    const badName = gridFile("../secret", "x");
    await dumpCollection(
      "fs.files",
      [badName, part, outside, whole].map(({ file }) => file),
    );
    await dumpCollection("fs.chunks", [
      ...badName.chunks,
      ...part.chunks.slice(1),
      ...outside.chunks,
      ...whole.chunks,
    ]);
    expect(await moveGridFiles()).toEqual({
      copied: 1,
      bytes: 5,
      present: 0,
      failed: [
        "../secret: a file cannot have this name",
        "outside.txt: its chunk 0 is outside of its 1 bytes",
        "part.txt: 7 of 11 bytes are in the dump",
      ],
    });
    expect(await contentOf("whole.txt")).toBe("whole");
    expect(await readdir(join(folder, "uploads"))).toEqual([]);
  });

  it("without their chunks are refused", async () => {
    await dumpCollection("fs.files", [gridFile("a.txt", "a").file]);
    await expect(moveGridFiles()).rejects.toThrow("has fs.files, but no fs.chunks");
  });
});

describe("files of a folder", () => {
  it("are copied with those of its subfolders, once", async () => {
    const source = join(folder, "source");
    await mkdir(join(source, "avatars"), { recursive: true });
    await writeFile(join(source, "a.txt"), "one");
    await writeFile(join(source, "avatars/b.txt"), "two");
    const move = () => moveFiles({ dataDir: folder, filesStore: { kind: "disk" } }, source, () => undefined);
    expect(await move()).toEqual({ copied: 2, bytes: 6, present: 0, failed: [] });
    expect(await contentOf("avatars/b.txt")).toBe("two");
    await writeFile(join(source, "c.txt"), "three");
    expect(await move()).toEqual({ copied: 1, bytes: 5, present: 2, failed: [] });
  });

  it("from a folder that does not exist is an error", async () => {
    const missing = join(folder, "missing");
    await expect(
      moveFiles({ dataDir: folder, filesStore: { kind: "disk" } }, missing, () => undefined),
    ).rejects.toThrow("missing does not exist");
  });
});
