import { ErrorCode, type JsonObject, type JsonValue, ProtocolError, parseWhere } from "@purse/protocol";
import type { Config } from "../../config/loadConfig.ts";
import type { RequestContext } from "../../core/authContext.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../../core/http/apiRoute.ts";
import { defineEndpoints, routesOf } from "../../core/http/endpoint.ts";
import { objectEndpoints } from "../../core/http/objectEndpoints.ts";
import type { ClassRules } from "../../data/objects/classRules.ts";
import type { Objects, SaveReply } from "../../data/objects/objects.ts";
import type { PendingWrite } from "../../data/objects/pendingWrite.ts";
import type { WriteRequest } from "../../data/objects/writeOptions.ts";

const CLASS_NAME = "_Audience";

type AudienceObjects = Pick<Objects, "find" | "get" | "create" | "update" | "remove">;

/**
 * Rules of `_Audience`: saved queries for installations that pushes are sent to. They require the master key; with the
 * compatibility with Parse Server, clients use them as they use other objects.
 */
export function audienceRules({ compatibility }: Pick<Config, "compatibility">): ClassRules {
  return {
    className: CLASS_NAME,
    clientAccess: compatibility === "parse",
    fields: {
      name: { type: "String" },
      // Stored as JSON text, because the keys of a query may begin with $ and those of an object may not.
      query: { type: "String" },
      lastUsed: { type: "Date" },
      timesUsed: { type: "Number" },
    },
    beforeCreate: assertQuery,
    beforeUpdate: assertQuery,
  };
}

const AUDIENCE_ENDPOINTS = defineEndpoints(
  "Functions, jobs, webhooks, config",
  objectEndpoints("/push_audiences", "an audience", "audiences", "masterKey"),
);

/** Routes for audiences as Parse Dashboard uses them; `query` is read as an object. */
export function audienceRoutes(objects: AudienceObjects): ApiRoute<WriteRequest>[] {
  const idOf = (request: ApiRequest): string => request.pathParams.objectId ?? "";
  return routesOf(AUDIENCE_ENDPOINTS, {
    async find(request) {
      const answer: { results?: JsonObject[] } = JSON.parse(
        await objects.find(request, CLASS_NAME, request.params),
      );
      return { ...answer, ...(answer.results && { results: answer.results.map(withQuery) }) };
    },
    get: async (request) =>
      withQuery(JSON.parse(await objects.get(request, CLASS_NAME, idOf(request), request.params))),
    create: async (request) =>
      savedReply(await objects.create(request, CLASS_NAME, request.params, request.writeOptions)),
    update: async (request) =>
      savedReply(
        await objects.update(request, CLASS_NAME, idOf(request), request.params, request.writeOptions),
      ),
    async remove(request) {
      await objects.remove(request, CLASS_NAME, idOf(request), request.writeOptions);
      return {};
    },
  });
}

function savedReply({ status, body }: SaveReply): ApiReply {
  return { status, body: JSON.stringify(body) };
}

/** Records that a push is sent to an audience. Throws 101 if it does not exist. */
export async function recordAudienceUse(
  objects: Pick<Objects, "update">,
  request: RequestContext,
  id: string,
  now: number,
): Promise<void> {
  await objects.update(request, CLASS_NAME, id, {
    lastUsed: { __type: "Date", iso: new Date(now).toISOString() },
    timesUsed: { __op: "Increment", amount: 1 },
  });
}

/** Throws 102 for an invalid query. */
function assertQuery({ operations }: PendingWrite): void {
  const { query } = operations;
  if (query?.op !== "Set") return;
  try {
    parseWhere(JSON.parse(String(query.value)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProtocolError(
      ErrorCode.INVALID_QUERY,
      `query must be a query for installations as JSON: ${reason}`,
    );
  }
}

function withQuery(audience: JsonObject): JsonObject {
  const { query } = audience;
  const parsed: JsonValue = typeof query === "string" ? JSON.parse(query) : null;
  return query === undefined ? audience : { ...audience, query: parsed };
}
