import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { FsBlockstore } from "blockstore-fs";
import { CID } from "multiformats/cid";
import { BlockNotFound } from "./blockNotFound.ts";
import { reachableBlocks } from "./reachableBlocks.ts";

/** Pinned content, recursively. */
export interface Pin {
  cid: string;
  /** ISO 8601; unknown for pins of a Kubo node. */
  pinnedAt?: string;
}

/** How long unpinning waits for content that is being added, in ms. */
const ADD_WAIT_MS = 30_000;
const READ_CONCURRENCY = 64;

/** The pins of content on the disk, one file each. Blocks that no pin reaches are deleted with the last pin. */
export class DiskPins {
  readonly #folder: string;
  readonly #blocks: FsBlockstore;
  readonly #adding = new Set<Promise<unknown>>();
  #removing: Promise<unknown> = Promise.resolve();

  constructor(folder: string, blocks: FsBlockstore) {
    this.#folder = folder;
    this.#blocks = blocks;
  }

  /** Adds blocks and pins their root. No blocks are deleted meanwhile. */
  async add(addBlocks: () => Promise<CID>): Promise<CID> {
    for (let seen: unknown; seen !== this.#removing; ) {
      seen = this.#removing;
      await seen;
    }
    const adding = addBlocks().then(async (cid) => {
      await this.#write(cid);
      return cid;
    });
    this.#adding.add(adding);
    return adding.finally(() => this.#adding.delete(adding));
  }

  /** Pins content. Rejects with BlockNotFound if a block of it is missing. */
  async pin(cid: CID): Promise<void> {
    await this.add(async () => {
      for await (const { isStored } of reachableBlocks(this.#blocks, cid, new Set())) {
        if (!isStored) throw new BlockNotFound(cid.toString());
      }
      return cid;
    });
  }

  async list(): Promise<Pin[]> {
    const names = await this.#pinnedNames();
    const pins: Pin[] = [];
    for (let at = 0; at < names.length; at += READ_CONCURRENCY) {
      const batch = names.slice(at, at + READ_CONCURRENCY).map(async (name): Promise<Pin> => {
        const text = await readFile(join(this.#folder, name), "utf8").catch(() => "");
        return { cid: name, ...(text !== "" && { pinnedAt: text }) };
      });
      pins.push(...(await Promise.all(batch)));
    }
    return pins.sort((a, b) => (a.pinnedAt ?? "").localeCompare(b.pinnedAt ?? ""));
  }

  /** Removes a pin and the blocks that become unreachable. Returns whether it existed. */
  async unpin(cid: CID): Promise<boolean> {
    const removing = this.#removing.then(async () => {
      await this.#waitForAdds();
      const names = await this.#pinnedNames();
      const name = cid.toString();
      if (!names.includes(name)) return false;
      await rm(join(this.#folder, name), { force: true });
      await this.#deleteUnreachable(
        cid,
        names.filter((each) => each !== name),
      );
      return true;
    });
    this.#removing = removing.catch(() => undefined);
    return removing;
  }

  async #waitForAdds(): Promise<void> {
    const waiting = new AbortController();
    const timeout = sleep(ADD_WAIT_MS, "timeout", { signal: waiting.signal }).catch(() => undefined);
    const outcome = await Promise.race([Promise.allSettled(this.#adding), timeout]);
    waiting.abort();
    if (outcome === "timeout") {
      throw new ProtocolError(ErrorCode.TIMEOUT, "Content is being added: try again later.", 503);
    }
  }

  async #deleteUnreachable(root: CID, others: readonly string[]): Promise<void> {
    const unreachable = new Map<string, CID>();
    for await (const { cid, isStored } of reachableBlocks(this.#blocks, root, new Set()))
      if (isStored) unreachable.set(cid.toString(), cid);
    const seen = new Set<string>();
    for (const other of others) {
      for await (const { cid } of reachableBlocks(this.#blocks, CID.parse(other), seen))
        unreachable.delete(cid.toString());
    }
    for (const cid of unreachable.values()) await this.#blocks.delete(cid);
  }

  async #write(cid: CID): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const temporaryPath = join(this.#folder, `${randomUUID()}.part`);
    await writeFile(temporaryPath, new Date().toISOString());
    await rename(temporaryPath, join(this.#folder, cid.toString()));
  }

  async #pinnedNames(): Promise<string[]> {
    await mkdir(this.#folder, { recursive: true });
    return (await readdir(this.#folder)).filter((name) => !name.endsWith(".part"));
  }
}
