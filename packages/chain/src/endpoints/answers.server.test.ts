import type { DevChain, DevContract } from "@purse/devchain";
import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import {
  type Address,
  createPublicClient,
  decodeAbiParameters,
  encodeEventTopics,
  type GetBlockReturnType,
  type Hex,
  http,
  type Log,
  parseAbi,
  parseEventLogs,
  type TransactionReceipt,
  toEventSelector,
  zeroAddress,
} from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CreateIndexed, indexBeforehand } from "../../test/indexBeforehand.ts";
import { DATABASES } from "../../test/indexDatabase.ts";
import { proxyNode } from "../../test/proxyNode.ts";
import { startTestChain } from "../../test/startTestChain.ts";
import type { TestChain } from "../../test/testChain.ts";
import { startService, type TestService } from "../../test/testService.ts";

/** Compares the endpoints' responses with what viem reads from the node at the same block. */

const erc20 = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function balanceOf(address) view returns (uint256)",
]);
const erc721 = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)",
  "function ownerOf(uint256) view returns (address)",
  "function tokenURI(uint256) view returns (string)",
]);
const erc1155 = parseAbi([
  "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
  "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  "function balanceOf(address, uint256) view returns (uint256)",
]);

interface Truth {
  blocks: GetBlockReturnType<undefined, true>[];
  receipts: Map<Hex, TransactionReceipt>;
  logs: Log<bigint, number, false>[];
}

let devChain: DevChain;
let chain: TestChain;
let truth: Truth;
let nftMoves: NftMove[];
let nftHoldings: Awaited<ReturnType<typeof readHoldings>>;
let createIndexed: CreateIndexed;
const ends: (() => Promise<unknown>)[] = [];

function viem() {
  return createPublicClient({ transport: http(chain.url, { batch: true }), cacheTime: 0 });
}

/** Reads everything from the node. */
async function readEverything(): Promise<Truth> {
  const client = viem();
  const head = Number(await client.getBlockNumber());
  const blocks = await Promise.all(
    Array.from({ length: head + 1 }, (_, i) =>
      client.getBlock({ blockNumber: BigInt(i), includeTransactions: true }),
    ),
  );
  const hashes = blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash));
  const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })));
  const logs = await client.getLogs({ fromBlock: 0n, toBlock: BigInt(head) });
  return { blocks, receipts: new Map(receipts.map((each) => [each.transactionHash, each])), logs };
}

beforeAll(async () => {
  ({ devChain, chain } = await startTestChain(ends));
  truth = await readEverything();
  nftMoves = decodeNftMoves();
  nftHoldings = await readHoldings();
  createIndexed = await indexBeforehand(chain, ends, DATABASES);
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

const lower = (address: string | null | undefined) => address?.toLowerCase() ?? null;
const iso = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString();

function objectOf(value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value)) throw new Error(`${JSON.stringify(value)} is not an object`);
  return value;
}

function rowsOf(value: JsonValue | undefined): JsonObject[] {
  const list = isJsonObject(value) ? value.result : value;
  if (!Array.isArray(list)) throw new Error(`${JSON.stringify(value)} is not a list`);
  return list.map(objectOf);
}

/** Block fields of a log or transaction. */
function location(blockNumber: bigint) {
  const block = truth.blocks[Number(blockNumber)];
  return {
    block_number: String(blockNumber),
    block_hash: block?.hash ?? "",
    block_timestamp: iso(block?.timestamp ?? 0n),
  };
}

function transactionRow(hash: Hex): JsonObject {
  const receipt = truth.receipts.get(hash);
  const block = truth.blocks[Number(receipt?.blockNumber)];
  const transaction = block?.transactions.find((each) => each.hash === hash);
  if (!receipt || !block || !transaction) throw new Error(`there is no transaction ${hash}`);
  return {
    hash,
    nonce: String(transaction.nonce),
    transaction_index: String(transaction.transactionIndex),
    from_address: lower(transaction.from),
    to_address: lower(transaction.to),
    value: String(transaction.value),
    gas: String(transaction.gas),
    gas_price: String(receipt.effectiveGasPrice),
    input: transaction.input,
    receipt_cumulative_gas_used: String(receipt.cumulativeGasUsed),
    receipt_gas_used: String(receipt.gasUsed),
    receipt_contract_address: lower(receipt.contractAddress),
    receipt_root: null,
    receipt_status: receipt.status === "success" ? "1" : "0",
    type: String(Number(transaction.typeHex)),
    max_fee_per_gas: transaction.maxFeePerGas === undefined ? null : String(transaction.maxFeePerGas),
    max_priority_fee_per_gas:
      transaction.maxPriorityFeePerGas === undefined ? null : String(transaction.maxPriorityFeePerGas),
    effective_gas_price: String(receipt.effectiveGasPrice),
    ...location(block.number),
  };
}

const inBlock = (log: Log<bigint, number, false>) => ({
  log_index: String(log.logIndex),
  transaction_hash: log.transactionHash,
  transaction_index: String(log.transactionIndex),
  ...rawLog(log),
});

