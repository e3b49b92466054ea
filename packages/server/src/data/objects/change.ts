import type { RequestContext } from "../../core/authContext.ts";
import type { ObjectText } from "../../database/objectText.ts";

/** An object before and after a write, with the request that wrote it. */
export interface Change {
  className: string;
  objectId: string;
  /** null for a create operation. */
  before: ObjectText | null;
  /** null for a delete operation. */
  after: ObjectText | null;
  request: RequestContext;
}

declare module "../../core/eventBus.ts" {
  interface ServerEvents {
    /** A committed change of an object, in commit order. */
    "objects.changed": Change;
  }
}
