import { ErrorCode, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";
import { BlockNotFound } from "./blockNotFound.ts";

/** What blocks of files and folders are, as Kubo calls it. */
const CODECS: ReadonlyMap<number, string> = new Map([
  [0x55, "raw"],
  [0x70, "dag-pb"],
]);
const SHA2_256 = 0x12;

/** Of one request, and of one that may have to look for content in the network, in ms. */
const DEADLINE_MS = 30_000;
const NETWORK_DEADLINE_MS = 120_000;
/** No block is larger than this anywhere. */
const MAX_BLOCK = 2 * 1024 * 1024;
const MAX_ANSWER = 64 * 1024 * 1024;

/** How Kubo says that it does not have something, or has not pinned it. */
const NOT_FOUND = /not found|could not find|not pinned/i;

/**
 * An IPFS node outside, over Kubo's RPC (`/api/v0`). What it hands out is checked against its hash. Rejects with
 * ProtocolError 100 (HTTP 503) where the node cannot be asked, or refuses.
 */
export class KuboNode {
  readonly #api: string;

  /** `http://host:5001` */
  constructor(rpcUrl: string) {
    this.#api = `${rpcUrl.replace(/\/+$/, "")}/api/v0`;
  }

  async put(cid: CID, content: Uint8Array): Promise<CID> {
    const codec = CODECS.get(cid.code);
    if (codec === undefined) throw new Error(`there are no blocks of codec ${cid.code}`);
    const form = new FormData();
    form.append("data", new Blob([Uint8Array.from(content)]), "block");
    const search = { "cid-codec": codec, mhtype: "sha2-256", pin: "false", "allow-big-block": "true" };
    const answer = await this.#json("block/put", search, form);
    const key = isJsonObject(answer) ? parsed(answer.Key) : undefined;
    if (!key || !isSameHash(key, cid)) throw refused("it has kept another block than it was given");
    return cid;
  }

  /** Only of what the node holds itself: nobody makes it fetch things. Rejects with BlockNotFound. */
  async get(cid: CID): Promise<Uint8Array> {
    if (cid.multihash.code !== SHA2_256) throw new BlockNotFound(cid.toString());
    const response = await this.#ask("block/get", { arg: cid.toString(), offline: "true" });
    const content = await this.#content(response, MAX_BLOCK, cid);
    const { digest } = await sha256.digest(content);
    if (Buffer.compare(digest, cid.multihash.digest) !== 0)
      throw refused("it has handed out content of another hash");
    return content;
  }

  /** Has the node hold content with all that is below it, which it fetches where it does not have it. */
  async pin(cid: CID): Promise<void> {
    await this.#json("pin/add", { arg: cid.toString(), recursive: "true" }, undefined, NETWORK_DEADLINE_MS);
  }

  /** Answers whether it was pinned. */
  async unpin(cid: CID): Promise<boolean> {
    try {
      await this.#json("pin/rm", { arg: cid.toString(), recursive: "true" });
      return true;
    } catch (error) {
      if (error instanceof BlockNotFound) return false;
      throw error;
    }
  }

  /** The CIDs of all that the node holds with what is below it, whoever has pinned it. */
  async pins(): Promise<string[]> {
    const answer = await this.#json("pin/ls", { type: "recursive" });
    const keys = isJsonObject(answer) ? answer.Keys : undefined;
    return isJsonObject(keys) ? Object.keys(keys) : [];
  }

  async #json(
    command: string,
    search: Record<string, string>,
    body?: FormData,
    deadlineMs = DEADLINE_MS,
  ): Promise<JsonValue> {
    const response = await this.#ask(command, search, body, deadlineMs);
    const text = Buffer.from(await this.#content(response, MAX_ANSWER)).toString("utf8");
    try {
      return JSON.parse(text);
    } catch {
      throw refused("it answers what is not JSON");
    }
  }

  async #ask(
    command: string,
    search: Record<string, string>,
    body?: FormData,
    deadlineMs = DEADLINE_MS,
  ): Promise<Response> {
    try {
      return await fetch(`${this.#api}/${command}?${new URLSearchParams(search)}`, {
        method: "POST",
        redirect: "error",
        signal: AbortSignal.timeout(deadlineMs),
        ...(body && { body }),
      });
    } catch {
      throw refused("it does not answer");
    }
  }

  /** Rejects with BlockNotFound where the node says that it has no such thing. */
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
      throw refused("its answer breaks off");
    }
    if (size > maxBytes) throw refused(`its answer is larger than ${maxBytes} bytes`);
    const content = Buffer.concat(chunks);
    if (response.ok) return content;
    const message = messageOf(content);
    if (NOT_FOUND.test(message)) throw new BlockNotFound(cid?.toString() ?? message);
    throw refused(`it answers ${response.status} ${message}`);
  }
}

function messageOf(content: Buffer): string {
  const text = content.toString("utf8", 0, 10_000);
  try {
    const answer: JsonValue = JSON.parse(text);
    if (isJsonObject(answer) && typeof answer.Message === "string") return answer.Message.slice(0, 300);
  } catch {
    // Proxies in front of a node answer in other words.
  }
  return text.slice(0, 300);
}

function parsed(text: JsonValue | undefined): CID | undefined {
  try {
    return typeof text === "string" ? CID.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Version 0 and 1 of a CID name the same block. */
function isSameHash(one: CID, other: CID): boolean {
  return Buffer.compare(one.multihash.bytes, other.multihash.bytes) === 0;
}

function refused(why: string): ProtocolError {
  return new ProtocolError(ErrorCode.CONNECTION_FAILED, `The IPFS node cannot be asked: ${why}`, 503);
}
