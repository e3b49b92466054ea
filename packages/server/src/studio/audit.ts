import {
  type Condition,
  type JsonObject,
  type JsonValue,
  type Operation,
  parseWhere,
  type StudioAuditEntry,
  type StudioPage,
} from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import type { OperatorsParts } from "./operators.ts";

/** Characters that are kept of what was and of what is. */
const MAX_SUMMARY = 2_000;
const PAGE = 100;
const SECRET = /password|secret|token$|^code$|^key$|apikey|csrf|authdata|recovery/i;

/** What is told of a change while it happens. */
export interface AuditNote {
  target?: string;
  before?: JsonValue | undefined;
  after?: JsonValue | undefined;
}

export type AuditBegin = Pick<
  StudioAuditEntry,
  "username" | "action" | "target" | "address" | "requestId"
> & {
  operatorId?: string;
};

/**
 * Who has changed what. An entry is there before its change begins, so that none goes without one; only how it ended
 * is written to it afterwards, and nothing answers a request by changing or removing one.
 */
export class Audit {
  readonly #parts: OperatorsParts;

  constructor(parts: OperatorsParts) {
    this.#parts = parts;
  }

  async begin(entry: AuditBegin): Promise<string> {
    return this.#create({ ...entry, outcome: "begun" });
  }

  /** An entry of something that has happened already. */
  async tell(entry: AuditBegin & Pick<StudioAuditEntry, "outcome"> & { error?: string }): Promise<void> {
    await this.#create(entry);
  }

  async end(
    id: string,
    outcome: "done" | "refused",
    { target, before, after }: AuditNote,
    error?: string,
  ): Promise<void> {
    const fields: JsonObject = {
      outcome,
      ...(target !== undefined && { target: target.slice(0, 500) }),
      ...(before !== undefined && { before: summaryOf(before) }),
      ...(after !== undefined && { after: summaryOf(after) }),
      ...(error !== undefined && { error: error.slice(0, 500) }),
    };
    const operations = Object.fromEntries(
      Object.entries(fields).map(([name, value]): [string, Operation] => [name, { op: "Set", value }]),
    );
    const schema = this.#parts.classes._StudioAudit;
    const at = new Date(this.#parts.clock()).toISOString();
    await this.#parts.store.write([{ kind: "update", schema, id, at, operations, principals: null }]);
  }

  /** The newest first. `before` is the `next` of an earlier page. */
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
    const texts = await this.#parts.store.find({
      schema: this.#parts.classes._StudioAudit,
      where: { kind: "and", conditions: [parseWhere(where), ...older] },
      order: [
        { path: ["createdAt"], descending: true },
        { path: ["objectId"], descending: true },
      ],
      limit: PAGE + 1,
      skip: 0,
      principals: null,
    });
    const results = texts.slice(0, PAGE).map((text) => read(JSON.parse(text)));
    const last = texts.length > PAGE ? results.at(-1) : undefined;
    return { results, ...(last && { next: `${last.at}/${last.id}` }) };
  }

  async #create(entry: JsonObject & { target: string }): Promise<string> {
    const id = newObjectId(16);
    const at = new Date(this.#parts.clock()).toISOString();
    const object = {
      objectId: id,
      createdAt: at,
      updatedAt: at,
      ...entry,
      target: entry.target.slice(0, 500),
      ACL: {},
    };
    const schema = this.#parts.classes._StudioAudit;
    await this.#parts.store.write([{ kind: "create", schema, id, at, object }]);
    return id;
  }
}

/** A short JSON text without what looks like a secret. */
function summaryOf(value: JsonValue): string {
  const text = JSON.stringify(value, (name, each: unknown) => (SECRET.test(name) ? "…" : each)) ?? "";
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY)}…` : text;
}

function read(object: JsonObject): StudioAuditEntry {
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
