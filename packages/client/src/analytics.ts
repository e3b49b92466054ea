import type { JsonObject } from "@purse/protocol";
import { pathOf } from "./pathOf.ts";
import { requestObject } from "./transport.ts";

/** Custom analytics events. */
export const Analytics = {
  /** `dimensions` are strings by name. Throws TypeError for an empty name or other values. */
  track(name: string, dimensions: Record<string, string> = {}): Promise<JsonObject> {
    const event = (name ?? "").trim();
    if (event === "") throw new TypeError("A name for the custom event must be provided");
    if (Object.values(dimensions).some((value) => typeof value !== "string")) {
      throw new TypeError('track() dimensions expects keys and values of type "string".');
    }
    return requestObject("POST", pathOf("events", event), { dimensions });
  },
};
