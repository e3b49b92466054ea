import type { AuthService } from "../auth/index.ts";
import type { Cloud } from "../cloud/index.ts";
import type { Config } from "../config/loadConfig.ts";
import { parseEnvelope } from "../core/http/envelope.ts";
import { EventLoopBudget } from "../core/limits/eventLoopBudget.ts";
import type { DataService } from "../data/dataService.ts";
import type { Files } from "../files/index.ts";
import { createGraphqlApi, type GraphqlApi, type GraphqlConfigService } from "../graphql/index.ts";
import type { LiveQueryServer } from "../realtime/index.ts";
import { createGraphqlOperations } from "./graphqlOperations.ts";
import type { HttpContext } from "./httpContext.ts";
import type { ParseApi } from "./parseApi.ts";
import { GRAPHQL_PATH } from "./paths.ts";

export interface OpenGraphqlApiDependencies {
  config: Config;
  http: HttpContext;
  parseApi: ParseApi;
  data: Pick<DataService, "schemas">;
  auth: Pick<AuthService, "authenticateSession">;
  files: Files;
  cloud: Pick<Cloud, "definitions">;
  graphqlConfig: Pick<GraphqlConfigService, "read">;
  live: LiveQueryServer;
  report(error: unknown, requestId: string): void;
}

/** Opens the GraphQL API over the operations of the Parse API; undefined if it is turned off. */
export function openGraphqlApi(dependencies: OpenGraphqlApiDependencies): GraphqlApi | undefined {
  const { config, http, parseApi, data, auth, files, cloud } = dependencies;
  if (!config.graphql) return undefined;
  const loopBudget = new EventLoopBudget();
  return createGraphqlApi({
    classes: () => data.schemas.all(),
    functionNames: () => [...cloud.definitions().functions].sort(),
    config: () => dependencies.graphqlConfig.read(),
    isIntrospectionPublic: config.graphqlPublicIntrospection,
    limits: {
      maxDepth: config.graphqlMaxDepth,
      maxCost: config.graphqlMaxCost,
      defaultLimit: config.defaultLimit,
      maxLimit: config.maxLimit,
      maxBodyBytes: config.maxBodyBytes,
      maxAnonymousBodyBytes: config.maxAnonymousBodyBytes,
      maxUploadBytes: files.maxUploadSize,
    },
    maxAnswerBytes: config.maxAnswerBytes,
    assertCanUpload: (auth) => files.assertCanUpload(auth),
    authenticate: (message) => {
      // Credentials in the query string would be those of a link.
      const envelope = parseEnvelope(message.method ?? "GET", message.headers, "");
      return parseApi.authenticate({ ...envelope, method: "POST" }, message, GRAPHQL_PATH);
    },
    appId: config.appId,
    live: dependencies.live,
    clientAddressOf: http.clientAddressOf,
    authenticateSocket: (message, headers) =>
      parseApi.authenticate(parseEnvelope("POST", headers, ""), message, GRAPHQL_PATH),
    operationsOf: () =>
      createGraphqlOperations({
        appId: config.appId,
        parseApi,
        files,
        authenticateSession: auth.authenticateSession,
        maxLimit: config.maxLimit,
        loopBudget,
      }),
    memory: http.bodyMemory,
    report: dependencies.report,
  });
}
