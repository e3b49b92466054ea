import type { OpenedModule } from "@purse/kernel";
import type { AuthService } from "../auth/index.ts";
import type { Cloud } from "../cloud/index.ts";
import type { Config } from "../config/loadConfig.ts";
import type { ApiRoute, Dispatch } from "../core/http/apiRoute.ts";
import { type BodyParserOptions, createBodyParser } from "../core/http/bodyParser.ts";
import { createClientKeyCheck } from "../core/http/clientKeys.ts";
import { createMaintenanceKeyVerifier } from "../core/http/masterKey.ts";
import { MOUNT_PATH } from "../core/http/paths.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import type { Logger } from "../core/logger.ts";
import type { DataService } from "../data/dataService.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import type { Store } from "../database/store.ts";
import { aggregateRoute } from "./aggregateRoute.ts";
import { classListRoute } from "./classListRoute.ts";
import { distinctRoutes } from "./distinctRoutes.ts";
import { createFunctionForms } from "./functionForms.ts";
import type { HttpContext } from "./httpContext.ts";
import type { LongReplies } from "./idempotency.ts";
import { objectRoutes } from "./objectRoutes.ts";
import { createParseApi, type ParseApi, type ParseApiDependencies } from "./parseApi.ts";
import { createRequestLimits } from "./parseApiLimits.ts";
import { createRequestLog } from "./requestLog.ts";
import { schemaRoutes } from "./schemaRoutes.ts";
import { documentRoutes } from "./serverRoutes.ts";

export interface OpenParseApiDependencies {
  config: Config;
  http: HttpContext;
  store: Store;
  data: DataService;
  auth: AuthService;
  /** Rate limits that cloud code defines. */
  cloud: Pick<Cloud, "definitions">;
  limiter: RateLimiter;
  /** Where replies to requests with an id are stored that are too long for the database. */
  longReplies: LongReplies | undefined;
  /** The routes of the services, besides those for objects, classes and aggregations. */
  routes: ApiRoute<WriteRequest>[];
  /** Those with routes of their own. */
  modules: readonly OpenedModule[];
  logger: Logger;
  report(error: unknown, requestId: string): void;
}

/** Creates the Parse API. Its `dispatch` executes requests of cloud code, which may also use what streams are over HTTP. */
export function openParseApi(dependencies: OpenParseApiDependencies): ParseApi & { dispatch: Dispatch } {
  const { config, http, store, data, auth, cloud } = dependencies;
  const { schemas, objects, schemaService } = data;
  const { verifyMasterKey, clientAddressOf } = http;
  /** What the readers of bodies have in common. */
  const bodies: Omit<BodyParserOptions, "maxBodyBytes"> = {
    appId: config.appId,
    isMasterKey: (key, message) => verifyMasterKey(key, clientAddressOf(message)) !== undefined,
    isValidSession: (token) =>
      auth.authenticateSession(token).then(
        () => true,
        () => false,
      ),
    maxAnonymousBodyBytes: config.maxAnonymousBodyBytes,
    memory: http.bodyMemory,
  };
  const streams = dependencies.modules.flatMap(({ contributions }) => contributions.streams ?? []);
  const documents = documentRoutes(() => [
    ...streams.flatMap(({ endpoints }) => endpoints),
    ...parseApi.routes,
  ]);
  const routes = [
    classListRoute({
      schemas,
      isPublic: config.allowClientClassList,
      allowClientAddField: config.allowClientAddField,
      protectedFields: config.protectedFields,
    }),
    ...objectRoutes({ objects, saveInstallation: auth.saveInstallation }),
    aggregateRoute(objects.aggregates),
    ...schemaRoutes(schemaService),
    ...dependencies.routes,
  ];
  const options: ParseApiDependencies = {
    appId: config.appId,
    verifyMasterKey,
    verifyMaintenanceKey: createMaintenanceKeyVerifier(config),
    hasClientKey: createClientKeyCheck(config),
    mountPath: MOUNT_PATH,
    serverUrl: http.publicUrl,
    serverUrlOf: http.serverUrlOf,
    clientAddressOf,
    withParsedBody: createBodyParser({ ...bodies, maxBodyBytes: config.maxBodyBytes }),
    withFunctionForm: createFunctionForms({ ...bodies, maxUploadSize: config.maxUploadSize }),
    routes: [...routes, ...distinctRoutes(dependencies.modules, [...routes, ...documents]), ...documents],
    createEach: objects.createEach,
    maxAnswerBytes: config.maxAnswerBytes,
    store,
    idempotency: {
      longReplies: dependencies.longReplies,
      paths: config.idempotencyPaths,
      seconds: config.idempotencySeconds,
      rememberedFields: objects.replayFields,
    },
    authenticateSession: auth.authenticateSession,
    knownSession: auth.knownSession,
    requestLimits: createRequestLimits(
      config.rateLimits,
      dependencies.limiter,
      () => cloud.definitions().rateLimits,
    ),
    allowsRoute: config.routeAllowList,
    // Bodies are expensive to write.
    logRequest: config.logLevel === "debug" ? createRequestLog(dependencies.logger) : undefined,
    report: dependencies.report,
  };
  const parseApi = createParseApi(options);
  const internal = streams.map(({ path, internalRoutes }) => ({
    path,
    dispatch: createParseApi({ ...options, routes: [...internalRoutes] }).dispatch,
  }));
  return { ...parseApi, dispatch: dispatchWithStreams(parseApi.dispatch, internal) };
}

/** Dispatches requests of cloud code to what has streams over HTTP, all others to the Parse API. */
function dispatchWithStreams(
  parseApi: Dispatch,
  streams: readonly { path: string; dispatch: Dispatch }[],
): Dispatch {
  return (request) => {
    const stream = streams.find(({ path }) => request.path.startsWith(`${path}/`));
    const name = stream && request.path.slice(stream.path.length + 1);
    if (!stream || !name) return parseApi(request);
    // A name may contain folders: here it is one segment.
    const path = `${stream.path}/${name.split("/").map(encodeSegment).join("%2F")}`;
    return stream.dispatch({ ...request, path });
  };
}

function encodeSegment(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment));
  } catch {
    return encodeURIComponent(segment);
  }
}
