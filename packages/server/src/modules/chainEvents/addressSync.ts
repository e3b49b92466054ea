import { type ChainService, parseAddress } from "@purse/chain";
import { isPointer, type JsonObject, type JsonValue, type ProtocolError } from "@purse/protocol";
import type { FunctionCall } from "../../core/functionCall.ts";
import type { Logger } from "../../core/logger.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import type { ClassRules } from "../../data/objects/classRules.ts";
import type { Objects } from "../../data/objects/objects.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import { findRows, getRow } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";
import { CHAIN_EVENT_CLASSES } from "./chainEventClasses.ts";
import { isRejection, serverRequest } from "./eventWriter.ts";
import { type SyncedAddress, syncedAddressId } from "./syncedAddress.ts";
import { SYNC_TABLES, type SyncTables, syncChainId } from "./syncTables.ts";
import type { ChainResolver } from "./watch.ts";

export interface AddressSyncDependencies {
  store: Pick<Store, "find" | "get">;
  schemas: Pick<Schemas, "require">;
  objects: Pick<Objects, "create" | "update" | "remove">;
  chain: Pick<ChainService, "status">;
  chains: ChainResolver;
  /** Whether the linked addresses of users are synced too, from now on or with their history. */
  userAddresses: "off" | "new" | "historical";
  /** Called when an address has been added or removed. */
  onChanged(): Promise<void>;
  logger: Logger;
}

/** Number of addresses that are synced at most, of each source. */
const MAX_ADDRESSES = 10_000;

/**
 * Addresses whose transactions, transfers and balances are stored in the tables of Moralis v1: those of the functions
 * `watchEthAddress` etc., as objects of `_AddressSyncStatus`, and the linked addresses of users if that is configured.
 */
export class AddressSync {
  readonly #dependencies: AddressSyncDependencies;
  /** Ids of the objects whose addresses have not been synced for the first time. */
  #syncing = new Map<string, SyncedAddress>();

  constructor(dependencies: AddressSyncDependencies) {
    this.#dependencies = dependencies;
  }

  get rules(): ClassRules[] {
    const { onChanged } = this.#dependencies;
    const assertMaster: NonNullable<ClassRules["beforeCreate"]> = (_, { auth }) => {
      if (auth.kind !== "master") {
        throw operationForbidden("Addresses are synced by the functions watchEthAddress, watchBscAddress, …");
      }
    };
    return [
      {
        ...CHAIN_EVENT_CLASSES._AddressSyncStatus,
        beforeCreate: assertMaster,
        beforeUpdate: assertMaster,
        beforeDelete(pending, request) {
          assertMaster(pending, request);
          pending.afterCommit.push(onChanged);
        },
      },
    ];
  }

