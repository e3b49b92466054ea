import { expect, it } from "vitest";
import { RowBufferReader, RowBufferWriter, type RowValue } from "./rowBuffer.ts";

function readLists(bytes: Uint8Array<ArrayBuffer>, columns: readonly number[]): RowValue[][][] {
  const reader = new RowBufferReader(structuredClone(bytes, { transfer: [bytes.buffer] }));
  return columns.map((count) => {
    const rows: RowValue[][] = [];
    reader.each(count, (row) => rows.push([...row]));
    return rows;
  });
}

it("RowBufferReader reads the lists of a RowBufferWriter in their order, with values of all types and sizes", () => {
  const large = Buffer.alloc(200_000, 7);
  const lists: RowValue[][][] = [
    [
      [0, 255, 256, -1, 2 ** 53 - 1, 1.5],
      [null, "", "text", "ünï 漢字 😀", "x".repeat(100_000), Buffer.alloc(0)],
    ],
    [],
    [[Buffer.from([1, 2, 3])], [Buffer.alloc(255, 1)], [Buffer.alloc(256, 2)], [large]],
  ];
  const writer = new RowBufferWriter();
  for (const list of lists) writer.add(list);
  expect(readLists(writer.finish(), [6, 3, 1])).toEqual(lists);
});
