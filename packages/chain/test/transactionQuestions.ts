import type { JsonObject } from "@purse/protocol";
import { type Address, getContractAddress, parseAbi, toEventSelector } from "viem";
import { expect } from "vitest";
import { lower, type NodeHistory } from "./nodeHistory.ts";
import { allRows, fieldsOf, type Questioner, type Questions } from "./randomQuestions.ts";

const abi = parseAbi([
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function balanceOf(address owner) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
]);
const [TRANSFER_EVENT, BALANCE_OF, TOTAL_SUPPLY] = abi;

/** Questions about blocks, transactions, logs, contracts and wallets; `contracts` are those with logs. */
export function transactionQuestions(asker: Questioner, contracts: readonly Address[]): Questions {
  const { choice, node, accounts, tokens, collections, run } = asker;
  const json = (value: object): JsonObject => JSON.parse(JSON.stringify(value));

  return {
    async "the transactions of an address"() {
      const address = choice.isTrue(0.7) ? choice.of(accounts) : choice.of(contracts);
      const order = choice.of(["asc", "desc"]);
      const rows = await allRows(asker, "getTransactions", { address, order });
      const truth = transactionsOf(node, address).map((each) => ({
        hash: each.hash,
        from_address: each.from,
        to_address: each.to,
        value: String(each.value),
        nonce: String(each.nonce),
        gas: String(each.gas),
        input: each.input,
        block_hash: each.blockHash,
      }));
      const names = ["hash", "from_address", "to_address", "value", "nonce", "gas", "input", "block_hash"];
      expect(rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))).toEqual(
        order === "asc" ? truth.reverse() : truth,
      );
    },
    async "a transaction with its receipt and logs"() {
      const { hash } = choice.of(node.transactions);
      const [transaction, receipt] = await Promise.all([
        node.client.getTransaction({ hash }),
        node.client.getTransactionReceipt({ hash }),
      ]);
      const answer = await fieldsOf(asker, "getTransaction", { transaction_hash: hash });
      expect(answer).toMatchObject({
        hash,
        block_number: String(receipt.blockNumber),
        block_hash: receipt.blockHash,
        from_address: lower(transaction.from),
        to_address: transaction.to && lower(transaction.to),
        value: String(transaction.value),
        input: transaction.input,
        nonce: String(transaction.nonce),
        receipt_gas_used: String(receipt.gasUsed),
        receipt_cumulative_gas_used: String(receipt.cumulativeGasUsed),
        receipt_status: receipt.status === "success" ? "1" : "0",
        receipt_contract_address: receipt.contractAddress ? lower(receipt.contractAddress) : null,
      });
      const logs = Array.isArray(answer.logs) ? answer.logs : [];
      expect(logs.map((log) => [Object(log).log_index, Object(log).address, Object(log).data])).toEqual(
        receipt.logs.map(({ logIndex, address, data }) => [String(logIndex), lower(address), data]),
      );
    },
    async "the logs of a contract"() {
      const address = choice.of(contracts);
      const own = node.logs.filter((log) => lower(log.address) === lower(address));
      const topics = choice.isTrue() ? [] : (own[choice.below(Math.max(1, own.length))]?.topics ?? []);
      const last = choice.below(4);
      const filter = Object.fromEntries(
        topics.flatMap((topic, i) => (i === 0 || i === last ? [[`topic${i}`, topic]] : [])),
      );
      const rows = await allRows(asker, "getLogsByAddress", { address, ...filter });
      const answered = rows.map((row) => [
        ...[row.transaction_hash, row.block_hash, row.data],
        ...[row.topic0, row.topic1, row.topic2, row.topic3],
      ]);
      const truth = own
        .filter(({ topics: found }) =>
          Object.entries(filter).every(([name, topic]) => found[Number(name.at(-1))] === topic),
        )
        .map((log) => {
          const all = [0, 1, 2, 3].map((i) => log.topics[i] ?? null);
          return [log.transactionHash, log.blockHash, log.data, ...all];
        });
      expect(answered).toEqual(truth.reverse());
    },
    async "the decoded events of a contract"() {
      const address = choice.of(tokens);
      const topic = toEventSelector(TRANSFER_EVENT);
      const answer = await run("getContractEvents", {
        address,
        topic,
        data: json(TRANSFER_EVENT),
        limit: 500,
      });
      const own = node.logs.filter((log) => lower(log.address) === lower(address) && log.topics[0] === topic);
      const truth = own
        .reverse()
        .slice(0, 500)
        .map(({ topics, data, transactionHash }) => ({
          transaction_hash: transactionHash,
          data: {
            from: `0x${topics[1]?.slice(26)}`,
            to: `0x${topics[2]?.slice(26)}`,
            value: String(BigInt(data)),
          },
        }));
      const { result } = Object(answer);
      const rows: unknown[] = Array.isArray(result) ? result : [];
      expect(
        rows.map((row) => {
          const { transaction_hash, data } = Object(row);
          return { transaction_hash, data: { ...data, from: lower(data.from), to: lower(data.to) } };
        }),
      ).toEqual(truth);
    },
    async "a function of a contract"() {
      const address = choice.of(tokens);
      const owner = choice.of(accounts);
      const args = [owner] as const;
      const [supply, balance] = await Promise.all([
        node.client.readContract({ address, abi, functionName: "totalSupply" }),
        node.client.readContract({ address, abi, functionName: "balanceOf", args }),
      ]);
      const call = (function_name: string, item: object, params: JsonObject) =>
        run("runContractFunction", { address, function_name, abi: [json(item)], params });
      expect(await call("totalSupply", TOTAL_SUPPLY, {})).toBe(String(supply));
      expect(await call("balanceOf", BALANCE_OF, { owner })).toBe(String(balance));
    },
    async "a block"() {
      const number = choice.below(node.head + 1);
      const { hash, parentHash, timestamp, transactions, gasUsed } = await node.readBlock(number);
      const block_number_or_hash = choice.isTrue() ? number : hash;
      const answer = await fieldsOf(asker, "getBlock", { block_number_or_hash });
      expect(answer).toMatchObject({
        number: String(number),
        hash,
        parent_hash: parentHash,
        timestamp: new Date(Number(timestamp) * 1_000).toISOString(),
        gas_used: String(gasUsed),
        transaction_count: String(transactions.length),
      });
      const listed = Array.isArray(answer.transactions) ? answer.transactions : [];
      expect(listed.map((each) => Object(each).hash)).toEqual(transactions.map((each) => each.hash));
    },
    async "the block of a time"() {
      const times = node.blocks.map(({ timestamp }) => Number(timestamp));
      const date = choice.of(times) + choice.below(3) - 1;
      const { block, timestamp } = await fieldsOf(asker, "getDateToBlock", { date });
      // The nearest one; several blocks can have the same time.
      expect(timestamp).toBe(times[Number(block)]);
      expect(Math.abs(Number(timestamp) - date)).toBe(
        Math.min(...times.map((each) => Math.abs(each - date))),
      );
    },
    async "the native balance at a block"() {
      const [address, to_block] = [choice.of(accounts), choice.below(node.head + 1)];
      const balance = await node.client.getBalance({ address, blockNumber: BigInt(to_block) });
      expect(await run("getNativeBalance", { address, to_block })).toEqual({ balance: String(balance) });
    },
    async "what happened to a wallet"() {
      const address = choice.of(accounts);
      const own = lower(address);
      const moved = [...node.erc20Moves(), ...node.nftMoves()]
        .filter(({ from, to }) => from === own || to === own)
        .map(({ hash }) => hash);
      const hashes = new Set([...moved, ...transactionsOf(node, address).map(({ hash }) => hash)]);
      const rows = await allRows(asker, "getWalletHistory", { address });
      expect(rows.map(({ hash }) => hash)).toEqual(
        node.transactions.map(({ hash }) => hash).filter((hash) => hashes.has(hash)),
      );
    },
    async "the figures of a wallet"() {
      const address = choice.of(accounts);
      const own = lower(address);
      const held = [...node.nftHoldings().keys()].filter((key) => key.endsWith(own));
      const moves = node.nftMoves().filter(({ from, to }) => from === own || to === own);
      expect(await fieldsOf(asker, "getWalletStats", { address })).toEqual({
        nfts: String(held.length),
        collections: String(new Set(held.map((key) => key.split(" ")[0])).size),
        transactions: { total: String(transactionsOf(node, address).length) },
        nft_transfers: { total: String(moves.length) },
        token_transfers: {
          total: String(node.erc20Moves().filter(({ from, to }) => from === own || to === own).length),
        },
      });
    },
    async "the first and last transaction of a wallet"() {
      const address = choice.of([...accounts, ...collections]);
      const hashes = transactionsOf(node, address).map(({ hash }) => hash);
      const { active_chains } = await fieldsOf(asker, "getWalletActiveChains", { address });
      const [active] = Array.isArray(active_chains) ? active_chains : [];
      const { first_transaction, last_transaction } = Object(active);
      expect([first_transaction?.transaction_hash, last_transaction?.transaction_hash]).toEqual([
        hashes.at(-1),
        hashes[0],
      ]);
    },
  };
}

/** Of an address as sender, receiver or created contract, latest first. */
export function transactionsOf(node: NodeHistory, address: string) {
  return node.transactions.filter(({ from, to, nonce }) => {
    if (from === lower(address) || to === lower(address)) return true;
    const created = to === null && getContractAddress({ from, nonce: BigInt(nonce) });
    return created && lower(created) === lower(address);
  });
}
