import { blockOf } from "../model/rows.ts";
import { type ContractCreation, findContractCreation } from "../node/contractCreation.ts";
import { type ChainContext, withNodeErrors } from "./chainContext.ts";

/** Who created a contract; the creator of a contract that a factory created is the factory. */
export interface Creation {
  creator: string;
  block: number;
  transactionHash: string;
}

const MAX_FOUND = 1_000;

/** Finds the creations of contracts in the index, or, for contracts that others created, by the traces of the node. */
export class ContractCreations {
  /** Creations that were found by a node, which takes it many calls. */
  readonly #found = new Map<string, ContractCreation>();

  /** undefined if it is unknown, as for contracts of the genesis block. */
  async find(chain: ChainContext, contract: string): Promise<Creation | undefined> {
    const byTransaction = await chain.store.contractCreation(contract);
    if (byTransaction) {
      const { from, position, hash } = byTransaction;
      return { creator: from, block: blockOf(position), transactionHash: hash };
    }
    return chain.config.traces ? this.#indexed(chain, contract) : this.#traced(chain, contract);
  }

  async #indexed({ store }: ChainContext, contract: string): Promise<Creation | undefined> {
    const row = await store.internalTransfers.creationOf(contract);
    if (!row) return undefined;
    const { position, from: creator } = row;
    const transaction = (await store.transactionsAt([position])).get(position);
    return { creator, block: blockOf(position), transactionHash: transaction?.hash ?? "" };
  }

  async #traced(chain: ChainContext, contract: string): Promise<Creation | undefined> {
    const key = `${chain.config.id} ${contract}`;
    const known = this.#found.get(key);
    const isValid = known && (await chain.store.block(known.block.number))?.hash === known.block.hash;
    const last = chain.status().indexed;
    const found = isValid
      ? known
      : last === null
        ? undefined
        : await withNodeErrors(chain, undefined, () => findContractCreation(chain.node, contract, last));
    if (!found) return undefined;
    const [oldest] = this.#found.keys();
    if (this.#found.size >= MAX_FOUND && oldest !== undefined) this.#found.delete(oldest);
    this.#found.set(key, found);
    const { creator, transactionHash, block } = found;
    return { creator, block: block.number, transactionHash };
  }
}
