import { expect, it } from "vitest";
import { decodeRows } from "./rowBinary.ts";

/** A text with its length. */
const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);

function response(columns: Record<string, string>, rows: Buffer[]): Buffer {
  const names = Object.keys(columns).map(text);
  const types = Object.values(columns).map(text);
  return Buffer.concat([Buffer.from([names.length]), ...names, ...types, ...rows]);
}

it("decodes bytes, text, numbers, amounts of 256 bits and null", () => {
  const amount = Buffer.alloc(32, 0xff);
  const position = Buffer.alloc(8);
  position.writeBigUInt64LE(2n ** 52n + 1n);
  const columns = {
    position: "UInt64",
    hash: "String",
    topic0: "Nullable(String)",
    topic1: "Nullable(String)",
    details: "String",
    amount: "UInt256",
    part: "UInt32",
  };
  const row = [
    position,
    Buffer.from([2, 0xff, 0x00]),
    Buffer.from([1]),
    Buffer.from([0, 1, 0x0a]),
    text("{}"),
    amount,
    Buffer.from([1, 2, 0, 0]),
  ];
  expect(decodeRows(response(columns, [...row, ...row]))).toEqual(
    Array.from({ length: 2 }, () => ({
      position: 2 ** 52 + 1,
      hash: Buffer.from([0xff, 0x00]),
      topic0: null,
      topic1: Buffer.from([0x0a]),
      details: "{}",
      amount: (2n ** 256n - 1n).toString(),
      part: 513,
    })),
  );
});

it("decodes lengths of more than 127 bytes, and a response without rows", () => {
  const data = Buffer.alloc(300, 7);
  const row = Buffer.concat([Buffer.from([0xac, 0x02]), data]);
  expect(decodeRows(response({ data: "String" }, [row]))).toEqual([{ data }]);
  expect(decodeRows(response({ data: "String" }, []))).toEqual([]);
});

it("throws if the response ends within a row or has an unknown type", () => {
  expect(() => decodeRows(response({ data: "String" }, [Buffer.from([5, 1])]))).toThrow(RangeError);
  expect(() => decodeRows(response({ at: "DateTime" }, []))).toThrow("DateTime");
});
