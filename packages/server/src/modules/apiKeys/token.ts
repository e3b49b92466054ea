import { token } from "@purse/kernel";
import type { AuthenticateDataRequest } from "../../core/http/dataRequest.ts";

/** Keys of the data API. */
export interface DataApiKeys {
  /** Whether clients of the data API need a key. */
  areRequired: boolean;
  /** Returns the valid API key of a text. */
  find(text: string): Promise<{ id: string } | undefined>;
  /** Authenticates a request to the data API and counts it toward the limits of its API key or its address. */
  authenticate: AuthenticateDataRequest;
}

export const API_KEYS = token<DataApiKeys>("apiKeys");
