import type { JsonObject } from "@purse/protocol";
import type { AnyObject } from "../object/AnyObject.ts";
import { objects } from "../object/registry.ts";

/** The instance of the stored user, cached until the stored user changes. */
let current: { json: JsonObject; user: AnyObject } | undefined;

/** The instance of the stored user: the same one until the stored user changes. */
export function userFor(json: JsonObject | null): AnyObject | null {
  if (json && current?.json !== json) setUserFor(json, objects().fromJSON({ ...json, className: "_User" }));
  return json && current ? current.user : null;
}

export function setUserFor(json: JsonObject, user: AnyObject): void {
  current = { json, user };
}
