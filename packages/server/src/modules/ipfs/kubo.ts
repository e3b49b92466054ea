import { ErrorCode, isJsonObject, type JsonValue, ProtocolError, tryParseJson } from "@purse/protocol";
import { CID } from "multiformats/cid";
import { hasHash, isSupportedHash } from "./blockHash.ts";
import { BlockNotFound } from "./blockNotFound.ts";

/** Kubo's names of the supported codecs. */
const CODECS: ReadonlyMap<number, string> = new Map([
  [0x55, "raw"],
  [0x70, "dag-pb"],
]);

/** Time limits of a request, and of one that may search the network, in ms. */
const TIMEOUT_MS = 30_000;
const NETWORK_TIMEOUT_MS = 120_000;
/** Maximum size of a block. */
const MAX_BLOCK_BYTES = 2 * 1024 * 1024;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Kubo's error messages for missing or unpinned content. */
const NOT_FOUND = /not found|could not find|not pinned/i;

/**
 * An external IPFS node, accessed by Kubo's RPC (`/api/v0`). Its blocks are verified against their hashes. Rejects with
 * ProtocolError 100 (HTTP 503) if the node fails.
 */
export class KuboNode {
  readonly #api: string;

  /** `http://host:5001` */
  constructor(rpcUrl: string) {
    this.#api = `${rpcUrl.replace(/\/+$/, "")}/api/v0`;
  }

  async put(cid: CID, content: Uint8Array): Promise<CID> {
    const codec = CODECS.get(cid.code);
    if (codec === undefined) throw new Error(`unsupported block codec ${cid.code}`);
    const form = new FormData();
    form.append("data", new Blob([Uint8Array.from(content)]), "block");
    const search = { "cid-codec": codec, mhtype: "sha2-256", pin: "false", "allow-big-block": "true" };
    const response = await this.#json("block/put", search, form);
    const key = isJsonObject(response) ? parseCid(response.Key) : undefined;
    if (!key || !isSameHash(key, cid)) throw kuboError("it stored a different block");
    return cid;
  }

  /** Reads a block that the node stores; it never searches the network. Rejects with BlockNotFound. */
  async get(cid: CID): Promise<Uint8Array> {
    if (!isSupportedHash(cid)) throw new BlockNotFound(cid.toString());
    const response = await this.#request("block/get", { arg: cid.toString(), offline: "true" });
    const content = await this.#content(response, MAX_BLOCK_BYTES, cid);
    if (!(await hasHash(content, cid))) throw kuboError("it returned content with another hash");
    return content;
  }

  /** Pins content recursively; the node fetches missing blocks. */
  async pin(cid: CID): Promise<void> {
    await this.#json("pin/add", { arg: cid.toString(), recursive: "true" }, undefined, NETWORK_TIMEOUT_MS);
  }

  /** Unpins content. Returns whether it was pinned. */
  async unpin(cid: CID): Promise<boolean> {
    try {
      await this.#json("pin/rm", { arg: cid.toString(), recursive: "true" });
      return true;
    } catch (error) {
      if (error instanceof BlockNotFound) return false;
      throw error;
    }
  }

  /** Returns the CIDs of all recursive pins of the node. */
  async pins(): Promise<string[]> {
    const response = await this.#json("pin/ls", { type: "recursive" });
    const keys = isJsonObject(response) ? response.Keys : undefined;
    return isJsonObject(keys) ? Object.keys(keys) : [];
  }

  async #json(
    command: string,
    search: Record<string, string>,
    body?: FormData,
    timeoutMs = TIMEOUT_MS,
  ): Promise<JsonValue> {
    const response = await this.#request(command, search, body, timeoutMs);
    const text = Buffer.from(await this.#content(response, MAX_RESPONSE_BYTES)).toString("utf8");
    const value = tryParseJson(text);
    if (value === undefined) throw kuboError("it returned invalid JSON");
    return value;
  }

  async #request(
    command: string,
    search: Record<string, string>,
    body?: FormData,
    timeoutMs = TIMEOUT_MS,
  ): Promise<Response> {
    try {
      return await fetch(`${this.#api}/${command}?${new URLSearchParams(search)}`, {
        method: "POST",
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
        ...(body && { body }),
      });
    } catch {
      throw kuboError("it does not respond");
    }
  }

  /** Reads a response. Rejects with BlockNotFound if the node reports that the content is missing. */
  async #content(response: Response, maxBytes: number, cid?: CID): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of response.body ?? []) {
        size += chunk.length;
        if (size > maxBytes) break;
        chunks.push(chunk);
      }
    } catch {
      throw kuboError("its response was cut off");
    }
    if (size > maxBytes) throw kuboError(`its response is larger than ${maxBytes} bytes`);
    const content = Buffer.concat(chunks);
    if (response.ok) return content;
    const message = messageOf(content);
    if (NOT_FOUND.test(message)) throw new BlockNotFound(cid?.toString() ?? message);
    throw kuboError(`it returned ${response.status} ${message}`);
  }
}

function messageOf(content: Buffer): string {
  const text = content.toString("utf8", 0, 10_000);
  const response = tryParseJson(text);
  // A proxy in front of the node may respond with plain text.
  const message = isJsonObject(response) && typeof response.Message === "string" ? response.Message : text;
  return message.slice(0, 300);
}

function parseCid(text: JsonValue | undefined): CID | undefined {
  try {
    return typeof text === "string" ? CID.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** CIDs of version 0 and 1 may refer to the same block. */
function isSameHash(first: CID, second: CID): boolean {
  return Buffer.compare(first.multihash.bytes, second.multihash.bytes) === 0;
}

function kuboError(reason: string): ProtocolError {
  return new ProtocolError(ErrorCode.CONNECTION_FAILED, `The IPFS node failed: ${reason}`, 503);
}
