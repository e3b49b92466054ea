import type { DevChain } from "@purse/devchain";
import type { JsonObject, JsonValue } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  erc20Abi,
  formatEther,
  http,
  maxUint256,
  parseAbi,
  parseEther,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { objectOf, rowsOf } from "../../test/jsonResponses.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import { localMarket, type TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

/** Compares approvals and histories of wallets with what viem reads from the node. */

const nftAbi = parseAbi([
  "function mint(address to)",
  "function approve(address, uint256)",
  "function setApprovalForAll(address, bool)",
  "function transferFrom(address, address, uint256)",
  "function isApprovedForAll(address, address) view returns (bool)",
  "function getApproved(uint256) view returns (address)",
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)",
  "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
]);
const wethAbi = parseAbi(["function deposit() payable", "function withdraw(uint256)"]);
const routerAbi = parseAbi([
  "function swapExactETHForTokens(uint256, address[], address, uint256) payable",
  "function swapExactTokensForETH(uint256, uint256, address[], address, uint256)",
]);

let devChain: DevChain;
let chain: TestChain;
let createIndexed: CreateIndexed;
let mintedId: bigint;
const ends: (() => Promise<unknown>)[] = [];

const client = () => createPublicClient({ transport: http(chain.url), cacheTime: 0 });
const lower = (address: string) => address.toLowerCase();

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  createIndexed = await indexBeforehand(chain, ends, DATABASES, { market: localMarket(devChain) });
  await actAsWallet();
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const WALLET = 9;
const SPENDER = 8;

/** One transaction of each kind, in this order. */
async function actAsWallet() {
  const { collection, dollar, market, point } = devChain.contracts;
  const [wallet, spender] = [chain.account(WALLET), chain.account(SPENDER)];
  const call = (to: Address, data: `0x${string}`, value = 0n) => chain.send(WALLET, to, data, value);
  const approve = (token: Address, to: Address, amount: bigint) =>
    call(token, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [to, amount] }));
  await approve(chain.token, spender, parseEther("50"));
  await approve(chain.token, market.v2.router.address, maxUint256);
  await approve(dollar.address, spender, 5n);
  await approve(dollar.address, spender, 0n);
  await approve(point.address, spender, maxUint256);
  // A part of an allowance is used.
  await chain.send(
    SPENDER,
    chain.token,
    encodeFunctionData({
      abi: erc20Abi,
      functionName: "transferFrom",
      args: [wallet, spender, parseEther("20")],
    }),
  );
  const minted = await chain.mintNft(wallet);
  mintedId = BigInt(minted.logs[0]?.topics[3] ?? 0);
  const second = await chain.mintNft(wallet);
  const secondId = BigInt(second.logs[0]?.topics[3] ?? 0);
  const approveNft = (id: bigint) =>
    call(
      collection.address,
      encodeFunctionData({ abi: nftAbi, functionName: "approve", args: [spender, id] }),
    );
  await approveNft(mintedId);
  await approveNft(secondId);
  await call(
    collection.address,
    encodeFunctionData({
      abi: nftAbi,
      functionName: "transferFrom",
      args: [wallet, chain.account(7), secondId],
    }),
  );
  const approveAll = (to: Address, isApproved: boolean) =>
    call(
      collection.address,
      encodeFunctionData({ abi: nftAbi, functionName: "setApprovalForAll", args: [to, isApproved] }),
    );
  await approveAll(chain.account(6), true);
  await approveAll(chain.account(6), false);
  await approveAll(spender, true);
  await call(
    market.weth.address,
    encodeFunctionData({ abi: wethAbi, functionName: "deposit" }),
    parseEther("2"),
  );
  await call(
    market.weth.address,
    encodeFunctionData({ abi: wethAbi, functionName: "withdraw", args: [parseEther("0.5")] }),
  );
  const deadline = maxUint256;
  await call(
    market.v2.router.address,
    encodeFunctionData({
      abi: routerAbi,
      functionName: "swapExactETHForTokens",
      args: [0n, [market.weth.address, chain.token], wallet, deadline],
    }),
    parseEther("0.01"),
  );
  await call(
    market.v2.router.address,
    encodeFunctionData({
      abi: routerAbi,
      functionName: "swapExactTokensForETH",
      args: [parseEther("10"), 0n, [chain.token, market.weth.address], wallet, deadline],
    }),
  );
  await call(chain.account(5), "0x", parseEther("0.125"));
  await chain.send(5, wallet, "0x", parseEther("0.0625"));
  await chain.transfer(WALLET, chain.account(5), 7n);
}

