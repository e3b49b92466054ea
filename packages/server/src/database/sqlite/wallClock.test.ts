import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openStore } from "../openStore.ts";
import type { Store } from "../store.ts";

const HOUR_MS = 3_600_000;
const systemTime = Date.now.bind(Date);
let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "purse-clock-"));
  store = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true });
});

function changeClock(byMs: number): void {
  vi.spyOn(Date, "now").mockImplementation(() => systemTime() + byMs);
}

it.each([HOUR_MS, -HOUR_MS])(
  "a counter and a reserved value live as long as intended for the first read after the clock was changed by %i ms and back",
  async (byMs) => {
    const expiresAt = store.now() + 60_000;
    await store.write([
      { kind: "incrementCounter", scope: "lockout", value: "ann", max: 3, expiresAt },
      { kind: "reserveUnique", scope: "nonce", value: "n", owner: "ann", expiresAt },
    ]);
    changeClock(byMs);
    expect(await store.getCounter("lockout", "ann")).toBe(1);
    changeClock(0);
    expect(await store.getUniqueOwner("nonce", "n")).toBe("ann");
  },
);
