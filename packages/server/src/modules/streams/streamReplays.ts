import { EventsRemovedError } from "@purse/chain";
import type { JsonObject } from "@purse/protocol";
import type { Logger } from "../../core/logger.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { updateRow } from "../../database/serverRows.ts";
import type { Store, Write } from "../../database/store.ts";
import type { Stream } from "./stream.ts";
import type { StreamIndexer } from "./streamIndexer.ts";
import type { StreamRows } from "./streamRows.ts";

export const REPLAY_CLASS = "_ChainStreamReplay";

export interface StreamReplaysDependencies {
  rows: Pick<StreamRows, "find">;
  /** All writes require the lease. */
  store: Pick<Store, "write">;
  schemaOf(className: string): ClassSchema;
  indexer: Pick<StreamIndexer, "replay">;
  clock(): number;
  logger: Pick<Logger, "warn">;
}

/** The replays of past blocks that have not ended. */
export class StreamReplays {
  readonly #dependencies: StreamReplaysDependencies;
  #running: readonly JsonObject[] = [];

  constructor(dependencies: StreamReplaysDependencies) {
    this.#dependencies = dependencies;
  }

  get running(): readonly JsonObject[] {
    return this.#running;
  }

  async load(): Promise<void> {
    this.#running = await this.#dependencies.rows.find(REPLAY_CLASS, { status: "running" }, undefined);
  }

  /**
   * Matches the next blocks of a replay. Returns whether there are more. A replay whose blocks have lost their events in
   * the meantime ends as failed, with the reason.
   */
  async step(replay: JsonObject, stream: Stream): Promise<boolean> {
    const { indexer, store, logger } = this.#dependencies;
    const [from, toBlock] = [Number(replay.nextBlock), Number(replay.toBlock)];
    try {
      const next = await indexer.replay(stream, Number(replay.chainId), from, toBlock, (block) => [
        this.#change(replay, { nextBlock: block, status: block > toBlock ? "done" : "running" }),
      ]);
      replay.nextBlock = next ?? from;
      if (replay.nextBlock <= toBlock) return true;
    } catch (error) {
      if (!(error instanceof EventsRemovedError)) throw error;
      await store.write([this.#change(replay, { status: "failed", statusMessage: error.message })]);
      logger.warn("a replay of a stream cannot continue", { stream: stream.id, reason: error.message });
    }
    this.#running = this.#running.filter((each) => each !== replay);
    return false;
  }

  #change({ objectId }: JsonObject, fields: JsonObject): Write {
    const { schemaOf, clock } = this.#dependencies;
    return updateRow(schemaOf(REPLAY_CLASS), String(objectId), clock(), fields);
  }
}
