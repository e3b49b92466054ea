import { type Condition, type JsonObject, type JsonValue, parseWhere } from "@purse/protocol";
import { storableText } from "../core/storableText.ts";
import { newObjectId } from "../data/objects/objectId.ts";
import { createRow, findRows, updateRow } from "../database/serverRows.ts";
import type { StudioAuditEntry } from "../studioApi/access.ts";
import type { StudioPage } from "../studioApi/data.ts";
import type { OperatorDependencies } from "./operators.ts";

/** Maximum length of the values before and after a change. */
const MAX_SUMMARY_LENGTH = 2_000;
const PAGE_SIZE = 100;
const SECRET_FIELD = /password|secret|token$|^code$|^key$|apikey|csrf|authdata|recovery/i;

/** Details of a change for the audit log, set while it is executed. */
export interface AuditDetails {
  target?: string;
  before?: JsonValue | undefined;
  after?: JsonValue | undefined;
}

export type AuditEntryStart = Pick<
  StudioAuditEntry,
  "username" | "action" | "target" | "address" | "requestId"
> & {
  operatorId?: string;
};

/**
 * The audit log of changes by operators. An entry is written before its change begins, so that no change is missed, and
 * only its outcome is added afterwards. No request can change or delete entries.
 */
export class Audit {
  readonly #dependencies: OperatorDependencies;

  constructor(dependencies: OperatorDependencies) {
    this.#dependencies = dependencies;
  }

  async begin(entry: AuditEntryStart): Promise<string> {
    return this.#create({ ...entry, outcome: "begun" });
  }

  /** Adds an entry for something that has already happened. */
  async record({
    after,
    error,
    ...entry
  }: AuditEntryStart &
    Pick<StudioAuditEntry, "outcome"> & { after?: JsonValue; error?: string }): Promise<void> {
    await this.#create({
      ...entry,
      ...(after !== undefined && { after: summarize(after) }),
      ...(error !== undefined && { error: storableText(error, 500) }),
    });
  }

  async complete(
    id: string,
    outcome: "done" | "refused",
    { target, before, after }: AuditDetails,
    error?: string,
  ): Promise<void> {
    const fields: JsonObject = {
      outcome,
      ...(target !== undefined && { target: storableText(target, 500) }),
      ...(before !== undefined && { before: summarize(before) }),
      ...(after !== undefined && { after: summarize(after) }),
      ...(error !== undefined && { error: storableText(error, 500) }),
    };
    const { store, classes, clock } = this.#dependencies;
    await store.write([updateRow(classes._StudioAudit, id, clock(), fields)]);
  }

  /** Returns the newest entries first. `before` is the `next` cursor of the previous page. */
  async list(filter: {
    username?: string;
    action?: string;
    before?: string;
  }): Promise<StudioPage<StudioAuditEntry>> {
    const where: JsonObject = {
      ...(filter.username !== undefined && { username: filter.username }),
      ...(filter.action !== undefined && { action: filter.action }),
    };
    const [at, id] = (filter.before ?? "").split("/");
    const older: Condition[] =
      at && id
        ? [
            parseWhere({
              $or: [
                { createdAt: { $lt: { __type: "Date", iso: at } } },
                { createdAt: { __type: "Date", iso: at }, objectId: { $lt: id } },
              ],
            }),
          ]
        : [];
    const { store, classes } = this.#dependencies;
    const rows = await findRows(store, classes._StudioAudit, {
      where: { kind: "and", conditions: [parseWhere(where), ...older] },
      order: "-createdAt,-objectId",
      limit: PAGE_SIZE + 1,
    });
    const results = rows.slice(0, PAGE_SIZE).map(toAuditEntry);
    const last = rows.length > PAGE_SIZE ? results.at(-1) : undefined;
    return { results, ...(last && { next: `${last.at}/${last.id}` }) };
  }

  async #create(entry: JsonObject & { username: string; target: string }): Promise<string> {
    const id = newObjectId(16);
    const { store, classes, clock } = this.#dependencies;
    const fields = {
      ...entry,
      // The name can come from a failed sign-in, that is, from anybody.
      username: storableText(entry.username, 500),
      target: storableText(entry.target, 500),
      ACL: {},
    };
    await store.write([createRow(classes._StudioAudit, id, clock(), fields)]);
    return id;
  }
}

/** The named string values of a GraphQL document, such as `password: "…"`. */
const NAMED_STRING = /(?<!\w)(\w+)(\s*:\s*)(?:"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*")/g;

/** Returns the text of a GraphQL document without string values whose names look like secrets. */
export function withoutSecrets(document: string): string {
  return document.replace(NAMED_STRING, (text, name: string, colon: string) =>
    SECRET_FIELD.test(name) ? `${name}${colon}"…"` : text,
  );
}

/** Formats a value as a short JSON text, without fields that look like secrets. */
function summarize(value: JsonValue): string {
  const text = JSON.stringify(value, (name, each: unknown) => (SECRET_FIELD.test(name) ? "…" : each)) ?? "";
  return text.length > MAX_SUMMARY_LENGTH ? `${storableText(text, MAX_SUMMARY_LENGTH)}…` : text;
}

function toAuditEntry(object: JsonObject): StudioAuditEntry {
  const text = (name: string): string => (typeof object[name] === "string" ? object[name] : "");
  const optional = (name: "operatorId" | "before" | "after" | "error") =>
    typeof object[name] === "string" ? { [name]: object[name] } : {};
  const { outcome } = object;
  return {
    id: text("objectId"),
    at: text("createdAt"),
    username: text("username"),
    action: text("action"),
    target: text("target"),
    outcome: outcome === "done" || outcome === "refused" ? outcome : "begun",
    address: text("address"),
    requestId: text("requestId"),
    ...optional("operatorId"),
    ...optional("before"),
    ...optional("after"),
    ...optional("error"),
  };
}
