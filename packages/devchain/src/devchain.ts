import { join } from "node:path";
import { DEV_ACCOUNT_COUNT, DEV_MNEMONIC, type DevAccount, devAccounts } from "./accounts.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import { type ContractPlan, type Creation, type DevContracts, planContracts } from "./contracts.ts";
import { genesisTime, makeHistory } from "./history.ts";
import { type NodeClient, nodeClient } from "./nodeClient.ts";
import { createStateStore, type StateStore } from "./savedState.ts";
import { type NameContracts, nameContracts } from "./scenarios/names.ts";

export interface DevChainOptions {
  /** Default 8545; 0 selects a free port. */
  port?: number;
  /** Directory for the chain's state; created if missing. One running chain per directory. */
  dataDir: string;
  /** Default 1337 (0x539). */
  chainId?: number;
  /**
   * Whether balances and calls at more than the latest 100 blocks are supported. Default true; false uses less
   * memory.
   */
  keepPastStates?: boolean;
  /** Whether new blocks are saved every second. Default true; without it, only `stop` saves them. */
  autoSave?: boolean;
  /** Receives log lines. */
  log?: (line: string) => void;
}

/** A running local EVM chain on the loopback address that mines a block for each transaction. */
export interface DevChain {
  /** JSON-RPC over HTTP and, at the same address, WebSocket; open to all origins. */
  url: string;
  chainId: number;
  /** Ten accounts, funded with 10,000 ether at genesis. */
  accounts: DevAccount[];
  contracts: DevContracts;
  /** Names in the style of ENS and Unstoppable Domains. */
  names: NameContracts;
  /** Process group id of the node. */
  pid: number;
  /** Saves the state and stops the node. Can be called more than once. */
  stop(): Promise<void>;
}

/** `kill -9` can lose up to a second of blocks; `stop` loses none. */
const saveInterval = 1_000;

/**
 * Starts the chain: a new one with contracts and a history of transfers that are the same on every machine, or the
 * one saved in `dataDir`. Blocks, transactions, receipts and logs survive restarts; states of past blocks survive a
 * clean stop while the chain has at most 200 blocks. Rejects with a readable Error if the port is in use, Anvil is
 * missing or the saved state is invalid.
 */
export async function startDevChain(options: DevChainOptions): Promise<DevChain> {
  const { port = 8545, dataDir, chainId = 1337, keepPastStates = true } = options;
  const { autoSave: isAutoSaved = true, log = () => {} } = options;
  const accounts = devAccounts();
  const plan = planContracts(accounts[0]?.address ?? "0x");
  const state = createStateStore(dataDir);

  const saved = await state.load();
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
      // Anvil's clock restarts at genesis; a block must not be older than the previous one.
      const { timestamp } = await node.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
      await node.request({ method: "evm_setTime", params: [Math.max(now(), Number(timestamp) + 1)] });
      await state.markLoaded(node);
      log(`Local chain ${chainId} continues on ${anvil.url}`);
    } else {
      const history = await makeHistory(node, chainId, accounts, plan, now);
      log(
        `Local chain ${chainId} begins on ${anvil.url}: ${history.transactions} transactions in ${history.blocks} blocks`,
      );
      await state.saveWithPastStates(node);
    }
  } catch (error) {
    await anvil.stop();
    throw error;
  }

  const autoSave = startAutoSave(anvil, node, state, log, isAutoSaved);
  const stop = async () => {
    await autoSave.stop();
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

/** Seconds since the epoch. */
const now = (): number => Math.floor(Date.now() / 1000);

/** A state is saved only with a complete history, so a saved chain without the contracts is another chain. */
async function requireContracts(
  node: NodeClient,
  plan: ContractPlan,
  dataDir: string,
  log: (line: string) => void,
): Promise<void> {
  type ExpectedContract = Pick<Creation, "address"> & { contractName: string };
  const missing = async (creations: readonly ExpectedContract[]): Promise<ExpectedContract | undefined> => {
    const codes = await Promise.all(
      creations.map(({ address }) => node.request({ method: "eth_getCode", params: [address, "latest"] })),
    );
    return creations.find((_, i) => codes[i] === "0x");
  };
  const required = await missing(plan.creations.first);
  if (required) {
    const { contractName, address } = required;
    throw new Error(
      `The local chain saved in ${dataDir} has no ${contractName} at ${address}. Remove the directory to start a new chain.`,
    );
  }
  // A chain of an earlier version is kept: the user's data is worth more than new examples.
  const newer = await missing([...plan.creations.later, ...plan.market.creations]);
  if (newer)
    log(`The local chain is older than ${newer.contractName} and others: remove ${dataDir} to have them`);
}

/** Saves new blocks every second, less often if the state is large and saving takes long; otherwise only at the end. */
function startAutoSave(
  anvil: Anvil,
  node: NodeClient,
  state: StateStore,
  log: (line: string) => void,
  isEnabled: boolean,
) {
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();

  const save = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      await state.save(node);
    } catch (error) {
      if (!stopping) log(`The local chain's state could not be saved: ${messageOf(error)}`);
    }
    schedule(Math.max(saveInterval, 20 * (performance.now() - startedAt)));
  };
  const schedule = (delay: number): void => {
    if (stopping) return;
    timer = setTimeout(() => {
      saving = save();
    }, delay);
    timer.unref();
  };
  const cancel = (): void => {
    stopping = true;
    clearTimeout(timer);
  };

  if (isEnabled) schedule(saveInterval);
  anvil.ended.then((reason) => {
    if (!stopping) log(`The local chain ended unexpectedly (${reason}). Restart to continue it.`);
    cancel();
  });

  return {
    async stop(): Promise<void> {
      const running = !stopping;
      cancel();
      await saving;
      if (!running) return;
      try {
        await state.saveWithPastStates(node);
      } catch (error) {
        log(`The local chain's last state could not be saved: ${messageOf(error)}`);
      }
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
