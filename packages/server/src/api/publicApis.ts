import type { ServerResponse } from "node:http";
import compress from "@fastify/compress";
import cors from "@fastify/cors";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  RouteShorthandOptions,
} from "fastify";
import { addressKey } from "../core/http/address.ts";
import type { ApiReply, StreamHandler } from "../core/http/apiRoute.ts";
import { respond } from "../core/http/reply.ts";
import { RequestScope, type RequestScopeOptions, runInScope } from "../core/limits/requestScope.ts";
import { IPFS_PATH } from "../data/fileUrls.ts";
import type { HttpContext } from "./httpContext.ts";
import { sendNotFound } from "./notFound.ts";
import type { ParseApi } from "./parseApi.ts";
import { DATA_PATH, MOUNT_PATH } from "./paths.ts";
import { targetBelow } from "./requestTarget.ts";

export interface PublicApisDependencies {
  http: Pick<HttpContext, "clientAddressOf">;
  parseApi: Pick<ParseApi, "handle">;
  /** Limits the replies of the Parse API that are held in memory. */
  replyLimits: Pick<RequestScopeOptions, "budget" | "maxAnswerBytes">;
  files: StreamHandler;
  /** The data API with its documentation and the images of NFTs. */
  dataApi: FastifyPluginAsync;
  ipfs: StreamHandler;
  /** What old clients expect of the hosted service. */
  providerApi: FastifyPluginAsync;
  /** Public replies by exact path. */
  endpoints: Record<string, () => Promise<ApiReply>>;
}

/** Replies of less than this size (in bytes) are not compressed. */
const MIN_COMPRESSED_BYTES = 4 * 1024;

/** Methods, headers and protocol versions that the APIs accept from pages of other origins. */
const ALLOWED_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const ALLOWED_HEADERS = [
  ...["X-Parse-Master-Key", "X-Parse-REST-API-Key", "X-Parse-Javascript-Key", "X-Parse-Application-Id"],
  ...["X-Parse-Client-Version", "X-Parse-Session-Token", "X-Parse-Installation-Id", "X-Parse-Request-Id"],
  ...["X-Parse-Revocable-Session", "X-Parse-Cloud-Context", "X-API-Key", "X-Requested-With"],
  ...["X-Moralis-Platform", "X-Moralis-Platform-Version", "X-Moralis-Build-Target"],
  ...["X-Parse-File-Max-Upload-Size", "X-Parse-File-Metadata", "X-Parse-File-Tags", "X-Parse-File-Directory"],
  ...["X-Parse-File-IPFS", "X-Parse-Upload-Mode", "X-HTTP-Method-Override", "Tus-Resumable"],
  ...["Upload-Length", "Upload-Offset", "Upload-Metadata", "Range", "If-None-Match"],
  ...["Content-Type", "Accept", "Authorization"],
];
const EXPOSED_HEADERS = [
  ...["X-Parse-Job-Status-Id", "X-Parse-Push-Status-Id", "X-Request-Id", "Retry-After"],
  ...["X-Rate-Limit-Limit", "X-Rate-Limit-Remaining-TTL", "X-Rate-Limit-Used"],
  ...["X-Rate-Limit-Remaining-IP-TTL", "X-Rate-Limit-IP-Used"],
];
const TUS_HEADERS = {
  "tus-resumable": "1.0.0",
  "tus-version": "1.0.0",
  "tus-extension": "creation,expiration,termination",
};

/** Registers the APIs that pages of any origin may use: they send CORS headers, and compress JSON. */
export async function registerPublicApis(
  app: FastifyInstance,
  dependencies: PublicApisDependencies,
): Promise<void> {
  app.addHook("onRequest", async (request, reply) => {
    // Clients of resumable uploads read them from the preflight.
    if (request.method === "OPTIONS") reply.headers(TUS_HEADERS);
  });
  await app.register(cors, {
    origin: "*",
    methods: ALLOWED_METHODS,
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 86_400,
    strictPreflight: false,
  });
  await app.register(compress, {
    threshold: MIN_COMPRESSED_BYTES,
    encodings: ["br", "gzip"],
    customTypes: /^application\/json/,
  });

  const parse: RouteShorthandOptions = { config: { api: "parse" } };
  mount(MOUNT_PATH, parse, ({ raw: message }, response, path, search) => {
    const filePath = /^\/+files(?=\/|$)(.*)$/.exec(path)?.[1];
    if (filePath !== undefined) return dependencies.files(message, response, filePath, search);
    const scope = new RequestScope({
      group: addressKey(dependencies.http.clientAddressOf(message)),
      ...dependencies.replyLimits,
    });
    response.once("close", () => scope.close(response.writableFinished));
    return runInScope(scope, () => dependencies.parseApi.handle(message, path, search));
  });
  mount(IPFS_PATH, {}, ({ raw }, response, path, search) => dependencies.ipfs(raw, response, path, search));
  await app.register(dependencies.dataApi, { prefix: DATA_PATH });
  await app.register(dependencies.providerApi);
  for (const [path, endpoint] of Object.entries(dependencies.endpoints)) {
    app.get(path, { exposeHeadRoute: true }, (_, reply) => respond(reply, endpoint()));
  }

  /** Handles all requests below a path, which are not decoded. */
  function mount(
    mountPath: string,
    options: RouteShorthandOptions,
    handle: (
      request: FastifyRequest,
      response: ServerResponse,
      path: string,
      search: string,
    ) => Promise<ApiReply | undefined>,
  ): void {
    const answer = (request: FastifyRequest, reply: FastifyReply) => {
      const target = targetBelow(request, mountPath);
      if (!target) return sendNotFound(request, reply);
      respond(reply, handle(request, reply.raw, target.path, target.search));
    };
    app.all(mountPath, options, answer);
    app.all(`${mountPath}/*`, options, answer);
  }
}
