import { isJsonObject, type JsonObject, jsonEqual, ownValue } from "@purse/protocol";
import type { LoggedChange } from "../database/changeLog.ts";
import type { EventKind } from "./eventKind.ts";
import { SharedText } from "./sharedText.ts";
import type { Subscription } from "./subscriptions.ts";

/** The messages of one change that are kept, in characters: each selection of fields has one of its own. */
const MAX_KEPT_CHARS = 16 * 1024 * 1024;

/** A change as it is visible to some subscribers: parsed once, with each message built once. */
export class ChangeView {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  readonly #change: Pick<LoggedChange, "className" | "objectId">;
  /** The position of the change, as clients receive it. */
  readonly position: string;
  readonly #tails = new Map<string, SharedText>();
  #keptChars = 0;

  constructor(
    change: Pick<LoggedChange, "className" | "objectId">,
    position: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ) {
    this.position = position;
    this.#change = change;
    this.before = before;
    this.after = after;
  }

  static parse(change: LoggedChange, position: string): ChangeView {
    return new ChangeView(change, position, parseObject(change.before), parseObject(change.after));
  }

  /** The same change with serialized objects. */
  withObjects(before: JsonObject | null, after: JsonObject | null): ChangeView {
    return new ChangeView(this.#change, this.position, before, after);
  }

  /** Sends the event to a subscription; without data if the object is no longer visible. */
  send(kind: EventKind, subscription: Subscription, canRead: { before: boolean; after: boolean }): void {
    const { client, requestId, fields } = subscription;
    const cacheKey = `${kind} ${canRead.before} ${canRead.after} ${fields?.join() ?? "*"}`;
    let tail = this.#tails.get(cacheKey);
    if (tail === undefined) {
      tail = new SharedText(this.#buildTail(kind, fields, canRead));
      this.#keptChars += tail.text.length;
      if (this.#keptChars > MAX_KEPT_CHARS) {
        this.#tails.clear();
        this.#keptChars = tail.text.length;
      }
      this.#tails.set(cacheKey, tail);
    }
    const installation =
      client.installationId === undefined ? "" : `"installationId":${JSON.stringify(client.installationId)},`;
    const head = `{"op":"${kind}","clientId":"${client.id}",${installation}"requestId":${JSON.stringify(requestId)},`;
    client.sendEvent(head, tail);
  }

  #buildTail(
    kind: EventKind,
    fields: string[] | undefined,
    canRead: { before: boolean; after: boolean },
  ): string {
    const readable = {
      before: canRead.before ? this.before : null,
      after: canRead.after ? this.after : null,
    };
    const visible = kind === "delete" ? readable.before : readable.after;
    // Subscribers that lost read access learn only that the object left.
    const object = `"position":"${this.position}","object":${this.#serializeObject(visible ?? {}, fields)}`;
    if (kind === "create" || kind === "delete" || !visible || !readable.before) return `${object}}`;
    return `${object},"original":${this.#serializeObject(readable.before, fields)}}`;
  }

  #serializeObject(object: JsonObject, fields: string[] | undefined): string {
    // An afterLiveQueryEvent trigger may have replaced the object by one of another class.
    const { className = this.#change.className, objectId = this.#change.objectId } = object;
    const identity = { className, objectId };
    if (!fields) return JSON.stringify({ ...object, ...identity });
    const selected: JsonObject = {};
    for (const field of ["createdAt", "updatedAt", ...fields]) {
      const value = ownValue(object, field);
      if (value !== undefined) selected[field] = value;
    }
    return JSON.stringify({ ...selected, ...identity });
  }
}

/** Whether one of the watched fields changed. */
export function hasChanged({ before, after }: ChangeView, fields: string[]): boolean {
  return fields.some((field) => !jsonEqual(before?.[field], after?.[field]));
}

function parseObject(text: string | null): JsonObject | null {
  if (text === null) return null;
  const object: unknown = JSON.parse(text);
  return isJsonObject(object) ? object : null;
}
