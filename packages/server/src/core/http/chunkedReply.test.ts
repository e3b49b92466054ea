import { describe, expect, it } from "vitest";
import { chunkedReply, chunksLength, countedSlicesOf, slicesOf, unsentChunksOf } from "./chunkedReply.ts";

const MB = 1024 * 1024;

describe("slicesOf", () => {
  it("splits long chunks into slices of a megabyte", () => {
    const slices = [...slicesOf(["[", "x".repeat(3 * MB + 5), "]"])];
    expect(slices.map(({ length }) => length)).toEqual([1, MB, MB, MB, 5, 1]);
    expect(slices.join("") === `[${"x".repeat(3 * MB + 5)}]`).toBe(true);
  });

  it("keeps surrogate pairs together", () => {
    const slices = [...slicesOf([`${"x".repeat(MB - 1)}😀${"y".repeat(MB)}`])];
    expect(slices[0]?.length).toBe(MB - 1);
    expect(slices[1]?.startsWith("😀")).toBe(true);
  });
});

describe("chunkedReply", () => {
  it("returns a body for one short chunk, and chunks otherwise", () => {
    expect(chunkedReply(["[]"])).toEqual({ status: 200, body: "[]" });
    expect(chunkedReply(["[", "]"])).toMatchObject({ chunks: ["[", "]"], body: "[]" });
    expect(chunkedReply(["x".repeat(MB + 1)]).chunks).toHaveLength(1);
  });
});

describe("chunksLength()", () => {
  it("returns the number of bytes, unless measuring it would hold up the event loop", () => {
    expect(chunksLength(["[", "€", "]"])).toBe(5);
    expect(chunksLength(Array.from({ length: 60 }, () => "x".repeat(MB)))).toBeUndefined();
  });
});

describe("countedSlicesOf()", () => {
  it("counts what is left of all replies of a connection", async () => {
    const connection = {};
    const first = countedSlicesOf(["abc", "de"], connection);
    const second = countedSlicesOf(["f"], connection);
    expect([(await first.next()).value, unsentChunksOf(connection)]).toEqual(["abc", 2]);
    expect([(await second.next()).value, unsentChunksOf(connection)]).toEqual(["f", 2]);
    await first.return(undefined);
    expect(unsentChunksOf(connection)).toBe(0);
  });

  it("lets other work run between slices, however fast they are read", async () => {
    const slices = countedSlicesOf(
      Array.from({ length: 50 }, () => "x".repeat(MB)),
      {},
    );
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    });
    for await (const slice of slices) Buffer.byteLength(slice.split("").join(""));
    clearInterval(count);
    expect(turns).toBeGreaterThan(5);
  });
});
