import { z } from "zod";
import { accountSettings } from "./settings/accountSettings.ts";
import { alertSettings } from "./settings/alertSettings.ts";
import { codeSettings } from "./settings/codeSettings.ts";
import { dataSettings } from "./settings/dataSettings.ts";
import { fileSettings } from "./settings/fileSettings.ts";
import { requestSettings } from "./settings/requestSettings.ts";
import { serverSettings } from "./settings/serverSettings.ts";
import { walletSettings } from "./settings/walletSettings.ts";

/**
 * All settings and defaults of the server by their keys in purse.config.ts. A setting that is added to one of the groups
 * can be set by its flag, its environment variable and its key, is validated, documented, and a property of `Config`.
 */
export const settingsSchema = z.strictObject({
  ...serverSettings,
  ...alertSettings,
  ...fileSettings,
  ...dataSettings,
  ...codeSettings,
  ...requestSettings,
  ...accountSettings,
  ...walletSettings,
});

/** The validated settings. */
export type SettingValues = z.output<typeof settingsSchema>;
/** The settings as the config file contains them. */
export type SettingInputs = z.input<typeof settingsSchema>;

export const CHAIN_SETTINGS: readonly { env: string; description: string }[] = [
  {
    env: "PURSE_CHAIN_<NAME>_RPC_URL",
    description:
      "RPC URL of a chain (ETH, POLYGON, BSC_TESTNET, …), http(s) or ws(s); several are separated by commas.",
  },
  { env: "PURSE_CHAIN_<NAME>_ID", description: "Chain ID, for chains without a known name." },
  { env: "PURSE_CHAIN_<NAME>_START_BLOCK", description: "First block to index." },
  {
    env: "PURSE_CHAIN_<NAME>_SCOPE",
    description:
      "chain (default) indexes every block; wallets indexes the activity of known addresses on demand.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_TRACES",
    description:
      "1 also indexes the coins that contracts sent and the contracts that they created, if the node traces blocks. The index is rebuilt.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_DATABASE_URL",
    description:
      "postgres://user:password@host:5432/database that stores the index of the chain instead of the server's database. Setting, changing or removing it begins a new index.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_DATABASE_DIRECT_URL",
    description:
      "The database of the chain's index without a pooler, for creating tables. Set it if its URL is that of a pooler in transaction mode.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_PARTITION_BLOCKS",
    description:
      "Stores the transactions, logs, transfers and sales of the index in partitions of so many blocks (1,000 to 100,000,000; PostgreSQL only). For an index with others or without partitions, a new one is built beside it from the nodes, and takes its place.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_KEEP_BLOCKS",
    description:
      "Removes the events of older blocks than the last so many (at least 10,000) from an index in SQLite, or in PostgreSQL with partitions. Balances, owners and tokens stay complete. Default: all are kept.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_KEEP_DAYS",
    description:
      "Removes the events of blocks that are older than so many days, except for the last 10,000 blocks. With KEEP_BLOCKS, events are kept as long as either keeps them. Default: all are kept.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_RESETS",
    description:
      "1 allows the nodes to replace final blocks, as those of a test chain do that is started anew. Otherwise, nodes with other final blocks than the index are rejected. Default: 1 for the chain ids 1337 and 31337, 0 for others.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_VERIFY_ROOTS",
    description:
      "0 stores blocks without computing their hashes and the roots of their transactions and receipts. Default: 1; chains that compute these in another way than Ethereum are recognized.",
  },
  {
    env: "PURSE_CHAIN_<NAME>_STALLED_SECONDS",
    description:
      "Age of the latest block from which on the chain counts as standing still; 0 for never. Default: by the times of the latest blocks (20 blocks, at least 30 seconds), and 0 with RESETS.",
  },
];
