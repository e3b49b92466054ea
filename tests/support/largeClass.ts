import { join } from "node:path";
import type { JsonValue } from "@purse/protocol";
import { openStore } from "@purse/server";
import { type Purse, rest } from "./purse.ts";

/** Fields of the class `Large`: with those that every row has they are 200. */
export const LARGE_FIELDS = 196;

export function largeField(i: number): string {
  return `f${String(i).padStart(3, "0")}`;
}

/**
 * Makes the class `Large` of 200 columns and fills it past the doors, which would take minutes. Rows are
 * `row0000000` and so on; `valuesOf` says what a row holds beside its number in `f000`.
 */
export async function fillLarge(
  purse: Purse,
  rows: number,
  valuesOf: (n: number) => Record<string, JsonValue>,
): Promise<void> {
  const fields = Object.fromEntries(
    Array.from({ length: LARGE_FIELDS }, (_, i) => [
      largeField(i),
      { type: i % 2 === 0 ? "Number" : "String" },
    ]),
  );
  await rest(purse, "POST", "/schemas/Large", { className: "Large", fields }, { useMasterKey: true });
  const store = await openStore({ kind: "sqlite", path: join(purse.dataDir, "purse.sqlite") });
  const [schema] = await store.loadClasses("Large");
  if (!schema) throw new Error("The class is not there.");
  const batchSize = 2_500;
  for (let from = 0; from < rows; from += batchSize) {
    await store.write(
      Array.from({ length: Math.min(batchSize, rows - from) }, (_, i) => {
        const n = from + i;
        const id = `row${String(n).padStart(7, "0")}`;
        const at = new Date(1_700_000_000_000 + n).toISOString();
        const object = { objectId: id, createdAt: at, updatedAt: at, f000: n, ...valuesOf(n) };
        return { kind: "create", schema, id, at, object } as const;
      }),
    );
  }
  await store.close();
}
