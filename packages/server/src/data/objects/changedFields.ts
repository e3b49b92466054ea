import { isResultReturned, type JsonObject, type JsonValue, type Operation, ownValue } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { ObjectText } from "../../database/objectText.ts";
import type { Store } from "../../database/store.ts";
import type { FileUrls } from "../fileUrls.ts";
import { compileReadFilter } from "../permissions/readFilter.ts";
import type { Schemas } from "../schema/schemas.ts";
import { parseObject } from "./parseObject.ts";
import type { PendingWrite } from "./pendingWrite.ts";
import type { ReadAccess } from "./readAccess.ts";
import type { Serializer } from "./serializer.ts";
import type { AfterSaveResult } from "./triggers.ts";

export interface ReturnedFieldsDependencies {
  access: ReadAccess;
  serializer: Serializer;
  /**
   * Whether clients that write an object without being allowed to read it get the values that the write resulted in, as
   * in Parse Server. Hidden fields stay hidden.
   */
  returnsUnreadable?: boolean;
}

/** Returns whether the response of a write may contain the values of an object. */
function createReadCheck({ access, returnsUnreadable }: ReturnedFieldsDependencies) {
  return (request: RequestContext, className: string, object: JsonObject): boolean => {
    if (returnsUnreadable) return true;
    const scope = access.authorizePointerTarget(request, className);
    return scope !== undefined && compileReadFilter(scope)(object);
  };
}

/**
 * Creates the function that adds to the response of a write the fields that the client cannot compute: the top-level
 * values that operations, triggers and default values of the class resulted in, if a read of the object would show them.
 */
export function createChangedFields(dependencies: ReturnedFieldsDependencies) {
  const { serializer } = dependencies;
  const mayRead = createReadCheck(dependencies);
  return async function addChangedFields(
    body: JsonObject,
    { className, responseAuth }: PendingWrite,
    paths: readonly string[],
    stored: JsonObject | ObjectText,
    request: RequestContext,
  ): Promise<void> {
    const object: JsonObject = typeof stored === "string" ? await parseObject(stored) : stored;
    const readerRequest = responseAuth ? { ...request, auth: responseAuth } : request;
    if (!mayRead(readerRequest, className, object)) return;
    const serialize = serializer.forClass(className);
    const visible = serialize ? await serialize({ ...object }, readerRequest) : object;
    for (const path of paths) {
      const [name = ""] = path.split(".", 1);
      const value = ownValue(visible, name);
      if (value !== undefined) body[name] = value;
      else if (ownValue(object, name) === undefined) body[name] = { __op: "Delete" };
    }
  };
}

/**
 * Applies to the response of a write what an afterSave trigger changed of the object: removed fields are left out, and
 * set ones are added if a read of the object would show them.
 */
export function createAfterSaveAnswer(dependencies: ReturnedFieldsDependencies) {
  const { serializer } = dependencies;
  const mayRead = createReadCheck(dependencies);
  return async function applyAfterSave(
    body: JsonObject,
    { set, unset }: AfterSaveResult,
    { className, responseAuth }: PendingWrite,
    { sent, stored }: { sent: readonly string[]; stored: ObjectText },
    request: RequestContext,
  ): Promise<void> {
    for (const name of unset) {
      // The client has to forget a value that it sent itself.
      if (sent.includes(name)) body[name] = { __op: "Delete" };
      else delete body[name];
    }
    if (Object.keys(set).length === 0) return;
    const readerRequest = responseAuth ? { ...request, auth: responseAuth } : request;
    const parsed = await parseObject(stored);
    if (!mayRead(readerRequest, className, parsed)) return;
    const serialize = serializer.forClass(className);
    const object: JsonObject = { ...parsed, ...set };
    const visible = serialize ? await serialize(object, readerRequest) : object;
    for (const name of Object.keys(set)) {
      const value = ownValue(visible, name);
      if (value !== undefined) body[name] = value;
    }
  };
}

/**
 * The paths of a write that the response returns: those whose operations the client cannot compute, and the given ones,
 * which triggers and class rules have changed, or which the client sent and a trigger has reverted.
 */
export function returnedPaths(operations: Record<string, Operation>, returned: readonly string[]): string[] {
  const paths: string[] = [];
  for (const path in operations) {
    const operation = operations[path];
    if (operation && isResultReturned(operation)) paths.push(path);
  }
  if (returned.length === 0) return paths;
  return [...new Set([...paths, ...returned])];
}

/** The names of the top-level fields whose values the response of an update returns. */
export function changedNames(operations: Record<string, Operation>, returned: readonly string[]): string[] {
  return [...new Set(returnedPaths(operations, returned).map((path) => path.split(".", 1)[0] ?? ""))];
}

/** Fields that the response of an earlier write returned. */
export interface ReplayedFields {
  className: string;
  id: string;
  names: readonly string[];
  /** The values that the write resulted in; without those that it deleted. */
  values: JsonObject;
}

/**
 * Creates the function that returns them again: as they were then, and only those that a read of the object by the same
 * caller shows now.
 */
export function createReplayFields(
  dependencies: ReturnedFieldsDependencies & { store: Store; schemas: Schemas; fileUrls: FileUrls },
) {
  const { store, schemas, serializer, fileUrls } = dependencies;
  const mayRead = createReadCheck(dependencies);
  return async function replayFields(
    request: RequestContext,
    { className, id, names, values }: ReplayedFields,
  ): Promise<JsonObject> {
    const schema = schemas.get(className);
    const text = schema && (await store.get(schema, id, null));
    if (text === undefined) return {};
    const object: JsonObject = { ...(await parseObject(text)), ...values };
    if (!mayRead(request, className, object)) return {};
    const serialize = serializer.forClass(className);
    const visible = serialize ? await serialize({ ...object }, request) : object;
    const fields = names.flatMap((name): [string, JsonValue][] => {
      if (!Object.hasOwn(values, name)) return [[name, { __op: "Delete" }]];
      const value = ownValue(visible, name);
      return value === undefined ? [] : [[name, value]];
    });
    return fileUrls.expand(Object.fromEntries(fields), request);
  };
}
