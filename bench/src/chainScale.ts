/*
 * Simulates the index of a mainnet: the database generates the rows of most transfers, the indexer's writer adds the last
 * ones, and the data API reads every list.
 *   npm run bench:chain:scale -- --engine clickhouse|postgres|sqlite --rows 100000000 [--written 50000] [--write]
 * SQLite has only rows of the writer. Each engine has an entry in chain-scale.json, from which `--write` makes the page;
 * `--page` makes it without measuring. ClickHouse is the server of CLICKHOUSE_URL, otherwise chdb (550 MB, installed the
 * first time). The rows are in the folder of temporary files, which keeps 12 GB free, and are removed at the end.
 */
import { parseArgs } from "node:util";
import { checkRows } from "./scale/checkRows.ts";
import { fillScale } from "./scale/fillScale.ts";
import { measureLists } from "./scale/measureLists.ts";
import { ENGINES, startDatabase } from "./scale/scaleDatabase.ts";
import { writeScalePage } from "./scale/scalePage.ts";
import { describeMachine, type ScaleResult, saveResult } from "./scale/scaleResults.ts";
import { TRANSFERS } from "./scale/scaleShape.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    rows: { type: "string", default: "1000000" },
    written: { type: "string", default: "50000" },
    write: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
  },
});
/** Partitions of PostgreSQL. */
const PARTITIONS = 10;

if (!values.page) {
  const result = await measure();
  console.log(JSON.stringify(result, undefined, 2));
  if (values.write) saveResult(result);
}
if (values.write || values.page) writeScalePage();
process.exit(0);

async function measure(): Promise<ScaleResult> {
  const engine = ENGINES.find((each) => each === values.engine);
  if (!engine) throw new Error(`--engine is one of ${ENGINES.join(", ")}`);
  const [rows, writtenRows] = [Number(values.rows), Number(values.written)];
  if (engine !== "sqlite") await checkRows(engine);
  const all = Math.ceil(rows / TRANSFERS);
  const partitionBlocks = Math.ceil((rows - writtenRows) / TRANSFERS / PARTITIONS);
  const generated = engine === "sqlite" ? 0 : partitionBlocks * PARTITIONS;
  const database = await startDatabase(engine, partitionBlocks);
  try {
    const rates = await fillScale({ database: database.option, generated, written: all - generated });
    const { sql, events } = await database.sizes();
    const lists = await measureLists(database.option, all);
    return {
      ...{
        engine,
        transfers: all * TRANSFERS,
        writtenTransfers: (all - generated) * TRANSFERS,
        rates,
        lists,
      },
      sqlBytes: Object.fromEntries(sql),
      eventBytes: Object.fromEntries(events),
      machine: describeMachine(),
    };
  } finally {
    await database.stop();
  }
}
