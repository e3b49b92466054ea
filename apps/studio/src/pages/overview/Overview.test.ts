import { expect, it } from "vitest";
import { databaseBytes } from "./Overview.tsx";

const point = (storageBytes: number | null, walBytes: number | null) =>
  databaseBytes({
    at: "2026-01-01T00:00:00.000Z",
    requests: 0,
    errors: 0,
    refused: 0,
    p50Ms: 0,
    p95Ms: 0,
    sockets: 0,
    subscriptions: 0,
    memoryBytes: 0,
    storageBytes,
    walBytes,
    lagBlocks: null,
  });

it("databaseBytes() is the size of the database with its write-ahead log, where there is one", () => {
  expect(point(4_096, 3_300_000)).toBe(3_304_096);
  expect(point(4_096, null)).toBe(4_096);
  expect(point(null, null)).toBeNull();
});
