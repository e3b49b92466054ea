import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hash,
  type Hex,
  parseEther,
  parseUnits,
  zeroAddress,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { DevAccount } from "./accounts.ts";
import { readArtifact } from "./artifacts.ts";
import type { ContractPlan, Creation } from "./contracts.ts";
import type { DevContract } from "./devContract.ts";
import type { NodeClient } from "./nodeClient.ts";
import { marketBlocks } from "./scenarios/market.ts";
import { marketAccounts } from "./scenarios/marketMaker.ts";
import { fundNames, nameBlocks } from "./scenarios/names.ts";
import { call, type PlannedTransaction } from "./transactions.ts";

/** 2025-01-01T00:00:00Z: fixed, so that all hashes of the history are the same on every machine. */
export const genesisTime = 1_735_689_600;
const blockSpacing = 6 * 3600;
const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

/**
 * Deploys the contracts and creates the chain's history: the same transactions, times and fees, and therefore hashes,
 * every time. The chain must be empty. Throws an Error if a transaction fails unexpectedly or succeeds unexpectedly.
 * `now` returns the time (seconds since the epoch) at which the chain continues.
 */
export async function makeHistory(
  node: NodeClient,
  chainId: number,
  accounts: DevAccount[],
  plan: ContractPlan,
  now: () => number,
): Promise<{ blocks: number; transactions: number }> {
  const signers = [...accounts, ...marketAccounts()].map((account) => ({
    account: privateKeyToAccount(account.privateKey),
    nonce: 0,
  }));
  const sign = ({
    from,
    to,
    data,
    value,
    gas = to === undefined ? 4_000_000n : 400_000n,
  }: PlannedTransaction): Promise<Hex> => {
    const signer = signers[from];
    if (!signer) throw new Error(`The history uses account ${from}, which does not exist`);
    const nonce = signer.nonce++;
    return signer.account.signTransaction({ type: "eip1559", chainId, nonce, gas, to, data, value, ...fees });
  };

  const blocks = historyBlocks(accounts, plan);
  const sentTransactions: { hash: Hash; fails: boolean }[] = [];
  let time = genesisTime;
  await node.request({ method: "evm_setAutomine", params: [false] });
  for (const transactions of blocks) {
    for (const transaction of transactions) {
      const hash = await node.request({
        method: "eth_sendRawTransaction",
        params: [await sign(transaction)],
      });
      sentTransactions.push({ hash, fails: transaction.fails ?? false });
    }
    time += blockSpacing;
    await node.request({ method: "evm_setNextBlockTimestamp", params: [time] });
    await node.request({ method: "evm_mine", params: [] });
  }
  await fundNames(node);
  const nameTransactions = await nameBlocks(chainId, accounts);
  for (const transactions of nameTransactions) {
    for (const transaction of transactions) {
      const hash = await node.request({ method: "eth_sendRawTransaction", params: [transaction] });
      sentTransactions.push({ hash, fails: false });
    }
    time += blockSpacing;
    await node.request({ method: "evm_setNextBlockTimestamp", params: [time] });
    await node.request({ method: "evm_mine", params: [] });
  }
  await node.request({ method: "evm_setAutomine", params: [true] });
  await node.request({ method: "evm_setTime", params: [now()] });

  for (const { hash, fails } of sentTransactions) {
    const receipt = await node.request({ method: "eth_getTransactionReceipt", params: [hash] });
    if (receipt?.status !== (fails ? "0x0" : "0x1")) {
      const outcome = fails ? "should have failed" : "failed";
      throw new Error(`Transaction ${hash} of the local chain's history ${outcome}`);
    }
  }
  return { blocks: blocks.length + nameTransactions.length, transactions: sentTransactions.length };
}

/** Transactions of each block. Account 0 deploys and owns the contracts and distributes tokens. */
function historyBlocks(accounts: DevAccount[], plan: ContractPlan): PlannedTransaction[][] {
  const address = (account: number): Address => accounts[account]?.address ?? zeroAddress;
  return [
    ...firstBlocks(accounts, address, plan),
    ...laterBlocks(address, plan),
    ...marketBlocks(plan.market, plan.contracts),
  ];
}

const creation = ({ bytecode }: Creation): PlannedTransaction => ({ from: 0, data: bytecode });

