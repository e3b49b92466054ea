import { blockOf } from "../model/rows.ts";
import { type ContractCreation, type CreationNode, findContractCreation } from "../node/contractCreation.ts";
import { isNodeError } from "../node/rpcErrors.ts";
import type { ChainContext } from "./chainContext.ts";
import { firstKeptBlock } from "./eventRetention.ts";

/** Who created a contract; the creator of a contract that a factory created is the factory. */
export interface Creation {
  creator: string;
  block: number;
  transactionHash: string;
}

/** What a node found, or is finding. */
interface Search {
  found: Promise<ContractCreation | undefined>;
  startedAt: number;
}

interface TracedChain {
  node: CreationNode;
  config: Pick<ChainContext["config"], "id" | "startBlock">;
  store: { block(number: number): Promise<{ hash: string } | undefined> };
  status(): { indexed: number | null };
}

const MAX_CACHED = 1_000;
/** Age after which a creation that was not found is searched again, in ms. */
const MAX_MISS_AGE_MS = 5 * 60_000;

/** Finds the creations of contracts in the index, or, for contracts that others created, by the traces of the node. */
export class ContractCreations {
  /** Searches by nodes, which takes them many calls. */
  readonly #searches = new Map<string, Search>();

  /** undefined if it is unknown, as for contracts of the genesis block, and if the node does not know it. */
  async find(chain: ChainContext, contract: string): Promise<Creation | undefined> {
    const byTransaction = await chain.store.contractCreation(contract);
    if (byTransaction) {
      const { from, position, hash } = byTransaction;
      return { creator: from, block: blockOf(position), transactionHash: hash };
    }
    if (!chain.config.traces) return this.traced(chain, contract);
    const indexed = await this.#indexed(chain, contract);
    if (indexed || (await firstKeptBlock(chain)) === undefined) return indexed;
    return this.traced(chain, contract);
  }

  async #indexed({ store }: ChainContext, contract: string): Promise<Creation | undefined> {
    const row = await store.internalTransfers.creationOf(contract);
    if (!row) return undefined;
    const { position, from: creator } = row;
    const transaction = (await store.transactionsAt([position])).get(position);
    return { creator, block: blockOf(position), transactionHash: transaction?.hash ?? "" };
  }

  /** Asks the node; concurrent requests for one contract share a search. */
  async traced(chain: TracedChain, contract: string): Promise<Creation | undefined> {
    const last = chain.status().indexed;
    if (last === null) return undefined;
    const key = `${chain.config.id} ${contract}`;
    const cached = this.#searches.get(key);
    const search =
      cached && (await isValid(chain, cached)) ? cached : this.#start(key, cached, chain, contract, last);
    const found = await search.found;
    if (!found) return undefined;
    const { creator, transactionHash, block } = found;
    return { creator, block: block.number, transactionHash };
  }

  /** Starts a search, unless another request has replaced the outdated one meanwhile. */
  #start(
    key: string,
    outdated: Search | undefined,
    { node }: TracedChain,
    contract: string,
    last: number,
  ): Search {
    const newer = this.#searches.get(key);
    if (newer && newer !== outdated) return newer;
    const found = findOptional(node, contract, last);
    const search = { found, startedAt: Date.now() };
    found.catch(() => this.#searches.delete(key));
    this.#searches.delete(key);
    const [oldest] = this.#searches.keys();
    if (this.#searches.size >= MAX_CACHED && oldest !== undefined) this.#searches.delete(oldest);
    this.#searches.set(key, search);
    return search;
  }
}

/** A creation applies as long as its block belongs to the chain; the index has no blocks before its first. */
async function isValid({ store, config }: TracedChain, { found, startedAt }: Search): Promise<boolean> {
  const creation = await found;
  if (!creation) return Date.now() - startedAt < MAX_MISS_AGE_MS;
  const { number, hash } = creation.block;
  return number < (config.startBlock ?? 0) || (await store.block(number))?.hash === hash;
}

/** A statistic is complete without the creator: no failure of the node fails the request. */
async function findOptional(
  node: CreationNode,
  contract: string,
  last: number,
): Promise<ContractCreation | undefined> {
  try {
    return await findContractCreation(node, contract, last);
  } catch (error) {
    if (isNodeError(error)) return undefined;
    throw error;
  }
}
