import type { IncomingMessage } from "node:http";
import { ErrorCode, type JsonLimits, ProtocolError } from "@purse/protocol";
import { addressKey, isLoopbackHost } from "../../core/http/address.ts";
import type { ApiReply } from "../../core/http/apiRoute.ts";
import { withBody } from "../../core/http/body.ts";
import type { BodyMemory } from "../../core/http/bodyMemory.ts";
import { CLIENT_BODY_LIMITS, parseInSteps } from "../../core/http/bodyParser.ts";
import type { RateLimiter } from "../../core/limits/rateLimiter.ts";
import { tooManyRequests } from "../../core/limits/tooManyRequests.ts";
import { authenticateMcp, type McpAuthenticationDependencies } from "./authenticate.ts";
import type { McpServer, McpServerDependencies } from "./mcpServer.ts";
import { limitKeyOf, type McpSender } from "./sender.ts";

export interface McpApiDependencies extends McpAuthenticationDependencies, McpServerDependencies {
  limiter: RateLimiter;
  /** Requests per minute of a user, an API key or an operator. */
  requestsPerMinute: number;
  /** The server's URL, whose pages may send requests. */
  publicUrl: string;
  memory: BodyMemory;
}

/** Handles requests of AI tools over the Model Context Protocol (streamable HTTP, without sessions). */
export interface McpApi {
  /** Rejects with the error to be sent. */
  handle(message: IncomingMessage): Promise<ApiReply>;
  /** Loads the libraries before the first request, which would hold up others. */
  warmUp(): Promise<void>;
}

const MINUTE_MS = 60_000;
/** Requests per minute and address whose token is not valid. */
const MAX_FAILURES_PER_MINUTE = 30;
/** Maximum size of a request, in bytes: an object has at most as much. */
const MAX_BODY_BYTES = 256 * 1024;
/** Limits of the JSON of a request, which is validated several times. */
const JSON_LIMITS: JsonLimits = { ...CLIENT_BODY_LIMITS.user, nodes: 10_000, values: 50_000 };

/** Creates the MCP endpoint. Its libraries are loaded by `warmUp`, or with the first request whose sender is known. */
export function createMcpApi(dependencies: McpApiDependencies): McpApi {
  const { limiter } = dependencies;
  let loading: Promise<McpServer> | undefined;

  function load(): Promise<McpServer> {
    loading ??= import("./mcpServer.ts").then((module) => module.createMcpServer(dependencies));
    return loading;
  }

  async function handle(message: IncomingMessage): Promise<ApiReply> {
    if (!isAllowedOrigin(message.headers.origin, dependencies.publicUrl)) {
      return toReply(
        new ProtocolError(
          ErrorCode.OPERATION_FORBIDDEN,
          "Pages of this origin may not use the endpoint.",
          403,
        ),
      );
    }
    const sender = await authenticate(message);
    if (!("request" in sender)) return sender;
    const { used, resetsInMs } = await limiter.count(limitKeyOf(sender), MINUTE_MS);
    if (used > dependencies.requestsPerMinute) {
      throw tooManyRequests(
        resetsInMs,
        `Too many requests: ${dependencies.requestsPerMinute} per minute are allowed.`,
      );
    }
    // There are neither sessions nor messages that the server sends on its own.
    if (message.method !== "POST") {
      const error = new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "Only POST is supported.", 405);
      return { ...toReply(error), headers: { allow: "POST" } };
    }
    const server = await load();
    return withBody(
      message,
      MAX_BODY_BYTES,
      dependencies.memory,
      (body) => parseInSteps(body, JSON_LIMITS),
      (body) => server.handle(body, message.headers, sender),
    );
  }

  /** Returns the sender, or the reply for a request whose sender is not known. Throws 155 for too many of them. */
  async function authenticate(message: IncomingMessage): Promise<McpSender | ApiReply> {
    try {
      return await authenticateMcp(dependencies, message);
    } catch (error) {
      if (!(error instanceof ProtocolError && error.status === 401)) throw error;
      // A valid token is never refused for what others of its address have sent.
      const key = `mcp:failed:${addressKey(dependencies.clientAddressOf(message))}`;
      const failures = await limiter.count(key, MINUTE_MS);
      if (failures.used > MAX_FAILURES_PER_MINUTE)
        throw tooManyRequests(failures.resetsInMs, "Too many requests without a valid token.");
      return { ...toReply(error), headers: { "www-authenticate": 'Bearer realm="Purse"' } };
    }
  }

  return { handle, warmUp: async () => (await load()).warmUp() };
}

/**
 * Whether a page of this origin may send requests: those of the server and of this machine. Other programs send no origin
 * (Model Context Protocol, transports, security warning).
 */
function isAllowedOrigin(origin: string | undefined, publicUrl: string): boolean {
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  return url.origin === new URL(publicUrl).origin || isLoopbackHost(url.hostname);
}

/** Errors before a message has been read are answered as the protocol demands. */
function toReply({ message, status = 400 }: ProtocolError): ApiReply {
  const error = { code: -32_000, message };
  return { status, body: JSON.stringify({ jsonrpc: "2.0", error, id: null }) };
}
