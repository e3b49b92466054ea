import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createRecordingLogger } from "../../test/testService.ts";
import { createChainService } from "../createChainService.ts";
import { IndexSwitchedError } from "../store/indexErrors.ts";
import { describeParameters } from "./openapi.ts";
import { createRoute } from "./routes.ts";
import type { EndpointRow } from "./rows/row.ts";
import { ENDPOINT_NAMES, ENDPOINTS } from "./table.ts";

const rows = Object.entries<EndpointRow>(ENDPOINTS).map(([name, row]) => ({ name, ...row }));
const NAMED = /\{(\w+)\}/g;

/** The first row in table order whose path matches. */
function match(method: string, path: string): string | undefined {
  return rows.find((row) => {
    const pattern = new RegExp(`^${row.path.replaceAll(NAMED, "[^/]+")}$`);
    return row.method === method && pattern.test(path);
  })?.name;
}

it("the endpoint table contains each endpoint once", () => {
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  expect(new Set(rows.map(({ method, path }) => `${method} ${path}`)).size).toBe(rows.length);
});

it("the endpoint table has the seven groups of the clients", () => {
  const groups = new Set(rows.map(({ group }) => group));
  expect([...groups].sort()).toEqual(["account", "defi", "info", "native", "resolve", "storage", "token"]);
});

describe.each(rows)("$name", (row) => {
  const parameters = describeParameters(row);

  it("has all parameters of its path, which are required, and describes each", () => {
    const inPath = parameters.filter((each) => each.in === "path");
    expect(inPath.map(({ name }) => name)).toEqual([...row.path.matchAll(NAMED)].map(([, name]) => name));
    expect(inPath.every(({ required }) => required)).toBe(true);
    expect(parameters.map(({ description }) => description)).not.toContain("undefined");
  });

  it("does not ignore a parameter that it has", () => {
    const names = parameters.map(({ name }) => name);
    expect(row.ignored?.filter((each) => names.includes(each)) ?? []).toEqual([]);
  });

  it("has a body if and only if it has body parameters", () => {
    const inBody = parameters.filter((each) => each.in === "body").map(({ name }) => name);
    expect(row.body !== undefined).toBe(inBody.length > 0);
    if (row.body)
      expect(inBody).toEqual("parameter" in row.body ? [row.body.parameter[0]] : row.body.properties);
  });

  it("responds with pages if and only if it has a cursor, and pages have a limit", () => {
    const has = (name: string) => parameters.some((each) => each.name === name);
    expect(has("limit")).toBe(has("cursor") || has("offset"));
    const { response } = row;
    expect(response instanceof z.ZodObject && "page_size" in response.shape).toBe(has("cursor"));
  });

  it("matches its own path", () => {
    const path = row.path.replaceAll(NAMED, (_, name) => (name === "token_id" ? "7" : `0x${name}`));
    expect(match(row.method, path)).toBe(row.name);
  });
});

it.each([
  ["GET", "/block/latest", "getBlock"],
  ["GET", "/erc20/metadata", "getTokenMetadata"],
  ["GET", "/nft/search", "searchNFTs"],
  ["GET", "/nft/transfers", "getNftTransfersFromToBlock"],
  ["GET", "/nft/0x1/owners", "getNFTOwners"],
  ["PUT", "/nft/0x1/sync", "syncNFTContract"],
  ["GET", "/0x1/nft/transfers", "getNFTTransfers"],
  ["GET", "/0x1/nft/0x2", "getNFTsForContract"],
  ["GET", "/0x1", "getTransactions"],
  ["POST", "/nft/getMultipleNFTs", "getMultipleNFTs"],
  ["GET", "/nft/0x1/stats", "getNFTCollectionStats"],
  ["GET", "/nft/0x1/traits", "getNFTTraitsByCollection"],
  ["GET", "/0x1/nft/collections", "getWalletNFTCollections"],
  ["POST", "/erc20/prices", "getMultipleTokenPrices"],
  ["GET", "/wallets/0x1/tokens", "getWalletTokenBalancesPrice"],
  ["GET", "/wallets/0x1/history", "getWalletHistory"],
  ["GET", "/pairs/0x1/ohlcv", "getPairCandlesticks"],
  ["GET", "/dateToBlock", "getDateToBlock"],
])("the endpoint table matches %s %s as %s", (method, path, name) => {
  expect(match(method, path)).toBe(name);
});

describe("routes", () => {
  it("pass parsed parameters to the handler", async () => {
    const balance = createRoute(
      "getNativeBalance",
      async ({ chain, address }) => ({ balance: `${chain} ${address}` }),
      Buffer.from("key"),
      () => 1337,
    );
    expect(balance).toMatchObject({
      method: "GET",
      path: "/:address/balance",
      functionName: "getNativeBalance",
    });
    const address = "0xABCDEF0123456789abcdef0123456789ABCDEF01";
    expect(await balance.run({ address })).toEqual({ balance: `eth ${address.toLowerCase()}` });
    await expect(balance.run({ address: "0x1" })).rejects.toMatchObject({ status: 400 });
  });

  it("run a request again if another index took the place of the one that it read, and fail if that happens twice", async () => {
    let switches = 1;
    const balance = createRoute(
      "getNativeBalance",
      async () => {
        if (switches-- > 0) throw new IndexSwitchedError();
        return { balance: "1" };
      },
      Buffer.from("key"),
      () => 1337,
    );
    const address = `0x${"ab".repeat(20)}`;
    expect(await balance.run({ address })).toEqual({ balance: "1" });
    switches = 2;
    await expect(balance.run({ address })).rejects.toMatchObject({ status: 503 });
  });

  it("are created for all endpoints in match order", () => {
    const database = { kind: "sqlite" as const, folder: "unused" };
    const { routes } = createChainService({ chains: [], database, log: createRecordingLogger() });
    expect(routes.map((route) => route.functionName)).toEqual(ENDPOINT_NAMES);
  });
});
