import { ContentUnavailableError, type FetchContent } from "@purse/chain";
import { fetchUrl, OutboundRequestError } from "@purse/outbound";
import { ProtocolError } from "@purse/protocol";
import type { Ipfs } from "./ipfs.ts";

export interface UriReaderDependencies {
  ipfs: Ipfs;
  /** The URL of this server's gateway: `https://host/ipfs`. Its content is read without a request to it. */
  ownGateway: string;
  /**
   * Where to fetch content that this server does not store: an IPFS gateway (`https://host/ipfs`) or Kubo's RPC
   * (`http://host:5001`).
   */
  gateway: string | undefined;
  kuboRpc: string | undefined;
  /** Whether requests to an IP address are allowed. */
  isAllowed: (address: string) => boolean;
}

/** Creates a function that reads untrusted http, https and ipfs URIs. */
export function createUriReader({
  ipfs,
  ownGateway,
  gateway,
  kuboRpc,
  isAllowed,
}: UriReaderDependencies): FetchContent {
  return async (uri, { maxBytes, signal }) => {
    const path = ipfsPath(uri, ownGateway);
    try {
      if (!path) {
        return await fetchUrl({ method: "GET", url: webUrl(uri), maxBytes, signal, isAllowed });
      }
      const local = await readLocal(ipfs, path, maxBytes);
      if (local) return local;
      const address = remoteSource(path, gateway, kuboRpc);
      // The content may be added later.
      if (!address)
        throw new Error("this server does not store the content and has no gateway to fetch it from");
      const ownHost = new URL(address.url).host;
      return await fetchUrl({ ...address, maxBytes, signal, isAllowed, ownHost });
    } catch (error) {
      if (error instanceof OutboundRequestError) throw new ContentUnavailableError(error.message);
      throw error;
    }
  };
}

function webUrl(uri: string): string {
  if (/^https?:\/\//i.test(uri) && URL.canParse(uri)) return uri;
  throw new ContentUnavailableError("it is not an http, https or ipfs URI");
}

/** Parses a CID and the path below it; undefined for a URI that is not an IPFS address. */
function ipfsPath(uri: string, ownGateway: string): string[] | undefined {
  const rest = uri.startsWith(`${ownGateway}/`)
    ? uri.slice(ownGateway.length + 1)
    : /^ipfs:\/\/(?:ipfs\/)?(.*)$/is.exec(uri)?.[1];
  if (rest === undefined) return undefined;
  const path = rest
    .replace(/[?#].*$/s, "")
    .split("/")
    .filter(Boolean)
    .map(decodeSegment);
  if (path.length > 0 && !path.some((name) => /^\.\.?$|[/\\\0]/.test(name))) return path;
  throw new ContentUnavailableError("it is not a valid IPFS path");
}

function decodeSegment(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Returns undefined if a block is missing. */
async function readLocal(
  ipfs: Ipfs,
  [cid = "", ...names]: string[],
  maxBytes: number,
): Promise<Buffer | undefined> {
  try {
    const entry = await ipfs.read(cid, names);
    if (!entry) return undefined;
    if (entry.kind === "folder") throw new ContentUnavailableError("it is a folder");
    if (entry.size > maxBytes)
      throw new ContentUnavailableError(`the content is larger than ${maxBytes} bytes`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of entry.read(0, entry.size)) {
      size += chunk.length;
      // The declared size of a file is untrusted.
      if (size > maxBytes) throw new ContentUnavailableError(`the content is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    // The operator's node is unavailable: a retry may succeed.
    if (error instanceof ProtocolError && error.status === 503) throw new Error(error.message);
    if (error instanceof ProtocolError) throw new ContentUnavailableError(error.message);
    if (error instanceof Error && error.name === "NotFoundError") return undefined;
    throw error;
  }
}

function remoteSource(
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
