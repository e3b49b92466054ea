import type { ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";
import { operationForbidden } from "../operationForbidden.ts";
import type { ApiRequest } from "./apiRoute.ts";

/** Throws 119 without the master key; with `write` also for the read-only one. */
export function assertMaster({ auth }: RequestContext, right: "read" | "write" = "read"): void {
  if (auth.kind !== "master") throw masterKeyError();
  if (right === "write" && auth.readOnly) throw readOnlyKeyError();
}

/** The error 119 of a request without the master key. */
export function masterKeyError(message = "unauthorized: master key is required"): ProtocolError {
  return operationForbidden(message, 403);
}

/** The first path segments of requests whose errors name what they do, as in Parse Server. */
const ACTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  schemas: { POST: "create a schema", PUT: "update a schema", DELETE: "delete a schema" },
  config: { PUT: "update the config" },
  push: { POST: "send push notifications" },
};
const OPERATIONS: Readonly<Record<string, string>> = { POST: "create", PUT: "update", DELETE: "delete" };

/** What a request does, in the words of Parse Server. */
export function actionOf({ method, path }: Pick<ApiRequest, "method" | "path">): string {
  const [, segment = ""] = path.split("/");
  return ACTIONS[segment]?.[method] ?? `perform the ${OPERATIONS[method] ?? method} operation`;
}

/** The error of a write with the read-only master key, in the words of Parse Server. */
export function readOnlyKeyError(action = "change anything"): ProtocolError {
  return operationForbidden(`read-only masterKey isn't allowed to ${action}.`, 403);
}