describe.each(DATABASES)("with the index on %s", (name) => {
  let service: TestService;
  beforeAll(async () => {
    const location = await createIndexed(name, ends);
    const market = localMarket(devChain);
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url], market }, location);
    ends.push(() => service.stop());
    const head = await chain.head();
    await service.waitFor(({ state, indexed }) => state === "following" && (indexed ?? 0) >= head);
  });

  async function allPages(functionName: string, params: Record<string, unknown>): Promise<JsonObject[]> {
    const rows: JsonObject[] = [];
    let cursor: JsonValue | undefined = "";
    do {
      const page: JsonObject = objectOf(await service.run(functionName, { ...params, cursor }));
      rows.push(...rowsOf(page));
      cursor = page.cursor;
    } while (cursor);
    return rows;
  }

  describe("getWalletApprovals", () => {
    const wallet = () => chain.account(WALLET);

    it("returns the approvals that contracts still grant, and no others", async () => {
      const { collection, point, market } = devChain.contracts;
      const rows = rowsOf(await service.run("getWalletApprovals", { address: wallet() }));
      const keys = rows.map(({ approval_type, token, spender }) => [
        approval_type,
        objectOf(token).address,
        objectOf(spender).address,
      ]);
      const spender = lower(chain.account(SPENDER));
      expect(keys).toEqual([
        ["nft_collection", lower(collection.address), spender],
        ["nft", lower(collection.address), spender],
        ["erc20", lower(point.address), spender],
        ["erc20", lower(chain.token), lower(market.v2.router.address)],
        ["erc20", lower(chain.token), spender],
      ]);
      for (const { approval_type, value, token, spender: by } of rows) {
        if (approval_type !== "erc20") continue;
        const [address, taker] = [String(objectOf(token).address), String(objectOf(by).address)];
        const allowance = await client().readContract({
          address: `0x${address.slice(2)}`,
          abi: erc20Abi,
          functionName: "allowance",
          args: [wallet(), `0x${taker.slice(2)}`],
        });
        expect(value).toBe(allowance.toString());
      }
    });

    it("returns the smaller of allowance and balance as at risk, with its value", async () => {
      const rows = rowsOf(await service.run("getWalletApprovals", { address: wallet() }));
      const price = objectOf(await service.run("getTokenPrice", { address: chain.token }));
      const limited = rows.at(-1);
      expect(limited).toMatchObject({ value: parseEther("30").toString(), value_formatted: "30" });
      expect(limited?.is_unlimited).toBe(false);
      expect(objectOf(limited?.token)).toMatchObject({
        symbol: "PURSE",
        decimals: 18,
        amount_at_risk: parseEther("30").toString(),
        usd_price: price.usdPrice,
        usd_at_risk: expect.closeTo(30 * Number(price.usdPrice), 9),
      });
      const balance = await chain.tokenBalance(wallet());
      const unlimited = rows.at(-2);
      expect(unlimited?.is_unlimited).toBe(true);
      expect(objectOf(unlimited?.token)).toMatchObject({
        current_balance: balance.toString(),
        amount_at_risk: balance.toString(),
      });
      const { total_usd_at_risk } = objectOf(await service.run("getWalletApprovals", { address: wallet() }));
      // Both spenders together can take the balance once.
      expect(total_usd_at_risk).toBeCloseTo(Number(formatEther(balance)) * Number(price.usdPrice), 6);
    });

    it("returns the transaction that gave an approval last", async () => {
      const rows = rowsOf(await service.run("getWalletApprovals", { address: wallet() }));
      for (const { transaction_hash, log_index, block_number, block_hash } of rows) {
        const receipt = await client().getTransactionReceipt({
          hash: `0x${String(transaction_hash).slice(2)}`,
        });
        expect([String(receipt.blockNumber), receipt.blockHash]).toEqual([block_number, block_hash]);
        expect(receipt.logs.some((log) => log.logIndex === log_index)).toBe(true);
      }
    });

    it("counts the NFTs that an operator can take", async () => {
      const rows = rowsOf(await service.run("getWalletApprovals", { address: wallet() }));
      const owned = objectOf(
        await service.run("getNFTsForContract", {
          address: wallet(),
          token_address: devChain.contracts.collection.address,
        }),
      );
      expect(objectOf(rows[0]?.token)).toMatchObject({
        amount_at_risk: String(owned.total),
        usd_at_risk: null,
        token_id: null,
      });
      expect(objectOf(rows[1]?.token)).toMatchObject({ amount_at_risk: "1", token_id: String(mintedId) });
    });

    it("pages through the same rows, and filters by token", async () => {
      const all = rowsOf(await service.run("getWalletApprovals", { address: wallet() }));
      expect(await allPages("getWalletApprovals", { address: wallet(), limit: 2 })).toEqual(all);
      const filtered = await service.run("getWalletApprovals", {
        address: wallet(),
        token_addresses: [chain.token],
      });
      expect(rowsOf(filtered)).toEqual(
        all.filter(({ token }) => objectOf(token).address === lower(chain.token)),
      );
    });

    it("returns an empty list for a wallet that has approved nothing", async () => {
      const page = await service.run("getWalletApprovals", { address: `0x${"12".repeat(20)}` });
      expect(page).toMatchObject({ total: 0, cursor: "", total_usd_at_risk: 0, result: [] });
    });
  });

  describe("getWalletHistory", () => {
    const history = (params: Record<string, unknown> = {}) =>
      allPages("getWalletHistory", { address: chain.account(WALLET), ...params });

    it("names what each transaction did", async () => {
      const rows = await history({ order: "asc" });
      expect(rows.slice(-20).map(({ category }) => category)).toEqual(
        [
          "approve",
          "approve",
          "approve",
          "revoke",
          "approve",
          "token send",
          "mint",
          "mint",
          "approve",
          "approve",
          "nft send",
          "approve",
          "revoke",
          "approve",
          "deposit",
          "withdraw",
          "token swap",
          "token swap",
          "send",
          "receive",
          "token send",
        ].slice(-20),
      );
    });

    it("describes transactions in a sentence", async () => {
      const rows = await history({ limit: 3 });
      const summaries = rows.slice(0, 4).map(({ summary }) => summary);
      const short = (account: number) => {
        const address = lower(chain.account(account));
        return `${address.slice(0, 6)}…${address.slice(-4)}`;
      };
      expect(summaries).toEqual([
        `Sent 0.000000000000000007 PURSE to ${short(5)}`,
        `Received 0.0625 ETH from ${short(5)}`,
        `Sent 0.125 ETH to ${short(5)}`,
        "Swapped 10 PURSE",
      ]);
    });

    it("contains every transaction that concerns the wallet, once, with its fee", async () => {
      const wallet = lower(chain.account(WALLET));
      const topic = `0x${wallet.slice(2).padStart(64, "0")}`;
      const head = await chain.head();
      const expected: string[] = [];
      for (let number = 0; number <= head; number++) {
        const block = await client().getBlock({ blockNumber: BigInt(number), includeTransactions: true });
        for (const { hash, from, to } of block.transactions) {
          const { logs } = await client().getTransactionReceipt({ hash });
          const isParty = [from, to].some((each) => each && lower(each) === wallet);
          if (isParty || logs.some(({ topics }) => concerns(topics, topic))) expected.unshift(hash);
        }
      }
      const rows = await history({ limit: 7 });
      const position = ({ block_number, transaction_index }: JsonObject) =>
        Number(block_number) * 1e6 + Number(transaction_index);
      expect(rows.map(({ hash }) => hash).sort()).toEqual(expected.sort());
      expect(rows.map(position)).toEqual(rows.map(position).sort((a, b) => b - a));
      for (const { hash, transaction_fee, receipt_status } of rows.slice(0, 5)) {
        const receipt = await client().getTransactionReceipt({ hash: `0x${String(hash).slice(2)}` });
        expect(transaction_fee).toBe(formatEther(receipt.gasUsed * receipt.effectiveGasPrice));
        expect(receipt_status).toBe(receipt.status === "success" ? "1" : "0");
      }
    });

    it("returns the same rows in ascending order and in pages of any size", async () => {
      const all = await history();
      expect(await history({ order: "asc" })).toEqual(all.toReversed());
      expect(await history({ limit: 1 })).toEqual(all);
      expect(await history({ limit: 3, order: "asc" })).toEqual(all.toReversed());
    });

    it("returns the rows of a range of blocks", async () => {
      const all = await history();
      const [from, to] = [Number(all.at(-5)?.block_number), Number(all.at(3)?.block_number)];
      const within = ({ block_number }: JsonObject) =>
        Number(block_number) >= from && Number(block_number) <= to;
      expect(await history({ from_block: from, to_block: to })).toEqual(all.filter(within));
    });

    it("has the transfers of native coins, tokens and NFTs with their direction", async () => {
      const [tokenSend, receive, send] = await history();
      expect(rowsOf(tokenSend?.erc20_transfers)).toMatchObject([
        { address: lower(chain.token), direction: "send", value: "7", token_decimals: "18" },
      ]);
      expect(rowsOf(receive?.native_transfers)).toMatchObject([
        { direction: "receive", value: parseEther("0.0625").toString(), token_symbol: "ETH" },
      ]);
      expect(send).toMatchObject({ method_label: null, erc20_transfers: [], nft_transfers: [] });
    });

    it("recognizes sales, failures, deployments and burns of the local chain's history", async () => {
      const categoriesOf = async (address: string) =>
        new Set((await allPages("getWalletHistory", { address })).map(({ category }) => category));
      const trades = objectOf(
        await service.run("getNFTTrades", { address: devChain.contracts.market.cards.address }),
      );
      const [trade] = rowsOf(trades);
      expect(await categoriesOf(String(trade?.buyer_address))).toContain("nft purchase");
      expect(await categoriesOf(String(trade?.seller_address))).toContain("nft sale");
      expect(await categoriesOf(chain.account(7))).toContain("failed");
      expect(await categoriesOf(chain.account(8))).toContain("deploy");
      expect(await categoriesOf(chain.account(6))).toContain("burn");
    });
  });
});

/** Whether a log is a transfer or approval that has the wallet as a party. */
function concerns(topics: readonly string[], wallet: string): boolean {
  const [topic, ...parties] = topics;
  const isTransfer = topic === TRANSFER || topic === TRANSFER_SINGLE || topic === TRANSFER_BATCH;
  if (isTransfer) return (topic === TRANSFER ? parties.slice(0, 2) : parties.slice(1)).includes(wallet);
  const isWrapped = topic === DEPOSIT || topic === WITHDRAWAL;
  return (isWrapped || topic === APPROVAL || topic === APPROVAL_FOR_ALL) && parties[0] === wallet;
}

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TRANSFER_SINGLE = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const TRANSFER_BATCH = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const APPROVAL = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const APPROVAL_FOR_ALL = "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31";
const DEPOSIT = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const WITHDRAWAL = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65";
