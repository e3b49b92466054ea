import type { JsonObject } from "@purse/protocol";
import { type ApiReply, type ApiRequest, jsonReply } from "../core/http/apiRoute.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
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

/** Routes for objects of any class, and for the system classes under their own names. */
export function objectRoutes({ objects, saveInstallation }: ObjectRouteDependencies): ParseRoute[] {
  const routesFor = (base: string, classOf: ClassOf): ParseRoute[] => [
    {
      method: "GET",
      path: base,
      handle: async (request) => {
        if (!request.wantsValue)
          return chunkedReply(await objects.findChunks(request, classOf(request), request.params));
        const { value, chars } = await objects.findValue(request, classOf(request), request.params);
        return new ValueReply(value, chars);
      },
    },
    {
      method: "POST",
      path: base,
      retry: "write",
      handle: async (request) => {
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
      prepareCreate: (request, pathParams, fields) =>
        objects.prepareCreate(request, classOf({ pathParams }), fields),
    },
    {
      method: "GET",
      path: `${base}/:objectId`,
      handle: (request) => getReply(objects, request, classOf(request)),
    },
    {
      method: "PUT",
      path: `${base}/:objectId`,
      retry: "write",
      handle: async (request) => {
        const className = classOf(request);
        const { params, writeOptions } = request;
        const reply =
          className === "_Installation"
            ? await saveInstallation(request, idOf(request))
            : await objects.update(request, className, idOf(request), params, writeOptions);
        return charged(saveReply(reply, request));
      },
    },
    {
      method: "DELETE",
      path: `${base}/:objectId`,
      handle: async (request) => {
        await objects.remove(request, classOf(request), idOf(request), request.writeOptions);
        return {};
      },
    },
  ];
  return [
    ...routesFor("/classes/:className", (request) => request.pathParams.className ?? ""),
    ...routesFor("/roles", () => "_Role"),
    ...routesFor("/installations", () => "_Installation"),
  ];
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
