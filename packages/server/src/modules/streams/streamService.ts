import { randomUUID } from "node:crypto";
import { type ChainService, EventsRemovedError } from "@purse/chain";
import { sendRequest } from "@purse/outbound";
import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { z } from "zod";
import { webhookFailure } from "../../core/webhookFailure.ts";
import { chainHex, invalidStream, parseStream } from "./stream.ts";
import type { StreamAddresses } from "./streamAddresses.ts";
import type { StreamDeliveries } from "./streamDeliveries.ts";
import { testPayload } from "./streamPayload.ts";
import { REPLAY_CLASS } from "./streamReplays.ts";
import type { StreamRows } from "./streamRows.ts";
import { type replayModel, streamInput } from "./streamSchemas.ts";
import { streamHeaders } from "./streamSignature.ts";

export interface StreamServiceDependencies {
  rows: StreamRows;
  addresses: StreamAddresses;
  deliveries: StreamDeliveries;
  chain: Pick<ChainService, "resolveChainId" | "status" | "eventReader" | "blockReader">;
  secret: string | undefined;
  allowPrivateHooks: boolean;
  /** Notifies all processes. */
  onChanged(): Promise<void>;
}

const CLASS = "_ChainStream";
const MAX_STREAMS = 1_000;
const TEST_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** Manages streams. Errors are ProtocolErrors with the HTTP status of the Streams API. */
export class StreamService {
  readonly #dependencies: StreamServiceDependencies;

