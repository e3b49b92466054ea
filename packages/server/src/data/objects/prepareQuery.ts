import {
  type Condition,
  ErrorCode,
  type FieldCondition,
  type Order,
  ProtocolError,
  type SubQuery,
} from "@purse/protocol";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { StoreQuery } from "../../database/store.ts";
import { queryOperation } from "../permissions/classPermissions.ts";
import { MATCH_NOTHING } from "../permissions/pointerPermissions.ts";
import type { Schemas } from "../schema/schemas.ts";
import { idsCondition } from "./include.ts";
import type { ReadAccess, ReadScope } from "./readAccess.ts";

type RelatedTo = Extract<Condition, { kind: "relatedTo" }>;
type PreparedSubqueries = Map<SubQuery | Condition, StoreQuery>;

/** Creates the database query for a where within a scope. */
export type PrepareQuery = (scope: ReadScope, where: Condition) => StoreQuery;

/** Creates database queries that are limited to their scope. Classes of sub-queries are authorized at any depth. */
export function createPrepareQuery(access: ReadAccess, schemas: Schemas): PrepareQuery {
  return prepare;

  function prepare(scope: ReadScope, where: Condition): StoreQuery {
    const { schema, condition, subjects } = scope;
    const subqueries = collectSubqueries(where, scope, undefined);
    return {
      schema,
      where: condition ? { kind: "and", conditions: [where, condition] } : where,
      order: [],
      limit: undefined,
      skip: 0,
      subjects,
      ...(subqueries && { subqueries }),
    };
  }

  function collectSubqueries(
    where: Condition,
    scope: ReadScope,
    target: PreparedSubqueries | undefined,
  ): PreparedSubqueries | undefined {
    let prepared = target;
    switch (where.kind) {
      case "and":
      case "or":
      case "nor":
        for (const condition of where.conditions) prepared = collectSubqueries(condition, scope, prepared);
        return prepared;
      case "relatedTo": {
        const owner = prepareRelationOwner(where, scope);
        return owner ? (prepared ?? new Map()).set(where, owner) : prepared;
      }
      case "inQuery":
      case "select": {
        const subquery = prepareSubquery(where, scope);
        return subquery ? (prepared ?? new Map()).set(where.query, subquery) : prepared;
      }
      case "text":
        assertTextIndex(scope.schema, where.path[0]);
        return prepared;
      default:
        return prepared;
    }
  }

  /** Prepares a sub-query; undefined if it matches nothing. */
  function prepareSubquery(
    condition: FieldCondition & { kind: "inQuery" | "select" },
    { request }: ReadScope,
  ): StoreQuery | undefined {
    const { query } = condition;
    const { where, order, limit, skip } = query;
    const key = query.redirectClassNameForKey;
    const selected: Order[] =
      condition.kind === "select" ? [{ path: [condition.key[0]], descending: false }] : [];
    const queriedFields = { where, order: [...order, ...selected] };
    const target = key === undefined ? undefined : schemas.get(query.className)?.fields[key]?.targetClass;
    if (target !== undefined && key !== undefined) {
      const redirecting: Order = { path: [key], descending: false };
      const source = access.authorizeSubqueryRead(request, query.className, queryOperation(where), {
        where,
        order: [...queriedFields.order, redirecting],
      });
      if (!source) return undefined;
    }
    const operation = queryOperation(where);
    const scope = access.authorizeSubqueryRead(request, target ?? query.className, operation, queriedFields);
    return scope && { ...prepare(scope, where), order, limit, skip };
  }

  /** Prepares the query for the owner of a relation, which must be readable; undefined with the master key. */
  function prepareRelationOwner(
    { object, key }: RelatedTo,
    { request, schema, subjects }: ReadScope,
  ): StoreQuery | undefined {
    if (subjects === null) return undefined;
    const relation: Order = { path: [key], descending: false };
    const owner = idsCondition([object.objectId]);
    const scope = access.authorizeSubqueryRead(request, object.className, "get", {
      where: owner,
      order: [relation],
    });
    if (scope) return prepare(scope, owner);
    return { schema, where: MATCH_NOTHING, order: [], limit: undefined, skip: 0, subjects };
  }
}

/** Throws 102 for a text search without a text index, since queries do not create indexes. */
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

/** Returns the fields that a where searches by text, without those of sub-queries. */
export function searchedFields(where: Condition): string[] {
  if ("conditions" in where) return where.conditions.flatMap(searchedFields);
  return where.kind === "text" ? [where.path[0]] : [];
}
