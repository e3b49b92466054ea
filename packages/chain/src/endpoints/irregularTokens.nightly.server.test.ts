import type { DevChain } from "@purse/devchain";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { sql } from "kysely";
import {
  type Address,
  createPublicClient,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import {
  createDatabase,
  DATABASES,
  type DatabaseLocation,
  dumpIndex,
  NIGHTLY,
} from "../../test/indexDatabase.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { seededRandom } from "../../test/randomHistory.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";
import { moveToken, newLogEmitter, newSeries, newWeth, tokenAbi } from "../../test/testTokens.ts";
import { indexLocationOf } from "../createChainService.ts";
import type { ChainConfig } from "../model/chainConfig.ts";
import { nftBalanceChanges } from "../store/nftBalanceChanges.ts";
import { openReader } from "../store/openReader.ts";
import { nftTransferRow } from "../store/tableRows.ts";
import type { NftTransfersTable } from "../store/tables.ts";

/** Compares tokens without the Transfer events of EIP-20 and EIP-721 with what their contracts return. */

const LISTED_OF_LOG = 10_000;

const abi = tokenAbi;
const erc1155Abi = parseAbi([
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
]);

let devChain: DevChain;
let chain: TestChain;
let weth: Address;
let createIndexed: CreateIndexed;
const chainEnds: (() => Promise<unknown>)[] = [];
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(chainEnds));
  weth = await newWeth(chain);
  createIndexed = await indexBeforehand(chain, chainEnds, DATABASES, {
    market: { wrappedNative: weth },
  });
});

afterAll(async () => {
  for (const end of chainEnds.reverse()) await end();
});

// Each test starts with the initial chain: some collections have thousands of tokens, which later tests would index too.
beforeEach(async () => {
  const snapshot = await chain.rpc("evm_snapshot");
  ends.push(async () => expect(await chain.rpc("evm_revert", [snapshot])).toBe(true));
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Sends concurrent calls together: thousands of tokens are compared. */
const client = () => createPublicClient({ transport: http(chain.url, { batch: true }), cacheTime: 0 });
const lower = (account: number) => chain.account(account).toLowerCase();

async function newPlace(database: (typeof DATABASES)[number]): Promise<DatabaseLocation> {
  const { location, remove } = await createDatabase(database);
  ends.push(remove);
  return location;
}

async function start(
  location: DatabaseLocation,
  more: Partial<ChainConfig> = {},
  ownEnds = ends,
): Promise<TestService> {
  const market = { wrappedNative: weth };
  const service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market, ...more }, location);
  ownEnds.push(() => service.stop());
  return service;
}

async function atHead(service: TestService): Promise<void> {
  const head = await chain.head();
  await service.waitFor(({ state, indexed }) => state === "following" && indexed === head, 60_000);
}

async function query(service: TestService, name: string, params: JsonObject): Promise<JsonObject> {
  const answer = await service.run(name, params);
  if (!isJsonObject(answer)) throw new Error("the answer is not an object");
  return answer;
}

function rowsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** All pages of a list, by cursor. */
async function all(service: TestService, name: string, params: JsonObject): Promise<JsonObject[]> {
  const rows: JsonObject[] = [];
  let cursor: JsonValue = "";
  do {
    const page: JsonObject = await query(service, name, { ...params, limit: 500, cursor });
    rows.push(...rowsOf(page.result));
    cursor = page.cursor ?? "";
  } while (cursor !== "");
  return rows;
}

/** Logs a transfer of any number of consecutive tokens. */
function logConsecutive(maker: Address, first: bigint, last: bigint, from: Address, to: Address) {
  const topics = encodeEventTopics({
    abi,
    eventName: "ConsecutiveTransfer",
    args: { fromTokenId: first, fromAddress: from, toAddress: to },
  });
  return logOf(maker, topics, encodeAbiParameters(parseAbiParameters("uint256"), [last]));
}

function logMove(maker: Address, from: Address, to: Address, id: bigint) {
  const topics = encodeEventTopics({ abi, eventName: "Transfer", args: { from, to, tokenId: id } });
  return logOf(maker, topics, "0x");
}

