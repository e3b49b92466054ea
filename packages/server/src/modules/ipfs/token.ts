import type { FetchContent } from "@purse/chain";
import { token } from "@purse/kernel";
import type { JsonValue } from "@purse/protocol";
import type { Ipfs } from "./ipfs.ts";

/** IPFS content, and what URIs of NFTs refer to. */
export interface IpfsService {
  /** The content of this server. */
  content: Ipfs;
  /** Reads NFT metadata and images by their URI (`ipfs://`, `https://`, `data:` …). */
  fetchContent: FetchContent;
  /**
   * Adds a folder from `[{ path, content }]`; content is base64 (or a data URI) or JSON. Returns the URL of each file in
   * the same order. `reserve` reserves disk space for so many bytes. Throws 107 for invalid input, 130 for files that are
   * too large.
   */
  uploadFolder(data: JsonValue, reserve: (bytes: number) => Promise<() => void>): Promise<{ path: string }[]>;
}

export const IPFS = token<IpfsService>("ipfs");
