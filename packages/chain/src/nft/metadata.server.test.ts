import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { DevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { sql } from "kysely";
import { type Address, type Hex, toEventSelector } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES, type DatabaseLocation, NIGHTLY, runsEveryCase } from "../../test/indexDatabase.ts";
import { close, listen } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { newSeries } from "../../test/testTokens.ts";
import { indexLocationOf } from "../createChainService.ts";
import { query } from "../store/indexQuery.ts";
import { openReader } from "../store/openReader.ts";
import { ContentUnavailableError, type FetchContent } from "./fetchContent.ts";

/** NFT metadata, read from a server that sometimes misbehaves. */

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
let web: string;
/** Responses of the server by path. */
const pages = new Map<string, JsonValue | ((request: IncomingMessage, response: ServerResponse) => void)>();
const visits: string[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES);
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    visits.push(path);
    const page = pages.get(path);
    if (typeof page === "function") page(request, response);
    else if (page === undefined) response.writeHead(404).end();
    else response.end(typeof page === "string" ? page : JSON.stringify(page));
  });
  web = await listen(server);
  ends.push(() => close(server));
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Fetches from the test server, which serves IPFS content below /ipfs. */
const fetchContent: FetchContent = async (uri, { maxBytes, signal }) => {
  if (!uri.startsWith(web) && !uri.startsWith("ipfs://")) throw new ContentUnavailableError("not here");
  const response = await fetch(uri.replace("ipfs://", `${web}/ipfs/`), { signal });
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > maxBytes) throw new ContentUnavailableError("too large");
  return bytes;
};

function objectOf(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${JSON.stringify(value)} is not an object`);
  return value;
}

function rowsOf(value: JsonValue): JsonObject[] {
  const { result } = objectOf(value);
  if (!Array.isArray(result)) throw new Error("there is no list");
  return result.map(objectOf);
}

/** Bytecode of a contract: JUMPDEST PUSH0 JUMP, and PUSH3 2^20 PUSH0 RETURN. */
const LOOP = "5b5f56";
const MEGABYTE = "621000005ff3";

const word = (number: number) => number.toString(16).padStart(64, "0");

/** Logs an update of all tokens when called without data, and one URI for all when called with data. */
function updating(uri: string): string {
  const topic = toEventSelector("BatchMetadataUpdate(uint256,uint256)").slice(2);
  const text = Buffer.from(uri).toString("hex");
  const answer = word(32) + word(uri.length) + text.padEnd(Math.ceil(text.length / 64) * 64, "0");
  const telling = `5f5f525f196020527f${topic}60405fa100`;
  const length = (answer.length / 2).toString(16).padStart(4, "0");
  const target = 4 + telling.length / 2;
  const from = (target + 13).toString(16).padStart(2, "0");
  return `3660${target.toString(16)}57${telling}5b61${length}60${from}5f3961${length}5ff3${answer}`;
}

/** Supports EIP-2981, or every interface; the royalty is the same for every price. */
function royal(receiver: Address, amount: number, isHonest = true): string {
  const share = amount.toString(16).padStart(4, "0");
  const supports = isHonest ? "60043560e01c632a55205a14" : "6001";
  return `5f3560e01c6301ffc9a714602f5773${receiver.slice(2)}5f5261${share}60205260405ff35b${supports}5f5260205ff3`;
}

/** Creation code of an ERC-721 contract with tokens and the given behavior. */
function collectionOf(owner: Address, tokens: number, runtime: string): Hex {
  const transfer = toEventSelector("Transfer(address,address,uint256)").slice(2);
  const logs = Array.from({ length: tokens }, (_, i) => {
    const id = (i + 1).toString(16).padStart(2, "0");
    return `60${id}73${owner.slice(2)}5f7f${transfer}5f5fa4`;
  }).join("");
  const length = (runtime.length / 2).toString(16).padStart(4, "0");
  const from = (logs.length / 2 + 13).toString(16).padStart(4, "0");
  return `0x${logs}61${length}61${from}5f3961${length}5ff3${runtime}`;
}

/** Content that is no metadata, and the reason. */
const INVALID = [
  ["no JSON", "<script>alert(1)</script>", "the content is not JSON"],
  ["a list", "[1]", "the content is not a JSON object"],
  ["half an object", '{"name": "a"', "the content is not JSON"],
  ["ten megabytes", `{"name": "${"x".repeat(10_000_000)}"}`, "too large"],
  ["nested very deeply", "[".repeat(500_000), "the content is nested too deeply"],
  [
    "an object that is nested very deeply",
    `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
    "the content is nested too deeply",
  ],
];

