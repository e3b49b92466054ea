import { type Address, encodeFunctionData, type Hash, type Hex, parseEther, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { DevAccount } from "./accounts.ts";
import type { ContractPlan, DevContract } from "./contracts.ts";
import type { NodeClient } from "./node-client.ts";

/** A transaction to be; `from` is the number of an account. */
interface Step {
  from: number;
  to?: Address;
  data?: Hex;
  /** wei */
  value?: bigint;
}

/** 2025-01-01T00:00:00Z: fixed, so that every hash of the history is the same on every machine. */
export const genesisTime = 1_735_689_600;
const blockSpacing = 6 * 3600;
const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

/**
 * Deploys the contracts and makes the chain's history: block by block, always the same transactions with the same
 * times and fees, thus the same hashes. The chain must be empty. Throws an Error if a transaction fails.
 * `now` (seconds since 1970) is the time at which the chain goes on afterwards.
 */
export async function makeHistory(
  node: NodeClient,
  chainId: number,
  accounts: DevAccount[],
  plan: ContractPlan,
  now: number,
): Promise<{ blocks: number; transactions: number }> {
  const signers = accounts.map((account) => ({ account: privateKeyToAccount(account.privateKey), nonce: 0 }));
  const sign = ({ from, to, data, value }: Step): Promise<Hex> => {
    const signer = signers[from];
    if (!signer) throw new Error(`The history names account ${from}, which does not exist`);
    const gas = to === undefined ? 4_000_000n : 400_000n;
    const nonce = signer.nonce++;
    return signer.account.signTransaction({ type: "eip1559", chainId, nonce, gas, to, data, value, ...fees });
  };

  const blocks = historyBlocks(accounts, plan);
  const hashes: Hash[] = [];
  let time = genesisTime;
  await node.request({ method: "evm_setAutomine", params: [false] });
  for (const steps of blocks) {
    for (const step of steps) {
      hashes.push(await node.request({ method: "eth_sendRawTransaction", params: [await sign(step)] }));
    }
    time += blockSpacing;
    await node.request({ method: "evm_setNextBlockTimestamp", params: [time] });
    await node.request({ method: "evm_mine" });
  }
  await node.request({ method: "evm_setAutomine", params: [true] });
  await node.request({ method: "evm_setTime", params: [now] });

  for (const hash of hashes) {
    const receipt = await node.request({ method: "eth_getTransactionReceipt", params: [hash] });
    if (receipt?.status !== "0x1") throw new Error(`Transaction ${hash} of the local chain's history failed`);
  }
  return { blocks: blocks.length, transactions: hashes.length };
}

/** What happens in each block. Account 0 deploys, owns the contracts and gives to the others. */
function historyBlocks(accounts: DevAccount[], plan: ContractPlan): Step[][] {
  const { token, collection, items } = plan.contracts;
  const address = (account: number): Address => accounts[account]?.address ?? zeroAddress;
  const call = (from: number, contract: DevContract, functionName: string, args: unknown[]): Step => ({
    from,
    to: contract.address,
    data: encodeFunctionData({ abi: contract.abi, functionName, args }),
  });
  const pay = (from: number, to: number, amount: string): Step => ({
    from,
    to: address(to),
    value: parseEther(amount),
  });
  const send = (from: number, to: number, amount: string): Step =>
    call(from, token, "transfer", [address(to), parseEther(amount)]);
  const mintPiece = (to: number): Step => call(0, collection, "mint", [address(to)]);
  const givePiece = (from: number, to: number, id: bigint): Step =>
    call(from, collection, "safeTransferFrom", [address(from), address(to), id]);
  const giveItem = (from: number, to: number, id: bigint, amount: bigint): Step =>
    call(from, items, "safeTransferFrom", [address(from), address(to), id, amount, "0x"]);
  const giveItems = (from: number, to: number, ids: bigint[], amounts: bigint[]): Step =>
    call(from, items, "safeBatchTransferFrom", [address(from), address(to), ids, amounts, "0x"]);

  const deployments = plan.bytecodes.map((data): Step[] => [{ from: 0, data }]);
  return [
    ...deployments,
    // Everyone gets tokens in one block: many logs of one contract at one height.
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
    [givePiece(1, 3, 2n), pay(2, 0, "0.25")],
    [giveItem(0, 1, 1n, 100n), giveItem(0, 2, 1n, 50n)],
    [send(1, 9, "1200"), send(9, 1, "17.5")],
    // An allowance given and partly used.
    [call(2, token, "approve", [address(3), parseEther("500")])],
    [call(3, token, "transferFrom", [address(2), address(4), parseEther("180")])],
    [mintPiece(4), mintPiece(5), givePiece(3, 1, 2n)],
    [giveItems(0, 3, [1n, 2n, 3n], [10n, 20n, 1n]), pay(0, 9, "12.345")],
    [call(0, token, "mint", [address(1), parseEther("5000")]), send(1, 3, "310.75")],
    [send(6, 1, "88.8"), send(3, 2, "6.5"), send(2, 1, "3.25")],
    [giveItems(1, 2, [1n, 4n], [40n, 5n]), giveItem(3, 1, 2n, 7n)],
    [call(1, collection, "approve", [address(2), 3n])],
    [call(2, collection, "transferFrom", [address(1), address(2), 3n]), pay(3, 1, "2")],
    [call(4, token, "burn", [parseEther("100")]), send(0, 1, "1")],
    [call(2, items, "setApprovalForAll", [address(1), true]), send(8, 9, "512.0625")],
    [call(1, items, "safeTransferFrom", [address(2), address(4), 1n, 15n, "0x"]), givePiece(5, 0, 6n)],
    [send(9, 2, "64"), send(7, 1, "5.5"), pay(9, 8, "0.1"), pay(1, 5, "3.75")],
    [send(1, 0, "20.02"), send(0, 2, "30.03")],
  ];
}
