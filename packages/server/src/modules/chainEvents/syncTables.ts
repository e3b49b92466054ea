import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import { type SyncedAddress, shortDigest, syncClass, syncedAddressId } from "./syncedAddress.ts";
import { type ChainResolver, defaultConfirmations, type Watch } from "./watch.ts";

/** Chains whose synced addresses are kept in classes with a common prefix, as in Moralis v1. */
export interface SyncTables {
  prefix: string;
  /** EIP-155; the first configured one is the default. */
  chainIds: readonly number[];
  /** Number of blocks, including its own, after which a block is final. */
  confirmations: number;
}

const POLYGON = { chainIds: [137, 80_001, 80_002], confirmations: 100 };

export const SYNC_TABLES: readonly SyncTables[] = [
  { prefix: "Eth", chainIds: [1, 11_155_111, 5, 3, 4, 42, 1_337], confirmations: 12 },
  { prefix: "Bsc", chainIds: [56, 97], confirmations: 18 },
  { prefix: "Polygon", ...POLYGON },
  { prefix: "Matic", ...POLYGON },
  { prefix: "Avax", chainIds: [43_114, 43_113], confirmations: 100 },
  { prefix: "Ftm", chainIds: [250, 4_002], confirmations: 100 },
  { prefix: "Cronos", chainIds: [25, 338], confirmations: 100 },
];

/** Returns the watches of an address, one for each class. Only fully indexed chains have transactions of a wallet. */
export function syncWatches(synced: SyncedAddress, chains: ChainResolver): Watch[] {
  const { chainId, address, isHistorical } = synced;
  const tables = SYNC_TABLES.find(({ prefix }) => prefix === synced.prefix);
  const confirmations = defaultConfirmations(chainId, tables?.confirmations);
  const kinds = [
    ["transactions", "Transactions"],
    ["erc20", "TokenTransfers"],
    ["nft", "NFTTransfers"],
  ] as const;
  return kinds
    .filter(([kind]) => kind !== "transactions" || chains.isFullyIndexed(chainId))
    .map(([kind, table]) => ({
      id: shortDigest([syncedAddressId(synced), table, isHistorical]),
      chainId,
      className: syncClass(synced, table),
      selections: [{ kind, address }],
      filter: () => true,
      confirmations,
      isHistorical,
      webhook: undefined,
      synced,
    }));
}

/**
 * Returns the chain of a `watchEthAddress` call: the requested one, or the first one that is configured. Throws
 * ProtocolError 142.
 */
export function syncChainId(
  tables: SyncTables,
  requested: JsonValue | undefined,
  chains: ChainResolver,
  configured: readonly number[],
): number {
  if (requested === undefined || requested === null || requested === "") {
    const chainId = tables.chainIds.find((id) => configured.includes(id));
    if (chainId !== undefined) return chainId;
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      `No chain of the ${tables.prefix} tables is configured on this server`,
    );
  }
  const chainId = chains.chainIdOf(
    typeof requested === "string" ? requested.replace(/^0x0+/, "0x") : requested,
  );
  if (tables.chainIds.includes(chainId)) return chainId;
  throw new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    `Chain ${chainId} has no ${tables.prefix} tables: use watchAddress`,
  );
}
