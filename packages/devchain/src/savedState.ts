import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { NodeClient } from "./nodeClient.ts";

/** Stores the chain's state on disk, so that it survives restarts and crashes. */
export interface StateStore {
  /** Unpacks the saved state into a file that Anvil can load; undefined if there is none. */
  load(): Promise<{ path: string; remove(): Promise<void> } | undefined>;
  /** Marks the current head as saved, after loading. */
  markLoaded(node: NodeClient): Promise<void>;
  /** Saves blocks, transactions, receipts and the latest state, if there are new blocks. */
  save(node: NodeClient): Promise<void>;
  /**
   * Saves the states of past blocks too, so that calls at past blocks work after a restart; for chains of up to
   * `pastStateBlocks` blocks.
   */
  saveWithPastStates(node: NodeClient): Promise<void>;
}

/** Anvil writes each past state in full: 400 blocks take a second, 2,000 more than ten. */
const pastStateBlocks = 200;

/**
 * Opens the store in `folder`. Anvil's own `--state` is not used because it rewrites the file in place: a crash could
 * lose the whole chain. Here, a new file is complete and synced before it replaces the old one.
 */
export function createStateStore(folder: string): StateStore {
  const file = join(folder, "state.json.gz");
  let savedHead: string | undefined;

  const write = async (node: NodeClient, head: string, pastStates: boolean): Promise<void> => {
    const dump = await node.request({ method: "anvil_dumpState", params: [pastStates] });
    await replaceFile(file, Buffer.from(dump.slice(2), "hex"));
    savedHead = head;
  };

  return {
    async load() {
      await mkdir(folder, { recursive: true });
      if (!existsSync(file)) return undefined;
      const path = join(folder, "loading.json");
      try {
        await writeFile(path, await promisify(gunzip)(await readFile(file)));
      } catch (error) {
        throw new Error(
          `The local chain's saved state ${file} cannot be read (${error instanceof Error ? error.message : error}). ` +
            "Remove the file to start a new chain.",
        );
      }
      return { path, remove: () => rm(path, { force: true }) };
    },
    async markLoaded(node) {
      savedHead = (await latestBlock(node)).hash;
    },
    async save(node) {
      const head = await latestBlock(node);
      if (head.hash !== savedHead) await write(node, head.hash, false);
    },
    async saveWithPastStates(node) {
      const head = await latestBlock(node);
      await write(node, head.hash, Number(head.number) <= pastStateBlocks);
    },
  };
}

function latestBlock(node: NodeClient) {
  return node.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
}

async function replaceFile(path: string, content: Buffer): Promise<void> {
  const temporaryPath = `${path}.new`;
  const handle = await open(temporaryPath, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporaryPath, path);
}
