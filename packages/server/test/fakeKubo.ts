import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { decode } from "@ipld/dag-pb";
import { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";

/** A fake Kubo node for tests: the subset of its RPC that is used here, with the responses of Kubo 0.39. */
export interface FakeKubo {
  url: string;
  /** Received commands in order, such as `block/put`. */
  commands: string[];
  /** Blocks by the hex of their multihash, and pinned CIDs. */
  blocks: Map<string, Uint8Array>;
  pinned: Set<string>;
  /** Adds a block without an RPC request. */
  addBlock(content: Uint8Array, codec?: number): Promise<CID>;
  stop(): Promise<void>;
}

const CODES: ReadonlyMap<string, number> = new Map([
  ["raw", 0x55],
  ["dag-pb", 0x70],
]);

export async function startFakeKubo(): Promise<FakeKubo> {
  const commands: string[] = [];
  const blocks = new Map<string, Uint8Array>();
  const pinned = new Set<string>();

  async function addBlock(content: Uint8Array, codec = 0x55): Promise<CID> {
    const cid = CID.createV1(codec, await sha256.digest(content));
    blocks.set(keyOf(cid), content);
    return cid;
  }

  function fail(message: string): never {
    throw new Error(message);
  }

  /** Behaves like an offline node: missing content is not found. */
  function walk(cid: CID): void {
    const block = blocks.get(keyOf(cid));
    if (!block) fail(`block was not found locally (offline): ipld: could not find ${cid}`);
    if (cid.code === 0x70) for (const { Hash } of decode(block).Links) walk(Hash);
  }

  async function execute(command: string, search: URLSearchParams, request: IncomingMessage) {
    const cidArgument = () => CID.parse(search.get("arg") ?? fail('argument "ipfs-path" is required'));
    switch (command) {
      case "block/put": {
        const codec = CODES.get(search.get("cid-codec") ?? "raw") ?? fail("unrecognized codec");
        const content = await fileOf(request);
        if (content.length > 1024 * 1024 && search.get("allow-big-block") !== "true")
          fail(
            "produced block is over 1MiB: big blocks can't be exchanged with other peers. consider using UnixFS for automatic chunking of bigger files, or pass --allow-big-block to override",
          );
        const cid = await addBlock(content, codec);
        return { Key: cid.toString(), Size: content.length };
      }
      case "block/get": {
        const cid = cidArgument();
        return (
          blocks.get(keyOf(cid)) ?? fail(`block was not found locally (offline): ipld: could not find ${cid}`)
        );
      }
      case "pin/add":
        walk(cidArgument());
        pinned.add(cidArgument().toString());
        return { Pins: [cidArgument().toString()] };
      case "pin/rm":
        if (!pinned.delete(cidArgument().toString())) fail("not pinned or pinned indirectly");
        return { Pins: [cidArgument().toString()] };
      case "pin/ls":
        return { Keys: Object.fromEntries([...pinned].map((cid) => [cid, { Type: "recursive" }])) };
      default:
        return undefined;
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://kubo");
    const command = pathname.replace("/api/v0/", "");
    commands.push(command);
    // Like Kubo, rejects other methods and browsers.
    if (request.method !== "POST") return void response.writeHead(405, { allow: "OPTIONS, POST" }).end();
    if (request.headers["user-agent"]?.startsWith("Mozilla")) return void response.writeHead(403).end();
    try {
      const body = await execute(command, searchParams, request);
      if (body === undefined) return void response.writeHead(404).end("404 page not found\n");
      if (body instanceof Uint8Array)
        return void response.writeHead(200, { "content-type": "text/plain" }).end(body);
      response.writeHead(200, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`);
    } catch (error) {
      const Message = error instanceof Error ? error.message : "";
      response
        .writeHead(500, { "content-type": "application/json" })
        .end(`${JSON.stringify({ Message, Code: 0, Type: "error" })}\n`);
    }
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commands,
    blocks,
    pinned,
    addBlock,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Kubo finds a block by its hash, regardless of the version of its CID. */
function keyOf(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString("hex");
}

async function fileOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const headers = { "content-type": request.headers["content-type"] ?? "" };
  for (const [, part] of await new Response(Buffer.concat(chunks), { headers }).formData()) {
    if (part instanceof Blob) return new Uint8Array(await part.arrayBuffer());
  }
  throw new Error("file argument 'data' is required");
}
