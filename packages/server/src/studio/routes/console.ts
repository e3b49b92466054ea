import type { JsonObject, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../../core/authContext.ts";
import type { ApiReply, Method } from "../../core/http/apiRoute.ts";
import { addQueryParams } from "../../core/http/parseForm.ts";
import { errorReply } from "../../core/http/reply.ts";
import { operationForbidden } from "../../core/operationForbidden.ts";
import { consoleEndpoints as endpoints, type StudioConsoleResponse } from "../../studioApi/console.ts";
import type { StudioRole } from "../../studioApi/operatorRoles.ts";
import { withoutSecrets } from "../audit.ts";
import { type Requests, requireSignedIn, route, type StudioRoute } from "../route.ts";
import { type RouteDependencies, viewContext } from "./routeContext.ts";
import { assertMayEdit } from "./schema.ts";

type ConsoleRequests = Requests<typeof endpoints>;

/** Throws 119 if an operation of the Parse API is not allowed. */
type AssertAllowed = (method: Method, path: string, params?: JsonObject) => void;

export interface ConsoleDependencies extends Pick<RouteDependencies, "asUser"> {
  /** Executes operations of the APIs for the console. Rejects with ProtocolError. */
  consoleApis: {
    executeRequest(
      request: RequestContext,
      method: Method,
      path: string,
      params: JsonObject,
    ): Promise<ApiReply>;
    executeGraphql(
      request: RequestContext,
      fields: JsonObject,
      assertAllowed: AssertAllowed,
    ): Promise<ApiReply>;
  };
  reportError(error: unknown, requestId: string): void;
}

/** Routes of the API console: operators call the other APIs without knowing the master key. */
export function consoleRoutes(dependencies: ConsoleDependencies): StudioRoute[] {
  const { consoleApis } = dependencies;
  return [route(endpoints.sendRequest, sendRequest), route(endpoints.runGraphql, runGraphql)];

  async function sendRequest(request: ConsoleRequests["sendRequest"]): Promise<StudioConsoleResponse> {
    const { method, path, body, as } = request.params;
    const [pathname = "", search = ""] = path.split(/\?(.*)/s, 2);
    const query: JsonObject = {};
    if (search !== "") addQueryParams(query, search);
    request.setAuditDetails({
      target: `${method} ${pathname}`,
      after: { ...(as && { as }), ...(search !== "" && { query }), ...(body && { body }) },
    });
    const { operator } = requireSignedIn(request);
    const context = await viewContext(dependencies, request);
    return respond(context, async () => {
      const params = { ...query, ...body };
      assertMayExecute(operator.role, method, pathname, params);
      return consoleApis.executeRequest(context, method, pathname, params);
    });
  }

  async function runGraphql(request: ConsoleRequests["runGraphql"]): Promise<StudioConsoleResponse> {
    const { query, variables, operationName, as } = request.params;
    request.setAuditDetails({
      target: operationName ?? "GraphQL",
      after: { query: withoutSecrets(query), ...(variables && { variables }), ...(as && { as }) },
    });
    const { operator } = requireSignedIn(request);
    const context = await viewContext(dependencies, request);
    const fields = {
      query,
      ...(variables && { variables }),
      ...(operationName !== undefined && { operationName }),
    };
    return respond(context, () =>
      consoleApis.executeGraphql(context, fields, (...operation) =>
        assertMayExecute(operator.role, ...operation),
      ),
    );
  }

  async function respond(
    { requestId }: RequestContext,
    execute: () => Promise<ApiReply>,
  ): Promise<StudioConsoleResponse> {
    const started = performance.now();
    const { status, body, headers } = await execute().catch((error: unknown) =>
      errorReply(error, (unexpected) => dependencies.reportError(unexpected, requestId)),
    );
    return {
      status,
      headers: { "content-type": "application/json; charset=utf-8", ...headers, "x-request-id": requestId },
      body,
      ms: Math.round(performance.now() - started),
      bytes: Buffer.byteLength(body),
      requestId,
    };
  }
}

/** What editors may delete: objects and webhooks, as elsewhere in the studio. */
const DELETABLE =
  /^\/(?:classes\/[A-Za-z_]\w*|users|sessions|roles|installations|push_audiences|hooks\/functions|hooks\/triggers\/\w+)\/[^/]+$/;

/**
 * Throws 119 if the role of an operator does not allow an operation. Roles are not weaker here than on the other pages,
 * whose routes check them one by one; batches could contain anything.
 */
export function assertMayExecute(
  role: StudioRole,
  method: Method,
  path: string,
  params: JsonObject = {},
): void {
  if (role === "owner" || method === "GET") return;
  if (role === "readOnly") throw forbidden("Operators who may only read can only send GET requests.");
  if (/^\/batch\/*$/.test(path)) throw forbidden("Batches require the role owner.");
  if (method === "DELETE" && !DELETABLE.test(path)) throw forbidden("Deleting this requires the role owner.");
  if (path.startsWith("/schemas")) assertMayEdit(role, params);
}

function forbidden(message: string): ProtocolError {
  return operationForbidden(message, 403);
}
