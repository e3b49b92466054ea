import { token } from "@purse/kernel";
import type { JsonObject } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";

/** Sends push notifications. */
export interface Push {
  /** Whether a push service is configured. */
  canSend: boolean;
  /**
   * Accepts a push and returns the ID of its status. `payload`: { where, channels, data, push_time, … } as in Parse. Its
   * caller verifies that the client has the master key. Throws 115 if no push service is configured.
   */
  send(request: RequestContext, payload: JsonObject): Promise<string>;
}

export const PUSH = token<Push>("push");
