import { ProtocolError } from "@purse/protocol";
import { newObjectId } from "../../data/objects/objectId.ts";
import { parseWebhook, WEBHOOK_UNIQUE_SCOPE, type Webhook, webhookKeyOf } from "../../data/webhookRow.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { createRow, findRows, updateRow } from "../../database/serverRows.ts";
import { type Store, UniqueConstraintError, type Write } from "../../database/store.ts";

export interface WebhookStoreDependencies {
  store: Store;
  schemaOf(className: string): ClassSchema;
  clock(): number;
  onError(error: unknown, during: string): void;
}

/** Parse error code of all webhook errors. */
export const WEBHOOK_ERROR_CODE = 143;
/** Message to the other processes after webhooks have changed. */
const MESSAGE = "hooks";
const MAX_WEBHOOKS = 1_000;

/** Stores webhooks in the database that all processes share, and caches them. */
export class WebhookStore {
  readonly #dependencies: WebhookStoreDependencies;
  readonly #webhooks = new Map<string, Webhook>();
  readonly #unsubscribe: () => void;

  private constructor(dependencies: WebhookStoreDependencies) {
    this.#dependencies = dependencies;
    this.#unsubscribe = dependencies.store.subscribe((message) => {
      if (message !== undefined && message !== MESSAGE) return;
      this.#reload().catch((error: unknown) =>
        dependencies.onError(error, "reloading webhooks that another process changed"),
      );
    });
  }

  static async load(dependencies: WebhookStoreDependencies): Promise<WebhookStore> {
    const webhooks = new WebhookStore(dependencies);
    await webhooks.#reload();
    return webhooks;
  }

  all(): Webhook[] {
    return [...this.#webhooks.values()];
  }

  get(name: string): Webhook | undefined {
    return this.#webhooks.get(name);
  }

  /** Creates a webhook. Throws 143 if the function or trigger already has one. */
  async create(webhook: Webhook, conflictMessage: string): Promise<void> {
    const id = newObjectId();
    const row = createRow(this.#schema(), id, this.#dependencies.clock(), { ...webhook });
    try {
      await this.#write([
        { kind: "reserveUnique", scope: WEBHOOK_UNIQUE_SCOPE, value: webhookKeyOf(webhook), owner: id },
        row,
      ]);
    } catch (error) {
      if (error instanceof UniqueConstraintError)
        throw new ProtocolError(WEBHOOK_ERROR_CODE, conflictMessage);
      throw error;
    }
  }

  /** Changes the URL of a webhook. Throws 143 if it does not exist. */
  async update(webhook: Webhook, missingMessage: string): Promise<void> {
    const id = await this.#dependencies.store.getUniqueOwner(WEBHOOK_UNIQUE_SCOPE, webhookKeyOf(webhook));
    if (id === undefined) throw new ProtocolError(WEBHOOK_ERROR_CODE, missingMessage);
    const fields = { url: webhook.url };
    await this.#write([updateRow(this.#schema(), id, this.#dependencies.clock(), fields)]);
  }

  async remove(name: string): Promise<void> {
    const id = await this.#dependencies.store.getUniqueOwner(WEBHOOK_UNIQUE_SCOPE, name);
    if (id === undefined) return;
    await this.#write([
      { kind: "releaseUnique", scope: WEBHOOK_UNIQUE_SCOPE, value: name, owner: id },
      { kind: "delete", schema: this.#schema(), id, subjects: null },
    ]);
  }

  stop(): void {
    this.#unsubscribe();
  }

  async #write(writes: Write[]): Promise<void> {
    await this.#dependencies.store.write(writes);
    await this.#reload();
    await this.#dependencies.store.publish(MESSAGE);
  }

  async #reload(): Promise<void> {
    const rows = await findRows(this.#dependencies.store, this.#schema(), { limit: MAX_WEBHOOKS });
    this.#webhooks.clear();
    for (const row of rows) {
      const webhook = parseWebhook(row);
      if (webhook) this.#webhooks.set(webhookKeyOf(webhook), webhook);
    }
  }

  #schema(): ClassSchema {
    return this.#dependencies.schemaOf("_Hooks");
  }
}
