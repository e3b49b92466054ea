import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "./connection.ts";
import { InlineReader } from "./inlineReader.ts";

describe("InlineReader", () => {
  let folder: string;
  let writer: Database.Database;
  let reader: InlineReader;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "inline-reader-"));
    const file = join(folder, "data.sqlite");
    writer = openDatabase(file, { readonly: false });
    writer.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('first')");
    reader = new InlineReader(file);
  });

  afterEach(() => {
    reader.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });

  const readNotes = () => reader.all("SELECT text FROM notes", [], performance.now());
  const addNote = (text: string) => writer.prepare("INSERT INTO notes VALUES (?)").run(text);

  it("reads what was committed before a snapshot ended, in the same turn of the event loop", () => {
    readNotes();
    readNotes();
    addNote("second");
    reader.endSnapshot();
    expect(readNotes()).toEqual(["first", "second"]);
  });

  it("shows later reads of one turn the same snapshot", () => {
    readNotes();
    readNotes();
    addNote("second");
    expect(readNotes()).toEqual(["first"]);
    expect(reader.readValue("SELECT count(*) FROM notes", [])).toBe("1");
  });

  it("runs identical reads of one turn once", () => {
    const result = readNotes();
    expect(reader.recall({ sql: "SELECT text FROM notes", parameters: [] })).toBe(result);
  });

  it("tells reads with other parameters apart", () => {
    const sql = "SELECT text FROM notes WHERE text = ?";
    reader.all(sql, ["first"], performance.now());
    expect(reader.recall({ sql, parameters: ["second"] })).toBeUndefined();
    expect(reader.recall({ sql, parameters: ["first"] })).toEqual(["first"]);
  });

  it("recalls nothing after a commit or in the next turn", async () => {
    const notes = { sql: "SELECT text FROM notes", parameters: [] };
    readNotes();
    reader.endSnapshot();
    expect(reader.recall(notes)).toBeUndefined();
    readNotes();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reader.recall(notes)).toBeUndefined();
  });

  it("reads a new snapshot in the next turn", async () => {
    readNotes();
    readNotes();
    addNote("second");
    await new Promise((resolve) => setImmediate(resolve));
    expect(readNotes()).toEqual(["first", "second"]);
  });

  it("keeps no lock on the database after a turn, so that the write-ahead log can be truncated", async () => {
    readNotes();
    readNotes();
    await new Promise((resolve) => setImmediate(resolve));
    addNote("second");
    expect(writer.pragma("wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  });

  it("continues to read after a statement that was interrupted within a snapshot", () => {
    readNotes();
    readNotes();
    const tooLarge = "SELECT text FROM notes WHERE purse_checkpoint(1000000)";
    expect(reader.all(tooLarge, [], performance.now())).toBe("tooLarge");
    expect(readNotes()).toEqual(["first"]);
  });
});