/** Transfers of a token, a collection and items. Tests refer to these block numbers: add new blocks at the end. */
function firstBlocks(
  accounts: DevAccount[],
  address: (account: number) => Address,
  plan: ContractPlan,
): PlannedTransaction[][] {
  const { token, collection, items } = plan.contracts;
  const pay = (from: number, to: number, amount: string): PlannedTransaction => ({
    from,
    to: address(to),
    value: parseEther(amount),
  });
  const send = (from: number, to: number, amount: string): PlannedTransaction =>
    call(from, token, "transfer", [address(to), parseEther(amount)]);
  const mintPiece = (to: number): PlannedTransaction => call(0, collection, "mint", [address(to)]);
  const transferPiece = (from: number, to: number, id: bigint): PlannedTransaction =>
    call(from, collection, "safeTransferFrom", [address(from), address(to), id]);
  const transferItem = (from: number, to: number, id: bigint, amount: bigint): PlannedTransaction =>
    call(from, items, "safeTransferFrom", [address(from), address(to), id, amount, "0x"]);
  const transferItems = (from: number, to: number, ids: bigint[], amounts: bigint[]): PlannedTransaction =>
    call(from, items, "safeBatchTransferFrom", [address(from), address(to), ids, amounts, "0x"]);

  return [
    ...plan.creations.first.map((each) => [creation(each)]),
    // All accounts receive tokens in one block: many logs of one contract.
    accounts.slice(1).map((_, index) => send(0, index + 1, "10000")),
    [send(1, 2, "250"), send(2, 3, "125.5")],
    [pay(1, 2, "1.5"), send(3, 1, "75.25")],
    [mintPiece(0), mintPiece(1), mintPiece(1), mintPiece(2)],
    [send(4, 1, "999.999999999999999999"), send(1, 4, "0.000000000000000001")],
    [
      call(0, items, "mintBatch", [address(0), [1n, 2n, 3n], [1000n, 500n, 10n]]),
      call(0, items, "mint", [address(1), 4n, 25n]),
    ],
    [send(5, 6, "42"), send(6, 7, "41"), send(7, 8, "40"), send(8, 5, "39")],
    [transferPiece(1, 3, 2n), pay(2, 0, "0.25")],
    [transferItem(0, 1, 1n, 100n), transferItem(0, 2, 1n, 50n)],
    [send(1, 9, "1200"), send(9, 1, "17.5")],
    // An allowance that is partly used.
    [call(2, token, "approve", [address(3), parseEther("500")])],
    [call(3, token, "transferFrom", [address(2), address(4), parseEther("180")])],
    [mintPiece(4), mintPiece(5), transferPiece(3, 1, 2n)],
    [transferItems(0, 3, [1n, 2n, 3n], [10n, 20n, 1n]), pay(0, 9, "12.345")],
    [call(0, token, "mint", [address(1), parseEther("5000")]), send(1, 3, "310.75")],
    [send(6, 1, "88.8"), send(3, 2, "6.5"), send(2, 1, "3.25")],
    [transferItems(1, 2, [1n, 4n], [40n, 5n]), transferItem(3, 1, 2n, 7n)],
    [call(1, collection, "approve", [address(2), 3n])],
    [call(2, collection, "transferFrom", [address(1), address(2), 3n]), pay(3, 1, "2")],
    [call(4, token, "burn", [parseEther("100")]), send(0, 1, "1")],
    [call(2, items, "setApprovalForAll", [address(1), true]), send(8, 9, "512.0625")],
    [call(1, items, "safeTransferFrom", [address(2), address(4), 1n, 15n, "0x"]), transferPiece(5, 0, 6n)],
    [send(9, 2, "64"), send(7, 1, "5.5"), pay(9, 8, "0.1"), pay(1, 5, "3.75")],
    [send(1, 0, "20.02"), send(0, 2, "30.03")],
  ];
}

/**
 * Other kinds of tokens, burns, failures and hostile contracts. Accounts 5 to 8 hold the new tokens, so that the
 * other wallets stay small.
 */
