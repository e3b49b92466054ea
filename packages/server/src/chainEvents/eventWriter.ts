import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, parseWhere } from "@purse/protocol";
import { MASTER, type RequestContext } from "../authContext.ts";
import { idsCondition } from "../objects/include.ts";
import type { Objects } from "../objects/objects.ts";
import { type JoinedWrites, WriteTogether } from "../objects/writeTogether.ts";
import type { Log } from "../observe/log.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { Store, Write } from "../store/store.ts";

export interface EventWriterParts {
  store: Store;
  schemas: () => Schemas;
  objects: Objects;
  log: Log;
}

/** What becomes of one object of an event. */
export type EventChange =
  | { kind: "created"; object: JsonObject & { objectId: string } }
  | { kind: "removed" | "confirmed"; object: JsonObject };

/** Nobody but the server makes events. */
const NOBODY = { create: {}, update: {}, delete: {}, addField: {} };

/** Changes the objects of events by the pipeline, so that triggers and live queries are told, together with a cursor. */
export class EventWriter {
  readonly #parts: EventWriterParts;

  constructor(parts: EventWriterParts) {
    this.#parts = parts;
  }

  /** Makes the class where there is none. One that is there keeps its permissions. */
  async prepare(className: string): Promise<void> {
    const indexes = { chain_block: { chain_id: 1, block_number: 1 } } as const;
    const known = this.#parts.schemas().get(className);
    if (known && "chain_block" in known.indexes && "confirmed" in known.fields) return;
    await this.#parts.schemas().change(className, (schema) => ({
      ...schema,
      fields: {
        chain_id: { type: "Number" },
        block_number: { type: "Number" },
        block_hash: { type: "String" },
        confirmed: { type: "Boolean" },
        ...schema.fields,
      },
      classLevelPermissions: known
        ? schema.classLevelPermissions
        : { ...NOBODY, ...schema.classLevelPermissions },
      indexes: { ...schema.indexes, ...indexes },
    }));
  }

  /** The objects of a chain's events that fulfil more conditions, in the order of their blocks. */
  async find(className: string, chainId: number, where: JsonObject, limit: number): Promise<JsonObject[]> {
    const texts = await this.#parts.store.find({
      schema: this.#parts.schemas().require(className),
      where: parseWhere({ chain_id: chainId, ...where }),
      order: [
        { path: ["block_number"], descending: false },
        { path: ["objectId"], descending: false },
      ],
      limit,
      skip: 0,
      principals: null,
    });
    return texts.map((text): JsonObject => JSON.parse(text));
  }

  /** Those of some objects that are not there yet. */
  async missing<T extends { objectId: string }>(className: string, objects: T[]): Promise<T[]> {
    if (objects.length === 0) return [];
    const texts = await this.#parts.store.find({
      schema: this.#parts.schemas().require(className),
      where: idsCondition(objects.map(({ objectId }) => objectId)),
      order: [],
      limit: objects.length,
      skip: 0,
      principals: null,
    });
    const known = new Set(texts.map((text): string => JSON.parse(text).objectId));
    return objects.filter(({ objectId }) => !known.has(objectId));
  }

  /**
   * Writes changes and other steps all together or not at all. What a trigger refuses is left out: cloud code has the
   * last word about its classes. Answers what was written. Rejects with ClaimTaken where a step does.
   */
  async write(
    className: string,
    changes: EventChange[],
    steps: (written: EventChange[]) => Write[],
  ): Promise<EventChange[]> {
    const { store, log } = this.#parts;
    const together = new WriteTogether(store, changes.length + 1);
    const joining = changes.map((change) => {
      const settled = Promise.withResolvers<"joined" | "refused" | "failed">();
      const join: JoinedWrites["join"] = (writes) => {
        settled.resolve("joined");
        return together.join(writes);
      };
      const done = this.#change(className, change, { ...serverRequest(), transaction: { join } });
      done.catch((error: unknown) => {
        if (!isRefusal(error)) return settled.resolve("failed");
        settled.resolve("refused");
        log.warn("an event was refused", { className, change: change.kind, error: error.message });
      });
      return { change, settled: settled.promise, done };
    });
    const ends = await Promise.all(joining.map(({ settled }) => settled));
    const written = changes.filter((_, i) => ends[i] === "joined");
    for (const end of ends) {
      if (end === "refused") together.pass();
      if (end === "failed") together.fail(new Error("an event could not be written"));
    }
    await together.join(steps(written));
    await Promise.all(joining.map(({ done }, i) => ends[i] === "joined" && done));
    return written;
  }

  async #change(className: string, change: EventChange, request: RequestContext): Promise<void> {
    const { objects } = this.#parts;
    if (change.kind === "created") {
      await objects.create({ ...request, allowCustomId: true }, className, change.object);
      return;
    }
    const { objectId } = change.object;
    if (typeof objectId !== "string") throw new Error("an object without an id");
    if (change.kind === "removed") await objects.remove(request, className, objectId);
    else await objects.update(request, className, objectId, { confirmed: true });
  }
}

/** Nobody has asked for it but the chain. */
function serverRequest(): RequestContext {
  return { auth: MASTER, installationId: undefined, context: {}, ip: "127.0.0.1", requestId: "" };
}

/** Whether cloud code does not want an event, rather than being unable to say so now. */
function isRefusal(error: unknown): error is ProtocolError {
  const { TIMEOUT, INTERNAL_SERVER_ERROR, CONNECTION_FAILED } = ErrorCode;
  const passing: readonly number[] = [TIMEOUT, INTERNAL_SERVER_ERROR, CONNECTION_FAILED];
  return error instanceof ProtocolError && !passing.includes(error.code);
}

/** Whether a write found that an object is gone, or is there, against what was read: it is to be looked at again. */
export function isOutrun(error: unknown): boolean {
  const { OBJECT_NOT_FOUND, DUPLICATE_VALUE } = ErrorCode;
  return (
    error instanceof ProtocolError && (error.code === OBJECT_NOT_FOUND || error.code === DUPLICATE_VALUE)
  );
}

export function textOf(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

export function numberOf(object: JsonObject, key: string): number {
  const value = isJsonObject(object) ? object[key] : undefined;
  return typeof value === "number" ? value : -1;
}
