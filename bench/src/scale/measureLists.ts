/* Measures pages of lists of the simulated chain. */
import { createChainService } from "@purse/chain";
import { quantile } from "../quantile.ts";
import { type Operation, operationsOf } from "./scaleOperations.ts";
import { FIXED } from "./scaleShape.ts";
import { startStubNode } from "./stubNode.ts";

export type DatabaseOption = Parameters<typeof createChainService>[0]["database"];

/** Durations in ms; undefined where a list has no such page. */
export interface ListTimes {
  label: string;
  rows: number | undefined;
  /** The first request for the list, which counts its rows where the index does not have their number. */
  cold: number;
  first: number;
  thousandth: number | undefined;
  range: number | undefined;
}

export const CHAIN = 997;
export const PAGE = 100;
const ROUNDS = 5;
/** Pages of the largest size that end where page 1,000 begins. */
const [WALK_PAGE, WALK_PAGES] = [450, 222];
const OFFSET = WALK_PAGE * WALK_PAGES;
const WALK_MS = 20_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

type Run = (parameters: Record<string, unknown>) => Promise<{ ms: number; cursor: string; body: unknown }>;

/** Starts a service that has indexed the whole chain, and gives a function that runs an operation of it. */
export async function withService<Result>(
  database: DatabaseOption,
  blocks: number,
  use: (runOf: (operation: Operation) => Run) => Promise<Result>,
): Promise<Result> {
  const node = await startStubNode(CHAIN, blocks - 1);
  const service = createChainService({
    chains: [
      {
        ...{ id: CHAIN, name: "bench", aliases: ["eth"], rpcUrls: [node.url], traces: true },
        market: { marketplaces: [{ name: "opensea", address: FIXED.marketplace }] },
        entryPoints: [{ version: "0.7", address: FIXED.entryPoint }],
      },
    ],
    database,
    log: silent,
  });
  await service.start();
  try {
    return await use(({ name, parameters: own }) => {
      const [functionName] = name.split(",");
      const route = service.routes.find((each) => each.functionName === functionName);
      if (!route) throw new Error(`there is no ${name}`);
      return async (parameters) => {
        const startedAt = performance.now();
        const body: unknown = await route.run({ chain: String(CHAIN), limit: PAGE, ...own, ...parameters });
        const { cursor = "" }: { cursor?: unknown } = Object(body);
        return { ms: performance.now() - startedAt, cursor: String(cursor), body };
      };
    });
  } finally {
    await service.stop();
    node.close();
  }
}

/** Measures all lists, or those whose labels contain `only`. */
export function measureLists(database: DatabaseOption, blocks: number, only = ""): Promise<ListTimes[]> {
  return withService(database, blocks, async (runOf) => {
    const measured: ListTimes[] = [];
    for (const operation of operationsOf(blocks)) {
      const label = `${operation.name}, ${operation.of}`;
      if (!label.includes(only)) continue;
      const times = await measure(operation, runOf(operation), blocks).catch((error: unknown) =>
        String(error),
      );
      console.log(`${label}: ${JSON.stringify(times)}`);
      if (typeof times !== "string") measured.push({ label, ...times });
    }
    return measured;
  });
}

async function measure(operation: Operation, run: Run, blocks: number): Promise<Omit<ListTimes, "label">> {
  const { ms: cold, body, cursor } = await run({});
  const { total }: { total?: unknown } = Object(body);
  const first = await median(() => run({}));
  const isLong = cursor !== "" && operation.pages !== "none";
  return {
    rows: typeof total === "number" ? total : undefined,
    ...{ cold, first },
    thousandth: isLong ? await thousandthPage(operation, run) : undefined,
    // Another range each time, so that its rows are counted.
    range: operation.hasBlocks
      ? await median((round) =>
          run({ from_block: Math.floor(blocks * 0.45) + round, to_block: Math.floor(blocks * 0.55) }),
        )
      : undefined,
  };
}

/** undefined if the list is shorter, or getting there takes too long. */
async function thousandthPage({ pages }: Operation, run: Run): Promise<number | undefined> {
  if (pages === "offset") {
    const { body } = await run({ offset: OFFSET });
    const { result }: { result?: unknown } = Object(body);
    return Array.isArray(result) && result.length > 0 ? median(() => run({ offset: OFFSET })) : undefined;
  }
  const startedAt = performance.now();
  let cursor = "";
  for (let page = 0; page < WALK_PAGES; page++) {
    const read = await run({ limit: WALK_PAGE, ...(cursor && { cursor }) });
    cursor = read.cursor;
    if (cursor === "" || performance.now() - startedAt > WALK_MS) return undefined;
  }
  return median(() => run({ cursor }));
}

async function median(once: (round: number) => Promise<{ ms: number }>): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < ROUNDS; round++) durations.push((await once(round)).ms);
  return quantile(durations, 0.5);
}