const rawLog = (log: Log<bigint, number, false>) => ({
  address: lower(log.address),
  data: log.data,
  topic0: log.topics[0] ?? null,
  topic1: log.topics[1] ?? null,
  topic2: log.topics[2] ?? null,
  topic3: log.topics[3] ?? null,
  ...location(log.blockNumber),
});

interface NftMove {
  token: string;
  id: bigint;
  from: string;
  to: string;
  amount: bigint;
  standard: "ERC721" | "ERC1155";
  type: "Single" | "Batch";
  operator: string | null;
  log: Log<bigint, number, false>;
}

/** All transfers of NFTs of standard contracts, latest first, as viem decodes them. */
function decodeNftMoves(): NftMove[] {
  const { collection, gallery, items, tickets, market } = devChain.contracts;
  const of = (contracts: DevContract[]) =>
    truth.logs.filter(({ address }) => contracts.some((each) => each.address === lower(address)));
  const moves: NftMove[] = [];
  const unique = of([collection, gallery, market.cards, market.v3.positions]);
  for (const log of parseEventLogs({ abi: erc721, eventName: "Transfer", logs: unique })) {
    const { from, to, tokenId } = log.args;
    moves.push({
      ...parties(log.address, from, to),
      id: tokenId,
      amount: 1n,
      standard: "ERC721",
      type: "Single",
      operator: null,
      log,
    });
  }
  for (const log of parseEventLogs({
    abi: erc1155,
    eventName: "TransferSingle",
    logs: of([items, tickets]),
  })) {
    const { operator, from, to, id, value } = log.args;
    moves.push({
      ...parties(log.address, from, to),
      id,
      amount: value,
      standard: "ERC1155",
      type: "Single",
      operator: lower(operator),
      log,
    });
  }
  for (const log of parseEventLogs({
    abi: erc1155,
    eventName: "TransferBatch",
    logs: of([items, tickets]),
  })) {
    const { operator, from, to, ids, values } = log.args;
    const parts = ids.map(
      (id, i): NftMove => ({
        ...parties(log.address, from, to),
        id,
        amount: values[i] ?? 0n,
        standard: "ERC1155",
        type: "Batch",
        operator: lower(operator),
        log,
      }),
    );
    moves.push(...parts.reverse());
  }
  return moves.sort(
    (a, b) => Number(b.log.blockNumber - a.log.blockNumber) || b.log.logIndex - a.log.logIndex,
  );
}

function parties(token: string, from: string, to: string) {
  return { token: token.toLowerCase(), from: from.toLowerCase(), to: to.toLowerCase() };
}

function moveRow({ token, id, from, to, amount, standard, type, operator, log }: NftMove): JsonObject {
  const transaction = truth.blocks[Number(log.blockNumber)]?.transactions[log.transactionIndex];
  return {
    token_address: token,
    token_id: String(id),
    from_address: from,
    to_address: to,
    value: String(transaction?.value),
    amount: String(amount),
    contract_type: standard,
    transaction_hash: log.transactionHash,
    transaction_type: type,
    transaction_index: String(log.transactionIndex),
    log_index: log.logIndex,
    operator,
    ...location(log.blockNumber),
  };
}

/** Current balances of tokens by owner, as the contracts return them. */
async function readHoldings() {
  const client = viem();
  const keys = new Map(nftMoves.map((move) => [`${move.token} ${move.id}`, move]));
  const owners = [...new Set(nftMoves.flatMap(({ from, to }) => [from, to]))].filter(
    (each) => each !== zeroAddress,
  );
  const balances = await Promise.all(
    [...keys.values()].map(async ({ token, id, standard }) => {
      const address = addressOf(token);
      if (standard === "ERC721") {
        const owner = await client
          .readContract({ address, abi: erc721, functionName: "ownerOf", args: [id] })
          .catch(() => undefined);
        return owner ? [{ token, id, owner: owner.toLowerCase(), amount: 1n, standard }] : [];
      }
      return Promise.all(
        owners.map(async (owner) => ({
          token,
          id,
          owner,
          amount: await client.readContract({
            address,
            abi: erc1155,
            functionName: "balanceOf",
            args: [addressOf(owner), id],
          }),
          standard,
        })),
      );
    }),
  );
  return balances.flat().filter(({ amount }) => amount > 0n);
}

function addressOf(text: string): Address {
  return `0x${text.slice(2)}`;
}

const holdingKey = (row: JsonObject) => `${row.token_address} ${row.token_id} ${row.owner_of} ${row.amount}`;

