import type { ChainService } from "@purse/chain";
import type { FastifyPluginAsync } from "fastify";
import type { OpenApiKeys } from "../apiKeys/openApiKeys.ts";
import type { AuthService } from "../auth/index.ts";
import type { Config } from "../config/loadConfig.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import type { RequestScopeOptions } from "../core/limits/requestScope.ts";
import { createMcpApi, type McpAudit, type McpOperator } from "../mcp/index.ts";
import type { HttpContext } from "./httpContext.ts";
import type { ParseApi } from "./parseApi.ts";
import { MCP_PATH } from "./paths.ts";
import { createRespondInScope } from "./respondInScope.ts";

export interface OpenMcpApiDependencies {
  config: Config;
  http: HttpContext;
  parseApi: Pick<ParseApi, "executeForValue">;
  auth: Pick<AuthService, "authenticateSession">;
  apiKeys: Pick<OpenApiKeys, "apiKeys" | "authenticate">;
  chain: Pick<ChainService, "routes">;
  /** The audit log, and the operators by their access tokens. */
  studio: { audit: McpAudit; findOperator(accessToken: string): Promise<McpOperator | undefined> };
  limiter: RateLimiter;
  replyLimits: Pick<RequestScopeOptions, "budget" | "maxAnswerBytes">;
  /** The folder of the documentation; undefined if there is none. */
  docsDir: string | undefined;
  report(error: unknown, requestId: string): void;
}

/** Creates the MCP endpoint for AI tools; undefined if it is turned off. Pages of other origins get no CORS headers. */
export function openMcpApi(dependencies: OpenMcpApiDependencies): FastifyPluginAsync | undefined {
  const { config, http, parseApi, apiKeys, studio } = dependencies;
  if (config.mcp === "off") return undefined;
  const isWritable = config.mcp === "write";
  const mcp = createMcpApi({
    isWritable,
    authenticateSession: dependencies.auth.authenticateSession,
    findApiKey: (text) => apiKeys.apiKeys.authenticate(text),
    findOperator: studio.findOperator,
    clientAddressOf: http.clientAddressOf,
    serverUrlOf: http.serverUrlOf,
    limiter: dependencies.limiter,
    requestsPerMinute: config.mcpLimit,
    publicUrl: http.publicUrl,
    memory: http.bodyMemory,
    audit: studio.audit,
    async execute(request, method, path, params) {
      if (method !== "GET" && !isWritable) throw new Error("A tool that reads sent a write");
      return (await parseApi.executeForValue(request, method, path, params)).value;
    },
    routes: dependencies.chain.routes,
    async authenticateData({ apiKey, request: { auth, ip, serverUrl = http.publicUrl } }) {
      const headers = apiKey === undefined ? {} : { "x-api-key": apiKey };
      const { error } = await apiKeys.authenticate({ ip, headers, serverUrl, auth, allowsWithoutKey: true });
      if (error) throw error;
    },
    docsDir: dependencies.docsDir,
    report: dependencies.report,
  });
  const respondInScope = createRespondInScope(http.clientAddressOf, dependencies.replyLimits);
  return async (app) => {
    // Not in development, where it is on although few use it.
    if (config.environment === "production") {
      app.addHook("onListen", () => {
        mcp.warmUp().catch((error: unknown) => dependencies.report(error, "warm-up"));
      });
    }
    app.route({
      method: ["GET", "POST", "DELETE"],
      url: MCP_PATH,
      config: { api: "mcp" },
      handler: (_, reply) => respondInScope(reply, mcp.handle),
    });
  };
}