/** URIs that are not read. */
const UNREAD = [
  ["another URI scheme", "ftp://files.example/1"],
  ["an address that is not allowed", "http://169.254.169.254/latest"],
  ["a data: URI without content", "data:application/json;base64"],
  ["invalid base64", "data:application/json;base64,@@@@"],
  ["no URI", "hello"],
];

/** Every second row, or all at night: what is rejected is decided in one place. */
const chosen = <Row>(rows: readonly Row[]) => rows.filter((_, i) => NIGHTLY || i % 2 === 0);

describe.each(DATABASES)("metadata in an index on %s", (name) => {
  let service: TestService;
  let location: DatabaseLocation;
  const locationEnds: (() => Promise<unknown>)[] = [];
  let gallery: Address;
  let owner: Address;
  let snapshot: JsonValue;

  // Each database begins with the initial chain.
  beforeAll(async () => {
    snapshot = await chain.rpc("evm_snapshot");
    location = await createIndexed(name, locationEnds);
    owner = chain.account(1);
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url] }, location, {
      fetchContent,
      retryMs: 50,
    });
    await service.waitFor(({ state }) => state === "following");
  });
  beforeEach(async () => {
    gallery = await chain.createGallery();
  });
  afterEach(() => {
    pages.clear();
    visits.splice(0);
  });
  afterAll(async () => {
    await service?.stop();
    for (const end of locationEnds) await end();
    await chain.rpc("evm_revert", [snapshot]);
    expect(service.log.lines.filter((line) => line.startsWith("metadata cannot be read"))).toEqual([]);
  });

  const token = (id: number | bigint, address = gallery) =>
    service.run("getTokenIdMetadata", { address, token_id: String(id) }).then(objectOf);

  /** Waits until a token meets a condition. */
  async function until(id: number, expected: (nft: JsonObject) => boolean): Promise<JsonObject> {
    let nft: JsonObject = {};
    const isAsExpected = async () => {
      nft = await token(id).catch(() => ({}));
      return expected(nft);
    };
    await expect.poll(isAsExpected, { timeout: 60_000, interval: 20 }).toBe(true);
    return nft;
  }
  const hasMetadata = (nft: JsonObject) => typeof nft.metadata === "string";
  const nameIn = (nft: JsonObject) => JSON.parse(String(nft.metadata)).name;

  it("is read from the web, from IPFS and from the chain, and included in all lists", async () => {
    pages.set("/1.json", { name: "web" });
    pages.set("/ipfs/QmFolder/2", { name: "ipfs" });
    const json = JSON.stringify({ name: "grün & 100%" });
    const uris = [
      `${web}/1.json`,
      "ipfs://QmFolder/2",
      `data:application/json;base64,${Buffer.from(json).toString("base64")}`,
      `data:application/json;utf8,${json}`,
      `data:application/json,${encodeURIComponent(json)}`,
      `data:application/json;base64,${Buffer.from(json).toString("base64url")}`,
    ];
    const began = Date.now();
    for (const [i, uri] of uris.entries()) await chain.mintArtwork(gallery, owner, BigInt(i + 1), uri);
    const read = await Promise.all(uris.map((_, i) => until(i + 1, hasMetadata)));
    expect(read.map(nameIn)).toEqual(["web", "ipfs", ...Array(4).fill("grün & 100%")]);
    expect(read.map(({ token_uri }) => token_uri)).toEqual(uris);
    // In seconds.
    expect(Date.parse(String(read[0]?.synced_at))).toBeGreaterThanOrEqual(began - 1_000);
    for (const list of [
      await service.run("getAllTokenIds", { address: gallery }),
      await service.run("getNFTOwners", { address: gallery }),
      await service.run("getNFTsForContract", { address: owner, token_address: gallery }),
    ]) {
      expect(rowsOf(list).map(({ metadata }) => metadata)).toEqual(read.map(({ metadata }) => metadata));
      expect(rowsOf(list).map(({ synced_at }) => synced_at)).toEqual(read.map(({ synced_at }) => synced_at));
    }
  });

  it("of EIP-1155 tokens has the id in its URI", async () => {
    const { tickets } = devChain.contracts;
    await expect
      .poll(async () => (await token(1n, tickets.address)).token_uri)
      .toBe(`https://tickets.example/${"1".padStart(64, "0")}.json`);
  });

  it.each(runsEveryCase(name) ? chosen(INVALID) : [])(
    "that is %s is rejected with the reason",
    async (_, page, status) => {
      pages.set("/bad", page);
      await chain.mintArtwork(gallery, owner, 1n, `${web}/bad`);
      await until(1, ({ token_uri }) => token_uri === `${web}/bad`);
      const resync = { address: gallery, token_id: "1", mode: "sync" };
      expect(await service.runWithStatus("reSyncMetadata", resync)).toEqual({
        status: 404,
        body: { status },
      });
      expect(await token(1)).toMatchObject({ metadata: null, synced_at: null });
    },
  );

  it.each(runsEveryCase(name) ? chosen(UNREAD) : [])("is not read from %s", async (_, uri) => {
    await chain.mintArtwork(gallery, owner, 1n, uri);
    await until(1, ({ token_uri }) => token_uri === uri);
    const resync = { address: gallery, token_id: "1", mode: "sync" };
    expect(await service.runWithStatus("reSyncMetadata", resync)).toMatchObject({ status: 404 });
    expect(await token(1)).toMatchObject({ metadata: null });
  });

  it("with fields of unexpected types and lengths is stored unchanged", async () => {
    const page = {
      name: { toString: 1, __proto__: null },
      description: ["x".repeat(100_000), null, { deep: [[[["words"]]]] }],
      attributes: "none",
      traits: [1, true, null, { trait_type: {}, value: [] }],
      properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`key ${i}`, `value ${i}`])),
      image: ["javascript:alert(1)"],
      animation_url: "data:text/html,<script>alert(1)</script>",
      "\u202egpj.exe": "\u200b\u0000",
    };
    const text = `{"__proto__":{"polluted":true},"constructor":{"prototype":{}},${JSON.stringify(page).slice(1)}`;
    pages.set("/odd", text);
    await chain.mintArtwork(gallery, owner, 1n, `${web}/odd`);
    expect((await until(1, hasMetadata)).metadata).toBe(text);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    pages.set("/plain", { name: "plain sailing" });
    await chain.mintArtwork(gallery, owner, 2n, `${web}/plain`);
    await until(2, hasMetadata);
    expect(rowsOf(await service.run("searchNFTs", { q: "sailing", addresses: gallery }))).toHaveLength(1);
  });

  it("is read in time if another collection has thousands of pending tokens", async () => {
    const large = await newSeries(chain, [[1, 5_000]]);
    pages.set("/honest", { name: "honest" });
    await chain.mintArtwork(gallery, owner, 1n, `${web}/honest`);
    await until(1, hasMetadata);
    const page = objectOf(await service.run("getAllTokenIds", { address: large, limit: 1 }));
    expect(page.total).toBe(5_000);
  });

  it("is refreshed when the contract logs an update (EIP-4906)", async () => {
    pages.set("/old", { name: "old" });
    pages.set("/new", { name: "new" });
    await chain.mintArtwork(gallery, owner, 1n, `${web}/old`);
    expect(nameIn(await until(1, hasMetadata))).toBe("old");
    await chain.burnArtwork(gallery, 1, 1n);
    await chain.mintArtwork(gallery, owner, 1n, `${web}/new`);
    await until(1, (nft) => hasMetadata(nft) && nameIn(nft) === "new");
  });

  it("of all tokens is refreshed when the contract logs a batch update (EIP-4906)", async () => {
    const page = { name: "before" };
    pages.set("/all", page);
    const { contractAddress } = await chain.create(collectionOf(owner, 3, updating(`${web}/all`)));
    gallery = contractAddress ?? gallery;
    for (const id of [1, 2, 3]) expect(nameIn(await until(id, hasMetadata))).toBe("before");
    page.name = "after";
    await chain.rpc("eth_sendTransaction", [{ from: chain.account(0), to: gallery }]);
    for (const id of [1, 2, 3]) await until(id, (nft) => nameIn(nft) === "after");
  });

  it("is removed with blocks that a reorganization replaces", async () => {
    pages.set("/old", { name: "old" });
    pages.set("/new", { name: "new" });
    await chain.mintArtwork(gallery, owner, 1n, `${web}/old`);
    await until(1, hasMetadata);
    await chain.reorganize(1);
    await expect.poll(() => token(1).catch(({ status }) => status)).toBe(404);
    await chain.mintArtwork(gallery, owner, 1n, `${web}/new`);
    expect(nameIn(await until(1, hasMetadata))).toBe("new");
    expect(rowsOf(await service.run("searchNFTs", { q: "old", addresses: gallery }))).toEqual([]);
  });

  it("is refreshed on request, synchronously or asynchronously", {
    tags: ["7.data.endpoint.nft-token-metadata-resync"],
  }, async () => {
    const page = { name: "first" };
    pages.set("/page", page);
    await chain.mintArtwork(gallery, owner, 1n, `${web}/page`);
    await until(1, hasMetadata);
    page.name = "second";
    const resync = { address: gallery, token_id: "1" };
    expect(await service.runWithStatus("reSyncMetadata", { ...resync, mode: "sync" })).toEqual({
      status: 200,
      body: { status: "completed" },
    });
    expect(nameIn(await token(1))).toBe("second");
    page.name = "third";
    expect(await service.runWithStatus("reSyncMetadata", { ...resync, flag: "uri" })).toEqual({
      status: 202,
      body: { status: "accepted" },
    });
    await until(1, (nft) => hasMetadata(nft) && nameIn(nft) === "third");
    expect(
      await service.runWithStatus("reSyncMetadata", { ...resync, token_id: "2", mode: "sync" }),
    ).toMatchObject({
      status: 404,
      body: { status: "the token does not exist" },
    });
  });

  it("of a whole collection is refreshed on request", {
    tags: ["7.data.endpoint.nft-contract-sync"],
  }, async () => {
    const page = { name: "first" };
    pages.set("/page", page);
    for (const id of [1n, 2n]) await chain.mintArtwork(gallery, owner, id, `${web}/page`);
    await until(1, hasMetadata);
    await until(2, hasMetadata);
    page.name = "second";
    expect(await service.runWithStatus("syncNFTContract", { address: gallery })).toEqual({
      status: 201,
      body: {},
    });
    for (const id of [1, 2]) await until(id, (nft) => hasMetadata(nft) && nameIn(nft) === "second");
    const none = service.run("syncNFTContract", { address: chain.token });
    await expect(none).rejects.toMatchObject({ status: 404 });
  });

  it("is found by its terms", { tags: ["7.data.endpoint.nft-search"] }, async () => {
    const works = [
      {
        name: "Crème brûlée",
        description: "A blue dessert",
        attributes: [{ trait_type: "Taste", value: "Sweet" }],
      },
      {
        name: "Blue Cat #7",
        description: "Sits & waits",
        attributes: [{ trait_type: "Eyes", value: "Green" }],
      },
      { name: "Dog", description: "Chases the cat", attributes: { fur: "blue" } },
    ];
    for (const [i, work] of works.entries()) {
      pages.set(`/${i}`, work);
      await chain.mintArtwork(gallery, owner, BigInt(i + 1), `${web}/${i}`);
    }
    for (const id of [1, 2, 3]) await until(id, hasMetadata);
    const search = (q: string, more = {}) => service.run("searchNFTs", { q, addresses: [gallery], ...more });
    const found = async (q: string, more = {}) =>
      rowsOf(await search(q, more)).map(({ token_id }) => token_id);
    expect(await found("blue")).toEqual(["3", "2", "1"]);
    expect(await found("blue", { filter: "name" })).toEqual(["2"]);
    expect(await found("blue", { filter: "description" })).toEqual(["1"]);
    expect(await found("BLUE", { filter: "attributes" })).toEqual(["3"]);
    expect(await found("blue cat", { filter: "name,description" })).toEqual(["2"]);
    expect(await found("creme", { filter: "name" })).toEqual(["1"]);
    expect(await found("gre")).toEqual(["2"]);
    expect(await found("eyes")).toEqual(["2"]);
    expect(await found("zebra")).toEqual([]);
    expect(await found(`"'):* OR | cat`)).toEqual([]);
    expect(await found("blue", { addresses: [chain.token] })).toEqual([]);
    await expect(search("%&?")).rejects.toMatchObject({ status: 400 });

    const [first] = rowsOf(
      await service.run("getWalletTokenIdTransfers", { address: gallery, token_id: "2" }),
    );
    expect(await found("blue", { to_block: Number(first?.block_number) })).toEqual(["2", "1"]);
    expect(await found("blue", { from_block: Number(first?.block_number) })).toEqual(["3", "2"]);

    const page = objectOf(await search("blue", { limit: 2 }));
    expect(page).toMatchObject({ total: 3, page: 0, page_size: 2 });
    expect(rowsOf(page)[0]).toMatchObject({
      token_address: gallery,
      token_uri: `${web}/2`,
      metadata: JSON.stringify(works[2]),
      contract_type: "ERC721",
      token_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await found("blue", { limit: 2, cursor: page.cursor })).toEqual(["1"]);
    const index = await openReader(indexLocationOf(location, chain.chainId), 1);
    const built = sql<string>`replace(value, '"at":', '"at":1')`;
    await index.change(query.updateTable("facts").set({ value: built }).where("key", "=", "making"));
    await index.close();
    // The ids of an index that has taken the place of another one are of other NFTs.
    await expect(search("blue", { limit: 2, cursor: page.cursor })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("begin with the first page"),
    });
  });

  if (NIGHTLY)
    it("that is very long makes pages shorter without omitting rows", async () => {
      pages.set("/long", { name: "long", text: "x".repeat(1_000_000) });
      for (let id = 1n; id <= 3n; id++) await chain.mintArtwork(gallery, owner, id, `${web}/long`);
      for (let id = 1; id <= 3; id++) await until(id, hasMetadata);
      const first = objectOf(await service.run("getAllTokenIds", { address: gallery }));
      const second = objectOf(
        await service.run("getAllTokenIds", { address: gallery, cursor: first.cursor }),
      );
      expect(rowsOf(first)).toHaveLength(2);
      expect([...rowsOf(first), ...rowsOf(second)].map(({ token_id }) => Number(token_id))).toEqual([
        1, 2, 3,
      ]);
      expect(rowsOf(second).every(hasMetadata)).toBe(true);
    });

  // Nodes and servers decide on these.
  if (!runsEveryCase(name)) return;

  it("with markup is returned as text", async () => {
    const page = { name: "<img src=x onerror=alert(1)>", image: "javascript:alert(1)" };
    pages.set("/markup", page);
    await chain.mintArtwork(gallery, owner, 1n, `${web}/markup`);
    expect((await until(1, hasMetadata)).metadata).toBe(JSON.stringify(page));
  });

  it("is retried if its server fails, and kept if it fails later", async () => {
    let failures = 2;
    pages.set("/late", (_, response) => {
      if (failures-- > 0) response.writeHead(500).end();
      else response.end('{"name":"late"}');
    });
    await chain.mintArtwork(gallery, owner, 1n, `${web}/late`);
    expect(nameIn(await until(1, hasMetadata))).toBe("late");
    failures = 1_000;
    const resync = { address: gallery, token_id: "1", mode: "sync" };
    expect(await service.runWithStatus("reSyncMetadata", resync)).toMatchObject({ status: 404 });
    expect(nameIn(await token(1))).toBe("late");
  });

  it("includes the royalty of the contract (EIP-2981)", async () => {
    const receiver = chain.account(7);
    const none = { royalty_receiver: null, royalty_basis_points: null };
    for (const [runtime, royalty] of [
      [royal(receiver, 750), { royalty_receiver: receiver, royalty_basis_points: 750 }],
      [royal(receiver, 10_001), none],
      [royal(receiver, 0), none],
      [royal(`0x${"0".repeat(40)}`, 750), none],
      [royal(receiver, 750, false), none],
      [MEGABYTE, none],
      [LOOP, none],
    ] as const) {
      const { contractAddress } = await chain.create(collectionOf(owner, 1, runtime));
      gallery = contractAddress ?? gallery;
      await expect.poll(() => token(1).catch(() => undefined), { timeout: 10_000 }).toMatchObject(royalty);
    }
  });

  it.each([
    ["use all gas", LOOP],
    ["return a megabyte of zeros", MEGABYTE],
  ])("is read in time if other contracts %s", async (_, runtime) => {
    const { contractAddress } = await chain.create(collectionOf(owner, 5, runtime));
    pages.set("/honest", { name: "honest" });
    await chain.mintArtwork(gallery, owner, 1n, `${web}/honest`);
    await until(1, hasMetadata);
    const resync = { address: contractAddress, token_id: "1", mode: "sync" };
    expect(await service.runWithStatus("reSyncMetadata", resync)).toEqual({
      status: 404,
      body: { status: "the contract has no metadata URI" },
    });
  });

  if (NIGHTLY)
    it("is read in time if that of other collections never arrives", { timeout: 120_000 }, async () => {
      let open = 0;
      let maxOpen = 0;
      for (let collection = 0; collection < 3; collection++) {
        const path = `/silent/${collection}`;
        pages.set(path, (_, response) => {
          open += 1;
          maxOpen = Math.max(maxOpen, open);
          response.once("close", () => {
            open -= 1;
          });
          response.write("{");
        });
        await chain.create(collectionOf(owner, 12, updating(web + path)));
      }
      await expect.poll(() => open, { timeout: 30_000 }).toBe(3);
      pages.set("/honest", { name: "honest" });
      const { contractAddress } = await chain.create(collectionOf(owner, 5, updating(`${web}/honest`)));
      gallery = contractAddress ?? gallery;
      for (const id of [1, 2, 3, 4, 5]) await until(id, hasMetadata);
      // Each silent collection has one request; on slow machines, its next one may begin before the last one is closed.
      expect(maxOpen).toBeLessThanOrEqual(6);
    });
});
