import type { JsonObject } from "@purse/protocol";
import type { AnyObject } from "../object/AnyObject.ts";
import { objects } from "../object/registry.ts";

/** The instance that stands for the stored user, as long as the stored user stays the same. */
let current: { json: JsonObject; user: AnyObject } | undefined;

/** The instance for the stored user's JSON: the same one as long as nothing changes. */
export function userFor(json: JsonObject | null): AnyObject | null {
  if (json && current?.json !== json) setUserFor(json, objects().fromJSON({ ...json, className: "_User" }));
  return json && current ? current.user : null;
}

export function setUserFor(json: JsonObject, user: AnyObject): void {
  current = { json, user };
}
