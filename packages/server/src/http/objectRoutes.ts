import type { Objects, SaveReply } from "../objects/objects.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "./api.ts";

/** Objects of any class, and the system classes under their own names. */
export function objectRoutes(objects: Objects): ApiRoute[] {
  const of = (base: string, classOf: (request: ApiRequest) => string): ApiRoute[] => [
    {
      method: "GET",
      path: base,
      handle: async (request) => ({
        status: 200,
        body: await objects.find(request, classOf(request), request.params),
      }),
    },
    {
      method: "POST",
      path: base,
      handle: async (request) => saved(await objects.create(request, classOf(request), request.params)),
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
        saved(await objects.update(request, classOf(request), idOf(request), request.params)),
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
  return [
    ...of("/classes/:className", (request) => request.names.className ?? ""),
    ...of("/roles", () => "_Role"),
    ...of("/installations", () => "_Installation"),
  ];
}

function idOf(request: ApiRequest): string {
  return request.names.objectId ?? "";
}

function saved(reply: SaveReply): ApiReply {
  return { status: reply.status, body: JSON.stringify(reply.body) };
}
