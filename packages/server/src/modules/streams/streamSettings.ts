import type { Store } from "../../database/store.ts";
import { STREAM_REGIONS, type StreamRegion } from "./streamSchemas.ts";

const SCOPE = "chain-streams";
const KEY = "region";

/** Settings of all streams. The region is kept for clients that read it back: streams run on this server. */
export class StreamSettings {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async read(): Promise<{ region: StreamRegion }> {
    const stored = await this.#store.getUniqueOwner(SCOPE, KEY);
    return { region: STREAM_REGIONS.find((each) => each === stored) ?? STREAM_REGIONS[0] };
  }

  async save(region: StreamRegion): Promise<{ region: StreamRegion }> {
    await this.#store.write([
      { kind: "releaseUnique", scope: SCOPE, value: KEY },
      { kind: "reserveUnique", scope: SCOPE, value: KEY, owner: region },
    ]);
    return { region };
  }
}
