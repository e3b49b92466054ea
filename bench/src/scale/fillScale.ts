/* Fills indexes with the simulated chain: by the database itself, and by the indexer's writer. */
import { indexLocationOf } from "../../../packages/chain/src/createChainService.ts";
import { type ChainIndex, openIndex } from "../../../packages/chain/src/store/openIndex.ts";
import { PARTITIONS_VERSION, SCHEMA_VERSION } from "../../../packages/chain/src/store/schema.ts";
import { generateInClickHouse, readTokens } from "./clickHouseRows.ts";
import type { FillProgress } from "./fillProgress.ts";
import { CHAIN, type DatabaseOption } from "./measureLists.ts";
import { generateInPostgres } from "./postgresRows.ts";
import { blockRow, createBlocks } from "./scaleBlocks.ts";
import { TRANSFERS } from "./scaleShape.ts";

export interface Filling {
  database: DatabaseOption;
  /** Blocks that the database generates, and those that the writer adds. */
  generated: number;
  written: number;
  progress: FillProgress;
}

const BLOCKS_PER_WRITE = 50;
const TOKENS_PER_WRITE = 1_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Transfers per second of the database, with all that is derived from them, and of the writer. */
export interface FillRates {
  generated: number | undefined;
  written: number;
}

/** Fills an index, or goes on with one that has been filled in part. */
export async function fillScale({ database, generated, written, progress }: Filling): Promise<FillRates> {
  const location = indexLocationOf(database, CHAIN);
  const index = await openIndex(location, silent);
  try {
    if (!(await index.isLeader())) throw new Error("the lease of the index cannot be acquired");
    const known = new Map<string, number>();
    if (generated > 0 && location.kind === "sqlite" && location.clickHouseUrl !== undefined) {
      const { clickHouseUrl: url, path } = location;
      await generateInClickHouse(index, { url, path, blocks: generated, progress });
    }
    await saveDefinition(index);
    if (generated > 0 && location.kind === "postgres") {
      const { url, schema, partitionBlocks = 0 } = location;
      const startedAt = performance.now();
      const onToken = (token: string, standard: number) => known.set(token, standard);
      await generateInPostgres({ url, schema, blocks: generated, partitionBlocks, onToken });
      progress.add("generated", (performance.now() - startedAt) / 1_000);
    }
    if (location.kind === "sqlite")
      for (const [token, standard] of readTokens(location.path)) known.set(token, standard);
    const from = ((await index.store.checkpoint())?.number ?? -1) + 1;
    await writeBlocks(index, from, generated + written, known, progress);
    await saveTokens(index, known, generated + written);
    progress.complete();
    return fillRates({ generated, written, progress });
  } finally {
    await index.close();
  }
}

/** The rates of all runs that have filled an index. */
export function fillRates({ generated, written, progress }: Omit<Filling, "database">): FillRates {
  const { seconds } = progress;
  return {
    generated: generated > 0 ? (generated * TRANSFERS) / seconds.generated : undefined,
    written: (written * TRANSFERS) / seconds.written,
  };
}

/** As if the indexer had read the tokens' metadata. */
async function saveTokens(
  { writer }: ChainIndex,
  known: ReadonlyMap<string, number>,
  block: number,
): Promise<void> {
  const tokens = [...known].map(([address, standard]) => {
    return { address, standard, name: "Bench", symbol: "B", decimals: 18 };
  });
  const readAt = Math.floor(Date.now() / 1_000);
  for (let at = 0; at < tokens.length; at += TOKENS_PER_WRITE)
    await writer.saveTokenMetadata({ tokens: tokens.slice(at, at + TOKENS_PER_WRITE), block, readAt });
}

async function saveDefinition({ writer, partitions, eventDefinition }: ChainIndex): Promise<void> {
  const layout = SCHEMA_VERSION + (partitions ? PARTITIONS_VERSION : 0);
  await writer.saveProperty(
    "making",
    JSON.stringify({
      ...{ layout, scope: "chain", startBlock: 0, traces: true, wrapped: null },
      ...eventDefinition,
    }),
  );
}

/** Adds blocks as the indexer does. */
async function writeBlocks(
  { writer }: ChainIndex,
  from: number,
  to: number,
  known: Map<string, number>,
  progress: FillProgress,
): Promise<void> {
  let spent = 0;
  for (let next = from; next < to; next += BLOCKS_PER_WRITE) {
    const { rows, tokens } = createBlocks(next, Math.min(to, next + BLOCKS_PER_WRITE), known);
    const startedAt = performance.now();
    await writer.append(next > 0 ? blockRow(next - 1) : undefined, rows, tokens);
    const seconds = (performance.now() - startedAt) / 1_000;
    spent += seconds;
    progress.add("written", seconds);
    const done = next + BLOCKS_PER_WRITE - from;
    if (done % 1_000 === 0)
      console.log(
        `written ${(done * TRANSFERS).toLocaleString("en")}, ${((done * TRANSFERS) / spent).toFixed(0)}/s`,
      );
  }
}
