import { ErrorCode } from "@purse/protocol";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { encodeCursor } from "./pageParameters.ts";
import type { Hex } from "./parameterValues.ts";
import { createParameterParser, type Parameters } from "./parseParameters.ts";
import { type EndpointName, type EndpointParameters, TYPED_ENDPOINTS } from "./table.ts";

const address = "0x1111111111111111111111111111111111111111";
const other = "0x2222222222222222222222222222222222222222";
const hash = `0x${"ab".repeat(32)}`;

const read = <Name extends EndpointName>(name: Name, given: Parameters): EndpointParameters[Name] =>
  createParameterParser<EndpointParameters[Name]>(TYPED_ENDPOINTS[name])(given);

function errorMessage(name: EndpointName, given: Parameters): unknown {
  try {
    read(name, given);
  } catch (error) {
    expect(error).toMatchObject({ code: ErrorCode.VALIDATION_ERROR, status: 400 });
    return error instanceof Error ? error.message : error;
  }
  throw new Error("the parameters were taken");
}

it.each([
  ["0x1f4", 500],
  [" 0X1F4 ", 500],
  ["500", 500],
  ["latest", "latest"],
  [hash.toUpperCase().replace("X", "x"), hash],
])("the block %s is taken by number in both notations, by hash or as the latest", (given, block) => {
  expect(read("getBlock", { block_number_or_hash: given })).toMatchObject({ block_number_or_hash: block });
});

it.each<[EndpointName, Parameters]>([
  ["resolveDomain", { domain: "\u0130".repeat(100_000) }],
  ["getTransactions", { address, order: "\u0130".repeat(100_000) }],
  ["getTransaction", { transaction_hash: hash, include: "\u0130".repeat(100_000) }],
])("texts of %s that are longer than any value are not converted", (name, given) => {
  const converted = vi.spyOn(String.prototype, "toLowerCase");
  try {
    try {
      read(name, given);
    } catch (error) {
      expect(error).toMatchObject({ code: ErrorCode.VALIDATION_ERROR });
    }
    expect(Math.max(0, ...converted.mock.contexts.map((text) => String(text).length))).toBeLessThan(2_000);
  } finally {
    converted.mockRestore();
  }
});

describe("a missing parameter", () => {
  it("of the path is named", { tags: ["5.data.path-parameter-required"] }, () => {
    for (const nothing of [undefined, null, ""])
      expect(errorMessage("getNativeBalance", { address: nothing })).toBe(
        "required param address not provided",
      );
    expect(errorMessage("getTransaction", {})).toBe("required param transaction_hash not provided");
  });

  it("of the body or the query is named", { tags: ["5.data.body-parameter-required"] }, () => {
    const call = { address, function_name: "f" };
    expect(errorMessage("runContractFunction", call)).toBe("param abi is required!");
    expect(errorMessage("runContractFunction", { address, abi: [{ type: "function" }] })).toBe(
      "param function_name is required!",
    );
    expect(errorMessage("uploadFolder", {})).toBe("param data is required!");
    expect(errorMessage("getDateToBlock", {})).toBe("param date is required!");
  });

  it("has the default of the row", {
    tags: ["7.data.default-chain", "7.data.default-order", "9.offset-page-size"],
  }, () => {
    expect(read("getTransactions", { address })).toEqual({
      address,
      chain: "eth",
      order: "desc",
      limit: 500,
      offset: 0,
      cursor: undefined,
      from_block: undefined,
      to_block: undefined,
      from_date: undefined,
      to_date: undefined,
    });
    expect(read("getNFTLowestPrice", { address })).toMatchObject({ days: 7, marketplace: "opensea" });
    expect(read("searchNFTs", { q: "cat" })).toMatchObject({ filter: ["global"], format: "decimal" });
  });
});

it("parameters of old clients that are ignored, and those of every endpoint, are omitted", () => {
  const given = { address, providerUrl: "http://localhost", nothing: undefined, empty: "" };
  expect(read("getNativeBalance", given)).toEqual({ address, chain: "eth", to_block: undefined });
  expect(read("web3ApiVersion", { address })).toEqual({});
  expect(read("getBlock", { address: "no URI", block_number_or_hash: 1 })).toEqual({
    block_number_or_hash: 1,
    chain: "eth",
  });
});

