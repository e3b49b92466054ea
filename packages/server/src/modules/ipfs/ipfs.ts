import { join } from "node:path";
import type { Readable } from "node:stream";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { FsBlockstore } from "blockstore-fs";
import { CID } from "multiformats/cid";
import { BlockNotFound } from "./blockNotFound.ts";
import type { BlockWriter, BucketContent } from "./bucketContent.ts";
import { DiskPins, type Pin } from "./diskPins.ts";
import { KuboNode } from "./kubo.ts";
import type { BlockReader } from "./reachableBlocks.ts";

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
      /** Yields `length` bytes from `start`. */
      read(start: number, length: number): AsyncIterable<Uint8Array>;
    }
  | { kind: "folder"; cid: string; names(): Promise<string[]> };

/**
 * Content-addressed storage. Blocks are stored on disk or in a bucket, and nothing is fetched from or announced to other
 * nodes; or they are stored in a Kubo node. Blocks that are not on disk are read from there. Rejects with 100 (HTTP 503)
 * if the bucket or the node fails.
 */
export interface Ipfs {
  /** Adds a file. Returns the CID that `ipfs add` would print: version 0, or 1 (with raw leaves). */
  addFile(content: AsyncIterable<Uint8Array> | Readable, version?: 0 | 1): Promise<string>;
  /** Adds a folder and returns its CID. Throws 107 for invalid paths. */
  addFolder(entries: FolderEntry[]): Promise<string>;
  /** Reads the entry at a path below a CID; undefined if it is missing. Throws 107 for an invalid CID. */
  read(cid: string, path: string[]): Promise<IpfsEntry | undefined>;
  /** Lists the pins: all content that was added and not unpinned. */
  pins(): Promise<Pin[]>;
  /** Pins content; returns false if a block of it is missing. */
  pin(cid: string): Promise<boolean>;
  /** Unpins content. Returns whether it was pinned. */
  unpin(cid: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Chunking parameters of `ipfs add`, so that content has the same CID everywhere. */
const CHUNK_BYTES = 256 * 1024;
const MAX_LINKS = 174;

/** Imported on first use: most servers store no content in IPFS. */
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
    layout: layout.balanced({ maxChildrenPerNode: MAX_LINKS }),
  });
  return { ...imports, ...exports, options };
}

const MAX_ENTRIES = 10_000;
const MAX_PATH_LENGTH = 1_024;
const MAX_DEPTH = 32;

/** The supported codecs: files and folders. */
const CODECS: ReadonlySet<number> = new Set([0x55, 0x70]);
/** The identity "hash" contains the content itself: it would make the server return the content of any URL. */
const IDENTITY = 0x00;

export interface IpfsOptions {
  /** The folder of blocks on disk, which is created if needed. */
  folder: string;
  /** The URL of a Kubo node, in which new content is stored. */
  kuboRpc?: string | undefined;
  /** The bucket in which new content is stored without a Kubo node. */
  bucket?: BucketContent | undefined;
}