  constructor(dependencies: StreamServiceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Creates a stream, which concerns the blocks after the head of its chains. Its webhook has to accept a message. */
  async create(input: JsonObject): Promise<JsonObject> {
    const { rows } = this.#dependencies;
    const options = storable(input);
    parseStream(options);
    if ((await rows.count(CLASS, {})) >= MAX_STREAMS)
      throw invalidStream(`there are ${MAX_STREAMS} streams already`);
    const chains = this.#chainsOf(options);
    await this.#testWebhook(options);
    const row = await rows.create(CLASS, randomUUID(), {
      ...options,
      chainIds: chains.map(chainHex),
      startBlocks: await this.#startBlocks(chains),
      status: "active",
      statusMessage: "",
    });
    await this.#dependencies.onChanged();
    return modelOf(row);
  }

  async update(id: string, changes: JsonObject): Promise<JsonObject> {
    const row = await this.#require(id);
    const options = storable({ ...optionsOf(row), ...changes });
    parseStream(options);
    const chains = this.#chainsOf(options);
    if (options.webhookUrl !== row.webhookUrl) await this.#testWebhook(options);
    const known = isJsonObject(row.startBlocks) ? row.startBlocks : {};
    const added = await this.#startBlocks(chains.filter((chain) => !Object.hasOwn(known, chain)));
    const startBlocks = Object.fromEntries(
      Object.entries({ ...known, ...added }).filter(([chain]) => chains.includes(Number(chain))),
    );
    await this.#dependencies.rows.update(CLASS, id, {
      ...Object.fromEntries(Object.keys(optionsOf(row)).map((name) => [name, null])),
      ...options,
      chainIds: chains.map(chainHex),
      startBlocks,
    });
    await this.#dependencies.onChanged();
    return this.get(id);
  }

  /** A paused stream misses the blocks until it is active again. Its deliveries wait. */
  async setStatus(id: string, status: "active" | "paused"): Promise<JsonObject> {
    const row = await this.#require(id);
    const isResumed = status === "active" && row.status === "paused";
    const chains = Object.keys(isJsonObject(row.startBlocks) ? row.startBlocks : {}).map(Number);
    await this.#dependencies.rows.update(CLASS, id, {
      status,
      ...(isResumed && { startBlocks: await this.#startBlocks(chains) }),
    });
    await this.#dependencies.onChanged();
    return this.get(id);
  }

  async remove(id: string): Promise<JsonObject> {
    const { rows, addresses, deliveries } = this.#dependencies;
    const row = await this.#require(id);
    await rows.remove(CLASS, id);
    await this.#dependencies.onChanged();
    await addresses.clear(id);
    await deliveries.discard(id);
    for (const { objectId } of await rows.find(REPLAY_CLASS, { stream: id }, undefined))
      await rows.remove(REPLAY_CLASS, String(objectId));
    return modelOf(row);
  }

  async get(id: string): Promise<JsonObject> {
    return modelOf(await this.#require(id));
  }

  async list({ limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<JsonObject> {
    const { rows } = this.#dependencies;
    const where: JsonObject = cursor === undefined ? {} : { objectId: { $gt: cursor } };
    const found = await rows.find(CLASS, where, limit + 1);
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      result: found.slice(0, limit).map(modelOf),
      ...(last && { cursor: String(last.objectId) }),
      total: await rows.count(CLASS, {}),
    };
  }

  async addAddresses(id: string, address: string | string[]): Promise<JsonObject> {
    await this.#require(id);
    await this.#dependencies.addresses.add(id, [address].flat());
    return { streamId: id, address };
  }

  async removeAddresses(id: string, address: string | string[]): Promise<JsonObject> {
    await this.#require(id);
    await this.#dependencies.addresses.remove(id, [address].flat());
    return { streamId: id, address };
  }

  async listAddresses(
    id: string,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<JsonObject> {
    await this.#require(id);
    const { addresses } = this.#dependencies;
    const { addresses: found, hasMore } = await addresses.list(id, cursor, limit);
    return {
      result: found.map((address) => ({ address })),
      ...(hasMore && { cursor: found.at(-1) ?? "" }),
      total: await addresses.count(id),
    };
  }

  /** Matches past blocks again: their messages are enqueued as if they were new. */
  async replay(
    id: string,
    range: { chainId: JsonValue; fromBlock: number; toBlock: number },
  ): Promise<z.output<typeof replayModel>> {
    const row = await this.#require(id);
    const { rows, chain } = this.#dependencies;
    const chainId = chain.resolveChainId(range.chainId);
    if (!isJsonObject(row.startBlocks) || !Object.hasOwn(row.startBlocks, chainId))
      throw invalidStream(`it does not have chain ${chainHex(chainId)}`);
    const { fromBlock, toBlock } = range;
    if (fromBlock > toBlock) throw invalidStream("fromBlock must not be after toBlock");
    const head = await chain.eventReader(chainId).head();
    if (!head || toBlock > head.number)
      throw invalidStream(`toBlock is after the last indexed block, ${head?.number ?? "none"}`);
    await this.#assertKept(chainId, fromBlock);
    const replay = { stream: id, chainId, fromBlock, toBlock, nextBlock: fromBlock, status: "running" };
    const created = await rows.create(REPLAY_CLASS, randomUUID(), replay);
    await this.#dependencies.onChanged();
    return replayOf(created);
  }

  async getReplay(id: string, replayId: string): Promise<z.output<typeof replayModel>> {
    const row = await this.#dependencies.rows.get(REPLAY_CLASS, replayId);
    if (row?.stream !== id) throw notFound(`stream ${id} has no replay ${replayId}`);
    return replayOf(row);
  }

  /** Throws ProtocolError if the events of a block have been removed. */
  async #assertKept(chainId: number, block: number): Promise<void> {
    try {
      await this.#dependencies.chain.blockReader(chainId).blocks(block, block, 1);
    } catch (error) {
      if (error instanceof EventsRemovedError) throw invalidStream(error.message);
      throw error;
    }
  }

  async #require(id: string): Promise<JsonObject> {
    const row = await this.#dependencies.rows.get(CLASS, id);
    if (!row) throw notFound(`there is no stream ${id}`);
    return row;
  }

  /** The chains of a stream. Throws ProtocolError for a chain that is not fully indexed. */
  #chainsOf({ chainIds }: JsonObject): number[] {
    const { chain } = this.#dependencies;
    const selectors = Array.isArray(chainIds) ? chainIds : [];
    const chains = [...new Set(selectors.map((selector) => chain.resolveChainId(selector)))];
    for (const id of chains)
      if (chain.status().find((status) => status.chain === id)?.scope === "wallets")
        throw invalidStream(`chain ${chainHex(id)} is indexed for known wallets only`);
    return chains;
  }

  /** The block after the head of each chain. */
  async #startBlocks(chains: readonly number[]): Promise<JsonObject> {
    const heads = await Promise.all(
      chains.map((chain) => this.#dependencies.chain.eventReader(chain).head()),
    );
    return Object.fromEntries(chains.map((chain, i) => [String(chain), (heads[i]?.number ?? -1) + 1]));
  }

  async #testWebhook({ webhookUrl, tag }: JsonObject): Promise<void> {
    const { secret, allowPrivateHooks } = this.#dependencies;
    const body = JSON.stringify(testPayload(typeof tag === "string" ? tag : ""));
    let reason: string;
    try {
      const { status } = await sendRequest({
        url: String(webhookUrl),
        headers: streamHeaders(body, secret),
        body,
        deadlineMs: TEST_TIMEOUT_MS,
        maxBytes: MAX_RESPONSE_BYTES,
        allowPrivate: allowPrivateHooks,
      });
      if (status >= 200 && status < 300) return;
      reason = `the server responded with ${status}`;
    } catch (error) {
      reason = webhookFailure(error);
    }
    throw invalidStream(`webhookUrl did not accept the test message: ${reason}`);
  }
}

/** Validates options; without those that are null or ignored. */
function storable(input: JsonObject): JsonObject {
  const present = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  const { demo: _, triggers: __, ...options } = streamInput.parse(present);
  return JSON.parse(JSON.stringify(options));
}

/** The options of a `_ChainStream` object. */
function optionsOf(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(streamInput.shape).flatMap((name) => pair(name, row[name])));
}

function pair(name: string, value: JsonValue | undefined): [string, JsonValue][] {
  return value === undefined ? [] : [[name, value]];
}

function modelOf(row: JsonObject): JsonObject {
  return {
    id: row.objectId ?? "",
    ...optionsOf(row),
    topic0: row.topic0 ?? [],
    abi: row.abi ?? [],
    advancedOptions: row.advancedOptions ?? [],
    status: row.status ?? "active",
    statusMessage: row.statusMessage ?? "",
  };
}

function replayOf(row: JsonObject): z.output<typeof replayModel> {
  return {
    id: String(row.objectId),
    streamId: String(row.stream),
    chainId: chainHex(Number(row.chainId)),
    fromBlock: Number(row.fromBlock),
    toBlock: Number(row.toBlock),
    nextBlock: Number(row.nextBlock),
    status: row.status === "done" || row.status === "failed" ? row.status : "running",
    ...(typeof row.statusMessage === "string" && { statusMessage: row.statusMessage }),
  };
}

export function notFound(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, message, 404);
}
