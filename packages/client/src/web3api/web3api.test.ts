import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { User } from "../user/User.ts";
import { operations } from "./operations.ts";
import type { Erc20Transfer, Page } from "./results.ts";
import { Web3API } from "./web3api.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(() => ({ body: { result: {} } }));
});
afterEach(() => server.stop());

const address = "0x1111111111111111111111111111111111111111";

it("Web3API has the seven groups of operations of Moralis", () => {
  const groups = ["native", "account", "token", "resolve", "defi", "storage", "info"];
  expect(Object.keys(operations)).toEqual(groups);
  expect(Object.keys(Web3API)).toEqual(expect.arrayContaining(groups));
});

it.each([
  ["balances", () => Web3API.account.getNativeBalance({ address }), "getNativeBalance"],
  ["transfers", () => Web3API.account.getTokenTransfers({ address }), "getTokenTransfers"],
  ["NFTs", () => Web3API.account.getNFTs({ address }), "getNFTs"],
  ["prices", () => Web3API.token.getTokenPrice({ address }), "getTokenPrice"],
  ["domains", () => Web3API.resolve.resolveDomain({ domain: "a.eth" }), "resolveDomain"],
  ["reserves", () => Web3API.defi.getPairReserves({ pair_address: address }), "getPairReserves"],
  ["uploads", () => Web3API.storage.uploadFolder({ data: [{ path: "a", content: "aGk=" }] }), "uploadFolder"],
])(
  "Web3API calls the server's function for %s",
  {
    tags: [
      "1.capability.query-balances",
      "1.capability.query-transfers",
      "1.capability.query-nfts",
      "1.capability.query-prices",
      "1.capability.resolve-domain",
      "1.capability.query-pair-reserves",
      "1.capability.ipfs-upload",
    ],
  },
  async (_, call, operation) => {
    await call();
    expect(server.requests[0]?.call).toBe(`POST functions/${operation}`);
  },
);

it.each([
  ["tokens", () => Web3API.market_data.getTopERC20TokensByMarketCap(), "getTopERC20TokensByMarketCap"],
  ["movers", () => Web3API.market_data.getTopERC20TokensByPriceMovers(), "getTopERC20TokensByPriceMovers"],
  ["NFTs", () => Web3API.market_data.getTopNFTCollectionsByMarketCap(), "getTopNFTCollectionsByMarketCap"],
  [
    "trades",
    () => Web3API.market_data.getHottestNFTCollectionsByTradingVolume(),
    "getHottestNFTCollectionsByTradingVolume",
  ],
  ["reviews", () => Web3API.utils.reviewContracts({ contracts: [] }), "reviewContracts"],
  ["collections", () => Web3API.contract.syncNFTContract({ address }), "syncNFTContract"],
  [
    "verbose transactions",
    () => Web3API.account.getTransactionsVerbose({ address }),
    "getTransactionsVerbose",
  ],
  ["prices", () => Web3API.token.getMultipleTokenPrices({ tokens: [] }), "getMultipleTokenPrices"],
  [
    "calls",
    () => Web3API.native.getInternalTransactions({ transaction_hash: "0x1" }),
    "getInternalTransactions",
  ],
  ["moves", () => Web3API.token.getNFTTransfersFromToBlock({ from_block: 1 }), "getNftTransfersFromToBlock"],
  ["domains", () => Web3API.resolve.resolveENSDomain({ domain: "a.eth" }), "resolveENSDomain"],
])(
  "Web3API calls the server's function for %s by the names of moralis-v1 1.13",
  async (_, call, operation) => {
    await call();
    expect(server.requests[0]?.call).toBe(`POST functions/${operation}`);
  },
);

it("Web3API uses the chain eth by default", { tags: ["9.default-chain"] }, async () => {
  await Web3API.account.getNativeBalance({ address });
  await Web3API.account.getNativeBalance({ address, chain: "0x539" });
  expect(server.requests.map(({ body }) => body.chain)).toEqual(["eth", "0x539"]);
});

it("Web3API sends the session token, the application id and the user's address", {
  tags: ["7.function.session-token", "7.function.application-id"],
}, async () => {
  await User.hydrate({ objectId: "u1", sessionToken: "r:1", ethAddress: address });
  await Web3API.account.getNativeBalance();
  expect(server.requests[0]?.body).toMatchObject({ _SessionToken: "r:1", _ApplicationId: "app", address });
});

it("Web3API rejects with the server's error", { tags: ["8.function.error-field"] }, async () => {
  server.respondWith(() => ({
    status: 400,
    body: { code: 141, error: "Not a chain that is followed here: eth" },
  }));
  await expect(Web3API.account.getNativeBalance({ address })).rejects.toThrow(
    "Not a chain that is followed here: eth",
  );
});

it("Web3API has types for parameters and results", () => {
  type Transfers = Awaited<ReturnType<typeof Web3API.account.getTokenTransfers>>;
  expectTypeOf<Transfers["result"][number]["value"]>().toEqualTypeOf<string>();
  expectTypeOf<NonNullable<Transfers["next"]>>().returns.resolves.toExtend<Page<Erc20Transfer>>();
  expectTypeOf(Web3API.native.runContractFunction).returns.resolves.toEqualTypeOf<string>();
  expectTypeOf(Web3API.account.getNativeBalance).toBeCallableWith();
  expectTypeOf(Web3API.resolve.resolveDomain).parameter(0).toHaveProperty("domain").toEqualTypeOf<string>();
});

