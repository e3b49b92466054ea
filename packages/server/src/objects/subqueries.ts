import {
  type Condition,
  ErrorCode,
  type FieldCondition,
  type Order,
  ProtocolError,
  type SubQuery,
} from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Schemas } from "../schema/schemas.ts";
import type { StoreQuery } from "../store/store.ts";
import { idsCondition } from "./include.ts";
import { NOTHING } from "./permissions.ts";
import type { ReadAccess, ReadScope } from "./readAccess.ts";

type Related = Extract<Condition, { kind: "relatedTo" }>;
type Prepared = Map<SubQuery | Condition, StoreQuery>;

/** Creates the store's query for a where within a scope. */
export type PrepareQuery = (scope: ReadScope, where: Condition) => StoreQuery;

/** Creates store queries that are limited to their scope. Classes of sub-queries, at any depth, are authorized. */
export function createPrepareQuery(access: ReadAccess, schemas: Schemas): PrepareQuery {
  return prepare;

  function prepare(scope: ReadScope, where: Condition): StoreQuery {
    const { schema, condition, principals } = scope;
    const subqueries = collect(where, scope, undefined);
    return {
      schema,
      where: condition ? { kind: "and", conditions: [where, condition] } : where,
      order: [],
      limit: undefined,
      skip: 0,
      principals,
      ...(subqueries && { subqueries }),
    };
  }

  function collect(where: Condition, scope: ReadScope, into: Prepared | undefined): Prepared | undefined {
    let prepared = into;
    switch (where.kind) {
      case "and":
      case "or":
      case "nor":
        for (const condition of where.conditions) prepared = collect(condition, scope, prepared);
        return prepared;
      case "relatedTo": {
        const owner = ownerOf(where, scope);
        return owner ? (prepared ?? new Map()).set(where, owner) : prepared;
      }
      case "inQuery":
      case "select": {
        const found = inner(where, scope);
        return found ? (prepared ?? new Map()).set(where.query, found) : prepared;
      }
      case "text":
        assertTextIndex(scope.schema, where.path[0]);
        return prepared;
      default:
        return prepared;
    }
  }

  /** The query of a sub-query; undefined if it matches nothing. */
  function inner(
    condition: FieldCondition & { kind: "inQuery" | "select" },
    { request }: ReadScope,
  ): StoreQuery | undefined {
    const { query } = condition;
    const { where, order, limit, skip } = query;
    const key = query.redirectClassNameForKey;
    const selected: Order[] =
      condition.kind === "select" ? [{ path: [condition.key[0]], descending: false }] : [];
    const queried = { where, order: [...order, ...selected] };
    const target = key === undefined ? undefined : schemas.get(query.className)?.fields[key]?.targetClass;
    if (target !== undefined && key !== undefined) {
      const redirecting: Order = { path: [key], descending: false };
      const source = access.authorizeInnerRead(request, query.className, "find", {
        where,
        order: [...queried.order, redirecting],
      });
      if (!source) return undefined;
    }
    const scope = access.authorizeInnerRead(request, target ?? query.className, "find", queried);
    return scope && { ...prepare(scope, where), order, limit, skip };
  }

  /** The query for the owner of a relation, who must be readable; undefined with the master key. */
  function ownerOf(
    { object, key }: Related,
    { request, schema, principals }: ReadScope,
  ): StoreQuery | undefined {
    if (principals === null) return undefined;
    const relation: Order = { path: [key], descending: false };
    const owner = idsCondition([object.objectId]);
    const scope = access.authorizeInnerRead(request, object.className, "get", {
      where: owner,
      order: [relation],
    });
    if (scope) return prepare(scope, owner);
    return { schema, where: NOTHING, order: [], limit: undefined, skip: 0, principals };
  }
}

/** Throws 102 for a text search without a text index: queries do not create indexes. */
function assertTextIndex(schema: ClassSchema, field: string): void {
  if (isTextIndexed(schema, field)) return;
  throw new ProtocolError(
    ErrorCode.INVALID_QUERY,
    `text index required for $text query: the field ${field} of class ${schema.className} has none`,
  );
}

export function isTextIndexed(schema: ClassSchema, field: string): boolean {
  return Object.values(schema.indexes).some((keys) => keys[field] === "text");
}

/** The fields that a where searches by text, without those of sub-queries. */
export function searchedFields(where: Condition): string[] {
  if ("conditions" in where) return where.conditions.flatMap(searchedFields);
  return where.kind === "text" ? [where.path[0]] : [];
}
