import { type ApiRoute, jsonReply } from "../core/http/apiRoute.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";

/** Routes that change and delete users, and read, change and delete sessions, as the objects that they are. */
export function accountObjectRoutes(objects: Objects): ApiRoute<WriteRequest>[] {
  const idOf = ({ pathParams }: WriteRequest) => pathParams.objectId ?? "";
  return [
    ...changeRoutes("/users/:objectId", "_User"),
    {
      method: "GET",
      path: "/sessions",
      handle: async (request) => jsonReply(await objects.find(request, "_Session", request.params)),
    },
    {
      method: "GET",
      path: "/sessions/:objectId",
      handle: async (request) =>
        jsonReply(await objects.get(request, "_Session", idOf(request), request.params)),
    },
    ...changeRoutes("/sessions/:objectId", "_Session"),
  ];

  function changeRoutes(path: string, className: string): ApiRoute<WriteRequest>[] {
    return [
      {
        method: "PUT",
        path,
        retry: "write",
        handle: async (request) =>
          (await objects.update(request, className, idOf(request), request.params, request.writeOptions))
            .body,
      },
      {
        method: "DELETE",
        path,
        handle: async (request) => {
          await objects.remove(request, className, idOf(request), request.writeOptions);
          return {};
        },
      },
    ];
  }
}
