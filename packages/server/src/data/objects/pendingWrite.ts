import type { JsonObject, Operation } from "@purse/protocol";
import type { AuthContext } from "../../core/authContext.ts";
import type { Write } from "../../database/store.ts";

/** A write before it is stored; class rules and triggers may change it. */
export interface PendingWrite {
  className: string;
  objectId: string;
  /** Operations by field or dotted path. ACL is included as a Set. */
  operations: Record<string, Operation>;
  /** The object before an update, if rules or triggers need it; undefined for a create. */
  original: JsonObject | undefined;
  /** Merged into the object's secret; null removes a key. */
  secret: JsonObject;
  /** Additional writes in the same transaction. */
  additionalWrites: Write[];
  /** Fields that the response contains besides objectId and the timestamps. */
  returnedFields: JsonObject;
  /** The caller that the response is for, if it is not the one of the request: a new user reads its own object. */
  responseAuth?: AuthContext;
  /** Callbacks after the write has been committed. */
  afterCommit: (() => Promise<void>)[];
}
