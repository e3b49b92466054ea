import { isEchoed, type JsonObject } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { ObjectText } from "../store/store.ts";
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
    const changed = Object.entries(operations).flatMap(([path, operation]) =>
      isEchoed(operation) || returned.includes(path) ? [path] : [],
    );
    if (changed.length + defaults.length === 0) return;
    const object: JsonObject = typeof stored === "string" ? JSON.parse(stored) : stored;
    const asReader = reader ? { ...request, caller: reader } : request;
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
