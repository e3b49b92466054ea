import { isJsonObject, type JsonObject } from "@purse/protocol";

/** A function or trigger that is implemented by another server. */
export type Webhook =
  | { functionName: string; url: string }
  | { className: string; triggerName: string; url: string };

/** Scope of the unique keys: one webhook per function and per trigger of a class. The owner is the webhook's object. */
export const WEBHOOK_UNIQUE_SCOPE = "_Hooks";

/** Unique key of a webhook: `beforeSave.Note`, or `function` and a name, which cannot collide with a trigger. */
export function webhookKeyOf(webhook: Webhook): string {
  return "functionName" in webhook
    ? `function ${webhook.functionName}`
    : `${webhook.triggerName}.${webhook.className}`;
}

/** Parses a webhook; undefined if it is not valid. */
export function parseWebhook(value: unknown): Webhook | undefined {
  if (!isJsonObject(value)) return undefined;
  const { functionName, className, triggerName, url } = value;
  if (!isText(url)) return undefined;
  if (isText(functionName)) return { functionName, url };
  return isText(className) && isText(triggerName) ? { className, triggerName, url } : undefined;
}

function isText(value: JsonObject[string] | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= 2_000;
}
