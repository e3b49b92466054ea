import compress from "@fastify/compress";
import cors from "@fastify/cors";
import type { OpenedModule } from "@purse/kernel";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { ApiReply } from "../core/http/apiRoute.ts";
import { applyBasicCredentials } from "../core/http/basicCredentials.ts";
import { BROWSER_METHODS, METHODS } from "../core/http/methods.ts";
import { mount } from "../core/http/mount.ts";
import { DATA_PATHS, MOUNT_PATH } from "../core/http/paths.ts";
import { respond, respondOrStream } from "../core/http/reply.ts";
import type { RespondInScope } from "../core/http/respondInScope.ts";
import type { ParseApi } from "./parseApi.ts";

export interface PublicApisDependencies {
  appId: string;
  parseApi: Pick<ParseApi, "handle" | "routes">;
  respondInScope: RespondInScope;
  /** The data API with its documentation and the images of NFTs. */
  dataApi: FastifyPluginAsync;
  modules: readonly OpenedModule[];
  /** The packages that the server hands out; undefined if it has none. */
  ownPackages: FastifyPluginAsync | undefined;
  /** What old clients expect of the hosted service. */
  providerApi: FastifyPluginAsync;
  /** Public replies by exact path. */
  endpoints: Record<string, () => Promise<ApiReply>>;
}

/** Replies of less than this size (in bytes) are not compressed. */
const MIN_COMPRESSED_BYTES = 4 * 1024;
/** Replies up to this size are compressed at once, which takes less than a millisecond; larger ones as streams. */
const MAX_SYNC_COMPRESSED_BYTES = 128 * 1024;

/** Headers and protocol versions that the APIs accept from pages of other origins. */
const ALLOWED_HEADERS = [
  ...["X-Parse-Master-Key", "X-Parse-REST-API-Key", "X-Parse-Javascript-Key", "X-Parse-Application-Id"],
  ...["X-Parse-Client-Key", "X-Parse-Windows-Key"],
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
  app.addHook("onRequest", (request, reply, done) => {
    // Clients of resumable uploads read them from the preflight.
    if (request.method === "OPTIONS") reply.headers(TUS_HEADERS);
    done();
  });
  await app.register(cors, {
    origin: "*",
    methods: BROWSER_METHODS,
    allowedHeaders: ALLOWED_HEADERS,
    // As text: the plugin would join a list for each request.
    exposedHeaders: EXPOSED_HEADERS.join(", "),
    maxAge: 86_400,
    strictPreflight: false,
  });
  await app.register(compress, {
    threshold: MIN_COMPRESSED_BYTES,
    syncThreshold: MAX_SYNC_COMPRESSED_BYTES,
    encodings: ["zstd", "gzip"],
    // Most of the gain for a part of the time.
    zlibOptions: { level: 1 },
    customTypes: /^application\/json/,
    // The APIs decompress bodies where they read them, up to the limits of the sender.
    globalDecompression: false,
  });

  const { respondInScope, modules } = dependencies;
  const streams = modules.flatMap(({ contributions }) => contributions.streams ?? []);
  mount(app, MOUNT_PATH, { method: METHODS, config: { api: "parse" } }, (reply, path, search) => {
    applyBasicCredentials(reply.request.raw.headers, dependencies.appId);
    const withSlash = path.replace(/^\/+/, "/");
    const stream = streams.find((each) => withSlash === each.path || withSlash.startsWith(`${each.path}/`));
    if (stream) {
      const pathBelow = withSlash.slice(stream.path.length);
      return respondOrStream(reply, (message, response) =>
        stream.handle(message, response, pathBelow, search),
      );
    }
    respondInScope(reply, (message) => dependencies.parseApi.handle(message, path, search));
  });
  for (const prefix of DATA_PATHS) await app.register(dependencies.dataApi, { prefix });
  await app.register(dependencies.providerApi);
  for (const { contributions } of modules)
    if (contributions.publicHttp) await app.register(contributions.publicHttp);
  if (dependencies.ownPackages) await app.register(dependencies.ownPackages);
  registerEndpoints(app, dependencies.endpoints);
}

/** Registers public replies by exact path. */
export function registerEndpoints(
  app: FastifyInstance,
  endpoints: PublicApisDependencies["endpoints"],
): void {
  for (const [path, endpoint] of Object.entries(endpoints))
    app.get(path, { exposeHeadRoute: true }, (_, reply) => respond(reply, endpoint()));
}
