import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
} from "graphql";
import type { GraphqlContext, ListLimit } from "./context.ts";
import { type OperationCost, tooExpensive } from "./queryLimits.ts";
import { slicedList } from "./slicedList.ts";

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext>;

/**
 * What the lists of one execution may cost together with its operation: their length is not in the document, and each
 * element is resolved with everything that is selected of it.
 */
export class ListBudget implements ListLimit {
  readonly #cost: OperationCost;
  readonly #maxCost: number;
  #spent: number;

  constructor(cost: OperationCost, maxCost: number) {
    this.#cost = cost;
    this.#maxCost = maxCost;
    this.#spent = cost.total;
  }

  charge(length: number, { fieldNodes, returnType }: GraphQLResolveInfo): void {
    this.#spent += length * this.#cost.ofElement(fieldNodes, getNamedType(returnType));
    if (this.#spent > this.#maxCost) throw tooExpensive(this.#spent, this.#maxCost);
  }
}

/** Has all fields with lists count and slice them, except for the pages of connections, which operations are limited by. */
export function limitLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      const isPage = type.name.endsWith("Connection") && getNamedType(field.type).name.endsWith("Edge");
      if (isListType(getNullableType(field.type)) && !isPage)
        field.resolve = counted(field.resolve ?? defaultFieldResolver);
    }
  }
}

function counted(resolve: Resolver): Resolver {
  return (source, args, context, info) => {
    const count = (value: unknown): unknown => {
      if (!Array.isArray(value)) return value;
      context.lists?.charge(value.length, info);
      return slicedList(value);
    };
    const value = resolve(source, args, context, info);
    return value instanceof Promise ? value.then(count) : count(value);
  };
}
