import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { decode } from "@ipld/dag-pb";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { FsBlockstore } from "blockstore-fs";
import { CID } from "multiformats/cid";
import { BlockNotFound } from "./blockNotFound.ts";

/** Content that is to stay, with all that is below it. */
export interface Pin {
  cid: string;
  /** ISO 8601; not known of what a node outside holds. */
  pinnedAt?: string;
}

const DAG_PB = 0x70;
/** How long taking away waits for what is just being added, in ms. */
const WAIT_MS = 30_000;
const FILES_AT_ONCE = 64;

/** Which content on the disk is to stay: a file for each pin. What no pin reaches any more is taken away with the last one. */
export class DiskPins {
  readonly #folder: string;
  readonly #blocks: FsBlockstore;
  readonly #adding = new Set<Promise<unknown>>();
  #removing: Promise<unknown> = Promise.resolve();

  constructor(folder: string, blocks: FsBlockstore) {
    this.#folder = folder;
    this.#blocks = blocks;
  }

  /** Adds blocks and pins their root. Nothing is taken away meanwhile. */
  async add(put: () => Promise<CID>): Promise<CID> {
    for (let seen: unknown; seen !== this.#removing; ) {
      seen = this.#removing;
      await seen;
    }
    const adding = put().then(async (cid) => {
      await this.#write(cid);
      return cid;
    });
    this.#adding.add(adding);
    return adding.finally(() => this.#adding.delete(adding));
  }

  /** Rejects with BlockNotFound where a part of it is not on the disk. */
  async pin(cid: CID): Promise<void> {
    await this.add(async () => {
      for await (const { isHeld } of this.#reached(cid, new Set())) {
        if (!isHeld) throw new BlockNotFound(cid.toString());
      }
      return cid;
    });
  }

  async list(): Promise<Pin[]> {
    const names = await this.#names();
    const pins: Pin[] = [];
    for (let at = 0; at < names.length; at += FILES_AT_ONCE) {
      const some = names.slice(at, at + FILES_AT_ONCE).map(async (name): Promise<Pin> => {
        const text = await readFile(join(this.#folder, name), "utf8").catch(() => "");
        return { cid: name, ...(text !== "" && { pinnedAt: text }) };
      });
      pins.push(...(await Promise.all(some)));
    }
    return pins.sort((a, b) => (a.pinnedAt ?? "").localeCompare(b.pinnedAt ?? ""));
  }

  /** Takes a pin away, and the blocks that none reaches then. Answers whether there was one. */
  async unpin(cid: CID): Promise<boolean> {
    const removing = this.#removing.then(async () => {
      await this.#nobodyAdds();
      const names = await this.#names();
      const name = cid.toString();
      if (!names.includes(name)) return false;
      await rm(join(this.#folder, name), { force: true });
      await this.#free(
        cid,
        names.filter((each) => each !== name),
      );
      return true;
    });
    this.#removing = removing.catch(() => undefined);
    return removing;
  }

  async #nobodyAdds(): Promise<void> {
    const waiting = new AbortController();
    const enough = sleep(WAIT_MS, "late", { signal: waiting.signal }).catch(() => undefined);
    const outcome = await Promise.race([Promise.allSettled(this.#adding), enough]);
    waiting.abort();
    if (outcome === "late") {
      throw new ProtocolError(ErrorCode.TIMEOUT, "Content is being added: ask again later.", 503);
    }
  }

  async #free(root: CID, others: readonly string[]): Promise<void> {
    const doomed = new Map<string, CID>();
    for await (const { cid, isHeld } of this.#reached(root, new Set()))
      if (isHeld) doomed.set(cid.toString(), cid);
    const seen = new Set<string>();
    for (const other of others) {
      for await (const { cid } of this.#reached(CID.parse(other), seen)) doomed.delete(cid.toString());
    }
    for (const cid of doomed.values()) await this.#blocks.delete(cid);
  }

  /** All blocks from a root on that have not been seen, and whether each is on the disk. */
  async *#reached(root: CID, seen: Set<string>): AsyncGenerator<{ cid: CID; isHeld: boolean }> {
    const waiting = [root];
    for (let cid = waiting.pop(); cid; cid = waiting.pop()) {
      const name = cid.toString();
      if (seen.has(name)) continue;
      seen.add(name);
      const isHeld = await this.#blocks.has(cid);
      yield { cid, isHeld };
      if (!isHeld || cid.code !== DAG_PB) continue;
      const chunks: Uint8Array[] = [];
      for await (const chunk of this.#blocks.get(cid)) chunks.push(chunk);
      for (const { Hash } of decode(Buffer.concat(chunks)).Links) waiting.push(Hash);
    }
  }

  async #write(cid: CID): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const draft = join(this.#folder, `${randomUUID()}.part`);
    await writeFile(draft, new Date().toISOString());
    await rename(draft, join(this.#folder, cid.toString()));
  }

  async #names(): Promise<string[]> {
    await mkdir(this.#folder, { recursive: true });
    return (await readdir(this.#folder)).filter((name) => !name.endsWith(".part"));
  }
}
