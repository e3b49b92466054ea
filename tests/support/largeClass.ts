import { join } from "node:path";
import type { JsonValue } from "@purse/protocol";
import { openStore } from "@purse/server";
import { type Purse, rest } from "./purse.ts";

/** Number of fields of the class `Large`, which has 200 with the default ones. */
export const LARGE_FIELDS = 196;

export function largeField(i: number): string {
  return `f${String(i).padStart(3, "0")}`;
}

/**
 * Creates the class `Large` with 200 columns and fills it directly in the store, because the API would take minutes. Rows are
 * `row0000000` and so on; `valuesOf` returns a row's values other than its number in `f000`.
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
