import { GraphQLObjectType, GraphQLSchema } from "graphql";
import { addAccountMutations } from "./accountMutations.ts";
import { addClassMutations, addClassQueries } from "./classOperations.ts";
import { addClassSubscription, createLiveQueryEvent } from "./classSubscription.ts";
import { addClassTypes } from "./classTypes.ts";
import { limitLists } from "./listBudget.ts";
import { createArrayResult } from "./outputType.ts";
import { ANY, BYTES, DATE, FILE, OBJECT, UPLOAD } from "./scalars.ts";
import { addSchemaOperations } from "./schemaOperations.ts";
import { addFileMutation, addFunctionMutation, addHealth, addNode } from "./serverOperations.ts";
import { type Field, type GraphqlClass, TypeRegistry } from "./typeRegistry.ts";
import {
  ACL_INPUT,
  ELEMENT,
  FILE_INFO,
  FILE_INPUT,
  GEO_POINT,
  GEO_POINT_INPUT,
  PARSE_OBJECT,
} from "./valueTypes.ts";
import { addViewer } from "./viewer.ts";
import { WHERE_TYPES } from "./whereInputs.ts";

/** Types that are in the schema also if nothing refers to them. */
const SHARED_TYPES = [
  ...[ANY, OBJECT, DATE, BYTES, FILE, UPLOAD, FILE_INFO, FILE_INPUT, GEO_POINT, GEO_POINT_INPUT],
  ...[PARSE_OBJECT, ELEMENT, ACL_INPUT],
  ...WHERE_TYPES,
];

/** Builds the GraphQL schema of an application, with the names of Parse Server. */
export function buildSchema(
  classes: readonly GraphqlClass[],
  functionNames: readonly string[],
): GraphQLSchema {
  // System classes come first, so that they keep their names.
  const rank = ({ className }: GraphqlClass) => `${className.startsWith("_") ? 0 : 1}${className}`;
  const sorted = [...classes].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const registry = new TypeRegistry(sorted, createArrayResult);
  const liveQueryEvent = createLiveQueryEvent();
  registry.add(...SHARED_TYPES, registry.arrayResult, liveQueryEvent);
  addNode(registry);
  addHealth(registry);
  addSchemaOperations(registry);
  for (const each of sorted) addClassTypes(registry, each);
  addViewer(registry);
  for (const each of sorted) {
    addClassQueries(registry, each);
    addClassMutations(registry, each);
    addClassSubscription(registry, each, liveQueryEvent);
  }
  addFileMutation(registry);
  addAccountMutations(registry);
  addFunctionMutation(registry, functionNames);
  const schema = new GraphQLSchema({
    types: [...registry.types.values()],
    query: rootType("Query", registry.queries),
    mutation: rootType("Mutation", registry.mutations),
    ...(Object.keys(registry.subscriptions).length > 0 && {
      subscription: rootType("Subscription", registry.subscriptions),
    }),
  });
  limitLists(schema);
  return schema;
}

function rootType(name: string, fields: Record<string, Field>): GraphQLObjectType {
  return new GraphQLObjectType({
    name,
    description: `The ${name.toLowerCase()} type of the server.`,
    fields,
  });
}