function laterBlocks(address: (account: number) => Address, plan: ContractPlan): PlannedTransaction[][] {
  const { token, dollar, point, legacy, gallery, tickets, hostile } = plan.contracts;
  const dollars = (amount: string) => parseUnits(amount, dollar.decimals);
  const legacyUnits = (amount: string) => parseUnits(amount, legacy.decimals);
  const send = (from: number, contract: DevContract, to: number, units: bigint): PlannedTransaction =>
    call(from, contract, "transfer", [address(to), units]);
  const mint = (contract: DevContract, to: number, units: bigint): PlannedTransaction =>
    call(0, contract, "mint", [address(to), units]);
  const mintArtwork = (to: number, id: bigint, uri: string): PlannedTransaction =>
    call(0, gallery, "mint", [address(to), id, uri]);
  const transferArtwork = (from: number, to: number, id: bigint): PlannedTransaction =>
    call(from, gallery, "safeTransferFrom", [address(from), address(to), id]);
  const transferTicket = (from: number, to: number, id: bigint, amount: bigint): PlannedTransaction =>
    call(from, tickets, "safeTransferFrom", [address(from), address(to), id, amount, "0x"]);
  const transferTickets = (from: number, to: number, ids: bigint[], amounts: bigint[]): PlannedTransaction =>
    call(from, tickets, "safeBatchTransferFrom", [address(from), address(to), ids, amounts, "0x"]);

  const { later } = plan.creations;
  const owner = encodeAbiParameters([{ type: "address" }], [address(8)]);
  const walletCreation = concat([readArtifact("PurseWallet").bytecode, owner]);
  return [
    later.slice(0, 3).map(creation),
    later.slice(3, 5).map(creation),
    later.slice(5).map(creation),
    [mint(dollar, 5, dollars("250000")), mint(point, 5, 5000n), mint(legacy, 5, legacyUnits("21000"))],
    [send(5, dollar, 6, dollars("1999.99")), send(5, dollar, 7, 1n), send(5, dollar, 8, dollars("0.5"))],
    [send(5, point, 6, 700n), send(6, point, 7, 1n), send(5, legacy, 7, legacyUnits("12.5"))],
    // An allowance of a token whose functions return nothing.
    [call(7, legacy, "approve", [address(6), legacyUnits("10")])],
    [call(6, legacy, "transferFrom", [address(7), address(8), legacyUnits("2.00000001")])],
    [call(5, dollar, "burn", [dollars("49.999999")]), call(6, point, "burn", [99n])],
    [
      mintArtwork(5, 1n, "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/1.json"),
      mintArtwork(5, 7n, "https://gallery.example/7"),
      mintArtwork(6, 2n ** 256n - 1n, "data:application/json,%7B%22name%22%3A%22The%20last%20id%22%7D"),
      mintArtwork(7, 8n, ""),
    ],
    [transferArtwork(5, 6, 1n), transferArtwork(6, 8, 2n ** 256n - 1n)],
    [call(6, gallery, "burn", [1n]), transferArtwork(7, 5, 8n)],
    [
      call(0, tickets, "mintBatch", [address(5), [1n, 2n, 2n ** 255n], [300n, 40n, 1n]]),
      call(0, tickets, "mint", [address(6), 2n, 60n]),
    ],
    [transferTicket(5, 7, 1n, 25n), transferTickets(5, 8, [1n, 2n], [50n, 10n])],
    // The same id twice in a batch, and an empty batch: both are valid.
    [transferTickets(5, 6, [1n, 1n], [3n, 4n]), transferTickets(5, 6, [], [])],
    [
      call(7, tickets, "burn", [address(7), 1n, 5n]),
      call(8, tickets, "burnBatch", [address(8), [1n, 2n], [50n, 4n]]),
    ],
    [{ from: 8, data: walletCreation }],
    // Transfers more than the balance, between two successful transactions.
    [
      { from: 7, to: address(8), value: parseEther("0.01") },
      { ...send(7, point, 8, 1_000_000n), fails: true },
      send(5, point, 8, 10n),
    ],
    // Zero transfers and self-transfers of ether and tokens.
    [
      { from: 6, to: address(7), value: 0n },
      { from: 6, to: address(6), value: parseEther("3") },
      send(6, dollar, 7, 0n),
      send(6, dollar, 6, dollars("25")),
      send(8, token, 8, parseEther("1")),
      transferTicket(6, 6, 2n, 5n),
    ],
    [send(8, hostile.reverter, 7, 1000n), send(8, hostile.name, 7, 2n ** 256n - 1n)],
    [call(8, hostile.logs, "transfers", [address(8), address(7)])],
    [call(8, hostile.logs, "batches", [address(8), address(7)])],
    [send(8, dollar, 5, dollars("0.25")), send(7, legacy, 5, legacyUnits("1"))],
  ];
}