describe("an unknown parameter", () => {
  it("is refused with the known ones, as ignoring it would return something else", () => {
    expect(errorMessage("getNativeBalance", { address, nothing: 1 })).toBe(
      "nothing is not a parameter of this endpoint: it takes address, chain, providerUrl, to_block",
    );
    expect(errorMessage("getNFTs", { address, token_address: other })).toMatch(/^token_address is not/);
    expect(errorMessage("getNFTs", { address, "toString[0]": other })).toMatch(/^toString\[0\] is not/);
  });

  it("that Moralis documents is refused with the reason, unless it is false", () => {
    expect(errorMessage("getNFTs", { address, media_items: "true" })).toMatch(
      /^media_items is not supported/,
    );
    for (const media_items of [false, "false", "0"])
      expect(read("getNFTs", { address, media_items })).toMatchObject({ address });
    expect(errorMessage("getTransactions", { address, include: "internal_transactions" })).toMatch(
      /getWalletHistory/,
    );
  });
});

it("parsed parameters have the types of the endpoint", () => {
  type Balance = { chain: string; address: Hex; to_block?: number | undefined };
  expectTypeOf<EndpointParameters["getNativeBalance"]>().toEqualTypeOf<Balance>();
  expectTypeOf<EndpointParameters["getNFTTransfers"]["direction"]>().toEqualTypeOf<"both" | "to" | "from">();
  expectTypeOf<EndpointParameters["getTokenIdOwners"]["token_id"]>().toEqualTypeOf<bigint>();
});

const upper = `0x${"A".repeat(40)}`;
const id = (text: unknown) => ["getTokenIdMetadata", { address, token_id: text }, "token_id"] as const;
const date = (text: unknown) => ["getDateToBlock", { date: text }, "date"] as const;
const block = (text: unknown) =>
  ["getBlock", { block_number_or_hash: text }, "block_number_or_hash"] as const;
const tokens = (given: Parameters) => ["getTokenMetadata", given, "addresses"] as const;
const page = (given: Parameters, name: string) => ["getTokenTransfers", { address, ...given }, name] as const;

describe("parsed parameters", () => {
  it.each<readonly [EndpointName, Parameters, string, unknown]>([
    ["getNativeBalance", { address: upper }, "address", upper.toLowerCase()],
    ["getNativeBalance", { address, chain: 1337 }, "chain", "1337"],
    ["getNativeBalance", { address, to_block: "12" }, "to_block", 12],
    ["getTransaction", { transaction_hash: hash.toUpperCase().replace("X", "x") }, "transaction_hash", hash],
    [...block("17"), 17],
    [...block(17), 17],
    [...block(hash), hash],
    [...block("latest"), "latest"],
    [...tokens({ addresses: `${address}, ${other}` }), [address, other]],
    [...tokens({ addresses: [address, other, address] }), [address, other]],
    [...tokens({ "addresses[]": [address, other] }), [address, other]],
    [...tokens({ "addresses[]": address }), [address]],
    [...tokens({ "addresses[1]": other, "addresses[0]": address }), [address, other]],
    [...tokens({ addresses: JSON.stringify([address, other]) }), [address, other]],
    ["getNFTs", { address, "token_addresses[0]": other }, "token_addresses", [other]],
    ["getTokenTransfers", { address, "contract_addresses[0]": other }, "contract_addresses", [other]],
    ["getContractNFTTransfers", { address, order: "ASC" }, "order", "asc"],
    [...date("2021-05-07T11:08:35.000Z"), 1_620_385_715],
    [...date("2021-05-07"), 1_620_345_600],
    [...date("Fri, 07 May 2021 11:08:35 GMT"), 1_620_385_715],
    [...date({ __type: "Date", iso: "2021-05-07T11:08:35.999Z" }), 1_620_385_715],
    [...date(1_620_385_715), 1_620_385_715],
    [...date("1620385715999"), 1_620_385_715],
    [...id("0"), 0n],
    [...id(7), 7n],
    [...id("0xFF"), 255n],
    [...id(`${2n ** 256n - 1n}`), 2n ** 256n - 1n],
    [...page({ limit: "3" }, "limit"), 3],
    [...page({ limit: 100_000 }, "limit"), 500],
    [...page({ offset: "100000" }, "offset"), 100_000],
    [...page({ cursor: encodeCursor([12, 3], 4) }, "cursor"), { parts: [12, 3], page: 4 }],
    ["getNFTs", { address, format: "HEX" }, "format", "hex"],
    ["searchNFTs", { q: "a", filter: "name,description" }, "filter", ["name", "description"]],
    ["resolveDomain", { domain: "Brad.Crypto" }, "domain", "brad.crypto"],
    [
      "getWalletTokenIdTransfers",
      { address, token_id: "1", order: "block_number.DESC,log_index" },
      "order",
      [
        { field: "block_number", descending: true },
        { field: "log_index", descending: false },
      ],
    ],
  ])("%s %j: %s", (name, given, parameter, expected) => {
    expect(read(name, given)).toHaveProperty([parameter], expected);
  });

  it("accept an ABI in all formats", () => {
    const entry = { type: "function", name: "f" };
    for (const abi of [entry, [entry], JSON.stringify(entry), JSON.stringify([entry])])
      expect(read("runContractFunction", { address, function_name: "f", abi }).abi).toEqual([entry]);
    const event = { address, topic: hash };
    expect(read("getContractEvents", { ...event, data: entry }).data).toEqual([entry]);
    expect(read("getContractEvents", { ...event, abi: entry }).data).toEqual([entry]);
  });

  it("accept a directory by either name, with relative paths", () => {
    const files = [
      { path: "/a/b.json", content: { a: 1 } },
      { path: "c.txt", content: "aGk=" },
    ];
    const expected = [{ ...files[0], path: "a/b.json" }, files[1]];
    expect(read("uploadFolder", { data: files }).data).toEqual(expected);
    expect(read("uploadFolder", { abi: files }).data).toEqual(expected);
  });
});