  /**
   * The functions `watchEthAddress({ address, sync_historical, chainId })` and `unwatchEthAddress({ address })` of each
   * chain: for the master key, and for users with their own addresses.
   */
  get functions(): { name: string; run(request: FunctionCall): Promise<JsonValue> }[] {
    return SYNC_TABLES.flatMap((tables) => [
      { name: `watch${tables.prefix}Address`, run: (request: FunctionCall) => this.#watch(tables, request) },
      {
        name: `unwatch${tables.prefix}Address`,
        run: (request: FunctionCall) => this.#unwatch(tables, request),
      },
    ]);
  }

  /** Returns all addresses to sync; each once for each chain, with its history if any source requires it. */
  async addresses(): Promise<SyncedAddress[]> {
    const stored = (await this.#read("_AddressSyncStatus")).flatMap((row) => toSyncedAddress(row) ?? []);
    this.#syncing = new Map();
    for (const { row, synced } of stored)
      if (row.is_syncing === true) this.#syncing.set(String(row.objectId), synced);
    const all = [...(await this.#userAddresses()), ...stored.map(({ synced }) => synced)];
    const unique = new Map<string, SyncedAddress>();
    for (const synced of all) {
      const id = syncedAddressId(synced);
      if (!unique.get(id)?.isHistorical) unique.set(id, synced);
    }
    return [...unique.values()];
  }

  /** Sets `is_syncing` of the addresses that are synced by now to false. */
  async finish(isCurrent: (synced: SyncedAddress) => boolean): Promise<void> {
    for (const [id, synced] of this.#syncing) {
      if (!isCurrent(synced)) continue;
      await this.#dependencies.objects
        .update(serverRequest(), "_AddressSyncStatus", id, { is_syncing: false })
        .catch((error: unknown) => {
          // It has been removed in the meantime, or cloud code rejects it. After any other error, it is repeated.
          if (!isRejection(error)) throw error;
        });
      this.#syncing.delete(id);
    }
  }

  async #watch(tables: SyncTables, request: FunctionCall): Promise<JsonValue> {
    const { synced, user } = await this.#parse(tables, request);
    const { objects, schemas, store, onChanged } = this.#dependencies;
    const id = syncedAddressId(synced);
    const existing = await getRow(store, schemas.require("_AddressSyncStatus"), id);
    if (existing && (existing.sync_historical === true || !synced.isHistorical)) return { success: true };
    if (existing) {
      const changes = { sync_historical: true, is_syncing: true };
      await objects.update(serverRequest(), "_AddressSyncStatus", id, changes);
    } else {
      const row: JsonObject = {
        objectId: id,
        address: synced.address,
        chain: `0x${synced.chainId.toString(16)}`,
        tables: synced.prefix,
        sync_historical: synced.isHistorical,
        is_syncing: true,
        ...(user !== undefined && { user: { __type: "Pointer", className: "_User", objectId: user } }),
        ACL: {},
      };
      await objects.create(serverRequest(), "_AddressSyncStatus", row, { allowCustomId: true });
    }
    await onChanged();
    return { success: true };
  }

  /** Objects that have been stored stay. */
  async #unwatch(tables: SyncTables, request: FunctionCall): Promise<JsonValue> {
    const { synced, user } = await this.#parse(tables, request);
    const { objects, schemas, store } = this.#dependencies;
    const id = syncedAddressId(synced);
    const row = await getRow(store, schemas.require("_AddressSyncStatus"), id);
    if (!row) return { success: true };
    const { user: owner } = row;
    // What the operator has watched continues.
    if (user !== undefined && !(isPointer(owner) && owner.objectId === user)) return { success: true };
    await objects.remove(serverRequest(), "_AddressSyncStatus", id);
    return { success: true };
  }

  /** Returns what to sync and, without the master key, the user whose address it is. Throws 119 and 142. */
  async #parse(
    tables: SyncTables,
    { auth, params }: FunctionCall,
  ): Promise<{ synced: SyncedAddress; user: string | undefined }> {
    const { chain, chains } = this.#dependencies;
    if (auth.kind !== "user" && (auth.kind !== "master" || auth.readOnly)) throw unauthorized();
    const address = parseAddress(params.address);
    if (auth.kind === "user" && !(await this.#isLinked(address, auth.userId))) throw unauthorized();
    const configured = chain.status().map((status) => status.chain);
    const chainId = syncChainId(tables, params.chainId ?? params.chain, chains, configured);
    const isHistorical = (params.sync_historical ?? params.syncHistorical) === true;
    const synced = { prefix: tables.prefix, chainId, address, isHistorical };
    return { synced, user: auth.kind === "user" ? auth.userId : undefined };
  }

  async #isLinked(address: string, userId: string): Promise<boolean> {
    const { schemas, store } = this.#dependencies;
    const row = await getRow(store, schemas.require("_EthAddress"), address);
    return isPointer(row?.user) && row.user.objectId === userId;
  }

  async #userAddresses(): Promise<SyncedAddress[]> {
    const { chain, userAddresses } = this.#dependencies;
    if (userAddresses === "off") return [];
    const isHistorical = userAddresses === "historical";
    const chainIds = chain.status().map((status) => status.chain);
    const tables = chainIds.flatMap((chainId) => {
      const found = SYNC_TABLES.find((each) => each.chainIds.includes(chainId));
      return found ? [{ chainId, prefix: found.prefix }] : [];
    });
    return (await this.#read("_EthAddress")).flatMap(({ objectId }) =>
      typeof objectId === "string" && /^0x[0-9a-f]{40}$/.test(objectId)
        ? tables.map((table) => ({ ...table, address: objectId, isHistorical }))
        : [],
    );
  }

  async #read(className: "_AddressSyncStatus" | "_EthAddress"): Promise<JsonObject[]> {
    const { logger, schemas, store } = this.#dependencies;
    const rows = await findRows(store, schemas.require(className), {
      order: "createdAt",
      limit: MAX_ADDRESSES + 1,
    });
    if (rows.length > MAX_ADDRESSES) {
      logger.warn("there are more addresses than are synced", { className, limit: MAX_ADDRESSES });
    }
    return rows.slice(0, MAX_ADDRESSES);
  }
}

/** Returns undefined for objects of another form, such as imported ones of the hosted service. */
function toSyncedAddress(row: JsonObject): { row: JsonObject; synced: SyncedAddress } | undefined {
  const { address, chain, tables, sync_historical } = row;
  const chainId = Number(chain);
  if (typeof address !== "string" || !/^0x[0-9a-f]{40}$/.test(address)) return undefined;
  const known = SYNC_TABLES.find(({ prefix, chainIds }) => prefix === tables && chainIds.includes(chainId));
  if (!known) return undefined;
  return { row, synced: { prefix: known.prefix, chainId, address, isHistorical: sync_historical === true } };
}

function unauthorized(): ProtocolError {
  return operationForbidden(
    "unauthorized: the master key is required to watch addresses that are not your own",
  );
}
