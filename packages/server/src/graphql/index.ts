export type { GraphqlContext, Operations, UploadedFile } from "./context.ts";
export { createGraphqlApi, type GraphqlApi, type GraphqlApiDependencies } from "./graphqlApi.ts";
export { type GraphqlConfig, graphqlConfigSchema } from "./graphqlConfig.ts";
export { graphqlConfigRoutes, graphqlConfigRules } from "./graphqlConfigRoutes.ts";
export { GraphqlConfigService } from "./graphqlConfigService.ts";
