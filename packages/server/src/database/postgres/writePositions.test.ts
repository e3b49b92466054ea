import { describe, expect, it } from "vitest";
import { parsePosition, WritePositions } from "./writePositions.ts";

it("parsePosition() orders positions across segments", () => {
  expect(parsePosition("0/0")).toBe(0n);
  expect(parsePosition("16/B374D848")).toBe(0x16_b374_d848n);
  expect(parsePosition("1/0") > parsePosition("0/FFFFFFFF")).toBe(true);
});

describe("WritePositions", () => {
  /** A table of positions that advance with each statement. */
  function createTable() {
    const rows = new Map<string, number>();
    const statements: string[] = [];
    const table = {
      rows,
      statements,
      isAvailable: true,
      run: async (text: string, [parameter]: readonly unknown[]) => {
        if (!table.isAvailable) throw new Error("unavailable");
        statements.push(text.slice(0, 6));
        const keys: string[] = JSON.parse(String(parameter));
        if (text.startsWith("INSERT")) {
          for (const key of keys) rows.set(key, statements.length);
          return [];
        }
        const found = keys.flatMap((key) => rows.get(key) ?? []);
        return [[`0/${Math.max(0, ...found).toString(16)}`, rows.has("") ? "t" : null]];
      },
    };
    return table;
  }

  it("records the writes of one turn by one statement", async () => {
    const table = createTable();
    const positions = new WritePositions(table);
    await Promise.all([positions.record(["user:a"]), positions.record(["user:b"]), positions.record()]);
    expect(table.statements).toEqual(["INSERT"]);
    expect([...table.rows.keys()].sort()).toEqual(["", "user:a", "user:b"]);
  });

  it("requires the last write of the client, and those without a client", async () => {
    const positions = new WritePositions(createTable());
    await positions.record();
    await positions.record(["user:a"]);
    expect(await positions.required(["user:a"])).toBe(2n);
    expect(await positions.required(["user:b"])).toBe(1n);
    await positions.record();
    expect(await positions.required(["user:b"])).toBe(5n);
  });

  it("leaves reads to the primary after the table was emptied, and requires what was written until then", async () => {
    const table = createTable();
    const positions = new WritePositions(table);
    expect(await positions.required(["user:a"])).toBeUndefined();
    expect(await positions.required(["user:a"])).toBe(2n);
  });

  it("leaves reads to the primary until a write that could not be recorded is", async () => {
    const table = createTable();
    const positions = new WritePositions(table);
    await positions.record();
    table.isAvailable = false;
    await positions.record(["user:a"]);
    table.isAvailable = true;
    expect(await positions.required(["user:b"])).toBeUndefined();
    await positions.retry();
    expect(await positions.required(["user:b"])).toBe(2n);
  });
});
