import type { JsonObject, Operation } from "@purse/protocol";
import type { AuthContext } from "../authContext.ts";
import type { Write } from "../store/store.ts";

/** A write on its way through the pipeline: rules and triggers may change it until it is stored. */
export interface Draft {
  className: string;
  objectId: string;
  /** What is asked of each field or dotted path. ACL is among them as a Set. */
  operations: Record<string, Operation>;
  /** The object as it was, for updates that someone wanted to look at; undefined for a create. */
  original: JsonObject | undefined;
  /** Merged over the object's secret; a null removes a key. */
  secret: JsonObject;
  /** Steps that happen together with the write. */
  writes: Write[];
  /** Fields that the answer must carry beyond objectId and the times. */
  reply: JsonObject;
  /** The caller that the response is for, if it is not the one of the request: a new user reads its own object. */
  reader?: AuthContext;
  /** Run after the write has been stored. */
  afterwards: (() => Promise<void>)[];
}
