import { ProtocolError } from "@purse/protocol";
import type { Cloud } from "../../cloud/index.ts";
import type { AuthContext } from "../../core/authContext.ts";
import type { LogBuffer } from "../../core/logBuffer.ts";
import { webhookFailure } from "../../core/webhookFailure.ts";
import { codeEndpoints as endpoints, type StudioFunctionRun } from "../../studioApi/code.ts";
import { type Requests, route, type StudioRoute } from "../route.ts";
import type { RouteDependencies } from "./routeContext.ts";

type CodeRequests = Requests<typeof endpoints>;

export interface CodeDependencies extends RouteDependencies {
  cloud: Pick<Cloud, "functionNames" | "definitions" | "health" | "runFunction">;
  /** The files of the plugins, in the order of loading. */
  pluginFiles: readonly string[];
  logBuffer: Pick<LogBuffer, "lines">;
  /** The functions that webhooks implement. */
  webhookFunctions(): string[];
}

/** Routes for functions. */
export function codeRoutes(dependencies: CodeDependencies): StudioRoute[] {
  const { cloud, logBuffer } = dependencies;
  return [route(endpoints.functions, functions), route(endpoints.runFunction, runFunction)];

  async function functions() {
    const { functions: defined, triggers, plugins, rateLimits } = cloud.definitions();
    return {
      functions: [...new Set([...cloud.functionNames(), ...dependencies.webhookFunctions()])].sort(),
      defined,
      triggers,
      // Plugins are loaded in the order of their files.
      plugins: plugins.map((plugin, at) => ({ ...plugin, file: dependencies.pluginFiles[at] ?? "" })),
      rateLimited: rateLimits.length,
      refused: cloud.health().refused,
    };
  }

  /** Runs a function as the operator or as a user. An error of the function is part of the result. */
  async function runFunction(request: CodeRequests["runFunction"]): Promise<StudioFunctionRun> {
    const { context, pathParams } = request;
    const { as, params: input = {} } = request.params;
    const auth: AuthContext = as === undefined ? context.auth : await dependencies.asUser(as);
    request.setAuditDetails({ after: { params: input, ...(as !== undefined && { as }) } });
    const started = performance.now();
    const { ip, requestId, serverUrl } = context;
    const call = { auth, ip, requestId, serverUrl, params: input, context: {}, installationId: undefined };
    const outcome = await cloud.runFunction(pathParams.name, call).then(
      ({ value }) => ({ result: value ?? null }),
      (error: unknown) => {
        if (!(error instanceof ProtocolError)) throw error;
        const { code, message, cause } = error;
        return {
          error: { code, error: message, ...(cause instanceof Error && { reason: webhookFailure(cause) }) },
        };
      },
    );
    return {
      ...outcome,
      ms: Math.round(performance.now() - started),
      requestId,
      logs: logBuffer.lines({ requestId }),
    };
  }
}
