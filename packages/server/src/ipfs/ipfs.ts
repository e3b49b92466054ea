import type { Readable } from "node:stream";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { FsBlockstore } from "blockstore-fs";
import { exporter } from "ipfs-unixfs-exporter";
import { importByteStream, importer } from "ipfs-unixfs-importer";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { balanced } from "ipfs-unixfs-importer/layout";
import { CID } from "multiformats/cid";

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

/** Content under the address of its hash, kept on the own disk: nothing is fetched from, or told to, other nodes. */
export interface Ipfs {
  /** Answers the CID that `ipfs add` would give: version 0, or 1 (with raw leaves) where asked for. */
  addFile(content: AsyncIterable<Uint8Array> | Readable, version?: 0 | 1): Promise<string>;
  /** Answers the folder's CID. Throws 107 for paths that cannot stand in one folder. */
  addFolder(entries: FolderEntry[]): Promise<string>;
  /** What is at a path below a CID; undefined where this server holds no such thing. Throws 107 for what is no CID. */
  read(cid: string, path: string[]): Promise<IpfsEntry | undefined>;
  stop(): Promise<void>;
}

/** How `ipfs add` cuts content and puts the pieces together: the same content has the same CID everywhere. */
const CHUNK_BYTES = 256 * 1024;
const LINKS = 174;

const MAX_ENTRIES = 10_000;
const MAX_PATH = 1_024;
const MAX_DEPTH = 32;

/** The codecs of files and folders: what else a CID can name is no content of ours. */
const CODECS: ReadonlySet<number> = new Set([0x55, 0x70]);
/** A "hash" that is the content itself: would have us serve whatever an address says. */
const IDENTITY = 0x00;

/** Keeps blocks in `folder`, which is made where it is missing. */
export async function openIpfs(folder: string): Promise<Ipfs> {
  const blocks = new FsBlockstore(folder);
  await blocks.open();

  const options = (version: 0 | 1) => ({
    cidVersion: version,
    rawLeaves: version === 1,
    chunker: fixedSize({ chunkSize: CHUNK_BYTES }),
    layout: balanced({ maxChildrenPerNode: LINKS }),
  });

  return {
    async addFile(content, version = 0) {
      const { cid } = await importByteStream(content, blocks, options(version));
      return cid.toString();
    },

    async addFolder(entries) {
      assertFolder(entries);
      let root: CID | undefined;
      const imported = importer(entries, blocks, { ...options(0), wrapWithDirectory: true });
      // The folder that holds all others comes last.
      for await (const { cid } of imported) root = cid;
      if (!root) throw new Error("A folder was added and has no CID");
      return root.toString();
    },

    async read(text, path) {
      const cid = parseCid(text);
      if (!CODECS.has(cid.code) || cid.multihash.code === IDENTITY) return undefined;
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

    async stop() {
      await blocks.close();
    },
  };
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
