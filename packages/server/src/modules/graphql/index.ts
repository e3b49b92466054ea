import { defineModule, type SettingInputsOf } from "@purse/kernel";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { writtenOnlyThrough } from "../../data/objects/classRules.ts";
import {
  ACCOUNTS,
  CLOCK,
  CLOUD,
  HTTP,
  LIVE_QUERIES,
  PARSE_API,
  REPORT,
  RESPOND_IN_SCOPE,
  SCHEMAS,
  SHARED_SETTINGS,
  STORE,
} from "../../module/tokens.ts";
import { FILES } from "../files/token.ts";
import { graphqlConfigRoutes } from "./graphqlConfigRoutes.ts";
import { GraphqlConfigService } from "./graphqlConfigService.ts";
import { graphqlSettings } from "./settings.ts";
import { GRAPHQL, type Graphql } from "./token.ts";

/** The GraphQL API over the operations of the Parse API, and the configuration of its schema. */
export const graphql = defineModule({
  name: "graphql",
  provides: GRAPHQL,
  needs: {
    store: STORE,
    schemas: SCHEMAS,
    clock: CLOCK,
    report: REPORT,
    shared: SHARED_SETTINGS,
    http: HTTP,
    parseApi: PARSE_API,
    accounts: ACCOUNTS,
    files: FILES,
    cloud: CLOUD,
    live: LIVE_QUERIES,
    respondInScope: RESPOND_IN_SCOPE,
  },
  settings: graphqlSettings,
  // They require the master key.
  classes: () => [
    {
      className: "_GraphQLConfig",
      fields: { config: { type: "Object" } },
      ...writtenOnlyThrough("/graphql-config"),
    },
  ],
  async open({ settings, facts, ...services }) {
    const { store, schemas, clock, report } = services;
    const config = new GraphqlConfigService({
      store,
      schemaOf: (className) => schemas.require(className),
      clock,
      onError: report,
    });
    const routes = graphqlConfigRoutes(config);
    if (!settings.graphql) return { service: TURNED_OFF, routes };
    const { openGraphqlApi, graphqlRoute, GRAPHQL_PATH } = await import("./openGraphqlApi.ts");
    const api = openGraphqlApi({ ...services, settings, config });
    return {
      service: api,
      routes,
      publicHttp: graphqlRoute(api, services.respondInScope),
      sockets: facts.roles.includes("live") ? [{ path: GRAPHQL_PATH, upgrade: api.upgrade }] : [],
    };
  },
});

const TURNED_OFF: Graphql = {
  async execute() {
    throw new ProtocolError(ErrorCode.COMMAND_UNAVAILABLE, "GraphQL is turned off.", 404);
  },
};

declare module "@purse/kernel" {
  interface ModuleInputs extends SettingInputsOf<typeof graphqlSettings> {}
}
