import type { RequestContext } from "../../core/authContext.ts";
import type { ObjectText } from "../../database/store.ts";

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

export type ChangeListener = (change: Change) => void;
