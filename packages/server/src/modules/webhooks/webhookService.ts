import { isClassName, type JsonObject, ProtocolError } from "@purse/protocol";
import { OBJECT_TRIGGERS, QUERY_TRIGGERS } from "../../cloud/workerMessages.ts";
import { parseWebhook, type Webhook } from "../../data/webhookRow.ts";
import { WEBHOOK_ERROR_CODE, type WebhookStore } from "./webhookStore.ts";

/** What a webhook implements: a function, or a trigger of a class. */
export interface WebhookName {
  functionName?: string;
  className?: string;
  triggerName?: string;
}

const TRIGGERS: readonly string[] = [...OBJECT_TRIGGERS, ...QUERY_TRIGGERS];
const FUNCTION_NAME = /^(?=.{1,128}$)[A-Za-z_][\w-]*(\.[\w-]+)*$/;

/** Manages webhooks. Its callers verify that the client has the master key. All methods may throw ProtocolError 143. */
export class WebhookService {
  readonly #webhooks: WebhookStore;

  constructor(webhooks: WebhookStore) {
    this.#webhooks = webhooks;
  }

  functions(): Webhook[] {
    return this.#webhooks.all().filter((webhook) => "functionName" in webhook);
  }

  triggers(): Webhook[] {
    return this.#webhooks.all().filter((webhook) => "className" in webhook);
  }

  get(name: WebhookName): Webhook {
    const webhook = this.#webhooks.get(keyOf(name));
    if (webhook) return webhook;
    throw new ProtocolError(WEBHOOK_ERROR_CODE, missingMessage(name));
  }

  /** `declaration`: { functionName, url } or { className, triggerName, url }. */
  async create(declaration: JsonObject): Promise<Webhook> {
    const webhook = parseDeclaration(declaration);
    const conflictMessage =
      "functionName" in webhook
        ? `function name: ${webhook.functionName} already exists`
        : `class ${webhook.className} already has trigger ${webhook.triggerName}`;
    await this.#webhooks.create(webhook, conflictMessage);
    return webhook;
  }

  /** A webhook that need not be stored. */
  parse(declaration: JsonObject): Webhook {
    return parseDeclaration(declaration);
  }

  async update(name: WebhookName, { url }: JsonObject): Promise<Webhook> {
    const webhook = parseDeclaration({ ...name, ...(url !== undefined && { url }) });
    await this.#webhooks.update(webhook, missingMessage(name));
    return webhook;
  }

  async remove(name: WebhookName): Promise<void> {
    await this.#webhooks.remove(keyOf(name));
  }
}

function keyOf({ functionName = "", className = "", triggerName = "" }: WebhookName): string {
  return functionName === "" ? `${triggerName}.${className}` : `function ${functionName}`;
}

function missingMessage({ functionName, className = "" }: WebhookName): string {
  return functionName === undefined
    ? `class ${className} does not exist`
    : `no function named: ${functionName} is defined`;
}

function parseDeclaration(declaration: JsonObject): Webhook {
  const webhook = parseWebhook(declaration);
  if (!webhook || !isCallable(webhook))
    throw new ProtocolError(WEBHOOK_ERROR_CODE, "invalid hook declaration");
  return webhook;
}

function isCallable(webhook: Webhook): boolean {
  if (!URL.canParse(webhook.url) || !/^https?:$/.test(new URL(webhook.url).protocol)) return false;
  if ("functionName" in webhook) return FUNCTION_NAME.test(webhook.functionName);
  return isClassName(webhook.className) && TRIGGERS.includes(webhook.triggerName);
}
