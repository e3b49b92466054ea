import { join } from "node:path";
import type { Readable } from "node:stream";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { FsBlockstore } from "blockstore-fs";
import { CID } from "multiformats/cid";
import { DiskPins, type Pin } from "./diskPins.ts";
import { KuboNode } from "./kubo.ts";

/** A file of a folder to add; `path` is relative to the folder, with slashes. */
export interface FolderEntry {
  path: string;
  content: Uint8Array;
}

export type IpfsEntry =
  | {
      kind: "file";
      cid: string;
      /** In bytes. */
      size: number;
      /** The bytes from `start`, `length` of them. */
      read(start: number, length: number): AsyncIterable<Uint8Array>;
    }
  | { kind: "folder"; cid: string; names(): Promise<string[]> };

/**
 * Content under the address of its hash. It is kept on the own disk, and nothing is fetched from, or told to, other
 * nodes; or a Kubo node keeps it, which is asked for what is not on the disk. Rejects with 100 (HTTP 503) where that
 * node cannot be asked.
 */
export interface Ipfs {
  /** Answers the CID that `ipfs add` would give: version 0, or 1 (with raw leaves) where asked for. */
  addFile(content: AsyncIterable<Uint8Array> | Readable, version?: 0 | 1): Promise<string>;
  /** Answers the folder's CID. Throws 107 for paths that cannot stand in one folder. */
  addFolder(entries: FolderEntry[]): Promise<string>;
  /** What is at a path below a CID; undefined where this server holds no such thing. Throws 107 for what is no CID. */
  read(cid: string, path: string[]): Promise<IpfsEntry | undefined>;
  /** What is to stay: all that was added, unless it was unpinned. */
  pins(): Promise<Pin[]>;
  /** Has content stay; answers false where a part of it is not to be had. */
  pin(cid: string): Promise<boolean>;
  /** Lets content go that no other pin reaches. Answers whether it was pinned. */
  unpin(cid: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** How `ipfs add` cuts content and puts the pieces together: the same content has the same CID everywhere. */
const CHUNK_BYTES = 256 * 1024;
const LINKS = 174;

/** Loaded with the first content: most servers keep none. */
async function unixFs() {
  const [imports, exports, chunker, layout] = await Promise.all([
    import("ipfs-unixfs-importer"),
    import("ipfs-unixfs-exporter"),
    import("ipfs-unixfs-importer/chunker"),
    import("ipfs-unixfs-importer/layout"),
  ]);
  const options = (version: 0 | 1) => ({
    cidVersion: version,
    rawLeaves: version === 1,
    chunker: chunker.fixedSize({ chunkSize: CHUNK_BYTES }),
    layout: layout.balanced({ maxChildrenPerNode: LINKS }),
  });
  return { ...imports, ...exports, options };
}

const MAX_ENTRIES = 10_000;
const MAX_PATH = 1_024;
const MAX_DEPTH = 32;

/** The codecs of files and folders: what else a CID can name is no content of ours. */
const CODECS: ReadonlySet<number> = new Set([0x55, 0x70]);
/** A "hash" that is the content itself: would have us serve whatever an address says. */
const IDENTITY = 0x00;

/** Keeps blocks in `folder`, which is made where it is missing, or in a Kubo node where there is one. */
export async function openIpfs(folder: string, kuboRpc?: string): Promise<Ipfs> {
  const disk = new FsBlockstore(folder);
  await disk.open();
  const pins = new DiskPins(join(folder, "pins"), disk);
  const kubo = kuboRpc === undefined ? undefined : new KuboNode(kuboRpc);
  const blocks = kubo ? behindDisk(disk, kubo) : disk;

  /** Puts blocks where they are kept, and pins the root of them. */
  async function keep(put: () => Promise<CID>): Promise<string> {
    if (!kubo) return (await pins.add(put)).toString();
    const cid = await put();
    await kubo.pin(cid);
    return cid.toString();
  }

  return {
    async addFile(content, version = 0) {
      const { importByteStream, options } = await unixFs();
      return keep(async () => (await importByteStream(content, blocks, options(version))).cid);
    },

    async addFolder(entries) {
      assertFolder(entries);
      const { importer, options } = await unixFs();
      return keep(async () => {
        let root: CID | undefined;
        const imported = importer(entries, blocks, { ...options(0), wrapWithDirectory: true });
        // The folder that holds all others comes last.
        for await (const { cid } of imported) root = cid;
        if (!root) throw new Error("A folder was added and has no CID");
        return root;
      });
    },

    async read(text, path) {
      const cid = parseCid(text);
      if (!isServed(cid)) return undefined;
      const { exporter } = await unixFs();
      const entry = await found(() => exporter([cid.toString(), ...path].join("/"), blocks));
      if (!entry) return undefined;
      if (entry.type === "directory") {
        const names = async () => {
          const list: string[] = [];
          for await (const { name } of entry.entries()) list.push(name);
          return list;
        };
        return { kind: "folder", cid: entry.cid.toString(), names };
      }
      if (entry.type !== "file" && entry.type !== "raw") return undefined;
      return {
        kind: "file",
        cid: entry.cid.toString(),
        size: Number(entry.size),
        read: (start, length) => entry.content({ offset: start, length }),
      };
    },

    async pins() {
      const [held, onDisk] = await Promise.all([kubo?.pins() ?? [], pins.list()]);
      const known = new Set(onDisk.map(({ cid }) => cid));
      return [...onDisk, ...held.filter((cid) => !known.has(cid)).map((cid) => ({ cid }))];
    },

    async pin(text) {
      const cid = parseCid(text);
      if (!isServed(cid)) return false;
      const pinned = await found(async () => {
        await (kubo ?? pins).pin(cid);
        return true;
      });
      return pinned ?? false;
    },

    async unpin(text) {
      const cid = parseCid(text);
      const [wasThere, wasHere] = await Promise.all([kubo?.unpin(cid) ?? false, pins.unpin(cid)]);
      return wasThere || wasHere;
    },

    async stop() {
      await disk.close();
    },
  };
}

/** Blocks of the disk before those of a node, which takes all new ones. */
function behindDisk(disk: FsBlockstore, kubo: KuboNode): Pick<FsBlockstore, "get" | "put"> {
  return {
    async *get(cid, options) {
      if (await disk.has(cid)) yield* disk.get(cid, options);
      else yield await kubo.get(cid);
    },
    async put(cid, content) {
      if (content instanceof Uint8Array) return kubo.put(cid, content);
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      return kubo.put(cid, Buffer.concat(chunks));
    },
  };
}

function isServed(cid: CID): boolean {
  return CODECS.has(cid.code) && cid.multihash.code !== IDENTITY;
}

function parseCid(text: string): CID {
  try {
    return CID.parse(text);
  } catch {
    throw new ProtocolError(ErrorCode.INVALID_JSON, `"${text.slice(0, 100)}" is not a CID`, 400);
  }
}

/** Undefined where a block or a name is missing. */
async function found<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && error.name === "NotFoundError") return undefined;
    throw error;
  }
}

/** Throws 107 where the entries cannot be files of one folder. */
function assertFolder(entries: FolderEntry[]): void {
  if (entries.length === 0) throw invalid("A folder needs at least one file");
  if (entries.length > MAX_ENTRIES) throw invalid(`A folder takes ${MAX_ENTRIES} files at most`);
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of entries) {
    const segments = path.split("/");
    if (path.length > MAX_PATH || segments.length > MAX_DEPTH || !segments.every(isName)) {
      throw invalid(`"${path.slice(0, 100)}" is not a path within a folder`);
    }
    if (files.has(path)) throw invalid(`"${path}" is given twice`);
    files.add(path);
    for (let depth = 1; depth < segments.length; depth++) folders.add(segments.slice(0, depth).join("/"));
  }
  const both = [...files].find((path) => folders.has(path));
  if (both !== undefined) throw invalid(`"${both}" is both a file and a folder`);
}

function isName(segment: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return segment !== "" && segment !== "." && segment !== ".." && !/[\u0000-\u001f\u007f\\]/.test(segment);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
