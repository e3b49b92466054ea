import { type JsonObject, MAX_INSTALLATION_ID_LENGTH } from "@purse/protocol";
import type { ApiReply, ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { chunkedReply } from "../core/http/chunkedReply.ts";
import type { Objects, SaveReply } from "../data/objects/objects.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";

export interface ObjectRouteDependencies {
  objects: Objects;
  /** Finds an installation by its installationId, bypassing all permission checks. `createdAt` is ISO 8601. */
  findInstallation(installationId: string): Promise<{ objectId: string; createdAt: string } | undefined>;
}

/** Routes for objects of any class, and for the system classes under their own names. */
export function objectRoutes({
  objects,
  findInstallation,
}: ObjectRouteDependencies): ApiRoute<WriteRequest>[] {
  const routesFor = (base: string, classOf: (request: ApiRequest) => string): ApiRoute<WriteRequest>[] => [
    {
      method: "GET",
      path: base,
      handle: async (request) =>
        chunkedReply(await objects.findChunks(request, classOf(request), request.params)),
    },
    {
      method: "POST",
      path: base,
      retry: "write",
      handle: async (request) => {
        const className = classOf(request);
        const { idempotentWrite, ...others } = request.writeOptions;
        const options = {
          ...others,
          idempotentWrite: idempotentWrite?.withFormat((reply) => saveReply(reply, request, className)),
        };
        return saveReply(
          await objects.create(request, className, request.params, options),
          request,
          className,
        );
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
      retry: "write",
      handle: async (request) =>
        saveReply(
          await objects.update(
            request,
            classOf(request),
            idOf(request),
            request.params,
            request.writeOptions,
          ),
          request,
        ),
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
  /**
   * Creates an installation, or updates the one with the same id. The update requires the permissions of the client.
   */
  async function saveInstallation(request: WriteRequest): Promise<SaveReply> {
    const { params, auth } = request;
    const { installationId, deviceToken } = params;
    // SDKs send the id of their installation with every request.
    const ownInstallationId = auth.kind === "master" ? undefined : request.installationId;
    const id = installationId === undefined ? ownInstallationId : installationId;
    const isValidId = typeof id === "string" && id.length <= MAX_INSTALLATION_ID_LENGTH;
    const existing = isValidId ? await findInstallation(id) : undefined;
    if (existing) {
      const { idempotentWrite, ...others } = request.writeOptions;
      const { body } = await objects.update(request, "_Installation", existing.objectId, params, {
        ...others,
        idempotentWrite: idempotentWrite?.withFormat(({ body }) =>
          saveReply({ status: 200, body: { ...body, ...existing } }, request),
        ),
      });
      return { status: 200, body: { ...body, ...existing } };
    }
    const usesOwnInstallationId =
      installationId === undefined && deviceToken === undefined && ownInstallationId !== undefined;
    return objects.create(
      request,
      "_Installation",
      usesOwnInstallationId ? { ...params, installationId: ownInstallationId } : params,
      request.writeOptions,
    );
  }

  return [
    ...routesFor("/classes/:className", (request) => request.pathParams.className ?? ""),
    ...routesFor("/roles", () => "_Role"),
    ...routesFor("/installations", () => "_Installation").filter(
      ({ method, path }) => method !== "POST" || path !== "/installations",
    ),
    ...["/installations", "/classes/_Installation"].map(
      (path): ApiRoute<WriteRequest> => ({
        method: "POST",
        path,
        retry: "write",
        handle: async (request) => saveReply(await saveInstallation(request), request),
      }),
    ),
  ];
}

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
