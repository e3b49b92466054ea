import type { RequestContext } from "../../core/authContext.ts";
import type { StudioRole } from "../../studioApi/operatorRoles.ts";

/** An operator whose access token was sent. */
export interface McpOperator {
  /** ID of the access token. */
  tokenId: string;
  id: string;
  username: string;
  role: StudioRole;
}

/** Who sends a request to the MCP endpoint. */
export interface McpSender {
  kind: "user" | "apiKey" | "operator";
  /** The context for operations of the Parse API. With an API key it is anonymous. */
  request: RequestContext;
  /** The API key, for the data API. */
  apiKey: string | undefined;
  /** The name in the audit log: of an operator, `user:ID` or `key:ID`. */
  name: string;
  operatorId: string | undefined;
  /** Whether tools that change something are offered. */
  mayWrite: boolean;
}

/** The name of a sender in rate limits: all sessions of a user have one limit. */
export function limitKeyOf({ name }: McpSender): string {
  return `mcp:${name}`;
}
