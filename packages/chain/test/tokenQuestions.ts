import type { JsonObject } from "@purse/protocol";
import { type Address, parseAbi } from "viem";
import { expect } from "vitest";
import { type Erc20Move, lower, NOBODY } from "./nodeHistory.ts";
import { allRows, fieldsOf, type Questioner, type Questions } from "./randomQuestions.ts";

const abi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function totalSupply() view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
]);
const HOUR = 3_600;

/** Questions about ERC-20 tokens. */
export function tokenQuestions(asker: Questioner): Questions {
  const { choice, node, accounts, tokens, run } = asker;
  const read = <Name extends "name" | "symbol" | "decimals" | "totalSupply">(
    token: Address,
    functionName: Name,
  ) => node.client.readContract({ address: token, abi, functionName });
  const balanceOf = (token: Address, owner: Address, block: number) =>
    node.client.readContract({
      address: token,
      abi,
      functionName: "balanceOf",
      args: [owner],
      blockNumber: BigInt(block),
    });
  const known = new Set(tokens.map(lower));
  const metadataOf = async (token: Address) => ({
    address: lower(token),
    name: await read(token, "name"),
    symbol: await read(token, "symbol"),
    decimals: String(await read(token, "decimals")),
  });
  const moveOf = (row: Record<string, unknown>): Omit<Erc20Move, "hash"> => ({
    block: Number(row.block_number),
    token: String(row.address),
    from: String(row.from_address),
    to: String(row.to_address),
    value: String(row.value),
  });
  const withoutHash = ({ hash: _, ...move }: Erc20Move) => move;

  return {
    async "the balances of a wallet at a block"() {
      const [address, to_block] = [choice.of(accounts), choice.below(node.head + 1)];
      const answer = await run("getTokenBalances", { address, to_block });
      const listed = new Map(
        (Array.isArray(answer) ? answer : []).map((row) => {
          const { token_address, balance } = Object(row);
          return [token_address, balance];
        }),
      );
      for (const token of tokens) {
        const balance = await balanceOf(token, address, to_block).catch(() => 0n);
        const at = `${token} of ${address} at ${to_block}`;
        expect(listed.get(lower(token)) ?? "0", at).toBe(String(balance));
      }
    },
    async "the token transfers of a wallet between blocks"() {
      const address = choice.of(accounts);
      const [from_block = 0, to_block = 0] = [choice.below(node.head), choice.below(node.head)].sort(
        (a, b) => a - b,
      );
      const rows = await allRows(asker, "getTokenTransfers", { address, from_block, to_block });
      const own = lower(address);
      const truth = node
        .erc20Moves()
        .filter(({ token, from, to }) => known.has(token) && (from === own || to === own))
        .filter(({ block }) => block >= from_block && block <= to_block);
      expect(rows.filter((row) => known.has(String(row.address))).map(moveOf)).toEqual(
        truth.map(withoutHash),
      );
    },
    async "the transfers of a token"() {
      const address = choice.of(tokens);
      const rows = await allRows(asker, "getTokenAddressTransfers", { address });
      const truth = node.erc20Moves().filter(({ token }) => token === lower(address));
      expect(rows.map((row) => [row.transaction_hash, moveOf(row)])).toEqual(
        truth.map((move) => [move.hash, withoutHash(move)]),
      );
    },
    async "the owners of a token"() {
      const address = choice.of(tokens);
      const order = choice.of(["asc", "desc"]);
      const rows = await allRows(asker, "getTokenOwners", { address, order });
      const balances = rows.map(({ balance }) => BigInt(String(balance)));
      const sorted = balances.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(balances).toEqual(order === "asc" ? sorted : sorted.reverse());
      expect(new Map(rows.map(({ owner_address }, i) => [owner_address, balances[i]]))).toEqual(
        node.erc20Holdings(address),
      );
    },
    async "the figures of a token"() {
      const address = choice.of(tokens);
      const stats = await fieldsOf(asker, "getTokenStats", { address });
      expect(stats).toMatchObject({
        holders: { total: node.erc20Holdings(address).size },
        transfers: { total: node.erc20Moves().filter(({ token }) => token === lower(address)).length },
        total_supply: String(await read(address, "totalSupply")),
      });
    },
    async "the numbers of holders over time"() {
      const address = choice.of(tokens);
      const toDate = node.timeOf(choice.below(node.head + 1));
      const fromDate = toDate - choice.below(6) * HOUR;
      const { result } = await fieldsOf(asker, "getHistoricalTokenHolders", {
        address,
        fromDate,
        toDate,
        timeFrame: "1h",
      });
      for (const row of Array.isArray(result) ? result : []) {
        const { timestamp, totalHolders, netHolderChange } = Object(row);
        const time = Date.parse(timestamp) / 1_000;
        const total = node.erc20Holdings(address, time).size;
        const before = node.erc20Holdings(address, time - HOUR).size;
        expect({ timestamp, totalHolders, netHolderChange }).toEqual({
          timestamp,
          totalHolders: total,
          netHolderChange: total - before,
        });
      }
    },
    async "the allowance of a spender"() {
      const [address, owner, spender] = [choice.of(tokens), choice.of(accounts), choice.of(accounts)];
      const allowance = await node.client
        .readContract({ address, abi, functionName: "allowance", args: [owner, spender] })
        .catch(() => 0n);
      const params = { address, owner_address: owner, spender_address: spender };
      expect(await run("getTokenAllowance", params)).toEqual({ allowance: String(allowance) });
    },
    async "the name, symbol and decimals of tokens"() {
      const token = choice.of(tokens);
      const metadata = await metadataOf(token);
      const [name, params] = choice.of<[string, JsonObject]>([
        ["getTokenMetadata", { addresses: [token] }],
        ["getTokenMetadataBySymbol", { symbols: [metadata.symbol] }],
        ["searchTokens", { query: token }],
        ["searchTokens", { query: metadata.symbol }],
      ]);
      const answer = await run(name, params);
      expect(answer).toContainEqual(expect.objectContaining(metadata));
    },
    async "the transfers of no token at all"() {
      const address = lower(NOBODY).replace(/0$/, String(1 + choice.below(9)));
      expect(await allRows(asker, "getTokenAddressTransfers", { address })).toEqual([]);
      expect(await allRows(asker, "getTokenTransfers", { address })).toEqual([]);
    },
  };
}
