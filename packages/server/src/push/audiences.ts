import { ErrorCode, type JsonObject, type JsonValue, ProtocolError, parseWhere } from "@purse/protocol";
import type { RequestContext } from "../caller.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../http/api.ts";
import { assertMaster } from "../http/masterKeyAccess.ts";
import type { Draft } from "../objects/draft.ts";
import type { Objects } from "../objects/objects.ts";
import type { ClassRules } from "../objects/rules.ts";

const CLASS_NAME = "_Audience";

type AudienceObjects = Pick<Objects, "find" | "get" | "create" | "update" | "remove">;

/** `_Audience`: questions about installations that pushes go to again and again. Only the operator sees them. */
export const audienceRules: ClassRules = {
  className: CLASS_NAME,
  fields: {
    name: { type: "String" },
    // As text: keys of a question begin with $, which no key of a field may.
    query: { type: "String" },
    lastUsed: { type: "Date" },
    timesUsed: { type: "Number" },
  },
  beforeCreate: assertQuery,
  beforeUpdate: assertQuery,
};

/** Audiences as Parse Dashboard keeps them; what is read has its `query` as an object. */
export function audienceRoutes(objects: AudienceObjects): ApiRoute[] {
  const idOf = (request: ApiRequest): string => request.pathParams.objectId ?? "";
  return [
    {
      method: "GET",
      path: "/push_audiences",
      async handle(request) {
        assertMaster(request);
        const answer: { results?: JsonObject[] } = JSON.parse(
          await objects.find(request, CLASS_NAME, request.params),
        );
        return { ...answer, ...(answer.results && { results: answer.results.map(withQuery) }) };
      },
    },
    {
      method: "GET",
      path: "/push_audiences/:objectId",
      async handle(request) {
        assertMaster(request);
        return withQuery(JSON.parse(await objects.get(request, CLASS_NAME, idOf(request), request.params)));
      },
    },
    {
      method: "POST",
      path: "/push_audiences",
      async handle(request): Promise<ApiReply> {
        assertMaster(request, "write");
        const { status, body } = await objects.create(request, CLASS_NAME, request.params);
        return { status, body: JSON.stringify(body) };
      },
    },
    {
      method: "PUT",
      path: "/push_audiences/:objectId",
      async handle(request): Promise<ApiReply> {
        assertMaster(request, "write");
        const { status, body } = await objects.update(request, CLASS_NAME, idOf(request), request.params);
        return { status, body: JSON.stringify(body) };
      },
    },
    {
      method: "DELETE",
      path: "/push_audiences/:objectId",
      async handle(request) {
        assertMaster(request, "write");
        await objects.remove(request, CLASS_NAME, idOf(request));
        return {};
      },
    },
  ];
}

/** Counts that a push goes to an audience. Throws 101 for one that is not there. */
export async function useAudience(
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

/** Throws 102 for a question that could never be asked. */
function assertQuery({ operations }: Draft): void {
  const { query } = operations;
  if (query?.op !== "Set") return;
  try {
    parseWhere(JSON.parse(String(query.value)));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ProtocolError(
      ErrorCode.INVALID_QUERY,
      `query must be the JSON of a question about installations: ${why}`,
    );
  }
}

function withQuery(audience: JsonObject): JsonObject {
  const { query } = audience;
  const asked: JsonValue = typeof query === "string" ? JSON.parse(query) : null;
  return query === undefined ? audience : { ...audience, query: asked };
}
