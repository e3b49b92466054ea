import { isEchoed, type JsonObject, type JsonValue, type Operation } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import type { FileUrls } from "../files/fileUrls.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { ObjectText, Store } from "../store/store.ts";
import type { Draft } from "./draft.ts";
import type { Presentation } from "./presentation.ts";
import { isReadable, type ReadAccess } from "./readAccess.ts";

/** The paths of a write that the response returns, besides those whose operations the client cannot compute. */
export interface ReturnedPaths {
  /** Set by triggers and rules. */
  returned: readonly string[];
  /** Set by the defaults of the class. */
  defaults?: readonly string[];
}

/**
 * Creates the function that adds to the response of a write the fields that the client cannot compute: the top-level
 * values that operations and triggers resulted in, if a read of the object would show them. Defaults belong to the
 * class, not to the object: they are returned unless the field is hidden, even if the client may not read the object.
 */
export function createChangedFields({
  access,
  presentation,
}: {
  access: ReadAccess;
  presentation: Presentation;
}) {
  return async function addChangedFields(
    body: JsonObject,
    { className, operations, reader }: Draft,
    { returned, defaults = [] }: ReturnedPaths,
    stored: JsonObject | ObjectText,
    request: RequestContext,
  ): Promise<void> {
    const changed = changedPaths(operations, returned);
    if (changed.length + defaults.length === 0) return;
    const object: JsonObject = typeof stored === "string" ? JSON.parse(stored) : stored;
    const asReader = reader ? { ...request, auth: reader } : request;
    const scope = access.authorizeFollowed(asReader, className);
    const paths = scope && isReadable(object, scope) ? [...changed, ...defaults] : defaults;
    if (paths.length === 0) return;
    const present = presentation.of(className);
    const shown = present ? await present({ ...object }, asReader) : object;
    for (const path of paths) {
      const [name = ""] = path.split(".", 1);
      const value = shown[name];
      if (value !== undefined) body[name] = value;
      else if (object[name] === undefined) body[name] = { __op: "Delete" };
    }
  };
}

function changedPaths(operations: Record<string, Operation>, returned: readonly string[]): string[] {
  return Object.entries(operations).flatMap(([path, operation]) =>
    isEchoed(operation) || returned.includes(path) ? [path] : [],
  );
}

/** The names of the top-level fields whose values the response of an update returns. */
export function changedNames(operations: Record<string, Operation>, returned: readonly string[]): string[] {
  return [...new Set(changedPaths(operations, returned).map((path) => path.split(".", 1)[0] ?? ""))];
}

/** Fields that the response of an earlier write returned. */
export interface RememberedFields {
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
export function createRememberedFields({
  store,
  schemas,
  access,
  presentation,
  fileUrls,
}: {
  store: Store;
  schemas: Schemas;
  access: ReadAccess;
  presentation: Presentation;
  fileUrls: FileUrls;
}) {
  return async function rememberedFields(
    request: RequestContext,
    { className, id, names, values }: RememberedFields,
  ): Promise<JsonObject> {
    const schema = schemas.get(className);
    const text = schema && (await store.get(schema, id, null));
    const scope = access.authorizeFollowed(request, className);
    if (text === undefined || !scope) return {};
    const object: JsonObject = { ...JSON.parse(text), ...values };
    if (!isReadable(object, scope)) return {};
    const present = presentation.of(className);
    const shown = present ? await present({ ...object }, request) : object;
    const fields = names.flatMap((name): [string, JsonValue][] => {
      if (!Object.hasOwn(values, name)) return [[name, { __op: "Delete" }]];
      const value = shown[name];
      return value === undefined ? [] : [[name, value]];
    });
    return fileUrls.expand(Object.fromEntries(fields), request);
  };
}
