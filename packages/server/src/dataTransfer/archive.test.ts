import { describe, expect, it } from "vitest";
import { type ArchiveTable, type RowCounts, readArchive, writeArchive } from "./archive.ts";

const HEADER = { layout: 6, server: "17.2", createdAt: "2026-01-01T00:00:00.000Z" };
const TABLES: Record<string, string[]> = {
  // Blocks need not end at the end of a row.
  purse_classes: ["A\t{}\nB\t", "{}\n"],
  Empty: [],
  Note: ['1\t{"text":"a \\\\n line"}\n'],
};

async function* tables(): AsyncGenerator<ArchiveTable> {
  for (const [name, blocks] of Object.entries(TABLES)) {
    yield {
      name,
      columns: ["class_name", "schema"],
      rows: (async function* () {
        for (const block of blocks) yield Buffer.from(block);
      })(),
    };
  }
}

async function archive(): Promise<Buffer> {
  const blocks: Buffer[] = [];
  for await (const block of writeArchive(HEADER, tables(), {}, () => undefined)) blocks.push(block);
  return Buffer.concat(blocks);
}

/** Reads an archive that arrives in chunks. */
async function read(bytes: Buffer, chunkBytes = 7) {
  const counts: RowCounts = {};
  const found: Record<string, string> = {};
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  })();
  let header: unknown;
  const keep = (value: unknown) => {
    header = value;
  };
  for await (const { name, rows } of readArchive(chunks, keep, counts)) {
    found[name] = "";
    for await (const block of rows) found[name] += block.toString();
  }
  return { header, counts, found };
}

/** An archive with another text in place of a part of it. */
const changed = async (from: string, to: string) =>
  Buffer.from((await archive()).toString("latin1").replace(from, to), "latin1");

describe("an archive", () => {
  it.each([1, 7, 100_000])("is read as it was written, in chunks of %i bytes", async (chunkBytes) => {
    const { header, counts, found } = await read(await archive(), chunkBytes);
    expect(header).toMatchObject(HEADER);
    expect(counts).toEqual({ purse_classes: 2, Empty: 0, Note: 1 });
    expect(found).toEqual({ purse_classes: "A\t{}\nB\t{}\n", Empty: "", Note: TABLES.Note?.[0] });
  });

  it("is rejected if a row was changed", async () => {
    await expect(read(await changed("a \\\\n line", "A \\\\n line"))).rejects.toThrow("checksum is wrong");
  });

  it("is rejected if the number of rows in its manifest is wrong", async () => {
    await expect(read(await changed('"Note":1', '"Note":2'))).rejects.toThrow("number of rows of Note");
  });

  it("is rejected at every length at which it can be cut off", async () => {
    const bytes = await archive();
    for (let length = 0; length < bytes.length; length += 1) {
      await expect(read(bytes.subarray(0, length), 1_000)).rejects.toThrow("The backup cannot be used");
    }
  });

  it("is rejected if something follows it", async () => {
    const bytes = Buffer.concat([await archive(), Buffer.from("\n")]);
    await expect(read(bytes)).rejects.toThrow("continues after its end");
  });

  it("is rejected if it was written by a newer version", async () => {
    await expect(read(await changed('"version":1', '"version":2'))).rejects.toThrow("newer Purse (format 2)");
  });

  it("is rejected if it is another kind of JSON lines", async () => {
    await expect(read(Buffer.from('{"kind":"header","version":1}\n'))).rejects.toThrow("a line is invalid");
  });
});
