import { type ChainService, isFollowing } from "@purse/chain";
import { isJsonObject, type JsonObject, type JsonValue, jsonEqual, parseWhere } from "@purse/protocol";
import type { Logger } from "../../core/logger.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import { findRows } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import type { EventChange, EventWriter } from "./eventWriter.ts";
import { type SyncedAddress, shortDigest, syncClass, syncedAddressId } from "./syncedAddress.ts";

export interface AddressSummariesDependencies {
  store: Store;
  schemas: Schemas;
  chain: Pick<ChainService, "routes" | "status">;
  writer: EventWriter;
  logger: Logger;
}

/** Number of NFTs of one address that are stored at most, and of objects per transaction. */
const MAX_NFTS = 10_000;
const MAX_ROWS = 20_000;
const BATCH_SIZE = 200;
const PAGE_SIZE = 100;

const ACL = { "*": { read: true } };

/**
 * Keeps the balances of synced addresses (`EthBalance`, `EthTokenBalance`, `EthNFTOwners`): an address is read from the
 * index again after one of its transfers has been stored or removed.
 */
export class AddressSummaries {
  readonly #dependencies: AddressSummariesDependencies;
  readonly #outdated = new Map<string, SyncedAddress>();
  #known = new Set<string>();

  constructor(dependencies: AddressSummariesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sets the addresses to summarize; new ones are read. */
  setAddresses(addresses: readonly SyncedAddress[]): void {
    const ids = new Set<string>();
    for (const synced of addresses) {
      const id = syncedAddressId(synced);
      ids.add(id);
      if (!this.#known.has(id)) this.#outdated.set(id, synced);
    }
    this.#known = ids;
    for (const id of this.#outdated.keys()) if (!ids.has(id)) this.#outdated.delete(id);
  }

  /** Forgets what is up to date: another process may have worked in the meantime. */
  reset(): void {
    this.#known = new Set();
  }

  markOutdated(synced: SyncedAddress): void {
    this.#outdated.set(syncedAddressId(synced), synced);
  }

  /** Updates the summaries of changed addresses whose chain is indexed up to its head. Failed ones are retried. */
  async refresh(isActive: () => boolean): Promise<void> {
    for (const [id, synced] of this.#outdated) {
      if (!isActive()) return;
      const status = this.#dependencies.chain.status().find(({ chain }) => chain === synced.chainId);
      if (!status || !isFollowing(status)) continue;
      this.#outdated.delete(id);
      try {
        await this.#summarize(synced, status.indexed ?? 0);
      } catch (error) {
        this.#outdated.set(id, synced);
        this.#dependencies.logger.debug("balances of an address could not be read", {
          address: synced.address,
          error: String(error),
        });
      }
    }
  }

  async #summarize(synced: SyncedAddress, block: number): Promise<void> {
    const { address, chainId } = synced;
    const native = await this.#call("getNativeBalance", synced);
    const coin = isJsonObject(native) ? [{ address, balance: native.balance ?? "0" }] : [];
    await this.#save(synced, "Balance", { address }, coin, block);
    const tokens = await this.#call("getTokenBalances", synced);
    const balances = rowsOf(tokens).map((token) => ({
      address,
      contract_type: "ERC20",
      token_address: token.token_address ?? "",
      name: token.name ?? "",
      symbol: token.symbol ?? "",
      decimals: String(token.decimals ?? ""),
      balance: token.balance ?? "0",
    }));
    await this.#save(synced, "TokenBalance", { address }, balances, block);
    const nfts: JsonObject[] = [];
    for (let cursor: JsonValue | undefined = ""; nfts.length < MAX_NFTS; ) {
      const page = await this.#call("getNFTs", synced, {
        limit: PAGE_SIZE,
        ...(typeof cursor === "string" && cursor !== "" && { cursor }),
      });
      if (!isJsonObject(page)) break;
      nfts.push(...rowsOf(page.result));
      cursor = page.cursor;
      if (typeof cursor !== "string" || cursor === "") break;
    }
    const owned = nfts.map((nft) => ({
      owner_of: address,
      token_address: nft.token_address ?? "",
      token_id: nft.token_id ?? "",
      contract_type: nft.contract_type ?? "",
      amount: nft.amount ?? "1",
      name: nft.name ?? "",
      symbol: nft.symbol ?? "",
      token_uri: nft.token_uri ?? "",
    }));
    await this.#save(synced, "NFTOwners", { owner_of: address }, owned, block);
    this.#dependencies.logger.debug("balances of an address are up to date", { address, chainId });
  }

  async #call(name: string, { address, chainId }: SyncedAddress, more: JsonObject = {}): Promise<JsonValue> {
    const route = this.#dependencies.chain.routes.find(({ functionName }) => functionName === name);
    if (!route) throw new Error(`There is no endpoint ${name}`);
    return route.run({ address, chain: `0x${chainId.toString(16)}`, ...more });
  }

  /** Makes the stored rows of an address equal to the given ones; `block_number` is that of their last change. */
  async #save(
    synced: SyncedAddress,
    kind: "Balance" | "TokenBalance" | "NFTOwners",
    owner: JsonObject,
    rows: readonly JsonObject[],
    block: number,
  ): Promise<void> {
    const { schemas, store, writer } = this.#dependencies;
    const className = syncClass(synced, kind);
    // An address without rows does not need the class to be created.
    if (rows.length === 0 && !schemas.get(className)) return;
    await writer.prepare(className, {});
    const found = await findRows(store, schemas.require(className), {
      where: parseWhere({ chain_id: synced.chainId, ...owner }),
      limit: MAX_ROWS,
    });
    const stored = new Map(found.map((row) => [String(row.objectId), row] as const));
    const changes: EventChange[] = [];
    for (const row of rows) {
      const objectId = rowId(synced.chainId, row);
      const previous = stored.get(objectId);
      stored.delete(objectId);
      if (previous && Object.entries(row).every(([key, value]) => jsonEqual(previous[key], value))) continue;
      const fields = { ...row, objectId, chain_id: synced.chainId, block_number: block };
      if (previous) changes.push({ kind: "updated", object: fields });
      else changes.push({ kind: "created", object: { ...fields, ACL } });
    }
    for (const object of stored.values()) changes.push({ kind: "removed", object });
    for (let from = 0; from < changes.length; from += BATCH_SIZE) {
      await writer.write(className, changes.slice(from, from + BATCH_SIZE), () => []);
    }
  }
}

function rowId(chainId: number, { address, owner_of, token_address, token_id }: JsonObject): string {
  return shortDigest([chainId, address ?? owner_of ?? "", token_address ?? "", token_id ?? ""]);
}

function rowsOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
