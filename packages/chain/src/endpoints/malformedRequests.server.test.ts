import type { DevChain } from "@purse/devchain";
import { isJsonObject, ProtocolError } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { seededRandom } from "../../test/randomHistory.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { encodeCursor } from "./pageParameters.ts";
import { ENDPOINT_NAMES, ENDPOINTS } from "./table.ts";

/**
 * Random requests to all operations, with valid and malformed values mixed. PURSE_REQUESTS sets their number per
 * operation, PURSE_SEED the seed.
 */

const REQUESTS = Number(process.env.PURSE_REQUESTS ?? 25);
const SEED = Number(process.env.PURSE_SEED ?? 7);
const HUGE = "9".repeat(400);
const WORD = `0x${"f".repeat(64)}`;

const MALFORMED: readonly unknown[] = [
  0,
  -1,
  1.5,
  1e300,
  Number.MAX_SAFE_INTEGER,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  true,
  false,
  [],
  [[]],
  [null],
  {},
  { __type: "Date", iso: "never" },
  { __type: "Date", iso: 7 },
  { $ne: null },
  "",
  " ",
  "0",
  "-1",
  "1e9",
  "0x",
  "0xg",
  HUGE,
  `-${HUGE}`,
  `0x${HUGE}`,
  "999999999999999",
  "18446744073709551616",
  WORD,
  `0x${"0".repeat(40)}`,
  `0x${"f".repeat(40)}`,
  "null",
  "undefined",
  "NaN",
  "[",
  "{}",
  "[{}]",
  '{"__proto__":{"a":1}}',
  '[{"type":"function","name":"f","inputs":[{"type":"uint9999"}],"outputs":[{"type":"tuple"}]}]',
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202e\u200d🦄",
  "ÉΞİß",
  "%00",
  "%",
  "_",
  "' OR 1=1 --",
  '"):*',
  "x".repeat(5_000),
  ",".repeat(500),
  "2026-11-03",
  "0000-00-00",
  "+275760-09-13",
  "-271821-04-20T00:00:00Z",
  "2026-W99",
  "8640000000001",
  "latest",
  "pending",
  "eth",
  "toString",
  "__proto__",
  "constructor",
  encodeCursor([2 ** 53 - 1, 999, 1], 999_999_999),
  encodeCursor([WORD, WORD, WORD], 3),
  Buffer.from("1.2.3").toString("base64url").repeat(3),
];

/** Values by parameter that operations accept, so that requests with one malformed value get far. */
function validValues(
  { accounts, contracts }: DevChain,
  transaction: string,
): Record<string, readonly unknown[]> {
  const tokens = [
    contracts.token,
    contracts.collection,
    contracts.items,
    contracts.gallery,
    contracts.dollar,
  ];
  const contract = tokens.map(({ address }) => address);
  const address = [...contract, ...accounts.slice(0, 3).map((each) => each.address)];
  return {
    chain: ["eth", "0x539"],
    address,
    addresses: [contract, contract.join()],
    token_address: contract,
    token_addresses: [contract],
    wallet_address: address,
    owner_address: address,
    spender_address: address,
    token0_address: contract,
    token1_address: contract,
    pair_address: contract,
    token_id: ["1", "2", WORD],
    block_number_or_hash: ["latest", 1, WORD],
    transaction_hash: [transaction, WORD],
    user_op_hash: [WORD],
    sender: address,
    paymaster: address,
    query: ["GOLD", contracts.token.address],
    chains: ["all", ["eth", "0x539"]],
    include: ["internal_transactions"],
    include_internal_transactions: [true, "false"],
    fromDate: ["2026-01-01"],
    timeFrame: ["1d", "1w"],
    date: ["2026-01-01", 1_700_000_000],
    symbols: ["GOLD", "🦄"],
    symbol: ["GOLD"],
    q: ["gold", "a b"],
    domain: ["name.eth"],
    exchange: ["uniswapv2", "uniswapv3"],
    function_name: ["name"],
    abi: [[{ type: "function", name: "name", inputs: [], outputs: [{ type: "string" }] }]],
    limit: [1, 2, "500"],
    offset: [0, 1, 100_000],
    from_block: [0, 1],
    to_block: [5, 100],
    subdomain: ["x.example"],
    providerUrl: ["http://127.0.0.1:9"],
    topic: [
      "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
      "Transfer(address,address,uint256)",
    ],
    tokens: [
      contract.map((token_address) => ({ token_address })),
      contract.map((token_address) => ({ token_address, token_id: "1" })),
    ],
    mode: ["sync", "async"],
    timeframe: ["1d"],
    days: [1, 3_650],
  };
}

let devChain: DevChain;
let createIndexed: CreateIndexed;
const ends: (() => Promise<unknown>)[] = [];
let transaction: string;

beforeAll(async () => {
  const { chain, ...started } = await startTestChain(ends);
  ({ devChain } = started);
  createIndexed = await indexBeforehand(chain, ends, DATABASES, { traces: true });
  for (let block = await chain.head(); block > 0 && !transaction; block--) {
    const found = await chain.rpc("eth_getBlockByNumber", [`0x${block.toString(16)}`, false]);
    [transaction] = Object(found).transactions;
  }
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describe.each(DATABASES)("on %s", (name) => {
  let service: TestService;

  beforeAll(async () => {
    const location = await createIndexed(name, ends);
    service = await startService({ id: devChain.chainId, rpcUrls: [devChain.url], traces: true }, location);
    await service.waitFor(({ state }) => state === "following");
  });

  afterAll(async () => {
    await service?.stop();
  });

  it.each(ENDPOINT_NAMES)(
    `%s responds to ${REQUESTS} random requests without an internal error (seed ${SEED})`,
    { timeout: 30_000 + REQUESTS * 200 },
    async (operation) => {
      const random = seededRandom(SEED);
      const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)];
      const valid = validValues(devChain, transaction);
      // Cursors of the operation's own pages, which are sent with other parameters.
      const cursors: unknown[] = [];
      const names = Object.keys(ENDPOINTS[operation].parameters.shape);
      for (let i = 0; i < REQUESTS; i++) {
        const request: Record<string, unknown> = {};
        for (const parameter of names) {
          const good = valid[parameter];
          // The first of each kind has valid values only.
          const isValid = good !== undefined && (i === 0 || random() < 0.75);
          if (isValid) request[parameter] = pick(good);
          else if (parameter === "cursor" && random() < 0.7) request.cursor = pick(cursors);
          else if (random() < 0.4) request[parameter] = pick(MALFORMED);
        }
        const outcome = await service.runWithStatus(operation, request).then(
          ({ status, body }) => {
            if (isJsonObject(body) && body.cursor) cursors.push(body.cursor);
            return status;
          },
          (error: unknown) => (error instanceof ProtocolError ? error.status : error),
        );
        const isAnswered = typeof outcome === "number" && (outcome < 500 || outcome === 501);
        if (!isAnswered)
          expect.fail(
            `${JSON.stringify(request)}: ${String(outcome instanceof Error ? outcome.stack : outcome)}`,
          );
      }
    },
  );
});
