import { join } from "node:path";
import { DEV_ACCOUNT_COUNT, DEV_MNEMONIC, type DevAccount, devAccounts } from "./accounts.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { type ContractPlan, type Creation, type DevContracts, planContracts } from "./contracts.ts";
import { genesisTime, makeHistory } from "./history.ts";
import { type NodeClient, nodeClient } from "./nodeClient.ts";
import { type SavedState, savedState } from "./savedState.ts";
import { type NameContracts, nameContracts } from "./scenarios/names.ts";

export interface DevChainOptions {
  /** Default 8545; 0 takes a free port. */
  port?: number;
  /** Folder for the chain's state; made if missing. One running chain per folder. */
  dataDir: string;
  /** Default 1337 (0x539). */
  chainId?: number;
  /**
   * Whether balances and calls "at block n" are answered of more than the newest 100 blocks. Default true; false takes
   * less memory.
   */
  keepPastStates?: boolean;
  /** Told in plain lines what happens. */
  log?: (line: string) => void;
}

/** A running local EVM chain on the loopback address that mines a block for each transaction. */
export interface DevChain {
  /** JSON-RPC over HTTP and, under the same address, WebSocket; open to every origin. */
  url: string;
  chainId: number;
  /** Ten accounts, funded with 10,000 ether at genesis. */
  accounts: DevAccount[];
  contracts: DevContracts;
  /** Names, as ENS and Unstoppable Domains have them. */
  names: NameContracts;
  /** Id of the process group of the node. */
  pid: number;
  /** Saves the state and ends the node. May be called more than once. */
  stop(): Promise<void>;
}

/** Most of a second's blocks may be lost by `kill -9`, nothing by `stop`. */
const saveInterval = 1_000;

/**
 * Starts the chain: anew with contracts and a history of transfers, which are the same on every machine, or where
 * `dataDir` left it. Blocks, transactions, receipts and logs stay readable after restarts;
 * state "at block n" too after a clean stop, while the chain is not longer than 200 blocks.
 * Rejects with an Error in plain words if the port is taken, Anvil is missing or the saved state does not fit.
 */
export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  const { port = 8545, dataDir, chainId = 1337, keepPastStates = true, log = () => {} } = options;
  const accounts = devAccounts();
  const plan = planContracts(accounts[0]?.address ?? "0x");
  const state = savedState(dataDir);

  const saved = await state.unpack();
  const anvil = await startAnvil({
    port,
    chainId,
    mnemonic: DEV_MNEMONIC,
    accountCount: DEV_ACCOUNT_COUNT,
    genesisTime,
    pastStateFolder: join(dataDir, "past-states"),
    keepPastStates,
    loadState: saved?.path,
  }).finally(() => saved?.remove());
  const node = nodeClient(anvil.url);

  try {
    if (saved) {
      await requireContracts(node, plan, dataDir, log);
      // Anvil's clock begins anew at genesis; a block must not be older than the one before.
      const { timestamp } = await node.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
      await node.request({ method: "evm_setTime", params: [Math.max(now(), Number(timestamp) + 1)] });
      await state.unpacked(node);
      log(`Local chain ${chainId} continues on ${anvil.url}`);
    } else {
      const made = await makeHistory(node, chainId, accounts, plan, now);
      log(
        `Local chain ${chainId} begins on ${anvil.url}: ${made.transactions} transactions in ${made.blocks} blocks`,
      );
      await state.saveWithPast(node);
    }
  } catch (error) {
    await anvil.stop();
    throw error;
  }

  const keeper = keepSaved(anvil, node, state, log);
  const stop = async () => {
    await keeper.stop();
    await anvil.stop();
  };
  let stopped: Promise<void> | undefined;
  return {
    url: anvil.url,
    chainId,
    accounts,
    contracts: plan.contracts,
    names: nameContracts(),
    pid: anvil.pid,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Seconds since 1970. */
const now = (): number => Math.floor(Date.now() / 1000);

/** A state is saved only once its history is complete, so a saved chain without the contracts is another chain. */
async function requireContracts(
  node: NodeClient,
  plan: ContractPlan,
  dataDir: string,
  log: (line: string) => void,
): Promise<void> {
  type Made = Pick<Creation, "address"> & { contractName: string };
  const missing = async (creations: readonly Made[]): Promise<Made | undefined> => {
    const codes = await Promise.all(
      creations.map(({ address }) => node.request({ method: "eth_getCode", params: [address, "latest"] })),
    );
    return creations.find((_, i) => codes[i] === "0x");
  };
  const required = await missing(plan.creations.first);
  if (required) {
    const { contractName, address } = required;
    throw new Error(
      `The local chain saved in ${dataDir} has no ${contractName} at ${address}. Remove the folder to begin a new chain.`,
    );
  }
  // A chain of an earlier version goes on as it is: what somebody has made on it is worth more than our examples.
  const newer = await missing([...plan.creations.later, ...plan.market.creations]);
  if (newer)
    log(`The local chain is older than ${newer.contractName} and others: remove ${dataDir} to have them`);
}

/** Saves new blocks every second, more rarely when the state has grown so large that saving takes long. */
function keepSaved(anvil: Anvil, node: NodeClient, state: SavedState, log: (line: string) => void) {
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();

  const save = async (): Promise<void> => {
    const began = performance.now();
    try {
      await state.save(node);
    } catch (error) {
      if (!stopping) log(`The local chain's state could not be saved: ${messageOf(error)}`);
    }
    schedule(Math.max(saveInterval, 20 * (performance.now() - began)));
  };
  const schedule = (delay: number): void => {
    if (stopping) return;
    timer = setTimeout(() => {
      saving = save();
    }, delay);
    timer.unref();
  };
  const end = (): void => {
    stopping = true;
    clearTimeout(timer);
  };

  schedule(saveInterval);
  anvil.ended.then((reason) => {
    if (!stopping) log(`The local chain ended unexpectedly (${reason}). Restart to continue it.`);
    end();
  });

  return {
    async stop(): Promise<void> {
      const running = !stopping;
      end();
      await saving;
      if (!running) return;
      try {
        await state.saveWithPast(node);
      } catch (error) {
        log(`The local chain's last state could not be saved: ${messageOf(error)}`);
      }
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