describe("pages of Web3API", () => {
  const page = (number: number, more: object = {}) => ({
    total: 5,
    page: number,
    page_size: 2,
    result: [number],
    ...more,
  });

  it("continue by cursor", {
    tags: [
      "7.data.pagination-by-cursor",
      "7.data.response-cursor",
      "7.data.response-next",
      "7.data.response-result",
    ],
  }, async () => {
    server.respondWith(({ body }) => ({
      body: { result: page(body.cursor ? 1 : 0, { cursor: body.cursor ? "" : "c1" }) },
    }));
    const first = await Web3API.account.getTokenTransfers({ address, limit: 2 });
    const second = await first.next?.();
    expect(second?.result).toEqual([1]);
    expect(server.requests[1]?.body).toMatchObject({ cursor: "c1", limit: 2, address });
  });

  it("continue by offset of 500 if there is no cursor", {
    tags: ["7.data.pagination-by-offset", "9.offset-page-size"],
  }, async () => {
    server.respondWith(() => ({ body: { result: page(0) } }));
    await (await Web3API.account.getTokenTransfers({ address })).next?.();
    expect(server.requests[1]?.body).toMatchObject({ offset: 500 });
  });

  it("end when the total is reached", {
    tags: [
      "7.data.pagination-end",
      "7.data.response-total",
      "7.data.response-page",
      "7.data.response-page-size",
    ],
  }, async () => {
    server.respondWith(() => ({ body: { result: page(2) } }));
    expect((await Web3API.account.getTokenTransfers({ address })).next).toBeUndefined();
  });
});

describe("Web3API with a REST service", () => {
  beforeEach(() => Web3API.initialize({ apiKey: "key", baseURL: server.url }));
  afterEach(() => Web3API.initialize({ serverUrl: server.url }));

  it("requires an API key or the server's URL", {
    tags: ["5.data.api-key-or-server-url"],
  }, () => {
    expect(() => Web3API.initialize({})).toThrow(
      "Web3Api.initialize failed: initialize with apiKey or serverUrl",
    );
  });

  it("sends parameters in path and query, and the key in a header", async () => {
    server.respondWith(() => ({ body: { balance: "1" } }));
    expect(await Web3API.account.getNativeBalance({ address })).toEqual({ balance: "1" });
    expect(server.requests[0]).toMatchObject({
      call: `GET ${address}/balance?chain=eth`,
      headers: { "x-api-key": "key" },
    });
  });

  it("requires path parameters and required body parameters", {
    tags: ["5.data.path-parameter-required", "5.data.body-parameter-required"],
  }, async () => {
    await expect(Web3API.token.getTokenPrice({})).rejects.toThrow("required param address not provided");
    // @ts-expect-error -- What is required is so in the types too.
    await expect(Web3API.native.runContractFunction({ address })).rejects.toThrow("param abi is required!");
    await expect(
      // @ts-expect-error
      Web3API.storage.uploadFolder({}),
    ).rejects.toThrow("param data is required!");
  });

  it("sends properties in the body, or a parameter as the whole body", async () => {
    const abi = [{ type: "function", name: "symbol" }];
    await Web3API.native.runContractFunction({ address, function_name: "symbol", abi, params: { a: 1 } });
    const event = { type: "event", name: "Transfer", inputs: [] };
    await Web3API.native.getContractEvents({ address, topic: "0x1", data: event });
    await Web3API.native.getContractEvents({ address, topic: "0x1", abi: event });
    expect(server.requests.map(({ call, body }) => ({ call, body }))).toEqual([
      {
        call: `POST ${address}/function?function_name=symbol&chain=eth`,
        body: { abi, params: { a: 1 } },
      },
      { call: `POST ${address}/events?topic=0x1&chain=eth`, body: event },
      { call: `POST ${address}/events?topic=0x1&chain=eth`, body: event },
    ]);
  });

  it("sends list items one by one, and dates as ISO 8601", async () => {
    await Web3API.account.getTokenBalances({ address, token_addresses: ["0x1", "0x2"] });
    await Web3API.native.getDateToBlock({ date: new Date(0) });
    expect(server.requests.map(({ call }) => decodeURIComponent(call))).toEqual([
      `GET ${address}/erc20?token_addresses[]=0x1&token_addresses[]=0x2&chain=eth`,
      "GET dateToBlock?date=1970-01-01T00:00:00.000Z&chain=eth",
    ]);
  });

  it("rejects 429 with the rate limits", {
    tags: ["8.data.429-message", "8.data.429-rate-limit-headers"],
  }, async () => {
    server.respondWith(() => ({ status: 429, headers: { "x-rate-limit-limit": "1500" } }));
    await expect(Web3API.account.getNativeBalance({ address })).rejects.toThrow(
      /rate-limited because of the plan restrictions\. .*: \{"x-rate-limit-limit":"1500"/,
    );
  });

  it("rejects with the message of the response", { tags: ["8.data.response-message"] }, async () => {
    server.respondWith(() => ({ status: 400, body: { message: "Invalid chain" } }));
    await expect(Web3API.account.getNativeBalance({ address })).rejects.toThrow("Invalid chain");
  });

  it("rejects with the error of the connection if there is no response", {
    tags: ["8.data.error-message"],
  }, async () => {
    server.respondWith(() => ({ dropConnection: true }));
    await expect(Web3API.account.getNativeBalance({ address })).rejects.toThrow("fetch failed");
  });

  it("rejects with the URL if the response has no message", {
    tags: ["8.data.fallback-message"],
  }, async () => {
    server.respondWith(() => ({ status: 400, text: "<html>" }));
    await expect(Web3API.account.getNativeBalance({ address })).rejects.toThrow(
      `Web3 API error while calling ${server.url}/${address}/balance?chain=eth`,
    );
  });
});