it("parsing stops at the first invalid file, so that a long list of them costs little", () => {
  const unread = {
    get content(): never {
      throw new Error("was read");
    },
  };
  expect(errorMessage("uploadFolder", { data: [1, unread] })).toContain("each with a path and a content");
});

it.each(["9007199254740991", "99999999999999999999", "0xffffffffffffffff", 1e20, `${2n ** 256n - 1n}`])(
  "the block %s, which is larger than any, is the largest one",
  (given) => {
    const to_block = Number.MAX_SAFE_INTEGER;
    expect(read("getTokenTransfers", { address, to_block: given })).toMatchObject({ to_block });
  },
);

it("a limit larger than any number is the largest one", () => {
  expect(read("getTokenTransfers", { address, limit: "99999999999999999999" })).toMatchObject({ limit: 500 });
});

it.each(["token_address", "tokenAddress"])("the tokens of a body have %s", (key) => {
  const tokens = [{ [key]: address, toBlock: "0x10" }];
  expect(read("getMultipleTokenPrices", { tokens })).toMatchObject({
    tokens: [{ token_address: address, to_block: 16 }],
  });
  expect(read("getMultipleNFTs", { tokens: [{ [key]: address, tokenId: "7" }] })).toMatchObject({
    tokens: [{ token_address: address, token_id: 7n }],
  });
});

it("the topic of an event may be its signature", () => {
  const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
  const call = { address, data: { type: "event", name: "Transfer", inputs: [] } };
  for (const given of [topic, "Transfer(address,address,uint256)"])
    expect(read("getContractEvents", { ...call, topic: given })).toMatchObject({ topic });
  expect(errorMessage("getContractEvents", { ...call, topic: "Transfer(" })).toContain(
    "topic must be a hash",
  );
});

it("an ABI may be the value of abi in a body", () => {
  const event = { type: "event", name: "Ping", inputs: [] };
  for (const abi of [event, [event], JSON.stringify([event])])
    expect(read("getContractEvents", { address, topic: hash, data: { abi } })).toMatchObject({
      data: [event],
    });
});

