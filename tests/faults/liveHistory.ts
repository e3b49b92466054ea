import { LiveQueryClient, type LiveQuerySubscription, type ParseObject, Query } from "@purse/client";
import { isJsonObject } from "@purse/protocol";
import { type Purse, query, rest } from "../support/purse.ts";
import { until } from "../support/until.ts";

const MASTER = { useMasterKey: true };

/** What a live client has learned about its classes, to be compared with the stored objects. */
export class LiveHistory {
  readonly violations: string[] = [];
  refetches = 0;
  /** Errors with which subscriptions ended, while the server could not reach its database, for example. */
  readonly rejections: string[] = [];
  #isClosed = false;
  events = 0;
  interruptions = 0;
  readonly #purse: Purse;
  readonly #client: LiveQueryClient;
  /** Received objects of `Made`. */
  readonly #made = new Set<string>();
  /** The last values of counters; those that the client has to read again are missing. */
  readonly #counters = new Map<string, number>();
  readonly #subscriptions = new Map<string, LiveQuerySubscription<ParseObject>>();
  /** Reads after a refetch. */
  #reads: Promise<void> = Promise.resolve();

  constructor(purse: Purse) {
    this.#purse = purse;
    this.#client = new LiveQueryClient({
      applicationId: purse.appId,
      serverURL: purse.serverUrl.replace(/^http/, "ws"),
    });
    this.#client.on("close", () => {
      this.interruptions += 1;
    });
    // The client connects again.
    this.#client.on("error", () => undefined);
    this.#subscribe("Made");
    this.#subscribe("Counter");
  }

  get isSubscribed(): boolean {
    return [...this.#subscriptions.values()].every(({ subscribed }) => subscribed);
  }

  /** Returns how many objects of the table were not received, and how many counters have another value. */
  async difference(purse: Purse): Promise<number> {
    await this.#reads;
    const stored = await idsOf(purse, "Made");
    const { body } = await rest(purse, "GET", "/classes/Counter", undefined, MASTER);
    const counters = Array.isArray(body.results) ? body.results.filter(isJsonObject) : [];
    const stale = counters.filter(({ objectId, n }) => {
      const known = this.#counters.get(String(objectId));
      return known !== undefined && known !== n;
    });
    return stored.filter((id) => !this.#made.has(id)).length + stale.length;
  }

  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  /** Subscribes to a class; again if the server rejects that after a reconnection, and then reads all objects. */
  #subscribe(className: "Made" | "Counter", isRepeated = false): void {
    const refetch = className === "Made" ? () => this.#refetchMade() : () => this.#refetchCounters();
    const subscription = this.#client.subscribe<ParseObject>(new Query(className));
    this.#subscriptions.set(className, subscription);
    if (className === "Made") subscription.on("create", ({ id = "" }) => this.#onCreate(id));
    else subscription.on("update", (counter) => this.#onUpdate(counter.id ?? "", Number(counter.get("n"))));
    subscription.on("refetch", refetch);
    let mustRead = isRepeated;
    subscription.on("open", () => {
      if (mustRead) refetch();
      mustRead = false;
    });
    subscription.on("error", (error) => {
      if (subscription.subscribed || this.#isClosed) return;
      this.rejections.push(String(error));
      void this.#subscribeAgain(className);
    });
  }

  /** As soon as the server answers queries again. */
  async #subscribeAgain(className: "Made" | "Counter"): Promise<void> {
    const answers = async () => {
      const answer = await rest(this.#purse, "GET", `/classes/${className}?limit=0`).catch(() => undefined);
      return answer?.status === 200;
    };
    await until(async () => this.#isClosed || (await answers()));
    if (!this.#isClosed) this.#subscribe(className, true);
  }

  #onCreate(id: string): void {
    this.events += 1;
    // An object that was read after a refetch may be reported as well.
    if (this.#made.has(id) && this.refetches === 0) this.violations.push(`${id} was reported twice`);
    this.#made.add(id);
  }

  #onUpdate(id: string, n: number): void {
    this.events += 1;
    const known = this.#counters.get(id);
    if (known !== undefined && n !== known + 1)
      this.violations.push(`counter ${id}: ${n} came after ${known}`);
    this.#counters.set(id, n);
  }

  #refetchMade(): void {
    this.refetches += 1;
    this.#reads = this.#reads.then(() => this.#readMade());
  }

  /** Forgets the counters at once: the next event may have any later value. */
  #refetchCounters(): void {
    this.refetches += 1;
    this.#counters.clear();
  }

  async #readMade(): Promise<void> {
    for (const id of await idsOf(this.#purse, "Made")) this.#made.add(id);
  }
}

/** Returns the ids of all objects of a class, as soon as the server answers. */
async function idsOf(purse: Purse, className: string): Promise<string[]> {
  const ids: string[] = [];
  for (let last = ""; ; last = ids.at(-1) ?? "") {
    const where = { objectId: { $gt: last } };
    const path = `/classes/${className}${query({ where, keys: "objectId", order: "objectId", limit: "1000" })}`;
    const results = await until(async () => {
      const answer = await rest(purse, "GET", path, undefined, MASTER).catch(() => undefined);
      const { results } = answer?.body ?? {};
      return answer?.status === 200 && Array.isArray(results) ? results : undefined;
    });
    if (results.length === 0) return ids;
    ids.push(...results.filter(isJsonObject).map(({ objectId }) => String(objectId)));
  }
}
