import type { JsonObject } from "@purse/protocol";
import { MASTER } from "../caller.ts";
import type { Objects, SaveReply } from "../objects/objects.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "./api.ts";
import { piecesReply } from "./pieces.ts";

/** Objects of any class, and the system classes under their own names. */
export function objectRoutes(objects: Objects): ApiRoute[] {
  const of = (base: string, classOf: (request: ApiRequest) => string): ApiRoute[] => [
    {
      method: "GET",
      path: base,
      handle: async (request) =>
        piecesReply(await objects.findPieces(request, classOf(request), request.params)),
    },
    {
      method: "POST",
      path: base,
      handle: async (request) => {
        const className = classOf(request);
        return saved(await objects.create(request, className, request.params), request, className);
      },
    },
    {
      method: "GET",
      path: `${base}/:objectId`,
      handle: async (request) => ({
        status: 200,
        body: await objects.get(request, classOf(request), idOf(request), request.params),
      }),
    },
    {
      method: "PUT",
      path: `${base}/:objectId`,
      handle: async (request) =>
        saved(await objects.update(request, classOf(request), idOf(request), request.params), request),
    },
    {
      method: "DELETE",
      path: `${base}/:objectId`,
      handle: async (request) => {
        await objects.remove(request, classOf(request), idOf(request));
        return {};
      },
    },
  ];
  async function saveInstallation(request: ApiRequest): Promise<SaveReply> {
    const { installationId } = request.params;
    if (typeof installationId !== "string") return objects.create(request, "_Installation", request.params);
    const where = { installationId: installationId.toLowerCase() };
    const asServer = { ...request, caller: MASTER };
    const found: { results: JsonObject[] } = JSON.parse(
      await objects.find(asServer, "_Installation", { where, limit: 1 }),
    );
    const known = found.results[0]?.objectId;
    if (typeof known !== "string") return objects.create(request, "_Installation", request.params);
    const { body } = await objects.update(asServer, "_Installation", known, request.params);
    return {
      status: 200,
      body: { ...body, objectId: known, createdAt: found.results[0]?.createdAt ?? null },
    };
  }

  return [
    ...of("/classes/:className", (request) => request.names.className ?? ""),
    ...of("/roles", () => "_Role"),
    ...of("/installations", () => "_Installation").filter(
      ({ method, path }) => method !== "POST" || path !== "/installations",
    ),
    // A device that comes again is known by its installation's id.
    ...["/installations", "/classes/_Installation"].map(
      (path): ApiRoute => ({
        method: "POST",
        path,
        handle: async (request) => saved(await saveInstallation(request), request),
      }),
    ),
  ];
}

function idOf(request: ApiRequest): string {
  return request.names.objectId ?? "";
}

/** `className` is that of a new object: the answer tells where it is. */
function saved(reply: SaveReply, { serverUrl }: ApiRequest, className?: string): ApiReply {
  const body = JSON.stringify(reply.body);
  if (className === undefined) return { status: reply.status, body };
  const location = `${serverUrl}/classes/${className}/${reply.body.objectId}`;
  return { status: reply.status, body, headers: { location } };
}
