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
import { TimeSlicer } from "../../core/limits/timeSlicer.ts";
import type { GraphqlContext, ListLimit } from "./context.ts";
import { type OperationCost, tooExpensive } from "./queryLimits.ts";

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext>;

/** Shorter lists are resolved at once. */
const MIN_SLICED_ITEMS = 20;

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

/**
 * Has all fields with lists count their elements, except for the pages of connections, which operations are limited by, and
 * resolve them in slices of time: those of an operation may have 100,000 fields.
 */
export function limitLists(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue;
    for (const field of Object.values(type.getFields())) {
      const isPage = type.name.endsWith("Connection") && getNamedType(field.type).name.endsWith("Edge");
      if (isListType(getNullableType(field.type)))
        field.resolve = limited(field.resolve ?? defaultFieldResolver, !isPage);
    }
  }
}

function limited(resolve: Resolver, isCounted: boolean): Resolver {
  return (source, args, context, info) => {
    const limit = (value: unknown): unknown => {
      if (!Array.isArray(value)) return value;
      if (isCounted) context.lists?.charge(value.length, info);
      return value.length < MIN_SLICED_ITEMS ? value : inSlices(value);
    };
    const value = resolve(source, args, context, info);
    return value instanceof Promise ? value.then(limit) : limit(value);
  };
}

async function* inSlices(items: readonly unknown[]): AsyncGenerator {
  const slices = new TimeSlicer();
  for (const item of items) {
    if (slices.isExpired) await slices.pause();
    yield item;
  }
}
