import { isJsonObject, type JsonObject, type JsonValue, wireDate } from "@purse/protocol";
import type { z } from "zod";
import { chainHex } from "./stream.ts";
import { DELIVERY_CLASS } from "./streamDeliveries.ts";
import type { StreamRows } from "./streamRows.ts";
import type { deliveryLogModel, historyModel, streamStats } from "./streamSchemas.ts";
import { notFound } from "./streamService.ts";
import { statsOf } from "./streamStats.ts";

interface Page {
  limit: number;
  cursor?: string | undefined;
}

const RETRY_BATCH = 500;

/** What happened to the deliveries of streams; sends failed ones again. */
export class StreamHistory {
  readonly #rows: StreamRows;
  readonly #clock: () => number;
  readonly #onChanged: () => Promise<void>;

  constructor(rows: StreamRows, clock: () => number, onChanged: () => Promise<void>) {
    this.#rows = rows;
    this.#clock = clock;
    this.#onChanged = onChanged;
  }

  /** Lists failed deliveries, newest first. */
  async failed(page: Page & { excludePayload?: boolean | undefined; streamId?: string | undefined }) {
    const where = { status: "failed", ...(page.streamId !== undefined && { source: page.streamId }) };
    const { rows, cursor, total } = await this.#page(where, page);
    const result = rows.map((row) => historyOf(row, page.excludePayload !== true));
    return { result, ...(cursor !== undefined && { cursor }), total };
  }

  /** Lists all deliveries, newest first; delivered ones are kept for a week. */
  async logs(page: Page & { streamId?: string | undefined; deliveryStatus?: string | undefined }) {
    const status = page.deliveryStatus === "success" ? "delivered" : page.deliveryStatus;
    const where: JsonObject = {
      ...(page.streamId !== undefined && { source: page.streamId }),
      ...(status !== undefined && { status }),
    };
    const { rows, cursor, total } = await this.#page(where, page);
    return { result: rows.map(logOf), ...(cursor !== undefined && { cursor }), total };
  }

  /** Sends a delivery again. Earlier deliveries of its stream are sent first. */
  async retry(streamId: string, id: string): Promise<z.output<typeof historyModel>> {
    const row = await this.#rows.get(DELIVERY_CLASS, id);
    if (row?.source !== streamId) throw notFound(`stream ${streamId} has no delivery ${id}`);
    await this.#requeue(row);
    await this.#onChanged();
    return historyOf(row, true);
  }

  /** Sends all failed deliveries of a stream again, in their order. Returns their number. */
  async retryAll(streamId: string): Promise<{ retried: number }> {
    let retried = 0;
    for (;;) {
      const where = { status: "failed", source: streamId };
      const failed = await this.#rows.find(DELIVERY_CLASS, where, RETRY_BATCH);
      for (const row of failed) await this.#requeue(row);
      retried += failed.length;
      if (failed.length < RETRY_BATCH) break;
    }
    await this.#onChanged();
    return { retried };
  }

  /** The counters of a stream, or their sums over all streams. */
  async stats(streamId: string | undefined): Promise<z.output<typeof streamStats>> {
    const where: JsonObject = streamId === undefined ? {} : { objectId: streamId };
    const streams = await this.#rows.find("_ChainStream", where, undefined);
    if (streamId !== undefined && streams.length === 0) throw notFound(`there is no stream ${streamId}`);
    const ofStream: JsonObject = streamId === undefined ? {} : { source: streamId };
    const queueSize = await this.#rows.count(DELIVERY_CLASS, { status: "waiting", ...ofStream });
    return { ...statsOf(streams), ...(streamId !== undefined && { streamId }), queueSize };
  }

  async #requeue(row: JsonObject): Promise<void> {
    const nextAt = wireDate(new Date(this.#clock()));
    await this.#rows.update(DELIVERY_CLASS, String(row.objectId), { status: "waiting", attempts: 0, nextAt });
  }

  async #page(where: JsonObject, { limit, cursor }: Page) {
    const before: JsonObject = cursor === undefined ? {} : { sequence: { $lt: Number(cursor) } };
    const found = await this.#rows.find(DELIVERY_CLASS, { ...where, ...before }, limit + 1, "-sequence");
    const last = found.length > limit ? found[limit - 1] : undefined;
    return {
      rows: found.slice(0, limit),
      cursor: last && String(last.sequence),
      total: await this.#rows.count(DELIVERY_CLASS, where),
    };
  }
}

function historyOf(row: JsonObject, withPayload: boolean): z.output<typeof historyModel> {
  const body = isJsonObject(row.body) ? row.body : {};
  const lists: (JsonValue | undefined)[] = [body.logs, body.txs, body.txsInternal];
  return {
    id: String(row.objectId),
    date: String(row.createdAt),
    ...(withPayload && { payload: body }),
    tinyPayload: {
      chainId: chainHex(Number(row.chainId)),
      confirmed: row.confirmed === true,
      block: String(row.blockNumber),
      records: lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0),
      retries: retriesOf(row),
    },
    errorMessage: String(row.error ?? ""),
    webhookUrl: String(row.url ?? ""),
    streamId: String(row.source),
    tag: String(body.tag ?? ""),
  };
}

function logOf(row: JsonObject): z.output<typeof deliveryLogModel> {
  const body = isJsonObject(row.body) ? row.body : {};
  const status = row.status === "delivered" ? "success" : row.status === "failed" ? "failed" : "waiting";
  return {
    id: String(row.objectId),
    streamId: String(row.source),
    chain: chainHex(Number(row.chainId)),
    webhookUrl: String(row.url ?? ""),
    tag: String(body.tag ?? ""),
    retries: retriesOf(row),
    deliveryStatus: status,
    blockNumber: Number(row.blockNumber),
    errorMessage: String(row.error ?? ""),
    type: "evm",
    createdAt: String(row.createdAt),
  };
}

function retriesOf({ attempts }: JsonObject): number {
  return Math.max(0, Number(attempts ?? 0) - 1);
}