describe.each(DATABASES)("responses from an index on %s match the node:", (name) => {
  let service: TestService;

  beforeAll(async () => {
    const location = await createIndexed(name, ends);
    service = await startService({ id: chain.chainId, rpcUrls: [chain.url] }, location);
    ends.push(() => service.stop());
    const head = truth.blocks.length - 1;
    await service.waitFor(({ state, indexed }) => state === "following" && indexed === head);
  });

  /** All rows of a list, page by page. */
  async function all(name: string, params: Record<string, unknown>, limit = 3): Promise<JsonObject[]> {
    const rows: JsonObject[] = [];
    let cursor = "";
    for (let number = 0; ; number++) {
      const page = objectOf(await service.run(name, { ...params, limit, ...(cursor && { cursor }) }));
      expect(page).toMatchObject({ page: number, page_size: limit });
      rows.push(...rowsOf(page));
      cursor = String(page.cursor);
      if (cursor === "") {
        expect(rows).toHaveLength(Number(page.total));
        return rows;
      }
    }
  }

  it("every block, by number and by hash, with its transactions and logs", {
    tags: ["7.data.endpoint.block"],
  }, async () => {
    for (const block of truth.blocks) {
      const expected = {
        timestamp: iso(block.timestamp),
        number: String(block.number),
        hash: block.hash,
        parent_hash: block.parentHash,
        nonce: block.nonce,
        sha3_uncles: block.sha3Uncles,
        logs_bloom: block.logsBloom,
        transactions_root: block.transactionsRoot,
        state_root: block.stateRoot,
        receipts_root: block.receiptsRoot,
        miner: lower(block.miner),
        difficulty: String(block.difficulty),
        size: String(block.size),
        extra_data: block.extraData,
        gas_limit: String(block.gasLimit),
        gas_used: String(block.gasUsed),
        base_fee_per_gas: String(block.baseFeePerGas),
        withdrawals: [],
        transaction_count: String(block.transactions.length),
        transactions: block.transactions.map(({ hash }) => ({
          ...transactionRow(hash),
          logs: truth.logs.filter((log) => log.transactionHash === hash).map(inBlock),
        })),
      };
      const byNumber = await service.run("getBlock", { block_number_or_hash: String(block.number) });
      expect(byNumber).toMatchObject(expected);
      expect(await service.run("getBlock", { block_number_or_hash: block.hash })).toEqual(byNumber);
    }
  });

  it("returns 404 for a block and a transaction that do not exist", async () => {
    for (const [name, params] of [
      ["getBlock", { block_number_or_hash: "999999" }],
      ["getBlock", { block_number_or_hash: `0x${"ab".repeat(32)}` }],
      ["getTransaction", { transaction_hash: `0x${"ab".repeat(32)}` }],
      ["getNFTTransfersByBlock", { block_number_or_hash: "999999" }],
    ] as const)
      await expect(service.run(name, params)).rejects.toMatchObject({ status: 404 });
  });

  it("every transaction, failed ones and creations too", {
    tags: ["7.data.endpoint.transaction"],
  }, async () => {
    for (const hash of truth.receipts.keys()) {
      expect(await service.run("getTransaction", { transaction_hash: hash })).toEqual({
        ...transactionRow(hash),
        logs: truth.logs.filter((log) => log.transactionHash === hash).map(inBlock),
      });
    }
    const statuses = new Set([...truth.receipts.values()].map(({ status }) => status));
    expect(statuses).toEqual(new Set(["success", "reverted"]));
  });

  it("transactions with what well-known calls and events say", async () => {
    const { token } = devChain.contracts;
    const [account] = devChain.accounts;
    const rows = await all("getTransactionsVerbose", { address: account?.address }, 50);
    expect(rows.map(({ hash }) => hash)).toEqual(
      (await all("getTransactions", { address: account?.address }, 50)).map(({ hash }) => hash),
    );
    for (const row of rows) {
      const { decoded_call: _, logs, ...transaction } = row;
      const plain = objectOf(await service.run("getTransaction", { transaction_hash: row.hash }));
      expect(await service.run("getTransactionVerbose", { transaction_hash: row.hash })).toEqual(row);
      const undecoded = (Array.isArray(logs) ? logs : []).map((each) => {
        const { decoded_event: _, ...log } = objectOf(each);
        return log;
      });
      expect({ ...transaction, logs: undecoded }).toEqual(plain);
    }
    const transfer = rows.find(({ to_address, input }) => {
      return to_address === token.address && String(input).startsWith("0xa9059cbb");
    });
    const [to, amount] = decodeAbiParameters(
      [{ type: "address" }, { type: "uint256" }],
      `0x${String(transfer?.input).slice(10)}`,
    );
    const types = { signature: "Transfer(address,address,uint256)", label: "Transfer", type: "event" };
    expect(transfer).toMatchObject({
      decoded_call: {
        signature: "transfer(address,uint256)",
        label: "transfer",
        type: "function",
        params: [
          { name: "recipient", value: lower(to), type: "address" },
          { name: "amount", value: String(amount), type: "uint256" },
        ],
      },
      logs: [
        {
          decoded_event: {
            ...types,
            params: [
              { name: "from", value: lower(account?.address ?? "") },
              { name: "to", value: lower(to) },
              { name: "value", value: String(amount) },
            ],
          },
        },
      ],
    });
  });

  it("the numbers of blocks and tokens, and the balances of several wallets", async () => {
    for (const { number, transactions } of truth.blocks.slice(-5)) {
      const nfts = await service.run("getNFTTransfersByBlock", { block_number_or_hash: String(number) });
      const range = { from_block: String(number), to_block: String(number) };
      const tokens = rowsOf(await service.run("getErc20Transfers", range));
      expect(await service.run("getBlockStats", { block_number_or_hash: String(number) })).toEqual({
        transactions: { total: String(transactions.length) },
        nft_transfers: { total: String(objectOf(nfts).total) },
        token_transfers: { total: String(tokens.length) },
      });
    }
    const { collection } = devChain.contracts;
    const moves = nftMoves.filter(({ token, id }) => token === collection.address && id === 1n);
    const one = { address: collection.address, token_id: "1" };
    expect(await service.run("getNFTTokenStats", one)).toEqual({
      owners: { current: "1" },
      transfers: { total: String(moves.length) },
    });
    const wallets = devChain.accounts.slice(0, 3).map(({ address }) => lower(address));
    const balances = await Promise.all(
      wallets.map(async (address) =>
        BigInt(String(objectOf(await service.run("getNativeBalance", { address })).balance)),
      ),
    );
    expect(
      await service.run("getNativeBalancesForAddresses", { wallet_addresses: wallets.join(",") }),
    ).toMatchObject([
      {
        chain_id: "0x539",
        total_balance: String(balances.reduce((sum, each) => sum + each)),
        wallet_balances: wallets.map((address, i) => ({ address, balance: String(balances[i]) })),
      },
    ]);
  });

  it("transfers, mints, burns and approvals of tokens, by contracts and wallets", async () => {
    const { token } = devChain.contracts;
    const [account, other] = devChain.accounts.map(({ address }) => lower(address));
    const transferTopic = toEventSelector("Transfer(address,address,uint256)");
    const nobody = `0x${"0".repeat(40)}`;
    const keyOf = (row: JsonObject) => `${row.block_number} ${row.log_index}`;
    const moves = truth.logs
      // Not those with malformed values.
      .filter(({ topics: [topic, from, to, ...more], data }) => {
        const isAddress = (value: string | undefined) => value?.startsWith(`0x${"0".repeat(24)}`) ?? false;
        return topic === transferTopic && isAddress(from) && isAddress(to) && !more[0] && data.length === 66;
      })
      .map(({ address, topics, blockNumber, logIndex }) => ({
        token: lower(address),
        from: `0x${topics[1]?.slice(26)}`,
        to: `0x${topics[2]?.slice(26)}`,
        key: `${blockNumber} ${logIndex}`,
      }))
      .reverse();
    const listed = async (name: string, params: object = {}) =>
      rowsOf(await service.run(name, { limit: 500, ...params })).map(keyOf);
    const keys = (isWanted: (move: (typeof moves)[number]) => boolean) =>
      moves.filter(isWanted).map(({ key }) => key);
    expect(await listed("getErc20Transfers")).toEqual(keys(() => true));
    expect(await listed("getErc20Mints")).toEqual(keys(({ from }) => from === nobody));
    expect(await listed("getErc20Burns")).toEqual(keys(({ to }) => to === nobody));
    const ofToken = { contract_addresses: [token.address] };
    expect(await listed("getErc20Transfers", ofToken)).toEqual(keys((move) => move.token === token.address));
    expect(await listed("getErc20Transfers", { exclude_contracts: [token.address] })).toEqual(
      keys((move) => move.token !== token.address),
    );
    const both = { wallet_addresses: [account, other], order: "asc" };
    const isParty = ({ from, to }: { from: string; to: string }) =>
      [account, other].some((wallet) => wallet === from || wallet === to);
    expect(await listed("getErc20Transfers", both)).toEqual(keys(isParty).reverse());
    expect(await listed("getErc20Transfers", { exclude_wallets: [account] })).toEqual(
      keys(({ from, to }) => from !== account && to !== account),
    );
    const approvals = truth.logs.filter(
      ({ topics }) =>
        topics[0] === toEventSelector("Approval(address,address,uint256)") && topics.length === 3,
    );
    expect(await listed("getErc20Approvals")).toEqual(
      approvals.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`).reverse(),
    );
    const [first] = rowsOf(await service.run("getErc20Transfers", ofToken));
    expect(first).toMatchObject({ token_symbol: token.symbol, contract_address: token.address });
  });

  it("the block nearest to a date", { tags: ["7.data.endpoint.date-to-block"] }, async () => {
    const times = truth.blocks.map(({ timestamp }) => Number(timestamp));
    const first = times[0] ?? 0;
    const moments = [
      0,
      first - 100,
      first,
      ...times.slice(1, 8).flatMap((t) => [t - 1, t, t + 3 * 3600]),
      4_000_000_000,
    ];
    for (const moment of moments) {
      const answer = objectOf(
        await service.run("getDateToBlock", { date: new Date(moment * 1000).toISOString() }),
      );
      const distances = times.map((time) => Math.abs(time - moment));
      const nearestBlock = distances.indexOf(Math.min(...distances));
      expect(answer).toEqual({
        date: iso(BigInt(times[nearestBlock] ?? 0)).replace(".000Z", "+00:00"),
        block: nearestBlock,
        timestamp: times[nearestBlock],
      });
    }
  });

  it("the transactions of each account, newest first", {
    tags: ["7.data.endpoint.address-transactions", "7.data.default-order"],
  }, async () => {
    const wallets = truth.blocks.flatMap(({ transactions }) => [...transactions]).reverse();
    for (const { address } of [...devChain.accounts, devChain.contracts.token]) {
      const own = wallets.filter(({ hash, from, to }) => {
        const created = truth.receipts.get(hash)?.contractAddress;
        return [lower(from), lower(to), lower(created)].includes(lower(address));
      });
      const expected = own.map(({ hash }) => transactionRow(hash));
      expect(await all("getTransactions", { address }, 7)).toEqual(expected);
    }
  });

  it("the logs of each contract, by topics and blocks too", {
    tags: ["7.data.endpoint.address-logs"],
  }, async () => {
    const newestFirst = truth.logs.toReversed();
    for (const address of new Set(newestFirst.map((log) => log.address))) {
      const own = newestFirst.filter((log) => log.address === address);
      const expected = own.map((log) => ({ transaction_hash: log.transactionHash, ...rawLog(log) }));
      expect(await all("getLogsByAddress", { address }, 4)).toEqual(expected);
      const [topic0, topic1] = own[0]?.topics ?? [];
      if (topic0) {
        expect(await all("getLogsByAddress", { address, topic0, ...(topic1 && { topic1 }) })).toEqual(
          expected.filter((row) => row.topic0 === topic0 && (!topic1 || row.topic1 === topic1)),
        );
      }
      const block = expected.at(-1)?.block_number;
      expect(await all("getLogsByAddress", { address, block_number: block, from_block: 1 })).toEqual(
        expected.filter((row) => row.block_number === block),
      );
    }
  });

  it("the events of a contract, decoded by the caller's ABI", {
    tags: ["7.data.endpoint.address-events"],
  }, async () => {
    const { token, items } = devChain.contracts;
    const [transfer] = erc20;
    const topic = toEventSelector(transfer);
    const own = parseEventLogs({
      abi: erc20,
      eventName: "Transfer",
      logs: truth.logs.filter((log) => lower(log.address) === token.address),
    }).reverse();
    const expected = own.map((log) => ({
      transaction_hash: log.transactionHash,
      address: token.address,
      ...location(log.blockNumber),
      data: { from: lower(log.args.from), to: lower(log.args.to), value: String(log.args.value) },
    }));
    for (const data of [transfer, [transfer], JSON.stringify(transfer)])
      expect(await service.run("getContractEvents", { address: token.address, topic, data })).toEqual({
        total: expected.length,
        page: 0,
        page_size: 500,
        cursor: "",
        result: expected,
      });
    const some = { address: token.address, topic, abi: transfer, limit: 3 };
    const second = await service.run("getContractEvents", { ...some, offset: 3 });
    expect(second).toMatchObject({ total: expected.length, page: 1, result: expected.slice(3, 6) });
    const first = await service.run("getContractEvents", some);
    expect(await service.run("getContractEvents", { ...some, cursor: Object(first).cursor })).toEqual(second);
    expect(await service.run("getContractEvents", { ...some, order: "ASC" })).toMatchObject({
      result: expected.slice(-3).reverse(),
    });

    const batch = erc1155[1];
    const [event] = rowsOf(
      await service.run("getContractEvents", {
        address: items.address,
        topic: toEventSelector(batch),
        data: batch,
      }),
    );
    expect(Object(event?.data).ids).toEqual(expect.arrayContaining([expect.stringMatching(/^\d+$/)]));
  });

  it("rejects an ABI without the event of the topic", async () => {
    const [transfer] = erc20;
    const address = devChain.contracts.token.address;
    const wrong = { address, topic: `0x${"12".repeat(32)}`, data: transfer };
    await expect(service.run("getContractEvents", wrong)).rejects.toMatchObject({ status: 400 });
    await expect(
      service.run("getContractEvents", { address, topic: toEventSelector(transfer) }),
    ).rejects.toMatchObject({ status: 400, message: "param data is required!" });
  });

  it("the transfers of NFTs, by block and by range", {
    tags: ["7.data.endpoint.block-nft-transfers", "7.data.endpoint.nft-transfers-all"],
  }, async () => {
    const expected = nftMoves.map(moveRow);
    const hostile = Object.values(devChain.contracts.hostile).map(({ address }) => address);
    const standardOnly = (rows: JsonObject[]) =>
      rows.filter(({ token_address }) => !hostile.includes(addressOf(String(token_address))));
    expect(standardOnly(await all("getNftTransfersFromToBlock", { from_block: 0 }))).toEqual(expected);
    const [from, to] = [Number(nftMoves.at(-1)?.log.blockNumber), Number(nftMoves[2]?.log.blockNumber)];
    expect(
      standardOnly(await all("getNftTransfersFromToBlock", { from_block: from + 1, to_block: to })),
    ).toEqual(expected.filter((row) => Number(row.block_number) > from && Number(row.block_number) <= to));
    for (const { number, hash } of truth.blocks) {
      const own = expected.filter((row) => row.block_number === String(number));
      for (const block_number_or_hash of [String(number), hash]) {
        const page = objectOf(await service.run("getNFTTransfersByBlock", { block_number_or_hash }));
        expect(standardOnly(rowsOf(page))).toEqual(own);
        expect(page).toMatchObject({ block_exists: true, index_complete: true });
      }
    }
  });

  it("rejects a query of all NFT transfers without bounds", async () => {
    await expect(service.run("getNftTransfersFromToBlock", {})).rejects.toMatchObject({ status: 400 });
  });

  it("the transfers of NFTs of each account, in either direction", {
    tags: ["7.data.endpoint.address-nft-transfers"],
  }, async () => {
    for (const { address } of devChain.accounts) {
      const wallet = lower(address);
      const both = nftMoves.filter(({ from, to }) => from === wallet || to === wallet);
      expect(await all("getNFTTransfers", { address })).toEqual(both.map(moveRow));
      for (const direction of ["from", "to"] as const) {
        const own = both.filter((move) => move[direction] === wallet);
        expect(await all("getNFTTransfers", { address, direction })).toEqual(own.map(moveRow));
      }
    }
  });

  it("the transfers of collections and of their tokens", {
    tags: ["7.data.endpoint.nft-contract-transfers", "7.data.endpoint.nft-token-transfers"],
  }, async () => {
    const { collection, gallery, items, tickets } = devChain.contracts;
    for (const { address } of [collection, gallery, items, tickets]) {
      const own = nftMoves.filter(({ token }) => token === address);
      expect(await all("getContractNFTTransfers", { address })).toEqual(own.map(moveRow));
      for (const id of new Set(own.map((move) => move.id))) {
        const ofToken = own.filter((move) => move.id === id).map(moveRow);
        const params = { address, token_id: String(id) };
        expect(await all("getWalletTokenIdTransfers", params)).toEqual(ofToken);
        expect(await all("getWalletTokenIdTransfers", { ...params, order: "block_number.ASC" })).toEqual(
          ofToken.toReversed(),
        );
        const hex = { ...params, token_id: `0x${id.toString(16)}`, format: "hex" };
        expect((await all("getWalletTokenIdTransfers", hex)).map(({ token_id }) => token_id)).toEqual(
          ofToken.map(() => `0x${id.toString(16)}`),
        );
      }
    }
  });

  it("the NFTs of each account, as in the contracts", {
    tags: ["7.data.endpoint.address-nft", "7.data.endpoint.address-nft-contract"],
  }, async () => {
    const { collection, gallery, items, tickets } = devChain.contracts;
    const standard = [collection, gallery, items, tickets].map(({ address }) => address);
    for (const { address } of devChain.accounts) {
      const own = nftHoldings
        .filter(({ owner }) => owner === lower(address))
        .map(({ token, id, owner, amount }) => `${token} ${id} ${owner} ${amount}`);
      const rows = await all("getNFTs", { address, token_addresses: standard });
      expect(rows.map(holdingKey).sort()).toEqual(own.sort());
      for (const token_address of standard) {
        const ofContract = await all("getNFTsForContract", { address, token_address });
        expect(ofContract.map(holdingKey).sort()).toEqual(
          own.filter((key) => key.startsWith(token_address)).sort(),
        );
      }
    }
  });

  it("lists by offset, order, blocks and contracts, with a total unless it is disabled", async () => {
    const [account] = devChain.accounts;
    const address = account?.address;
    const { collection, gallery, token } = devChain.contracts;
    const of = { address: collection.address };
    const lists: readonly [name: string, params: Record<string, unknown>, isOrdered: boolean][] = [
      ["getNFTTransfers", { address }, true],
      ["getTokenTransfers", { address }, true],
      ["getContractNFTTransfers", of, true],
      ["getTokenAddressTransfers", { address: token.address }, true],
      ["getLogsByAddress", { address: token.address }, true],
      ["getNFTs", { address }, false],
      ["getNFTOwners", of, false],
      ["getAllTokenIds", of, false],
    ];
    for (const [name, params, isOrdered] of lists) {
      const rows = await all(name, params, 100);
      expect([name, rows.length > 3]).toEqual([name, true]);
      const page = objectOf(await service.run(name, { ...params, offset: 2, limit: 2 }));
      expect([name, page.page, page.total, page.result]).toEqual([name, 1, rows.length, rows.slice(2, 4)]);
      const rest = await service.run(name, { ...params, limit: 100, cursor: page.cursor });
      expect([name, rowsOf(rest)]).toEqual([name, rows.slice(4)]);
      const uncounted = await service.run(name, { ...params, limit: 2, disable_total: "true" });
      expect([name, uncounted]).not.toHaveProperty([1, "total"]);
      if (!isOrdered) continue;
      const ascending = await service.run(name, { ...params, order: "ASC", limit: 100 });
      expect([name, rowsOf(ascending)]).toEqual([name, rows.toReversed()]);
      const block = Number(rows[1]?.block_number);
      const until = await service.run(name, { ...params, to_block: block, limit: 100 });
      expect([name, rowsOf(until)]).toEqual([name, rows.filter((row) => Number(row.block_number) <= block)]);
    }
    const contracts: string[] = [collection.address, gallery.address];
    const moved = await all("getNFTTransfers", { address, contract_addresses: contracts });
    expect(moved).toEqual(
      (await all("getNFTTransfers", { address })).filter((row) =>
        contracts.includes(String(row.token_address)),
      ),
    );
    expect(await all("getTokenTransfers", { address, contract_addresses: [token.address] })).toEqual(
      (await all("getTokenTransfers", { address })).filter((row) => row.address === token.address),
    );
  });

  it("the owners and the tokens of collections", {
    tags: [
      "7.data.endpoint.nft-contract-owners",
      "7.data.endpoint.nft-token-owners",
      "7.data.endpoint.nft-contract",
    ],
  }, async () => {
    const { collection, gallery, items, tickets } = devChain.contracts;
    for (const { address, name: collectionName, symbol } of [collection, gallery, items, tickets]) {
      const own = nftHoldings.filter(({ token }) => token === address);
      const key = ({ token, id, owner, amount }: (typeof own)[number]) => `${token} ${id} ${owner} ${amount}`;
      const owners = await all("getNFTOwners", { address });
      expect(owners.map(holdingKey).sort()).toEqual(own.map(key).sort());
      for (const row of owners) {
        const ofToken = nftMoves.filter(({ token, id }) => token === address && String(id) === row.token_id);
        const received = ofToken.find(({ to }) => to === row.owner_of);
        expect(row).toMatchObject({
          name: collectionName,
          symbol,
          block_number: String(received?.log.blockNumber),
          block_number_minted: String(ofToken.at(-1)?.log.blockNumber),
          contract_type: ofToken[0]?.standard,
        });
      }
      const ids = [...new Set(own.map(({ id }) => id))];
      const tokens = await all("getAllTokenIds", { address });
      expect(tokens.map(({ token_id }) => BigInt(String(token_id)))).toEqual(
        ids.sort((a, b) => (a < b ? -1 : 1)),
      );
      for (const { token_id, amount } of tokens) {
        const ofToken = own.filter(({ id }) => String(id) === token_id);
        expect(amount).toBe(String(ofToken.reduce((sum, each) => sum + each.amount, 0n)));
        const rows = await all("getTokenIdOwners", { address, token_id });
        expect(rows.map(holdingKey).sort()).toEqual(ofToken.map(key).sort());
      }
    }
  });

  it("a token and its collection", {
    tags: ["7.data.endpoint.nft-token", "7.data.endpoint.nft-contract-metadata"],
  }, async () => {
    const { collection } = devChain.contracts;
    const uri = await viem().readContract({
      address: collection.address,
      abi: erc721,
      functionName: "tokenURI",
      args: [1n],
    });
    expect(
      await service.run("getTokenIdMetadata", { address: collection.address, token_id: "1" }),
    ).toMatchObject({
      token_address: collection.address,
      token_id: "1",
      contract_type: "ERC721",
      token_uri: uri || null,
      amount: "1",
      name: collection.name,
      symbol: collection.symbol,
    });
    const [owned] = await all("getTokenIdOwners", { address: collection.address, token_id: "1" });
    const ownership = {
      owner_of: owned?.owner_of,
      block_number: owned?.block_number,
      block_number_minted: owned?.block_number_minted,
    };
    const key = { token_address: collection.address, token_id: "1" };
    expect(
      await service.run("getTokenIdMetadata", { address: collection.address, token_id: "1" }),
    ).toMatchObject(ownership);
    expect(await service.run("getMultipleNFTs", { tokens: [key] })).toMatchObject([ownership]);
    expect(await service.run("getNFTMetadata", { address: collection.address })).toMatchObject({
      token_address: collection.address,
      name: collection.name,
      symbol: collection.symbol,
      contract_type: "ERC721",
    });
    await expect(
      service.run("getTokenIdMetadata", { address: collection.address, token_id: "987654321" }),
    ).rejects.toMatchObject({ status: 404 });
    await expect(
      service.run("getNFTMetadata", { address: devChain.contracts.token.address }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("the transfers of each ERC-20 token", { tags: ["7.data.endpoint.erc20-transfers"] }, async () => {
    const { token, dollar, point, legacy } = devChain.contracts;
    for (const { address } of [token, dollar, point, legacy]) {
      const logs = truth.logs.filter((log) => lower(log.address) === address);
      const expected = parseEventLogs({ abi: erc20, eventName: "Transfer", logs })
        .reverse()
        .map((log) => ({
          transaction_hash: log.transactionHash,
          address,
          from_address: lower(log.args.from),
          to_address: lower(log.args.to),
          value: String(log.args.value),
          log_index: log.logIndex,
          ...location(log.blockNumber),
        }));
      expect(await all("getTokenAddressTransfers", { address }, 5)).toEqual(expected);
      const since = { address, from_date: expected[1]?.block_timestamp, limit: 100 };
      expect(rowsOf(await service.run("getTokenAddressTransfers", since))).toEqual(
        expected.filter(({ block_timestamp }) => block_timestamp >= (expected[1]?.block_timestamp ?? "")),
      );
    }
  });

  it("token metadata, by address and by symbol", {
    tags: ["7.data.endpoint.erc20-metadata", "7.data.endpoint.erc20-metadata-symbols"],
  }, async () => {
    const { token, dollar, point, legacy } = devChain.contracts;
    const own = [token, dollar, point, legacy];
    const expected = own.map(({ address, name, symbol, decimals }) => ({
      address,
      name,
      symbol,
      decimals: String(decimals),
    }));
    const rows = rowsOf(
      await service.run("getTokenMetadata", { addresses: own.map(({ address }) => address) }),
    );
    expect(rows.map(({ address, name, symbol, decimals }) => ({ address, name, symbol, decimals }))).toEqual(
      expected,
    );
    // Read asynchronously.
    const symbols = async () => {
      const found = await service.run("getTokenMetadataBySymbol", { symbols: "pusd,POINT" });
      return rowsOf(found)
        .map(({ symbol }) => symbol)
        .sort();
    };
    await expect.poll(symbols, { timeout: 60_000 }).toEqual(["POINT", "pUSD"]);
  });

  it("the allowance of a spender", { tags: ["7.data.endpoint.erc20-allowance"] }, async () => {
    const { token } = devChain.contracts;
    const [owner_address, spender_address] = [chain.account(2), chain.account(3)];
    const allowance = await viem().readContract({
      address: token.address,
      abi: parseAbi(["function allowance(address, address) view returns (uint256)"]),
      functionName: "allowance",
      args: [owner_address, spender_address],
    });
    expect(allowance).toBeGreaterThan(0n);
    const params = { address: token.address, owner_address, spender_address };
    expect(await service.run("getTokenAllowance", params)).toEqual({ allowance: String(allowance) });
    await expect(
      service.run("getTokenAllowance", { ...params, address: chain.account(4) }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("computes balances of past blocks whose state the node has pruned, or returns an error if it cannot", async () => {
    const location = await createIndexed(name, ends);
    const forgetful = await proxyNode(chain.url, ({ method, params: [, block] }) => {
      const isPast = typeof block === "string" && block.startsWith("0x");
      return isPast && (method === "eth_call" || method === "eth_getBalance")
        ? {
            error: { code: -32_000, message: "missing trie node 51f (path 0a) state 0x51f is not available" },
          }
        : undefined;
    });
    ends.push(() => forgetful.stop());
    const other = await startService({ id: chain.chainId, rpcUrls: [forgetful.url] }, location);
    ends.push(() => other.stop());
    await other.waitFor(({ state, indexed }) => state === "following" && indexed === truth.blocks.length - 1);
    const token = devChain.contracts.token.address;
    for (const { address } of devChain.accounts) {
      const block = { address: token, abi: erc20, functionName: "balanceOf", blockNumber: 12n } as const;
      const held = await viem().readContract({ ...block, args: [address] });
      const rows = rowsOf(
        await other.run("getTokenBalances", { address, to_block: 12, token_addresses: [token] }),
      );
      expect(rows.map(({ balance }) => balance)).toEqual(held > 0n ? [String(held)] : []);
    }
    await expect(other.run("getNativeBalance", { address: token, to_block: 12 })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("missing trie node"),
    });
  });

  it("hostile contracts do not affect other responses", async () => {
    const { hostile } = devChain.contracts;
    for (const { address } of Object.values(hostile)) {
      const rows = await all("getTokenAddressTransfers", { address });
      for (const row of rows) expect(row.value).toMatch(/^\d+$/);
      expect(rowsOf(await service.run("getTokenMetadata", { addresses: address }))).toHaveLength(1);
    }
    const [bad] = rowsOf(await service.run("getTokenMetadata", { addresses: hostile.name.address }));
    expect(String(bad?.symbol).length).toBeLessThanOrEqual(32);
    const topics = encodeEventTopics({ abi: erc20, eventName: "Transfer" });
    const odd = truth.logs.filter(
      (log) => lower(log.address) === hostile.logs.address && log.topics[0] === topics[0],
    );
    expect(odd.length).toBeGreaterThan(0);
  });

  it("returns 501 for endpoints without a data source", async () => {
    await expect(
      service.run("getTokenPrice", { address: devChain.contracts.token.address }),
    ).rejects.toMatchObject({ status: 501 });
  });
});