describe("rejected parameters", () => {
  it.each<readonly [EndpointName, Parameters, string, string]>([
    ["getNativeBalance", { address: "0x12" }, "address", "40 hexadecimal digits"],
    ["getNativeBalance", { address: [address] }, "address", "40 hexadecimal digits"],
    ["getNativeBalance", { address, chain: { id: 1 } }, "chain", "id of a chain"],
    ["getNativeBalance", { address, to_block: -1 }, "to_block", "non-negative integer"],
    ["getNativeBalance", { address, to_block: "1e3" }, "to_block", "non-negative integer"],
    ["getNativeBalance", { address, to_block: 1.5 }, "to_block", "non-negative integer"],
    ["getTransaction", { transaction_hash: "0x12" }, "transaction_hash", "64 hexadecimal digits"],
    [...block("newest"), "latest"],
    [...block(`0x${"1".repeat(17)}`), "block number"],
    [...tokens({ addresses: [] }), "at least one item"],
    [...tokens({ addresses: Array(101).fill(address) }), "at most 100"],
    [...tokens({ addresses: `${address},x` }), "40 hexadecimal digits"],
    ["getTokenMetadataBySymbol", { symbols: "A,,B" }, "symbols", "text"],
    [...date("soon"), "date"],
    [...date({}), "date"],
    [...date(Number.POSITIVE_INFINITY), "date"],
    [...id("-1"), "2^256"],
    [...id(`${2n ** 256n}`), "2^256"],
    [...id("1.0"), "2^256"],
    [...id("9".repeat(79)), "2^256"],
    [...page({ limit: 0 }, "limit"), "at least 1"],
    [...page({ limit: "x" }, "limit"), "integer"],
    [...page({ offset: 100_001 }, "offset"), "at most 100000: use cursor to continue"],
    [...page({ cursor: "abc" }, "cursor"), "cursor is invalid"],
    [...page({ cursor: ["abc"] }, "cursor"), "cursor is invalid"],
    ["getNFTs", { address, format: "binary" }, "format", "one of decimal, hex"],
    [
      "getNFTTrades",
      { address, marketplace: "rarible" },
      "marketplace",
      "must be one of opensea, looksrare, blur, x2y2, sudoswap, 0xprotocol, all",
    ],
    ["searchNFTs", { q: "a", filter: "name,owner" }, "filter", "one of name, description"],
    ["searchNFTs", { q: { $regex: "." } }, "q", "text of 1 to 1000 characters without NUL"],
    ["searchNFTs", { q: "a\0" }, "q", "text of 1 to 1000 characters without NUL"],
    ["getNFTLowestPrice", { address, days: 0 }, "days", "from 1 to 3650"],
    ["resolveDomain", { domain: "../admin" }, "domain", "name.eth"],
    ["resolveDomain", { domain: "brad" }, "domain", "name.eth"],
    ["getWalletTokenIdTransfers", { address, token_id: 1, order: "a;b" }, "order", ".ASC or .DESC"],
    ["runContractFunction", { address, function_name: "f", abi: "{" }, "abi", "JSON"],
    ["runContractFunction", { address, function_name: "f", abi: [] }, "abi", "ABI"],
    ["runContractFunction", { address, function_name: "f", abi: [1] }, "abi", "ABI"],
    ["runContractFunction", { address, function_name: "f", abi: {}, params: [] }, "abi", "ABI"],
    ["runContractFunction", { address, function_name: "f", abi: { a: 1 }, params: [] }, "params", "object"],
    [
      "runContractFunction",
      {
        address,
        function_name: "f",
        abi: Array.from({ length: 5_000 }, (_, i) => `function f${i}(uint256 a)`),
      },
      "abi",
      "at most 100000 characters of declarations",
    ],
    ["uploadFolder", { data: [] }, "data", "list of files"],
    ["uploadFolder", { data: [{ path: "a" }] }, "data", "a path and a content"],
    ["uploadFolder", { data: [{ path: "../a", content: "" }] }, "data", "relative paths"],
    ["uploadFolder", { data: [{ path: "a//b", content: "" }] }, "data", "relative paths"],
    ["uploadFolder", { data: [{ path: "a\\b", content: "" }] }, "data", "relative paths"],
    ["uploadFolder", { data: [1, 2].map((content) => ({ path: "a", content })) }, "data", "the same path"],
  ])("%s %j: %s", (name, given, parameter, words) => {
    const message = errorMessage(name, given);
    expect(message).toContain(parameter);
    expect(message).toContain(words);
  });
});
