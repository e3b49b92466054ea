import { type ApiRequest, type ApiRoute, jsonReply } from "../core/http/apiRoute.ts";
import { defineEndpoints, routesOf } from "../core/http/endpoint.ts";
import { objectEndpoints } from "../core/http/objectEndpoints.ts";
import type { Objects } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { userResponse } from "./userEndpoints.ts";
import { userReply } from "./userReply.ts";

// They are created by signing up and in.
const { create: _user, ...users } = objectEndpoints("/users", "a user", "users", "everyone");
const { create: _session, ...sessions } = objectEndpoints("/sessions", "a session", "sessions", "everyone");
const USERS = defineEndpoints("Users and sessions", {
  ...users,
  getAsObject: {
    method: "GET",
    path: "/classes/_User/:objectId",
    access: "everyone",
    summary: "Read a user",
    schemas: () => ({ response: userResponse() }),
  },
});
const SESSIONS = defineEndpoints("Users and sessions", sessions);

/** Routes that read, change and delete users and sessions as the objects that they are. */
export function accountObjectRoutes(objects: Objects): ApiRoute<WriteRequest>[] {
  const idOf = ({ pathParams }: ApiRequest) => pathParams.objectId ?? "";
  const getUser = (request: ApiRequest) => userReply(objects, request, idOf(request));
  const userRoutes: ApiRoute<WriteRequest>[] = routesOf(USERS, {
    ...handlersOf("_User"),
    get: getUser,
    getAsObject: getUser,
  });
  const sessionRoutes: ApiRoute<WriteRequest>[] = routesOf(SESSIONS, {
    ...handlersOf("_Session"),
    get: async (request) => jsonReply(await objects.get(request, "_Session", idOf(request), request.params)),
  });
  return [...userRoutes, ...sessionRoutes];

  function handlersOf(className: string) {
    return {
      find: async (request: ApiRequest) => jsonReply(await objects.find(request, className, request.params)),
      update: async (request: WriteRequest) =>
        (await objects.update(request, className, idOf(request), request.params, request.writeOptions)).body,
      async remove(request: WriteRequest) {
        await objects.remove(request, className, idOf(request), request.writeOptions);
        return {};
      },
    };
  }
}
