import type { RequestContext } from "../authContext.ts";
import type { ObjectText } from "../store/store.ts";

/** One object before and after a write, with who did it. */
export interface Change {
  className: string;
  objectId: string;
  /** null for a create. */
  before: ObjectText | null;
  /** null for a delete. */
  after: ObjectText | null;
  request: RequestContext;
}

export type ChangeListener = (change: Change) => void;
