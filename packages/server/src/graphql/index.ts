export type { Operations, UploadedFile } from "./context.ts";
export { createGraphqlApi, type GraphqlApi } from "./graphqlApi.ts";
export { graphqlConfigRoutes, graphqlConfigRules } from "./graphqlConfigRoutes.ts";
export { GraphqlConfigService } from "./graphqlConfigService.ts";
