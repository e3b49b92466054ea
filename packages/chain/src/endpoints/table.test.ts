import { describe, expect, it } from "vitest";
import { createRoute, sortByMatchOrder } from "./routes.ts";
import { schemaOf } from "./schemas.ts";
import { ENDPOINTS, type EndpointRow } from "./table.ts";

const rows: readonly EndpointRow[] = ENDPOINTS;
const NAMED = /\{(\w+)\}/g;

/** The first row in table order whose path matches. */
function match(method: string, path: string): string | undefined {
  return rows.find((row) => {
    const pattern = new RegExp(`^${row.path.replaceAll(NAMED, "[^/]+")}$`);
    return row.method === method && pattern.test(path);
  })?.name;
}

it("has 39 endpoints, each once", () => {
  expect(rows).toHaveLength(39);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(39);
  expect(new Set(rows.map(({ method, path }) => `${method} ${path}`)).size).toBe(39);
});

it("has the seven groups of the clients", () => {
  const counts = Object.entries(Object.groupBy(rows, ({ group }) => group));
  expect(Object.fromEntries(counts.map(([group, of]) => [group, of?.length]))).toEqual({
    native: 7,
    account: 7,
    token: 18,
    resolve: 2,
    defi: 2,
    storage: 1,
    info: 2,
  });
});

describe.each(rows)("$name", (row) => {
  const parameters = row.parameters;

  it("has each parameter once, and all of its path", () => {
    expect(new Set(parameters.map(({ name }) => name)).size).toBe(parameters.length);
    const inPath = parameters.filter((each) => each.in === "path");
    expect(inPath.map(({ name }) => name)).toEqual([...row.path.matchAll(NAMED)].map(([, name]) => name));
    expect(inPath.every(({ required }) => required)).toBe(true);
  });

  it("has a default only for optional parameters, and choices only for kinds with choices", () => {
    for (const each of parameters) {
      expect(each.required && each.default !== undefined).toBe(false);
      expect(each.choices !== undefined).toBe(each.kind === "choice" || each.kind === "choices");
    }
  });

  it("has a body if and only if it has body parameters", () => {
    const inBody = parameters.filter((each) => each.in === "body").map(({ name }) => name);
    expect(row.body !== undefined).toBe(inBody.length > 0);
    if (typeof row.body === "object") expect(inBody).toEqual([row.body.parameter[0]]);
  });

  it("declares paging that matches its parameters, and responds with pages if it has a cursor", () => {
    const has = (name: string) => parameters.some((each) => each.name === name);
    const [cursor, offset] = [has("cursor"), has("offset")];
    const paging = cursor && offset ? "both" : cursor ? "cursor" : offset ? "offset" : "none";
    expect(row.paging).toBe(paging);
    expect(has("limit")).toBe(paging !== "none");
    const schema = schemaOf(row.response.replace("[]", ""));
    expect(schema).toBeDefined();
    expect(schema !== undefined && "pageOf" in schema).toBe(cursor);
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
  ["GET", "/dateToBlock", "getDateToBlock"],
])("finds %s %s at %s", (method, path, name) => {
  expect(match(method, path)).toBe(name);
});

describe("routes", () => {
  it("pass parsed parameters to the handler", async () => {
    const balance = createRoute("getNativeBalance", async ({ chain, address }) => `${chain} ${address}`);
    expect(balance).toMatchObject({
      method: "GET",
      path: "/:address/balance",
      functionName: balance.row.name,
    });
    const address = "0xABCDEF0123456789abcdef0123456789ABCDEF01";
    expect(await balance.run({ address })).toBe(`eth ${address.toLowerCase()}`);
    await expect(balance.run({ address: "0x1" })).rejects.toMatchObject({ status: 400 });
  });

  it("are sorted in match order", () => {
    const nothing = async () => ({});
    const routes = [createRoute("getTransactions", nothing), createRoute("web3ApiVersion", nothing)];
    expect(sortByMatchOrder(routes).map((route) => route.functionName)).toEqual([
      "web3ApiVersion",
      "getTransactions",
    ]);
    expect(() => sortByMatchOrder([...routes, ...routes])).toThrow("Two routes");
  });
});
