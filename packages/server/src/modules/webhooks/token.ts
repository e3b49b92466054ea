import { token } from "@purse/kernel";
import type { RemoteHandlers } from "../../cloud/cloud.ts";

/** Functions and triggers that other servers implement. */
export interface Webhooks extends RemoteHandlers {
  /** The names of the functions. */
  functionNames(): string[];
}

export const WEBHOOKS = token<Webhooks>("webhooks");
