import type { ChainNode } from "./chainNode.ts";
import { getTransfersAndCreations, type InternalTransfer } from "./internalTransfers.ts";

/** A contract's creation by another contract. */
export interface ContractCreation {
  creator: string;
  transactionHash: string;
  block: { number: number; hash: string };
}

/** What the search needs of a node. */
export type CreationNode = Pick<ChainNode, "getHeader" | "hasCode" | "request">;

/**
 * Finds the creation of a contract by another one, in a block up to `last`: the first block at which the contract has
 * code, and its trace. Undefined if the node does not trace. Rejects with RpcError, for example if the node lacks the
 * states of earlier blocks, InvalidNodeDataError or RpcUnreachableError.
 */
export async function findContractCreation(
  node: CreationNode,
  contract: string,
  last: number,
): Promise<ContractCreation | undefined> {
  const number = await firstBlockWithCode(node, contract, last);
  const header = number === undefined ? undefined : await node.getHeader(number);
  const transfers = header && (await getTransfersAndCreations(node, header));
  const created = ({ isCreation, to }: InternalTransfer) => isCreation && to === contract;
  const creation = transfers?.findLast(created);
  if (!header || !creation) return undefined;
  const { from: creator, transactionHash } = creation;
  return { creator, transactionHash, block: { number: header.number, hash: header.hash } };
}

async function firstBlockWithCode(
  node: CreationNode,
  contract: string,
  last: number,
): Promise<number | undefined> {
  if (!(await node.hasCode(contract, last))) return undefined;
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await node.hasCode(contract, middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
