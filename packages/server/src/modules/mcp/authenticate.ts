import type { IncomingMessage } from "node:http";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { ANONYMOUS, type AuthContext, type RequestContext } from "../../core/authContext.ts";
import { requestIdOf } from "../../core/http/requestId.ts";
import type { McpOperator, McpSender } from "./sender.ts";

export interface McpAuthenticationDependencies {
  /** Whether tools may change objects. */
  isWritable: boolean;
  authenticateSession(sessionToken: string): Promise<AuthContext>;
  /** Returns the valid API key of a text. */
  findApiKey(text: string): Promise<{ id: string } | undefined>;
  /** Returns the operator of a valid access token. */
  findOperator(token: string): Promise<McpOperator | undefined>;
  clientAddressOf(message: IncomingMessage): string;
  serverUrlOf(message: IncomingMessage): string;
}

/** Beginnings of the tokens of users and operators; all others are API keys. */
const SESSION_TOKEN = /^r:/;
const ACCESS_TOKEN = /^purse_/;

/**
 * Authenticates a request by its bearer token: the access token of an operator, the session token of a user, or an API
 * key, which may also be in `X-API-Key`. The master key is not accepted. Throws 209 (HTTP 401) without a valid token.
 */
export async function authenticateMcp(
  dependencies: McpAuthenticationDependencies,
  message: IncomingMessage,
): Promise<McpSender> {
  const bearer = bearerToken(message);
  const apiKey = headerOf(message, "x-api-key");
  const { isWritable } = dependencies;
  if (bearer !== undefined && ACCESS_TOKEN.test(bearer)) {
    const operator = await dependencies.findOperator(bearer);
    if (!operator) throw unauthorized();
    const { id, username, role } = operator;
    const mayWrite = isWritable && role !== "readOnly";
    const auth: AuthContext = {
      kind: "master",
      operator: { id, username },
      ...(!mayWrite && { readOnly: true }),
    };
    const request = contextOf(dependencies, message, auth);
    return { kind: "operator", request, apiKey: undefined, name: username, operatorId: id, mayWrite };
  }
  if (bearer !== undefined && SESSION_TOKEN.test(bearer)) {
    const auth = await dependencies.authenticateSession(bearer).catch(toUnauthorized);
    if (auth.kind !== "user") throw unauthorized();
    const request = contextOf(dependencies, message, auth);
    const name = `user:${auth.userId}`;
    return { kind: "user", request, apiKey, name, operatorId: undefined, mayWrite: isWritable };
  }
  const key = bearer ?? apiKey;
  const found = key === undefined ? undefined : await dependencies.findApiKey(key);
  if (!found) throw unauthorized();
  const request = contextOf(dependencies, message, ANONYMOUS);
  return {
    kind: "apiKey",
    request,
    apiKey: key,
    name: `key:${found.id}`,
    operatorId: undefined,
    mayWrite: false,
  };
}

/** Cloud code sees the headers of a request: those with tokens are left out. */
function contextOf(
  { clientAddressOf, serverUrlOf }: McpAuthenticationDependencies,
  message: IncomingMessage,
  auth: AuthContext,
): RequestContext {
  const { authorization: _, "x-api-key": __, cookie: ___, ...headers } = message.headers;
  return {
    auth,
    installationId: undefined,
    context: {},
    ip: clientAddressOf(message),
    requestId: requestIdOf(message),
    headers,
    serverUrl: serverUrlOf(message),
  };
}

function bearerToken(message: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headerOf(message, "authorization") ?? "")?.[1];
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function toUnauthorized(error: unknown): never {
  if (error instanceof ProtocolError && error.code === ErrorCode.INVALID_SESSION_TOKEN) throw unauthorized();
  throw error;
}

function unauthorized(): ProtocolError {
  return new ProtocolError(
    ErrorCode.INVALID_SESSION_TOKEN,
    "Send a session token, an API key or an operator's access token: Authorization: Bearer TOKEN",
    401,
  );
}