/** Opens the content of this server. Content that was stored elsewhere before can still be read and unpinned. */
export async function openIpfs({ folder, kuboRpc, bucket }: IpfsOptions): Promise<Ipfs> {
  const disk = new FsBlockstore(folder);
  await disk.open();
  const pins = new DiskPins(join(folder, "pins"), disk);
  const kubo = kuboRpc === undefined ? undefined : new KuboNode(kuboRpc);

  /** Reads blocks from disk, then from the Kubo node, then from the bucket. */
  function blocks(): BlockReader {
    const remotes = [...(kubo ? [kubo] : []), ...(bucket ? [bucket.reader()] : [])];
    return {
      async *get(cid, options) {
        if (await disk.has(cid)) yield* disk.get(cid, options);
        else yield await readFirst(remotes, cid);
      },
    };
  }

  /** Stores blocks and pins their root. */
  async function storeAndPin(
    put: (blocks: Pick<FsBlockstore, "get" | "put">) => Promise<CID>,
  ): Promise<string> {
    const into = ({ put }: BlockWriter) => ({ ...blocks(), put: joinChunks(put) });
    if (bucket && !kubo) return (await bucket.add((writer) => put(into(writer)))).toString();
    if (!kubo) return (await pins.add(() => put(disk))).toString();
    const cid = await put(into({ put: (cid, content) => kubo.put(cid, content) }));
    await kubo.pin(cid);
    return cid.toString();
  }

  return {
    async addFile(content, version = 0) {
      const { importByteStream, options } = await unixFs();
      return storeAndPin(async (blocks) => (await importByteStream(content, blocks, options(version))).cid);
    },

    async addFolder(entries) {
      assertFolder(entries);
      const { importer, options } = await unixFs();
      return storeAndPin(async (blocks) => {
        let root: CID | undefined;
        const imported = importer(entries, blocks, { ...options(0), wrapWithDirectory: true });
        // The root folder is the last entry.
        for await (const { cid } of imported) root = cid;
        if (!root) throw new Error("A folder was added without a CID");
        return root;
      });
    },

    async read(text, path) {
      const cid = parseCid(text);
      if (!isSupportedCid(cid)) return undefined;
      const { exporter } = await unixFs();
      const entry = await undefinedIfMissing(() => exporter([cid.toString(), ...path].join("/"), blocks()));
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
      const lists = await Promise.all([
        pins.list(),
        bucket?.list() ?? [],
        kubo?.pins().then((cids) => cids.map((cid): Pin => ({ cid }))) ?? [],
      ]);
      const known = new Set<string>();
      return lists.flat().filter(({ cid }) => !known.has(cid) && known.add(cid));
    },

    async pin(text) {
      const cid = parseCid(text);
      if (!isSupportedCid(cid)) return false;
      const pinned = await undefinedIfMissing(async () => {
        if (kubo || !bucket) await (kubo ?? pins).pin(cid);
        else await bucket.pin(cid, blocks());
        return true;
      });
      return pinned ?? false;
    },

    async unpin(text) {
      const cid = parseCid(text);
      const wasPinned = await Promise.all([
        kubo?.unpin(cid) ?? false,
        bucket?.unpin(cid) ?? false,
        pins.unpin(cid),
      ]);
      return wasPinned.includes(true);
    },

    async stop() {
      await disk.close();
    },
  };
}

/** Reads a block from the first source that has it. Rejects with BlockNotFound. */
async function readFirst(
  sources: readonly { get(cid: CID): Promise<Uint8Array> }[],
  cid: CID,
): Promise<Uint8Array> {
  for (const source of sources) {
    const content = await undefinedIfMissing(() => source.get(cid));
    if (content) return content;
  }
  throw new BlockNotFound(cid.toString());
}

/** Adapts a function that stores whole blocks to the interface of a blockstore. */
function joinChunks(put: BlockWriter["put"]): FsBlockstore["put"] {
  return async (cid, content) => {
    if (content instanceof Uint8Array) return put(cid, content);
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    return put(cid, Buffer.concat(chunks));
  };
}

function isSupportedCid(cid: CID): boolean {
  return CODECS.has(cid.code) && cid.multihash.code !== IDENTITY;
}

function parseCid(text: string): CID {
  try {
    return CID.parse(text);
  } catch {
    throw new ProtocolError(ErrorCode.INVALID_JSON, `"${text.slice(0, 100)}" is not a CID`, 400);
  }
}

/** Returns undefined if a block or a name is missing. */
async function undefinedIfMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && error.name === "NotFoundError") return undefined;
    throw error;
  }
}

/** Throws 107 if the entries do not form a valid folder. */
function assertFolder(entries: FolderEntry[]): void {
  if (entries.length === 0) throw invalid("A folder needs at least one file");
  if (entries.length > MAX_ENTRIES) throw invalid(`A folder takes ${MAX_ENTRIES} files at most`);
  const files = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of entries) {
    const segments = path.split("/");
    if (path.length > MAX_PATH_LENGTH || segments.length > MAX_DEPTH || !segments.every(isName)) {
      throw invalid(`"${path.slice(0, 100)}" is not a path within a folder`);
    }
    if (files.has(path)) throw invalid(`"${path}" occurs twice`);
    files.add(path);
    for (let depth = 1; depth < segments.length; depth++) folders.add(segments.slice(0, depth).join("/"));
  }
  const conflict = [...files].find((path) => folders.has(path));
  if (conflict !== undefined) throw invalid(`"${conflict}" is both a file and a folder`);
}

function isName(segment: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return segment !== "" && segment !== "." && segment !== ".." && !/[\u0000-\u001f\u007f\\]/.test(segment);
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.INVALID_JSON, message);
}
