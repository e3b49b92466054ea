import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { NodeClient } from "./nodeClient.ts";

/** Keeps the chain's state on disk, so that it can go on after a restart or a crash. */
export interface SavedState {
  /** Unpacks what was saved into a file that Anvil can load; undefined if nothing was saved yet. */
  unpack(): Promise<{ path: string; remove(): Promise<void> } | undefined>;
  /** Takes what the chain has for saved: it is what was unpacked. */
  unpacked(node: NodeClient): Promise<void>;
  /** Saves blocks, transactions, receipts and the latest state, if there are new blocks since the last time. */
  save(node: NodeClient): Promise<void>;
  /**
   * Saves also the state at each past block, so that balances and calls "at block n" are answered after a restart too;
   * of chains of up to `pastStateBlocks` blocks.
   */
  saveWithPast(node: NodeClient): Promise<void>;
}

/** Anvil writes every past state in full: at 400 blocks that takes a second, at 2,000 more than ten. */
const pastStateBlocks = 200;

/**
 * The saved state in `folder`. We do not use Anvil's own `--state`: it rewrites the file in place, so that a crash in
 * the middle would lose the whole chain. Here a new file is complete and synced before it takes the old one's name.
 */
export function savedState(folder: string): SavedState {
  const file = join(folder, "state.json.gz");
  let savedHead: string | undefined;

  const write = async (node: NodeClient, head: string, pastStates: boolean): Promise<void> => {
    const dump = await node.request({ method: "anvil_dumpState", params: [pastStates] });
    await replaceFile(file, Buffer.from(dump.slice(2), "hex"));
    savedHead = head;
  };

  return {
    async unpack() {
      await mkdir(folder, { recursive: true });
      if (!existsSync(file)) return undefined;
      const path = join(folder, "loading.json");
      try {
        await writeFile(path, await promisify(gunzip)(await readFile(file)));
      } catch (error) {
        throw new Error(
          `The local chain's saved state ${file} cannot be read (${error instanceof Error ? error.message : error}). ` +
            "Remove the file to begin a new chain.",
        );
      }
      return { path, remove: () => rm(path, { force: true }) };
    },
    async unpacked(node) {
      savedHead = (await latestBlock(node)).hash;
    },
    async save(node) {
      const head = await latestBlock(node);
      if (head.hash !== savedHead) await write(node, head.hash, false);
    },
    async saveWithPast(node) {
      const head = await latestBlock(node);
      await write(node, head.hash, Number(head.number) <= pastStateBlocks);
    },
  };
}

function latestBlock(node: NodeClient) {
  return node.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
}

async function replaceFile(path: string, content: Buffer): Promise<void> {
  const draft = `${path}.new`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, path);
}
