import type { ChainService } from "@purse/chain";
import type { FastifyPluginAsync } from "fastify";
import type { AuthService } from "../../auth/index.ts";
import type { ParseApiCalls } from "../../core/http/parseApiCalls.ts";
import type { RespondInScope } from "../../core/http/respondInScope.ts";
import type { RateLimiter } from "../../core/limits/rateLimiter.ts";
import type { HttpFacts, Report, StudioAccounts } from "../../module/tokens.ts";
import type { DataApiKeys } from "../apiKeys/token.ts";
import { createMcpApi } from "./mcpApi.ts";

const MCP_PATH = "/mcp";

export interface OpenMcpApiDependencies {
  /** Whether tools may change objects. */
  isWritable: boolean;
  /** Whether the libraries are loaded once the server listens, and not with the first message. */
  isWarmedUp: boolean;
  /** Requests per minute of a user, an API key or an operator. */
  limit: number;
  http: HttpFacts;
  parseApi(): Pick<ParseApiCalls, "executeForValue">;
  accounts: Pick<AuthService, "authenticateSession">;
  apiKeys: Pick<DataApiKeys, "find" | "authenticate">;
  chain: Pick<ChainService, "routes">;
  studio(): StudioAccounts;
  limiter: RateLimiter;
  respondInScope: RespondInScope;
  /** The folder of the documentation; undefined if there is none. */
  docsFolder: string | undefined;
  report: Report;
}

/** Opens the MCP endpoint for AI tools. Pages of other origins get no CORS headers. */
export function openMcpApi(dependencies: OpenMcpApiDependencies): FastifyPluginAsync {
  const { isWritable, http, parseApi, apiKeys, studio, report } = dependencies;
  const mcp = createMcpApi({
    isWritable,
    authenticateSession: dependencies.accounts.authenticateSession,
    findApiKey: apiKeys.find,
    findOperator: (accessToken) => studio().findOperator(accessToken),
    clientAddressOf: http.clientAddressOf,
    serverUrlOf: http.serverUrlOf,
    limiter: dependencies.limiter,
    requestsPerMinute: dependencies.limit,
    publicUrl: http.publicUrl,
    memory: http.bodyMemory,
    audit: {
      record: (entry) => studio().audit.record(entry),
      begin: (entry) => studio().audit.begin(entry),
      complete: (...outcome) => studio().audit.complete(...outcome),
    },
    async execute(request, method, path, params) {
      if (method !== "GET" && !isWritable) throw new Error("A tool that reads sent a write");
      return (await parseApi().executeForValue(request, method, path, params)).value;
    },
    routes: dependencies.chain.routes,
    async authenticateData({ apiKey, request: { auth, ip, serverUrl = http.publicUrl } }) {
      const headers = apiKey === undefined ? {} : { "x-api-key": apiKey };
      const { error } = await apiKeys.authenticate({ ip, headers, serverUrl, auth, allowsWithoutKey: true });
      if (error) throw error;
    },
    docsDir: dependencies.docsFolder,
    report: (error, requestId) => report(error, "a request of an AI tool", requestId),
  });
  return async (app) => {
    if (dependencies.isWarmedUp) {
      app.addHook("onListen", () => {
        mcp.warmUp().catch((error: unknown) => report(error, "loading what AI tools need"));
      });
    }
    app.route({
      method: ["GET", "POST", "DELETE"],
      url: MCP_PATH,
      config: { api: "mcp" },
      handler: (_, reply) => dependencies.respondInScope(reply, mcp.handle),
    });
  };
}
