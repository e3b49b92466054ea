import { type Acl, isJsonObject, type JsonObject, jsonEqual, PUBLIC } from "@purse/protocol";
import type { LoggedChange } from "../store/changeLog.ts";
import type { Principals } from "../store/principals.ts";
import type { Subscription } from "./subscriptions.ts";

export type EventKind = "create" | "update" | "enter" | "leave" | "delete";

/** A change as somebody gets to see it: parsed once, each event text made once. */
export class ChangeView {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  readonly #change: Pick<LoggedChange, "className" | "objectId">;
  /** The change's number as clients are told it. */
  readonly position: string;
  readonly #tails = new Map<string, string>();

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

  static of(change: LoggedChange, position: string): ChangeView {
    return new ChangeView(change, position, parseObject(change.before), parseObject(change.after));
  }

  /** The same change, as its objects are shown to somebody. */
  as(before: JsonObject | null, after: JsonObject | null): ChangeView {
    return new ChangeView(this.#change, this.position, before, after);
  }

  /** The message of an event for a subscription; without data where it only tells that an object is gone. */
  message(kind: EventKind, subscription: Subscription, reads: { before: boolean; after: boolean }): string {
    const { client, requestId, fields } = subscription;
    const shape = `${kind} ${reads.before} ${reads.after} ${fields?.join() ?? "*"}`;
    let tail = this.#tails.get(shape);
    if (tail === undefined) {
      tail = this.#tail(kind, fields, reads);
      this.#tails.set(shape, tail);
    }
    const installation =
      client.installationId === undefined ? "" : `"installationId":${JSON.stringify(client.installationId)},`;
    return `{"op":"${kind}","clientId":"${client.id}",${installation}"requestId":${JSON.stringify(requestId)},${tail}`;
  }

  #tail(kind: EventKind, fields: string[] | undefined, reads: { before: boolean; after: boolean }): string {
    const readable = { before: reads.before ? this.before : null, after: reads.after ? this.after : null };
    const shown = kind === "delete" ? readable.before : readable.after;
    // Whoever lost the right to read learns that the object left, and nothing else.
    const object = `"position":"${this.position}","object":${this.#object(shown ?? {}, fields)}`;
    if (kind === "create" || kind === "delete" || !shown || !readable.before) return `${object}}`;
    return `${object},"original":${this.#object(readable.before, fields)}}`;
  }

  #object(object: JsonObject, fields: string[] | undefined): string {
    const { className, objectId } = this.#change;
    const identity = { className, objectId };
    if (!fields) return JSON.stringify({ ...object, ...identity });
    const kept: JsonObject = {};
    for (const field of ["createdAt", "updatedAt", ...fields]) {
      const value = Object.hasOwn(object, field) ? object[field] : undefined;
      if (value !== undefined) kept[field] = value;
    }
    return JSON.stringify({ ...kept, ...identity });
  }
}

/** What a change is to a query that matched `was` before it and matches `is` after it. */
export function eventKind(change: LoggedChange, was: boolean, is: boolean): EventKind | undefined {
  if (change.before === null) return is ? "create" : undefined;
  if (change.after === null) return was ? "delete" : undefined;
  if (was) return is ? "update" : "leave";
  return is ? "enter" : undefined;
}

/** Whether one of the watched fields differs. */
export function changed({ before, after }: ChangeView, fields: string[]): boolean {
  return fields.some((field) => !jsonEqual(before?.[field], after?.[field]));
}

/** Whether an object's ACL lets these principals read it; no ACL lets everyone. */
export function canRead(object: JsonObject | null, principals: Principals): boolean {
  if (!object) return false;
  if (principals === null || object.ACL === undefined) return true;
  const acl = object.ACL;
  if (!isJsonObject(acl)) return false;
  return [PUBLIC, ...principals].some((principal) => Object.hasOwn(acl, principal) && reads(acl[principal]));
}

function reads(entry: unknown): entry is Acl[string] {
  return isJsonObject(entry) && entry.read === true;
}

function parseObject(text: string | null): JsonObject | null {
  if (text === null) return null;
  const object: unknown = JSON.parse(text);
  return isJsonObject(object) ? object : null;
}
