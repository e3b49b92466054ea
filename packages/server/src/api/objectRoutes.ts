import type { JsonObject } from "@purse/protocol";
import { type ApiReply, type ApiRequest, jsonReply } from "../core/http/apiRoute.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import { defineEndpoints, routesOf } from "../core/http/endpoint.ts";
import { objectEndpoints } from "../core/http/objectEndpoints.ts";
import { ValueReply } from "../core/http/valueReply.ts";
import type { Objects, SaveReply } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { chargeSaved } from "./chargedReplies.ts";
import type { ParseRoute } from "./parseRoute.ts";

export interface ObjectRouteDependencies {
  objects: Objects;
  /** Creates an installation, or updates the one with `objectId` or with the same IDs. */
  saveInstallation(request: WriteRequest, objectId?: string): Promise<SaveReply>;
}

const OBJECTS = defineEndpoints(
  "Objects",
  objectEndpoints("/classes/:className", "an object", "objects", "everyone"),
);
const ROLES = defineEndpoints("Objects", objectEndpoints("/roles", "a role", "roles", "everyone"));
const { create, ...installations } = objectEndpoints(
  "/installations",
  "an installation",
  "installations",
  "everyone",
);
const INSTALLATIONS = defineEndpoints("Objects", {
  ...installations,
  create: {
    ...create,
    summary: "Create an installation, or update the one with the same `installationId`",
  },
});

/** Routes for objects of any class, and for the system classes under their own names. */
export function objectRoutes({ objects, saveInstallation }: ObjectRouteDependencies): ParseRoute[] {
  return [
    ...routesFor(OBJECTS, (request) => request.pathParams.className ?? ""),
    ...routesFor(ROLES, () => "_Role"),
    ...routesFor(INSTALLATIONS, () => "_Installation"),
  ];

  function routesFor(endpoints: typeof OBJECTS, classOf: ClassOf): ParseRoute[] {
    const routes: ParseRoute[] = routesOf(endpoints, {
      async find(request: WriteRequest) {
        if (!request.wantsValue)
          return chunkedReply(await objects.findChunks(request, classOf(request), request.params));
        const { value, chars } = await objects.findValue(request, classOf(request), request.params);
        return new ValueReply(value, chars);
      },
      async create(request: WriteRequest) {
        const className = classOf(request);
        if (className === "_Installation") return saveReply(await saveInstallation(request), request);
        const { idempotentWrite } = request.writeOptions;
        const options = idempotentWrite
          ? {
              ...request.writeOptions,
              idempotentWrite: idempotentWrite.withFormat((reply) => saveReply(reply, request, className)),
            }
          : request.writeOptions;
        const reply = await objects.create(request, className, request.params, options);
        return charged(saveReply(reply, request, className));
      },
      get: (request) => getReply(objects, request, classOf(request)),
      async update(request: WriteRequest) {
        const className = classOf(request);
        const { params, writeOptions } = request;
        const reply =
          className === "_Installation"
            ? await saveInstallation(request, idOf(request))
            : await objects.update(request, className, idOf(request), params, writeOptions);
        return charged(saveReply(reply, request));
      },
      async remove(request: WriteRequest) {
        await objects.remove(request, classOf(request), idOf(request), request.writeOptions);
        return {};
      },
    });
    const prepareCreate: ParseRoute["prepareCreate"] = (request, pathParams, fields) =>
      objects.prepareCreate(request, classOf({ pathParams }), fields);
    return routes.map((route) => (route.method === "POST" ? { ...route, prepareCreate } : route));
  }
}

/** The reply to a request for one object of a class. */
async function getReply(
  objects: Pick<Objects, "get" | "getValue">,
  request: ApiRequest,
  className: string,
): Promise<ApiReply> {
  if (!request.wantsValue)
    return jsonReply(await objects.get(request, className, idOf(request), request.params));
  const { value, chars } = await objects.getValue(request, className, idOf(request), request.params);
  return new ValueReply(value, chars);
}

function charged(reply: ApiReply): ApiReply {
  chargeSaved(reply.body);
  return reply;
}

/** Returns the class that a path refers to. */
type ClassOf = (request: { pathParams: Readonly<Record<string, string>> }) => string;

function idOf(request: ApiRequest): string {
  return request.pathParams.objectId ?? "";
}

/** `className` is the class of a new object: the reply contains its URL. */
function saveReply(
  reply: Pick<ApiReply, "status"> & { body: JsonObject },
  { serverUrl }: ApiRequest,
  className?: string,
): ApiReply {
  const body = JSON.stringify(reply.body);
  if (className === undefined) return { status: reply.status, body };
  const location = `${serverUrl}/classes/${className}/${reply.body.objectId}`;
  return { status: reply.status, body, headers: { location } };
}
