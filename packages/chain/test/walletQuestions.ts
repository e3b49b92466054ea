import type { JsonObject, JsonValue } from "@purse/protocol";
import { type Address, formatEther, type Hex, parseAbi, toEventSelector } from "viem";
import { expect } from "vitest";
import { areAddresses, lower, type NftMove, NOBODY, party } from "./nodeHistory.ts";
import { allRows, fieldsOf, type Questioner, type Questions } from "./randomQuestions.ts";
import { transactionsOf } from "./transactionQuestions.ts";

const abi = parseAbi([
  "function allowance(address owner, address spender) view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)",
  "function getApproved(uint256 id) view returns (address)",
  "function ownerOf(uint256 id) view returns (address)",
  "function isApprovedForAll(address owner, address operator) view returns (bool)",
]);
const APPROVAL = toEventSelector("Approval(address,address,uint256)");
const APPROVAL_FOR_ALL = toEventSelector("ApprovalForAll(address,address,bool)");

/** Questions about what wallets allow, did and wait for. */
export function walletQuestions(asker: Questioner): Questions {
  const { choice, node, accounts, waiting, run } = asker;

  /** The logs of approvals by a wallet. */
  const approvalLogs = (owner: string) =>
    node.logs.filter(
      ({ topics: [topic, by, spender] }) =>
        (topic === APPROVAL || topic === APPROVAL_FOR_ALL) &&
        areAddresses(by, spender) &&
        party(by) === lower(owner),
    );

  /** What is left of the approvals of a wallet according to the contracts, with what it puts at risk. */
  async function openApprovals(owner: Address): Promise<string[]> {
    const keys = new Map(
      approvalLogs(owner).map(({ address, topics: [topic, , spender, id] }) => {
        return [`${address} ${topic} ${spender} ${id}`, { address, topic, spender: party(spender), id }];
      }),
    );
    const found = await Promise.all(
      [...keys.values()].map(async ({ address, topic, spender, id }) => {
        const token = lower(address);
        const parties = [owner, spender] as const;
        if (topic === APPROVAL_FOR_ALL) {
          const isApproved = await node.client
            .readContract({ address, abi, functionName: "isApprovedForAll", args: parties })
            .catch(() => false);
          const owned = [...node.nftHoldings().keys()].filter(
            (key) => key.startsWith(token) && key.endsWith(lower(owner)),
          );
          return isApproved ? [`nft_collection ${token} ${spender} null null ${owned.length}`] : [];
        }
        if (id !== undefined) {
          const args = [BigInt(id)] as const;
          const [approved, holder] = await Promise.all([
            node.client.readContract({ address, abi, functionName: "getApproved", args }),
            node.client.readContract({ address, abi, functionName: "ownerOf", args }),
          ]).catch(() => [NOBODY, NOBODY]);
          const isOpen = lower(approved) === spender && lower(holder) === lower(owner);
          return isOpen ? [`nft ${token} ${spender} ${BigInt(id)} null 1`] : [];
        }
        const [allowance, balance] = await Promise.all([
          node.client.readContract({ address, abi, functionName: "allowance", args: parties }),
          node.client.readContract({ address, abi, functionName: "balanceOf", args: [owner] }),
        ]).catch(() => [0n, 0n] as const);
        const atRisk = allowance < balance ? allowance : balance;
        return allowance > 0n ? [`erc20 ${token} ${spender} null ${allowance} ${atRisk}`] : [];
      }),
    );
    return found.flat();
  }

  return {
    async "the open approvals of a wallet"() {
      const address = choice.of(accounts);
      const rows = await allRows(asker, "getWalletApprovals", { address });
      const answered = rows.map((row) => {
        const { token, spender } = row;
        const { address: contract, token_id, amount_at_risk, usd_price, usd_at_risk } = Object(token);
        expect(usd_at_risk === null).toBe(usd_price === null);
        const key = `${row.approval_type} ${contract} ${Object(spender).address}`;
        return `${key} ${token_id} ${row.value} ${amount_at_risk}`;
      });
      expect(answered.toSorted()).toEqual((await openApprovals(address)).toSorted());
    },
    async "the history of a wallet"() {
      const address = choice.of(accounts);
      const own = lower(address);
      const order = choice.of(["asc", "desc"]);
      const include_internal_transactions = choice.isTrue();
      const params = { address, order, include_internal_transactions };
      const rows = await allRows(asker, "getWalletHistory", params);
      const concerns = ({ from, to }: { from: string; to: string }) => from === own || to === own;
      const erc20 = Map.groupBy(node.erc20Moves().filter(concerns), ({ hash }) => hash);
      const nfts = Map.groupBy(node.nftMoves().filter(concerns), ({ hash }) => hash);
      const approvals = Map.groupBy(approvalLogs(own), ({ transactionHash }) => transactionHash);
      const direct = new Set(transactionsOf(node, own).map(({ hash }) => hash));
      const moves = include_internal_transactions ? await node.internalMoves() : [];
      const paid = new Set(
        moves.filter(concerns).flatMap(({ hash, value }) => (value === "0" ? [] : [hash])),
      );
      const all = node.transactions.filter(({ hash }) =>
        [direct, erc20, nfts, approvals, paid].some((each) => each.has(hash)),
      );
      const inOrder = <Item>(items: readonly Item[]) => (order === "asc" ? [...items].reverse() : items);
      const truth = inOrder(all);
      expect(rows.map(({ hash }) => hash)).toEqual(truth.map(({ hash }) => hash));
      for (const [i, transaction] of truth.entries()) {
        const row = rows[i] ?? {};
        const { hash, from, to, value } = transaction;
        const at = `${hash} of ${address}`;
        const listed = (name: string) =>
          Array.isArray(row[name]) ? row[name].map((each) => Object(each)) : [];
        expect(
          listed("erc20_transfers").map((each) =>
            [each.address, each.from_address, each.to_address, each.value].join(" "),
          ),
          at,
        ).toEqual(
          inOrder(erc20.get(hash) ?? []).map(({ token, from, to, value }) =>
            [token, from, to, value].join(" "),
          ),
        );
        expect(
          listed("nft_transfers")
            .map((each) =>
              [each.token_address, each.token_id, each.from_address, each.to_address, each.amount].join(" "),
            )
            .toSorted(),
          at,
        ).toEqual((nfts.get(hash) ?? []).map(textOfMove).toSorted());
        const receipt = await node.receipt(hash);
        const fee = receipt.gasUsed * receipt.effectiveGasPrice;
        expect({ fee: row.transaction_fee, status: row.receipt_status }, at).toEqual({
          fee: formatEther(fee),
          status: receipt.status === "success" ? "1" : "0",
        });
        const receiver = to ?? lower(receipt.contractAddress ?? "");
        const isPaid = value > 0n && receipt.status === "success" && (from === own || receiver === own);
        expect(
          listed("native_transfers").map((each) => [each.from_address, each.to_address, each.value]),
          at,
        ).toEqual([
          ...(isPaid ? [[from, receiver, String(value)]] : []),
          ...(include_internal_transactions ? paidOut(Object(await node.trace(hash))) : [])
            .filter((parties) => parties.includes(own))
            .map(([payer, payee, amount]) => [payer, payee, amount]),
        ]);
        const isQuiet = !erc20.has(hash) && !nfts.has(hash) && !approvals.has(hash);
        if (receipt.status === "reverted") expect(row.category, at).toBe("failed");
        else if (to === null && from === own) expect(row.category, at).toBe("deploy");
        else if (isQuiet && transaction.input === "0x" && value > 0n)
          expect(row.category, at).toBe(from === own ? "send" : "receive");
      }
    },
    async "the pending transactions of a wallet"() {
      const address = choice.of([...accounts, waiting.address]);
      const rows = await allRows(asker, "getPendingTransactions", { address });
      expect(rows.map(({ hash }) => hash)).toEqual(address === waiting.address ? waiting.hashes : []);
    },
    async "the internal transactions of an address"() {
      const moves = await node.internalMoves();
      const address = choice.of([...accounts, ...moves.flatMap(({ from, to }) => [from, to])]);
      const own = lower(address);
      const order = choice.of(["asc", "desc"]);
      const rows = await allRows(asker, "getWalletInternalTransactions", { address, order });
      const truth = moves.filter(({ from, to }) => from === own || to === own);
      expect(
        rows.map((row) => ({
          hash: row.transaction_hash,
          from: row.from_address,
          to: row.to_address,
          value: row.value,
          isCreation: row.type === "create",
        })),
      ).toEqual(order === "asc" ? truth.reverse() : truth);
    },
    async "the calls between contracts in a transaction"() {
      const { hash, blockHash } = choice.of(node.transactions);
      const trace = await node.trace(hash);
      const truth = nestedCalls(Object(trace));
      const answer = await run("getInternalTransactions", { transaction_hash: hash });
      const answered = Array.isArray(answer) ? answer.map((each) => Object(each)) : [];
      expect(answered.map(({ type, depth, from, to, value }) => ({ type, depth, from, to, value }))).toEqual(
        truth,
      );
      const { internal_transactions } = await fieldsOf(asker, "getTransaction", {
        transaction_hash: hash,
        include: "internal_transactions",
      });
      expect(internal_transactions).toEqual(answer);
      const { transactions } = await fieldsOf(asker, "getBlock", {
        block_number_or_hash: blockHash ?? "",
        include: "internal_transactions",
      });
      const within = (Array.isArray(transactions) ? transactions : []).find(
        (each) => Object(each).hash === hash,
      );
      expect(Object(within).internal_transactions).toEqual(answer);
    },
    async "the user operations of a smart account"() {
      const operations = node.userOperations();
      const { sender, hash } = choice.of(operations);
      const rows = await allRows(asker, "getUserOperations", { sender });
      const truth = operations.filter((each) => each.sender === sender);
      const answered = (row: JsonObject) => ({
        hash: row.user_op_hash,
        sender: row.sender,
        transaction: row.transaction_hash,
        success: row.success,
        cost: row.actual_gas_cost,
      });
      expect(rows.map(answered)).toEqual(truth);
      const one = await fieldsOf(asker, "getUserOperation", { user_op_hash: hash });
      expect(answered(one)).toEqual(truth.find((each) => each.hash === hash));
    },
  };
}

