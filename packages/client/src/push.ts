import type { JsonObject } from "@purse/protocol";
import { encodeFields } from "./object/encode.ts";
import type { ParseObject } from "./object/ParseObject.ts";
import { Query } from "./query/Query.ts";
import { requestObject } from "./transport.ts";

/** A push notification to the installations of the channels, or to those that `where` matches. */
export interface PushData {
  channels?: readonly string[];
  where?: { toJSON(): JsonObject } | JsonObject;
  /** When to send it; immediately by default. */
  push_time?: Date | string;
  /** When it expires: a time, or seconds after it was sent. Not both. */
  expiration_time?: Date | string;
  expiration_interval?: number;
  data: object;
}

/** Sends push notifications. Needs the master key. */
export const Push = {
  async send(push: PushData): Promise<JsonObject> {
    if (push.expiration_time !== undefined && push.expiration_interval !== undefined) {
      throw new Error("expiration_time and expiration_interval cannot both be set.");
    }
    const payload = encodeFields({ ...push, where: whereOf(push.where) });
    for (const key of ["push_time", "expiration_time"] as const) {
      const time = push[key];
      if (time instanceof Date) payload[key] = time.toISOString();
    }
    return requestObject("POST", "push", payload, { useMasterKey: true });
  },

  /** Returns the status of a push by its id. Needs the master key. Throws 101 if there is none. */
  async getPushStatus(pushStatusId: string): Promise<ParseObject> {
    return new Query("_PushStatus").get(pushStatusId, { useMasterKey: true });
  },
};

function whereOf(where: PushData["where"]): unknown {
  if (!where || !("toJSON" in where) || typeof where.toJSON !== "function") return where;
  const json: JsonObject = where.toJSON();
  return json.where;
}
