import type { IncomingHttpHeaders } from "node:http";
import type { ProtocolError } from "@purse/protocol";
import type { AuthContext } from "../authContext.ts";

/** A request to the data API, over HTTP or as a cloud function. */
export interface DataApiRequest {
  /** The client's address. */
  ip: string;
  headers: IncomingHttpHeaders | Readonly<Record<string, string>>;
  /** The URL of the Parse API as the client knows it. */
  serverUrl: string;
  /** The authentication, if the Parse API has established it. */
  auth?: AuthContext;
  /** Whether cloud code or the server itself sent it: such requests need no key and are not counted. */
  isInternal?: boolean | undefined;
  /**
   * Whether pages of the operator's own sites and signed-in users need no key: for images, because `<img>` sends no
   * headers, and for functions, because old clients send no key with them.
   */
  allowsWithoutKey?: boolean;
}

/** Rate limit headers for the response, and the error if the request is rejected. */
export interface DataApiAuthResult {
  headers: Record<string, string>;
  error?: ProtocolError;
}

/** Authenticates one request to the data API and counts it toward its rate limits. */
export type AuthenticateDataRequest = (request: DataApiRequest) => Promise<DataApiAuthResult>;
