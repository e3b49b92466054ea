import { setting } from "@purse/kernel";
import { flag, integer } from "../../config/settingTypes.ts";

const common = { group: "GraphQL", package: "@purse/graphql" };

/** The GraphQL API and its limits. */
export const graphqlSettings = {
  graphql: setting(flag(), {
    ...common,
    off: "0",
    default: "1",
    description: "0 disables the GraphQL API at /graphql.",
  }),
  graphqlPublicIntrospection: setting(flag(), {
    ...common,
    description:
      "1 lets clients read the GraphQL schema without the master key, like graphQLPublicIntrospection of Parse Server.",
    default: { development: "1", production: "0" },
  }),
  graphqlMaxDepth: setting(integer(1, 1_000), {
    ...common,
    default: "24",
    description: "Levels of a GraphQL operation. The master key is not limited.",
  }),
  graphqlMaxCost: setting(integer(1, 1_000_000_000), {
    ...common,
    default: "100000",
    description:
      "Cost of a GraphQL operation: 1 for a value, 2 for an object, 20 for a connection, times the size of its page. The master key is not limited.",
  }),
};
