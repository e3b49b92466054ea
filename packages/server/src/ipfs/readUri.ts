import { ContentRefused, type FetchContent } from "@purse/chain";
import { ProtocolError } from "@purse/protocol";
import { OutboundRefused } from "../outbound/guard.ts";
import { readFrom } from "../outbound/readFrom.ts";
import type { Ipfs } from "./ipfs.ts";

export interface UriReaderParts {
  ipfs: Ipfs;
  /** Where this server itself serves IPFS: `https://host/ipfs`. What is there is read from the disk. */
  ownGateway: string;
  /** Where to ask for what this server does not hold: an IPFS gateway (`https://host/ipfs`), Kubo's RPC (`http://host:5001`). */
  gateway: string | undefined;
  kuboRpc: string | undefined;
  /** Whether an IP address that a URI leads to may be asked. */
  isAllowed: (address: string) => boolean;
}

/** Reads what http, https and ipfs URIs name that strangers have written. */
export function createUriReader({
  ipfs,
  ownGateway,
  gateway,
  kuboRpc,
  isAllowed,
}: UriReaderParts): FetchContent {
  return async (uri, { maxBytes, signal }) => {
    const path = ipfsPath(uri, ownGateway);
    try {
      if (!path) {
        return await readFrom({ method: "GET", url: webAddress(uri), maxBytes, signal, isAllowed });
      }
      const held = await heldContent(ipfs, path, maxBytes);
      if (held) return held;
      const address = elsewhere(path, gateway, kuboRpc);
      // It may be put here later.
      if (!address) throw new Error("this server does not hold the content, and has nobody to ask for it");
      const ownHost = new URL(address.url).host;
      return await readFrom({ ...address, maxBytes, signal, isAllowed, ownHost });
    } catch (error) {
      if (error instanceof OutboundRefused) throw new ContentRefused(error.message);
      throw error;
    }
  };
}

function webAddress(uri: string): string {
  if (/^https?:\/\//i.test(uri) && URL.canParse(uri)) return uri;
  throw new ContentRefused("it is no address of http, https or ipfs");
}

/** The CID and the names below it; undefined for what is no address of IPFS. */
function ipfsPath(uri: string, ownGateway: string): string[] | undefined {
  const rest = uri.startsWith(`${ownGateway}/`)
    ? uri.slice(ownGateway.length + 1)
    : /^ipfs:\/\/(?:ipfs\/)?(.*)$/is.exec(uri)?.[1];
  if (rest === undefined) return undefined;
  const path = rest
    .replace(/[?#].*$/s, "")
    .split("/")
    .filter(Boolean)
    .map(decoded);
  if (path.length > 0 && !path.some((name) => /^\.\.?$|[/\\\0]/.test(name))) return path;
  throw new ContentRefused("it is no path in IPFS");
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** undefined where a block of it is missing. */
async function heldContent(
  ipfs: Ipfs,
  [cid = "", ...names]: string[],
  maxBytes: number,
): Promise<Buffer | undefined> {
  try {
    const entry = await ipfs.read(cid, names);
    if (!entry) return undefined;
    if (entry.kind === "folder") throw new ContentRefused("it is a folder");
    if (entry.size > maxBytes) throw new ContentRefused(`the content is larger than ${maxBytes} bytes`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of entry.read(0, entry.size)) {
      size += chunk.length;
      // What a file says of its size is written by whoever made it.
      if (size > maxBytes) throw new ContentRefused(`the content is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    // The operator's node is away: another try may bring it.
    if (error instanceof ProtocolError && error.status === 503) throw new Error(error.message);
    if (error instanceof ProtocolError) throw new ContentRefused(error.message);
    if (error instanceof Error && error.name === "NotFoundError") return undefined;
    throw error;
  }
}

function elsewhere(
  path: string[],
  gateway: string | undefined,
  kuboRpc: string | undefined,
): { method: "GET" | "POST"; url: string } | undefined {
  const escaped = path.map(encodeURIComponent).join("/");
  if (kuboRpc !== undefined) {
    const argument = encodeURIComponent(`/ipfs/${path.join("/")}`);
    return { method: "POST", url: `${kuboRpc.replace(/\/+$/, "")}/api/v0/cat?arg=${argument}` };
  }
  if (gateway !== undefined) return { method: "GET", url: `${gateway.replace(/\/+$/, "")}/${escaped}` };
  return undefined;
}
