/*
 * Simulates the index of a mainnet: the database generates the rows of most transfers, the indexer's writer adds the last
 * ones, and the data API reads every list.
 *   npm run bench:chain:scale -- --engine clickhouse|postgres|sqlite --rows 100000000 [--written 50000] [--write]
 * SQLite has only rows of the writer. Each engine has an entry in chain-scale.json, from which `--write` makes the page;
 * `--page` makes it without measuring. ClickHouse is the server of CLICKHOUSE_URL, otherwise chdb (550 MB, installed the
 * first time). The rows are in the folder of temporary files, which keeps 12 GB free, and are removed at the end.
 * `--folder DIR` keeps the rows of ClickHouse or SQLite in a folder, and goes on with what it contains: an interrupted
 * run continues, and a complete index is measured again. `--fill` ends before the lists are measured, and `--only NAME`
 * measures some of them:
 *   npm run bench:chain:scale -- --engine clickhouse --rows 100000000 --folder DIR --fill
 *   npm run bench:chain:scale -- --folder DIR [--only getTokenTransfers] [--write]
 */
import { parseArgs } from "node:util";
import { checkRows } from "./scale/checkRows.ts";
import { FillProgress } from "./scale/fillProgress.ts";
import { fillRates, fillScale } from "./scale/fillScale.ts";
import { measureLists } from "./scale/measureLists.ts";
import { ENGINES, startDatabase } from "./scale/scaleDatabase.ts";
import { writeScalePage } from "./scale/scalePage.ts";
import { describeMachine, type ScaleResult, saveResult } from "./scale/scaleResults.ts";
import { TRANSFERS } from "./scale/scaleShape.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string" },
    rows: { type: "string" },
    written: { type: "string" },
    folder: { type: "string" },
    fill: { type: "boolean", default: false },
    only: { type: "string" },
    write: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
  },
});
/** Partitions of PostgreSQL. */
const PARTITIONS = 10;

if (!values.page) {
  const result = await measure();
  if (result) console.log(JSON.stringify(result, undefined, 2));
  if (result && values.write && values.only === undefined) saveResult(result);
}
if (values.write || values.page) writeScalePage();
process.exit(0);

/** undefined with `--fill`. */
async function measure(): Promise<ScaleResult | undefined> {
  const requested = ENGINES.find((each) => each === values.engine);
  if (!requested && values.engine !== undefined) throw new Error(`--engine is one of ${ENGINES.join(", ")}`);
  const progress = new FillProgress(
    {
      ...(requested && { engine: requested }),
      ...(values.rows !== undefined && { rows: Number(values.rows) }),
      ...(values.written !== undefined && { written: Number(values.written) }),
    },
    values.folder,
  );
  const { engine, rows, written: writtenRows } = progress.plan;
  if (engine !== "sqlite" && !progress.isResumed) await checkRows(engine);
  const all = Math.ceil(rows / TRANSFERS);
  const partitionBlocks = Math.ceil((rows - writtenRows) / TRANSFERS / PARTITIONS);
  const generated = engine === "sqlite" ? 0 : partitionBlocks * PARTITIONS;
  const written = all - generated;
  const database = await startDatabase(engine, partitionBlocks, values.folder);
  try {
    if (!progress.isComplete) await fillScale({ database: database.option, generated, written, progress });
    await database.settle();
    if (values.fill) return undefined;
    const { sql, events } = await database.sizes();
    const lists = await measureLists(database.option, all, values.only);
    return {
      ...{ engine, transfers: all * TRANSFERS, writtenTransfers: written * TRANSFERS, lists },
      rates: fillRates({ generated, written, progress }),
      sqlBytes: Object.fromEntries(sql),
      eventBytes: Object.fromEntries(events),
      machine: describeMachine(),
    };
  } finally {
    await database.stop();
  }
}
