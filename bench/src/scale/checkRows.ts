/* Checks that rows which a database generates answer as those that the indexer's writer adds. */
import { deepStrictEqual } from "node:assert/strict";
import { FillProgress } from "./fillProgress.ts";
import { fillScale } from "./fillScale.ts";
import { withService } from "./measureLists.ts";
import { type Engine, startDatabase } from "./scaleDatabase.ts";
import { operationsOf } from "./scaleOperations.ts";
import { TRANSFERS } from "./scaleShape.ts";

const [BLOCKS, GENERATED, PARTITION] = [160, 120, 40];

/** Throws unless all lists of two small indexes are equal: one is generated in part, the other only written. */
export async function checkRows(engine: Engine): Promise<void> {
  const [mixed, written] = [await responses(engine, GENERATED), await responses(engine, 0)];
  for (const [label, response] of written) {
    if (typeof response === "string") console.log(`${label}: ${response}`);
    deepStrictEqual(mixed.get(label), response, label);
  }
  const rows = [...written.values()].map((response) => (JSON.stringify(response).match(/0x/g) ?? []).length);
  console.log(
    `${engine}: ${written.size} lists of ${BLOCKS} blocks are equal, with ${rows.join(", ")} values`,
  );
}

async function responses(engine: Engine, generated: number): Promise<Map<string, unknown>> {
  const database = await startDatabase(engine, PARTITION);
  try {
    const written = BLOCKS - generated;
    const progress = new FillProgress({ engine, rows: BLOCKS * TRANSFERS, written: written * TRANSFERS });
    await fillScale({ database: database.option, generated, written, progress });
    return await withService(database.option, BLOCKS, async (runOf) => {
      const found = new Map<string, unknown>();
      for (const operation of operationsOf(BLOCKS)) {
        const { body } = await runOf(operation)({ limit: 500 }).catch((error: unknown) => ({
          body: String(error),
        }));
        const { cursor: _cursor, ...others }: { cursor?: unknown } = Object(body);
        found.set(`${operation.name}, ${operation.of}`, typeof body === "string" ? body : others);
      }
      return found;
    });
  } finally {
    await database.stop();
  }
}
