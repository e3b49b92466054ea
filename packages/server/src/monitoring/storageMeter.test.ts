import { expect, it } from "vitest";
import { createStorageMeter } from "./openMonitoring.ts";

const POSTGRES = { kind: "postgres", url: "postgres://localhost/none", connections: 1 } as const;

it("createStorageMeter() reads the size of a PostgreSQL database once a minute", async () => {
  let reads = 0;
  const measure = createStorageMeter(POSTGRES, {
    sizeBytes: async () => {
      reads += 1;
      return 8_000_000;
    },
  });
  expect(await measure()).toEqual({ storageBytes: 8_000_000, walBytes: null });
  expect(await measure()).toEqual({ storageBytes: 8_000_000, walBytes: null });
  expect(reads).toBe(1);
});

it("createStorageMeter() knows no size while PostgreSQL cannot be reached", async () => {
  const measure = createStorageMeter(POSTGRES, {
    sizeBytes: () => Promise.reject(new Error("no connection")),
  });
  expect(await measure()).toEqual({ storageBytes: null, walBytes: null });
});
