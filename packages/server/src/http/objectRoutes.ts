import { type JsonObject, MAX_INSTALLATION_ID_LENGTH } from "@purse/protocol";
import type { Objects, SaveReply } from "../objects/objects.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "./api.ts";
import { piecesReply } from "./pieces.ts";

export interface ObjectRouteDependencies {
  objects: Objects;
  /** Finds an installation by its installationId, past every permission. `createdAt` is ISO. */
  findInstallation(installationId: string): Promise<{ objectId: string; createdAt: string } | undefined>;
}

/** Objects of any class, and the system classes under their own names. */
export function objectRoutes({ objects, findInstallation }: ObjectRouteDependencies): ApiRoute[] {
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
      retry: "write",
      handle: async (request) => {
        const className = classOf(request);
        const memory = request.memory?.as((reply) => saved(reply, request, className));
        return saved(
          await objects.create({ ...request, memory }, className, request.params),
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
  /** Creates an installation, or updates the one that has its id. The update needs the rights of the caller. */
  async function saveInstallation(request: ApiRequest): Promise<SaveReply> {
    const { params, auth } = request;
    const { installationId, deviceToken } = params;
    // SDKs send the id of their installation with every request.
    const own = auth.kind === "master" ? undefined : request.installationId;
    const id = installationId === undefined ? own : installationId;
    const isId = typeof id === "string" && id.length <= MAX_INSTALLATION_ID_LENGTH;
    const known = isId ? await findInstallation(id) : undefined;
    if (known) {
      const memory = request.memory?.as(({ body }) =>
        saved({ status: 200, body: { ...body, ...known } }, request),
      );
      const { body } = await objects.update({ ...request, memory }, "_Installation", known.objectId, params);
      return { status: 200, body: { ...body, ...known } };
    }
    const isUnnamed = installationId === undefined && deviceToken === undefined && own !== undefined;
    return objects.create(request, "_Installation", isUnnamed ? { ...params, installationId: own } : params);
  }

  return [
    ...of("/classes/:className", (request) => request.names.className ?? ""),
    ...of("/roles", () => "_Role"),
    ...of("/installations", () => "_Installation").filter(
      ({ method, path }) => method !== "POST" || path !== "/installations",
    ),
    ...["/installations", "/classes/_Installation"].map(
      (path): ApiRoute => ({
        method: "POST",
        path,
        retry: "write",
        handle: async (request) => saved(await saveInstallation(request), request),
      }),
    ),
  ];
}

function idOf(request: ApiRequest): string {
  return request.names.objectId ?? "";
}

/** `className` is that of a new object: the answer tells where it is. */
function saved(
  reply: Pick<ApiReply, "status"> & { body: JsonObject },
  { serverUrl }: ApiRequest,
  className?: string,
): ApiReply {
  const body = JSON.stringify(reply.body);
  if (className === undefined) return { status: reply.status, body };
  const location = `${serverUrl}/classes/${className}/${reply.body.objectId}`;
  return { status: reply.status, body, headers: { location } };
}