function textOfMove({ token, id, from, to, amount }: NftMove): string {
  return [token, id, from, to, amount].join(" ");
}

interface Call {
  type: string;
  depth: number;
  from: string;
  to: string | null;
  value: string;
}

/** The calls below the root of a call tracer, depth first. */
function nestedCalls({ calls }: { calls?: JsonValue }, depth = 0): Call[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((each) => {
    const { type, from, to, value }: { type: string; from: Hex; to?: Hex; value?: Hex } = Object(each);
    const own = {
      type: type.toUpperCase(),
      depth,
      from: lower(from),
      to: to ? lower(to) : null,
      value: String(BigInt(value ?? "0x0")),
    };
    return [own, ...nestedCalls(Object(each), depth + 1)];
  });
}

/** The coins that contracts sent in a traced transaction: payer, payee and amount. */
function paidOut(call: { error?: JsonValue; calls?: JsonValue }): [string, string, string][] {
  if (call.error || !Array.isArray(call.calls)) return [];
  return call.calls.flatMap((each) => {
    const { type, from, to, value, error }: Record<string, Hex> = Object(each);
    const isPaid = !error && BigInt(value ?? "0x0") > 0n && /^(CALL|CREATE2?|SELFDESTRUCT)$/.test(type ?? "");
    const own: [string, string, string] = [
      lower(from ?? ""),
      lower(to ?? ""),
      String(BigInt(value ?? "0x0")),
    ];
    return [...(isPaid ? [own] : []), ...paidOut(Object(each))];
  });
}