function logOf(maker: Address, topics: readonly (Hex | Hex[] | null)[], content: Hex) {
  const args = [topics.flatMap((topic) => topic ?? []), content] as const;
  return chain.send(0, maker, encodeFunctionData({ abi, functionName: "make", args }));
}

async function wrapAndUnwrap(): Promise<void> {
  await chain.send(7, weth, encodeFunctionData({ abi, functionName: "deposit" }), 900n);
  await chain.send(7, weth, encodeFunctionData({ abi, functionName: "withdraw", args: [300n] }));
  const args = [chain.account(8), 50n] as const;
  await chain.send(7, weth, encodeFunctionData({ abi, functionName: "transfer", args }));
  await chain.send(8, weth, encodeFunctionData({ abi, functionName: "withdraw", args: [20n] }));
}

const balanceOf = async (account: number, blockNumber?: bigint) =>
  client().readContract({
    address: weth,
    abi,
    functionName: "balanceOf",
    args: [chain.account(account)],
    ...(blockNumber !== undefined && { blockNumber }),
  });

describe.each(DATABASES)("on %s", (database) => {
  const isOnPostgres = database.startsWith("PostgreSQL");

  describe("a collection that was minted with one log for each owner (ERC-2309)", () => {
    const contentEnds: (() => Promise<unknown>)[] = [];
    const last = 2n ** 40n - 1n;
    let service: TestService;
    let series: Address;
    let small: Address;
    let large: Address;
    let minted: number;
    let owners: number[];

    beforeAll(async () => {
      const snapshot = await chain.rpc("evm_snapshot");
      contentEnds.push(async () => expect(await chain.rpc("evm_revert", [snapshot])).toBe(true));
      series = await newSeries(chain, [
        [1, 40],
        [2, 600],
        [3, 1],
      ]);
      minted = await chain.head();
      const random = seededRandom(7);
      owners = [...Array.from({ length: 40 }, () => 1), ...Array.from({ length: 600 }, () => 2), 3];
      for (let i = 0; i < 25; i++) {
        const id = i % 2 === 0 ? Math.floor(random() * 41) : Math.floor(random() * owners.length);
        const from = owners[id] ?? -1;
        if (from < 0) continue;
        const to = random() < 0.2 ? -1 : 1 + Math.floor(random() * 5);
        if (to < 0) {
          await chain.send(
            from,
            series,
            encodeFunctionData({ abi, functionName: "burn", args: [BigInt(id)] }),
          );
        } else await moveToken(chain, series, from, to, BigInt(id));
        owners[id] = to;
      }
      small = await newSeries(chain, [[4, 7]]);
      await moveToken(chain, small, 4, 5, 3n);
      large = await newLogEmitter(chain);
      await logConsecutive(large, 0n, last, zeroAddress, chain.account(1));
      await logMove(large, chain.account(1), chain.account(2), 1_000_000n);
      service = await start(await createIndexed(database, contentEnds), {}, contentEnds);
      await atHead(service);
    });

    afterAll(async () => {
      for (const end of contentEnds.reverse()) await end();
    });

    it("has the owners, amounts and tokens of its contract, also after transfers and burns", async () => {
      const rows = await all(service, "getNFTOwners", { address: series });
      const node = client();
      const own = await Promise.all(
        owners.map((_, id) =>
          node
            .readContract({ address: series, abi, functionName: "ownerOf", args: [BigInt(id)] })
            .catch(() => undefined),
        ),
      );
      const expected = own.flatMap((owner, id) => (owner ? [`${id} ${owner.toLowerCase()}`] : []));
      expect(rows.map(({ token_id, owner_of }) => `${token_id} ${owner_of}`)).toEqual(expected);
      expect(new Set(rows.map(({ block_number_minted }) => block_number_minted))).toEqual(
        new Set([String(minted)]),
      );
      const page = await query(service, "getNFTOwners", { address: series, limit: 1 });
      expect(page).toMatchObject({ total: expected.length, status: "SYNCED" });

      for (const account of [1, 2, 3, 4, 5]) {
        const args = [chain.account(account)] as const;
        const count = await client().readContract({ address: series, abi, functionName: "balanceOf", args });
        const balance = await query(service, "getNFTsForContract", {
          address: chain.account(account),
          token_address: series,
        });
        expect(balance.total).toBe(Number(count));
        const holding = { token: series.toLowerCase(), standard: "ERC721" as const };
        expect(await service.service.getBalance(chain.chainId, holding, [lower(account)])).toBe(count);
      }
      const ids = await all(service, "getAllTokenIds", { address: series });
      expect(ids).toHaveLength(expected.length);
      const still = own.findIndex((owner) => owner !== undefined);
      expect(
        await query(service, "getTokenIdMetadata", { address: series, token_id: String(still) }),
      ).toMatchObject({ amount: "1", contract_type: "ERC721" });
    });

    it("has one transfer per token in lists of the collection, of wallets, and of one token", async () => {
      const rows = await all(service, "getContractNFTTransfers", { address: small });
      expect(rows).toHaveLength(8);
      const minted = rows.filter(({ from_address }) => from_address === zeroAddress);
      expect(minted.map(({ token_id }) => token_id).sort()).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
      expect(minted[0]).toMatchObject({ transaction_type: "Batch", to_address: lower(4), amount: "1" });
      const ofToken = await all(service, "getWalletTokenIdTransfers", { address: small, token_id: "3" });
      expect(ofToken.map(({ to_address }) => to_address)).toEqual([lower(5), lower(4)]);
      const ofWallet = await all(service, "getNFTTransfers", { address: chain.account(5), direction: "to" });
      expect(ofWallet.filter(({ token_address }) => token_address === small.toLowerCase())).toHaveLength(1);
    });

    it("with more tokens than are listed is reported as PARTIAL, and has correct owners and amounts", async () => {
      const page = await query(service, "getNFTOwners", { address: large });
      expect(page).toMatchObject({ total: LISTED_OF_LOG + 1, status: "PARTIAL" });
      expect(await query(service, "getAllTokenIds", { address: large })).toMatchObject({ status: "PARTIAL" });
      expect(await query(service, "getNFTs", { address: chain.account(1) })).toMatchObject({
        status: "PARTIAL",
      });

      const ownersOf = async (id: bigint) =>
        rowsOf(
          (await query(service, "getTokenIdOwners", { address: large, token_id: String(id) })).result,
        ).map(({ owner_of }) => owner_of);
      expect(await ownersOf(1_000_000n)).toEqual([lower(2)]);
      expect(await ownersOf(2_000_000n)).toEqual([lower(1)]);
      expect(await ownersOf(last + 1n)).toEqual([]);
      const holding = { token: large.toLowerCase(), standard: "ERC721" as const };
      expect(await service.service.getBalance(chain.chainId, holding, [lower(1)])).toBe(last);
      expect(await service.service.getBalance(chain.chainId, holding, [lower(2)])).toBe(1n);
    });
  });

  if (NIGHTLY)
    it("a collection that was minted with one log leaves no rows after a reorganization that reverts its creation", async () => {
      const location = await createIndexed(database, ends);
      const service = await start(location);
      await chain.mine(3);
      const series = await newSeries(chain, [[1, 300]]);
      await moveToken(chain, series, 1, 2, 5n);
      await atHead(service);
      expect((await query(service, "getNFTOwners", { address: series })).total).toBe(300);
      await chain.reorganize(3);
      await chain.mine(1);
      await atHead(service);
      expect(await query(service, "getNFTOwners", { address: series })).toMatchObject({ total: 0 });
      const other = await createIndexed(database, ends);
      await atHead(await start(other));
      expect(await dumpIndex(location, chain.chainId)).toEqual(await dumpIndex(other, chain.chainId));
    });

  if (NIGHTLY)
    it("shows a token id of both standards by its last transfer, with the sum of its amounts", async () => {
      const maker = await newLogEmitter(chain);
      const service = await start(await createIndexed(database, ends));
      const [owner, id] = [chain.account(1), 9n];
      const logSingle = (amount: bigint) => {
        const topics = encodeEventTopics({
          abi: erc1155Abi,
          eventName: "TransferSingle",
          args: { operator: owner, from: zeroAddress, to: owner },
        });
        return logOf(
          maker,
          topics,
          encodeAbiParameters(parseAbiParameters("uint256, uint256"), [id, amount]),
        );
      };
      const owned = async () => {
        await atHead(service);
        return rowsOf((await query(service, "getNFTOwners", { address: maker })).result).map(
          ({ amount, contract_type }) => ({ amount, contract_type }),
        );
      };
      await logMove(maker, zeroAddress, owner, id);
      expect(await owned()).toEqual([{ amount: "1", contract_type: "ERC721" }]);
      await logSingle(10n);
      expect(await owned()).toEqual([{ amount: "11", contract_type: "ERC1155" }]);
      const backfilled = await start(await createIndexed(database, ends));
      await atHead(backfilled);
      const { result } = await query(backfilled, "getNFTOwners", { address: maker });
      expect(rowsOf(result)).toMatchObject([{ amount: "11", contract_type: "ERC1155" }]);
    });

  if (NIGHTLY)
    it("an ERC-721 token belongs to the receiver of its last transfer, whoever owned it before", async () => {
      const maker = await newLogEmitter(chain);
      const service = await start(await createIndexed(database, ends));
      const owners = async (from: TestService) => {
        await atHead(from);
        const { result } = await query(from, "getNFTOwners", { address: maker });
        return rowsOf(result).map(({ owner_of, amount }) => [owner_of, amount]);
      };
      const [first, second, third] = [chain.account(1), chain.account(2), chain.account(3)];
      const moves = [
        [zeroAddress, first],
        [zeroAddress, second],
        [first, third],
        [third, first],
        [zeroAddress, first],
      ] as const;
      for (const [from, to] of moves) {
        await logMove(maker, from, to, 5n);
        expect(await owners(service)).toEqual([[to.toLowerCase(), "1"]]);
      }
      expect(await owners(await start(await createIndexed(database, ends)))).toEqual([[lower(1), "1"]]);
      await chain.reorganize(3);
      await chain.mine(4);
      await expect.poll(() => owners(service), { timeout: 20_000 }).toEqual([[lower(2), "1"]]);
      await chain.reorganize(9);
      await chain.mine(10);
      await expect.poll(() => owners(service), { timeout: 20_000 }).toEqual([]);
      await logMove(maker, zeroAddress, third, 5n);
      expect(await owners(service)).toEqual([[lower(3), "1"]]);
    });

  describe("the wrapped coin", () => {
    it.each(isOnPostgres || !NIGHTLY ? (["chain"] as const) : (["chain", "wallets"] as const))(
      "is included in balances and transfers with scope %s",
      async (scope) => {
        await wrapAndUnwrap();
        const place = scope === "chain" ? await createIndexed(database, ends) : await newPlace(database);
        const service = await start(place, { scope });
        await atHead(service);
        for (const account of [7, 8]) {
          const address = chain.account(account);
          const balances = rowsOf(await service.run("getTokenBalances", { address }));
          const own = balances.find(({ token_address }) => token_address === weth.toLowerCase());
          expect(own).toMatchObject({ balance: String(await balanceOf(account)) });
          expect(own).not.toHaveProperty("calculated_from_transfers");
          const rows = (await all(service, "getTokenTransfers", { address })).filter(
            (row) => row.address === weth.toLowerCase(),
          );
          const sum = rows.reduce(
            (total, { to_address, value }) =>
              to_address === lower(account) ? total + BigInt(String(value)) : total - BigInt(String(value)),
            0n,
          );
          expect(sum).toBe(await balanceOf(account));
          const holding = { token: weth.toLowerCase(), standard: "ERC20" as const };
          expect(await service.service.getBalance(chain.chainId, holding, [lower(account)])).toBe(sum);
        }
        const [deposit] = (await all(service, "getTokenTransfers", { address: chain.account(7) })).filter(
          ({ from_address, address }) => from_address === zeroAddress && address === weth.toLowerCase(),
        );
        expect(deposit).toMatchObject({ to_address: lower(7) });
      },
    );
  });

  if (NIGHTLY)
    describe("an index of the previous schema version", () => {
      /** Creates an index in the format of the previous version. */
      async function oldIndex(scope: "chain" | "wallets"): Promise<DatabaseLocation> {
        const location = scope === "chain" ? await createIndexed(database, ends) : await newPlace(database);
        const service = await start(location, { scope });
        await atHead(service);
        if (scope === "wallets") await all(service, "getNFTs", { address: chain.account(6) });
        if (scope === "wallets") await all(service, "getNFTs", { address: chain.account(7) });
        await service.stop();
        const reader = await openReader(indexLocationOf(location, chain.chainId), 1);
        const consecutive = encodeEventTopics({ abi, eventName: "ConsecutiveTransfer" })[0] ?? "0x";
        const bytes = (hex: string) => Buffer.from(hex.slice(2), "hex");
        const topic = bytes(consecutive);
        const ofSeries = sql`token IN (SELECT address FROM logs WHERE topic0 = ${topic})`;
        await reader.change(
          sql`DELETE FROM nft_transfers WHERE position IN (SELECT position FROM logs WHERE topic0 = ${topic})`,
        );
        await reader.change(sql`DELETE FROM nft_balances WHERE ${ofSeries}`);
        // Later transfers had no known origin.
        const left = await reader.all(sql<NftTransfersTable>`SELECT * FROM nft_transfers WHERE ${ofSeries}`);
        for (const { token, tokenId, owner, standard, amount } of nftBalanceChanges(
          left.map(nftTransferRow),
          1,
        )) {
          const key = [token, tokenId, owner].map(bytes);
          await reader.change(
            sql`INSERT INTO nft_balances VALUES (${sql.join([...key, standard, amount.toString(), amount > 0n ? 1 : 0])})`,
          );
        }
        await reader.change(
          sql`DELETE FROM nft_metadata WHERE ${ofSeries} AND NOT EXISTS
          (SELECT 1 FROM nft_transfers t WHERE t.token = nft_metadata.token AND t.token_id = nft_metadata.token_id)`,
        );
        await reader.change(sql`DELETE FROM nft_ranges`);
        // Sales were previously stored with other parties.
        await reader.change(sql`UPDATE trades SET seller = buyer`);
        await reader.change(sql`UPDATE logs SET erc20 = 0 WHERE topic2 IS NULL`);
        if (scope === "wallets")
          await reader.change(sql`DELETE FROM logs WHERE topic2 IS NULL OR topic0 = ${topic}`);
        await reader.change(sql`DELETE FROM erc20_balances`);
        await reader.change(sql`DELETE FROM erc20_totals`);
        for (const column of ["symbol_key", "name_key"]) {
          await reader.change(sql`DROP INDEX ${sql.ref(`tokens_by_${column}`)}`);
          await reader.change(sql`ALTER TABLE tokens DROP COLUMN ${sql.ref(column)}`);
        }
        const making = JSON.stringify({ layout: 3, scope, startBlock: 0 });
        await reader.change(sql`UPDATE facts SET value = ${making} WHERE key = 'making'`);
        await reader.close();
        return location;
      }

      // Known wallets take the same steps, and one more. With ClickHouse, an index of the whole chain is rebuilt.
      const scopes = process.env.PURSE_TESTS ? (["chain", "wallets"] as const) : (["chain"] as const);
      it.each(database.endsWith("ClickHouse") ? (["wallets"] as const) : scopes)(
        "of scope %s is upgraded to the contents of a new one without being cleared",
        async (scope) => {
          const series = await newSeries(chain, [[6, 20]]);
          await moveToken(chain, series, 6, 7, 4n);
          await chain.send(7, weth, encodeFunctionData({ abi, functionName: "deposit" }), 31n);
          const location = await oldIndex(scope);
          const anew = scope === "chain" ? await createIndexed(database, ends) : await newPlace(database);
          for (const each of [anew, location]) {
            const service = await start(each, { scope });
            await atHead(service);
            for (const account of scope === "wallets" ? [6, 7] : [])
              await all(service, "getNFTs", { address: chain.account(account) });
            expect(service.log.lines.filter((line) => line.includes("rebuilt"))).toEqual([]);
            await service.stop();
          }
          expect(await dumpIndex(location, chain.chainId)).toEqual(await dumpIndex(anew, chain.chainId));
        },
      );
    });

  // The node and the decoder decide on these.
  if (isOnPostgres) return;

  it("reports a collection with nonstandard Transfer events as PARTIAL", async () => {
    const maker = await newLogEmitter(chain);
    const parties = encodeAbiParameters(parseAbiParameters("address, address, uint256"), [
      zeroAddress,
      chain.account(1),
      5n,
    ]);
    const [transferTopic = "0x"] = encodeEventTopics({ abi, eventName: "Transfer" });
    await logOf(maker, [transferTopic], parties);
    const service = await start(await createIndexed(database, ends));
    await atHead(service);
    expect(await query(service, "getNFTOwners", { address: maker })).toMatchObject({
      total: 0,
      status: "PARTIAL",
    });
    await expect(service.run("getContractNFTTransfers", { address: maker })).rejects.toMatchObject({
      status: 501,
    });
  });

  if (NIGHTLY)
    it("indexes a collection that was minted with one log for a wallet that a token was minted or transferred to", async () => {
      const series = await newSeries(chain, [[6, 12]]);
      await moveToken(chain, series, 6, 7, 4n);
      const service = await start(await newPlace(database), { scope: "wallets" });
      for (const [account, count] of [
        [6, 11],
        [7, 1],
      ] as const) {
        const page = await query(service, "getNFTsForContract", {
          address: chain.account(account),
          token_address: series,
        });
        expect(page.total).toBe(count);
      }
    });

  describe("the wrapped coin", () => {
    it("is counted once if its contract also logs transfers from and to the null address", async () => {
      const wrapped = devChain.contracts.market.weth.address;
      const from_block = (await chain.head()) + 1;
      await chain.send(9, wrapped, encodeFunctionData({ abi, functionName: "deposit" }), 700n);
      await chain.send(9, wrapped, encodeFunctionData({ abi, functionName: "withdraw", args: [200n] }));
      const service = await start(await newPlace(database), { market: { wrappedNative: wrapped } });
      await atHead(service);
      const rows = await all(service, "getTokenTransfers", { address: chain.account(9), from_block });
      expect(rows.filter(({ address }) => address === wrapped.toLowerCase())).toHaveLength(2);
    });

    if (NIGHTLY)
      it("has a correct computed balance at pruned blocks; other tokens are marked as calculated", async () => {
        await wrapAndUnwrap();
        const block = await chain.head();
        await chain.transfer(0, chain.account(7), 5n);
        const after = await chain.head();
        await chain.mine(1);
        const forgetful = await proxyNode(chain.url, ({ method, params: [, at] }) =>
          method === "eth_call" && typeof at === "string" && at.startsWith("0x")
            ? { error: { code: -32_000, message: "missing trie node 51f: state is not available" } }
            : undefined,
        );
        ends.push(() => forgetful.stop());
        const service = await start(await createIndexed(database, ends), { rpcUrls: [forgetful.url] });
        await atHead(service);
        const at = async (to_block: number) =>
          rowsOf(await service.run("getTokenBalances", { address: chain.account(7), to_block })).map(
            ({ token_address, balance, calculated_from_transfers }) => ({
              token_address,
              balance,
              calculated_from_transfers,
            }),
          );
        expect(await at(block)).toContainEqual({
          token_address: weth.toLowerCase(),
          balance: String(await balanceOf(7, BigInt(block))),
          calculated_from_transfers: undefined,
        });
        expect(await at(after)).toContainEqual(
          expect.objectContaining({
            token_address: devChain.contracts.token.address.toLowerCase(),
            calculated_from_transfers: true,
          }),
        );
      });
  });
});
